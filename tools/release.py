#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Go through all that a release needs, and list what passed, what failed, and what could not be done.

    tools/release.py --dry-run
    tools/release.py --sign-with SECRET --tag-with KEY

A dry run does all steps but the last two, and goes on after a failure. Otherwise, the first failure ends it. SECRET is
minisign's secret key, and KEY a key file of `hornet keygen`. Nothing is published; docs/releasing.md says what the files are.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/release"))

import dist  # noqa: E402

OUT = ROOT / "build/dist"
CARGO_DENY = "0.20.2"
TOOLS = ["gcc --version", "clang-19 --version", "rustc --version", "go version", "node --version", "dpkg-deb --version"]


class NotDone(Exception):
    """A step could not be done here; the text is the reason."""


def run(*command, cwd=ROOT, **environment):
    """Run a command, which must succeed, and return what it prints."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=cwd, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        raise dist.Failed(f"{' '.join(words)}: exit status {done.returncode}: {done.stdout[-2000:].strip()}")
    return done.stdout


def tree(_):
    if changes := dist.git("status", "--porcelain").decode():
        raise dist.Failed(f"changes that are not committed:\n{changes}")


def version(_):
    return release().version


def release():
    return dist.Release("HEAD", OUT)


def changelog(_):
    """The changelog has the version, and when it is released."""
    number = release().version
    found = re.search(rf"^## \[{re.escape(number)}\] - (.*)$", (ROOT / "docs/CHANGELOG.md").read_text(), re.M)
    if not found:
        raise dist.Failed(f"docs/CHANGELOG.md has no version {number}")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", found[1]):
        raise dist.Failed(f"docs/CHANGELOG.md says {found[1]!r} where the date of version {number} should be")


def build(_):
    """Build what is released; lintian, publint, twine and go vet check it."""
    run("tools/release/dist.py")
    return f"{len(sums(OUT))} files"


def sums(folder):
    return dict(reversed(line.split()) for line in (folder / "SHA256SUMS").read_text().splitlines())


def build_again(_):
    """Build it in another folder, as another user, with another umask, time zone and locale: the same files."""
    with tempfile.TemporaryDirectory(prefix="another-folder-") as folder:
        clone = Path(folder) / "clone"
        run("git", "clone", "--quiet", ROOT, clone)
        script = "umask 077; exec unshare --user --map-user=1234 --map-group=1234 tools/release/dist.py"
        run("sh", "-c", script, cwd=clone, TZ="Asia/Kathmandu", LC_ALL="tr_TR.UTF-8", USER="other", LOGNAME="other")
        first, second = sums(OUT), sums(clone / "build/dist")
    if different := sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name)):
        raise dist.Failed(f"built again, these differ: {', '.join(different)}")
    return f"{len(first)} files are the same"


def cargo_deny(*checks):
    tool = ROOT / "build/tools/bin/cargo-deny"
    if not tool.exists():
        run("cargo", "install", "cargo-deny", "--version", f"={CARGO_DENY}", "--locked", "--root", ROOT / "build/tools")
    run(tool, "--all-features", "--config", "tools/release/deny.toml", "check", *checks)


def licences(_):
    """The licences of all crates, and where they come from."""
    cargo_deny("licenses", "bans", "sources")


def advisories(_):
    """Known vulnerabilities of crates. What is released contains no other dependencies."""
    try:
        cargo_deny("advisories")
    except dist.Failed as failed:
        if "failed to fetch advisory database" in str(failed):
            raise NotDone("RustSec's advisories cannot be fetched") from failed
        raise


def documentation(_):
    """Documentation as docs.rs and pkg.go.dev make it, from what is released."""
    for crate in dist.CRATES:
        folder = next((OUT.with_name("dist-work") / "target/package").glob(f"{crate}-[0-9]*[0-9]"))
        patches = [
            f"--config=patch.crates-io.{other}.path='{folder.with_name(folder.name.replace(crate, other))}'"
            for other in dist.CRATES
            if other != crate
        ]
        run(*"cargo doc --quiet --no-deps --all-features".split(), *patches, cwd=folder, RUSTDOCFLAGS="-D warnings")
    (module,) = (OUT.with_name("dist-work") / "go").glob("github.com/*/hornet/bindings/go@*")
    packages = run("go", "list", "./...", cwd=module).split()
    for package in packages:
        run("go", "doc", "-all", package, cwd=module)
    return f"{len(dist.CRATES)} crates, {len(packages)} packages"


def packages(_):
    """The packages in empty roots, the check of the README, and the ABI."""
    run("tests/install.sh")
    run("tests/integration/packages/install.sh")
    run("build/venv/bin/pytest", "-m", "slow", "-k", "packages or abi")


def provenance(_):
    """Write what was built from what, and by which compilers: SLSA provenance in an in-toto statement."""
    made = release()
    commit = dist.git("rev-parse", "HEAD").decode().strip()
    versions = {tool.split()[0]: run(*tool.split()).splitlines()[0] for tool in TOOLS}
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in sorted(sums(OUT).items())],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "https://github.com/hornet-mac/hornet/blob/main/docs/releasing.md",
                "externalParameters": {"version": made.version, "command": "make dist"},
                "internalParameters": {"tools": versions},
                "resolvedDependencies": [
                    {"uri": "git+https://github.com/hornet-mac/hornet", "digest": {"gitCommit": commit}}
                ],
            },
            "runDetails": {"builder": {"id": "https://github.com/hornet-mac/hornet/blob/main/tools/release.py"}},
        },
    }
    (OUT / "provenance.json").write_text(json.dumps(statement, indent=1) + "\n")


def manifest(options):
    """Tag the files, for whoever holds the key file."""
    if options.dry_run:
        raise NotDone("a dry run")
    files = sorted(path.name for path in OUT.iterdir() if path.name != "SHA256SUMS")
    run("make", "--silent", "command")
    run(ROOT / "build/hornet", "tag", "-k", options.tag_with, "-o", "MANIFEST", *files, cwd=OUT)


def signature(options):
    """Sign the sums of all files, provenance and manifest included."""
    if options.dry_run:
        raise NotDone("a dry run")
    made = release()
    (OUT / "SHA256SUMS").unlink()
    dist.write_sums(made)
    run("minisign", "-S", "-t", f"hornet {made.version}", "-s", options.sign_with, "-m", "SHA256SUMS", cwd=OUT)


STEPS = [
    tree,
    version,
    changelog,
    build,
    build_again,
    licences,
    advisories,
    documentation,
    packages,
    provenance,
    manifest,
    signature,
]


def main():
    parser = argparse.ArgumentParser(description="Go through all that a release needs.")
    parser.add_argument("--dry-run", action="store_true", help="sign nothing, and go on after a failure")
    parser.add_argument("--sign-with", metavar="SECRET", type=Path, help="minisign's secret key")
    parser.add_argument("--tag-with", metavar="KEY", type=Path, help="a key file, by which hornet tags the files")
    parser.add_argument("--only", metavar="STEP", nargs="+", help=f"of {', '.join(step.__name__ for step in STEPS)}")
    options = parser.parse_args()
    if not options.dry_run and not (options.sign_with and options.tag_with):
        parser.error("needs --dry-run, or --sign-with and --tag-with")
    if options.only and not options.dry_run:
        parser.error("--only needs --dry-run")
    failed = 0
    for step in STEPS:
        if options.only and step.__name__ not in options.only:
            continue
        try:
            said = step(options) or ""
            word = "ok"
        except NotDone as reason:
            word, said = "not done", str(reason)
        except dist.Failed as reason:
            word, said = "FAILED", str(reason)
            failed += 1
        print(f"{word:9s} {step.__name__.replace('_', ' '):14s} {said}", flush=True)
        if failed and not options.dry_run:
            break
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
