# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Files of text over files of sealed chunks, whatever these chunks are."""

from __future__ import annotations

import io
import os
import warnings
from abc import abstractmethod
from pickle import PickleBuffer
from typing import TYPE_CHECKING, Any, TypeVar

from hornet_poly1305._exceptions import ChunkError, CutOffError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from hornet_poly1305._native import _Buffer

_T = TypeVar("_T")

CHUNK = 65536
# The most chunks of a request.
_MOST_CHUNKS = 64
# The most chunks that are sealed at a time: their ciphertext stays in a cache.
_SEALED_CHUNKS = 4


def is_seekable(source: Any) -> bool:
    """Return whether a file can seek."""
    ask = getattr(source, "seekable", None)
    return bool(ask()) if ask is not None else hasattr(source, "seek")


def read_to(source: Any, to: memoryview) -> int:
    """Read as many bytes as there is room for, fewer only at the end, and return their number."""
    done = 0
    while done < len(to):
        if hasattr(source, "readinto"):
            count = source.readinto(to[done:])
        elif (piece := source.read(len(to) - done)) is not None:
            count = len(piece)
            to[done : done + count] = piece[: len(to) - done]
        else:
            count = None
        if count is None:
            raise BlockingIOError("the sealed file has no bytes yet: it must be a blocking one")
        if not 0 <= count <= len(to) - done:
            raise OSError(f"the sealed file gave {count} bytes where {len(to) - done} have room")
        if count == 0:
            break
        done += count
    return done


def write_to(sink: Any, data: bytes) -> None:
    """Write all of it."""
    while data:
        written = sink.write(data)
        if written is None and not isinstance(sink, io.RawIOBase):
            # Files of some libraries return nothing, and have taken all.
            return
        if not written:
            raise BlockingIOError("the sealed file takes no bytes now: it must be a blocking one")
        if not 0 < written <= len(data):
            raise OSError(f"the sealed file took {written} of {len(data)} bytes")
        data = data[written:]


def _bytes_of(buffer: Any) -> memoryview:
    """Return contiguous memory as bytes, which a memoryview does not cast from elements of every kind."""
    return PickleBuffer(buffer).raw()


def _not_copied(file: Any) -> Any:
    raise TypeError(
        f"{type(file).__name__} cannot be copied or pickled: it has a key, which a copy would use a second time"
    )


class TextFile(io.BufferedIOBase):
    """A file for reading, of which _some returns bytes. One thread at a time may use it."""

    _at = 0
    __reduce__ = _not_copied

    @abstractmethod
    def _some(self, position: int, most: int) -> bytes | memoryview:
        """Return one byte or more from a position on, up to that number, or none at the end of the text."""

    def _into(self, position: int, to: memoryview) -> int:
        """Write one byte or more from a position on, and return their number, or 0 at the end of the text."""
        piece = self._some(position, len(to))
        to[: len(piece)] = piece
        return len(piece)

    @abstractmethod
    def _size(self) -> int:
        """Return the length of the text."""

    def _check(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file.")

    def readable(self) -> bool:
        """Return True."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Return as many bytes of the text, or all that follow; fewer only at its end."""
        self._check()
        left = -1 if size is None or size < 0 else size
        pieces, at = [], self._at
        while left != 0 and (piece := self._some(at, left if left > 0 else _MOST_CHUNKS * CHUNK)):
            pieces.append(piece)
            at += len(piece)
            left -= len(piece) if left > 0 else 0
        # Not before: what was read is lost if a later chunk does not open.
        self._at = at
        return bytes(pieces[0]) if len(pieces) == 1 else b"".join(pieces)

    def read1(self, size: int = -1, /) -> bytes:
        """Return bytes of the text, at most that number, with at most one request."""
        self._check()
        piece = bytes(self._some(self._at, CHUNK if size < 0 else size)) if size != 0 else b""
        self._at += len(piece)
        return piece

    def readinto(self, buffer: _Buffer, /) -> int:
        """Read to a buffer, and return the number of bytes: fewer than it has only at the end of the text."""
        self._check()
        with _bytes_of(buffer) as to:
            done = 0
            while done < len(to) and (count := self._into(self._at + done, to[done:])):
                done += count
            self._at += done
            return done

    def readinto1(self, buffer: _Buffer, /) -> int:
        """Read to a buffer with at most one read of the sealed file, and return the number of bytes."""
        with _bytes_of(buffer) as to:
            piece = self.read1(len(to))
            to[: len(piece)] = piece
            return len(piece)

    def peek(self, size: int = 0, /) -> bytes:
        """Return bytes that follow, at least one unless the text ends, and do not move."""
        self._check()
        return bytes(self._some(self._at, max(size, 8192)))

    def tell(self) -> int:
        """Return the position in the text."""
        self._check()
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Move to a byte of the text, which may be behind its end, and return the position."""
        self._check()
        if not self.seekable():
            raise io.UnsupportedOperation("the sealed file cannot seek")
        if whence == os.SEEK_SET:
            base = 0
        elif whence == os.SEEK_CUR:
            base = self._at
        elif whence == os.SEEK_END:
            base = self._size()
        else:
            raise ValueError(f"whence is 0, 1 or 2, not {whence}")
        if base + offset < 0:
            raise ValueError(f"negative position {base + offset}")
        self._at = base + offset
        return self._at


class ChunkReader(TextFile):
    """The text of chunks of one length, but for the last, which begin where a file is now and end where it ends."""

    def __init__(self, source: Any, overhead: int) -> None:
        """Note where chunks begin and end."""
        super().__init__()
        self._source, self._overhead, self._sealed = source, overhead, CHUNK + overhead
        # What nobody else can write to, for chunks that are read. New memory would cost as much as to open them.
        self._memory = bytearray()
        # Text that was verified, and its place.
        self._text, self._text_at = b"", 0
        self._failed: ChunkError | None = None
        # If the file can seek: where chunks begin, and their length, which the last one proves, if it proves anything.
        self._begin = self._length = -1
        # Otherwise: the next chunk, its first byte, which shows that there is one, and whether there was a last one.
        self._next, self._ahead, self._ended = 0, b"", False
        if is_seekable(source):
            self._begin = source.tell()
            self._length = max(0, source.seek(0, os.SEEK_END) - self._begin)
            source.seek(self._begin)

    @abstractmethod
    def _open(self, first: int, last: bool, sealed: memoryview) -> bytes:
        """Return the text of chunks. Raises ChunkError."""

    @abstractmethod
    def _open_into(self, first: int, last: bool, sealed: memoryview, to: memoryview) -> int:
        """Write the text of chunks, and return its length. Raises ChunkError."""

    def seekable(self) -> bool:
        """Return whether the sealed file can seek."""
        return self._begin >= 0

    def _last(self) -> int:
        """Return the number of the last chunk."""
        return max(0, self._length - 1) // self._sealed

    def _size(self) -> int:
        if not self.seekable():
            raise io.UnsupportedOperation("the sealed file cannot seek: where the text ends is not known yet")
        # The last chunk shows that the text ends there.
        if not self._ended:
            self._keep(self._last(), *self._fetch(self._last(), 1))
        return self._length - (self._last() + 1) * self._overhead

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Move to a byte of the text, which may be behind its end, and return the position. Only from the end this reads: the
        last chunk, unless it was read before.
        """
        if self.seekable():
            self._failed = None
        return super().seek(offset, whence)

    def _some(self, position: int, most: int) -> bytes | memoryview:
        if (first := self._missing(position)) is not None:
            self._keep(first, *self._fetch(first, -(-(position % CHUNK + most) // CHUNK)))
        within = position - self._text_at
        if within == 0 and most >= len(self._text):
            return self._text
        return memoryview(self._text)[within : within + most]

    def _into(self, position: int, to: memoryview) -> int:
        first, within = self._missing(position), position % CHUNK
        if first is None:
            return super()._into(position, to)
        # One request, of which whole chunks are opened where they are to be, and the first and the last kept, if only a part
        # of them is wanted.
        sealed, last = self._fetch(first, -(-(within + len(to)) // CHUNK))
        count = max(1, -(-len(sealed) // self._sealed))
        begin, end, done = min(1, within), min(count, (within + len(to)) // CHUNK), 0
        if within:
            self._keep(first, sealed[: self._sealed], last and count == 1)
            done = super()._into(position, to)
        if begin < end:
            chunks = sealed[begin * self._sealed : end * self._sealed]
            done += self._remembered(self._open_into, first + begin, last and end == count, chunks, to[done:])
            self._text, self._text_at = b"", position + done
            self._ended = self._ended or (last and end == count)
        if max(begin, end) < count:
            self._keep(first + end, sealed[end * self._sealed :], last)
            done += super()._into(position + done, to[done:])
        return done

    def _missing(self, position: int) -> int | None:
        """Return the chunk that has a byte of the text, or None if its text is here, or has ended."""
        if self._failed is not None:
            raise self._failed
        if 0 <= position - self._text_at < len(self._text):
            return None
        if not self.seekable():
            if position < self._text_at or (not self._ended and position // CHUNK != self._next):
                # An error came after that text was read, and before it was returned.
                raise OSError("text is lost since an earlier error, and the sealed file cannot seek")
            return None if self._ended else self._next
        first = position // CHUNK
        if (self._ended or first > self._last()) and position >= self._size():
            return None
        return first

    def _fetch(self, first: int, count: int) -> tuple[memoryview, bool]:
        """Return some of these chunks, and whether the last of them is that of the text."""
        count = min(count, _MOST_CHUNKS)
        start, most, ahead = first * self._sealed, count * self._sealed, self._ahead
        if self.seekable():
            most = min(most, self._length - start)
            self._source.seek(self._begin + start)
        # One byte more shows whether there is another chunk, if the length does not.
        wanted = most + (0 if self.seekable() else 1)
        if len(self._memory) < wanted:
            self._memory = bytearray(wanted)
        memory = memoryview(self._memory)[:wanted]
        memory[: len(ahead)] = ahead
        sealed = memory[: len(ahead) + read_to(self._source, memory[len(ahead) :])]
        if self.seekable():
            last = start + most == self._length
            if len(sealed) < most:
                self._remembered(self._cut_off, first + len(sealed) // self._sealed)
        else:
            last = len(sealed) <= most
            sealed, self._ahead = sealed[:most], bytes(sealed[most:])
        tail = len(sealed) % self._sealed
        if last and 0 < tail <= self._overhead and tail < len(sealed):
            # No chunk is that short, so what comes before is not the end.
            self._ahead = b"" if self.seekable() else bytes(sealed[-tail:])
            sealed, last = sealed[:-tail], False
        self._next = first - (-len(sealed) // self._sealed)
        return sealed, last

    def _keep(self, first: int, sealed: memoryview, last: bool) -> None:
        """Open chunks, and keep their text."""
        self._text, self._text_at = self._remembered(self._open, first, last, sealed), first * CHUNK
        self._ended = self._ended or last

    @staticmethod
    def _cut_off(chunk: int) -> None:
        raise CutOffError(f"cut off at chunk {chunk}: the file has become shorter", chunk)

    def _remembered(self, call: Callable[..., _T], *arguments: Any) -> _T:
        """Call a function. A chunk that does not open is one at each later call, until seek."""
        try:
            return call(*arguments)
        except ChunkError as error:
            self._failed = error.with_traceback(None)
            raise

    def close(self) -> None:
        """Forget text and key. The sealed file stays open."""
        self._text, self._memory = b"", bytearray()
        super().close()


class ChunkWriter(io.BufferedIOBase):
    """A file for writing, which seals a text in chunks, and writes them to another file."""

    __reduce__ = _not_copied

    def __init__(self, sink: Any) -> None:
        """Begin a text."""
        super().__init__()
        self._sink = sink
        # Text of less than a chunk, or of one, which may be the last.
        self._waiting = bytearray()
        self._number = 0
        self._failed = False

    @abstractmethod
    def _seal(self, first: int, last: bool, text: _Buffer) -> bytes:
        """Return sealed chunks."""

    def _check(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file.")

    def writable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return how many bytes of the text were written."""
        self._check()
        return self._number * CHUNK + len(self._waiting)

    def write(self, data: _Buffer, /) -> int:
        """Take bytes of the text, all of them, and return their number. A chunk is sealed when the first byte after it arrives,
        since it may be the last.
        """
        self._check()
        with _bytes_of(data) as text:
            length, at = len(text), 0
            if self._waiting and length > 0:
                at = min(CHUNK - len(self._waiting), length)
                self._waiting += text[:at]
                if at < length:
                    self._put(self._waiting, False)
                    self._wipe()
            while length - at > CHUNK:
                # At least one byte is left.
                some = min((length - at - 1) // CHUNK, _SEALED_CHUNKS) * CHUNK
                with text[at : at + some] as chunks:
                    self._put(chunks, False)
                at += some
            self._waiting += text[at:]
            return length

    def _put(self, text: bytearray | memoryview, last: bool) -> None:
        """Seal and write chunks. One that could not be written is not sealed again, perhaps with other bytes."""
        if self._failed:
            raise OSError("an earlier chunk was not written: the text has no end")
        self._failed = True
        write_to(self._sink, self._seal(self._number, last, text))
        self._number += len(text) // CHUNK
        self._failed = False

    def _wipe(self) -> None:
        self._waiting[:] = bytes(len(self._waiting))
        self._waiting.clear()

    def flush(self) -> None:
        """Flush the file that is written to. What waits for the rest of its chunk is not written."""
        if not self.closed and (flush := getattr(self._sink, "flush", None)) is not None:
            flush()

    def close(self) -> None:
        """End the text: seal and write the last chunk. The file that is written to stays open. Raises OSError if an earlier
        chunk was not written.
        """
        if self.closed:
            return
        try:
            self._put(self._waiting, True)
            self.flush()
        finally:
            self.discard()

    def discard(self) -> None:
        """Close without an end of the text, which a Reader then refuses as cut off."""
        self._failed = True
        self._wipe()
        if not self.closed:
            super().close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the text, unless there was an exception."""
        if kind is None:
            self.close()
        else:
            self.discard()

    def __del__(self) -> None:
        """Write nothing: what is deleted before it was closed has no end."""
        if not self.closed and hasattr(self, "_failed"):
            warnings.warn(f"unclosed {self!r}: its text has no end", ResourceWarning, stacklevel=2, source=self)
            self.discard()
