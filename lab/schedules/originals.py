# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The z14 paper's own assembly, with its macros: read, run, proved and scheduled (sections 8 to 10).

It is the Poly1305 of golang.org/x/crypto of September 2018, before the paper's work (`vx`) and after it (`vmsl`), which
`go` fetches by the hash in lab/study/originals/go.sum. Each function runs in coconut's interpreter, against the
definition. Macros and loops become programs of their own, which are proved for all inputs within limits, with the
meanings of instructions that coconut compares with a CPU; and scheduled beside the library's on the model of the z14.
"""

import json
import os
import random
import struct
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from coconut.__main__ import graph_named
from coconut.allocate import OutOfRegisters
from coconut.architectures.s390x_handwritten import HANDWRITTEN
from coconut.go_module import poly1305_program
from coconut.graph import Graph
from coconut.handwritten import Straight, Written, expressions, macro_block, read_written, shared
from coconut.interpret import Code, General, Output, Pointer, Storage, execute, store
from coconut.operations import WORD_MAX
from coconut.orders import by_list, simulated_cycles, steady_cycles
from coconut.program import Program
from coconut.prove.composition import tag_of
from coconut.prove.go_files import gnu_text
from coconut.prove.polynomials import (
    Lanes,
    Message,
    Number,
    P,
    Poly,
    Ring,
    Unproved,
    add,
    multiply,
    weighted,
)
from coconut.prove.programs import SymbolicMemory
from coconut.prove.proof import REFUSALS
from coconut.select import alternatives
from coconut.trace import BUILD, ROOT
from lab.schedules.architectures import ARCHITECTURES
from lab.schedules.modulo import length, list_schedule, problem_of
from lab.schedules.orders import in_order
from lab.schedules.tables import markdown

MODULE = ROOT / "lab" / "study" / "originals"
PACKAGE = "golang.org/x/crypto"
CPU = "z14"
BITS_OF_VMSL = 56  # of operands, with which it takes the same time for all (the paper's appendix 1)


@dataclass(frozen=True)
class Version:
    """A function of the package, and its loop: where it begins, its registers, and how many blocks it takes."""

    file: str
    function: str
    weights: tuple[int, ...]
    masks: str  # the constants that place the message's bytes in its loop
    accumulator: tuple[str, ...]
    blocks: int
    ours: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{i}" for i in range(len(self.weights)))


WEIGHTS_44, WEIGHTS_26 = tuple(1 << 44 * i for i in range(3)), tuple(1 << 26 * i for i in range(5))
VERSIONS = {
    "vx": Version(
        "sum_s390x.s", "poly1305vx", WEIGHTS_26, "constants", tuple(f"V{i}" for i in range(23, 28)), 2, "vx/step 2"
    ),
    "vmsl": Version(
        "sum_vmsl_s390x.s", "poly1305vmsl", WEIGHTS_44, "c", tuple(f"V{i}" for i in range(26, 32)), 4, "vmsl/step 1"
    ),
}
END_OF_LOOP = "CMPBNE R3, $0, loop"


@cache
def module() -> tuple[str, Path]:
    """Return the version of the package, and the folder where it is; OSError if it cannot be fetched."""
    command = ("go", "mod", "download", "-json", PACKAGE)
    ran = subprocess.run(command, cwd=MODULE, capture_output=True, text=True, check=False)
    found = json.loads(ran.stdout or "{}")
    if ran.returncode != 0 or "Error" in found:
        raise OSError(f"{PACKAGE} cannot be fetched: {found.get('Error', ran.stderr)}")
    return found["Version"], Path(found["Dir"]) / "poly1305"


def text_of(version: str) -> str:
    return (module()[1] / VERSIONS[version].file).read_text(encoding="utf-8")


# Running: messages and keys at which carries and the last reduction go wrong.


def run(code: Code, message: bytes, key: bytes) -> bytes:
    """Return the tag that a function leaves; what lies beyond the message cannot be read."""
    whole = len(message) // 8 * 8
    storage: Storage = {("message bytes", i): message[i] for i in range(whole, len(message))}
    for base, content in (("message", message[:whole]), ("key", key), ("out", bytes(16))):
        storage |= {(base, i): int.from_bytes(content[i : i + 8], "big") for i in range(0, len(content), 8)}
    arguments: dict[str, General] = {
        "out": Pointer("out"),
        "m": Pointer("message"),
        "mlen": len(message),
        "key": Pointer("key"),
    }
    call = code.call(arguments, storage, lambda: WORD_MAX, {"out": Output(0, 16, 8)})
    call.run_to()
    return b"".join(call.machine.storage["out", i].to_bytes(8, "big") for i in (0, 8))


def near_p(difference: int, blocks: int) -> bytes:
    """Return a message whose sum is p plus a difference, modulo p: the value, if r is 1."""
    left = (difference - (blocks << 128)) % P
    numbers = [min((1 << 128) - 1, max(0, left - (((1 << 128) - 1) * i))) for i in range(blocks)]
    return b"".join(number.to_bytes(16, "little") for number in numbers) if sum(numbers) == left else b""


def inputs(lengths: Sequence[int]) -> Iterator[tuple[bytes, bytes]]:
    """Yield messages and keys: of ones, of zeros and random ones at each length, and values around p."""
    numbers = random.Random(1305)
    ones = b"\xff" * 32
    for length_bytes in lengths:
        yield b"\xff" * length_bytes, ones
        yield bytes(length_bytes), ones
        yield numbers.randbytes(length_bytes), numbers.randbytes(32)
        yield b"\xff" * length_bytes, bytes(range(3, 99, 3))
    one = (1).to_bytes(16, "little")
    for blocks in range(1, 12):
        for difference in range(-6, 7):
            for pad in (bytes(16), b"\xff" * 16):
                yield near_p(difference, blocks), one + pad


def lost_carries() -> Iterator[tuple[bytes, bytes]]:
    """Yield messages and keys for which REDUCE2 leaves a first limb of 2^44 and more, and the second odd.

    PACK joins the two limbs by an or, which then loses a carry. r is 1. Even and odd blocks add up to two numbers whose
    limbs, added, carry from the second to the third, from there to the first, and out of that.
    """
    numbers = random.Random(1305)
    limbs = ((1 << 43, (1 << 43) + 1, 1 << 41), ((1 << 43) - 1, 1 << 43, (1 << 41) - 1))
    for _ in range(16):
        sums = [sum(limb * weight for limb, weight in zip(half, WEIGHTS_44, strict=True)) for half in limbs]
        halves = (blocks_with(total, numbers) for total in sums)
        yield b"".join(even + odd for even, odd in zip(*halves, strict=True)), b"\1" + bytes(31)


def blocks_with(total: int, numbers: random.Random) -> list[bytes]:
    """Return random blocks that add up to a number modulo p."""
    while True:
        blocks = [numbers.getrandbits(128) for _ in range(HALF_BLOCKS - 1)]
        last = (total - sum(blocks) - (HALF_BLOCKS << 128)) % P
        if last >> 128 == 0:
            return [block.to_bytes(16, "little") for block in (*blocks, last)]


# The package takes VMSL for messages of more than 256 bytes.
HALF_BLOCKS = 10


EVERY = 130
LENGTHS = (*range(EVERY), *range(144, 340, 16), 255, 257, 1000)


def wrong_tags(version: str, given: Iterable[tuple[bytes, bytes]]) -> tuple[int, int]:
    """Return how many inputs there are, and on how many the tag is wrong."""
    code = read_written(text_of(version)).code(VERSIONS[version].function)
    results = [run(code, message, key) == tag_of(key, message) for message, key in given]
    return len(results), results.count(False)


def wrong_in_emulator(version: str) -> tuple[int, int]:
    """Return the same of the package's own machine code, in qemu, for the messages that lose a carry: the study's program
    calls it."""
    program = BUILD / "originals-s390x"
    environment = os.environ | {"GOARCH": "s390x", "GOOS": "linux", "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly"}
    subprocess.run(("go", "build", "-o", program, "."), cwd=MODULE, env=environment, check=True)
    given = (
        struct.pack("<64sQ32s16s", b"", len(message), key, tag_of(key, message)) + message
        for message, key in lost_carries()
    )
    command = ("qemu-s390x", "-cpu", EMULATED[version], str(program))
    found = json.loads(subprocess.run(command, input=b"".join(given), stdout=subprocess.PIPE, check=True).stdout)
    return found["inputs"], found["wrong"]


# CPUs for which the package takes one function and the other.
EMULATED = {"vx": "max,vxeh=off", "vmsl": "max"}


# Proofs: macros and loops on symbolic numbers.


def vector_of(number: Number | int) -> Lanes:
    """Return 128 bits as a vector has them."""
    return (number >> 64, number & WORD_MAX)


def number_in(vector: Lanes) -> Number | int:
    return vector[0] << 64 | vector[1]


@dataclass
class Block:
    """A program on symbolic numbers: what it takes, by register, and what it leaves. What is not given is any number."""

    ring: Ring
    weights: tuple[int, ...]
    program: Program
    given: Mapping[str, Lanes]
    messages: Mapping[str, Message] = field(default_factory=dict)
    constants: Mapping[tuple[str, int], int] = field(default_factory=dict)
    values: list[Lanes] = field(default_factory=list)

    def __post_init__(self) -> None:
        program = self.program
        storage = SymbolicMemory(dict(self.messages), "big")
        storage |= self.constants
        store(storage, "constants", program.constants, 8)
        unknown = {name: self.limbs(name, WORD_MAX, 2) for name in program.inputs if name not in self.given}
        self.values = execute(program, [self.given.get(name) or unknown[name] for name in program.inputs], storage)
        self.left = {name: self.values[value] for name, value in program.outputs}

    def limbs(self, name: str, limit: int, count: int) -> Lanes:
        return tuple(self.ring.input(f"{name}[{i}]", limit) for i in range(count))

    def claim(self, name: str, limbs: Sequence[Number | int], value: Poly) -> list[int]:
        """Claim that limbs are a value modulo p; return the largest that each may be."""
        self.ring.claim_value(name, limbs, self.weights, value)
        return [limb.high if isinstance(limb, Number) else limb for limb in limbs]

    def most(self, names: Sequence[str], operands: slice) -> int:
        """Return the largest number in some operands of instructions."""
        taken = [arg for op in self.program.ops if op.instruction.name in names for arg in op.args[operands]]
        numbers = [number for arg in taken for number in self.values[arg]]
        return max(number.high if isinstance(number, Number) else number for number in numbers)


def numbered(prefix: str, vectors: Sequence[Lanes], first: int = 0) -> dict[str, Lanes]:
    return {f"{prefix}{first + i}": vector for i, vector in enumerate(vectors)}


def pairs(high: Lanes, low: Lanes) -> list[Lanes]:
    return list(zip(high, low, strict=True))


@dataclass
class Proofs:
    """What is proved of a version; text: its file, maybe with a mistake."""

    version: str
    text: str

    def __post_init__(self) -> None:
        self.written: Written = read_written(self.text)
        self.known = VERSIONS[self.version]
        self.count = len(self.known.weights)
        self.ring = Ring()

    def value(self, limbs: Sequence[Number | int]) -> Poly:
        return weighted(limbs, self.known.weights)

    def limbs(self, name: str, limit: int) -> Lanes:
        return tuple(self.ring.input(f"{name}{i}", limit) for i in range(self.count))

    def block(self, program: Program, given: Mapping[str, Lanes], **messages: Message) -> Block:
        return Block(self.ring, self.known.weights, program, given, messages, self.written.constants)

    def macro(self, name: str, outputs: Sequence[str], masks: Mapping[str, str] | None = None) -> Program:
        return macro_block(self.written, name, outputs, masks)

    def table(self, symbol: str) -> tuple[Lanes, ...]:
        found = [number for (base, _), number in sorted(self.written.constants.items()) if base == symbol]
        return tuple(tuple(found[i : i + 2]) for i in range(0, len(found), 2))

    def loop(self) -> Program:
        """Return an iteration of the loop."""
        body = self.written.between(self.known.function, "loop:", END_OF_LOOP)
        bases = {"R2": "message", "R12": "constants"}
        constants = self.table("reduce") if self.version == "vmsl" else ()
        advance = 16 * self.known.blocks
        outputs = self.known.accumulator
        return Straight(f"{self.version} loop", body, (), {}, bases, constants, outputs, advance).program

    # Radix 2^44, in sums of 128 bits; the limbs of two numbers are in the two halves of a vector.

    def multiply_44(self, limit: int) -> tuple[Block, list[Poly]]:
        """Return MULTIPLY on limbs up to a limit, and what its two sums are."""
        a, b, c, d, r, s, m, n = (self.limbs(name, limit) for name in "abcdrsmn")
        given = {"V0": (0, 0), **numbered("m02_", pairs(a, b)), **numbered("m13_", pairs(c, d))}
        given |= numbered("r_", pairs(r, s))
        given |= numbered("r5_", pairs(tuple(20 * x for x in r[1:]), tuple(20 * x for x in s[1:])), 1)
        for name, added in (("m4_", m), ("m5_", n)):
            given |= numbered(name, [(0, x) for x in added])
        outputs = [f"{name}_{i}" for name in ("m02", "m13") for i in range(3)]
        block = self.block(self.macro("MULTIPLY", outputs), given)
        values = [
            add(add(multiply(self.value(x), self.value(r)), multiply(self.value(y), self.value(s))), self.value(z))
            for x, y, z in ((a, b, m), (c, d, n))
        ]
        if (most := block.most(("vmslg",), slice(2))) >> BITS_OF_VMSL:
            raise Unproved(f"a factor of VMSL may be {most:#x}")
        return block, values

    def prove_multiply_44(self, bits: int) -> list[int]:
        block, values = self.multiply_44((1 << bits) - 1)
        sums = [[number_in(block.left[f"{name}_{i}"]) for i in range(3)] for name in ("m02", "m13")]
        return widest(block.claim("MULTIPLY", limbs, value) for limbs, value in zip(sums, values, strict=True))

    def reduced_44(self, sums: Mapping[str, Lanes], values: Sequence[Poly]) -> list[int]:
        block = self.block(self.macro("REDUCE", ("h3", "h4", "h5"), {"R12": "reduce"}), sums)
        lanes = [[block.left[f"h{3 + i}"][lane] for i in range(3)] for lane in range(2)]
        return widest(block.claim("REDUCE", limbs, value) for limbs, value in zip(lanes, values, strict=True))

    def prove_reduce_44(self, bits: int) -> list[int]:
        first, second = (self.limbs(name, (1 << bits) - 1) for name in "hk")
        sums = numbered("h", [vector_of(number) for number in (*first, *second)])
        return self.reduced_44(sums, [self.value(first), self.value(second)])

    def prove_both_44(self, bits: int) -> list[int]:
        block, values = self.multiply_44((1 << bits) - 1)
        names = [f"{name}_{i}" for name in ("m02", "m13") for i in range(3)]
        return self.reduced_44(numbered("h", [block.left[name] for name in names]), values)

    def prove_square_44(self, bits: int) -> list[int]:
        """SQUARE, then REDUCE2, of a number in the low halves."""
        r = self.limbs("r", (1 << bits) - 1)
        given = (
            numbered("r_", [(0, x) for x in r]) | numbered("p", [(0, 0)] * 3) | {"V0": (0, 0), "r5_2": (0, 20 * r[2])}
        )
        square = self.block(self.macro("SQUARE", ("p0", "p1", "p2")), given)
        sums = numbered("h", [square.left[f"p{i}"] for i in range(3)])
        block = self.block(self.macro("REDUCE2", ("h0", "h1", "h2")), sums)
        value = multiply(self.value(r), self.value(r))
        return block.claim("SQUARE, REDUCE2", [number_in(block.left[f"h{i}"]) for i in range(3)], value)

    def prove_expand_44(self, bits: int) -> list[int]:
        """EXPACC: two blocks of the message in the low halves, and what was there in the high halves."""
        message = Message(self.ring, by_bytes=True)
        before = [self.limbs(name, (1 << bits) - 1) for name in "de"]
        places = zip(("EX0", "EX1", "EX2"), ("V1", "V2", "V3"), self.table("constants"), strict=True)
        given = {register: mask for _, register, mask in places}
        given |= {f"in{1 + i}": (message.word(16 * i, "big"), message.word(16 * i + 8, "big")) for i in range(2)}
        given |= {f"d{3 * k + i}": (0, limb) for k, limbs in enumerate(before) for i, limb in enumerate(limbs)}
        block = self.block(self.macro("EXPACC", [f"d{i}" for i in range(6)]), given)
        found = []
        for k, old in enumerate(before):
            high, low = zip(*(block.left[f"d{3 * k + i}"] for i in range(3)), strict=True)
            for one, other in zip(high, old, strict=True):
                self.ring.claim_zero("EXPACC, the high half", [one, other], [1, -1])
            found.append(block.claim("EXPACC, the low half", low, message.block(16 * k, top=0)))
        return widest(found)

    def prove_loop_44(self, bits: int) -> list[int]:
        """An iteration: REDUCE, four blocks, MULTIPLY. Sums that are below the limit must stay so."""
        limit, limbs = (1 << bits) - 1, (1 << 45) - 1
        message = Message(self.ring, by_bytes=True)
        first, second = self.limbs("h", limit), self.limbs("k", limit)
        r, s = self.limbs("r", limbs), self.limbs("s", limbs)
        given = {"V0": (0, 0), **numbered("V", self.table("c"), 1), **numbered("V", pairs(r, s), 15)}
        given |= numbered("V", pairs(tuple(20 * x for x in r[1:]), tuple(20 * x for x in s[1:])), 18)
        given |= numbered("V", [vector_of(number) for number in (*first, *second)], 26)
        block = self.block(self.loop(), given, message=message)
        if (most := block.most(("vmslg",), slice(2))) >> BITS_OF_VMSL:
            raise Unproved(f"a factor of VMSL may be {most:#x}")
        found = []
        for k, old in enumerate((first, second)):
            value = add(multiply(self.value(old), self.value(r)), multiply(message.block(16 * k), self.value(s)))
            sums = [number_in(block.left[f"V{26 + 3 * k + i}"]) for i in range(3)]
            found.append(block.claim("the loop", sums, add(value, message.block(32 + 16 * k))))
        return kept_within(widest(found), [limit] * 3)

    def prove_end_44(self, bits: int) -> list[int]:
        """What follows the last reduction, to the tag before its bytes are reversed, from limbs of which the first has
        some bits; the others are those that REDUCE2 leaves."""
        limbs = tuple(
            self.ring.input(f"h{i}", (1 << of) - 1 + more)
            for i, (of, more) in enumerate(((bits, 0), (44, 1 << 20), (42, 0)))
        )
        return self.prove_tag("next:", "VPERM V26, V26, V5, V26", 26, [(0, limb) for limb in limbs], limbs)

    def prove_tag(self, begin: str, end: str, first: int, vectors: Sequence[Lanes], limbs: Lanes) -> list[int]:
        """Prove a stretch that leaves a tag in V`first`, where it takes vectors whose limbs are below 2 p."""
        key = Message(self.ring, by_bytes=True)
        body = self.written.between(self.known.function, begin, end)
        program = Straight(f"{self.version} end", body, (), {}, {"R4": "key"}, (), (f"V{first}",)).program
        constants = numbered("V", self.table("constants")) if self.version == "vx" else {}
        block = self.block(program, constants | numbered("V", vectors, first), key=key)
        high, low = block.left[f"V{first}"]
        value = sum(limb * weight for limb, weight in zip(limbs, self.known.weights, strict=True))
        pad = key.word(16) + (key.word(24) << 64)
        if isinstance(value, int):
            if value % P + pad - low - (high << 64) & (1 << 128) - 1:
                raise Unproved("a sample has another tag")
        else:
            self.ring.claim_tag("tag", [low, high], value, pad)
        return []

    # Radix 2^26: the two halves of a vector are two numbers.

    def multiplied_26(self, block: Block, r: Sequence[Lanes], names: Sequence[str], added: Sequence[Poly]) -> list[int]:
        if (most := block.most(("vmlof", "vmalof"), slice(2))) >> 32:
            raise Unproved(f"a factor of 32 bits may be {most:#x}")
        lanes = [[block.left[name][lane] for name in names] for lane in range(2)]
        values = [multiply(value, self.value(power)) for value, power in zip(added, r, strict=True)]
        return widest(block.claim("a product", limbs, value) for limbs, value in zip(lanes, values, strict=True))

    def factors_26(self, limit: int) -> tuple[list[Lanes], dict[str, Lanes]]:
        """Return r for both halves, and the macro's parameters for it."""
        r = [self.limbs(name, limit) for name in "rs"]
        given = numbered("g", pairs(*r))
        return r, given | numbered("g5", pairs(*(tuple(5 * x for x in limbs[1:]) for limbs in r)), 1)

    def multiply_26(self, bits: int) -> tuple[Block, list[Lanes], list[Poly]]:
        limit = (1 << bits) - 1
        a = [self.limbs(name, limit) for name in "ab"]
        r, given = self.factors_26(limit)
        block = self.block(self.macro("MULTIPLY", list(numbered("h", [()] * 5))), given | numbered("f", pairs(*a)))
        return block, r, [self.value(limbs) for limbs in a]

    def prove_multiply_26(self, bits: int) -> list[int]:
        block, r, values = self.multiply_26(bits)
        return self.multiplied_26(block, r, list(numbered("h", [()] * 5)), values)

    def reduced_26(self, given: Mapping[str, Lanes], values: Sequence[Poly]) -> list[int]:
        names = list(numbered("h", [()] * 5))
        mask = self.table("constants")[0]
        block = self.block(self.macro("REDUCE", names), {"V0": mask, **given})
        lanes = [[block.left[name][lane] for name in names] for lane in range(2)]
        return widest(block.claim("REDUCE", limbs, value) for limbs, value in zip(lanes, values, strict=True))

    def prove_reduce_26(self, bits: int) -> list[int]:
        h = [self.limbs(name, (1 << bits) - 1) for name in "hk"]
        return self.reduced_26(numbered("h", pairs(*h)), [self.value(limbs) for limbs in h])

    def prove_both_26(self, bits: int) -> list[int]:
        block, r, values = self.multiply_26(bits)
        products = [multiply(value, self.value(limbs)) for value, limbs in zip(values, r, strict=True)]
        return self.reduced_26(block.left, products)

    def prove_expand_26(self, bits: int) -> list[int]:
        """EXPAND: two blocks of the message, one in each half."""
        message = Message(self.ring, by_bytes=True)
        given = numbered("V", self.table("constants"))
        given |= {f"in{i}": (message.word(16 * i, "big"), message.word(16 * i + 8, "big")) for i in range(2)}
        names = list(numbered("d", [()] * 5))
        block = self.block(self.macro("EXPAND", names), given)
        lanes = [[block.left[name][lane] for name in names] for lane in range(2)]
        return widest(block.claim("EXPAND", limbs, message.block(16 * k, top=0)) for k, limbs in enumerate(lanes))

    def prove_loop_26(self, bits: int) -> list[int]:
        """An iteration: two blocks are added, MULTIPLY, REDUCE. Limbs that are below the limit must stay so."""
        limit = (1 << bits) - 1
        message = Message(self.ring, by_bytes=True)
        h = [self.limbs(name, limit) for name in "hk"]
        r = [self.limbs(name, limit) for name in "rs"]
        given = numbered("V", self.table("constants")) | numbered("V", pairs(*h), 23) | numbered("V", pairs(*r), 9)
        given |= numbered("V", pairs(*(tuple(5 * x for x in limbs[1:]) for limbs in r)), 14)
        block = self.block(self.loop(), given, message=message)
        values = [add(self.value(limbs), message.block(16 * k)) for k, limbs in enumerate(h)]
        return kept_within(self.multiplied_26(block, r, self.known.accumulator, values), [limit] * 5)

    def finish_26(self, bits: int) -> tuple[Block, list[Poly]]:
        """Return what adds the two halves and carries, and the two numbers that are added."""
        h = [self.limbs(name, (1 << bits) - 1) for name in "hk"]
        body = self.written.between(self.known.function, "finish:", "VESLG $26, V24, V24")
        names = self.known.accumulator
        program = Straight("vx finish", body, (), {}, {}, (), names).program
        given = numbered("V", self.table("constants")) | numbered("V", pairs(*h), 23)
        return self.block(program, given), [self.value(limbs) for limbs in h]

    def prove_finish_26(self, bits: int) -> list[int]:
        block, (first, second) = self.finish_26(bits)
        left = [number_in(block.left[name]) for name in self.known.accumulator]
        return block.claim("the sum", left, add(first, second))

    def prove_end_26(self, bits: int) -> list[int]:
        """What follows the carries, to the tag before its bytes are reversed, from the limbs that these leave."""
        left = Proofs(self.version, self.text).prove_finish_26(bits)
        limbs = tuple(self.ring.input(f"h{i}", most) for i, most in enumerate(left))
        return self.prove_tag("VAQ V7, V27, V27", "VPERM V23, V23, V5, V23", 23, [(0, limb) for limb in limbs], limbs)


def widest(found: "Iterator[list[int]] | list[list[int]]") -> list[int]:
    return [max(column) for column in zip(*found, strict=True)]


def kept_within(found: list[int], limits: Sequence[int]) -> list[int]:
    if any(high > limit for high, limit in zip(found, limits, strict=True)):
        raise Unproved(f"an iteration may leave {' '.join(map(hex, found))}, above {' '.join(map(hex, limits))}")
    return found


Prove = Callable[[Proofs, int], list[int]]
# What is proved, and for how many bits of what it takes; for one more, it is refused.
PROVED: dict[str, dict[str, tuple[Prove, int]]] = {
    "vx": {
        "EXPAND": (Proofs.prove_expand_26, 0),
        "MULTIPLY": (Proofs.prove_multiply_26, 29),
        "REDUCE": (Proofs.prove_reduce_26, 63),
        "MULTIPLY, REDUCE": (Proofs.prove_both_26, 29),
        "loop": (Proofs.prove_loop_26, 29),
        "sum of both": (Proofs.prove_finish_26, 62),
        "PACK, MOD": (Proofs.prove_end_26, 62),
    },
    "vmsl": {
        "EXPACC": (Proofs.prove_expand_44, 60),
        "MULTIPLY": (Proofs.prove_multiply_44, 51),
        "REDUCE": (Proofs.prove_reduce_44, 103),
        "MULTIPLY, REDUCE": (Proofs.prove_both_44, 50),
        "SQUARE, REDUCE2": (Proofs.prove_square_44, 51),
        "loop": (Proofs.prove_loop_44, 103),
        "PACK, MOD": (Proofs.prove_end_44, 44),
    },
}


def proof(version: str, name: str, text: str) -> tuple[int, list[int], str]:
    """Return for how many bits a proof succeeds, what is left then, and why one more is refused."""
    prove, bits = PROVED[version][name]
    found = prove(Proofs(version, text), bits)
    try:
        if bits:
            prove(Proofs(version, text), bits + 1)
    except REFUSALS as error:
        return bits, found, str(error)
    return bits, found, ""


class Sampled(Ring):
    """Numbers in place of symbols: the limit of each input, or a random one below it."""

    def __init__(self, numbers: random.Random | None) -> None:
        super().__init__()
        self.numbers = numbers

    def input(self, name: str, limit: int) -> Number | int:  # type: ignore[override]
        return limit if self.numbers is None else self.numbers.randint(0, limit)


def right_on_samples(version: str, name: str, text: str, bits: int) -> bool:
    """Return whether what is claimed holds on samples: inputs at their limit, and random ones."""
    prove, _ = PROVED[version][name]
    for numbers in (None, *(random.Random(seed) for seed in range(SAMPLES))):
        proofs = Proofs(version, text)
        proofs.ring = Sampled(numbers)
        try:
            prove(proofs, bits)
        except REFUSALS:
            return False
    return True


SAMPLES = 8


def rows_of_proofs() -> Iterator[list[str]]:
    for version, known in VERSIONS.items():
        text = text_of(version)
        for name in PROVED[version]:
            bits, left, refused = proof(version, name, text)
            beyond = "-" if not refused else "right" if right_on_samples(version, name, text, bits + 1) else "wrong"
            limits = (
                ", ".join(f"2^{(high + 1).bit_length() - 1}{' +' if high & high + 1 else ''}" for high in left)
                or "the tag"
            )
            yield [known.function, name, f"2^{bits}" if bits else "-", limits, beyond, refused.partition(":")[0] or "-"]


# Schedules: the paper's loops and macros, and the library's.


def written_lines(version: str) -> list[str]:
    """Return an iteration of a loop as it is written, for GNU's assembler."""
    code = read_written(text_of(version)).code(VERSIONS[version].function)
    begin = code.labels["loop"]
    end = next(i for i in range(begin, len(code.lines)) if code.lines[i].text == END_OF_LOOP)
    lines = [gnu_text(line.read, HANDWRITTEN) for line in code.lines[begin:end] if line.read is not None]
    return [*lines, f"aghi %r2, {16 * VERSIONS[version].blocks}", "brctg %r3, 0"]


def rows_of_loops() -> Iterator[list[str]]:
    for version, known in VERSIONS.items():
        ours = poly1305_program(known.ours)
        proofs = Proofs(version, text_of(version))
        written = steady_cycles("s390x", CPU, written_lines(version))
        rows = [(f"{known.function}, loop", proofs.loop(), f"{written:.1f}", known.blocks)]
        rows.append((known.ours, ours, "-", ours.graph.advance // 16))
        for title, program, as_written, blocks in rows:
            problem = problem_of(program, CPU)
            try:
                cycles = simulated_cycles(by_list(program, CPU), CPU)
            except OutOfRegisters:
                cycles = float("inf")
            bounds = [str(problem.resource_bound), str(problem.dependence_bound)]
            listed = [f"{cycles:.1f}", f"{cycles / blocks:.1f}"]
            yield [title, str(blocks), str(problem.size), *bounds, as_written, *listed]


# Macros that are scheduled by themselves, with what they leave, and where R12 points in them.
SUMS = tuple(f"{name}_{i}" for name in ("m02", "m13") for i in range(3))
MASKS = {"REDUCE": {"R12": "reduce"}}
MACROS = {
    "vx": {
        name: tuple(f"{letter}{i}" for i in range(5))
        for name, letter in (("EXPAND", "d"), ("MULTIPLY", "h"), ("REDUCE", "h"))
    },
    "vmsl": {"EXPACC": tuple(f"d{i}" for i in range(6)), "MULTIPLY": SUMS, "REDUCE": ("h3", "h4", "h5")},
}


def macro_named(version: str, name: str) -> Program:
    masks = MASKS.get(name) if version == "vmsl" else None
    return macro_block(read_written(text_of(version)), name, MACROS[version][name], masks)


def graph_of_macro(title: str) -> Graph | None:
    """Return the graph of a macro, FUNCTION/MACRO; None if there is no such function."""
    function, _, name = title.partition("/")
    version = next((version for version, known in VERSIONS.items() if known.function == function), "")
    if version and name not in MACROS[version]:
        raise ValueError(f"{function}: macros with a graph are {', '.join(MACROS[version])}")
    return replace(macro_named(version, name).graph, kernel=function) if version else None


def rows_of_blocks() -> Iterator[list[str]]:
    named = [(version, name) for version, macros in MACROS.items() for name in macros]
    rows = [(f"{VERSIONS[version].function}, {name}", macro_named(version, name)) for version, name in named]
    graph = graph_named("vmsl/reduce")
    rows.append((graph.title, alternatives(ARCHITECTURES[graph.kernel], graph)[0]))
    for title, program in rows:
        problem = problem_of(program, CPU)
        written, listed = length(problem, in_order(problem)), length(problem, list_schedule(problem))
        figures = problem.size, problem.resource_bound, problem.critical_path, written, listed
        yield [title, *map(str, figures)]


HEADERS = {
    "proofs": [
        "function",
        "block",
        "takes below",
        "leaves below",
        "samples at one bit more",
        "why one bit more is refused",
    ],
    "loops": [
        "loop",
        "blocks",
        "instructions",
        "resource bound",
        "dependence bound",
        "as written",
        "by list scheduling",
        "of these, a block",
    ],
    "blocks": ["block", "instructions", "resource bound", "critical path", "as written", "by list scheduling"],
}


def shared_registers() -> str:
    """Return a sentence on the uses of macros of which their proofs say nothing."""
    found = []
    for version, macros in MACROS.items():
        file = read_written(text_of(version))
        found += [
            f"`{name}`, line {line} of {VERSIONS[version].file}" for name in macros for line in shared(file, name)
        ]
    return f"Uses that give one register two names, and write it, of which the proof of the macro says nothing: {'; '.join(found) or 'none'}."


def page() -> str:
    """Return the results as a page in Markdown."""
    runs = []
    for name, known in VERSIONS.items():
        counts = (*wrong_tags(name, inputs(LENGTHS)), *wrong_tags(name, lost_carries()), wrong_in_emulator(name)[1])
        runs.append([known.function, *map(str, counts)])
    shown = "\n".join(f"    {line}" for line in expressions(macro_named("vmsl", "REDUCE"))[:4])
    return f"""# The z14 paper's own assembly

`schedules originals`, golang.org/x/crypto {module()[0]}: `poly1305vx` is the code before the paper's work, `poly1305vmsl` after it.

## Runs

Each function in coconut's interpreter, against the definition: all lengths below {EVERY} bytes and some to {max(LENGTHS)}, with messages and keys of ones, of zeros and random ones, and values around p.

{markdown(["function", "inputs", "wrong", "inputs that lose a carry", "wrong", "wrong in qemu"], runs)}

`poly1305vmsl` makes wrong tags: `REDUCE2` may leave 2^44 and more in the first limb, which nothing carries on, and `PACK` joins limbs by an or, which is their sum only if the first is below 2^44.
The inputs that lose a carry are made for this, with r = 1: in the sums that `REDUCE2` takes, the third limb is all ones and the second carries into it, while the first is within 5 of 2^44, which random messages do not meet.

## Proofs

A macro becomes a graph in which each value is assigned once; that of `REDUCE` begins

{shown}

Each is proved for all inputs below a limit: what it leaves is congruent modulo p to the product, the sum or the blocks that it is for.
The loop is all of it, with its loads, and powers of r in limbs below 2^45 (`vmsl`) or that limit (`vx`); what it leaves is below what it takes, so that the limit holds for any number of iterations.
`PACK, MOD` is all that follows the last reduction, to the tag, whose bytes are then reversed; it takes the first limb below the limit, and the others as they are left before (`vmsl`), or what `sum of both` leaves (`vx`).
{shared_registers()}
What begins a message, and the paths for fewer blocks than the loop takes, are run and not proved.
A factor of VMSL has at most {BITS_OF_VMSL} bits, one of VMLOF at most 32.
"+" is a little more, "wrong" a sample at the limit or a random one for which the claim does not hold.

{markdown(HEADERS["proofs"], list(rows_of_proofs()))}

## Loops on the model of the z14

Cycles of an iteration in the steady state, by `llvm-mca`; `VLM` counts as a load for each vector.

{markdown(HEADERS["loops"], list(rows_of_loops()))}

## Blocks on the model of the z14

Cycles from the first instruction to the last result, of one that issues in order.

{markdown(HEADERS["blocks"], list(rows_of_blocks()))}"""
