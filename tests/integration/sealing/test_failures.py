# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`hornet seal` and `hornet open` that are killed, or get errors, at each of their system calls.

The output's name then has nothing, or the old file, or all of the new one; and a temporary file that is left has only
text that was verified.
"""

import errno
import itertools
import os
import random
import re
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from support import STRICT, cpus, run, suite
from support.build import once
from support.faults import calls_of, signals
from support.products import command

HERE = Path(__file__).parent
CHUNK = 65536
TAG = 16
CHANGED = 3
# Calls that start again after a signal.
RESTARTED = {"read", "pread64", "write", "pwrite64", "fsync", "poll", "ppoll"}
ERRORS = {
    **dict.fromkeys(("read", "pread64", "readv", "preadv"), ("EIO", "EINTR")),
    **dict.fromkeys(("write", "pwrite64", "writev", "pwritev", "copy_file_range"), ("ENOSPC", "EIO", "EINTR")),
    **dict.fromkeys(("fsync", "fdatasync", "fallocate", "ftruncate"), ("ENOSPC", "EIO", "EINTR")),
    **dict.fromkeys(("openat", "link", "linkat", "rename", "renameat", "renameat2"), ("ENOSPC", "EACCES", "EMFILE")),
    **dict.fromkeys(("unlinkat", "close", "fcntl", "lseek", "fstat", "statx", "newfstatat"), ("EIO",)),
    **dict.fromkeys(("getrandom", "fchmod", "fchown", "fadvise64", "poll", "clone3", "madvise"), ("EIO",)),
    **dict.fromkeys(("mmap", "mremap"), ("ENOMEM",)),
}
MEMORY = {"mmap", "mremap"}


@dataclass
class Case:
    """A command, and what it makes: the text, or a sealed one that opens to it."""

    words: str
    replaces: bool = False
    text: bytes = b""
    # If files without a name cannot be made, they have temporary ones.
    named: bool = False
    refused: bool = False


class Work:
    def __init__(self, folder):
        self.base = folder
        self.text = os.urandom(2 * CHUNK) + bytes(CHUNK) + os.urandom(3 * CHUNK + 1234)
        (folder / "t").write_bytes(self.text)
        (folder / "r").write_text(self.hornet(folder, "keygen", "--age", "i").stdout.decode())
        self.hornet(folder, "seal", "-R", "r", "-o", "s", "t")
        self.hornet(folder, "seal", "-R", "r", "-a", "-o", "a", "t")
        sealed = bytearray((folder / "s").read_bytes())
        begin = len(sealed) - (len(self.text) + 7 * TAG) + CHANGED * (CHUNK + TAG)
        sealed[begin : begin + CHUNK] = bytes(byte ^ 0xFF for byte in sealed[begin : begin + CHUNK])
        (folder / "c").write_bytes(sealed)
        begin, end = CHUNK + 5, 4 * CHUNK + 7
        opens = "open --threads 1 -i ../i -o out"
        self.cases = [
            Case("seal --threads 1 -R ../r -o out ../t"),
            Case("seal --threads 1 -R ../r -o out --force ../t", replaces=True),
            Case("seal --threads 1 -R ../r -a -o out ../t"),
            Case("seal --threads 1 -R ../r -o out ../t", named=True),
            Case(f"{opens} ../s", text=self.text),
            Case(f"{opens} --force ../s", replaces=True, text=self.text),
            Case(f"{opens} ../s", text=self.text, named=True),
            Case(f"{opens} --force ../s", replaces=True, text=self.text, named=True),
            Case(f"{opens} ../a", text=self.text),
            Case(f"{opens} --range {begin}:{end - begin} ../s", text=self.text[begin:end]),
            Case(f"{opens} ../c", text=self.text, named=True, refused=True),
        ]
        self.counts = Counter()
        self.numbers = itertools.count()

    def hornet(self, folder, *words, strace=(), env=None):
        traced = ["strace", "-f", "-qqq", *strace] if strace else []
        return subprocess.run(
            [*traced, command(), *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=not traced,
            env=os.environ | (env or {}),
        )

    def faults(self, case):
        """Return the faults of a case: the options of strace, whether it is a signal, and the error."""
        folder = self.folder(case)
        log = folder / "calls"
        self.hornet(folder, *case.words.split(), strace=["-o", log])
        unnamed = []
        if case.named:
            # One at the beginning, and one when it is written; after the first that fails, other calls follow.
            for both in False, True:
                lines = re.findall(r"^\d* *openat\(.*", log.read_text(), re.M)
                first, second = (when + 1 for when, line in enumerate(lines) if "O_TMPFILE" in line)
                when = f"{first}..{second}+{second - first}" if both else first
                unnamed = ["-e", f"inject=openat:error=EOPNOTSUPP:when={when}"]
                (folder / "out").unlink(missing_ok=True)
                if case.replaces:
                    (folder / "out").write_text("old")
                self.hornet(folder, *case.words.split(), strace=["-o", log, *unnamed])
            assert log.read_text().count("EOPNOTSUPP") == 2
        # What comes before is not the command's.
        calls = [(name, when) for name, when in calls_of(log, "prctl") if name != "openat" or not case.named]
        found = [(fault, "TERM" in fault, None) for kind in ("KILL", "TERM") for fault in signals(calls, kind)]
        for name, when in calls:
            errors = ERRORS.get(name, ())
            found += [(f"{name}:error={error}:when={when}", False, error) for error in errors]
        return [(case, [*unnamed, "-e", f"inject={fault}"], *kind) for fault, *kind in found]

    def folder(self, case):
        folder = self.base / f"run-{next(self.numbers)}"
        folder.mkdir()
        if case.replaces:
            (folder / "out").write_text("old")
        return folder

    def inject(self, case, options, terminates, error):
        folder = self.folder(case)
        ended = self.hornet(folder, *case.words.split(), strace=["-o", "/dev/null", *options])
        status, said = ended.returncode, ended.stderr.decode()
        where = f"{case.words}, {options[-1]}: status {status}, {said}"
        (fault,) = re.findall(r"^inject=(\w+)", options[-1])
        out = folder / "out"
        complete = out.exists() and out.read_bytes() != b"old" and self.is_complete(folder, out, case)
        untouched = out.read_text(errors="replace") == "old" if case.replaces and not complete else not out.exists()
        assert complete or untouched, f"a part: {where}"
        assert not (case.refused and complete), where
        left = [path for path in folder.iterdir() if path != out]
        if status == -9:
            assert all(self.is_verified(path, case) for path in left), where
            self.counts["killed"] += 1
        elif terminates:
            assert status in (-15, 0, 1 if case.refused else -15) and not left, where
            self.counts["terminated" if status else "not terminated"] += 1
        elif error is None:
            assert status in (0, 1 if case.refused else 0), where
            self.counts["not killed"] += 1
        else:
            assert not left or fault.startswith("unlink"), f"{left}: {where}"
            self.counts[error] += 1
            allowed = {0: complete, 1: case.refused, 2: True}
            if fault in MEMORY:
                # An allocation that fails ends the process.
                allowed[-6] = True
            elif error == "EINTR" and fault in RESTARTED:
                allowed[2] = False
            assert allowed.get(status), where
            if status == 2:
                told = os.strerror(getattr(errno, error))
                assert len(said.splitlines()) == 1 and re.match("hornet: [^:]+: ", said) and told in said, where
                self.counts["told"] += 1
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()

    def is_complete(self, folder, out, case):
        content = out.read_bytes()
        if not case.text:
            if "-a" not in case.words and len(content) != (self.base / "s").stat().st_size:
                return False
            content = self.hornet(folder, "open", "-i", "../i", "out").stdout
        return content == (case.text or self.text)

    def is_verified(self, path, case):
        """Return whether a temporary file has nothing but what was verified, and holes."""
        if not path.name.startswith(".hornet-"):
            return False
        if not case.text:
            return True
        content, text = path.read_bytes(), case.text
        self.counts["left"] += bool(content)
        pieces = [(content[at : at + CHUNK], text[at : at + CHUNK]) for at in range(0, len(content), CHUNK)]
        if case.refused and any(content[CHANGED * CHUNK : (CHANGED + 1) * CHUNK]):
            return False
        return len(content) <= len(text) and all(a == b[: len(a)] or not any(a) for a, b in pieces)

    def run(self, share):
        """Run a share of all faults, and return how many came."""
        faults = [fault for case in self.cases for fault in self.faults(case)]
        chosen = random.sample(faults, len(faults) // share)
        with ThreadPoolExecutor(cpus()) as pool:
            for done in [pool.submit(self.inject, *fault) for fault in chosen]:
                done.result()
        print(f"{len(chosen)} of {len(faults)} faults: {dict(self.counts)}")
        come = self.counts.total() - sum(self.counts[name] for name in ("not killed", "left", "told"))
        assert self.counts["left"] and self.counts["told"] and self.counts["killed"] > come // 4
        return come


@suite("quick", cpu_seconds=40)
def test_sealing_failures(folder):
    assert Work(folder).run(share=8) > 200


@suite("slow", cpu_seconds=60)
def test_sealing_all_failures(folder):
    assert Work(folder).run(share=1) > 1000


@suite("quick", cpu_seconds=20)
def test_sealing_killed(folder):
    """Kill processes with several threads, at any time and at each of their threads' writes."""
    work = Work(folder)
    opens, seals = (
        Case(work.cases[n].words.replace("--threads 1", "--threads 4"), text=work.cases[n].text) for n in (4, 0)
    )
    for case in opens, seals:
        for name, when in itertools.product(("pread64", "pwrite64"), range(1, 6)):
            for fault in signals([(name, when)], "KILL"):
                work.inject(case, ["-e", f"inject={fault}"], False, None)
    killed = done = 0
    for turn in range(60):
        case = (opens, seals)[turn % 2]
        run_in = work.folder(case)
        with subprocess.Popen([command(), *case.words.split()], cwd=run_in, stdin=subprocess.DEVNULL) as process:
            try:
                process.wait(random.uniform(0, 0.012))
            except subprocess.TimeoutExpired:
                process.kill()
        assert process.returncode in (0, -9)
        out = run_in / "out"
        assert not out.exists() or work.is_complete(run_in, out, case)
        assert all(path == out or work.is_verified(path, case) for path in run_in.iterdir())
        killed += process.returncode != 0
        done += process.returncode == 0
    print(f"{killed} killed, {done} not; {dict(work.counts)}")
    assert killed


@pytest.fixture(name="short")
def short_():
    def build(folder):
        run("gcc", "-O1", "-shared", "-fPIC", *STRICT, HERE / "preload/short.c", "-o", folder / "short.so")

    return once("sealing-short", build) / "short.so"


@suite("quick", cpu_seconds=20)
def test_sealing_short(folder, short):
    """Reads and writes that are short, or interrupted, change nothing."""
    work = Work(folder)
    cut = folder / "cut"
    turns = 0
    for seed, threads in itertools.product(range(4), (1, 3)):
        env = {"LD_PRELOAD": str(short), "SHORT_SEED": str(seed), "SHORT_COUNT": str(cut)}
        for words in (
            ["seal", "-R", "r", "-o", "o", "--force", "t"],
            ["open", "-i", "i", "-o", "p", "--force", "o"],
            ["seal", "-a", "-R", "r", "-o", "o", "--force", "t"],
            ["open", "-i", "i", "-o", "p", "--force", "o"],
            ["open", "-i", "i", "s"],
            ["open", "-i", "i", "--range", "0:390000", "s"],
        ):
            ended = work.hornet(folder, *words, "--threads", str(threads), env=env)
            turns += 1
            if words[-1] == "s":
                assert ended.stdout == (work.text[:390000] if "--range" in words else work.text)
            elif words[0] == "open":
                assert (folder / "p").read_bytes() == work.text
    numbers = [int(number) for number in cut.read_text().split()]
    print(f"{sum(numbers)} calls cut in {turns} processes")
    assert len(numbers) == turns and min(numbers) > 5
