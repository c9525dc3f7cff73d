# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests that are scripts."""

from support import rows, run, scripts


@rows(
    "command",
    *scripts(
        "quick",
        "rust-declarations bindings/rust/ffi.sh --check",
        "prove-quick build/venv/bin/python -m coconut.prove",
    ),
    *scripts(
        "slow",
        "coconut coconut/test.sh ~1000",
        "prove-shipped make prove QUICK=1 ~360",
        "python make python ~170",
        "site tools/site/test.sh ~400",
    ),
    *scripts(
        "release",
        "coconut-release coconut/test.sh -m release ~700",
        "python-release make python ARGS=-mrelease ~200",
        "prove make prove ~2500",
        "prove-mutations build/coconut/venv/bin/python -m coconut mutations ~600",
    ),
)
def test_script(command):
    run(*command)
