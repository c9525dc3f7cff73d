# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Manifests with their parts: ranges of files are verified alone, and changed ones get new tags without reading the rest."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO, Any, TypeAlias

from hornet_poly1305._exceptions import InvalidSignature
from hornet_poly1305._native import Evaluation, KeyFile, Objects, OpenedParts, PartsLock, SealedManifest, escaped

_Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
# A file by its path, or one that is open: anything with seek and read, such as a file of fsspec.
_Source: TypeAlias = _Path | IO[bytes] | Any


class Parts:
    """A manifest and the parts file beside it, which `hornet tag --parts` and `hornet-cluster tag --parts` write.

    It has the values of the segments of each file, which their owner kept sealed. With them, a range of a file is verified by
    reading the segments that it touches. Paths are those of the manifest, as str or bytes.
    """

    def __init__(self, key_file: KeyFile | str | os.PathLike[str], manifest: _Path, parts: _Path) -> None:
        """Open both. Raises OSError if one cannot be read, and ValueError, with the file and the place, if one was changed or
        made with another key, or if they do not belong together.
        """
        self._key_file = key_file if isinstance(key_file, KeyFile) else KeyFile(key_file)
        self._manifest, self._parts = os.fsdecode(manifest), os.fsdecode(parts)
        self._opened = OpenedParts(self._key_file, self._manifest, self._parts)

    @property
    def segment_bytes(self) -> int:
        """The length of every segment but the last of a file, in bytes."""
        return self._opened.segment_bytes

    def __len__(self) -> int:
        """Return the number of files."""
        return len(self._opened)

    def __iter__(self) -> Iterator[bytes]:
        """Yield the paths of all files, in the order of the manifest."""
        return map(self._opened.path, range(len(self)))

    def size(self, path: _Path) -> int:
        """Return the length in bytes that a file had when it was tagged. Raises KeyError if the manifest has no such file."""
        return self._opened.kept(self._opened.find(os.fsencode(path)))[0]

    def verify(self, path: _Path, offset: int = 0, length: int | None = None, source: _Source | None = None) -> None:
        """Raise InvalidSignature unless length bytes from offset on, or all that follow, are those that were tagged.

        The segments that they touch are read, from the file at the path, or from source: another path, or an open file.
        Raises ValueError if the range is empty or ends behind the file's end, and what reading raises.
        """
        with self.open(path, source) as file:
            assert isinstance(file, VerifiedFile)
            length = file.size - offset if length is None else length
            if offset < 0 or length < 0 or offset + length > file.size or (length == 0 and file.size != 0):
                raise ValueError(f"{file.shown}: {length} bytes from {offset} on are not within its {file.size}")
            file.verify_length()
            for segment in range(offset // self.segment_bytes, -(-(offset + length) // self.segment_bytes)):
                file.segment(segment)

    def open(self, path: _Path, source: _Source | None = None) -> VerifiedFile:
        """Return a file that reads from the one at the path, or from source, and verifies each segment before it returns
        bytes of it. A source that is open stays open.
        """
        return VerifiedFile(self._opened, self._opened.find(os.fsencode(path)), path if source is None else source)

    def update(self) -> Update:
        """Return what makes a new manifest and new parts in place of these, for a with statement."""
        return Update(self._key_file, self._manifest, self._parts)


class VerifiedFile(io.RawIOBase):
    """A file whose bytes are verified before they are returned, segment by segment: those that were verified are returned,
    and not read again.

    read and readinto raise InvalidSignature, with the segment, if it is not as it was tagged. What follows the end that the
    file had then is never returned. One thread at a time may use it.
    """

    def __init__(self, opened: OpenedParts, index: int, source: _Source) -> None:
        """Open the source, if it is a path."""
        super().__init__()
        self._opened, self._index = opened, index
        self.size: int = opened.kept(index)[0]
        """The length that the file had when it was tagged."""
        self.shown = escaped(opened.path(index))
        self._stack = contextlib.ExitStack()
        self._is_path = False
        if isinstance(source, (str, bytes, os.PathLike)):
            self._is_path = True
            source = self._stack.enter_context(open(source, "rb", buffering=0))
        self._source: Any = source
        self._at = 0
        self._segment: tuple[int, bytes] = (-1, b"")

    def verify_length(self) -> None:
        """Raise InvalidSignature if a file that was opened by its path has another length than when it was tagged."""
        if self._is_path and (found := os.fstat(self._source.fileno()).st_size) != self.size:
            raise InvalidSignature(f"{self.shown}: has {found} bytes, and not {self.size}")

    def segment(self, number: int) -> bytes:
        """Return the bytes of a segment, verified. Raises InvalidSignature."""
        if self.closed:
            raise ValueError("I/O operation on closed file.")
        if self._segment[0] == number:
            return self._segment[1]
        start = number * self._opened.segment_bytes
        length = min(self._opened.segment_bytes, self.size - start)
        # A copy that nobody else can write to.
        content = _read(self._source, start, length)
        try:
            self._opened.verify_segment(self._index, number, content)
        except InvalidSignature:
            where = f"segment {number}, bytes {start} to {start + length}"
            raise InvalidSignature(f"{self.shown}: {where}: differs from what was tagged") from None
        self._segment = (number, content)
        return content

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Set the position, and return it."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}.get(whence)
        if base is None:
            raise ValueError(f"whence is 0, 1 or 2, not {whence}")
        if base + offset < 0:
            raise ValueError(f"negative position {base + offset}")
        self._at = base + offset
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        """Read to a buffer, at most to the end of a segment, and return the number of bytes, 0 at the end."""
        if self.closed:
            raise ValueError("I/O operation on closed file.")
        with memoryview(buffer) as view, view.cast("B") as to:
            if self._at >= self.size or len(to) == 0:
                return 0
            number, within = divmod(self._at, self._opened.segment_bytes)
            found = self.segment(number)[within : within + len(to)]
            to[: len(found)] = found
            self._at += len(found)
            return len(found)

    def close(self) -> None:
        """Close the file, and the source if it was opened by its path."""
        if not self.closed:
            self._segment = (-1, b"")
            self._stack.close()
        super().close()


def _read(source: Any, start: int, length: int) -> bytes:
    """Return as many bytes from start on, fewer if the source ends before."""
    source.seek(start)
    found = bytes(source.read(length) or b"")
    while 0 < len(found) < length and (more := source.read(length - len(found))):
        found += bytes(more)
    return found[:length]


@dataclass(frozen=True)
class Known:
    """The value of an object that was evaluated as it was uploaded, and those of its segments. SECRET, like all values."""

    size: int
    partial: bytes = field(repr=False)
    values: bytes = field(repr=False)
    etag: str | None = None
    """What the store answered, by which it is recognized."""


class Multipart:
    """An object that is evaluated as it is uploaded in parts: in any order, by any number of threads, of which none waits for
    another. complete returns its value, with which retag needs not read it.

    Parts have numbers, in the order of the object, as in S3. All but the last must be whole segments long.
    """

    def __init__(self, key_file: KeyFile | str | os.PathLike[str], segment_bytes: int = 1 << 20) -> None:
        """Begin an object, for parts files with segments of this length."""
        Objects().keep_segments(segment_bytes)
        keys = key_file if isinstance(key_file, KeyFile) else KeyFile(key_file)
        self.segment_bytes = segment_bytes
        self._evaluation: Evaluation = keys.evaluation()
        self._parts: dict[int, tuple[int, bytes]] = {}

    def part(self, number: int, data: Any) -> None:
        """Evaluate the part of this number. One that was given before is replaced."""
        with memoryview(data) as view:
            length, values = view.nbytes, self._evaluation.compute_segments(view, self.segment_bytes)
        # A single operation, which other threads see whole.
        self._parts[number] = length, values

    def complete(self, etag: str | None = None) -> Known:
        """Return the value of all parts, one after the other. With the ETag that the store has answered, retag makes sure that
        it has this object. Raises ValueError if a part that is not the last ends within a segment.
        """
        ordered = sorted(self._parts.items())
        for number, (length, _) in ordered[:-1]:
            if length % self.segment_bytes:
                raise ValueError(f"part {number} of {length} bytes ends within a segment of {self.segment_bytes}")
        values = b"".join(values for _, (_, values) in ordered) or self._evaluation.compute(b"")
        size = sum(length for _, (length, _) in ordered)
        return Known(size, self._evaluation.join(values), values, etag)


class Update:
    """Changes of some files of a manifest, of which commit makes new tags, a new manifest and new parts, in place of the old.

    Between entering and leaving it, no other process replaces them. Nothing is written before commit. The values of old
    segments come from the parts alone: an old value that is computed from bytes where others may write gives them tags of
    what they choose.
    """

    def __init__(self, key_file: KeyFile, manifest: str, parts: str) -> None:
        """Prepare it."""
        self._key_file = key_file
        self._paths = manifest, parts
        self._lock: PartsLock | None = None

    def __enter__(self) -> Update:
        """Wait for the lock, and open both. Raises OSError and ValueError as Parts does."""
        self._lock = PartsLock(*self._paths)
        try:
            self._lock.attempt()
            self._opened = self._lock.open(self._key_file)
        except BaseException:
            self._lock.release()
            raise
        self._evaluation: Evaluation = self._key_file.evaluation()
        self._changed: dict[int, dict[int, bytes]] = {}
        self._sizes: dict[int, int] = {}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the lock back."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _size(self, index: int) -> int:
        return self._sizes.get(index, self._opened.kept(index)[0])

    def replace(self, path: _Path, segment: int, content: Any) -> None:
        """Note that the segment of this number, counted from 0, now has this content, all of it.

        Its length is that of the old segment. The last segment of a file may become longer or shorter; one that is as long
        as segments can be may be followed by a new one.
        """
        index = self._opened.find(os.fsencode(path))
        whole, size = self._opened.segment_bytes, self._size(index)
        content = bytes(content)
        start = segment * whole
        is_last = start < size <= start + whole or (start == size and size % whole == 0)
        expected = min(whole, size - start)
        if segment < 0 or not (0 < len(content) <= whole if is_last else start < size and len(content) == expected):
            at = f"{escaped(os.fsencode(path))}: segment {segment}"
            raise ValueError(f"{at}: {len(content)} bytes, in a file of {size} with segments of {whole}")
        if is_last:
            self._sizes[index] = start + len(content)
        self._changed.setdefault(index, {})[segment] = self._evaluation.compute(content)

    def write(self, path: _Path, offset: int, data: Any, source: _Source | None = None) -> None:
        """Note that these bytes are written at an offset, into the file or behind its end, as by pwrite; between are zeros.

        What else the segments have that they touch is read from the file at the path, or from source, which is to have the
        content from before, and is verified first: raises InvalidSignature if it is not as it was tagged. To be called once
        for a segment.
        """
        index = self._opened.find(os.fsencode(path))
        whole, old_size, size = self._opened.segment_bytes, self._opened.kept(index)[0], self._size(index)
        data = bytes(data)
        end = offset + len(data)
        shown = escaped(os.fsencode(path))
        if offset < 0 or not data:
            raise ValueError(f"{shown}: {len(data)} bytes at {offset} cannot be written")
        first = min(offset, size) // whole if end > size else offset // whole
        with contextlib.ExitStack() as stack:
            file: VerifiedFile | None = None
            for segment in range(first, -(-end // whole)):
                start = segment * whole
                stop = min(start + whole, max(size, end))
                if offset <= start and stop <= end:
                    content = data[start - offset : stop - offset]
                else:
                    if segment in self._changed.get(index, {}):
                        raise ValueError(f"{shown}: segment {segment} has been changed already")
                    old = b""
                    if start < old_size:
                        if file is None:
                            of = path if source is None else source
                            file = stack.enter_context(VerifiedFile(self._opened, index, of))
                        old = file.segment(segment)
                    content = old.ljust(stop - start, b"\0")
                    before, after = content[: max(0, offset - start)], content[max(0, min(end, stop) - start) :]
                    content = before + data[max(0, start - offset) : max(0, stop - offset)] + after
                self.replace(path, segment, content)

    def commit(self) -> None:
        """Write the new manifest and the new parts. Files without a change keep their tags. Raises OSError if that is not
        possible; then both are as before, or both new.
        """
        if self._lock is None:
            raise RuntimeError("an update is a context: use a with statement")
        opened, objects = self._opened, Objects()
        objects.keep_segments(opened.segment_bytes)
        names = {opened.path(index): index for index in self._changed}
        objects.add_old(opened, set(names))
        for name, index in names.items():
            objects.add(name, self._size(index), bytes(16))
        objects.sort()
        objects.keep_old(opened, None, set(names))
        for name, index in names.items():
            place = objects.find(name)
            assert place is not None
            objects.put_changed(place, opened, index, sorted(self._changed[index].items()))
        sealed = SealedManifest(opened.text, self._key_file)
        nonces = self._key_file.reserve(max(len(objects), len(opened)) + 2)
        objects.write_with_parts(
            self._lock,
            self._key_file,
            nonces,
            sealed.arguments,
            sealed.unread,
            sealed.others,
            opened,
        )
        self._opened = self._lock.open(self._key_file)
        self._changed, self._sizes = {}, {}
