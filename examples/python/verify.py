# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tags that were received with messages are checked by verify, which takes the same time for every guess of a forger.

The keys are examples, of RFC 8439 and of Bernstein's paper.
"""

from collections.abc import Callable

import hornet_poly1305
from hornet_poly1305 import InvalidSignature, Poly1305Aes

# RFC 8439, section 2.5.2: a one-time key, for this message only.
one_time_key = bytes.fromhex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
tag = bytes.fromhex("a8061dc1305136c6c22b8baf0c0127a9")
message, forgery = b"Cryptographic Forum Research Group", b"Cryptographic Forum Research Croup"

# Bernstein 2005, appendix B: k and r, a key for many messages, each with a nonce of its own.
key = Poly1305Aes(bytes.fromhex("ec074c835580741701425b623235add6851fc40c3467ac0be05cc20404f3f700"))
nonce = bytes.fromhex("fb447350c4e868c52ac3275cf9d4327e")
aes_tag = bytes.fromhex("f4c633c3044fc145f84f335cb81953de")


def verdict(verify: Callable[..., None], *arguments: bytes) -> str:
    try:
        verify(*arguments)
    except InvalidSignature:
        return "refused"
    return "accepted"


right, forged = (verdict(hornet_poly1305.verify, one_time_key, text, tag) for text in (message, forgery))
aes_right, aes_forged = (verdict(key.verify, nonce, text, aes_tag) for text in (b"\xf3\xf6", b"\xf3\xf7"))
print(f"one-time key: {right}, a forgery {forged}; Poly1305-AES: {aes_right}, a forgery {aes_forged}")
