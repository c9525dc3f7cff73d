# SPDX-License-Identifier: Apache-2.0 OR MIT
"""ChaCha20 alone, beside cryptography's, and the masks of QUIC's headers."""

import copy
import pickle
import random
import struct
import sys
import threading

import numpy
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from hornet_poly1305 import AlreadyFinalized, ChaCha20, header_masks

KEY = bytes(range(32))
NONCE = bytes.fromhex("000000000000004a00000000")
# RFC 8439, section 2.4.2.
TEXT = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
SEALED = bytes.fromhex(
    "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b3571639d624e65152ab"
    "8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab77937365af90bbf74a35be6b40b8eedf2785e42874d"
)
END = 2**38


def pycas(counter=0, nonce=NONCE):
    return Cipher(algorithms.ChaCha20(KEY, struct.pack("<I", counter) + nonce), mode=None).encryptor()


def test_vectors():
    assert ChaCha20(KEY, NONCE, 1).update(TEXT) == SEALED
    assert ChaCha20(KEY, NONCE, counter=1).update(SEALED) == TEXT
    assert ChaCha20(KEY, b"\x01\0\0\0" + NONCE).update(TEXT) == SEALED
    # draft-irtf-cfrg-xchacha-03, section A.3.2.1.
    nonce = bytes(range(0x40, 0x57)) + b"\x58"
    cipher = ChaCha20(bytearray(range(0x80, 0xA0)), memoryview(nonce), 1)
    assert cipher.update(b'The dhole (pronounced "dole")')[:8].hex() == "7d0a2e6b7f7c65a2"


def test_pieces_and_positions():
    rng = random.Random(1)
    data = rng.randbytes(700_000)
    expected = pycas(5).update(data)
    cipher = ChaCha20(KEY, NONCE, 5)
    at = 0
    while at < len(data):
        n = rng.choice([0, 1, 15, 63, 64, 65, 1000, 300_000])
        assert cipher.update(data[at : at + n]) == expected[at : at + n]
        at += len(data[at : at + n])
        assert cipher.tell() == 5 * 64 + at
    for at in (0, 1, 64, 100, 699_000, 7):
        cipher.seek(5 * 64 + at)
        out = bytearray(120)
        assert cipher.update_into(data[at : at + 100], out) == 100
        assert out == expected[at : at + 100] + bytes(20)


def test_in_place_and_buffers():
    expected = pycas().update(bytes(1000))
    for kind in (bytearray, lambda data: numpy.frombuffer(bytearray(data), dtype="uint8")):
        memory = kind(bytes(1000))
        assert ChaCha20(KEY, NONCE).update_into(memory, memory) == 1000
        assert bytes(memory) == expected
    with pytest.raises(ValueError, match="begins where|begin where"):
        ChaCha20(KEY, NONCE).update_into(memory[:900], memory[1:])
    with pytest.raises(ValueError, match="at least 2 bytes, not 1"):
        ChaCha20(KEY, NONCE).update_into(b"ab", bytearray(1))
    with pytest.raises(TypeError):
        ChaCha20(KEY, NONCE).update_into(b"ab", bytes(2))
    # Its elements are addresses of objects.
    with pytest.raises(TypeError, match="does not consist of bytes"):
        ChaCha20(KEY, NONCE).update_into(b"ab", numpy.array([None], dtype=object))


def test_the_end_of_the_keystream():
    last = pycas(2**32 - 1).update(bytes(64))
    cipher = ChaCha20(KEY, NONCE, 2**32 - 1)
    for _ in range(2):
        with pytest.raises(OverflowError, match="2\\*\\*38"):
            cipher.update(bytes(65))
        out = bytearray(65)
        with pytest.raises(OverflowError):
            cipher.update_into(bytes(65), out)
        assert out == bytes(65) and cipher.tell() == END - 64
    assert cipher.update(bytes(64)) == last and cipher.tell() == END
    assert cipher.update(b"") == b""
    with pytest.raises(OverflowError):
        cipher.update(b"x")
    cipher.seek(END)
    for position in (END + 1, 2**64, -1):
        with pytest.raises(OverflowError):
            cipher.seek(position)
    for counter in (2**32, -1):
        with pytest.raises(OverflowError):
            ChaCha20(KEY, NONCE, counter)


def test_errors():
    for nonce in (b"", bytes(8), bytes(13), bytes(25)):
        with pytest.raises(ValueError, match="12, 16 or 24 bytes long, not"):
            ChaCha20(KEY, nonce)
    with pytest.raises(ValueError, match="begins with the counter"):
        ChaCha20(KEY, bytes(16), 1)
    with pytest.raises(ValueError, match="32 bytes long, not 31"):
        ChaCha20(KEY[1:], NONCE)
    cipher = ChaCha20(KEY, NONCE)
    for action in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            action(cipher)
    assert cipher.finalize() == b""
    for call in (cipher.finalize, cipher.tell, lambda: cipher.seek(0), lambda: cipher.update(b"")):
        with pytest.raises(AlreadyFinalized):
            call()
    with pytest.raises(AlreadyFinalized):
        cipher.update_into(b"", bytearray())
    assert KEY.hex() not in repr(cipher)


def test_other_threads_run_meanwhile():
    """A long call gives up the GIL: with a switch interval of minutes, nothing else does."""
    ran, go = threading.Event(), threading.Event()
    before = sys.getswitchinterval()
    sys.setswitchinterval(600)
    try:
        thread = threading.Thread(target=lambda: (go.wait(), ran.set()))
        thread.start()
        go.set()
        cipher, data = ChaCha20(KEY, NONCE), bytes(50_000_000)
        cipher.update_into(data, bytearray(len(data)))
        assert ran.is_set()
    finally:
        sys.setswitchinterval(before)
    thread.join()


def test_header_masks():
    # RFC 9001, section A.5.
    key = bytes.fromhex("25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4")
    sample = bytes.fromhex("5e5cd55c41f69080575d7999c25a5bfb")
    assert header_masks(key, sample).hex() == header_masks(key, [sample]).hex() == "aefefe7d03"
    rng = random.Random(2)
    for count in (*range(70), 129, 5000):
        samples = [rng.randbytes(16) for _ in range(count)]
        expected = b"".join(
            Cipher(algorithms.ChaCha20(KEY, sample), mode=None).encryptor().update(bytes(5)) for sample in samples
        )
        rows = numpy.frombuffer(b"".join(samples), dtype="uint8").reshape(count, 16)
        assert header_masks(KEY, rows) == header_masks(KEY, map(memoryview, samples)) == expected
    with pytest.raises(ValueError, match="multiple of 16 bytes, not 17"):
        header_masks(KEY, bytes(17))
    with pytest.raises(ValueError, match="sample 1 must be 16 bytes, not 15"):
        header_masks(KEY, [bytes(16), bytes(15)])
    with pytest.raises(ValueError, match="32 bytes long"):
        header_masks(bytes(31), bytes(16))
    for wrong in (None, 5, "text", [5]):
        with pytest.raises(TypeError):
            header_masks(KEY, wrong)
