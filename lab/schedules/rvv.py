# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe RISC-V's vectors (RVV 1.0), of any length: as many 64-bit lanes as a register holds.

One code serves every length: all addresses are a whole number of vectors from a pointer, and the length of a vector in
bytes is read at run time. Selection, though, is for a number of lanes; emission checks that the code comes out the
same.
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from coconut.architecture import Architecture
from coconut.assembler import Assembler
from coconut.functions import SingleBlock
from coconut.graph import Node
from coconut.instructions import Instruction, Memory, elements, identity, table
from coconut.program import Program
from coconut.select import Selector

# Numbers of general registers.
# STRIDE: 16, from block to block. SECOND: the address of the message's second words. ADVANCE: the bytes of an iteration.
# MULTIPLES: multiples of a vector's bytes, from 1 up. POWERS: the addresses of every eighth power, from the second such
# on. WIDE_SHIFTS: shifts above 31, and the registers that hold the counts.
POINTERS = {"state": 10, "powers": 11, "message": 12, "constants": 14}
COUNTER, STRIDE, ADDRESS, SECOND, ADVANCE = 13, 5, 6, 7, 15
MULTIPLES = (16, 17, 28, 29, 30, 18, 19)
POWERS = (20, 21, 22, 23)
WIDE_SHIFTS = {40: 24, 52: 25}


def load(name: str, mnemonic: str, count: str, **options: Any) -> Instruction:
    gnu, go = (f", x{count}", f", X{count}") if count else ("", "")
    return Instruction(
        name,
        1,
        identity,
        memory="only",
        gnu=f"{mnemonic} v{{d}}, {{m}}{gnu}",
        go=f"{mnemonic.replace('.', '').upper()} {{m}}{go}, V{{d}}",
        **options,
    )


def shift(name: str, function: Callable[[int, int], int]) -> list[Instruction]:
    """Return a shift by an immediate number, and those by registers."""
    shifts = [
        Instruction(
            f"{name}.vi", 1, elements(lambda imm, a: function(a, imm)), immediate=True, edges=(1, 2, 12, 26, 31)
        )
    ]
    return shifts + [
        Instruction(
            f"{name}{bits}",
            1,
            elements(lambda imm, a, bits=bits: function(a, bits)),
            gnu=f"{name}.vx v{{d}}, v{{0}}, x{register}",
            go=f"{name.upper()}VX X{register}, V{{0}}, V{{d}}",
        )
        for bits, register in WIDE_SHIFTS.items()
    ]


INSTRUCTIONS = table(
    load("vle64.v", "vle64.v", ""),
    load("blocks", "vlse64.v", str(STRIDE), stride=16),
    Instruction("store", 1, identity, memory="only", stores=True, gnu="vse64.v v{0}, {m}", go="VSE64V V{0}, {m}"),
    Instruction("copy", 1, identity, gnu="vmv1r.v v{d}, v{0}", go="VMV1RV V{0}, V{d}"),
    # There is one word for each constant.
    load("constant", "vlse64.v", "0", low="operand"),
    Instruction("vadd.vv", 2, elements(lambda imm, a, b: a + b)),
    Instruction("vand.vv", 2, elements(lambda imm, a, b: a & b)),
    Instruction("vor.vv", 2, elements(lambda imm, a, b: a | b)),
    *shift("vsll", operator.lshift),
    *shift("vsrl", operator.rshift),
    Instruction("vmul.vv", 2, elements(lambda imm, a, b: a * b)),
    Instruction("vmacc.vv", 3, elements(lambda imm, d, a, b: d + a * b), accumulates=True),
)


class Rvv(Selector):
    """Select RVV. Products of 32 by 32 bits are those of 64-bit elements that hold no more, and are exact."""

    simple = {"and": "vand.vv", "or": "vor.vv"}

    def value(self, i: int) -> int:
        node = self.graph.nodes[i]
        if node.op == "splat":
            return self.keep(node.imm * self.graph.lanes)
        if node.in_memory:
            return self.load(self.places[i])
        return self.values[i]

    def binary(self, name: str, node: Node) -> int:
        return self.emit(name, *map(self.value, node.args))

    def select_add(self, node: Node) -> int:
        product = self.added_product(node)
        if product is None:
            return self.binary("vadd.vv", node)
        total = node.args[0] if product == node.args[1] else node.args[1]
        return self.emit("vmacc.vv", self.value(total), *map(self.value, self.graph.nodes[product].args))

    def added_product(self, node: Node) -> int | None:
        """Return the operand of a sum that is a product with no other use, which the sum computes; of two, the second."""
        if node.op != "add" or node.args[0] == node.args[1]:
            return None
        products = [arg for arg in node.args if self.graph.nodes[arg].op == "mul32" and len(self.users[arg]) == 1]
        return products[-1] if products else None

    def select_mul32(self, node: Node) -> int:
        """Select nothing for a product that a sum computes."""
        for arg in node.args:
            self.check_bits(arg, 32)
        user = self.graph.nodes[self.users[self.node][0]]
        if self.added_product(user) == self.node:
            return 0
        return self.binary("vmul.vv", node)

    def shift(self, name: str, node: Node) -> int:
        bits, value = node.imm[0], self.value(node.args[0])
        return self.emit(name + ".vi", value, imm=bits) if bits < 32 else self.emit(f"{name}{bits}", value)

    def select_shl(self, node: Node) -> int:
        return self.shift("vsll", node)

    def select_shr(self, node: Node) -> int:
        return self.shift("vsrl", node)

    def select_load_lo(self, node: Node) -> int:
        first, stride = node.imm
        assert stride == self.architecture.instructions["blocks"].stride
        return self.load(Memory("message", first), "blocks")

    def select_load_hi(self, node: Node) -> int:
        first, stride = node.imm
        assert stride == self.architecture.instructions["blocks"].stride
        return self.load(Memory("message", first + 8), "blocks")


def operands(instruction: Instruction) -> list[str]:
    names = [f"v{{{i}}}" for i in range(instruction.accumulates, instruction.operands)]
    return ["v{d}", *names, *(["{i}"] if instruction.immediate else [])]


def gnu_default(instruction: Instruction, kind: str) -> str:
    return f"{instruction.name} {', '.join(operands(instruction))}"


def go_default(instruction: Instruction, kind: str) -> str:
    """Return operands from the last to the first."""
    names = [name.replace("v", "V").replace("{i}", "${i}") for name in reversed(operands(instruction))]
    return f"{instruction.name.replace('.', '').upper()} {', '.join(names)}"


@dataclass(frozen=True)
class RvvAssembler(Assembler):
    """Compute addresses as sums of registers, because the length of vectors is read at run time."""

    vector_bytes: int = 16

    def x(self, number: int) -> str:
        return f"{'X' if self.is_go else 'x'}{number}"

    def add(self, to: int, a: int, b: int | str) -> str:
        immediate = isinstance(b, str)
        others = [self.x(a), f"{'$' * self.is_go}{b}" if immediate else self.x(int(b))]
        names = [*reversed(others), self.x(to)] if self.is_go else [self.x(to), *others]
        name = "addi" if immediate else "add"
        return f"{name.upper() if self.is_go else name} {', '.join(names)}"

    def address(self, place: Memory) -> tuple[list[str], str]:
        """Return what computes the address, and the register that then holds it."""
        vectors, offset = divmod(place.offset, self.vector_bytes)
        base = POINTERS[place.base]
        if place.base == "constants":
            return [self.add(ADDRESS, base, str(8 * vectors))], f"({self.x(ADDRESS)})"
        if place.base == "message" and offset == 8:
            base = SECOND
        elif offset != 0:
            raise ValueError(f"{offset} bytes into a vector, of unknown length")
        if place.base == "powers" and vectors >= 8:
            base = POWERS[vectors // 8 - 1]
            vectors %= 8
        if vectors == 0:
            return [], f"({self.x(base)})"
        return [self.add(ADDRESS, base, MULTIPLES[vectors - 1])], f"({self.x(ADDRESS)})"

    def shifted(self, to: int, a: int, bits: int) -> str:
        return f"SLLI ${bits}, X{a}, X{to}" if self.is_go else f"slli x{to}, x{a}, {bits}"

    def lengths(self, inputs: int, advance: int) -> list[str]:
        """Return what sets the registers that depend on the length of vectors."""
        one = MULTIPLES[0]
        # The bytes of an iteration are a power of two of vectors.
        vectors = advance // self.vector_bytes or 1
        assert vectors & (vectors - 1) == 0
        lines = [self.add(MULTIPLES[i], MULTIPLES[i - 1], one) for i in range(1, len(MULTIPLES))]
        for i in range(inputs // 8):
            before = POWERS[i - 1] if i else POINTERS["powers"]
            lines += [self.shifted(POWERS[i], one, 3), self.add(POWERS[i], POWERS[i], before)]
        lines.append(self.shifted(ADVANCE, one, vectors.bit_length() - 1))
        return [*lines, self.add(SECOND, POINTERS["message"], "8")]


# Callee-saved ones of the above.
SAVED = range(18, 26)


def assemblers(vector_bytes: int) -> dict[str, Any]:
    """Return GNU's assembler, for the ABI's calling convention, and Go's."""
    gnu = RvvAssembler(
        is_go=False,
        registers=tuple(str(i) for i in range(32)),
        pointers={base: f"x{number}" for base, number in POINTERS.items()},
        counters=(f"x{COUNTER}",),
        controls={
            "constants": "lla {register}, {name}_constants",
            "align": "",
            "advance": f"add x12, x12, x{ADVANCE}; add x{SECOND}, x{SECOND}, x{ADVANCE}",
            "again": "addi {counter}, {counter}, -1; bnez {counter}, {label}",
        },
        default=gnu_default,
        head=(
            ".option arch, +v",
            f"addi sp, sp, -{8 * len(SAVED)}",
            *(f"sd x{number}, {8 * i}(sp)" for i, number in enumerate(SAVED)),
            f"vsetvli x{ADDRESS}, x0, e64, m1, ta, ma",
            f"csrr x{MULTIPLES[0]}, vlenb",
            f"li x{STRIDE}, 16",
            *(f"li x{number}, {shift}" for shift, number in WIDE_SHIFTS.items()),
        ),
        tail=(
            *(f"ld x{number}, {8 * i}(sp)" for i, number in enumerate(SAVED)),
            f"addi sp, sp, {8 * len(SAVED)}",
            "ret",
        ),
        vector_bytes=vector_bytes,
    )
    go = RvvAssembler(
        is_go=True,
        registers=tuple(str(i) for i in range(32)),
        pointers={base: f"X{number}" for base, number in POINTERS.items()},
        counters=(f"X{COUNTER}",),
        controls={
            "argument": "MOV {name}+{offset}(FP), {register}",
            "constants": "MOV $·{name}Constants<>(SB), {register}",
            "align": "",
            "advance": f"ADD X{ADVANCE}, X12, X12; ADD X{ADVANCE}, X{SECOND}, X{SECOND}",
            "again": "ADDI $-1, {counter}, {counter}; BNEZ {counter}, {label}",
        },
        default=go_default,
        head=(
            f"VSETVLI X0, E64, M1, TA, MA, X{ADDRESS}",
            f"CSRRS X0, VLENB, X{MULTIPLES[0]}",
            f"MOV $16, X{STRIDE}",
            *(f"MOV ${shift}, X{number}" for shift, number in WIDE_SHIFTS.items()),
        ),
        tail=("RET",),
        comment="//",
        instructions=INSTRUCTIONS,
        vector_bytes=vector_bytes,
    )
    return {"gnu": gnu, "go": go}


def rvv(lanes: int) -> Architecture:
    return Architecture(
        name=f"rvv{lanes}",
        triple="riscv64",
        registers=32,
        vector_bytes=8 * lanes,
        cpus=("sifive-p670",),
        instructions=INSTRUCTIONS,
        selector=Rvv,
        load="vle64.v",
        load_constant="constant",
        **assemblers(8 * lanes),
        goarch="riscv64",
        replaces_sum=True,
        emulator=("qemu-riscv64", "-cpu", f"rv64,v=true,vlen={64 * lanes},vext_spec=v1.0"),
    )


RVV = {f"rvv{lanes}": rvv(lanes) for lanes in (2, 4, 8)}


@dataclass(frozen=True)
class ScalableBlock(SingleBlock):
    """A basic block by itself, whose code is the same for every vector length: of a constant, the table has one number."""

    @staticmethod
    def of(program: Program, name: str) -> "SingleBlock":
        block = SingleBlock.of(program, name)
        vectors = program.constant_vectors()
        if any(len(set(vector)) != 1 for vector in vectors):
            raise ValueError("a constant that differs from lane to lane")
        constants: dict[str, Sequence[int]] = {one: [vector[0] for vector in vectors] for one in block.constants}
        parameters = tuple(
            f"{parameter.split()[0]} *uint64" if "*[" in parameter else parameter for parameter in block.parameters
        )
        return ScalableBlock(name, block.blocks, parameters, block.description, constants, clears=block.clears)

    def body(self, assembler: Assembler) -> list[str]:
        assert isinstance(assembler, RvvAssembler)
        program = self.blocks[0].program
        return assembler.lengths(len(program.memory_inputs()), program.graph.advance) + super().body(assembler)


def single_block(program: Program, name: str) -> SingleBlock:
    return (ScalableBlock if program.graph.kernel in RVV else SingleBlock).of(program, name)
