//! Compiles the C library. Its kernels open their own target regions, so no flags are needed.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../..");

    let mut sources = c_files(&root.join("src"))?;
    sources.extend(c_files(&root.join("src/kernels"))?);

    cc::Build::new()
        .files(sources)
        // Also in debug builds: the level that the library is tested and measured at.
        .opt_level(2)
        .compile("hornet");

    // Cargo looks into folders, so a new file counts as a change.
    for folder in ["src", "include"] {
        println!("cargo:rerun-if-changed={}", root.join(folder).display());
    }
    Ok(())
}

/// The `.c` files in a folder, sorted so that every build is the same.
fn c_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "c") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
