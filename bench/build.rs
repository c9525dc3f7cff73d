//! Builds what is measured and is not a Rust crate, each as a shared library of its own that the bench loads when it
//! runs. What cannot be built, mostly because it is not installed, is left out, and the bench says why.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// As Hornet's Makefile has them.
const HORNET_FLAGS: &str = "-O2 -fPIC -fvisibility=hidden -shared";

/// A shim calls the functions beside it directly and not through a table, as a program of one piece does.
const SHIM_FLAGS: &str = "-O2 -fPIC -fvisibility=hidden -shared -fno-plt -Wl,-Bsymbolic -Wl,--exclude-libs,ALL -Wl,--no-undefined";

/// The name of a compiler in the report, and its command.
const COMPILERS: [(&str, &str); 2] = [("gcc", "gcc"), ("clang", "clang-19")];

/// A file in shims/, and what it needs of the system.
const SHIMS: [(&str, &str); 4] = [
    ("ipsec_mb", "-l:libIPSec_MB.a"),
    ("nettle", "-l:libnettle.a"),
    ("libgcrypt", "-lgcrypt"),
    ("botan", "-I/usr/include/botan-2 -lbotan-2"),
];

fn main() {
    for input in [
        "build.rs",
        "../src",
        "../include",
        "shims",
        "go",
        "Cargo.lock",
    ] {
        println!("cargo::rerun-if-changed={input}");
    }
    let out = PathBuf::from(variable("OUT_DIR"));
    let mut libraries = Vec::new();

    for (compiler, command) in COMPILERS {
        for (suffix, more) in [("", ""), ("_tune", "-DHORNET_NO_MIN_VECTOR_BYTES")] {
            let name = format!("hornet_{compiler}{suffix}");
            let mut build = Command::new(command);
            build
                .args(words(HORNET_FLAGS))
                .args(words(more))
                .arg("shims/hornet.c")
                .args(sources("../src"))
                .args(sources("../src/kernels"));
            libraries.push(build_library(&out, name, build));
        }
    }
    if let Err(why) = &libraries[0].1 {
        panic!("there is nothing to measure without Hornet: {why}");
    }
    for (shim, needs) in SHIMS {
        let build = shim_command(shim, needs);
        libraries.push(build_library(&out, shim.into(), build));
    }
    let mut openssl = shim_command("openssl", "");
    openssl
        .arg(format!(
            "-I{}",
            variable("DEP_HORNET_BENCH_OPENSSL_INCLUDE")
        ))
        .arg(format!("-L{}", variable("DEP_HORNET_BENCH_OPENSSL_LIB")))
        .args(["-l:libcrypto.a", "-pthread", "-ldl"]);
    libraries.push(build_library(&out, "openssl".into(), openssl));

    let mut go = Command::new("go");
    go.current_dir("go").args([
        "build",
        "-buildmode=c-shared",
        "-trimpath",
        "-buildvcs=false",
    ]);
    libraries.push(build_library(&out, "go".into(), go));

    fs::write(out.join("built.rs"), built(&libraries)).expect("OUT_DIR can be written");
}

/// The path of the library, or why there is none.
type Library = (String, Result<PathBuf, String>);

fn shim_command(shim: &str, needs: &str) -> Command {
    let mut command = Command::new("gcc");
    command
        .args(words(SHIM_FLAGS))
        .arg(format!("shims/{shim}.c"))
        .args(words(needs));
    command
}

fn build_library(out: &Path, name: String, mut command: Command) -> Library {
    let path = out.join(format!("lib{name}.so"));
    let program = command.get_program().to_string_lossy().into_owned();
    let result = match command.arg("-o").arg(&path).output() {
        Err(_) => Err(format!("there is no {program}")),
        Ok(output) if !output.status.success() => {
            let complaints = String::from_utf8_lossy(&output.stderr);
            Err(reason(&complaints).unwrap_or_else(|| format!("{program} failed")))
        }
        Ok(_) => Ok(path),
    };
    if let Err(why) = &result {
        println!("cargo::warning={name} is left out: {why}");
    }
    (name, result)
}

/// The line of a compiler's complaints that says most, without the paths of this machine.
fn reason(complaints: &str) -> Option<String> {
    let line = complaints
        .lines()
        .find(|line| line.contains("error") || line.contains("cannot find"))
        .or_else(|| complaints.lines().next())?;
    let at = ["error: ", "cannot find "]
        .iter()
        .find_map(|mark| line.find(mark));
    Some(line[at.unwrap_or(0)..].to_owned())
}

/// Every C and assembly file in a folder, in a fixed order.
fn sources(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|kind| kind == "c" || kind == "S")
        })
        .collect();
    paths.sort();
    paths
}

/// Constants for the bench.
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
        "Each library's name, and its path or why it is not there.",
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
        "What compiled what.",
        "TOOLS: &[(&str, &str)]",
        format!("&{tools:?}"),
    );

    line(
        "Hornet's flags.",
        "HORNET_FLAGS: &str",
        format!("{HORNET_FLAGS:?}"),
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

/// Names and versions in Cargo.lock of the crates that are measured.
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
        let measured = ["aws-lc-sys", "libcrux-poly1305", "poly1305"].contains(&name);
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
