# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The tag of a message that arrives in pieces. Nothing of the message is used before the tag has been verified.

If that is too long to wait, or the message is secret, see files.py.
"""

import os

from hornet_poly1305 import InvalidSignature, Poly1305

key = os.urandom(32)  # for this message only; real ones are derived, since the receiver needs it too


def tag_of(message: bytes, piece_bytes: int) -> tuple[bytes, int]:
    """Return the tag, and the number of pieces."""
    sender, starts = Poly1305(key), range(0, len(message), piece_bytes)
    for start in starts:
        sender.update(message[start : start + piece_bytes])
    return sender.finalize(), len(starts)


def verdict(message: bytes, tag: bytes, piece_bytes: int) -> str:
    """Verify a message that is received in pieces, which may be others."""
    receiver = Poly1305(key)
    for start in range(0, len(message), piece_bytes):
        receiver.update(message[start : start + piece_bytes])
    try:
        receiver.verify(tag)
    except InvalidSignature:
        return "refused"
    return "accepted"


message = b"x" * 5000
tag, pieces = tag_of(message, 1000)
right = verdict(message, tag, 500)
changed = verdict(message[:-1] + b"y", tag, 500)
print(f"{len(message)} bytes in {pieces} pieces: {right}; changed: {changed}")
