# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measure the package beside cryptography, PyNaCl, pycryptodome and asyncssh, and its batches beside C's.

    measure.py [PROCESSES]      3 processes by default; prints Markdown, after bindings/python/build.sh

Each process is pinned to a CPU and calls everything in turn, in rounds; a round's time is that of many calls. Given are the
medians over the processes of their medians, in nanoseconds a call or a message, and the median of the rounds' ratios.

After cryptography's calls for short messages, the upper halves of vector registers are in use (cryptography 50 on Emerald
Rapids): what follows without AVX is slower, such as `mac` of 16 bytes: 320 ns, and 70 in a process without it.
"""

import ctypes
import io
import json
import os
import platform
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

import hornet_poly1305 as hornet
import hornet_poly1305.asyncssh as adapter
import nanoarrow
import numpy
import pyrage
from asyncssh.crypto import ChachaCipher
from Crypto.Cipher import ChaCha20 as CryptodomeCipher
from Crypto.Cipher import ChaCha20_Poly1305 as CryptodomeChaCha
from Crypto.Hash import Poly1305 as CryptodomePoly1305
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305 as PycaChaCha
from cryptography.hazmat.primitives.poly1305 import Poly1305 as PycaPoly1305
from hornet_poly1305 import stream
from nacl.bindings import crypto_aead_chacha20poly1305_ietf_encrypt as nacl_encrypt

KEY, NONCE = bytes(range(32)), bytes(12)
LENGTHS = (16, 64, 256, 1350, 16384)
SSH_LENGTHS = (64, 1400, 32768)
TEXT = 16 << 20
ROWS, ROUNDS, ROUND_NS = 1_000_000, 31, 500_000
LIBRARY = Path(__file__).resolve().parents[3] / "build/libhornet.so"

Calls = dict[str, Callable[[], object]]


def timed(call: Callable[[], object], times: int) -> float:
    """Return nanoseconds a call."""
    before = time.perf_counter_ns()
    for _ in range(times):
        call()
    return (time.perf_counter_ns() - before) / times


def rounds(calls: Calls, count: int = ROUNDS) -> dict[str, list[float]]:
    """Return each call's times, in rounds in which all alternate."""
    times = {name: max(1, int(ROUND_NS / timed(call, 3))) for name, call in calls.items()}
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(count):
        for name, call in calls.items():
            found[name].append(timed(call, times[name]))
    return found


def of_macs(length: int) -> Calls:
    data = bytes(length)
    return {
        "hornet": lambda: hornet.mac(KEY, data),
        "cryptography": lambda: PycaPoly1305.generate_tag(KEY, data),
        "pycryptodome": lambda: CryptodomePoly1305.new(
            key=KEY, cipher=CryptodomeCipher, nonce=NONCE, data=data
        ).digest(),
    }


def of_seals(length: int) -> Calls:
    data, out = bytes(length), bytearray(length + 16)
    ours, theirs = hornet.ChaCha20Poly1305(KEY), PycaChaCha(KEY)
    return {
        "hornet": lambda: ours.encrypt(NONCE, data, None),
        "hornet, into": lambda: ours.encrypt_into(NONCE, data, None, out),
        "cryptography": lambda: theirs.encrypt(NONCE, data, None),
        "cryptography, into": lambda: theirs.encrypt_into(NONCE, data, None, out),
        "PyNaCl": lambda: nacl_encrypt(data, None, NONCE, KEY),
        "pycryptodome": lambda: CryptodomeChaCha.new(key=KEY, nonce=NONCE).encrypt_and_digest(data),
    }


def of_ssh(length: int) -> dict[str, Calls]:
    """What asyncssh calls for a packet that it sends, or that it receives."""
    key, header, text, nonce = bytes(64), length.to_bytes(4, "big"), bytes(length), (1).to_bytes(8, "big")
    ours, theirs = adapter._Encryption(key), ChachaCipher(key)
    packet, tag = theirs.encrypt_and_sign(header, text, nonce)
    # It receives 8 bytes first.
    first, rest = packet[:8], packet[8:]

    def their_open() -> None:
        theirs.decrypt_header(first[:4], nonce)
        theirs.verify_and_decrypt(first[:4], first[4:] + rest, nonce, tag)

    def our_open() -> None:
        ours.decrypt_header(1, first, 4)
        ours.decrypt_packet(1, first, rest, 4, tag)

    return {
        "seal": {
            "hornet": lambda: ours.encrypt_packet(1, header, text),
            "asyncssh": lambda: theirs.encrypt_and_sign(header, text, nonce),
        },
        "open": {"hornet": our_open, "asyncssh": their_open},
    }


def of_files() -> dict[str, Calls]:
    """Sealing and opening 16 MiB in memory: whole files of age's, payloads, and those of Crypt4GH."""
    identity, recipient = stream.new_identity()
    text, size = os.urandom(TEXT), 65536
    theirs, to = pyrage.x25519.Identity.from_str(identity), pyrage.x25519.Recipient.from_str(recipient)
    file, key, cipher = pyrage.encrypt(text, [to]), stream.StreamKey(KEY), PycaChaCha(KEY)
    sealed, keys = key.seal(0, True, text), stream.SegmentKeys([KEY])
    segments = keys.seal(text)

    def nonce(at: int) -> bytes:
        return at.to_bytes(12, "big")

    def our_seal() -> None:
        with stream.seal_age(io.BytesIO(), [recipient]) as writer:
            writer.write(text)

    def our_segments() -> None:
        with stream.SegmentWriter(KEY, io.BytesIO()) as writer:
            writer.write(text)

    def our_open_by_megabytes() -> None:
        reader = stream.open_age(io.BytesIO(file), [identity])
        while reader.read(1 << 20):
            pass

    def their_seal() -> None:
        sink, view = io.BytesIO(), memoryview(text)
        for at in range(0, TEXT, size):
            sink.write(cipher.encrypt(nonce(at), view[at : at + size], None))

    loop = [cipher.encrypt(nonce(at), text[at : at + size], None) for at in range(0, TEXT, size)]
    chunks = b"".join(loop)

    def their_open() -> None:
        source = io.BytesIO(chunks)
        b"".join(cipher.decrypt(nonce(at), source.read(size + 16), None) for at in range(0, TEXT, size))

    return {
        "seal": {
            "hornet": our_seal,
            "one call": lambda: key.seal(0, True, text),
            "Crypt4GH": our_segments,
            "cryptography, a loop": their_seal,
            "pyrage": lambda: pyrage.encrypt(text, [to]),
        },
        "open": {
            "hornet": lambda: stream.open_age(io.BytesIO(file), [identity]).read(),
            "hornet, by 1 MiB": our_open_by_megabytes,
            "one call": lambda: key.open(0, True, sealed),
            "Crypt4GH": lambda: stream.SegmentReader([KEY], io.BytesIO(segments)).read(),
            "cryptography, a loop": their_open,
            "pyrage": lambda: pyrage.decrypt(file, [theirs]),
        },
    }


def of_batches() -> Calls:
    """A million messages of 64 bytes."""
    rows = numpy.zeros((ROWS, 64), dtype=numpy.uint8)
    keys = numpy.zeros((ROWS, 32), dtype=numpy.uint8)
    tags = numpy.zeros((ROWS, 16), dtype=numpy.uint8)
    array = nanoarrow.c_array_from_buffers(
        nanoarrow.large_binary(), ROWS, [None, numpy.arange(ROWS + 1, dtype=numpy.int64) * 64, rows.reshape(-1)]
    )
    starts, lengths = numpy.arange(ROWS, dtype=numpy.int64) * 64, numpy.full(ROWS, 64, dtype=numpy.int64)
    library = ctypes.CDLL(str(LIBRARY))
    messages = (rows.ctypes.data + starts).astype(numpy.uint64)
    sizes = lengths.astype(numpy.uint64)
    in_c = library.hornet_poly1305_batch
    in_c.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_size_t]
    return {
        "C": lambda: in_c(tags.ctypes.data, messages.ctypes.data, sizes.ctypes.data, keys.ctypes.data, ROWS),
        "rows": lambda: hornet.mac_rows(keys, rows, tags),
        "parts": lambda: hornet.mac_parts(keys, rows, starts, lengths, tags),
        "Arrow": lambda: hornet.mac_arrow(keys, array, tags),
    }


def of_threads() -> dict[str, list[float]]:
    """How much two threads seal in the time of one, 1 MiB each; and a call of 64 bytes beside a thread that computes."""
    data, cipher = bytes(1 << 20), hornet.ChaCha20Poly1305(KEY)
    outs = [bytearray((1 << 20) + 16) for _ in range(2)]

    def seal(out: bytearray) -> None:
        for _ in range(20):
            cipher.encrypt_into(NONCE, data, None, out)

    ratios = []
    with ThreadPoolExecutor(2) as pool:
        for _ in range(9):
            one = timed(lambda: seal(outs[0]), 1)
            both = timed(lambda: list(pool.map(seal, outs)), 1)
            ratios.append(2 * one / both)
    short = bytes(64)
    stop = threading.Event()
    spinning = threading.Thread(target=lambda: [None for _ in iter(stop.is_set, True)])
    alone = [timed(lambda: hornet.mac(KEY, short), 200) for _ in range(50)]
    spinning.start()
    # Less than a switch interval, in which this thread keeps the GIL unless a call gives it up.
    beside = [timed(lambda: hornet.mac(KEY, short), 200) for _ in range(50)]
    stop.set()
    spinning.join()
    return {
        "two threads": ratios,
        "alone": [statistics.median(alone)],
        "beside a spinning thread": [statistics.median(beside)],
    }


def measured() -> dict[str, dict[str, list[float]]]:
    cpus = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cpus)})
    found = {f"mac {length}": rounds(of_macs(length)) for length in LENGTHS}
    found |= {f"encrypt {length}": rounds(of_seals(length)) for length in LENGTHS}
    for length in SSH_LENGTHS:
        found |= {f"ssh {name} {length}": rounds(calls) for name, calls in of_ssh(length).items()}
    found |= {f"file {name}": rounds(calls, 9) for name, calls in of_files().items()}
    found["batch"] = rounds(of_batches(), 9)
    os.sched_setaffinity(0, cpus)
    found["threads"] = of_threads()
    return found


def main() -> None:
    if sys.argv[1:] == ["--one"]:
        print(json.dumps(measured()))
        return
    count = int(sys.argv[1]) if sys.argv[1:] else 3
    command = [sys.executable, __file__, "--one"]
    processes = [json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout) for _ in range(count)]

    def middle(group: str, name: str) -> float:
        return statistics.median(statistics.median(one[group][name]) for one in processes)

    def ratio(group: str, name: str, other: str) -> float:
        pairs = [zip(one[group][name], one[group][other], strict=True) for one in processes]
        return statistics.median(statistics.median(a / b for a, b in of) for of in pairs)

    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.machine())
    packages = ("hornet-poly1305", "cryptography", "PyNaCl", "pycryptodome", "asyncssh", "numpy", "pyrage")
    print(
        f"{cpu}, Python {platform.python_version()},",
        ", ".join(f"{name} {metadata.version(name)}" for name in packages),
    )
    for group, names in (("mac", ["hornet", "cryptography", "pycryptodome"]), ("encrypt", list(of_seals(16)))):
        print(f"\n| {group}, bytes | {' | '.join(names)} | ratio to cryptography |")
        print("|---|" + "---|" * (len(names) + 1))
        for length in LENGTHS:
            of = f"{group} {length}"
            cells = [f"{middle(of, name):.0f}" for name in names]
            print(f"| {length} | {' | '.join(cells)} | {ratio(of, 'hornet', 'cryptography'):.2f} |")
            if group == "encrypt":
                into = ratio(of, "hornet, into", "hornet")
                print(f"|   | into: {into:.2f} of encrypt |" + " |" * len(names))
    print("\n| SSH packet, bytes | hornet | asyncssh | ratio |\n|---|---|---|---|")
    for of in (f"ssh {name} {length}" for name in ("seal", "open") for length in SSH_LENGTHS):
        cells = [f"{middle(of, name):.0f}" for name in ("hornet", "asyncssh")]
        print(f"| {of[4:]} | {' | '.join(cells)} | {ratio(of, 'hornet', 'asyncssh'):.3f} |")
    for of in ("file seal", "file open"):
        print(f"\n| {of[5:]} 16 MiB | GB/s | time, ratio to hornet |\n|---|---|---|")
        for name in processes[0][of]:
            print(f"| {name} | {TEXT / middle(of, name):.2f} | {ratio(of, name, 'hornet'):.2f} |")
    print("\n| 10^6 messages of 64 bytes | ns a message | ratio to C's batch |\n|---|---|---|")
    for name in ("C", "rows", "parts", "Arrow"):
        print(f"| {name} | {middle('batch', name) / ROWS:.1f} | {ratio('batch', name, 'C'):.2f} |")
    print(f"\nTwo threads seal {middle('threads', 'two threads'):.2f} times as much of 1 MiB messages as one.")
    alone, beside = middle("threads", "alone"), middle("threads", "beside a spinning thread")
    print(f"A tag of 64 bytes takes {alone:.0f} ns, and {beside:.0f} beside a thread that computes.")


if __name__ == "__main__":
    main()
