# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What runs on workers: the evaluation of parts of objects, and the secrets that this needs.

r and the key of answers come over the driver's own connection to a worker, or from a file on it. They are never
arguments of tasks: those lie in the memory of the scheduler, and in its dumps.
"""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from distributed import get_worker

from hornet_poly1305 import Evaluation, XChaCha20Poly1305
from hornet_poly1305.dask._items import Failed, Item, Spec, decode, seal_answer
from hornet_poly1305.dask._stores import Reading, Store, open_store

R_BYTES, KEY_BYTES = 16, 32
_SECRET_FILE_TITLE = "hornet-cluster-secret 1"
# How long a task waits for the secrets before it fails, and is sent to a worker again.
_WAIT_SECONDS = 30.0
# A run without requests for this long is forgotten.
_IDLE_SECONDS = 600.0
# Larger objects are read one after the other.
_CONCURRENT_BYTES = 1 << 20


class _Installed:
    """What a run's tasks need."""

    def __init__(self, secret: bytes | bytearray, root: str, options: dict[str, Any]) -> None:
        self.evaluation = Evaluation(secret[:R_BYTES])
        self.cipher = XChaCha20Poly1305(secret[R_BYTES:])
        self.store: Store = open_store(root, options)
        self.store.begin_reading()
        self.used = time.monotonic()


_runs: dict[bytes, _Installed] = {}
_changed = threading.Condition()


def install(run: bytes, secret: bytes, root: str, options: dict[str, Any]) -> None:
    """Keep what a run needs. The driver calls this on each worker."""
    installed = _Installed(secret, root, options)
    with _changed:
        _keep(run, installed)
        _changed.notify_all()


def _keep(run: bytes, installed: _Installed) -> None:
    _runs[run] = installed
    _expire_later(run)


def _expire_later(run: bytes) -> None:
    timer = threading.Timer(_IDLE_SECONDS, _expire, (run,))
    timer.daemon = True
    timer.start()


def _expire(run: bytes) -> None:
    """Forget a run without requests, whose driver may have died, and look again later at one with."""
    with _changed:
        installed = _runs.get(run)
        if installed is not None and time.monotonic() - installed.used >= _IDLE_SECONDS:
            del _runs[run]
        elif installed is not None:
            _expire_later(run)


def forget(run: bytes) -> None:
    """Forget what a run needed, and wipe its secrets."""
    with _changed:
        _runs.pop(run, None)


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
        if os.fstat(file.fileno()).st_mode & 0o077:
            raise ValueError(f"{path}: accessible by others than its owner: use chmod 600")
        lines = file.read(1024).split(b"\n")
    try:
        title, line, end = lines
        secret = bytes.fromhex(line.removeprefix(b"secret ").decode())
    except ValueError:
        title, end, secret = b"", b"", b""
    if title != _SECRET_FILE_TITLE.encode() or end or len(secret) != R_BYTES + KEY_BYTES:
        raise ValueError(f"{path}: not a file that hornet-cluster secret has written")
    return secret


def _installed(spec: Spec) -> _Installed:
    with _changed:
        if found := _runs.get(spec.run):
            found.used = time.monotonic()
            return found
        if spec.secret_file is not None:
            found = _Installed(read_secret_file(spec.secret_file), spec.root, {})
            _keep(spec.run, found)
            return found
    worker = get_worker()
    worker.log_event(topic(spec.run), {"worker": worker.address})
    with _changed:
        if not _changed.wait_for(lambda: spec.run in _runs, _WAIT_SECONDS):
            raise TimeoutError(
                f"the driver has not sent r to {worker.address} within {_WAIT_SECONDS:.0f} s: it must be able to connect to"
                " workers, or they need a secret file"
            )
        return _runs[spec.run]


def _one(installed: _Installed, item: Item, reading: Reading) -> bytes | Failed:
    try:
        return installed.store.read(item, installed.evaluation, reading)
    except Failed as failed:
        return failed


def evaluate(spec: Spec, request: bytes, key: str) -> None:
    """Answer a request: send the sealed answer, and what it cost, as an event.

    Events take the connections that there are. Dask would leave a result on its worker, and whoever fetches it from one that
    has died waits for the connection in vain.
    """
    installed = _installed(spec)
    items = decode(request)
    readings = [Reading() for _ in items]
    concurrency = installed.store.concurrency
    if concurrency > 1 and len(items) > 1 and max(item.length for item in items) <= _CONCURRENT_BYTES:
        with ThreadPoolExecutor(min(concurrency, len(items))) as pool:
            results = list(pool.map(_one, [installed] * len(items), items, readings))
    else:
        results = [_one(installed, item, reading) for item, reading in zip(items, readings, strict=True)]
    event = {
        "key": key,
        "answer": seal_answer(installed.cipher, spec, request, results),
        "bytes_read": sum(reading.bytes_read for reading in readings),
        "retries": sum(reading.retries for reading in readings),
    }
    get_worker().log_event(topic(spec.run), event)
