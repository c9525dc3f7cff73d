# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Rust workspace, and the fuzz targets in Rust."""

from support import ROOT, run, suite


@suite("quick", cpu_seconds=250)
def test_rust():
    run("cargo", "test", "--workspace", "--all-features", "--locked")
    run("cargo", "test", "--package", "hornet", "--no-default-features", "--locked")
    documented = ["cargo", "doc", "--workspace", "--all-features", "--no-deps", "--locked"]
    run(*documented, env={"RUSTDOCFLAGS": "-D warnings"})


@suite("slow", cpu_seconds=250)
def test_fuzz_rust():
    run("cargo", "clippy", "--release", "--locked", "--all-targets", "--", "-D", "warnings", cwd=ROOT / "fuzz/rust")
    run("fuzz/rust/run.sh", 30)


@suite("cross cross-quick", cpu_seconds=30)
def test_js_browser():
    run("bindings/js/build.sh")
    run("node", "bindings/js/tests/browser/run.js", "chromium")
