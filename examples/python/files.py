# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Seals a file in chunks of 64 KiB, or opens it. Sealing creates the key, which serves one text.

Nothing is written that was not verified, and a file gets its name when it is complete.
"""

import os
import shutil
import sys
import tempfile
from typing import BinaryIO

from hornet_poly1305.stream import ChunkError, Reader, Writer

KEY_BYTES = 32


def seal(key: str, source: BinaryIO, target: BinaryIO) -> int:
    secret = os.urandom(KEY_BYTES)
    with open(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # no key is used again
        file.write(secret)
    with Writer(secret, target) as writer:  # whose end is that of the text
        shutil.copyfileobj(source, writer)
    return source.tell()


def unseal(key: str, source: BinaryIO, target: BinaryIO) -> int:
    with open(key, "rb") as file, Reader(file.read(), source) as reader:
        shutil.copyfileobj(reader, target)
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
except (OSError, ValueError, ChunkError) as error:
    sys.exit(f"{source} to {target}: {error}")
print(f"{command}: {count} bytes")
