# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Partial evaluations on disk, so that a run whose driver or scheduler died goes on from there.

A checkpoint is a title, 16 random bytes, and records: the length of each in 4 bytes, little-endian, a nonce of 24, and
entries sealed by XChaCha20-Poly1305 with the title, the random bytes and the record's number as associated data. An entry
is the identity of a part (name, version, size, offset and length) and its partial evaluation, 16 and 32 bytes. The key is
derived from the key file for this use alone. A checkpoint holds no nonce of a tag.

What follows the last good record is not used, and is overwritten: a crash or a full disk may have torn it.
"""

import contextlib
import fcntl
import os
import stat
import time
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from hornet_poly1305 import InvalidTag, XChaCha20Poly1305
from hornet_poly1305._native import escaped
from hornet_poly1305.dask._items import NONCE_BYTES, PARTIAL_BYTES

_TITLE = b"hornet checkpoint 1\n"
_ID_BYTES, _IDENTITY_BYTES = 16, 16
_ENTRY_BYTES = _IDENTITY_BYTES + PARTIAL_BYTES
# Entries are written at the latest after this time, and then synchronized.
_SECONDS = 2.0
# A record is written at the latest when its entries have this length, and none is much longer.
_RECORD_BYTES = 16 << 20


class Checkpoint:
    """A file of partial evaluations, which is read when it is opened and then appended to. One run at a time has it."""

    def __init__(self, path: str | os.PathLike[str], cipher: XChaCha20Poly1305) -> None:
        """Open or make the file. Raises ValueError if it is no checkpoint made under this key, and OSError if it cannot be
        read and locked.
        """
        self.path = Path(path)
        self._cipher = cipher
        self.found: dict[bytes, bytes] = {}
        self._waiting = bytearray()
        self._written = time.monotonic()
        self._is_new, self._count = False, 0
        self._descriptor = self._locked()
        try:
            self._begin()
        except BaseException:
            self._close()
            raise

    def _locked(self) -> int:
        """Open the file that has the name, and lock it."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
        while True:
            descriptor = os.open(self.path, flags, 0o600)
            try:
                this = os.fstat(descriptor)
                if not stat.S_ISREG(this.st_mode):
                    raise ValueError(f"{self._shown}: not a regular file")
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise OSError(f"{self._shown}: another run uses this checkpoint") from None
                except OSError as error:
                    raise OSError(f"{self._shown}: cannot be locked here: {error.strerror}") from None
                with contextlib.suppress(FileNotFoundError):
                    if os.path.samestat(this, os.stat(self.path)):
                        return descriptor
            except BaseException:
                os.close(descriptor)
                raise
            # The run that had it has ended, and has removed it.
            os.close(descriptor)

    @property
    def _shown(self) -> str:
        return escaped(os.fsencode(self.path))

    def _begin(self) -> None:
        head = len(_TITLE) + _ID_BYTES
        with open(self._descriptor, "rb", closefd=False) as file:
            text = file.read(head)
            if not (text.startswith(_TITLE) or _TITLE.startswith(text)):
                raise ValueError(f"{self._shown}: not a checkpoint")
            self._end = head
            self._is_new = len(text) < head
            if not self._is_new:
                self._id = text[len(_TITLE) :]
                while (record := self._next(file)) is not None and self._read(record):
                    self._count += 1
                    self._end += 4 + len(record)
        if self._is_new:
            self._id = os.urandom(_ID_BYTES)
            self._end = 0
            self._write(_TITLE + self._id)
        os.ftruncate(self._descriptor, self._end)

    @staticmethod
    def _next(file: BinaryIO) -> bytes | None:
        """Return the next record, or None if no whole one follows."""
        length = int.from_bytes(file.read(4), "little")
        if not NONCE_BYTES < length <= 2 * _RECORD_BYTES:
            return None
        record = file.read(length)
        return record if len(record) == length else None

    def _aad(self) -> bytes:
        return _TITLE + self._id + self._count.to_bytes(8, "little")

    def _read(self, record: bytes) -> bool:
        """Take the entries of a record, if it is good. The first must be: without it, the key may be another."""
        try:
            entries = self._cipher.decrypt(record[:NONCE_BYTES], record[NONCE_BYTES:], self._aad())
        except (InvalidTag, ValueError):
            if self._count == 0:
                raise ValueError(f"{self._shown}: was changed, or written under another key") from None
            return False
        for at in range(0, len(entries), _ENTRY_BYTES):
            self.found[entries[at : at + _IDENTITY_BYTES]] = entries[at + _IDENTITY_BYTES : at + _ENTRY_BYTES]
        return True

    def add(self, identity: bytes, partial: bytes) -> None:
        """Add an entry."""
        self._waiting += identity + partial
        if time.monotonic() - self._written >= _SECONDS or len(self._waiting) >= _RECORD_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what was added, and wait for the disk. If that fails, the file is as before."""
        if self._waiting:
            nonce = os.urandom(NONCE_BYTES)
            record = nonce + self._cipher.encrypt(nonce, self._waiting, self._aad())
            self._write(len(record).to_bytes(4, "little") + record)
            self._waiting.clear()
            self._count += 1
        self._written = time.monotonic()

    def _write(self, data: bytes) -> None:
        """Append, or leave the file as it is."""
        try:
            with memoryview(data) as view:
                at = 0
                while at < len(view):
                    at += os.pwrite(self._descriptor, view[at:], self._end + at)
            os.fsync(self._descriptor)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, self._end)
            raise OSError(f"{self._shown}: {error.strerror}") from None
        self._end += len(data)

    def remove(self) -> None:
        """Remove the file: the manifest is complete."""
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> "Checkpoint":
        """Return the checkpoint."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write what was added, also if the run failed. A file that this run has made is not left without entries."""
        try:
            self.flush()
        except OSError:
            # If the run has failed, that tells more.
            if kind is None:
                raise
        finally:
            self._close()

    def _close(self) -> None:
        if self._is_new and self._count == 0:
            self.remove()
        os.close(self._descriptor)
