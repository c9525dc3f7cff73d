# SPDX-License-Identifier: Apache-2.0 OR MIT
"""SSH's cipher of packets: each is what OpenSSH's PROTOCOL.chacha20poly1305 defines, alone and in batches."""

import array
import mmap
import pickle
import random

import hornet_poly1305 as hornet
import nanoarrow
import numpy
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from cryptography.hazmat.primitives.poly1305 import Poly1305
from hornet_poly1305 import InvalidTag, SSHCipher
from hypothesis import given, settings
from hypothesis import strategies as st

KEY = random.Random(1).randbytes(64)
EDGES = (0, 1, 0x01020304, 2**31, 2**32 - 1)


def sealed(key: bytes, sequence: int, text: bytes) -> bytes:
    """Return a packet by the definition, with cryptography's ciphers."""

    def stream(of: bytes, counter: int, length: int) -> bytes:
        nonce = counter.to_bytes(8, "little") + sequence.to_bytes(8, "big")
        return Cipher(ChaCha20(of, nonce), mode=None).encryptor().update(bytes(length))

    def xor(a: bytes, b: bytes) -> bytes:
        return bytes(x ^ y for x, y in zip(a, b, strict=True))

    packet = xor(len(text).to_bytes(4, "big"), stream(key[32:], 0, 4)) + xor(text, stream(key[:32], 1, len(text)))
    return packet + Poly1305.generate_tag(stream(key[:32], 0, 32), packet)


def check(key: bytes, sequence: int, text: bytes) -> None:
    cipher, packet = SSHCipher(key), sealed(key, sequence, text)
    assert cipher.seal(sequence, text) == packet
    assert cipher.packet_length(sequence, packet) == cipher.packet_length(sequence, packet[:4]) == len(text)
    assert cipher.open(sequence, packet) == text
    memory = bytearray(b"head" + text + b"tag of 16 bytes.")
    cipher.seal_in_place(sequence, memory)
    assert memory == packet
    cipher.open_in_place(sequence, memory)
    assert memory == packet[:4] + text + packet[-16:]


def test_all_lengths():
    source = random.Random(2)
    for length in [*range(1100), 1400, 4095, 4096, 4097, 32_768, 35_000, (256 << 10) + 3]:
        check(source.randbytes(64), source.choice(EDGES), source.randbytes(length))


@given(st.binary(min_size=64, max_size=64), st.integers(0, 2**32 - 1), st.binary(max_size=3000))
@settings(max_examples=100, deadline=None)
def test_any_packet(key, sequence, text):
    check(key, sequence, text)


@pytest.mark.parametrize("length", [0, 1, 16, 500, 5000])
def test_what_is_not_authentic_is_refused(length):
    text = random.Random(length).randbytes(length)
    cipher, packet = SSHCipher(KEY), sealed(KEY, 7, text)
    places = range(len(packet)) if length < 100 else [0, 3, 4, 5, length // 2, length + 3, length + 4, length + 19]
    for at in places:
        wrong = bytearray(packet)
        wrong[at] ^= 1 << at % 8
        with pytest.raises(InvalidTag):
            cipher.open(7, wrong)
        before = bytes(wrong)
        with pytest.raises(InvalidTag):
            cipher.open_in_place(7, wrong)
        assert wrong == before[:4] + bytes(length) + before[-16:]
    for sequence, key in ((8, KEY), (7 + 2**31, KEY), (7, KEY[::-1]), (7, KEY[:32] + KEY[:32])):
        if key[:32] == KEY[:32] and sequence == 7:
            # The key of lengths is not in the tag.
            assert SSHCipher(key).packet_length(7, packet) != length and SSHCipher(key).open(7, packet) == text
        else:
            with pytest.raises(InvalidTag):
                SSHCipher(key).open(sequence, packet)


@pytest.mark.parametrize(
    "buffer", [bytearray, memoryview, lambda of: array.array("B", of), lambda of: numpy.frombuffer(of, "u1")]
)
def test_any_buffer(buffer):
    text = b"a text of SSH"
    packet = sealed(KEY, 1, text)
    cipher = SSHCipher(buffer(KEY))
    assert cipher.seal(1, buffer(text)) == packet and cipher.open(1, buffer(packet)) == text
    assert cipher.packet_length(1, buffer(packet)) == 13


def test_in_place_within_other_memory():
    text = bytes(range(200))
    packet = sealed(KEY, 1, text)
    for memory in (bytearray(300), mmap.mmap(-1, 300), numpy.zeros(300, "u1")):
        view = memoryview(memory)
        view[10:210] = text
        SSHCipher(KEY).seal_in_place(1, view[6:226])
        assert bytes(view) == bytes(6) + packet + bytes(74)
        SSHCipher(KEY).open_in_place(1, view[6:226])
        assert view[10:210] == text
        view.release()


def test_a_bytearray_is_not_resized_during_a_long_call():
    """From 256 KiB on, the call lets other threads run, and holds the buffer meanwhile."""
    memory = bytearray((1 << 20) + 20)
    cipher, text = SSHCipher(KEY), bytes(1 << 20)
    cipher.seal_in_place(3, memory)
    assert memory == sealed(KEY, 3, text)
    cipher.open_in_place(3, memory)
    assert memory[4:-16] == text
    memory.extend(b"it is free again")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: SSHCipher(bytes(32)), ValueError, "SSHCipher key must be 64 bytes, not 32"),
        (lambda: SSHCipher("k" * 64), TypeError, "buffer|bytes-like"),
        (lambda: SSHCipher(KEY).seal(-1, b""), ValueError, r"sequence must be from 0 to 2\*\*32 - 1"),
        (lambda: SSHCipher(KEY).seal(2**32, b""), ValueError, r"sequence must be from 0 to 2\*\*32 - 1"),
        (lambda: SSHCipher(KEY).open(2**64, bytes(20)), ValueError, r"sequence must be from 0 to 2\*\*32 - 1"),
        (lambda: SSHCipher(KEY).seal(1.5, b""), TypeError, "float"),
        (lambda: SSHCipher(KEY).packet_length(0, b"abc"), ValueError, "packet must have at least 4 bytes, not 3"),
        (lambda: SSHCipher(KEY).open(0, bytes(19)), ValueError, r"has 20 to 2\*\*32 \+ 19 bytes, not 19"),
        (lambda: SSHCipher(KEY).seal_in_place(0, bytearray(19)), ValueError, r"20 to 2\*\*32 \+ 19 bytes, not 19"),
        (lambda: SSHCipher(KEY).open_in_place(0, bytearray(3)), ValueError, r"20 to 2\*\*32 \+ 19 bytes, not 3"),
        (lambda: SSHCipher(KEY).seal_in_place(0, bytes(40)), TypeError, "not writable"),
        (lambda: SSHCipher(KEY).seal_in_place(0, memoryview(bytearray(80))[::2]), BufferError, "contiguous"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_no_secrets_are_shown_or_copied():
    cipher = SSHCipher(KEY)
    assert KEY.hex()[:8] not in repr(cipher) + str(vars(type(cipher)))
    with pytest.raises(TypeError, match="SSHCipher cannot be copied or pickled"):
        pickle.dumps(cipher)
    with pytest.raises(AttributeError):
        cipher.key = KEY


def keys_as(kind: str, keys: bytes) -> object:
    if kind == "rows":
        return numpy.frombuffer(keys, dtype=numpy.uint8).reshape(-1, 64)
    if kind == "arrow":
        return nanoarrow.c_array([keys[i : i + 64] for i in range(0, len(keys), 64)], nanoarrow.fixed_size_binary(64))
    return keys


@pytest.mark.parametrize("count", [0, 1, 40, 700, 5000])
@pytest.mark.parametrize("kind", ["one", "bytes", "rows", "arrow"])
def test_batches(count, kind):
    source = random.Random(count)
    keys = source.randbytes(64 * (1 if kind == "one" else count))
    texts = [source.randbytes(source.choice((0, 16, 64, 100, source.randrange(1500)))) for _ in range(count)]
    sequences = numpy.array([source.choice((i, *EDGES)) for i in range(count)], dtype=numpy.int64)
    lengths = numpy.array([len(text) + 20 for text in texts], dtype=numpy.int64)
    starts = numpy.cumsum(lengths + 3) - lengths
    memory = bytearray(b"".join(b"..." + bytes(4) + text + bytes(16) for text in texts))
    arguments = (keys_as(kind, keys), sequences, memory, starts, lengths)
    assert hornet.seal_ssh_packets(*arguments) is None
    packets = b""
    for i, text in enumerate(texts):
        cipher = SSHCipher(keys[:64] if kind == "one" else keys[64 * i : 64 * i + 64])
        packets += b"..." + cipher.seal(int(sequences[i]), text)
    assert memory == packets
    wrong = {i for i in (2, 39, 299) if i < count}
    for i in wrong:
        memory[starts[i] + 4 * i % lengths[i]] ^= 2
        texts[i] = bytes(len(texts[i]))
    assert hornet.open_ssh_packets(*arguments) == bytes(i not in wrong for i in range(count))
    for start, text in zip(starts.tolist(), texts, strict=True):
        assert memory[start + 4 : start + 4 + len(text)] == text


def batch(key=KEY, sequences=(1, 2), values=None, starts=(0, 40), lengths=(40, 40)):
    values = bytearray(80) if values is None else values
    numbers = [of if isinstance(of, numpy.ndarray) else numpy.array(of) for of in (sequences, starts, lengths)]
    hornet.seal_ssh_packets(key, numbers[0], values, *numbers[1:])


NUMBERS = numpy.array([0, 1, 0, 40, 40, 40])


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"key": bytes(63)}, ValueError, "key, if it is not one of 64 bytes, must be 2 of 64 bytes, not 63"),
        ({"key": keys_as("arrow", bytes(192))}, ValueError, "3 keys for 2 packets"),
        ({"key": nanoarrow.c_array([bytes(64), b""], nanoarrow.binary())}, ValueError, "key 1 has 0 bytes, not 64"),
        ({"sequences": [1, 2, 3]}, ValueError, "3 sequences for 2 packets"),
        ({"sequences": [1, 2**32]}, ValueError, r"packet 1: sequence 4294967296 is not from 0 to 2\*\*32 - 1"),
        ({"sequences": [-1, 2]}, ValueError, "packet 0: sequence -1 is not"),
        ({"sequences": numpy.array([1, 2], "u4")}, TypeError, "sequences must be a C-contiguous array of int64"),
        ({"values": bytes(80)}, TypeError, "not writable"),
        ({"starts": [0, 41]}, ValueError, "message 1: 40 bytes from 41 on are not within the 80 bytes"),
        ({"starts": [0, 39]}, ValueError, "packet 1 begins at byte 39 of values, before the end.*40"),
        ({"lengths": [40, 19]}, ValueError, "packet 1: an SSH packet has 20 to .* not 19"),
        ({"sequences": NUMBERS[:2], "values": NUMBERS[1:].view("u1")}, ValueError, "values must not overlap sequences"),
        ({"starts": NUMBERS[2:4], "values": NUMBERS[3:].view("u1")}, ValueError, "must not overlap starts or lengths"),
    ],
)
def test_errors_of_batches(arguments, error, text):
    values = arguments.setdefault("values", bytearray(range(80)))
    before = bytes(values)
    with pytest.raises(error, match=text):
        batch(**arguments)
    assert bytes(values) == before


def test_nothing_is_written_if_a_packet_is_wrong():
    """A wrong packet behind many right ones: the library is given those 256 at a time."""
    memory, numbers = bytearray(range(240)) * 100, numpy.arange(1000)
    lengths = numpy.full(1000, 24)
    lengths[999], before = 25, bytes(memory)
    for call in (hornet.seal_ssh_packets, hornet.open_ssh_packets):
        with pytest.raises(ValueError, match="message 999: 25 bytes from 23976"):
            call(KEY, numbers, memory, numbers * 24, lengths)
    assert memory == before


def test_a_key_in_the_memory_of_packets_is_refused():
    memory = memoryview(bytearray(144))
    with pytest.raises(ValueError, match="values must not overlap key"):
        batch(key=memory[70:134], values=memory[:80])
