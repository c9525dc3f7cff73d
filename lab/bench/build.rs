// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Builds the measured libraries that are not Rust crates, each as a shared library that the bench loads at run time. A
//! library that cannot be built, usually because it is not installed, is left out, and the bench reports why.

#[path = "sources/find.rs"]
mod find;
#[path = "src/source_tree.rs"]
mod source_tree;

use source_tree::{COMPILERS, Failure, Job};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The flags of the tuning build, in which a forced kernel handles messages of every length. Older sources only know
/// the second name.
const TUNING_FLAGS: &str = "-DHORNET_NO_CROSSOVERS";

/// A shim calls the functions of its library directly, as in a statically linked program, and not through the PLT.
const SHIM_FLAGS: &str = "-O2 -fPIC -fvisibility=hidden -shared -fno-plt -Wl,-Bsymbolic -Wl,--exclude-libs,ALL -Wl,--no-undefined";

/// The files in shims/, with the flags for the library that each calls.
const SHIMS: [(&str, &str); 2] = [
    ("ipsec_mb", "-l:libIPSec_MB.a"),
    ("nettle", "-l:libnettle.a"),
];

/// Libraries that choose their instructions once in a process are built again for the sections with fewer: the shim, the
/// end of the library's name, and the flag.
const VARIANTS: [(&str, &str, &str); 7] = [
    ("botan", "", ""),
    ("botan", "_avx2", "-DNO_AVX512"),
    ("libgcrypt", "", ""),
    ("libgcrypt", "_avx2", "-DNO_AVX512"),
    ("wolfssl", "", ""),
    ("wolfssl", "_avx2", "-DNO_AVX512"),
    ("wolfssl", "_avx512f", "-DNO_IFMA"),
];

/// What `./configure --enable-intelasm` passes to the compiler, less what other files need.
const WOLFSSL_FLAGS: &str = "-fwrapv -DHAVE_C___ATOMIC=1 -DHAVE_THREAD_LS -DNDEBUG -DWOLFSSL_X86_64_BUILD \
    -DUSE_INTEL_SPEEDUP -DWOLFSSL_USE_ALIGN -DHAVE_POLY1305 -DHAVE_CHACHA -DWOLFCRYPT_ONLY -DHAVE___UINT128_T=1 \
    -DWC_NO_RNG";

/// All of wolfSSL that its ChaCha20-Poly1305 calls.
const WOLFSSL: [&str; 8] = [
    "chacha.c",
    "chacha20_poly1305.c",
    "chacha_asm.S",
    "cpuid.c",
    "memory.c",
    "poly1305.c",
    "poly1305_asm.S",
    "wc_port.c",
];

/// Crates whose versions the bench reports.
const MEASURED: [&str; 7] = [
    "aws-lc-sys",
    "chacha20poly1305",
    "graviola",
    "libcrux-chacha20poly1305",
    "libcrux-poly1305",
    "poly1305",
    "ring",
];

fn main() {
    for input in [
        "build.rs",
        "src/source_tree.rs",
        "../../src",
        "../../include",
        "../../bindings/openssl/src",
        "../study/cycles.c",
        "shims",
        "go",
        "Cargo.lock",
        "sources",
    ] {
        println!("cargo::rerun-if-changed={input}");
    }
    let sources = source_tree::sources(Path::new("../..")).unwrap_or_else(|why| panic!("{why}"));
    let provider = source_tree::sources(Path::new("../../bindings/openssl"));
    let provider = provider.unwrap_or_else(|why| panic!("{why}"));
    let openssl_include = format!("-I{}", variable("DEP_HORNET_BENCH_OPENSSL_INCLUDE"));
    let mut builds = Vec::new();
    for (compiler, program) in COMPILERS {
        // Includes the OpenSSL provider, so that it uses the same functions, with the kernels that are forced.
        let mut command = source_tree::command(program, &sources);
        command
            .args(&provider)
            .args(["-I../../include", &openssl_include]);
        let mut tuning = source_tree::command(program, &sources);
        tuning.arg(TUNING_FLAGS);
        for (suffix, mut command) in [("", command), ("_tune", tuning)] {
            command.arg("shims/hornet.c");
            builds.push((format!("hornet_{compiler}{suffix}"), command));
        }
    }
    for (shim, needs) in SHIMS {
        builds.push((shim.into(), shim_command(shim, needs)));
    }
    let mut missing = Vec::new();
    for (shim, suffix, flag) in VARIANTS {
        let name = format!("{shim}{suffix}");
        let command = match shim {
            "botan" => botan(),
            "libgcrypt" => Ok(libgcrypt()),
            _ => wolfssl(),
        };
        match command {
            Ok(mut command) => {
                command.args(words(flag));
                builds.push((name, command));
            }
            Err(why) => missing.push((name, Err(why))),
        }
    }
    let mut cycles = Command::new("gcc");
    cycles.args(["-O2", "-fPIC", "-shared", "../study/cycles.c"]);
    builds.push(("cycles".into(), cycles));
    let mut openssl = shim_command("openssl", "");
    openssl
        .arg(&openssl_include)
        .arg(format!("-L{}", variable("DEP_HORNET_BENCH_OPENSSL_LIB")))
        .args(["-l:libcrypto.a", "-pthread", "-ldl"]);
    builds.push(("openssl".into(), openssl));

    let mut go = Command::new("go");
    go.current_dir("go").args([
        "build",
        "-buildmode=c-shared",
        "-trimpath",
        "-buildvcs=false",
    ]);
    builds.push(("go".into(), go));

    let out = PathBuf::from(variable("OUT_DIR"));
    let mut libraries = if is_for_clippy() {
        Vec::new()
    } else {
        build_all(&out, builds)
    };
    libraries.extend(missing);
    for (name, result) in &libraries {
        if let Err(why) = result {
            println!("cargo::warning={name} is left out: {why}");
        }
    }
    if let Some((_, Err(why))) = libraries.first() {
        panic!("Hornet cannot be built: {why}");
    }
    fs::write(out.join("built.rs"), built(&libraries)).expect("OUT_DIR can be written");
}

/// The name of a library, and its path or the reason why it is missing.
type Library = (String, Result<PathBuf, String>);

/// Clippy has the build scripts of a workspace recompiled and rerun, and needs no library.
fn is_for_clippy() -> bool {
    let wrapper = env::var("RUSTC_WORKSPACE_WRAPPER");
    wrapper.is_ok_and(|wrapper| wrapper.contains("clippy"))
}

fn shim_command(shim: &str, needs: &str) -> Command {
    let mut command = Command::new("gcc");
    command
        .args(words(SHIM_FLAGS))
        .arg(format!("shims/{shim}.c"))
        .args(words(needs));
    command
}

/// Returns the command that builds the shim of Botan, with the library that botan/build.rs built.
fn botan() -> Result<Command, String> {
    if let Ok(why) = env::var("DEP_HORNET_BENCH_BOTAN_MISSING") {
        return Err(why);
    }
    let include = variable("DEP_HORNET_BENCH_BOTAN_INCLUDE");
    let mut command = Command::new("g++");
    command
        .args(words(SHIM_FLAGS))
        .arg("-std=c++20")
        .arg(format!("-I{include}"))
        .arg(format!("-I{include}/../internal"))
        .arg("shims/botan.cc")
        .arg(format!("-L{}", variable("DEP_HORNET_BENCH_BOTAN_LIB")))
        .args(["-l:libbotan-3.a", "-pthread"]);
    Ok(command)
}

/// Returns the command that builds the shim of Libgcrypt, with the library that libgcrypt/build.rs built, or else the
/// installed one.
fn libgcrypt() -> Command {
    let Ok(folder) = env::var("DEP_HORNET_BENCH_LIBGCRYPT_FOLDER") else {
        return shim_command("libgcrypt", "-lgcrypt");
    };
    let mut command = shim_command("libgcrypt", "");
    command
        .arg(format!("-I{folder}/libgcrypt/src"))
        .arg(format!("-I{folder}/prefix/include"))
        .arg(format!("{folder}/libgcrypt/src/.libs/libgcrypt.a"))
        .arg(format!("{folder}/prefix/lib/libgpg-error.a"));
    command
}

/// Returns the command that builds the shim of wolfSSL, with the library's files.
fn wolfssl() -> Result<Command, String> {
    let folder = find::folder(Path::new("sources/Cargo.toml"), "wolfssl-sys")?.join("wolfssl-src");
    let mut command = shim_command("wolfssl", WOLFSSL_FLAGS);
    command
        .arg(format!("-I{}", folder.display()))
        .args(WOLFSSL.map(|file| folder.join("wolfcrypt/src").join(file)));
    Ok(command)
}

fn build_all(out: &Path, builds: Vec<(String, Command)>) -> Vec<Library> {
    let (names, mut jobs): (Vec<String>, Vec<Job>) = builds
        .into_iter()
        .map(|(name, command)| {
            let output = out.join(format!("lib{name}.so"));
            (name, Job { command, output })
        })
        .unzip();
    let results = source_tree::run_all(&mut jobs);
    let all = names.into_iter().zip(jobs).zip(results);
    all.map(|((name, job), result)| {
        (
            name,
            result.map(|()| job.output).map_err(|why| reason(&why)),
        )
    })
    .collect()
}

/// Returns the reason in one line, without the paths of this machine.
fn reason(why: &Failure) -> String {
    let complaints = match why {
        Failure::Missing(program) => return format!("there is no {program}"),
        Failure::Complaints(complaints) => complaints,
    };
    let line = source_tree::first_error(complaints);
    let at = ["error: ", "cannot find "]
        .iter()
        .find_map(|mark| line.find(mark));
    line[at.unwrap_or(0)..].to_owned()
}

/// Returns the constants for the bench.
fn built(libraries: &[Library]) -> String {
    let mut text = String::new();
    let mut line = |about: &str, constant: &str, value: String| {
        writeln!(text, "/// {about}\npub(crate) const {constant} = {value};").unwrap();
    };
    let libraries: Vec<(&str, Result<&str, &str>)> = libraries
        .iter()
        .map(|(name, result)| {
            let result = match result {
                Ok(path) => Ok(path.to_str().expect("paths here are UTF-8")),
                Err(why) => Err(why.as_str()),
            };
            (name.as_str(), result)
        })
        .collect();
    line(
        "Each library's name, and its path or why it is missing.",
        "LIBRARIES: &[(&str, Result<&str, &str>)]",
        format!("&{libraries:?}"),
    );

    let mut tools: Vec<(&str, String)> = COMPILERS
        .iter()
        .map(|&(name, command)| (name, first_line(command, "--version")))
        .collect();
    tools.push(("rustc", first_line(&variable("RUSTC"), "--version")));
    tools.push(("go", first_line("go", "version")));
    line(
        "Compilers and their versions.",
        "TOOLS: &[(&str, &str)]",
        format!("&{tools:?}"),
    );

    let rust_flags = variable("CARGO_ENCODED_RUSTFLAGS").replace('\x1f', " ");
    line(
        "The Rust peers' flags.",
        "RUST_FLAGS: &str",
        format!("{rust_flags:?}"),
    );

    let lock = fs::read_to_string("Cargo.lock").unwrap_or_default();
    let mut versions: Vec<(&str, &str)> = locked(&lock).collect();
    let go = fs::read_to_string("go/go.mod").unwrap_or_default();
    let crypto = "golang.org/x/crypto";
    versions.extend(go.lines().find_map(|line| {
        let version = line.split_once(crypto)?.1.trim();
        Some((crypto, version))
    }));
    line(
        "The peers' versions.",
        "VERSIONS: &[(&str, &str)]",
        format!("&{versions:?}"),
    );
    text
}

/// Returns the names and versions of the measured crates, from Cargo.lock.
fn locked(lock: &str) -> impl Iterator<Item = (&str, &str)> {
    let value =
        |line: &'_ str| -> Option<(usize, usize)> { Some((line.find('"')? + 1, line.rfind('"')?)) };
    lock.split("[[package]]").filter_map(move |package| {
        let find = |field: &str| {
            let line = package.lines().find(|line| line.starts_with(field))?;
            let (from, to) = value(line)?;
            line.get(from..to)
        };
        let name = find("name = ")?;
        let measured = MEASURED.contains(&name);
        Some((name, find("version = ")?)).filter(|_| measured)
    })
}

fn first_line(command: &str, argument: &str) -> String {
    let output = Command::new(command).arg(argument).output();
    let text = output.map_or_else(|_| "none".into(), |output| output.stdout);
    let text = String::from_utf8_lossy(&text);
    text.lines().next().unwrap_or("none").to_owned()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
