# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Manifests are those of `hornet tag`, from folders and from S3, and what changes is found."""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PART, PATIENCE_SECONDS, content, contents, hornet, write_tree
from hornet_poly1305.dask import Manifest, check, retag, tag
from hornet_poly1305.dask._manifest import part_bytes

COMMAND = Path(sys.executable).with_name("hornet-cluster")


def command(*arguments, status=0, **options):
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=PATIENCE_SECONDS, **options)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout, done.stderr


def strange_things(tree):
    """Add what has no tag, to a tree."""
    (tree / "empty/below").mkdir(parents=True)
    (tree / "line\nbreak").write_bytes(b"an escaped name")
    (tree / os.fsdecode(b"not UTF-8 \xff")).write_bytes(b"another")
    (tree / "link").symlink_to("a/b")
    (tree / "link to a folder").symlink_to("x")
    os.mkfifo(tree / "fifo")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tree / "socket"))


def test_same_bytes_as_the_command(keys, tree, tmp_path, s3, same_nonces):
    """The same nonces and the same time given, manifests of a folder, by the command and on a cluster, are the same."""
    strange_things(tree)
    made = []
    for name in ("command", "cluster"):
        shutil.copy(keys.path, tmp_path / name)
    hornet("tag", "-k", "command", "-o", "one", "tree/", "tree/small", "./tree/ax/a", cwd=tmp_path, env=same_nonces)
    arguments = ("tag", "-k", "cluster", "-o", "two", "--part", "64KiB", "--workers", "2")
    command(*arguments, "tree/", "tree/small", "./tree/ax/a", cwd=tmp_path, env=same_nonces)
    made = [(tmp_path / name).read_bytes() for name in ("one", "two")]
    assert made[0] == made[1] and made[0].count(b"\nother ") == 5
    # The key files count the same nonces.
    assert (tmp_path / "command").read_bytes() == (tmp_path / "cluster").read_bytes()


def test_same_bytes_of_a_bucket(keys, tree, tmp_path, s3, bucket, same_nonces):
    """The manifest of a bucket is that of its mounted copy."""
    for name in ("command", "cluster"):
        shutil.copy(keys.path, tmp_path / name)
    (tree / "folder").mkdir()
    s3.bucket("with-a-folder", {b"tree/" + name: data for name, data in contents().items()} | {b"tree/folder/": b""})
    hornet("tag", "-k", "command", "-o", "one", "tree", cwd=tmp_path, env=same_nonces)
    options = [f"--option={name}={json.dumps(value)}" for name, value in s3.options.items()]
    arguments = ("tag", "-k", "cluster", "-o", "two", "--part", "64KiB", "--workers", "2", *options)
    command(*arguments, "s3://with-a-folder/tree", cwd=tmp_path, env=same_nonces)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    hornet("check", "-k", keys.path, "--strict", "two", cwd=tmp_path)


def test_exclusions_are_refused_where_they_matter(keys, tree, tmp_path, local, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hornet("tag", "-k", keys.path, "-o", "one", "--exclude", "small", "tree", cwd=tmp_path)
    assert b"\nexclude small\n" in Path("one").read_bytes()
    report = check("one", keys.path, local)
    assert report.is_ok and report.entries
    with pytest.raises(ValueError, match="exclude lines"):
        check("one", keys.path, local, strict=True)
    with pytest.raises(ValueError, match="exclude lines"):
        retag(Manifest.open("one", keys.path), ["tree/a/b"], local, output="two")
    assert not Path("two").exists()


@pytest.mark.parametrize("where", ["folder", "s3", "memory of one task"])
def test_tags(keys, local, cluster, s3, bucket, tmp_path, tree, where, monkeypatch):
    """Every tag is that of its content, in parts of several sizes."""
    monkeypatch.chdir(tmp_path)
    expected = {b"tree/" + name: data for name, data in contents().items()}
    if where == "folder":
        made = tag("tree", keys.path, cluster.client, PART)
    elif where == "s3":
        made = tag(f"s3://{bucket}/tree", keys.path, cluster.client, "128KiB", **s3.options)
    else:
        made = tag(["tree/small", "tree"], keys.path, local, 16 << 20)
        assert made.summary.tasks == 1
    keys.assert_tags(made.text, expected)
    assert made.summary.bytes_read == made.summary.bytes == sum(map(len, expected.values()))
    assert made.summary.objects == len(expected) and not made.failed
    (tmp_path / "manifest").write_bytes(made.text)
    hornet("check", "-k", keys.path, "manifest", cwd=tmp_path)


def test_whole_bucket(keys, cluster, s3, bucket, tree, tmp_path):
    """Without a prefix, names are those that `hornet tag .` gives in the mounted bucket."""
    made = tag(f"s3://{bucket}", keys.path, cluster.client, PART, **s3.options)
    keys.assert_tags(made.text, {b"./tree/" + name: data for name, data in contents().items()})
    (tmp_path / "manifest").write_bytes(made.text)
    hornet("check", "-k", keys.path, "--base", tmp_path, "manifest", cwd=tmp_path)


def test_names_that_are_no_paths(keys, cluster, s3, tmp_path):
    """They are reported, and unread; an object whose name begins like the prefix is not below it."""
    files = {b"p/a//b": b"1", b"p/../c": b"2", b"p/d": b"3", b"p/e/": b"not empty", b"prefix": b"4", b"p": b"5"}
    s3.bucket("odd-names", files)
    made = tag("s3://odd-names/p", keys.path, cluster.client, **s3.options)
    keys.assert_tags(made.text, {b"p/d": b"3", b"p": b"5"})
    assert sorted(made.failed) == [b"p/../c", b"p/a//b", b"p/e/"]
    assert made.text.count(b"\nunread ") == 3
    s3.put("odd-names", b"p/f//g", b"6")
    entries = check(made, keys.path, cluster.client, strict=True).entries
    other = [str(entry) for entry in entries if entry.status not in ("OK", "UNREAD")]
    assert other == ["p/f//g: UNREADABLE (its name has an empty component, . or .., which no path has)"]


def test_other_stores(keys, cluster, tmp_path):
    """Any store of fsspec: an HTTP server of a folder, and a store in memory for what it lists."""
    write_tree(tmp_path / "www", {b"a/b": content(1, 200_000), b"c": content(2, 10)})
    server = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "-d", tmp_path / "www", "0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(server, env=os.environ | {"PYTHONUNBUFFERED": "1"}, **pipes) as process:
        port = process.stdout.readline().split()[5]
        made = tag(f"http://127.0.0.1:{port}/c", keys.path, cluster.client, PART)
        keys.assert_tags(made.text, {b"c": content(2, 10)})
        process.kill()


def test_check(keys, cluster, s3, tmp_path):
    """Each status, as the command reports it for a mounted copy."""
    files = {b"t/%d" % i: content(i, 3000 * i) for i in range(40)}
    s3.bucket("checked", files)
    write_tree(tmp_path, files)
    made = tag("s3://checked/t", keys.path, cluster.client, PART, output=tmp_path / "manifest", **s3.options)
    report = check(made, keys.path, cluster.client, PART)
    assert report.is_ok and report.counts()["ok"] == 40
    s3.put("checked", b"t/7", content(8, 21000))
    s3.put("checked", b"t/39", content(39, 3000 * 39 - 1))
    s3.fs.call_s3("delete_object", Bucket="checked", Key="t/8")
    s3.put("checked", b"t/new", b"new")
    (tmp_path / "t/7").write_bytes(content(8, 21000))
    (tmp_path / "t/39").write_bytes(content(39, 3000 * 39 - 1))
    (tmp_path / "t/8").unlink()
    (tmp_path / "t/new").write_bytes(b"new")
    report = check(
        tmp_path / "manifest", keys.path, cluster.client, root="s3://checked", strict=True, part=PART, **s3.options
    )
    wrong = [str(entry) for entry in report.entries if entry.status != "OK"]
    assert wrong == ["t/39: CHANGED", "t/7: CHANGED", "t/8: MISSING", "t/new: EXTRA"]
    options = [f"--option={name}={json.dumps(value)}" for name, value in s3.options.items()]
    common = ("check", "-k", keys.path, "--strict")
    for more in ([], ["--quiet"], ["--json"]):
        expected = hornet(*common, *more, "manifest", cwd=tmp_path, status=1)
        out, _ = command(
            *common, *more, "--base", "s3://checked", *cluster.options(), *options, "manifest", cwd=tmp_path, status=1
        )
        assert sorted(out.splitlines()) == sorted(expected.splitlines())
    # A manifest of another key, and a changed one.
    hornet("keygen", tmp_path / "other")
    with pytest.raises(ValueError, match="made with another key"):
        check(tmp_path / "manifest", tmp_path / "other", cluster.client, root="s3://checked", **s3.options)
    text = (tmp_path / "manifest").read_bytes()
    (tmp_path / "manifest").write_bytes(text.replace(b"t/10", b"t/11", 1))
    _, error = command("check", "-k", keys.path, "manifest", cwd=tmp_path, status=1)
    assert "the seal does not match" in error


def test_retag(keys, cluster, s3):
    """Changed, new and removed objects are re-tagged; others keep their tags and are not read."""
    files = {b"t/%02d" % i: content(i, 5000 * i) for i in range(30)}
    s3.bucket("retagged", files)
    first = tag("s3://retagged/t", keys.path, cluster.client, PART, **s3.options)
    before = keys.lines(first.text)
    files[b"t/29"], files[b"t/new"] = content(99, 222_222), b"new"
    del files[b"t/03"]
    s3.put("retagged", b"t/29", files[b"t/29"])
    s3.put("retagged", b"t/new", b"new")
    s3.fs.call_s3("delete_object", Bucket="retagged", Key="t/03")
    second = retag(first, ["t/29", b"t/new", "t/03"], cluster.client, PART)
    assert second.summary.bytes_read == 222_225
    assert check(second, keys.path, cluster.client, PART, strict=True).is_ok
    kept = {path: line for *line, path in before if path not in (b"t/29", b"t/03")}
    from hornet_poly1305._native import SealedManifest

    sealed = SealedManifest(second.text, keys.file())
    lines = {path: line for *line, path in map(sealed.line, range(len(sealed)))}
    assert {path: lines[path] for path in kept} == kept and set(lines) == set(files)
    assert lines[b"t/29"][0] not in keys.nonces and lines[b"t/new"][0] not in keys.nonces
    with pytest.raises(ValueError, match="u/1: not below"):
        retag(first, ["u/1"], cluster.client)


def test_wrong_use(keys, cluster, s3, bucket, tmp_path, monkeypatch):
    """Every error names what is wrong, and leaves files and key as they are."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t").mkdir()
    (tmp_path / "t/file").write_text("x")
    (tmp_path / "there").write_text("mine")
    before = keys.path.read_bytes()
    for arguments, expected in [
        (("tag", "-o", "there", "t"), "there: exists; use --force to replace it"),
        (("tag", "-o", "none/m", "t"), "none/m: no such folder"),
        (("tag", "-o", "t", "--force", "t"), "t: exists and is not a regular file"),
        (("tag", "-o", "m", "absent"), "absent: No such file or directory"),
        (("tag", "-o", "m", "--part", "100", "t"), "a part must be a multiple of 16 bytes, not 100"),
        (("tag", "-o", "m", "--part", "fast", "t"), "'fast' is not a number of bytes such as 64MiB"),
        (("tag", "-o", "m", "t", "s3://b/t"), "are two stores"),
        (("tag", "-o", "m", "s3://"), "no bucket"),
        (("tag", "-o", "m", "none://x/t"), "none"),
        (("tag", "-o", "m", "--option", "key", "t"), "--option key: not a name, = and JSON"),
        (("tag", "-o", "m", "--option", "key=not-shown", "t"), "--option key: not a name, = and JSON"),
        (("tag", "-o", "m", "--workers", "0", "t"), "--workers 0: at least 1"),
        (("check", "there"), "not a manifest"),
        (("check", "absent"), "No such file"),
    ]:
        _, error = command(arguments[0], "-k", keys.path, *arguments[1:], status=1 if "not a man" in expected else 2)
        assert error.startswith("hornet-cluster: ") and expected in error and "Traceback" not in error, error
        assert keys.path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["t", "there"] and (tmp_path / "there").read_text() == "mine"
    with pytest.raises(OSError, match="nothing: no object is there"):
        tag(f"s3://{bucket}/nothing", keys.path, cluster.client, **s3.options)
    for text, number in [("64MiB", 64 << 20), ("1 GiB", 1 << 30), ("48", 48), (32, 32)]:
        assert part_bytes(text) == number


def test_own_files_are_not_tagged(keys, cluster, tmp_path, monkeypatch):
    """Neither the key file nor the manifest that is replaced, under whatever name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t").mkdir()
    key = tmp_path / "t/key"
    hornet("keygen", key)
    (tmp_path / "t/file").write_text("x")
    tag("t", key, cluster.client, output="t/manifest")
    again = tag("t", key, cluster.client, output="t/manifest", force=True)
    assert b"t/file" in again.text and b"t/key" not in again.text and b"t/manifest" not in again.text
    assert sorted(os.listdir("t")) == ["file", "key", "manifest"]
    with pytest.raises(FileExistsError):
        again.save("t/manifest")
    again.save("t/copy")
    assert Manifest.open("t/copy", key).text == again.text
