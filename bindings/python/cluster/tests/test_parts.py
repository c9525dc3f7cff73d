# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Parts: the values of the segments of objects, with which what has changed is re-tagged, and ranges are checked alone."""

import io
import json
import os
import random
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import HORNET, PATIENCE_SECONDS, content, hornet, write_tree
from hornet_poly1305 import Evaluation, InvalidSignature, KeyFile, Multipart, Parts, XChaCha20Poly1305, _cluster
from hornet_poly1305._native import SealedManifest
from hornet_poly1305.dask import ClusterError, Manifest, check, retag, tag
from hornet_poly1305.dask._checkpoint import Checkpoint
from hornet_poly1305.dask._items import Item, Spec, open_answer, seal_answer
from test_manifests import command

SEGMENT = 4096
PART = 4 * SEGMENT
# Around segments and parts.
LENGTHS = [0, 1, 15, 4095, 4096, 4097, 16383, 16384, 16385, 50_000, 262_144, 300_007]


def objects():
    return {b"t/%02d" % i: content(i, length) for i, length in enumerate(LENGTHS)}


def lines_of(manifest):
    sealed = manifest.sealed()
    return {path: (nonce, tag) for nonce, tag, path in map(sealed.line, range(len(sealed)))}


def assert_whole(keys, folder, files, counted=True):
    """Check that tags are those of exactly these contents, and that the parts have the values of all segments."""
    text = (folder / "m").read_bytes()
    if counted:
        keys.assert_tags(text, files)
    parts = Parts(keys.path, folder / "m", folder / "p")
    assert list(parts) == sorted(files)
    for name, data in files.items():
        with parts.open(name, io.BytesIO(data)) as file:
            assert file.readall() == data
    assert sorted(os.listdir(folder)) == ["m", "p"]


def new_lines(keys, before, after, changed):
    """Check that exactly the lines of what has changed are new, under nonces that were never used."""
    differing = {path for path in after if before.get(path) != after[path]}
    assert differing == changed
    nonces = {after[path][0] for path in changed}
    assert len(nonces) == len(changed) and not nonces & keys.nonces
    keys.nonces |= nonces


@pytest.fixture
def folder(tmp_path):
    """An empty folder for a manifest and its parts."""
    (tmp_path / "made").mkdir()
    return tmp_path / "made"


@pytest.mark.parametrize("part", [SEGMENT, PART, 5 * SEGMENT + 16, 1 << 20])
def test_values_of_a_bucket(keys, cluster, s3, folder, part):
    """For any size of parts, tags and values are those of the contents, and the answers pass a store that fails."""
    files = objects()
    s3.bucket("with-parts", files)
    s3.faults(every=3, kinds=["short", 500, "cut"])
    made = tag(
        "s3://with-parts/t",
        keys.path,
        cluster.client,
        part,
        output=folder / "m",
        parts=folder / "p",
        segment="4KiB",
        **s3.options,
    )
    assert not made.failed and made.parts == folder / "p"
    assert_whole(keys, folder, files)
    assert (folder / "p").stat().st_size < 104 + 32 * (sum(LENGTHS) // SEGMENT + len(LENGTHS)) + 88 * 12 + 64


def test_the_same_manifest(keys, local, tmp_path, same_nonces, monkeypatch):
    """With parts, the manifest has the tags that it has without; the lengths of all segments fit."""
    monkeypatch.chdir(tmp_path)
    write_tree(tmp_path, objects())
    tag("t", keys.path, local, output="one")
    tag("t", keys.path, local, PART, output="m", parts="p", segment=SEGMENT)
    for path in ("one", "m"):
        hornet("check", "-k", keys.path, "--strict", path, cwd=tmp_path)


def test_retag_by_version(keys, cluster, s3, folder):
    """What has another ETag, is new or gone is found, and nothing else is read."""
    files = objects()
    s3.bucket("versions", files)
    options = {"output": folder / "m", "parts": folder / "p", "segment": SEGMENT}
    first = tag("s3://versions/t", keys.path, cluster.client, PART, **options, **s3.options)
    before = lines_of(first)
    keys.lines(first.text)
    gets = s3.counts()["gets"]
    second = retag(first, client=cluster.client, parts=folder / "p")
    assert second.summary.bytes_read == 0 and s3.counts()["gets"] == gets
    assert lines_of(second) == before

    files[b"t/09"], files[b"t/new"] = content(77, 50_000), content(78, 9000)
    del files[b"t/10"]
    s3.put("versions", b"t/09", files[b"t/09"])
    s3.put("versions", b"t/new", files[b"t/new"])
    s3.fs.call_s3("delete_object", Bucket="versions", Key="t/10")
    opened = Manifest.open(folder / "m", keys.path, "s3://versions", **s3.options)
    third = retag(opened, client=cluster.client, parts=folder / "p")
    assert third.summary.bytes_read == 59_000
    new_lines(keys, before, after := lines_of(third), {b"t/09", b"t/new"})
    assert check(third, keys.path, cluster.client, PART, strict=True).is_ok
    assert_whole(keys, folder, files, counted=False)
    # By names, on the caller's word.
    files[b"t/11"] = content(79, 300_007)
    s3.put("versions", b"t/11", files[b"t/11"])
    fourth = retag(third, ["t/11"], cluster.client, parts=folder / "p")
    new_lines(keys, after, lines_of(fourth), {b"t/11"})
    assert fourth.summary.bytes_read == 300_007 and check(fourth, keys.path, cluster.client, strict=True).is_ok
    assert_whole(keys, folder, files, counted=False)


def test_retag_by_ranges(keys, cluster, s3, folder):
    """Random writes, growth and truncation: reading what the ranges touch gives the tags and values of reading all."""
    generator = random.Random(1)
    files = {b"disk": generator.randbytes(20 * SEGMENT + 99), b"other": b"other"}
    s3.bucket("ranges", files)
    options = {"output": folder / "m", "parts": folder / "p", "segment": SEGMENT}
    made = tag("s3://ranges", keys.path, cluster.client, PART, **options, **s3.options)
    for round_ in range(8):
        data, ranges, at = bytearray(files[b"disk"]), [], 0
        for _ in range(generator.randrange(1, 4)):
            at = generator.randrange(at, len(data))
            length = generator.randrange(1, min(len(data) - at, 6000) + 1)
            data[at : at + length] = generator.randbytes(length)
            ranges.append((at, length))
            at += length
            if at >= len(data):
                break
        size = len(data)
        if round_ % 3 == 1:
            data += generator.randbytes(generator.choice([1, 5000, 20_000]))
        elif round_ % 3 == 2:
            del data[generator.choice([len(data) - 1, len(data) // 2, 8 * SEGMENT]) :]
        touched = {n for at, length in ranges for n in range(at // SEGMENT, -(-(at + length) // SEGMENT))}
        if size != len(data):
            touched |= set(range(min(size, len(data)) // SEGMENT, len(data) // SEGMENT + 1))
        most = sum(min(SEGMENT, max(0, len(data) - n * SEGMENT)) for n in touched)
        tail = size - size % SEGMENT
        if len(data) > size and not any(tail < at + length for at, length in ranges):
            # What the last segment had is read for itself too, to be verified.
            most += size - tail
        files[b"disk"] = bytes(data)
        s3.put("ranges", b"disk", files[b"disk"])
        made = retag(made, client=cluster.client, parts=folder / "p", ranges={"./disk": ranges})
        assert made.summary.bytes_read == most, round_
        assert_whole(keys, folder, {b"./" + name: data for name, data in files.items()})
        keys.nonces -= {nonce for nonce, _ in lines_of(made).values()}
    # The version is known again.
    assert retag(made, client=cluster.client, parts=folder / "p").summary.bytes_read == 0
    size = len(files[b"disk"])
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for ranges, why in [
        ([(-1, 5)], "range 0, 5 bytes at -1, is none"),
        ([(0, 0)], "range 0, 0 bytes at 0, is none"),
        ([(0, -3)], "is none"),
        ([(size, 1)], f"is none of an object of {size} bytes"),
        ([(2**63, 1)], "is none"),
        ([(1, 2**63)], "is none"),
        ([(50, 10), (55, 10)], "range 1, 10 bytes at 55, is before the end of the last one"),
        ([(50, 10), (5, 10)], "range 1, 10 bytes at 5, is before"),
    ]:
        with pytest.raises(ValueError, match=f"./disk: .*{why}"):
            retag(made, client=cluster.client, parts=folder / "p", ranges={"./disk": ranges})
        with pytest.raises(ValueError, match=f"./disk: .*{why}"):
            check(made, keys.path, cluster.client, parts=folder / "p", ranges={"./disk": ranges})
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("range_", [(6000, 4000), (6000, 1), (0, 10)])
def test_what_an_object_had_before_it_grew(keys, cluster, s3, folder, range_):
    """Old bytes of a segment that gets a new value because the object became longer are verified, unless a range has them."""
    data = content(1, 6000)
    s3.bucket(bucket := f"grown-{range_[0]}-{range_[1]}", {b"d/a": data})
    options = {"output": folder / "m", "parts": folder / "p", "segment": SEGMENT}
    tag(f"s3://{bucket}/d", keys.path, cluster.client, **options, **s3.options)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    s3.put(bucket, b"d/a", data[:5000] + b"?" + data[5001:] + b"!" * 4000)
    store = [f"--option={name}={json.dumps(value)}" for name, value in s3.options.items()]
    again = ["retag", "-k", keys.path, "--base", f"s3://{bucket}", *cluster.options(), *store, "--parts", folder / "p"]
    named = [f"--range={range_[0]}:{range_[1]}:d/a", folder / "m"]
    _, error = command(*again, *named, status=1)
    assert "d/a: bytes 4096 to 6000 are not those that were tagged, against the word of the ranges given" in error
    out, _ = command(*again, "--json", *named, status=1)
    assert json.loads(out)["status"] == "CHANGED"
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    # With a range that says so.
    command(*again, "--range=5000:1:d/a", "--range=6000:4000:d/a", folder / "m")
    assert_whole(keys, folder, {b"d/a": data[:5000] + b"?" + data[5001:] + b"!" * 4000}, counted=False)
    data = data[:5000] + b"?" + data[5001:] + b"!" * 4000 + b"+"
    s3.put(bucket, b"d/a", data)
    command(*again, "--range=10000:1:d/a", folder / "m")
    assert_whole(keys, folder, {b"d/a": data}, counted=False)


@pytest.mark.parametrize("way", ["with parts", "without parts", "update"])
def test_an_older_manifest(local, tmp_path, monkeypatch, way):
    """However few tags are new, enough nonces are reserved for check to say that there may be a newer manifest."""
    monkeypatch.chdir(tmp_path)
    write_tree(tmp_path, {b"t/%d" % i: b"%d" % i for i in range(9)})
    KeyFile.create("k")
    made = tag("t", "k", local, output="m", parts="p", segment=SEGMENT)
    shutil.copy("m", "old")
    Path("t/3").write_bytes(b"Z")
    if way == "with parts":
        retag(made, ["t/3"], local, parts="p")
    elif way == "without parts":
        retag(made, ["t/3"], local, output="m", force=True)
    else:
        with Parts("k", "m", "p").update() as update:
            update.replace("t/3", 0, b"Z")
            update.commit()
    for path, status in [("m", 0), ("old", 1)]:
        done = subprocess.run(
            [HORNET, "check", "-k", "k", path], capture_output=True, text=True, timeout=PATIENCE_SECONDS
        )
        assert done.returncode == status
        assert ("enough for a newer manifest" in done.stderr) == (path == "old"), done.stderr
    # The seal has the last nonce of its run.
    keys = KeyFile("k")
    ((nonce, _),) = keys.finish_many([keys.evaluation().compute(b"")])
    assert int.from_bytes(nonce[:6], "little") == SealedManifest(Path("m").read_bytes(), keys).counter + 1


def test_a_range_that_was_not_named(keys, cluster, s3, folder):
    """What the caller does not name keeps its value: the tag is one of the content that he vouched for, and check says so."""
    data = bytearray(content(1, 10 * SEGMENT))
    s3.bucket("unnamed", {b"d/a": bytes(data)})
    options = {"output": folder / "m", "parts": folder / "p", "segment": SEGMENT}
    made = tag("s3://unnamed/d", keys.path, cluster.client, **options, **s3.options)
    data[0:4], data[5 * SEGMENT : 5 * SEGMENT + 4] = b"evil", b"good"
    s3.put("unnamed", b"d/a", bytes(data))
    made = retag(made, client=cluster.client, parts=folder / "p", ranges={"d/a": [(5 * SEGMENT, 4)]})
    assert [str(entry) for entry in check(made, keys.path, cluster.client).entries] == ["d/a: CHANGED"]
    report = check(made, keys.path, cluster.client, parts=folder / "p", ranges={"d/a": [(0, 1)]})
    assert [str(entry) for entry in report.entries] == ["d/a: CHANGED (segment 0, bytes 0 to 4096)"]


def test_check_of_ranges(keys, cluster, s3, folder, tmp_path):
    """A range is checked by reading the segments that it touches, from the API, the command and Parts.open."""
    files = objects()
    s3.bucket("checked-ranges", files)
    options = {"output": folder / "m", "parts": folder / "p", "segment": SEGMENT}
    made = tag("s3://checked-ranges/t", keys.path, cluster.client, PART, **options, **s3.options)

    def checked(ranges):
        report = check(made, keys.path, cluster.client, PART, parts=folder / "p", ranges=ranges)
        return [str(entry) for entry in report.entries], report.summary.bytes_read

    assert checked({"t/11": [(100_000, 10)]}) == (["t/11: OK"], SEGMENT)
    assert checked({b"t/10": [(4095, 2), (262_143, 1)], "t/09": [(0, 50_000)]}) == (
        ["t/09: OK", "t/10: OK"],
        3 * SEGMENT + 50_000,
    )
    data = bytearray(files[b"t/11"])
    data[100_000] ^= 1
    s3.put("checked-ranges", b"t/11", bytes(data))
    s3.put("checked-ranges", b"t/10", files[b"t/10"][:-1])
    s3.fs.call_s3("delete_object", Bucket="checked-ranges", Key="t/09")
    assert checked({"t/11": [(0, 50_000)]})[0] == ["t/11: OK"]
    wrong = {"t/11": [(98_304, 1)], "t/10": [(0, 1)], "t/09": [(0, 1)]}
    assert checked(wrong)[0] == [
        "t/09: MISSING",
        "t/10: CHANGED (has 262143 bytes, and not 262144)",
        "t/11: CHANGED (segment 24, bytes 98304 to 102400)",
    ]
    with pytest.raises(ValueError, match="t/absent: not a file of the manifest"):
        checked({"t/absent": [(0, 1)]})
    store = [f"--option={name}={json.dumps(value)}" for name, value in s3.options.items()]
    common = ["check", "-k", keys.path, "--base", "s3://checked-ranges", *cluster.options(), *store]
    common += ["--parts", folder / "p", folder / "m"]
    assert command(*common, "--range", "0:4096:t/11", "--range", "50000:1:t/11")[0] == "t/11: OK\n"
    out, _ = command(*common, "--range", "98304:1:t/11", status=1)
    assert out == "t/11: CHANGED (segment 24, bytes 98304 to 102400)\n"
    _, error = command(*common, "--range=x:1:t/11", status=2)
    assert error == "hornet-cluster: --range x:1:t/11: not OFFSET:LENGTH:PATH, with numbers of bytes such as 64MiB\n"
    for wrong in ("5:t/11", "-1:5:t/11", "1:2:", "1:\u0665:t/11", ""):
        with pytest.raises(Exception, match="not OFFSET:LENGTH:PATH"):
            _cluster._ranges(["0:1:t/11", wrong])
    assert _cluster._ranges(["5:1:a:b", "9:2:a:b"]) == {b"a:b": [(5, 1), (9, 2)]}
    assert _cluster._ranges(["1MiB:4KiB:a", "2GiB:5B:a"]) == {b"a": [(1 << 20, 4096), (2 << 30, 5)]}
    # Random access to an object, of which what is read is verified.
    parts = Parts(keys.path, folder / "m", folder / "p")
    with s3.fs.open("checked-ranges/t/11", "rb", cache_type="none") as source, parts.open("t/11", source) as file:
        file.seek(200_000)
        assert file.read(10) == files[b"t/11"][200_000:200_010]
        file.seek(100_001)
        with pytest.raises(InvalidSignature, match="t/11: segment 24"):
            file.read(1)


def test_multipart_upload(keys, cluster, s3, folder):
    """An object that is evaluated as it is uploaded, its parts in any order by threads, is re-tagged without reading it."""
    s3.bucket("uploads", {b"u/small": b"small"})
    options = {"output": folder / "m", "parts": folder / "p", "segment": SEGMENT}
    made = tag("s3://uploads/u", keys.path, cluster.client, **options, **s3.options)
    size = 5 << 20  # the least that S3 allows
    data = random.Random(2).randbytes(2 * size + 12_345)
    upload, call = Multipart(keys.path, SEGMENT), s3.fs.call_s3
    begun = call("create_multipart_upload", Bucket="uploads", Key="u/large")["UploadId"]
    where = {"Bucket": "uploads", "Key": "u/large", "UploadId": begun}

    def send(number):
        body = data[(number - 1) * size : number * size]
        upload.part(number, body)
        return {"PartNumber": number, "ETag": call("upload_part", PartNumber=number, Body=body, **where)["ETag"]}

    with ThreadPoolExecutor(3) as pool:
        sent = sorted(pool.map(send, [3, 1, 2]), key=lambda one: one["PartNumber"])
    answer = call("complete_multipart_upload", MultipartUpload={"Parts": sent}, **where)
    known = upload.complete(answer["ETag"])
    gets = s3.counts()["gets"]
    made = retag(made, client=cluster.client, parts=folder / "p", known={"u/large": known})
    assert made.summary.bytes_read == 0 and s3.counts()["gets"] == gets
    assert_whole(keys, folder, {b"u/small": b"small", b"u/large": data}, counted=False)
    assert check(made, keys.path, cluster.client, strict=True).is_ok
    assert retag(made, client=cluster.client, parts=folder / "p").summary.bytes_read == 0
    # Another object than what was uploaded.
    s3.put("uploads", b"u/large", data[:-1] + b"?")
    with pytest.raises(ValueError, match="u/large: the store has another one than what was uploaded"):
        retag(made, client=cluster.client, parts=folder / "p", known={"u/large": known})
    s3.put("uploads", b"u/large", data[:-1])
    with pytest.raises(ValueError, match="u/large: the store has another one than what was uploaded"):
        retag(made, client=cluster.client, parts=folder / "p", known={"u/large": upload.complete()})
    with pytest.raises(ValueError, match="u/none: no longer exists"):
        retag(made, client=cluster.client, parts=folder / "p", known={"u/none": known})
    upload.part(1, b"within a segment")
    with pytest.raises(ValueError, match="part 1 of 16 bytes ends within a segment of 4096"):
        upload.complete()
    assert "partial" not in repr(known)


def test_local_files(keys, local, tmp_path, monkeypatch):
    """Holes are not read; a file whose change time is not older than its reading is read again; then it is not."""
    monkeypatch.chdir(tmp_path)
    Path("t").mkdir()
    with open("t/sparse", "wb") as file:
        file.seek(3 << 20)
        file.write(b"data")
        file.truncate((8 << 20) + 5)
    Path("t/b").write_bytes(b"b" * 10_000)
    made = tag("t", keys.path, local, output="m", parts="p", segment="64KiB")
    sparse = Path("t/sparse").read_bytes()
    keys.assert_tags(made.text, {b"t/b": b"b" * 10_000, b"t/sparse": sparse})
    assert made.summary.bytes_read < 1 << 20 and made.summary.bytes == len(sparse) + 10_000
    hornet("check", "-k", keys.path, "m", cwd=tmp_path)
    parts = Parts(keys.path, "m", "p")
    parts.verify("t/sparse")
    opened = Manifest.open("m", keys.path)
    # A part that is a hole needs no task.
    with open("hole", "wb") as file:
        file.truncate(1 << 30)
    with open("hole", "rb") as file:
        is_hole = Evaluation.is_hole(file.fileno(), 0, 1 << 30)
    huge = tag("hole", keys.path, local, "1MiB")
    ((nonce, tag_),) = lines_of(huge).values()
    keys.file().verify_partial(nonce, keys.file().evaluation().zeros(1 << 30), tag_)
    assert (huge.summary.tasks, huge.summary.bytes_read) == ((0, 0) if is_hole else (1024, 1 << 30))
    os.unlink("hole")
    # A change in the same tick would not show.
    os.utime("t/b")
    at_once = retag(opened, client=local, parts="p")
    assert at_once.summary.bytes_read >= 10_000
    time.sleep(0.1)
    for expected in (10_000, 0):
        again = retag(opened, client=local, parts="p")
        assert again.summary.bytes_read == expected
    modified = os.stat("t/b")
    Path("t/b").write_bytes(b"B" * 10_000)
    os.utime("t/b", ns=(modified.st_atime_ns, modified.st_mtime_ns))
    assert retag(opened, client=local, parts="p").summary.bytes_read == 10_000
    hornet("check", "-k", keys.path, "--strict", "m", cwd=tmp_path)
    # Neither the parts nor what is beside them are tagged.
    made = tag(".", keys.path, local, output="m", parts="p", force=True)
    sealed = made.sealed()
    assert [sealed.line(n)[2] for n in range(len(sealed))] == [b"./t/b", b"./t/sparse"]


def test_checkpoint_with_parts(keys, own_cluster, s3, tmp_path, folder, monkeypatch):
    """A run that ended early goes on from the values of segments that it had."""
    files = objects()
    s3.bucket("continued", files)
    options = {"output": folder / "m", "parts": folder / "p", "segment": SEGMENT, "checkpoint": tmp_path / "c"}
    written = Checkpoint.add
    count = [0]

    def add(self, *entry):
        written(self, *entry)
        count[0] += 1
        if count[0] == 60:
            raise ClusterError("lost")

    monkeypatch.setattr(Checkpoint, "add", add)
    with pytest.raises(ClusterError, match="lost"):
        tag("s3://continued/t", keys.path, own_cluster.client, PART, **options, **s3.options)
    assert sorted(os.listdir(folder)) == [] and (tmp_path / "c").exists()
    monkeypatch.undo()
    made = tag("s3://continued/t", keys.path, own_cluster.client, PART, **options, **s3.options)
    assert made.summary.from_checkpoint > 100_000
    assert made.summary.from_checkpoint + made.summary.bytes_read >= sum(LENGTHS)
    assert_whole(keys, folder, files)


def test_answers_of_segments():
    """An answer is of one length of segments: with another, it is refused."""
    cipher = XChaCha20Poly1305(bytes(32))
    items = [Item(b"a", bytes(16), 10_000, 0, 10_000), Item(b"b", bytes(16), 0, 0, 0)]
    spec = Spec(bytes(16), None, None, SEGMENT)
    values = [bytes(range(32)) * 3, bytes(32)]
    answer = seal_answer(cipher, spec, b"request", items, values)
    assert open_answer(cipher, spec, b"request", items, answer) == values
    with pytest.raises(ValueError):
        open_answer(cipher, Spec(bytes(16), None, None, 2 * SEGMENT), b"request", items, answer)


def test_wrong_uses(keys, local, tmp_path, monkeypatch):
    """One line that says what is wrong; files and key stay as they are."""
    monkeypatch.chdir(tmp_path)
    write_tree(tmp_path, {b"t/a": b"A" * 5000})
    made = tag("t", keys.path, local, output="m", parts="p", segment=SEGMENT)
    tag("t", keys.path, local, output="m2", parts="p2", segment=SEGMENT)
    Path("there").write_text("mine")
    shutil.copy("p2", "wrong")
    key = keys.path.read_bytes()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for call, why in [
        (lambda: tag("t", keys.path, local, parts="q"), "parts belong to a manifest in a file"),
        (lambda: tag("t", keys.path, local, output="n", parts="there"), "there: exists"),
        (lambda: tag("t", keys.path, local, output="n", parts="n"), "n and n: the manifest and the parts are the same"),
        (
            lambda: tag("t", keys.path, local, output="n.lock", parts="n"),
            "the name of the manifest is that of its parts",
        ),
        (lambda: tag("t", keys.path, local, output="n", parts="none/p"), "none/p: no such folder"),
        (lambda: tag("t", keys.path, local, output="n", parts="q", segment=5000), "multiple of 16|power of two"),
        (lambda: tag("t", keys.path, local, output="n", parts="q", segment="2KiB"), "a power of two from 4096"),
        (lambda: retag(made), "what has changed is given by the names"),
        (lambda: retag(made, ranges={"t/a": [(0, 1)]}), "what has changed is given by the names"),
        (lambda: retag(made, parts="p", output="n"), "omit output"),
        (lambda: retag(made, parts="wrong"), "wrong: these parts belong to another manifest"),
        (lambda: retag(made, parts="none"), "none: "),
        (lambda: retag(made, ["u/x"], parts="p"), "u/x: not below"),
        (lambda: retag(made, ["t/a"], parts="p", ranges={b"t/a": [(0, 1)]}), "a name was given twice"),
        (lambda: check(made, keys.path, local, ranges={"t/a": [(0, 1)]}), "ranges are checked with parts"),
    ]:
        with pytest.raises((ValueError, OSError), match=why):
            call()
        assert keys.path.read_bytes() == key
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    with pytest.raises(ValueError, match="manifest: .*another key|m: .*another key"):
        KeyFile.create("other")
        retag(Manifest(made.root, KeyFile("other"), Path("m")), parts="p")


def test_the_command(keys, tmp_path, cluster, s3):
    """hornet-cluster tag --parts, and retag."""
    s3.bucket("commanded", {b"c/a": content(1, 9000), b"c/b": content(2, 100)})
    store = [f"--option={name}={json.dumps(value)}" for name, value in s3.options.items()]
    common = ["-k", keys.path, *cluster.options(), *store]
    command("tag", *common, "-o", "m", "--parts", "p", "--segment", "4KiB", "s3://commanded/c", cwd=tmp_path)
    s3.put("commanded", b"c/b", b"new")
    again = ["retag", *common, "--base", "s3://commanded", "--parts", "p"]
    _, said = command(*again, "m", cwd=tmp_path)
    assert "9000 bytes were not read, on the word of the store's versions" in said
    s3.put("commanded", b"c/a", content(1, 8000) + content(3, 1000))
    _, said = command(*again, "--range", "8000:1000:c/a", "m", cwd=tmp_path)
    assert "on the word of the ranges given" in said and "4099 bytes were not read" in said
    command("check", *common, "--base", "s3://commanded", "--strict", "m", cwd=tmp_path)
    _, error = command("tag", *common, "-o", "n", "--segment", "4KiB", "s3://commanded/c", cwd=tmp_path, status=2)
    assert "--segment: only with --parts" in error
    _, error = command("tag", *common, "-o", "n", "--parts", "p", "s3://commanded/c", cwd=tmp_path, status=2)
    assert "p: exists; use --force" in error and not (tmp_path / "n").exists()
    command("tag", *common, "-o", "m", "--parts", "p", "--force", "s3://commanded/c", cwd=tmp_path)
