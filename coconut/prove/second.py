# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run calls that seal once more, with second_lifter.py, a program of its own that shares no code with this one.

It must find each byte of the ciphertext to be the RFC's, and the same instructions to run: their hash is computed of what
another disassembler reads.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import partial

from coconut.lift.objects import X86_64, Linked, chosen, compiled
from coconut.prove import second_lifter
from coconut.prove.aead import Case, Run
from coconut.prove.choices import Choice, choice_named, missing
from coconut.prove.manifest import ran_of
from coconut.prove.polynomials import Unproved
from coconut.prove.proof import Compiled, Proved, proved

# The choices whose instructions it knows.
KERNELS = ("vector128 with scalar64", "avx2_golden_cove with avx2, scalar64")
CASES = (Case(False, 0, 0), Case(False, 150, 13), Case(False, 333, 70, in_place=True))


def is_known(linked: Linked, choice: Choice, case: Case) -> bool:
    """Return whether such a call is one that it runs."""
    known = choice.name in KERNELS and not case.opens and not case.extended
    return known and linked.target == X86_64


def ran_again(linked: Linked, choice: Choice, case: Case) -> str:
    """Run a call with it, and return the hash of the instructions that ran; raise Unproved if it refuses the call."""
    numbers = choice.chacha20, choice.poly1305, choice.cpu, case.length, case.aad_length
    command = [sys.executable, "-I", second_lifter.__file__, str(linked.path), *map(str, numbers)]
    command += ["in-place"] * case.in_place
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search("ran ([0-9a-f]{64})", run.stdout)
    if run.returncode != 0 or found is None:
        raise Unproved(f"the second lifter: {run.stdout}{run.stderr}".strip())
    return found[1]


def prove_case(linked: Linked, choice: Choice, case: Case) -> None:
    """Raise Unproved unless a call is right, and runs the same instructions in both."""
    first = ran_of(linked, Run(linked, choice, case).sample(0).ran)["ran"]
    if ran_again(linked, choice, case) != first:
        raise Unproved(f"{case}: the second lifter runs other instructions")


def prove_cases(linked: Linked, choice: Choice) -> int:
    for case in CASES:
        prove_case(linked, choice, case)
    return len(CASES)


def prove_second(compilers: Iterable[str] = ()) -> Iterator[Proved]:
    """Prove calls of what compilers made for x86-64."""
    for compiler in chosen(compilers):
        linked = compiled(compiler)
        for name in KERNELS if linked.target == X86_64 else ():
            choice, title = choice_named(linked, name), f"{linked.version}: {name}, again"
            lengths = ", ".join(f"{case.length} and {case.aad_length}" for case in CASES)
            of = Compiled(linked.version, name, second_lifter.FUNCTION, lengths)
            if lacking := missing(linked, choice):
                yield Proved(title, 0, compiled=of, omitted=lacking)
            else:
                yield proved(title, partial(prove_cases, linked, choice), compiled=of)
