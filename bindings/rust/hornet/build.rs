// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Compiles the C library. Its kernels open their own target regions, so no flags are needed.
//!
//! The folder `c` contains symbolic links to `src` and `include` of the library. `cargo package`
//! takes only what lies below the manifest, and packages the linked files in place of the links. So
//! the package contains the sources, and the repository has no second copy. A manifest at the root
//! of the repository would need no links; but then the package that cargo verifies and the crate in
//! the tree would share one folder in `target`, and after `cargo package` a change to this file
//! would go unnoticed (cargo 1.95).

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let library = library();

    let mut sources = Vec::new();
    find_c_files(&library.join("src"), &mut sources)?;
    // For reproducible builds.
    sources.sort();

    let mut build = compiler();
    choose_kernels(&mut build, &mut sources);
    build
        .files(sources)
        // Debug builds too: this is the level at which the library is tested and measured.
        .opt_level(2)
        .compile("hornet");

    // Cargo watches folders recursively, so a new file counts as a change.
    for folder in ["src", "include"] {
        println!("cargo:rerun-if-changed={}", library.join(folder).display());
    }
    Ok(())
}

/// Returns the C compiler. Bare metal has no C library, and therefore no `string.h`; wasm has one
/// in WASI only. Where Rust's code uses no vector registers, as in operating systems' kernels, C
/// must not either; and where an interrupt may overwrite what is below the stack pointer, there is
/// no red zone.
fn compiler() -> cc::Build {
    let mut build = cc::Build::new();
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "none" || os == "unknown") {
        build.flag("-ffreestanding");
    }
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let has = |feature| features.split(',').any(|each| each == feature);
    match env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("x86_64") if !has("sse2") => {
            build.flag("-mgeneral-regs-only").flag("-mno-red-zone");
        }
        Ok("aarch64") if !has("neon") => {
            build.flag("-mgeneral-regs-only");
        }
        _ => {}
    }
    build
}

/// Returns the folder that contains `src` and `include`.
fn library() -> PathBuf {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = manifest.join("../../..");
    // Where git creates no symbolic links, as usual on Windows, there are text files in their
    // place. But a package that contains such files must not build by accident in a folder below
    // the tree that it was made from.
    let in_tree = fs::canonicalize(root.join("bindings/rust/hornet")).ok()
        == fs::canonicalize(&manifest).ok();
    let links = manifest.join("c");
    if in_tree && !links.join("src").is_dir() {
        root
    } else {
        links
    }
}

/// The kernels to build, separated by spaces, or `all`, which includes those that are for tests and
/// measurements. Not set or empty, the default of `src/poly1305/kernels.def`.
const KERNELS: &str = "HORNET_KERNELS";

fn choose_kernels(build: &mut cc::Build, sources: &mut Vec<PathBuf>) {
    println!("cargo:rerun-if-env-changed={KERNELS}");
    let value = env::var(KERNELS).unwrap_or_default();
    let chosen: Vec<&str> = value.split_whitespace().collect();
    if chosen.is_empty() {
        return;
    }
    build.define("HORNET_ALL_KERNELS", "1");
    if chosen.contains(&"all") {
        return;
    }
    let name = |file: &Path| -> Option<String> {
        let folder = file.parent()?;
        let is_kernel = folder.ends_with("poly1305/kernels");
        is_kernel.then(|| file.file_stem()?.to_str().map(str::to_owned))?
    };
    for kernel in &chosen {
        let exists = sources
            .iter()
            .any(|file| name(file).as_deref() == Some(kernel));
        assert!(exists, "{KERNELS}: no kernel {kernel}");
    }
    sources.retain(|file| match name(file) {
        Some(kernel) if !chosen.contains(&&*kernel) => {
            build.define(&format!("HORNET_OMIT_{kernel}"), "1");
            false
        }
        _ => true,
    });
}

/// Appends the `.c` files in a folder and its subfolders.
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
