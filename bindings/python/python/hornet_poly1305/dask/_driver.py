# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The driver of a run: sends requests to workers, and collects and joins the partial evaluations."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import queue
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Protocol, TypeAlias
from urllib.parse import urlsplit

from distributed import CancelledError, Client, Future
from distributed.comm.addressing import parse_address, parse_host_port
from distributed.core import clean_exception
from distributed.protocol.pickle import dumps

from hornet_poly1305 import Evaluation, KeyFile, XChaCha20Poly1305
from hornet_poly1305._native import Objects
from hornet_poly1305.dask import _worker
from hornet_poly1305.dask._checkpoint import Checkpoint
from hornet_poly1305.dask._items import PARTIAL_BYTES, Failed, Item, Spec, open_answer
from hornet_poly1305.dask._secrets import Secrets, WorkerError, told, wipe
from hornet_poly1305.dask._stores import tells_version

# What derives the keys of a run from the key file: numbers of KeyFile.derive.
ANSWERS, CHECKPOINTS = 1, 2
# The most objects in a task. A task costs the scheduler a millisecond.
_TASK_OBJECTS = 1000
# How often a task is sent again: after a worker's death, or an error that is not of an object.
_ATTEMPTS = 5
# The most workers that get the secrets at the same time, how often that is tried, the seconds between, and how long each call
# may take, and deleting them.
_CONNECTIONS, _INSTALL_ATTEMPTS, _INSTALL_PAUSE_SECONDS = 64, 3, 1.0
_CALL_SECONDS, _FORGET_SECONDS = 10.0, 2.0
# How long the answer of a task that has ended may take.
_ANSWER_SECONDS = 10.0
# A task that has not ended after this time, and several times the median, is sent to other workers too.
_LATE_SECONDS, _LATE_FACTOR, _COPIES = 20.0, 5.0, 3


_CANCELLED = (CancelledError, asyncio.CancelledError)


class ClusterError(Exception):
    """The run cannot go on; its text is the reason. No tag was made."""


class Progress(Protocol):
    """What shows how far a run is: an object of tqdm, for example."""

    def update(self, n: int) -> object:
        """Count bytes."""


@dataclass
class Summary:
    """What a run cost."""

    objects: int = 0
    bytes: int = 0
    bytes_read: int = 0
    """By the workers whose answers came; a killed worker's are not known."""
    hole_bytes: int = 0
    """In holes of files, which were not read."""
    from_checkpoint: int = 0
    """Bytes that were evaluated in an earlier run."""
    tasks: int = 0
    retries: int = 0
    """Requests to the store, and tasks, that were sent again."""
    late: int = 0
    """Tasks that were sent to another worker because one was slow."""
    seconds: float = 0.0


def worker_secret(key_file: KeyFile) -> bytearray:
    """Return what workers need: r and the key of answers. SECRET."""
    r, key = key_file.r(), key_file.derive(ANSWERS)
    try:
        return r + key
    finally:
        wipe(r)
        wipe(key)


def _is_loopback(address: str) -> bool:
    """Return whether an address, as Dask reads it, stays on this host: names may mean any host, whatever their spelling."""
    scheme, place = parse_address(address)
    if scheme == "inproc":
        return True
    try:
        return ipaddress.ip_address(parse_host_port(place, 0)[0]).is_loopback
    except ValueError:
        return False


def check_transport(address: str, allow_plaintext: bool) -> None:
    """Raise ClusterError if r would pass a network unencrypted."""
    if not (allow_plaintext or parse_address(address)[0] == "tls" or _is_loopback(address)):
        raise ClusterError(
            f"{address} is not encrypted, nor an address of the loopback such as 127.0.0.1, and whoever sees r and a tag can"
            " forge any message: use tls://, or --insecure-send-r-in-plaintext in a network where no one listens"
        )


@dataclass
class _Task:
    items: list[Item]
    places: list[tuple[int, int]]
    """The number of the object and of the part's first value in it, for each item."""
    request: bytes
    attempts: int = 0
    copies: int = 0
    since: float = 0.0
    is_done: bool = False
    futures: dict[str, Future] = field(default_factory=dict)
    workers: dict[str, set[str]] = field(default_factory=dict)
    """By the key of a future, the workers of which one must run it, if not all may."""

    def shown(self) -> str:
        first = self.items[0]
        name = os.fsdecode(first.name)
        more = f" and {len(self.items) - 1} more" if len(self.items) > 1 else ""
        return f"{name!r}, {first.length} bytes from {first.offset} on{more}"


_Ended = tuple[_Task, str, Any]
"""A task, the key of one of its futures, and the result or the exception of that."""


class _Joined:
    """The parts of a large object, of which some are still to come."""

    def __init__(self, count: int, values: int) -> None:
        self.partials = bytearray(PARTIAL_BYTES * values)
        self.left = count

    def put(self, first: int, values: bytes) -> bool:
        """Keep the values of a part, and return whether it was the last."""
        self.partials[PARTIAL_BYTES * first : PARTIAL_BYTES * first + len(values)] = values
        self.left -= 1
        return self.left == 0


Ranges: TypeAlias = list[tuple[int, int]]
"""Parts of an object, in order: offsets and lengths in bytes."""


class Run:
    """A run on a cluster: between entering and leaving it, workers hold what they need to evaluate."""

    def __init__(
        self,
        client: Client,
        key_file: KeyFile,
        root: str,
        options: dict[str, Any],
        *,
        part_bytes: int,
        secret_file: str | None = None,
        allow_plaintext: bool = False,
        checkpoint: Checkpoint | None = None,
        progress: Progress | None = None,
        segment_bytes: int = 0,
        unread_values: Callable[[Item, Evaluation, int], bytes | None] | None = None,
    ) -> None:
        """Prepare a run; with a length of segments, one that evaluates each of them. unread_values returns those of a part
        that no worker needs to read, or None.
        """
        if part_bytes < 16 or part_bytes % 16:
            raise ValueError(f"a part must be a multiple of 16 bytes, not {part_bytes}")
        if secret_file is not None and options:
            raise ValueError("with a secret file, workers take storage options from their own configuration")
        if secret_file is not None and urlsplit(root).password is not None:
            raise ValueError(
                "with a secret file, workers take passwords from their own configuration: omit that in the URL"
            )
        self._client = client
        self._key_file = key_file
        self._root, self._options = root, options
        # Parts begin with a segment.
        self._part_bytes = max(part_bytes // segment_bytes, 1) * segment_bytes if segment_bytes else part_bytes
        self._segment_bytes = segment_bytes
        self._unread_values = unread_values
        self._allow_plaintext = allow_plaintext
        self._checkpoint = checkpoint
        self._progress = progress
        self._spec = Spec(os.urandom(16), None if secret_file is None else root, secret_file, segment_bytes)
        self._evaluation: Evaluation = key_file.evaluation()
        self._cipher = XChaCha20Poly1305(key_file.derive(ANSWERS))
        self._ended: queue.SimpleQueue[_Ended] = queue.SimpleQueue()
        self._sent: dict[str, _Task] = {}
        self._refused: str | None = None
        self._may_begin = threading.Event()
        self._installs: dict[asyncio.Task[Any], str | None] = {}
        """What may send the secrets now, and to which worker, if to one."""
        self._given: set[str] = set()
        """Workers to which the secrets were sent."""
        self._is_over = False
        self._unusable: dict[str, str] = {}
        """Workers that cannot have the secrets, and why."""
        self._workers: set[str] = set()
        self.summary = Summary()
        self._durations: list[float] = []
        self._known_threads, self._threads_until = 1, 0.0

    def __enter__(self) -> Run:
        """Give all workers what they need."""
        self._start = time.monotonic()
        scheduler = self._client.scheduler
        if scheduler is None:
            raise ClusterError("the client is not connected to a scheduler")
        self._client.subscribe_topic(_worker.topic(self._spec.run), self._heard)
        if self._spec.secret_file is None:
            check_transport(scheduler.address, self._allow_plaintext)
            # Tasks wait until it has come to their worker; one that does not answer holds up no other. But Dask closes workers
            # that cannot import what is in a task: the first is sent when one worker is known to be right.
            self._client.loop.add_callback(self._install_all)
            while not self._may_begin.wait(1.0) and self._client.status == "running":
                pass
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Delete the secrets on all workers."""
        self.summary.seconds = time.monotonic() - self._start
        if self._client.status != "running":
            return
        try:
            for task in self._sent.values():
                for future in task.futures.values():
                    future.release()
            self._client.unsubscribe_topic(_worker.topic(self._spec.run))
            self._client.sync(self._forget)
        except Exception as problem:  # the scheduler may have been lost
            print(f"hornet: workers were not told to forget r: {problem}", file=sys.stderr)

    def _heard(self, event: tuple[float, Any]) -> None:
        """Take what a worker says: an answer, or, if it has started meanwhile, that it needs the secrets. Any client of the
        scheduler can say such things.
        """
        said = event[1] if isinstance(event[1], dict) else {}
        if isinstance(key := said.get("key"), str) and "answer" in said:
            if (task := self._sent.get(key)) is not None:
                self._ended.put((task, key, said))
        elif isinstance(address := said.get("worker"), str) and self._spec.secret_file is None:
            # Not awaited: the client takes no other message meanwhile.
            self._client.loop.add_callback(self._install, address)

    @contextlib.contextmanager
    def _awaited(self, address: str | None = None) -> Iterator[None]:
        """Let the end of the run wait for the current task, which may send the secrets to this worker."""
        task = asyncio.current_task()
        assert task is not None
        self._installs[task] = address
        try:
            yield
        finally:
            del self._installs[task]

    async def _install_all(self) -> None:
        limit = asyncio.Semaphore(_CONNECTIONS)

        async def install(address: str) -> None:
            async with limit:
                await self._install(address)

        with self._awaited():
            try:
                await self._count_threads()
                await asyncio.gather(*map(install, self._workers))
            finally:
                self._may_begin.set()

    async def _install(self, address: str) -> None:
        """Send the secrets to a worker, or find out why it cannot have them."""
        if address in self._installs.values() or self._is_over:
            return
        with self._awaited(address):
            try:
                reason = await self._install_at(address)
            except ClusterError as error:
                self._refused = str(error)
            except OSError:  # the scheduler is lost, as futures tell
                return
            else:
                await self._settle(address, reason)

    async def _install_at(self, address: str) -> str | None:
        """Send the secrets to a worker over a connection of our own: what passes the scheduler stays in its memory. Returns why
        it cannot have them, "" if it has them, or None if it is no worker, or no longer.
        """
        scheduler = self._client.scheduler
        reason = ""
        for attempt in range(_INSTALL_ATTEMPTS):
            if attempt:
                await asyncio.sleep(_INSTALL_PAUSE_SECONDS)
            # Asked each time: an event may name any address.
            if address not in await scheduler.ncores(workers=[address]):
                return None
            check_transport(address, self._allow_plaintext)
            is_tls = parse_address(address)[0] == "tls"
            if not (self._allow_plaintext or is_tls or _is_loopback(scheduler.address)):
                raise ClusterError(
                    f"{address} is the loopback of another host, as the scheduler is {scheduler.address}"
                )
            try:
                protocol = self._root.partition("://")[0]
                key = await self._call(address, _worker.prepare, (self._spec.run, protocol), _CALL_SECONDS)
                if isinstance(key, str):
                    return key
                if self._is_over:
                    return None
                self._given.add(address)
                secrets = Secrets(worker_secret(self._key_file), self._root, self._options)
                try:
                    sealed = secrets.seal(key, self._spec.run)
                finally:
                    secrets.wipe()
                return str(await self._call(address, _worker.install, (self._spec.run, sealed), _CALL_SECONDS))
            except (OSError, asyncio.TimeoutError) as error:  # it may have died
                reason = f"no connection from here: {told(error, str)}"
            except Exception as error:
                return told(error, str)
        return reason

    async def _settle(self, address: str, reason: str | None) -> None:
        """Note whether a worker has the secrets. The run goes on while one can have them."""
        if not reason:
            self._unusable.pop(address, None)
            if reason is not None:
                self._may_begin.set()
            return
        self._unusable[address] = reason
        await self._count_threads()
        if self._workers and self._workers <= self._unusable.keys():
            others = f", and {len(self._workers) - 1} other workers" if len(self._workers) > 1 else ""
            self._refused = f"worker {address}: {reason}{others}"
        else:
            print(f"hornet: worker {address}: {reason}; its tasks go to others", file=sys.stderr)

    async def _call(
        self, address: str, function: Callable[..., Any], arguments: tuple[Any, ...], seconds: float
    ) -> Any:
        """Call a function on a worker over a connection of our own. Raises what it raises."""
        called = self._client.rpc(address).run(function=dumps(function), args=dumps(arguments))
        answer = await asyncio.wait_for(called, seconds)
        if answer["status"] != "OK":
            _, error, _ = clean_exception(**answer)
            raise error
        return answer["result"]

    async def _forget(self) -> None:
        # No worker may get the secrets after it was told to forget them.
        self._is_over = True
        if self._installs:
            _, late = await asyncio.wait(self._installs, timeout=_FORGET_SECONDS)
            for task in late:
                task.cancel()
        # A worker that has died holds nothing.
        alive = self._given & set(await self._client.scheduler.ncores())
        calls = [self._call(address, _worker.forget, (self._spec.run,), _FORGET_SECONDS) for address in alive]
        await asyncio.gather(*calls, return_exceptions=True)

    def _items(self, objects: Objects, indices: Iterable[int]) -> Iterator[tuple[Item, int, int]]:
        """Yield the parts of objects: items, the numbers of the objects, and those of the parts' first values in them."""
        for index in indices:
            name, pin, size = objects.name(index), objects.pin(index), objects.size(index)
            is_whole = index not in self.ranged
            ranges = [(0, size)] if is_whole else self._ranges[index]
            if is_whole and (count := -(-size // self._part_bytes)) > 1:
                values = -(-size // self._segment_bytes) if self._segment_bytes else count
                self._parts[index] = _Joined(count, values)
            for start, length in ranges:
                for offset in range(start, start + length, self._part_bytes) if length else [start]:
                    if index in self._failed:
                        break
                    item = Item(name, pin, size, offset, min(self._part_bytes, start + length - offset))
                    yield item, index, offset // (self._segment_bytes or self._part_bytes)

    def _found(self, found: dict[bytes, bytes], item: Item) -> bytes | None:
        """Return the values of a part that a checkpoint has."""
        values = bytearray()
        for segment in item.segments(self._segment_bytes):
            if (value := found.get(segment.identity())) is None:
                return None
            values += value
        return bytes(values)

    def _tasks(self, objects: Objects, indices: Iterable[int]) -> Iterator[_Task]:
        """Yield tasks: a part, or small objects of together as many bytes."""
        found = self._checkpoint.found if self._checkpoint is not None else {}
        items: list[Item] = []
        places: list[tuple[int, int]] = []
        total = 0
        for item, index, part in self._items(objects, indices):
            # Without a version, another object may be there by now.
            if found and (partial := self._found(found, item)) and tells_version(item):
                self.summary.from_checkpoint += item.length
                self._accept(objects, item, index, part, partial)
                continue
            if self._unread_values is not None:
                values = self._unread_values(item, self._evaluation, self._segment_bytes)
                if values is not None:
                    self.summary.hole_bytes += item.length
                    self._accept(objects, item, index, part, values)
                    continue
            if items and (total + item.length > self._part_bytes or len(items) == _TASK_OBJECTS):
                yield _Task(items, places, b"".join([each.encoded() for each in items]))
                items, places, total = [], [], 0
            items.append(item)
            places.append((index, part))
            total += item.length
        if items:
            yield _Task(items, places, b"".join([each.encoded() for each in items]))

    def evaluate(
        self, objects: Objects, indices: Iterable[int], ranges: dict[int, Ranges] | None = None
    ) -> dict[int, Failed]:
        """Evaluate objects, into objects. Of those with ranges, which consist of segments, only these are evaluated, into
        ranged. Returns those that could not be read. Raises ClusterError.
        """
        self._ranges = ranges or {}
        self.ranged: dict[int, list[tuple[int, bytes]]] = {index: [] for index in self._ranges}
        self._failed: dict[int, Failed] = {}
        self._parts: dict[int, _Joined] = {}
        tasks = self._tasks(objects, indices)
        running: list[_Task] = []
        more = True
        while True:
            if self._refused is not None:
                raise ClusterError(self._refused)
            # Enough that no thread waits, few enough that memory is bounded.
            while more and len(running) < 2 * self._threads() + 4:
                task = next(tasks, None)
                more = task is not None
                if task is not None:
                    self._submit(task)
                    running.append(task)
            if not running:
                break
            for task, key, result in self._next_ended():
                self._collect(objects, task, key, result)
            running = [task for task in running if not task.is_done]
            self._resend_stranded(running)
            self._resend_late(running)
        if self._checkpoint is not None:
            self._checkpoint.flush()
        return self._failed

    def _threads(self) -> int:
        """Return the number of threads of all workers, which is asked for each second, without waiting for the answer."""
        if time.monotonic() >= self._threads_until:
            self._threads_until = time.monotonic() + 1.0
            self._client.loop.add_callback(self._count_threads)
        return self._known_threads

    async def _count_threads(self) -> None:
        with contextlib.suppress(OSError):  # the scheduler is lost, as futures tell
            threads = await self._client.scheduler.ncores()
            self._workers, self._known_threads = set(threads), max(1, sum(threads.values()))

    def _submit(self, task: _Task, workers: list[str] | None = None) -> None:
        """Send a task, under a key of its own: the scheduler would not run one key twice."""
        if self._unusable and workers is None:
            workers = sorted(self._workers - self._unusable.keys()) or None
        self.summary.tasks += 1
        task.since = time.monotonic()
        key = f"hornet-evaluate-{self._spec.run.hex()[:8]}-{self.summary.tasks}"
        self._sent[key] = task
        try:
            future = self._client.submit(
                _worker.evaluate, self._spec, task.request, key, key=key, pure=False, workers=workers, retries=0
            )
        except Exception as error:
            raise ClusterError(f"the scheduler is lost: {error}") from None
        task.futures[key] = future
        if workers:
            task.workers[key] = set(workers)
        self._client.loop.add_callback(self._watch, task, key, future)

    async def _watch(self, task: _Task, key: str, future: Future) -> None:
        """Pass on that a task has failed, or has ended without an answer."""
        try:
            error: BaseException | None = await future.exception()
            if error is None:
                # Its answer came before its end, unless a connection broke.
                await asyncio.sleep(_ANSWER_SECONDS)
                error = TimeoutError("the answer was lost")
        except (Exception, *_CANCELLED) as problem:
            error = problem
        self._ended.put((task, key, error))

    def _next_ended(self) -> list[_Ended]:
        """Wait for tasks that have ended, at most a second."""
        ended = []
        try:
            ended.append(self._ended.get(timeout=1.0))
            while True:
                ended.append(self._ended.get_nowait())
        except queue.Empty:
            return ended

    def _collect(self, objects: Objects, task: _Task, key: str, result: Any) -> None:
        self._sent.pop(key, None)
        future = task.futures.pop(key, None)
        if future is None or task.is_done:
            return  # a copy of what has come
        try:
            if isinstance(result, BaseException):
                raise result
            results = open_answer(self._cipher, self._spec, task.request, task.items, result["answer"])
        except (Exception, *_CANCELLED) as error:
            if isinstance(error, _CANCELLED) or self._client.status != "running":
                raise ClusterError("the scheduler is lost, or has cancelled the run") from None
            self._again(task, str(error) if isinstance(error, WorkerError) else f"{type(error).__name__}: {error}")
            return
        task.is_done = True
        # So that neither it nor copies, which may still run, run again if their workers die.
        future.release()
        for other, copy in task.futures.items():
            self._sent.pop(other, None)
            copy.release()
        task.futures.clear()
        self._durations.append(time.monotonic() - task.since)
        self.summary.bytes_read += int(result["bytes_read"])
        self.summary.hole_bytes += int(result["hole_bytes"])
        self.summary.retries += int(result["retries"])
        for item, (index, part), result in zip(task.items, task.places, results, strict=True):
            if isinstance(result, Failed):
                self._failed[index] = result
                self._parts.pop(index, None)
                objects.fail(index)
                continue
            for number, segment in enumerate(item.segments(self._segment_bytes)):
                value = result[PARTIAL_BYTES * number : PARTIAL_BYTES * (number + 1)]
                if Evaluation.len_bytes(value) != segment.length:
                    raise ClusterError(f"a worker evaluated another length of {task.shown()}")
                if self._checkpoint is not None and tells_version(item):
                    self._checkpoint.add(segment.identity(), value)
            self._accept(objects, item, index, part, result)

    def _accept(self, objects: Objects, item: Item, index: int, part: int, partial: bytes) -> None:
        if self._progress is not None:
            self._progress.update(item.length)
        if index in self._failed:
            return
        if index in self.ranged:
            self.ranged[index].append((part, partial))
        elif item.length == item.size:
            self._put(objects, index, partial)
        elif self._parts[index].put(part, partial):
            self._put(objects, index, self._parts.pop(index).partials)

    def _put(self, objects: Objects, index: int, values: bytes | bytearray) -> None:
        """Record all values of an object."""
        if len(values) == PARTIAL_BYTES:
            objects.put(index, values)
        elif self._segment_bytes:
            objects.put_segments(index, self._evaluation.join(values), values)
        else:
            objects.put(index, self._evaluation.join(values))

    def _again(self, task: _Task, reason: str) -> None:
        """Send a task again, unless that has been done too often."""
        task.attempts += 1
        if task.futures:
            return  # a copy may come
        if task.attempts > _ATTEMPTS:
            raise ClusterError(f"{task.shown()}: failed {task.attempts} times, at last: {reason}")
        self.summary.retries += 1
        self._submit(task)

    def _resend_stranded(self, running: list[_Task]) -> None:
        """Send tasks again that only workers may run that are gone: the scheduler would wait for them, and one that is
        started again has another address.
        """
        if not self._workers - self._unusable.keys():
            return  # until one comes
        for task in running:
            stranded = [key for key in task.futures if key in task.workers and not task.workers[key] & self._workers]
            for key in stranded:
                self._sent.pop(key, None)
                task.futures.pop(key).release()
            if stranded:
                self._again(task, "the workers that could run it are gone")

    def _resend_late(self, running: list[_Task]) -> None:
        """Send tasks that take long to other workers too: one may be slow, or cut off."""
        usual = statistics.median(self._durations[-100:]) if self._durations else 0.0
        limit = max(_LATE_SECONDS, _LATE_FACTOR * usual)
        now = time.monotonic()
        for task in running:
            if now - task.since < limit or task.copies >= _COPIES:
                continue
            try:
                held = self._client.processing()
            except OSError:  # the scheduler is busy, or lost, as futures tell
                return
            busy = {worker for worker, keys in held.items() if set(keys) & set(task.futures)}
            others = set(held) - busy - self._unusable.keys()
            if not others:
                task.since = now
                continue
            task.copies += 1
            self.summary.late += 1
            self._submit(task, sorted(others))
