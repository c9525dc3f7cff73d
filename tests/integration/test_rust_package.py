# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Packages the crates as for a registry, and builds each package by itself, without the source tree."""

import os
import re
import tarfile

import tomllib
from support import ROOT, run, suite

ADDED_BY_CARGO = {".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml", "Cargo.toml.orig"}
LICENSES = {"LICENSE-APACHE", "LICENSE-MIT"}


def files_below(folder):
    """Return the names of files; links count as what they lead to."""
    found = (os.path.join(path, name) for path, _, names in os.walk(folder, followlinks=True) for name in names)
    return {os.path.relpath(path, folder) for path in found}


class Crate:
    """A crate of the tree, and its package, which is unpacked to outside/NAME."""

    def __init__(self, folder, outside, published=()):
        self.source = ROOT / folder
        self.name = tomllib.loads((self.source / "Cargo.toml").read_text())["package"]["name"]
        self.path = outside / self.name
        # A registry has other crates, or none, of these names. In the tree, cargo gets the path of ours for packaging,
        # and in the package that of the package.
        self.env = {"CARGO_TARGET_DIR": outside / "target", "RUSTFLAGS": "-D warnings"}
        self.of_packages = [f"--config=patch.crates-io.{crate.name}.path='{crate.path}'" for crate in published]
        of_tree = [f"--config=patch.crates-io.{crate.name}.path='{crate.source}'" for crate in published]
        # With uncommitted changes.
        options = ["--quiet", "--locked", "--allow-dirty", "--no-verify", *of_tree]
        run("cargo", "package", *options, cwd=self.source, env=self.env)
        (archive,) = (outside / "target/package").glob(f"{self.name}-[0-9]*.crate")
        with tarfile.open(archive) as package:
            package.extractall(outside, filter="data")
        (outside / archive.stem).rename(self.path)

    def contains(self, pattern, omitted=()):
        """Check that the package has exactly the files of the source that match, and those that every package has."""
        expected = {name for name in files_below(self.source) if re.match(pattern, name)} - set(omitted)
        expected = {name for name in expected if not os.path.basename(name).startswith(".")}
        assert files_below(self.path) == expected | ADDED_BY_CARGO | LICENSES
        for name in LICENSES:
            assert (self.path / name).read_bytes() == (ROOT / name).read_bytes()

    def cargo(self, command, *options):
        run("cargo", command, "--quiet", "--locked", *options, *self.of_packages, cwd=self.path, env=self.env)


@suite("release", cpu_seconds=160)
def test_rust_package(outside):
    core = Crate("bindings/rust/hornet", outside)
    # Only the shared library has a map.
    core.contains(r"README\.md|build\.rs|c/|src/", omitted=["c/src/library/hornet.map"])
    core.cargo("test", "--all-features")
    core.cargo("test", "--no-default-features")
    # The build script must have read and compiled the package's own files.
    outputs = list((outside / "target/debug/build").glob(f"{core.name}-*/output"))
    assert outputs
    for file in outputs:
        assert f"{core.path}/" in file.read_text() and f"{ROOT}/" not in file.read_text()

    key_file = Crate("bindings/rust/hornet-key-file", outside, [core])
    key_file.contains(r"README\.md|src/|tests/", omitted=["tests/wiping.rs"])
    key_file.cargo("test")

    rustls = Crate("bindings/rustls", outside, [core])
    rustls.contains(r"README\.md|src/")
    # Its tests would build quinn and a provider again, which takes minutes.
    rustls.cargo("build")

    manifest = Crate("bindings/rust/hornet-manifest", outside, [core, key_file])
    manifest.contains(r"README\.md|src/")
    manifest.cargo("test")

    age = Crate("bindings/rust/hornet-age", outside, [core])
    age.contains(r"README\.md|src/")
    age.cargo("test")

    command = Crate("cli", outside, [core, age, key_file, manifest])
    command.contains(r"src/")
    command.cargo("check")
