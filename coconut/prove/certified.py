# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Verify certificates with checker.py, which knows nothing of coconut, while further proofs go on."""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from coconut.prove import checker
from coconut.prove.certificate import Certificate
from coconut.prove.polynomials import Unproved
from coconut.prove.proof import Proved
from coconut.trace import BUILD

FOLDER = BUILD / "certificates"


def write(certificate: Certificate, folder: Path = FOLDER) -> Path:
    """Write a certificate to a file that is named after its title, and return the path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{re.sub(r'[^a-zA-Z0-9]+', '-', certificate.title)}.json"
    certificate.write(path)
    return path


def verify(path: Path) -> int:
    """Raise Unproved unless the checker, as a program of its own, verifies a certificate; return how many claims."""
    run = subprocess.run([sys.executable, "-I", checker.__file__, path], capture_output=True, text=True, check=False)
    found = re.search(r"(\d+) claim\b", run.stdout)
    if run.returncode != 0 or found is None:
        raise Unproved(f"{path.name}: {run.stdout}{run.stderr}")
    return int(found[1])


class Verifying:
    """Certificates of proofs, each of which is verified once the proofs that are in it are done."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor()
        self.found: list[Future[int]] = []

    def watched(self, proofs: Iterable[Proved]) -> Iterator[Proved]:
        """Yield proofs; verify the certificates that they complete."""
        certificate: Certificate | None = None
        for proof in proofs:
            if certificate is not None and proof.certificate is not certificate:
                self.found.append(self.pool.submit(verify, write(certificate)))
            certificate = proof.certificate
            yield proof
        if certificate is not None:
            self.found.append(self.pool.submit(verify, write(certificate)))

    def claims(self) -> list[int]:
        """Return how many claims each certificate has; raise Unproved unless all are verified."""
        return [future.result() for future in self.found]
