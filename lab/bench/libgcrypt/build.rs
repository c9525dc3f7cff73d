// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Builds Libgcrypt and the library that it needs from the sources of Debian 13, which install.sh fetches, with its own
//! build system and flags, but without most ciphers, hash functions and programs.

#[path = "../sources/run.rs"]
mod run;

use run::run;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where install.sh puts these.
const FOLDER: &str = "../target/libgcrypt";
const ERRORS: &str = "libgpg-error_1.51.orig.tar.bz2";
const LIBGCRYPT: &str = "libgcrypt20_1.11.0.orig.tar.bz2";

/// What the library cannot be linked without, and AES for Poly1305-AES.
const ALGORITHMS: [&str; 3] = [
    "--enable-ciphers=chacha20 aes",
    "--enable-digests=sha1 sha256 sha512 sha3 blake2",
    "--enable-pubkey-ciphers=ecc",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../sources/run.rs");
    let archives = [ERRORS, LIBGCRYPT].map(|archive| Path::new(FOLDER).join(archive));
    for archive in &archives {
        // If it does not exist, the next build tries again.
        println!("cargo::rerun-if-changed={}", archive.display());
    }
    if !archives.iter().all(|archive| archive.exists()) {
        println!(
            "cargo::warning=lab/bench/install.sh has not fetched Libgcrypt 1.11: an installed one is measured"
        );
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    match build(&out, &archives) {
        Ok(()) => println!("cargo::metadata=folder={}", out.display()),
        Err(why) => {
            println!(
                "cargo::warning=Libgcrypt 1.11 cannot be built: {why}: an installed one is measured"
            );
        }
    }
}

/// Builds the libraries in `out`/errors and `out`/libgcrypt, and installs the first in `out`/prefix.
fn build(out: &Path, archives: &[PathBuf; 2]) -> Result<(), String> {
    let prefix = format!("--prefix={}", out.join("prefix").display());
    let common = [&prefix, "--disable-shared", "--with-pic", "--disable-doc"];
    let folders = [out.join("errors"), out.join("libgcrypt")];
    for (folder, archive) in folders.iter().zip(archives) {
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        let mut tar = Command::new("tar");
        tar.args(["-x", "--bzip2", "--strip-components=1", "-C"]);
        run(tar.arg(folder).arg("-f").arg(archive))?;
    }
    let [errors, libgcrypt] = folders;
    let command = |folder: &Path, program: &str| {
        let mut command = Command::new(program);
        command.current_dir(folder);
        command
    };
    let jobs = format!("-j{}", env::var("NUM_JOBS").unwrap_or_else(|_| "1".into()));
    run(command(&errors, "./configure")
        .args(common)
        .args(["--disable-nls", "--disable-languages", "--disable-tests"])
        .arg("--enable-install-gpg-error-config"))?;
    run(command(&errors, "make").args([&jobs, "install"]))?;
    run(command(&libgcrypt, "./configure")
        .args(common)
        .args(ALGORITHMS)
        .arg(prefix.replace("--prefix", "--with-libgpg-error-prefix")))?;
    for folder in ["compat", "mpi", "cipher", "random"] {
        run(command(&libgcrypt, "make").args([&jobs, "-C", folder]))?;
    }
    run(command(&libgcrypt, "make").args([&jobs, "-C", "src", "libgcrypt.la"]))
}
