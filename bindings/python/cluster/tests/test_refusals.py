# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What is refused before anything is read or written, and what a run says of stores that fail: one line, and status 2."""

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import s3fs
from conftest import PATIENCE_SECONDS, hornet, write_tree
from hornet_poly1305 import KeyFile, XChaCha20Poly1305
from hornet_poly1305._cluster import main
from hornet_poly1305.dask import Manifest, _checkpoint, _http, check, retag, tag
from hornet_poly1305.dask._checkpoint import Checkpoint
from hornet_poly1305.dask._driver import CHECKPOINTS
from web import Web


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory, with a key file and a tree."""
    monkeypatch.chdir(tmp_path)
    hornet("keygen", "key")
    write_tree(tmp_path, {b"t/a": b"A", b"t/b": b"B"})
    return tmp_path


def told(capfd, *arguments, status=2):
    """Run the command here, and return the only line that it writes."""
    assert main([str(argument) for argument in arguments]) == status
    out, err = capfd.readouterr()
    assert out == "" and err.startswith("hornet-cluster: ") and err.count("\n") == 1, out + err
    assert err[:-1].isprintable() and "Traceback" not in err, err
    return err[len("hornet-cluster: ") : -1]


def state(folder):
    """Return all that a folder has."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} | {
        folder: sorted(os.listdir(folder))
    }


def test_files_that_are_one(folder, capfd, cluster):
    """Key file, manifest, checkpoint and secret file, given the same by name, by a link or by another folder's name."""
    (folder / "old").write_text("mine")
    os.link("key", "hard")
    (folder / "soft").symlink_to("key")
    (folder / "loose").symlink_to("new")
    (folder / "here").symlink_to(".")
    os.link("old", "old2")
    before = state(folder)
    cases = 0
    for output, checkpoint, secret, names in [
        ("new", "new", None, ("new and new", "the manifest and the checkpoint")),
        ("new", "./t/../new", None, ("new and ./t/../new", "the manifest and the checkpoint")),
        ("new", "here/new", None, ("new and here/new", "the manifest and the checkpoint")),
        ("new", "loose", None, ("new and loose", "the manifest and the checkpoint")),
        ("old", "old2", None, ("old and old2", "the manifest and the checkpoint")),
        ("key", None, None, ("key and key", "the manifest and the key file")),
        ("hard", None, None, ("hard and key", "the manifest and the key file")),
        ("new", "key", None, ("key and key", "the checkpoint and the key file")),
        ("new", "soft", None, ("soft and key", "the checkpoint and the key file")),
        ("new", "hard", None, ("hard and key", "the checkpoint and the key file")),
        ("old", None, "here/old2", ("old and here/old2", "the manifest and the secret file")),
    ]:
        arguments = ["-o", output, "--force"]
        arguments += ["--checkpoint", checkpoint] if checkpoint else []
        arguments += ["--secret-file", secret] if secret else []
        error = told(capfd, "tag", "-k", "key", *arguments, "t")
        assert error == f"{names[0]}: {names[1]} are the same file"
        assert state(folder) == before
        cases += 1
    assert cases == 11
    assert told(capfd, "check", "-k", "key", "hard") == "hard and key: the manifest and the key file are the same file"
    # A key file that is open has no name.
    (folder / "hard").unlink()
    with pytest.raises(OSError, match="^soft: the manifest and the key file are the same file"):
        tag("t", KeyFile("key"), cluster.client, output="soft", force=True)
    made = tag("t", "key", cluster.client)
    with pytest.raises(OSError, match="^soft: the manifest and the key file are the same file"):
        retag(made, ["t/a"], cluster.client, output="soft", force=True)
    assert KeyFile("key").derive(1) and len(state(folder)) == len(before) - 1


def test_checkpoint_in_the_tree(folder, cluster, monkeypatch):
    """It is not tagged, nor are the key file and the manifest, by whatever name they are open or linked."""
    os.rename("key", "t/key")
    (folder / "key").symlink_to("t/key")
    cipher = XChaCha20Poly1305(KeyFile("key").derive(CHECKPOINTS))
    with Checkpoint("t/progress", cipher) as checkpoint:
        checkpoint.add(bytes(16), bytes(32))
    os.link("t/progress", "t/linked")
    made = tag("t", KeyFile("key"), cluster.client, output="t/m", checkpoint="t/progress")
    assert re.findall(rb"  (t/.*)\n", made.text) == [b"t/a", b"t/b"] and sorted(os.listdir("t")) == [
        "a",
        "b",
        "key",
        "linked",
        "m",
    ]
    (folder / "t/linked").unlink()
    report = check("t/m", KeyFile("key"), cluster.client, strict=True)
    assert report.is_ok and report.counts()["ok"] == 2
    # An argument that is one of them is an error, as for the command.
    with pytest.raises(OSError, match="^t/key: is the key file"):
        tag(["t", "t/key"], "key", cluster.client)


def test_checkpoint_of_two_runs(folder, cluster, capfd, monkeypatch):
    """The second is refused, and loses nothing; once the first has ended, it goes on. A new one is not left without entries."""
    cipher = XChaCha20Poly1305(KeyFile("key").derive(CHECKPOINTS))
    with Checkpoint("c", cipher) as checkpoint:
        checkpoint.add(b"1" * 16, bytes(32))
        before = state(folder)
        error = told(capfd, "tag", "-k", "key", "-o", "m", "--checkpoint", "c", "t")
        assert error == "c: another run uses this checkpoint" and state(folder) == before
    # The run that has the lock removes its file while another waits between opening and locking it.
    flock, left = _checkpoint.fcntl.flock, [Path("c")]
    monkeypatch.setattr(_checkpoint.fcntl, "flock", lambda *args: (left and left.pop().unlink(), flock(*args)))
    with Checkpoint("c", cipher) as checkpoint:
        assert checkpoint.found == {} and left == []
        checkpoint.add(b"2" * 16, bytes(32))
    with Checkpoint("c", cipher) as checkpoint:
        assert checkpoint.found == {b"2" * 16: bytes(32)}
    assert told(capfd, "tag", "-k", "key", "-o", "m", "--checkpoint", "d", "absent").startswith("absent: ")
    assert not Path("d").exists()
    os.mkfifo("fifo")
    assert told(capfd, "tag", "-k", "key", "-o", "m", "--checkpoint", "fifo", "t") == "fifo: not a regular file"


@pytest.mark.parametrize("freed", [False, True])
def test_checkpoint_on_a_full_disk(folder, monkeypatch, freed):
    """What was written before is found again, whether there is space again before the run ends or not."""
    cipher = XChaCha20Poly1305(KeyFile("key").derive(CHECKPOINTS))
    good = {bytes([i]) * 16: bytes([i]) * 32 for i in range(3)}
    pwrite, is_full = os.pwrite, [False]

    def full(descriptor, data, offset):
        if not is_full[0]:
            return pwrite(descriptor, data, offset)
        if len(data) < 20:
            is_full[0] = not freed
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return pwrite(descriptor, data[: len(data) // 2], offset)

    monkeypatch.setattr(_checkpoint.os, "pwrite", full)
    with pytest.raises(OSError, match="^c: No space left on device"):
        with Checkpoint("c", cipher) as checkpoint:
            for identity, partial in good.items():
                checkpoint.add(identity, partial)
                checkpoint.flush()
            is_full[0] = True
            checkpoint.add(b"x" * 16, bytes(32))
            checkpoint.flush()
    is_full[0] = False
    record = 4 + 24 + 16 + 32 + 16
    assert Path("c").stat().st_size == 36 + (3 + freed) * record
    with Checkpoint("c", cipher) as checkpoint:
        # What was waiting is not lost if it could be written after all.
        assert checkpoint.found == good | ({b"x" * 16: bytes(32)} if freed else {})
        checkpoint.add(b"y" * 16, bytes(32))
    whole = Path("c").read_bytes()
    # A record after the first that is damaged, or garbage, ends the file.
    for damaged in (
        whole[:-1] + bytes([whole[-1] ^ 1]),
        whole + bytes(100),
        whole + b"\xff" * 100,
        whole[:-5] + bytes(5),
    ):
        Path("c").write_bytes(damaged)
        with Checkpoint("c", cipher) as checkpoint:
            assert good.items() <= checkpoint.found.items()
            checkpoint.add(b"z" * 16, bytes(32))
        with Checkpoint("c", cipher) as checkpoint:
            assert b"z" * 16 in checkpoint.found


def test_retag_stays_in_its_tree(folder, cluster):
    """Names with dots, files behind links, and the files of the run itself are not tagged."""
    write_tree(folder, {b"v/a": b"1", b"v/s/b": b"2", b"x": b"outside", b"out/c": b"outside"})
    (folder / "v/link").symlink_to("../out")
    os.rename("key", "v/key")
    (folder / "key").symlink_to("v/key")
    (folder / "w").symlink_to("v")
    made = tag(["v", "w"], "key", cluster.client, output="v/m")
    before = made.text
    for name, why in [
        ("v/../x", "no path has"),
        ("v/./a", "no path has"),
        ("v//a", "no path has"),
        ("v/a/", "no path has"),
        ("v/s/../../x", "no path has"),
        ("v/a\0", "no path has"),
        ("x", "not below"),
        ("v/link/c", "link is a symbolic link, which is not followed"),
    ]:
        with pytest.raises((OSError, ValueError), match=why):
            retag(made, [name], cluster.client)
    (folder / "v/a").write_bytes(b"new")
    # A link that was given is followed, as the tree was.
    newer = retag(made, ["v/a", "w/a", "v/key", "v/m", "v/a/none", "v/none/b"], cluster.client)
    assert re.findall(rb"  ([vw]/.*)\n", newer.text) == [b"v/a", b"v/s/b", b"w/a", b"w/s/b"]
    assert check(newer, "key", cluster.client).is_ok and made.text == before
    # It may replace the manifest, if that is forced.
    with pytest.raises(FileExistsError):
        retag(made, ["v/a"], cluster.client, output="v/m")
    assert check(retag(made, ["v/a", "w/a"], cluster.client, output="v/m", force=True), "key", cluster.client).is_ok


EVIL = "\u009b31mRED\u202eevil: OK\u2028f\x1b[2J"
ERROR = f"<?xml version='1.0'?><Error><Code>AccessDenied</Code><Message>{EVIL[:-4]}</Message></Error>".encode()


def test_failing_stores(folder, capfd, cluster, s3, monkeypatch):
    """The list of failures, each of tag, check and retag: one line that names the store, exit status 2, no manifest."""
    monkeypatch.setattr(_http, "_RETRIES", 0)
    monkeypatch.setattr(s3fs.S3FileSystem, "retries", 1)
    made = tag("t", "key", cluster.client, output="local")
    nowhere = "http://127.0.0.1:1"
    keys = {
        "key": "a",
        "secret": "not-shown",
        "config_kwargs": {"retries": {"max_attempts": 0}},
        "client_kwargs": {"region_name": "eu-west-1"},
    }
    denied = (403, {"Content-Type": "application/xml"}, ERROR)
    with Web({}) as web:
        web.pages = {path: denied for path in (b"bucket", b"bucket/t/a", b"bucket/")}
        web.pages |= {path: (403, {}) for path in (b"t", b"t/a")}
        cases = [
            ("s3://bucket", keys | {"endpoint_url": nowhere}, "Could not connect"),
            ("s3://bucket", keys | {"endpoint_url": f"{nowhere}/?sig=not-shown"}, "not a valid URI"),
            ("s3://bucket", keys | {"endpoint_url": web.url}, "RED"),
            ("s3://bucket", keys | {"nonsense": 1}, "nonsense"),
            ("s3://no-such-bucket", s3.options, "no such bucket"),
            ("gs://bucket", {}, "gcsfs"),
            ("az://bucket", {}, "adlfs"),
            ("sftp://127.0.0.1:1", {}, "paramiko"),
            ("ftp://127.0.0.1:1", {}, "Connection refused"),
            ("none://", {}, "none"),
            (nowhere, {}, "Connect call failed"),
            ("http://nowhere.invalid", {}, "nowhere.invalid"),
            (web.url, {}, "answered 403"),
        ]
        for root, options, why in cases:
            given = [f"--option={name}={json.dumps(value)}" for name, value in options.items()]
            error = told(capfd, "tag", "-k", "key", "-o", "m", *given, f"{root}/t")
            assert error.startswith(root) and why in error and "not-shown" not in error, error
            error = told(capfd, "check", "-k", "key", "--base", root, *given, "local")
            assert error.startswith(root) and why in error, error
            with pytest.raises(OSError) as caught:
                retag(Manifest(root, KeyFile("key"), Path("local"), options=options), ["t/a"])
            error = str(caught.value)
            # S3 tells no reason for a HEAD.
            assert error.startswith(root) and error.isprintable() and (why in error or why == "RED"), error
        assert len(cases) == 13
    assert "no such bucket or folder" in told(capfd, "check", "-k", "key", "--base", "absent", "local")
    assert not Path("m").exists() and made.text == Path("local").read_bytes()
    # In a process of its own nothing else is said, either.
    command = [Path(sys.executable).with_name("hornet-cluster"), "tag", "-k", "key", "-o", "m", f"{nowhere}/t"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and done.stdout == ""


def test_nothing_else_exits_with_1(folder, capfd, monkeypatch):
    """An error that nobody foresaw is not "differs", and what it quotes is escaped."""
    from hornet_poly1305.dask import _manifest

    def fail(*_):
        raise RuntimeError(EVIL)

    monkeypatch.setattr(_manifest, "open_store", fail)
    error = told(capfd, "tag", "-k", "key", "-o", "m", "t")
    assert error == r"RuntimeError: \xc2\x9b31mRED\xe2\x80\xaeevil: OK\xe2\x80\xa8f\x1b[2J"


MEMORY = """
import resource, sys
from hornet_poly1305.dask import Manifest
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
for path in sys.argv[1:]:
    try:
        Manifest.open(path, "key")
    except ValueError as error:
        print(error)
print(peak() - before)
"""


def test_manifest_of_any_size(folder):
    """One that is refused takes no memory: neither one that is no manifest, nor one whose seal is wrong, nor a device."""
    with open("big", "wb") as file:
        file.write(b"hornet manifest 1\n")
        file.seek(512 << 20)
        file.write(b"\nseal %s %s\n" % (b"0" * 32, b"1" * 32))
    with open("other", "wb") as file:
        file.truncate(1 << 40)
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, "big", "other", "/dev/zero"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=True,
    )
    big, other, zero, kib = done.stdout.splitlines()
    assert "the seal does not match" in big and "not a manifest" in other and "not a manifest" in zero
    assert int(kib) < 16 << 10
    text = Path("m")
    hornet("tag", "-k", "key", "-o", "m", "t")
    # From a pipe too.
    reading, writing = os.pipe()
    os.write(writing, text.read_bytes())
    os.close(writing)
    assert Manifest.open(f"/dev/fd/{reading}", "key").path is not None
    os.close(reading)
