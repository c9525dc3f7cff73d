# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Nonces and manifests when processes are killed, encounter errors, or run at the same time.

No nonce is handed out twice, and every manifest is complete.
"""

import itertools
import os
import random
import re
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import suite
from support.faults import calls_of, signals
from support.products import command

PROCESSES_KILLED = 1000
RETAGS_KILLED = 500
KILLED = -9
RENAME = "rename,renameat,renameat2"


class Work:
    """A folder with a key file, files to tag, and all manifests that were made under the key."""

    def __init__(self, folder):
        self.folder = folder
        self.command = command()
        self.numbers = itertools.count()
        for name in ("tree", "out"):
            (folder / name).mkdir()
        for i in (1, 2, 3):
            (folder / f"tree/file {i}").write_bytes(os.urandom(1000 * i))
        self.run("keygen", "key")

    def run(self, *arguments, strace=(), statuses=(0,)):
        """Run the command, under strace if it gets options, and keep the manifest that is shown."""
        traced = ["strace", "-f", "-qqq", *strace] if strace else []
        ended = subprocess.run([*traced, self.command, *arguments], cwd=self.folder, capture_output=True, text=True)
        assert ended.returncode in statuses, f"{strace} {arguments}: status {ended.returncode}, {ended.stderr}"
        if ended.stdout and arguments[0] == "tag":
            (self.folder / f"out/stdout-{next(self.numbers)}").write_text(ended.stdout)
        return ended

    def inject(self, fault, *arguments, statuses=(0, 1, 2, KILLED)):
        """Run the command with a fault in its system calls. A panic would give another status."""
        return self.run(*arguments, strace=["-o", "/dev/null", "-e", f"inject={fault}"], statuses=statuses)

    def kill_everywhere(self, *arguments):
        """Kill the command at its first openat, its second, and so on for each system call; return how often.

        {} in an argument is replaced by a different number each time.
        """

        def numbered():
            return [word.format(next(self.numbers)) for word in arguments]

        self.run(*numbered(), strace=["-o", "calls"])
        faults = signals(calls_of(self.folder / "calls"), "KILL")
        # Threads distribute the calls differently each time, so that not every process is killed.
        return sum(self.inject(fault, *numbered()).returncode == KILLED for fault in faults)

    def check_manifests(self):
        """Check that each manifest is complete, and that no nonce occurs twice."""
        counters = Counter()
        for manifest in (self.folder / "out").iterdir():
            text = manifest.read_text()
            # The status is 1 if errors kept files from being read, and the manifest says so.
            checked = ["check", "--quiet", "--json", "-k", "key", manifest]
            report = subprocess.run([self.command, *checked], cwd=self.folder, capture_output=True, text=True)
            whole = report.returncode == 0 or report.returncode == 1 and "REFUSED" not in report.stdout + report.stderr
            assert whole or not text, f"{manifest.name}: {report.stdout}{report.stderr}"
            # The counter is the first 6 bytes of a nonce, which are unique without the random bits.
            counters.update(re.findall("^(?:seal )?([0-9a-f]{12})[0-9a-f]{20} [0-9a-f]{32}", text, re.M))
        twice = [counter for counter, times in counters.items() if times > 1]
        assert counters and not twice, f"nonces used twice: {twice[:3]}"
        print(f"{counters.total()} nonces, none twice")


@pytest.fixture
def work(folder):
    return Work(folder)


@suite("quick")
def test_nonces_order(work):
    """The new key file is on the disk, under its name, before a file is read."""
    work.run("tag", "-k", "key", "tree", strace=["-o", "log", "-e", f"trace=flock,fsync,fdatasync,{RENAME},openat"])
    steps = (
        r'(?P<lock>flock\(.*LOCK_EX)|(?P<sync>f(data)?sync\()|(?P<rename>rename)|(?P<read>openat\(.*"(tree/)?file 1")'
    )
    log = (work.folder / "log").read_text()
    order = " ".join(step.lastgroup for step in re.finditer(rf"^\d* *(?:{steps})", log, re.M))
    # The file is locked before, too, to find out early whether it can be.
    assert re.match("(lock )+sync rename sync read", order)
    work.check_manifests()


@suite("quick", cpu_seconds=30)
def test_nonces_killed(work):
    killed = work.kill_everywhere("keygen", "new-{}") + work.kill_everywhere("keygen", "--fork", "key", "fork-{}")
    for _ in range(50):
        if killed < PROCESSES_KILLED:
            killed += work.kill_everywhere("tag", "-k", "key", "tree")
            killed += work.kill_everywhere("tag", "-k", "key", "-o", "out/{}", "tree")
    assert killed >= PROCESSES_KILLED
    work.check_manifests()
    # Every key file that exists is complete, and no two have the same key.
    key_files = [work.folder / "key", *work.folder.glob("new-*"), *work.folder.glob("fork-*")]
    for file in key_files:
        work.run("tag", "-k", file, "tree")
    keys = {re.search("^key (.*)$", file.read_text(), re.M)[1] for file in key_files}
    assert len(keys) == len(key_files) > 2


class Retagging:
    """A manifest with parts beside it, and every nonce that was seen in one of them."""

    HEADER_BYTES = 104
    PAGE = 4096

    def __init__(self, work):
        self.work = work
        self.disk = work.folder / "tree/disk"
        self.disk.write_bytes(os.urandom(10 * self.PAGE + 5))
        self.tags = {}
        work.run("tag", "-k", "key", "-o", "m", "--parts", "p", "--segment", str(self.PAGE), "tree")
        self.look()

    def change(self):
        """Change the file, and return the arguments that tell retag about it."""
        offset = random.randrange(self.disk.stat().st_size - 16)
        with self.disk.open("r+b") as disk:
            disk.seek(offset)
            disk.write(os.urandom(16))
        (self.work.folder / "ranges").write_text(f"{offset} 16")
        ranges = ["--file", "tree/disk", "--ranges", "ranges", *random.choice([[], ["--all-new"]])]
        return ["retag", "-k", "key", "--parts", "p", *ranges, "m"]

    def look(self):
        """Note the nonces. One that is used for two messages has two tags."""
        text = (self.work.folder / "m").read_text()
        found = re.findall("^(?:seal )?([0-9a-f]{32}) ([0-9a-f]{32})", text, re.M)
        assert found
        for name in ("p", "p.new"):
            path = self.work.folder / name
            # New parts may be incomplete.
            header = path.read_bytes()[: self.HEADER_BYTES].hex() if path.exists() else ""
            if len(header) == 2 * self.HEADER_BYTES:
                found.append((header[144:176], header[176:]))
        for nonce, tag in found:
            # Without the random bits, but with the purpose.
            assert self.tags.setdefault(nonce[:12], tag) == tag, f"nonce {nonce} was used twice"

    def is_whole(self):
        """Return whether the manifest has the content of the file. Manifest and parts belong together in any case."""
        length = self.disk.stat().st_size
        check = ["check", "--json", "-k", "key", "--parts", "p", "--range", f"0:{length}", "m", "tree/disk"]
        ended = self.work.run(*check, statuses=(0, 1))
        assert "REFUSED" not in ended.stdout, ended.stderr
        return ended.returncode == 0


@suite("quick", cpu_seconds=20)
def test_nonces_retag(work):
    """Kill retag at each system call: both files are the old ones, or both new, and the next retag works."""
    retagging = Retagging(work)
    work.run(*retagging.change(), strace=["-o", "calls"])
    retagging.look()
    # Calls before the key file is opened, and after both files are replaced, are among them.
    faults = signals(calls_of(work.folder / "calls"), "KILL")
    random.shuffle(faults)
    killed = old = 0
    for fault in itertools.cycle(faults):
        retag = retagging.change()
        if work.inject(fault, *retag, statuses=(0, KILLED)).returncode == KILLED:
            killed += 1
            old += not retagging.is_whole()
        retagging.look()
        # Files that a killed process left do not matter.
        work.run(*retag)
        assert retagging.is_whole()
        retagging.look()
        work.run("check", "--quiet", "-k", "key", "m")
        assert not (work.folder / "p.new").exists()
        if killed == RETAGS_KILLED:
            break
    print(f"{killed} processes killed, {old} of them before they replaced the manifest; {len(retagging.tags)} nonces")
    assert 0 < old < killed


@suite("quick", cpu_seconds=20)
def test_nonces_errors(work):
    """A full disk and a failing disk, at every call that could fail."""
    calls = ["openat", "write", "fsync", "flock", RENAME, "link,linkat", "unlink,unlinkat", "ftruncate"]
    for call, error, when in itertools.product(calls, ["ENOSPC", "EIO"], range(1, 13)):
        fault = f"{call}:error={error}:when={when}"
        work.inject(fault, "tag", "-k", "key", "-o", f"out/{call}-{error}-{when}", "tree")
        # Here, the same error would keep the manifest from getting its name.
        work.inject(fault, "tag", "-k", "key", "tree")
    work.check_manifests()


@suite("quick")
def test_nonces_no_random_bits(work):
    """A reservation draws random bits for its nonces, and others for a temporary name."""
    refused = 0
    for when in range(1, 7):
        new = f"new-{when}"
        for words in (["keygen", "--fork", "key", new], ["tag", "-k", "key", "-o", new, "--force", "tree"]):
            ended = work.inject(f"getrandom:error=EIO:when={when}", *words, statuses=(0, 2))
            refused += "no random bytes for nonces" in ended.stderr
            assert ended.returncode == 0 or not (work.folder / new).exists()
            (work.folder / new).unlink(missing_ok=True)
    # Everything else works, or says what is missing.
    work.run("tag", "-k", "key", "-o", "m", "tree")
    work.run("keygen", "mac-key")
    (work.folder / "mac-key").write_bytes(bytes(32))
    for words in (
        ["keygen", "new"],
        ["tag", "-k", "key", "-o", "m", "--force", "--follow-symlinks", "./tree"],
        ["check", "-k", "key", "--strict", "m"],
        ["check", "-k", "key", "--strict", "--exclude", "[ab]*c?", "m"],
        ["bound", "--messages", "1", "--forgeries", "1", "--length", "1"],
        ["mac", "--key-file", "mac-key", "tree/file 1"],
        ["info"],
        ["generate", "completions", "--force", "."],
        ["--help"],
    ):
        ended = work.inject("getrandom:error=EIO", *words, statuses=(0, 2))
        assert ended.returncode == 0 or "no random bytes for" in ended.stderr
        # Then there is /dev/urandom.
        work.inject("getrandom:error=ENOSYS", *words, statuses=(0,))
        (work.folder / "new").unlink(missing_ok=True)
    # From glibc 2.41 on, getting random bytes may need no system call, so none can fail.
    work.run("keygen", "--fork", "key", "fork", strace=["-e", "trace=getrandom", "-o", "log"])
    assert refused or ", 9, 0)" not in (work.folder / "log").read_text()
    work.run("tag", "-k", "key", "tree")
    work.check_manifests()


@suite("quick")
def test_nonces_at_once(work):
    """Eight processes at once, some of which are killed."""

    def tag(process):
        for i in range(25):
            if i % 3:
                work.run("tag", "-k", "key", "tree")
                continue
            written = ["tag", "-k", "key", "-o", f"out/{process}-{i}", "tree"]
            with subprocess.Popen([work.command, *written], cwd=work.folder) as killed:
                try:
                    killed.wait(random.uniform(0, 0.02))
                except subprocess.TimeoutExpired:
                    killed.kill()
            assert killed.returncode in (0, KILLED)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(tag, range(8)))
    work.check_manifests()


@suite("quick")
def test_nonces_ended(work):
    """SIGINT or SIGTERM at each call that creates, writes or names a file: no temporary file remains.

    A signal takes effect when the call returns.
    """
    (work.folder / "ended").mkdir()
    work.run("keygen", "ended/key")
    calls = ["openat", "write", "fsync", "linkat", RENAME]
    ended = 0
    for signal, call, when in itertools.product(["INT", "TERM"], calls, range(1, 7)):
        arguments = ["tag", "-k", "ended/key", "-o", "ended/manifest", "--force", "tree"]
        status = work.inject(f"{call}:signal={signal}:when={when}", *arguments, statuses=range(-64, 256)).returncode
        ended += status != 0
        left = list((work.folder / "ended").glob(".*"))
        assert not left, f"SIG{signal} at {call} {when} leaves {left}"
    assert ended
    work.run("check", "--quiet", "-k", "ended/key", "ended/manifest")
