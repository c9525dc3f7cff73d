# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The exceptions: cryptography's own where it is installed, so that programs that catch these need no change."""

from __future__ import annotations

try:
    from cryptography.exceptions import AlreadyFinalized, InvalidSignature, InvalidTag
except ImportError:

    class AlreadyFinalized(Exception):  # type: ignore[no-redef]
        """A message in pieces has ended."""

    class InvalidSignature(Exception):  # type: ignore[no-redef]
        """A message does not have this tag."""

    class InvalidTag(Exception):  # type: ignore[no-redef]
        """A ciphertext is not authentic."""


class ChunkError(InvalidTag):
    """A chunk is not authentic: it was changed, or moved here, or sealed under another key."""

    chunk: int
    """Its number, from 0 on."""

    def __init__(self, text: str, chunk: int) -> None:
        """Note the chunk."""
        super().__init__(text)
        self.chunk = chunk

    def __reduce__(self) -> tuple[type[ChunkError], tuple[str, int]]:
        """Keep the chunk in a copy."""
        return type(self), (self.args[0], self.chunk)


class CutOffError(ChunkError, EOFError):
    """A text ends in a chunk, or before it, and was not sealed so: its end is missing."""


class GoesOnError(ChunkError):
    """A text was sealed to end with a chunk, and more bytes follow."""


__all__ = ["AlreadyFinalized", "ChunkError", "CutOffError", "GoesOnError", "InvalidSignature", "InvalidTag"]
