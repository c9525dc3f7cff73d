# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The classes and functions for one message: vectors, arguments of every kind, and errors that name what is wrong."""

import ctypes
import mmap
import subprocess
import sys
from array import array
from pathlib import Path

import hornet_poly1305 as hornet
import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305 as PycaChaCha
from cryptography.hazmat.primitives.poly1305 import Poly1305 as PycaPoly1305
from hornet_poly1305 import (
    AlreadyFinalized,
    ChaCha20Poly1305,
    Evaluation,
    InvalidSignature,
    InvalidTag,
    KeyFile,
    Poly1305,
    Poly1305Aes,
    XChaCha20Poly1305,
)
from hypothesis import given, settings
from hypothesis import strategies as st

KEY = bytes(range(0x80, 0xA0))
# RFC 8439, section 2.5.2.
ONE_TIME = bytes.fromhex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
MESSAGE = b"Cryptographic Forum Research Group"
TAG = bytes.fromhex("a8061dc1305136c6c22b8baf0c0127a9")
# Bernstein 2005, appendix B.
AES_KEY = bytes.fromhex("ec074c835580741701425b623235add6851fc40c3467ac0be05cc20404f3f700")
AES_NONCE = bytes.fromhex("fb447350c4e868c52ac3275cf9d4327e")
AES_TAG = bytes.fromhex("f4c633c3044fc145f84f335cb81953de")


def test_vectors():
    assert hornet.mac(ONE_TIME, MESSAGE) == Poly1305.generate_tag(ONE_TIME, MESSAGE) == TAG
    hornet.verify(ONE_TIME, MESSAGE, TAG)
    # draft-irtf-cfrg-xchacha-03, appendix A.3.1, begins and ends so.
    text = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
    sealed = XChaCha20Poly1305(KEY).encrypt(bytes(range(0x40, 0x58)), text, bytes.fromhex("50515253c0c1c2c3c4c5c6c7"))
    assert sealed[:16].hex() == "bd6d179d3e83d43b9576579493c0e939"
    assert sealed[-16:].hex() == "c0875924c1c7987947deafd8780acf49"
    aes = Poly1305Aes(AES_KEY)
    assert aes.mac(AES_NONCE, b"\xf3\xf6") == AES_TAG
    aes.verify(AES_NONCE, b"\xf3\xf6", AES_TAG)


VECTORS = Path(__file__).resolve().parents[2] / "go/internal/vectors"


@pytest.mark.parametrize(
    ("name", "cipher", "nonce_bytes", "count"),
    [("chacha20_poly1305", ChaCha20Poly1305, 12, 325), ("xchacha20_poly1305", XChaCha20Poly1305, 24, 315)],
)
def test_wycheproof(name, cipher, nonce_bytes, count):
    lines = (VECTORS / f"wycheproof_{name}.txt").read_text().splitlines()
    vectors = [line.split() for line in lines if not line.startswith("#")]
    assert len(vectors) == count
    for number, *fields, result in vectors:
        key, nonce, aad, message, ciphertext, tag = (bytes.fromhex(field.strip("-")) for field in fields)
        if len(nonce) != nonce_bytes:
            with pytest.raises(ValueError, match="Nonce must be"):
                cipher(key).encrypt(nonce, message, aad)
        elif result == "valid":
            assert cipher(key).encrypt(nonce, message, aad) == ciphertext + tag, number
            assert cipher(key).decrypt(nonce, ciphertext + tag, aad) == message, number
        else:
            with pytest.raises(InvalidTag):
                cipher(key).decrypt(nonce, ciphertext + tag, aad)


@given(st.binary(max_size=2000), st.binary(max_size=300), st.binary(min_size=12, max_size=12))
@settings(max_examples=60, deadline=None)
def test_like_pyca(data, aad, nonce):
    ours, theirs = ChaCha20Poly1305(KEY), PycaChaCha(KEY)
    sealed = ours.encrypt(nonce, data, aad)
    assert sealed == theirs.encrypt(nonce, data, aad) and ours.decrypt(nonce, sealed, aad) == data
    assert Poly1305.generate_tag(KEY, data) == PycaPoly1305.generate_tag(KEY, data)
    out = bytearray(len(sealed))
    assert ours.encrypt_into(nonce, data, aad, out) == len(sealed) and out == sealed
    text = bytearray(len(data))
    assert ours.decrypt_into(nonce, out, aad, text) == len(data) and text == data
    for at in (0, len(sealed) // 2, len(sealed) - 1):
        wrong = bytearray(sealed)
        wrong[at] ^= 0x20
        text[:] = b"x" * len(data)
        with pytest.raises(InvalidTag):
            ours.decrypt_into(nonce, wrong, aad, text)
        assert not any(text)
        with pytest.raises(InvalidTag):
            ours.decrypt(nonce, wrong, aad)


@given(st.lists(st.binary(max_size=400), max_size=8))
@settings(max_examples=40, deadline=None)
def test_pieces(pieces):
    whole = Poly1305(KEY)
    for piece in pieces:
        whole.update(piece)
    assert whole.finalize() == hornet.mac(KEY, b"".join(pieces))


class Structure(ctypes.Structure):
    _fields_ = [("number", ctypes.c_uint32), ("rest", ctypes.c_uint8 * 30)]


def buffers(content: bytes) -> list:
    """Return objects of every kind with these bytes."""
    padded = bytearray(b"?" * 7 + content + b"?")
    mapped = mmap.mmap(-1, max(len(content), 1))
    mapped[: len(content)] = content
    found = [content, bytearray(content), memoryview(content), memoryview(padded)[7:-1], array("B", content)]
    if len(content):
        found.append(mapped if len(mapped) == len(content) else memoryview(mapped)[: len(content)])
    if len(content) % 8 == 0:
        found.append(memoryview(content).cast("q"))
        found.append(memoryview(content).cast("B", (len(content) // 8, 8)) if content else memoryview(content))
    if len(content) == ctypes.sizeof(Structure):
        found.append(Structure.from_buffer_copy(content))
    return found


@pytest.mark.parametrize("length", [0, 1, 16, 36, 64, 1000])
def test_objects_of_every_kind(length):
    content = bytes(i * 7 & 255 for i in range(length))
    tag = hornet.mac(KEY, content)
    sealed = ChaCha20Poly1305(KEY).encrypt(bytes(12), content, content)
    for data in buffers(content):
        assert hornet.mac(KEY, data) == tag
        assert ChaCha20Poly1305(KEY).encrypt(bytes(12), data, data) == sealed
        pieces = Poly1305(KEY)
        pieces.update(data)
        pieces.verify(tag)
    for key in buffers(KEY):
        assert hornet.mac(key, content) == tag
        assert ChaCha20Poly1305(key).encrypt(bytearray(12), content, memoryview(content)) == sealed


def test_in_place_and_overlaps():
    cipher, nonce = ChaCha20Poly1305(KEY), bytes(12)
    memory = bytearray(b"attack at dawn" + bytes(16))
    view = memoryview(memory)
    assert cipher.encrypt_into(nonce, view[:14], None, view) == 30
    assert memory == cipher.encrypt(nonce, b"attack at dawn", None)
    assert cipher.decrypt_into(nonce, view, None, view[:14]) == 14 and view[:14] == b"attack at dawn"
    big = bytearray(100)
    view = memoryview(big)
    with pytest.raises(ValueError, match="begin where data begins"):
        cipher.encrypt_into(nonce, view[1:15], None, view[:30])
    with pytest.raises(ValueError, match="begin where data begins"):
        cipher.encrypt_into(nonce, view[29:43], None, view[:30])
    with pytest.raises(ValueError, match="overlap nonce or associated data"):
        cipher.encrypt_into(nonce, b"x" * 14, view[29:31], view[:30])
    with pytest.raises(ValueError, match="overlap nonce or associated data"):
        cipher.encrypt_into(view[:12], b"x" * 14, None, view[:30])
    with pytest.raises(ValueError, match="begin where data begins"):
        cipher.decrypt_into(nonce, view[:30], None, view[2:16])
    assert not any(big)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: hornet.mac(KEY, "text"), TypeError, "bytes-like"),
        (lambda: hornet.mac(KEY[:-1], b""), ValueError, "32 bytes long, not 31"),
        (lambda: hornet.mac(KEY, memoryview(b"abcdef")[::2]), BufferError, "contiguous"),
        (lambda: ChaCha20Poly1305(KEY + b"x"), ValueError, "32 bytes, not 33"),
        (lambda: ChaCha20Poly1305(KEY).encrypt(bytes(24), b"", None), ValueError, "Nonce must be 12 bytes, not 24"),
        (lambda: XChaCha20Poly1305(KEY).encrypt(bytes(12), b"", None), ValueError, "Nonce must be 24 bytes, not 12"),
        (lambda: ChaCha20Poly1305(KEY).encrypt_into(bytes(12), b"ab", None, bytes(18)), TypeError, "not writable"),
        (
            lambda: ChaCha20Poly1305(KEY).encrypt_into(bytes(12), b"ab", None, bytearray(17)),
            ValueError,
            "18 bytes, not 17",
        ),
        (
            lambda: ChaCha20Poly1305(KEY).encrypt_into(bytes(12), b"ab", None, memoryview(bytearray(36))[::2]),
            BufferError,
            "contiguous",
        ),
        (lambda: Poly1305Aes(AES_KEY[16:] + AES_KEY[:16]), ValueError, "halves swapped"),
        (lambda: Poly1305Aes(AES_KEY).mac(bytes(12), b""), ValueError, "Nonce must be 16 bytes, not 12"),
        (lambda: Evaluation(b"\xff" * 16), ValueError, "not clamped"),
        (lambda: hornet.force_kernel("Poly1305", "z80"), ValueError, '"z80".*scalar64'),
        (lambda: hornet.force_kernel("MD5", None), ValueError, "Poly1305, ChaCha20, AES-128"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_wrong_tags():
    for wrong in (b"", TAG[:-1], TAG + b"x", bytes(16), bytes([TAG[0] ^ 1]) + TAG[1:]):
        with pytest.raises(InvalidSignature):
            hornet.verify(ONE_TIME, MESSAGE, wrong)
        pieces = Poly1305(ONE_TIME)
        pieces.update(MESSAGE)
        with pytest.raises(InvalidSignature):
            pieces.verify(wrong)
        with pytest.raises(AlreadyFinalized):
            pieces.verify(TAG)
        with pytest.raises(InvalidSignature):
            Poly1305Aes(AES_KEY).verify(AES_NONCE, b"\xf3\xf6", wrong)


def test_a_message_ends_once():
    pieces = Poly1305(KEY)
    pieces.update(b"a")
    pieces.finalize()
    for again in (lambda: pieces.update(b""), pieces.finalize, lambda: pieces.verify(TAG)):
        with pytest.raises(AlreadyFinalized):
            again()


def test_a_buffer_that_is_held_keeps_its_size():
    """A call that raises holds no buffer any longer."""
    data = bytearray(40)
    with pytest.raises(ValueError, match="Nonce"):
        ChaCha20Poly1305(KEY).encrypt(b"", data, data)
    data.append(0)
    hornet.mac(KEY, data)
    data.append(0)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.integers(0, 15))
@settings(max_examples=30, deadline=None)
def test_partial_evaluations(blocks, rest):
    r, pad = AES_KEY[16:], bytes(range(16))
    evaluation = Evaluation(r)
    message = bytes(i * 11 & 255 for i in range(16 * sum(blocks) + rest))
    ends = [16 * sum(blocks[: i + 1]) for i in range(len(blocks))]
    segments = [message[start:end] for start, end in zip([0, *ends], [*ends, len(message)], strict=True)]
    partials = [evaluation.compute(segment) for segment in segments]
    whole = partials[0]
    for partial in partials[1:]:
        whole = evaluation.append(whole, partial)
    assert whole == evaluation.compute(message) and Evaluation.len_bytes(whole) == len(message)
    assert Evaluation.tag(whole, pad) == hornet.mac(r + pad, message)


@given(st.integers(0, 70_000), st.integers(0, 5))
@settings(max_examples=50, deadline=None)
def test_zeros(length, blocks):
    evaluation = Evaluation(AES_KEY[16:])
    zeros = evaluation.zeros(length)
    assert zeros == evaluation.compute(bytes(length)) and Evaluation.len_bytes(zeros) == length
    before = bytes(range(16 * blocks))
    assert evaluation.append(evaluation.compute(before), zeros) == evaluation.compute(before + bytes(length))


def test_zeros_of_any_length():
    evaluation = Evaluation(AES_KEY[16:])
    doubled = evaluation.compute(bytes(16))
    for bit in range(4, 64):
        assert evaluation.zeros(1 << bit) == doubled
        if bit < 63:
            doubled = evaluation.append(doubled, doubled)
    most = evaluation.append(doubled, evaluation.zeros(2**63 - 1))
    assert evaluation.zeros(2**64 - 1) == most
    for length in (-1, 2**64):
        with pytest.raises(OverflowError):
            evaluation.zeros(length)


def test_partial_evaluations_under_a_key_file(tmp_path):
    keys = KeyFile.create(tmp_path / "key")
    evaluation = keys.evaluation()
    messages = [bytes(range(100)), b"", b"x" * 5000]
    partials = [evaluation.append(evaluation.compute(m[:64]), evaluation.compute(m[64:])) for m in messages[::2]]
    partials.insert(1, evaluation.compute(b""))
    made = keys.finish_many(partials)
    assert len({nonce for nonce, _ in made}) == 3
    for message, partial, (nonce, tag) in zip(messages, partials, made, strict=True):
        keys.verify(nonce, message, tag)
        keys.verify_partial(nonce, partial, tag)
        for wrong in (bytes([tag[0] ^ 1]) + tag[1:], tag[:15], b""):
            with pytest.raises(InvalidSignature):
                keys.verify_partial(nonce, partial, wrong)
    with pytest.raises(InvalidSignature):
        keys.verify_partial(made[0][0], partials[1], made[0][1])
    # A mistake uses no nonces.
    before = (tmp_path / "key").read_bytes()
    with pytest.raises(ValueError, match="partial 1: a partial evaluation has 32 bytes, not 3"):
        keys.finish_many([partials[0], b"abc"])
    assert (tmp_path / "key").read_bytes() == before
    assert keys.finish_many([]) == []


def test_partial_evaluations_that_do_not_fit():
    evaluation = Evaluation(AES_KEY[16:])
    short, block = evaluation.compute(b"x"), evaluation.compute(bytes(16))
    with pytest.raises(ValueError, match="the left segment has 1 bytes"):
        evaluation.append(short, block)
    with pytest.raises(ValueError, match="32 bytes, not 31"):
        evaluation.append(block, block[1:])
    with pytest.raises(ValueError, match="not a partial evaluation"):
        evaluation.append(block, b"\xff" * 32)
    most = block[:24] + (2**64 - 16).to_bytes(8, "little")
    with pytest.raises(OverflowError):
        evaluation.append(most, block)


def test_key_file(tmp_path):
    path = tmp_path / "key"
    made = KeyFile.create(path)
    pairs = [made.mac(b"a"), *KeyFile(path).mac_many([b"a", bytearray(b"b")]), *made.mac_many([])]
    assert len({nonce for nonce, _ in pairs}) == 3
    for (nonce, tag), message in zip(pairs, (b"a", b"a", b"b"), strict=True):
        KeyFile(path).verify(nonce, message, tag)
        with pytest.raises(InvalidSignature):
            made.verify(nonce, message + b".", tag)
    counter = path.read_text()
    with pytest.raises(TypeError, match="message 1"):
        made.mac_many([b"a", 5])
    assert path.read_text() == counter
    for wrong in (tmp_path / "none", tmp_path):
        with pytest.raises(OSError, match=str(wrong)):
            KeyFile(wrong)
    with pytest.raises(OSError, match="key"):
        KeyFile.create(path)
    path.chmod(0o644)
    with pytest.raises(OSError, match="key"):
        KeyFile(path)


def test_every_kernel():
    messages = [bytes(i * 13 & 255 for i in range(length)) for length in (0, 1, 63, 64, 65, 300, 5000)]
    expected = [(hornet.mac(KEY, one), ChaCha20Poly1305(KEY).encrypt(bytes(12), one, one)) for one in messages]
    for primitive, described in hornet.info()["primitives"].items():
        names = [kernel["name"] for kernel in described["kernels"] if kernel["supported"]]
        assert described["in_use"] in names
        for name in names:
            hornet.force_kernel(primitive, name)
            assert hornet.info()["primitives"][primitive]["in_use"] == name
            found = [(hornet.mac(KEY, one), ChaCha20Poly1305(KEY).encrypt(bytes(12), one, one)) for one in messages]
            assert found == expected
        hornet.force_kernel(primitive, None)


def test_the_command():
    run = subprocess.run([sys.executable, "-m", "hornet_poly1305"], capture_output=True, text=True, check=True)
    assert f"hornet-poly1305 {hornet.__version__}" in run.stdout and "scalar64" in run.stdout


def test_without_cryptography():
    """The exceptions are then classes of this package."""
    code = (
        "import sys; sys.modules['cryptography'] = None; import hornet_poly1305 as h\n"
        "try: h.ChaCha20Poly1305(bytes(32)).decrypt(bytes(12), bytes(16), None)\n"
        "except h.InvalidTag as error: print(type(error).__module__)\n"
        "try: h.verify(bytes(32), b'', b'')\n"
        "except h.InvalidSignature as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "hornet_poly1305._exceptions\nValue did not match computed tag.\n"
