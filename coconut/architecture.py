# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Define what selection, allocation, scheduling and emission ask of an architecture.

Each architecture has a file in architectures/: the table of its instructions, the rules that select them, and the
notation of its assemblers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from coconut.assembler import Assembler
from coconut.instructions import Instruction
from coconut.operations import Value


@dataclass(frozen=True, eq=False)
class Architecture:
    """An instruction set with registers of one size.

    - cpus: LLVM's names of the CPUs whose models schedules are made for.
    - features: the names in /proc/cpuinfo of what a CPU needs.
    - alternatives: for each thing that can be done in several ways, the variants, the plain one first.
    - selector: the rules, a Selector (select.py).
    - order: for a number of lanes, which block is in each.
    - load, store, copy: the instructions that move a vector; load_constant and store_word where they differ.
    - replaces_sum: an accumulating instruction has its result in the sum's register.
    - word_bytes: the size of a register's element.
    - chains: values pass from one basic block to the next in registers.
    - emulator: the command that runs programs on other CPUs.
    - pack: how a register holds the numbers for the blocks; by default each in its own element, in that order.
    """

    name: str
    triple: str
    registers: int
    vector_bytes: int
    cpus: tuple[str, ...]
    instructions: dict[str, Instruction]
    selector: Any
    gnu: Assembler
    go: Assembler | None
    goarch: str
    load: str
    store: str = "store"
    copy: str = "copy"
    load_constant: str = ""
    store_word: str = "store"
    features: tuple[str, ...] = ()
    alternatives: dict[str, tuple[str, ...]] | None = None
    order: Callable[[int], tuple[int, ...]] = lambda lanes: tuple(range(lanes))
    replaces_sum: bool = False
    big_endian: bool = False
    emulator: tuple[str, ...] = ()
    pack: Callable[[Value], Value] | None = None
    word_bytes: int = 8
    chains: bool = False

    @property
    def byte_order(self) -> Literal["big", "little"]:
        return "big" if self.big_endian else "little"
