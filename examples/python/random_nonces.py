# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Many messages under one key, without a counter: the nonces of XChaCha20-Poly1305 are long enough to be random."""

import os

from hornet_poly1305 import InvalidTag, XChaCha20Poly1305

NONCE_BYTES = 24


def seal(cipher: XChaCha20Poly1305, text: bytes) -> bytes:
    """Return nonce, ciphertext and tag."""
    nonce = os.urandom(NONCE_BYTES)
    return nonce + cipher.encrypt(nonce, text, None)


def opened(cipher: XChaCha20Poly1305, packet: bytes) -> bytes:
    """Return the text, or raise InvalidTag."""
    if len(packet) < NONCE_BYTES:
        raise InvalidTag
    return cipher.decrypt(packet[:NONCE_BYTES], packet[NONCE_BYTES:], None)


cipher = XChaCha20Poly1305(XChaCha20Poly1305.generate_key())
packets = [seal(cipher, b"a message") for _ in range(2)]
try:
    texts = [opened(cipher, packet) for packet in packets]
except InvalidTag:
    raise SystemExit("a packet is not authentic") from None
if texts != [b"a message"] * 2:
    raise SystemExit("another message was opened")
differ = "are the same" if packets[0] == packets[1] else "differ"
print(f"the same text twice: two packets of {len(packets[0])} bytes, which {differ}")
