# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A cluster of processes on this machine, which listens on the loopback alone."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator
from typing import Any

from distributed import Client, Nanny, Scheduler, Security, SpecCluster, Worker

_HOST = "127.0.0.1"
# Dask's profiler of tasks can stop a worker's process for good with Python 3.11 (CPython's issue 106883).
_WITHOUT_PROFILER = {"distributed.worker.profile.enabled": False}


class _WithoutPages:
    """A node of Dask without an HTTP server: anyone who reaches one reads the logs."""

    def start_http_server(self, *_arguments: object, **_options: object) -> None:
        """Start none."""


class _Scheduler(_WithoutPages, Scheduler):  # type: ignore[misc]
    pass


class _Worker(_WithoutPages, Worker):  # type: ignore[misc]
    pass


def dashboard_address(address: str) -> str:
    """Return HOST:PORT for a port or a host and a port; Dask's own default would be every host. Raises ValueError."""
    host, _, port = address.rpartition(":")
    if not port.isascii() or not port.isdecimal() or int(port) > 0xFFFF or ":" in host:
        raise ValueError(f"{address!r} is not a port, or a host, : and a port, for the dashboard")
    return f"{host or _HOST}:{int(port)}"


@contextlib.contextmanager
def local_client(workers: int | None = None, dashboard: str | None = None) -> Iterator[Client]:
    """Yield the client of a cluster on this machine, of as many processes as there are CPUs by default. It has a dashboard
    if that is given an address.
    """
    count = len(os.sched_getaffinity(0)) if workers is None else workers
    security = Security()
    protocol = "tls://" if security.require_encryption else "tcp://"
    common: dict[str, Any] = {"host": _HOST, "protocol": protocol, "security": security}
    worker = {
        "cls": Nanny,
        "options": common
        | {
            "worker_class": _Worker,
            "nthreads": 1,
            "memory_limit": 1 / count,
            "silence_logs": logging.WARNING,
            "config": _WITHOUT_PROFILER,
        },
    }
    scheduler: dict[str, Any] = {"cls": _Scheduler, "options": common | {"port": 0}}
    if dashboard is not None:
        address = dashboard_address(dashboard)
        scheduler = {
            "cls": Scheduler,
            "options": scheduler["options"] | {"dashboard": True, "dashboard_address": address},
        }
    workers_by_number = dict.fromkeys(range(count), worker)
    with (
        SpecCluster(workers_by_number, scheduler, security=security, silence_logs=logging.WARNING) as cluster,
        Client(cluster) as client,
    ):
        yield client
