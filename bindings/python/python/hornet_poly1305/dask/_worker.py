# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What runs on workers: the evaluation of parts of objects, and the secrets that this needs.

r, the key of answers and the store's options come over the driver's own connection to a worker, or from a file on it. They
are never arguments of tasks: those lie in the memory of the scheduler, and in its dumps. Nor are they in what is raised here,
which Dask logs, sends and shows: that is text without secrets.
"""

import asyncio
import os
import resource
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import fsspec
from distributed import get_worker

from hornet_poly1305 import XChaCha20Poly1305
from hornet_poly1305.dask._items import Failed, Item, Spec, decode, seal_answer
from hornet_poly1305.dask._secrets import SECRET_BYTES, Secrets, WorkerError, told
from hornet_poly1305.dask._stores import Reading, Store, open_store

_SECRET_FILE_TITLE = "hornet-cluster-secret 1"
# How long a task waits for the secrets before it fails, and is sent to a worker again.
_WAIT_SECONDS = 30.0
# A run without requests for this long is forgotten.
_IDLE_SECONDS = 600.0
# Larger objects are read one after the other.
_CONCURRENT_BYTES = 1 << 20


class _Installed:
    """What a run's tasks need."""

    def __init__(self, secrets: Secrets) -> None:
        """Open the store. Raises WorkerError."""
        # A core dump would contain r.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        self.evaluation, self.cipher = secrets.evaluation_and_cipher()
        self.secrets = secrets
        try:
            self.store: Store = open_store(secrets.root, secrets.options)
            self.store.begin_reading()
        except Exception as error:
            raise WorkerError(told(error, secrets.scrubbed)) from None

    def read(self, item: Item, reading: Reading, segment_bytes: int) -> bytes | Failed:
        """Return the partial evaluation of an item, or of each of its segments, or why it could not be read. Raises
        WorkerError.
        """
        try:
            return self.store.read(item, self.evaluation, reading, segment_bytes)
        except Failed as failed:
            return type(failed)(self.secrets.scrubbed(str(failed)))
        except Exception as error:  # none of the store's library, which read makes Failed of
            raise WorkerError(f"reading failed: {told(error)}") from None


@dataclass
class _Run:
    """A run, as far as it has come here."""

    key: bytes | None = field(default=None, repr=False)
    """What the driver seals the secrets under, until they have come."""
    installed: _Installed | None = field(default=None, repr=False)
    reason: str = ""
    """Why they cannot be used here."""
    used: float = field(default_factory=time.monotonic)


_runs: dict[bytes, _Run] = {}
_changed = threading.Condition()


async def prepare(run: bytes, protocol: str) -> bytes | str:
    """Return a key for the driver to seal the secrets under, or, before they are sent, why they could not be used here.

    The driver calls this, and then install, over a connection of its own. Dask logs what it is sent, at debugging level, and
    the arguments of what has raised. So they are sealed, the key comes from here, and neither function raises.
    """
    return await asyncio.to_thread(_prepare, run, protocol)


def _prepare(run: bytes, protocol: str) -> bytes | str:
    try:
        fsspec.get_filesystem_class(protocol)
    except BaseException as error:
        reason = told(error, Secrets(b"", "", {}).scrubbed if isinstance(error, ImportError) else None)
        _keep(run, _Run(reason=reason))
        return reason
    key = XChaCha20Poly1305.generate_key()
    _keep(run, _Run(key))
    return key


async def install(run: bytes, sealed: bytes) -> str:
    """Keep what a run needs. Returns why that is not possible, or nothing."""
    return await asyncio.to_thread(_install, run, sealed)


def _install(run: bytes, sealed: bytes) -> str:
    installed, reason = None, ""
    try:
        with _changed:
            found = _runs.get(run)
        if found is None:
            return "the run was forgotten"
        if found.key is None:  # by a call whose answer was lost
            return found.reason
        installed = _Installed(Secrets.open(sealed, found.key, run))
    except WorkerError as error:
        reason = str(error)
    except BaseException as error:
        reason = told(error)
    _keep(run, _Run(installed=installed, reason=reason))
    return reason


def _keep(run: bytes, found: _Run) -> None:
    with _changed:
        if run not in _runs:
            _expire_later(run)
        _runs[run] = found
        _changed.notify_all()


def _expire_later(run: bytes) -> None:
    timer = threading.Timer(_IDLE_SECONDS, _expire, (run,))
    timer.daemon = True
    timer.start()


def _expire(run: bytes) -> None:
    """Delete a run that has had no request for a while, whose driver may have died; check others again later."""
    with _changed:
        found = _runs.get(run)
        if found is not None and time.monotonic() - found.used >= _IDLE_SECONDS:
            del _runs[run]
        elif found is not None:
            _expire_later(run)


def forget(run: bytes) -> str:
    """Delete what a run needed, and wipe its secrets. Returns why that is not possible, or nothing."""
    try:
        # What is left of its tasks need not wait.
        _keep(run, _Run(reason="the run has ended"))
        return ""
    except BaseException as error:
        return told(error)


def topic(run: bytes) -> str:
    """Return the topic of events in which workers ask the driver for the secrets, and answer."""
    return f"hornet-{run.hex()}"


def write_secret_file(path: str, secret: bytes | bytearray) -> None:
    """Write r and the key of answers to a new file, which its owner alone may read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(f"{_SECRET_FILE_TITLE}\nsecret {bytes(secret).hex()}\n")
        file.flush()
        os.fsync(file.fileno())


def read_secret_file(path: str) -> bytes:
    """Return what write_secret_file has written. Raises ValueError if it is not that, or if others may read it."""
    with open(path, "rb") as file:
        # As a key file that is only read: orchestrators give root's files to a group.
        found = os.fstat(file.fileno())
        if found.st_uid not in (0, os.geteuid()):
            raise ValueError(f"{path}: belongs to another user")
        if found.st_mode & 0o037:
            raise ValueError(f"{path}: accessible by others than its owner: use chmod 600")
        lines = file.read(1024).split(b"\n")
    try:
        title, line, end = lines
        secret = bytes.fromhex(line.removeprefix(b"secret ").decode())
    except ValueError:
        title, end, secret = b"", b"", b""
    if title != _SECRET_FILE_TITLE.encode() or end or len(secret) != SECRET_BYTES:
        raise ValueError(f"{path}: not a file that hornet-cluster secret has written")
    return secret


def _from_file(spec: Spec, path: str) -> _Installed:
    try:
        secret = read_secret_file(path)
    except (OSError, ValueError) as error:
        raise WorkerError(str(error)) from None
    return _Installed(Secrets(secret, spec.root or "", {}))


def _installed(spec: Spec) -> _Installed:
    """Return what a run needs, when it has come. Raises WorkerError."""
    worker = get_worker()
    with _changed:
        if spec.run not in _runs and spec.secret_file is not None:
            _keep(spec.run, _Run(installed=_from_file(spec, spec.secret_file)))
        if is_there := _is_settled(spec.run):
            _runs[spec.run].used = time.monotonic()
    if not is_there:
        worker.log_event(topic(spec.run), {"worker": worker.address})
    with _changed:
        if not _changed.wait_for(lambda: _is_settled(spec.run), _WAIT_SECONDS):
            raise WorkerError(
                f"the driver has not sent r to {worker.address} within {_WAIT_SECONDS:.0f} s: it must be able to connect to"
                " workers, or they need a secret file"
            )
        found = _runs[spec.run]
        if found.installed is None:
            raise WorkerError(f"worker {worker.address}: {found.reason}")
        return found.installed


def _is_settled(run: bytes) -> bool:
    found = _runs.get(run)
    return found is not None and found.key is None


def evaluate(spec: Spec, request: bytes, key: str) -> None:
    """Answer a request: send the sealed answer, and what it cost, as an event.

    Events take the connections that there are. Dask would leave a result on its worker, and whoever fetches it from one that
    has died waits for the connection in vain.
    """
    if reason := _evaluate(spec, request, key):
        # Here, where no other exception is being handled: Dask sends and shows that one, too.
        raise WorkerError(reason)


def _evaluate(spec: Spec, request: bytes, key: str) -> str:
    """Answer a request. Returns why that is not possible, or nothing."""
    try:
        installed = _installed(spec)
        items = decode(request)
        readings = [Reading() for _ in items]
        lengths = [spec.segment_bytes] * len(items)
        concurrency = installed.store.concurrency
        if concurrency > 1 and len(items) > 1 and max(item.length for item in items) <= _CONCURRENT_BYTES:
            with ThreadPoolExecutor(min(concurrency, len(items))) as pool:
                results = list(pool.map(installed.read, items, readings, lengths))
        else:
            results = list(map(installed.read, items, readings, lengths))
        event = {
            "key": key,
            "answer": seal_answer(installed.cipher, spec, request, items, results),
            "bytes_read": sum(reading.bytes_read for reading in readings),
            "hole_bytes": sum(reading.hole_bytes for reading in readings),
            "retries": sum(reading.retries for reading in readings),
        }
        get_worker().log_event(topic(spec.run), event)
        return ""
    except WorkerError as error:
        return str(error)
    except BaseException as error:  # of anything else nothing is told but its kind
        return f"a request failed: {told(error)}"
