# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the tests run on: a cluster of processes over TLS, an S3 server, a key file, and trees of files."""

import contextlib
import json
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

import dask
import fsspec
import pytest
import trustme
from distributed import Client, LocalCluster, Security
from hornet_poly1305 import KeyFile
from hornet_poly1305._native import SealedManifest
from hornet_poly1305.dask._local import _WITHOUT_PROFILER

ROOT = Path(__file__).resolve().parents[4]
HORNET = ROOT / "build/hornet"
# Silences of the store are long after this time.
READ_TIMEOUT = 1
# What stands still for less, as processes of a busy machine do, has not failed.
PATIENCE_SECONDS = 300

dask.config.set(_WITHOUT_PROFILER)


def hornet(*arguments, cwd=None, env=None, status=0):
    """Run the command, which must end with this status, and return what it prints."""
    done = subprocess.run(
        [HORNET, *arguments], cwd=cwd, env=env, capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


@dataclass
class Keys:
    """A key file, and all nonces of the manifests that were made under it."""

    path: Path
    nonces: set = field(default_factory=set)

    def file(self):
        return KeyFile(self.path)

    def lines(self, text):
        """Return nonces, tags and paths of a manifest, none of whose nonces was used before."""
        sealed = SealedManifest(text, self.file())
        lines = [sealed.line(index) for index in range(len(sealed))]
        used = [nonce for nonce, _, _ in lines] + [re.search(rb"seal ([0-9a-f]{32})", text)[1]]
        assert len(set(used)) == len(used) and not self.nonces & set(used), "a nonce was used twice"
        self.nonces |= set(used)
        return lines

    def assert_tags(self, text, contents):
        """Check that a manifest has the right tags of exactly these contents, by name."""
        lines = self.lines(text)
        assert [path for _, _, path in lines] == sorted(contents)
        for nonce, tag, path in lines:
            self.file().verify(nonce, contents[path], tag)


@pytest.fixture(scope="session")
def keys(tmp_path_factory):
    path = tmp_path_factory.mktemp("keys") / "key"
    KeyFile.create(path)
    return Keys(path)


def content(number, length):
    """Return bytes that differ with the number."""
    return (b"%d." % number * (length // 2 + 1))[:length]


# Lengths around blocks and parts, and names that are escaped, or sort by bytes.
LENGTHS = [0, 1, 15, 16, 17, 1000, 4096, 65535, 65536, 65537, 200_000, 1_000_003]
NAMES = ["a", "a.b", "a/b", "Z", "z z", "\u00e9", "back\\slash", "deep/er/and/deeper", "a-b", "~", "x/0", "x/00"]
PART = 65536


def contents():
    """Return what trees have: contents by name."""
    found = {os.fsencode(f"{name}x/{name}"): content(i, length) for i, (name, length) in enumerate(zip(NAMES, LENGTHS))}
    return found | {b"small/%03d" % i: content(100 + i, 37 * i) for i in range(150)}


def write_tree(folder, files):
    for name, data in files.items():
        path = folder / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


@pytest.fixture
def tree(tmp_path):
    """A folder with a tree, in a folder of its own."""
    write_tree(tmp_path / "tree", contents())
    return tmp_path / "tree"


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    """Certificates of a cluster, made on the spot."""
    folder = tmp_path_factory.mktemp("tls")
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1", "localhost")
    authority.cert_pem.write_to_path(folder / "ca.pem")
    certificate.private_key_and_cert_chain_pem.write_to_path(folder / "host.pem")
    return folder


class Cluster:
    """A scheduler and workers in processes of their own, over TLS. With pages, workers serve theirs,
    too, log all, and can import what is beside this file.
    """

    running = []

    def __init__(self, folder, certificates, workers=2, pages=False):
        self.folder, self.certificates = folder, certificates
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / "scheduler.json"
        self.env = os.environ | {
            "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": f"{PATIENCE_SECONDS}s",
            "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": f"{PATIENCE_SECONDS}s",
            "DASK_DISTRIBUTED__ADMIN__EVENT_LOOP": "asyncio",
            "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
        }
        if pages:
            self.env |= {"DASK_LOGGING__DISTRIBUTED": "debug", "PYTHONPATH": str(Path(__file__).parent)}
        self.pages = ["--dashboard-address", "127.0.0.1:0", "--dashboard"] if pages else ["--no-dashboard"]
        self.processes = []
        Cluster.running.append(self)
        self.start_scheduler()
        self.start_workers(workers)
        self.client = Client(str(self.address()), security=self.security(), timeout=PATIENCE_SECONDS)
        self.client.wait_for_workers(workers, timeout=PATIENCE_SECONDS)

    def tls(self):
        host = self.certificates / "host.pem"
        return ["--tls-ca-file", self.certificates / "ca.pem", "--tls-cert", host, "--tls-key", host]

    def options(self):
        """Return options of hornet-cluster."""
        return ["--scheduler-file", self.file, *self.tls()]

    def security(self):
        host = str(self.certificates / "host.pem")
        return Security(
            tls_ca_file=str(self.certificates / "ca.pem"),
            tls_client_cert=host,
            tls_client_key=host,
            require_encryption=True,
        )

    def start(self, name, *arguments):
        log = (self.folder / f"{name}.log").open("ab")
        command = [sys.executable, "-m", f"distributed.cli.dask_{name}", *arguments, *self.tls()]
        process = subprocess.Popen(command, env=self.env, stdout=log, stderr=log, start_new_session=True)
        self.processes.append(process)
        return process

    def start_scheduler(self, port=0):
        self.file.unlink(missing_ok=True)
        arguments = [
            "--host",
            "tls://127.0.0.1",
            "--port",
            str(port),
            "--dashboard-address",
            "127.0.0.1:0",
            "--scheduler-file",
            self.file,
        ]
        self.scheduler = self.start("scheduler", *arguments)

    def address(self):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            if self.file.exists() and (text := self.file.read_text()):
                return json.loads(text)["address"]
            time.sleep(0.05)
        raise TimeoutError("no scheduler")

    def start_workers(self, count):
        arguments = ["--nworkers", str(count), "--nthreads", "1", "--memory-limit", "0", *self.pages]
        arguments += ["--death-timeout", str(PATIENCE_SECONDS)]
        arguments += ["--host", "127.0.0.1", "--local-directory", self.folder]
        self.workers = self.start("worker", self.address(), *arguments)

    def pids(self):
        return self.client.run(os.getpid)

    def without_s3fs(self, worker):
        """Let a worker lack the library of S3."""

        def lack():
            import sys

            from fsspec.registry import _registry

            _registry.pop("s3", None)
            sys.modules["s3fs"] = None

        self.client.run(lack, workers=[worker])

    def logs(self):
        return b"".join(path.read_bytes() for path in self.folder.glob("*.log"))

    def close(self):
        Cluster.running.remove(self)
        self.client.close(timeout=2)
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Show what clusters warned of, with a test that fails."""
    report = yield
    if report.failed:
        for made in Cluster.running:
            warnings = [line for line in made.logs().decode(errors="replace").splitlines() if " - INFO - " not in line]
            report.sections.append((f"End of the warnings in {made.folder}", "\n".join(warnings[-30:])))
    return report


@pytest.fixture(scope="session")
def cluster(tmp_path_factory, certificates):
    made = Cluster(tmp_path_factory.mktemp("cluster"), certificates)
    yield made
    made.close()


@pytest.fixture
def own_cluster(tmp_path, certificates):
    """A cluster for a test that damages it."""
    made = Cluster(tmp_path / "cluster", certificates)
    yield made
    made.close()


@pytest.fixture(scope="session")
def local():
    """A client of a LocalCluster."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


class S3:
    """An S3 server, and a bucket."""

    def __init__(self, folder):
        log = (folder / "s3.log").open("wb")
        command = [sys.executable, Path(__file__).with_name("store.py"), "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        self.port = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}"
        timeouts = {"connect_timeout": 5, "read_timeout": READ_TIMEOUT, "retries": {"max_attempts": 0}}
        self.options = {
            "key": "access",
            "secret": "not a secret",
            "endpoint_url": self.url,
            "client_kwargs": {"region_name": "eu-west-1"},
            "config_kwargs": timeouts,
        }
        self.fs = fsspec.filesystem("s3", **self.options, skip_instance_cache=True, use_listings_cache=False)

    def bucket(self, name, files):
        # A response that is late on a busy machine is requested again.
        with contextlib.suppress(FileExistsError):
            self.fs.call_s3("create_bucket", Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
        for key, data in files.items():
            self.put(name, key, data)

    def put(self, bucket, key, data):
        self.fs.call_s3("put_object", Bucket=bucket, Key=os.fsdecode(key), Body=data)

    def faults(self, **faults):
        data = json.dumps({"every": 0, "kinds": [], "keys": None, "pause": 0} | faults).encode()
        urllib.request.urlopen(urllib.request.Request(f"{self.url}/_faults", data, method="POST")).close()

    def counts(self):
        with urllib.request.urlopen(f"{self.url}/_counts") as response:
            return json.load(response)


@pytest.fixture(scope="session")
def s3(tmp_path_factory):
    server = S3(tmp_path_factory.mktemp("s3"))
    yield server
    server.process.kill()
    server.process.wait()


@pytest.fixture(scope="session")
def bucket(s3):
    """A bucket with a tree, which no test changes."""
    s3.bucket("tree-bucket", {b"tree/" + name: data for name, data in contents().items()})
    return "tree-bucket"


@pytest.fixture(autouse=True)
def no_faults(request):
    yield
    if "s3" in request.fixturenames:
        request.getfixturevalue("s3").faults()


@pytest.fixture(scope="session")
def same_nonces(tmp_path_factory):
    """The environment in which the time, and the nonces of copies of a key file, are the same."""
    library = tmp_path_factory.mktemp("preload") / "same_nonces.so"
    source = Path(__file__).with_name("same_nonces.c")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    return os.environ | {"LD_PRELOAD": str(library), "SAME_SECONDS": str(int(time.time()))}


def plaintext_address():
    """Return an address of this host that is not of the loopback, or None."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return probe.getsockname()[0]


logging.getLogger("distributed").setLevel(logging.CRITICAL)
assert shutil.which("cc") and HORNET.exists(), "make command builds what the tests compare with"
