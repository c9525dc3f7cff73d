# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Rust workspace."""

from support import WORKSPACE, run, suite


@suite("quick", cpu_seconds=250)
def test_rust():
    run("cargo", "test", *WORKSPACE, "--all-features", "--locked")
    run("cargo", "test", "--package", "hornet-poly1305", "--no-default-features", "--locked")
    documented = ["cargo", "doc", *WORKSPACE, "--all-features", "--no-deps", "--locked"]
    run(*documented, env={"RUSTDOCFLAGS": "-D warnings"})


@suite("cross cross-quick", cpu_seconds=30)
def test_js_browser():
    run("bindings/js/build.sh")
    run("node", "bindings/js/tests/browser/run.js", "chromium")
