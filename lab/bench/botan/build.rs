// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Builds Botan from the sources in `botan-src`, with Botan's own build system and flags, but only the modules that are
//! measured: the script of that crate would build all, which takes ten minutes.

#[path = "../sources/find.rs"]
mod find;
#[path = "../sources/run.rs"]
mod run;

use run::run;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All implementations of both for x86.
const MODULES: &str =
    "chacha20poly1305,chacha_simd32,chacha_avx2,chacha_avx512,poly1305_avx2,poly1305_avx512";

fn main() {
    for input in ["build.rs", "../sources"] {
        println!("cargo::rerun-if-changed={input}");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    match build(&out) {
        Ok(()) => {
            let include = out.join("build/build/include/public");
            println!("cargo::metadata=include={}", include.display());
            println!("cargo::metadata=lib={}", out.join("build").display());
        }
        Err(why) => {
            println!("cargo::metadata=missing={why}");
            // Does not exist, so that the next build tries again.
            println!("cargo::rerun-if-changed=missing");
        }
    }
}

/// Builds the library in `out`/build.
fn build(out: &Path) -> Result<(), String> {
    let vendor = find::folder(Path::new("../sources/Cargo.toml"), "botan-src")?.join("vendor");
    let archive = fs::read_dir(&vendor)
        .ok()
        .and_then(|mut all| all.next()?.ok());
    let archive = archive.ok_or("botan-src contains no archive")?.path();
    let sources = out.join("sources");
    fs::create_dir_all(&sources).map_err(|error| error.to_string())?;
    let command = |program: &str| {
        let mut command = Command::new(program);
        command.current_dir(&sources);
        command
    };
    run(command("tar")
        .args(["-x", "--xz", "--strip-components=1", "-f"])
        .arg(archive))?;
    run(command("python3").args([
        "configure.py",
        "--with-build-dir=../build",
        "--build-targets=static",
        "--cc=gcc",
        "--minimized-build",
        "--without-documentation",
        &format!("--enable-modules={MODULES}"),
    ]))?;
    let jobs = env::var("NUM_JOBS").unwrap_or_else(|_| "1".into());
    run(command("make").args(["-f", "../build/Makefile", "-j", &jobs, "libs"]))
}
