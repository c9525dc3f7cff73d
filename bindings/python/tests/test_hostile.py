# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hostile arguments: each call raises an ordinary exception, and memory of others is used only while it is there."""

import ctypes
import errno
import json
import os
import subprocess
import sys
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int64, c_void_p, pythonapi
from pathlib import Path
from typing import ClassVar

import hornet_poly1305 as hornet
import pytest
from hornet_poly1305 import Evaluation, KeyFile
from hornet_poly1305._native import Objects, SealedManifest

HOSTILE = Path(__file__).with_name("hostile.py")


def test_every_call_raises_an_ordinary_exception(tmp_path):
    summary = tmp_path / "summary"
    (tmp_path / "here").mkdir()
    command = [sys.executable, "-X", "faulthandler", HOSTILE, tmp_path / "here", summary]
    # The debugging allocator overwrites what is freed.
    environment = {**os.environ, "PYTHONMALLOC": "debug"}
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, timeout=300)
    assert run.returncode == 0, run.stderr.decode(errors="replace")
    found = json.loads(summary.read_text())
    assert found["wrong"] == [] and b"panicked" not in run.stderr
    assert found["missing"] == [], "not called"
    assert sum(found["calls"].values()) > 35_000 and len(found["calls"]) >= 80
    assert len(found["raised"]) >= 12, found["raised"]


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


RELEASE_SCHEMA, RELEASE_ARRAY = CFUNCTYPE(None, POINTER(Schema)), CFUNCTYPE(None, POINTER(Array))
Schema._fields_ = [
    *(("format", c_void_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64), ("n_children", c_int64)),
    *(("children", c_void_p), ("dictionary", c_void_p), ("release", RELEASE_SCHEMA), ("private_data", c_void_p)),
]
Array._fields_ = [
    *(
        ("length", c_int64),
        ("null_count", c_int64),
        ("offset", c_int64),
        ("n_buffers", c_int64),
        ("n_children", c_int64),
    ),
    *(("buffers", POINTER(c_void_p)), ("children", c_void_p), ("dictionary", c_void_p)),
    *(("release", RELEASE_ARRAY), ("private_data", c_void_p)),
]
DESTRUCTOR = CFUNCTYPE(None, c_void_p)
NEW = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_char_p, DESTRUCTOR)(("PyCapsule_New", pythonapi))

MESSAGES = [bytes([i]) * 40 for i in range(1, 9)]
KEYS = bytes(range(32)) * len(MESSAGES)
TAGS = b"".join(hornet.mac(KEYS[:32], message) for message in MESSAGES)


class Producer:
    """An array of Arrow whose memory is overwritten when it is released, which it counts."""

    alive: ClassVar[list] = []  # capsules do not keep their producer

    def __init__(self, name=b"z", **fields):
        self.alive.append(self)
        self.released = {"schema": 0, "array": 0}
        self.format = ctypes.create_string_buffer(name)
        self.data = ctypes.create_string_buffer(b"".join(MESSAGES))
        self.offsets = (ctypes.c_int32 * 9)(*range(0, 321, 40))
        self.buffers = (c_void_p * 3)(None, ctypes.addressof(self.offsets), ctypes.addressof(self.data))
        self.kept = [RELEASE_SCHEMA(self.release_schema), RELEASE_ARRAY(self.release_array)]
        self.kept += [DESTRUCTOR(lambda _, one=one: self.destroy(one)) for one in ("schema", "array")]
        self.schema = Schema(format=ctypes.addressof(self.format), release=self.kept[0])
        self.array = Array(length=8, n_buffers=3, buffers=self.buffers, release=self.kept[1])
        for field, value in fields.items():
            setattr(self.array, field, value)

    def release_schema(self, at):
        self.released["schema"] += 1
        ctypes.memset(self.format, ord("i"), 1)
        at.contents.release = RELEASE_SCHEMA(0)

    def release_array(self, at):
        self.released["array"] += 1
        ctypes.memset(self.data, 0xEE, 320)
        at.contents.release = RELEASE_ARRAY(0)

    def destroy(self, name):
        structure = getattr(self, name)
        if structure.release:
            structure.release(structure)

    def __arrow_c_array__(self, requested_schema=None):
        return (
            NEW(ctypes.addressof(self.schema), b"arrow_schema", self.kept[2]),
            NEW(ctypes.addressof(self.array), b"arrow_array", self.kept[3]),
        )


class Given:
    def __init__(self, result):
        self.result = result

    def __arrow_c_array__(self, requested_schema=None):
        return self.result


ONCE = {"schema": 1, "array": 1}


def test_arrow_memory_is_released_after_the_call():
    producer = Producer()
    assert hornet.mac_arrow(KEYS, producer) == TAGS
    assert producer.released == ONCE
    producer = Producer()
    assert hornet.verify_arrow(KEYS, producer, TAGS) == b"\1" * 8
    assert producer.released == ONCE


def test_arrow_capsules_that_python_code_makes_anew():
    """A tuple keeps its capsules alive; a class that only resembles one returns capsules that end at once."""
    producers = []

    class Lazy:
        def __getitem__(self, index):
            producers.append(Producer())
            return producers[-1].__arrow_c_array__()[index]

        def __len__(self):
            return 2

    class Tuple(tuple):
        __getitem__ = Lazy.__getitem__

        def __iter__(self):
            return iter(Producer().__arrow_c_array__())

    with pytest.raises(TypeError, match="tuple"):
        hornet.mac_arrow(KEYS, Given(Lazy()))
    pair = list(Producer().__arrow_c_array__())
    with pytest.raises(TypeError, match="tuple"):
        hornet.mac_arrow(KEYS, Given(pair))
    producer = Producer()
    assert hornet.mac_arrow(KEYS, Given(Tuple(producer.__arrow_c_array__()))) == TAGS
    assert producer.released == ONCE and producers == []


def test_arrow_capsules_that_others_keep():
    """The array is moved out of its capsule: who has the capsule cannot release it during the call, nor use it again."""
    producer = Producer()
    pair = producer.__arrow_c_array__()
    assert hornet.mac_arrow(KEYS, Given(pair)) == TAGS
    assert not producer.array.release and not producer.schema.release
    for again in (pair, (Producer().__arrow_c_array__()[0], pair[1])):
        with pytest.raises(ValueError, match="was released, or moved to another consumer"):
            hornet.mac_arrow(KEYS, Given(again))
    del pair, again
    assert producer.released == ONCE


@pytest.mark.skipif(sys.version_info < (3, 12), reason="no code of Python's exports buffers before 3.12")
def test_arrow_capsules_that_are_used_meanwhile():
    """Keys that, when their buffer is asked for, release the array."""
    producer = Producer()
    pair = [producer.__arrow_c_array__()]

    class Keys:
        def __buffer__(self, _):
            if producer.array.release:
                producer.array.release(producer.array)
            pair.clear()
            return memoryview(KEYS)

    assert hornet.mac_arrow(Keys(), Given(pair[0])) == TAGS
    assert producer.released == ONCE


@pytest.mark.parametrize(
    ("fields", "error", "text"),
    [
        ({"name": b"i"}, TypeError, 'not of format "i"'),
        ({"length": -1}, ValueError, "negative length"),
        ({"offset": -1}, ValueError, "negative length or offset"),
        ({"n_buffers": 2}, ValueError, "has 2 buffers, not 3"),
        ({"buffers": POINTER(c_void_p)()}, ValueError, "buffers"),
        ({"buffers": (c_void_p * 3)()}, ValueError, "no offsets"),
        (
            {"null_count": 1, "buffers": (c_void_p * 3)(ctypes.addressof(zeros := (ctypes.c_uint8 * 1)()))},
            ValueError,
            "null",
        ),
    ],
)
def test_arrow_arrays_that_are_refused(fields, error, text):
    producer = Producer(**fields)
    with pytest.raises(error, match=text):
        hornet.mac_arrow(KEYS, producer)
    assert producer.released == ONCE


def test_descriptors(tmp_path):
    """They are the caller's: refused if they are closed, and never closed."""
    evaluation, keys = Evaluation(bytes(16)), KeyFile.create(tmp_path / "key")
    objects = Objects()
    objects.sort()
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    closed = os.open(path, os.O_RDONLY)
    os.close(closed)
    for descriptor in (-1, -2, -(2**31), closed, 2**31 - 1):
        for call in (
            lambda d=descriptor: evaluation.compute_file(d, 0, 4),
            lambda d=descriptor: objects.write(d, keys, keys.reserve(1), [], [], []),
        ):
            with pytest.raises(OSError, match="Bad file descriptor") as caught:
                call()
            assert caught.value.errno == errno.EBADF
    with path.open("rb") as file:
        assert evaluation.compute_file(file.fileno(), 2, 8) == evaluation.compute(b"23456789")
        for offset, length in ((0, 11), (10, 1), (3, 2**64 - 1)):
            with pytest.raises(EOFError, match=f"within the {length} bytes from {offset} on"):
                evaluation.compute_file(file.fileno(), offset, length)
        with pytest.raises(OSError, match="Bad file descriptor"):
            objects.write(file.fileno(), keys, keys.reserve(1), [], [], [])
        assert file.read() == b"0123456789"
    with pytest.raises(IsADirectoryError):
        folder = os.open(tmp_path, os.O_RDONLY)
        try:
            evaluation.compute_file(folder, 0, 1)
        finally:
            os.close(folder)


def test_too_much_memory(tmp_path):
    """A buffer of which no copy fits into memory, and a list that says that it has more elements than that."""
    code = (
        "import mmap, resource, sys\n"
        "from hornet_poly1305 import Evaluation, KeyFile\n"
        "from hornet_poly1305._native import SealedManifest\n"
        "keys = KeyFile.create(sys.argv[1])\n"
        "class List:\n"
        "    def __len__(self): return 2**40\n"
        "    def __getitem__(self, index): return [b'x'][index]\n"
        # MAP_NORESERVE, which mmap names from 3.12 on.
        "flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000\n"
        "text = mmap.mmap(-1, 1 << 36, flags)\n"
        "resource.setrlimit(resource.RLIMIT_AS, 2 * ((1 << 36) + (4 << 30),))\n"
        "for call in (lambda: SealedManifest(text, keys), lambda: Evaluation(bytes(16)).join(text), lambda: keys.mac_many(List())):\n"
        "    try: call()\n"
        "    except MemoryError: print('MemoryError')\n"
    )
    run = subprocess.run([sys.executable, "-c", code, tmp_path / "key"], capture_output=True, text=True)
    assert run.stdout == 3 * "MemoryError\n", run.stderr


def test_manifests_of_other_types(tmp_path):
    keys = KeyFile.create(tmp_path / "key")
    for text, error in (
        ("text", TypeError),
        (b"", ValueError),
        (memoryview(b"abcd")[::2], BufferError),
        (None, TypeError),
    ):
        with pytest.raises(error):
            SealedManifest(text, keys)
