# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests notice small mistakes in C: each is planted, and some test of CI must fail.

changes.py and tables.py make the mistakes, sweep.py plants them, and equivalents.py lists those that change no result,
and must list no other.
"""

import collections
import importlib
import os
from dataclasses import replace
from functools import partial
from pathlib import Path

from mutants import tables
from mutants.changes import mutants_of
from mutants.go_frames import frame_sweeps
from mutants.reviewed import PATCHES
from mutants.sweep import (
    CHOOSES,
    IN_CI,
    NOT_NOTICED,
    SAME_CODE,
    STACK,
    TITLES,
    Plan,
    Programs,
    Sweep,
    TableSweep,
    table_line,
)
from support import ALL_KERNELS, ROOT, row, rows, suite

from tools.tune import pass_tables

AEAD = Plan(["test_aead --few", "test_overlap", "test_aead"], ["test_aead --few"], ["test_aead --huge"])
SSH = Plan(["test_ssh --few", "test_ssh"], ["test_ssh --few"], ["test_ssh --huge"])
AEAD_AND_SSH = Plan(
    ["test_ssh --few", "test_aead --few", "test_overlap", "test_aead", "test_ssh"],
    ["test_aead --few", "test_ssh --few"],
    ["test_aead --huge", "test_ssh --huge"],
)
POLY1305 = Plan(
    ["test_poly1305 --batches", "test_poly1305_aes", "test_aead --few"],
    ["test_poly1305 --batches avx2"],
    ["test_poly1305 --huge avx2"],
)
COMPARISON = Plan(
    ["test_aead --few", "test_aead", "test_poly1305 --batches"], ["test_aead --few"], ["test_aead --huge"]
)
CALLS = Plan(
    ["test_poly1305 avx2", "test_partial", "test_poly1305_aes", "test_aead --few", "test_dispatch"],
    ["test_poly1305 scalar64"],
    ["test_poly1305 --huge avx2", "test_aead --huge"],
)
WORDS = Plan(
    ["test_poly1305 scalar64", "test_partial", "test_aead --few"],
    ["test_poly1305 scalar64"],
    sources=["poly1305/kernels/scalar64.c", "poly1305/poly1305.c"],
)
WORDS_IN_C = Plan(WORDS.plain, WORDS.sanitized, sources=WORDS.sources, options=["-DHORNET_NO_ASM"])
# Plain C would take minutes for messages of more than 4 GiB: CUT does what this leaves out.
PORTABLE = Plan(
    ["test_poly1305 portable", "test_poly1305 portable44"],
    ["test_poly1305 portable"],
    sources=["poly1305/kernels/portable.c", "poly1305/kernels/portable44.c"],
    cuts=False,
)
CUT = Plan(["test_poly1305 --huge avx2"], sources=["poly1305/kernels/avx2.c"], secrets=False)


def cuts_of(text, path):
    """Return the mistakes of a header that cut a value to 32 bits, in a kernel that is fast."""
    found = mutants_of(ROOT / "src" / path, ROOT / "src" / CUT.sources[0], ["-std=c11", ALL_KERNELS])
    return [mutant for mutant in found if mutant.cuts]


SERIAL = Plan(
    ["test_poly1305 scalar64"],
    ["test_poly1305 scalar64"],
    ["test_poly1305 --huge scalar64"],
    sources=["poly1305/kernels/scalar64.c"],
)
SEGMENTS = Plan(
    ["test_partial", "test_poly1305_aes"],
    ["test_poly1305_aes"],
    ["test_poly1305 --huge avx2"],
    sources=["poly1305/partial.c"],
)
AES = Plan(["test_poly1305_aes"], ["test_poly1305_aes"])
CIPHER = Plan(
    ["test_chacha20", "test_aead --few", "test_overlap", "test_aead"],
    ["test_chacha20", "test_aead --few"],
    ["test_aead --huge-chacha20"],
)
LANES = Plan(CIPHER.plain, CIPHER.sanitized, CIPHER.huge, sources=["chacha20/kernels/vector128.c"])
MASKS = Plan(["test_chacha20"], ["test_chacha20"], sources=["chacha20/kernels/vector128.c"])
STITCHED = Plan(["test_aead --few", "test_aead"], ["test_aead --few"], sources=["chacha20/kernels/avx2.c"])
DISPATCH = Plan(["test_dispatch"], ["test_dispatch"], secrets=False)
# A header that many sources contain is changed in some of them.
HEADER = replace(CALLS, sources=["poly1305/poly1305.c", "poly1305/batch.c", "poly1305/kernels/scalar64.c"])
BYTES = replace(
    CALLS, plain=[*CALLS.plain, "test_chacha20"], sources=[*HEADER.sources, "chacha20/chacha20.c", "aead/chunks.c"]
)


@rows(
    "path, plan, least, every",
    row("mutants-poly1305-call", "poly1305/poly1305.c", CALLS, 60, 6, suites="release", cpu_seconds=600),
    row("mutants-poly1305-partial", "poly1305/partial.c", SEGMENTS, 200, 1, suites="release", cpu_seconds=200),
    row("mutants-poly1305-state", "poly1305/state.h", HEADER, 50, 1, suites="release", cpu_seconds=200),
    row("mutants-poly1305-padding", "poly1305/padding.h", WORDS, 25, 10, suites="release", cpu_seconds=200),
    row("mutants-poly1305-tag", "poly1305/tag.h", WORDS, 60, 1, suites="release", cpu_seconds=100),
    row("mutants-poly1305-kernel", "poly1305/kernel.h", HEADER, 40, 1, suites="release", cpu_seconds=200),
    row("mutants-poly1305-aes", "poly1305_aes/poly1305_aes.c", AES, 66, 3, suites="release", cpu_seconds=200),
    row("mutants-words", "core/words.h", WORDS_IN_C, 60, 1, suites="release", cpu_seconds=100),
    row("mutants-bytes", "core/bytes.h", BYTES, 50, 3, suites="release", cpu_seconds=200),
    row("mutants-wipe", "core/wipe.h", BYTES, 15, 2, suites="release", cpu_seconds=200),
    row("mutants-overlap", "core/overlap.h", CIPHER, 20, 1, suites="release", cpu_seconds=200),
    row("mutants-chacha20-call", "chacha20/chacha20.c", CIPHER, 30, 3, suites="release", cpu_seconds=200),
    row("mutants-chacha20-header", "chacha20/chacha20.h", CIPHER, 50, 3, suites="release", cpu_seconds=300),
    row("mutants-stitched", "aead/stitched.h", STITCHED, 30, 2, suites="release", cpu_seconds=200),
    row("mutants-kernels-call", "library/kernels.c", DISPATCH, 100, 1, suites="release", cpu_seconds=200),
    row("mutants-dispatch", "core/dispatch.c", DISPATCH, 150, 1, suites="release", cpu_seconds=300),
    row("mutants-dispatch-header", "core/dispatch.h", DISPATCH, 20, 1, suites="release", cpu_seconds=100),
    row("mutants-cpu-x86", "core/cpu/x86.c", DISPATCH, 10, 8, suites="release", cpu_seconds=300),
    row("mutants-cpu", "core/cpu.c", DISPATCH, 20, 1, suites="release", cpu_seconds=60),
    row(
        "mutants-decimated-kernel",
        "poly1305/horner/decimated_kernel.h",
        PORTABLE,
        15,
        20,
        suites="release",
        cpu_seconds=900,
    ),
    row("mutants-serial-kernel", "poly1305/horner/serial_kernel.h", SERIAL, 25, 8, suites="release", cpu_seconds=300),
    row("mutants-streaming", "poly1305/horner/streaming.h", PORTABLE, 80, 1, suites="release", cpu_seconds=300),
    row("mutants-horner-batch", "poly1305/horner/batch.h", PORTABLE, 10, 40, suites="release", cpu_seconds=900),
    row("mutants-powers", "poly1305/horner/powers.h", SEGMENTS, 25, 2, suites="release", cpu_seconds=200),
    row("mutants-combine", "poly1305/horner/combine.h", SEGMENTS, 5, 1, suites="release", cpu_seconds=60),
    row("mutants-pass", "chacha20/layouts/pass.h", LANES, 10, 60, suites="release", cpu_seconds=900),
    row("mutants-packets", "chacha20/layouts/packets.h", LANES, 10, 40, suites="release", cpu_seconds=900),
    row("mutants-masks", "chacha20/layouts/masks.h", MASKS, 3, 10, suites="release", cpu_seconds=100),
    row("mutants-constant-time", "core/constant_time.h", COMPARISON, 100, 1, suites="release", cpu_seconds=180),
    row("mutants-poly1305-batch", "poly1305/batch.c", POLY1305, 500, 1, suites="release", cpu_seconds=850),
    row("mutants-aead-header", "aead/aead.h", AEAD_AND_SSH, 80, 1, suites="release", cpu_seconds=90),
    row("mutants-aead-passes", "aead/passes.h", AEAD_AND_SSH, 150, 1, suites="release", cpu_seconds=200),
    row("mutants-aead-long", "aead/long_chunk.h", AEAD_AND_SSH, 200, 1, suites="release", cpu_seconds=600),
    row("mutants-aead-batch", "aead/batch.c", AEAD_AND_SSH, 400, 1, suites="release", cpu_seconds=700),
    row("mutants-aead-call", "aead/chacha20_poly1305.c", AEAD, 180, 1, suites="release", cpu_seconds=600),
    row("mutants-aead-ssh", "aead/ssh.c", SSH, 40, 1, suites="release", cpu_seconds=300),
    row("mutants-aead-chunks", "aead/chunks.c", AEAD, 650, 1, suites="release", cpu_seconds=600),
)
def test_mutants(request, path, plan, least, every, folder):
    check_sweep(request.node.callspec.id, Sweep(folder, path, plan), least, every)


def check_sweep(name, sweep, least, every=1):
    """Plant every n-th mistake; all must be noticed, have the same machine code, or be listed."""
    every = int(os.environ.get("EVERY", every))
    outcomes = sweep.run(every)
    lost = {mutant for mutant, said in outcomes.items() if said == NOT_NOTICED}
    wrong = list(sweep.wrongly_listed(outcomes, lost, every == 1))
    print(TITLES, table_line(name, outcomes, len(lost), len(sweep.mutants)), sep="\n")
    assert not lost, "no test notices " + "; ".join(map(sweep.shown, sorted(lost)))
    assert not wrong, "\n".join(wrong)
    noticed = sum(said not in (NOT_NOTICED, SAME_CODE, CHOOSES) for said in outcomes.values())
    assert noticed >= least or {"MUTANTS", "EVERY"} & os.environ.keys(), f"{noticed} are noticed, fewer than {least}"


TUNED = (
    "poly1305/poly1305 poly1305/batch poly1305/kernels/portable aead/chacha20_poly1305 aead/batch aead/chunks".split()
)
LISTS = ["test_dispatch", "test_aead --few"]
TABLES = {
    "poly1305-list": lambda folder: TableSweep(
        folder,
        "poly1305/kernels.def",
        Plan([*LISTS, "test_poly1305_aes"], sources=["poly1305/kernels.c", "poly1305/poly1305.c", "library/kernels.c"]),
        tables.kernel_rows,
        tests_too=True,
        chooses=True,
    ),
    "chacha20-list": lambda folder: TableSweep(
        folder,
        "chacha20/kernels.def",
        Plan([*LISTS, "test_chacha20"], sources=["chacha20/chacha20.c", "library/kernels.c"]),
        tables.kernel_rows,
        tests_too=True,
        chooses=True,
    ),
    "tuning": lambda folder: TableSweep(
        folder,
        "core/tuning.h",
        Plan(
            ["test_poly1305 --batches portable", "test_aead --few", "test_partial", "test_poly1305_aes"],
            sources=[f"{name}.c" for name in TUNED],
        ),
        tables.measured_numbers,
        tests_too=True,
        chooses=True,
    ),
    "passes": lambda folder: TableSweep(
        folder,
        "chacha20/passes.toml",
        Plan(["test_chacha20", "test_aead --few"], sources=["chacha20/kernels/vector128.c"]),
        partial(tables.pass_entries, kernel="default_layouts"),
        derived=("chacha20/pass_tables.h", lambda text: pass_tables.header(pass_tables.read(text))),
        chooses=True,
    ),
    "record": lambda folder: TableSweep(
        folder,
        "poly1305/kernel_end.h",
        Plan(["test_dispatch", "test_poly1305 portable"], sources=["poly1305/kernels/portable.c"]),
        tables.record_members,
    ),
    **{
        f"cut-{Path(path).stem.replace('_', '-')}": partial(
            TableSweep, path=path, tests=CUT, mistakes=partial(cuts_of, path=path), warnings=["-w"]
        )
        for path in ("poly1305/horner/decimated_kernel.h", "poly1305/horner/streaming.h", "poly1305/horner/batch.h")
    },
    "cores": lambda folder: TableSweep(folder, "core/cpu/x86.c", Plan(["test_dispatch"]), tables.core_rows),
    "assembly-words": lambda folder: TableSweep(
        folder, "core/words.h", Plan([*WORDS.plain, STACK], sources=WORDS.sources), tables.assembly, warnings=["-w"]
    ),
    "assembly-bytes": lambda folder: TableSweep(
        folder, "core/bytes.h", Plan([*CALLS.plain, STACK], sources=BYTES.sources), tables.assembly, warnings=["-w"]
    ),
    "assembly-stack-wipe": lambda folder: TableSweep(
        folder,
        "core/stack_wipe.c",
        Plan([STACK, "test_poly1305 avx2", "test_stack_wipe"]),
        tables.assembly,
        warnings=["-w"],
    ),
    "assembly-stack-end": lambda folder: TableSweep(
        folder,
        "core/stack_wipe.h",
        Plan([STACK, "test_poly1305 avx2", "test_stack_wipe"], sources=HEADER.sources),
        tables.assembly,
        warnings=["-w"],
    ),
    **{
        f"barriers-{Path(path).stem.replace('_', '-')}": partial(
            TableSweep,
            path=path,
            tests=Plan([*tests, STACK], sources=sources),
            mistakes=tables.barriers,
            chooses=not path.startswith("core/"),
            warnings=["-w"],
        )
        for path, tests, sources in (
            ("core/constant_time.h", ["test_poly1305 scalar64", "test_traces"], ["poly1305/poly1305.c"]),
            ("core/bytes.h", ["test_aead --few", "test_traces"], BYTES.sources),
            ("poly1305/horner/decimated_kernel.h", ["test_poly1305 avx2"], ["poly1305/kernels/avx2.c"]),
            ("poly1305/horner/serial_kernel.h", ["test_poly1305 scalar64"], ["poly1305/kernels/scalar64.c"]),
            ("poly1305/horner/streaming.h", ["test_poly1305 avx2"], ["poly1305/kernels/avx2.c"]),
            ("poly1305/lanes/avx2.h", ["test_poly1305 avx2"], ["poly1305/kernels/avx2.c"]),
            ("chacha20/block.h", ["test_chacha20"], ["chacha20/kernels/vector128.c"]),
            ("chacha20/layouts/packets.h", ["test_aead --few"], ["chacha20/kernels/vector128.c"]),
            ("chacha20/layouts/pass.h", ["test_chacha20"], ["chacha20/kernels/vector128.c"]),
            ("chacha20/lanes/words.h", ["test_chacha20"], ["chacha20/kernels/vector128.c"]),
        )
    },
}


@rows(
    "kind, least, every",
    *(
        row(f"mutants-in-{kind}", kind, least, every, suites="release", cpu_seconds=seconds)
        for kind, least, every, seconds in (
            ("poly1305-list", 10, 12, 100),
            ("chacha20-list", 3, 10, 100),
            ("tuning", 1, 8, 100),
            ("passes", 10, 3, 100),
            ("record", 10, 1, 100),
            ("cores", 20, 8, 100),
            ("assembly-words", 15, 1, 200),
            ("assembly-bytes", 3, 5, 100),
            ("assembly-stack-wipe", 2, 20, 100),
            ("assembly-stack-end", 1, 1, 100),
            *((kind, 0, 1, 30) for kind in TABLES if kind.startswith("barriers")),
            *((kind, 1, 4, 300) for kind in TABLES if kind.startswith("cut")),
        )
    ),
)
def test_table_mutants(request, kind, least, every, folder):
    check_sweep(request.node.callspec.id, TABLES[kind](folder), least, every)


@suite("release", cpu_seconds=120)
def test_mutants_reviewed(folder):
    plain = {}
    for patch in PATCHES:
        options = tuple(patch.plan.options)
        if options not in plain:
            plain[options] = Programs(folder / f"plain-{len(plain)}", options)
        said = outcome_of(patch, folder, plain[options])
        assert said in (patch.refused_by, None), f"{patch.name}: {said}, not {patch.refused_by}"


def outcome_of(patch, folder, programs):
    """Return the test that refuses a patch; None if it cannot run here."""
    if patch.needs and patch.needs not in Path("/proc/cpuinfo").read_text().split():
        print(f"not on this CPU: {patch.name}")
        return None
    place = folder / patch.name.replace(" ", "-")
    sweep = TableSweep(place, patch.path, patch.plan, patch.planted, warnings=["-w"], programs=programs)
    [said] = sweep.run().values()
    return said


@rows(
    "file, least, every",
    *(
        row(f"mutants-go-{file.replace('/', '-')}", f"{file}.s", least, every, suites="release", cpu_seconds=seconds)
        for file, least, every, seconds in (
            ("poly1305/emitted_scalar_amd64", 45, 1, 20),
            ("poly1305/emitted_scalar_arm64", 20, 1, 10),
            ("poly1305/emitted_scalar_riscv64", 20, 1, 10),
            ("poly1305/emitted_scalar_s390x", 20, 1, 10),
            ("poly1305/emitted_lanes_amd64", 20, 3, 200),
            ("poly1305/emitted_lanes_s390x", 40, 1, 60),
            ("chacha20/emitted_amd64", 160, 1, 60),
            ("chacha20/emitted_arm64", 60, 1, 20),
            ("chacha20/emitted_riscv64", 30, 1, 20),
            ("chacha20/emitted_s390x", 50, 1, 20),
            ("stitched/emitted_amd64", 70, 4, 60),
        )
    ),
)
def test_frame_mutants(request, file, least, every):
    sweep = frame_sweeps()[file]
    for function in sweep.functions.values():
        function.prove(sweep.text)  # without a mistake
    check_sweep(request.node.callspec.id, sweep, least, every)


# In CI: some mistakes of each class, with the test that is soonest to notice them.
SAMPLE = (
    (
        "poly1305/poly1305.c",
        Plan(["test_poly1305 scalar64", "test_aead --few", "test_dispatch"], sources=["poly1305/poly1305.c"]),
        4,
    ),
    ("poly1305/partial.c", Plan(["test_partial"], sources=["poly1305/partial.c"]), 4),
    ("poly1305/horner/serial_kernel.h", SERIAL, 4),
    ("poly1305/horner/batch.h", replace(PORTABLE, plain=["test_poly1305 --batches portable"]), 3),
    ("chacha20/chacha20.c", Plan(["test_aead --few", "test_chacha20"], sources=["chacha20/chacha20.c"]), 4),
    ("aead/ssh.c", Plan(["test_ssh --few"], sources=["aead/ssh.c"]), 3),
    ("core/dispatch.c", Plan(["test_dispatch"], sources=["core/dispatch.c"]), 3),
    ("library/kernels.c", Plan(["test_dispatch"], sources=["library/kernels.c"]), 3),
    ("core/cpu/x86.c", Plan(["test_dispatch"], sources=["core/cpu/x86.c"]), 3),
)
SAMPLE_TABLES = (("core/words.h", tables.assembly, WORDS, 4), ("core/cpu/x86.c", tables.core_rows, DISPATCH, 3))


@suite("slow", cpu_seconds=90)
def test_mutants_sample(folder):
    programs, said = Programs(folder / "plain", [], checks=[]), []

    def plant(path, plan, mistakes, count):
        place = folder / f"{len(said)}"
        sweep = TableSweep(place, path, plan, mistakes, warnings=["-w"], programs=programs)
        outcomes = sweep.run(len(sweep.mutants) // count)
        lost = {mutant for mutant, outcome in outcomes.items() if outcome == NOT_NOTICED}
        wrong = list(sweep.wrongly_listed(outcomes, lost, whole=False))
        assert not lost and not wrong, f"no test notices {[*map(sweep.shown, lost)]}; {wrong}"
        said.extend(outcomes.values())

    for path, plan, count in SAMPLE:
        options = ["-std=c11", ALL_KERNELS]
        source = ROOT / "src" / plan.sources[0]
        plant(path, plan, lambda text: mutants_of(ROOT / "src" / path, source, options), count)  # noqa: B023
    for path, mistakes, plan, count in SAMPLE_TABLES:
        plant(path, plan, mistakes, count)
    said += [outcome_of(patch, folder, programs) for patch in PATCHES if not patch.plan.options]
    print(*(f"{count} {by}" for by, count in collections.Counter(said).most_common()), sep="\n")
    noticed = len(said) - said.count(SAME_CODE) - said.count(None) - said.count(NOT_NOTICED)
    assert len(said) >= 40 and noticed >= 32, f"{len(said)} mistakes, {noticed} noticed"


@suite("check quick")
def test_mutants_have_tests():
    """The tests that the tables name are in CI."""
    modules = ("test_reference", "test_stack_wipe", "test_dispatch", "test_traces")
    in_ci = set()
    for name in modules:
        for value in vars(importlib.import_module(f"unit.{name}")).values():
            for mark in getattr(value, "pytestmark", []):
                for call in mark.args[1] if mark.name == "parametrize" else []:
                    if {each.name for each in call.marks} & {"check", "quick", "slow", "cross-quick"}:
                        in_ci.add(call.id)
    named = {
        *IN_CI.values(),
        "reference-gcc-O2",
        "reference-sanitized",
        "dispatch-sanitized",
        *(patch.refused_by for patch in PATCHES),
    }
    assert len(named) >= 8 and named <= in_ci, f"not in CI: {named - in_ci}"


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
