# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove Poly1305 stitched to ChaCha20 in the Go module: its numbers are symbolic, ChaCha20's words are havoc.

The counterpart, in which Poly1305's numbers are havoc, is in chacha20.py; so whatever one computes, the other does not
depend on it. Behind each four blocks, and at the head of the loop over groups, the accumulator is replaced by any
element within its limits: by induction, any number of groups and of fours is proved.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from coconut.interpret import Call, Pointer, store
from coconut.operations import BLOCK_BYTES
from coconut.prove.chacha20 import DOUBLE_ROUNDS, HAVOC, LOOP, WORDS, Count, GoFunction, go_functions
from coconut.prove.claims import H_WORDS, Encoding, add, product
from coconut.prove.go import STATE_H, same, store_state
from coconut.prove.graphs import BlockProof, graphs_of
from coconut.prove.polynomials import Poly, Ring, Unproved
from coconut.prove.programs import SymbolicMemory
from coconut.prove.proof import Proved, proved

FOUR_BYTES = 4 * BLOCK_BYTES
# The line after which four blocks are absorbed: it advances the pointer to the message.
ABSORBED = f"ADDQ ${FOUR_BYTES}, SI"


class Overwritten(Unproved):
    """Raised if a register does not keep a multiple of r."""

    def __init__(self, register: int) -> None:
        super().__init__(f"register {register} does not keep a multiple of r")
        self.register = register


@dataclass
class MacProof:
    """The proof of a function with some number of rounds stitched to Poly1305.

    - start: r and h in memory, and what general registers hold of them before the first block.
    - overwritten: the registers that do not keep multiples of r.
    - limbs, value: the accumulator, at where the call is.
    - at: the bytes of the message that were absorbed.
    """

    function: GoFunction
    rounds: int
    overwritten: set[int]
    ring: Ring

    def __post_init__(self) -> None:
        self.start = BlockProof(graphs_of("scalar64")["start"], ring=self.ring)
        claims = self.start.claims
        self.r, self.value = claims.values["r"][0], claims.values["h"][0]
        outputs = self.start.outputs()
        self.limbs: list[Any] = [outputs[f"t[{i}]"][0] for i in range(3)]
        self.multipliers = [lanes[0] for name, lanes in outputs.items() if name.startswith("k[")]
        encoding, _ = claims.outputs["t"]
        self.encoding: Encoding = encoding
        self.kept: dict[int, Any] = {}
        self.at = self.claims = 0

    def call(self, groups: int | Count) -> Call:
        """Return a call in whose vectors, and memory for them, is anything."""
        function = self.function
        length = BLOCK_BYTES * function.mac * self.rounds
        storage = SymbolicMemory({"message": self.start.claims.message}, "little", {"message": length})
        store_state(storage, "mac", self.start)
        for base in ("state", "dst", "src"):
            store(storage, base, [(HAVOC,) * WORDS * (1 if base == "state" else function.blocks)], 4)
        arguments: dict[str, Any] = {name: Pointer(name) for name in function.parameters}
        arguments |= {"rounds": self.rounds, "groups": groups}
        return function.code.call(arguments, storage, lambda: HAVOC, function.outputs(False))

    def registers(self, call: Call, numbers: Sequence[Any]) -> list[int]:
        """Return the general register of each number; of those that hold the same, the first."""
        found = []
        for number in numbers:
            held = [register for register, value in call.machine.numbers.items() if same(value[0], number)]
            if not held:
                raise Unproved(f"line {self.line(call)}: a number of Poly1305 is in no register")
            found.append(held[0])
        return found

    def line(self, call: Call) -> int:
        return self.function.code.lines[call.at].number

    def havoc(self, call: Call, where: Sequence[int]) -> None:
        """Replace the accumulator, in these registers, by any within its limits; remove all but it and r's multiples."""
        machine, ring = call.machine, self.ring
        if missing := set(where) - machine.numbers.keys():
            raise Unproved(f"line {self.line(call)}: register {min(missing)} does not hold the accumulator")
        self.encoding.require(ring, f"t, line {self.line(call)}", [machine.numbers[i][0] for i in where], self.value)
        self.claims += 1
        if not self.kept:
            # Those that are not taken from memory.
            self.kept = {
                register: value[:1]
                for register, value in machine.numbers.items()
                if register not in self.overwritten.union(where)
                and any(same(value[0], number) for number in self.multipliers)
            }
        for register, value in self.kept.items():
            if not same(machine.numbers.get(register, ())[:1], value):
                raise Overwritten(register)
        if machine.general.get("SI") != Pointer("message", self.at):
            raise Unproved(f"line {self.line(call)}: {self.at} bytes of the message were absorbed")
        self.limbs, self.value = self.encoding.assume(ring, f"t at {self.at}", None)
        machine.numbers = dict(self.kept)
        machine.numbers |= {number: (limb,) for number, limb in zip(where, self.limbs, strict=True)}
        machine.implicit, machine.result = {}, None

    def absorbed(self) -> Poly:
        """Return the accumulator's value after four more blocks."""
        value, message = self.value, self.start.claims.message
        for i in range(4):
            value = product(add(value, message.block(self.at + BLOCK_BYTES * i)), self.r)
        return value

    def prove(self, groups: int | Count) -> int:
        """Prove a call: of one group, or the loop's head to where it is reached again, or the end."""
        code = self.function.code
        stops = {i + 1 for i, line in enumerate(code.lines) if line.text == ABSORBED}
        fours = self.function.mac // 4
        if len(stops) != fours:
            raise Unproved(f"{len(stops)} lines advance the message by four blocks")
        call = self.call(groups)
        head = code.labels.get(LOOP, -1)
        if head >= 0 and not call.run_to_line({head}):
            raise Unproved("there is no loop over groups")
        where: list[int] = []
        for _ in range(fours * self.rounds):
            if head >= 0 and not where:
                where = self.registers(call, self.limbs)
                self.havoc(call, where)
            if not call.run_to_line(stops | {head}) or call.at == head:
                raise Unproved(f"{self.at} bytes of the message are absorbed")
            self.value = self.absorbed()
            self.at += FOUR_BYTES
            where = where or self.after_first(call)
            self.havoc(call, where)
        returned = call.run_to_line(stops | {head})
        if returned != (isinstance(groups, Count) and not groups.is_last):
            raise Unproved("the loop over groups does not end with the last one, or not only then")
        if returned:
            if call.at != head:
                raise Unproved("more of the message is absorbed")
            self.havoc(call, where)
            return self.claims
        return self.claims + self.check_end(call)

    def after_first(self, call: Call) -> list[int]:
        """Return the registers of the accumulator after the first four blocks: those in which it is before them."""
        before = self.call(1)
        stops = {before.code.labels["beside"]}
        if not before.run_to_line(stops):
            raise Unproved("there is no loop with Poly1305")
        return self.registers(before, self.limbs)

    def check_end(self, call: Call) -> int:
        """Raise Unproved unless memory has the accumulator as h; r and s cannot be written."""
        storage = call.machine.storage
        words = [storage["mac", STATE_H + 8 * i] for i in range(3)]
        H_WORDS.require(self.ring, "h", words, self.value)
        return 1


def prove_mac(function: GoFunction, rounds: int, ring: Ring) -> int:
    """Prove Poly1305 in one function of ChaCha20, with any number of groups."""
    cases = (Count(False), Count(True)) if "groups" in function.parameters else (1,)
    overwritten: set[int] = set()
    while True:
        try:
            return sum(MacProof(function, rounds, overwritten, ring).prove(groups) for groups in cases)
        except Overwritten as error:
            overwritten.add(error.register)


def prove_stitched(certify: bool = False) -> Iterator[Proved]:
    """Prove Poly1305 in all functions that stitch it to ChaCha20."""
    for function in go_functions():
        for rounds in range(1, DOUBLE_ROUNDS + 1) if function.mac else ():
            title = f"{function.title}, Poly1305 stitched to {rounds} rounds"
            ring = Ring.of(title, certify)
            yield proved(title, partial(prove_mac, function, rounds, ring), ring)
