// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Builds OpenSSL from the sources in `openssl-src`, with OpenSSL's own build system and flags.

fn main() {
    let openssl = openssl_src::Build::new().build();
    println!(
        "cargo::metadata=include={}",
        openssl.include_dir().display()
    );
    println!("cargo::metadata=lib={}", openssl.lib_dir().display());
    println!("cargo::metadata=version={}", openssl_src::version());
    println!("cargo::rerun-if-changed=build.rs");
}
