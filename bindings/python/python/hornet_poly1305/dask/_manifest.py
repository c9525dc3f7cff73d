# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tagging, checking and re-tagging."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from distributed import Client

from hornet_poly1305 import InvalidSignature, KeyFile, XChaCha20Poly1305
from hornet_poly1305._native import Nonces, Objects, SealedManifest, escaped
from hornet_poly1305.dask._checkpoint import Checkpoint
from hornet_poly1305.dask._driver import CHECKPOINTS, Progress, Run, Summary
from hornet_poly1305.dask._items import Failed, Missing
from hornet_poly1305.dask._local import local_client
from hornet_poly1305.dask._stores import (
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

_UNITS = {"": 1, "B": 1, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}

_Path = str | os.PathLike[str]


def part_bytes(part: str | int) -> int:
    """Return a number of bytes from text such as 64MiB. Raises ValueError if it is not one, or no multiple of 16."""
    if isinstance(part, str):
        digits = part.rstrip("BKMGTibkmgt").strip()
        unit = part[len(digits) :].strip().upper()
        if not digits.isdecimal() or unit not in _UNITS:
            raise ValueError(f"{part!r} is not a number of bytes such as 64MiB")
        part = int(digits) * _UNITS[unit]
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
    checkpoint: a file of partial evaluations, sealed, from which a run that ended early goes on; removed at the end. Neither
    it nor the key file or the output is tagged.
    secret_file: a file on the workers that `hornet-cluster secret` wrote; without one the driver sends r over TLS.
    allow_plaintext: whether r may pass a network unencrypted.
    options: fsspec's storage options, which go to workers as r does.

    What cannot be read, or changes meanwhile, is in the manifest as unread, and in its `failed`. Raises OSError, whatever a
    store's library raises, or ValueError if nothing can be tagged, and ClusterError if the cluster fails; then there is no manifest.
    """
    size = None if part is None else part_bytes(part)
    files = {"the manifest": output, "the checkpoint": checkpoint, "the secret file": secret_file}
    check_distinct(key_file, files)
    keys = _key_file(key_file)
    target = None if output is None else Path(output)
    if target is not None:
        check_target(target, force)
    root, arguments = _split(urls)
    with contextlib.ExitStack() as stack:
        saved = None
        if checkpoint is not None:
            saved = stack.enter_context(Checkpoint(checkpoint, XChaCha20Poly1305(keys.derive(CHECKPOINTS))))
        listing = list_store(root, arguments, options, _excluded(keys, target, checkpoint))
        objects = listing.objects
        evaluate = _Evaluating(listing, keys, root, options, client, size, secret_file, allow_plaintext, progress)
        manifest = Manifest(root, keys, target, options=options)
        with saving(target, force) as descriptor:
            # Before the first task; a run that ends early loses them.
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
    summary: Summary = field(default_factory=Summary)

    def __call__(self, indices: Iterable[int], checkpoint: Checkpoint | None = None) -> dict[int, Failed]:
        """Evaluate these objects. Returns those that could not be read."""
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
            )
            with run:
                failed = run.evaluate(objects, indices)
        self.summary = run.summary
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


def retag(
    manifest: Manifest,
    changed: Iterable[str | bytes],
    client: Connect = None,
    part: str | int | None = None,
    *,
    output: _Path | None = None,
    force: bool = False,
    secret_file: str | None = None,
    allow_plaintext: bool = False,
    progress: Progress | None = None,
) -> Manifest:
    """Return a manifest in which the objects of these names, which have changed, were added or removed, are re-tagged.

    All others keep their tags, and are not read. The caller vouches that they have not changed; check tells.

    Raises ValueError if a name is not one that tagging what the manifest is of would give, and OSError as tag does.
    """
    size = None if part is None else part_bytes(part)
    old = manifest.sealed()
    if old.follow_symlinks:
        raise ValueError("the manifest follows symbolic links, which are not followed here")
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
        nonces = manifest.key_file.reserve(len(anew) + 1)
        places = [place for found in anew if (place := objects.find(found.name)) is not None]
        failed = evaluate(places)
        _write(made, descriptor, listing, nonces)
    made.summary = evaluate.summary
    made.failed = {objects.name(index): str(reason) for index, reason in failed.items()}
    return made


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
    secret_file: str | None = None,
    allow_plaintext: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Report:
    """Check the objects of a manifest, and return what `hornet check` reports.

    root: the URL of the bucket or folder that the paths are in, if the manifest is given by its path; default is the working
    directory. strict: whether objects that the manifest does not list are reported as EXTRA.

    Raises ValueError if the manifest is not sealed under the key, or with strict if it has patterns of `hornet tag
    --exclude`, and OSError as tag does.
    """
    size = None if part is None else part_bytes(part)
    if not isinstance(manifest, Manifest):
        manifest = Manifest.open(manifest, key_file, root, **options)
    keys = _key_file(key_file)
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
