#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Build what is released, from a commit: `make dist` runs this.

    tools/release/dist.py [--commit REV] [--out FOLDER] [--no-verify] [PART...]

The parts are source, crates, npm, go, python (or wheel, only for this machine) and debian; by default all. The commit is the
one that is checked out, without changes. The source archive is made first. All else is built from what is unpacked of it, so
that nothing depends on files that are not in it. Beside each file is its SBOM. The same commit, compilers and versions give
the same files in any folder, under any user, time and locale. SHA256SUMS lists them. build/dist-work keeps what has been built.
"""

import argparse
import email.utils
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parents[2]
MAINTAINER = "Hornet maintainers <hornet-mac@users.noreply.github.com>"
# In the order of their dependencies.
CRATES = [
    "hornet-poly1305",
    "hornet-poly1305-age",
    "hornet-poly1305-key-file",
    "hornet-poly1305-manifest",
    "hornet-poly1305-cli",
    "hornet-poly1305-rustls",
]


class Failed(Exception):
    """What is released cannot be built; the text is the reason."""


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True).stdout


class Release:
    """A version of the project: the commit, the folder of what is released, and that in which it is built.

    Without verify, crates are packaged and not built.
    """

    def __init__(self, commit, out, verify=True):
        self.commit, self.out, self.work = commit, out, out.with_name(f"{out.name}-work")
        self.verify = verify
        self.time = int(git("log", "-1", "--format=%ct", commit))
        self.version = self.read_version()
        self.name = f"hornet-{self.version}"
        self.source = self.work / self.name

    def text(self, path):
        return git("show", f"{self.commit}:{path}").decode()

    def read_version(self):
        """Return the version, which is in hornet.h, and in the files of packages that need a copy of it."""
        found = re.search(r'^#define HORNET_VERSION "(.*)"$', self.text("include/hornet.h"), re.M)[1]
        cargo = tomllib.loads(self.text("Cargo.toml"))["workspace"]["package"]["version"]
        npm = json.loads(self.text("bindings/js/package.json"))["version"]
        for name, other in (("Cargo.toml", cargo), ("bindings/js/package.json", npm)):
            if other != found:
                raise Failed(f"{name}: version {other}, and {found} in include/hornet.h")
        return found

    def run(self, *command, cwd=None, **options):
        """Run a command, which must succeed, in an environment that does not depend on the user's."""
        print("+", *command, flush=True)
        env = os.environ | {"LC_ALL": "C.UTF-8", "TZ": "UTC", "SOURCE_DATE_EPOCH": str(self.time)}
        # make's own variables are not for what it builds here.
        for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
            env.pop(name, None)
        done = subprocess.run([str(word) for word in command], cwd=cwd or self.source, env=env, **options)
        if done.returncode != 0:
            raise Failed(f"{' '.join(map(str, command))}: exit status {done.returncode}")

    def archive(self):
        """Write the source archive, in git's order and with the commit's time, and unpack it."""
        tar = git("-c", "tar.umask=0022", "archive", "--format=tar", f"--prefix={self.name}/", self.commit)
        (self.out / f"{self.name}.tar.gz").write_bytes(gzip.compress(tar, 9, mtime=0))
        self.unpack(self.work)

    def unpack(self, folder):
        with tarfile.open(self.out / f"{self.name}.tar.gz") as archive:
            archive.extractall(folder, filter="tar")


def source(release):
    """The archive, which is written before all others."""


def crates(release):
    """Package the crates, each of which is built from its package, with the packages of those that it depends on."""
    options = [option for crate in CRATES for option in ("--package", crate)]
    if not release.verify:
        options.append("--no-verify")
    target = release.work / "target"
    release.run("cargo", "package", "--quiet", "--locked", "--target-dir", target, *options)
    for crate in CRATES:
        shutil.copy(target / f"package/{crate}-{release.version}.crate", release.out)


def npm(release):
    release.run("bindings/js/install.sh")
    folder = release.source / "bindings/js"
    release.run("npm", "pack", "--silent", "--pack-destination", release.out, cwd=folder, stdout=subprocess.DEVNULL)
    release.run("node_modules/.bin/publint", "--strict", cwd=folder)


def go(release):
    """Write the zip that a module proxy would make for the version, and vet and test what is in it."""
    name = f"v{release.version}"
    target = release.out / f"hornet-go-{name}.zip"
    release.run("go", "-C", "tools/release/gozip", "run", ".", release.source / "bindings/go", name, target)
    shutil.unpack_archive(target, release.work / "go")
    (module,) = (release.work / "go").glob("github.com/*/hornet/bindings/go@*")
    release.run("go", "-C", module, "vet", "./...")
    release.run("go", "-C", module, "test", "-short", "./...", stdout=subprocess.DEVNULL)


def python(release):
    build_python(release, "release", "--release")


def wheel(release):
    build_python(release, "wheels")


def build_python(release, folder, *options):
    release.run("bindings/python/install.sh")
    release.run("bindings/python/build.sh", *options, stdout=subprocess.DEVNULL)
    built = sorted((release.source / "build/python" / folder).iterdir())
    release.run("build/release/venv/bin/twine", "check", "--strict", *built)
    for path in built:
        shutil.copy(path, release.out)


def debian(release):
    """Build the packages by debhelper, from tools/packaging/debian, and check them by lintian."""
    packages = "debhelper dpkg-dev libssl-dev lintian openssl"
    release.run("tools/apt-install.sh", *packages.split())
    folder = release.work / "debian"
    release.unpack(folder)
    tree = folder / release.name
    shutil.copytree(tree / "tools/packaging/debian", tree / "debian")
    date = email.utils.formatdate(release.time)
    (tree / "debian/changelog").write_text(
        f"hornet ({release.version}-1) unstable; urgency=medium\n\n"
        f"  * Version {release.version}; docs/CHANGELOG.md says what is new.\n\n -- {MAINTAINER}  {date}\n"
    )
    # cargo is rustup's, of which dpkg knows nothing.
    build = "dpkg-buildpackage --build=binary --unsigned-changes --unsigned-buildinfo --no-check-builddeps"
    release.run(*build.split(), cwd=tree, stdout=subprocess.DEVNULL)
    (changes,) = folder.glob("*.changes")
    # Debian's first upload of a package closes a bug report.
    lint = "lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs --allow-root"
    release.run(*lint.split(), changes)
    for path in folder.glob("*.deb"):
        shutil.copy(path, release.out)


def write_sboms(release):
    python = release.source / "build/release/venv/bin/python"
    release.run(python, "tools/release/sbom.py", release.source, release.out, release.time)


def write_sums(release):
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(release.out.iterdir())
    ]
    (release.out / "SHA256SUMS").write_text("".join(lines))
    print("".join(lines), end="")


PARTS = {"source": source, "crates": crates, "npm": npm, "go": go, "python": python, "wheel": wheel, "debian": debian}


def main():
    parser = argparse.ArgumentParser(description="Build what is released, from a commit.")
    parser.add_argument("--commit", help="instead of the one that is checked out, which must have no changes")
    parser.add_argument("--out", type=Path, default=ROOT / "build/dist", help="a folder, which is replaced")
    parser.add_argument("--no-verify", action="store_true", help="build no crate from its package")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; default: all but wheel")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}: there are {', '.join(PARTS)}")
    if not options.commit and git("status", "--porcelain"):
        raise Failed("the tree has changes that are not committed")
    release = Release(options.commit or "HEAD", options.out.resolve(), not options.no_verify)
    for folder in (release.out, release.work):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    os.umask(0o022)
    release.archive()
    release.run("tools/venv.sh", "tools/release/requirements.txt", "build/release/venv")
    for name in options.parts or (name for name in PARTS if name != "wheel"):
        PARTS[name](release)
    write_sboms(release)
    write_sums(release)


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        sys.exit(f"dist.py: {failed}")
