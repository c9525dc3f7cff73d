# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests notice small mistakes in C: each is planted, and some test of CI must fail.

changes.py and tables.py make the mistakes, sweep.py plants them, and equivalents.py lists those that change no result,
and must list no other.
"""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

from mutants import tables
from mutants.changes import mutants_of
from mutants.sweep import NOT_NOTICED, SAME_CODE, STACK, TITLES, Plan, Sweep, TableSweep, table_line
from support import row, rows, suite

from tools.tune import pass_tables

AEAD = Plan(["test_aead --few", "test_overlap", "test_aead"], ["test_aead --few"], "test_aead --huge")
POLY1305 = Plan(
    ["test_poly1305 --batches", "test_poly1305_aes", "test_aead --few"],
    ["test_poly1305 --batches avx2"],
    "test_poly1305 --huge avx2",
)
COMPARISON = Plan(["test_aead --few", "test_aead", "test_poly1305 --batches"], ["test_aead --few"], "test_aead --huge")
CALLS = Plan(
    ["test_poly1305 avx2", "test_partial", "test_poly1305_aes", "test_aead --few", "test_dispatch"],
    ["test_poly1305 scalar64"],
    "test_poly1305 --huge avx2",
)
WORDS = Plan(
    ["test_poly1305 scalar64", "test_partial", "test_aead --few"],
    ["test_poly1305 scalar64"],
    sources=["poly1305/kernels/scalar64.c", "poly1305/poly1305.c"],
)
WORDS_IN_C = Plan(WORDS.plain, WORDS.sanitized, sources=WORDS.sources, options=["-DHORNET_NO_ASM"])
PORTABLE = Plan(
    ["test_poly1305 portable"],
    ["test_poly1305 portable"],
    "test_poly1305 --huge portable",
    sources=["poly1305/kernels/portable.c"],
)
SERIAL = Plan(
    ["test_poly1305 scalar64"],
    ["test_poly1305 scalar64"],
    "test_poly1305 --huge scalar64",
    sources=["poly1305/kernels/scalar64.c"],
)
SEGMENTS = Plan(["test_partial"], ["test_partial"], sources=["poly1305/partial.c"])
AES = Plan(["test_poly1305_aes"], ["test_poly1305_aes"])
CIPHER = Plan(
    ["test_chacha20", "test_aead --few", "test_overlap", "test_aead"],
    ["test_chacha20", "test_aead --few"],
    "test_aead --huge-chacha20",
)
LANES = Plan(CIPHER.plain, CIPHER.sanitized, CIPHER.huge, sources=["chacha20/kernels/vector128.c"])
STITCHED = Plan(["test_aead --few", "test_aead"], ["test_aead --few"], sources=["chacha20/kernels/avx2.c"])
DISPATCH = Plan(["test_dispatch", "test_poly1305_aes"])
# Of headers that many sources contain, some sources are enough.
HEADER = replace(CALLS, sources=["poly1305/poly1305.c", "poly1305/batch.c", "poly1305/kernels/scalar64.c"])
BYTES = replace(
    CALLS, plain=[*CALLS.plain, "test_chacha20"], sources=[*HEADER.sources, "chacha20/chacha20.c", "aead/chunks.c"]
)


@rows(
    "path, plan, least",
    row("mutants-poly1305-call", "poly1305/poly1305.c", CALLS, 500, suites="release", cpu_seconds=600),
    row("mutants-poly1305-partial", "poly1305/partial.c", SEGMENTS, 200, suites="release", cpu_seconds=200),
    row("mutants-poly1305-state", "poly1305/state.h", HEADER, 50, suites="release", cpu_seconds=200),
    row("mutants-poly1305-padding", "poly1305/padding.h", WORDS, 300, suites="release", cpu_seconds=200),
    row("mutants-poly1305-tag", "poly1305/tag.h", WORDS, 60, suites="release", cpu_seconds=100),
    row("mutants-poly1305-kernel", "poly1305/kernel.h", HEADER, 40, suites="release", cpu_seconds=200),
    row("mutants-poly1305-aes", "poly1305_aes/poly1305_aes.c", AES, 200, suites="release", cpu_seconds=200),
    row("mutants-words", "core/words.h", WORDS_IN_C, 60, suites="release", cpu_seconds=100),
    row("mutants-bytes", "core/bytes.h", BYTES, 150, suites="release", cpu_seconds=200),
    row("mutants-wipe", "core/wipe.h", BYTES, 30, suites="release", cpu_seconds=200),
    row("mutants-overlap", "core/overlap.h", CIPHER, 20, suites="release", cpu_seconds=200),
    row("mutants-chacha20-call", "chacha20/chacha20.c", CIPHER, 100, suites="release", cpu_seconds=200),
    row("mutants-chacha20-header", "chacha20/chacha20.h", CIPHER, 150, suites="release", cpu_seconds=300),
    row("mutants-stitched", "aead/stitched.h", STITCHED, 60, suites="release", cpu_seconds=200),
    row("mutants-kernels-call", "library/kernels.c", DISPATCH, 100, suites="release", cpu_seconds=200),
    row("mutants-dispatch", "core/dispatch.c", DISPATCH, 150, suites="release", cpu_seconds=300),
    row("mutants-dispatch-header", "core/dispatch.h", DISPATCH, 20, suites="release", cpu_seconds=100),
    row("mutants-cpu-x86", "core/cpu/x86.c", DISPATCH, 150, suites="release", cpu_seconds=300),
    row("mutants-cpu", "core/cpu.c", DISPATCH, 20, suites="release", cpu_seconds=60),
    row(
        "mutants-decimated-kernel",
        "poly1305/horner/decimated_kernel.h",
        PORTABLE,
        400,
        suites="release",
        cpu_seconds=900,
    ),
    row("mutants-serial-kernel", "poly1305/horner/serial_kernel.h", SERIAL, 300, suites="release", cpu_seconds=300),
    row("mutants-streaming", "poly1305/horner/streaming.h", PORTABLE, 80, suites="release", cpu_seconds=300),
    row("mutants-horner-batch", "poly1305/horner/batch.h", PORTABLE, 600, suites="release", cpu_seconds=900),
    row("mutants-powers", "poly1305/horner/powers.h", SEGMENTS, 50, suites="release", cpu_seconds=200),
    row("mutants-combine", "poly1305/horner/combine.h", SEGMENTS, 5, suites="release", cpu_seconds=60),
    row("mutants-pass", "chacha20/layouts/pass.h", LANES, 900, suites="release", cpu_seconds=900),
    row("mutants-packets", "chacha20/layouts/packets.h", LANES, 600, suites="release", cpu_seconds=900),
    row("mutants-constant-time", "core/constant_time.h", COMPARISON, 100, suites="release", cpu_seconds=180),
    row("mutants-poly1305-batch", "poly1305/batch.c", POLY1305, 500, suites="release", cpu_seconds=850),
    row("mutants-aead-header", "aead/aead.h", AEAD, 80, suites="release", cpu_seconds=90),
    row("mutants-aead-batch", "aead/batch.c", AEAD, 400, suites="release", cpu_seconds=700),
    row("mutants-aead-call", "aead/chacha20_poly1305.c", AEAD, 600, suites="release", cpu_seconds=1300),
    row("mutants-aead-chunks", "aead/chunks.c", AEAD, 650, suites="release", cpu_seconds=600),
)
def test_mutants(request, path, plan, least, folder):
    check_sweep(request.node.callspec.id, Sweep(folder, path, plan), least)


def check_sweep(name, sweep, least, every=1):
    """Plant the mistakes, or every n-th; all must be noticed, have the same machine code, or be listed."""
    outcomes = sweep.run(every)
    lost = {mutant for mutant, said in outcomes.items() if said == NOT_NOTICED}
    wrong = list(sweep.wrongly_listed(outcomes, lost)) if every == 1 else []
    print(TITLES, table_line(name, sweep, outcomes, len(lost)), sep="\n")
    assert not lost, "no test notices " + "; ".join(map(sweep.shown, sorted(lost)))
    assert not wrong, "\n".join(wrong)
    noticed = sum(said not in (NOT_NOTICED, SAME_CODE) for said in outcomes.values())
    assert noticed >= least or "MUTANTS" in os.environ, f"{noticed} are noticed, fewer than {least}"


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
    ),
    "chacha20-list": lambda folder: TableSweep(
        folder,
        "chacha20/kernels.def",
        Plan([*LISTS, "test_chacha20"], sources=["chacha20/chacha20.c", "library/kernels.c"]),
        tables.kernel_rows,
        tests_too=True,
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
    ),
    "passes": lambda folder: TableSweep(
        folder,
        "chacha20/passes.toml",
        Plan(["test_chacha20", "test_aead --few"], sources=["chacha20/kernels/vector128.c"]),
        partial(tables.pass_entries, kernel="default_layouts"),
        derived=("chacha20/pass_tables.h", lambda text: pass_tables.header(pass_tables.read(text))),
    ),
    "record": lambda folder: TableSweep(
        folder,
        "poly1305/kernel_end.h",
        Plan(["test_dispatch", "test_poly1305 portable"], sources=["poly1305/kernels/portable.c"]),
        tables.record_members,
    ),
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
    "kind, least",
    *(
        row(f"mutants-in-{kind}", kind, least, suites="release", cpu_seconds=seconds)
        for kind, least, seconds in (
            ("poly1305-list", 50, 600),
            ("chacha20-list", 20, 200),
            ("tuning", 10, 600),
            ("passes", 10, 100),
            ("record", 10, 100),
            ("cores", 100, 300),
            ("assembly-words", 15, 200),
            ("assembly-bytes", 15, 200),
            ("assembly-stack-wipe", 20, 300),
            ("assembly-stack-end", 1, 100),
            *((kind, 0, 30) for kind in TABLES if kind.startswith("barriers")),
        )
    ),
)
def test_table_mutants(request, kind, least, folder):
    check_sweep(request.node.callspec.id, TABLES[kind](folder), least)


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
