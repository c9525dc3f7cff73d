# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Threads: long calls let others run, buffers stay while they are read, and nothing is leaked."""

import gc
import resource
import sys
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hornet_poly1305 as hornet
import numpy
import pytest
from hornet_poly1305 import ChaCha20Poly1305, Poly1305, SSHCipher
from hornet_poly1305.stream import SegmentKeys, StreamKey

KEY = bytes(range(32))
LONG = 64 << 20
INTERVAL = 5


@pytest.fixture
def never_switches():
    """Let threads run until they give up the GIL themselves."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(INTERVAL)
    yield
    sys.setswitchinterval(before)


def runs_beside(call, calls: int) -> bool:
    """Return whether another thread runs during some of the calls."""
    begun, other = threading.Event(), []
    thread = threading.Thread(target=lambda: (begun.wait(), other.append("ran")))
    thread.start()
    begun.set()
    # From here on, the other thread runs only if a call lets it, and the system has a CPU for it meanwhile.
    while calls and not other:
        call()
        calls -= 1
    ran = bool(other)
    thread.join()
    return ran


ROWS = numpy.zeros((100_000, 64), dtype=numpy.uint8)
STARTS = numpy.arange(100_000, dtype=numpy.int64) * 64
SEALED = StreamKey(KEY).seal(0, True, bytes(LONG))
CALLS = {
    "mac": lambda: hornet.mac(KEY, bytes(LONG)),
    "update": lambda: Poly1305(KEY).update(bytes(LONG)),
    "encrypt": lambda: ChaCha20Poly1305(KEY).encrypt(bytes(12), bytes(LONG), None),
    "mac_rows": lambda: hornet.mac_rows(bytes(3_200_000), ROWS),
    "StreamKey.seal": lambda: StreamKey(KEY).seal(0, True, bytes(LONG)),
    "StreamKey.open": lambda: StreamKey(KEY).open(0, True, SEALED),
    "SegmentKeys.seal": lambda: SegmentKeys([KEY]).seal(bytes(LONG)),
    "SSHCipher.seal": lambda: SSHCipher(KEY + KEY).seal(1, bytes(LONG)),
    "seal_ssh_packets": lambda: hornet.seal_ssh_packets(
        KEY + KEY, STARTS, bytearray(6_400_000), STARTS, numpy.full(100_000, 64)
    ),
    "seal_packets": lambda: hornet.seal_packets(
        KEY,
        bytes(1_200_000),
        ROWS,
        STARTS,
        numpy.full(100_000, 48),
        out=bytearray(6_400_000),
        tags=bytearray(1_600_000),
    ),
}


@pytest.mark.skipif(not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="there is no GIL")
@pytest.mark.parametrize("name", CALLS)
def test_long_calls_let_others_run(name, never_switches):
    assert runs_beside(CALLS[name], 100)


@pytest.mark.skipif(not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="there is no GIL")
def test_short_calls_keep_the_gil(never_switches):
    assert not runs_beside(lambda: hornet.mac(KEY, bytes(1000)), 100)


def test_a_buffer_that_changes_is_torn_but_stays():
    """Another thread writes to the message and tries to resize it, meanwhile: it is refused, and nothing crashes."""
    data, stop, refused = bytearray(8 << 20), threading.Event(), []

    def change() -> None:
        while not stop.is_set():
            data[:4096] = bytes([data[0] + 1 & 255]) * 4096
            try:
                data.append(0)
                data.pop()
            except BufferError:
                refused.append(1)

    thread = threading.Thread(target=change)
    thread.start()
    cipher = ChaCha20Poly1305(KEY)
    tags = set()
    for _ in range(60):
        tags.add(hornet.mac(KEY, data))
        cipher.encrypt(bytes(12), data, None)
    stop.set()
    thread.join()
    assert refused and len(tags) > 1


def test_many_threads_use_an_object():
    cipher, data = ChaCha20Poly1305(KEY), bytes(300_000)
    expected = cipher.encrypt(bytes(12), data, b"aad")
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: cipher.encrypt(bytes(12), data, b"aad"), range(64))) == {expected}


@pytest.mark.thread_unsafe(reason="counts what all threads allocate")
def test_no_references_or_memory_are_lost():
    key, data, nonce = bytes(bytearray(range(32))), bytearray(100), bytes(bytearray(12))
    cipher, out = ChaCha20Poly1305(key), bytearray(116)
    rows, starts = numpy.zeros((4, 25), dtype=numpy.uint8), numpy.arange(4, dtype=numpy.int64) * 25
    lengths = numpy.full(4, 25)
    sealed = cipher.encrypt(nonce, data, None)

    def calls() -> None:
        hornet.mac(key, data)
        Poly1305(key).update(data)
        cipher.encrypt(nonce, data, data)
        cipher.encrypt_into(nonce, data, None, out)
        cipher.decrypt(nonce, sealed, None)
        hornet.mac_rows(bytes(128), rows)
        hornet.seal_packets(key, bytes(48), rows, starts, lengths, aad=(data, starts, lengths))
        hornet.xseal_packets(key, bytes(96), rows, starts, lengths, aad=(data, starts, lengths))
        for wrong in (
            lambda: cipher.decrypt(nonce, out[:50], None),
            lambda: cipher.encrypt_into(nonce, data, data, data),
            lambda: hornet.verify(key, data, b""),
            lambda: hornet.mac_rows(key, rows),
            lambda: hornet.mac_parts(bytes(128), data, starts, lengths * 2),
        ):
            with pytest.raises((hornet.InvalidTag, hornet.InvalidSignature, ValueError)):
                wrong()

    watched = (key, data, nonce, cipher, out, rows, starts, lengths, sealed)
    for _ in range(50):
        calls()
    gc.collect()
    before = [sys.getrefcount(one) for one in watched]
    tracemalloc.start()
    for _ in range(50):
        calls()
    gc.collect()
    first = tracemalloc.get_traced_memory()[0]
    for _ in range(1000):
        calls()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    assert [sys.getrefcount(one) for one in watched] == before
    assert grown < 20_000


def resident() -> int:
    """Return the bytes of memory in use, Python's and the native module's."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.mark.thread_unsafe(reason="counts what all threads allocate")
def test_ten_million_calls_need_no_more_memory():
    """A leak of one byte a call would be 10 MB."""
    cipher, nonce, data, out = ChaCha20Poly1305(KEY), bytes(12), bytes(64), bytearray(80)
    tag, sealed = hornet.mac(KEY, data), cipher.encrypt(nonce, data, None)

    def calls(count: int) -> None:
        for _ in range(count):
            hornet.mac(KEY, data)
            hornet.verify(KEY, data, tag)
            cipher.encrypt_into(nonce, data, data, out)
            cipher.decrypt(nonce, sealed, None)

    calls(100_000)
    gc.collect()
    before = resident()
    calls(2_500_000)
    gc.collect()
    assert resident() - before < 2_000_000


@pytest.mark.thread_unsafe(reason="counts what all threads allocate")
def test_encrypt_into_allocates_nothing():
    cipher, nonce, data, out = ChaCha20Poly1305(KEY), bytes(12), bytes(1350), bytearray(1366)
    cipher.encrypt_into(nonce, data, None, out)
    tracemalloc.start()
    tracemalloc.reset_peak()
    base = tracemalloc.get_traced_memory()[0]
    for _ in range(10):
        cipher.encrypt_into(nonce, data, None, out)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The int that is returned, and the range's.
    assert peak - base < 300
