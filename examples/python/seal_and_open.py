# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A message that is encrypted and authenticated, then opened by its receiver; and a forgery, which is refused."""

from hornet_poly1305 import ChaCha20Poly1305, InvalidTag

cipher = ChaCha20Poly1305(ChaCha20Poly1305.generate_key())  # from the system's random generator

# The number of the message. No two messages under a key have the same.
nonce = (0).to_bytes(12, "little")
# Everybody can read the address, but nobody can alter it.
address = b"to: the general"
sealed = cipher.encrypt(nonce, b"Attack at dawn.", address)

# The receiver has the key. Nonce, address and the sealed message are sent.
try:
    opened = cipher.decrypt(nonce, sealed, address)
except InvalidTag:
    raise SystemExit("the message is not authentic") from None

forged = bytearray(sealed)
forged[10] ^= ord("d") ^ ord("m")  # without the tag, this would change the time of day
try:
    cipher.decrypt(nonce, forged, address)
except InvalidTag:
    print(f'opened "{opened.decode()}"; a forgery is refused')
else:
    raise SystemExit("a forgery was opened")
