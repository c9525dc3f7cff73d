# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Plants the mistakes of a file, one at a time, and finds the test that notices each.

One program contains all mistakes of a file, and a variable chooses one. The tests run in an order in which most
mistakes are noticed soon, then with sanitizers. What none of them notices is compiled alone, to see whether the machine
code differs, and tested for what it leaves on the stack. A test also fails if it takes several times as long as without
a mistake, because then some loop does not end. Mistakes that no variable can choose, in tables, macros and assembly,
are compiled one by one.
"""

import collections
import os
import re
import resource
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copytree

import pytest
from mutants.changes import Mutant, all_of, mutants_of
from mutants.equivalents import BEFORE, CHOICES, CUTS, EQUIVALENTS
from support import ALL_KERNELS, ROOT, WARNINGS, compiled, cpus, kernel_names, library, run, sources_in

from tools.tune import pass_tables

# A debug build also checks the lengths of what must not overlap.
CHECKS = ["-DHORNET_DEBUG", "-DCHECK_ENDS_AT_FAILURE"]
# Mistakes have `true` and `false`, also where a file does not include them.
STANDARD = ["gcc", "-O2", "-std=gnu11", "-include", "stdbool.h", ALL_KERNELS, *CHECKS]
COMPILER = [*STANDARD, "-w"]
# Assembly is not checked.
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DHORNET_NO_ASM"]
LIBRARIES = ["-lgmp", "-lgcrypt", "-lnettle", "-lcrypto", "-Wl,-z,now"]
STACK = "test_stack_wipe --few"
NOT_NOTICED, SAME_CODE, CHOOSES = "NOT NOTICED", "the same code", "only chooses how"
# What refuses a mistake before any test runs.
COMPILES, GENERATES = "the compiler", "the generator"

# The test of CI that runs a program with an option, or without.
IN_CI = {
    "test_aead --huge": "aead-over-4-gib",
    "test_aead --huge-chacha20": "chacha20-over-4-gib",
    "test_poly1305 --huge": "reference-over-4-gib",
    "test_dispatch": "dispatch-gcc",
    "test_overlap": "reference-sanitized",
    "test_ssh --huge": "ssh-4-gib",
    "test_stack_wipe": "stack-wipe-gcc-O2",
    "test_traces": "traces-stepped-gcc",
}


@dataclass(frozen=True)
class Plan:
    """The tests of a file, in their order; with sanitizers; and for values that are cut to 32 bits.

    - sources: those in which the mistakes are; all that contain the file, if there are none.
    - options: the compiler's.
    - cuts: whether values are cut to 32 bits.
    - secrets: whether the file handles secrets, which may remain on the stack.
    """

    plain: list[str]
    sanitized: list[str] = field(default_factory=list)
    huge: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    cuts: bool = True
    secrets: bool = True


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
    FILE *const file = fopen(getenv("HORNET_CUTS"), "w");
    for (int i = 0; i < 1 << 16; i++)
        if (cuts[i])
            fprintf(file, "%d\\n", i);
    fclose(file);
}
"""


FOLDERS = ["src", "include"]
# Tests that contain files of the library, such as its lists of kernels.
WITH_TESTS = [*FOLDERS, "tests/unit", "tests/support", "tests/vectors"]


class Tree:
    """A copy of the library's files, in which one of them is changed."""

    def __init__(self, folder: Path, path: str, sources: list[str], folders: Sequence[str] = FOLDERS) -> None:
        self.folder, self.file, self.sources = folder, folder / "src" / path, sources
        for name in folders:
            copytree(ROOT / name, folder / name)

    def compile(self, text: str, command: list[str]) -> list[Path]:
        self.file.write_text(text)
        return compiled(self.folder / "objects", command, [self.folder / "src" / source for source in self.sources])


def in_src(source: Path) -> str:
    return str(source.relative_to(ROOT / "src"))


def ci_test(test: str, sanitized: bool) -> str:
    """Return the test of CI that runs a program with these arguments."""
    words = test.split()
    if sanitized:
        return "dispatch-sanitized" if words[0] == "test_dispatch" else "reference-sanitized"
    return IN_CI.get(" ".join(words[:2]), IN_CI.get(words[0], "reference-gcc-O2"))


class Programs:
    """Tests, compiled with some options, and the library without a mistake."""

    def __init__(self, folder: Path, options: Sequence[str], checks: Sequence[str] = ("-w", *CHECKS)) -> None:
        """`checks` are options of the library without a mistake."""
        self.folder, self.command = folder, [*COMPILER, *options]
        self.seconds: dict[str, float] = {}
        folder.mkdir()
        (folder / "choice.c").write_text(CHOICE)
        self.others = compiled(folder, COMPILER, [folder / "choice.c", ROOT / "tests/support/reference.c"])
        built = library("gcc", "-O2", *checks, *options)
        self.objects = dict(zip(map(in_src, sources_in(ROOT / "src")), built.objects, strict=True))
        # Each record of a kernel is replaced by one that counts its calls.
        names = kernel_names(["gcc"], tuned=True)
        self.wraps = {"test_dispatch": [f"-Wl,--wrap=hornet_poly1305_kernel_{name}" for name in names]}

    def link(self, test: str, tree: "Tree", objects: Sequence[Path]) -> Path:
        """Return a test program with these objects of a tree."""
        name = test.split()[0]
        own, source = self.folder / f"tests_unit_{name}.c.o", tree.folder / f"tests/unit/{name}.c"
        if source.exists():
            [own] = compiled(tree.folder / "own", self.command, [source])
        elif not own.exists():
            compiled(self.folder, self.command, [f"tests/unit/{name}.c"])
        rest = [file for source, file in self.objects.items() if source not in tree.sources]
        linked = tree.folder / name
        run(*self.command, "-o", linked, own, *objects, *rest, *self.others, *LIBRARIES, *self.wraps.get(name, []))
        return linked

    def measure(self, program: Path, test: str) -> set[int]:
        """Run a test without a mistake. Return the numbers of the values that have more than 32 bits."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        cuts = self.folder / "cuts"
        run(program, *test.split()[1:], env={"HORNET_MUTANT": 0, "HORNET_CUTS": cuts})
        self.seconds[test] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        return set(map(int, cuts.read_text().split()))

    def passes(self, program: Path, test: str, number: int = 0) -> bool:
        """Return whether a test passes with a mistake."""
        most = int(1.5 + 3 * self.seconds[test])

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (most, most))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        done = subprocess.run(
            [program, *test.split()[1:]],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"HORNET_MUTANT": str(number), "HORNET_CUTS": "/dev/null"},
            preexec_fn=limit,
        )
        return done.returncode == 0


def sources_with(path: str) -> list[str]:
    """Return the sources of the library that are or contain a file."""
    found = []
    for source in sources_in(ROOT / "src"):
        named = subprocess.run([*COMPILER, "-MM", source], capture_output=True, text=True, check=True).stdout
        if ROOT / "src" / path in (Path(word).resolve() for word in named.split()[1:]):
            found.append(in_src(source))
    return found


class Sweep:
    """The mistakes of a file, and the tests that notice them."""

    def __init__(self, folder: Path, path: str, tests: Plan, programs: Programs | None = None) -> None:
        """`programs` are those with the plan's options, if they exist already."""
        self.path, self.tests = path, tests
        self.text = (ROOT / "src" / path).read_text()
        self.sources = tests.sources or sources_with(self.target)
        self.mutants = [
            mutant for mutant in self.made() if re.fullmatch(os.environ.get("MUTANTS", ".*"), mutant.function)
        ]
        self.plain = programs or Programs(folder / "plain", tests.options)
        self.free = [Tree(folder / f"tree{i}", self.target, self.sources, self.folders) for i in range(cpus())]
        self.lock = threading.Lock()
        objects = self.free[0].compile(self.in_place(self.text), self.command)
        self.right = [file.read_bytes() for file in objects]
        self.prepare(folder, objects)

    @property
    def folders(self) -> Sequence[str]:
        """Return what a tree has."""
        return FOLDERS

    @property
    def target(self) -> str:
        """Return the path of the library's file that the text makes."""
        return self.path

    @property
    def command(self) -> list[str]:
        """How one mistake is compiled."""
        return self.plain.command

    def in_place(self, text: str) -> str:
        """Return what the file of the library is, for a text that may have a mistake."""
        return text

    def made(self) -> list[Mutant]:
        """Return the mistakes."""
        options = ["-std=c11", ALL_KERNELS, *self.tests.options]
        found = mutants_of(ROOT / "src" / self.path, ROOT / "src" / self.sources[0], options)
        return [mutant for mutant in found if self.tests.cuts or not mutant.cuts]

    def prepare(self, folder: Path, objects: list[Path]) -> None:
        """Make the programs, and run them without a mistake, of which these are the objects."""
        self.steps: list[tuple[Programs, Path, str, set[int]]] = []
        everything = all_of(self.text, self.mutants)
        groups = [(self.plain, [*self.tests.plain, *self.tests.huge])]
        if self.tests.sanitized:
            options = list(dict.fromkeys([*SANITIZERS, *self.tests.options]))
            groups.append((Programs(folder / "sanitized", options), self.tests.sanitized))
        for programs, chosen in groups:
            tree = Tree(folder / f"{programs.folder.name}-tree", self.path, self.sources)
            changed = tree.compile(everything, programs.command)
            linked = {name: programs.link(name, tree, changed) for name in {test.split()[0] for test in chosen}}
            for test in chosen:
                program = linked[test.split()[0]]
                self.steps.append((programs, program, test, programs.measure(program, test)))
        # Without assembly, stack and registers are not cleared.
        self.at_last = [STACK] if self.tests.secrets and "-DHORNET_NO_ASM" not in self.tests.options else []
        for test in self.at_last:
            self.plain.measure(self.plain.link(test, self.free[0], objects), test)

    def outcome(self, number: int, mutant: Mutant) -> str:
        """Return the test that notices a mistake, or why there is none."""
        for programs, program, test, cuts in self.steps:
            runs = number in cuts if mutant.cuts else test not in self.tests.huge
            if runs and not programs.passes(program, test, number):
                return ci_test(test, programs is not self.plain)
        return self.alone(mutant, self.at_last)

    def alone(self, mutant: Mutant, tests: list[str]) -> str:
        """Return the test that notices a mistake when it is compiled alone, or why there is none."""
        with self.lock:
            tree = self.free.pop()
        try:
            objects = tree.compile(self.in_place(mutant.of(self.text)), self.command)
            if [file.read_bytes() for file in objects] == self.right:
                return SAME_CODE
            for test in tests:
                if not self.plain.passes(self.plain.link(test, tree, objects), test):
                    return ci_test(test, False)
            return NOT_NOTICED
        finally:
            with self.lock:
                self.free.append(tree)

    def reported(self, number: int, mutant: Mutant) -> str:
        said = self.outcome(number, mutant)
        print(f"{said}: {self.shown(mutant)}", flush=True)
        return said

    def shown(self, mutant: Mutant) -> str:
        line, changed = mutant.line(self.text)
        return f"src/{self.path}:{line}: {mutant.function}: {changed}"

    def run(self, every: int = 1) -> dict[Mutant, str]:
        """Return the outcome of each mistake, or of every n-th, except in functions that only choose."""
        chosen = [(i, mutant) for i, mutant in enumerate(self.mutants, 1) if mutant.function not in CHOICES]
        chosen = chosen[every // 2 :: every]
        with ThreadPoolExecutor(cpus()) as pool:
            said = list(pool.map(lambda each: self.reported(*each), chosen))
        return {mutant: outcome for (_, mutant), outcome in zip(chosen, said, strict=True)}

    def is_meant(self, mutant: Mutant, change: str) -> bool:
        """Return whether an entry of the list, in the function of a mistake, means this mistake."""
        if change == CUTS:
            return mutant.cuts
        line, _, after = change.partition(BEFORE)
        return line in mutant.lines(self.text) and after in mutant.line_after(self.text)

    def wrongly_listed(self, outcomes: dict[Mutant, str], lost: set[Mutant], whole: bool) -> Iterator[str]:
        """Compare the list with the outcomes, and remove what it contains from `lost`. `whole`: of all mistakes."""
        functions = {mutant.function for mutant in outcomes}
        for function, reason, *changes in EQUIVALENTS.get(self.path, []):
            for change in changes if any(re.fullmatch(function, name) for name in functions) else []:
                listed = [
                    mutant
                    for mutant in outcomes
                    if re.fullmatch(function, mutant.function) and self.is_meant(mutant, change)
                ]
                lost.difference_update(listed)
                if whole and not any(outcomes[mutant] == NOT_NOTICED for mutant in listed):
                    yield f"listed, but there is none: {function}: {change}"
                for mutant in listed:
                    if outcomes[mutant] not in (NOT_NOTICED, SAME_CODE):
                        yield f"listed ({reason}), but {outcomes[mutant]} notices it: {self.shown(mutant)}"


class TableSweep(Sweep):
    """Mistakes that are compiled one by one.

    - derived: the path of the file that is made of the text that has the mistakes, and how.
    - warnings: the compiler's options, with which a warning refuses a mistake.
    - tests_too: whether tests contain the file, too.
    - chooses: whether the file only says how results are computed, or what keeps compilers from slow code: a mistake
      is then right if all tests of results pass.
    """

    def __init__(
        self,
        folder: Path,
        path: str,
        tests: Plan,
        mistakes: Callable[[str], Iterable[Mutant]],
        derived: tuple[str, Callable[[str], str]] | None = None,
        warnings: Sequence[str] = WARNINGS,
        tests_too: bool = False,
        chooses: bool = False,
        programs: Programs | None = None,
    ) -> None:
        self.mistakes, self.derived, self.warnings, self.tests_too = mistakes, derived, warnings, tests_too
        self.unnoticed = CHOOSES if chooses else NOT_NOTICED
        super().__init__(folder, path, tests, programs)

    @property
    def folders(self) -> Sequence[str]:
        return WITH_TESTS if self.tests_too else FOLDERS

    @property
    def target(self) -> str:
        return self.derived[0] if self.derived else self.path

    @property
    def command(self) -> list[str]:
        return [*STANDARD, *self.warnings, *self.tests.options]

    def in_place(self, text: str) -> str:
        return self.derived[1](text) if self.derived else text

    def made(self) -> list[Mutant]:
        return sorted({mutant.of(self.text): mutant for mutant in self.mistakes(self.text)}.values())

    def prepare(self, folder: Path, objects: list[Path]) -> None:
        for test in self.tests.plain:
            self.plain.measure(self.plain.link(test, self.free[0], objects), test)

    def outcome(self, number: int, mutant: Mutant) -> str:
        try:
            said = self.alone(mutant, self.tests.plain)
            return self.unnoticed if said == NOT_NOTICED else said
        except pytest.fail.Exception:
            return COMPILES
        except (ValueError, KeyError, IndexError, pass_tables.Wrong):
            return GENERATES


TITLES = (
    "| mistakes in | possible | planted | refused by | the same code | change no result | only choose | not noticed |"
)


def table_line(name: str, outcomes: dict[Mutant, str], lost: int, possible: int) -> str:
    """Return what became of the mistakes, as a line of a table."""
    counts = collections.Counter(outcomes.values())
    chooses = counts.pop(CHOOSES, 0)
    same, equivalent = counts.pop(SAME_CODE, 0), counts.pop(NOT_NOTICED, 0) - lost
    refused = ", ".join(f"{by} {count}" for by, count in counts.most_common())
    return "| " + " | ".join(map(str, [name, possible, len(outcomes), refused, same, equivalent, chooses, lost])) + " |"
