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

from dataclasses import dataclass
from typing import Any, NamedTuple

from coconut.lift.objects import Linked
from coconut.prove import chacha20
from coconut.prove.calls import Calls, Choice, doubled, padded
from coconut.prove.polynomials import Unproved
from coconut.prove.terms import Difference

# Where a call has its arguments, at odd addresses.
OUT, TAG, IN, AAD, NONCE, KEY = ((i << 40) + 2 * i - 1 for i in range(1, 7))
CONSTANTS = tuple(int.from_bytes(b"expand 32-byte k"[i : i + 4], "little") for i in range(0, 16, 4))


class Case(NamedTuple):
    """A call: whether it opens, the lengths in bytes, whether the output is the input, and the nonce has 24 bytes."""

    opens: bool
    length: int
    aad_length: int
    in_place: bool = False
    extended: bool = False

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


def block(key: list[Any], counter: Any, nonce: list[Any]) -> list[Any]:
    return chacha20.block_of([*CONSTANTS, *key, counter, *nonce])


def subkey(key: list[Any], nonce: list[Any]) -> list[Any]:
    """Return HChaCha20's key (draft-irtf-cfrg-xchacha-03, section 2.2): words of its last state, to which nothing is added."""
    x: list[Any] = [*CONSTANTS, *key, *nonce[:4]]
    for _ in range(chacha20.DOUBLE_ROUNDS):
        chacha20.inner_block(x)
    return x[:4] + x[12:]


def sealed(calls: Calls, key: list[Any], nonce: list[Any], text: list[Any], aad: list[Any], case: Case) -> Sealed:
    """Compute the RFC's words of a text, which is the ciphertext if it is opened."""
    if case.extended:
        key, nonce = subkey(key, nonce), [0, *nonce[4:]]
    poly_key = block(key, 0, nonce)[:8]
    calls.cut_key(poly_key)
    keystream: list[Any] = []
    for i in range(-(-case.length // 64)):
        keystream += block(key, 1 + i, nonce)
    out = [(word ^ keystream[i]) & calls.mask(case.length - 4 * i) for i, word in enumerate(text)]
    ciphertext = text if case.opens else out
    lengths = [case.aad_length, 0, case.length, 0]
    return Sealed(out, ciphertext, doubled(poly_key), doubled([*padded(aad), *padded(ciphertext), *lengths]))


@dataclass
class Run:
    """A call on symbolic words; in a call that opens, `valid` is the verdict on the tag."""

    linked: Linked
    choice: Choice
    case: Case
    valid: bool = True

    def prove(self) -> Calls:
        """Run the call, and check all that it leaves."""
        case, self.calls = self.case, Calls(self.linked, self.choice)
        calls = self.calls
        text_at = OUT if case.in_place else IN
        key, nonce = calls.data(KEY, "key", 32), calls.data(NONCE, "nonce", 24 if case.extended else 12)
        aad, text = calls.data(AAD, "aad", case.aad_length), calls.data(text_at, "text", case.length)
        self.given = doubled(calls.data(TAG, "tag", 16)) if case.opens else []
        self.expected = sealed(calls, key, nonce, text, aad, case)
        calls.terms.decide, self.decided = self.verdict, 0
        first = [OUT, text_at, case.length, TAG] if case.opens else [OUT, TAG, text_at, case.length]
        results = [(OUT, case.length), *([] if case.opens else [(TAG, 16)])]
        result = calls.call(case.function, [*first, AAD, case.aad_length, NONCE, KEY], results)
        out = self.expected.out if self.valid else [0] * len(self.expected.out)
        calls.claim_terms("the output", OUT, out, case.length)
        if not case.opens:
            calls.claim_words("the tag", TAG, calls.tag_of(self.expected.input, self.expected.key))
        elif not self.decided:
            raise Unproved("the verdict depends on nothing")
        if not isinstance(result, int) or result & 255 != self.valid:
            raise Unproved("the function returns another verdict")
        calls.check_left(self.expected.ciphertext)
        return calls

    def verdict(self, difference: Difference) -> bool:
        """Return the verdict on a tag, if all of it, and that of the RFC, is compared with the given one."""
        expected = self.calls.tag_of(self.expected.input, self.expected.key)
        self.calls.check_compared(difference, self.given, expected)
        self.decided += 1
        return self.valid
