# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe RISC-V's vectors (RVV 1.0), of any length: as many 64-bit lanes as a register holds.

One code serves every length: all addresses are a whole number of vectors from a pointer, and the length of a vector in
bytes is read at run time. Selection, though, is for a number of lanes; emission checks that the code comes out the
same.
"""

import re
from dataclasses import dataclass

from coconut.architecture import Architecture, GoSyntax, Syntax, go_begin, go_end
from coconut.graph import Node
from coconut.instructions import Instruction, Memory, Op, elements
from coconut.select import Selector

# Shifts above 31, and the general register that holds the count.
WIDE_SHIFTS = {40: 24, 52: 25}

INSTRUCTIONS = {
    instruction.name: instruction
    for instruction in (
        Instruction("vle64.v", 1, lambda imm, a: a, memory="only"),
        # With a stride, which is 16 for the blocks of a message.
        Instruction("vlse64.v", 1, lambda imm, a: a, memory="only"),
        Instruction("vadd.vv", 2, elements(lambda imm, a, b: a + b)),
        Instruction("vand.vv", 2, elements(lambda imm, a, b: a & b)),
        Instruction("vor.vv", 2, elements(lambda imm, a, b: a | b)),
        Instruction("vsll.vi", 1, elements(lambda imm, a: a << imm), immediate=True, edges=(1, 2, 12, 26, 31)),
        Instruction("vsrl.vi", 1, elements(lambda imm, a: a >> imm), immediate=True, edges=(1, 2, 12, 26, 31)),
        Instruction("vsll.vx", 1, elements(lambda imm, a: a << imm), immediate=True, edges=tuple(WIDE_SHIFTS)),
        Instruction("vsrl.vx", 1, elements(lambda imm, a: a >> imm), immediate=True, edges=tuple(WIDE_SHIFTS)),
        Instruction("vmul.vv", 2, elements(lambda imm, a, b: a * b)),
        Instruction("vmacc.vv", 3, elements(lambda imm, d, a, b: d + a * b), accumulates=True),
    )
}


class Rvv(Selector):
    """Select RVV. Products of 32 by 32 bits are those of 64-bit elements that hold no more, and are exact."""

    def value(self, i: int) -> int:
        node = self.graph.nodes[i]
        if node.op == "splat":
            return self.keep(node.imm * self.graph.lanes)
        if node.in_memory:
            return self.load("vle64.v", self.places[i])
        return self.values[i]

    def load(self, name: str, place: Memory) -> int:
        if place not in self.loaded:
            self.loaded[place] = self.emit(name, memory=place)
        return self.loaded[place]

    def binary(self, name: str, node: Node) -> int:
        return self.emit(name, *map(self.value, node.args))

    def select_add(self, node: Node) -> int:
        for total, product in (node.args, node.args[::-1]):
            if self.is_only_added(product):
                a, b = self.graph.nodes[product].args
                return self.emit("vmacc.vv", self.value(total), self.value(a), self.value(b))
        return self.binary("vadd.vv", node)

    def is_only_added(self, i: int) -> bool:
        """Return whether node i is a product with a single use, which may add it to a sum."""
        return self.graph.nodes[i].op == "mul32" and len(self.users[i]) == 1

    def select_mul32(self, node: Node) -> int:
        """Select nothing for a product that is only added: the sum computes it."""
        for arg in node.args:
            self.check_bits(arg, 32)
        user = self.graph.nodes[self.users[self.node][0]]
        if self.is_only_added(self.node) and user.op == "add" and len(set(user.args)) == 2:
            return 0
        return self.binary("vmul.vv", node)

    def select_and(self, node: Node) -> int:
        return self.binary("vand.vv", node)

    def select_or(self, node: Node) -> int:
        return self.binary("vor.vv", node)

    def shift(self, name: str, node: Node) -> int:
        return self.emit(name + (".vi" if node.imm[0] < 32 else ".vx"), self.value(node.args[0]), imm=node.imm[0])

    def select_shl(self, node: Node) -> int:
        return self.shift("vsll", node)

    def select_shr(self, node: Node) -> int:
        return self.shift("vsrl", node)

    def select_load_lo(self, node: Node) -> int:
        first, stride = node.imm
        return self.load("vlse64.v", Memory("message", first, stride=stride))

    def select_load_hi(self, node: Node) -> int:
        first, stride = node.imm
        return self.load("vlse64.v", Memory("message", first + 8, stride=stride))


# Numbers of general registers. SECOND: the address of the message's second words. ADVANCE: the bytes of an iteration.
# MULTIPLES: multiples of a vector's bytes, from 1 up. POWERS: the addresses of every eighth power, from the second such
# on.
POINTERS = {"state": 10, "powers": 11, "message": 12, "constants": 14}
TURNS, STRIDE, ADDRESS, SECOND, ADVANCE = 13, 5, 6, 7, 15
MULTIPLES = (16, 17, 28, 29, 30, 18, 19)
POWERS = (20, 21, 22, 23)


class RvvSyntax(Syntax):
    """Write what both assemblers have in common: instructions with operands from the result on.

    That includes the instructions on general registers.
    """

    def __init__(self, vector_bytes: int) -> None:
        self.vector_bytes = vector_bytes

    def line(self, name: str, *operands: str | int) -> str:
        """Return an instruction; numbers are immediates."""
        raise NotImplementedError

    def x(self, number: int) -> str:
        raise NotImplementedError

    def add(self, to: int, a: int, b: int) -> str:
        return self.line("add", self.x(to), self.x(a), self.x(b))

    def address(self, place: Memory) -> tuple[list[str], str]:
        """Return what computes the address, and the register that then holds it."""
        vectors, offset = divmod(place.offset, self.vector_bytes)
        base = POINTERS[place.base]
        if place.base == "constants":
            # There is one word for each constant.
            return [self.line("addi", self.x(ADDRESS), self.x(base), 8 * vectors)], self.x(ADDRESS)
        if place.base == "message" and offset == 8:
            base = SECOND
        elif offset != 0:
            raise ValueError(f"{offset} bytes into a vector, of unknown length")
        if place.base == "powers" and vectors >= 8:
            base = POWERS[vectors // 8 - 1]
            vectors %= 8
        if vectors == 0:
            return [], self.x(base)
        return [self.add(ADDRESS, base, MULTIPLES[vectors - 1])], self.x(ADDRESS)

    def text(self, op: Op, args: list[int], result: int) -> str:
        to, operands = f"v{result}", [f"v{number}" for number in args]
        if op.memory is not None:
            assert op.memory.stride == (16 if op.instruction.name == "vlse64.v" else 0)
            return self.loaded(op.instruction.name, to, op.memory, STRIDE)
        if op.instruction.accumulates:
            assert args[0] == result
            operands = operands[1:]
        if op.instruction.immediate:
            assert op.imm is not None
            shift: str | int = self.x(WIDE_SHIFTS[op.imm]) if op.instruction.name.endswith(".vx") else op.imm
            return self.line(op.instruction.name, to, *operands, shift)
        return self.line(op.instruction.name, to, *operands)

    def loaded(self, name: str, to: str, place: Memory, stride: int) -> str:
        lines, register = self.address(place)
        strided = [self.x(stride)] if name == "vlse64.v" else []
        return "\n".join([*lines, self.line(name, to, f"({register})", *strided)])

    def move(self, to: int, source: int) -> str:
        return self.line("vmv1r.v", f"v{to}", f"v{source}")

    def load(self, register: int, place: Memory) -> str:
        """Return a load. A constant is the same in all lanes, and is loaded with a stride of zero."""
        return self.loaded("vlse64.v" if place.base == "constants" else "vle64.v", f"v{register}", place, 0)

    def store(self, register: int, place: Memory) -> str:
        raise NotImplementedError

    def lengths(self, inputs: int, advance: int) -> list[str]:
        """Return what sets the registers that depend on the length of vectors."""
        one = MULTIPLES[0]
        powers = range(inputs // 8)
        # The bytes of an iteration are a power of two of vectors.
        vectors = advance // self.vector_bytes
        assert vectors & (vectors - 1) == 0
        return [
            *(self.add(MULTIPLES[i], MULTIPLES[i - 1], one) for i in range(1, len(MULTIPLES))),
            *(
                line
                for i in powers
                for line in (
                    self.line("slli", self.x(POWERS[i]), self.x(one), 3),
                    self.add(POWERS[i], POWERS[i], POWERS[i - 1] if i else POINTERS["powers"]),
                )
            ),
            self.line("slli", self.x(ADVANCE), self.x(one), vectors.bit_length() - 1),
            self.line("addi", self.x(SECOND), self.x(POINTERS["message"]), 8),
        ]

    def advance(self, advance: int) -> list[str]:
        return [self.add(base, base, ADVANCE) for base in (POINTERS["message"], SECOND)]


class Gnu(RvvSyntax):
    """Write GNU's assembler, for the ABI's calling convention."""

    # Callee-saved ones of the above.
    saved = range(18, 26)

    def x(self, number: int) -> str:
        return f"x{number}"

    def line(self, name: str, *operands: str | int) -> str:
        return f"\t{name} {', '.join(map(str, operands))}"

    def store(self, register: int, place: Memory) -> str:
        lines, address = self.address(place)
        return "\n".join([*lines, self.line("vse64.v", f"v{register}", f"({address})")])

    def begin(self, name: str, description: str, parameters: str, inputs: int, advance: int) -> list[str]:
        return [
            f"# {description}",
            ".option arch, +v",
            ".text",
            f".globl {name}",
            f".type {name}, @function",
            ".p2align 2",
            f"{name}:",
            f"\taddi sp, sp, -{8 * len(self.saved)}",
            *(f"\tsd x{number}, {8 * i}(sp)" for i, number in enumerate(self.saved)),
            f"\tlla x{POINTERS['constants']}, {name}_constants",
            f"\tvsetvli x{ADDRESS}, x0, e64, m1, ta, ma",
            f"\tcsrr x{MULTIPLES[0]}, vlenb",
            f"\tli x{STRIDE}, 16",
            *(f"\tli x{number}, {shift}" for shift, number in WIDE_SHIFTS.items()),
            *self.lengths(inputs, advance),
        ]

    def loop(self, name: str) -> list[str]:
        return [f".L{name}:"]

    def again(self, name: str) -> list[str]:
        return [f"\taddi x{TURNS}, x{TURNS}, -1", f"\tbnez x{TURNS}, .L{name}"]

    def end(self, name: str, words: list[int]) -> list[str]:
        return [
            *(f"\tld x{number}, {8 * i}(sp)" for i, number in enumerate(self.saved)),
            f"\taddi sp, sp, {8 * len(self.saved)}",
            "\tret",
            f".size {name}, . - {name}",
            ".section .rodata",
            ".p2align 3",
            f"{name}_constants:",
            *(f"\t.quad {word:#x}" for word in one_of_each(words, self.vector_bytes)),
            '.section .note.GNU-stack,"",@progbits',
        ]


def one_of_each(words: list[int], vector_bytes: int) -> list[int]:
    """Return the number of each vector, which has the same one in all lanes."""
    lanes = vector_bytes // 8
    numbers = words[::lanes]
    if words != [number for number in numbers for _ in range(lanes)]:
        raise ValueError("a constant that differs from lane to lane")
    return numbers


@dataclass(frozen=True)
class Scalar:
    """The content of a general register: a pointer, plus a number of vector lengths, plus bytes."""

    base: str = ""
    vectors: int = 0
    offset: int = 0

    def __add__(self, other: "Scalar") -> "Scalar":
        if self.base and other.base:
            raise ValueError("a sum of two pointers")
        return Scalar(self.base or other.base, self.vectors + other.vectors, self.offset + other.offset)


class Go(RvvSyntax, GoSyntax):
    """Write Go's assembler, with operands from the last to the first; reading back tracks the general registers."""

    def __init__(self, vector_bytes: int) -> None:
        super().__init__(vector_bytes)
        self.scalars: dict[str, Scalar] = {}

    def x(self, number: int) -> str:
        return f"X{number}"

    def line(self, name: str, *operands: str | int) -> str:
        result, *others = (f"${operand}" if isinstance(operand, int) else operand.upper() for operand in operands)
        # But an address comes before its stride.
        if not name.startswith("vl"):
            others.reverse()
        return f"\t{name.replace('.', '').upper()} {', '.join([*others, result])}"

    def store(self, register: int, place: Memory) -> str:
        lines, address = self.address(place)
        return "\n".join([*lines, f"\tVSE64V V{register}, ({address})"])

    def begin(self, name: str, description: str, parameters: str, inputs: int, advance: int) -> list[str]:
        return [
            *go_begin(name, description, parameters, "MOV", ("X10", "X11", "X12", f"X{TURNS}")),
            f"\tMOV $·{name}Constants(SB), X{POINTERS['constants']}",
            f"\tVSETVLI X0, E64, M1, TA, MA, X{ADDRESS}",
            f"\tCSRRS X0, VLENB, X{MULTIPLES[0]}",
            f"\tMOV $16, X{STRIDE}",
            *(f"\tMOV ${shift}, X{number}" for shift, number in WIDE_SHIFTS.items()),
            *self.lengths(inputs, advance),
        ]

    def loop(self, name: str) -> list[str]:
        return ["", f"loop{name}:"]

    def again(self, name: str) -> list[str]:
        return [f"\tADDI $-1, X{TURNS}, X{TURNS}", f"\tBNEZ X{TURNS}, loop{name}", ""]

    def end(self, name: str, words: list[int]) -> list[str]:
        return go_end(name, one_of_each(words, self.vector_bytes))

    def begin_reading(self) -> None:
        self.scalars = {"X0": Scalar()}

    def follow(self, mnemonic: str, operands: list[str]) -> None:
        """Track an instruction on general registers; a result that it leaves unknown cannot be an address."""
        arguments = {"t+0(FP)": "state", "powers+8(FP)": "powers", "message+16(FP)": "message"}
        to, sources = operands[-1], operands[:-1]
        values = [
            Scalar(offset=int(source[1:])) if re.match(r"\$-?\d+$", source) else self.scalars.get(source)
            for source in sources
        ]
        value = None
        if mnemonic == "MOV" and sources[0] in arguments:
            value = Scalar(arguments[sources[0]])
        elif mnemonic == "MOV" and sources[0].startswith("$·"):
            value = Scalar("constants")
        elif mnemonic == "CSRRS" and sources == ["X0", "VLENB"]:
            value = Scalar(vectors=1)
        elif mnemonic == "MOV":
            value = values[0]
        elif mnemonic in {"ADD", "ADDI"} and values[0] is not None and values[1] is not None:
            value = values[0] + values[1]
        elif mnemonic == "SLLI" and values[1] is not None and not values[1].base:
            times = 1 << int(sources[0][1:])
            value = Scalar("", values[1].vectors * times, values[1].offset * times)
        self.scalars.pop(to, None)
        if value is not None:
            self.scalars[to] = value

    def vector(self, operand: str) -> int | None:
        found = re.match(r"V(\d+)$", operand)
        return int(found[1]) if found else None

    def memory(self, operand: str, broadcast: bool = False) -> Memory | None:
        found = re.match(r"\((X\d+)\)$", operand)
        place = self.scalars.get(found[1]) if found else None
        if place is None or not place.base:
            return None
        if place.base == "constants":
            return Memory("constants", place.offset // 8 * self.vector_bytes)
        return Memory(place.base, place.vectors * self.vector_bytes + place.offset)

    def words_of_vectors(self, words: dict[int, int]) -> dict[int, int]:
        lanes = self.vector_bytes // 8
        return {offset * lanes + 8 * i: word for offset, word in words.items() for i in range(lanes)}

    def read(self, mnemonic: str, operands: list[str], values: dict[int, int]) -> Op | None:
        names = {name.replace(".", "").upper(): name for name in INSTRUCTIONS}
        instruction = INSTRUCTIONS.get(names.get(mnemonic, ""))
        if instruction is None:
            return None
        sources, imm, place = operands[:-1], None, None
        if instruction.memory:
            place = self.memory(sources[0]) if sources else None
            strided = len(sources) == 2
            stride = self.scalars.get(sources[1]) if strided else Scalar(offset=8)
            if place is None or stride is None or stride.base or stride.vectors or strided != ("VLSE" in mnemonic):
                return None
            same = strided and stride.offset == 0
            return Op(instruction, (), None, Memory(place.base, place.offset, same, stride.offset))
        if instruction.immediate:
            shift = Scalar(offset=int(sources[0][1:])) if sources[0].startswith("$") else self.scalars.get(sources[0])
            if shift is None or shift.base or shift.vectors:
                return None
            imm, sources = shift.offset, sources[1:]
        sources.reverse()
        if instruction.accumulates:
            sources.insert(0, operands[-1])
        registers = [register for source in sources if (register := self.vector(source)) in values]
        if len(registers) != len(sources) or len(sources) != instruction.operands:
            return None
        return Op(instruction, tuple(values[register] for register in registers), imm)


def rvv(lanes: int) -> Architecture:
    return Architecture(
        name=f"rvv{lanes}",
        triple="riscv64",
        registers=32,
        vector_bytes=8 * lanes,
        cpus=("sifive-p670",),
        features=(),
        instructions=INSTRUCTIONS,
        alternatives={},
        selector=Rvv,
        order=lambda lanes: tuple(range(lanes)),
        load="vle64.v",
        gnu=Gnu(8 * lanes),
        go=Go(8 * lanes),
        goarch="riscv64",
        replaces_sum=True,
        scalable=True,
        emulator=("qemu-riscv64", "-cpu", f"rv64,v=true,vlen={64 * lanes},vext_spec=v1.0"),
    )


RVV = {f"rvv{lanes}": rvv(lanes) for lanes in (2, 4, 8)}
