# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Sealed objects in a bucket: ranges are opened by few requests of few bytes."""

import json
import random
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PATIENCE_SECONDS, hornet
from hornet_poly1305.stream import ChunkError, new_identity, open_age, seal_age

EXAMPLE = Path(__file__).resolve().parents[4] / "examples/python/open_range.py"
OPENED = runpy.run_path(str(EXAMPLE))["opened"]
SEALED_CHUNK = 65552
TEXT = random.Random(1).randbytes(40 * 65536 + 99)


@pytest.fixture(scope="module")
def sealed(s3, tmp_path_factory):
    """A file of an identity, and the URL of an object that the example sealed for it."""
    identity, recipient = new_identity()
    identities, url = tmp_path_factory.mktemp("age") / "identity", "s3://sealed/text.age"
    identities.write_text(f"# public key: {recipient}\n{identity}\n")
    s3.bucket("sealed", {})
    command = [sys.executable, EXAMPLE, "--seal", recipient, url, json.dumps(s3.options)]
    subprocess.run(command, input=TEXT, check=True, timeout=PATIENCE_SECONDS)
    return identities, url


def test_the_command(sealed, tmp_path):
    """hornet seal and hornet open are the same format."""
    identities, _ = sealed
    identities.chmod(0o600)
    _, _, _, recipient, identity = identities.read_text().split()
    (tmp_path / "text").write_bytes(TEXT)
    hornet("seal", "-r", recipient, "-o", "sealed", "text", cwd=tmp_path)
    with (tmp_path / "sealed").open("rb") as file, open_age(file, [identity]) as text:
        assert text.read() == TEXT
    with (tmp_path / "ours").open("wb") as file, seal_age(file, [recipient]) as text:
        text.write(TEXT)
    hornet("open", "-i", identities, "-o", "opened", "ours", cwd=tmp_path)
    assert (tmp_path / "opened").read_bytes() == TEXT


def counted(s3, call):
    """Return a call's result, and how many objects were requested meanwhile, and bytes."""
    before = s3.counts()
    result = call()
    after = s3.counts()
    return result, after["gets"] - before["gets"], after["bytes"] - before["bytes"]


def test_ranges(s3, sealed):
    """One request of 4 KiB for the header, one of the chunks."""
    identities, url = sealed
    identity = identities.read_text().split()[-1]
    for offset, length, chunks in [
        (10 * 65536 - 5, 10, 2),
        (0, 1, 1),
        (65536, 65536, 1),
        (3 * 65536 + 1, 1 << 20, 17),
        (len(TEXT) - 9, 100, 1),
    ]:
        text, gets, requested = counted(s3, lambda at=(offset, length): OPENED([identity], url, *at, **s3.options))
        assert text == TEXT[offset : offset + length]
        assert gets == 2 and requested <= 4096 + chunks * SEALED_CHUNK
    command = [sys.executable, EXAMPLE, identities, url, "100000", "7", json.dumps(s3.options)]
    run, gets, requested = counted(
        s3, lambda: subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE_SECONDS)
    )
    assert run.stdout == TEXT[100_000:100_007] and gets == 2 and requested <= 4096 + SEALED_CHUNK


def test_an_object_that_was_changed(s3, sealed):
    identities, url = sealed
    identity = identities.read_text().split()[-1]
    content = bytearray(s3.fs.cat_file(url))
    content[20 * SEALED_CHUNK] ^= 1
    s3.put("sealed", b"changed", bytes(content))
    assert OPENED([identity], "s3://sealed/changed", 0, 100, **s3.options) == TEXT[:100]
    with pytest.raises(ChunkError) as raised:
        OPENED([identity], "s3://sealed/changed", 19 * 65536, 2 * 65536, **s3.options)
    assert raised.value.chunk == 19
    # A store that answers too little is no end of the text.
    s3.faults(every=1, kinds=["short"], keys="text.age")
    with s3.fs.open(url, cache_type="none") as file, pytest.raises((ChunkError, ValueError, OSError)):
        open_age(file, [identity]).read(65536)
