# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The z14 paper's evaluation on VMSL itself, without a z14: instructions counted by qemu, and cycles of inner loops
from llvm-mca's model of z14, with the scripts that count for docs/architectures.md; and the paper's own code beside it.
"""

import datetime
import sys
from pathlib import Path
from shutil import which

STUDY = Path(__file__).resolve().parent
sys.path.append(str(STUDY.parent / "counts"))

import cycles  # noqa: E402
import instructions  # noqa: E402
import z14_original  # noqa: E402

TOOLS = ["go", "s390x-linux-gnu-gcc", "s390x-linux-gnu-objdump", "clang-19", "qemu-s390x", "llvm-mca-19"]
NAME, CPU = "s390x", "z14"
# The paper's message, and a long one, extended by groups of four blocks, of which eight share a reduction in the
# library's kernel.
LENGTH_BYTES = 2054
LONG_BYTES, LONGER_GROUPS = 8192, 16
# The kernels, and the prefix of the name of the function with the inner loop. For radix 2^26, which was usual before
# the paper, it processes two groups.
STUDIED = ["z14_serial", "z14_parallel"]
LOOPS = {
    "vx": "poly1305_absorb_by_2_vx",
    **{name: f"study_mac_{name}" for name in STUDIED},
    "vmsl": "poly1305_absorb_many_vmsl",
}


def missing() -> list[str]:
    return [tool for tool in TOOLS if which(tool) is None]


def counted(z14: instructions.Counted, compiler: str, kernel: str, length_bytes: int) -> dict[str, float]:
    found = z14.executed(compiler, "poly1305", kernel, length_bytes).values()
    executed = [(count, text.split()[0]) for count, _, text in found]
    return {
        "instructions": sum(count for count, _ in executed),
        # vector instructions such as vmslg and vmlef
        "multiplications": sum(count for count, mnemonic in executed if z14_original.multiplies(mnemonic)),
    }


def loop(z14: instructions.Counted, compiler: str, kernel: str) -> dict[str, float | None]:
    """Return the inner loop that takes the fewest cycles, per 64 bytes."""
    loops = [
        (cycles.cycles(z14.triple, CPU, loop) * 64 / loop.turn_bytes, loop)
        for loop in cycles.loops_of(z14.triple, z14.program(compiler, kernel), kernel)
        if loop.function.startswith(LOOPS[kernel]) and loop.turn_bytes != 0
    ]
    if not loops:
        sys.exit(f"{kernel}, {compiler}: no loop is found")
    least, best = min(loops, key=lambda found: found[0])
    return {
        "cycles": round(least, 2),
        "instructions": len(best.instructions) * 64 / best.turn_bytes,
        "multiplications": best.multiplications * 64 / best.turn_bytes,
    }


def results(inputs: Path) -> dict:
    """Count and time all. The paper's code is checked with the inputs in a file that measure --inputs wrote."""
    instructions.build_plugin()
    z14 = instructions.Counted(NAME, [STUDY / "kernels" / f"{kernel}.c" for kernel in STUDIED])
    kernels: dict[str, dict] = {kernel: {} for kernel in LOOPS}
    for compiler in z14.compilers:
        z14.build_hornet(compiler)
        for kernel, builds in kernels.items():
            long_, longer = (
                counted(z14, compiler, kernel, length) for length in (LONG_BYTES, LONG_BYTES + 64 * LONGER_GROUPS)
            )
            group = {what: (longer[what] - long_[what]) / LONGER_GROUPS for what in long_}
            inner = loop(z14, compiler, kernel)
            # llvm-mca counts each instruction once, so a nested loop, which qemu has counted, would not be timed.
            if kernel in STUDIED and inner["instructions"] != group["instructions"]:
                inner["cycles"] = None
            builds[compiler.removesuffix("-19")] = {
                "call": counted(z14, compiler, kernel, LENGTH_BYTES),
                "group": group,
                "loop": inner,
            }
    z14.check_results()

    def version(*command: str) -> str:
        return next(
            line.strip()
            for line in instructions.execute(*command, "--version").splitlines()
            if "version" in line or "gcc" in line
        )

    return {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "compilers": {"gcc": version("s390x-linux-gnu-gcc"), "clang": version("clang-19")},
        "qemu": version("qemu-s390x"),
        "llvm-mca": version("llvm-mca-19"),
        "flags": "-O2",
        "cpu": CPU,
        "bytes": LENGTH_BYTES,
        "long_bytes": LONG_BYTES,
        "kernels": kernels,
        "original": z14_original.results(LENGTH_BYTES, inputs),
    }
