# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Every step of a worker fails in turn, raising what holds all secrets: nothing that shows errors shows one of them."""

import asyncio
import base64
import gzip
import html
import json
import logging
import os
import pickle
import re
import socket
import subprocess
import sys
import traceback
import urllib.error
import urllib.request
from types import SimpleNamespace
from urllib.parse import quote, unquote_plus

import planted
import psutil
import pytest
from conftest import PART, Cluster, contents
from hornet_poly1305.dask import ClusterError, _driver, tag
from hornet_poly1305.dask._driver import worker_secret
from hornet_poly1305.dask._local import dashboard_address
from test_manifests import command
from test_secrets import memory

# What opens the store: its URL, and its options.
PASSWORD, TOKEN, KEY = "p/ss:w'rd&<1>\u00e9", "t0ken\twith a tab", b"\x00\xffbytes of a key"
URL = f"sftp://someone:{quote(PASSWORD, safe='')}@store.example"
OPTIONS = {"token": TOKEN, "more": {"list": [KEY]}, "endpoint": f"https://u:{quote(PASSWORD)}@h/?sig={quote(TOKEN)}"}

# Steps of which no planted function is told, and after which so many objects are unread.
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
    "connect": r"worker .*: StoreError: no connection to sftp://\*\*\*@store.example with",
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
    found = {secret, repr(secret)[2:-1].encode(), str(list(secret))[1:-1].encode(), html.escape(repr(secret)[2:-1]).encode()}
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
    scheduler = [f"info/{path}.html" for path in paths] + ["json/identity.json", "json/counts.json", "metrics", "status"]
    ports = [(info["services"]["dashboard"], scheduler)]
    ports += [(worker["services"]["dashboard"], ["metrics", "health"]) for worker in info["workers"].values()]
    found = []
    for port, paths in ports:
        for path in paths:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=20) as response:
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


def errors(error):
    """Return how an exception of the driver's may be shown."""
    return ["".join(traceback.format_exception(error)).encode(), repr(error).encode(), pickle.dumps(error)]


def test_failures_show_no_secret(keys, certificates, tmp_path, monkeypatch, capfd, caplog):
    secret = bytes(worker_secret(keys.file()))
    evaluated = keys.file().evaluation().compute(planted.FILES["a"])
    secrets = {"r": secret[:16], "the answers' key": secret[16:], "a partial evaluation": evaluated[:16]}
    secrets |= {"a password": PASSWORD.encode(), "a token": TOKEN.encode(), "bytes": KEY}
    monkeypatch.setattr(_driver, "_INSTALL_PAUSE_SECONDS", 0.01)
    caplog.set_level(logging.DEBUG, "distributed")
    planted.register()
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
                told += errors(error)
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
        told += errors(careless.value)
        client.submit(planted.shout, *values, key="careless", pure=False).exception()
        client.log_event("careless", values)
        texts = shown(cluster, tmp_path, told)
        assert found(texts, secrets) == {(place, name) for place in texts for name in secrets}
        searched = {place: sum(map(len, several)) for place, several in texts.items()}
        print(f"{len(STEPS) - 1} steps, {failures} failures; bytes searched: {searched}")
        assert failures >= 60 and len(texts["pages"]) >= 20 and min(searched.values()) >= 1000
    finally:
        cluster.close()
