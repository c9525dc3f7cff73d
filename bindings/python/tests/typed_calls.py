# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Calls for a type checker, which test_types.py runs: those marked must be refused, and the others accepted."""

import array
import io
import mmap
from typing import assert_type

import hornet_poly1305 as hornet
import numpy
from hornet_poly1305 import (
    ChaCha20,
    ChaCha20Poly1305,
    Evaluation,
    KeyFile,
    Poly1305,
    Poly1305Aes,
    SSHCipher,
    XChaCha20Poly1305,
    stream,
)

KEY, NONCE = bytes(32), bytes(12)
cipher, other, memory = ChaCha20Poly1305(KEY), XChaCha20Poly1305(bytearray(32)), bytearray(100)
ssh = SSHCipher(bytes(64))
rows, numbers = numpy.zeros((4, 32), dtype=numpy.uint8), numpy.arange(4, dtype=numpy.int64)


def accepted(keys: KeyFile, messages: list[bytes]) -> None:
    for data in (b"", memory, memoryview(memory), array.array("B"), mmap.mmap(-1, 1), rows):
        assert_type(cipher.encrypt(NONCE, data, None), bytes)
        assert_type(hornet.mac(KEY, data), bytes)
        assert_type(ChaCha20(KEY, NONCE, counter=1).update(data), bytes)
        assert_type(hornet.header_masks(KEY, data), bytes)
    assert_type(cipher.decrypt_into(NONCE, memory, b"", memoryview(memory)[:84]), int)
    assert_type(ChaCha20(KEY, NONCE).update_into(memory, memory), int)
    assert_type(hornet.header_masks(KEY, messages), bytes)
    assert_type(keys.mac_many(messages), list[tuple[bytes, bytes]])
    assert_type(keys.mac_many((b"", memory)), list[tuple[bytes, bytes]])
    assert_type(hornet.mac_rows(KEY * 4, rows), bytes)
    assert_type(hornet.mac_rows(KEY * 4, rows, memory), bytearray)
    assert_type(hornet.mac_parts(KEY * 4, memory, numbers, numbers, out=None), bytes)
    assert_type(hornet.seal_packets(KEY, NONCE * 4, memory, numbers, numbers), tuple[bytearray, bytearray])
    assert_type(ssh.seal(1, memory), bytes)
    assert_type(ssh.packet_length(1, memory), int)
    assert_type(hornet.open_ssh_packets(bytes(64), numbers, memory, numbers, numbers), bytes)
    reader = stream.Reader(stream.StreamKey(memory), io.BytesIO())
    assert_type(reader.read(5), bytes)
    assert_type(reader.readinto(rows), int)
    assert_type(stream.Writer(memory, io.BytesIO()).write(rows), int)
    assert_type(stream.open_age(io.BytesIO(), ["AGE-SECRET-KEY-1"], passphrase=memory), stream.Reader)
    assert_type(stream.SegmentReader([KEY, memory], io.BytesIO(), [0, 5]).size, int)
    view = memoryview(memory)
    ssh.open_in_place(1, view)
    sealed = hornet.seal_packets(KEY, NONCE * 4, view, numbers, numbers, aad=(b"", numbers, numbers), out=view)
    assert_type(sealed, tuple[memoryview, bytearray])
    assert_type(hornet.open_packets(KEY, NONCE * 4, view, numbers, numbers, tags=sealed[1]), tuple[bytearray, bytes])


def refused(keys: KeyFile, texts: list[str], evaluation: Evaluation) -> None:
    ChaCha20Poly1305("key")  # type: ignore[arg-type]
    ChaCha20Poly1305(None)  # type: ignore[arg-type]
    ChaCha20Poly1305([1, 2])  # type: ignore[arg-type]
    XChaCha20Poly1305(32)  # type: ignore[arg-type]
    Poly1305("key")  # type: ignore[arg-type]
    ChaCha20(KEY, "nonce")  # type: ignore[arg-type]
    hornet.header_masks(KEY, 16)  # type: ignore[arg-type]
    Poly1305Aes(None)  # type: ignore[arg-type]
    Evaluation("r")  # type: ignore[arg-type]
    cipher.encrypt("nonce", b"", None)  # type: ignore[arg-type]
    cipher.encrypt(NONCE, "text", None)  # type: ignore[arg-type]
    cipher.encrypt(NONCE, None, None)  # type: ignore[arg-type]
    cipher.encrypt(NONCE, b"", "text")  # type: ignore[arg-type]
    cipher.encrypt(NONCE, b"")  # type: ignore[call-arg]
    cipher.decrypt(0, b"", None)  # type: ignore[arg-type]
    other.decrypt(NONCE, "text", None)  # type: ignore[arg-type]
    other.encrypt_into(NONCE, b"", None, "text")  # type: ignore[arg-type]
    cipher.decrypt_into(NONCE, b"", None, None)  # type: ignore[arg-type]
    hornet.mac("key", b"")  # type: ignore[arg-type]
    hornet.mac(KEY, "text")  # type: ignore[arg-type]
    hornet.mac(KEY, texts)  # type: ignore[arg-type]
    hornet.verify(KEY, b"", "tag")  # type: ignore[arg-type]
    Poly1305.generate_tag(KEY, "text")  # type: ignore[arg-type]
    Poly1305(KEY).update("text")  # type: ignore[arg-type]
    Poly1305(KEY).verify(None)  # type: ignore[arg-type]
    keys.mac("text")  # type: ignore[arg-type]
    keys.mac_many(b"text")  # type: ignore[arg-type]
    keys.mac_many("text")  # type: ignore[arg-type]
    keys.mac_many(texts)  # type: ignore[arg-type]
    keys.finish_many([1])  # type: ignore[list-item]
    keys.reserve("1")  # type: ignore[arg-type]
    evaluation.compute("text")  # type: ignore[arg-type]
    evaluation.compute_file(memory, 0, 1)  # type: ignore[arg-type]
    hornet.mac_rows("keys", rows)  # type: ignore[arg-type]
    hornet.mac_rows(KEY, rows, "out")  # type: ignore[arg-type]
    hornet.mac_arrow(KEY, [b"text"])  # type: ignore[arg-type]
    hornet.seal_packets(KEY, NONCE, "text", numbers, numbers)  # type: ignore[arg-type]
    hornet.xseal_packets("key", NONCE, b"", numbers, numbers)  # type: ignore[arg-type]
    hornet.open_packets(KEY, NONCE, b"", [0], numbers)  # type: ignore[arg-type]
    hornet.open_packets(KEY, NONCE, b"", numbers, numbers, aad="text")  # type: ignore[arg-type]
    ssh.seal("1", b"")  # type: ignore[arg-type]
    ssh.open(1, "text")  # type: ignore[arg-type]
    hornet.seal_ssh_packets(bytes(64), [1], memory, numbers, numbers)  # type: ignore[arg-type]
    stream.Reader("key", io.BytesIO())  # type: ignore[arg-type]
    stream.Writer(KEY, io.BytesIO()).write("text")  # type: ignore[arg-type]
    stream.SegmentReader(["key"], io.BytesIO())  # type: ignore[list-item]
    stream.seal_age(io.BytesIO(), [b"age1"])  # type: ignore[list-item]
    stream.open_age(io.BytesIO(), passphrase="text")  # type: ignore[arg-type]
