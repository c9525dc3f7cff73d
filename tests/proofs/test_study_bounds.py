# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The bounds of the study's code that differs from the library's hold for all inputs.

This replaces the worst-case argument in appendix 2 of the z14 paper.
"""

from support import ROOT, output, program, row, rows
from support.kernels import CLANG, PROOFS, define

LANES = define("HORNET_LANES_HOOK", PROOFS / "interval.h")
KERNEL = define("HORNET_KERNEL_HOOK", ROOT / "study/bounds.h")
SERIAL = define("SUMMED_FIELD", "study/field/radix44_serial.h")


@rows(
    "source, options",
    row("study-bounds-z14-parallel", PROOFS / "vmsl.c", []),
    row("study-bounds-z14-serial", PROOFS / "vmsl.c", [SERIAL]),
    *(
        row(f"study-bounds-{kernel}", f"study/kernels/{kernel}.c", [f"-DINTERVAL_LANES={lanes}", LANES, KERNEL])
        for kernel, lanes in (("lazy_avx2", 4), ("lazy_ifma", 8), ("polyakov_sse2", 2))
    ),
)
def test_study_bounds(source, options, folder):
    said = output(program(folder / "prove", [*CLANG, f"-I{ROOT}", f"-I{ROOT}/src"], source, options=options))
    assert " checked, 0 broken" in said
