# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The table of a target: instructions, bounds, the initiation interval found, beside what compilers make of the same loop."""

import time
from dataclasses import dataclass

from coconut.architecture import Architecture
from coconut.graph import Graph
from coconut.optimal import Loop, schedule_loop
from coconut.schedule import Problem, problem_of
from coconut.select import alternatives


@dataclass(frozen=True)
class Row:
    """The best way found to run a loop on a CPU."""

    problem: Problem
    loop: Loop
    least: int
    seconds: float

    def cells(self) -> list[str]:
        program = self.problem.program
        return [
            f"{program.graph.title}",
            self.problem.machine.cpu,
            program.choices,
            str(len(program.ops)),
            str(self.problem.resource_bound),
            str(self.problem.dependence_bound),
            str(self.loop.interval),
            (
                "optimal"
                if self.loop.interval == self.least
                else f"at most {100 * (self.loop.interval / self.least - 1):.0f} % above"
            ),
            f"{self.seconds:.0f} s",
        ]


HEADER = ["loop", "CPU", "choices", "instructions", "resource bound", "dependence bound", "interval", "proved", "time"]


def best_loop(architecture: Architecture, graph: Graph, cpu: str, seconds: float) -> Row:
    """Of all alternatives, in the order of their bounds: one whose bound is no shorter than what is found is not tried."""
    start = time.monotonic()
    problems = sorted(
        (problem_of(program, cpu) for program in alternatives(architecture, graph)),
        key=lambda problem: (problem.bound, problem.size),
    )
    best: tuple[int, Problem, Loop] | None = None
    least = problems[-1].bound
    for problem in problems:
        least = min(least, problem.bound)
        if best is not None and (problem.bound >= best[0] or time.monotonic() - start > seconds):
            continue
        loop = schedule_loop(problem, seconds / 2)
        if best is None or loop.interval < best[0]:
            best = loop.interval, problem, loop
            if len(problems) == 1 or loop.interval == problems[0].bound:
                least = loop.least
    assert best is not None
    return Row(best[1], best[2], least, time.monotonic() - start)


def markdown(header: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, ["---"] * len(header), *rows))
