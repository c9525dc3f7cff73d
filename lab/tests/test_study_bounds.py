# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The bounds of the study's code that differs from the library's hold for all inputs, and its floating-point arithmetic
is exact. The proofs fail when the code is wrong.

This replaces the worst-case argument in appendix 2 of the z14 paper.
"""

import shutil

from support import ROOT, attempt, output, program, row, rows, run, suite
from support.kernels import CLANG, PROOFS, define

STUDY = ROOT / "lab/study"
LANES = define("HORNET_LANES_HOOK", PROOFS / "interval.h")
KERNEL = define("HORNET_KERNEL_HOOK", STUDY / "bounds.h")
SERIAL = define("SUMMED_FIELD", "lab/study/field/radix44_serial.h")
CLANGXX = ["clang++-19", *CLANG[1:]]
# The proofs in C++: the file, and what it proves.
IN_CPP = {
    "packed4": ("packed.cc", "PORTABLE_LANES=4"),
    "packed8": ("packed.cc", "PORTABLE_LANES=8"),
    "x87": ("floating.cc", "X87"),
    "double53": ("floating.cc", "DOUBLE53"),
    "doubles-avx": ("floating.cc", "RADIX22=4"),
    "doubles-avx512": ("floating.cc", "RADIX22=8"),
}


@rows(
    "source, options",
    row("study-bounds-z14-parallel", PROOFS / "vmsl.c", []),
    row("study-bounds-z14-serial", PROOFS / "vmsl.c", [SERIAL]),
    *(
        row(f"study-bounds-{kernel}", STUDY / f"kernels/{kernel}.c", [f"-DINTERVAL_LANES={lanes}", LANES, KERNEL])
        for kernel, lanes in (("lazy_avx2", 4), ("lazy_ifma", 8), ("polyakov_sse2", 2))
    ),
    *(
        row(f"study-bounds-{name}", STUDY / "proofs" / file, [f"-D{what}"], cpu_seconds=3)
        for name, (file, what) in IN_CPP.items()
    ),
)
def test_study_bounds(source, options, folder):
    compiler = CLANGXX if str(source).endswith(".cc") else CLANG
    said = output(program(folder / "prove", [*compiler, f"-I{ROOT}", f"-I{ROOT}/src"], source, options=options))
    assert " checked, 0 broken" in said


# What is proved of a wrong tree, and the change that makes it wrong: file of lab/study/, text and its replacement.
MISTAKES = [
    ("packed4", "horner/packed.h", "PACKED_LAMBDA = 3", "PACKED_LAMBDA = 120"),
    ("packed4", "field/packed26.h", "vec_shl(vec_natural(top), 24)", "vec_shl(vec_natural(top), 32)"),
    ("packed4", "field/packed26.h", "vec_shl(vec_from(a.limb[2]), 32)", "vec_shl(vec_from(a.limb[2]), 39)"),
    ("packed4", "field/packed26.h", "vec_and(vec_blend_odd32(lo, limb2), mask)", "vec_blend_odd32(lo, limb2)"),
    ("packed4", "field/packed26.h", "const fe a = fe_carry(s);", "const fe a = fe_from_limbs(s.limb);"),
    ("packed4", "field/packed26.h", "words[2] << 24)}", "words[2] << 30)}"),
    ("packed4", "field/packed26.h", "round < 2;", "round < 1;"),
    ("packed8", "field/packed26.h", "g[4] | (5 * g[2]) << 32", "g[4] | (99 * g[2]) << 32"),
    ("x87", "kernels/x87.c", "0x1.8p127L", "0x1.8p131L"),
    ("x87", "kernels/x87.c", "h.limb[i] -= y[i];", ""),
    ("x87", "kernels/x87.c", "h.limb[1] += y[0];", "h.limb[1] += y[0] * 4.0L;"),
    ("x87", "kernels/x87.c", "{0x1p33L - 5,", "{0x1p31L - 5,"),
    ("x87", "field/floating.h", "words[1] >> 32 | words[2] << 32", "words[1] | words[2] << 32"),
    ("double53", "kernels/double53.c", "low[i] = quarters[i] & 0xffff;", "low[i] = quarters[i] & 0x1fffff;"),
    ("double53", "kernels/double53.c", "+ 0x1.8p52 * unit - 0x1.8p52 * unit", "+ 0x1p52 * unit - 0x1p52 * unit"),
    ("double53", "kernels/double53.c", "product.limb[1] += carries[0];", "product.limb[1] += carries[0] * 4096.0;"),
    ("doubles-avx", "field/radix22.h", "{0, 3, 1, 4, 2, 5, 3, 0, 4, 1}", "{0, 3, 1, 4, 2}"),
    ("doubles-avx", "field/radix22.h", "splat(0x1.8p52 * (i == 5", "splat(0x1.8p51 * (i == 5"),
    ("doubles-avx512", "field/radix22.h", "{(1 << 26) - 80,", "{(1 << 23) - 80,"),
    ("doubles-avx", "field/radix22.h", "vec_and(vec_shr(hi, 24), mask)", "vec_shr(hi, 2)"),
]


@suite("release", cpu_seconds=50)
def test_study_proof_mutants(folder):
    for name, path, before, after in MISTAKES:
        for part in "src", "lab/study":
            shutil.rmtree(folder / part, ignore_errors=True)
            shutil.copytree(ROOT / part, folder / part)
        file = folder / "lab/study" / path
        text = file.read_text()
        assert text.count(before) == 1, f"{path} has {before!r} {text.count(before)} times"
        file.write_text(text.replace(before, after))
        source, what = IN_CPP[name]
        run(*CLANGXX, f"-I{folder}", f"-D{what}", STUDY / "proofs" / source, "-o", folder / "prove")
        status, said = attempt(folder / "prove")
        assert status != 0, f"the proof holds: {name} with {after!r}"
        assert "BROKEN" in said, f"the proof fails for another reason: {name} with {after!r}: {said}"
    print(f"the proofs notice {len(MISTAKES)} mistakes")
