# SPDX-License-Identifier: Apache-2.0 OR MIT
"""C tests notice small mistakes in comparisons, lengths and loops: each is planted, and a test must fail.

changes.py makes the mistakes, and equivalents.py lists those that change no result. One library contains all mistakes
of a file, and a variable chooses one. What no test notices there is compiled alone, to see whether the machine code
differs, and is then also given to the tests that look at the stack. A test that runs for much longer than on the
right code has failed, because some loop does not end.
"""

import collections
import os
import re
import resource
import shutil
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutants.changes import Mutant, all_of, mutants_of
from support import ALL_KERNELS, ROOT, compiled, cpus, output, row, rows, run, sources_in

# A debug build also checks the lengths of what must not overlap.
COMPILER = ["gcc", "-O2", "-std=c11", "-w", ALL_KERNELS, "-DHORNET_DEBUG"]
LIBRARIES = ["-lgmp", "-lgcrypt", "-lnettle", "-lcrypto", "-Wl,-z,now"]
# Tests in the order in which they run: those that notice most in little time come first.
AEAD = ["test_aead --few", "test_overlap", "test_aead"]
POLY1305 = ["test_poly1305 --batches", "test_poly1305_aes", "test_poly1305 --if-supported avx2 ifma", "test_aead --few"]
COMPARISON = ["test_aead --few", "test_aead", "test_poly1305 --batches"]
# For lengths that are cut to 32 bits, and for what is left on the stack.
HUGE = {"aead": "test_aead --huge", "poly1305": "test_poly1305 --huge avx2", "core": "test_aead --huge"}
STACK = "test_stack_wipe --few"
# Chooses a mutant, and lists those that would cut a value of more than 32 bits.
CHOICE = """
#include <stdio.h>
#include <stdlib.h>
int hornet_mutant;
static unsigned char cuts[1 << 16];
unsigned long hornet_cut(int number, unsigned long value)
{
    cuts[number] |= value >> 32 != 0;
    return number == hornet_mutant ? (unsigned)value : value;
}
__attribute__((constructor)) static void choose(void) { hornet_mutant = atoi(getenv("HORNET_MUTANT")); }
__attribute__((destructor)) static void list(void)
{
    FILE *file = getenv("HORNET_CUTS") != NULL ? fopen(getenv("HORNET_CUTS"), "w") : NULL;
    for (int i = 0; file != NULL && i < 1 << 16; i++)
        if (cuts[i])
            fprintf(file, "%d\\n", i);
    if (file != NULL)
        fclose(file);
}
"""


class Programs:
    """The tests, which end at the first failure, and the library without the sources that change."""

    def __init__(self, folder: Path, changing: list[Path], tests: list[str]) -> None:
        self.folder, self.tests = folder, tests
        (folder / "choice.c").write_text(CHOICE)
        shared = [folder / "choice.c", ROOT / "tests/support/reference.c"]
        shared += [source for source in sources_in(ROOT / "src") if source not in changing]
        run("ld", "-r", "-o", folder / "rest.o", *compiled(folder / "rest", COMPILER, shared))
        names = sorted({test.split()[0] for test in tests})
        options = [*COMPILER, "-std=gnu11", "-DCHECK_ENDS_AT_FAILURE"]
        objects = compiled(folder / "programs", options, [f"tests/unit/{name}.c" for name in names])
        self.objects = dict(zip(names, objects, strict=True))
        self.seconds: dict[str, float] = {}

    def linked(self, folder: Path, test: str, objects: Sequence[Path]) -> Path:
        """Return a test program with these objects."""
        name = test.split()[0]
        path = folder / name
        if not path.exists():
            words = ["gcc", "-o", path, self.objects[name], *objects, self.folder / "rest.o", *LIBRARIES]
            subprocess.run(words, check=True)
        return path

    def measure(self, folder: Path, objects: Sequence[Path]) -> None:
        """Run the tests on the right code."""
        for test in self.tests:
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            run(self.linked(folder, test, objects), *test.split()[1:], env={"HORNET_MUTANT": 0})
            self.seconds[test] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def passes(self, folder: Path, test: str, objects: Sequence[Path], number: int) -> bool:
        most = int(1.5 + 3 * self.seconds[test])

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (most, most))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        return (
            subprocess.run(
                [self.linked(folder, test, objects), *test.split()[1:]],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"HORNET_MUTANT": str(number)},
                preexec_fn=limit,
            ).returncode
            == 0
        )


class Tree:
    """A copy of the library's files, in which one of them is changed."""

    def __init__(self, folder: Path, path: str, sources: list[str]) -> None:
        self.file = folder / "src" / path
        self.folder, self.sources = folder, [folder / "src" / source for source in sources]
        for name in ("src", "include"):
            shutil.copytree(ROOT / name, folder / name)
        self.text = self.file.read_text()

    def compile(self, text: str) -> list[Path]:
        self.file.write_text(text)
        return compiled(self.folder / "objects", COMPILER, self.sources)


def includers(path: str) -> list[str]:
    """Return the sources of the library that contain a file."""
    found = []
    for source in sources_in(ROOT / "src"):
        named = output(*COMPILER, "-MM", source).replace("\\\n", " ").split()
        if ROOT / "src" / path in [Path(word).resolve() for word in named[1:]]:
            found.append(str(source.relative_to(ROOT / "src")))
    return found


def survivors(folder: Path, path: str, mutants: list[Mutant], tests: list[str]) -> list[Mutant]:
    """Return the mutants that no test notices."""
    sources = includers(path)
    programs = Programs(
        folder, [ROOT / "src" / source for source in sources], [*tests, HUGE[path.split("/")[0]], STACK]
    )
    count = max(1, cpus())
    trees = [Tree(folder / f"tree{i}", path, sources) for i in range(count)]
    text = trees[0].text
    right = [file.read_bytes() for file in trees[0].compile(text)]
    programs.measure(trees[0].folder, trees[0].compile(text))
    together = Tree(folder / "together", path, sources)
    objects = together.compile(all_of(text, mutants))
    huge = HUGE[path.split("/")[0]]
    cut: dict[str, set[int]] = {}
    for test in [*tests, huge]:
        program = programs.linked(together.folder, test, objects)
        run(program, *test.split()[1:], env={"HORNET_MUTANT": 0, "HORNET_CUTS": folder / "cuts"})
        cut[test] = set(map(int, (folder / "cuts").read_text().split()))

    def outcome(number: int, mutant: Mutant) -> str:
        for test in [test for test in cut if number in cut[test]] if mutant.cuts else tests:
            if not programs.passes(together.folder, test, objects, number):
                return test
        with lock:
            tree = trees.pop()
        try:
            built = tree.compile(mutant.of(text))
            if [file.read_bytes() for file in built] == right:
                return "the same code"
            tree.folder.joinpath(STACK.split()[0]).unlink(missing_ok=True)
            return "NOT NOTICED" if programs.passes(tree.folder, STACK, built, 0) else STACK
        finally:
            with lock:
                trees.append(tree)

    def reported(number: int, mutant: Mutant) -> str:
        said = outcome(number, mutant)
        line, changed = mutant.line(text)
        print(f"{said}: {path}:{line}: {mutant.function}: {changed}", flush=True)
        return said

    lock = threading.Lock()
    with ThreadPoolExecutor(count) as pool:
        outcomes = list(pool.map(reported, range(1, len(mutants) + 1), mutants))
    print(collections.Counter(outcomes))
    return [mutant for mutant, said in zip(mutants, outcomes, strict=True) if said == "NOT NOTICED"]


@rows(
    "path, source, tests",
    row(
        "mutants-constant-time", "core/constant_time.h", "aead/pieces.c", COMPARISON, suites="release", cpu_seconds=300
    ),
    row("mutants-poly1305-batch", "poly1305/batch.c", "poly1305/batch.c", POLY1305, suites="release", cpu_seconds=900),
    row("mutants-aead-header", "aead/aead.h", "aead/pieces.c", AEAD, suites="release", cpu_seconds=300),
    row("mutants-aead-batch", "aead/batch.c", "aead/batch.c", AEAD, suites="release", cpu_seconds=900),
    row(
        "mutants-aead-call",
        "aead/chacha20_poly1305.c",
        "aead/chacha20_poly1305.c",
        AEAD,
        suites="release",
        cpu_seconds=900,
    ),
    row("mutants-aead-pieces", "aead/pieces.c", "aead/pieces.c", AEAD, suites="release", cpu_seconds=900),
)
def test_mutants(path, source, tests, folder):
    mutants = mutants_of(ROOT / "src" / path, ROOT / "src" / source, ["-std=c11", ALL_KERNELS])
    mutants = [
        m
        for m in mutants
        if m.function not in ("gains", "divided_up") and re.fullmatch(os.environ.get("MUTANTS", ".*"), m.function)
    ]
    survivors(folder, path, mutants, tests)
