# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compiles the library and programs. Objects are shared by all tests that compile in the same way."""

import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.commands import ROOT, cpus, execute, run, shown

# The library compiles as C11 without any of these warnings, and programs without those that are common.
WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror".split()
STRICT = "-Wall -Wextra -Werror".split()
CCACHE = [tool] if (tool := shutil.which("ccache")) else []
os.environ.setdefault("CCACHE_DIR", str(ROOT / "build/ccache"))


@dataclass(frozen=True)
class Library:
    """Objects, and the compiler with the options by which they are compiled."""

    command: list[str]
    objects: list[Path]

    def without(self, kernel: str) -> list[Path]:
        """Return the objects except that of a Poly1305 kernel."""
        rest = [file for file in self.objects if not file.name.endswith(f"_poly1305_kernels_{kernel}.c.o")]
        assert len(rest) == len(self.objects) - 1, f"one object of {kernel}"
        return rest


def sources_in(folder: Path) -> list[Path]:
    """Return the C files below a folder."""
    return sorted(folder.rglob("*.c"))


def object_of(folder: Path, source: Path) -> Path:
    """Return the path of the object of a source. Kernels of several primitives share names, so it has the whole path."""
    name = str(source.relative_to(ROOT) if source.is_relative_to(ROOT) else source).replace("/", "_")
    return folder / f"{name}.o"


def compiled(folder: Path, command: Sequence[object], sources: Iterable[str | Path]) -> list[Path]:
    """Compile each source to an object in the folder, as many at a time as there are CPUs."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [ROOT / source for source in sources]
    print("$", *command, "-c", *(paths if len(paths) < 4 else [f"[{len(paths)} files]"]), flush=True)

    def compile_one(path: Path) -> Path:
        words = [*CCACHE, *command, "-c", "-o", object_of(folder, path), path]
        status, _ = execute(words)
        if status != 0:
            pytest.fail(f"{shown(words)}: exit status {status}")
        return object_of(folder, path)

    with ThreadPoolExecutor(cpus()) as pool:
        return list(pool.map(compile_one, paths))


def library(*command: object, sources: Sequence[Path] = ()) -> Library:
    """Compile the library, or other sources, with a compiler and its options: once in a run for all tests."""
    words = [str(word) for word in command]
    sources = list(sources) or sources_in(ROOT / "src")
    key = hashlib.sha256("\0".join([*words, *map(str, sources)]).encode()).hexdigest()[:8]
    name = "".join(re.findall(r"[\w-]", "".join(words)))[:60]
    folder = ROOT / "build/objects" / f"{name}-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    # pytest-xdist gives all its processes one name for the run.
    this_run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"process {os.getpid()}")
    built = folder / "run"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists() or built.read_text() != this_run:
            built.unlink(missing_ok=True)
            compiled(folder, [*words, "-std=c11", *WARNINGS], sources)
            built.write_text(this_run)
    return Library(words, [object_of(folder, source) for source in sources])


def program(
    path: Path,
    built: Library | Sequence[object],
    *sources: str | Path,
    objects: Sequence[Path] | None = None,
    options: Sequence[object] = STRICT,
    link: Sequence[object] = (),
) -> Path:
    """Compile sources with these options, and link them with a library or with the given objects.

    `built` may be a compiler and its options, to link only the sources and the given objects.
    """
    command = built.command if isinstance(built, Library) else list(built)
    if objects is None:
        objects = built.objects if isinstance(built, Library) else []
    own = compiled(path.parent / f"{path.name}.objects", [*command, *options], sources)
    run(*command, "-o", path, *own, *objects, *link)
    return path
