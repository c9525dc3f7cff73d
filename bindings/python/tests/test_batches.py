# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Batches: each tag and packet is what the calls for one message give, in any buffer, and mistakes are named."""

import hornet_poly1305 as hornet
import nanoarrow
import numpy
import pytest
from hornet_poly1305 import ChaCha20Poly1305, XChaCha20Poly1305
from hypothesis import given, settings
from hypothesis import strategies as st


def content(length: int, seed: int = 1) -> bytes:
    return numpy.random.default_rng(seed).bytes(length)


def keys_of(count: int) -> bytes:
    return content(32 * count, 7)


def tags_of(messages: list[bytes], keys: bytes) -> bytes:
    return b"".join(hornet.mac(keys[32 * i : 32 * i + 32], message) for i, message in enumerate(messages))


def parts_of(messages: list[bytes], gap: int = 3) -> tuple[bytes, numpy.ndarray, numpy.ndarray]:
    """Return values with gaps between the messages, starts and lengths."""
    lengths = numpy.array([len(message) for message in messages], dtype=numpy.int64)
    starts = numpy.cumsum(lengths + gap) - lengths
    return b"".join(b"." * gap + message for message in messages), starts, lengths


@pytest.mark.parametrize(("count", "length"), [(0, 5), (3, 0), (1, 64), (257, 17), (600, 64), (5000, 32)])
def test_rows(count, length):
    rows = numpy.frombuffer(content(count * length), dtype=numpy.uint8).reshape(count, length)
    keys = keys_of(count)
    expected = tags_of([row.tobytes() for row in rows], keys)
    assert hornet.mac_rows(keys, rows) == expected
    out = numpy.zeros((count, 16), dtype=numpy.uint8)
    assert hornet.mac_rows(numpy.frombuffer(keys, dtype=numpy.uint8).reshape(count, 32), rows, out) is out
    assert out.tobytes() == expected
    assert hornet.verify_rows(keys, rows, out) == b"\1" * count
    if count:
        out[count // 2, 3] ^= 4
        assert hornet.verify_rows(keys, rows, out) == bytes(i != count // 2 for i in range(count))
    if length % 8 == 0 and length:
        assert hornet.mac_rows(keys, rows.view(numpy.float64)) == expected


@given(st.lists(st.binary(max_size=600), max_size=40), st.integers(0, 20))
@settings(max_examples=40, deadline=None)
def test_parts(messages, gap):
    values, starts, lengths = parts_of(messages, gap)
    keys = keys_of(len(messages))
    expected = tags_of(messages, keys)
    assert hornet.mac_parts(keys, values, starts, lengths) == expected
    assert hornet.verify_parts(keys, values, starts, lengths, expected) == b"\1" * len(messages)
    # In any order, overlapping, and again.
    assert hornet.mac_parts(keys, values, starts[::-1].copy(), lengths[::-1].copy()) == tags_of(messages[::-1], keys)


@pytest.mark.parametrize("kind", [nanoarrow.binary, nanoarrow.large_binary, nanoarrow.string, nanoarrow.large_string])
def test_arrow(kind):
    messages = [b"", b"a", b"b" * 300, b"", b"cd" * 9, b"e" * 64]
    of = [message.decode() for message in messages] if "string" in kind.__name__ else messages
    array = nanoarrow.c_array(of, kind())
    for offset, length in ((0, 6), (1, 4), (3, 0), (5, 1)):
        some = array[offset : offset + length]
        chosen, keys = messages[offset : offset + length], keys_of(length)
        expected = tags_of(chosen, keys)
        assert hornet.mac_arrow(keys, some) == expected
        assert hornet.verify_arrow(keys, some, expected) == b"\1" * length


def test_arrow_that_has_no_messages():
    with pytest.raises(ValueError, match="message 1 is null"):
        hornet.mac_arrow(keys_of(2), nanoarrow.c_array([b"a", None], nanoarrow.binary()))
    with pytest.raises(TypeError, match='not of format "l"'):
        hornet.mac_arrow(keys_of(1), nanoarrow.c_array([1], nanoarrow.int64()))
    with pytest.raises(AttributeError):
        hornet.mac_arrow(keys_of(1), [b"a"])


def packets_of(count: int) -> tuple[list[bytes], bytes, numpy.ndarray, numpy.ndarray, bytes]:
    lengths = numpy.random.default_rng(5).integers(0, 1500, count)
    messages = [content(int(length), i) for i, length in enumerate(lengths)]
    return messages, *parts_of(messages, 40), content(24 * count, 9)


def keys_as(kind: str, keys: bytes) -> object:
    """Return keys as bytes, rows, or an Arrow array that begins behind another key."""
    if kind in ("one", "bytes"):
        return keys
    if kind == "rows":
        return numpy.frombuffer(keys, dtype=numpy.uint8).reshape(-1, 32)
    types = {"binary": nanoarrow.binary(), "large": nanoarrow.large_binary(), "fixed": nanoarrow.fixed_size_binary(32)}
    return nanoarrow.c_array([bytes(32), *(keys[i : i + 32] for i in range(0, len(keys), 32))], types[kind])[1:]


CIPHERS = {
    12: (ChaCha20Poly1305, hornet.seal_packets, hornet.open_packets),
    24: (XChaCha20Poly1305, hornet.xseal_packets, hornet.xopen_packets),
}


@pytest.mark.parametrize("count", [0, 1, 40, 700])
@pytest.mark.parametrize("kind", ["one", "bytes", "rows", "binary", "large", "fixed"])
@pytest.mark.parametrize(
    ("nonce", "associated"), [(12, "none"), (12, "same"), (12, "each"), (24, "none"), (24, "each")]
)
def test_packets(count, kind, nonce, associated):
    messages, values, starts, lengths, nonces = packets_of(count)
    one_cipher, seal_packets, open_packets = CIPHERS[nonce]
    nonces, one_key = nonces[: nonce * count], kind == "one"
    keys = keys_of(1 if one_key else count)
    key = keys_as(kind, keys)
    # The headers are between the packets.
    aads = [values[start - 40 : start - 7] if associated == "each" else b"header" for start in starts.tolist()]
    each = (values, starts - 40, numpy.full(count, 33, dtype=numpy.int64))
    aad = {"none": None, "same": b"header", "each": each}[associated]
    out, tags = seal_packets(key, nonces, values, starts, lengths, aad=aad)
    for i, (message, start) in enumerate(zip(messages, starts.tolist(), strict=True)):
        cipher = one_cipher(keys if one_key else keys[32 * i : 32 * i + 32])
        sealed = cipher.encrypt(nonces[nonce * i : nonce * (i + 1)], message, aads[i] if aad is not None else None)
        assert out[start : start + len(message)] + tags[16 * i : 16 * i + 16] == sealed
    opened, valid = open_packets(key, nonces, bytes(out), starts, lengths, aad=aad, tags=tags)
    assert valid == b"\1" * count
    assert all(opened[s : s + len(m)] == m for s, m in zip(starts.tolist(), messages, strict=True))
    # In place, and with one that is not authentic: of that, zeros are left.
    if count > 5:
        tags[16 * 5] ^= 1
        same, valid = open_packets(key, nonces, out, starts, lengths, aad=aad, out=out, tags=tags)
        assert same is out and valid == bytes(i != 5 for i in range(count))
        messages[5] = bytes(len(messages[5]))
        assert all(out[s : s + len(m)] == m for s, m in zip(starts.tolist(), messages, strict=True))


def test_packets_with_their_tags_behind_them():
    messages, _, _, _, nonces = packets_of(300)
    cipher = ChaCha20Poly1305(keys_of(1))
    nonces = nonces[: 12 * 300]
    sealed = [cipher.encrypt(nonces[12 * i : 12 * i + 12], one, b"aad") for i, one in enumerate(messages)]
    values, starts, lengths = parts_of(sealed)
    memory = bytearray(values)
    out, valid = hornet.open_packets(keys_of(1), nonces, memory, starts, lengths, aad=b"aad", out=memory)
    assert out is memory and valid == b"\1" * 300
    assert all(memory[s : s + len(m)] == m for s, m in zip(starts.tolist(), messages, strict=True))


ROWS = numpy.zeros((4, 32), dtype=numpy.uint8)
INTS = numpy.arange(4, dtype=numpy.int64)
KEY_OF_ROWS = ROWS.copy()


def short_keys(kind: object) -> object:
    return nanoarrow.c_array([bytes(31)] * 4, kind)


def keys_with_a_null() -> object:
    return nanoarrow.c_array([bytes(32), bytes(32), None, bytes(32)], nanoarrow.fixed_size_binary(32))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: hornet.mac_rows(keys_of(3), ROWS), ValueError, "keys must be 4 of 32 bytes, not 96"),
        (lambda: hornet.mac_rows(keys_of(4), ROWS.reshape(-1)), ValueError, "2 dimensions, not 1"),
        (lambda: hornet.mac_rows(keys_of(4), ROWS[:, ::2]), BufferError, "contiguous"),
        (lambda: hornet.mac_rows(keys_of(4), ROWS.T), BufferError, "contiguous"),
        (lambda: hornet.mac(KEY_OF_ROWS[0], ROWS[:, 3]), BufferError, "contiguous"),
        (lambda: hornet.mac_rows(keys_of(4), ROWS, bytes(64)), TypeError, "not writable"),
        (lambda: hornet.mac_rows(keys_of(4), ROWS, bytearray(63)), ValueError, "out must be 4 of 16 bytes, not 63"),
        (lambda: hornet.mac_rows(keys_of(4), ROWS, ROWS[:2]), ValueError, "out must not overlap the messages"),
        (lambda: hornet.mac_rows(ROWS, bytes(4), None), ValueError, "2 dimensions"),
        (lambda: hornet.mac_parts(keys_of(4), bytes(9), INTS, INTS[:3].copy()), ValueError, "4 starts, but 3 lengths"),
        (lambda: hornet.mac_parts(keys_of(4), bytes(9), INTS.astype("i4"), INTS), TypeError, "starts.*int64"),
        (lambda: hornet.mac_parts(keys_of(4), bytes(9), INTS, INTS[::2]), TypeError, "lengths.*int64"),
        (
            lambda: hornet.mac_parts(keys_of(4), bytes(5), INTS, INTS),
            ValueError,
            "message 3: 3 bytes from 3.*the 5 bytes",
        ),
        (lambda: hornet.mac_parts(keys_of(4), bytes(9), INTS - 1, INTS), ValueError, "message 0: 0 bytes from -1"),
        (
            lambda: hornet.mac_parts(keys_of(4), bytes(9), INTS, numpy.full(4, 2**63 - 1)),
            ValueError,
            "message 0: 9223372036854775807 bytes",
        ),
        (
            lambda: hornet.seal_packets(keys_of(1), bytes(48), bytes(9), INTS, numpy.full(4, 2)),
            ValueError,
            "packet 1 begins at byte 1 of values, before the end of the one before it .2.",
        ),
        (
            lambda: hornet.seal_packets(keys_of(2), bytes(48), bytes(9), INTS, INTS * 0),
            ValueError,
            "key, if it is not one",
        ),
        (
            lambda: hornet.seal_packets(keys_of(1), bytes(47), bytes(9), INTS, INTS * 0),
            ValueError,
            "nonces must be 4 of 12",
        ),
        (
            lambda: hornet.xopen_packets(keys_of(1), bytes(48), bytes(9), INTS, INTS * 0),
            ValueError,
            "nonces must be 4 of 24",
        ),
        (
            lambda: hornet.seal_packets(keys_as("fixed", keys_of(3)), bytes(48), bytes(9), INTS, INTS * 0),
            ValueError,
            "3 keys for 4 packets",
        ),
        (
            lambda: hornet.seal_packets(short_keys(nanoarrow.binary()), bytes(48), bytes(9), INTS, INTS * 0),
            ValueError,
            "key 0 has 31 bytes, not 32",
        ),
        (
            lambda: hornet.seal_packets(
                short_keys(nanoarrow.fixed_size_binary(31)), bytes(48), bytes(9), INTS, INTS * 0
            ),
            ValueError,
            "key 0 has 31 bytes, not 32",
        ),
        (
            lambda: hornet.xseal_packets(keys_with_a_null(), bytes(96), bytes(9), INTS, INTS * 0),
            ValueError,
            "message 2 is null",
        ),
        (
            lambda: hornet.seal_packets(keys_of(1), bytes(48), bytes(9), INTS, INTS * 0, out=bytearray(8)),
            ValueError,
            "the length of values, 9 bytes, not 8",
        ),
        (
            lambda: hornet.seal_packets(keys_of(1), bytes(48), bytes(9), INTS, INTS * 0, tags=bytearray(63)),
            ValueError,
            "tags must be 4 of 16 bytes, not 63",
        ),
        (
            lambda: hornet.seal_packets(
                keys_of(1), bytes(48), bytes(9), INTS, INTS * 0, aad=(b"a", INTS[:1].copy(), INTS[:1].copy())
            ),
            ValueError,
            "1 associated data for 4 packets",
        ),
        (
            lambda: hornet.seal_packets(keys_of(1), bytes(48), bytes(9), INTS, INTS * 0, aad=(b"a", INTS, INTS)),
            ValueError,
            "associated data: message 1",
        ),
        (
            lambda: hornet.open_packets(keys_of(1), bytes(48), bytes(99), INTS * 20, INTS * 0 + 15),
            ValueError,
            "packet 0 has 15 bytes, fewer than a tag",
        ),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_overlapping_outputs_are_refused():
    memory = numpy.zeros(400, dtype=numpy.uint8)
    starts, lengths = numpy.array([0, 50]), numpy.array([50, 50])
    for out, tags, what in [
        (memory[1:101], bytearray(32), "values, except in place"),
        (memory[:100], memory[90:122], "out must not overlap tags"),
        (memory[100:200], memory[90:122], "out must not overlap tags"),
        (bytearray(100), memory[90:122], "tags must not overlap values"),
    ]:
        with pytest.raises(ValueError, match=what):
            hornet.seal_packets(keys_of(1), bytes(24), memory[:100], starts, lengths, out=out, tags=tags)
    assert not memory.any()


def test_nothing_is_written_if_a_packet_is_wrong():
    """A wrong packet behind many right ones: the library is given those 256 at a time."""
    memory, starts, lengths = bytearray(range(250)) * 8, numpy.arange(1000) * 2, numpy.full(1000, 2)
    lengths[999], before = 3, bytes(memory)
    tags = bytearray(16_000)
    for call in (hornet.seal_packets, hornet.open_packets):
        with pytest.raises(ValueError, match="message 999: 3 bytes from 1998"):
            call(keys_of(1), bytes(12_000), memory, starts, lengths, out=memory, tags=tags)
    assert memory == before and not any(tags)


def test_headers_beside_packets():
    """Associated data in the buffer that is encrypted in place."""
    memory = bytearray(range(100))
    starts, lengths = numpy.array([10, 40]), numpy.array([20, 20])

    def seal(first: int, size: int, out: bytearray, second: int = 35) -> tuple[bytes, bytes]:
        aad = (out, numpy.array([first, second]), numpy.array([size, 5]))
        out, tags = hornet.seal_packets(keys_of(1), bytes(24), out, starts, lengths, aad=aad, out=out)
        return bytes(out), bytes(tags)

    cipher = ChaCha20Poly1305(keys_of(1))
    for first, size in ((0, 10), (3, 7), (30, 5), (30, 10)):
        out, tags = seal(first, size, bytearray(memory))
        sealed = cipher.encrypt(bytes(12), memory[10:30], memory[first : first + size])
        assert out[10:30] + tags[:16] == sealed
    # Within its packet, the packet before, or the one behind; at the end of one.
    for first, size, second in ((0, 11, 35), (29, 5, 35), (30, 11, 35), (50, 5, 35), (10, 1, 35), (0, 10, 28)):
        with pytest.raises(ValueError, match="associated data that are not between packets"):
            seal(first, size, memory, second)
    assert memory == bytearray(range(100))


def test_outputs_over_arrays_of_numbers_are_refused():
    memory = numpy.zeros(100, dtype=numpy.int64)
    starts, lengths = memory[:4], memory[4:8]
    for out, tags, what in [
        (memory[:1].view("u1"), bytearray(64), "out must not overlap starts or lengths"),
        (bytearray(8), memory[4:12].view("u1"), "tags must not overlap starts or lengths"),
    ]:
        with pytest.raises(ValueError, match=what):
            hornet.seal_packets(keys_of(1), bytes(48), bytes(8), starts, lengths, out=out, tags=tags)
    with pytest.raises(ValueError, match="out must not overlap starts or lengths"):
        hornet.mac_parts(keys_of(4), bytes(8), starts, lengths, memory[7:15])
