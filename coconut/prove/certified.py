# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write certificates of what is proved, and verify them with checker.py, which knows nothing of coconut."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from coconut.graph import Graph
from coconut.prove import checker
from coconut.prove.certificate import Certificate
from coconut.prove.graphs import POLY1305_KERNELS, BlockProof, graphs_of
from coconut.prove.polynomials import Ring, Unproved
from coconut.prove.proof import Proved, proved
from coconut.trace import BUILD, KERNELS


def write_certificate(title: str, folder: Path) -> Path:
    """Prove a basic block, KERNEL/BLOCK, as recorded and simplified; write the certificate and return its path."""
    kernel, _, name = title.partition("/")
    certificate, graph = Certificate(title), graphs_of(kernel)[name]
    proof = BlockProof(graph, ring=Ring(certificate))
    proof.check_graph()
    proof.check_graph(graph.simplified())
    path = folder / f"{title.replace('/', '-').replace(' ', '-')}.json"
    certificate.write(path)
    return path


def verify(path: Path) -> int:
    """Raise Unproved unless the checker, as a program of its own, verifies a certificate; return how many claims."""
    run = subprocess.run([sys.executable, "-I", checker.__file__, path], capture_output=True, text=True, check=False)
    found = re.search(r"(\d+) claim\b", run.stdout)
    if run.returncode != 0 or found is None:
        raise Unproved(f"{path.name}: {run.stdout}{run.stderr}")
    return int(found[1])


def is_certified(graph: Graph) -> bool:
    """Return whether a basic block has a certificate.

    Exclusive ors of loads that overlap, in short blocks, have no place in certificates. Those of shorter long steps are
    written for up to four lanes, to save time.
    """
    is_shorter = KERNELS[graph.kernel].kind == "ends" and graph.name.startswith("long ")
    return not graph.name.startswith("padded") and (graph.lanes <= 4 or not is_shorter)


def prove_certified() -> Iterator[Proved]:
    """Certify the basic blocks of all kernels."""
    folder = BUILD / "certificates"
    folder.mkdir(parents=True, exist_ok=True)
    for kernel in POLY1305_KERNELS:
        for graph in filter(is_certified, graphs_of(kernel).values()):
            yield proved(graph.title, lambda graph=graph: verify(write_certificate(graph.title, folder)))  # type: ignore[misc]
