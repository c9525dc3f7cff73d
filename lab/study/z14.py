#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The z14 paper's evaluation on VMSL itself, without a z14: instructions counted by qemu, and cycles of inner loops
from llvm-mca's model of z14, with the scripts that count for docs/architectures.md.

    z14.py FILE.json
"""

import datetime
import json
import sys
from pathlib import Path
from shutil import which

STUDY = Path(__file__).resolve().parent
sys.path.append(str(STUDY.parent / "counts"))

import cycles  # noqa: E402
import instructions  # noqa: E402

TOOLS = ["s390x-linux-gnu-gcc", "s390x-linux-gnu-objdump", "clang-19", "qemu-s390x", "llvm-mca-19"]
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
        "multiplications": sum(count for count, mnemonic in executed if mnemonic.startswith(("vms", "vml", "vma"))),
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


def results() -> dict:
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
    }


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if absent := missing():
        sys.exit(f"z14.py: not installed: {', '.join(absent)}")
    Path(sys.argv[1]).write_text(json.dumps(results(), indent=1) + "\n")
