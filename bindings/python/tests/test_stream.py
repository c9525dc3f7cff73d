# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Sealed texts as files: age's and Crypt4GH's, beside the libraries of both, and what is done to them."""

import array
import base64
import copy
import functools
import gc
import hashlib
import hmac
import io
import os
import pickle
import random

import crypt4gh.header
import crypt4gh.lib
import numpy
import pyrage
import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305 as Pyca
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hornet_poly1305 import InvalidTag
from hornet_poly1305.stream import (
    ChunkError,
    CutOffError,
    GoesOnError,
    Reader,
    SegmentKeys,
    SegmentReader,
    SegmentWriter,
    StreamKey,
    Writer,
    new_identity,
    open_age,
    seal_age,
)

KEY = bytes(range(32))
C, S = 65536, 65552
LENGTHS = [0, 1, 100, C - 1, C, C + 1, 2 * C, 3 * C + 5, 20 * C - 1, 20 * C]


@functools.cache
def text_of(length: int) -> bytes:
    return random.Random(length).randbytes(length)


def sealed_by_definition(text: bytes) -> bytes:
    """Return what c2sp.org/age says."""
    chunks = [text[at : at + C] for at in range(0, len(text), C)] or [b""]
    nonces = [i.to_bytes(11, "big") + bytes([i == len(chunks) - 1]) for i in range(len(chunks))]
    return b"".join(Pyca(KEY).encrypt(nonce, chunk, None) for nonce, chunk in zip(nonces, chunks, strict=True))


def written(length: int, sizes, make=Writer) -> bytes:
    """Return what a writer makes of a text in pieces of these sizes, in turn."""
    sink, text, at, number = io.BytesIO(), memoryview(text_of(length)), 0, 0
    with make(KEY, sink) as writer:
        while at < length:
            size = sizes[number % len(sizes)]
            assert writer.write(text[at : at + size]) == len(text[at : at + size])
            at, number = at + size, number + 1
            assert writer.tell() == min(at, length)
    assert writer.closed and not sink.closed
    return sink.getvalue()


class Source(io.BytesIO):
    """A file that counts what is read."""

    def __init__(self, content):
        super().__init__(content)
        self.requests = []

    def readinto(self, buffer):
        self.requests.append((self.tell(), len(buffer)))
        return super().readinto(buffer)


class Pipe:
    """A file that only reads, less than it was asked for."""

    def __init__(self, content, most=50_000):
        self.content, self.most = io.BytesIO(content), most

    def read(self, size):
        return self.content.read(min(size, self.most))


SOURCES = pytest.mark.parametrize("source", [Source, Pipe])


@pytest.mark.parametrize("length", LENGTHS)
def test_what_is_written(length):
    expected = sealed_by_definition(text_of(length))
    for sizes in [[max(1, length)], [C], [C + 1], [1, C - 1, 3 * C], [7 * C - 1, 2], [50_000]]:
        assert written(length, sizes) == expected
    assert StreamKey(KEY).seal(0, True, text_of(length)) == expected
    assert StreamKey(KEY).open(0, True, expected) == text_of(length)


@SOURCES
@pytest.mark.parametrize("length", LENGTHS)
def test_what_is_read(length, source):
    sealed, text = sealed_by_definition(text_of(length)), text_of(length)
    assert Reader(KEY, source(sealed)).read() == text
    for size in (1 << 20, C, C - 1, 10_000):
        reader, found = Reader(StreamKey(KEY), source(sealed)), []
        while piece := reader.read(size):
            assert len(piece) == min(size, length - size * len(found))
            found.append(piece)
        assert b"".join(found) == text and reader.tell() == length and reader.read(5) == reader.read() == b""
        memory = bytearray(length + 5)
        assert Reader(KEY, source(sealed)).readinto(memory) == length and memory == text + bytes(5)
    reader, found = Reader(KEY, source(sealed)), b""
    while piece := reader.read1(100_000):
        assert reader.tell() == len(found) + len(piece)
        found += piece
    assert found == text


def test_seeks():
    text = text_of(LENGTHS[-1] - 3 * C - 777)
    source, chosen = Source(b"before" + sealed_by_definition(text)), random.Random(1)
    source.seek(6)
    reader = Reader(KEY, source)
    assert reader.seekable() and reader.readable() and not reader.writable() and source.requests == []
    edges = [at + by for at in (0, C, 2 * C, 16 * C, len(text)) for by in (-1, 0, 1) if at + by >= 0]
    for round_ in range(300):
        at = edges[round_ % len(edges)] if round_ < 100 else chosen.randrange(len(text) + 10)
        size = chosen.choice([0, 1, 100, C - 1, C, C + 1, 3 * C, -1])
        assert reader.seek(at) == at
        if round_ % 2:
            assert reader.read(size) == text[at:][: size if size >= 0 else None]
        else:
            memory = bytearray(max(size, 0))
            count = reader.readinto(memory)
            assert memory[:count] == text[at : at + len(memory)] and not any(memory[count:])
    assert reader.seek(-5, os.SEEK_END) == len(text) - 5 and reader.read() == text[-5:]
    assert reader.seek(-C, os.SEEK_CUR) == len(text) - C and reader.read(4) == text[-C : 4 - C]
    assert reader.seek(len(text) + 9) == len(text) + 9 and reader.read(1) == b""
    for offset, whence in [(-1, os.SEEK_SET), (-len(text) - 1, os.SEEK_END), (0, 3)]:
        with pytest.raises(ValueError, match="negative position|whence"):
            reader.seek(offset, whence)
    with pytest.raises(io.UnsupportedOperation):
        Reader(KEY, Pipe(b"")).seek(0)
    with pytest.raises(io.UnsupportedOperation):
        _ = Reader(KEY, Pipe(b"")).size


def test_requests():
    """A range takes one request, of its chunks; only what depends on the end reads the last one, once."""
    source = Source(sealed_by_definition(text_of(20 * C - 1)))
    reader = Reader(KEY, source)
    reader.seek(5 * C + 10)
    reader.read(2 * C)
    assert source.requests == [(5 * S, 3 * S)]
    reader.read(100)
    assert len(source.requests) == 1
    assert reader.size == 20 * C - 1
    reader.seek(0, os.SEEK_END)
    reader.seek(30 * C)
    assert reader.read() == b"" and reader.size == 20 * C - 1
    assert source.requests[1:] == [(19 * S, S - 1)]
    reader.seek(0)
    reader.read()
    assert source.requests[2:] == [(0, 20 * S - 1)]
    source.seek(0)
    reader = Reader(KEY, source)
    reader.seek(3 * C - 1)
    assert reader.readinto(bytearray(4 * C + 2)) == 4 * C + 2
    assert source.requests[3:] == [(2 * S, 6 * S)]
    big = StreamKey(KEY).seal(0, True, bytes(400 * C))
    source = Source(big)
    assert Reader(KEY, source).read() == bytes(400 * C)
    assert source.requests == [(at * S, min(64, 400 - at) * S) for at in range(0, 400, 64)]


def refused(sealed: bytes, source, size=C):
    """Return what is raised when a text is read, after the text that was released before it."""
    reader, found = Reader(KEY, source(sealed)), b""
    with pytest.raises(ChunkError) as raised:
        while piece := reader.read(size):
            found += piece
    with pytest.raises(type(raised.value)) as again:
        reader.read(1)
    assert again.value is raised.value
    # What was released is text, up to that chunk.
    assert text_of(4 * C + 9)[: len(found)] == found and len(found) <= raised.value.chunk * C
    return type(raised.value), raised.value.chunk, len(found)


@SOURCES
@pytest.mark.parametrize("size", [C, 4 * C])
def test_chunks_that_are_moved(source, size):
    sealed = sealed_by_definition(text_of(4 * C + 9))
    chunks = [sealed[at : at + S] for at in range(0, len(sealed), S)]
    for order, error, chunk in [
        ([1, 0, 2, 3, 4], ChunkError, 0),
        ([0, 0, 1, 2, 3, 4], ChunkError, 1),
        ([0, 2, 3, 4], ChunkError, 1),
        ([0, 1, 3, 2, 4], ChunkError, 2),
        ([0, 1, 2, 3], CutOffError, 4),
        ([0, 1, 2], CutOffError, 3),
        ([0, 1, 2, 4], ChunkError, 3),
        ([0, 1, 2, 3, 4, 4], ChunkError, 4),
        ([4], ChunkError, 0),
        ([], CutOffError, 0),
    ]:
        found = refused(b"".join(chunks[i] for i in order), source, size)
        assert found == (error, chunk, chunk * C // size * size if chunk < len(order) else found[2]), order
    for more in (b"\0", bytes(15), bytes(16), bytes(17), bytes(S), chunks[0]):
        assert refused(sealed + more, source)[:2] == (ChunkError, 4)
        whole = sealed_by_definition(text_of(4 * C + 9)[: 2 * C])
        assert refused(whole + more, source)[:2] == (GoesOnError, 1)
        assert refused(whole + more, source, 4 * C)[:2] == (GoesOnError, 1)


@SOURCES
def test_cuts(source):
    sealed = sealed_by_definition(text_of(4 * C + 9))
    edges = [at + by for at in range(0, len(sealed), S) for by in range(-20, 21)] + [len(sealed) - 1]
    for length in sorted({edge for edge in edges if 0 <= edge < len(sealed)}):
        error, chunk, _ = refused(sealed[:length], source)
        assert refused(sealed[:length], source, 9 * C)[:2] == (error, chunk), length
        rest = length % S
        assert chunk == length // S
        assert error is (CutOffError if rest < 16 or rest == 16 and length > S else ChunkError), length


class Late(Pipe):
    """A file of which one read fails."""

    def __init__(self, content, fails):
        super().__init__(content, 2**30)
        self.left = fails

    def read(self, size):
        self.left -= 1
        if self.left == 0:
            raise TimeoutError
        return super().read(size)


def test_text_that_an_error_lost():
    """What was read before an error, and cannot be read again, does not make the text shorter."""
    text = text_of(150 * C)
    sealed = sealed_by_definition(text)
    for fails in (1, 2, 3, 4):
        for read in (Reader.read, lambda reader: reader.readinto(bytearray(len(text) + 1))):
            reader = Reader(KEY, Late(sealed, fails))
            with pytest.raises(TimeoutError):
                read(reader)
            try:
                assert reader.read() == text
            except OSError as error:
                assert fails > 1 and "text is lost" in str(error)
    # Nor does the attempt to seek.
    sealed = bytearray(sealed)
    sealed[70 * S] ^= 1
    reader = Reader(KEY, Pipe(sealed))
    assert reader.read(70 * C) == text[: 70 * C]
    for _ in range(2):
        with pytest.raises(ChunkError, match="chunk 70 "):
            reader.read()
        with pytest.raises(io.UnsupportedOperation):
            reader.seek(0)


def test_each_byte():
    """Whatever byte of an age file changes, header or payload, nothing is released."""
    identity, recipient = new_identity()
    sealed, text = io.BytesIO(), text_of(100)
    with seal_age(sealed, [recipient]) as writer:
        writer.write(text)
    sealed = sealed.getvalue()
    assert open_age(io.BytesIO(sealed), [identity]).read() == text
    payload = len(sealed) - 100 - 16
    for at in range(len(sealed)):
        for bit in (1, 128):
            changed = bytearray(sealed)
            changed[at] ^= bit
            for source in (io.BytesIO(changed), Pipe(changed)):
                with pytest.raises(ChunkError if at >= payload - 16 else (ValueError, InvalidTag)):
                    open_age(source, [identity]).read(1)
    for length in range(len(sealed)):
        with pytest.raises((ValueError, CutOffError, InvalidTag)):
            open_age(io.BytesIO(sealed[:length]), [identity]).read(1)
    sealed = bytearray(sealed_by_definition(text_of(2 * C + 9)))
    for at in [*range(0, 40), *range(S - 20, S + 20), *range(2 * S - 20, len(sealed))]:
        sealed[at] ^= 4
        with pytest.raises(ChunkError) as raised:
            Reader(KEY, io.BytesIO(sealed)).read()
        assert raised.value.chunk == at // S
        sealed[at] ^= 4


def test_a_chunk_that_is_changed_is_not_in_the_way_of_others():
    sealed = bytearray(sealed_by_definition(text_of(4 * C + 9)))
    sealed[2 * S] ^= 1
    reader = Reader(KEY, io.BytesIO(sealed))
    memory = bytearray(4 * C)
    with pytest.raises(ChunkError, match="chunk 2 is not authentic"):
        reader.readinto(memory)
    assert not any(memory[2 * C :]) and reader.tell() == 0
    reader.seek(3 * C - 1)
    with pytest.raises(ChunkError):
        reader.read(2)
    reader.seek(3 * C)
    assert reader.read() == text_of(4 * C + 9)[3 * C :]
    # The file becomes shorter while it is open.
    source = io.BytesIO(sealed_by_definition(text_of(2 * C)))
    reader = Reader(KEY, source)
    source.truncate(S + 5)
    assert reader.read(C) == text_of(2 * C)[:C]
    with pytest.raises(CutOffError, match="cut off at chunk 1"):
        reader.read(C)


def age_lengths():
    return [*range(0, 20), 100, 4096, C - 1, C, C + 1, 2 * C - 1, 2 * C, 2 * C + 1, 1_000_003, 16 * C]


def test_rage_opens_and_seals():
    """30 lengths each way, with the library of rage."""
    assert len(age_lengths()) == 30
    identity, recipient = new_identity()
    theirs = pyrage.x25519.Identity.generate()
    both = [recipient, str(theirs.to_public())]
    for length in age_lengths():
        text, sink = text_of(length), io.BytesIO()
        with seal_age(sink, both) as writer:
            writer.write(text)
        ours = pyrage.x25519.Identity.from_str(identity)
        assert pyrage.decrypt(sink.getvalue(), [ours]) == pyrage.decrypt(sink.getvalue(), [theirs]) == text
        recipients = [pyrage.x25519.Recipient.from_str(one) for one in both]
        sealed = pyrage.encrypt(text, recipients)
        other = new_identity()[0]
        for identities in ([identity], [str(theirs)], [other, identity]):
            for source in (io.BytesIO(b"?" + sealed), Pipe(b"?" + sealed)):
                source.read(1)
                reader = open_age(source, identities)
                assert reader.read() == text
            reader = open_age(io.BytesIO(sealed), identities)
            assert reader.size == length and reader.seek(length // 2) == length // 2
            assert reader.read() == text[length // 2 :]


def test_age_headers_that_are_refused():
    identity, recipient = new_identity()
    sealed = pyrage.encrypt(b"text", [pyrage.x25519.Recipient.from_str(recipient)])
    armoured = pyrage.encrypt(b"text", [pyrage.x25519.Recipient.from_str(recipient)], armored=True)
    for file, identities, why in [
        (sealed, [new_identity()[0]], "for none of these identities"),
        (sealed, [], "for none of these identities"),
        (sealed, [recipient], "identity 0: not an identity"),
        (sealed, [identity, identity.lower()], "identity 1: not an identity"),
        (armoured, [identity], "armour"),
        (b"", [identity], "line 1 of the header: not a file sealed by age v1"),
        (b"age-encryption.org/v2\n", [identity], "another version"),
        (b"age-encryption.org/v1\n--- AAAA\n" + bytes(16), [identity], "line 2 of the header"),
        (bytes(100_000), [identity], "not a file sealed by age v1"),
    ]:
        for source in (io.BytesIO(file), Pipe(file)):
            with pytest.raises(ValueError, match=why) as raised:
                open_age(source, identities)
            assert identity[16:] not in str(raised.value)
    for recipients, why in [
        ([], "no recipients"),
        ([recipient, "age1x"], "recipient 1: not a recipient"),
        ([identity], "recipient 0: a secret identity"),
    ]:
        with pytest.raises(ValueError, match=why) as raised:
            seal_age(io.BytesIO(), recipients)
        assert identity[16:] not in str(raised.value)
    with pytest.raises(TypeError):
        open_age(io.BytesIO(sealed), identity)
    # As is one line, byte by byte: a second, and not many.
    with pytest.raises(ValueError, match="line 2 of the header: cut off"):
        open_age(Pipe(b"age-encryption.org/v1\n" + bytes(1 << 20)), [identity])
    # A header of a megabyte is read in time that grows with it.
    long = b"age-encryption.org/v1\n" + b"-> grease\n\n" * 100_000
    source = io.BytesIO(long + sealed[sealed.index(b"-> X25519") :])
    with pytest.raises(InvalidTag, match="line 20\\d{4} of the header: not authentic"):
        open_age(source, [identity])


def test_a_passphrase():
    # By hand, with a work factor of 2^10: libraries take what lasts a second.
    file_key, salt, nonce = os.urandom(16), os.urandom(16), os.urandom(16)

    def encoded(data: bytes) -> bytes:
        return base64.b64encode(data).rstrip(b"=")

    wrap = hashlib.scrypt(b"a passphrase", salt=b"age-encryption.org/v1/scrypt" + salt, n=1024, r=8, p=1, dklen=32)
    body = Pyca(wrap).encrypt(bytes(12), file_key, None)
    head = b"age-encryption.org/v1\n-> scrypt %s 10\n%s\n---" % (encoded(salt), encoded(body))
    tag = hmac.digest(HKDF(SHA256(), 32, None, b"header").derive(file_key), head, "sha256")
    payload = StreamKey.of_age(file_key, nonce).seal(0, True, text_of(C + 1))
    sealed = head + b" " + encoded(tag) + b"\n" + nonce + payload
    assert pyrage.passphrase.decrypt(sealed, "a passphrase") == text_of(C + 1)
    assert open_age(Pipe(sealed), passphrase=bytearray(b"a passphrase")).read() == text_of(C + 1)
    with pytest.raises(ValueError, match="another passphrase"):
        open_age(io.BytesIO(sealed), passphrase=b"another")


def test_keys():
    """The payload's key is derived as age does, and shows in no text and no copy."""
    file_key, nonce = bytes(range(16)), bytes(range(50, 66))
    derived = HKDF(SHA256(), 32, nonce, b"payload").derive(file_key)
    assert StreamKey.of_age(file_key, nonce).open(0, True, StreamKey(derived).seal(0, True, b"text")) == b"text"
    objects = [StreamKey(KEY), SegmentKeys([KEY]), Reader(KEY, io.BytesIO()), SegmentReader([KEY], io.BytesIO())]
    objects += [Writer(KEY, io.BytesIO()), SegmentWriter(KEY, io.BytesIO())]
    for one in objects:
        assert KEY.hex() not in repr(one) and repr(KEY)[2:-1] not in repr(one)
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError):
                call(one)
    for one in objects[4:]:
        one.discard()
    error = pickle.loads(pickle.dumps(CutOffError("cut off at chunk 3", 3)))
    assert type(error) is CutOffError and error.chunk == 3 and str(error) == "cut off at chunk 3"
    assert isinstance(error, InvalidTag) and isinstance(error, EOFError)


def test_arguments():
    for length in (0, 31, 33):
        with pytest.raises(ValueError, match=f"32 bytes, not {length}"):
            Reader(bytes(length), io.BytesIO())
        with pytest.raises(ValueError, match=f"32 bytes, not {length}"):
            SegmentReader([KEY, bytes(length)], io.BytesIO())
    with pytest.raises(ValueError, match="no data keys"):
        SegmentReader([], io.BytesIO())
    with pytest.raises(ValueError, match="negative lengths"):
        SegmentReader([KEY], io.BytesIO(), [1, -1])
    for call in (lambda: Reader("x" * 32, io.BytesIO()), lambda: Writer(None, io.BytesIO()), lambda: StreamKey([1])):
        with pytest.raises(TypeError):
            call()
    key = StreamKey(KEY)
    with pytest.raises(ValueError, match="not whole chunks"):
        key.seal(0, False, b"x")
    with pytest.raises(ValueError, match="not whole chunks"):
        key.seal(1, True, b"")
    with pytest.raises(OverflowError):
        key.seal(2**64 - 1, True, bytes(C + 1))
    with pytest.raises(OverflowError):
        key.open(2**64 - 1, True, bytes(S + 17))
    assert key.open(2**64 - 1, True, key.seal(2**64 - 1, True, b"x")) == b"x"
    for keys, first in [(key, (0, True)), (SegmentKeys([KEY]), (0,))]:
        sealed = keys.seal(*first, b"text") if keys is key else keys.seal(b"text")
        memory = bytearray(len(sealed) + 2)
        memory[2:] = sealed
        for buf, why in [(bytearray(3), "at least 4 bytes, not 3"), (memory, "must not overlap")]:
            with pytest.raises(ValueError, match=why):
                keys.open_into(*first, memoryview(memory)[2:], buf)
        assert keys.open_into(*first, sealed, memory) == 4 and memory[:6] == b"text" + sealed[2:4]
        with pytest.raises(ChunkError):
            keys.open_into(*first, sealed[:-1] + bytes([sealed[-1] ^ 1]), memory)
        assert memory[:6] == bytes(4) + sealed[2:4]
    with pytest.raises(CutOffError) as raised:
        key.open(5, False, bytes(2 * S + 100))
    assert raised.value.chunk == 7


def test_buffers_and_wrappers():
    numbers = numpy.arange(50_000, dtype=">i8").reshape(10, 5000)
    for data in (
        numbers,
        numbers.T,
        bytearray(100),
        array.array("d", [1.5] * 100),
        memoryview(b"abc"),
        numpy.zeros((0, 3)),
    ):
        sink, content = io.BytesIO(), memoryview(data).tobytes("A")
        with Writer(KEY, sink) as writer:
            assert writer.write(data) == len(content)
            writer.write(b"")
        assert Reader(KEY, io.BytesIO(sink.getvalue())).read() == content
    back = numpy.zeros_like(numbers)
    sealed = StreamKey(KEY).seal(0, True, numbers)
    assert Reader(KEY, io.BytesIO(sealed)).readinto(back) == numbers.nbytes and (back == numbers).all()
    writer = Writer(KEY, io.BytesIO())
    for wrong, error in [("text", TypeError), (memoryview(bytes(8))[::2], BufferError), (None, TypeError)]:
        with pytest.raises(error):
            writer.write(wrong)
    writer.discard()
    with pytest.raises(TypeError):
        Reader(KEY, io.BytesIO(sealed)).readinto(bytes(4))

    lines = b"".join(b"line %d\n" % i for i in range(20_000))
    sealed = sealed_by_definition(lines)
    reader = Reader(KEY, Pipe(sealed))
    assert reader.peek(5)[:5] == b"line " and reader.tell() == 0
    assert reader.readline() == b"line 0\n" and reader.readlines() == lines.splitlines(True)[1:]
    with io.TextIOWrapper(Reader(KEY, io.BytesIO(sealed))) as text:
        assert [line.strip() for line in text][19_999] == "line 19999"
    with io.BufferedReader(Reader(KEY, io.BytesIO(sealed)), 1000) as buffered:
        buffered.seek(100_001)
        assert buffered.read(7) == lines[100_001:100_008]
    reader = Reader(KEY, source := io.BytesIO(sealed))
    reader.close()
    reader.close()
    for call in (reader.read, reader.tell, reader.peek, lambda: reader.size, lambda: reader.seek(0)):
        with pytest.raises(ValueError, match="closed"):
            call()
    assert not source.closed


class Sink(io.RawIOBase):
    """A file that takes at most 40,000 bytes at a time, and fails after some."""

    def __init__(self, most=2**60):
        self.taken, self.most = bytearray(), most

    def writable(self):
        return True

    def write(self, data):
        if len(self.taken) >= self.most:
            raise OSError("full")
        self.taken += data[:40_000]
        return min(len(data), 40_000)


class Silent:
    """A file whose write returns nothing, and that keeps what it gets."""

    def __init__(self):
        self.parts = []

    def write(self, data):
        self.parts.append(data)


def test_what_is_not_closed_has_no_end():
    text = text_of(4 * C + 9)
    sink = Sink()
    with pytest.raises(ZeroDivisionError), Writer(KEY, sink) as writer:
        writer.write(text[: 2 * C])
        1 / 0  # noqa: B018
    assert writer.closed and bytes(sink.taken) == sealed_by_definition(text)[:S]
    assert refused(bytes(sink.taken), Source)[:2] == (CutOffError, 1)
    sink = Sink()
    with pytest.warns(ResourceWarning, match="unclosed .*no end"):
        Writer(KEY, sink).write(b"text")
        gc.collect()
    assert sink.taken == b""
    writer = Writer(KEY, sink)
    writer.discard()
    writer.discard()
    writer.close()
    assert sink.taken == b""
    with pytest.raises(ValueError, match="closed"):
        writer.write(b"x")
    # What was not written is not sealed again, and the text never ends.
    sink = Sink(S + 1)
    writer = Writer(KEY, sink)
    with pytest.raises(OSError, match="full"):
        writer.write(text)
    written = bytes(sink.taken)
    assert written == sealed_by_definition(text)[: len(written)]
    sink.most = 2**60
    with pytest.raises(OSError, match="an earlier chunk was not written"):
        writer.write(text)
    with pytest.raises(OSError, match="an earlier chunk was not written"):
        writer.close()
    assert writer.closed and sink.taken == written
    silent = Silent()
    for sink in (Sink(), silent):
        with Writer(KEY, sink) as writer:
            writer.write(text)
    assert b"".join(silent.parts) == sealed_by_definition(text)

    class Full(Sink):
        def write(self, data):
            return None

    with pytest.raises(BlockingIOError), Writer(KEY, Full()) as writer:
        writer.write(text)

    class Empty:
        def read(self, size):
            return None

    with pytest.raises(BlockingIOError):
        Reader(KEY, Empty()).read()


class Liar(io.BytesIO):
    """A file whose numbers are wrong by this."""

    wrong = 0

    def readinto(self, buffer):
        return super().readinto(buffer) + self.wrong

    def write(self, data):
        return self.wrong if self.wrong < 1 else len(data) + self.wrong


class Generous(Pipe):
    """A file that gives more than it was asked for."""

    def read(self, size):
        return self.content.read(size + 1)


def test_files_that_lie():
    text = text_of(2 * C)
    sealed = sealed_by_definition(text)
    liar = Liar(sealed)
    reader = Reader(KEY, liar)
    for liar.wrong in (1, -(2**20)):
        liar.seek(0)
        with pytest.raises(OSError, match=f"the sealed file gave {len(sealed) + liar.wrong} bytes"):
            reader.read()
    with pytest.raises(OSError, match="the sealed file gave 4195330 bytes where 4195329 have room"):
        Reader(KEY, Generous(sealed_by_definition(text_of(65 * C)))).read()
    # Nothing is a number too: of a file that took nothing.
    for wrong, why in ((0, "takes no bytes now"), (-1, "took -1 of 17 bytes"), (1, "took 18 of 17 bytes")):
        liar = Liar()
        liar.wrong = wrong
        with pytest.raises(OSError, match=why), Writer(KEY, liar) as writer:
            writer.write(b"x")
    sink = Sink()
    sink.write = lambda data: Sink.write(sink, data[:50])
    identity, recipient = new_identity()
    with seal_age(sink, [recipient]) as writer:
        writer.write(b"text")
    assert open_age(io.BytesIO(sink.taken), [identity]).read() == b"text"


def segments_by_definition(text: bytes, keys=(KEY,)) -> bytes:
    """Return segments under these keys in turn."""
    chunks = [text[at : at + C] for at in range(0, len(text), C)]
    sealed = [(os.urandom(12), Pyca(keys[i % len(keys)]), chunk) for i, chunk in enumerate(chunks)]
    return b"".join(nonce + cipher.encrypt(nonce, chunk, None) for nonce, cipher, chunk in sealed)


@SOURCES
@pytest.mark.parametrize("length", LENGTHS)
def test_segments(length, source):
    text, keys = text_of(length), [bytes(32), KEY, bytes([7]) * 32]
    for sealed in (segments_by_definition(text, keys), written(length, [C - 1, 3 * C], SegmentWriter)):
        assert SegmentReader(keys, source(sealed)).read() == text
        reader, found = SegmentReader(keys, source(sealed)), b""
        while piece := reader.read(100_001):
            found += piece
        assert found == text
    if source is Source:
        reader = SegmentReader(keys, source(sealed))
        assert reader.size == length and reader.seek(-length // 3, os.SEEK_END) == length + -length // 3
        assert reader.read(C) == text[length + -length // 3 :][:C]
    # Nonces are never the same.
    again = written(length, [C], SegmentWriter)
    assert length == 0 or again[:12] != sealed[:12]


@SOURCES
def test_segments_that_are_changed(source):
    text = text_of(3 * C + 5)
    sealed = bytearray(segments_by_definition(text))
    for at in [*range(0, 20), *range(C, C + 60), *range(len(sealed) - 33, len(sealed))]:
        sealed[at] ^= 16
        with pytest.raises(ChunkError) as raised:
            SegmentReader([bytes(32), KEY], source(sealed)).read()
        assert raised.value.chunk == at // (C + 28)
        sealed[at] ^= 16
    for length in [1, 28, C, C + 27, C + 28 + 1, C + 28 + 28, len(sealed) - 1]:
        with pytest.raises(ChunkError):
            SegmentReader([KEY], source(sealed[:length])).read()
        if source is Source and 0 < length % (C + 28) <= 28:
            reader = SegmentReader([KEY], source(sealed[:length]))
            for call in (lambda: reader.size, reader.read):
                with pytest.raises(CutOffError):
                    call()
    if source is Source:
        sealed[C + 28] ^= 1
        file = source(sealed)
        reader = SegmentReader([KEY], file)
        with pytest.raises(ChunkError):
            reader.read()
        assert reader.seek(2 * C) == 2 * C and reader.read(C) == text[2 * C : 3 * C]
        file.truncate(3 * (C + 28))
        with pytest.raises(CutOffError, match="chunk 3: the file"):
            reader.read()
        sealed[C + 28] ^= 1
    # This is the format's weakness: it does not see this.
    assert SegmentReader([KEY], io.BytesIO(sealed[: C + 28])).read() == text[:C]


@pytest.fixture(scope="module")
def pair():
    """A key pair of Crypt4GH."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    secret = X25519PrivateKey.generate()
    return secret.private_bytes_raw(), secret.public_key().public_bytes_raw()


def test_crypt4gh_seals_and_opens(pair):
    """Each way, with the package crypt4gh."""
    secret, public = pair
    for length in LENGTHS[1:]:
        text, sealed, opened = text_of(length), io.BytesIO(), io.BytesIO()
        crypt4gh.lib.encrypt([(0, secret, public)], io.BytesIO(text), sealed)
        sealed.seek(0)
        keys, edits = crypt4gh.header.deconstruct(sealed, [(0, secret, public)])
        reader = SegmentReader(keys, sealed, edits)
        assert reader.read() == text
        assert reader.seek(length // 2) == length // 2 and reader.read() == text[length // 2 :]
        key, ours = os.urandom(32), io.BytesIO()
        packets = crypt4gh.header.encrypt(crypt4gh.header.make_packet_data_enc(0, key), [(0, secret, public)])
        ours.write(crypt4gh.header.serialize(packets))
        with SegmentWriter(key, ours) as writer:
            writer.write(text)
        ours.seek(0)
        crypt4gh.lib.decrypt([(0, secret, public)], ours, opened)
        assert opened.getvalue() == text


@SOURCES
def test_edit_lists(pair, source):
    """The package crypt4gh and slices agree."""
    secret, public = pair
    text, key = text_of(20 * C - 1), os.urandom(32)
    body = segments_by_definition(text, [key])
    for edits in [
        [0, 10],
        [5, 10],
        [100, C, 7, 3],
        [C - 1, 2, C - 1, 2, 0, 5],
        [1, 2 * C, 3],
        [65_000, 300_000, 60_000, 1, 9],
        [0],
        [40_000],
        [3, 30 * C],
    ]:
        expected, at, kept = b"", 0, False
        for length in edits:
            expected += text[at : at + length] if kept else b""
            at, kept = at + length, not kept
        expected += text[at:] if kept else b""
        reader = SegmentReader([key], source(body), edits)
        assert reader.read() == expected, edits
        if source is Source:
            assert reader.size == len(expected)
            for start in {0, 1, 9, 10, 11, len(expected) // 2, len(expected) - 1, len(expected)}:
                reader.seek(start)
                assert reader.read(C + 7) == expected[start : start + C + 7]
        packets = [crypt4gh.header.make_packet_data_enc(0, key), crypt4gh.header.make_packet_data_edit_list(edits)]
        sealed = [one for packet in packets for one in crypt4gh.header.encrypt(packet, [(0, secret, public)])]
        file, opened = io.BytesIO(crypt4gh.header.serialize(sealed) + body), io.BytesIO()
        keys, found = crypt4gh.header.deconstruct(file, [(0, secret, public)])
        assert SegmentReader(keys, file, found).read() == expected
        file.seek(0)
        if edits != [0] and edits[-1] != 9:  # with a range of some bytes before the rest, it stops
            crypt4gh.lib.decrypt([(0, secret, public)], file, opened)
            assert opened.getvalue() == expected, edits
