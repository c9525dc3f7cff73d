# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the driver and its workers exchange: requests to evaluate parts of objects, and answers."""

import hashlib
import json
import os
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hornet_poly1305 import InvalidTag, XChaCha20Poly1305

NONCE_BYTES = 24
PARTIAL_BYTES = 32
_HEAD = struct.Struct("<I16sQQQ")


class Item(NamedTuple):
    """A part of an object: length bytes from offset on. The pin tells versions of the object apart."""

    name: bytes
    pin: bytes
    size: int
    offset: int
    length: int

    def encoded(self) -> bytes:
        """Return the item as bytes."""
        return _HEAD.pack(len(self.name), self.pin, self.size, self.offset, self.length) + self.name

    def segments(self, segment_bytes: int) -> Iterator["Item"]:
        """Yield the segments of a part that begins with one, each an item of its own; without a length, the part."""
        if self.length <= segment_bytes or not segment_bytes:
            yield self
            return
        for offset in range(self.offset, self.offset + self.length, segment_bytes):
            length = min(segment_bytes, self.offset + self.length - offset)
            yield Item(self.name, self.pin, self.size, offset, length)

    def values_bytes(self, segment_bytes: int) -> int:
        """Return the length of the values of its segments; of no content, there is one."""
        return PARTIAL_BYTES * (-(-self.length // segment_bytes) or 1 if segment_bytes else 1)

    def identity(self) -> bytes:
        """Return 16 bytes for the item, under which its partial evaluation may be kept."""
        return hashlib.blake2b(self.encoded(), digest_size=16, person=b"hornet item").digest()


def decode(request: bytes) -> list[Item]:
    """Return the items of a request."""
    items, at = [], 0
    while at < len(request):
        count, pin, size, offset, length = _HEAD.unpack_from(request, at)
        at += _HEAD.size
        items.append(Item(request[at : at + count], pin, size, offset, length))
        at += count
    return items


@dataclass(frozen=True)
class Spec:
    """What all requests of a run have in common. Nothing in it is secret."""

    run: bytes
    """16 random bytes, which bind answers to this run."""
    root: str | None
    """The URL of the store, below which names are, or None if the driver sends it with r: it may hold a password."""
    secret_file: str | None
    """The file on the workers that holds r, or None if the driver sends it."""
    segment_bytes: int = 0
    """The length of the segments of an object whose values are asked for, or 0 for one value of each part."""


class Failed(Exception):
    """An object could not be read; its text is the reason."""


class Missing(Failed):
    """There is no such object."""


def seal_answer(
    cipher: XChaCha20Poly1305, spec: Spec, request: bytes, items: Sequence[Item], results: Sequence[bytes | Failed]
) -> bytes:
    """Return the results as bytes that only holders of the cipher's key can read, and that are of this request alone.

    A partial evaluation reveals r to who knows the object, so the scheduler, which passes answers on, must not read them.
    """
    partials, reasons = bytearray(), {}
    for number, (item, result) in enumerate(zip(items, results, strict=True)):
        if isinstance(result, Failed):
            reasons[number] = (isinstance(result, Missing), str(result))
            partials += bytes(item.values_bytes(spec.segment_bytes))
        else:
            partials += result
    nonce = os.urandom(NONCE_BYTES)
    plaintext = bytes(partials) + json.dumps(reasons).encode()
    return nonce + cipher.encrypt(nonce, plaintext, spec.run + request)


def open_answer(
    cipher: XChaCha20Poly1305, spec: Spec, request: bytes, items: Sequence[Item], answer: Any
) -> list[bytes | Failed]:
    """Return the results for the items of a request. Raises ValueError if the answer is not of
    this request: of another run, object, version, offset or length.
    """
    try:
        plaintext = cipher.decrypt(answer[:NONCE_BYTES], answer[NONCE_BYTES:], spec.run + request)
    except (InvalidTag, TypeError, ValueError):
        raise ValueError("a worker's answer is not of the objects that it was asked for") from None
    results: list[bytes | Failed] = []
    end = 0
    for item in items:
        start, end = end, end + item.values_bytes(spec.segment_bytes)
        results.append(plaintext[start:end])
    for number, (is_missing, reason) in json.loads(plaintext[end:]).items():
        results[int(number)] = Missing(reason) if is_missing else Failed(reason)
    return results
