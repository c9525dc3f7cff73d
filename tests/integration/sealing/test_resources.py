# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What `hornet seal` and `hornet open` take for large files: memory, and blocks of the disk; and files above 4 GiB."""

import os
import subprocess
import sys

import pytest
from integration.sealing.peers import age
from support import output, row, rows, run, suite
from support.products import command

MIB = 1 << 20
MOST_MEMORY = 64 * MIB
# Runs a command in a small process, whose memory counts for the command until that is executed.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""


def marked(path, length):
    """Make a file of holes, and some bytes here and there."""
    with path.open("wb") as file:
        file.truncate(length)
        for at in {0, length // 3, 65536 * 7, length - 65536 - 9, length - 1}:
            file.seek(at)
            file.write(os.urandom(1))


@pytest.fixture(name="identity")
def identity_(folder):
    identity = folder / "i"
    (folder / "r").write_text(output(command(), "keygen", "--age", identity))
    return identity


@rows(
    "mib",
    row("sealing-memory", 200, cpu_seconds=20),
    row("sealing-memory-1-gib", 1024, suites="slow", cpu_seconds=60),
)
def test_sealing_memory(folder, identity, mib):
    """Many threads take 64 MiB at most, from and to files and pipes; and holes are no blocks of an opened file."""
    text = folder / "t"
    marked(text, mib * MIB)
    assert text.stat().st_blocks * 512 < MIB, "no holes here"

    def peak(*words, pipe=None):
        """Run the command, from a pipe and to one if there is a file for it, and return the most memory it took."""
        words = [sys.executable, "-S", "-c", MEASURE, command(), *words, "--threads", "32"]
        if pipe is None:
            ended = subprocess.run(words, cwd=folder, capture_output=True, check=True)
        else:
            before = subprocess.Popen(["cat", pipe], cwd=folder, stdout=subprocess.PIPE)
            after = subprocess.Popen(["cmp", "-", "t"], cwd=folder, stdin=subprocess.PIPE)
            ended = subprocess.run(
                words, cwd=folder, stdin=before.stdout, stdout=after.stdin, stderr=subprocess.PIPE, check=True
            )
            before.stdout.close()
            after.stdin.close()
            assert (before.wait(), after.wait()) == (0, 0)
        found = int(ended.stderr) * 1024
        print(*words[5:-2], "from and to pipes" if pipe else "", f"{found / MIB:.1f} MiB")
        assert found <= MOST_MEMORY
        return found

    peak("seal", "-R", "r", "-o", "s", "t")
    assert peak("open", "-i", "i", "-o", "o", "s") > 10 * MIB, "threads have buffers"
    run("cmp", "t", "o", cwd=folder)
    assert (folder / "o").stat().st_blocks * 512 < MIB
    peak("open", "-i", "i", pipe="s")
    peak("seal", "-a", "-R", "r", "-o", "a", "t")
    peak("open", "-i", "i", pipe="a")
    peak("open", "-i", "i", "-o", "o", "--force", "a")
    run("cmp", "t", "o", cwd=folder)


@suite("release", cpu_seconds=120)
def test_sealing_4_gib(folder, identity):
    """Files above 4 GiB: what hornet and age seal, the other opens. Takes 5 GiB of the disk."""
    text, sealed, opened = (folder / name for name in ("t", "s", "o"))
    marked(text, (4 << 30) + 65537)
    run(command(), "seal", "-R", folder / "r", "-o", sealed, text)
    run("sh", "-c", f"'{age()}' -d -i '{identity}' '{sealed}' | cmp - '{text}'")
    sealed.unlink()
    run(age(), "-R", folder / "r", "-o", sealed, text)
    run(command(), "open", "-i", identity, "-o", opened, sealed)
    run("cmp", text, opened)
    assert opened.stat().st_blocks * 512 < MIB
    sealed.unlink()
