# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run public functions as compilers made them, from the first instruction to the return, on symbolic words.

What is secret is a symbolic word (terms.py), and becomes a polynomial number where Poly1305 begins to compute with it.
Each time that Poly1305 runs, be it a kernel's function or beside a pass of ChaCha20, the basic blocks of claims.py run
on the same numbers first (evaluation.py). What it leaves must be what they leave, and gets names, of which only the range
is known; beside the names is kept which blocks were absorbed, and under which key. So a tag is known by the words that
it was computed of.
"""

import random
import re
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple, Self

from coconut.lift.compare import REFUSALS
from coconut.lift.cpus import cpu_of
from coconut.lift.machine import RETURN, STACK_TOP, Memory, Unknown
from coconut.lift.objects import AARCH64, Linked
from coconut.operations import WORD_MAX
from coconut.prove.choices import SCALAR, Choice, functions_of_layouts
from coconut.prove.claims import H_WORDS, product
from coconut.prove.composition import CLAMP
from coconut.prove.evaluation import MESSAGE, RECORDS, Evaluation, Inputs, NamingRing, Record, Scope, numbered
from coconut.prove.objects import MACHINES, STATE_H, atoms_of, check_left, check_writes
from coconut.prove.polynomials import Message, Number, Poly, Unproved, add
from coconut.prove.terms import WORD_BITS, Difference, Term, Terms, same, value_of

# At which bits the words of a key are cut, so that each piece is kept by the clamp, or is not.
CUTS = ((0, 28), (0, 2, 28), (0, 2, 28), (0, 2, 28))
# What the library adds to the features of a CPU that it knows (core/cpu.c).
CPU_IS_KNOWN = 1 << 31

# chacha20_work: the state, the blocks, and their number, of what is done beside a pass.
BESIDE_STATE, BESIDE_BLOCKS, BESIDE_COUNT = 48, 56, 64


# What identifies a run of Poly1305: how it begins, and the words of the blocks that follow.
Run = tuple[Any, ...]


class Input:
    """What Poly1305 absorbs, for the basic blocks: memory that begins where their message does, given as 64-bit words.

    The words of a last block that is short are followed by how many bytes it has, so that it is not taken for a full one.
    """

    def __init__(self, words: Sequence[Any]) -> None:
        self.words = words

    @property
    def length(self) -> int:
        is_short = len(self.words) % 2
        length: int = 8 * (len(self.words) - 3 * is_short) + (self.words[-1] if is_short else 0)
        return length

    def read(self, at: int, count: int) -> Any:
        first, offset = divmod(at - MESSAGE, 8)
        if not 0 <= at - MESSAGE <= self.length - count:
            raise Unproved(f"{count} bytes at {at:#x} of Poly1305's input")
        word = self.words[first]
        if count < 8 or offset:
            word = word >> 8 * offset
            if offset + count > 8:
                word = word | self.words[first + 1] << 64 - 8 * offset
            word = word & (1 << 8 * count) - 1
        return value_of(word)


@dataclass
class Absorbed(Evaluation):
    """The basic blocks that absorb blocks under a key, and from an accumulator on, which are given as words.

    beside: whether that is beside a pass of ChaCha20, where the first product is computed as all others. reduces: whether
    each sum is reduced to words there, to which the next block is added (aead/stitched.h).
    """

    key: Sequence[Any] = ()
    before: Sequence[Any] = (0, 0, 0)
    beside: bool = False
    reduces: bool = False

    @property
    def h_words(self) -> list[Number | int]:
        return list(self.before)

    @property
    def r_words(self) -> list[Number | int]:
        return [value_of(word) for word in self.key[:2]]

    @property
    def pad(self) -> list[Number | int]:
        return [value_of(word) for word in self.key[2:]]

    def serial(self) -> tuple[list[Number | int], Poly]:
        if not self.beside:
            return super().serial()
        state, value = self.begin(), add(self.blocks[0], self.h)
        for i in range(1, len(self.blocks)):
            if self.reduces:
                given = numbered("r", self.r_words) | numbered("s", self.pad)
                words = self.end("scalar64", "small end", state)
                state = self.with_block("begin", given | numbered("h", words), i)
            else:
                state = self.with_block("block", state, i)
            value = add(product(value, self.names.power(1)), self.blocks[i])
        return self.end("scalar64", "end", state), product(value, self.names.power(1))


class Accumulator(NamedTuple):
    """The words of an accumulator, or of a tag, and what it is of: the words of the blocks, as Input has them, and those of
    the key."""

    words: list[Any]
    blocks: list[Any]
    key: list[Any]


class Running(NamedTuple):
    """A run of Poly1305: the stack pointer when it has returned, what it is, where its result goes, and what must be
    there then."""

    pointer: int
    title: str
    to: int
    is_tag: bool
    result: Any
    run: Run = ()


@dataclass
class Calls:
    """Calls of public functions, one after another, on the same memory.

    - terms: what the words of this and of other calls are made in, with a NamingRing.
    - numbers: where the numbers come from that are in place of symbolic words, in a call on public ones.
    - accumulators, tags: what Poly1305 has left. taken: what has run, with the number of blocks since the message began.
    - ran: the addresses of all instructions that have run.
    """

    linked: Linked
    choice: Choice
    terms: Terms = field(default_factory=lambda: Terms(NamingRing()))
    numbers: random.Random | None = None
    accumulators: list[Accumulator] = field(default_factory=list)
    tags: list[Accumulator] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    ran: dict[int, None] = field(default_factory=dict)
    steps: int = 0
    unknowns: int = 0
    # The atoms of what registers and memory have that these calls have not set, and which are no secrets of theirs.
    not_set: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        ring = self.terms.ring
        assert isinstance(ring, NamingRing)
        self.ring = ring
        self.memory = Memory(self.linked)
        self.running: list[Running] = []
        self.use(self.choice)
        self.memory.cells[symbol_like(self.linked, "cache.", "hornet_cpu.cache")] = 4, self.choice.cpu | CPU_IS_KNOWN

    def use(self, choice: Choice) -> None:
        """Have the kernels of a choice in use."""
        symbols = self.linked.symbols
        self.memory.cells[symbols["hornet_chacha20_in_use"]] = 4, choice.chacha20
        self.memory.cells[symbols["hornet_poly1305_in_use"]] = 4, choice.poly1305

    def anything(self, is_secret: bool) -> Term:
        """Return a word that is like no other: what is where nothing has set it, or what a call may have left there."""
        self.unknowns += 1
        low, high = (self.terms.variable(f"anything {self.unknowns} {half}") for half in range(2))
        found: Term = low | high << 32
        if not is_secret:
            self.not_set |= atoms_of(found)
        return found

    def data(self, at: int, name: str, length: int) -> list[Any]:
        """Write symbolic bytes to memory; return their words, of 4 bytes, the last one with zeros after them."""
        words: list[Any] = [self.word(f"{name} {i}") for i in range(-(-length // 4))]
        self.put(at, words, length)
        return [word & self.mask(length - 4 * i) for i, word in enumerate(words)]

    def word(self, name: str) -> Any:
        return self.numbers.getrandbits(32) if self.numbers else self.terms.variable(name)

    @staticmethod
    def mask(left: int) -> int:
        """Return the mask of a word of which this number of bytes is left."""
        return (1 << 8 * min(4, left)) - 1

    def put(self, at: int, words: Sequence[Any], length: int) -> None:
        whole = length // 4
        self.memory.cells |= {at + 4 * i: (4, word) for i, word in enumerate(words[:whole])}
        self.memory.cells |= {at + i: (1, words[whole] >> 8 * (i % 4) & 255) for i in range(4 * whole, length)}

    def cut_key(self, words: Iterable[Any]) -> None:
        """Have the words of a key of Poly1305 become numbers by pieces that the clamp keeps, or not."""
        for word, cuts in zip(words, CUTS, strict=False):
            if isinstance(word, Term):
                ((_, _, atom, _),) = word.slices
                self.terms.cuts[atom] = cuts

    def cut_slices(self, words: Iterable[Any]) -> None:
        """Have words become numbers by the slices that they consist of, which are variables then."""
        for word in words:
            plain = word.resolved() if isinstance(word, Term) else word
            for _, bits, atom, first in plain.slices if isinstance(plain, Term) else ():
                self.terms.cuts[atom] = sorted({0, first, first + bits} - {WORD_BITS})

    @cached_property
    def members(self) -> dict[int, tuple[Record, str]]:
        """Return the functions of Poly1305's kernels by their addresses."""
        records = [record for record in RECORDS if self.linked.has(record.name)]
        return {
            self.linked.entry(record.name, name): (record, name) for record in records for name in ("mac", "absorb")
        }

    @cached_property
    def layouts(self) -> frozenset[int]:
        return functions_of_layouts(self.linked)

    def call(self, function: str, arguments: Sequence[int], results: Sequence[tuple[int, int]]) -> Any:
        """Run a function, which may write these bytes, each from an address on, and its stack; return its result."""
        before, at = self.enter(arguments), self.linked.symbols[function]
        while at != RETURN:
            at = self.advance(at)
        return self.leave(before, results)

    def enter(self, arguments: Sequence[Any]) -> dict[str, Any]:
        """Begin a call; return what registers it must restore, and what they have."""
        kind = MACHINES[self.linked.target.architecture]
        self.machine = machine = kind(self.linked, self.memory, self.anything)
        machine.results = self.terms.results
        places = len(machine.ARGUMENTS)
        machine.general |= {name: self.anything(is_secret=False) for name in machine.CALLEE_SAVED}
        machine.general |= dict(zip(machine.ARGUMENTS, arguments, strict=False))
        self.memory.cells |= {STACK_TOP + 8 * i: (8, argument) for i, argument in enumerate(arguments[places:])}
        words = cpu_of(self.linked.target).vector_words
        machine.vectors = {i: tuple(Unknown(f"vector {i}") for _ in range(words)) for i in range(32)}
        self.enter_scope()
        return machine.callee_saved()

    def advance(self, at: int) -> int:
        """Run an instruction, and the basic blocks where Poly1305 begins or ends; return the next address."""
        try:
            at = self.entered(at)
        except REFUSALS as error:
            raise Unproved(f"{at:x}: {type(error).__name__} {error}") from None
        line = self.linked.lines.get(at)
        at = self.machine.advance(at)
        if line is not None and line.name == "ret":
            self.end()
        return at

    def advance_or_undo(self, at: int, *stopping: type[Exception]) -> int:
        """As advance; but if one of these exceptions stops an instruction, it is as if that had not begun."""
        machine, running = self.machine, len(self.running)
        general, flags, stores = dict(machine.general), machine.flags, machine.stores
        try:
            return self.advance(at)
        except stopping:
            if machine.stores != stores:
                raise Unproved("an instruction that is not known to run has written to memory") from None
            machine.general, machine.flags = general, flags
            del self.running[running:]
            raise

    def parted(self) -> Self:
        """Return calls that have the same, and go on alone."""
        made = copy(self)
        made.machine = self.machine.copied()
        made.use_memory(made.machine.memory)
        made.accumulators, made.tags, made.running = list(self.accumulators), list(self.tags), list(self.running)
        made.taken, made.ran, made.not_set = list(self.taken), dict(self.ran), set(self.not_set)
        return made

    def use_memory(self, memory: Memory) -> None:
        self.memory, self.machine.memory, self.machine.anything = memory, memory, self.anything

    def returned(self) -> int:
        """Return from a function that is not run: what it need not keep is lost."""
        self.memory.lose_below(self.machine.general[self.machine.STACK])
        at = self.machine.back()
        self.machine.forget()
        return at

    def leave(self, before: dict[str, Any], results: Sequence[tuple[int, int]]) -> Any:
        """End a call, and check what it has written and restored; return its result."""
        machine = self.machine
        machine.check_restored(before)
        self.steps += machine.steps
        self.ran |= machine.ran
        self.check_written(results)
        return machine.general[machine.RESULT]

    def entered(self, at: int) -> int:
        """Begin what begins at an address, before that is run; return the address of what is to be run."""
        if self.numbers is None and (at in self.members or at in self.layouts):
            self.begin(at)
        return at

    def message_at(self, at: int, length: int) -> list[Any]:
        """Return the words of a message, as Input has them."""
        words, rest = self.words_at(at, 2 * (length // 16)), length % 16
        if rest:
            ends = [self.memory.read(at + length - rest + i, min(8, rest - i)) for i in range(0, rest, 8)]
            words += [*ends, *[0] * (2 - len(ends)), rest]
        return words

    def check_written(self, results: Sequence[tuple[int, int]]) -> None:
        """Raise Unproved if something else than these bytes, each from an address on, and the stack was written."""
        check_writes(self.machine, {to + i for to, count in results for i in range(count)}, 1)

    def words_at(self, at: int, count: int) -> list[Any]:
        return [self.memory.read(at + 8 * i, 8) for i in range(count)]

    def begin(self, at: int) -> None:
        """Have the basic blocks run before Poly1305 does, whose function is at this address."""
        machine = self.machine
        first, second, third, fourth = (machine.general[name] for name in machine.ARGUMENTS[:4])
        if at in self.members:
            record, member = self.members[at]
            title, blocks = f"{record.name} {member}", self.message_at(second, third)
            if member == "absorb":
                self.absorb(title, record, first, blocks)
            else:
                before = Accumulator([0, 0, 0], [], clamped(self.words_at(fourth, 4)))
                self.run(title, record, first, blocks, before, is_tag=True)
        elif count := self.memory.read(first + BESIDE_COUNT, 8):
            state, blocks = (self.memory.read(first + offset, 8) for offset in (BESIDE_STATE, BESIDE_BLOCKS))
            reduces = companion_reduces(self.linked, self.linked.function_at(at))
            self.absorb("beside a pass", SCALAR, state, self.words_at(blocks, 2 * count), True, reduces)

    def accumulator_at(self, state: int) -> Accumulator:
        """Return the accumulator of a state in memory, and what it is of."""
        key, words = self.words_at(state, 4), self.words_at(state + STATE_H, 3)
        if all(isinstance(word, int) and word == 0 for word in words):
            return Accumulator(words, [], key)
        for found in self.accumulators:
            if all(a is b for a, b in zip(found.words, words, strict=True)):
                if not all(map(same, found.key, key)):
                    raise Unproved("an accumulator has another key than before")
                return found
        raise Unproved("an accumulator of which nothing is known")

    def absorb(
        self, title: str, record: Record, state: int, blocks: list[Any], beside: bool = False, reduces: bool = False
    ) -> None:
        self.run(title, record, state, blocks, self.accumulator_at(state), beside=beside, reduces=reduces)

    def is_short(self, blocks: Sequence[Any]) -> bool:
        """Return whether the last one of these blocks is not a whole one: then the number of its bytes is behind it."""
        return len(blocks) % 2 == 1

    def run(
        self,
        title: str,
        record: Record,
        to: int,
        blocks: list[Any],
        before: Accumulator,
        is_tag: bool = False,
        beside: bool = False,
        reduces: bool = False,
    ) -> None:
        """Have the basic blocks run, and expect what they leave when the function returns that begins."""
        if self.is_short(before.blocks):
            raise Unproved(f"{title} after a short block")
        # What begins in the same way shares the names, and what blocks have left.
        start = title, reduces, *before.words, *before.key
        run: Run = (start, *blocks)
        self.ring.enter(self.once("scope", start, Scope))
        inputs: Inputs = self.once("inputs", start, lambda: Inputs(self.ring))
        words: list[Any] = self.once(
            "absorbed", run, lambda: self.absorbed(inputs, record, blocks, before, is_tag, beside, reduces).result()
        )
        result = Accumulator(words, before.blocks + blocks, before.key)
        self.running.append(Running(self.pointer_after, title, to, is_tag, result, run))

    def once(self, what: str, run: Run, made: Callable[[], Any]) -> Any:
        """Return what a run of Poly1305 has made, which is the same in each call of the same terms."""
        results = self.terms.results
        if (what, run) not in results:
            results[what, run] = made()
        return results[what, run]

    def absorbed(
        self,
        inputs: Inputs,
        record: Record,
        blocks: list[Any],
        before: Accumulator,
        is_tag: bool = False,
        beside: bool = False,
        reduces: bool = False,
    ) -> Absorbed:
        """Return the basic blocks that absorb blocks."""
        memory: Any = Input(blocks)
        return Absorbed(
            inputs,
            record,
            memory,
            memory.length,
            is_tag,
            key=before.key,
            before=before.words,
            beside=beside,
            reduces=reduces,
        )

    @property
    def pointer_after(self) -> int:
        """Return the stack pointer when the function will have returned that begins."""
        found: int = self.machine.general[self.machine.STACK] + self.machine.stack.return_bytes
        return found

    def end(self) -> None:
        """Compare what Poly1305 has left, if it has returned, and give it names."""
        while self.running and self.machine.general[self.machine.STACK] == self.running[-1].pointer:
            running = self.running.pop()
            self.finish(running)
            self.enter_scope()

    def enter_scope(self) -> None:
        """Enter the scope of the run that has begun last, and has not ended."""
        run = self.running[-1].run if self.running else ()
        self.ring.enter(self.once("scope", run[0], Scope) if run else self.ring.outermost)

    def finish(self, running: Running) -> None:
        """Compare what a run of Poly1305 has left, and give it names."""
        _, title, to, is_tag, result, run = running
        self.taken.append(f"{title} of {len(result.blocks) // 2}")
        at = to if is_tag else to + STATE_H
        for i, word in enumerate(result.words):
            found = value_of(self.memory.read(at + 8 * i, 8))
            self.ring.claim_same(f"{title}, word {i}", found, word)
            # A tag is a number, also that of nothing, so that it is compared as one.
            self.memory.write(at + 8 * i, 8, found)
        if is_tag:
            self.tags.append(result)
        else:
            self.give_names(to, result, self.names_of(run))

    def give_names(self, state: int, result: Accumulator, names: list[Any]) -> None:
        """Write names to a state, of what is known by which blocks it is of."""
        for i, name in enumerate(names):
            self.memory.write(state + STATE_H + 8 * i, 8, name)
        self.accumulators.append(result._replace(words=names))

    def names_of(self, run: Run) -> list[Any]:
        """Return the names of what a run has left."""
        names: list[Any] = self.once("named", run, self.names)
        return names

    def names(self) -> list[Any]:
        """Return numbers of which only the range is known, for the words of an accumulator."""
        return [self.ring.input(f"h{i} {len(self.ring.names)}", limit) for i, limit in enumerate(H_WORDS.limits)]

    def tag_of(self, blocks: Sequence[Any], key: Sequence[Any]) -> list[Any]:
        """Return the words of the tag of these blocks under a key, both in words of 64 bits, which Poly1305 has computed."""
        key = clamped(key)
        if not blocks:
            return [value_of(word) for word in key[2:]]
        for found in (*self.tags, *self.accumulators):
            is_same = len(found.blocks) == len(blocks) and all(map(same, found.blocks, blocks))
            if not is_same or not all(map(same, found.key, key)):
                continue
            if len(found.words) == 2:
                return found.words
            pad = key[2:]
            words: list[Any] = self.once("tag", (*found.words, *pad), partial(self.tag_with, found.words, pad))
            return words
        raise Unproved("Poly1305 has computed nothing of this input under this key")

    def tag_with(self, words: Sequence[Any], pad: Sequence[Any]) -> list[Any]:
        """Return the words of the tag of an accumulator's words and a pad."""
        given = numbered("h", words) | numbered("s", [value_of(word) for word in pad])
        outputs = Inputs(self.ring).run("tag", "tag", given, Message(self.ring))
        return [outputs[f"tag[{i}]"][0] for i in range(2)]

    def is_compared(self, difference: Difference, given: Sequence[Any]) -> bool:
        """Return whether a comparison is of all words of a given tag, and of nothing else."""
        counts = [sum(same(term, word) for _, term in difference.pairs) for word in given]
        return len(difference.pairs) == len(given) and counts == [1] * len(given)

    def check_compared(self, difference: Difference, given: Sequence[Any], expected: Sequence[Any]) -> None:
        """Raise Unproved unless a comparison is of all of a given tag with the expected one."""
        if not self.is_compared(difference, given):
            raise Unproved("a branch on something else than a tag, or on a part of it")
        for i, word in enumerate(given):
            (compared,) = (number for number, term in difference.pairs if same(term, word))
            self.ring.claim_same(f"word {i} of the tag that is compared", compared, expected[i])

    def claim_words(self, what: str, at: int, words: Sequence[Any]) -> None:
        """Claim that 64-bit words in memory are these numbers."""
        for i, word in enumerate(words):
            self.ring.claim_same(f"word {i} of {what}", value_of(self.memory.read(at + 8 * i, 8)), word)

    def claim_terms(self, what: str, at: int, words: Sequence[Any], length: int) -> None:
        """Claim that bytes in memory are these words, of 4 bytes."""
        for i, word in enumerate(words):
            if not same(self.memory.read(at + 4 * i, min(4, length - 4 * i)), word):
                raise Unproved(f"word {i} of {what} is another one")

    def check_left(self, public: Iterable[Any]) -> None:
        """Raise Unproved if a secret is left in a vector or on the stack; what consists of public words is none."""
        check_left(self.machine, {atom for word in public for atom in atoms_of(word)} | self.not_set, self.not_set)


def clamped(key: Sequence[Any]) -> list[Any]:
    """Return the words of 8 bytes of a key, those of r clamped."""
    return [key[0] & CLAMP & WORD_MAX, key[1] & CLAMP >> 64, *key[2:]]


def padded(words: Sequence[Any]) -> list[Any]:
    """Return words of 4 bytes with zeros up to a whole block."""
    return [*words, *[0] * (-len(words) % 4)]


def doubled(words: Sequence[Any]) -> list[Any]:
    """Return words of 8 bytes."""
    return [words[i] | words[i + 1] << 32 for i in range(0, len(words), 2)]


def companion_reduces(linked: Linked, layout: str) -> bool:
    """Return whether Poly1305 is reduced after each block beside a pass: COMPANION_REDUCES of chacha20/kernels/neon.c.

    That only says what is computed there; it must be the same as the basic blocks compute.
    """
    return (
        linked.target == AARCH64 and "clang" not in linked.version and re.search("_lanes1_.*neon", layout) is not None
    )


def symbol_like(linked: Linked, *prefixes: str) -> int:
    """Return the address of the only symbol whose name begins like one of these."""
    found = [at for name, at in linked.symbols.items() if name.startswith(prefixes)]
    if len(found) != 1:
        raise Unproved(f"{linked.archive}: {len(found)} symbols {' or '.join(prefixes)}")
    return found[0]
