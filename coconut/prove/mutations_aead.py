# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Plant mistakes in the instructions that whole calls of the AEAD run.

A mistake that is not refused must compute the same, with both verdicts, also on samples.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import NamedTuple

from coconut.lift.objects import Linked, compiled
from coconut.prove.aead import Case, Run, prove_cases
from coconut.prove.choices import Choice, choice_named, missing
from coconut.prove.evaluation import NamingRing
from coconut.prove.mutations_objects import plant
from coconut.prove.planting import Tally
from coconut.prove.polynomials import Unproved
from coconut.prove.terms import Terms

SAMPLES = 3


class Call(NamedTuple):
    """A call that gets mistakes: the compiler, the name of the kernels, the case, and every how many instructions."""

    compiler: str
    kernels: str
    case: Case
    every: int


CALLS = (
    Call("gcc", "avx2_golden_cove with avx2, scalar64", Case(False, 65, 13), 41),
    Call("clang-19", "vector128 with scalar64", Case(True, 100, 20, in_place=True), 61),
    Call("gcc", "avx512_zen5 with ifma_zen5, ifma256, scalar64", Case(True, 333, 70), 97),
    Call("clang-19", "avx2_golden_cove with avx2, scalar64", Case(False, 1100, 13, extended=True), 397),
)


def reason_for(linked: Linked, choice: Choice, case: Case) -> str:
    """Return why a mistake is none, if the function still computes what it must on samples."""
    try:
        for seed in range(SAMPLES):
            for valid in case.verdicts:
                Run(linked, choice, case, valid).sample(seed)
    except Unproved:
        return ""
    return "the same at this length, on samples too"


# What a process that has been forked runs.
_forked: list[Callable[[], object]] = []


def run_forked() -> object:
    return _forked[-1]()


def apart(run: Callable[[], object]) -> object:
    """Run a function in a process that is forked for it, so that it leaves nothing: a mistake may make large numbers."""
    with ProcessPoolExecutor(1, get_context("fork"), initializer=_forked.append, initargs=(run,)) as pool:
        return pool.submit(run_forked).result()


def plant_in_call(call: Call, every: int = 0) -> Tally:
    """Plant a mistake in every n-th instruction that a call runs."""
    linked = compiled(call.compiler)
    choice, ran = choice_named(linked, call.kernels), set[int]()
    run = partial(prove_cases, linked, choice, [call.case], ran, Terms(NamingRing()))
    run()
    prove = partial(apart, run)
    where = f"{call.case.function}, {call.kernels}, {call.case.length} and {call.case.aad_length} bytes"
    reason = partial(reason_for, linked, choice, call.case)
    return plant(linked, sorted(ran), every or call.every, where, prove, reason)


def plant_in_calls(each: bool = False) -> Iterator[tuple[str, Tally]]:
    """Plant mistakes in calls; yield the title of each, and what became of them."""
    for call in CALLS:
        every = 1 if each else call.every
        title = f"{call.compiler} {call.case.function}, {call.kernels}, one instruction in {every}"
        linked = compiled(call.compiler)
        if lacking := missing(linked, choice_named(linked, call.kernels)):
            yield f"{title}: {lacking}", Tally()
            continue
        yield title, plant_in_call(call, every)
