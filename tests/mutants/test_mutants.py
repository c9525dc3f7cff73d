# SPDX-License-Identifier: Apache-2.0 OR MIT
"""C tests notice small mistakes in comparisons, lengths and loops: each is planted, and some test must fail.

changes.py makes the mistakes; equivalents.py lists those that change no result, and must list no other. One program
contains all mistakes of a file, and a variable chooses one. The tests run in an order in which most mistakes are
noticed soon, then with sanitizers. What none of them notices is compiled alone, to see whether the machine code
differs, and tested for what it leaves on the stack. A test also fails if it takes several times as long as without a
mistake, because then some loop does not end.
"""

import collections
import os
import re
import resource
import subprocess
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree

from mutants.changes import Mutant, all_of, mutants_of
from mutants.equivalents import CHOICES, CUTS, EQUIVALENTS
from support import ALL_KERNELS, ROOT, compiled, cpus, row, rows, run, sources_in, suite

# A debug build also checks the lengths of what must not overlap.
COMPILER = ["gcc", "-O2", "-std=gnu11", "-w", ALL_KERNELS, "-DHORNET_DEBUG", "-DCHECK_ENDS_AT_FAILURE"]
# Assembly is not checked.
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DHORNET_NO_ASM"]
LIBRARIES = ["-lgmp", "-lgcrypt", "-lnettle", "-lcrypto", "-Wl,-z,now"]
STACK = "test_stack_wipe --few"
NOT_NOTICED, SAME_CODE = "NOT NOTICED", "the same code"


@dataclass(frozen=True)
class Plan:
    """The tests of a file, in their order; with sanitizers; and for values that are cut to 32 bits."""

    plain: list[str]
    sanitized: list[str]
    huge: str


AEAD = Plan(["test_aead --few", "test_overlap", "test_aead"], ["test_aead --few"], "test_aead --huge")
POLY1305 = Plan(
    ["test_poly1305 --batches", "test_poly1305_aes", "test_aead --few"],
    ["test_poly1305 --batches avx2"],
    "test_poly1305 --huge avx2",
)
COMPARISON = Plan(["test_aead --few", "test_aead", "test_poly1305 --batches"], ["test_aead --few"], "test_aead --huge")

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


class Tree:
    """A copy of the library's files, in which one of them is changed."""

    def __init__(self, folder: Path, path: str, sources: list[str]) -> None:
        self.folder, self.file = folder, folder / "src" / path
        self.sources = [folder / "src" / source for source in sources]
        for name in ("src", "include"):
            copytree(ROOT / name, folder / name)

    def compile(self, text: str, command: list[str] = COMPILER) -> list[Path]:
        self.file.write_text(text)
        return compiled(self.folder / "objects", command, self.sources)


class Programs:
    """Tests, compiled with some options and linked with the library, of which a tree has the sources that change."""

    def __init__(self, folder: Path, options: list[str], sources: list[str]) -> None:
        self.folder, self.command = folder, [*COMPILER, *options]
        self.seconds: dict[str, float] = {}
        folder.mkdir()
        (folder / "choice.c").write_text(CHOICE)
        rest = [source for source in sources_in(ROOT / "src") if str(source.relative_to(ROOT / "src")) not in sources]
        same = [*compiled(folder, COMPILER, [folder / "choice.c"]), *compiled(folder, self.command, rest)]
        same += compiled(folder, COMPILER, ["tests/support/reference.c"])
        run("ld", "-r", "-o", folder / "rest.o", *same)

    def link(self, test: str, folder: Path, objects: Sequence[Path]) -> Path:
        """Return a test program with these objects of the sources that change."""
        name = test.split()[0]
        own = compiled(self.folder, self.command, [f"tests/unit/{name}.c"])
        run(*self.command, "-o", folder / name, *own, *objects, self.folder / "rest.o", *LIBRARIES)
        return folder / name

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
            found.append(str(source.relative_to(ROOT / "src")))
    return found


class Sweep:
    """The mutants of a file, and the programs that test them."""

    def __init__(self, folder: Path, path: str, tests: Plan) -> None:
        self.path = path
        self.text = (ROOT / "src" / path).read_text()
        sources = sources_with(path)
        self.mutants = [
            mutant
            for mutant in mutants_of(ROOT / "src" / path, ROOT / "src" / sources[0], ["-std=c11", ALL_KERNELS])
            if re.fullmatch(os.environ.get("MUTANTS", ".*"), mutant.function)
        ]
        self.plain = Programs(folder / "plain", [], sources)
        self.steps: list[tuple[Programs, Path, str, set[int]]] = []
        everything = all_of(self.text, self.mutants)
        for programs, chosen in (
            (self.plain, [*tests.plain, tests.huge]),
            (Programs(folder / "sanitized", SANITIZERS, sources), tests.sanitized),
        ):
            tree = Tree(folder / f"{programs.folder.name}-tree", path, sources)
            objects = tree.compile(everything, programs.command)
            linked = {name: programs.link(name, tree.folder, objects) for name in {test.split()[0] for test in chosen}}
            for test in chosen:
                program = linked[test.split()[0]]
                self.steps.append((programs, program, test, programs.measure(program, test)))
        self.huge = tests.huge
        self.free = [Tree(folder / f"tree{i}", path, sources) for i in range(cpus())]
        self.right = [file.read_bytes() for file in self.free[0].compile(self.text)]
        program = self.plain.link(STACK, folder, self.free[0].compile(self.text))
        self.plain.measure(program, STACK)
        self.lock = threading.Lock()

    def outcome(self, number: int, mutant: Mutant) -> str:
        """Return the test that notices a mutant, or why there is none."""
        for programs, program, test, cuts in self.steps:
            runs = number in cuts if mutant.cuts else test != self.huge
            if runs and not programs.passes(program, test, number):
                return f"{test}, with sanitizers" if programs is not self.plain else test
        with self.lock:
            tree = self.free.pop()
        try:
            objects = tree.compile(mutant.of(self.text))
            if [file.read_bytes() for file in objects] == self.right:
                return SAME_CODE
            return NOT_NOTICED if self.plain.passes(self.plain.link(STACK, tree.folder, objects), STACK) else STACK
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

    def run(self) -> dict[Mutant, str]:
        """Return the outcome of each mutant, except in functions that only choose."""
        chosen = [(i, mutant) for i, mutant in enumerate(self.mutants, 1) if mutant.function not in CHOICES]
        with ThreadPoolExecutor(cpus()) as pool:
            said = list(pool.map(lambda each: self.reported(*each), chosen))
        return {mutant: outcome for (_, mutant), outcome in zip(chosen, said, strict=True)}

    def wrongly_listed(self, outcomes: dict[Mutant, str], lost: set[Mutant]) -> Iterator[str]:
        """Compare the list with the outcomes, and remove what it contains from `lost`."""
        functions = {mutant.function for mutant in outcomes}
        for function, reason, *changes in EQUIVALENTS[self.path]:
            for change in changes if function in functions else []:
                listed = [
                    mutant
                    for mutant in outcomes
                    if mutant.function == function
                    and (mutant.cuts if change == CUTS else change in mutant.lines(self.text))
                ]
                lost.difference_update(listed)
                if not any(outcomes[mutant] == NOT_NOTICED for mutant in listed):
                    yield f"listed, but there is none: {function}: {change}"
                for mutant in listed:
                    if outcomes[mutant] not in (NOT_NOTICED, SAME_CODE):
                        yield f"listed ({reason}), but {outcomes[mutant]} notices it: {self.shown(mutant)}"


@rows(
    "path, plan, least",
    row("mutants-constant-time", "core/constant_time.h", COMPARISON, 100, suites="release", cpu_seconds=180),
    row("mutants-poly1305-batch", "poly1305/batch.c", POLY1305, 500, suites="release", cpu_seconds=850),
    row("mutants-aead-header", "aead/aead.h", AEAD, 80, suites="release", cpu_seconds=90),
    row("mutants-aead-batch", "aead/batch.c", AEAD, 400, suites="release", cpu_seconds=700),
    row("mutants-aead-call", "aead/chacha20_poly1305.c", AEAD, 600, suites="release", cpu_seconds=1300),
    row("mutants-aead-chunks", "aead/chunks.c", AEAD, 650, suites="release", cpu_seconds=600),
)
def test_mutants(path, plan, least, folder):
    sweep = Sweep(folder, path, plan)
    outcomes = sweep.run()
    lost = {mutant for mutant, said in outcomes.items() if said == NOT_NOTICED}
    equivalent = len(lost)
    wrong = list(sweep.wrongly_listed(outcomes, lost))
    counts = collections.Counter(outcomes.values())
    noticed = len(outcomes) - counts[NOT_NOTICED] - counts[SAME_CODE]
    print(*(f"{count} noticed by {said}" for said, count in counts.most_common()), sep="\n")
    print(
        f"{len(sweep.mutants)} mutants: {noticed} are noticed, {counts[SAME_CODE]} have the same machine code,"
        f" {equivalent - len(lost)} change no result, {len(sweep.mutants) - len(outcomes)} only choose how, {len(lost)} are not noticed"
    )
    assert not lost, "no test notices " + "; ".join(map(sweep.shown, lost))
    assert not wrong, "\n".join(wrong)
    assert noticed >= least or "MUTANTS" in os.environ, "fewer mutants than expected"


EXAMPLE = """#include <stddef.h>
size_t least(const char *bytes, size_t a, size_t b)
{
    for (size_t i = 0; i < a && bytes[i] != 0; i++)
        b += 16;
    return a < b ? a : b; /* the minimum */
}
"""


@suite("check quick")
def test_mutants_of_an_example(folder):
    path = folder / "example.c"
    path.write_text(EXAMPLE)
    mutants = mutants_of(path, path, [])
    lines = {mutant.line(EXAMPLE)[1] for mutant in mutants}
    for expected in (
        "for (size_t i = (0 + 1); i < a && bytes[i] != 0; i++)",
        "for (size_t i = 0; i <= a && bytes[i] != 0; i++)",
        "for (size_t i = 0; i < (a - 16) && bytes[i] != 0; i++)",
        "for (size_t i = 0; i < a || bytes[i] != 0; i++)",
        "for (size_t i = 0; (i < a); i++)",
        "for (size_t i = 0; false; i++)",
        "for (size_t i = 0; i < a && bytes[(i + 1)] != 0; i++)",
        "for (size_t i = 0; i < a && bytes[i] == 0; i++)",
        "for (size_t i = 0; i < a && bytes[i] != 0; (i += 2))",
        "b -= 16;",
        "b = 16;",
        "b += (16 + 1);",
        "return (a);",
        "return (b);",
        "return a >= b ? a : b;",
        "return a < (uint32_t)b ? a : b;",
        "return a < b ? a : (b + 1);",
    ):
        assert expected in lines, f"no mutant {expected!r} among {sorted(lines)}"
    assert len(mutants) == len(lines) == 49, f"{len(lines)} mutants"
