# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove Poly1305's public functions as compilers made them, at one length after another: tags of a message in one call, their
comparison, Poly1305-AES, other pads, and partial evaluations.

The functions run whole (calls.py), with the choice of kernels and the clearing of stack and registers. For all keys, nonces,
messages, given tags and values of segments:

- A tag is that of the message's blocks under the key, which is clamped here; with Poly1305-AES, under r and the encrypted
  nonce. AES is a function of which nothing is known: it has a result of its own for each key and nonce, so that whatever
  the library computes with other ones is another number.
- A function that verifies compares both words of this tag with the given one, and returns true if they are equal.
- That r is rejected exactly if it is not clamped is proved on its bits; what follows is run for both cases.
- Partial evaluations leave what the basic blocks of ends.cc leave for r, the segments' values, and their numbers of blocks.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

from coconut.lift.machine import Unknown
from coconut.lift.objects import Linked, chosen, compiled
from coconut.operations import BLOCK_BYTES, WORD_MAX
from coconut.prove.bits import TRUE
from coconut.prove.calls import Accumulator, Calls, doubled, padded, symbol_like
from coconut.prove.choices import FALLBACK_BIT, Choice, choices, entries_in_use, missing, new_records
from coconut.prove.claims import H_WORDS
from coconut.prove.composition import CLAMP
from coconut.prove.core import ENTRY_BYTES, Call, Joining, claim_verdict, pairs
from coconut.prove.evaluation import MESSAGE, Inputs, numbered
from coconut.prove.graphs import graphs_of
from coconut.prove.polynomials import Lanes, Message, Number, Unproved
from coconut.prove.proof import Compiled, Proved, proved
from coconut.prove.terms import WORD_BITS, Difference, Term, same

ASSUMED = (
    "AES is a function of its key and its block, and leaves nothing else on the stack and in registers.",
    "What a caller gives as a partial evaluation is at most 4 * 2^128 + 2^128 - 1, as all that the library leaves.",
)
CLAMPED_AT = "hornet_poly1305_r_is_clamped"
# struct hornet_aes: a name, features and lanes, then the function. Its records.
AES_ENCRYPT = 24
AES_RECORDS = ("aesni", "armv8", "bitsliced")
AES_KEY_BYTES = 32  # of which AES takes the first half, as r follows
PARTIAL_BYTES = 32  # of hornet_poly1305_partial: the value's words, and the length
SEGMENTS = "ends26x1"


def place(i: int) -> int:
    """Return where argument i is, at an odd address that is far from all others."""
    return (i + 1 << 34) + 2 * i + 1


@dataclass
class Verdicts:
    """The verdicts on given tags: whether each is taken for the tag that it is compared with, which must be its own.

    given: the words of each; expected: computes the words that it must be compared with. decided: those that were asked for.
    """

    calls: Calls
    given: Sequence[Sequence[Any]]
    expected: Callable[[int], Sequence[Any]]
    valid: Sequence[bool]
    decided: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.calls.terms.decide = self.verdict

    def verdict(self, difference: Difference) -> bool:
        """Return the verdict on a tag, if all of it is compared, and with its own."""
        which = next((i for i, words in enumerate(self.given) if self.calls.is_compared(difference, words)), None)
        if which is None:
            raise Unproved("a branch on something else than a tag, or on a part of it")
        self.calls.check_compared(difference, self.given[which], self.expected(which))
        self.decided.add(which)
        return self.valid[which]

    def check(self) -> None:
        """Raise Unproved unless each tag was compared."""
        if missing := set(range(len(self.given))) - self.decided:
            raise Unproved(f"the verdict on tag {min(missing)} depends on nothing")


@dataclass
class Macs(Calls):
    """As Calls, with functions that run no code here: AES, and that which rejects r, where a case says what it returns.

    rejected: the addresses of r that are not clamped.
    """

    rejected: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__post_init__()
        symbols = self.linked.symbols
        records = [symbols[name] for record in AES_RECORDS if (name := f"hornet_aes_{record}") in symbols]
        self.aes = {self.linked.number(at + AES_ENCRYPT, 8) for at in records}
        in_use = entries_in_use(self.linked, "aes", self.choice.cpu)
        self.memory.cells[symbol_like(self.linked, "aes_entries_chosen")] = 4, in_use
        self.clamped_at = symbols[CLAMPED_AT]

    def entered(self, at: int) -> int:
        machine = self.machine
        first, second, third, fourth = (machine.general[name] for name in machine.ARGUMENTS[:4])
        if at in self.aes:
            for i in range(fourth):
                words = self.encrypted(self.words_at(third + AES_KEY_BYTES * i, 2), self.words_at(second + 16 * i, 2))
                for k, word in enumerate(words):
                    machine.store(first + 16 * i + 4 * k, 4, word)
            return self.returned()
        if at == self.clamped_at and first in self.rejected:
            at = self.returned()
            machine.general[machine.RESULT] = 0
            return at
        return super().entered(at)

    def encrypted(self, key: Sequence[Any], block: Sequence[Any]) -> list[Term]:
        """Return AES's result, in words of 4 bytes."""
        of = [word.resolved() if isinstance(word, Term) else word for word in (*key, *block)]
        if not all(isinstance(word, Term | int) for word in of):
            raise Unproved("AES of what is no key or no nonce")
        name = " ".join(f"term {word.number}" if isinstance(word, Term) else f"{word:#x}" for word in of)
        return [self.terms.variable(f"AES of {name}, word {i}") for i in range(4)]

    def message(self, at: int, name: str, length: int) -> list[Any]:
        """Write a message to memory, and return its words, as Poly1305 absorbs them."""
        words = self.data(at, name, length)
        if length % BLOCK_BYTES:
            # A short block is loaded by bytes, some of them twice, and maybe bytes before it.
            for word in words[-8:]:
                self.terms.cuts |= {atom: range(0, WORD_BITS, 8) for _, _, atom, _ in word.slices}
        return blocks_of(words, length)

    def key(self, at: int, name: str) -> list[Any]:
        """Write a key to memory, and return its words of 8 bytes."""
        words = self.data(at, name, 32)
        self.cut_key(words)
        return doubled(words)

    def clamped(self, at: int, name: str) -> list[Any]:
        """Write a clamped r to memory, and return its words of 8 bytes."""
        variables = [self.terms.variable(f"{name} {i}") for i in range(4)]
        words = [word & CLAMP >> WORD_BITS * i & (1 << WORD_BITS) - 1 for i, word in enumerate(variables)]
        self.cut_key(words)
        self.put(at, words, 16)
        return doubled(words)

    def public(self, at: int, numbers: Iterable[int], size: int = 8) -> None:
        """Write public numbers to memory."""
        self.memory.cells |= {at + size * i: (size, number) for i, number in enumerate(numbers)}


def blocks_of(words: Sequence[Any], length: int) -> list[Any]:
    """Return the words of a message, as Poly1305 absorbs them: of 8 bytes, and the number of bytes of a short block."""
    return doubled(padded(words)) + [length % BLOCK_BYTES] * (length % BLOCK_BYTES != 0)


def check_result(what: str, result: Any, expected: int) -> None:
    """Raise Unproved unless a function of type bool, which sets 8 bits, has this result."""
    if isinstance(result, Unknown) or not same(result & 255, int(expected)):
        raise Unproved(f"{what} returns something else than {bool(expected)}: another verdict")


OUT, IN, KEY, NONCE, PAD, OTHER = map(place, range(6))


def prove_tag(linked: Linked, choice: Choice, length: int) -> Macs:
    """Prove hornet_poly1305."""
    calls = Macs(linked, choice)
    key, blocks = calls.key(KEY, "key"), calls.message(IN, "message", length)
    calls.call("hornet_poly1305", [OUT, IN, length, KEY], [(OUT, 16)])
    calls.claim_words("the tag", OUT, calls.tag_of(blocks, key))
    calls.check_left([])
    return calls


def prove_verdict(linked: Linked, choice: Choice, length: int, valid: bool) -> Macs:
    """Prove hornet_poly1305_verify, for one verdict."""
    calls = Macs(linked, choice)
    key, blocks = calls.key(KEY, "key"), calls.message(IN, "message", length)
    given = doubled(calls.data(OUT, "tag", 16))
    verdicts = Verdicts(calls, [given], lambda _: calls.tag_of(blocks, key), [valid])
    result = calls.call("hornet_poly1305_verify", [OUT, IN, length, KEY], [])
    verdicts.check()
    check_result("hornet_poly1305_verify", result, valid)
    calls.check_left([])
    return calls


@dataclass
class Padded:
    """A call of Poly1305-AES, or of Poly1305 with another pad, in one call.

    valid: the verdict, if a tag is verified. clamped: whether r is.
    """

    linked: Linked
    choice: Choice
    aes: bool
    length: int
    valid: bool | None = None
    clamped: bool = True

    def prove(self) -> Macs:
        calls, function = Macs(self.linked, self.choice), "hornet_poly1305_aes" if self.aes else "hornet_poly1305_pad"
        blocks = calls.message(IN, "message", self.length)
        r_at = KEY + 16 if self.aes else KEY
        r = calls.clamped(r_at, "r") if self.clamped else doubled(calls.data(r_at, "r", 16))
        if not self.clamped:
            calls.rejected.add(r_at)
        if self.aes:
            cipher_key, nonce = doubled(calls.data(KEY, "k", 16)), doubled(calls.data(NONCE, "nonce", 16))
            pad, arguments = doubled(calls.encrypted(cipher_key, nonce)), [NONCE, KEY]
        else:
            pad, arguments = doubled(calls.data(PAD, "pad", 16)), [KEY, PAD]
        first = [OUT, IN, self.length]
        if self.valid is None:
            result = calls.call(function, [*first, *arguments], [(OUT, 16)])
            calls.claim_words("the tag", OUT, calls.tag_of(blocks, [*r, *pad]) if self.clamped else [0, 0])
            check_result(function, result, self.clamped)
        else:
            given = doubled(calls.data(OUT, "tag", 16))
            tags = [given] if self.clamped else []
            verdicts = Verdicts(calls, tags, lambda _: calls.tag_of(blocks, [*r, *pad]), [self.valid])
            result = calls.call(f"{function}_verify", [*first, *arguments], [])
            verdicts.check()
            check_result(f"{function}_verify", result, self.clamped and self.valid)
        calls.check_left([])
        return calls


def prove_clamped(linked: Linked) -> int:
    """Prove that r is rejected if a bit is set that the clamp clears, and only then."""
    joining = Joining(Call(linked, CLAMPED_AT).diagrams)
    words, _ = pairs(joining.diagrams, 2)
    call = Call(linked, CLAMPED_AT, joining)
    call.write(MESSAGE, words)
    call.run([MESSAGE], 0)
    node = TRUE
    for word, mask in zip(words, (CLAMP & WORD_MAX, CLAMP >> 64), strict=True):
        for i in range(64):
            if not mask >> i & 1:
                node = call.diagrams.both(node, call.diagrams.negated(word.bits[i]))
    claim_verdict(call, node)
    return 1


@dataclass
class Segments(Macs):
    """Calls on partial evaluations: the values of segments, of which the range is known, and the basic blocks on them."""

    def value(self, at: int, name: str, length: int) -> list[Any]:
        """Write any partial evaluation of a number of bytes to memory, and return the words of its value."""
        words = [self.ring.input(f"{name} {i}", limit) for i, limit in enumerate(H_WORDS.limits)]
        self.memory.cells |= {at + 8 * i: (8, word) for i, word in enumerate([*words, length])}
        return words

    def words_of(self, block: str, given: dict[str, Lanes]) -> list[Any]:
        """Return the words that a basic block leaves of a value."""
        outputs = self.block(block, given)
        return [outputs[f"h[{i}]"][0] for i in range(3)]

    def block(self, name: str, given: dict[str, Lanes]) -> dict[str, Lanes]:
        """Run a basic block, whose inputs must be as small as it assumes."""
        check_limits(SEGMENTS, name, given)
        return Inputs(self.ring).run(SEGMENTS, name, given, Message(self.ring))

    def shift(self, r: Sequence[Any], length: int) -> dict[str, Lanes]:
        """Return r^n, as elements, for the blocks of a number of bytes."""
        return self.block(f"shift {-(-length // BLOCK_BYTES)}", numbered("r", [word.value() for word in r]))

    def check(self, at: int, words: Sequence[Any], length: int) -> None:
        """Check a partial evaluation in memory, and that nothing secret is left."""
        self.claim_words("the value", at, words)
        if self.memory.read(at + 24, 8) != length:
            raise Unproved("a partial evaluation of another length")
        self.check_left([])


def check_limits(kernel: str, name: str, given: dict[str, Lanes]) -> None:
    """Raise Unproved if numbers may be larger than a basic block assumes."""
    graph = graphs_of(kernel)[name]
    for i in graph.inputs():
        node = graph.nodes[i]
        for number in given[node.name]:
            low, high = (number.low, number.high) if isinstance(number, Number) else (number, number)
            if low < 0 or high > (node.limit or WORD_MAX):
                raise Unproved(f"{name}: {node.name} may be {high:#x}, above {node.limit:#x}")


def prove_computed(linked: Linked, choice: Choice, length: int) -> Macs:
    """Prove hornet_poly1305_partial_compute, and then the tag of what it leaves."""
    calls = Segments(linked, choice)
    r, blocks = calls.clamped(KEY, "r"), calls.message(IN, "message", length)
    result = calls.call("hornet_poly1305_partial_compute", [OUT, IN, length, KEY], [(OUT, PARTIAL_BYTES)])
    check_result("hornet_poly1305_partial_compute", result, True)
    words = value_over(calls, r, blocks)
    calls.check(OUT, words, length)
    pad = doubled(calls.data(PAD, "pad", 16))
    calls.call("hornet_poly1305_partial_tag", [OTHER, OUT, PAD], [(OTHER, 16)])
    calls.claim_words("the tag", OTHER, calls.tag_with(words, pad))
    calls.check_left([])
    return calls


def value_over(calls: Segments, r: Sequence[Any], blocks: Sequence[Any]) -> list[Any]:
    """Return the words of the value over blocks, which a kernel has left."""
    if not blocks:
        return [0, 0, 0]
    return same_accumulator(calls, blocks, [*r, 0, 0]).words


def same_accumulator(calls: Calls, blocks: Sequence[Any], key: Sequence[Any]) -> Accumulator:
    for found in calls.accumulators:
        if len(found.blocks) == len(blocks) and all(map(same, [*found.blocks, *found.key], [*blocks, *key])):
            return found
    raise Unproved("Poly1305 has computed no value of this segment under r")


def prove_segments(linked: Linked, choice: Choice, length: int, segment: int) -> Macs:
    """Prove hornet_poly1305_partial_segments."""
    calls = Segments(linked, choice)
    r, blocks = calls.clamped(KEY, "r"), calls.message(IN, "message", length)
    count = -(-length // segment)
    arguments = [OUT, segment, IN, length, KEY]
    result = calls.call("hornet_poly1305_partial_segments", arguments, [(OUT, PARTIAL_BYTES * count)])
    check_result("hornet_poly1305_partial_segments", result, True)
    for i, (first, last) in enumerate(pairwise([*range(0, length, segment), length])):
        of = blocks[first // 8 : last // 8] if last < length else blocks[first // 8 :]
        calls.check(OUT + PARTIAL_BYTES * i, value_over(calls, r, of), last - first)
    return calls


def prove_appended(linked: Linked, choice: Choice, left: int, right: int, join: bool) -> Macs:
    """Prove hornet_poly1305_partial_append, or _join of one segment."""
    calls = Segments(linked, choice)
    r = calls.clamped(KEY, "r")
    first, second = calls.value(OUT, "left", left), calls.value(IN, "right", right)
    expected = calls.words_of("append", numbered("left", first) | numbered("right", second) | calls.shift(r, right))
    function = f"hornet_poly1305_partial_{'join' if join else 'append'}"
    result = calls.call(function, [OUT, IN, *[1] * join, KEY], [(OUT, PARTIAL_BYTES)])
    is_allowed = left % BLOCK_BYTES == 0 or right == 0
    check_result(function, result, is_allowed)
    calls.check(OUT, expected if is_allowed else first, left + right * is_allowed)
    return calls


def prove_replaced(linked: Linked, choice: Choice, whole: int, segment: int, after: int) -> Macs:
    """Prove hornet_poly1305_partial_replace."""
    calls = Segments(linked, choice)
    r = calls.clamped(KEY, "r")
    all_words, old, new = (
        calls.value(at, name, length)
        for at, name, length in ((OUT, "whole", whole), (IN, "old", segment), (OTHER, "new", segment))
    )
    given = numbered("whole", all_words) | numbered("replaced", old) | numbered("replacement", new)
    expected = calls.words_of("replace", given | calls.shift(r, after))
    result = calls.call("hornet_poly1305_partial_replace", [OUT, IN, OTHER, after, KEY], [(OUT, PARTIAL_BYTES)])
    check_result("hornet_poly1305_partial_replace", result, True)
    calls.check(OUT, expected, whole)
    return calls


def prove_zeros(linked: Linked, choice: Choice, length: int) -> Macs:
    """Prove hornet_poly1305_partial_zeros."""
    calls = Segments(linked, choice)
    r = calls.clamped(KEY, "r")
    # The last block is 2^(8 rest), which is 2^128 and, modulo p, the excess.
    rest = length % BLOCK_BYTES
    excess = 3 * 2**128 + 2 ** (8 * rest) - 5 if rest else 0
    words = [excess >> 64 * i & WORD_MAX for i in range(3)]
    given = numbered("r", [word.value() for word in r]) | numbered("excess", words)
    expected = calls.words_of(f"zeros {-(-length // BLOCK_BYTES)}", given)
    result = calls.call("hornet_poly1305_partial_zeros", [OUT, length, KEY], [(OUT, PARTIAL_BYTES)])
    check_result("hornet_poly1305_partial_zeros", result, True)
    calls.check(OUT, expected, length)
    return calls


def prove_partial_verdict(linked: Linked, choice: Choice, length: int, valid: bool) -> Macs:
    """Prove hornet_poly1305_partial_verify of any partial evaluation."""
    calls = Segments(linked, choice)
    words, pad = calls.value(IN, "value", length), doubled(calls.data(PAD, "pad", 16))
    given = doubled(calls.data(OUT, "tag", 16))
    verdicts = Verdicts(calls, [given], lambda _: calls.tag_with(words, pad), [valid])
    result = calls.call("hornet_poly1305_partial_verify", [OUT, IN, PAD], [])
    verdicts.check()
    check_result("hornet_poly1305_partial_verify", result, valid)
    calls.check_left([])
    return calls


def prove_rejected(linked: Linked, choice: Choice, function: str) -> Macs:
    """Prove what a function on partial evaluations does if r is not clamped: it leaves the value, or that of nothing."""
    calls = Segments(linked, choice)
    calls.data(KEY, "r", 16)
    calls.rejected.add(KEY)
    before = [*calls.value(OUT, "left", 32), 32]
    calls.value(IN, "right", 16)
    calls.value(OTHER, "other", 16)
    arguments = {
        "compute": [OUT, IN, 20, KEY],
        "zeros": [OUT, 20, KEY],
        "segments": [OUT, 16, IN, 20, KEY],
        "append": [OUT, IN, KEY],
        "join": [OUT, IN, 1, KEY],
        "replace": [OUT, IN, OTHER, 16, KEY],
    }[function]
    result = calls.call(f"hornet_poly1305_partial_{function}", arguments, [(OUT, 2 * PARTIAL_BYTES)])
    check_result(function, result, False)
    kept = function in {"append", "join", "replace"}
    calls.claim_words("the value", OUT, before if kept else [0] * 4)
    calls.check_left([])
    return calls


# struct hornet_entry: the record, what it is preferred on, the least lengths in the AEAD and elsewhere.
LEAST = 16
# Lengths for each choice: no block, short ones of each form, and whole ones; and for each kernel, beyond its least length.
LENGTHS = (0, 1, 3, 6, 8, 15, 16, 29, 77)
BEYOND = 13
LENGTH_MAX = 1024
VERIFIED = (0, 37)
SEGMENTS_APPENDED = ((32, 20), (16, 80), (0, 5), (20, 0), (20, 5))
ZEROS = (0, 16, 20, 64, 80)
REJECTING = ("compute", "zeros", "segments", "append", "join", "replace")


def lengths_of(linked: Linked, choice: Choice, is_new: bool) -> list[int]:
    """Return lengths for a choice of kernels, of which each serves one if that is not too long."""
    entries = linked.symbols["hornet_poly1305_entries"]
    least = [
        linked.number(entries + ENTRY_BYTES * i + LEAST, 8) for i in range(FALLBACK_BIT) if choice.poly1305 >> i & 1
    ]
    return sorted({*(LENGTHS if is_new else LENGTHS[-1:]), *(x + BEYOND for x in least if x <= LENGTH_MAX)})


def calls_of(linked: Linked, choice: Choice, is_new: bool = True) -> Iterator[Callable[[], Macs]]:
    """Yield the proofs of the calls for a choice of kernels; if none of them is new, of tags alone."""
    for length in lengths_of(linked, choice, is_new):
        yield partial(prove_tag, linked, choice, length)
    if not is_new:
        return
    for length in VERIFIED:
        yield from (partial(prove_verdict, linked, choice, length, valid) for valid in (True, False))
    for aes in (True, False):
        for valid in (None, True, False):
            yield Padded(linked, choice, aes, VERIFIED[-1], valid).prove
        for valid in (None, True):
            yield Padded(linked, choice, aes, VERIFIED[-1], valid, clamped=False).prove
    for length in (0, 20, 64):
        yield partial(prove_computed, linked, choice, length)
    yield partial(prove_segments, linked, choice, 100, 32)
    for left, right in SEGMENTS_APPENDED:
        yield from (partial(prove_appended, linked, choice, left, right, join) for join in (False, True))
    yield partial(prove_replaced, linked, choice, 100, 32, 36)
    for length in ZEROS:
        yield partial(prove_zeros, linked, choice, length)
    for valid in (True, False):
        yield partial(prove_partial_verdict, linked, choice, 20, valid)
    for function in REJECTING:
        yield partial(prove_rejected, linked, choice, function)


def prove_calls(calls: Iterable[Callable[[], Macs]], ran: set[int]) -> int:
    """Prove calls, and return how many; add the addresses of instructions that have run."""
    count = 0
    for prove in calls:
        try:
            ran |= prove().ran.keys()
        except Unproved as error:
            raise Unproved(f"{described(prove)}: {error}") from None
        count += 1
    return count


def described(prove: Callable[[], Macs]) -> str:
    """Return which call a proof is of."""
    if isinstance(prove, partial):
        return f"{prove.func.__name__}{prove.args[2:]}"
    of: Any = getattr(prove, "__self__", prove)
    return f"{'AES' if of.aes else 'pad'}, {of.length} bytes, {of.valid}, {of.clamped}"


def of_poly1305(linked: Linked) -> list[Choice]:
    """Return choices with all kernels of Poly1305 and of AES that CPUs get."""
    found: dict[tuple[int, int], Choice] = {}
    for choice in choices(linked):
        found.setdefault((choice.poly1305, entries_in_use(linked, "aes", choice.cpu)), choice)
    return list(found.values())


def prove_macs(compilers: Iterable[str] = ()) -> Iterator[Proved]:
    """Prove what compilers made of Poly1305's public functions for one message, for all choices of its kernels."""
    for compiler in chosen(compilers):
        linked = compiled(compiler)
        of = Compiled(linked.version, CLAMPED_AT, CLAMPED_AT, "every r")
        yield proved(f"{linked.version}: {CLAMPED_AT}", partial(prove_clamped, linked), compiled=of)
        known = set[int]()
        for choice in of_poly1305(linked):
            title = f"{linked.version}: {choice.name}, Poly1305"
            if lacking := missing(linked, choice):
                of = Compiled(linked.version, choice.name, "hornet_poly1305")
                yield Proved(title, 0, compiled=of, omitted=lacking)
                continue
            is_new = bool(new_records(linked, choice, known)["poly1305"])
            lengths = ", ".join(map(str, lengths_of(linked, choice, is_new)))
            of = Compiled(linked.version, choice.name, "hornet_poly1305", lengths)
            yield proved(title, partial(prove_calls, calls_of(linked, choice, is_new), set()), compiled=of)
