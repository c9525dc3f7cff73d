# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Partial evaluations on disk, so that a run whose driver or scheduler died goes on from there.

A checkpoint is a title, 16 random bytes, and records: the length of each in 4 bytes, little-endian, a nonce of 24, and
entries sealed by XChaCha20-Poly1305 with the title, the random bytes and the record's number as associated data. An entry
is the identity of a part (name, version, size, offset and length) and its partial evaluation, 16 and 32 bytes. The key is
derived from the key file for this use alone. A checkpoint holds no nonce of a tag.
"""

import os
import time
from pathlib import Path
from types import TracebackType

from hornet_poly1305 import InvalidTag, XChaCha20Poly1305
from hornet_poly1305.dask._items import NONCE_BYTES, PARTIAL_BYTES

_TITLE = b"hornet checkpoint 1\n"
_ID_BYTES, _IDENTITY_BYTES = 16, 16
_ENTRY_BYTES = _IDENTITY_BYTES + PARTIAL_BYTES
# Entries are written at the latest after this time, and then synchronized.
_SECONDS = 2.0


class Checkpoint:
    """A file of partial evaluations, which is read when it is opened and then appended to."""

    def __init__(self, path: str | os.PathLike[str], cipher: XChaCha20Poly1305) -> None:
        """Open or make the file. Raises ValueError if it is no checkpoint made under this key.

        A record that was cut off by a crash ends the file, and is overwritten.
        """
        self.path = Path(path)
        self._cipher = cipher
        self.found: dict[bytes, bytes] = {}
        self._waiting = bytearray()
        self._written = time.monotonic()
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._file = os.fdopen(descriptor, "r+b")
        try:
            self._begin()
        except BaseException:
            self._file.close()
            raise

    def _begin(self) -> None:
        text = self._file.read()
        whole = len(_TITLE) + _ID_BYTES
        if len(text) < whole and (_TITLE.startswith(text) or text.startswith(_TITLE)):
            self._file.seek(0)
            self._file.truncate()
            self._id = os.urandom(_ID_BYTES)
            self._file.write(_TITLE + self._id)
            self._count = 0
            self._sync()
            return
        if not text.startswith(_TITLE):
            raise ValueError(f"{self.path}: not a checkpoint")
        self._id = text[len(_TITLE) : whole]
        self._count, at = 0, whole
        while at + 4 <= len(text):
            end = at + 4 + int.from_bytes(text[at : at + 4], "little")
            if end > len(text):
                break
            self._read(text[at + 4 : end])
            self._count += 1
            at = end
        self._file.seek(at)
        self._file.truncate()

    def _aad(self) -> bytes:
        return _TITLE + self._id + self._count.to_bytes(8, "little")

    def _read(self, record: bytes) -> None:
        try:
            entries = self._cipher.decrypt(record[:NONCE_BYTES], record[NONCE_BYTES:], self._aad())
        except (InvalidTag, ValueError):
            raise ValueError(f"{self.path}: record {self._count} was changed, or written under another key") from None
        for at in range(0, len(entries), _ENTRY_BYTES):
            self.found[entries[at : at + _IDENTITY_BYTES]] = entries[at + _IDENTITY_BYTES : at + _ENTRY_BYTES]

    def add(self, identity: bytes, partial: bytes) -> None:
        """Add an entry."""
        self._waiting += identity + partial
        if time.monotonic() - self._written >= _SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what was added, and wait for the disk."""
        if self._waiting:
            nonce = os.urandom(NONCE_BYTES)
            record = nonce + self._cipher.encrypt(nonce, self._waiting, self._aad())
            self._file.write(len(record).to_bytes(4, "little") + record)
            self._sync()
            self._waiting.clear()
            self._count += 1
        self._written = time.monotonic()

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())

    def remove(self) -> None:
        """Remove the file: the manifest is complete."""
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> "Checkpoint":
        """Return the checkpoint."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write what was added, also if the run failed."""
        try:
            self.flush()
        finally:
            self._file.close()
