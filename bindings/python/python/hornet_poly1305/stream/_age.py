# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Files of age v1, and their payload."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hornet_poly1305._native import StreamKey, new_age_header, open_age_header
from hornet_poly1305.stream._files import ChunkReader, ChunkWriter, is_seekable, read_to, write_to

if TYPE_CHECKING:
    from hornet_poly1305._native import _Buffer

_TAG, _NONCE = 16, 16
_MOST_HEADER = 16 << 20
_LAST_LINE = re.compile(rb"\n---[^\n]*\n")
_ARMOUR = b"-----BEGIN AGE ENCRYPTED FILE-----"


def _key(key: StreamKey | _Buffer) -> StreamKey:
    return key if isinstance(key, StreamKey) else StreamKey(key)


class Reader(ChunkReader):
    """A file of the text that is sealed in another one, from its position to its end, under a StreamKey or 32 bytes.

    Read and verified is what is asked for; the end of the text is authentic too: no bytes are returned only there. So reading
    some chunks says nothing about the others, nor about the length, which size and seek from the end read in the last chunk.

    Raises ChunkError, with the chunk, if one is not authentic, again at each later call until seek: CutOffError if the end is
    missing, GoesOnError if bytes follow it. One thread at a time may use it.
    """

    def __init__(self, key: StreamKey | _Buffer, source: Any) -> None:
        """Begin at the position that source, a binary file, has now."""
        self._key: StreamKey = _key(key)
        super().__init__(source, _TAG)

    @property
    def size(self) -> int:
        """The length of the text, which the last chunk proves. Raises io.UnsupportedOperation if the sealed file cannot seek."""
        self._check()
        return self._size()

    def _open(self, first: int, last: bool, sealed: memoryview) -> bytes:
        return self._key.open(first, last, sealed)

    def _open_into(self, first: int, last: bool, sealed: memoryview, to: memoryview) -> int:
        return self._key.open_into(first, last, sealed, to)

    def close(self) -> None:
        """Forget text and key. The sealed file stays open."""
        super().close()
        self.__dict__.pop("_key", None)


class Writer(ChunkWriter):
    """A file that seals the text that is written to it in another one, under a StreamKey or 32 bytes: ONE KEY, ONE TEXT.

    close writes the end of the text, as does the end of a with statement without an exception; discard does not. The other file
    stays open.
    """

    def __init__(self, key: StreamKey | _Buffer, sink: Any) -> None:
        """Begin a text, the only one under this key."""
        self._key: StreamKey = _key(key)
        super().__init__(sink)

    def _seal(self, first: int, last: bool, text: _Buffer) -> bytes:
        return self._key.seal(first, last, text)

    def discard(self) -> None:
        """Close without an end of the text, which a Reader then refuses as cut off."""
        super().discard()
        self.__dict__.pop("_key", None)


def _read(source: Any, length: int) -> bytes:
    memory = bytearray(length)
    return bytes(memory[: read_to(source, memoryview(memory))])


def _head(source: Any) -> bytes:
    """Return the beginning of a file up to the nonce after the header, or all of it if it ends before. More is read only if the
    file can seek.
    """
    head, step, at = bytearray(), 4096 if is_seekable(source) else 1, 0
    while len(head) < _MOST_HEADER:
        more = _read(source, step)
        head += more
        # Only then, and from the line before on, so that the time grows with the length.
        if b"\n" in more:
            if end := _LAST_LINE.search(head, at):
                head += _read(source, max(0, end.end() + _NONCE - len(head)))
                return bytes(head[: end.end() + _NONCE])
            at = head.rfind(b"\n")
        if not more or (len(head) >= 64 and not head.startswith(b"age-")):
            break
    return bytes(head)


def open_age(source: Any, identities: Iterable[str] = (), *, passphrase: _Buffer | None = None) -> Reader:
    """Return the text of a file that age, rage or hornet sealed, from the position of source, a binary file, on: a Reader.

    identities are lines "AGE-SECRET-KEY-1...", as in an identity file without its comments; or the file was sealed with a
    passphrase. The header is read and verified, which takes one request of 4 KiB. Raises ValueError if it is no header, or is for
    another identity or passphrase, and InvalidTag if it was changed. Armour is not supported: there is no random access in it.
    """
    begin = source.tell() if is_seekable(source) else None
    head = _head(source)
    if head.lstrip().startswith(_ARMOUR):
        raise ValueError("the file is armoured, which is not supported: remove the armour first")
    key, length = open_age_header(head, identities, passphrase)
    if begin is not None:
        source.seek(begin + length)
    return Reader(key, source)


def seal_age(sink: Any, recipients: Iterable[str]) -> Writer:
    """Write the header of a file that these recipients "age1..." can open with age, rage, hornet or open_age, to sink, a binary
    file, and return what seals its text: a Writer.
    """
    key, head = new_age_header(recipients)
    write_to(sink, head)
    return Writer(key, sink)
