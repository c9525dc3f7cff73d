# SPDX-License-Identifier: Apache-2.0 OR MIT
"""k and r, the answers' key and partial evaluations are not where they must not be."""

import os
import re
import time
from functools import partial

import pytest
import yaml
from conftest import PART, contents, hornet, plaintext_address, write_tree
from distributed import Client, LocalCluster
from hornet_poly1305 import KeyFile
from hornet_poly1305.dask import ClusterError, _worker, tag
from hornet_poly1305.dask._driver import check_transport, worker_secret
from hornet_poly1305.dask._worker import read_secret_file, write_secret_file
from test_manifests import command


def memory(pid):
    """Yield what is in the memory of a process."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as file:
        for line in maps:
            start, end, access = re.match(r"(\w+)-(\w+) (\S+)", line).groups()
            if access.startswith("rw"):
                file.seek(int(start, 16))
                try:
                    yield file.read(int(end, 16) - int(start, 16))
                except OSError:
                    continue


def forms(secret):
    """Return a secret as it may be written."""
    return [bytes(secret), secret.hex().encode(), repr(bytes(secret)).encode(), str(list(secret)).encode()]


def hold(client, run, secret, **workers):
    """Let workers hold the secrets of a run."""

    # Within a function, so that it goes to workers by value.
    def keep():
        from hornet_poly1305.dask import _secrets, _worker

        secrets = _secrets.Secrets(secret, "file:///", {})
        _worker._keep(run, _worker._Run(installed=_worker._Installed(secrets)))

    client.run(keep, **workers)


def test_nothing_in_scheduler_logs_and_dumps(keys, own_cluster, s3, bucket, tmp_path):
    """The memory of the scheduler, all logs and a dump of the cluster have no secret; that of a worker has r."""
    client = own_cluster.client
    secret = worker_secret(keys.file())
    k = bytes.fromhex(keys.path.read_text().split("\nkey ")[1][:32])
    evaluated = keys.file().evaluation().compute(contents()[b"Zx/Z"])
    secrets = {"k": k, "r": secret[:16], "the answers' key": secret[16:], "a partial evaluation": evaluated[:16]}
    # By both ways: over connections of the driver's, and by a file, where answers pass the scheduler.
    tag(f"s3://{bucket}/tree", keys.path, client, PART, **s3.options)
    write_secret_file(str(tmp_path / "secret"), secret)
    write_tree(tmp_path / "tree", contents())
    made = tag(str(tmp_path / "tree"), keys.path, client, PART, secret_file=str(tmp_path / "secret"))
    assert made.summary.objects == len(contents())

    client.dump_cluster_state(str(tmp_path / "dump"), write_from_scheduler=False, format="yaml")
    dump = (tmp_path / "dump.yaml").read_bytes()
    places = {"logs": [own_cluster.logs()], "dump": [dump], "scheduler": list(memory(own_cluster.scheduler.pid))}
    found = [
        (place, name)
        for place, texts in places.items()
        for name, value in secrets.items()
        if any(form in text for form in forms(value) for text in texts)
    ]
    assert found == []
    # The search finds what is there: names in the scheduler's memory, and r in a worker's while it has it.
    assert any(b"tree/small/" in text for text in places["scheduler"]) and len(dump) > 1000
    address, pid = next(iter(own_cluster.pids().items()))
    hold(client, b"run", bytes(secret), workers=[address])
    assert any(bytes(secret[:16]) in text for text in memory(pid))


def test_workers_forget(keys, cluster, tmp_path):
    """After a run, or some time after its driver died, no worker holds what it needed."""
    runs = partial(cluster.client.run, lambda: sum(run.installed is not None for run in _worker._runs.values()))
    (tmp_path / "file").write_bytes(b"x")
    before = runs()
    tag(str(tmp_path / "file"), keys.path, cluster.client)
    assert runs() == before
    cluster.client.run(lambda: setattr(_worker, "_IDLE_SECONDS", 0.5))
    try:
        hold(cluster.client, b"dead", bytes(worker_secret(keys.file())))
        assert all(count == before[worker] + 1 for worker, count in runs().items())
        time.sleep(1.5)
        assert all(count <= before[worker] for worker, count in runs().items())
    finally:
        cluster.client.run(lambda: setattr(_worker, "_IDLE_SECONDS", 600.0))


# Hosts elsewhere, and names, which may be of any host.
REFUSED = (
    *("tcp://192.0.2.1:8786", "ws://example.org:1", "tcp://[2001:db8::1]:1", "ucx://192.0.2.1:1", "192.0.2.1:1"),
    *(
        "tcp://127.evil.example:1",
        "tcp://127.0.0.1.example:1",
        "tcp://localhost:1",
        "localhost:1",
        "tcp://::1.example:1",
    ),
    *(
        "tcp://127.0.0.1@192.0.2.1:1",
        "tcp://192.0.2.1:1@127.0.0.1:1",
        "tcp://192.0.2.1#127.0.0.1:1",
        "wss://192.0.2.1:1",
    ),
    *(
        "tcp://127.1:1",
        "tcp://2130706433:1",
        "tcp://0177.0.0.1:1",
        "tcp://0.0.0.0:1",
        "tcp://[::]:1",
        "tcp://[fe80::1%lo]:1",
    ),
    *("tls+tcp://192.0.2.1:1", "TLS://192.0.2.1:1", "tls://tcp://192.0.2.1:1", "tcp://127.0.0.1:x", "tcp://", ""),
)


def test_plaintext_is_refused(keys, tmp_path):
    """r is not sent to other hosts unencrypted, unless that is asked for."""
    for address in REFUSED:
        with pytest.raises(ClusterError, match="not encrypted"):
            check_transport(address, False)
        check_transport(address, True)
    for address in (
        "tls://192.0.2.1:8786",
        "tls://name:1",
        "tcp://127.0.0.1:1",
        "tcp://127.8.9.1",
        "tcp://[::1]:1",
        "inproc://1/2",
    ):
        check_transport(address, False)
    host = plaintext_address()
    if host is None:
        pytest.skip("this host has no address but the loopback's")
    (tmp_path / "file").write_bytes(b"x")
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, host=host, dashboard_address=None) as own,
        Client(own) as client,
    ):
        with pytest.raises(ClusterError, match="--insecure-send-r-in-plaintext"):
            tag(str(tmp_path / "file"), keys.path, client)
        assert set(client.run(lambda: len(_worker._runs)).values()) == {0}  # not even asked whether it could have them
        arguments = ("tag", "-k", keys.path, "-o", tmp_path / "m", "--scheduler", own.scheduler_address)
        _, error = command(*arguments, tmp_path / "file", status=3)
        assert "not encrypted" in error and not (tmp_path / "m").exists()
        command(*arguments, "--insecure-send-r-in-plaintext", tmp_path / "file")
        hornet("check", "-k", keys.path, tmp_path / "m")


def test_secret_file(keys, cluster, tmp_path):
    """r from a file of the workers'; a file that others may read, or that is another, is refused."""
    path = tmp_path / "secret"
    command("secret", "-k", keys.path, "-o", path)
    assert path.stat().st_mode & 0o777 == 0o600
    command("secret", "-k", keys.path, "-o", path, status=2)
    assert read_secret_file(path) == worker_secret(keys.file())
    (tmp_path / "file").write_bytes(b"y" * 100_000)
    made = tag(str(tmp_path / "file"), keys.path, cluster.client, PART, secret_file=str(path))
    keys.assert_tags(made.text, {os.fsencode(tmp_path / "file"): b"y" * 100_000})
    for mode in 0o400, 0o440, 0o640:  # a group may read it
        os.chmod(path, mode)
        assert read_secret_file(path) == worker_secret(keys.file())
    for mode in 0o444, 0o660, 0o604, 0o610:
        os.chmod(path, mode)
        with pytest.raises(ValueError, match="accessible by others"):
            read_secret_file(path)
    os.chmod(path, 0o644)
    with pytest.raises(ClusterError, match="accessible by others"):
        tag(str(tmp_path / "file"), keys.path, cluster.client, PART, secret_file=str(path))
    path.write_text("r 00\n")
    os.chmod(path, 0o600)
    with pytest.raises(ClusterError, match="not a file that hornet-cluster secret has written"):
        tag(str(tmp_path / "file"), keys.path, cluster.client, PART, secret_file=str(path))
    other = tmp_path / "other"
    KeyFile.create(other)
    write_secret_file(str(tmp_path / "others"), worker_secret(KeyFile(other)))
    with pytest.raises(ClusterError, match="not of the objects"):
        tag(str(tmp_path / "file"), keys.path, cluster.client, PART, secret_file=str(tmp_path / "others"))


def test_one_command_with_tls(keys, cluster, tmp_path):
    """The command finds a cluster by its scheduler file, with certificates, and reports in JSON."""
    (tmp_path / "t").mkdir()
    (tmp_path / "t/file").write_bytes(b"z" * 1000)
    arguments = ("tag", "-k", keys.path, "-o", "m", *cluster.options(), "--json", "t")
    out, _ = command(*arguments, cwd=tmp_path)
    summary = yaml.safe_load(out)
    assert summary["objects"] == 1 and summary["bytes_read"] == 1000 and summary["unread"] == []
    hornet("check", "-k", keys.path, "m", cwd=tmp_path)
    # Without the certificates, there is no connection.
    _, error = command("tag", "-k", keys.path, "-o", "n", "--scheduler", cluster.address(), "t", cwd=tmp_path, status=3)
    assert "no connection" in error and "Traceback" not in error and not (tmp_path / "n").exists()
