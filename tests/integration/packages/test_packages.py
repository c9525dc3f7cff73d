# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What is released: built, and installed and used in empty roots of Debian 12 that have nothing else of the project.

A root is a copy of what debootstrap installs, with a tool that its packages need. Debian's Rust and Go are too old, so these
are this machine's. It takes root, or sudo.
"""

import hashlib
import json
import os
import re
import shlex
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest
from support import ROOT, attempt, output, row, rows, run, suite
from support.products import KEY, MESSAGE, TAG, once, version

ENVIRONMENT = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8"]
AS_ROOT = [] if os.geteuid() == 0 else ["sudo"]
PARTS = ["source", "crates", "npm", "go", "wheel", "debian"]
# Runs a command of this machine, while a root has what a program expects there; $2 are folders of this machine, separated by
# colons, which can be read in it. The mounts are gone when it ends.
ENTER = """
set -eu
root=$1 folders=$2
shift 2
mount --make-rprivate /
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
IFS=:
for folder in $folders; do
    mkdir -p "$root$folder"
    mount --bind "$folder" "$root$folder"
    mount -o remount,bind,ro "$root$folder"
done
cp /etc/resolv.conf "$root/etc/resolv.conf"
exec "$@"
"""


def released():
    """Return the folder of what is released of the tree, with its changes but without files that git does not know."""

    def build(folder):
        commit = output("git", "stash", "create").strip() or "HEAD"
        # test_rust_package builds each crate from its package.
        run("tools/release/dist.py", "--commit", commit, "--out", folder / "dist", "--no-verify", *PARTS)

    return once("dist", build) / "dist"


def debian():
    """Return the folder of what debootstrap installs."""

    def build(folder):
        packages = "--include=ca-certificates"
        run(*AS_ROOT, "debootstrap", "--variant=minbase", packages, "bookworm", folder / "root")

    return once("debian", build) / "root"


class Root:
    """An empty root, into which the files of the project that it installs are copied, in /released."""

    def __init__(self, folder):
        self.folder = folder / "root"
        run(*AS_ROOT, "cp", "-a", debian(), self.folder)

    def beside(self, *command, folders=()):
        """Run a command of this machine that knows about the root."""
        inside = ["unshare", "--mount", "--pid", "--fork", "sh", "-c", ENTER, "enter"]
        run(*AS_ROOT, *inside, self.folder, ":".join(map(str, folders)), *command)

    def run(self, *command, folders=(), **variables):
        environment = [*ENVIRONMENT, *(f"{name}={value}" for name, value in variables.items())]
        self.beside("chroot", self.folder, *environment, *command, folders=folders)

    def shell(self, script, **options):
        self.run("sh", "-euc", script, **options)

    def copy(self, path, to):
        """Copy a file or a folder."""
        run(*AS_ROOT, "mkdir", "-p", (self.folder / to).parent)
        run(*AS_ROOT, "cp", "-r", path, self.folder / to)

    def write(self, to, text):
        run(*AS_ROOT, "mkdir", "-p", (self.folder / to).parent)
        run(*AS_ROOT, "tee", self.folder / to, stdin=text.encode())

    def install(self, *packages):
        """Install packages of Debian's."""
        quiet = "export DEBIAN_FRONTEND=noninteractive; apt-get update -qq; "
        self.shell(quiet + f"apt-get install -y -qq --no-install-recommends {shlex.join(packages)}")


# What debootstrap and ENTER need, and a container may forbid.
ALLOWED = 'mknod "$1/null" c 1 3 && : > "$1/null" && mount --make-rprivate / && mount -t tmpfs none "$1"'


@pytest.fixture
def root(outside):
    """An empty root, which sudo may have to remove."""
    folder = outside / "allowed"
    folder.mkdir()
    if attempt(*AS_ROOT, "unshare", "--mount", "--pid", "--fork", "sh", "-c", ALLOWED, "allowed", folder)[0] != 0:
        pytest.skip("this machine lets nobody make devices and mount file systems")
    made = Root(outside)
    yield made
    run(*AS_ROOT, "rm", "-rf", made.folder)


def file(pattern):
    (found,) = (path for path in released().glob(pattern) if not path.name.endswith(".cdx.json"))
    return found


def prints_tag(root, *command, **options):
    """Run a program that must print RFC 8439's tag."""
    root.shell(f'[ "$({shlex.join(command)})" = {TAG} ]', **options)


@rows(
    "packages, tests",
    row("packages-command", ["hornet"], ["command"], suites="release", cpu_seconds=450),
    row("packages-c", ["libhornet0", "libhornet-dev"], ["c-program"], suites="release"),
    row("packages-provider", ["openssl-provider-hornet"], ["provider", "nginx"], suites="release"),
)
def test_debian_packages(packages, tests, root, folder):
    """autopkgtest installs packages and what their tests depend on, and runs these, of tools/packaging/debian/tests."""
    archives = [file(f"{package}_*.deb") for package in packages]
    with tarfile.open(file("hornet-[0-9]*.tar.gz")) as archive:
        archive.extractall(folder, filter="tar")
    (tree,) = folder.glob("hornet-*")
    built = released().with_name("dist-work") / "debian" / tree.name
    shutil.copytree(tree / "tools/packaging/debian", tree / "debian")
    shutil.copy(built / "debian/changelog", tree / "debian")
    options = ["--apt-upgrade", "--no-built-binaries", "--ignore-restrictions=isolation-container"]
    options += [f"--test-name={test}" for test in tests]
    root.beside(*ENVIRONMENT, "autopkgtest", *options, *archives, tree, "--", "chroot", root.folder)


@suite("release")
def test_packages_python(root):
    root.install("python3", "python3-venv")
    wheel = file("*.whl")
    root.copy(wheel, f"released/{wheel.name}")
    root.shell(f"python3 -m venv /venv; /venv/bin/pip install --quiet --no-index /released/{wheel.name}")
    program = f"from hornet_poly1305 import Poly1305\nprint(Poly1305.generate_tag(bytes.fromhex('{KEY.hex()}'), {MESSAGE}).hex())"
    prints_tag(root, "/venv/bin/python", "-c", program)


@suite("release")
def test_packages_js(root):
    root.install("nodejs")
    with tarfile.open(file("hornet-poly1305-*.tgz")) as package:
        package.extractall(root.folder / "unpacked", filter="data")
    root.shell("mkdir -p /program/node_modules; mv /unpacked/package /program/node_modules/hornet-poly1305")
    loads = {"mjs": 'import { mac } from "hornet-poly1305";', "cjs": 'const { mac } = require("hornet-poly1305");'}
    for ending, load in loads.items():
        root.write(
            f"program/program.{ending}",
            f"{load}\n"
            f'const key = Uint8Array.from(Buffer.from("{KEY.hex()}", "hex"));\n'
            f'console.log(Buffer.from(mac(key, new TextEncoder().encode("{MESSAGE.decode()}"))).toString("hex"));\n',
        )
        prints_tag(root, "node", f"/program/program.{ending}")


@suite("release")
def test_packages_go(root):
    """From a module proxy that has the zip, and for what it requires this machine's module cache."""
    archive = file("hornet-go-*.zip")
    with zipfile.ZipFile(archive) as opened:
        (name,) = (name for name in opened.namelist() if re.fullmatch(r".*@v[^/]*/go\.mod", name))
        module, _, rest = name.partition("@")
        at = f"proxy/{module}/@v"
        number = rest.partition("/")[0]
        root.write(f"{at}/{number}.mod", opened.read(name).decode())
    root.write(f"{at}/{number}.info", json.dumps({"Version": number}))
    root.write(f"{at}/list", f"{number}\n")
    root.copy(archive, f"{at}/{number}.zip")
    goroot = output("go", "env", "GOROOT").strip()
    downloads = Path(output("go", "env", "GOMODCACHE").strip()) / "cache/download"
    root.write(
        "program/program.go",
        f"""package main

import (
	"encoding/hex"
	"fmt"

	"{module}/poly1305"
)

func main() {{
	key, _ := hex.DecodeString("{KEY.hex()}")
	var tag [16]byte
	poly1305.Sum(&tag, []byte("{MESSAGE.decode()}"), (*poly1305.OneTimeKey)(key))
	fmt.Printf("%x\\n", tag)
}}
""",
    )
    variables = {
        "GOPROXY": f"file:///proxy,file://{downloads}",
        "GONOSUMDB": "*",
        "GOMODCACHE": "/cache",
        "GOFLAGS": "-mod=mod",
        "GOTOOLCHAIN": "local",
    }
    folders = [goroot, downloads]
    go = f"{goroot}/bin/go"
    root.shell(
        f"cd /program; {go} mod init example.org/program; {go} get {module}/poly1305@{number}; CGO_ENABLED=0 {go} build -o program .",
        folders=folders,
        **variables,
    )
    prints_tag(root, "/program/program")


@suite("release")
def test_packages_rust(root, outside):
    """From a folder that has what a registry would have: the crate, and what it depends on."""
    crate = file("hornet-poly1305-[0-9]*.crate")
    with tarfile.open(crate) as package:
        package.extractall(outside / "crate", filter="data")
    (folder,) = (outside / "crate").iterdir()
    run("cargo", "vendor", "--quiet", "--locked", outside / "registry", cwd=folder)
    shutil.move(folder, outside / "registry")
    checksum = {"files": {}, "package": hashlib.sha256(crate.read_bytes()).hexdigest()}
    (outside / "registry" / folder.name / ".cargo-checksum.json").write_text(json.dumps(checksum))
    root.install("gcc", "libc6-dev")
    root.copy(outside / "registry", "registry")
    root.write(
        "program/Cargo.toml",
        f'[package]\nname = "program"\nedition = "2024"\n[dependencies]\nhornet-poly1305 = "{version()}"\n',
    )
    root.write(
        "program/.cargo/config.toml",
        '[source.crates-io]\nreplace-with = "released"\n[source.released]\ndirectory = "/registry"\n',
    )
    root.write(
        "program/src/main.rs",
        f"""fn main() {{
    println!("{{}}", hornet::mac(hornet::Key::new(&{list(KEY)}), b"{MESSAGE.decode()}"));
}}
""",
    )
    rust = output("rustc", "--print", "sysroot").strip()
    root.shell(f"cd /program; PATH={rust}/bin:$PATH cargo build --quiet --offline", folders=[rust])
    prints_tag(root, "/program/target/debug/program")


@suite("release")
def test_packages_signature(folder):
    """The README's commands accept what is released, and refuse it if one byte is another, or if it was added."""
    commands = re.findall(r"^    ((?:minisign|sha256sum) .*?)(?: +#.*)?$", (ROOT / "README.md").read_text(), re.M)
    assert [command.split()[0] for command in commands] == ["minisign", "sha256sum"]
    here = folder / "released"
    shutil.copytree(released(), here)
    names = sorted(path.name for path in here.iterdir() if path.name != "SHA256SUMS")
    assert len(names) > 10
    run("minisign", "-G", "-W", "-p", here / "hornet.pub", "-s", folder / "secret")
    run("minisign", "-S", "-s", folder / "secret", "-m", here / "SHA256SUMS")

    def accepted(name):
        return all(attempt("sh", "-c", command, cwd=here, env={"file": name})[0] == 0 for command in commands)

    (here / "added").write_bytes((here / names[0]).read_bytes())
    assert not accepted("added")
    for name in names:
        assert accepted(name)
        for changed in name, "SHA256SUMS", "SHA256SUMS.minisig":
            whole = (here / changed).read_bytes()
            # Not the middle: there, the signature ends with a base64 digit of which minisign ignores two bits.
            other = bytearray(whole)
            other[len(other) // 3] ^= 1
            (here / changed).write_bytes(other)
            assert not accepted(name), f"{changed} was changed"
            (here / changed).write_bytes(whole)
