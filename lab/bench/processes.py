# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures whole processes with hyperfine: the `hornet` command and others on the same files, in the page cache.

In each round, hyperfine runs every command once, in an order that rotates; only runs of the same round are compared.
"""

import json
import os
import random
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from lab.report import results

from .peers import BENCH, BUILD, Missing, execute

B3SUM = BUILD / "bin/b3sum"
READER = BUILD / "reader"
KEY = bytes(range(32)).hex()
# The number of files in the loop over `openssl mac`, which starts a process for each.
LOOP_FILES = 300
FILE_BYTES = 1024


def hyperfine(commands: list[str], folder: Path, prepare: str | None = None) -> list[tuple[float, float]]:
    """Run each command once, each after what prepares it, and return their times in seconds, and those of the CPUs."""
    out = folder / "hyperfine.json"
    options = ["--shell=none", "--style=none", "--runs=1", "--export-json", str(out)]
    options += ["--prepare", prepare] if prepare else []
    subprocess.run(["hyperfine", *options, *commands], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    found = json.loads(out.read_text())["results"]
    return [(command["times"][0], command["user"] + command["system"]) for command in found]


def measured(
    commands: dict[str, tuple[str, float]], folder: Path, rounds: int, prepare: str | None = None
) -> list[dict]:
    """Measure commands, each a name, a command line and a factor for its time, and return columns. Each runs once
    beforehand, which brings the files into the page cache. Ratios are to the first."""
    lines = [line for line, _ in commands.values()]
    hyperfine(lines, folder, prepare)
    samples = []
    for first in range(rounds):
        at = first % len(lines)
        times = hyperfine(lines[at:] + lines[:at], folder, prepare)
        rotated = times[len(lines) - at :] + times[: len(lines) - at]
        factors = [factor for _, factor in commands.values()]
        samples.append([(wall * 1e9 * by, cpu * 1e9 * by) for (wall, cpu), by in zip(rotated, factors, strict=True)])

    def column(name: str, i: int) -> dict:
        of = {"ns": lambda times: times[i][0], "cpu": lambda times: times[i][1]}
        of["ratio"] = lambda times: times[i][0] / times[0][0]
        found = {what: [[results.rounded(value(times)) for times in samples]] for what, value in of.items()}
        return {"name": name, **{what: {"samples": of_rounds} for what, of_rounds in found.items()}}

    return [column(name, i) for i, name in enumerate(commands)]


def in_shell(script: str) -> tuple[str, float]:
    return shlex.join(["sh", "-c", script]), 1


def available_memory(meminfo: str) -> int:
    """Return the bytes that are available without swapping, including the page cache."""
    lines = (line.split() for line in meminfo.splitlines())
    return next((int(words[1]) << 10 for words in lines if words[:1] == ["MemAvailable:"]), 0)


def fill(file: Path, size: int, at: tuple[int, ...] = (0,)) -> None:
    """Write noise to a file: this many bytes at each of these places, with holes between them."""
    with file.open("wb") as out:
        noise = random.Random(4)
        for place in at:
            out.seek(place)
            for _ in range(size >> 20):
                out.write(noise.randbytes(1 << 20))
        os.fsync(out)  # otherwise, the system would write it during the measurement


def check_room(folder: Path, size: int) -> None:
    """Check that a file of this size can be written, and stays in memory."""
    if available_memory(Path("/proc/meminfo").read_text()) < size * 5 // 4:
        raise Missing("not enough memory for the page cache")
    if shutil.disk_usage(folder).free < size * 5 // 4:
        raise Missing("not enough free space on the disk")


def of_file(hornet: str, folder: Path, small: bool) -> Iterator[tuple[dict, dict]]:
    """`hornet tag` of one huge file, with all cores."""
    size = 40 << 20 if small else 4 << 30
    check_room(folder, size)
    fill(folder / "file", size)
    tag = f"{hornet} tag -k key"
    execute(["gcc", "-O3", "-fopenmp", "-o", READER, BENCH / "reader.c"], BENCH)
    commands = {
        "hornet tag": (f"{tag} file", 1),
        "reader": (f"{shlex.quote(str(READER))} file", 1),
        "hornet tag --no-mmap": (f"{tag} --no-mmap file", 1),
        "b3sum": (f"{shlex.quote(str(B3SUM))} file", 1),
        "cat": in_shell("cat file > /dev/null"),
    }
    notes = [
        "In the page cache. The reader is a process of the bench that maps the file and sums its words with as many threads."
    ]
    yield {"variant": f"{size >> 20} MiB", "axis": "bytes", "xs": [size], "notes": notes}, commands


def of_tree(hornet: str, folder: Path, small: bool) -> Iterator[tuple[dict, dict]]:
    """`hornet tag` of many small files."""
    folders, files = (3, 100) if small else (100, 1000)
    if shutil.disk_usage(folder).free < folders * files * 3 * 4096:  # a block for each file, and the metadata
        raise Missing("not enough free space on the disk")
    noise = random.Random(5)
    paths = [f"{i}/{k}" for i in range(folders) for k in range(files)]
    for i in range(folders):
        (folder / "tree" / str(i)).mkdir(parents=True)
    for path in paths:
        (folder / "tree" / path).write_bytes(noise.randbytes(FILE_BYTES))
    (folder / "list").write_text("".join(f"{path}\0" for path in paths))
    (folder / "some").write_text("".join(f"{path}\0" for path in paths[:LOOP_FILES]))
    os.sync()
    tag = f"{hornet} tag -k key"
    subprocess.run([*shlex.split(tag), "-o", "manifest", "tree"], cwd=folder, check=True, capture_output=True)
    some = min(LOOP_FILES, len(paths))
    cores = len(os.sched_getaffinity(0))
    b3sum = shlex.quote(str(B3SUM))
    loop = f'for f; do openssl mac -macopt hexkey:{KEY} -in "$f" Poly1305 || exit; done'
    commands = {
        "hornet tag": (f"{tag} tree", 1),
        "hornet tag --threads 1": (f"{tag} --threads 1 tree", 1),
        "hornet check": (f"{hornet} check -k key manifest", 1),
        "b3sum": in_shell(f"cd tree && xargs -0 -s 1500000 {b3sum} < ../list"),
        "b3sum, a process for each core": in_shell(
            f"cd tree && xargs -0 -s 1500000 -P {cores} -n {-(-len(paths) // cores)} {b3sum} < ../list"
        ),
        "loop over openssl mac": (
            in_shell(f"cd tree && xargs -0 sh -c {shlex.quote(loop)} sh < ../some")[0],
            len(paths) / some,
        ),
        "xargs sha256sum": in_shell("cd tree && xargs -0 sha256sum < ../list"),
    }
    notes = [
        "In the page cache, on one disk. b3sum gets the paths from xargs.",
        'The loop is `for f; do openssl mac -macopt hexkey:KEY -in "$f" Poly1305; done` over '
        f"{some} of the files, with its time scaled to all of them.",
    ]
    variant = f"{len(paths)} files of {FILE_BYTES} bytes in {folders} folders"
    yield {"variant": variant, "axis": "files", "xs": [len(paths)], "notes": notes}, commands


EXTENTS, PAGES, PAGE_BYTES = 3, 5, 4096


def of_changes(hornet: str, folder: Path, small: bool) -> Iterator[tuple[dict, dict]]:
    """Tags and checks that read only a part of a file, and others that read all of it."""
    b3sum, tag = shlex.quote(str(B3SUM)), f"{hornet} tag -k key"
    readers = {
        "b3sum": (f"{b3sum} file", 1),
        "openssl dgst -sha256": ("openssl dgst -sha256 file", 1),
        "sha256sum": ("sha256sum file", 1),
    }

    def form(size: int, what: str, notes: list[str]) -> dict:
        return {"variant": f"{size_text(size)}, {what}", "axis": "bytes", "xs": [size], "notes": notes}

    extent = 1 << 20 if small else 8 << 20
    size = 64 << 20 if small else 8 << 30
    data = f"of which {size_text(EXTENTS * extent)} are data, in {EXTENTS} extents"
    check_room(folder, size)  # for the zeros of the holes, which are in the page cache when they were read
    for whole in (size, 1 << 40):
        fill(folder / "file", extent, tuple(i * (whole - extent) // (EXTENTS - 1) for i in range(EXTENTS)))
        commands = {"hornet tag": (f"{tag} file", 1)}
        if whole == size:
            yield (
                form(whole, data, ["Sparse, in the page cache."]),
                (commands | {"hornet tag --no-holes": (f"{tag} --no-holes file", 1)} | readers),
            )
        else:
            yield form(whole, data, ["Sparse. Not read by others, which would read all of it."]), commands

    size = 40 << 20 if small else 8 << 30
    fill(folder / "file", size)
    # The pages are in as many segments, and another segment is checked.
    places = [(2 * i + 1) * size // (2 * PAGES) // PAGE_BYTES for i in range(PAGES)]
    (folder / "ranges").write_text("".join(f"{place * PAGE_BYTES} {PAGE_BYTES}\n" for place in places))
    kept = "--parts parts -o manifest"
    subprocess.run([*shlex.split(f"{tag} {kept}"), "file"], cwd=folder, check=True, capture_output=True)
    commands = {
        "hornet tag": (f"{tag} file", 1),
        "hornet tag --parts": (f"{tag} --parts all.parts -o all --force file", 1),
        f"hornet retag --ranges, {PAGES} pages": (
            f"{hornet} retag -k key --parts parts --ranges ranges --file file manifest",
            1,
        ),
        "hornet check --range": (
            f"{hornet} check -k key --parts parts --range {size // 4}:{PAGE_BYTES} manifest file",
            1,
        ),
    }
    notes = [
        f"In the page cache. Before each run, {PAGES} pages of {PAGE_BYTES} bytes are overwritten; retag is told "
        f"which, and replaces the manifest and its parts, which are then on the disk. check verifies {PAGE_BYTES} bytes. "
        "Segments have 1 MiB. All others read the whole file.",
    ]
    write = "for at in " + " ".join(map(str, places))
    write += f"; do dd if=/dev/urandom of=file bs={PAGE_BYTES} seek=$at count=1 conv=notrunc status=none; done"
    changing = {"prepare": in_shell(write)[0]}
    yield form(size, "changed in part", notes) | changing, commands | readers


GROUPS: dict[str, Callable[[str, Path, bool], Iterator[tuple[dict, dict]]]] = {
    "file": of_file,
    "tree": of_tree,
    "incremental": of_changes,
}


def size_text(size: int) -> str:
    """Format a number of bytes, such as 24 MiB."""
    power = (size.bit_length() - 1) // 10
    return f"{size / (1 << 10 * power):g} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB')[power]}"


def measure(group: str, hornet: Path, rounds: int, small: bool) -> list[dict]:
    """Return the series of a group; one without columns says why others cannot be measured."""
    base = {"section": "best", "group": group}
    found: list[dict] = []
    parent = BUILD / "scratch"
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=parent) as name:
        folder = Path(name)
        try:
            if not hornet.exists():
                raise Missing(f"there is no {hornet.name}: run make")
            if shutil.which("hyperfine") is None:
                raise Missing("hyperfine is not installed")
            program = shlex.quote(str(hornet.resolve()))
            subprocess.run([hornet.resolve(), "keygen", "key"], cwd=folder, check=True, capture_output=True)
            for form, commands in GROUPS[group](program, folder, small):
                prepare = form.pop("prepare", None)
                for absent in (name for name, is_there in available().items() if not is_there):
                    commands = {command: line for command, line in commands.items() if absent not in command}
                    form["notes"].append(f"Left out: {absent}, which is not installed.")
                form["variant"] += f", {len(os.sched_getaffinity(0))} cores"
                form["notes"].append(f"Medians over {rounds} rounds.")
                found.append(base | form | {"columns": measured(commands, folder, rounds, prepare)})
        except Missing as why:
            notes = [f"Left out: {why}."]
            found.append(base | {"variant": "left out", "axis": "", "xs": [], "columns": [], "notes": notes})
    return found


def available() -> dict[str, bool]:
    return {"b3sum": B3SUM.exists(), "openssl": shutil.which("openssl") is not None}


def versions() -> dict[str, str]:
    """Return the versions of the commands and of the system."""
    found = {}
    for program, argument in ((B3SUM, "--version"), ("openssl", "version"), ("sha256sum", "--version")):
        try:
            text = subprocess.run([program, argument], capture_output=True, text=True, check=False).stdout
            found[f"{results.COMMAND}{Path(program).name}"] = text.splitlines()[0]
        except (OSError, IndexError):
            continue
    return found | {f"{results.COMMAND}system: Linux": os.uname().release}
