# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove small functions that everything uses, as compilers make them: sums and products of words, the comparison of tags,
and the loops of fe_power and zeros_value.

The graphs of basic blocks replace core/words.h, so its functions are compiled alone (blocks/core.c) and executed on symbolic
words: what they leave is the sum or the product as an integer. A comparison is executed on symbolic bits (bits.py): its
result is 1 if all bits agree, and 0 otherwise, as one Boolean function, and no branch depends on a bit. The functions that
verify are those of the library, of which the tag that they compute is any 16 bytes.

fe_power and zeros_value are compiled over forms as elements, such as r^n, whose product with r^m is r^(n + m). They are executed
on all n at once: a branch on bits of n forks, and paths that arrive at the head of a loop are joined there, with the conditions
under which they do. That iterations are what forms say is proved of the basic blocks in ends.cc, and of the sums of powers in
composition.py.

What clears the stack is the only code whose path depends on an address: it is executed wherever the stack pointer may be in a
cache line.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from coconut.lift.compare import features_listed, lacking
from coconut.lift.machine import RETURN, STACK_TOP, Machine, Memory, Unknown
from coconut.lift.objects import X86_64, Linked, chosen, compiled, compiled_file, version_of
from coconut.operations import WORD_MAX
from coconut.prove.bits import BITS, FALSE, TRUE, Bits, Diagrams, Undecided
from coconut.prove.evaluation import KEY, MESSAGE, TAG
from coconut.prove.objects import MACHINES, check_writes
from coconut.prove.polynomials import Number, Ring, Unproved, exactly_weighted
from coconut.prove.proof import Compiled, Proved, proved
from coconut.trace import HERE

SOURCE = HERE / "blocks" / "core.c"
# How words.h is compiled: with and without MULX, and in C alone.
MULX = "with mulx"
VARIANTS = {"as it is": (), MULX: ("-DKERNEL_HAS_MULX",), "without assembly": ("-DHORNET_NO_ASM",)}


@dataclass
class Joining:
    """Paths of a function on symbolic bits: where they fork, and how machines of two paths are joined."""

    diagrams: Diagrams

    def cases(self, machine: Machine, at: int, when: int = TRUE) -> list[tuple[int, Machine, int]]:
        """Run an instruction under a condition: return each case, with what is true then, and the next address."""
        before = machine.copied()
        try:
            return [(when, machine, machine.advance(at))]
        except Undecided as undecided:
            node = undecided.node
        found = []
        for case in (True, False):
            then = self.diagrams.both(when, node if case else self.diagrams.negated(node))
            if then == FALSE:
                continue
            self.diagrams.assumed[node] = case
            try:
                found += self.cases(before.copied(), at, then)
            finally:
                del self.diagrams.assumed[node]
        return found

    def value(self, when: int, a: Any, b: Any) -> Any:
        """Return a value that is a under a condition, else b."""
        if a is b:
            return a
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            return Unknown("what one of two paths has set")
        words = [Bits(self.diagrams, (TRUE,) * BITS) & word for word in (a, b) if isinstance(word, Bits | int)]
        if len(words) < 2:
            raise Unproved(f"{a} on one path and {b} on another")
        of = [word.bits if isinstance(word, Bits) else plain_bits(word) for word in words]
        return self.diagrams.number([self.diagrams.choose(when, x, y) for x, y in zip(*of, strict=True)])

    def joined(self, when: int, a: Machine, b: Machine) -> Machine:
        """Return a machine that is a under a condition, else b."""
        a.general = {name: self.value(when, value, b.general[name]) for name, value in a.general.items()}
        a.vectors = {
            number: tuple(self.value(when, x, y) for x, y in zip(lanes, b.vectors[number], strict=True))
            for number, lanes in a.vectors.items()
            if number in b.vectors
        }
        cells = {}
        for at, (size, value) in a.memory.cells.items():
            # What one path has not written cannot be read any more.
            other_size, other = b.memory.cells.get(at, (0, 0))
            if other_size not in {0, size}:
                raise Unproved(f"{size} and {other_size} bytes are at {at:#x}")
            if other_size:
                cells[at] = size, self.value(when, value, other)
        a.memory.cells = cells
        if a.flags is not b.flags:
            a.flags = type(a.flags)(result=Unknown("flags of two paths"))
        a.written |= b.written
        return a

    def advance(self, machine: Machine, at: int) -> tuple[Machine, int]:
        """Run an instruction; refuse a branch on symbolic bits."""
        (_, found, after), *others = self.cases(machine, at)
        for when, other, other_after in others:
            if other_after != after:
                raise Unproved(f"{machine.linked.lines[at].text}: a branch on bits that are compared")
            found = self.joined(when, other, found)
        return found, after

    def run_paths(self, machine: Machine, at: int) -> Machine:
        """Run to the end; fork at branches on symbolic bits, and join at the heads of loops and at the end."""
        going, ended = [(TRUE, machine, at)], []
        waiting: dict[int, list[tuple[int, Machine]]] = {}
        while going or waiting:
            if not going:
                place = next(iter(waiting))
                (when, first), *others = waiting.pop(place)
                for condition, other in others:
                    first, when = self.joined(condition, other, first), self.diagrams.either(when, condition)
                going.append((when, first, place))
            when, machine, at = going.pop()
            for condition, after, place in self.cases(machine, at, when):
                if place == RETURN:
                    ended.append((condition, after))
                elif place <= at:
                    waiting.setdefault(place, []).append((condition, after))
                else:
                    going.append((condition, after, place))
        when, machine = ended[0]
        for condition, other in ended[1:]:
            machine, when = self.joined(condition, other, machine), self.diagrams.either(when, condition)
        if when != TRUE:
            raise Unproved("some inputs have no path")
        return machine


def plain_bits(number: int) -> tuple[int, ...]:
    return tuple(number >> i & 1 for i in range(BITS))


@dataclass
class Call:
    """A call of a function of a program, whose memory and registers have symbolic words, or bits.

    replaced: functions that are not executed, by their addresses, and the bytes that each leaves where its result goes; given: the
    arguments of their calls.
    """

    linked: Linked
    function: str
    joining: Joining = field(default_factory=lambda: Joining(Diagrams()))
    replaced: dict[int, Sequence[Bits]] = field(default_factory=dict)
    given: list[list[Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        kind = MACHINES[self.linked.target.architecture]
        self.machine = kind(self.linked, Memory(self.linked))

    @property
    def diagrams(self) -> Diagrams:
        return self.joining.diagrams

    def write(self, at: int, words: Sequence[Any], size: int = 8) -> None:
        self.machine.memory.cells |= {at + size * i: (size, word) for i, word in enumerate(words)}

    def run(self, arguments: Sequence[Any], results: int, paths: bool = False) -> list[Any]:
        """Run the function, which may write this number of words; return them. Paths may fork only if that is asked for."""
        machine, joining = self.machine, self.joining
        machine.general |= dict(zip(machine.ARGUMENTS, arguments, strict=False))
        before, at = machine.callee_saved(), self.linked.symbols[self.function]
        if paths:
            machine = joining.run_paths(machine, at)
        while at != RETURN and not paths:
            if at in self.replaced:
                given = [machine.general[name] for name in machine.ARGUMENTS[:4]]
                self.given.append(given)
                for i, byte in enumerate(self.replaced[at]):
                    machine.store(given[0] + i, 1, byte)
                machine.memory.lose_below(machine.general[machine.STACK])
                at = machine.back()
                machine.forget()
            else:
                machine, at = joining.advance(machine, at)
        machine.check_restored(before)
        check_writes(machine, [TAG + 8 * i for i in range(results)])
        self.machine = machine
        return [machine.memory.read(TAG + 8 * i, 8) for i in range(results)]

    def result(self) -> Any:
        return self.machine.general[self.machine.RESULT]


def pairs(diagrams: Diagrams, words: int, bits: int = 64) -> tuple[list[Bits], list[Bits]]:
    """Return two numbers of some words, or bytes, whose bits alternate in the order of variables, the highest first.

    In this order a bit of a sum adds two nodes to the diagram of the carry below it; and of words that are joined by a
    comparison, the same bits are neighbours.
    """
    places = [(word, bit) for word in reversed(range(words)) for bit in reversed(range(bits))]
    if bits < 64:
        places.sort(key=lambda place: (-(place[0] % 8), -place[1]))
    nodes = {place: (diagrams.variable(), diagrams.variable()) for place in places}
    clear = (FALSE,) * (BITS - bits)
    first, second = (
        [Bits(diagrams, tuple(nodes[word, bit][i] for bit in range(bits)) + clear) for word in range(words)]
        for i in range(2)
    )
    return first, second


def claim_same(what: str, found: Sequence[Any], expected: Sequence[Any]) -> None:
    """Claim that numbers are the same for all inputs."""
    for i, (one, other) in enumerate(zip(found, expected, strict=True)):
        same = (
            one.equal(other) if isinstance(one, Bits) else other.equal(one) if isinstance(other, Bits) else one == other
        )
        if same != TRUE:
            raise Unproved(f"{what}: result {i} is another number")


def sum_of(a: Sequence[Bits], b: Sequence[Bits | int]) -> list[Any]:
    """Return the words of the sum of two numbers, and the carry."""
    found: list[Any] = []
    carry: Any = 0
    for x, y in zip(a, b, strict=True):
        total: Any = x + y + carry
        found.append(total & WORD_MAX)
        carry = total >> 64
    return [*found, carry]


def prove_sum(linked: Linked, function: str, words: int) -> int:
    """Prove that a function adds two numbers of some words, modulo 2^64 to the number of words."""
    joining = Joining(Diagrams())
    a, b = pairs(joining.diagrams, words)
    call = Call(linked, function, joining)
    call.write(TAG, a)
    call.write(MESSAGE, b)
    claim_same(function, call.run([TAG, MESSAGE], words), sum_of(a, b)[:words])
    return 1


def prove_block(linked: Linked) -> int:
    """Prove that add_block adds 16 bytes and 2^128."""
    joining = Joining(Diagrams())
    a, b = pairs(joining.diagrams, 3)
    call = Call(linked, "proved_add_block", joining)
    call.write(TAG, a)
    call.write(MESSAGE, b[:2])
    claim_same(call.function, call.run([TAG, MESSAGE], 3), sum_of(a, [*b[:2], 1])[:3])
    return 1


def prove_carry(linked: Linked) -> int:
    """Prove that add_with_carry leaves a sum, and returns its carry."""
    joining = Joining(Diagrams())
    a, b = pairs(joining.diagrams, 1)
    call = Call(linked, "proved_add_with_carry", joining)
    call.write(TAG, a)
    claim_same(call.function, [*call.run([TAG, *b], 1), call.result()], sum_of(a, b))
    return 1


def prove_product(linked: Linked) -> int:
    """Prove that multiply_words leaves two words that are a product."""
    ring, call = Ring(), Call(linked, "proved_multiply_words")
    a, b = ring.input("a", WORD_MAX), ring.input("b", WORD_MAX)
    low, high = call.run([TAG, a, b], 2)
    for word in (low, high):
        if not isinstance(word, Number) or word.wraps or word.low < 0 or word.high > WORD_MAX:
            raise Unproved(f"{call.function}: a result that is no word")
    if difference := exactly_weighted([low, high, a * b], [1, 1 << 64, -1]):
        raise Unproved(f"{call.function}: the difference is {ring.show(difference)}")
    return 1


def prove_words(linked: Linked) -> int:
    """Prove core/words.h."""
    sums = (("proved_add_words", 3), ("proved_add_word_pair", 2))
    return (
        sum(prove_sum(linked, name, words) for name, words in sums)
        + prove_block(linked)
        + prove_carry(linked)
        + prove_product(linked)
    )


# Lengths of bytes_equal that reach both of its loops.
LENGTHS = range(26)
# How long the messages are whose tags are verified.
VERIFIED = (0, 1, 15, 16, 17, 48, 49, 300, 5000)


def equal(a: Sequence[Bits], b: Sequence[Bits]) -> int:
    """Return the node of whether all bits agree."""
    diagrams = a[0].diagrams
    found = TRUE
    for x, y in zip(a, b, strict=True):
        found = diagrams.both(found, x.equal(y))
    return found


def claim_verdict(call: Call, node: int) -> None:
    """Claim that a function returns whether this node is true, as a bool: in 8 bits."""
    claim_same(call.function, [call.result() & 255], [call.diagrams.number([node])])


def prove_equal(linked: Linked, function: str, length: int) -> int:
    """Prove a function that compares bytes."""
    joining = Joining(Diagrams())
    a, b = pairs(joining.diagrams, length, 8)
    call = Call(linked, function, joining)
    call.write(TAG, a, 1)
    call.write(MESSAGE, b, 1)
    call.run([TAG, MESSAGE, length], 0)
    claim_verdict(call, equal(a, b) if length else TRUE)
    return 1


def prove_lengths(linked: Linked) -> int:
    return sum(prove_equal(linked, "hornet_equal", length) for length in LENGTHS)


ENTRY_BYTES = 32  # of struct hornet_entry, which begins with a pointer to a kernel's record
FALLBACK_IN_USE = 1 << 31


def in_use(linked: Linked) -> int:
    """Return a choice of entries: that of scalar64 alone, which is the fallback."""
    entries, record = linked.symbols["hornet_poly1305_entries"], linked.symbols["hornet_poly1305_kernel_scalar64"]
    index = next(i for i in range(31) if linked.number(entries + ENTRY_BYTES * i, 8) == record)
    return 1 << index | FALLBACK_IN_USE


def prove_verified(linked: Linked, length: int) -> int:
    """Prove hornet_poly1305_verify at a length, in which hornet_poly1305, or the mac that it calls, leaves any 16 bytes."""
    joining = Joining(Diagrams())
    computed, given = pairs(joining.diagrams, 16, 8)
    call = Call(linked, "hornet_poly1305_verify", joining)
    call.write(TAG, given, 1)
    call.write(linked.symbols["hornet_poly1305_in_use"], [in_use(linked)], 4)
    call.replaced |= {at: computed for at in (linked.symbols["hornet_poly1305"], linked.entry("scalar64", "mac"))}
    call.run([TAG, MESSAGE, length, KEY], 0)
    # One tag, of the message and the key of the call.
    if [[value if isinstance(value, int) else None for value in arguments[1:]] for arguments in call.given] != [
        [MESSAGE, length, KEY]
    ]:
        raise Unproved(f"{call.function} computes {len(call.given)} tags, or of something else, for {length} bytes")
    claim_verdict(call, equal(computed, given))
    return 1


def prove_verify(linked: Linked) -> int:
    return sum(prove_verified(linked, length) for length in VERIFIED)


def prove_of_every_number(linked: Linked, function: str) -> int:
    """Prove that a function returns the number that it is given, and 0: that of the form that it computes."""
    joining = Joining(Diagrams())
    n = Bits(
        joining.diagrams, tuple(reversed([joining.diagrams.variable() for _ in range(64)])) + (FALSE,) * (BITS - 64)
    )
    call = Call(linked, function, joining)
    claim_same(call.function, call.run([TAG, n], 2, paths=True), [n, 0])
    return 1


# Prove that fe_power raises to n, and that zeros_value is that of n blocks, without a sum that wraps.
prove_power = partial(prove_of_every_number, function="proved_fe_power")
prove_zeros = partial(prove_of_every_number, function="proved_zeros_value")


# The functions that clear the stack, and a feature of the CPUs on which they are called; how many bytes they clear, at least
# those of the red zone; and of how many bytes below that they may change some: the stack pointer is 64 below.
CLEARING = {"hornet_clear_stack": "", "hornet_clear_stack_avx": "avx2", "hornet_clear_stack_avx512": "avx512f"}
CLEARED = (128, 136, 184, 192, 248, 256, 264, 320, 1000, 8192)
LINE_BYTES, BELOW = 64, 256


def prove_cleared_at(linked: Linked, function: str, place: int, count: int) -> None:
    """Prove that a function leaves zeros in `count` bytes of the stack below its return address, and changes nothing else."""
    call = Call(linked, function)
    machine, memory = call.machine, call.machine.memory
    memory.cells.clear()
    caller = STACK_TOP - LINE_BYTES - place
    top = caller - machine.stack.return_bytes
    bottom = top - count
    memory.cells |= {at: (8, Unknown("the stack", secret=True)) for at in range(bottom - BELOW, top, 8)}
    memory.cells |= {top: (8, RETURN), caller: (8, Unknown("the caller's frame"))}
    machine.general |= {machine.STACK: top, machine.ARGUMENTS[0]: bottom}
    before, at = machine.callee_saved(), linked.symbols[function]
    while at != RETURN:
        at = machine.advance(at)
    what = f"{function}, {count} bytes of a stack at {caller % LINE_BYTES} modulo {LINE_BYTES}"
    words = [memory.cells.get(at, (0, None)) for at in range(bottom, top, 8)]
    if left := sum(size != 8 or not isinstance(word, int) or word != 0 for size, word in words):
        raise Unproved(f"{what}: {left} words of 8 bytes are not 0")
    if machine.general[machine.STACK] != caller or any(machine.callee_saved()[x] is not before[x] for x in before):
        raise Unproved(f"{what}: a register is not restored")
    if any(not bottom - BELOW <= start <= start + size <= top for start, size in machine.written):
        raise Unproved(f"{what}: other bytes are written")


def prove_cleared(linked: Linked, function: str) -> int:
    """Prove a function that clears the stack, wherever an ABI lets the stack be in a cache line."""
    for place in range(0, LINE_BYTES, 16):
        for count in CLEARED:
            prove_cleared_at(linked, function, place, count)
    return LINE_BYTES // 16 * len(CLEARED)


def prove_core(compilers: Iterable[str] = ()) -> Iterator[Proved]:
    """Prove what compilers made of these functions."""
    for compiler in chosen(compilers):
        library, version = compiled(compiler), version_of(compiler)

        def of(name: str, prove: Callable[[Linked], int], linked: Linked, what: str, version: str = version) -> Proved:
            title, described = f"{version}: {name}, {what}", Compiled(version, name, name, what)
            return proved(title, partial(prove, linked), compiled=described)

        for variant, options in VARIANTS.items():
            if variant != MULX or library.target == X86_64:
                yield of("words.h", prove_words, compiled_file(compiler, SOURCE, ("-O2", *options)), variant)
        tags = partial(prove_equal, function="proved_tags_equal", length=16)
        yield of("tags_equal", tags, compiled_file(compiler, SOURCE, ("-O2",)), "16 bytes")
        yield of("hornet_equal", prove_lengths, library, f"{LENGTHS[0]} to {LENGTHS[-1]} bytes")
        yield of("hornet_poly1305_verify", prove_verify, library, f"{', '.join(map(str, VERIFIED))} bytes")
        for function, feature in CLEARING.items() if library.target == X86_64 else ():
            lacks = lacking(1 << features_listed().index(feature)) if feature else ""
            what = f"{CLEARED[0]} to {CLEARED[-1]} bytes, at each multiple of 16 in a cache line"
            if lacks:
                described = Compiled(version, function, function, what)
                yield Proved(f"{version}: {function}", 0, compiled=described, omitted=lacks)
            else:
                yield of(function, partial(prove_cleared, function=function), library, what)
        # Without optimization, tests of bits and jumps are those of the text.
        yield of("fe_power", prove_power, compiled_file(compiler, SOURCE, ("-O0",)), "every exponent")
        yield of("zeros_value", prove_zeros, compiled_file(compiler, SOURCE, ("-O0",)), "every number of blocks")
