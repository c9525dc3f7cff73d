# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tagging, checking and re-tagging."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from distributed import Client

from hornet_poly1305 import Evaluation, InvalidSignature, KeyFile, XChaCha20Poly1305
from hornet_poly1305._native import Nonces, Objects, OpenedParts, PartsLock, SealedManifest, escaped
from hornet_poly1305._parts import Known
from hornet_poly1305.dask._checkpoint import Checkpoint
from hornet_poly1305.dask._driver import CHECKPOINTS, Progress, Ranges, Run, Summary
from hornet_poly1305.dask._items import PARTIAL_BYTES, Failed, Missing
from hornet_poly1305.dask._local import local_client
from hornet_poly1305.dask._stores import (
    GONE,
    NO_PATH,
    LocalStore,
    Object,
    Other,
    Store,
    Unread,
    failing_as_os_error,
    open_store,
    split_url,
)

SEGMENT_BYTES = 1 << 20
_UNITS = {"": 1, "B": 1, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}

_Path = str | os.PathLike[str]
_Value = TypeVar("_Value")
ByName: TypeAlias = Mapping[str, _Value] | Mapping[bytes, _Value]


def number_of_bytes(text: str) -> int:
    """Return a number of bytes from text such as 64MiB. Raises ValueError if it is not one."""
    digits = text.rstrip("BKMGTibkmgt").strip()
    unit = text[len(digits) :].strip().upper()
    if not (digits.isascii() and digits.isdecimal()) or unit not in _UNITS:
        raise ValueError(f"{text!r} is not a number of bytes such as 64MiB")
    return int(digits) * _UNITS[unit]


def part_bytes(part: str | int) -> int:
    """Return a number of bytes from text such as 64MiB. Raises ValueError if it is not one, or no multiple of 16."""
    if isinstance(part, str):
        part = number_of_bytes(part)
    if part < 16 or part % 16:
        raise ValueError(f"a part must be a multiple of 16 bytes, not {part}")
    return part


@dataclass
class Manifest:
    """A manifest as `hornet tag` writes it, and what making it has cost."""

    root: str = field(repr=False)
    """The store that its paths are in: a bucket, or the folder that relative paths are relative to. May hold a password."""
    key_file: KeyFile = field(repr=False)
    path: Path | None = None
    """Where it was written, or None if its text is in memory."""
    parts: Path | None = None
    """Where the values of its segments were written, or None."""
    summary: Summary = field(default_factory=Summary)
    failed: dict[bytes, str] = field(default_factory=dict)
    """What could not be read, and why."""
    options: dict[str, Any] = field(default_factory=dict, repr=False)
    _text: bytes | None = field(default=None, repr=False)

    @classmethod
    def open(cls, path: _Path, key_file: KeyFile | _Path, root: str | None = None, **options: Any) -> Manifest:
        """Return a manifest that was written before. The root is the URL of the bucket that its paths are in; without one
        they are local. Raises ValueError if it is not sealed under the key.
        """
        check_distinct(key_file, {"the manifest": path})
        root = f"file://{os.getcwd()}" if root is None else root
        opened = cls(root, _key_file(key_file), Path(path), options=options)
        opened.sealed()
        return opened

    @property
    def text(self) -> bytes:
        """The text of the manifest."""
        if self._text is not None:
            return self._text
        if self.path is None:
            raise ValueError("the manifest has no text")
        return self.path.read_bytes()

    def sealed(self) -> SealedManifest:
        """Return its content. Raises ValueError if it is not sealed under the key."""
        if self._text is None and self.path is not None:
            return SealedManifest.open(self.path, self.key_file)
        return SealedManifest(self.text, self.key_file)

    def save(self, path: _Path, force: bool = False) -> None:
        """Write it to a file, which appears when it is complete and on disk. Raises FileExistsError unless forced."""
        with saving(Path(path), force) as descriptor:
            _write_all(descriptor, self.text)
        self.path = Path(path)


def _write_all(descriptor: int, text: bytes) -> None:
    with memoryview(text) as view:
        at = 0
        while at < len(view):
            at += os.write(descriptor, view[at:])


@contextlib.contextmanager
def saving(path: Path | None, force: bool) -> Iterator[int]:
    """Yield the descriptor of a file without a name, which gets its name when it is complete and on disk.

    A file that is there is replaced only if that is forced and it is a regular one. Without a path, the file stays without
    a name.
    """
    if path is None:
        with tempfile.TemporaryFile() as file:
            yield file.fileno()
        return
    check_target(path, force)
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    temporary = f".hornet-{os.urandom(8).hex()}"
    is_named = False
    descriptor = -1
    try:
        try:
            descriptor = os.open(path.parent, os.O_RDWR | os.O_TMPFILE | os.O_CLOEXEC, 0o666)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL):
                raise
            # The file system has no files without names.
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            descriptor = os.open(temporary, flags, 0o666, dir_fd=folder)
            is_named = True
        yield descriptor
        if force and path.exists():
            os.fchmod(descriptor, path.stat().st_mode & 0o777)
        os.fsync(descriptor)
        this = temporary if is_named else f"/proc/self/fd/{descriptor}"
        if not force:
            os.link(this, path.name, src_dir_fd=folder, dst_dir_fd=folder)  # does not replace
        else:
            if not is_named:
                os.link(this, temporary, src_dir_fd=folder, dst_dir_fd=folder)
                is_named = True
            os.replace(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)
    finally:
        if descriptor != -1:
            os.close(descriptor)
        if is_named:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
        os.close(folder)


def check_target(path: Path, force: bool) -> None:
    """Raise OSError if a file must not be written there."""
    if path.is_symlink() or path.exists():
        if not force:
            raise FileExistsError(f"{escaped(os.fsencode(path))}: exists; use --force to replace it")
        if path.is_symlink() or not path.is_file():
            raise FileExistsError(
                f"{escaped(os.fsencode(path))}: exists and is not a regular file, so it is never replaced"
            )
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{escaped(os.fsencode(path))}: no such folder")


def _identity(path: _Path) -> tuple[Any, ...]:
    """Return what tells a file apart: device and inode, of one that does not exist those of its folder and its name."""
    real = os.path.realpath(path)
    for place, name in ((real, ()), os.path.split(real)):
        with contextlib.suppress(OSError):
            found = os.stat(place)
            return found.st_dev, found.st_ino, name
    return (real,)


def check_distinct(key_file: KeyFile | _Path, files: dict[str, _Path | None]) -> None:
    """Raise SameFileError if two of these are one file, under whatever names: the key file, and the files given."""
    paths = [(what, path) for what, path in files.items() if path is not None]
    if not isinstance(key_file, KeyFile):
        paths.append(("the key file", key_file))
    for (what, path), (other, its_path) in itertools.combinations(paths, 2):
        if _identity(path) == _identity(its_path):
            a, b = (escaped(os.fsencode(one)) for one in (path, its_path))
            raise shutil.SameFileError(f"{a} and {b}: {what} and {other} are the same file")
    for what, path in paths:
        if isinstance(key_file, KeyFile) and key_file.is_at(path):
            raise shutil.SameFileError(f"{escaped(os.fsencode(path))}: {what} and the key file are the same file")


@contextlib.contextmanager
def _locked(manifest: Path, parts: Path) -> Iterator[PartsLock]:
    """Yield the lock of a manifest and its parts, which can both be written."""
    lock = PartsLock(manifest, parts)
    try:
        lock.attempt()
        yield lock
    finally:
        lock.release()


def _beside(parts: _Path | None) -> list[_Path]:
    """Return the parts file, and what is written beside it."""
    return [] if parts is None else [os.fspath(parts) + end for end in ("", ".new", ".lock")]


def _key_file(key_file: KeyFile | _Path) -> KeyFile:
    return key_file if isinstance(key_file, KeyFile) else KeyFile(key_file)


# A client, or what makes one once all else has been found right; None is a cluster on this machine.
Connect: TypeAlias = Client | Callable[[], contextlib.AbstractContextManager[Client]] | None


def _connected(client: Connect) -> contextlib.AbstractContextManager[Client]:
    if client is None:
        return local_client()
    return contextlib.nullcontext(client) if isinstance(client, Client) else client()


@dataclass
class Listing:
    """What a store has at and below some arguments."""

    store: Store
    arguments: list[str]
    objects: Objects
    others: list[tuple[bytes, str]]
    unread: dict[bytes, str]


def _split(urls: str | Iterable[str]) -> tuple[str, list[str]]:
    pairs = [split_url(url) for url in ([urls] if isinstance(urls, str) else urls)]
    if not pairs:
        raise ValueError("no URL was given")
    root = pairs[0][0]
    for other, _ in pairs:
        if other != root:
            raise ValueError(f"{other} and {root} are two stores: a manifest is of one")
    return root, [argument for _, argument in pairs]


def _open_store(root: str, options: dict[str, Any], excluded: Iterable[_Path | KeyFile | int]) -> Store:
    store = open_store(root, options)
    if isinstance(store, LocalStore):
        for path in excluded:
            store.exclude(path)
    return store


def list_store(
    root: str,
    arguments: list[str],
    options: dict[str, Any],
    excluded: Iterable[_Path | KeyFile | int] = (),
    may_be_missing: bool = False,
) -> Listing:
    """List what is at and below the arguments. Raises ValueError if names collide, and OSError if an argument cannot be
    listed, or if nothing is there unless that may be.
    """
    store = _open_store(root, options, excluded)
    objects, others, unread = Objects(), [], {}
    # If an argument has dots or double slashes, a file may have several paths. As in the command, the first is kept.
    paths: set[bytes] | None = set() if any(_plain(os.fsencode(one)) != os.fsencode(one) for one in arguments) else None
    for argument in arguments:
        try:
            with failing_as_os_error(store.shown(os.fsencode(argument))):
                for found in store.list(argument):
                    if paths is not None:
                        plain = _plain(found.name)
                        if plain in paths:
                            continue
                        paths.add(plain)
                    match found:
                        case Object(name, size, pin):
                            objects.add(name, size, pin)
                        case Other(name, kind):
                            others.append((name, kind))
                        case Unread(name, reason):
                            unread[name] = reason
        except FileNotFoundError:
            if not may_be_missing:
                raise
    objects.sort()
    return Listing(store, arguments, objects, others, unread)


def _plain(path: bytes) -> bytes:
    """Return a path without . and redundant slashes."""
    plain = b"/".join(part for part in path.split(b"/") if part not in (b"", b"."))
    return b"/" + plain if path.startswith(b"/") else plain


def _excluded(key_file: KeyFile, *paths: _Path | None) -> list[_Path | KeyFile | int]:
    return [1, key_file, *(path for path in paths if path is not None)]  # 1 is standard output


def tag(
    urls: str | Iterable[str],
    key_file: KeyFile | _Path,
    client: Connect = None,
    part: str | int | None = None,
    *,
    output: _Path | None = None,
    parts: _Path | None = None,
    segment: str | int = SEGMENT_BYTES,
    force: bool = False,
    checkpoint: _Path | None = None,
    secret_file: str | None = None,
    allow_plaintext: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Manifest:
    """Tag all objects at and below the URLs, and return their manifest.

    urls: of one store that fsspec knows: local paths, s3://bucket/prefix, gs://, abfs://, sftp://, https://. Names in the
    manifest are paths as given, or keys in the bucket.
    key_file: a key file, or its path.
    client: of the cluster; without one, a cluster of processes on this machine is started, and closed.
    part: the size of the parts in which large objects are evaluated: a multiple of 16 bytes, or text such as "64MiB", which
    is the default but for local files, whose parts have 256 MiB.
    output: the manifest's file; without one its text stays in memory.
    parts: a file for the values of all segments, sealed, beside the manifest: with it, ranges are checked alone, and retag
    reads what has changed. segment: their length, a power of two from 4 KiB to 1 GiB.
    checkpoint: a file of partial evaluations, sealed, from which a run that ended early goes on; removed at the end. Neither
    it nor the key file or the output is tagged.
    secret_file: a file on the workers that `hornet-cluster secret` wrote; without one the driver sends r over TLS.
    allow_plaintext: whether r may pass a network unencrypted.
    options: fsspec's storage options, which go to workers as r does.

    What cannot be read, or changes meanwhile, is in the manifest as unread, and in its `failed`. Raises OSError, whatever a
    store's library raises, or ValueError if nothing can be tagged, and ClusterError if the cluster fails; then there is no manifest.
    """
    size = None if part is None else part_bytes(part)
    files = {"the manifest": output, "the checkpoint": checkpoint, "the secret file": secret_file, "the parts": parts}
    check_distinct(key_file, files)
    keys = _key_file(key_file)
    targets = [Path(path) for path in (output, parts) if path is not None]
    for path in targets:
        check_target(path, force)
    target = None if output is None else Path(output)
    if parts is not None and target is None:
        raise ValueError("parts belong to a manifest in a file: name it by output")
    segment_bytes = part_bytes(segment) if parts is not None else 0
    if segment_bytes:
        Objects().keep_segments(segment_bytes)
    root, arguments = _split(urls)
    with contextlib.ExitStack() as stack:
        lock = None
        if parts is not None and target is not None:
            lock = stack.enter_context(_locked(target, Path(parts)))
        saved = None
        if checkpoint is not None:
            saved = stack.enter_context(Checkpoint(checkpoint, XChaCha20Poly1305(keys.derive(CHECKPOINTS))))
        listing = list_store(root, arguments, options, _excluded(keys, target, checkpoint, *_beside(parts)))
        objects = listing.objects
        evaluate = _Evaluating(
            listing, keys, root, options, client, size, secret_file, allow_plaintext, progress, segment_bytes
        )
        manifest = Manifest(root, keys, target, options=options)
        # Nonces are reserved before the first task; a run that ends early loses them.
        if lock is not None:
            objects.keep_segments(segment_bytes)
            nonces = keys.reserve(len(objects) + 2)
            failed = evaluate(range(len(objects)), checkpoint=saved)
            for path in targets:
                check_target(path, force)
            _write_with_parts(manifest, lock, listing, nonces)
            manifest.parts = targets[1]
        else:
            with saving(target, force) as descriptor:
                nonces = keys.reserve(len(objects) + 1)
                failed = evaluate(range(len(objects)), checkpoint=saved)
                _write(manifest, descriptor, listing, nonces)
        manifest.summary = evaluate.summary
        manifest.failed = listing.unread | {objects.name(index): str(reason) for index, reason in failed.items()}
        if saved is not None:
            saved.remove()
    return manifest


@dataclass
class _Evaluating:
    """The evaluation of objects of a listing on a cluster, and what it has cost."""

    listing: Listing
    keys: KeyFile
    root: str
    options: dict[str, Any]
    client: Connect
    part_bytes: int | None
    secret_file: str | None
    allow_plaintext: bool
    progress: Progress | None
    segment_bytes: int = 0
    summary: Summary = field(default_factory=Summary)
    ranged: dict[int, list[tuple[int, bytes]]] = field(default_factory=dict, repr=False)
    """The first segment of each range and its values, for objects of which only ranges were evaluated."""

    def __call__(
        self, indices: Iterable[int], checkpoint: Checkpoint | None = None, ranges: dict[int, Ranges] | None = None
    ) -> dict[int, Failed]:
        """Evaluate these objects, of some only ranges. Returns those that could not be read."""
        objects = self.listing.objects
        total = objects.total_bytes()
        if self.progress is not None and hasattr(self.progress, "reset"):
            self.progress.reset(total=total)
        with _connected(self.client) as client:
            run = Run(
                client,
                self.keys,
                self.root,
                self.options,
                part_bytes=self.part_bytes or self.listing.store.part_bytes,
                secret_file=self.secret_file,
                allow_plaintext=self.allow_plaintext,
                checkpoint=checkpoint,
                progress=self.progress,
                segment_bytes=self.segment_bytes,
                unread_values=self.listing.store.unread_values,
            )
            with run:
                failed = run.evaluate(objects, indices, ranges)
        self.summary, self.ranged = run.summary, run.ranged
        self.summary.objects, self.summary.bytes = len(objects), total
        return failed


def _write(manifest: Manifest, descriptor: int, listing: Listing, nonces: Nonces) -> None:
    arguments = [os.fsencode(argument) for argument in listing.arguments]
    unread = list(listing.unread)
    listing.objects.write(descriptor, manifest.key_file, nonces, arguments, unread, listing.others)
    if manifest.path is None:
        with open(os.dup(descriptor), "rb") as file:
            file.seek(0)
            manifest._text = file.read()


def _write_with_parts(
    manifest: Manifest, lock: PartsLock, listing: Listing, nonces: Nonces, old: OpenedParts | None = None
) -> None:
    arguments = [os.fsencode(argument) for argument in listing.arguments]
    objects, store = listing.objects, listing.store
    for index in range(len(objects)):
        # It could change without another pin, and is read next time.
        if not store.tells_version(objects.name(index), objects.size(index), objects.pin(index)):
            objects.unpin(index)
    unread = list(listing.unread)
    objects.write_with_parts(lock, manifest.key_file, nonces, arguments, unread, listing.others, old)


def _by_name(given: ByName[_Value] | None) -> dict[bytes, _Value]:
    """Return a mapping from names as bytes. Raises ValueError if one is there as str too."""
    found: dict[bytes, _Value] = {os.fsencode(name): value for name, value in (given or {}).items()}
    if len(found) != len(given or {}):
        raise ValueError("a name was given twice")
    return found


def retag(
    manifest: Manifest,
    changed: Iterable[str | bytes] | None = None,
    client: Connect = None,
    part: str | int | None = None,
    *,
    parts: _Path | None = None,
    ranges: ByName[Iterable[tuple[int, int]]] | None = None,
    known: ByName[Known] | None = None,
    output: _Path | None = None,
    force: bool = False,
    secret_file: str | None = None,
    allow_plaintext: bool = False,
    progress: Progress | None = None,
) -> Manifest:
    """Return a manifest in which the objects of these names, which have changed, were added or removed, are re-tagged.

    All others keep their tags, and are not read. The caller vouches that they have not changed; check tells.

    With parts, the file that tag wrote beside the manifest, both are replaced, and there are other ways to say what has
    changed. If nothing is said, the store is listed, and what has another version than in the parts, such as another ETag,
    is read, on the store's word that nothing else has changed.
    ranges: for names, the ranges that have changed: offsets and lengths in bytes, in order. Only the segments that they
    touch are read, and what is between the end of the object and where it ended before. If an object that became longer
    ended within a segment that no range touches, what the segment had is verified, by another request for the same version.
    known: for names, what Multipart.complete returned of objects that were uploaded since. They are not read.

    Raises ValueError if a name is not one that tagging what the manifest is of would give, or if a range is none,
    InvalidSignature, and writes nothing, if an object differs from what was tagged before its old end, and OSError as tag
    does.
    """
    size = None if part is None else part_bytes(part)
    if parts is not None:
        if output is not None or manifest.path is None:
            raise ValueError("with parts, the manifest is a file, and both are replaced: omit output")
        how = _How(client, size, secret_file, allow_plaintext, progress)
        return _retag_with_parts(manifest, Path(parts), changed, _by_name(ranges), _by_name(known), how)
    if changed is None or ranges or known:
        raise ValueError("without parts, what has changed is given by the names of objects")
    old = manifest.sealed()
    _without_links(old)
    _without_exclusions(old)
    target = None if output is None else Path(output)
    if target is not None:
        # It may replace the manifest, if that is forced.
        check_distinct(manifest.key_file, {"the manifest": target})
        check_target(target, force)
    names = {(name := os.fsencode(one)): _argument_of(name, old.arguments) for one in changed}
    store = _open_store(manifest.root, manifest.options, _excluded(manifest.key_file, manifest.path, target))
    objects = Objects()
    for index in range(len(old)):
        _, _, path = old.line(index)
        if path not in names:
            objects.add(path, 0, bytes(16))
    anew = []
    for name, argument in sorted(names.items()):
        with failing_as_os_error(store.shown(name)):
            if (found := store.find(name, argument)) is not None:
                anew.append(found)
    for found in anew:
        objects.add(*found)
    objects.sort()
    for index in range(len(old)):
        nonce, tag_, path = old.line(index)
        if path not in names:
            place = objects.find(path)
            assert place is not None
            objects.keep(place, nonce, tag_)
    unread = {path: "" for path in old.unread if path not in names}
    listing = Listing(store, [os.fsdecode(path) for path in old.arguments], objects, old.others, unread)
    made = Manifest(manifest.root, manifest.key_file, target, options=manifest.options)
    evaluate = _Evaluating(
        listing, made.key_file, made.root, made.options, client, size, secret_file, allow_plaintext, progress
    )
    with saving(target, force) as descriptor:
        nonces = manifest.key_file.reserve(max(len(objects), len(old)) + 1)
        places = [place for found in anew if (place := objects.find(found.name)) is not None]
        failed = evaluate(places)
        _write(made, descriptor, listing, nonces)
    made.summary = evaluate.summary
    made.failed = {objects.name(index): str(reason) for index, reason in failed.items()}
    return made


@dataclass
class _How:
    """How objects are evaluated."""

    client: Connect
    part_bytes: int | None
    secret_file: str | None
    allow_plaintext: bool
    progress: Progress | None

    def evaluating(self, listing: Listing, manifest: Manifest, segment_bytes: int) -> _Evaluating:
        return _Evaluating(
            listing,
            manifest.key_file,
            manifest.root,
            manifest.options,
            self.client,
            self.part_bytes,
            self.secret_file,
            self.allow_plaintext,
            self.progress,
            segment_bytes,
        )


def _retag_with_parts(
    manifest: Manifest,
    parts: Path,
    changed: Iterable[str | bytes] | None,
    ranges: dict[bytes, Iterable[tuple[int, int]]],
    known: dict[bytes, Known],
    how: _How,
) -> Manifest:
    keys = manifest.key_file
    assert manifest.path is not None
    check_distinct(keys, {"the manifest": manifest.path, "the parts": parts, "the secret file": how.secret_file})
    by_version = changed is None and not ranges and not known
    with _locked(manifest.path, parts) as lock:
        opened = lock.open(keys)
        old = SealedManifest(opened.text, keys)
        _without_links(old)
        _without_exclusions(old)
        excluded = _excluded(keys, manifest.path, *_beside(parts))
        names: dict[bytes, bytes] = {}
        if by_version:
            arguments = [os.fsdecode(argument) for argument in old.arguments]
            listing = list_store(manifest.root, arguments, manifest.options, excluded, may_be_missing=True)
        else:
            given = [*(os.fsencode(one) for one in changed or ()), *ranges, *known]
            names = {name: _argument_of(name, old.arguments) for name in given}
            if len(names) != len(given):
                raise ValueError("a name was given twice")
            listing = _listing_of(manifest, opened, old, names, excluded)
        objects, store = listing.objects, listing.store
        objects.keep_segments(opened.segment_bytes)
        anew = objects.keep_old(opened, store.pin_of_stamp if by_version else None, set(names))
        runs: dict[int, Ranges] = {}
        tails: dict[int, tuple[int, int]] = {}
        olds: dict[int, int] = {}
        for name, of_one in ranges.items():
            with contextlib.suppress(KeyError):  # it is new, and read whole
                olds_index = opened.find(name)
                if (place := objects.find(name)) is not None:
                    was, size = opened.kept(olds_index)[0], objects.size(place)
                    of_one = list(of_one)
                    runs[place] = _runs(name, of_one, was, size, opened.segment_bytes)
                    olds[place] = olds_index
                    if (tail := _old_tail(of_one, was, size, opened.segment_bytes)) is not None:
                        runs[place].append(tail)
                        tails[place] = tail
        for name, value in known.items():
            place = objects.find(name)
            if place is None:
                raise ValueError(f"{escaped(name)}: {GONE}")
            _put_known(store, names[name], objects, place, value)
        nonces = keys.reserve(max(len(objects), len(opened)) + 2)
        made = Manifest(manifest.root, keys, manifest.path, parts, options=manifest.options)
        evaluate = how.evaluating(listing, made, opened.segment_bytes)
        is_known = {objects.find(name) for name in known}
        failed = evaluate([place for place in anew if place not in is_known], ranges=runs)
        for place, values in evaluate.ranged.items():
            if place not in failed:
                if place in tails:
                    values = _verified(objects.name(place), opened, olds[place], tails[place], values)
                objects.put_changed(place, opened, olds[place], sorted(values))
        _write_with_parts(made, lock, listing, nonces, opened)
    made.summary = evaluate.summary
    reasons = {objects.name(index): str(reason) for index, reason in failed.items()}
    made.failed = (listing.unread if by_version else {}) | reasons
    return made


def _listing_of(
    manifest: Manifest,
    opened: OpenedParts,
    old: SealedManifest,
    names: dict[bytes, bytes],
    excluded: list[_Path | KeyFile | int],
) -> Listing:
    """Return what the manifest is of: these names, which are below arguments, as the store has them now, all else as it was."""
    store = _open_store(manifest.root, manifest.options, excluded)
    objects = Objects()
    objects.add_old(opened, set(names))
    for name, argument in sorted(names.items()):
        with failing_as_os_error(store.shown(name)):
            if (found := store.find(name, argument)) is not None:
                objects.add(*found)
    objects.sort()
    unread = {path: "" for path in old.unread if path not in names}
    return Listing(store, [os.fsdecode(path) for path in old.arguments], objects, old.others, unread)


def _runs(name: bytes, ranges: Iterable[tuple[int, int]], was: int, size: int, segment_bytes: int) -> Ranges:
    """Return what is read of an object of which these ranges have changed, or whose size has: whole segments."""
    touched: list[tuple[int, int]] = []
    before = 0
    for number, (offset, length) in enumerate(ranges):
        end = offset + length
        if offset < before or length <= 0 or end > max(was, size):
            why = (
                "is before the end of the last one"
                if 0 <= offset < before
                else f"is none of an object of {was} bytes, now {size}"
            )
            raise ValueError(f"{escaped(name)}: range {number}, {length} bytes at {offset}, {why}")
        before = end
        touched.append((offset // segment_bytes, -(-min(end, size) // segment_bytes)))
    if was != size:
        # The segment in which the shorter one ends, and all behind it.
        touched.append((min(was, size) // segment_bytes, -(-size // segment_bytes)))
    runs: Ranges = []
    for first, last in sorted(touched):
        start, end = first * segment_bytes, min(last * segment_bytes, size)
        if runs and start <= sum(runs[-1]):
            start, end = runs[-1][0], max(sum(runs[-1]), end)
            runs.pop()
        if start < end:
            runs.append((start, end - start))
    return runs


def _old_tail(ranges: list[tuple[int, int]], was: int, size: int, segment_bytes: int) -> tuple[int, int] | None:
    """Return the offset and length of what the last segment had of an object that became longer, if nobody says that it
    changed: the segment gets a new value, for bytes that were tagged.
    """
    start = was - was % segment_bytes
    if size <= was or start == was or any(offset < was and start < offset + length for offset, length in ranges):
        return None
    return start, was - start


def _verified(
    name: bytes, opened: OpenedParts, index: int, tail: tuple[int, int], values: list[tuple[int, bytes]]
) -> list[tuple[int, bytes]]:
    """Return the values but that of the old tail. Raises InvalidSignature if that is not the one that was kept."""
    offset, length = tail
    segment = offset // opened.segment_bytes
    # The segment's own value is of more bytes.
    is_tail = [first == segment and Evaluation.len_bytes(of[:PARTIAL_BYTES]) == length for first, of in values]
    if is_tail.count(True) != 1 or opened.differing(index, *values[is_tail.index(True)]):
        raise InvalidSignature(
            f"{escaped(name)}: bytes {offset} to {offset + length} are not those that were tagged, against the word of the"
            " ranges given"
        )
    return [each for each, is_its in zip(values, is_tail, strict=True) if not is_its]


def _put_known(store: Store, argument: bytes, objects: Objects, place: int, known: Known) -> None:
    """Record the values of an object that were computed when it was uploaded, if the store has that one."""
    name, size, pin = objects.name(place), objects.size(place), objects.pin(place)
    with failing_as_os_error(store.shown(name)):
        is_it = size == known.size and (known.etag is None or store.has_etag(name, known.etag))
        # Still the version that was found.
        is_it = is_it and store.find(name, argument) == (name, size, pin)
    if not is_it:
        raise ValueError(f"{escaped(name)}: the store has another one than what was uploaded")
    objects.put_segments(place, known.partial, known.values)


def _without_links(sealed: SealedManifest) -> None:
    if sealed.follow_symlinks:
        raise ValueError("the manifest follows symbolic links, which are not followed here")


def _argument_of(name: bytes, arguments: list[bytes]) -> bytes:
    """Return the argument that a name is at or below. Raises ValueError if there is none, or a name below has dots."""
    for argument in sorted(arguments, key=len, reverse=True):
        root = argument.rstrip(b"/")
        if name == root or name.startswith(root + b"/"):
            if {b"", b".", b".."} & set(name[len(root) + 1 :].split(b"/")) and name != root or b"\0" in name:
                raise ValueError(f"{escaped(name)}: {NO_PATH}")
            return argument
    raise ValueError(f"{escaped(name)}: not below what the manifest is of")


def _without_exclusions(sealed: SealedManifest) -> None:
    if sealed.exclude:
        raise ValueError("the manifest has exclude lines, which are not supported here; use hornet")


@dataclass
class Entry:
    """The result for a path: OK, CHANGED, MISSING, EXTRA, UNREAD or UNREADABLE, and for some the reason."""

    path: bytes
    status: str
    reason: str | None = None

    def __str__(self) -> str:
        """Return the line of `hornet check`."""
        because = "" if self.reason is None else f" ({self.reason})"
        return f"{escaped(self.path)}: {self.status}{because}"


@dataclass
class Report:
    """The results of a check."""

    sealed: str
    counter: int
    entries: list[Entry]
    summary: Summary

    @property
    def is_ok(self) -> bool:
        """Whether every file of the manifest is as it was tagged, and with strict there is no other."""
        return all(entry.status == "OK" for entry in self.entries)

    def counts(self) -> dict[str, int]:
        """Return the number of paths of each status."""
        words = ("ok", "changed", "missing", "extra", "unread", "unreadable")
        return {word: sum(entry.status == word.upper() for entry in self.entries) for word in words}


def check(
    manifest: Manifest | _Path,
    key_file: KeyFile | _Path,
    client: Connect = None,
    part: str | int | None = None,
    *,
    root: str | None = None,
    strict: bool = False,
    parts: _Path | None = None,
    ranges: ByName[Iterable[tuple[int, int]]] | None = None,
    secret_file: str | None = None,
    allow_plaintext: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Report:
    """Check the objects of a manifest, and return what `hornet check` reports.

    root: the URL of the bucket or folder that the paths are in, if the manifest is given by its path; default is the working
    directory. strict: whether objects that the manifest does not list are reported as EXTRA.
    ranges: for names, the ranges that are checked: offsets and lengths in bytes, in order. Only the segments that they touch
    are read. Needs parts, the file that tag wrote beside the manifest.

    Raises ValueError if the manifest is not sealed under the key, or with strict if it has patterns of `hornet tag
    --exclude`, and OSError as tag does.
    """
    size = None if part is None else part_bytes(part)
    if not isinstance(manifest, Manifest):
        manifest = Manifest.open(manifest, key_file, root, **options)
    keys = _key_file(key_file)
    if ranges is not None:
        if parts is None or strict or manifest.path is None:
            raise ValueError("ranges are checked with parts, which belong to a manifest in a file, and without strict")
        how = _How(client, size, secret_file, allow_plaintext, progress)
        return _check_ranges(manifest, keys, Path(parts), _by_name(ranges), how)
    sealed = manifest.sealed()
    if strict:
        _without_exclusions(sealed)
    arguments = [os.fsdecode(argument) for argument in sealed.arguments]
    excluded = _excluded(keys, manifest.path)
    listing = list_store(manifest.root, arguments, manifest.options, excluded, may_be_missing=True)
    objects = listing.objects
    places = [objects.find(sealed.line(number)[2]) for number in range(len(sealed))]
    evaluate = _Evaluating(
        listing, keys, manifest.root, manifest.options, client, size, secret_file, allow_plaintext, progress
    )
    failed = evaluate([place for place in places if place is not None])
    entries = [_entry(keys, objects, failed, listing, sealed.line(n), place) for n, place in enumerate(places)]
    entries += [Entry(path, "UNREAD", "could not be read when the manifest was made") for path in sealed.unread]
    if strict:
        entries += _extra(sealed, listing, places)
    return Report(sealed.sealed, sealed.counter, entries, evaluate.summary)


def _check_ranges(
    manifest: Manifest,
    keys: KeyFile,
    parts: Path,
    ranges: dict[bytes, Iterable[tuple[int, int]]],
    how: _How,
) -> Report:
    assert manifest.path is not None
    opened = OpenedParts(keys, manifest.path, parts)
    sealed = SealedManifest(opened.text, keys)
    store = _open_store(manifest.root, manifest.options, _excluded(keys, manifest.path, *_beside(parts)))
    objects, entries = Objects(), []
    kept: dict[bytes, tuple[int, Ranges]] = {}
    for name, of_one in ranges.items():
        try:
            index = opened.find(name)
        except KeyError:
            raise ValueError(f"{escaped(name)}: not a file of the manifest") from None
        was = opened.kept(index)[0]
        runs = _runs(name, of_one, was, was, opened.segment_bytes)
        with failing_as_os_error(store.shown(name)):
            found = store.find(name, _argument_of(name, sealed.arguments))
        if found is None:
            entries.append(Entry(name, "MISSING"))
        elif found.size != was:
            entries.append(Entry(name, "CHANGED", f"has {found.size} bytes, and not {was}"))
        else:
            objects.add(*found)
            kept[name] = index, runs
    objects.sort()
    listing = Listing(store, [], objects, [], {})
    evaluate = how.evaluating(listing, manifest, opened.segment_bytes)
    by_place = {place: of_one for name, of_one in kept.items() if (place := objects.find(name)) is not None}
    failed = evaluate(by_place, ranges={place: runs for place, (_, runs) in by_place.items()})
    for place, (index, _) in by_place.items():
        name = objects.name(place)
        if failure := failed.get(place):
            is_missing = isinstance(failure, Missing)
            entries.append(Entry(name, "MISSING") if is_missing else Entry(name, "UNREADABLE", str(failure)))
            continue
        differing = [n for first, values in evaluate.ranged[place] for n in opened.differing(index, first, values)]
        for segment in sorted(differing)[:1]:
            start = segment * opened.segment_bytes
            end = min(start + opened.segment_bytes, objects.size(place))
            more = f", and {len(differing) - 1} others" if len(differing) > 1 else ""
            entries.append(Entry(name, "CHANGED", f"segment {segment}, bytes {start} to {end}{more}"))
        if not differing:
            entries.append(Entry(name, "OK"))
    entries.sort(key=lambda entry: entry.path)
    return Report(sealed.sealed, sealed.counter, entries, evaluate.summary)


def _entry(
    keys: KeyFile,
    objects: Objects,
    failed: dict[int, Failed],
    listing: Listing,
    line: tuple[bytes, bytes, bytes],
    place: int | None,
) -> Entry:
    nonce, tag_, path = line
    if place is None:
        for folder, reason in listing.unread.items():
            if path == folder or path.startswith(folder + b"/"):
                return Entry(path, "UNREADABLE", reason)
        return Entry(path, "MISSING")
    if failure := failed.get(place):
        return Entry(path, "MISSING") if isinstance(failure, Missing) else Entry(path, "UNREADABLE", str(failure))
    partial = objects.partial(place)
    assert partial is not None
    try:
        keys.verify_partial(nonce, partial, tag_)
    except InvalidSignature:
        return Entry(path, "CHANGED")
    return Entry(path, "OK")


def _extra(sealed: SealedManifest, listing: Listing, places: list[int | None]) -> list[Entry]:
    known = set(places)
    unread, others = set(sealed.unread), set(sealed.others)
    objects = listing.objects
    names = [objects.name(index) for index in range(len(objects)) if index not in known]
    extra = [Entry(name, "EXTRA") for name in names if name not in unread]
    # Something may have been added where nothing can be read or listed.
    listed = {sealed.line(index)[2] for index in range(len(sealed))} | unread
    extra += [Entry(p, "UNREADABLE", why) for p, why in sorted(listing.unread.items()) if p not in listed]
    return extra + [Entry(path, "EXTRA", kind) for path, kind in sorted(listing.others) if (path, kind) not in others]
