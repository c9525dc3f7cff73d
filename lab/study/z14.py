# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The z14 paper's evaluation on VMSL itself, without a z14: instructions counted by qemu, and cycles of inner loops
from llvm-mca's model of z14, with the scripts that count for docs/architectures.md; and the paper's own code beside it.
What its figures 1 to 3 show comes from the graphs of basic blocks that are arranged so, and the overflows of its appendix 2
from a program.
"""

import datetime
import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from shutil import which

STUDY = Path(__file__).resolve().parent
sys.path += [str(STUDY.parent / "counts"), str(STUDY.parents[1])]

import cycles  # noqa: E402
import instructions  # noqa: E402
import z14_original  # noqa: E402

from coconut.graph import Graph  # noqa: E402
from coconut.operations import MULTIPLICATIONS  # noqa: E402
from coconut.simulate import Sample, simulate  # noqa: E402
from coconut.trace import read_traced  # noqa: E402

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
# The paper's figures, and the kernels and blocks of coconut's in which a vector has two lanes, as theirs.
FIGURES = {1: ("sse2", "step 1"), 2: ("sse2", "step 2"), 3: ("vmsl", "step 1")}


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


def exponents(sample: Sample, multiplier: str, lanes: int) -> list[int]:
    """Return the exponent of r in each lane of a multiplier: R^n is that of n groups, a block to a lane. In another lane than
    the first there is the same power, or one whose square it is."""
    limbs = [sample.inputs[f"{multiplier}[{i}]"] for i in range(3)]
    first, exponent = multiplier.split("^")
    found = [int(exponent) * (lanes if first == "R" else 1)]
    for lane in range(1, lanes):
        same = all(limb[lane] == limb[0] for limb in limbs)
        powers = [sum(limb[at] << 44 * i for i, limb in enumerate(limbs)) for at in (0, lane)]
        if not same and (powers[1] ** 2 - powers[0]) % (2**130 - 5):
            raise ValueError(f"{multiplier}: lane {lane} has no power that is known")
        found.append(found[0] if same else found[0] // 2)
    return found


def unmultiplied(graph: Graph) -> list[set[tuple[int, ...]]]:
    """Return, for each node, the blocks of the message that it holds without a multiplication: the offset of that in the
    first lane, and the distance of the next."""
    found: list[set[tuple[int, ...]]] = []
    for node in graph.nodes:
        args = () if node.op in MULTIPLICATIONS else node.args
        found.append({node.imm} if node.op in ("load_lo", "load_hi") else set().union(*(found[at] for at in args)))
    return found


def arrangement(graph: Graph, sample: Sample) -> dict:
    """Return which blocks of a group are in the lanes of each factor, by which powers they are multiplied, and by how many
    multiplications. A factor has the accumulator in the lanes in which it changes with it. What an iteration adds to the
    accumulator without a multiplication is a block of the next one, before those that this loads."""
    loaded = unmultiplied(graph)
    kept = set().union(*(loaded[i] for i in graph.outputs()))
    empty = {name: tuple(0 for _ in of) if name.startswith("t[") else of for name, of in sample.inputs.items()}
    values, alone = simulate(graph, sample), simulate(graph, replace(sample, inputs=empty))
    products: Counter[tuple] = Counter()
    for node in graph.nodes:
        if node.op in MULTIPLICATIONS:
            factor, by = node.args[-2:]
            ((first, stride),) = of = loaded[factor] or kept
            first -= graph.advance * (of == kept)
            added = tuple(alone[factor][lane] != values[factor][lane] for lane in range(graph.lanes))
            places = tuple((first + stride * lane) // 16 for lane in range(graph.lanes))
            products[graph.nodes[by].name.partition("[")[0], places, added] += 1
    least = min(place for _, places, _ in products for place in places)
    return {
        "block": graph.title,
        "bytes": graph.advance,
        "phases": {phase: graph.phases().count(phase) for phase in ("expand", "multiply", "reduce")},
        "products": [
            {
                "blocks": [place - least for place in places],
                "accumulator": list(added),
                "powers": exponents(sample, multiplier, graph.lanes),
                "multiplications": count,
            }
            for (multiplier, places, added), count in products.items()
        ],
    }


def arrangements() -> dict[str, dict]:
    """Return what the paper's figures 1 to 3 show, of the code that is arranged so."""
    found = {}
    for number, (kernel, block) in FIGURES.items():
        graphs, samples = read_traced(kernel)
        sample = next(of for of in samples[block] if all(all(lanes) for lanes in of.inputs.values()))
        found[str(number)] = arrangement(graphs[block], sample)
    return found


def overflows() -> list[dict]:
    """Return how many limbs exceed their bits after iterations of the parallel reduction, as in the paper's appendix 2."""
    instructions.BUILD.mkdir(parents=True, exist_ok=True)
    program = instructions.BUILD / "study-overflows"
    instructions.execute("gcc", "-O2", "-o", program, STUDY / "count_overflows.c")
    return [json.loads(line) for line in instructions.execute(program).splitlines()]


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
        "arrangements": arrangements(),
        "overflows": overflows(),
    }
