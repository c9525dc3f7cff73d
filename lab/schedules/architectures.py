# SPDX-License-Identifier: Apache-2.0 OR MIT
"""List the architectures for which loops are scheduled: also those whose loops the Go module does not contain."""

from coconut import architectures
from coconut.architecture import Architecture
from lab.schedules.neon import NEON
from lab.schedules.rvv import RVV

FURTHER = {"neon": NEON, **RVV}
ARCHITECTURES = architectures.ARCHITECTURES | FURTHER


def architectures_of(kernel: str) -> tuple[Architecture, ...]:
    return (FURTHER[kernel],) if kernel in FURTHER else architectures.architectures_of(kernel)
