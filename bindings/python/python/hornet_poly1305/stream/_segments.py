# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The payload of Crypt4GH files: segments, and edit lists."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hornet_poly1305._native import SegmentKeys
from hornet_poly1305.stream._files import CHUNK, ChunkReader, ChunkWriter, TextFile

if TYPE_CHECKING:
    from hornet_poly1305._native import _Buffer

_NONCE_AND_TAG = 28


class _Segments(ChunkReader):
    """The text of all segments."""

    def __init__(self, keys: SegmentKeys, source: Any) -> None:
        self._keys = keys
        super().__init__(source, _NONCE_AND_TAG)

    def _size(self) -> int:
        if self.seekable() and 0 < self._length % self._sealed <= self._overhead:
            # No segment is that short: raises CutOffError.
            self._keep(self._last(), *self._fetch(self._last(), 1))
        # Nothing proves it, and an empty text has no segment.
        self._ended = self._ended or self.seekable()
        return max(0, super()._size())

    def opened(self) -> int:
        """Return where the text that was opened last ends."""
        return self._text_at + len(self._text)

    def _open(self, first: int, last: bool, sealed: memoryview) -> bytes:
        return self._keys.open(first, sealed)

    def _open_into(self, first: int, last: bool, sealed: memoryview, to: memoryview) -> int:
        return self._keys.open_into(first, sealed, to)

    def close(self) -> None:
        super().close()
        self.__dict__.pop("_keys", None)


class SegmentReader(TextFile):
    """A file of the text of a Crypt4GH file's segments, which another file has from its position to its end.

    keys are the data keys of the header, and edit_list is its edit list: lengths that are left out and kept in turn, beginning
    with one that is left out; after an odd number of lengths, all that follows is kept. Both are what
    crypt4gh.header.deconstruct returns, which leaves the file at the first segment. Text of an edit list that lies behind the
    end is left out.

    A SEGMENT DOES NOT SAY WHICH ONE IT IS: what read returns was sealed under a data key, but whoever can write to the file can
    move, repeat and leave out segments, and cut the file after one. age's format has no such weakness.

    Raises ChunkError, with the segment, if one is not authentic. One thread at a time may use it.
    """

    def __init__(self, keys: Iterable[_Buffer], source: Any, edit_list: Iterable[int] | None = None) -> None:
        """Begin at the position that source, a binary file, has now."""
        super().__init__()
        lengths = [0] if edit_list is None else list(edit_list)
        if any(length < 0 for length in lengths):
            raise ValueError("an edit list has no negative lengths")
        ends = list(itertools.accumulate(lengths))
        # What is kept: from where to where, without end, and where it is in what is returned.
        self._from, self._to = ends[::2], [*ends[1::2], *([None] if len(ends) % 2 else [])]
        kept = [to - start for start, to in zip(self._from, self._to, strict=True) if to is not None]
        self._places = [0, *itertools.accumulate(kept)][: len(self._from)]
        self._all = _Segments(SegmentKeys(keys), source)

    def seekable(self) -> bool:
        """Return whether the sealed file can seek."""
        return self._all.seekable()

    @property
    def size(self) -> int:
        """The length of the text. Nothing proves it. Raises io.UnsupportedOperation if the sealed file cannot seek."""
        self._check()
        return self._size()

    def _size(self) -> int:
        end = self._all._size()
        return sum(
            max(0, (end if to is None else min(to, end)) - start)
            for start, to in zip(self._from, self._to, strict=True)
        )

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Move to a byte of the text, which may be behind its end, and return the position."""
        at = super().seek(offset, whence)
        self._all.seek(0)
        return at

    def _kept(self, position: int, most: int) -> tuple[int, int]:
        """Return where in the whole text a byte is, and how many are kept from there on, up to that number."""
        index = bisect.bisect_right(self._places, position) - 1
        if index < 0:
            return 0, 0
        at, to = self._from[index] + position - self._places[index], self._to[index]
        most = most if to is None else max(0, min(most, to - at))
        while most > 0 and not self.seekable() and (left_out := at - (end := self._all.opened())) >= CHUNK:
            # Whole segments that are left out are read and opened too.
            if not self._all._some(end, left_out - left_out % CHUNK):
                return at, 0
        return at, most

    def _some(self, position: int, most: int) -> bytes | memoryview:
        at, most = self._kept(position, most)
        return self._all._some(at, most) if most > 0 else b""

    def _into(self, position: int, to: memoryview) -> int:
        at, most = self._kept(position, len(to))
        return self._all._into(at, to[:most]) if most > 0 else 0

    def close(self) -> None:
        """Forget text and keys. The sealed file stays open."""
        if (segments := self.__dict__.get("_all")) is not None:
            segments.close()
        super().close()


class SegmentWriter(ChunkWriter):
    """A file that seals the text that is written to it in segments of a Crypt4GH file, under a data key of 32 bytes, with nonces
    drawn at random. The other file, to which the header was written before, stays open.

    close writes the last segment, as does the end of a with statement without an exception. WITHOUT IT, A READER CANNOT SEE THAT
    THE END IS MISSING.
    """

    def __init__(self, key: _Buffer, sink: Any) -> None:
        """Begin a text."""
        self._keys = SegmentKeys([key])
        super().__init__(sink)

    def _seal(self, first: int, last: bool, text: _Buffer) -> bytes:
        return self._keys.seal(text)

    def discard(self) -> None:
        """Close without the last segment."""
        super().discard()
        self.__dict__.pop("_keys", None)
