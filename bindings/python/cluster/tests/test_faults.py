# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Whatever fails, a run ends with the right manifest, or without one and with the reason; no nonce is used twice."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading

import pytest
from conftest import PART, PATIENCE_SECONDS, Cluster, content, contents, hornet
from hornet_poly1305 import KeyFile, XChaCha20Poly1305
from hornet_poly1305.dask import ClusterError, _driver, _stores, _worker, tag
from hornet_poly1305.dask._checkpoint import Checkpoint
from hornet_poly1305.dask._driver import CHECKPOINTS

# 100 before a release, which take four minutes.
RUNS = int(os.environ.get("KILL_RUNS", "25"))
BIG = {b"big/%d" % i: content(i, 300_000 + i) for i in range(12)}


@pytest.fixture(scope="session")
def big(s3):
    """A bucket whose objects have several parts each."""
    s3.bucket("big-bucket", BIG)
    return "s3://big-bucket/big"


class Killer(threading.Thread):
    """Kills workers at random times until it is stopped."""

    def __init__(self, cluster, seed):
        super().__init__()
        self.cluster, self.random, self.kills = cluster, random.Random(seed), 0
        self.stopping = threading.Event()

    def run(self):
        while not self.stopping.wait(self.random.uniform(1.5, 4.0)):
            # A nanny takes a second or more to start another.
            while len(alive := workers_of(self.cluster)) < 2:
                if self.stopping.wait(0.05):
                    return
            os.kill(self.random.choice(alive), signal.SIGKILL)
            self.kills += 1

    def stop(self):
        self.stopping.set()
        self.join()


def workers_of(cluster):
    """Return the processes of workers, which are children of their nannies."""
    found = []
    for stat in os.listdir("/proc"):
        if stat.isdecimal():
            try:
                with open(f"/proc/{stat}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
                with open(f"/proc/{stat}/cmdline", "rb") as file:
                    command = file.read()
            except OSError:
                continue
            if int(fields[3]) == cluster.workers.pid and b"spawn_main" in command:
                found.append(int(stat))
    return found


@contextlib.contextmanager
def signalled(process, number, seconds):
    """Send a signal to a process, some seconds after what is within begins."""
    timer = threading.Timer(seconds, os.kill, (process, number))
    timer.start()
    try:
        yield
    finally:
        timer.join()


def test_killed_workers(keys, own_cluster, s3, big):
    """Workers are killed at random in all runs: all manifests are right, and little is read twice."""
    killer = Killer(own_cluster, 30)
    killer.start()
    before = s3.counts()["bytes"]
    retries = 0
    try:
        for _ in range(RUNS):
            made = tag(big, keys.path, own_cluster.client, 2 * PART, **s3.options)
            keys.assert_tags(made.text, BIG)
            retries += made.summary.retries
    finally:
        killer.stop()
    assert killer.kills >= RUNS // 12
    read = (s3.counts()["bytes"] - before) / (RUNS * sum(map(len, BIG.values())))
    print(f"{killer.kills} workers killed, {retries} retries, {read:.3f} of the bytes read")
    assert read <= 1.05


def test_stopped_worker(keys, own_cluster, s3, big, monkeypatch):
    """A worker that is cut off: what it holds is sent to another."""
    monkeypatch.setattr(_driver, "_LATE_SECONDS", 1.5)
    s3.faults(pause=0.05)
    stopped = workers_of(own_cluster)[0]
    try:
        with signalled(stopped, signal.SIGSTOP, 0.5):
            made = tag(big, keys.path, own_cluster.client, PART, **s3.options)
    finally:
        os.kill(stopped, signal.SIGCONT)
    keys.assert_tags(made.text, BIG)
    assert made.summary.late >= 1


def test_death_of_the_only_usable_worker(keys, own_cluster, s3, big):
    """What waits for a worker that has died, as another cannot read the store, is sent to the one that replaces it."""
    (unusable, _), (_, killed) = own_cluster.pids().items()
    own_cluster.without_s3fs(unusable)
    s3.faults(pause=0.05)
    with signalled(killed, signal.SIGKILL, 1.0):
        made = tag(big, keys.path, own_cluster.client, PART, **s3.options)
    keys.assert_tags(made.text, BIG)
    assert unusable in own_cluster.pids() and killed not in own_cluster.pids().values()


def test_results_that_come_twice(keys, cluster, s3, big, monkeypatch):
    """Every task is sent to both workers at once; results are taken once."""
    monkeypatch.setattr(_driver, "_LATE_SECONDS", 0.0)
    monkeypatch.setattr(_driver, "_LATE_FACTOR", 0.0)
    s3.faults(pause=0.05)
    made = tag(big, keys.path, cluster.client, PART, **s3.options)
    keys.assert_tags(made.text, BIG)
    assert made.summary.late >= 5


def test_lost_scheduler(keys, tmp_path, certificates, s3, big, monkeypatch):
    """The run ends with the reason, and another goes on from the checkpoint, with other nonces."""
    s3.faults(pause=0.1)
    own = Cluster(tmp_path / "first", certificates)
    monkeypatch.setattr("hornet_poly1305.dask._checkpoint._SECONDS", 0.0)
    collect, count = _driver.Run._collect, [0]

    def collecting(*arguments):
        collect(*arguments)
        count[0] += 1
        if count[0] == 6:
            own.scheduler.kill()

    monkeypatch.setattr(_driver.Run, "_collect", collecting)
    checkpoint = tmp_path / "checkpoint"
    before = KeyFile(keys.path).derive(0), keys.path.read_bytes()
    with pytest.raises(ClusterError, match="scheduler"):
        tag(big, keys.path, own.client, PART, output=tmp_path / "m", checkpoint=checkpoint, **s3.options)
    own.close()
    assert keys.path.read_bytes() != before[1]
    assert not (tmp_path / "m").exists()
    s3.faults()
    own = Cluster(tmp_path / "second", certificates)
    try:
        made = tag(big, keys.path, own.client, PART, output=tmp_path / "m", checkpoint=checkpoint, **s3.options)
    finally:
        own.close()
    keys.assert_tags((tmp_path / "m").read_bytes(), BIG)
    assert made.summary.from_checkpoint > 0
    assert made.summary.from_checkpoint + made.summary.bytes_read == made.summary.bytes
    assert not checkpoint.exists()


DRIVER = """
import os, signal, sys
from distributed import Client, Security
from hornet_poly1305.dask import _checkpoint, _driver, _manifest, tag
when, key, scheduler, folder, url, output, checkpoint, options = sys.argv[1:]
die = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
_checkpoint._SECONDS = 0.0
if when == "before":
    _manifest.saving = die
elif when == "after":
    _driver.Run.__enter__ = die
elif when == "in the middle":
    collect, count = _driver.Run._collect, [0]
    def counted(*arguments):
        collect(*arguments)
        count[0] += 1
        count[0] < 8 or die()
    _driver.Run._collect = counted
elif when == "at the end":
    _manifest._write = die
host = folder + "/host.pem"
security = Security(tls_ca_file=folder + "/ca.pem", tls_client_cert=host, tls_client_key=host, require_encryption=True)
if __name__ == "__main__":
    with Client(scheduler, security=security) as client:
        made = tag(url, key, client, 65536, output=output, checkpoint=checkpoint, **eval(options))
        print(made.summary.from_checkpoint)
"""


def has_unnamed_files(folder):
    """Return whether the file system has them; where it has not, a kill leaves a temporary file."""
    try:
        os.close(os.open(folder, os.O_RDWR | os.O_TMPFILE))
    except OSError:
        return False
    return True


def counter(path):
    return int(path.read_text().split("next-nonce ")[1].split()[0])


@pytest.mark.parametrize("when", ["before", "after", "in the middle", "at the end"])
def test_killed_driver(keys, cluster, s3, big, tmp_path, when):
    """The driver dies before nonces are reserved, after that, and later: nothing is left but the checkpoint."""
    arguments = [
        keys.path,
        cluster.address(),
        cluster.certificates,
        big,
        tmp_path / "m",
        tmp_path / "c",
        repr(s3.options),
    ]

    def run(when):
        command = [sys.executable, "-c", DRIVER, when, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS)

    before = counter(keys.path)
    assert run(when).returncode == -signal.SIGKILL
    assert counter(keys.path) == before + (0 if when == "before" else len(BIG) + 1)
    left = [name for name in os.listdir(tmp_path) if name != "c"]
    assert left == [] or not has_unnamed_files(tmp_path)
    for name in left:
        (tmp_path / name).unlink()
    done = run("never")
    assert done.returncode == 0, done.stderr
    keys.assert_tags((tmp_path / "m").read_bytes(), BIG)
    assert (int(done.stdout) > 0) == (when in ("in the middle", "at the end"))
    if when == "at the end":
        assert int(done.stdout) == sum(map(len, BIG.values()))
    assert os.listdir(tmp_path) == ["m"]


@pytest.mark.parametrize("kinds", [[500], [503], ["short"], ["cut"], ["late"], [500, "short", 503, "cut"]], ids=str)
def test_failing_store(keys, cluster, s3, big, bucket, kinds):
    """Errors that pass: requests are repeated, from where the response ended."""
    s3.faults(every=7 if kinds != ["late"] else 20, kinds=kinds)
    before = s3.counts()
    made = tag(big, keys.path, cluster.client, PART, **s3.options)
    keys.assert_tags(made.text, BIG)
    faults = s3.counts()["faults"] - before["faults"]
    assert faults >= 3 and not made.failed
    if kinds == ["short"]:
        # What was read before is kept.
        assert made.summary.bytes_read <= made.summary.bytes + 16 * faults
    small = tag(f"s3://{bucket}/tree", keys.path, cluster.client, PART, **s3.options)
    keys.assert_tags(small.text, {b"tree/" + name: data for name, data in contents().items()})


def test_object_that_cannot_be_read(keys, cluster, s3, big, monkeypatch):
    """Errors that do not pass: the object is unread, with the reason, and all others are tagged."""
    cluster.client.run(lambda: setattr(_stores, "_DELAY_SECONDS", 0.01))
    s3.faults(keys="big/7", kinds=[503])
    made = tag(big, keys.path, cluster.client, PART, **s3.options)
    keys.assert_tags(made.text, {name: data for name, data in BIG.items() if name != b"big/7"})
    assert list(made.failed) == [b"big/7"] and "requested 7 times" in made.failed[b"big/7"]
    assert b"\nunread big/7\n" in made.text


@pytest.mark.parametrize("how", ["before", "between", "removed"])
def test_object_replaced(keys, cluster, s3, how, monkeypatch):
    """An object that is replaced after it was listed is never tagged, whatever of it has been read."""
    bucket = f"replaced-{how}"
    s3.bucket(bucket, BIG)
    at, count = (0 if how != "between" else 6), [0]
    submit = _driver.Run._submit

    def submitting(*arguments):
        if count[0] == at:
            if how == "removed":
                s3.fs.call_s3("delete_object", Bucket=bucket, Key="big/1")
            else:
                s3.put(bucket, b"big/1", content(77, len(BIG[b"big/1"])))
        count[0] += 1
        submit(*arguments)

    monkeypatch.setattr(_driver.Run, "_submit", submitting)
    made = tag(f"s3://{bucket}/big", keys.path, cluster.client, PART, **s3.options)
    keys.assert_tags(made.text, {name: data for name, data in BIG.items() if name != b"big/1"})
    expected = "no longer exists" if how == "removed" else "changed while it was being read"
    assert made.failed == {b"big/1": expected}


def test_file_replaced(keys, cluster, tmp_path, monkeypatch):
    """The same of files: by another of the same length and time, and by a link."""
    monkeypatch.chdir(tmp_path)
    for name in ("t/a", "t/b", "t/c", "elsewhere"):
        os.makedirs("t", exist_ok=True)
        (tmp_path / name).write_bytes(content(1, 100_000))
    submit = _driver.Run._submit

    def submitting(*arguments):
        if os.path.exists("elsewhere"):
            times = os.stat("t/a")
            (tmp_path / "t/a").write_bytes(content(2, 100_000))
            os.utime("t/a", ns=(times.st_atime_ns, times.st_mtime_ns))
            os.unlink("t/b")
            os.rename("elsewhere", "t/elsewhere")
            os.symlink("elsewhere", "t/b")
        submit(*arguments)

    monkeypatch.setattr(_driver.Run, "_submit", submitting)
    made = tag("t", keys.path, cluster.client, PART)
    keys.assert_tags(made.text, {b"t/c": content(1, 100_000)})
    assert set(made.failed) == {b"t/a", b"t/b"} and "changed" in made.failed[b"t/a"]


def test_answer_for_another_object(keys, cluster, s3, big, monkeypatch):
    """It is refused, and the task sent again; if that does not help, the run ends with the reason."""
    submit, count = _driver.Run._submit, [0]
    evaluate = _worker.evaluate

    # Within a function, so that it goes to workers by value.
    def other_request(spec, request, key):
        evaluate(spec, request.replace(b"big/1", b"big/2"), key)

    def submitting(always):
        def one(*arguments):
            count[0] += 1
            wrong = always or count[0] % 3 == 0
            monkeypatch.setattr(_driver._worker, "evaluate", other_request if wrong else evaluate)
            submit(*arguments)

        return one

    same = {b"big/1": content(1, PART), b"big/2": content(2, PART)}
    bucket = f"answers-{os.getpid()}"
    s3.bucket(bucket, same)
    monkeypatch.setattr(_driver.Run, "_submit", submitting(False))
    made = tag(f"s3://{bucket}/big", keys.path, cluster.client, PART, **s3.options)
    keys.assert_tags(made.text, same)
    made = tag(f"s3://{bucket}/big", keys.path, cluster.client, PART, **s3.options)
    keys.assert_tags(made.text, same)
    assert count[0] >= 5
    monkeypatch.setattr(_driver.Run, "_submit", submitting(True))
    with pytest.raises(ClusterError, match="not of the objects that it was asked for"):
        tag(f"s3://{bucket}/big", keys.path, cluster.client, PART, **s3.options)


def test_checkpoint(keys, tmp_path):
    """A record that was cut off is dropped; one that was changed, moved or is of another key is refused."""
    cipher = XChaCha20Poly1305(keys.file().derive(CHECKPOINTS))
    path = tmp_path / "c"
    entries = {bytes([i]) * 16: bytes([i]) * 32 for i in range(5)}
    for identity, partial in entries.items():
        with Checkpoint(path, cipher) as checkpoint:
            checkpoint.add(identity, partial)
    whole = path.read_bytes()
    with Checkpoint(path, cipher) as checkpoint:
        assert checkpoint.found == entries
    assert path.stat().st_mode & 0o777 == 0o600
    assert not any(partial in whole for partial in entries.values())
    size = (len(whole) - 36) // 5
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        with Checkpoint(path, cipher) as checkpoint:
            count = max(0, cut - 36) // size
            assert list(checkpoint.found) == list(entries)[:count]
            checkpoint.add(b"new" + bytes(13), bytes(32))
        with Checkpoint(path, cipher) as checkpoint:
            assert len(checkpoint.found) == count + 1
    for wrong in [
        whole[:60] + bytes([whole[60] ^ 1]) + whole[61:],
        whole[:36] + whole[36 + size : 36 + 2 * size] + whole[36 : 36 + size] + whole[36 + 2 * size :],
        whole[:36] + whole[36 + size :],
        whole[:30] + bytes([whole[30] ^ 1]) + whole[31:],
    ]:
        path.write_bytes(wrong)
        with pytest.raises(ValueError, match="was changed, or written under another key"):
            Checkpoint(path, cipher)
        assert path.read_bytes() == wrong
    path.write_bytes(b"my thesis, of which there is no copy, and which nobody must overwrite")
    with pytest.raises(ValueError, match="not a checkpoint"):
        Checkpoint(path, cipher)
    assert path.read_bytes().startswith(b"my thesis")
    hornet("keygen", tmp_path / "other")
    path.write_bytes(whole)
    with pytest.raises(ValueError, match="another key"):
        Checkpoint(path, XChaCha20Poly1305(KeyFile(tmp_path / "other").derive(CHECKPOINTS)))
