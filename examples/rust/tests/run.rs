// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Runs every example: `check.py` those that all languages have; the others check their own results,
//! and fail if they are not as expected. And it runs the calls of docs/migrating.md.

use std::fs;
use std::path::Path;
use std::process::Command;

fn succeeds(command: &mut Command) {
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {stderr}");
    assert!(!output.stdout.is_empty(), "{command:?} prints nothing");
}

#[test]
fn every_example_succeeds() {
    // Cargo builds all examples for this test, into one folder.
    let folder = Path::new(env!("CARGO_BIN_EXE_files")).parent().unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    succeeds(
        Command::new("python3")
            .arg(sources.with_file_name("check.py"))
            .args([sources.join("{}.rs"), folder.join("{}")]),
    );
    let migrating = sources.join("../../tests/integration/migrating");
    succeeds(
        Command::new("python3")
            .arg(migrating.join("check.py"))
            .arg("RustCrypto")
            .args([
                migrating.join("rustcrypto.rs"),
                folder.join("examples/rustcrypto"),
            ]),
    );
    for name in ["batch", "key_file", "segments"] {
        succeeds(&mut Command::new(folder.join(name)));
    }
    let sources = fs::read_dir(sources)
        .unwrap()
        .map(|file| file.unwrap().path());
    let sources = sources.filter(|path| path.extension().is_some_and(|kind| kind == "rs"));
    assert_eq!(sources.count(), 9, "a program is not run");
}
