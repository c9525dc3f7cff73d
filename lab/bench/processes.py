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
from collections.abc import Callable
from pathlib import Path

from lab.report import results

from .peers import BENCH, BUILD, Missing, execute

B3SUM = BUILD / "bin/b3sum"
READER = BUILD / "reader"
KEY = bytes(range(32)).hex()
# The number of files in the loop over `openssl mac`, which starts a process for each.
LOOP_FILES = 300
FILE_BYTES = 1024


def hyperfine(commands: list[str], folder: Path) -> list[float]:
    """Run each command once, and return their times in seconds."""
    out = folder / "hyperfine.json"
    options = ["--shell=none", "--style=none", "--runs=1", "--export-json", str(out)]
    subprocess.run(["hyperfine", *options, *commands], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return [command["times"][0] for command in json.loads(out.read_text())["results"]]


def measured(commands: dict[str, tuple[str, float]], folder: Path, rounds: int) -> list[dict]:
    """Measure commands, each a name, a command line and a factor for its time, and return columns. Each runs once
    beforehand, which brings the files into the page cache. Ratios are to the first."""
    lines = [line for line, _ in commands.values()]
    hyperfine(lines, folder)
    samples = []
    for first in range(rounds):
        at = first % len(lines)
        times = hyperfine(lines[at:] + lines[:at], folder)
        rotated = times[len(lines) - at :] + times[: len(lines) - at]
        samples.append([time * 1e9 * factor for time, (_, factor) in zip(rotated, commands.values())])
    return [
        {
            "name": name,
            "ns": {"samples": [[results.rounded(times[i]) for times in samples]]},
            "ratio": {"samples": [[results.rounded(times[i] / times[0]) for times in samples]]},
        }
        for i, name in enumerate(commands)
    ]


def in_shell(script: str) -> tuple[str, float]:
    return shlex.join(["sh", "-c", script]), 1


def available_memory(meminfo: str) -> int:
    """Return the bytes that are available without swapping, including the page cache."""
    lines = (line.split() for line in meminfo.splitlines())
    return next((int(words[1]) << 10 for words in lines if words[:1] == ["MemAvailable:"]), 0)


def of_file(hornet: str, folder: Path, small: bool) -> tuple[dict, dict]:
    """`hornet tag` of one huge file, with all cores."""
    size = 40 << 20 if small else 4 << 30
    if available_memory(Path("/proc/meminfo").read_text()) < size * 5 // 4:
        raise Missing("not enough memory for the page cache")
    if shutil.disk_usage(folder).free < size * 5 // 4:
        raise Missing("not enough free space on the disk")
    noise = random.Random(4)
    with (folder / "file").open("wb") as file:
        for _ in range(size >> 20):
            file.write(noise.randbytes(1 << 20))
        os.fsync(file)  # otherwise, the system would write it during the measurement
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
    return {"variant": f"{size >> 20} MiB", "axis": "bytes", "xs": [size], "notes": notes}, commands


def of_tree(hornet: str, folder: Path, small: bool) -> tuple[dict, dict]:
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
    return {"variant": variant, "axis": "files", "xs": [len(paths)], "notes": notes}, commands


GROUPS: dict[str, Callable[[str, Path, bool], tuple[dict, dict]]] = {"file": of_file, "tree": of_tree}


def measure(group: str, hornet: Path, rounds: int, small: bool) -> dict:
    """Return the series of a group, without columns if it cannot be measured."""
    base = {"section": "best", "group": group}
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
            form, commands = GROUPS[group](program, folder, small)
        except Missing as why:
            return base | {"variant": "left out", "axis": "", "xs": [], "columns": [], "notes": [f"Left out: {why}."]}
        for absent in (name for name, is_there in available().items() if not is_there):
            commands = {command: line for command, line in commands.items() if absent not in command}
            form["notes"].append(f"Left out: {absent}, which is not installed.")
        form["variant"] += f", {len(os.sched_getaffinity(0))} cores"
        form["notes"].append(f"Medians over {rounds} rounds.")
        return base | form | {"columns": measured(commands, folder, rounds)}


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
