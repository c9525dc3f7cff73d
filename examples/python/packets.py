# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Many packets of a connection in one call, sealed and opened in place.

The nonce is the packet's number xor the connection's IV, as in TLS 1.3 and QUIC.
"""

import os

import numpy
from hornet_poly1305 import ChaCha20Poly1305, open_packets, seal_packets

COUNT, TEXT_BYTES = 48, 1200

# One direction of the connection has a key; the other has another.
key, iv = ChaCha20Poly1305.generate_key(), os.urandom(12)


def nonces_of(numbers: range) -> bytes:
    """Return the nonces of packets, one after another (RFC 8446, section 5.3). No number is used twice."""
    return b"".join((int.from_bytes(iv, "big") ^ number).to_bytes(12, "big") for number in numbers)


texts = bytearray(b"a" * COUNT * TEXT_BYTES)
starts = numpy.arange(COUNT) * TEXT_BYTES  # where each begins
lengths = numpy.full(COUNT, TEXT_BYTES)
_, tags = seal_packets(key, nonces_of(range(COUNT)), texts, starts, lengths, out=texts)

texts[7 * TEXT_BYTES] ^= 1  # changed in transit

_, valid = open_packets(key, nonces_of(range(COUNT)), texts, starts, lengths, out=texts, tags=tags)
opened = sum(
    ok and texts[start : start + TEXT_BYTES] == b"a" * TEXT_BYTES for start, ok in zip(starts, valid, strict=True)
)
print(f"{COUNT} packets: {opened} opened, packet 7 {'opened' if valid[7] else 'refused'}")
