# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove the library's functions as compilers made them, as wholes, at one length after another.

A function of the object runs on symbolic numbers: key, state and message are inputs, lengths and addresses are public.
In the same ring the basic blocks of claims.py run one after another, as the length has them; what each leaves gets
names. So the function's numbers become polynomials in the same names, if they are the same numbers, and what it leaves
in memory must be what the last block leaves, for all inputs. What the blocks leave together is compared with
Bernstein's polynomial, on the formulas that are proved of them.

Beside that, whatever a call can do at this length is observed: it reads only what it is given, writes only its result
and its stack, takes no branch and computes no address on a secret, restores the registers that it must, and leaves
nothing symbolic in vector registers or on the stack.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import product

from coconut.architectures import ARCHITECTURES
from coconut.lift.machine import STACK_TOP, Machine, Memory
from coconut.lift.objects import Linked, compiled
from coconut.operations import WORD_MAX
from coconut.prove.evaluation import KEY, MESSAGE, RECORDS, STATE, TAG, Evaluation, Inputs, Record
from coconut.prove.graphs import graphs_of
from coconut.prove.polynomials import Number, Ring, Unproved, exact
from coconut.prove.proof import Proved, proved

ASSUMED = (
    "Instructions do what the tables and lift/machine.py say; objdump reads them as the CPU does.",
    "The linked program is what a program that uses the library runs: the linker only places objects.",
    "Message, key, tag, state and stack do not overlap. They are at addresses that are multiples of 64.",
    "The call follows the System V ABI; r in a state is clamped, and its h_2 is at most 4.",
    "Nothing else writes to the message, the key, the state or the stack during a call.",
)

def check_same(ring: Ring, name: str, found: Number | int, expected: Number | int) -> None:
    """Raise Unproved unless two words are equal for all inputs."""
    ring.claim_congruent(name, [exact(found), exact(expected)], [1, -1], 64)


# Offsets in struct poly1305, and in struct poly1305_pieces, which begins with one.
STATE_H, PIECES_LANES = 32, 352
STACK_BYTES = 1 << 16


@dataclass
class Function:
    """A function of a kernel's record, in a program, and the inputs of its calls."""

    linked: Linked
    record: Record
    member: str
    inputs: Inputs = field(default_factory=Inputs)

    def machine(self, memory: Memory) -> Machine:
        return Machine(self.linked, memory, lambda: self.inputs.ring.input("anything", WORD_MAX))

    def call(self, memory: Memory, arguments: list[int], expected: dict[int, Number | int]) -> int:
        """Prove a call: it leaves these words at these addresses. Return the number of instructions."""
        machine = self.machine(memory)
        machine.call(self.linked.entry(self.record.name, self.member), arguments)
        for at, word in expected.items():
            check_same(self.inputs.ring, f"the word at {at:#x}", memory.read(at, 8), word)
        check_writes(machine, expected)
        check_left(machine)
        return machine.steps

    def prove(self, length: int) -> int:
        """Prove mac or absorb at one length."""
        mac, memory = self.member == "mac", Memory(self.linked)
        self.inputs.message(memory, length)
        evaluation = Evaluation(self.inputs, self.record, memory, length, mac)
        expected = evaluation.result()
        words = [*self.inputs.clamped(whole=mac), *evaluation.pad, *([] if mac else evaluation.h_words)]
        for i, word in enumerate(words):
            memory.cells[(KEY if mac else STATE) + 8 * i] = 8, word
        arguments, result = ([TAG, MESSAGE, length, KEY], TAG) if mac else ([STATE, MESSAGE, length], STATE + STATE_H)
        return self.call(memory, arguments, {result + 8 * i: word for i, word in enumerate(expected)})


def check_writes(machine: Machine, result: Collection[int]) -> None:
    """Raise Unproved if a call wrote to anything but its result, words at these addresses, and its stack."""
    for start, size in machine.written:
        in_result = {at - at % 8 for at in (start, start + size - 1)} <= set(result)
        on_stack = STACK_TOP - STACK_BYTES <= start and start + size <= STACK_TOP
        if not in_result and not on_stack:
            raise Unproved(f"{size} bytes are written at {start:#x}")


def check_left(machine: Machine) -> None:
    """Raise Unproved if a call leaves a symbolic number in a vector register or on the stack."""
    for number, lanes in machine.vectors.items():
        if any(isinstance(value, Number) for value in lanes):
            raise Unproved(f"vector {number} has a symbolic number at the end")
    for at, (_, value) in machine.memory.cells.items():
        if STACK_TOP - STACK_BYTES <= at and isinstance(value, Number):
            raise Unproved(f"the stack has {value.ring.show(value.poly)} at the end, at {at - STACK_TOP:#x}")
