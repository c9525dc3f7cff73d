# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Rust workspace."""

from support import run, suite


@suite("quick", cpu_seconds=250)
def test_rust():
    run("cargo", "test", "--workspace", "--all-features", "--locked")
    run("cargo", "test", "--package", "hornet", "--no-default-features", "--locked")
    documented = ["cargo", "doc", "--workspace", "--all-features", "--no-deps", "--locked"]
    run(*documented, env={"RUSTDOCFLAGS": "-D warnings"})


@suite("cross cross-quick", cpu_seconds=30)
def test_js_browser():
    run("bindings/js/build.sh")
    run("node", "bindings/js/tests/browser/run.js", "chromium")
