// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Examples for the help and the manual pages. A test runs those of each command, one after another.

/// What an example does, and its lines.
pub(super) type Example = (&'static str, &'static [&'static str]);

const EXAMPLES: [(&str, &[Example]); 12] = [
    (
        "hornet",
        &[(
            "Tag the files in a folder, and check them later",
            &[
                "hornet keygen key",
                "hornet tag -k key -o manifest src",
                "hornet check -k key --strict manifest",
            ],
        )],
    ),
    (
        "keygen",
        &[
            ("Create a key file", &["hornet keygen key"]),
            (
                "Derive a key for another machine",
                &["hornet keygen --fork key laptop.key"],
            ),
        ],
    ),
    (
        "tag",
        &[
            (
                "Tag the files in a folder",
                &["hornet tag -k key -o manifest src"],
            ),
            (
                "Leave out object files anywhere, and the folder src/build",
                &["hornet tag -k key -o manifest --force --exclude '*.o' --exclude /build/ src"],
            ),
            (
                "Leave out what .gitignore lists, and git's own folder",
                &[
                    "hornet tag -k key -o manifest --force --exclude-from .gitignore --exclude .git/ .",
                ],
            ),
            (
                "Tag the files that another program lists",
                &[
                    "find src -name '*.c' -print0 |",
                    "hornet tag -k key -o manifest --force --null --files-from -",
                ],
            ),
            (
                "Keep what lets parts of the files be verified alone",
                &["hornet tag -k key -o manifest --force --parts parts src/main.c"],
            ),
        ],
    ),
    (
        "check",
        &[
            (
                "Check the files that a manifest lists",
                &["hornet check -k key manifest"],
            ),
            (
                "Report also what was added, except for caches",
                &["hornet check -k key --strict --exclude __pycache__/ manifest"],
            ),
            (
                "Check a copy in another folder, and print only what differs",
                &[
                    "mkdir copy && cp -R src copy",
                    "hornet check -k key --quiet --base copy manifest",
                ],
            ),
            (
                "Refuse a manifest that is older than the last one accepted",
                &["hornet check -k key --newer-than accepted manifest"],
            ),
            (
                "Verify the first four bytes of a file, reading only the segment that has them",
                &["hornet check -k key --parts parts --range 0:4 manifest src/main.c"],
            ),
            (
                "Count the files, in a script",
                &["hornet check -k key --json manifest | tail -n 1"],
            ),
        ],
    ),
    (
        "seal",
        &[
            (
                "Make an identity, and seal a file to its recipient",
                &[
                    "hornet keygen --age identity > recipient",
                    "hornet seal -R recipient -o main.c.age src/main.c",
                ],
            ),
            (
                "Seal what a program prints",
                &["tar -c src | hornet seal -R recipient -o src.tar.age"],
            ),
        ],
    ),
    (
        "open",
        &[
            (
                "Open a file, which appears when all of it was verified",
                &[
                    "hornet keygen --age identity > recipient",
                    "hornet seal -R recipient -o main.c.age src/main.c",
                    "hornet open -i identity -o main.c main.c.age",
                ],
            ),
            (
                "Print four bytes of it, reading only the chunk that has them, and the last",
                &["hornet open -i identity --range 1:4 main.c.age"],
            ),
        ],
    ),
    (
        "cat",
        &[
            (
                "Print four bytes of a file after they were verified",
                &["hornet cat -k key --parts parts --range 1:4 manifest src/main.c"],
            ),
            (
                "Copy a file, which appears when all of it was verified",
                &["hornet cat -k key --parts parts -o copy manifest src/main.c"],
            ),
        ],
    ),
    (
        "retag",
        &[
            (
                "Read new files and those whose length or times differ",
                &["hornet retag -k key --parts parts manifest"],
            ),
            (
                "Read the only range of a file that changed, as another program says",
                &[
                    "echo 0 4 |",
                    "hornet retag -k key --parts parts --file src/main.c --ranges - manifest",
                ],
            ),
            (
                "Read what was appended",
                &[
                    "echo '// more' >> src/main.c",
                    "hornet retag -k key --parts parts --appended src/main.c manifest",
                ],
            ),
        ],
    ),
    (
        "bound",
        &[
            (
                "A billion messages of up to a million bytes, and a million forgeries",
                &["hornet bound --messages 1000000000 --forgeries 1000000 --length 1000000"],
            ),
            (
                "A thousand files of up to 1 TiB, and segments of 1 MiB that are checked alone",
                &["hornet bound --messages 1000 --forgeries 1 --length 2^40 --segment 1MiB"],
            ),
        ],
    ),
    (
        "mac",
        &[
            (
                "Tag a message under a new one-time key",
                &[
                    "(umask 077 && head -c 32 /dev/urandom > once.key)",
                    "hornet mac --key-file once.key message > message.tag",
                ],
            ),
            (
                "Tag what a program prints, under another one",
                &[
                    "(umask 077 && head -c 32 /dev/urandom > other.key)",
                    "tar -cf - src | hornet mac --key-file other.key",
                ],
            ),
        ],
    ),
    (
        "verify",
        &[(
            "Verify a message whose tag is in a file",
            &[r#"hornet verify --key-file once.key --tag "$(cat message.tag)" message"#],
        )],
    ),
    (
        "info",
        &[("Show which kernels run on this CPU", &["hornet info"])],
    ),
];

/// Returns the examples of a command.
pub(super) fn of(command: &str) -> &'static [Example] {
    let found = EXAMPLES.iter().find(|(name, _)| *name == command);
    found.map_or(&[], |(_, examples)| examples)
}

/// Returns them as plain text.
pub(super) fn help(command: &str) -> String {
    let examples = of(command).iter().map(|(what, lines)| {
        let lines = lines.iter().map(|line| format!("\n    {line}"));
        format!("\n  {what}:{}", lines.collect::<String>())
    });
    format!("Examples:{}", examples.collect::<Vec<_>>().join("\n"))
}
