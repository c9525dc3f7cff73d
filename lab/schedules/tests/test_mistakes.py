# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Plant mistakes, each of which the comparison with all schedules must notice."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from coconut.machine import Machine
from coconut.program import Program
from coconut.schedule import ReservationTable, Resource
from coconut.simulate import Mismatch
from lab.schedules import optimal
from lab.schedules.tests import test_schedules


def slots(self: ReservationTable, i: int, time: int) -> Any:
    """Count only the last of an instruction's demands in a cycle."""
    return {
        (number, (time + k) % self.interval if self.interval else time + k): units
        for number, units, cycles in self.demands[i]
        for k in range(cycles)
    }.items()


def without_own_group(original: Callable[..., tuple[Resource, ...]]) -> Callable[..., tuple[Resource, ...]]:
    """Leave out instructions whose group of ports is a resource by itself."""

    def resources_of(program: Program, machine: Machine) -> tuple[Resource, ...]:
        own = ["+".join(sorted(use.ports)) for cost in machine.costs for use in cost.uses]
        return tuple(
            replace(resource, demands=tuple(demand for demand in resource.demands if own[demand[0]] != resource.name))
            for resource in original(program, machine)
        )

    return resources_of


def unknown_is_none(original: Callable[..., Any]) -> Callable[..., Any]:
    def modulo_within(*arguments: Any) -> Any:
        answer, times = original(*arguments)
        return ("none" if answer == "unknown" else answer), times

    return modulo_within


def few_stages(problem: Any, interval: int) -> list[int]:
    return [problem.critical_path // interval + 2] * problem.size


# The number of stages, not the clock, proves that there is no schedule. A resource's capacity.
MISTAKES: dict[str, tuple[Any, str, Any]] = {
    "few stages": (optimal, "last_stages", few_stages),
    "slack": (optimal, "slack", lambda k, interval: k * (interval - 1)),
    "unknown": (optimal, "modulo_within", unknown_is_none(optimal.modulo_within)),
    "capacity": (ReservationTable, "slots", slots),
    "group of ports": (test_schedules, "resources_of", without_own_group(test_schedules.resources_of)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*MISTAKES[name])
    with pytest.raises(Mismatch):
        test_schedules.test_all_schedules()
        test_schedules.test_chain_in_one_slot(13)
        test_schedules.test_long_micro_operation()
