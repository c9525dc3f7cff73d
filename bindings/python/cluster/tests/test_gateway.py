# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Another S3 server: versitygw, which serves a folder. So the mounted copy of a bucket is the bucket itself."""

import socket
import subprocess
import time

import pytest
from conftest import PART, ROOT, content, hornet, write_tree
from hornet_poly1305.dask import check, tag

GATEWAY = ROOT / "build/python/cluster/versitygw"


@pytest.fixture
def gateway(tmp_path):
    """Return the folder of a bucket, and storage options for its server."""
    if not GATEWAY.exists():
        pytest.skip("bindings/python/cluster/install.sh --gateway builds versitygw")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    (tmp_path / "root/the-bucket").mkdir(parents=True)
    (tmp_path / "sidecar").mkdir()
    command = [GATEWAY, "--access", "access", "--secret", "not a secret", "--port", f"127.0.0.1:{port}", "posix"]
    # Extended attributes, which not all file systems have, go to another folder.
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--sidecar", tmp_path / "sidecar", tmp_path / "root"], stdout=log, stderr=log
        )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield (
        tmp_path / "root/the-bucket",
        {
            "key": "access",
            "secret": "not a secret",
            "endpoint_url": f"http://127.0.0.1:{port}",
            "client_kwargs": {"region_name": "us-east-1"},
        },
    )
    process.kill()
    process.wait()


def test_bucket_that_is_a_folder(keys, cluster, gateway, tmp_path):
    folder, options = gateway
    files = {b"a/%d" % i: content(i, 70_000 * i) for i in range(12)} | {b"b": b""}
    write_tree(folder, files)
    made = tag("s3://the-bucket", keys.path, cluster.client, PART, output=tmp_path / "manifest", **options)
    keys.assert_tags(made.text, {b"./" + name: data for name, data in files.items()})
    hornet("check", "-k", keys.path, "--strict", "--base", folder, tmp_path / "manifest")
    (folder / "b").write_bytes(b"1")
    assert check(made, keys.path, cluster.client, PART).counts() == check_counts(ok=12, changed=1)


def check_counts(**counts):
    return {"ok": 0, "changed": 0, "missing": 0, "extra": 0, "unread": 0, "unreadable": 0} | counts
