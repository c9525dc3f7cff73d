# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measure what a run on a cluster costs: build/python/cluster/venv/bin/python bindings/python/cluster/bench.py [FOLDER]

beside `hornet tag`     trees of 4 GiB in FOLDER, by default /dev/shm: of files of 256 MiB; half of that, and as much in
                        files of 1 MiB. Interleaved, 7 runs each; medians, and the median of the ratios
small objects           the driver's CPU time for 10^6 objects of 1 KiB
10^7 names              the driver's memory, with a store that only lists them
tasks                   how many tasks without work a scheduler and 4 workers end in a second
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from distributed import Client, LocalCluster
from hornet_poly1305 import KeyFile
from hornet_poly1305.dask import _manifest, _stores, tag

HORNET = Path(__file__).resolve().parents[3] / "build/hornet"
RUNS = 7


def tree(folder, large, small):
    """Write files of 256 MiB, and files of 1 MiB."""
    data = os.urandom(1 << 20)
    folder.mkdir()
    for number in range(large):
        with (folder / f"large-{number}").open("wb") as file:
            for _ in range(256):
                file.write(data)
    for number in range(small):
        path = folder / f"small/{number % 32}/{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def beside_the_command(name, folder, client, key):
    # Dask sets variables of malloc.
    env = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC")}
    for part in ("64MiB", "256MiB"):
        times, ratios = [], []
        for _ in range(RUNS):
            start = time.monotonic()
            subprocess.run(
                [HORNET, "tag", "-k", key, "-o", folder / "m", "--force", folder / "tree"], check=True, env=env
            )
            middle = time.monotonic()
            tag(str(folder / "tree"), key, client, part, output=folder / "m", force=True)
            end = time.monotonic()
            times.append((middle - start, end - middle))
            ratios.append((end - middle) / (middle - start))
        command, cluster = (statistics.median(column) for column in zip(*times, strict=True))
        ratio = statistics.median(ratios)
        print(
            f"{name}, parts of {part}: hornet tag {command:.3f} s, cluster {cluster:.3f} s, ratio {ratio:.2f}",
            flush=True,
        )


def small_objects(folder, client, key, count):
    data = bytes(1024)
    for number in range(count):
        path = folder / f"objects/{number // 1000:04}/{number % 1000:03}"
        if number % 1000 == 0:
            path.parent.mkdir(parents=True)
        path.write_bytes(data)
    before, start = time.process_time(), time.monotonic()
    made = tag(str(folder / "objects"), key, client, output=folder / "m", force=True)
    cpu, wall = time.process_time() - before, time.monotonic() - start
    assert made.summary.objects == count
    print(
        f"{count} objects of 1 KiB: driver {1e6 * cpu / count:.1f} us of CPU an object, {1e6 * wall / count:.1f} us in all"
    )


class Names(_stores.LocalStore):
    """A store that lists names of 40 bytes, all of one file."""

    count = 0

    def list(self, argument):
        pin = self._pin_of(os.stat(self.base + b"/one"))
        for number in range(self.count):
            yield _stores.Object(b"prefix/of/objects/%014d.parquet" % number, 16, pin)


def names(folder, count):
    """List, tag and write names, with what workers would return put in place."""
    (folder / "one").write_bytes(bytes(16))
    key = KeyFile(folder / "key")
    Names.count = count
    _manifest.open_store = lambda root, options: Names(f"file://{folder}", options)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.monotonic()
    listing = _manifest.list_store("file:///", ["prefix"], {})
    listed = time.monotonic()
    objects = listing.objects
    partial = key.evaluation().compute(bytes(16))
    for index in range(count):
        objects.put(index, partial)
    nonces = key.reserve(count + 1)
    middle = time.monotonic()
    with _manifest.saving(folder / "names", True) as descriptor:
        objects.write(descriptor, key, nonces, [b"prefix"], [], [])
    end = time.monotonic()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{count} names: {most / 1024:.0f} MiB at most, {before / 1024:.0f} before; listing and sorting"
        f" {listed - start:.1f} s, manifest {end - middle:.1f} s"
    )


def tasks(client, count=5000):
    start = time.monotonic()
    client.gather(client.map(lambda number: number, range(count), pure=False))
    print(f"{count / (time.monotonic() - start):.0f} tasks a second")


def main():
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else "/dev/shm") as name:
        folder = Path(name)
        key = folder / "key"
        KeyFile.create(key)
        if os.environ.get("NAMES"):
            names(folder, int(os.environ["NAMES"]))
            return
        count = len(os.sched_getaffinity(0))
        with (
            LocalCluster(n_workers=count, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            for name, large, small in (("files of 256 MiB", 16, 0), ("files of 256 and 1 MiB", 8, 2048)):
                tree(folder / "tree", large, small)
                tag(str(folder / "tree/large-0"), key, client)
                beside_the_command(name, folder, client, key)
                shutil.rmtree(folder / "tree")
            tasks(client)
            small_objects(folder, client, key, int(os.environ.get("OBJECTS", "1000000")))
        subprocess.run([sys.executable, __file__, *sys.argv[1:]], env=os.environ | {"NAMES": "10000000"}, check=True)


if __name__ == "__main__":
    main()
