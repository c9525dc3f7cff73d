# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The command on file systems without links, renames, modes, locks or flushed folders, and on failing ones.

poorfs/poorfs.c shows a folder as such a file system. Where nothing can be mounted, its tests are skipped, and say so.
"""

import contextlib
import errno
import itertools
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import ROOT, WARNINGS, output, row, rows, run, suite
from support.build import once
from support.products import command

LINKLESS = ["EPERM", "EOPNOTSUPP", "ENOSYS", "EMLINK"]
NO_NEW_NAMES = {"link": "EPERM", "noreplace": "EINVAL"}
ALL = {**NO_NEW_NAMES, "fsyncdir": "EINVAL", "chmod": "EPERM"}
TREE = {"a": "one", "sub/b": "two" * 9999}


def poorfs() -> Path:
    """Return the file system's program."""

    def build(folder: Path) -> None:
        flags = output("pkg-config", "--cflags", "--libs", "fuse3").split()
        source = ROOT / "tests/integration/poorfs/poorfs.c"
        run("gcc", "-std=c11", "-O1", *WARNINGS, source, "-o", folder / "poorfs", *flags)

    return once("poorfs", build) / "poorfs"


class Place:
    """A folder, the same folder as a poor file system shows it, and a key and a tree outside them."""

    # What runs the command.
    before: tuple[str, ...] = ()

    def __init__(self, folder: Path) -> None:
        self.backing, self.mount, self.good = (folder / name for name in ("backing", "mount", "good"))
        for path in (self.backing, self.mount, self.good):
            path.mkdir()
        self.succeeds("keygen", self.good / "key")
        for name, content in TREE.items():
            path = self.good / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)

    @contextlib.contextmanager
    def mounted(self, rules: dict[str, str | int]) -> Iterator[None]:
        """Mount the file system with these rules. Names of errors become numbers."""
        number = {name: getattr(errno, value) if isinstance(value, str) else value for name, value in rules.items()}
        words = [poorfs(), self.backing, self.mount, *(f"{name}={value}" for name, value in number.items())]
        print("$", *words[3:], flush=True)
        with subprocess.Popen(words) as process:
            try:
                while not self.mount.is_mount():
                    if process.poll() is not None:
                        pytest.skip("nothing can be mounted with FUSE here")
                    time.sleep(0.01)
                yield
            finally:
                process.terminate()

    def hornet(self, *arguments: object) -> tuple[int, str]:
        words = [*self.before, command(), *arguments]
        ended = subprocess.run(words, cwd=self.good, capture_output=True, text=True, timeout=60)
        print("$ hornet", *arguments, "->", ended.returncode, ended.stderr.strip(), flush=True)
        assert len(ended.stderr.splitlines()) <= 1 or ended.returncode == 0
        return ended.returncode, ended.stderr

    def succeeds(self, *arguments: object) -> None:
        status, stderr = self.hornet(*arguments)
        assert (status, stderr) == (0, "")

    def refuses(self, words: str, *arguments: object) -> None:
        status, stderr = self.hornet(*arguments)
        assert status == 2 and words in stderr, f"{words!r} is not in {stderr!r}"

    def checks(self, key: Path, manifest: Path) -> None:
        status, _ = self.hornet("check", "-q", "-k", key, manifest)
        assert status == 0

    def names(self) -> set[str]:
        return set(os.listdir(self.backing))

    def clear(self) -> None:
        for path in self.backing.iterdir():
            path.unlink()


@pytest.fixture
def place(folder: Path) -> Place:
    return Place(folder)


def counter(key: Path) -> int:
    return int(re.search("^next-nonce (.*)$", key.read_text(), re.M)[1])


@rows(
    "rules",
    row("poorfs-complete", {}),
    *(row(f"poorfs-noreplace-{error}", {"noreplace": error}) for error in ("EINVAL", "ENOSYS")),
    *(row(f"poorfs-link-{error}", {**NO_NEW_NAMES, "link": error}) for error in LINKLESS),
    *(row(f"poorfs-fsyncdir-{error}", {"fsyncdir": error}) for error in ("EINVAL", "EOPNOTSUPP", "ENOSYS", "EBADF")),
    *(row(f"poorfs-chmod-{error}", {"chmod": error}) for error in ("EPERM", "EOPNOTSUPP", "ENOSYS")),
    # As FAT with the option umask=077.
    row("poorfs-private", {"mode": 0o700, "chmod": "EPERM"}),
    row("poorfs-all", ALL),
)
def test_poor_file_system(place, rules):
    with place.mounted(rules):
        everything_works(place, place.mount)


@rows("error", *(row(f"strace-link-{error}", error) for error in LINKLESS))
def test_no_links(place, error):
    """A file system with O_TMPFILE and without links, as strace makes it."""
    place.before = ("strace", "-f", "-qqq", "-o", "/dev/null", "-e", f"inject=link,linkat:error={error}")
    everything_works(place, place.backing)


def everything_works(place, mount):
    """Check that all that keys and manifests need works in this folder, and that nothing else is left there."""
    good, tree = place.good, "tree"
    key, manifest = mount / "key", mount / "manifest"
    place.succeeds("keygen", key)
    before = key.read_text()
    place.refuses("exists", "keygen", key)
    assert key.read_text() == before

    place.succeeds("tag", "-k", good / "key", "-o", manifest, tree)
    place.checks(good / "key", manifest)
    before = manifest.read_text()
    place.refuses("exists", "tag", "-k", good / "key", "-o", manifest, tree)
    assert manifest.read_text() == before
    mode = manifest.stat().st_mode
    place.succeeds("tag", "-k", good / "key", "-o", manifest, "--force", tree)
    assert manifest.read_text() != before and manifest.stat().st_mode == mode
    place.checks(good / "key", manifest)

    for count in (1, 2):
        place.succeeds("tag", "-k", key, "-o", good / f"m{count}", tree)
        assert counter(key) == count * (len(TREE) + 1)
    place.checks(key, good / "m2")
    place.succeeds("keygen", "--fork", key, mount / "fork")
    seals_and_opens(place, mount)
    place.succeeds("generate", "man", mount)
    assert {"key", "manifest", "fork", "hornet.1"} < place.names()
    assert not [name for name in place.names() if name.startswith(".")]


def seals_and_opens(place, mount):
    """Seal and open a text and an empty one, with and without armour, which are read again if they are written again."""
    good = place.good
    (good / "recipient").write_text(output(command(), "keygen", "--age", good / "identity"))
    for armor, length in itertools.product([[], ["--armor"]], [0, 9999]):
        (good / "text").write_bytes(os.urandom(length))
        for force in [], ["--force"]:
            place.succeeds("seal", "-R", "recipient", *armor, "-o", mount / "sealed", *force, "text")
            place.succeeds("open", "-i", "identity", "-o", mount / "opened", *force, mount / "sealed")
            assert (place.backing / "opened").read_bytes() == (good / "text").read_bytes()
        for name in "sealed", "opened":
            (place.backing / name).unlink()


@suite("quick")
def test_poorfs_nonces(place):
    """What is sealed again, perhaps another text by then, is sealed under another key."""
    calls = place.good / "calls"
    (place.good / "recipient").write_text(output(command(), "keygen", "--age", place.good / "identity"))
    strace = ("strace", "-f", "-qqq", "-xx", "-s", "999", "-o", calls, "-e", "trace=write,linkat")
    place.before = (*strace, "-e", "inject=linkat:error=EPERM")
    place.succeeds("seal", "-R", "recipient", "-o", "sealed", "tree/a")
    first, second = re.findall(r'write\(\d+, "(\\x61\\x67\\x65.*)"', calls.read_text())
    assert first[:-64] == second[:-64] and first[-64:] != second[-64:]


@suite("quick")
def test_poorfs_modes(place):
    """A file system that gives every file the same mode."""
    good = place.good
    for chmod in ("EPERM", 0):
        with place.mounted({"mode": 0o755, "chmod": chmod}):
            why = "too many users could access it: its file system gives it mode 0755"
            place.refuses(why, "keygen", place.mount / "key")
            assert place.names() == set()
            # A manifest is no secret. It replaces one of the same mode.
            for force in ([], ["--force"]):
                place.succeeds("tag", "-k", good / "key", "-o", place.mount / "m", *force, "tree")
            place.checks(good / "key", place.mount / "m")
        place.clear()


@suite("quick")
def test_poorfs_renames(place):
    """Without renames, files are made, but none is replaced; that is found before nonces are reserved."""
    mount, good = place.mount, place.good
    with place.mounted({"link": "EPERM", "rename": "EPERM"}):
        place.succeeds("keygen", mount / "key")
        place.succeeds("tag", "-k", good / "key", "-o", mount / "m", "tree")
        before = (mount / "m").read_text(), counter(good / "key")
        place.refuses("m: cannot be replaced", "tag", "-k", good / "key", "-o", mount / "m", "--force", "tree")
        assert ((mount / "m").read_text(), counter(good / "key")) == before
        place.refuses("key: cannot be replaced", "tag", "-k", mount / "key", "-o", good / "m", "tree")
        assert not (good / "m").exists() and counter(mount / "key") == 0
        place.checks(good / "key", mount / "m")
        assert place.names() == {"key", "m"}


@suite("quick")
def test_poorfs_found_early(place):
    """A file that cannot be written is found before nonces are reserved and files are read."""
    (place.backing / "old").write_text("old")
    before = counter(place.good / "key")
    with place.mounted({"create": "EACCES"}):
        for options in (["-o", place.mount / "new"], ["-o", place.mount / "old", "--force"]):
            place.refuses("cannot be created", "tag", "-k", place.good / "key", *options, "tree")
    assert counter(place.good / "key") == before
    assert place.names() == {"old"} and (place.backing / "old").read_text() == "old"


@suite("quick")
def test_poorfs_locks(place):
    """Reading a key needs no lock, and reserving nonces does."""
    key = place.mount / "key"
    for error in ("ENOLCK", "ENOSYS", "EOPNOTSUPP"):
        place.succeeds("keygen", place.backing / "key")
        manifest = place.good / f"m-{error}"
        place.succeeds("tag", "-k", place.backing / "key", "-o", manifest, "tree")
        with place.mounted({"flock": error}):
            place.checks(key, manifest)
            before = key.read_text()
            why = "key: cannot be locked, without which two processes could take the same nonces: "
            place.refuses(why, "tag", "-k", key, "-o", place.good / "new", "tree")
            place.refuses(why, "keygen", "--fork", key, place.good / "new")
            assert key.read_text() == before and not (place.good / "new").exists()
            # Nobody can have locked a file that is not there yet.
            place.succeeds("keygen", place.mount / "other")
        place.clear()


@suite("quick")
def test_poorfs_failures(place):
    """A full and a failing disk, at each call that writes: nothing is lost, and no part of a file is left."""
    mount, good = place.mount, place.good
    failed = 0
    place.succeeds("keygen", place.backing / "key")
    (place.backing / "old").write_text("old")
    before = {name: (place.backing / name).read_text() for name in ("key", "old")}
    for call, error in itertools.product(("write", "fsync", "flush"), ("ENOSPC", "EIO")):
        # New files get their names by a rename, by a link, or are written in place.
        for names in ({}, {"noreplace": "EINVAL"}, NO_NEW_NAMES):
            with place.mounted({call: error, **names}):
                for words in (
                    ["keygen", mount / "new"],
                    ["tag", "-k", good / "key", "-o", mount / "new", "tree"],
                    ["tag", "-k", good / "key", "-o", mount / "old", "--force", "tree"],
                    ["tag", "-k", mount / "key", "-o", good / "new", "tree"],
                ):
                    place.refuses(os.strerror(getattr(errno, error)), *words)
                    failed += 1
                assert {name: (place.backing / name).read_text() for name in place.names()} == before
                assert not (good / "new").exists()
    assert failed == 3 * 2 * 3 * 4
    print(f"{failed} commands failed, and left nothing")


@suite("quick")
def test_poorfs_spellings(place):
    """A file system that lists names in another normal form than the manifest."""
    tree, good = place.backing, place.good
    for name in ("ü/ü", "sub/ü", "plain", "emptied-ü/file"):
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text(name)
    (tree / "ü-link").symlink_to("plain")
    (tree / "ü-empty").mkdir()
    os.mkfifo(tree / "ü-fifo")
    place.mount.rmdir()
    os.symlink(tree, place.mount)
    status, _ = place.hornet("tag", "-k", good / "key", "-o", "m", "../mount/")
    assert status == 0
    place.mount.unlink()
    place.mount.mkdir()

    def check() -> tuple[int, list[str]]:
        words = [command(), "check", "--strict", "-k", "key", "m"]
        ended = subprocess.run(words, cwd=good, capture_output=True, text=True)
        return ended.returncode, ended.stdout.splitlines()

    listed = ["emptied-ü/file", "plain", "sub/ü", "ü/ü"]
    ok = [f"../mount/{name}: OK" for name in listed]
    with place.mounted({"decompose": 1}):
        assert "u\u0308" in os.listdir(place.mount)
        assert check() == (0, ok)
        # What was added is extra, in whatever spelling.
        (tree / "ü-new").write_text("")
        for name in ("linked", "sub/ü2"):
            os.link(tree / "sub/ü", tree / name)
        (tree / "ü-new-link").symlink_to("plain")
        (tree / "emptied-ü/file").unlink()
        status, lines = check()
        assert status == 1
        extra = [f"../mount/{name}: EXTRA" for name in ("linked", "sub/u\u03082", "u\u0308-new", "u\u0308-new-link")]
        extra[-1] += " (symlink)"
        assert lines == ["../mount/emptied-ü/file: MISSING", *ok[1:], *extra]
