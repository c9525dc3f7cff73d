# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read models of CPUs from LLVM: latency, micro-operations and ports of each instruction.

llvm-mca reports them for probes of one instruction; nothing here is typed by hand.
"""

import json
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from coconut.architecture import Architecture
from coconut.instructions import Memory, Op
from coconut.program import Program

PROBE_ITERATIONS = 200


@dataclass(frozen=True)
class Use:
    """A number of cycles on ports, any of these."""

    ports: frozenset[str]
    cycles: int


@dataclass(frozen=True)
class Cost:
    """The cost of an instruction.

    latency is that from any of its operands to the result; forwarded, for each operand, is that from the result of an
    instruction of the same kind.
    """

    latency: int
    micro_ops: int
    uses: tuple[Use, ...]
    forwarded: tuple[int, ...]

    @property
    def parts(self) -> list[Use]:
        """Return the uses split into micro-operations, each of which stays on one port."""
        parts = []
        for use in self.uses:
            count = min(self.micro_ops, use.cycles, len(use.ports))
            length = -(-use.cycles // count)
            # The last part takes the remaining cycles.
            lengths = (min(length, use.cycles - k * length) for k in range(count))
            parts += [Use(use.ports, cycles) for cycles in lengths if cycles > 0]
        return parts


@dataclass(frozen=True)
class Machine:
    """A CPU, with the costs of the instructions of one program."""

    cpu: str
    dispatch_width: int
    costs: tuple[Cost, ...]


# llvm-mca cannot tell from the instructions alone: 64-bit elements, and one register per vector.
PREAMBLES = {"riscv64": "# LLVM-MCA-RISCV-LMUL M1\n# LLVM-MCA-RISCV-SEW E64\n"}


@cache
def mca(triple: str, cpu: str, assembly: str, *options: str) -> dict[str, Any]:
    """Return llvm-mca's report on regions of assembly, which is only read."""
    run = subprocess.run(
        ["llvm-mca-19", f"-mtriple={triple}", f"-mcpu={cpu}", "-json", *options, "-"],
        input=PREAMBLES.get(triple, "") + assembly,
        capture_output=True,
        text=True,
        check=True,
    )
    report: dict[str, Any] = json.loads(run.stdout)
    return report


def kind(op: Op) -> tuple[str, int | None, str]:
    """Return what distinguishes instructions for the model: the forms of their operands, not their registers."""
    return op.instruction.name, op.imm, "" if op.memory is None else "broadcast" if op.memory.broadcast else "memory"


def usage_of(region: dict[str, Any]) -> dict[int, float]:
    """Return the cycles of each port that a probe's instruction takes."""
    return {
        entry["ResourceIndex"]: entry["ResourceUsage"]
        for entry in region["ResourcePressureView"]["ResourcePressureInfo"]
        if entry["InstructionIndex"] == 0
    }


def ports_of(resources: list[str], usage: dict[int, float]) -> tuple[Use, ...]:
    """Return groups of ports, from the shares of a cycle that llvm-mca spreads evenly over the ports of a group."""
    groups: dict[tuple[str, float], list[int]] = defaultdict(list)
    for index, share in usage.items():
        if share < 0.005:
            continue
        # Units of one resource have its name, a dot and a number; single ports have numbered names.
        unit = re.match(r"(.*)\.[\x00-\x1f\d]$", resources[index])
        name = unit[1] + "." if unit else re.sub(r"\d+$", "", resources[index])
        groups[name, round(share, 2)].append(index)
    # Ports with different names may form a group, too: those whose cycles are not a whole number by themselves.
    whole: dict[tuple[str, float], list[int]] = defaultdict(list)
    for (name, share), indices in groups.items():
        cycles = share * len(indices)
        whole[name if abs(cycles - round(cycles)) < 0.02 else "", share] += indices
    uses = []
    for (_, share), indices in sorted(whole.items()):
        cycles = sum(usage[index] for index in indices)
        if abs(cycles - round(cycles)) > 0.02:
            raise ValueError(f"{[resources[i] for i in indices]}: {cycles} cycles of a group")
        uses.append(Use(frozenset(resources[index] for index in indices), round(cycles)))
    return tuple(uses)


def probe_text(architecture: Architecture, op: Op, chained: int | None) -> str:
    """Return an instruction with all registers different, or waiting for itself through the chained operand."""
    result = 0
    args = list(range(1, 1 + len(op.args)))
    if op.instruction.accumulates:
        args[0] = result
    if chained is not None:
        args[chained] = result
    memory = op.memory and replace(op.memory, base="message", offset=0)
    return "\n".join(architecture.gnu.text(Op(op.instruction, op.args, op.imm, memory), tuple(args), result))


@cache
def probe(architecture: Architecture, cpu: str, ops: tuple[Op, ...]) -> tuple[int, tuple[Cost, ...]]:
    """Return the dispatch width, and the costs of instructions of different kinds."""
    regions, chains = [], []
    for op in ops:
        regions.append(probe_text(architecture, op, None))
        chains += [probe_text(architecture, op, operand) for operand in range(len(op.args))]
    # The usage of a load is separated from the rest of an instruction with an operand in memory.
    folded = [op for op in ops if op.memory is not None and op.instruction.memory != "only"]
    if folded:
        plain = Op(architecture.instructions[architecture.load], (), None, Memory("message", 0))
        regions.append(probe_text(architecture, plain, None))
    assembly = "".join(f"# LLVM-MCA-BEGIN\n{line}\n# LLVM-MCA-END\n" for line in regions)
    tables = mca(architecture.triple, cpu, assembly, "-instruction-tables")
    resources = tables["TargetInfo"]["Resources"]
    waits = {}
    if chains:
        assembly = "".join(f"# LLVM-MCA-BEGIN\n{line}\n# LLVM-MCA-END\n" for line in chains)
        totals = [
            [
                region["SummaryView"]["TotalCycles"]
                for region in mca(architecture.triple, cpu, assembly, f"-iterations={count}")["CodeRegions"]
            ]
            for count in (PROBE_ITERATIONS, 2 * PROBE_ITERATIONS)
        ]
        waits = {
            line: round((second - first) / PROBE_ITERATIONS)
            for line, first, second in zip(chains, *totals, strict=True)
        }
    width = mca(architecture.triple, cpu, regions[0] + "\n")["CodeRegions"][0]["SummaryView"]["DispatchWidth"]
    costs = []
    load_usage = usage_of(tables["CodeRegions"][-1]) if folded else {}
    for op, region in zip(ops, tables["CodeRegions"]):
        info = region["InstructionInfoView"]["InstructionList"][0]
        usage = usage_of(region)
        uses: tuple[Use, ...] = ()
        if op in folded:
            usage = {index: share - load_usage.get(index, 0) for index, share in usage.items()}
            uses = ports_of(resources, load_usage)
        forwarded = tuple(max(1, waits[probe_text(architecture, op, operand)]) for operand in range(len(op.args)))
        # With a load, the wait for a register is shorter than for memory: the chain shows that wait.
        latency = max(forwarded, default=info["Latency"]) if op.memory is not None else info["Latency"]
        costs.append(Cost(max(1, latency), info["NumMicroOpcodes"], uses + ports_of(resources, usage), forwarded))
    return width, tuple(costs)


def machine_for(program: Program, cpu: str) -> Machine:
    """Return the CPU's model for all instructions of a program."""
    kinds = {kind(op): op for op in program.ops}
    width, costs = probe(program.architecture, cpu, tuple(kinds.values()))
    cost_of = dict(zip(kinds, costs, strict=True))
    return Machine(cpu, width, tuple(cost_of[kind(op)] for op in program.ops))
