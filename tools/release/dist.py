#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build what is released, from the commit that is checked out, into build/dist: `make dist` runs this.

    tools/release/dist.py [PART...]      all parts by default: source crates npm go python

The source archive is made first. All else is built from what is unpacked of it, so that nothing depends on files that are not
in it. The same commit, compilers and versions give the same files in any folder, under any user, time and locale. SHA256SUMS
lists them.
"""

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build/dist"
WORK = ROOT / "build/dist-work"
# In the order of their dependencies.
CRATES = [
    "hornet-poly1305",
    "hornet-poly1305-key-file",
    "hornet-poly1305-manifest",
    "hornet-poly1305-cli",
    "hornet-poly1305-rustls",
]


class Failed(Exception):
    """What is released cannot be built; the text is the reason."""


def run(*command, cwd=ROOT, **options):
    """Run a command, which must succeed, in an environment that does not depend on the user's."""
    print("+", *command, flush=True)
    env = os.environ | {"LC_ALL": "C", "TZ": "UTC", "SOURCE_DATE_EPOCH": str(commit_time())}
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=env, **options)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}: exit status {done.returncode}")
    return done.stdout


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True).stdout


def commit_time():
    return int(git("log", "-1", "--format=%ct"))


def version():
    """Return the version, which is in hornet.h, and in the files of packages that need a copy of it."""
    found = re.search(r'^#define HORNET_VERSION "(.*)"$', (ROOT / "include/hornet.h").read_text(), re.M)[1]
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    npm = re.search(r'"version": "(.*)"', (ROOT / "bindings/js/package.json").read_text())[1]
    for name, other in (("Cargo.toml", cargo), ("bindings/js/package.json", npm)):
        if other != found:
            raise Failed(f"{name}: version {other}, and {found} in include/hornet.h")
    return found


def source():
    """Write the source archive: the files of the commit, in git's order, with the commit's time."""
    name = f"hornet-{version()}"
    tar = git("archive", "--format=tar", f"--prefix={name}/", "HEAD")
    (OUT / f"{name}.tar.gz").write_bytes(gzip.compress(tar, 9, mtime=0))


def unpacked():
    """Return the folder of the unpacked source archive."""
    folder = WORK / f"hornet-{version()}"
    if not folder.exists():
        with tarfile.open(OUT / f"hornet-{version()}.tar.gz") as archive:
            archive.extractall(WORK, filter="tar")
    return folder


def crates():
    """Package the crates, each of which is built from its package, with the packages of those that it depends on."""
    options = [option for crate in CRATES for option in ("--package", crate)]
    target = WORK / "target"
    run("cargo", "package", "--quiet", "--locked", "--target-dir", target, *options, cwd=unpacked())
    for crate in CRATES:
        shutil.copy(target / f"package/{crate}-{version()}.crate", OUT)


def npm():
    folder = unpacked() / "bindings/js"
    run("bindings/js/install.sh", cwd=unpacked())
    run("npm", "pack", "--silent", "--pack-destination", OUT, cwd=folder, stdout=subprocess.DEVNULL)


def go():
    """Write the zip that a module proxy would make for the version, and vet and test what is in it."""
    name = f"v{version()}"
    target = OUT / f"hornet-go-{name}.zip"
    run("go", "-C", ROOT / "tools/release/gozip", "run", ".", unpacked() / "bindings/go", name, target)
    shutil.unpack_archive(target, WORK / "go")
    (module,) = (WORK / "go").glob("github.com/*/hornet/bindings/go@*")
    run("go", "-C", module, "vet", "./...")
    run("go", "-C", module, "test", "-short", "./...", stdout=subprocess.DEVNULL)


def python():
    folder = unpacked()
    run("bindings/python/install.sh", cwd=folder)
    run("bindings/python/build.sh", "--release", cwd=folder, stdout=subprocess.DEVNULL)
    for path in sorted((folder / "build/python/release").iterdir()):
        shutil.copy(path, OUT)


def sums():
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(OUT.iterdir())
        if path.name != "SHA256SUMS"
    ]
    (OUT / "SHA256SUMS").write_text("".join(lines))
    print("".join(lines), end="")


PARTS = {"source": source, "crates": crates, "npm": npm, "go": go, "python": python}


def main(names):
    for name in names:
        if name not in PARTS:
            raise Failed(f"no part {name}: there are {' '.join(PARTS)}")
    if git("status", "--porcelain"):
        raise Failed("the tree has changes that are not committed")
    for folder in (OUT, WORK):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    os.umask(0o022)
    for name in ["source", *(name for name in names or PARTS if name != "source")]:
        PARTS[name]()
    sums()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Failed as failed:
        sys.exit(f"dist.py: {failed}")
