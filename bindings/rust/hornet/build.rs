// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Compiles the C library. Its kernels open their own target regions, so no flags are needed.
//!
//! The folder `c` has symbolic links to the library's `src` and `include`. `cargo package` takes
//! only what lies below the manifest, and puts the files themselves in the place of links: so a
//! package has the sources, and nothing is kept twice. A manifest at the root of the repository
//! would do without links; but then the package that cargo verifies and the crate in the tree share
//! their place in `target`, and after `cargo package` a change to this file goes unnoticed (cargo
//! 1.95).

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Takes the numbers in layout.rs as text, for the C compiler of the target to work out.
macro_rules! layout {
    ($($name:ident = $value:expr;)*) => {
        const LAYOUT: &[(&str, &str)] = &[$((stringify!($name), stringify!(($value)))),*];
    };
}
include!("src/layout.rs");

fn main() -> io::Result<()> {
    let library = library();

    let mut sources = Vec::new();
    find_c_files(&library.join("src"), &mut sources)?;
    // So that every build is the same.
    sources.sort();

    compiler()
        .files(sources)
        // Also in debug builds: the level that the library is tested and measured at.
        .opt_level(2)
        .compile("hornet");
    check_layout(&library.join("include"));

    // Cargo looks into folders, so a new file counts as a change.
    for folder in ["src", "include"] {
        println!("cargo:rerun-if-changed={}", library.join(folder).display());
    }
    println!("cargo:rerun-if-changed={LAYOUT_C}");
    Ok(())
}

const LAYOUT_C: &str = "src/layout.c";

/// Compiles layout.c, which fails unless hornet.h is as this crate expects it.
fn check_layout(include: &Path) {
    let mut check = compiler();
    for (name, value) in LAYOUT {
        check.define(name, *value);
    }
    let version = env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    check
        .define("CRATE_VERSION", &*format!("{version:?}"))
        .include(include)
        .file(LAYOUT_C)
        .compile_intermediates();
}

/// The C compiler. Bare metal has no C library, and so no `string.h`, and wasm only has one in WASI.
fn compiler() -> cc::Build {
    let mut build = cc::Build::new();
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "none" || os == "unknown") {
        build.flag("-ffreestanding");
    }
    build
}

/// The folder that has `src` and `include`.
fn library() -> PathBuf {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = manifest.join("../../..");
    // Where git makes no links, as it mostly does not on Windows, text files are in their place.
    // But a package of those must not build by accident, in some folder below the tree that it was
    // made from.
    let in_tree = fs::canonicalize(root.join("bindings/rust/hornet")).ok()
        == fs::canonicalize(&manifest).ok();
    let links = manifest.join("c");
    if in_tree && !links.join("src").is_dir() {
        root
    } else {
        links
    }
}

/// Appends the `.c` files in a folder and the folders in it.
fn find_c_files(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let entries = fs::read_dir(folder)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            find_c_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "c") {
            files.push(path);
        }
    }
    Ok(())
}
