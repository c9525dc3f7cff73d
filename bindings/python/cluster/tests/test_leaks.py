# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Every step of a worker fails in turn, raising what holds all secrets: nothing that shows errors shows one of them."""

import asyncio
import base64
import contextlib
import copy
import gzip
import html
import json
import logging
import pickle
import re
import socket
import subprocess
import sys
import time
import traceback
import urllib.error
import urllib.request
from types import SimpleNamespace
from urllib.parse import quote

import cloudpickle
import planted
import pytest
from conftest import PART, PATIENCE_SECONDS, Cluster, contents
from fsspec.registry import _registry
from hornet_poly1305 import Evaluation
from hornet_poly1305.dask import ClusterError, _driver, _worker, tag
from hornet_poly1305.dask._driver import worker_secret
from hornet_poly1305.dask._local import dashboard_address
from hornet_poly1305.dask._manifest import list_store
from hornet_poly1305.dask._secrets import Secrets, WorkerError
from test_manifests import command
from test_secrets import memory

# What opens the store: its URL, and its options.
PASSWORD, TOKEN, KEY = "p/ss:w'rd&<1>\u00e9", "t0ken\twith a tab", b"\x00\xffbytes of a key"
URL = "sftp://someone@store.example"
WITH_PASSWORD = f"sftp://someone:{quote(PASSWORD, safe='')}@store.example"
OPTIONS = {
    "password": PASSWORD,
    "token": TOKEN,
    "more": {"list": [KEY]},
    "endpoint": f"https://u:{quote(PASSWORD)}@h/?sig={quote(TOKEN)}",
}

# Steps in which no planted function is called; and how many objects are unread after a step.
IMPORTS = (None, "import of a module", "import of hornet_poly1305")
UNREAD = {"list": 3, "compare versions": 3, "read": 2}
# What ends a run, by the step that fails; a step with None for that ends none.
STEPS = {
    None: None,
    "import of a module": "worker .*: module_that_is_missing is not installed there",
    "import of a store": "worker .*: Leak$",
    "import of hornet_poly1305": "worker .*: hornet_poly1305.dask._worker is not installed there",
    "unseal": "worker .*: Leak$",
    "take r": "worker .*: Leak$",
    "open": r"worker .*: StoreError: no connection to sftp://\*\*\*@store.example with",
    "connect": r"worker .*: OSError: sftp://\*\*\*@store.example: no connection to sftp://\*\*\*@store.example with",
    "prepare to read": r"worker .*: StoreError: no connection to sftp://\*\*\*@store.example with",
    "list": None,
    "compare versions": None,
    "read": None,
    "read at all": "failed 6 times, at last: reading failed: Leak$",
    "cancel": "failed 6 times, at last: a request failed: Cancelled$",
    "decode": "failed 6 times, at last: a request failed: Leak$",
    "answer": "failed 6 times, at last: a request failed: Leak$",
    "send": "failed 6 times, at last: a request failed: Leak$",
    "read the secret file": "failed 6 times, at last: a request failed: Leak$",
    "forget": None,
}


def forms(secret):
    """Return how a secret may be written: bytes and their escapes, hexadecimal, base64 from any position on, numbers."""
    found = {
        secret,
        repr(secret)[2:-1].encode(),
        str(list(secret))[1:-1].encode(),
        html.escape(repr(secret)[2:-1]).encode(),
    }
    for text in (secret.hex(), secret.hex(" "), *(str(int.from_bytes(secret, order)) for order in ("little", "big"))):
        found |= {text.encode(), text.upper().encode()}
    found |= {b"%x" % int.from_bytes(secret, order) for order in ("little", "big")}
    for before in range(3):
        coded = base64.b64encode(bytes(before) + secret)[-(-8 * before // 6) :]
        coded = coded[: len(secret) * 8 // 6 - 1]
        found |= {coded, coded.translate(bytes.maketrans(b"+/", b"-_"))}
    try:
        text = secret.decode()
    except UnicodeDecodeError:
        return found
    escaped = (repr(text)[1:-1], json.dumps(text)[1:-1], html.escape(text), quote(text), quote(text, safe=""))
    return found | {each.encode() for each in escaped}


def pages(cluster):
    """Return what the HTTP servers of the scheduler and of a worker show."""
    info = cluster.client.scheduler_info(n_workers=-1)
    keys = list(cluster.client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks)))
    paths = ["main/workers", "main/exceptions", "main/logs"]
    for worker in info["workers"]:
        paths += [f"{kind}/{quote(worker, safe='')}" for kind in ("worker", "logs", "call-stacks")]
    paths += [f"{kind}/{quote(key, safe='')}" for key in keys for kind in ("task", "call-stack")]
    scheduler = [f"info/{path}.html" for path in paths] + [
        "json/identity.json",
        "json/counts.json",
        "metrics",
        "status",
    ]
    ports = [(info["services"]["dashboard"], scheduler)]
    ports += [(worker["services"]["dashboard"], ["metrics", "health"]) for worker in info["workers"].values()]
    found = []
    for port, paths in ports:
        for path in paths:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=PATIENCE_SECONDS) as response:
                    found.append(response.read())
            except urllib.error.HTTPError as error:  # of a task that has been released
                found.append(error.read())
    return found + [html.unescape(page.decode()).encode() for page in found]


def flat(value):
    """Return all texts in a value."""
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple)):
        return b"\n".join(map(flat, value))
    return value if isinstance(value, bytes) else str(value).encode()


def shown(cluster, folder, told):
    """Return everything that shows errors, by place; told is what the driver has shown."""
    client = cluster.client
    client.dump_cluster_state(str(folder / "dump"), write_from_scheduler=False)
    logs = [client.get_worker_logs(), client.get_worker_logs(nanny=True), client.get_scheduler_logs()]
    return {
        "files of logs": [cluster.logs()],
        "logs": [flat(logs)],
        "events": [flat(client.get_events())],
        "pages": pages(cluster),
        "dump": [gzip.decompress((folder / "dump.msgpack.gz").read_bytes())],
        "the scheduler's memory": list(memory(cluster.scheduler.pid)),
        "the driver": told,
    }


def found(texts, secrets):
    """Return in which places which secrets are."""
    return {
        (place, name)
        for name, secret in secrets.items()
        for form in forms(secret)
        for place, several in texts.items()
        if any(form in text for text in several)
    }


def shows(error):
    """Return how an exception of the driver's may be shown."""
    return ["".join(traceback.format_exception(error)).encode(), repr(error).encode(), pickle.dumps(error)]


def test_failures_show_no_secret(keys, certificates, tmp_path, monkeypatch, capfd, caplog):
    secret = bytes(worker_secret(keys.file()))
    evaluated = keys.file().evaluation().compute(planted.FILES["a"])
    secrets = {"r": secret[:16], "the answers' key": secret[16:], "a partial evaluation": evaluated[:16]}
    secrets["k"] = bytes.fromhex(keys.path.read_text().split("\nkey ")[1][:32])
    secrets |= {"a password": PASSWORD.encode(), "a token": TOKEN.encode(), "bytes": KEY}
    monkeypatch.setattr(_driver, "_INSTALL_PAUSE_SECONDS", 0.01)
    caplog.set_level(logging.DEBUG, "distributed")
    monkeypatch.setitem(_registry, "sftp", planted.Sftp)
    path = tmp_path / "secret"
    command("secret", "-k", keys.path, "-o", path)
    cluster = Cluster(tmp_path / "cluster", certificates, workers=1, pages=True)
    try:
        client, told, failures = cluster.client, [], 0
        for step, ends in STEPS.items():
            client.run(planted.plant, step)
            url, options = (path, {"secret_file": path}) if step == "read the secret file" else (URL, OPTIONS)
            try:
                made = tag(str(url), keys.path, client, PART, **options)
            except ClusterError as error:
                assert ends is not None and re.search(ends, str(error)), f"{step}: {error}"
                told += shows(error)
            else:
                assert ends is None, f"{step}: nothing was raised"
                told.append(flat([repr(made), made.failed]))
                assert len(made.failed) == UNREAD.get(step, 0), step
            (now,) = client.run(planted.failures).values()
            assert now > failures or step in IMPORTS, f"{step}: nothing has failed"
            failures = now
        client.run(planted.plant, None)
        told += ["".join(capfd.readouterr()).encode(), caplog.text.encode()]
        texts = shown(cluster, tmp_path, told)
        assert found(texts, secrets) == set()

        # The search finds all of them, everywhere, once something is careless.
        values = list(secrets.values())
        with pytest.raises(ValueError) as careless:
            client.run(planted.shout, *values)
        told += shows(careless.value)
        client.submit(planted.shout, *values, key="careless", pure=False).exception()
        client.log_event("careless", values)
        texts = shown(cluster, tmp_path, told)
        assert found(texts, secrets) == {(place, name) for place in texts for name in secrets}
        searched = {place: sum(map(len, several)) for place, several in texts.items()}
        print(f"{len(STEPS) - 1} steps, {failures} failures; bytes searched: {searched}")
        assert failures >= 60 and len(texts["pages"]) >= 20 and min(searched.values()) >= 1000
    finally:
        cluster.close()


def test_secrets_show_nothing(keys, monkeypatch):
    """Nor does an exception that refers to them; and what a library says loses the credentials that it may know."""
    monkeypatch.setenv("STORE_ACCESS_KEY", "of the environment")
    secret, key, run = bytes(worker_secret(keys.file())), bytes(32), b"run"
    values = {"secret": secret, "a password": PASSWORD.encode(), "a token": TOKEN.encode(), "bytes": KEY}
    held = Secrets(secret, URL, OPTIONS)
    sealed = held.seal(key, run)
    try:
        raise ValueError(held, [held])
    except ValueError as error:
        shown = [*traceback.format_exception(error), repr(error), repr(held), str(held), f"{held}", repr(sealed)]
        for take in (pickle.dumps, cloudpickle.dumps, copy.copy, copy.deepcopy, vars):
            for what in (held, error) if take is pickle.dumps else (held,):
                with pytest.raises(TypeError):
                    take(what)
    assert found({"": [flat(each) for each in shown]}, values) == set()

    opened = Secrets.open(sealed, key, run)
    assert (bytes(opened._secret), opened.root, opened.options) == (secret, URL, OPTIONS)
    for other in ((bytes(31) + b"1", run), (key, b"nur")):
        with pytest.raises(WorkerError, match="not sealed for this worker and run"):
            Secrets.open(sealed, *other)
    evaluation, _ = opened.evaluation_and_cipher()
    assert evaluation.compute(KEY) == Evaluation(secret[:16]).compute(KEY) and not any(opened._secret)

    texts = [
        repr(OPTIONS),
        WITH_PASSWORD,
        PASSWORD,
        json.dumps({"t": TOKEN}),
        quote(TOKEN),
        base64.b64encode(KEY).decode(),
        KEY.hex(),
    ]
    texts += ["GET https://other:w@host/a?X-Signature=0123&b=4 of the environment", repr([repr(OPTIONS)]), repr(KEY)]
    said = [held.scrubbed(f"refused: {text} by store.example") for text in texts]
    values |= {"an environment": b"of the environment", "a user": b"other:w", "a signature": b"0123"}
    assert found({"": [each.encode() for each in said]}, values) == set()
    assert all(each.startswith("refused: ") and each.endswith(" by store.example") for each in said)
    assert "https://***@host/a?***" in said[7]


def test_only_workers_get_r(keys, local, tmp_path):
    """Any client can name an address in an event: r goes to workers that the scheduler knows."""
    (tmp_path / "file").write_bytes(b"x")
    objects = list_store("file:///", [str(tmp_path / "file")], {}).objects
    run = _driver.Run(local, keys.file(), "file:///", {}, part_bytes=PART)
    with socket.create_server(("127.0.0.1", 0)) as listener, run:
        listener.settimeout(0.5)
        for said in [
            {"worker": f"tcp://127.0.0.1:{listener.getsockname()[1]}"},
            {"worker": 1},
            {"key": []},
            {"answer": 1},
            2,
        ]:
            local.log_event(_worker.topic(run._spec.run), said)
        # Events keep their order: answers come after those above.
        assert run.evaluate(objects, range(1)) == {} and objects.partial(0) is not None
        with pytest.raises(TimeoutError):
            listener.accept()


def test_a_run_that_ends_before_all_workers_have_r(keys, local, tmp_path, monkeypatch):
    """A worker to which r is on its way when the run ends forgets it too."""
    (tmp_path / "file").write_bytes(b"x")
    objects = list_store("file:///", [str(tmp_path / "file")], {}).objects
    delayed = []
    call = _driver.Run._call

    async def delaying(self, address, function, arguments, seconds):
        if function is _worker.install and not delayed:
            delayed.append(address)
            await asyncio.sleep(1)
        return await call(self, address, function, arguments, seconds)

    monkeypatch.setattr(_driver.Run, "_call", delaying)
    with _driver.Run(local, keys.file(), "file:///", {}, part_bytes=PART) as run:
        assert run.evaluate(objects, range(1)) == {}
    time.sleep(1.5)
    has_r = local.run(lambda name: _worker._runs[name].installed is not None, run._spec.run)
    assert len(delayed) == 1 and len(has_r) == 2 and not any(has_r.values())


def test_loopback_of_another_host(keys):
    """A worker on the loopback of a scheduler elsewhere is not what listens there here."""

    async def ncores(workers):
        return dict.fromkeys(workers, 1)

    def installing(worker, scheduler):
        client = SimpleNamespace(scheduler=SimpleNamespace(address=scheduler, ncores=ncores))
        return asyncio.run(_driver.Run(client, keys.file(), "file:///", {}, part_bytes=16)._install_at(worker))

    for worker in ("tcp://127.0.0.1:1", "tcp://[::1]:1"):
        for scheduler in ("tls://192.0.2.1:1", "tls://scheduler:1", "tcp://localhost:1"):
            with pytest.raises(ClusterError, match="the loopback of another host"):
                installing(worker, scheduler)
    with pytest.raises(ClusterError, match="not encrypted"):
        installing("tcp://127.evil.example:1", "tls://192.0.2.1:1")


def test_causes_are_told(keys, cluster, s3, bucket, monkeypatch, capfd):
    """A worker that lacks a library does no harm while another has it; when none has it, the run ends with the cause."""

    def mend():
        import sys

        sys.modules.pop("s3fs", None)

    first, *others = cluster.pids()
    cluster.without_s3fs(first)
    try:
        made = tag(f"s3://{bucket}/tree", keys.path, cluster.client, PART, **s3.options)
        keys.assert_tags(made.text, {b"tree/" + name: data for name, data in contents().items()})
        assert f"hornet: worker {first}: s3fs is not installed there; its tasks go to others" in capfd.readouterr().err
        for other in others:
            cluster.without_s3fs(other)
        with pytest.raises(ClusterError, match=r"^worker tls://.*: s3fs is not installed there, and 1 other workers?$"):
            tag(f"s3://{bucket}/tree", keys.path, cluster.client, PART, **s3.options)
    finally:
        cluster.client.run(mend)

    async def refused(*_):
        raise ConnectionRefusedError("nobody listens")

    monkeypatch.setattr(_driver, "_INSTALL_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(_driver.Run, "_call", refused)
    with pytest.raises(
        ClusterError, match="no connection from here: ConnectionRefusedError: nobody listens, and 1 other"
    ):
        tag(f"s3://{bucket}/tree", keys.path, cluster.client, PART, **s3.options)


def test_password_beside_a_secret_file(keys, local):
    """A URL with a password is in no task."""
    with pytest.raises(ValueError, match="omit that in the URL"):
        _driver.Run(local, keys.file(), WITH_PASSWORD, {}, part_bytes=16, secret_file="/secret")
    assert _driver.Run(local, keys.file(), WITH_PASSWORD, {}, part_bytes=16)._spec.root is None


LISTENERS = """
import json, os, sys, psutil
from hornet_poly1305.dask._local import local_client
if __name__ == "__main__":
    with local_client(1) as plain, local_client(1, "0") as shown:
        profiled = plain.run(lambda dask_worker: "profile" in dask_worker.periodic_callbacks)
        assert not any(profiled.values()), profiled
        pids = {os.getpid(), *plain.run(os.getpid).values(), *shown.run(os.getpid).values()}
        found = [each.laddr for pid in pids for each in psutil.Process(pid).net_connections() if each.status == "LISTEN"]
        print(json.dumps([found, shown.dashboard_link]), flush=True)
        sys.stdin.readline()
"""


def test_local_clusters_listen_on_the_loopback():
    """Scheduler, nanny and worker of both do, and none talks HTTP but the dashboard that was asked for."""
    with subprocess.Popen(
        [sys.executable, "-c", LISTENERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        addresses, link = json.loads(process.stdout.readline())
        assert len(addresses) == 7 and {host for host, _ in addresses} == {"127.0.0.1"}
        talking = []
        for address in addresses:
            with socket.create_connection(address, timeout=PATIENCE_SECONDS) as connection:
                connection.settimeout(1.0)
                connection.sendall(b"GET /health HTTP/1.0\r\n\r\n")
                answer = b""
                with contextlib.suppress(TimeoutError, ConnectionError):
                    while data := connection.recv(4096):
                        answer += data
            if b"HTTP/1" in answer:
                talking.append(f"http://{address[0]}:{address[1]}/status")
        assert talking == [link]
        process.communicate("end\n", timeout=PATIENCE_SECONDS)


def test_dashboard_address(keys, tmp_path):
    """It is on the loopback unless another host is named, and never of a scheduler that was there before."""
    for address, whole in {"8787": "127.0.0.1:8787", ":0": "127.0.0.1:0", "0.0.0.0:80": "0.0.0.0:80"}.items():
        assert dashboard_address(address) == whole
    for address in ("", "65536", "s3://bucket", "host", "-1", "1:2:3", "::1", "host:\u0661"):
        with pytest.raises(ValueError, match="is not a port"):
            dashboard_address(address)
    (tmp_path / "file").write_bytes(b"x")
    arguments = ("tag", "-k", keys.path, "-o", tmp_path / "m", tmp_path / "file", "--dashboard")
    _, error = command(*arguments, "host", status=2)
    assert "'host' is not a port" in error
    _, error = command(*arguments, "0", "--scheduler", "tcp://127.0.0.1:1", status=2)
    assert "without a scheduler" in error and not (tmp_path / "m").exists()
    _, error = command(*arguments, "0", "--workers", "1")
    assert re.search(r"dashboard: http://127\.0\.0\.1:\d+/status", error)
