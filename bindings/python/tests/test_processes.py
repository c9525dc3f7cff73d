# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Copies of objects, processes and interpreters: none repeats a nonce, and none uses classes of another."""

import copy
import json
import multiprocessing
import os
import pickle
import subprocess
import sys

import hornet_poly1305 as hornet
import pytest
from hornet_poly1305 import KeyFile, _native
from hornet_poly1305._native import Objects, OpenedParts, PartsLock, SealedManifest

REFUSED = "was opened before a fork, in another process"


def in_child(run) -> list:
    """Run the function in a child after os.fork, and return what it returns."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            result = run()
        except BaseException as error:  # a child must not go on with the tests
            result = [f"failed: {error!r}"]
        os.write(write, json.dumps(result).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    assert os.waitpid(child, 0) == (child, 0)
    return json.loads(text)


def attempts(calls) -> list:
    """Return what each call raises, or "worked"."""
    found = []
    for call in calls:
        try:
            call()
            found.append("worked")
        except Exception as error:  # which is found
            found.append(f"{type(error).__name__}: {error}")
    return found


@pytest.mark.thread_unsafe(reason="forks")
def test_after_fork(tmp_path):
    keys, path = KeyFile.create(tmp_path / "key"), tmp_path / "manifest"
    nonces, evaluation = keys.reserve(2), keys.evaluation()
    objects = Objects()
    objects.add(b"a", 7, bytes(16))
    objects.sort()
    objects.put(0, evaluation.compute(b"message"))
    nonce, tag = keys.mac(b"message")

    def write():
        with path.open("wb") as file:
            objects.write(file.fileno(), keys, nonces, [b"a"], [], [])
        return path.read_bytes()

    calls = [
        write,
        lambda: keys.reserve(1),
        lambda: keys.reserve(0),
        lambda: keys.mac(b"other"),
        lambda: keys.mac_many([b"other"]),
        lambda: keys.finish_many([evaluation.compute(b"other")]),
    ]
    before = (tmp_path / "key").read_bytes()
    # In a child, and in a child of a child.
    for found in (in_child(lambda: attempts(calls)), in_child(lambda: in_child(lambda: attempts(calls)))):
        assert len(found) == 6
        for one in found:
            assert one.startswith("RuntimeError: ") and REFUSED in one, one
    assert (tmp_path / "key").read_bytes() == before
    # Verifying needs no nonce, and a file that the child opens is its own.
    allowed = [
        lambda: keys.verify(nonce, b"message", tag),
        lambda: keys.verify_partial(nonce, evaluation.compute(b"message"), tag),
        lambda: keys.derive(1),
        lambda: KeyFile(tmp_path / "key").mac(b"other"),
    ]
    assert in_child(lambda: attempts(allowed)) == ["worked"] * 4
    made = SealedManifest(write(), keys)
    keys.verify(made.line(0)[0], b"message", made.line(0)[1])


def mac_of_worker(keys):
    return attempts([lambda: keys.mac(b"message")])


@pytest.mark.thread_unsafe(reason="forks")
def test_multiprocessing(tmp_path):
    """What a forked worker has of its parent is refused, and what is sent to it cannot be."""
    keys = KeyFile.create(tmp_path / "key")
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    worker = context.Process(target=lambda: queue.put(mac_of_worker(keys)))
    worker.start()
    (found,) = queue.get()
    worker.join()
    assert REFUSED in found
    with context.Pool(1) as pool, pytest.raises(TypeError, match="KeyFile cannot be copied or pickled"):
        pool.apply(mac_of_worker, (keys,))


def test_nothing_is_copied(tmp_path):
    keys = KeyFile.create(tmp_path / "key")
    nonces = keys.reserve(1)
    objects, with_segments = Objects(), Objects()
    objects.sort()
    with (tmp_path / "manifest").open("wb") as file:
        objects.write(file.fileno(), keys, keys.reserve(1), [], [], [])
    made = [keys, nonces, objects, SealedManifest((tmp_path / "manifest").read_bytes(), keys), keys.evaluation()]
    made += [hornet.Poly1305(bytes(32)), hornet.Poly1305Aes(bytes(32))]
    made += [hornet.ChaCha20(bytes(32), bytes(12)), hornet.ChaCha20Poly1305(bytes(32))]
    made += [hornet.XChaCha20Poly1305(bytes(32)), hornet.SSHCipher(bytes(64))]
    made += [_native.StreamKey(bytes(32)), _native.SegmentKeys([bytes(32)])]
    paths = [tmp_path / "with parts", tmp_path / "parts"]
    made.append(PartsLock(*paths))
    with_segments.keep_segments(4096)
    with_segments.sort()
    with_segments.write_with_parts(made[-1], keys, keys.reserve(2), [], [], [], None)
    made.append(OpenedParts(keys, *paths))
    classes = {name for name in _native.__all__ if isinstance(getattr(_native, name), type)}
    assert {type(one).__name__ for one in made} == classes
    refused = 0
    for one in made:
        copied = [lambda: copy.copy(one), lambda: copy.deepcopy(one), lambda: copy.deepcopy([one])]
        copied += [lambda p=p: pickle.dumps(one, p) for p in range(pickle.HIGHEST_PROTOCOL + 1)]
        copied += [lambda p=p: pickle.dumps({"a": one}, p) for p in (0, 5)]
        copied += [lambda p=p: one.__reduce_ex__(p) for p in range(6)]
        copied.append(one.__reduce__)
        for call in copied:
            with pytest.raises(TypeError, match=f"{type(one).__name__} cannot be copied or pickled"):
                call()
            refused += 1
    assert refused == len(classes) * (3 + 6 + 2 + 6 + 1) == 15 * 18


INTERPRETERS = """
import sys
try:
    import _interpreters as interpreters
    create = lambda: interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as interpreters
    create = lambda: interpreters.create(isolated=False)

CODE = '''
try:
    import hornet_poly1305 as h
    try: h.ChaCha20Poly1305(bytes(32)).decrypt(bytes(12), bytes(20), None)
    except h.InvalidTag: print("caught", flush=True)
    except BaseException as error: print("not caught", flush=True)
except ImportError as error: print(error, flush=True)
'''

def run(*interpreters_):
    for one in interpreters_:
        failed = interpreters.run_string(one, CODE)
        assert failed is None, failed
"""
OTHER = "hornet_poly1305 was imported by another interpreter of this process"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        # The main one first, twice; then others.
        ("exec(CODE); a, b = create(), create(); run(a, b); exec(CODE)", ["caught", OTHER, OTHER, "caught"]),
        # Another first, twice; then a third, and the main one.
        ("a, b = create(), create(); run(a, a, b); exec(CODE); run(a)", ["caught", "caught", OTHER, OTHER, "caught"]),
        # The first has ended.
        ("a = create(); run(a); interpreters.destroy(a); exec(CODE); run(create())", ["caught", OTHER, OTHER]),
        # Imported anew by the same.
        (
            "exec(CODE)\nfor name in [name for name in sys.modules if 'hornet' in name]: del sys.modules[name]\nexec(CODE)",
            ["caught", "caught"],
        ),
        # The same, with exceptions that are new classes then.
        (
            "sys.modules['cryptography'] = None; exec(CODE)\n"
            "for name in [name for name in sys.modules if 'hornet' in name]: del sys.modules[name]\nexec(CODE)",
            ["caught", "caught"],
        ),
    ],
)
def test_interpreters(code, expected):
    run = subprocess.run([sys.executable, "-c", INTERPRETERS + code], capture_output=True, text=True)
    lines = run.stdout.splitlines()
    assert run.returncode == 0 and len(lines) == len(expected), (run.stdout, run.stderr)
    for line, beginning in zip(lines, expected, strict=True):
        assert line.startswith(beginning)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="interpreters with a GIL of their own are of 3.12")
def test_an_interpreter_with_its_own_gil():
    code = INTERPRETERS.replace('"legacy"', '"isolated"').replace("isolated=False", "isolated=True")
    run = subprocess.run([sys.executable, "-c", code + "run(create()); exec(CODE)"], capture_output=True, text=True)
    assert run.stdout.splitlines() == [
        "module hornet_poly1305._native does not support loading in subinterpreters",
        "caught",
    ]
