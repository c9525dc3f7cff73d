# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run compiled functions on numbers, public ones and symbolic ones: what all architectures have in common.

Addresses and lengths are integers, secrets and messages symbolic. A branch, an address, a mask or a variable-time
division that depends on a symbolic number is refused, and so is whatever is read before it is written.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, NamedTuple, Self, TypeGuard

from coconut.instructions import Meaning
from coconut.lift import compare
from coconut.lift.objects import LIBRARY, Line, Linked
from coconut.operations import WORD_MAX, Value
from coconut.prove.graphs import carry_of_words, wraps
from coconut.prove.polynomials import Number, Unproved
from coconut.prove.terms import Difference, Symbolic, Term

# A multiple of 16, as the ABIs have it, and of no more.
STACK_TOP = 0x7FFF_FFFF_0010
STACK_BYTES = 1 << 16
RETURN = 0xF000_0000_0000
# How many instructions a call may run, if nothing else is known; one of a few KiB takes some ten thousand.
STEPS_MAX = 1 << 20
MASKS = {64: WORD_MAX, 32: 2**32 - 1, 16: 2**16 - 1, 8: 255}
WORDS = {Term, int}


class Stack(NamedTuple):
    """The stack as an ABI has it: the bytes below the stack pointer that a function may use, and those of the return
    address at the entry, above the function's own."""

    red_zone: int
    return_bytes: int


STACKS = {"x86_64": Stack(128, 8), "aarch64": Stack(0, 0)}


def are_words(value: Value | None) -> TypeGuard[Value]:
    return value is not None and {*map(type, value)} <= WORDS


class Ran(NamedTuple):
    """An instruction that only depends on vectors, and changes nothing but these: what they were before, and after. It is
    kept with them, as it is found by their identities."""

    line: Line
    before: list[Value | None]
    after: dict[int, Value]


@dataclass(frozen=True, eq=False)
class Unknown:
    """What a register holds when the function is called: it can be saved and restored.

    secret: whether it may be a number that was symbolic.
    """

    register: str
    secret: bool = False

    def refuse(self, *_: object) -> bool:
        raise Unproved(f"a decision that depends on {self.register}")

    __bool__ = __eq__ = __ne__ = refuse
    __hash__ = object.__hash__


def may_be_secret(value: Any) -> bool:
    """Return whether something is, or may be, a symbolic number."""
    return value.secret if isinstance(value, Unknown) else not isinstance(value, int)


@dataclass
class Memory:
    """Numbers of 1 to 8 bytes by their addresses, and what else the program has.

    lowest: the lowest address of the stack that was read or written since the machine has set it. found: what was read
    since the machine has cleared that.
    """

    linked: Linked
    cells: dict[int, tuple[int, Any]] = field(default_factory=dict)
    lowest: int = STACK_TOP
    found: list[Any] = field(default_factory=list)

    def read(self, at: int, count: int) -> Any:
        self.touch(at)
        cell = self.cells.get(at)
        value = cell[1] if cell is not None and cell[0] == count else self.parts(at, count)
        self.found.append(value)
        return value

    def parts(self, at: int, count: int) -> Any:
        """Return bytes that are no number of their own."""
        result, place = None, at
        while place < at + count:
            start = next((i for i in range(place, place - 8, -1) if i in self.cells), None)
            size, value = self.cells[start] if start is not None else (0, 0)
            if start is None or start + size <= place:
                byte = self.linked.byte(place)
                if byte is None:
                    raise Unproved(f"{count} bytes at {at:#x} are read, which nothing has written")
                start, size, value = place, 1, byte
            taken = min(start + size, at + count) - place
            if isinstance(value, Unknown):
                raise Unproved(f"a part of {value.register} is read, which was saved at {start:#x}")
            part = value >> 8 * (place - start)
            if start + size > place + taken:
                part = part & (1 << 8 * taken) - 1
            part = part << 8 * (place - at)
            result = part if result is None else result | part
            place += taken
        return result

    def touch(self, at: int) -> None:
        if STACK_TOP - STACK_BYTES <= at < self.lowest:
            self.lowest = at

    def lose_below(self, pointer: int) -> None:
        """Let a call overwrite, or keep, what is below the stack pointer."""
        for at, (size, value) in self.cells.items():
            if STACK_TOP - STACK_BYTES <= at < pointer:
                self.cells[at] = size, Unknown("the stack below a call", may_be_secret(value))

    def write(self, at: int, count: int, value: Any) -> None:
        self.touch(at)
        cell = self.cells.get(at)
        if cell is None or cell[0] != count:
            for start in range(at - 7, at + count):
                if start in self.cells and start + self.cells[start][0] > at:
                    self.cut(start, at, at + count)
        self.cells[at] = count, value

    def cut(self, start: int, begin: int, end: int) -> None:
        """Remove the bytes from `begin` to `end` of a number."""
        size, value = self.cells.pop(start)
        # A part of what is unknown is unknown, but nothing that could be restored.
        unknown = isinstance(value, Unknown)
        if start < begin:
            self.cells[start] = begin - start, replace(value) if unknown else value & (1 << 8 * (begin - start)) - 1
        if start + size > end:
            self.cells[end] = start + size - end, replace(value) if unknown else value >> 8 * (end - start)


@dataclass
class Flags:
    """What the last arithmetic instruction set: its kind, operands, carry in, result and width."""

    kind: str = ""
    a: Any = 0
    b: Any = 0
    carry_in: Any = 0
    result: Any = 0
    width: int = 64

    def carry(self) -> Any:
        if self.kind == "logic":
            return 0
        if self.kind == "kept":
            return self.carry_in.carry()
        if self.kind == "add":
            numbers = (self.a, self.b, self.carry_in)
            if self.width == 64 and any(wraps(number) for number in numbers):
                return carry_of_words([(number,) for number in numbers])
            return self.a + self.b + self.carry_in >> self.width
        if self.kind == "sub" and isinstance(self.carry_in, int) and self.carry_in == 0:
            return self.a < self.b if isinstance(self.a, Number) or isinstance(self.b, Number) else int(self.a < self.b)
        if self.kind == "sub" and not any(isinstance(number, Number) for number in (self.a, self.b, self.carry_in)):
            return int(self.a - self.b - self.carry_in < 0)
        raise Unproved(f"the carry after {self.kind or 'what sets none'}")

    def public(self, what: str, number: Any) -> int:
        """Return a number that must not be symbolic."""
        if isinstance(number, Number | Symbolic | Unknown):
            raise Unproved(f"a condition on a symbolic number, {what}")
        found: int = number
        return found

    def is_zero(self, number: Any) -> bool:
        """Return whether a number is 0; of a comparison of secrets, whoever proves it decides."""
        if isinstance(number, Difference):
            return number.decided()
        return bool(self.public("whether it is 0", number) == 0)

    def signed(self, number: int) -> int:
        return number - (1 << self.width) if number >> self.width - 1 else number

    def holds(self, condition: str) -> bool:
        """Return whether a condition holds, which must not depend on a symbolic number."""
        raise NotImplementedError


def signed(number: int, width: int) -> int:
    """Return an immediate number as a small one: to subtract 1 is not to add 2^64 - 1."""
    number &= MASKS[width]
    return number - (1 << width) if number >> width - 1 else number


@dataclass
class Machine:
    """Registers and memory of a call; an architecture's machine says how instructions and calls use them.

    ARGUMENTS, RESULT, CALLEE_SAVED, STACK: the general registers of arguments and of a result, those that a function
    restores, and the stack pointer.
    """

    ARGUMENTS: ClassVar[tuple[str, ...]]
    RESULT: ClassVar[str]
    CALLEE_SAVED: ClassVar[tuple[str, ...]]
    STACK: ClassVar[str]

    linked: Linked
    memory: Memory
    # Returns any number, in place of what nothing has set, which may be a secret or not.
    anything: Callable[[bool], Any] = lambda is_secret: 0
    general: dict[str, Any] = field(default_factory=dict)
    vectors: dict[int, Value] = field(default_factory=dict)
    flags: Flags = field(default_factory=Flags)
    written: set[tuple[int, int]] = field(default_factory=set)
    stores: int = 0
    steps: int = 0
    steps_max: int = STEPS_MAX
    # The addresses of all instructions that were run.
    ran: dict[int, None] = field(default_factory=dict)
    # What was computed of words, by the operation and the words.
    results: dict[tuple[object, ...], Any] = field(default_factory=dict)

    @classmethod
    def on(cls, linked: Linked, cells: dict[int, tuple[int, Any]]) -> "Machine":
        """Return a machine with a memory of its own."""
        return cls(linked, Memory(linked, cells))

    def copied(self) -> Self:
        """Return a machine that has the same, and changes alone, but for what was computed, and what has run."""
        made = copy(self)
        for item in fields(made):
            value = getattr(made, item.name)
            if isinstance(value, dict | set) and item.name not in {"ran", "results"}:
                setattr(made, item.name, copy(value))
        made.flags, made.memory = copy(made.flags), copy(made.memory)
        made.memory.cells = dict(made.memory.cells)
        return made

    def callee_saved(self) -> dict[str, Any]:
        """Return what a function must restore, by the names of registers."""
        return {name: self.general[name] for name in self.CALLEE_SAVED}

    def step(self, line: Line) -> int:
        """Run an instruction, and return the address of the next one."""
        raise NotImplementedError

    def truth(self, condition: str) -> Any:
        """Return 1 if a condition holds, else 0; what the architecture allows may be symbolic."""
        raise NotImplementedError

    def back(self) -> int:
        """Return to the caller: return its address."""
        raise NotImplementedError

    def call(self, at: int, arguments: list[int]) -> None:
        """Run a function to its end, by the rules of the ABI."""
        self.general |= dict(zip(self.ARGUMENTS, arguments, strict=False))
        before = self.callee_saved()
        while at != RETURN:
            at = self.advance(at)
        self.check_restored(before)

    def advance(self, at: int) -> int:
        """Run the instruction at an address, or a function of the C library, and return the next address."""
        line = self.linked.lines.get(at)
        if line is None:
            return self.library(at)
        self.ran[at] = None
        self.steps += 1
        if self.steps > self.steps_max:
            raise Unproved(f"more than {self.steps_max} instructions")
        pointer, self.memory.lowest = self.general[self.STACK], STACK_TOP
        try:
            passed = compare.require(self, line)
            if passed.only_vectors:
                before = [self.vectors.get(number) for number in passed.numbers]
                run = (id(line), *map(id, before))
                if (known := self.results.get(run)) is not None:
                    self.vectors |= known.after
                    return line.after
            self.memory.found.clear()
            words, flags = passed.words_in(self), self.flags
            at = self.step(line)
            passed.check(words, self.memory.found)
            self.check_stack(min(pointer, self.general[self.STACK]))
            if passed.numbers:
                after = self.same_objects(passed.numbers)
                if passed.only_vectors and after is not None and self.flags is flags and all(map(are_words, before)):
                    self.results[run] = Ran(line, before, after)
        except compare.REFUSALS as error:
            where = self.linked.functions.get(at, "")
            raise Unproved(f"{line.at:x} {where}: {line.text}: {type(error).__name__} {error}") from None
        return at

    def same_objects(self, numbers: Sequence[int]) -> dict[int, Value] | None:
        """Let vectors with the same words be the same objects, by which they are found again, and return them; or None, if
        other than words is among them."""
        found: dict[int, Value] = {}
        for number in numbers:
            value = self.vectors.get(number)
            if not are_words(value):
                return None
            found[number] = self.vectors[number] = self.results.setdefault(("vector", value), value)
        return found

    @property
    def stack(self) -> Stack:
        return STACKS[self.linked.target.architecture]

    def check_stack(self, pointer: int) -> None:
        """Raise Unproved if an instruction has taken what is below the stack pointer, and may change at any time."""
        if self.memory.lowest < pointer - self.stack.red_zone:
            raise Unproved(f"the stack is used {pointer - self.memory.lowest} bytes below its pointer")

    def check_restored(self, before: dict[str, Any]) -> None:
        """Raise Unproved unless a call has restored the stack pointer, and these registers."""
        if self.general[self.STACK] != STACK_TOP:
            raise Unproved("the stack pointer is not where it was")
        after = self.callee_saved()
        for name, value in before.items():
            if after[name] is not value:
                raise Unproved(f"{name} is not restored")

    def library(self, at: int) -> int:
        """Do what a function of the C library does, and return; it leaves nothing in registers that it need not keep."""
        to, source, count = (self.general[name] for name in self.ARGUMENTS[:3])
        if not isinstance(to, int) or not isinstance(count, int):
            raise Unproved("a function of the C library whose arguments depend on the length")
        pointer, self.memory.lowest = self.general[self.STACK], STACK_TOP
        if at == LIBRARY["memcpy"]:
            if not isinstance(source, int) or 0 < abs(to - source) < count:
                raise Unproved(f"memcpy of {count} bytes to {to:#x}, which overlap")
            values = [(i, self.memory.read(source + i, min(8, count - i))) for i in range(0, count, 8)]
            for i, value in values:
                self.store(to + i, min(8, count - i), value)
        elif at == LIBRARY["memset"]:
            for i in range(count):
                self.store(to + i, 1, source & 255)
        else:
            raise Unproved(f"no instructions at {at:#x}")
        if self.memory.lowest < pointer:
            raise Unproved("a function of the C library is given what is below the stack pointer")
        self.memory.lose_below(pointer)
        at = self.back()
        self.forget()
        self.general[self.RESULT] = to
        return at

    def forget(self) -> None:
        """Forget what a function may overwrite; it may also keep it, and leave a secret where one was."""
        kept = self.callee_saved()
        for name in self.general.keys() - kept.keys() - {self.STACK}:
            self.general[name] = Unknown(f"{name} after a call")
        for number, lanes in self.vectors.items():
            lost = [Unknown(f"v{number} after a call", may_be_secret(value)) for value in lanes]
            self.vectors[number] = (lanes[0] if f"d{number}" in kept else lost[0], *lost[1:])
        self.flags = type(self.flags)()

    def computed_once(self, meaning: Meaning, imm: int | None, *values: Value) -> Value:
        """Return what an instruction makes of vectors; it is computed once of the same words."""
        if not all(map(are_words, values)):
            return meaning(imm, *values)
        key = (meaning, imm, *values)
        found: Value | None = self.results.get(key)
        if found is None:
            found = self.results[key] = tuple(meaning(imm, *values))
        return found

    def store(self, at: int, count: int, value: Any) -> None:
        self.written.add((at, count))
        self.stores += 1
        self.memory.write(at, count, value)

    def any_number(self, unknown: Any) -> Any:
        """Return any number, in place of what is unknown."""
        return self.anything(may_be_secret(unknown))

    def set_stack(self, at: int, count: int) -> None:
        """Let bytes of the stack be any number where nothing has set them, or a call may have: lanes may hold what is unused.

        No result depends on such a number, nor does a branch or an address.
        """
        size, value = self.memory.cells.get(at, (0, 0))
        if (size == count and not isinstance(value, Unknown)) or not STACK_TOP - STACK_BYTES <= at < STACK_TOP:
            return
        for place in range(at, at + count):
            start = next((i for i in range(place, place - 8, -1) if i in self.memory.cells), place)
            size, value = self.memory.cells.get(start, (0, 0))
            if start + size <= place:
                value = Unknown("the stack")
            if isinstance(value, Unknown):
                number = self.any_number(value)
                if not isinstance(number, Term):
                    raise Unproved(f"{count} bytes at {at:#x} are read, which nothing has written")
                self.memory.write(place, 1, number & 255)

    def known(self, name: str) -> Any:
        """Return what a general register has, unless nothing has set it."""
        value = self.general[name]
        if isinstance(value, Unknown):
            raise Unproved(f"{name} is read, which nothing has set")
        return value
