# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Stores of objects: local folders, S3, and all others that fsspec knows. Listing them, and reading parts of objects.

A pin is a digest of what a store tells of an object's version. A part is read together with a pin that is of the bytes
read, so that all parts of an object are of the version that was listed.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

import fsspec
from fsspec.asyn import sync
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, wait_exponential

from hornet_poly1305 import Evaluation, KeyFile
from hornet_poly1305._native import escaped
from hornet_poly1305.dask._items import Failed, Item, Missing
from hornet_poly1305.dask._secrets import on_one_line, without_credentials

CHANGED = "changed while it was being read"
GONE = "no longer exists"
NO_ROOT = "no such bucket or folder"
NO_PATH = "its name has an empty component, . or .., which no path has"

# How much of an object is evaluated at once. A multiple of 16 that fits in L2.
_CHUNK_BYTES = 1 << 18
# No key file is longer.
_KEY_FILE_BYTES = 1024
# How much is requested at once from stores that do not stream.
_REQUEST_BYTES = 8 << 20
# How often a part is requested again after a transient error, and the seconds before the first time.
_RETRIES = 6
_READ_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
# The driver looks for holes in parts of at least this length, which takes some 20 µs, and a task 4 ms.
_LONG_HOLE_BYTES = 1 << 20
# A file's change time can be this much older than a change that comes after it was read: two ticks of a slow kernel's clock,
# or two seconds on file systems that keep whole ones.
_TICK_NS, _COARSE_TICK_NS = 20_000_000, 2_000_000_000
_DELAY_SECONDS = 0.1


class Object(NamedTuple):
    """An object of a listing."""

    name: bytes
    size: int
    pin: bytes


class Other(NamedTuple):
    """Something without content; its kind is a word of manifests."""

    name: bytes
    kind: str


class Unread(NamedTuple):
    """Something that is there and cannot be read or listed."""

    name: bytes
    reason: str


@dataclass
class Reading:
    """What reading has cost."""

    bytes_read: int = 0
    hole_bytes: int = 0
    """In holes, which were not read."""
    retries: int = 0


@dataclass
class _Progress:
    """How much of a part has been evaluated. What a failed request has read of it is not read again."""

    evaluation: Evaluation
    segment_bytes: int
    """The length of segments, or 0 if the part is one."""
    partial: bytes = b""
    """The value over what has come of the current segment."""
    values: bytearray = field(default_factory=bytearray)
    """The values over the segments before it."""
    done: int = 0
    waiting: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        """Begin the first segment."""
        self.partial = self.evaluation.compute(b"")

    def take(self, data: bytes | bytearray | memoryview) -> None:
        """Evaluate all whole blocks."""
        self.waiting += data
        if len(self.waiting) >= _CHUNK_BYTES:
            self._evaluate(len(self.waiting) & -16)

    def finish(self) -> bytes:
        """Return the partial evaluations of all segments, after the last bytes; of no bytes, one."""
        self._evaluate(len(self.waiting))
        is_whole = self.segment_bytes and self.done and self.done % self.segment_bytes == 0
        return bytes(self.values) if is_whole else bytes(self.values) + self.partial

    def drop_waiting(self) -> None:
        """Evaluate the whole blocks, and discard the rest, which will be read again."""
        self._evaluate(len(self.waiting) & -16)
        self.waiting.clear()

    def restart(self) -> None:
        """Discard all that was evaluated."""
        self.waiting.clear()
        self.values.clear()
        self.partial, self.done = self.evaluation.compute(b""), 0

    def _evaluate(self, count: int) -> None:
        at = 0
        with memoryview(self.waiting) as view:
            while at < count:
                before, left = self.done, count - at
                if self.segment_bytes:
                    before %= self.segment_bytes
                    # Whole segments at once, or what this one has room for.
                    whole = 0 if before else left - left % self.segment_bytes
                    left = whole or min(left, self.segment_bytes - before)
                with view[at : at + left] as blocks:
                    if self.segment_bytes and left >= self.segment_bytes:
                        self.values += self.evaluation.compute_segments(blocks, self.segment_bytes)
                    else:
                        self.partial = self.evaluation.append(self.partial, self.evaluation.compute(blocks))
                        if before + left == self.segment_bytes:
                            self.values += self.partial
                            self.partial = self.evaluation.compute(b"")
                self.done += left
                at += left
        del self.waiting[:count]


def _pin(*parts: object) -> bytes:
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).digest()


def tells_version(item: Item) -> bool:
    """Return whether the store tells more of an object's version than its size."""
    nothing = [(None,) * 2, ("None",) * len(Store._VERSION_KEYS + Store._TIME_KEYS)]
    return item.pin not in [_pin(item.size, *each) for each in nothing]


def _is_path(name: bytes) -> bool:
    return not {b"", b".", b".."} & set(name.removeprefix(b"./").split(b"/"))


def reason(error: BaseException) -> str:
    """Return why something failed, on one line, escaped as names are: a store may have written it, or quote its options."""
    text = without_credentials(error.strerror if isinstance(error, OSError) and error.strerror else str(error))
    return on_one_line(text) or type(error).__name__


@contextlib.contextmanager
def failing_as_os_error(what: str) -> Iterator[None]:
    """Raise whatever a store's library raises as an OSError of one line, FileNotFoundError if it was that."""
    try:
        yield
    except Exception as error:
        kind = FileNotFoundError if isinstance(error, FileNotFoundError) else OSError
        raise kind(f"{escaped(os.fsencode(what))}: {reason(error)}") from None


def retrying(retries: int, final: tuple[type[Exception], ...]) -> dict[str, Any]:
    """Return tenacity's options: whatever else a store's library raises may pass."""
    return {
        "retry": retry_if_exception(lambda error: isinstance(error, Exception) and not isinstance(error, final)),
        "stop": stop_after_attempt(retries + 1),
        "wait": wait_exponential(multiplier=_DELAY_SECONDS),
        "reraise": True,
    }


def open_store(root: str, options: dict[str, Any] | None = None) -> Store:
    """Return the store whose root this is. Raises OSError if its library is missing or refuses the options."""
    protocol = fsspec.core.split_protocol(root)[0] or "file"
    kinds: dict[str, type[Store]] = {"file": LocalStore, "local": LocalStore, "s3": S3Store, "s3a": S3Store}
    with failing_as_os_error(root):
        if protocol in ("http", "https"):
            from hornet_poly1305.dask._http import HttpStore

            return HttpStore(root, options or {})
        return kinds.get(protocol, Store)(root, options or {})


def decoded(component: bytes) -> bytes:
    """Return the component of a path that a component of a URL names. Raises ValueError if it is none."""
    name = unquote_to_bytes(component)
    if name in (b"", b".", b".."):
        raise ValueError(NO_PATH)
    if b"/" in name or b"\0" in name:
        raise ValueError("its name has an escaped slash or NUL, which no path has")
    try:
        name.decode()
    except UnicodeDecodeError:
        with contextlib.suppress(UnicodeDecodeError):
            name.decode(errors="surrogatepass")
            # As Python's servers do.
            raise ValueError("its name is not UTF-8, and escaped so that it may be two") from None
    return name


def _split_http(url: str, path: str) -> str:
    """Return what a mounted copy would have a URL's path called. A slash at the end, of a folder, is kept."""
    if "?" in url or "#" in url:
        shown = escaped(os.fsencode(re.split("[?#]", url)[0]))
        raise ValueError(f"{shown}: no path has a query or fragment; escape ? as %3F, # as %23")
    components = os.fsencode(path).split(b"/")
    is_folder = components[-1] == b""
    try:
        below = b"/".join(map(decoded, components[:-1] if is_folder else components))
    except ValueError as error:
        raise ValueError(f"{escaped(os.fsencode(url))}: {error}") from None
    return os.fsdecode(below) + "/" * is_folder or "."


def split_url(url: str) -> tuple[str, str]:
    """Return the root of the store that a URL is in, and the argument of `hornet tag` for it: its path below the root.

    A name is what a file has in the root when the store is mounted there: the key of an object in its bucket.
    """
    protocol, path = fsspec.core.split_protocol(url)
    if protocol in (None, "file", "local"):
        return f"file://{os.getcwd()}", path
    parts = urlsplit(url) if "@" in url else None
    # Over HTTP, a token is given as a user without a password.
    if parts and (parts.password is not None or (protocol in ("http", "https") and parts.username)):
        raise ValueError(
            f"{protocol}: the whole cluster would see a password in a URL: give it as an option of the store"
        )
    if protocol in ("http", "https"):
        host, _, below = path.partition("/")
        if not host or set(host) & set("?#"):
            raise ValueError(f"{protocol}://: no host in this URL")
        return f"{protocol}://{host}", _split_http(url, below) if below else "."
    path = path.strip("/")
    if protocol in ("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "oci", "oss"):
        bucket, _, below = path.partition("/")
        if not bucket:
            raise ValueError(f"{url}: no bucket or host in this URL")
        return f"{protocol}://{bucket}", below or "."
    if protocol in ("sftp", "ssh", "ftp", "hdfs", "webhdfs", "smb"):
        host, _, below = path.partition("/")
        return f"{protocol}://{host}", below or "."
    return f"{protocol}://", path or "."


class Store:
    """Any store of fsspec. Versions are told apart by what it tells of an object before and after it is read."""

    concurrency = 16
    """How many small objects a thread requests at once."""
    part_bytes = 64 << 20
    """The size of the parts that large objects are cut into, unless another is asked for."""

    def __init__(self, root: str, options: dict[str, Any]) -> None:
        """Open the store; the options are fsspec's, and may be secret."""
        self.root = root
        self.protocol = fsspec.core.split_protocol(root)[0]
        self.fs, self.base = fsspec.core.url_to_fs(
            root, skip_instance_cache=True, **(self.defaults() | copy.deepcopy(options))
        )
        self.base = self.base.rstrip("/")

    def defaults(self) -> dict[str, Any]:
        """Return options: a listing must not come from a cache."""
        return {"use_listings_cache": False}

    def begin_reading(self) -> None:
        """Prepare a store whose objects will be read, with our own repeated requests."""

    def shown(self, name: bytes) -> str:
        """Return what messages call an object: its URL, unescaped."""
        return f"{self.root}/{os.fsdecode(name)}".removesuffix("/.")

    def path(self, name: bytes) -> str:
        """Return fsspec's path of a name."""
        return f"{self.base}/{os.fsdecode(name).removeprefix('./')}".removesuffix("/.")

    def name(self, path: str, argument: str) -> bytes:
        """Return the name of what fsspec found below an argument."""
        name = path.removeprefix(self.base).lstrip("/")
        return os.fsencode(f"./{name}" if argument == "." else name)

    # The time, and whatever the store calls a version.
    _VERSION_KEYS = ("ETag", "etag", "e_tag", "md5Hash", "content_md5", "generation", "version_id", "VersionId", "ino")
    _TIME_KEYS = ("mtime", "LastModified", "last_modified", "modified", "updated", "ctime", "created")

    def pin(self, info: dict[str, Any]) -> bytes:
        """Return the pin of an object, from fsspec's description."""
        return _pin(info["size"], *(str(info.get(key)) for key in (*self._VERSION_KEYS, *self._TIME_KEYS)))

    def pin_of_stamp(self, _number: int, _size: int, _modified: int, _changed: int) -> bytes:
        """Return the pin of what was tagged as a file and had these numbers, or zeros if that is none of this store's."""
        return bytes(16)

    def tells_version(self, name: bytes, size: int, pin: bytes) -> bool:
        """Return whether an object whose content changes after it was read will have another pin."""
        return tells_version(Item(name, pin, size, 0, size))

    def unread_values(self, _item: Item, _evaluation: Evaluation, _segment_bytes: int) -> bytes | None:
        """Return the values of a part, if they are known without reading it, on the driver."""
        return None

    def list(self, argument: str) -> Iterator[Object | Other | Unread]:
        """Yield what is at and below an argument. Raises FileNotFoundError if nothing is there."""
        info = self._info(self.path(os.fsencode(argument)))
        if info["type"] == "file":
            yield self._object(info, argument)
            return
        folders = [(info["name"], os.fsencode(argument))]
        while folders:
            folder, shown = folders.pop()
            try:
                entries = self.fs.ls(folder, detail=True)
            except Exception as error:  # whatever a store's library raises
                yield Unread(shown, reason(error))
                continue
            entries = [entry for entry in entries if entry["name"].rstrip("/") != folder.rstrip("/")]
            if not entries:
                yield Other(shown, "folder")
            for entry in entries:
                name = self.name(entry["name"], argument)
                if entry["type"] == "directory":
                    folders.append((entry["name"], name.rstrip(b"/")))
                elif entry["type"] == "file":
                    yield self._object(entry, argument)
                else:
                    yield Other(name, "symlink" if entry["type"] == "link" else "unknown")

    def _object(self, entry: dict[str, Any], argument: str) -> Object | Unread:
        name = self.name(entry["name"], argument)
        if not _is_path(name):
            return Unread(name, NO_PATH)
        # What lists folders may know less than what describes an object.
        if entry.get("size") is None:
            entry = self.fs.info(entry["name"])
        if entry.get("size") is None:
            return Unread(name, "the store does not tell its size")
        return Object(name, entry["size"], self.pin(entry))

    def find(self, name: bytes, argument: bytes) -> Object | None:
        """Return the object of this name, which is at or below the argument, or None if there is none."""
        try:
            info = self._info(self.path(name))
        except FileNotFoundError:
            return None
        return Object(name, info["size"], self.pin(info)) if info["type"] == "file" else None

    def has_etag(self, name: bytes, etag: str) -> bool:
        """Return whether the object of this name has this ETag now."""
        info = self.fs.info(self.path(name))
        found = [info.get(key) for key in ("ETag", "etag", "e_tag")]
        return etag.strip('"') in [str(one).strip('"') for one in found if one]

    def _info(self, path: str) -> dict[str, Any]:
        """Return fsspec's description. Raises FileNotFoundError if there is no such object, but OSError if the bucket or
        folder is missing that all are in.
        """
        try:
            info: dict[str, Any] = self.fs.info(path)
            return info
        except FileNotFoundError:
            if self.base and not self.fs.exists(self.base):
                raise OSError(NO_ROOT) from None
            raise

    def read(self, item: Item, evaluation: Evaluation, reading: Reading, segment_bytes: int = 0) -> bytes:
        """Return the partial evaluation of a part, or of each of its segments. Raises Failed. An error that may pass is not one until the part has
        been requested again several times; then what was evaluated before is kept.
        """
        progress = _Progress(evaluation, segment_bytes)

        def part() -> bytes:
            self._read(item, progress, reading)
            return progress.finish()

        def before_sleep(_: RetryCallState) -> None:
            progress.drop_waiting()
            reading.retries += 1

        final = Failed, FileNotFoundError, PermissionError
        try:
            value: bytes = Retrying(**retrying(_RETRIES, final), before_sleep=before_sleep)(part)
            return value
        except Failed as failed:
            raise type(failed)(reason(failed)) from None
        except FileNotFoundError:
            raise Missing(GONE) from None
        except PermissionError as error:
            raise Failed(reason(error)) from None
        except Exception as error:
            raise Failed(f"{reason(error)} (requested {_RETRIES + 1} times)") from None

    def _read(self, item: Item, progress: _Progress, reading: Reading) -> None:
        path = self.path(item.name)
        if self.pin(self.fs.info(path)) != item.pin:
            raise Failed(CHANGED)
        while (left := item.length - progress.done - len(progress.waiting)) > 0:
            start = item.offset + item.length - left
            data = self.fs.cat_file(path, start=start, end=start + min(left, _REQUEST_BYTES))
            reading.bytes_read += len(data)
            if len(data) != min(left, _REQUEST_BYTES):
                raise OSError(f"{len(data)} bytes of {min(left, _REQUEST_BYTES)} requested")
            progress.take(data)
        if self.pin(self.fs.info(path)) != item.pin:
            raise Failed(CHANGED)


class S3Store(Store):
    """S3. Each response names the version that it is of; listings are read page by page."""

    def defaults(self) -> dict[str, Any]:
        """Return options: a connection that is silent for long is given up, and the part requested again."""
        timeouts = {"connect_timeout": 10, "read_timeout": 30, "retries": {"max_attempts": 2}}
        return {"use_listings_cache": False, "config_kwargs": timeouts}

    def begin_reading(self) -> None:
        """Let s3fs repeat no request: read does, and goes on from where a response ended."""
        self.fs.retries = 1

    def pin(self, info: dict[str, Any]) -> bytes:
        """Return the pin of an object, from an entry of a listing or a response. Responses have whole seconds, and the size
        behind a range. Not all servers give an ETag to files that came into their folders otherwise.
        """
        size = (
            info["Size"]
            if "Size" in info
            else int(info.get("ContentRange", "").rpartition("/")[2] or info["ContentLength"])
        )
        return _pin(info.get("ETag") or None, size, int(info["LastModified"].timestamp()))

    def _pages(self, prefix: str) -> Iterator[dict[str, Any]]:
        token: dict[str, str] = {}
        while True:
            try:
                page = self.fs.call_s3("list_objects_v2", Bucket=self.base, Prefix=prefix, **token)
            except FileNotFoundError:
                raise OSError(NO_ROOT) from None
            yield page
            if not page.get("IsTruncated"):
                return
            token = {"ContinuationToken": page["NextContinuationToken"]}

    def list(self, argument: str) -> Iterator[Object | Other | Unread]:
        """Yield what is at and below an argument, a prefix that ends where a component does."""
        prefix = "" if argument == "." else argument.strip("/")
        dot = b"./" if argument == "." else b""
        nothing = True
        # A key that ends in a slash stands for a folder, which is empty if none is below.
        folder: bytes | None = None
        for page in self._pages(prefix):
            for entry in page.get("Contents", ()):
                key = entry["Key"]
                if prefix and key != prefix and not key.startswith(prefix + "/"):
                    continue
                nothing = False
                name = dot + os.fsencode(key)
                if folder is not None and not name.startswith(folder):
                    yield Other(folder[:-1], "folder")
                folder = None
                if name.endswith(b"/") and entry["Size"] == 0 and _is_path(name[:-1]):
                    folder = name
                elif not _is_path(name):
                    yield Unread(name, NO_PATH)
                else:
                    yield Object(name, entry["Size"], self.pin(entry))
        if folder is not None:
            yield Other(folder[:-1], "folder")
        if nothing and prefix:
            raise FileNotFoundError("no object is there or below")
        if nothing:
            yield Other(b".", "folder")

    def find(self, name: bytes, argument: bytes) -> Object | None:
        """Return the object of this name, or None if there is none."""
        key = os.fsdecode(name).removeprefix("./")
        try:
            head = self.fs.call_s3("head_object", Bucket=self.base, Key=key)
        except FileNotFoundError:
            try:
                self.fs.call_s3("head_bucket", Bucket=self.base)
            except FileNotFoundError:
                raise OSError(NO_ROOT) from None
            return None
        return Object(name, head["ContentLength"], self.pin(head))

    def has_etag(self, name: bytes, etag: str) -> bool:
        """Return whether the object of this name has this ETag now."""
        head = self.fs.call_s3("head_object", Bucket=self.base, Key=os.fsdecode(name).removeprefix("./"))
        return str(head.get("ETag", "")).strip('"') == etag.strip('"')

    def _read(self, item: Item, progress: _Progress, reading: Reading) -> None:
        sync(self.fs.loop, self._stream, item, progress, reading)

    async def _stream(self, item: Item, progress: _Progress, reading: Reading) -> None:
        left = item.length - progress.done
        start = item.offset + progress.done
        key = os.fsdecode(item.name).removeprefix("./")
        # No range is of no bytes.
        what = {"Range": f"bytes={start}-{start + left - 1}"} if left else {}
        response = await self.fs._call_s3("get_object", Bucket=self.base, Key=key, **what)
        body = response["Body"]
        try:
            if self.pin(response) != item.pin:
                raise Failed(CHANGED)
            while data := await body.read(_CHUNK_BYTES):
                reading.bytes_read += len(data)
                left -= len(data)
                progress.take(data)
        finally:
            body.close()
        if left:
            raise OSError(f"a response was {left} bytes shorter than requested")


class LocalStore(Store):
    """Folders of this file system, which all workers have at the same place."""

    concurrency = 1
    # Read so fast that the cost of a task counts.
    part_bytes = 256 << 20

    def __init__(self, root: str, options: dict[str, Any]) -> None:
        """Open the folder that names are relative to."""
        # Nothing of fsspec's, which tells neither change times nor kinds.
        if options:
            raise ValueError("local files have no storage options")
        self.root, self.protocol = root, "file"
        self.base = os.fsencode(root.removeprefix("file://"))
        self.excluded: set[tuple[int, int]] = set()
        self.key_file: KeyFile | None = None
        self.unsettled: set[bytes] = set()
        self.opened = time.time_ns()

    def exclude(self, path: str | os.PathLike[str] | int | KeyFile) -> None:
        """Leave out a file, under whatever name it is found."""
        if isinstance(path, KeyFile):
            self.key_file = path
            return
        with contextlib.suppress(OSError):
            found = os.stat(path)
            self.excluded.add((found.st_dev, found.st_ino))

    def _is_excluded(self, name: bytes, found: os.stat_result) -> bool:
        if (found.st_dev, found.st_ino) in self.excluded:
            return True
        # A key file is short, and not for all to read: asking about each file would take a system call.
        if self.key_file is None or found.st_size > _KEY_FILE_BYTES or found.st_mode & 0o007:
            return False
        return self.key_file.is_at(os.fsdecode(os.path.join(self.base, name)))

    def shown(self, name: bytes) -> str:
        """Return what messages call a file: its path as it was given."""
        return os.fsdecode(name)

    @staticmethod
    def _pin_of(found: os.stat_result) -> bytes:
        # As the command: the change time, which programs cannot set, too. Not the device, which hosts number differently.
        return _pin(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    def pin_of_stamp(self, number: int, size: int, modified: int, changed: int) -> bytes:
        """Return the pin of a file that had these numbers."""
        return _pin(number, size, modified, changed)

    def tells_version(self, name: bytes, size: int, pin: bytes) -> bool:
        """Return whether a file that is written to after it was read gets another change time."""
        return name not in self.unsettled

    def _is_unsettled(self, found: os.stat_result) -> bool:
        coarse = found.st_ctime_ns % 1_000_000_000 == 0
        return found.st_ctime_ns >= self.opened - (_COARSE_TICK_NS if coarse else _TICK_NS)

    def _entry(self, name: bytes, found: os.stat_result) -> Iterator[Object | Other]:
        if stat.S_ISREG(found.st_mode):
            if not self._is_excluded(name, found):
                if self._is_unsettled(found):
                    self.unsettled.add(name)
                yield Object(name, found.st_size, self._pin_of(found))
        else:
            yield Other(name, _kind(found.st_mode))

    def list(self, argument: str) -> Iterator[Object | Other | Unread]:
        """Yield what is at and below a path, as `hornet tag` lists it without --follow-symlinks."""
        path = os.path.join(self.base, os.fsencode(argument))
        if not os.path.isdir(self.base):
            raise OSError(NO_ROOT)
        found = os.stat(path)  # an argument may be a link
        shown = os.fsencode(argument).rstrip(b"/") or b"/"
        if not stat.S_ISDIR(found.st_mode):
            if not stat.S_ISREG(found.st_mode):
                raise OSError(f"not a regular file or folder but a {_kind(found.st_mode)}")
            if self._is_excluded(shown, found):
                raise OSError("is the key file, the manifest or the checkpoint, which are never tagged")
            yield from self._entry(shown, found)
            return
        folders = [shown]
        while folders:
            folder = folders.pop()
            is_empty = True
            try:
                with os.scandir(os.path.join(self.base, folder)) as entries:
                    for entry in entries:
                        is_empty = False
                        name = os.path.join(folder, entry.name)
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(name)
                            continue
                        try:
                            found = entry.stat(follow_symlinks=False)
                        except FileNotFoundError:
                            continue
                        yield from self._entry(name, found)
            except OSError as error:
                yield Unread(folder, reason(error))
                continue
            if is_empty:
                yield Other(folder, "folder")

    def find(self, name: bytes, argument: bytes) -> Object | None:
        """Return the regular file of this name, or None if there is none. As when trees are listed, links are followed up to
        the argument, and not below. Raises OSError if one is on the way.
        """
        if not os.path.isdir(self.base):
            raise OSError(NO_ROOT)
        below = [part for part in name[len(argument.rstrip(b"/")) :].split(b"/") if part]
        with contextlib.ExitStack() as stack:
            above, flags = None, os.O_PATH | os.O_CLOEXEC
            place = os.path.join(self.base, argument)
            try:
                for part in below:
                    above = os.open(place, flags | os.O_DIRECTORY, dir_fd=above)
                    stack.callback(os.close, above)
                    place, flags = part, flags | os.O_NOFOLLOW
                found = os.stat(place, dir_fd=above, follow_symlinks=False)
            except FileNotFoundError:
                return None
            except NotADirectoryError:
                if stat.S_ISLNK(os.stat(place, dir_fd=above, follow_symlinks=False).st_mode):
                    raise OSError(f"{escaped(place)} is a symbolic link, which is not followed") from None
                return None
        return next((entry for entry in self._entry(name, found) if isinstance(entry, Object)), None)

    def unread_values(self, item: Item, evaluation: Evaluation, segment_bytes: int) -> bytes | None:
        """Return the values of a part that is a hole: a task would cost a thousand times as much."""
        if item.length < _LONG_HOLE_BYTES:
            return None
        reading = Reading()
        try:
            descriptor = os.open(os.path.join(self.base, item.name), _READ_FLAGS)
            try:
                if not Evaluation.is_hole(descriptor, item.offset, item.length):
                    return None
                values = self._read_file(descriptor, item, evaluation, reading, segment_bytes)
            finally:
                os.close(descriptor)
        except (OSError, EOFError, Failed):
            return None  # as a worker will find, and say
        return values

    def read(self, item: Item, evaluation: Evaluation, reading: Reading, segment_bytes: int = 0) -> bytes:
        """Return the partial evaluation of a part, or of each of its segments; holes are not read. Raises Failed."""
        try:
            descriptor = os.open(os.path.join(self.base, item.name), _READ_FLAGS)
        except FileNotFoundError:
            raise Missing(GONE) from None
        except OSError as error:
            raise Failed(reason(error)) from None
        try:
            return self._read_file(descriptor, item, evaluation, reading, segment_bytes)
        except OSError as error:
            raise Failed(reason(error)) from None
        finally:
            os.close(descriptor)

    def _read_file(
        self, descriptor: int, item: Item, evaluation: Evaluation, reading: Reading, segment_bytes: int
    ) -> bytes:
        if self._pin_of(os.fstat(descriptor)) != item.pin:
            raise Failed(CHANGED)
        try:
            values, count = evaluation.compute_file_segments(descriptor, item.offset, item.length, segment_bytes)
        except EOFError:
            raise Failed(CHANGED) from None
        reading.bytes_read += count
        reading.hole_bytes += item.length - count
        if self._pin_of(os.fstat(descriptor)) != item.pin:
            raise Failed(CHANGED)
        return values


def _kind(mode: int) -> str:
    kinds: list[tuple[Callable[[int], bool], str]] = [
        (stat.S_ISLNK, "symlink"),
        (stat.S_ISFIFO, "fifo"),
        (stat.S_ISSOCK, "socket"),
        (stat.S_ISCHR, "device"),
        (stat.S_ISBLK, "device"),
        (stat.S_ISDIR, "folder"),
    ]
    return next((word for is_it, word in kinds if is_it(mode)), "unknown")
