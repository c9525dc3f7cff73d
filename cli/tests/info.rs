// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet info`, and the choice of a kernel.

mod common;

use common::{Folder, VERSION, complains};
use hornet::kernel::{self, Primitive};

#[test]
fn info_shows_the_choice() {
    let folder = Folder::new();
    let info = |arguments: &str, variable: &str| {
        let mut command = folder.hornet(arguments);
        let output = command.env("HORNET_KERNEL", variable).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let best = kernel::names(Primitive::Poly1305).next().unwrap();
    let last = kernel::names(Primitive::Poly1305).last().unwrap();

    let automatic = info("info", "");
    assert!(automatic.starts_with(VERSION), "{automatic}");
    assert!(
        automatic.contains(&format!("kernel: {best}, the best that this CPU can run\n")),
        "{automatic}"
    );
    let row = |name| {
        automatic
            .lines()
            .find(|line| line.split_whitespace().next() == Some(name))
            .unwrap()
    };
    let column = |title| row("kernel").find(title).unwrap();
    let (required, here) = (column("requires"), column("runs here"));
    for kernel in kernel::all(Primitive::Poly1305) {
        let row = row(kernel.name);
        let names = match kernel.required.as_str() {
            "" => "-",
            names => names,
        };
        assert!(row[required..].starts_with(&format!("{names} ")), "{row}");
        let end = match kernel.supported {
            _ if kernel.name == best => "yes, in use",
            true => "yes",
            false => "no",
        };
        assert_eq!(&row[here..], end, "{row}");
    }
    // The option takes precedence.
    let forced = info(&format!("info --kernel {last}"), best);
    assert!(
        forced.contains(&format!("kernel: {last}, forced by --kernel\n")),
        "{forced}"
    );
}

#[test]
fn kernels_that_cannot_run() {
    let folder = Folder::new();
    let names = kernel::names(Primitive::Poly1305)
        .collect::<Vec<_>>()
        .join(", ");
    let unsupported = kernel::all(Primitive::Poly1305).filter(|kernel| !kernel.supported);
    for name in unsupported.map(|kernel| kernel.name).chain(["abacus"]) {
        let output = folder
            .hornet("mac --key-file key message")
            .env("HORNET_KERNEL", name)
            .output();
        complains(&output.unwrap(), 2, &["HORNET_KERNEL: ", name, &names]);
        let output = folder.run(&format!("info --kernel {name}"));
        complains(&output, 2, &["--kernel: ", name, &names]);
    }
}
