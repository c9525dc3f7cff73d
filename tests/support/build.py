# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compiles the library and programs. Objects are shared by all tests that compile in the same way."""

import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.commands import ROOT, cpus, execute, run, shown

# The library compiles as C11 without any of these warnings, and programs without those that are common.
WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror".split()
STRICT = "-Wall -Wextra -Werror".split()
ALL_KERNELS, DEFAULT_KERNELS = "-DHORNET_ALL_KERNELS=1", "-DHORNET_ALL_KERNELS=0"
CCACHE = [tool] if (tool := shutil.which("ccache")) else []
os.environ.setdefault("CCACHE_DIR", str(ROOT / "build/ccache"))
if CCACHE:
    # CMake's compilers, and those with which cargo builds C for this machine.
    os.environ.setdefault("CMAKE_C_COMPILER_LAUNCHER", CCACHE[0])
    os.environ.setdefault("HOST_CC", f"{CCACHE[0]} cc")
# cargo's builds for tests are made once, and nothing reads what debuggers do.
os.environ.setdefault("CARGO_INCREMENTAL", "0")
os.environ.setdefault("CARGO_PROFILE_DEV_DEBUG", "0")


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


def once(name: str, build: Callable[[Path], object]) -> Path:
    """Return the folder build/once/NAME, which `build` fills when the first test of a run asks for it."""
    folder = ROOT / "build/once" / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    # pytest-xdist gives all its processes one name for the run.
    this_run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"process {os.getpid()}")
    with folder.with_name(f"{name}.run").open("a+") as built:
        fcntl.flock(built, fcntl.LOCK_EX)
        built.seek(0)
        if built.read() != this_run:
            built.truncate(0)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            build(folder)
            built.write(this_run)
    return folder


def library(*command: object, sources: Sequence[Path] = ()) -> Library:
    """Compile the library, or other sources, with a compiler and its options: once in a run for all tests.

    All kernels are built, or with DEFAULT_KERNELS those of a default build.
    """
    words = [str(word) for word in command]
    if DEFAULT_KERNELS not in words:
        words.append(ALL_KERNELS)
    sources = list(sources) or sources_in(ROOT / "src")
    key = hashlib.sha256("\0".join([*words, *map(str, sources)]).encode()).hexdigest()[:8]
    name = "".join(re.findall(r"[\w-]", "".join(words)))[:60]
    folder = once(f"objects-{name}-{key}", lambda folder: compiled(folder, [*words, "-std=c11", *WARNINGS], sources))
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
