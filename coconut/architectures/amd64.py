# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Describe x86-64: AVX2, and AVX-512 IFMA in 256 and in 512 bits."""

from collections.abc import Callable, Sequence
from typing import Any

from coconut.architecture import Architecture
from coconut.assembler import Assembler
from coconut.graph import Node
from coconut.instructions import Instruction, Meaning, Memory, elements, identity, table
from coconut.operations import MASK52, WORD_MAX, Value
from coconut.prove.terms import exclusive_or
from coconut.select import Selector, Unsupported


def unpack(odd: int) -> Meaning:
    """Return the first or second elements of the 128-bit parts of two vectors, alternating."""
    return lambda imm, a, b: tuple((a if i % 2 == 0 else b)[i - i % 2 + odd] for i in range(len(a)))


def by_bits(table: int, operands: Sequence[int]) -> int:
    """Return, for each bit, the bit of a table that those of the operands number, the first as the highest."""
    entries = 1 << len(operands)
    ones = (1 << entries) - 1
    if table in {0, ones}:
        return WORD_MAX if table else 0
    parity = sum((i.bit_count() & 1) << i for i in range(entries))
    if table in {parity, parity ^ ones} and not all(isinstance(operand, int) for operand in operands):
        found: int = exclusive_or([*operands, *[WORD_MAX] * (table != parity)])
        return found
    # The part of the table for an operand, a public one if there is one, whose bit is 0, and for 1.
    k = next((k for k, operand in enumerate(operands) if isinstance(operand, int)), 0)
    weight = entries >> k + 1
    parts = [[i for i in range(entries) if bool(i & weight) == bit] for bit in (False, True)]
    clear, set_ = (sum((table >> i & 1) << at for at, i in enumerate(part)) for part in parts)
    x, others = operands[k], [*operands[:k], *operands[k + 1 :]]
    if clear == set_:
        return by_bits(clear, others)
    return by_bits(clear, others) & (WORD_MAX ^ x) | by_bits(set_, others) & x


def ternary(imm: int, a: int, b: int, c: int) -> int:
    """Return, for each bit, the bit of imm that those of a, b and c number."""
    return TERNARY[imm](a, b, c) if imm in TERNARY else by_bits(imm, (a, b, c))


# By operators that symbolic numbers have.
TERNARY: dict[int, Callable[[int, int, int], int]] = {
    0b10101000: lambda a, b, c: (a | b) & c,
    0b11011000: lambda a, b, c: a & (WORD_MAX ^ c) | b & c,
    0b11101010: lambda a, b, c: a & b | c,
    0b11101100: lambda a, b, c: a & c | b,
    0b11111000: lambda a, b, c: a | b & c,
}


def quarters(imm: int, a: Value, b: Value) -> Value:
    """Return two 128-bit parts of each of two vectors."""
    parts = [(a, imm & 3), (a, imm >> 2 & 3), (b, imm >> 4 & 3), (b, imm >> 6 & 3)]
    return tuple(vector[2 * part + k] for vector, part in parts for k in (0, 1))


def permute(imm: int, a: Value) -> Value:
    """Return, within each 256 bits, the elements that pairs of bits of imm number."""
    return tuple(a[i - i % 4 + (imm >> 2 * (i % 4) & 3)] for i in range(len(a)))


def blend32(imm: int, a: Value, b: Value) -> Value:
    """Return 32-bit halves of elements, of b where a bit of imm is set."""
    low, high = 0xFFFFFFFF, 0xFFFFFFFF << 32
    return tuple(
        (b[i] if imm >> 2 * i & 1 else a[i]) & low | (b[i] if imm >> 2 * i + 1 & 1 else a[i]) & high
        for i in range(len(a))
    )


def operands(instruction: Instruction, kind: str) -> str:
    """Return operands from the last to the first, then the result, as both assemblers write them."""
    low_operand, low_result = (instruction.low in {side, "both"} for side in ("operand", "result"))
    to = "{xd}" if low_result else "{d}"
    if instruction.zero:
        return ", ".join([to] * 3)
    count = instruction.operands - (kind != "")
    names = [f"{{{'x' * low_operand}{i}}}" for i in range(instruction.accumulates, count)]
    return ", ".join(["${i}"] * instruction.immediate + ["{m}"] * (kind != "") + [*reversed(names), to])


def gnu_default(vector_bytes: int, word_bytes: int) -> Callable[[Instruction, str], str]:
    elements_each = vector_bytes // word_bytes

    def template(instruction: Instruction, kind: str) -> str:
        text = f"{instruction.name} {operands(instruction, kind)}"
        return text.replace("{m}", f"{{m}}{{1to{elements_each}}}") if kind == "broadcast" else text

    return template


def go_default(instruction: Instruction, kind: str) -> str:
    return f"{instruction.name.upper()}{'.BCST' * (kind == 'broadcast')} {operands(instruction, kind)}"


def moves(evex: bool) -> dict[str, Instruction]:
    """Return the moves, by the names that AVX2 or AVX-512 has for them."""
    load, copy = ("vmovdqu64", "vmovdqa64") if evex else ("vmovdqu", "vmovdqa")
    return table(
        Instruction(load, 1, identity, memory="only"),
        Instruction(
            "store",
            1,
            identity,
            memory="only",
            stores=True,
            gnu=f"{load} {{0}}, {{m}}",
            go=f"{load.upper()} {{0}}, {{m}}",
        ),
        Instruction("copy", 1, identity, gnu=f"{copy} {{0}}, {{d}}", go=f"{copy.upper()} {{0}}, {{d}}"),
    )


STORE_WORD = table(
    Instruction(
        "store_word",
        1,
        identity,
        memory="only",
        stores=True,
        gnu="vmovq {x0}, {m}",
        go="VMOVQ {x0}, {m}",
        low="operand",
    )
)

GNU_POINTERS = {"state": "%rdi", "powers": "%rsi", "constants": "%rdx", "message": "%rcx"}
GNU_CONTROLS = {
    "constants": "lea {name}_constants(%rip), {register}",
    "align": ".p2align 6",
    "advance": "add ${bytes}, {pointer}",
    "again": "dec {counter}; jnz {label}",
}
GO_POINTERS = {"state": "DI", "powers": "SI", "constants": "DX", "message": "CX", "frame": "BX"}
GO_CONTROLS = {
    "argument": "MOVQ {name}+{offset}(FP), {register}",
    "constants": "MOVQ $·{name}Constants<>(SB), {register}",
    "align": "PCALIGN $64",
    "advance": "ADDQ ${bytes}, {pointer}",
    "again": "DECQ {counter}; JNZ {label}",
    "count": "MOVQ ${number}, {counter}",
    "skip": "TESTQ {counter}, {counter}; JZ {label}",
    "frame": "LEAQ {extra}(SP), {register}; ANDQ $-{align}, {register}",
    "place": "LEAQ {offset}({frame}), {register}",
    "subtract": "SUBQ {name}+{offset}(FP), {register}",
    "none_left": "JZ {label}",
    "advance_argument": "ADDQ ${bytes}, {name}+{offset}(FP)",
    "again_argument": "DECQ {name}+{offset}(FP); JNZ {label}",
    "count_word": "MOVL ${number}, {offset}({pointer})",
    "again_word": "DECL {offset}({pointer}); JNZ {label}",
    "add_word": "ADDL ${number}, {offset}({pointer})",
}


def clears(name: str, narrow: str, wide: str) -> Callable[[int], str]:
    """Return what clears a register, by the shortest name, which clears the rest of it, too.

    Those from 16 on need AVX-512's instruction.
    """

    def text(i: int) -> str:
        short = i < 16
        register = f"{narrow if short else wide}{i}"
        return f"{name if short else name + 'qQ'[name.isupper()]} {register}, {register}, {register}"

    return text


def assemblers(
    vector_bytes: int,
    instructions: dict[str, Instruction],
    word_bytes: int = 8,
    gnu_pointers: dict[str, str] | None = None,
    go_pointers: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Return GNU's assembler, for System V's calling convention, and Go's, in mnemonics only, without bytes."""
    letter = "Z" if vector_bytes == 64 else "Y"
    gnu = Assembler(
        is_go=False,
        registers=tuple(f"%{letter.lower()}mm{i}" for i in range(32)),
        low=tuple(f"%xmm{i}" for i in range(32)),
        pointers=gnu_pointers or GNU_POINTERS,
        counters=("%r8",),
        controls=GNU_CONTROLS,
        default=gnu_default(vector_bytes, word_bytes),
        # The third and fourth arguments are message and iterations; %rdx points to constants.
        head=("mov %rcx, %r8", "mov %rdx, %rcx"),
        tail=("vzeroupper", "ret"),
        clears=clears("vpxor", "%xmm", f"%{letter.lower()}mm"),
        instructions=instructions,
    )
    go = Assembler(
        is_go=True,
        registers=tuple(f"{letter}{i}" for i in range(32)),
        low=tuple(f"X{i}" for i in range(32)),
        pointers=go_pointers or GO_POINTERS,
        counters=("R8", "R9"),
        controls=GO_CONTROLS,
        default=go_default,
        tail=("VZEROUPPER", "RET"),
        comment="//",
        clears=clears("VPXOR", "X", letter),
        instructions=instructions,
    )
    return {"gnu": gnu, "go": go}


PERMUTATIONS = (0b01001110, 0b10110001, 0b00011011, 0b11111111, 0b00110110)


BOTH = table(
    Instruction("vpbroadcastq", 1, lambda imm, a: a[:1] * len(a), memory="vector", low="operand"),
    Instruction("vmovq", 1, lambda imm, a: a[:1] + (0,) * (len(a) - 1), memory="only", low="result"),
    Instruction("vpermq", 1, permute, immediate=True, edges=PERMUTATIONS),
    Instruction("vpaddq", 2, elements(lambda imm, a, b: a + b), memory="broadcast"),
    Instruction("vpsubq", 2, elements(lambda imm, a, b: a - b), memory="broadcast"),
    Instruction("vpsllq", 1, elements(lambda imm, a: a << imm), immediate=True),
    Instruction("vpsrlq", 1, elements(lambda imm, a: a >> imm), immediate=True),
    Instruction("vpmuludq", 2, elements(lambda imm, a, b: (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF)), memory="broadcast"),
    Instruction("vpunpcklqdq", 2, unpack(0), memory="vector"),
    Instruction("vpunpckhqdq", 2, unpack(1), memory="vector"),
)

INSTRUCTIONS_256 = (
    BOTH
    | moves(False)
    | STORE_WORD
    | table(
        Instruction("vpxor", 0, lambda imm: (0,) * 4, zero=True),
        Instruction("vpblendd", 2, blend32, immediate=True, edges=PERMUTATIONS, memory="vector"),
        Instruction("vpand", 2, elements(lambda imm, a, b: a & b), memory="vector"),
        Instruction("vpor", 2, elements(lambda imm, a, b: a | b), memory="vector"),
    )
)


def evex(count: int) -> dict[str, Instruction]:
    """Return the instructions of AVX-512, for vectors of `count` elements."""
    return (
        BOTH
        | moves(True)
        | STORE_WORD
        | table(
            Instruction("vpxorq", 0, lambda imm: (0,) * count, zero=True),
            Instruction("vpandq", 2, elements(lambda imm, a, b: a & b), memory="broadcast"),
            Instruction("vporq", 2, elements(lambda imm, a, b: a | b), memory="broadcast"),
            Instruction("vpshrdq", 2, elements(lambda imm, a, b: (b << 64 | a) >> imm), immediate=True),
            Instruction(
                "vpternlogq",
                3,
                elements(ternary),
                immediate=True,
                accumulates=True,
                memory="broadcast",
                edges=(0b10101000, 0b10010110, 0b11001010, 0b11011000),
            ),
            Instruction(
                "vpmadd52luq",
                3,
                elements(lambda imm, d, a, b: d + ((a & MASK52) * (b & MASK52) & MASK52)),
                accumulates=True,
                memory="broadcast",
            ),
            Instruction(
                "vpmadd52huq",
                3,
                elements(lambda imm, d, a, b: d + ((a & MASK52) * (b & MASK52) >> 52)),
                accumulates=True,
                memory="broadcast",
            ),
        )
    )


INSTRUCTIONS_EVEX_256 = evex(4)

INSTRUCTIONS_512 = evex(8) | table(
    Instruction("vshufi64x2", 2, quarters, immediate=True, edges=PERMUTATIONS),
)


class Amd64(Selector):
    """Select instructions of AVX2, and of AVX-512 in 256 and in 512 bits."""

    simple = {"shl": "vpsllq", "shr": "vpsrlq"}

    def __post_init__(self) -> None:
        super().__post_init__()
        self.wide = self.architecture.vector_bytes == 64
        self.evex = self.architecture.registers == 32

    def is_memory(self, i: int) -> bool:
        """Return whether node i can be the last operand as it lies in memory.

        That is an input in memory, one number of a power in all lanes, or a word in all lanes.
        """
        node = self.graph.nodes[i]
        return node.in_memory or node.op in {"block", "word_splat"} and self.graph.nodes[node.args[0]].in_memory

    def place(self, i: int) -> Memory:
        node = self.graph.nodes[i]
        if node.op == "block":
            lane = self.order.index(node.imm[0])
            return Memory("powers", self.places[node.args[0]].offset + 8 * lane, broadcast=True)
        return self.places[node.args[0] if node.op == "word_splat" else i]

    def load(self, place: Memory, name: str = "") -> int:
        return super().load(place, name or "vpbroadcastq" * place.broadcast)

    def fixed(self, node: Node) -> int | Memory:
        """Return a constant. AVX2 has 16 registers, none of them for constants."""
        value = node.imm * self.graph.lanes
        if node.op == "only_block":
            value = tuple(node.imm[1] if block == node.imm[0] else 0 for block in self.order)
        return self.keep(value) if self.evex else self.constant(value)

    def operand(self, i: int, last: bool) -> int | Memory:
        """Return a value or, for the last operand, memory."""
        node = self.graph.nodes[i]
        if node.op in {"splat", "only_block"}:
            place = self.fixed(node)
            return place if last or isinstance(place, int) else self.load(place)
        if self.is_memory(i):
            place = self.place(i)
            # Only AVX-512 broadcasts within an instruction.
            if last and self.choices["multiplier"] == "memory" and (self.evex or not place.broadcast):
                return place
            return self.load(place)
        return self.values[i]

    def value(self, i: int) -> int:
        operand = self.operand(i, last=False)
        assert isinstance(operand, int)
        return operand

    def binary(self, name: str, node: Node, commutes: bool = True) -> int:
        a, b = node.args
        if commutes and (self.is_memory(a) or self.graph.nodes[a].op in {"splat", "only_block"}):
            a, b = b, a
        last = self.operand(b, last=True)
        if isinstance(last, Memory):
            return self.emit(name, self.value(a), memory=last)
        return self.emit(name, self.value(a), last)

    def times5_of(self, i: int) -> int | None:
        """Return x if node i is 5 x as the field writes it, x + (x << 2); otherwise None."""
        node = self.graph.nodes[i]
        if node.op != "add":
            return None
        for x, shifted in (node.args, node.args[::-1]):
            other = self.graph.nodes[shifted]
            if other.op == "shl" and other.imm == (2,) and other.args == (x,):
                return x
        return None

    def select_add(self, node: Node) -> int:
        if self.choices.get("times5") == "multiply":
            for base, i in (node.args, node.args[::-1]):
                x = self.times5_of(i)
                if x is not None and 5 * self.bounds[x] < 1 << 52 and self.users[base] == [self.node]:
                    return self.emit("vpmadd52luq", self.value(base), self.value(x), self.keep((5,) * self.graph.lanes))
        return self.binary("vpaddq", node)

    def select_sub(self, node: Node) -> int:
        return self.binary("vpsubq", node, commutes=False)

    def select_and(self, node: Node) -> int:
        for a, mask in (node.args, node.args[::-1]):
            pair, constant = self.graph.nodes[a], self.graph.nodes[mask]
            if self.choices.get("cut") == "ternary" and pair.op == "shr44_pair" and constant.op == "splat":
                lo, hi = (self.value(arg) for arg in pair.args)
                # (low | high) & mask: a is low, b is high, c is the mask; imm has the bits where that is 1.
                return self.emit(
                    "vpternlogq",
                    self.emit("vpsrlq", lo, imm=44),
                    self.emit("vpsllq", hi, imm=20),
                    self.value(mask),
                    imm=0b10101000,
                )
        return self.binary("vpandq" if self.evex else "vpand", node)

    def select_or(self, node: Node) -> int:
        return self.binary("vporq" if self.evex else "vpor", node)

    def select_high32(self, node: Node) -> int:
        return self.emit("vpsrlq", self.value(node.args[0]), imm=32)

    def select_low32(self, node: Node) -> int:
        """Return the value itself if only vpmuludq uses it, which takes the low halves."""
        if any(self.graph.nodes[user].op != "mul32" for user in self.users[self.node]):
            mask = (0xFFFFFFFF,) * self.graph.lanes
            return self.emit("vpandq" if self.evex else "vpand", self.value(node.args[0]), memory=self.constant(mask))
        return self.value(node.args[0])

    def select_shr44_pair(self, node: Node) -> int:
        return self.emit("vpshrdq", *map(self.value, node.args), imm=44)

    def select_mul32(self, node: Node) -> int:
        return self.binary("vpmuludq", node)

    def multiply_add(self, name: str, node: Node) -> int:
        total, a, b = node.args
        if self.is_memory(a):
            a, b = b, a
        # The sum is overwritten, so a constant must be rematerialized each time.
        if self.graph.nodes[total].op != "splat":
            sum_value = self.value(total)
        elif self.graph.nodes[total].imm == (0,):
            sum_value = self.emit("vpxorq")
        else:
            sum_value = self.emit("vmovdqu64", memory=self.constant(self.graph.nodes[total].imm * self.graph.lanes))
        last = self.operand(b, last=True)
        if isinstance(last, Memory):
            return self.emit(name, sum_value, self.value(a), memory=last)
        return self.emit(name, sum_value, self.value(a), last)

    def select_madd52lo(self, node: Node) -> int:
        return self.multiply_add("vpmadd52luq", node)

    def select_madd52hi(self, node: Node) -> int:
        return self.multiply_add("vpmadd52huq", node)

    def select_block(self, node: Node) -> int:
        """Select a permutation if the value is in a register; otherwise, users take it from memory."""
        if self.is_memory(self.node):
            return 0
        if self.wide:
            raise Unsupported("a block of a value that is not in memory")
        return self.emit("vpermq", self.value(node.args[0]), imm=0b01010101 * self.order.index(node.imm[0]))

    def select_first(self, node: Node) -> int:
        return self.emit("vpbroadcastq", self.value(node.args[0]))

    def select_word_splat(self, node: Node) -> int:
        """Select nothing: users take it from memory."""
        return 0

    def select_word_only_block(self, node: Node) -> int:
        if node.imm != (0,):
            raise Unsupported("a word in another block than the first")
        return self.emit("vmovq", memory=self.places[node.args[0]])

    def select_blend(self, node: Node) -> int:
        odd = [block >> node.imm[0] & 1 for block in self.order]
        if not self.evex:
            mask = sum(0b11 << 2 * i for i in range(len(odd)) if odd[i])
            return self.emit("vpblendd", *map(self.value, node.args), imm=mask)
        # The mask is the third operand; the result is the second where the mask is 1, otherwise the first.
        bits = self.constant(tuple(WORD_MAX if bit else 0 for bit in odd))
        return self.emit("vpternlogq", *map(self.value, node.args), imm=0b11011000, memory=bits)

    def select_word(self, node: Node) -> int:
        return self.value(node.args[0])

    def select_sum(self, node: Node) -> int:
        """Return the sum in every lane."""
        total = self.value(node.args[0])
        if self.wide:
            total = self.emit("vpaddq", total, self.emit("vshufi64x2", total, total, imm=0b01001110))
        for swap in (0b01001110, 0b10110001):
            total = self.emit("vpaddq", total, self.emit("vpermq", total, imm=swap))
        return total

    def unpacked(self, name: str, node: Node) -> int:
        """Return words of blocks in the order that lanes/avx2.h and lanes/avx512f.h draw."""
        half = self.architecture.vector_bytes
        first, second = (self.load(Memory("message", node.imm[0] + offset)) for offset in (0, half))
        return self.emit(name, first, second)

    def select_load_lo(self, node: Node) -> int:
        return self.unpacked("vpunpcklqdq", node)

    def select_load_hi(self, node: Node) -> int:
        return self.unpacked("vpunpckhqdq", node)


def order(lanes: int) -> tuple[int, ...]:
    """Return the block in each lane, as lanes/avx2.h and lanes/avx512f.h draw it.

    Blocks of the first half of a group alternate with those of the second.
    """
    return tuple(i // 2 + i % 2 * (lanes // 2) for i in range(lanes))


def amd64(
    name: str, vector_bytes: int, instructions: dict[str, Instruction], features: tuple[str, ...], **options: Any
) -> Architecture:
    """Return an architecture; with pointers, or of 32-bit elements, as options say."""
    evex = "vmovdqu64" in instructions
    pointers = {key: options.pop(key) for key in ("gnu_pointers", "go_pointers") if key in options}
    return Architecture(
        name=name,
        triple="x86_64",
        registers=32 if evex else 16,
        vector_bytes=vector_bytes,
        cpus=("sapphirerapids", "znver4"),
        features=features,
        instructions=instructions,
        load="vmovdqu64" if evex else "vmovdqu",
        goarch="amd64",
        **assemblers(vector_bytes, instructions, options.get("word_bytes", 8), **pointers),
        **options,
    )


MULTIPLIER: dict[str, tuple[str, ...]] = {"multiplier": ("memory", "register")}
# A limb across two words is cut by a funnel shift, or by two shifts and a ternary operation that also masks. Five times a
# carry is added by a shift and two additions, or by a multiply-add.
IFMA: dict[str, tuple[str, ...]] = MULTIPLIER | {"cut": ("funnel", "ternary"), "times5": ("shift", "multiply")}
IFMA_FEATURES = ("avx512f", "avx512ifma", "avx512_vbmi2")

OF_64: dict[str, Any] = {"selector": Amd64, "order": order, "store_word": "store_word", "replaces_sum": True}

AVX2 = amd64("avx2", 32, INSTRUCTIONS_256, ("avx2",), alternatives=dict(MULTIPLIER), **OF_64)
IFMA256 = amd64("avx512ifma256", 32, INSTRUCTIONS_EVEX_256, (*IFMA_FEATURES, "avx512vl"), alternatives=IFMA, **OF_64)
AVX512 = amd64("avx512ifma", 64, INSTRUCTIONS_512, IFMA_FEATURES, alternatives=IFMA, **OF_64)
