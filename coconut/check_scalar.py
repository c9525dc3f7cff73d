# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare the tables of the scalar architectures with CPUs, here or emulated, on edge operands.

Each form of an instruction is a program: it puts the operands where the instruction takes them, runs it, and stores the
result, with the carry, or both words of a product. Flags and products that the table does not list as overwritten must
still be there.
"""

from dataclasses import dataclass, field

from coconut.architecture import Architecture
from coconut.architectures.scalar import FLAGS, PRODUCT, ScalarSyntax, Template
from coconut.compilers import build, run
from coconut.describe import BUILD, HERE
from coconut.graph import MEMORY, Graph, Node
from coconut.instructions import Memory, Op
from coconut.operations import WORD_MAX
from coconut.program import Program, simulate
from coconut.registers import allocate
from coconut.scalar_function import framed
from coconut.simulate import Broken, Sample

# The number of words of operands, of which the last ones are zeros, and the index of a zero; results follow them.
WORDS, ZERO = 8, 7


@dataclass
class Form:
    """An instruction, with what runs before and after it."""

    architecture: Architecture
    instruction: Template
    imm: int | None
    ops: list[Op] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        taken = dict(self.instruction.takes)
        table = self.architecture.instructions
        self.flags = next((name for name in ("adds", "add") if name in table and FLAGS in table[name].gives), None)
        self.factor = next((name for name in ("to_ax", "to_odd") if name in table), None)
        destroyed = {*self.instruction.gives, *self.instruction.destroys}
        held: dict[str, int] = {}
        # The product comes first, because some multiplications set flags.
        if self.factor is not None:
            held[PRODUCT] = self.emit("mul", self.emit(self.factor, self.load(4)), self.load(5))
        if self.flags is not None:
            held[FLAGS] = self.emit(self.flags, self.load(2), self.load(3))
        count = self.instruction.operands - bool(self.instruction.memory)
        args = [held[taken[i]] if i in taken else self.load(i) for i in range(count)]
        place = Memory("powers", 8) if self.instruction.memory else None
        result = self.emit(self.instruction.name, *args, imm=self.imm, memory=place)
        for name in self.instruction.gives:
            held[name] = result
        if not self.instruction.hidden:
            self.outputs.append(result)
        if FLAGS in held and FLAGS not in destroyed - set(self.instruction.gives):
            self.outputs.append(self.carry(held[FLAGS]))
        if PRODUCT in held and PRODUCT not in destroyed - set(self.instruction.gives):
            whole = PRODUCT not in self.instruction.gives or self.instruction.name.startswith("mul")
            self.outputs += [self.emit(name, held[PRODUCT]) for name in ("take_lo", "take_hi")[: 1 + whole]]

    def emit(self, name: str, *args: int, imm: int | None = None, memory: Memory | None = None) -> int:
        self.ops.append(Op(self.architecture.instructions[name], args, imm, memory))
        return len(self.ops) - 1

    def load(self, word: int) -> int:
        return self.emit("load", memory=Memory("powers", 8 * word))

    def carry(self, flags: int) -> int:
        """Emit the carry as a number."""
        if "adc_zero" in self.architecture.instructions:
            return self.emit("adc_zero", self.load(ZERO), flags)
        if "adc_number" in self.architecture.instructions:
            return self.emit("adc_number", self.load(ZERO), flags, imm=0)
        return self.emit("adc", self.load(ZERO), flags, self.load(ZERO))

    def program(self) -> Program:
        nodes = tuple(Node("input", (), (MEMORY,), WORD_MAX, f"word {i}") for i in range(WORDS))
        graph = Graph("instructions", 1, self.instruction.name, 0, nodes)
        outputs = tuple((f"result {i}", value) for i, value in enumerate(self.outputs))
        return Program(self.architecture, graph, (0,), (), (), tuple(self.ops), outputs, ())


def forms(architecture: Architecture) -> list[Form]:
    result = []
    for instruction in architecture.instructions.values():
        assert isinstance(instruction, Template)
        for imm in instruction.edges if instruction.immediate else (None,):
            result.append(Form(architecture, instruction, imm))
    return result


def text(name: str, program: Program, syntax: ScalarSyntax) -> str:
    registers = allocate(program, {}).registers
    lines = [syntax.text(op, [registers[arg] for arg in op.args], registers[i]) for i, op in enumerate(program.ops)]
    lines += [
        syntax.store(registers[value], Memory("powers", 8 * (WORDS + i)))
        for i, (_, value) in enumerate(program.outputs)
    ]
    return framed(name, syntax, lines)


def check_scalar(architecture: Architecture, edges: tuple[int, ...]) -> int:
    """Check the instructions of an architecture, and return how many results agree."""
    syntax = architecture.gnu
    assert isinstance(syntax, ScalarSyntax)
    checked = forms(architecture)
    programs = [form.program() for form in checked]
    # Pair every edge with every other; further operands have the edges in other orders.
    rows = [
        tuple(
            edges[(i * (k + 1) + j * (5 * k + 2) // 2 + k) % len(edges)] if k > 1 else (edges[i], edges[j])[k]
            for k in range(6)
        )
        + (0, 0)
        for i in range(len(edges))
        for j in range(len(edges))
    ]
    name = f"instructions-{architecture.name}"
    table, source, binary = (BUILD / f"{name}.{suffix}" for suffix in ("h", "S", "bin"))
    BUILD.mkdir(parents=True, exist_ok=True)
    table.write_text("".join(f"INSTRUCTION(check_{i}, 2, {len(rows)})\n" for i in range(len(programs))))
    source.write_text("".join(text(f"check_{i}", program, syntax) for i, program in enumerate(programs)))
    options = [f'-DINSTRUCTIONS="{table}"', f"-DELEMENTS={WORDS}"]
    build(architecture, "gcc", binary, [HERE / "lines" / "instructions.c", source], options)
    order = "big" if architecture.big_endian else "little"
    given = b"".join(number.to_bytes(8, order) for row in rows for number in row + (0,) * (2 * WORDS))
    ran = run(architecture, [str(binary)], input=given * len(programs))
    if ran.returncode != 0 or len(ran.stdout) != 8 * WORDS * len(rows) * len(programs):
        raise Broken(f"{architecture.name}: the program that runs its instructions fails: {ran.returncode}")
    results = iter(int.from_bytes(ran.stdout[i : i + 8], order) for i in range(0, len(ran.stdout), 8))
    for form, program in zip(checked, programs, strict=True):
        for row in rows:
            sample = Sample("", 0, b"", {f"word {i}": (number,) for i, number in enumerate(row)}, {})
            values = simulate(program, sample)
            expected = [values[value][0] for value in form.outputs]
            found = [next(results) for _ in range(WORDS)][: len(expected)]
            if found != expected:
                raise Broken(
                    f"{architecture.name}: {form.instruction.name}, immediate {form.imm}, on "
                    f"{' '.join(map(hex, row))}: the CPU says {' '.join(map(hex, found))}, "
                    f"the table {' '.join(map(hex, expected))}"
                )
    return len(rows) * len(programs)
