# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Seals a file in chunks of 64 KiB, or opens it. Sealing creates the key, which serves one text.

Nothing is written that was not verified, and a file gets its name when it is complete.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from typing import BinaryIO

from hornet_poly1305 import ChaCha20Poly1305, InvalidTag

CHUNK_BYTES, TAG_BYTES = 65536, 16


def chunks(file: BinaryIO, length: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield each chunk with its nonce: its number and whether it is the last (c2sp.org/age, "Payload")."""
    number, chunk, following = 0, file.read(length), b"-"
    while following:
        following = file.read(length)
        yield number.to_bytes(11, "big") + (b"\0" if following else b"\1"), chunk
        number, chunk = number + 1, following


def seal(key: str, source: BinaryIO, target: BinaryIO) -> int:
    secret = ChaCha20Poly1305.generate_key()
    with open(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # no key is used again
        file.write(secret)
    for nonce, text in chunks(source, CHUNK_BYTES):
        target.write(ChaCha20Poly1305(secret).encrypt(nonce, text, None))
    return source.tell()


def unseal(key: str, source: BinaryIO, target: BinaryIO) -> int:
    with open(key, "rb") as file:
        cipher = ChaCha20Poly1305(file.read())
    for nonce, sealed in chunks(source, CHUNK_BYTES + TAG_BYTES):
        target.write(cipher.decrypt(nonce, sealed, None))
    return target.tell()


if len(sys.argv) != 5 or sys.argv[1] not in ("seal", "open"):
    sys.exit("usage: files seal|open KEY FROM TO")
command, key, source, target = sys.argv[1:]
try:
    with open(source, "rb") as file, tempfile.TemporaryDirectory(dir=os.path.dirname(target) or ".") as folder:
        with open(os.path.join(folder, "new"), "wb") as new:
            count = (seal if command == "seal" else unseal)(key, file, new)
            new.flush()
            os.fsync(new.fileno())
        os.replace(new.name, target)
except (OSError, ValueError, InvalidTag) as error:
    sys.exit(f"{source} to {target}: {str(error) or 'not authentic, or cut off'}")
print(f"{command}: {count} bytes")
