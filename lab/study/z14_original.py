# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The z14 paper's own code: the assembly of golang.org/x/crypto of September 2018, before the paper and after it.

`go` fetches the module by the hash in originals/go.sum and assembles it; qemu executes a call on a z13 and on a z14, and
plugin.c of lab/counts records its instructions. Each belongs to the macro on whose line it is, by Go's table of lines.
llvm-mca then gives the cycles of the whole call, as lab/counts/call_cycles.py does.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

STUDY = Path(__file__).resolve().parent
sys.path.append(str(STUDY.parent / "counts"))

import call_cycles  # noqa: E402
import instructions  # noqa: E402
from architectures import BUILD, execute  # noqa: E402

MODULE = STUDY / "originals"
TRIPLE, EMULATOR, MODEL = "s390x-linux-gnu", "qemu-s390x", "z14"
PACKAGE = "golang.org/x/crypto"
# Function, file, and the CPU to emulate: x/crypto uses VMSL where the CPU has it.
VERSIONS = {"before": ("poly1305vx", "sum_s390x.s", "z13"), "after": ("poly1305vmsl", "sum_vmsl_s390x.s", "z14")}
# Macros by the paper's phases (figure 5). The square of r is a multiplication too.
PHASES = {
    "expand": {"EXPAND", "EXPACC", "EXPACC2"},
    "multiply": {"MULTIPLY", "SQUARE"},
    "reduce": {"REDUCE", "REDUCE2"},
}
OTHER = "other"
# The loop of "after" has EXPACC written out, from this comment to the next macro.
WRITTEN_OUT = re.compile(r"// (expacc) in-lined")
CALLS = 2


def phase_of(macro: str) -> str:
    return next((phase for phase, macros in PHASES.items() if macro in macros), OTHER)


def macros_of(text: str) -> dict[int, str]:
    """Return the macro that is used on each line of assembly; lines without one are not in it."""
    found, inside = {}, ""
    for number, line in enumerate(text.splitlines(), 1):
        if used := re.match(r"\t([A-Z]\w*)\(", line):
            found[number], inside = used[1], ""
        elif comment := WRITTEN_OUT.search(line):
            inside = comment[1].upper()
        elif inside:
            found[number] = inside
    return found


def by_phase(amounts: list[int], macros: list[str]) -> dict[str, int]:
    """Add the amount of each instruction to those of its macro's phase."""
    found = dict.fromkeys([*PHASES, OTHER], 0)
    for amount, macro in zip(amounts, macros, strict=True):
        found[phase_of(macro)] += amount
    return found


def multiplies(mnemonic: str) -> bool:
    """Return whether it is a multiplication of vectors, in Go's or GNU's spelling."""
    return mnemonic.lower().startswith(("vms", "vml", "vma"))


class Original:
    """The program of originals/main.go."""

    def __init__(self) -> None:
        BUILD.mkdir(parents=True, exist_ok=True)
        self.path = BUILD / "study-originals-s390x"
        environment = os.environ | {"GOARCH": "s390x", "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly"}
        subprocess.run(["go", "build", "-o", self.path, "."], cwd=MODULE, env=environment, check=True)
        listed = json.loads(execute("go", "list", "-m", "-json", PACKAGE, cwd=MODULE))
        self.version, self.folder = listed["Version"], Path(listed["Dir"]) / "poly1305"

    @staticmethod
    def emulator(version: str) -> list[str]:
        return [EMULATOR, "-cpu", *call_cycles.MODELS["s390x"][VERSIONS[version][2]]]

    def lines(self, function: str) -> dict[int, tuple[int, str]]:
        """Return the line and the mnemonic of each instruction, by its address, from Go's disassembler."""
        text = execute("go", "tool", "objdump", "-s", f"^{PACKAGE}/poly1305.{function}", self.path)
        rows = re.findall(r"^ +\S+:(\d+)\t+0x([0-9a-f]+)\t+[0-9a-f]+\t+(\S+)", text, re.M)
        return {int(address, 16): (int(line), mnemonic) for line, address, mnemonic in rows}

    def trace(self, version: str, length_bytes: int) -> list[int]:
        """Return the addresses of the instructions that a call executes, in order."""
        function = VERSIONS[version][0]
        begin = min(self.lines(function))
        call = execute("go", "tool", "objdump", "-s", f"^{PACKAGE}/poly1305.Sum$", self.path)
        rows = re.findall(r"\t0x([0-9a-f]+)\t+([0-9a-f]+)\t+CALL \S+\.(\w+)\.abi0", call)
        (after,) = (int(address, 16) + len(code) // 2 for address, code, name in rows if name == function)
        options = ["-calls", CALLS, "-length", length_bytes]
        _, blocks = instructions.run_counted(self.emulator(version), self.path, *options, traced=(begin, after))
        return [address for block, _ in blocks for address in block]

    def macros(self, version: str, trace: list[int]) -> list[str]:
        """Return the macro of each instruction that was executed."""
        function, file, _ = VERSIONS[version]
        lines = self.lines(function)
        macros = macros_of((self.folder / file).read_text(encoding="utf-8"))
        return [macros.get(lines[address][0], OTHER) for address in trace]

    def counts(self, version: str, trace: list[int]) -> dict:
        """Count the instructions that were executed by macro and phase."""
        lines, macros = self.lines(VERSIONS[version][0]), self.macros(version, trace)
        return {
            "instructions": len(trace),
            "multiplications": sum(multiplies(lines[address][1]) for address in trace),
            "phases": by_phase([1] * len(macros), macros),
            "macros": dict(Counter(macros).most_common()),
        }

    def cycles(self, version: str, trace: list[int]) -> dict:
        """Return the call's cycles by the model. A cycle is of the phase of the first instruction that has not retired at
        its end, as in a profile, which the paper's figure 5 is."""
        architecture = SimpleNamespace(name="s390x", triple=TRIPLE, command=[EMULATOR])
        program = call_cycles.Program(architecture, self.path, MODEL)
        texts = program.disassembled(trace)
        call = [texts[address] for address in trace]
        all_cycles = program.modelled(call)
        said, _ = program.mca(call, "-timeline", "-timeline-max-cycles=0", "-timeline-max-iterations=1")
        rows = [row for row in said.splitlines() if row.startswith("[0,")]
        if all_cycles.unknown or len(rows) != len(trace):
            sys.exit(f"{version}: llvm-mca leaves out instructions")
        # A column is a cycle; in the first row, D stands in the first one.
        margin, spent, before = rows[0].index("D"), [], 0
        for row in rows:
            retired = row.index("R") - margin + 1
            spent.append(max(0, retired - before))
            before = max(before, retired)
        return {"cycles": all_cycles.total, "phase cycles": by_phase(spent, self.macros(version, trace))}

    def checked(self, version: str, inputs: Path) -> dict:
        """Compare the tags with those of the study's inputs."""
        with inputs.open("rb") as file:
            command = [*self.emulator(version), str(self.path)]
            return json.loads(subprocess.run(command, stdin=file, check=True, stdout=subprocess.PIPE).stdout)


def results(length_bytes: int, inputs: Path) -> dict:
    original = Original()
    found = {"module": f"{PACKAGE}@{original.version}", "go": execute("go", "version").strip()}
    for version, (function, _, _) in VERSIONS.items():
        trace = original.trace(version, length_bytes)
        found[version] = {
            "function": function,
            "check": original.checked(version, inputs),
            **original.counts(version, trace),
            **original.cycles(version, trace),
        }
    return found
