// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Runs every example. Each checks its own results, and fails if they are not as expected.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn every_example_succeeds() {
    // Cargo builds all examples for this test, into one folder.
    let folder = Path::new(env!("CARGO_BIN_EXE_stream")).parent().unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin");
    let mut examples = 0;
    for entry in fs::read_dir(sources).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap();
        let output = Command::new(folder.join(name)).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {stderr}", name.display());
        assert!(
            !output.stdout.is_empty(),
            "{} prints nothing",
            name.display()
        );
        examples += 1;
    }
    assert!(examples >= 6, "{examples}");
}
