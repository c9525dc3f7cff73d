// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The last sections of the help, which are also in the manual page: exit status, environment, and
//! what the library offers beyond the command.

/// A list of names and their meanings.
pub(super) struct Section {
    pub(super) heading: &'static str,
    pub(super) entries: &'static [(&'static str, &'static str)],
}

pub(super) const SECTIONS: [Section; 3] = [
    Section {
        heading: "Exit status",
        entries: &[
            ("0", "success"),
            (
                "1",
                "a tag does not match, files differ from the manifest, or the manifest or its parts are \
                 refused: they were changed, were not made with the key, do not belong together, or are \
                 older than --newer-than allows",
            ),
            (
                "2",
                "wrong usage, or a file that cannot be read or written; also if standard input, output or error is closed",
            ),
        ],
    },
    Section {
        heading: "Environment",
        entries: &[
            (
                "HORNET_KERNEL",
                "the kernel to use unless --kernel is given",
            ),
            (
                "NO_COLOR, TERM",
                "results are not in color by default if NO_COLOR is not empty, or TERM is unset or 'dumb'",
            ),
        ],
    },
    Section {
        heading: "ChaCha20-Poly1305 in the library",
        entries: &[
            (
                "C",
                "#include <hornet.h>, which is the manual; pkg-config --cflags --libs hornet",
            ),
            (
                "OpenSSL",
                "make install-provider; OPENSSL_CONF=bindings/openssl/openssl.cnf",
            ),
            (
                "Rust",
                "the crate hornet-poly1305, module hornet::aead; for rustls, the crate hornet-poly1305-rustls",
            ),
        ],
    },
];

/// Returns all sections as plain text.
pub(super) fn help() -> String {
    let sections = SECTIONS.map(|Section { heading, entries }| {
        let lines = entries
            .iter()
            .map(|(name, meaning)| format!("\n  {name}  {meaning}"));
        format!("{heading}:{}", lines.collect::<String>())
    });
    sections.join("\n\n")
}
