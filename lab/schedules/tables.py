# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make the table of a target: instructions, bounds, and the initiation interval found.

The compilers' cycles for the same loop are added in __main__.py.
"""

import time
from dataclasses import dataclass

from coconut.architecture import Architecture
from coconut.graph import Graph
from coconut.select import alternatives
from lab.schedules.modulo import Problem, problem_of
from lab.schedules.optimal import Loop, schedule_loop


@dataclass(frozen=True)
class Row:
    """The best variant found for a loop on a CPU.

    - least: in no variant is an interval below it possible.
    - is_cut_off: in some variant, time ran out before everything was tried; with more time, the row may differ, unless
      it is proved.
    """

    problem: Problem
    loop: Loop
    least: int
    is_cut_off: bool
    seconds: float

    @property
    def proved(self) -> str:
        if self.loop.interval == self.least:
            return "optimal"
        return f"at most {100 * (self.loop.interval / self.least - 1):.0f} % above"

    @property
    def time(self) -> str:
        return f"{self.seconds:.0f} s" + ", cut off by the limit" * self.is_cut_off

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
            self.proved,
            self.time,
        ]


HEADER = ["loop", "CPU", "choices", "instructions", "resource bound", "dependence bound", "interval", "proved", "time"]


def best_loop(architecture: Architecture, graph: Graph, cpu: str, seconds: float) -> Row:
    """Return the best of all alternatives, which are tried in the order of their bounds.

    One whose bound is not below the shortest interval found is not tried.
    """
    start = time.monotonic()
    problems = sorted(
        (problem_of(program, cpu) for program in alternatives(architecture, graph)),
        key=lambda problem: (problem.bound, problem.size),
    )
    best: tuple[Problem, Loop] | None = None
    # For each variant, a bound that no interval of it is below.
    least: list[int] = []
    is_cut_off = False
    for problem in problems:
        if best is not None and problem.bound >= best[1].interval:
            least.append(problem.bound)
        elif best is not None and time.monotonic() - start > seconds:
            least.append(problem.bound)
            is_cut_off = True
        else:
            loop = schedule_loop(problem, seconds / 2)
            least.append(loop.least)
            is_cut_off |= loop.is_cut_off
            if best is None or loop.interval < best[1].interval:
                best = problem, loop
    assert best is not None
    return Row(*best, min(least), is_cut_off, time.monotonic() - start)


def markdown(header: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, ["---"] * len(header), *rows))
