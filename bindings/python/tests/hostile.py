# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Calls everything that the native module has with hostile arguments, and writes a summary to a file: what was called how
often, and what raised anything but an ordinary exception. A program of its own, because what it looks for may end it.

    hostile.py FOLDER SUMMARY
"""

import array
import itertools
import json
import mmap
import os
import random
import sys
from collections import Counter
from pathlib import Path

import nanoarrow
import numpy
from hornet_poly1305 import AlreadyFinalized, InvalidSignature, InvalidTag, _native

# Not SystemError, which CPython raises for a module's mistakes, nor pyo3_runtime.PanicException, a BaseException.
ORDINARY = (
    *(TypeError, ValueError, OverflowError, BufferError, OSError, EOFError, MemoryError, LookupError, AttributeError),
    *(RuntimeError, NotImplementedError, AlreadyFinalized, InvalidSignature, InvalidTag),
)


class Mine(ValueError):
    """What hostile objects raise."""


class Int(int):
    pass


class Str(str):
    def encode(self, *_):
        raise Mine


class Bytes(bytes):
    def __len__(self):
        return 2**62

    def __getitem__(self, _):
        raise Mine


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        if isinstance(self.value, type):
            raise self.value
        return self.value


class Sequence:
    """A sequence that says that it has `count` elements."""

    def __init__(self, count, element):
        self.count, self.element = count, element

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if index > 3:
            raise IndexError
        return self.element


class Tuple(tuple):
    def __getitem__(self, _):
        raise Mine

    def __iter__(self):
        raise Mine

    def __len__(self):
        return 2**62


class Named:
    """A path."""

    def __init__(self, value):
        self.value = value

    def __fspath__(self):
        return self.value


class Arrow:
    def __init__(self, result):
        self.result = result

    def __arrow_c_array__(self, requested_schema=None):
        return self.result() if callable(self.result) else self.result


class Lazy:
    """What makes new capsules for each element."""

    def __getitem__(self, index):
        return nanoarrow.c_array([b"abcd"] * 4, nanoarrow.binary()).__arrow_c_array__()[index]


class Exporter:
    """A buffer, from Python 3.12 on."""

    def __init__(self, result):
        self.result = result

    def __buffer__(self, _):
        return self.result() if callable(self.result) else self.result


def released():
    view = memoryview(bytes(32))
    view.release()
    return view


def consumed():
    pair = nanoarrow.c_array([b"abcd"] * 4, nanoarrow.binary()).__arrow_c_array__()
    _native.mac_arrow(bytes(128), Arrow(pair))  # moves it
    return pair


def recurse():
    return _native.mac(Exporter(recurse), bytes(4))


def nested(depth=2_000):
    value = b"x"
    for _ in range(depth):
        value = [value]
    return value


def closed():
    read, write = os.pipe()
    os.close(read)
    os.close(write)
    return read


def raising():
    raise Mine
    yield


def arrow(kind, elements):
    return nanoarrow.c_array(elements, kind())


def values():
    """Return hostile values, all new."""
    found = [None, True, 1.5, float("nan"), float("inf"), 1j, ..., NotImplemented, object(), int, len, json]
    found += [-1, 0, 1, 255, 256, 2**31 - 1, 2**31, -(2**31) - 1, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64]
    found += [2**200, -(2**200), Int(3), Index(0), Index(-1), Index(2**64), Index(Mine), Index("x"), closed()]
    found += ["", "x", "x" * 32, "\ud800", "\0", "a\0b", "../" * 2000, "\u202e", Str("x" * 32), "Poly1305", "file"]

    for size in (0, 1, 12, 15, 16, 17, 24, 31, 32, 33, 64, 4096):
        found += [bytes(size), bytearray(size), b"\xff" * size]
    found += [Bytes(32), memoryview(b""), memoryview(bytes(64))[::2], memoryview(bytearray(64))[::-1], released()]
    found += [
        memoryview(bytes(64)).cast("B", (2, 32)),
        memoryview(bytes(64)).cast("q"),
        memoryview(bytearray(64))[8:40],
    ]
    found += [array.array("d", [1.0] * 4), array.array("q", [-1, 2**62, 0, 5]), mmap.mmap(-1, 4096)]
    found += [numpy.zeros(()), numpy.zeros((4, 0), "u1"), numpy.zeros((2**62, 0), "u1"), numpy.zeros((0, 4), "u1")]
    found += [numpy.zeros((4, 32), "u1"), numpy.zeros((4, 32), "u1").T, numpy.zeros((4, 4, 4)), numpy.arange(4)]
    found += [numpy.full(4, 2**63 - 1), numpy.full(4, -(2**63)), numpy.arange(4)[::-1], numpy.zeros(4, ">i8")]
    found += [numpy.array([b"a", None], dtype=object), numpy.zeros(4, "M8[s]")]
    found += [numpy.broadcast_to(numpy.uint8(0), (4, 32))]
    # From Python 3.12 on.
    found += [Exporter(value) for value in (None, b"x" * 32, memoryview(bytes(32)), released(), recurse)]

    found += [[], (), {}, set(), [None], [b"x"] * 3, [1, -1], ["x"], [[b"x"]], nested(), [bytes(32)] * 2, (b"",) * 3]
    found += [itertools.repeat(b"x", 5), raising(), range(3), Sequence(2**62, b"x"), Sequence(2**40, b"x")]
    found += [Sequence(-1, b"x"), Sequence(3, None), Tuple((bytes(8), numpy.arange(1), numpy.arange(1)))]
    found += [Tuple((b"x", "file")), [(b"x", "file")], [(b"x", "no kind")], [("x", b"file")], [(b"x",)]]
    found += [Named("x"), Named(b"x\0"), Named(1), Named(None), Path("absent/x")]

    pair = arrow(nanoarrow.binary, [b"abcd"] * 4).__arrow_c_array__()
    results = [None, (), (None, None), (1,), pair[::-1], list(pair), Tuple(pair), Lazy(), (pair[0], pair[0]), 5]
    results += [consumed, recurse, lambda: arrow(nanoarrow.int64, [1, 2, 3, 4]).__arrow_c_array__()]
    results += [lambda: arrow(nanoarrow.binary, [b"a", None, b"", b"b"]).__arrow_c_array__()]
    return [*found, *map(Arrow, results)]


class Calls:
    """Everything to call: functions of the module, and methods of objects that are new for each call where it changes them."""

    def __init__(self, folder):
        self.folder = folder
        self.keys = _native.KeyFile.create(folder / "key")
        self.numbers = itertools.count()

    def objects(self):
        objects = _native.Objects()
        objects.keep_segments(4096)
        objects.add(b"a", 4, bytes(16))
        objects.add(b"b", 4, bytes(16))
        objects.sort()
        objects.keep(0, bytes(16), bytes(16))
        return objects

    def manifest(self):
        if not hasattr(self, "text"):
            objects, path = self.objects(), self.folder / "manifest"
            objects.fail(1)
            with path.open("wb") as file:
                objects.write(file.fileno(), self.keys, self.keys.reserve(2), [b"a"], [], [(b"c", "symlink")])
            self.text = path.read_bytes()
        return self.text

    def lock(self):
        # Nobody else has one of these, which would be waited for.
        number = next(self.numbers)
        return _native.PartsLock(self.folder / f"manifest {number}", self.folder / f"parts {number}")

    def parts(self):
        if not (self.folder / "parts").exists():
            objects, evaluation = _native.Objects(), self.keys.evaluation()
            objects.keep_segments(4096)
            objects.add(b"a", 4, bytes(16))
            objects.sort()
            objects.put(0, evaluation.compute(b"abcd"))
            lock = _native.PartsLock(self.folder / "with parts", self.folder / "parts")
            objects.write_with_parts(lock, self.keys, self.keys.reserve(3), [b"a"], [], [], None)
            lock.release()
        return _native.OpenedParts(self.keys, self.folder / "with parts", self.folder / "parts")

    def described(self):
        """Yield what is called: a name, a function that returns the callable, and one that returns valid arguments."""
        native, key, data = _native, bytes(32), b"abcd"
        rows, numbers = numpy.zeros((4, 32), "u1"), numpy.arange(4) * 8
        four = numpy.full(4, 8)
        tag = native.mac(key, data)
        identity, recipient = native.new_age_identity()
        head = native.new_age_header([recipient])[1]
        functions = {
            "mac": lambda: [key, data],
            "verify": lambda: [key, data, tag],
            "mac_rows": lambda: [bytes(128), rows, bytearray(64)],
            "mac_parts": lambda: [bytes(128), bytes(32), numbers, four, bytearray(64)],
            "mac_arrow": lambda: [bytes(128), arrow(nanoarrow.binary, [data] * 4), bytearray(64)],
            "verify_rows": lambda: [bytes(128), rows, bytes(64)],
            "verify_parts": lambda: [bytes(128), bytes(32), numbers, four, bytes(64)],
            "verify_arrow": lambda: [bytes(128), arrow(nanoarrow.binary, [data] * 4), bytes(64)],
            "escaped": lambda: [b"a\nb"],
            "info": list,
            "force_kernel": lambda: ["Poly1305", None],
            "header_masks": lambda: [key, [bytes(16)] * 3],
            "new_age_identity": list,
            "new_age_header": lambda: [[recipient]],
            "open_age_header": lambda: [head, [identity], None],
        }
        for name, arguments in functions.items():
            yield name, lambda name=name: getattr(native, name), arguments
        for name in ("seal_packets", "open_packets", "xseal_packets", "xopen_packets"):
            extended = name.startswith("x")

            def call(*of, name=name):
                keywords = dict(zip(("aad", "out", "tags"), of[5:8], strict=False))
                return getattr(native, name)(*of[:5], *of[8:], **keywords)

            def packets(extended=extended):
                keys = arrow(nanoarrow.binary, [data] * 4) if extended else key
                aad, out, tags = (bytes(8), numbers, numbers * 0), bytearray(32), bytearray(64)
                return [keys, bytes(96 if extended else 48), bytearray(32), numbers, four, aad, out, tags]

            yield name, lambda call=call: call, packets
        sequences, ends = numpy.arange(4), numpy.full(4, 32)
        for name in ("seal_ssh_packets", "open_ssh_packets"):
            arguments = lambda: [bytes(64), sequences, bytearray(128), numbers * 4, ends]  # noqa: E731
            yield name, lambda name=name: getattr(native, name), arguments
        partial, r = native.Evaluation(bytes(16)).compute(data), bytes(16)
        methods = {
            "Poly1305": (lambda: [key], {"update": lambda: [data], "finalize": list, "verify": lambda: [tag]}),
            "ChaCha20": (
                lambda: [key, bytes(12), 1],
                {
                    "update": lambda: [data],
                    "update_into": lambda: [data, bytearray(5)],
                    "seek": lambda: [7],
                    "tell": list,
                    "finalize": list,
                },
            ),
            "Poly1305Aes": (lambda: [key], {"mac": lambda: [r, data], "verify": lambda: [r, data, tag]}),
            "Evaluation": (
                lambda: [r],
                {
                    "compute": lambda: [data],
                    "zeros": lambda: [4],
                    "compute_file": lambda: [self.file, 0, 4],
                    "compute_file_segments": lambda: [self.file, 0, 4, 4096],
                    "is_hole": lambda: [self.file, 0, 4],
                    "compute_segments": lambda: [data, 4096],
                    "append": lambda: [partial, partial],
                    "join": lambda: [partial],
                    "tag": lambda: [partial, bytes(16)],
                    "len_bytes": lambda: [partial],
                },
            ),
            "KeyFile": (
                lambda: [self.folder / "key"],
                {
                    "create": lambda: [self.folder / f"new {next(self.numbers)}"],
                    "mac": lambda: [data],
                    "mac_many": lambda: [[data, data]],
                    "verify": lambda: [r, data, tag],
                    "reserve": lambda: [1],
                    "is_at": lambda: [self.folder / "key"],
                    "derive": lambda: [0],
                    "r": list,
                    "evaluation": list,
                    "finish_many": lambda: [[partial]],
                    "verify_partial": lambda: [r, partial, tag],
                },
            ),
            "Objects": (
                list,
                {
                    "add": lambda: [b"a", 4, bytes(16)],
                    "sort": list,
                    "name": lambda: [0],
                    "size": lambda: [0],
                    "pin": lambda: [0],
                    "total_bytes": list,
                    "find": lambda: [b"a"],
                    "put": lambda: [0, partial],
                    "keep": lambda: [0, r, r],
                    "fail": lambda: [0],
                    "partial": lambda: [0],
                    "write": lambda: [self.file, self.keys, self.nonces, [b"a"], [], [(b"c", "symlink")]],
                    "keep_segments": lambda: [4096],
                    "add_old": lambda: [self.parts(), {b"b"}],
                    "keep_old": lambda: [self.parts(), lambda *_: bytes(16), {b"b"}],
                    "unpin": lambda: [0],
                    "put_segments": lambda: [0, partial, partial],
                    "put_changed": lambda: [0, self.parts(), 0, [(0, partial)]],
                    "write_with_parts": lambda: [
                        self.lock(),
                        self.keys,
                        self.nonces,
                        [b"a"],
                        [],
                        [(b"c", "symlink")],
                        self.parts(),
                    ],
                    "__len__": list,
                },
            ),
            "OpenedParts": (
                lambda: [self.keys, *((self.parts(), self.folder / name)[1] for name in ("with parts", "parts"))],
                {
                    "find": lambda: [b"a"],
                    "path": lambda: [0],
                    "kept": lambda: [0],
                    "verify_segment": lambda: [0, 0, data],
                    "differing": lambda: [0, 0, partial],
                    "__len__": list,
                },
            ),
            "PartsLock": (
                lambda: [self.folder / "with parts", self.folder / "parts"],
                {"attempt": list, "open": lambda: [self.keys], "release": list},
            ),
            "SealedManifest": (
                lambda: [self.manifest(), self.keys],
                {"open": lambda: [self.folder / "manifest", self.keys], "line": lambda: [0], "__len__": list},
            ),
            "Nonces": (list, {"__len__": list}),
        }
        sealed = native.SSHCipher(bytes(64)).seal(1, data)
        methods["SSHCipher"] = (
            lambda: [bytes(64)],
            {
                "packet_length": lambda: [1, sealed],
                "seal": lambda: [1, data],
                "open": lambda: [1, sealed],
                "seal_in_place": lambda: [1, bytearray(24)],
                "open_in_place": lambda: [1, bytearray(sealed)],
            },
        )
        chunk = native.StreamKey(key).seal(0, True, data)
        methods["StreamKey"] = (
            lambda: [key],
            {
                "of_age": lambda: [bytes(16), bytes(16)],
                "seal": lambda: [0, True, data],
                "open": lambda: [0, True, chunk],
                "open_into": lambda: [0, True, chunk, bytearray(9)],
            },
        )
        segment = native.SegmentKeys([key]).seal(data)
        methods["SegmentKeys"] = (
            lambda: [[key]],
            {
                "seal": lambda: [data],
                "open": lambda: [0, segment],
                "open_into": lambda: [0, segment, bytearray(9)],
            },
        )
        for name in ("ChaCha20Poly1305", "XChaCha20Poly1305"):
            own = bytes(12 if name[0] == "C" else 24)
            methods[name] = (
                lambda: [key],
                {
                    "encrypt": lambda own=own: [own, data, b""],
                    "decrypt": lambda own=own: [own, bytes(20), b""],
                    "encrypt_into": lambda own=own: [own, data, b"", bytearray(20)],
                    "decrypt_into": lambda own=own: [own, bytes(20), b"", bytearray(4)],
                    "generate_key": list,
                },
            )
        methods["Poly1305"][1].update({"generate_tag": lambda: [key, data], "verify_tag": lambda: [key, data, tag]})
        methods["Poly1305Aes"][1]["generate_key"] = list
        for name, (arguments, of_class) in methods.items():
            kind = getattr(native, name)
            make = {"Objects": self.objects, "Nonces": lambda: self.nonces}.get(
                name, lambda k=kind, a=arguments: k(*a())
            )
            yield name, lambda kind=kind: kind, arguments
            for method, of in of_class.items():
                yield f"{name}.{method}", lambda make=make, method=method: getattr(make(), method), of

                def unbound(one, kind=kind, method=method, of=of):
                    return getattr(kind, method)(one, *of())

                # For an object of another class.
                yield f"{name}.{method}", lambda unbound=unbound: unbound, lambda: [None]
            yield f"{name}.__reduce_ex__", lambda make=make: make().__reduce_ex__, lambda: [2]


def public():
    """Return the names of all functions, classes and methods of the module."""
    names = set()
    for name in _native.__all__:
        names.add(name)
        if isinstance(kind := getattr(_native, name), type):
            own = (
                method for method, value in kind.__dict__.items() if callable(value) or isinstance(value, staticmethod)
            )
            names |= {f"{name}.{method}" for method in own if not method.startswith("__") or method == "__len__"}
    return names


def main():
    folder, summary = Path(sys.argv[1]), Path(sys.argv[2])
    os.chdir(folder)
    (folder / "data").write_bytes(bytes(4096))
    calls, counted, raised, wrong = Calls(folder), Counter(), Counter(), []
    calls.nonces = calls.keys.reserve(100_000)
    chosen = random.Random(1)

    def call(name, function, arguments, **keywords):
        counted[name] += 1
        try:
            function()(*arguments, **keywords)
        except ORDINARY as error:
            raised[type(error).__name__] += 1
        except BaseException as error:  # a panic
            wrong.append(f"{name}({', '.join(repr(one)[:40] for one in arguments)}): {error!r}")

    for name, function, arguments in calls.described():
        # For a descriptor of its own, which a hostile number does not name.
        calls.file = os.open(folder / "data", os.O_RDWR)
        good = arguments()
        call(name, function, good)
        for at in range(len(good)):
            for value in values():
                with_value = arguments()
                with_value[at] = value
                call(name, function, with_value)
        slow = name.startswith("KeyFile.") and len(good) < 2  # some write and wait for the disk
        hostile = values()
        for _ in range(0 if len(good) < 2 or slow else 200):
            call(name, function, [chosen.choice((one, chosen.choice(hostile))) for one in arguments()])
        call(name, function, good[:-1])
        call(name, function, [*good, None])
        call(name, function, good, unknown=1)
        os.close(calls.file)
    summary.write_text(
        json.dumps({"calls": counted, "raised": raised, "wrong": wrong, "missing": sorted(public() - set(counted))})
    )


if __name__ == "__main__":
    main()
