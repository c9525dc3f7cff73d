# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove calls of the AEAD at every length of a range, for hours, in jobs that another run goes on with.

A job is a kind of call of one choice of kernels, at some lengths. What became of it is a line of a log, with what
identifies the archive and the prover: a run skips the jobs that the log has of the same ones. Jobs end in any order, so
the hash of a log is that of its sorted lines. All choices of kernels at the same length share their words, and most of
their numbers: a process runs the jobs of the same lengths together, one length after another.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from coconut.lift.objects import Linked, chosen, compiled
from coconut.operations import BLOCK_BYTES
from coconut.prove.aead import AAD_LENGTHS, Case, Shared, prove_shared
from coconut.prove.choices import check_named, choice_named, choices, missing
from coconut.prove.collection import uncollected
from coconut.prove.polynomials import Unproved
from coconut.trace import BUILD, HERE

LOGS = BUILD / "every-length"
# How many lengths a job has.
JOB_LENGTHS = 2 * BLOCK_BYTES


class Job(NamedTuple):
    compiler: str
    kernels: str
    opens: bool
    first: int
    last: int

    def cases(self) -> list[Case]:
        """Return a case of each length, with associated data, places and nonces taken in turn: those of the same number of
        blocks of Poly1305 have the same, so that they share what it computes."""
        return [
            Case(
                self.opens,
                n,
                AAD_LENGTHS[n // BLOCK_BYTES % len(AAD_LENGTHS)],
                in_place=n // BLOCK_BYTES % 4 == 3,
                extended=n // BLOCK_BYTES % 6 == 5,
            )
            for n in range(self.first, self.last + 1)
        ]


@cache
def prover() -> str:
    """Return the hash of the prover's own text."""
    found = hashlib.sha256()
    for path in sorted(HERE.rglob("*.py")):
        found.update(path.relative_to(HERE).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


# What identifies a job in a log.
KEY = ("archive", "compiler", "prover", "kernels", "opens", "first", "last")


def key_of(linked: Linked, job: Job) -> dict[str, Any]:
    """Return what identifies a job in a log."""
    values = linked.sha256, linked.version, prover(), *job[1:]
    return dict(zip(KEY, values, strict=True))


def key_in(line: dict[str, Any]) -> str:
    """Return what identifies the job of a line."""
    return json.dumps({name: line.get(name) for name in KEY})


@cache
def shared_here() -> Shared:
    """Return what the words of all calls are made in that this process proves."""
    return Shared()


@uncollected
def run_jobs(jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """Prove the calls of jobs of the same lengths, all calls at one length before those at the next; return a line of each
    job."""
    shared, runs = shared_here(), [Running(job) for job in jobs]
    for cases in zip(*(job.cases() for job in jobs), strict=True):
        for run, case in zip(runs, cases, strict=True):
            run.prove(case, shared)
    return [run.line() for run in runs]


@dataclass
class Running:
    """A job that runs: the addresses of instructions that have run, how many calls are proved, and why one is refused."""

    job: Job
    ran: set[int] = field(default_factory=set)
    calls: int = 0
    refused: str = ""

    @property
    def linked(self) -> Linked:
        return compiled(self.job.compiler)

    def prove(self, case: Case, shared: Shared) -> None:
        """Prove calls, unless an earlier one was refused."""
        if self.refused:
            return
        choice = choice_named(self.linked, self.job.kernels)
        try:
            self.calls += prove_shared(self.linked, choice, case, self.ran, shared)
        except Unproved as error:
            self.refused = str(error)

    def line(self) -> dict[str, Any]:
        places = " ".join(f"{at:x}" for at in sorted(self.ran))
        return key_of(self.linked, self.job) | {
            "calls": self.calls,
            "instructions": len(self.ran),
            "ran": hashlib.sha256(places.encode()).hexdigest(),
            "refused": self.refused,
        }


def jobs_of(compiler: str, lengths: range, kernels: Sequence[str]) -> Iterator[Job]:
    """Yield the jobs of a compiler's calls, of some choices of kernels, or of all that this CPU runs."""
    linked = compiled(compiler)
    known = [choice for choice in choices(linked) if not missing(linked, choice)]
    check_named(kernels, [choice.name for choice in known])
    for choice in known:
        if kernels and choice.name not in kernels:
            continue
        for opens in (False, True):
            for first in range(lengths.start, lengths.stop, JOB_LENGTHS):
                yield Job(compiler, choice.name, opens, first, min(first + JOB_LENGTHS, lengths.stop) - 1)


def lines_in(log: Path) -> list[dict[str, Any]]:
    """Return the lines of a log; what a run that was cut short has left of one is none."""
    found = []
    for line in log.read_text().splitlines() if log.exists() else ():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def hash_of(lines: Sequence[dict[str, Any]]) -> str:
    text = "".join(sorted(json.dumps(line, sort_keys=True) + "\n" for line in lines))
    return hashlib.sha256(text.encode()).hexdigest()


def prove_every_length(
    compilers: Sequence[str], lengths: range, kernels: Sequence[str] = (), processes: int = 0, folder: Path = LOGS
) -> None:
    """Run the jobs that no earlier run has done, and print what became of all; raise ValueError if one is refused."""
    folder.mkdir(parents=True, exist_ok=True)
    refused = []
    for compiler in chosen(compilers):
        linked = compiled(compiler)
        log = folder / f"{linked.sha256}.jsonl"
        wanted = {key_in(key_of(linked, job)): job for job in jobs_of(compiler, lengths, kernels)}

        done = {key_in(line): line for line in lines_in(log) if key_in(line) in wanted}
        print(
            f"{linked.archive}: {linked.version}, SHA-256 {linked.sha256}: {len(wanted)} jobs, {len(done)} done before"
        )
        with log.open("a") as file, ProcessPoolExecutor(processes or os.cpu_count(), get_context("fork")) as pool:
            left: dict[tuple[object, ...], list[Job]] = {}
            for key, job in wanted.items():
                if key not in done:
                    left.setdefault((job.opens, job.first), []).append(job)
            for future in as_completed([pool.submit(run_jobs, jobs) for jobs in left.values()]):
                for line in future.result():
                    file.write(json.dumps(line) + "\n")
                    done[key_in(line)] = line
                    if line["refused"]:
                        where = f"{line['kernels']}, {line['first']} to {line['last']}"
                        print(f"    refused: {where}: {line['refused']}", flush=True)
                file.flush()
        lines = list(done.values())
        refused += [line["refused"] for line in lines if line["refused"]]
        if len(lines) != len(wanted) or not lines:
            raise ValueError(f"{len(lines)} jobs were done, and not {len(wanted)}")
        print(
            f"{linked.version}: {sum(line['calls'] for line in lines)} calls at {len(lengths)} lengths, "
            f"{sum(bool(line['refused']) for line in lines)} jobs refused; the SHA-256 of the log is {hash_of(lines)}"
        )
    if refused:
        raise ValueError(f"{len(refused)} jobs are refused, the first because of {refused[0]}")
