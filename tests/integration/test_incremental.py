# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The recipes of docs/incremental.md, as they stand there, and its example of an attack.

Programs that are not Hornet's print what was recorded: dirty-bitmap.json is what nbdinfo 1.14 printed of a bitmap of QEMU
7.2, and wal-summary.txt is in the form of PostgreSQL's pg_walsummary.
"""

import json
import os
import re

from support import ROOT, attempt, output, run, suite
from support.products import command

PAGE = (ROOT / "docs/incremental.md").read_text()
RECORDED = ROOT / "tests/integration/incremental"
MIB = 1 << 20


class Recipe:
    """The commands of a section, which run in a folder of their own."""

    def __init__(self, title, folder, programs=()):
        section = re.search(rf"^### {re.escape(title)}\n(.*?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)[1]
        self.blocks = re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        self.folder = folder / re.sub(r"\W+", "-", title.lower())
        (self.folder / "bin").mkdir(parents=True)
        for name, script in dict(programs).items():
            path = self.folder / "bin" / name
            path.write_text(f'#!/bin/sh\necho "$(basename "$0") $*" >> calls\n{script}\n')
            path.chmod(0o755)
        self.env = {"PATH": f"{self.folder / 'bin'}:{command().parent}:{os.environ['PATH']}"}

    def hornet(self, *words):
        """Run the command, and return its exit status and what it printed."""
        return attempt(command(), *words, cwd=self.folder)

    def do(self, block):
        return output("sh", "-eu", "-c", block, cwd=self.folder, env=self.env)

    def write(self, path, content, offset=None):
        """Write a file, or bytes within one."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb" if offset is None else "r+b") as out:
            out.seek(offset or 0)
            out.write(content)

    def agrees(self, *more, manifest="manifest"):
        status, text = self.hornet("check", "-k", "key", *more, manifest)
        return status == 0 and "OK" in text


@suite("quick", cpu_seconds=20)
def test_incremental_disk(folder):
    recorded = RECORDED / "dirty-bitmap.json"
    programs = {"qemu-img": "exit 0", "qemu-nbd": "exit 0", "nbdinfo": f"cat '{recorded}'"}
    recipe = Recipe("The disk of a virtual machine, every night", folder, programs)
    once, nightly = recipe.blocks
    recipe.write("disk.raw", os.urandom(64 * MIB))
    recipe.do(once)
    dirty = [extent for extent in json.loads(recorded.read_text()) if extent["type"] == 1]
    for extent in dirty:
        recipe.write("disk.raw", os.urandom(extent["length"]), extent["offset"])
    touched = {extent["offset"] // MIB for extent in dirty}
    assert len(touched) == len(dirty) == 3
    printed = recipe.do(nightly)
    assert f"\n{len(touched) * MIB} bytes read" in printed
    assert f"\n{(64 - len(touched)) * MIB} bytes not read, on the word of changed.json" in printed
    assert recipe.agrees("--strict")
    calls = (recipe.folder / "calls").read_text().splitlines()
    assert [" ".join(call.split()[:3]) for call in (calls[0], calls[1], calls[-1])] == [
        "qemu-img create -f",
        "qemu-img bitmap --add",
        "qemu-img bitmap --clear",
    ]
    # A change that the bitmap does not show gets no tag, and the bitmap stays if retag fails.
    recipe.write("disk.raw", b"omitted", 40 * MIB)
    recipe.do(nightly)
    status, text = recipe.hornet("check", "-k", "key", "manifest")
    assert status == 1 and "disk.raw: CHANGED" in text
    (recipe.folder / "parts").write_bytes(b"not parts")
    (recipe.folder / "calls").unlink()
    assert attempt("sh", "-eu", "-c", nightly, cwd=recipe.folder, env=recipe.env)[0] != 0
    assert "--clear" not in (recipe.folder / "calls").read_text()


@suite("quick", cpu_seconds=20)
def test_incremental_weights(folder):
    recipe = Recipe("A bucket of weights", folder)
    assert len(recipe.blocks) == 2
    header = (70000).to_bytes(8, "little")
    recipe.write("weights/model.safetensors", header + os.urandom(3 * MIB))
    recipe.write("weights/config.json", b"{}")
    recipe.hornet("keygen", "key")
    assert recipe.do(recipe.blocks[1]).splitlines()[0].split() == ["70000"]
    recipe.write("weights/config.json", b'{"layers": 2}')
    again = recipe.blocks[1].splitlines()[-1]
    assert again.startswith("hornet retag")
    assert f"\n{len(header) + 3 * MIB} bytes not read, on the word of size and times" in recipe.do(again)
    assert recipe.agrees("--strict", manifest="weights.manifest")
    recipe.write("weights/model.safetensors", b"\xff", 5)
    status, text = attempt("sh", "-c", recipe.blocks[1].splitlines()[1], cwd=recipe.folder, env=recipe.env)
    assert "70000" not in text


@suite("quick", cpu_seconds=20)
def test_incremental_log(folder):
    recipe = Recipe("A log that only grows", folder)
    tagged, grown = recipe.blocks
    recipe.write("app.log", b"a line\n" * 400000)
    recipe.hornet("keygen", "key")
    recipe.do(tagged)
    for more in (b"one more line\n", b"and many\n" * 300000):
        recipe.write("app.log", more, (recipe.folder / "app.log").stat().st_size)
        assert "on the word of --appended" in recipe.do(grown)
        assert recipe.agrees()
    before = [(recipe.folder / name).read_bytes() for name in ("manifest", "parts")]
    end = (recipe.folder / "app.log").stat().st_size
    recipe.write("app.log", b"another end, and more", end - 9)
    status, _ = attempt("sh", "-eu", "-c", grown, cwd=recipe.folder, env=recipe.env)
    assert status == 1 and before == [(recipe.folder / name).read_bytes() for name in ("manifest", "parts")]


@suite("quick", cpu_seconds=20)
def test_incremental_database(folder):
    recorded = RECORDED / "wal-summary.txt"
    recipe = Recipe("A database's page file", folder, {"pg_walsummary": f"cat '{recorded}'"})
    tagged, changed = recipe.blocks
    table = "base/5/16384"
    recipe.write(table, os.urandom(256 * 8192))
    recipe.write("base/5/16385", os.urandom(8192))
    recipe.write("pg_wal/summaries/0000.summary", b"")
    recipe.hornet("keygen", "key")
    recipe.do(tagged)
    for block in (3, 4, 200):
        recipe.write(table, os.urandom(8192), block * 8192)
    printed = recipe.do(changed)
    assert (recipe.folder / "changed").read_text() == "24576 8192\n32768 8192\n1638400 8192\n"
    assert f"\n{3 * 8192} bytes read" in printed
    assert recipe.agrees("--strict")
    gib = 1 << 30
    size = (recipe.folder / "parts").stat().st_size - 2 * 88
    assert size * gib / (257 * 8192) < 4.2 * MIB  # 4 MiB for each GiB, and 0.1 % for tags, and a header


P = (1 << 130) - 5


def value(message, r):
    """Evaluate the polynomial of a message of whole blocks."""
    h = 0
    for i in range(0, len(message), 16):
        h = (h + int.from_bytes(message[i : i + 16] + b"\x01", "little")) * r % P
    return h


@suite("quick", cpu_seconds=20)
def test_incremental_attack(folder):
    """What the page says would happen if old values came from storage does not."""
    rows = dict(re.findall(r"^\| (old|new|other) \| `(.{16})` \|$", PAGE, re.MULTILINE))
    old, new, other = (rows[name].encode() for name in ("old", "new", "other"))
    number = [int.from_bytes(block, "little") for block in (old, new, other)]
    stored = ((number[0] + number[1] - number[2]) % (1 << 128)).to_bytes(16, "little")
    # The naive update, of whoever evaluates what is stored.
    r, before, after = 0x0123456789ABCDEF0FFFFFFC0FFFFFFC, b"A" * 80, b"B" * 160
    updated = value(before + old + after, r) + (value(new, r) - value(stored, r)) * pow(r, len(after) // 16, P)
    assert (updated - value(before + other + after, r)) % P == 0

    recipe = Recipe("A log that only grows", folder)
    place = 2 * MIB + 80
    recipe.write("account", os.urandom(4 * MIB))
    recipe.write("account", old, place)
    recipe.hornet("keygen", "key")
    recipe.hornet("tag", "-k", "key", "--parts", "parts", "-o", "manifest", "account")
    recipe.write("account", stored, place)
    retag = ("retag", "-k", "key", "--parts", "parts", "--file", "account", "--ranges", "ranges", "manifest")
    recipe.write("ranges", f"{place} 16\n".encode())
    recipe.write("account", new, place)
    run(command(), *retag, cwd=recipe.folder)
    assert recipe.agrees()
    recipe.write("account", other, place)
    status, text = recipe.hornet("check", "-k", "key", "manifest")
    assert status == 1 and "account: CHANGED" in text
    # Nor does it verify the old segment by what is stored.
    recipe.write("account", stored, place)
    status, text = recipe.hornet(
        "check", "-k", "key", "--parts", "parts", "--range", f"{place}:16", "manifest", "account"
    )
    assert status == 1 and "account: CHANGED" in text
