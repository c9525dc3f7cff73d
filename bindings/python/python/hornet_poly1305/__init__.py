# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ChaCha20-Poly1305, XChaCha20-Poly1305, ChaCha20, Poly1305 and Poly1305-AES.

ChaCha20Poly1305 and Poly1305 are classes of cryptography (pyca): names, arguments and exceptions are the same. mac and
verify take a message in one call; mac_rows, mac_parts, mac_arrow, seal_packets, open_packets, xseal_packets and xopen_packets
take many, in any object with a buffer, without copies; header_masks makes the masks of QUIC's headers.

Every argument of bytes may be any object with a contiguous buffer. Calls that take long release the GIL: if another
thread writes to a buffer meanwhile, the message is some mixture of old and new. Keys are copied, and the copies wiped;
`bytes` of the caller cannot be wiped: keep a key in a bytearray, and overwrite it. No object can be copied or pickled.

After a fork, only the process that opened a KeyFile makes tags with it: another gets RuntimeError. One interpreter of a
process can import this package: in another, that raises ImportError.
"""

from hornet_poly1305._exceptions import AlreadyFinalized, InvalidSignature, InvalidTag
from hornet_poly1305._native import (
    ChaCha20,
    ChaCha20Poly1305,
    Evaluation,
    KeyFile,
    Nonces,
    Poly1305,
    Poly1305Aes,
    SSHCipher,
    XChaCha20Poly1305,
    force_kernel,
    header_masks,
    info,
    mac,
    mac_arrow,
    mac_parts,
    mac_rows,
    open_packets,
    open_ssh_packets,
    seal_packets,
    seal_ssh_packets,
    verify,
    verify_arrow,
    verify_parts,
    verify_rows,
    xopen_packets,
    xseal_packets,
)
from hornet_poly1305._parts import Known, Multipart, Parts, Update, VerifiedFile

__version__: str = info()["version"]

__all__ = [
    "AlreadyFinalized",
    "ChaCha20",
    "ChaCha20Poly1305",
    "Evaluation",
    "InvalidSignature",
    "InvalidTag",
    "KeyFile",
    "Known",
    "Multipart",
    "Nonces",
    "Parts",
    "Poly1305",
    "Poly1305Aes",
    "SSHCipher",
    "Update",
    "VerifiedFile",
    "XChaCha20Poly1305",
    "force_kernel",
    "header_masks",
    "info",
    "mac",
    "mac_arrow",
    "mac_parts",
    "mac_rows",
    "open_packets",
    "open_ssh_packets",
    "seal_packets",
    "seal_ssh_packets",
    "verify",
    "verify_arrow",
    "verify_parts",
    "verify_rows",
    "xopen_packets",
    "xseal_packets",
]
