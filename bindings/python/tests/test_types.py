# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Types: a checker refuses what is no buffer, and each call raises what cryptography's raises."""

import array
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305 as PycaChaCha
from cryptography.hazmat.primitives.poly1305 import Poly1305 as PycaPoly1305
from hornet_poly1305 import ChaCha20Poly1305, Poly1305

CALLS = Path(__file__).with_name("typed_calls.py")
CACHE = Path(__file__).resolve().parents[3] / "build/python/mypy"


@pytest.mark.parametrize("version", ["3.11", "3.14"])
def test_type_checker(version):
    """An ignored error that is none is an error too."""
    text = CALLS.read_text()
    assert text.count("# type: ignore[") == 48
    command = [sys.executable, "-m", "mypy", "--strict", "--python-version", version, "--cache-dir", CACHE, CALLS]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


class Subclass(bytes):
    pass


class Number(int):
    pass


class Text(str):
    pass


class Index:
    def __index__(self):
        return 32


def values(length: int) -> list:
    """Return arguments of every kind; of buffers, some have that length."""
    released = memoryview(bytes(length))
    released.release()
    found = [
        None,
        True,
        -1,
        0,
        2**64,
        Number(3),
        1.5,
        float("nan"),
        1j,
        ...,
        object(),
        Index(),
        int,
        len,
        range(length),
    ]
    found += ["", "x" * length, Text("x" * length), "\ud800", [], [1] * length, (), {}, set(), iter([])]
    found += [b"", bytes(length), bytes(length + 1), bytes(max(length - 1, 0)), Subclass(length), bytearray(length)]
    found += [
        memoryview(bytes(length)),
        memoryview(bytes(2 * length))[::2],
        memoryview(bytearray(2 * length))[::2],
        released,
    ]
    found += [
        array.array("B", bytes(length)),
        array.array("d", [1.0]),
        numpy.zeros(length, "u1"),
        numpy.zeros(2 * length, "u1")[::2],
    ]
    return [*found, numpy.zeros((4, length), "u1").T]


KEY, NONCE = bytes(range(32)), bytes(12)
SEALED = PycaChaCha(KEY).encrypt(NONCE, b"data", b"aad")
TAG = PycaPoly1305.generate_tag(KEY, b"data")


def verified(mac, tag):
    made = mac(KEY)
    made.update(b"data")
    return made.verify(tag)


# What is called of a cipher or a MAC, and valid arguments.
PYCA_CALLS = {
    "cipher": (lambda cipher, _: cipher, [KEY]),
    "generate_key": (lambda cipher, _: lambda *of: len(cipher.generate_key(*of)), []),
    "encrypt": (lambda cipher, _: cipher(KEY).encrypt, [NONCE, b"data", b"aad"]),
    "decrypt": (lambda cipher, _: cipher(KEY).decrypt, [NONCE, SEALED, b"aad"]),
    "encrypt_into": (lambda cipher, _: cipher(KEY).encrypt_into, [NONCE, b"data", b"aad", bytearray(20)]),
    "decrypt_into": (lambda cipher, _: cipher(KEY).decrypt_into, [NONCE, SEALED, b"aad", bytearray(4)]),
    "mac": (lambda _, mac: mac, [KEY]),
    "generate_tag": (lambda _, mac: mac.generate_tag, [KEY, b"data"]),
    "verify_tag": (lambda _, mac: mac.verify_tag, [KEY, b"data", TAG]),
    "update": (lambda _, mac: mac(KEY).update, [b"data"]),
    "finalize": (lambda _, mac: mac(KEY).finalize, []),
    "verify": (lambda _, mac: lambda *of: verified(mac, *of), [TAG]),
}


def outcome(call, arguments):
    """Return the class of what is raised, or what is returned."""
    try:
        result = call(*(bytearray(one) if type(one) is bytearray else one for one in arguments))
    except Exception as error:  # which is returned
        return type(error)
    return result if isinstance(result, bytes | int) else None


def is_extension(name: str, at: int, value: object) -> bool:
    """Whether this module takes more than cryptography: elements of any size, and tags in any buffer."""
    return (
        isinstance(value, array.array)
        and value.typecode == "d"
        or (
            (name, at) in (("verify_tag", 2), ("verify", 0))
            and isinstance(value, bytearray | memoryview | array.array | numpy.ndarray)
        )
    )


def test_arguments_are_refused_as_cryptography_refuses_them():
    compared = extensions = 0
    for name, (get, good) in PYCA_CALLS.items():
        ours, theirs = get(ChaCha20Poly1305, Poly1305), get(PycaChaCha, PycaPoly1305)
        lists = [(good, -1, None), (good[:-1], -1, None), ([*good, b""], -1, None)]
        for at, one in enumerate(good):
            lists += [([*good[:at], value, *good[at + 1 :]], at, value) for value in values(len(one))]
        for arguments, at, value in lists:
            if is_extension(name, at, value):
                extensions += 1
                continue
            # A MAC's object ends with its message.
            ours, theirs = get(ChaCha20Poly1305, Poly1305), get(PycaChaCha, PycaPoly1305)
            found, expected = outcome(ours, arguments), outcome(theirs, arguments)
            assert found == expected, (name, at, value)
            compared += 1
    assert compared > 800 and extensions < 50
