# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Rust workspace."""

import json
import shutil

import tomllib
from support import ROOT, WORKSPACE, output, run, suite

# The crates that programs depend on.
CRATES = [
    "bindings/rust/hornet",
    "bindings/rust/hornet-age",
    "bindings/rust/hornet-key-file",
    "bindings/rust/hornet-manifest",
    "bindings/rustls",
]


@suite("quick", cpu_seconds=250)
def test_rust():
    run("cargo", "test", *WORKSPACE, "--all-features", "--locked")


@suite("slow", cpu_seconds=60)
def test_rust_others():
    """The crate without its features, and what rustdoc says of all."""
    run("cargo", "test", "--package", "hornet-poly1305", "--no-default-features", "--locked")
    documented = ["cargo", "doc", *WORKSPACE, "--all-features", "--no-deps", "--locked"]
    run(*documented, env={"RUSTDOCFLAGS": "-D warnings"})


@suite("slow", cpu_seconds=90)
def test_rust_wiping():
    """Optimized programs leave no copies of keys: they move values otherwise than those of test_rust."""
    run("cargo", "test", "--package", "hornet-poly1305-cli", "--test", "harden", "--release", "--locked")
    run("cargo", "test", "--package", "hornet-poly1305", "--test", "wiping", "--release", "--locked")


@suite("release", cpu_seconds=300)
def test_holes():
    """Ten thousand layouts of holes on each file system, of which the quick suite has 500."""
    one = ["--package", "hornet-poly1305-cli", "--test", "holes"]
    run("cargo", "test", *one, "--locked", "--", "--ignored", "--nocapture")


@suite("release", cpu_seconds=120)
def test_retag_layouts(tmp_path):
    """The random changes of files that the quick suite makes in memory, on other file systems whose holes are skipped."""
    run("sh", "tests/retag_layouts.sh", tmp_path)


@suite("cross cross-quick", cpu_seconds=30)
def test_js_browser():
    run("bindings/js/build.sh")
    run("node", "bindings/js/tests/browser/run.js", "chromium")


def manifest(crate):
    return tomllib.loads((ROOT / crate / "Cargo.toml").read_text())


def compiles_without_warnings(cwd, names, *options):
    """Compile as a program that depends on these crates does, which sees their warnings if it has them by a path."""
    lines = output("cargo", "check", "--quiet", "--message-format=json", *options, cwd=cwd).splitlines()
    messages = [json.loads(line) for line in lines]
    assert not [message["message"]["rendered"] for message in messages if message["reason"] == "compiler-message"]
    compiled = {message["manifest_path"] for message in messages if message["reason"] == "compiler-artifact"}
    assert {str(ROOT / name / "Cargo.toml") for name in names} <= compiled


@suite("release", cpu_seconds=60)
def test_rust_warnings(folder):
    dependencies = [f'{manifest(crate)["package"]["name"]} = {{ path = "{ROOT / crate}" }}\n' for crate in CRATES]
    package = '[workspace]\n[package]\nname = "user"\nedition = "2024"\n[dependencies]\n'
    (folder / "Cargo.toml").write_text(package + "".join(dependencies))
    (folder / "src").mkdir()
    (folder / "src/lib.rs").touch()
    # The workspace's versions, of which cargo keeps those that are needed.
    shutil.copy(ROOT / "Cargo.lock", folder)
    compiles_without_warnings(folder, CRATES, "--offline", f"--target-dir={ROOT}/target")

    choices = 0
    for crate in CRATES:
        features = manifest(crate).get("features", [])
        ends = ["--no-default-features", "--all-features"] if features else []
        for choice in (*ends, *(f"--features={name}" for name in features)):
            alone = ["--no-default-features"] if choice.startswith("--features") else []
            compiles_without_warnings(ROOT / crate, [crate], "--locked", *alone, choice)
            choices += 1
    print(choices, "sets of features")
    assert choices >= 14
