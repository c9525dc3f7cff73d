#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Cycles that inner loops of the kernels take per 64 bytes, from llvm-mca's models of other CPUs than this machine's.

    cycles.py [NAME...]                        a Markdown table; all architectures, or those named
    cycles.py --write                          into results.md, of all
    cycles.py --of NAME COMPILER KERNEL CPU    the loops of a kernel as passed to llvm-mca, and its output

An inner loop is the code from the target of a backward branch to the branch. It multiplies, and contains no other such
loop. It is timed as if no other branch in it were taken and all its loads hit L1. The bytes per iteration are the
amount by which the pointer to the message advances: of the registers that the loop loads from and does not store to,
the largest amount added, if that is a power of two and at least 16. If a register is added instead, no figure is given.
"""

import re
import sys
import tempfile
from pathlib import Path

from architectures import Architecture, execute, per_compiler, printed_by, replace_tables, table_row

# The CPUs that llvm-mca 19 has models of, and the kernels that they cannot run.
CPUS = {
    "aarch64": {"neoverse-v2": [], "neoverse-n1": [], "cortex-a72": [], "cortex-a55": [], "apple-m1": []},
    "s390x": {"z13": ["vmsl"], "z14": []},
    "ppc64le": {"pwr9": []},
    "riscv64": {"sifive-p670": []},
    "rvv128": {"sifive-p670": ["scalar64"]},
}

# Matches mnemonics of all these architectures.
MULTIPLIES = re.compile(r"mul|ml|mad|macc|umaal|vm[aeo]|ms[lgu]")
NO_BRANCH = re.compile(r"(adrp?|bl|blx|brasl?|jal|l[a-z]*rl?|exrl)$")
# Instructions that do not write the register that they name first, or write nothing that is tracked here.
STORES = re.compile(r"v?st|vs+e\d|s[bhwd]$")
READS_ONLY = re.compile(STORES.pattern + r"|cmp|c[gl]*[hr]|[bj]|cb|tb|v|x|lv|lxv|ld1|nop")
MOVES = {"mov", "mr", "lgr", "mv"}
# Stores to and loads from memory, where a pointer may be kept temporarily.
SPILLS = {"str", "stg", "std", "sd"}
RELOADS = {"ldr", "lg", "ld"}
# The base register, and the amount by which it advances: [x1], #16; [r1]!, where the list of d registers gives the
# amount.
POST_INDEX = re.compile(r"\[(\w+)\], #(-?(?:0x[0-9a-f]+|\d+))$")
WRITE_BACK = re.compile(r"\{(.*)\}, \[(\w+)(?::\d+)?\]!$")
# The forms in which objdump names registers: x1, sp, r1, %r1, a1.
REGISTER = re.compile(r"%?[a-z]+\d*$")
TARGET = re.compile(r"\b(?:0x)?([0-9a-f]+) <[^>]*>$")
# A bit of POWER's condition register, as objdump names it among operands: 4*cr7+lt, or gt.
CONDITIONS = ["lt", "gt", "eq", "so"]
CONDITION_BIT = re.compile(r"(?<=[ ,])(?:4\*cr(\d)\+)?(lt|gt|eq|so)(?=,|$)")
TURNS = 200


class Instruction:
    """A line of objdump's output."""

    def __init__(self, address: int, text: str) -> None:
        self.address = address
        self.text = re.sub(r"\s*(;|//|#\s).*", "", text).replace("\t", " ")
        self.mnemonic, _, operands = self.text.partition(" ")
        self.operands = re.split(r",\s*(?![^(\[{]*[)\]}])", operands.strip())
        found = TARGET.search(self.text)
        self.target = int(found[1], 16) if found and not NO_BRANCH.match(self.mnemonic) else None
        self.multiplies = MULTIPLIES.search(self.mnemonic) is not None


class Loop:
    """An inner loop of a function."""

    def __init__(self, function: str, instructions: list[Instruction]) -> None:
        self.function = function
        self.instructions = instructions
        self.multiplications = sum(instruction.multiplies for instruction in instructions)
        self.turn_bytes = turn_bytes(instructions)

    def assembly(self, triple: str) -> str:
        """Return the loop in the form that llvm-mca takes, with a label for each address that is used."""
        labels = {int(found[1], 16) for found in (TARGET.search(line.text) for line in self.instructions) if found}
        lines = []
        for line in self.instructions:
            if line.address in labels:
                lines.append(f".L{line.address:x}:")
            lines.append("\t" + for_llvm(triple, line.text))
        within = {line.address for line in self.instructions}
        return "\n".join(lines + [f".L{label:x}:" for label in sorted(labels - within)]) + "\n"


def for_llvm(triple: str, text: str) -> str:
    """Convert objdump's output to the syntax that LLVM reads."""
    text = TARGET.sub(r".L\1", text)
    if triple.startswith("powerpc"):
        text = CONDITION_BIT.sub(lambda bit: str(4 * int(bit[1] or 0) + CONDITIONS.index(bit[2])), text)
        text = re.sub(r"\b(r|f|v|vs|cr)(\d+)\b", r"%\1\2", text)
        text = re.sub(r"^xxmr +([^,]*),(.*)", r"xxlor \1,\2,\2", text)
    elif triple.startswith("s390x"):
        # llvm-mca 19 crashes on these two calls, and not on this one.
        text = re.sub(r"^brasl? +(%r\d+),.*", r"basr \1,%r15", text)
    return text


def turn_bytes(instructions: list[Instruction]) -> int:
    """Return the bytes of the message that an iteration processes, or 0 if no register shows it. Tracks each
    register as the value of some register at the start of the iteration, plus a number."""
    now: dict[str, tuple[str, int] | None] = {}
    loaded, stored = set(), set()

    def value(register: str) -> tuple[str, int] | None:
        return now.get(register, (register, 0))

    def moved(register: str, amount: int) -> tuple[str, int] | None:
        before = value(register)
        return before and (before[0], before[1] + amount)

    for line in instructions:
        operands = line.operands
        # Memory operands are [x1, #16] or 16(r1), and on POWER the sum of the last two of three registers.
        bases = re.findall(r"[(\[,](%?[a-z]+\d*)(?=[],:)])", line.text)
        if re.match(r"lv|lxv|stxv|stv", line.mnemonic):
            bases += operands[1:]
        (stored if STORES.match(line.mnemonic) else loaded).update(
            origin[0] for origin in map(value, bases) if origin is not None
        )
        number = re.fullmatch(r"#?(-?(?:0x[0-9a-f]+|\d+))", operands[-1])
        address = re.fullmatch(r"(-?\d+)\((%?\w+)\)", operands[-1])
        post_index, write_back = POST_INDEX.search(line.text), WRITE_BACK.search(line.text)
        if line.mnemonic in SPILLS:
            now[operands[1]] = value(operands[0])
        elif line.mnemonic in RELOADS and operands[1] in now:
            now[operands[0]] = value(operands[1])
        elif line.mnemonic in MOVES and len(operands) == 2 and REGISTER.match(operands[1]):
            now[operands[0]] = value(operands[1])
        elif re.match(r"add|ag|sub", line.mnemonic) and number is not None:
            amount = int(number[1], 0) * (-1 if line.mnemonic.startswith("sub") else 1)
            now[operands[0]] = moved(operands[-2], amount)
        elif line.mnemonic in {"la", "lay"} and address is not None:
            now[operands[0]] = moved(address[2], int(address[1]))
        elif not READS_ONLY.match(line.mnemonic):
            for register in operands[: 2 if line.mnemonic in {"ldp", "ldpsw"} else 1]:
                now[register] = None
        if post_index is not None:
            now[post_index[1]] = moved(post_index[1], int(post_index[2], 0))
        elif write_back is not None:
            now[write_back[2]] = moved(write_back[2], 8 * registers_in(write_back[1]))
        elif re.match(r"ldu|lwzu|stdu", line.mnemonic) and address is not None:
            now[address[2]] = moved(address[2], int(address[1]))
    advances = [now[register][1] for register in loaded - stored if now.get(register) and now[register][0] == register]
    return max((advance for advance in advances if advance >= 16 and advance.bit_count() == 1), default=0)


def registers_in(names: str) -> int:
    """Return the number of 64-bit registers in an Arm register list: d16-d19, or d16, d17."""
    first, _, last = names.partition("-")
    return int(last[1:]) - int(first[1:]) + 1 if last else len(names.split(","))


def link(architecture: Architecture, compiler: str) -> Path:
    """Link the library into one file, with unresolved symbols, because RISC-V branches show their targets only then."""
    objects = architecture.objects(compiler)
    file = architecture.folder / compiler / "linked"
    execute(f"{architecture.triple}-ld", "-e", "0", "--unresolved-symbols=ignore-all", "-o", file, *objects)
    return file


def loops_of(triple: str, file: Path, kernel: str) -> list[Loop]:
    """Return the inner loops of the functions of a kernel."""
    loops = []
    function, body = "", []

    def end_function() -> None:
        at = {line.address: number for number, line in enumerate(body)}
        if not re.search(rf"_{kernel}\b", function):
            return
        spans = [
            (at[line.target], number)
            for number, line in enumerate(body)
            if line.target in at and at[line.target] <= number
        ]
        spans = [span for span in spans if any(line.multiplies for line in body[span[0] : span[1] + 1])]
        for start, end in spans:
            if not any(start <= other[0] and other[1] <= end and other != (start, end) for other in spans):
                loops.append(Loop(function, body[start : end + 1]))

    # GNU objdump decodes RISC-V's vectors only in files that require them throughout.
    riscv = triple.startswith("riscv64-")
    disassembler = ["llvm-objdump-19", "--mattr=+v"] if riscv else [f"{triple}-objdump"]
    for line in execute(*disassembler, "-d", "--no-show-raw-insn", file).splitlines():
        if heading := re.match(r"[0-9a-f]+ <([^>]*)>:$", line):
            # A local label is not a function.
            if not heading[1].startswith("."):
                end_function()
                function, body = heading[1], []
        elif found := re.match(r"\s*([0-9a-f]+):\s+(\S.*)", line):
            body.append(Instruction(int(found[1], 16), found[2]))
    end_function()
    return loops


def mca(triple: str, cpu: str, loop: Loop, turns: int, *options: str) -> str:
    """Return the output of llvm-mca."""
    with tempfile.NamedTemporaryFile("w", suffix=".s") as file:
        file.write(loop.assembly(triple))
        file.flush()
        return execute("llvm-mca-19", f"-mtriple={triple}", f"-mcpu={cpu}", f"-iterations={turns}", *options, file.name)


def cycles(triple: str, cpu: str, loop: Loop) -> float:
    """Return the steady-state cycles per iteration, from llvm-mca."""
    totals = [
        int(re.search(r"^Total Cycles: *(\d+)", mca(triple, cpu, loop, turns), re.MULTILINE)[1])
        for turns in (TURNS, 2 * TURNS)
    ]
    return (totals[1] - totals[0]) / TURNS


# The prefixes of the names of functions that absorb one message, and what an iteration of their loops processes.
FUNCTIONS = {
    "serial": "one block after another",
    "absorb_by_2": "two groups",
    "absorb_by_4": "four groups",
    "absorb_by_whole_table": "a group, from a table",
    "absorb_many": "summed",
}


def quickest(triple: str, file: Path, kernel: str, cpu: str) -> dict[str, float]:
    """Return the cycles per 64 bytes of the fastest loop of each function."""
    best: dict[str, float] = {}
    for loop in loops_of(triple, file, kernel):
        name = next((name for name in FUNCTIONS if loop.function.startswith(f"poly1305_{name}_")), None)
        if name is not None and loop.turn_bytes != 0:
            figure = cycles(triple, cpu, loop) * 64 / loop.turn_bytes
            best[name] = min(best.get(name, figure), figure)
    return best


def table(names: list[str]) -> None:
    architectures = [Architecture(name, list(CPUS)) for name in names]
    header = ["", "", *FUNCTIONS.values()]
    print(table_row(header))
    print("|---" * len(header) + "|")
    for architecture in architectures:
        files = [link(architecture, compiler) for compiler in architecture.compilers]
        for cpu, unable in CPUS[architecture.name].items():
            for kernel in [kernel for kernel in architecture.kernels if kernel not in unable]:
                best = [quickest(architecture.triple, file, kernel, cpu) for file in files]
                cells = [
                    per_compiler([f"{of[name]:.0f}" if name in of else "-" for of in best])
                    if any(name in of for of in best)
                    else ""
                    for name in FUNCTIONS
                ]
                print(table_row([cpu, f"`{kernel}`", *cells]), flush=True)


def account(name: str, compiler: str, kernel: str, cpu: str) -> None:
    architecture = Architecture(name, list(CPUS))
    for loop in loops_of(architecture.triple, link(architecture, compiler), kernel):
        print(
            f"{loop.function}: {len(loop.instructions)} instructions, {loop.multiplications} of which multiply, for "
            f"{loop.turn_bytes or 'an unknown number of'} bytes: {cycles(architecture.triple, cpu, loop):.1f} cycles"
        )
        print(mca(architecture.triple, cpu, loop, TURNS))


def main() -> None:
    arguments = sys.argv[1:]
    if len(arguments) == 5 and arguments[0] == "--of":
        account(*arguments[1:])
    elif arguments == ["--write"]:
        replace_tables("Cycles for 64 bytes, by llvm-mca", printed_by(lambda: table(list(CPUS))))
    elif not any(argument.startswith("-") for argument in arguments):
        table(arguments or list(CPUS))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
