# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Parts files: ranges that are verified alone, and new tags of what has changed, which come from kept values alone."""

import io
import os
import random
import threading

import pytest
from hornet_poly1305 import Evaluation, InvalidSignature, KeyFile, Parts
from hornet_poly1305._native import Objects, PartsLock, SealedManifest

SEGMENT = 4096
FILES = {
    b"empty": b"",
    b"one": b"x",
    b"short": bytes(range(256)) * 3,
    b"exact": b"segment." * 1024,
    b"long": random.Random(1).randbytes(5 * SEGMENT + 123),
}


def lock_and_write(folder, keys, files, pins=None):
    """Write a manifest of these files and its parts, as hornet-cluster does."""
    objects, evaluation = Objects(), keys.evaluation()
    objects.keep_segments(SEGMENT)
    for name, content in files.items():
        objects.add(name, len(content), (pins or {}).get(name, bytes(16)))
    objects.sort()
    for name, content in files.items():
        values = evaluation.compute_segments(content, SEGMENT) or evaluation.compute(b"")
        objects.put_segments(objects.find(name), evaluation.join(values), values)
    lock = PartsLock(folder / "manifest", folder / "parts")
    objects.write_with_parts(lock, keys, keys.reserve(len(files) + 2), [b"."], [], [], None)
    lock.release()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / os.fsdecode(name)).write_bytes(content)
    lock_and_write(tmp_path, KeyFile.create("key"), FILES)
    return tmp_path


def assert_tags(files):
    """Check that the manifest has the tags of exactly these contents, and the parts their values."""
    keys, parts = KeyFile("key"), Parts("key", "manifest", "parts")
    with open("manifest", "rb") as file:
        sealed = SealedManifest(file.read(), keys)
    assert list(parts) == sorted(files) and len(sealed) == len(files)
    for index in range(len(sealed)):
        nonce, tag, path = sealed.line(index)
        keys.verify(nonce, files[path], tag)
        parts.verify(path, source=io.BytesIO(files[path]))
        assert parts.size(path) == len(files[path])


def test_values_of_segments():
    """For any length, in memory and in files with holes, the values are those of each segment alone."""
    evaluation, generator = Evaluation(bytes(range(15)) + b"\0"), random.Random(2)
    for length in (0, 1, 15, 16, 17, 4096, 5000, 200_000, 300_001):
        message = generator.randbytes(length)
        for segment in (16, 48, 4096, 131072, 1 << 20):
            pieces = [message[at : at + segment] for at in range(0, length, segment)]
            expected = b"".join(map(evaluation.compute, pieces))
            assert evaluation.compute_segments(message, segment) == expected
            assert evaluation.join(expected) == evaluation.compute(message)
    for wrong in (0, 8, 17):
        with pytest.raises(ValueError, match=f"multiple of 16, not {wrong}"):
            evaluation.compute_segments(b"", wrong)


@pytest.mark.parametrize("where", [None, "/dev/shm"])
def test_files_with_holes(tmp_path, where):
    if where is not None and not os.access(where, os.W_OK):
        pytest.skip(f"no {where}")
    evaluation, generator = Evaluation(bytes(range(15)) + b"\0"), random.Random(3)
    path = tmp_path / "sparse" if where is None else os.path.join(where, f"hornet-{os.getpid()}")
    try:
        for _ in range(20):
            length = generator.choice([1 << 20, (1 << 20) + 77, 3 << 19, 65536])
            with open(path, "wb") as file:
                for _ in range(generator.randrange(4)):
                    file.seek(generator.randrange(length))
                    file.write(generator.randbytes(generator.choice([1, 5000, 100_000])))
                file.truncate(length)
            content = open(path, "rb").read()
            start = generator.randrange(length) & -65536
            with open(path, "rb") as file:
                for segment in (0, 4096, 65536, 1 << 20):
                    found, read = evaluation.compute_file_segments(file.fileno(), start, length - start, segment)
                    pieces = [content[at : at + (segment or length)] for at in range(start, length, segment or length)]
                    assert found == b"".join(map(evaluation.compute, pieces))
                    assert read <= length - start
                    if where is not None and not any(content):
                        assert read == 0 or length - start < 65536
                    if Evaluation.is_hole(file.fileno(), start, length - start):
                        assert read == 0 and not any(content[start:])
                    else:
                        assert read > 0
                with pytest.raises(EOFError, match="within the"):
                    evaluation.compute_file_segments(file.fileno(), 0, length + 1, 4096)
                with pytest.raises(EOFError, match="within the"):
                    evaluation.compute_file_segments(file.fileno(), 16, 2**64 - 1, 4096)
                with pytest.raises(ValueError, match="offset must be a multiple of 16, not 8"):
                    evaluation.compute_file_segments(file.fileno(), 8, 8, 4096)
    finally:
        os.unlink(path)


def test_ranges(folder):
    """Each range of a file passes; it fails if, and only if, a segment that it touches has changed."""
    parts = Parts("key", "manifest", "parts")
    assert parts.segment_bytes == SEGMENT and list(parts) == sorted(FILES) and parts.size("long") == 5 * SEGMENT + 123
    assert_tags(FILES)
    for name in FILES:
        parts.verify(name)
    changed = bytearray(FILES[b"long"])
    changed[2 * SEGMENT + 7] ^= 1
    (folder / "long").write_bytes(changed)
    generator = random.Random(4)
    for _ in range(300):
        start, end = sorted(generator.sample(range(len(changed) + 1), 2))
        touches = start < 3 * SEGMENT and end > 2 * SEGMENT
        if touches:
            with pytest.raises(InvalidSignature, match="long: segment 2, bytes 8192 to 12288: differs"):
                parts.verify("long", start, end - start)
        else:
            parts.verify("long", start, end - start)
    for offset, length in [(0, 0), (-1, 5), (0, len(changed) + 1), (len(changed), 1), (2**63, 1), (5, -1), (3, 2**64)]:
        with pytest.raises(ValueError, match=f"long: {length} bytes from {offset} on"):
            parts.verify("long", offset, length)
    with pytest.raises(KeyError, match="absent"):
        parts.verify("absent")
    for length in (len(changed) - 1, len(changed) + 1):
        os.truncate("long", length)
        with pytest.raises(InvalidSignature, match=f"long: has {length} bytes, and not {len(changed)}"):
            parts.verify("long", 0, 1)
    os.unlink("one")
    with pytest.raises(FileNotFoundError):
        parts.verify("one")


class Source(io.BytesIO):
    """An object of a store, which counts what is read, and returns less than it was asked for."""

    def __init__(self, content, most=1000):
        super().__init__(content)
        self.count, self.most = 0, most

    def read(self, length=-1):
        found = super().read(min(length, self.most))
        self.count += len(found)
        return found


def test_random_access(folder):
    parts, content = Parts("key", "manifest", "parts"), FILES[b"long"]
    source = Source(content)
    with parts.open("long", source) as file:
        assert file.readable() and file.seekable() and not file.writable()
        generator = random.Random(5)
        for _ in range(300):
            at, count = generator.randrange(len(content) + 10), generator.randrange(2 * SEGMENT)
            assert file.seek(at) == at == file.tell()
            found = file.read(count)
            assert found == content[at : at + len(found)] and (found or at >= len(content) or count == 0)
        assert file.seek(-10, os.SEEK_END) == len(content) - 10 and file.read(100) == content[-10:]
        with pytest.raises(ValueError, match="negative position"):
            file.seek(-1)
    assert not source.closed
    with pytest.raises(ValueError, match="closed"):
        file.read(1)
    # A page of 4 KiB costs a segment.
    source = Source(content)
    with io.BufferedReader(parts.open("long", source), 16) as buffered:
        buffered.seek(3 * SEGMENT + 5)
        assert buffered.read(10) == content[3 * SEGMENT + 5 :][:10] and source.count == SEGMENT
    for wrong in (content[:-1], content[:100], b"", content[:-1] + b"?"):
        with parts.open("long", Source(wrong)) as file:
            file.seek(5 * SEGMENT)
            with pytest.raises(InvalidSignature, match="long: segment 5"):
                file.read()
    with parts.open("long", Source(content + b"more")) as file:
        assert file.readall() == content

    class More(io.BytesIO):
        def read(self, length=-1):
            return super().read()

    with parts.open("long", More(content)) as file:
        assert file.readall() == content
    with parts.open("empty", Source(b"")) as file:
        assert file.read() == b""


def test_what_is_returned_was_verified(folder):
    """A source that answers otherwise when it is asked again is asked once; what its buffer becomes does not matter."""
    parts, content = Parts("key", "manifest", "parts"), FILES[b"long"]

    class Twice(io.BytesIO):
        asked = 0

        def read(self, length=-1):
            Twice.asked += 1
            self.found = bytearray(super().read(length) if Twice.asked == 1 else bytes(length))
            return self.found

    source = Twice(content)
    with parts.open("long", source) as file:
        assert file.read(10) == content[:10]
        source.found[:] = bytes(len(source.found))
        file.seek(0)
        assert file.read(SEGMENT) == content[:SEGMENT] and Twice.asked == 1


def test_replacing(folder):
    """10 rounds of random changes: tags and values are those of reading all, and unchanged lines stay as they are."""
    generator, files = random.Random(6), dict(FILES)
    for _ in range(10):
        before = (folder / "manifest").read_bytes().splitlines()
        name = generator.choice([b"long", b"short", b"empty", b"exact"])
        with Parts("key", "manifest", "parts").update() as update:
            at = generator.randrange(len(files[name]) + 9000)
            data = generator.randbytes(generator.randrange(1, 9000))
            update.write(name, at, data)
            update.commit()
        content = bytearray(files[name].ljust(at, b"\0"))
        content[at : at + len(data)] = data
        files[name] = bytes(content)
        (folder / os.fsdecode(name)).write_bytes(content)
        assert_tags(files)
        after = (folder / "manifest").read_bytes().splitlines()
        kept = [line for line in before if b"  " in line and not line.endswith(b"  " + name)]
        assert set(kept) <= set(after) and before[-1] != after[-1]
    # A last segment that becomes shorter.
    name, whole = b"long", len(files[b"long"]) // SEGMENT
    with Parts("key", "manifest", "parts").update() as update:
        update.replace(name, whole, b"end")
        update.commit()
    files[name] = files[name][: whole * SEGMENT] + b"end"
    assert_tags(files)


def test_wrong_changes(folder):
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with Parts("key", "manifest", "parts").update() as update:
        for segment, content in [(0, b"short"), (5, b""), (5, bytes(4097)), (6, b"x"), (-1, bytes(4096)), (2**40, b"")]:
            with pytest.raises(ValueError, match=f"long: segment {segment}: {len(content)} bytes, in a file of 20603"):
                update.replace("long", segment, content)
        for offset, data in [(-1, b"x"), (0, b"")]:
            with pytest.raises(ValueError, match="cannot be written"):
                update.write("long", offset, data)
        update.write("long", 5, b"x")
        with pytest.raises(ValueError, match="segment 0 has been changed already"):
            update.write("long", 7, b"x")
        with pytest.raises(KeyError, match="absent"):
            update.replace("absent", 0, b"x")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    with pytest.raises(RuntimeError, match="with statement"):
        update.commit()


def attack():
    """Return blocks: before the owner's update, the old one in the storage becomes old + new - other modulo 2^128, so that an
    update that takes the old value of what is there makes a tag for the other block.
    """
    old, new, other = b"old trusted text", b"pay bob    1 EUR", b"pay eve 9999 EUR"
    number = [int.from_bytes(block, "little") for block in (old, new, other)]
    evil = ((number[0] + number[1] - number[2]) % 2**128).to_bytes(16, "little")
    return old, new, other, evil


def test_the_attack(folder):
    """An old value never comes from bytes: neither by an update, nor by a method that takes one."""
    old, new, other, evil = attack()
    content = bytearray(FILES[b"long"])
    content[80:96] = old
    keys = KeyFile("key")
    lock_and_write(folder, keys, FILES | {b"long": bytes(content)})
    honest, forged = content.copy(), content.copy()
    honest[80:96], forged[80:96] = new, other

    # The algebra is open to the attack, if the old value is that of the bytes in the storage, and no method does it.
    evaluation = keys.evaluation()
    assert not hasattr(evaluation, "replace")
    storage = content.copy()
    storage[80:96] = evil
    whole, r = evaluation.compute(content), int.from_bytes(keys.r(), "little")
    difference = int.from_bytes(new, "little") - int.from_bytes(evil, "little")
    blocks_from_there = -(-(len(content) - 80) // 16)
    value = int.from_bytes(whole[:24], "little") + difference * pow(r, blocks_from_there, 2**130 - 5)
    ((nonce, tag),) = keys.finish_many([(value % (2**130 - 5)).to_bytes(24, "little") + whole[24:]])
    keys.verify(nonce, forged, tag)

    # With the parts, the segment in the storage is not what was tagged.
    (folder / "long").write_bytes(storage)
    with Parts("key", "manifest", "parts").update() as update:
        with pytest.raises(InvalidSignature, match="long: segment 0"):
            update.write("long", 80, new)
        # If the owner gives the whole new segment, it does not matter what the storage has.
        update.replace("long", 0, honest[:SEGMENT])
        update.commit()
    sealed = SealedManifest((folder / "manifest").read_bytes(), keys)
    nonce, tag, _ = sealed.line(Parts("key", "manifest", "parts")._opened.find(b"long"))
    keys.verify(nonce, honest, tag)
    with pytest.raises(InvalidSignature):
        keys.verify(nonce, forged, tag)
    # And no method of the classes takes a value for an old one.
    objects = Objects()
    objects.keep_segments(SEGMENT)
    objects.add(b"long", len(content), bytes(16))
    objects.sort()
    value = evaluation.compute(bytes(SEGMENT))
    for wrong in (value, [(0, value)], evaluation):
        with pytest.raises(TypeError):
            objects.put_changed(0, wrong, 0, [(0, value)])


def test_parts_that_are_refused(folder):
    """Parts that are cut, changed, or made for another key or manifest raise an error that names the file and the place, and nothing is written."""
    KeyFile.create("other")
    text, parts = (folder / "manifest").read_bytes(), (folder / "parts").read_bytes()
    with pytest.raises(ValueError, match="^manifest: .*another key"):
        Parts("other", "manifest", "parts")
    lock_and_write(folder, KeyFile("key"), {b"a": b"b"})
    newer = (folder / "manifest").read_bytes()
    (folder / "manifest").write_bytes(text)
    with pytest.raises(ValueError, match="^parts: these parts belong to another manifest"):
        Parts("key", "manifest", "parts")
    (folder / "parts").write_bytes(parts)
    Parts("key", "manifest", "parts").verify("long")
    for at in (0, 20, 60, 90, 110, len(parts) - 20):
        damaged = bytearray(parts)
        damaged[at] ^= 1
        (folder / "parts").write_bytes(damaged)
        with pytest.raises(ValueError, match="^parts: at byte [0-9]+"):
            Parts("key", "manifest", "parts").verify("long")
        with pytest.raises(ValueError, match="^parts: "):
            with Parts("key", "manifest", "parts").update() as update:
                update.write("long", 5, b"x")
                update.commit()
        assert (folder / "parts").read_bytes() == damaged and (folder / "manifest").read_bytes() == text
    for length in (0, 50, 104, len(parts) - 1):
        (folder / "parts").write_bytes(parts[:length])
        with pytest.raises(ValueError, match="^parts: at byte [0-9]+"):
            Parts("key", "manifest", "parts")
    os.unlink("parts")
    with pytest.raises(FileNotFoundError, match="^parts: "):
        Parts("key", "manifest", "parts")
    (folder / "manifest").write_bytes(newer)
    with pytest.raises(OSError, match="manifest"):
        Parts("key", "manifest", "manifest")
    assert {"key", "manifest", "other", *map(os.fsdecode, FILES)} == set(os.listdir())


def test_two_updates(folder):
    """The second waits for the first, and goes on from what that has made."""
    order = []

    def second():
        with Parts("key", "manifest", "parts").update() as update:
            order.append("second")
            update.write("short", 0, b"Z")
            update.commit()

    with Parts("key", "manifest", "parts").update() as update:
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.3)
        assert thread.is_alive()
        order.append("first")
        update.write("long", 0, b"Y")
        update.commit()
    thread.join(20)
    assert order == ["first", "second"]
    assert_tags(FILES | {b"short": b"Z" + FILES[b"short"][1:], b"long": b"Y" + FILES[b"long"][1:]})
