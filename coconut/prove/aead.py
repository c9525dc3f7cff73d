# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove whole calls of ChaCha20-Poly1305, as compilers made them, at one length of text and associated data after another.

The public functions run with all that they call (calls.py): the choice of kernels, ChaCha20's passes, Poly1305 beside them
and after them, the comparison of tags, and the clearing of stack and registers. For all keys, nonces, texts, associated
data, and given tags:

- Each word of the output is the same term as the RFC's: the keystream, from block 1 on, exclusive or the input.
- The tag is that of the RFC's input of Poly1305, word by word: associated data, ciphertext, both padded, and their lengths;
  under the RFC's key, the first half of block 0.
- A call that opens takes one branch on a secret: whether both words of the tag, which must be the RFC's, are the given
  ones. Both cases are proved: the text and true, or zeros and false.
- All else is public: branches, addresses, masks. Nothing is read or written but the arguments, constants, and the
  function's stack; registers are restored, and no secret is left in vectors or on the stack.
"""

import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from coconut.instructions import octets, of_octets
from coconut.lift.machine import RETURN
from coconut.lift.objects import Linked, chosen, compiled
from coconut.operations import BLOCK_BYTES, WORD32_MAX
from coconut.prove import chacha20, objects
from coconut.prove.calls import Calls, doubled, padded
from coconut.prove.choices import Choice, Kernel, check_named, choices, kernels_of_chacha20, missing, records_in_use
from coconut.prove.collection import uncollected
from coconut.prove.composition import tag_of
from coconut.prove.evaluation import RECORDS, NamingRing, groups_listed
from coconut.prove.polynomials import Unproved
from coconut.prove.proof import Called, Compiled, Proved, proved
from coconut.prove.terms import Difference, Terms

ASSUMED = (
    *objects.ASSUMED[:2],
    "Output, tag, input, associated data, nonce, key and stack do not overlap, but that the output may be the input, and "
    "addresses choose no path but where the stack is cleared, which core proves: they are odd, and the stack is 16 more than "
    "a multiple of 64.",
    "The call follows the System V ABI or the AAPCS64; memcpy and memset of the C library do what the C standard says.",
    "Which kernels are in use, and the features of the CPU, were found by an earlier call.",
    "A tag is the RFC's if it is the polynomial of the RFC's blocks, as graphs, tag and composition have it.",
    "Nothing else writes to memory of the call meanwhile.",
)

# Where a call has its arguments, at odd addresses.
OUT, TAG, IN, AAD, NONCE, KEY = ((i << 40) + 2 * i - 1 for i in range(1, 7))
CONSTANTS = of_octets(b"expand 32-byte k", 4)


class Case(NamedTuple):
    """A call: whether it opens, the lengths in bytes, whether the output is the input, and the nonce has 24 bytes."""

    opens: bool
    length: int
    aad_length: int
    in_place: bool = False
    extended: bool = False

    @property
    def verdicts(self) -> tuple[bool, ...]:
        return (True, False) if self.opens else (True,)

    @property
    def function(self) -> str:
        return f"hornet_{'x' * self.extended}chacha20_poly1305_{'open' if self.opens else 'seal'}"


class Sealed(NamedTuple):
    """What RFC 8439, section 2.8, defines: the output, the ciphertext, both in words of 4 bytes, and the key and the input
    of Poly1305, in words of 8 bytes."""

    out: list[Any]
    ciphertext: list[Any]
    key: list[Any]
    input: list[Any]


def block(terms: Terms, key: Sequence[Any], counter: int, nonce: Sequence[Any]) -> list[Any]:
    """Return the words of a block, which calls of the same terms share."""
    place = (
        "block",
        *(getattr(word, "number", word) for word in key),
        counter,
        *(getattr(w, "number", w) for w in nonce),
    )
    if place not in terms.results:
        terms.results[place] = chacha20.block_of([*CONSTANTS, *key, counter, *nonce])
    found: list[Any] = terms.results[place]
    return found


def subkey(key: Sequence[Any], nonce: Sequence[Any]) -> list[Any]:
    """Return HChaCha20's key (draft-irtf-cfrg-xchacha-03, section 2.2): words of its last state, to which nothing is
    added."""
    x: list[Any] = [*CONSTANTS, *key, *nonce[:4]]
    for _ in range(chacha20.DOUBLE_ROUNDS):
        chacha20.inner_block(x)
    return x[:4] + x[12:]


def sealed(calls: Calls, key: list[Any], nonce: list[Any], text: list[Any], aad: list[Any], case: Case) -> Sealed:
    """Compute the RFC's words of a text, which is the ciphertext if it is opened."""
    if case.extended:
        key, nonce = subkey(key, nonce), [0, *nonce[4:]]
    poly_key = block(calls.terms, key, 0, nonce)[:8]
    calls.cut_key(poly_key)
    keystream: list[Any] = []
    for i in range(-(-case.length // 64)):
        keystream += block(calls.terms, key, 1 + i, nonce)
    out = [(word ^ keystream[i]) & calls.mask(case.length - 4 * i) for i, word in enumerate(text)]
    ciphertext = text if case.opens else out
    calls.cut_slices(ciphertext)
    lengths = [case.aad_length, 0, case.length, 0]
    return Sealed(out, ciphertext, doubled(poly_key), doubled([*padded(aad), *padded(ciphertext), *lengths]))


def check_verdict(result: Any, valid: bool) -> None:
    """Raise Unproved unless a call returns this verdict, as a public number."""
    if not isinstance(result, int) or result & 255 != valid:
        raise Unproved("the function returns another verdict")


# How many instructions a call may run, and for each byte of its text and associated data; some 20 are for a byte.
STEPS, STEPS_EACH = 1 << 14, 64


class Undecided(Exception):
    """Something depends on a verdict that has not been given."""


def undecided(_: Difference) -> bool:
    raise Undecided


def nothing(is_secret: bool) -> Any:
    raise Unproved("a call that has ended needs any number")


@dataclass
class Run:
    """A call on symbolic words; in a call that opens, `valid` is the verdict on the tag.

    terms: what the words of several calls are made in, of which each then makes fewer.
    """

    linked: Linked
    choice: Choice
    case: Case
    valid: bool = True
    terms: Terms = field(default_factory=lambda: Terms(NamingRing()))

    def prepare(self, calls: Calls) -> tuple[list[int], list[tuple[int, int]]]:
        """Write the arguments to memory; return them, and what the call may write."""
        case, self.calls = self.case, calls
        text_at = OUT if case.in_place else IN
        self.key, nonce = calls.data(KEY, "key", 32), calls.data(NONCE, "nonce", 24 if case.extended else 12)
        aad, text = calls.data(AAD, "aad", case.aad_length), calls.data(text_at, "text", case.length)
        self.given = doubled(calls.data(TAG, "tag", 16)) if case.opens else []
        self.expected = sealed(calls, self.key, nonce, text, aad, case)
        first = [OUT, text_at, case.length, TAG] if case.opens else [OUT, TAG, text_at, case.length]
        return [*first, AAD, case.aad_length, NONCE, KEY], [(OUT, case.length), *([] if case.opens else [(TAG, 16)])]

    def prove(self) -> Calls:
        """Run the call on symbolic words, and check all that it leaves."""
        (calls,) = self.prove_each([self.valid])
        return calls

    @uncollected
    def prove_each(self, verdicts: Sequence[bool]) -> list[Calls]:
        """Run the call on symbolic words with each of these verdicts, and check all that it leaves. What runs before
        something depends on the verdict runs once."""
        case, calls = self.case, Calls(self.linked, self.choice, self.terms)
        arguments, results = self.prepare(calls)
        before, at = calls.enter(arguments), self.linked.symbols[case.function]
        calls.machine.steps_max = STEPS + STEPS_EACH * (case.length + case.aad_length)
        calls.terms.decide, parts = undecided, [calls]
        try:
            while at != RETURN:
                try:
                    at = calls.advance_or_undo(at, Undecided)
                except Undecided:
                    break
            parts = [calls.parted() for _ in verdicts]
            for valid, part in zip(verdicts, parts, strict=True):
                self.finish(part, at, valid)
                self.check(part, part.leave(before, results))
        finally:
            # Nothing refers to the calls then but who gets them, so that they are freed without the collector.
            for part in (calls, *parts):
                part.machine.anything = nothing
            calls.terms.decide = None
        return parts

    def finish(self, calls: Calls, at: int, valid: bool) -> None:
        """Run what is left of a call, with a verdict."""
        self.calls, self.valid = calls, valid
        # Where in the program the verdict is taken.
        self.decided: list[int] = []
        calls.terms.decide = self.verdict
        calls.enter_scope()
        while at != RETURN:
            self.at = at
            at = calls.advance(at)

    def check(self, calls: Calls, result: Any) -> None:
        """Check what a call leaves, and returns."""
        out = self.expected.out if self.valid else [0] * len(self.expected.out)
        calls.claim_terms("the output", OUT, out, self.case.length)
        if not self.case.opens:
            calls.claim_words("the tag", TAG, calls.tag_of(self.expected.input, self.expected.key))
        elif not self.decided:
            raise Unproved("the verdict depends on nothing")
        check_verdict(result, self.valid)
        calls.check_left(self.expected.ciphertext)

    def verdict(self, difference: Difference) -> bool:
        """Return the verdict on a tag, if all of it, and that of the RFC, is compared with the given one."""
        expected = self.calls.tag_of(self.expected.input, self.expected.key)
        self.calls.check_compared(difference, self.given, expected)
        self.decided.append(self.at)
        return self.valid

    def sample(self, seed: object) -> Calls:
        """Run the call on random numbers, whose given tag is right or has a wrong bit, and compare what it leaves."""
        case, source = self.case, random.Random(f"{self.case} {seed}")
        calls = Calls(self.linked, self.choice, numbers=source)
        arguments, results = self.prepare(calls)
        key, data = (bytes(octets(words, 8)) for words in self.expected[2:])
        tag = tag_of(key, data)
        wrong = int.from_bytes(tag, "little") ^ (0 if self.valid else 1 << source.randrange(128))
        if case.opens:
            calls.put(TAG, [wrong >> 32 * i & WORD32_MAX for i in range(4)], 16)
        check_verdict(calls.call(case.function, arguments, results), self.valid)
        calls.claim_terms(
            "the output", OUT, self.expected.out if self.valid else [0] * len(self.expected.out), case.length
        )
        if not case.opens and bytes(calls.memory.read(TAG + i, 1) for i in range(16)) != tag:
            raise Unproved("the tag is another one")
        return calls


# How many bytes the last block of a text lacks, and lengths of associated data, which are taken in turn.
LACKING = (0, 1, 15, 16, 31, 33, 47, 63, 5)
AAD_LENGTHS = (0, 13, 16, 64, 65, 200)
# Lengths that each choice of kernels gets: a short message, and a long one, which leaves Poly1305's kernels much. These
# calls have a certificate if the choice has a kernel that none before it had: nothing is shared with other choices there.
EACH = ((65, 13), (1100, 70))
QUICK_MAX = 640
# How many numbers of blocks are looked at, in tables of passes; and how many bytes passes may absorb of a long text.
TABLES, BESIDE_BYTES = 3, 4096

# What a pass is: its function, whether it is the first, and whether it is the last one, or how many blocks it then has.
Pass = tuple[int, bool, int]


def passes_of(kernel: Kernel, count: int, with_blocks: bool) -> set[Pass]:
    """Return the passes over a number of blocks, with the number of those of the last one if that is asked for."""
    passes = kernel.passes(count)
    left = count - sum(kernel.layouts[layout].blocks for _, layout in passes[:-1]) + (len(passes) > 1)
    found = {(kernel.layouts[layout].function, is_first, 0) for is_first, layout in passes[:-1]}
    is_first, layout = passes[-1]
    return found | {(kernel.layouts[layout].function, is_first, 1 + left * with_blocks)}


def block_counts(kernel: Kernel, known: set[Pass], with_blocks: bool) -> list[int]:
    """Return numbers of blocks that reach each pass that is not known, and add it."""
    counts = range(TABLES * len(kernel.first))
    reached = {count: passes_of(kernel, count, with_blocks) for count in counts}
    found: list[int] = []
    while True:
        # Short texts take less time.
        best = max(counts, key=lambda count: (len(reached[count] - known) / (16 + count), -count))
        if reached[best] <= known:
            return sorted(found)
        found.append(best)
        known |= reached[best]


def long_texts(linked: Linked, choice: Choice, known: set[str]) -> list[int]:
    """Return a text for each kernel of Poly1305 that is not known, long enough for the most groups that share a reduction
    there."""
    names = {linked.symbols[f"hornet_poly1305_kernel_{x.name}"]: x for x in RECORDS if linked.has(x.name)}
    used = [names[at] for at in records_in_use(linked, "poly1305", choice.poly1305) if at in names]
    new = [x for x in used if x.groups and x.name not in known]
    known.update(x.name for x in new)
    return [BESIDE_BYTES + BLOCK_BYTES * x.lanes * max(least for _, least in groups_listed(x.groups)) for x in new]


def sampled(linked: Linked, choice: Choice, opens: bool, known: set[Pass], macs: set[str]) -> list[Case]:
    """Return the cases of a choice of kernels: those of each, and what reaches other passes than are known. If it seals, these
    are counted by blocks, and there are longer texts for its kernels of Poly1305 that are not known."""
    found = [Case(opens, length, aad) for length, aad in EACH]
    for at in records_in_use(linked, "chacha20", choice.chacha20):
        for count in block_counts(kernels_of_chacha20(linked)[at], known, not opens):
            i = len(found)
            length = max(0, 64 * count - LACKING[i % len(LACKING)])
            # Long texts have one key, so that they share its keystream.
            extended = i % 3 == 2 and length <= QUICK_MAX
            found.append(Case(opens, length, AAD_LENGTHS[i % len(AAD_LENGTHS)], i % 2 == 1, extended))
    return found if opens else found + [Case(opens, length, 0) for length in long_texts(linked, choice, macs)]


def prove_cases(
    linked: Linked, choice: Choice, cases: Sequence[Case], ran: set[int], terms: Terms | None = None
) -> int:
    """Prove calls, and return how many, each verdict being one; add the addresses of instructions that have run.

    terms: what the words of other calls are made in: what they have in common is computed once.
    """
    count = 0
    terms = terms or Terms(NamingRing())
    for case in cases:
        try:
            for calls in Run(linked, choice, case, terms=terms).prove_each(case.verdicts):
                ran.update(calls.ran)
                count += 1
        except Unproved as error:
            raise Unproved(f"{case.length} bytes, {case.aad_length} of associated data: {error}") from None
    return count


# The longest text whose call shares words with others, and how many results of operations, and numbers, are kept for
# these: each hundred thousand results take some hundred megabytes. Calls at one length make some 150 results for each byte
# of it, which must not be too many by themselves, or each call would make them again: 150 * 8192 < 600,000 + 100 * 8192.
SHARED_BYTES, SHARED_RESULTS, SHARED_NUMBERS = 8192, 600_000, 100_000
RESULTS_OF_A_BYTE = 100


def forget(terms: Terms) -> None:
    """Free all terms, and the numbers that they have become, which must not be used any more."""
    # They refer to these tables, so that only the collector would free them.
    for table in (*terms.tables(), terms.cuts, terms.pieces):
        table.clear()
    assert terms.ring is not None
    terms.ring.forget()


@dataclass
class Shared:
    """What the words of calls are made in, one after another, also with other choices of kernels.

    alone: that of a long text.
    """

    terms: Terms = field(default_factory=lambda: Terms(NamingRing()))
    alone: Terms = field(default_factory=lambda: Terms(NamingRing()))

    def of(self, case: Case) -> Terms:
        """Return that of the next call: new, if it is long, or once too much is kept."""
        ring = self.terms.ring
        assert ring is not None
        forget(self.alone)
        if case.length > SHARED_BYTES:
            self.alone = Terms(NamingRing())
            return self.alone
        kept = SHARED_RESULTS + RESULTS_OF_A_BYTE * case.length
        if len(self.terms.results) > kept or len(ring.known) > SHARED_NUMBERS:
            forget(self.terms)
            self.terms = Terms(NamingRing())
        return self.terms

    def forget(self) -> None:
        """Free all of them."""
        forget(self.terms)
        forget(self.alone)


def prove_shared(linked: Linked, choice: Choice, case: Case, ran: set[int], shared: Shared) -> int:
    """Prove a call in what others have in common; if that is refused, by itself.

    The same number may have a name, or none, by what became of it in an earlier call.
    """
    try:
        return prove_cases(linked, choice, [case], ran, shared.of(case))
    except Unproved:
        return prove_cases(linked, choice, [case], ran)


@uncollected
def prove_listed(
    linked: Linked, choice: Choice, cases: Iterable[Case], calls: list[Called], shared: Shared, ring: NamingRing
) -> int:
    """Prove calls, and return how many; list each, with what it ran with either verdict.

    ring: that of the calls of EACH, which may have a certificate.
    """
    own, count = Terms(ring) if ring.certificate else None, 0
    for case in cases:
        ran = set[int]()
        if own and (case.length, case.aad_length) in EACH:
            count += prove_cases(linked, choice, [case], ran, own)
        else:
            count += prove_shared(linked, choice, case, ran, shared)
        calls.append(Called({"function": case.function, **case._asdict()}, frozenset(ran)))
    return count


def shown(cases: Sequence[Case]) -> str:
    return ", ".join(
        f"{case.length} and {case.aad_length}" + " in place" * case.in_place + " with 24 bytes of nonce" * case.extended
        for case in cases
    )


def prove_aead(
    opens: bool,
    compilers: Iterable[str] = (),
    quick: bool = False,
    kernels: Collection[str] = (),
    certify: bool = False,
) -> Iterator[Proved]:
    """Prove calls that seal, or that open, of what compilers made, for all choices of kernels, at sampled lengths.

    quick: short texts alone, of the choices with passes that no other one has. kernels: only these choices.
    """
    for compiler in chosen(compilers):
        linked, shared = compiled(compiler), Shared()
        check_named(kernels, [choice.name for choice in choices(linked)])
        known, macs = set[Pass](), set[str]()
        for choice in choices(linked):
            what = "open" if opens else "seal"
            title = f"{linked.version}: {choice.name}, {what}"
            of = Compiled(linked.version, choice.name, f"hornet_chacha20_poly1305_{what}")
            if lacking := missing(linked, choice):
                yield Proved(title, 0, compiled=of, omitted=lacking)
                continue
            cases = sampled(linked, choice, opens, known, macs)
            is_new = len(cases) > len(EACH)
            if quick:
                cases = [case for case in cases if case.length <= QUICK_MAX]
                if len(cases) == 1:
                    continue
            if kernels and choice.name not in kernels:
                yield Proved(title, 0, compiled=of, omitted="these kernels are not chosen")
                continue
            of = of._replace(lengths=shown(cases))
            calls: list[Called] = []
            ring = NamingRing.of(title + ", short texts" * quick, certify and is_new)
            made = proved(title, partial(prove_listed, linked, choice, cases, calls, shared, ring), ring, of)
            yield made._replace(calls=calls)
        shared.forget()
