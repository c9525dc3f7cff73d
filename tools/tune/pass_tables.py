# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes src/chacha20/pass_tables.h, which passes of ChaCha20 a message takes, from src/chacha20/passes.toml.

    python -m tools.tune.pass_tables [--check]

A message of the AEAD is a sequence of passes, followed by Poly1305 over what the passes did not take; its cost is the sum of
theirs. Among all sequences, dynamic programming finds the cheapest. Costs depend on whether the sibling thread is idle or
busy: of the sequences that cost at most TOLERANCE more than the cheapest one in either state, that counts which is the
cheapest in the mixture of both; if there is none, that which loses least in its worse state. `--check` writes nothing, and
fails if pass_tables.h is another.
"""

import argparse
import sys
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "src/chacha20/passes.toml"
HEADER = ROOT / "src/chacha20/pass_tables.h"
DOUBLE_ROUNDS = 10
BLOCKS_OF_POLY1305 = 4  # in a block of ChaCha20
COMPILERS = ("gcc", "clang")
WIDTH = 107


class Wrong(Exception):
    """What is wrong in the data."""


# Cycles beside an idle and beside a busy sibling thread, or in the one of these states that was measured.
Cycles = tuple[float, ...]
STATES = ("idle", "busy")
# The part of messages that are beside a busy thread: half, because nothing tells a call which it will be.
BUSY_SHARE = 0.5
TOLERANCE = 0.05


def mixed(cycles: Cycles) -> float:
    return cycles[0] if len(cycles) == 1 else (1 - BUSY_SHARE) * cycles[0] + BUSY_SHARE * cycles[1]


def added(a: Cycles, b: Cycles) -> Cycles:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def scaled(share: float, a: Cycles) -> Cycles:
    return tuple(share * x for x in a)


@dataclass(frozen=True)
class Pass:
    """A pass: blocks of the keystream, and its cost.

    As the `first` of a message, which also gives the key; as a later one, `next`, which a pass for the key cannot be; and
    `with` all blocks of Poly1305 that it takes, `stitched` for each double round.
    """

    name: str
    blocks: int
    first: Cycles
    next: Cycles | None = None
    stitched: int = 0
    with_stitched: Cycles = ()

    def taken(self, ready: int) -> int:
        """Return how many of the blocks of Poly1305 that are ready it takes."""
        return min(ready // self.stitched, DOUBLE_ROUNDS) * self.stitched if self.stitched else 0

    def cost(self, taken: int) -> Cycles:
        assert self.next is not None
        if not taken:
            return self.next
        share = taken / (DOUBLE_ROUNDS * self.stitched)
        return added(scaled(1 - share, self.next), scaled(share, self.with_stitched))


@dataclass(frozen=True)
class Costs:
    passes: tuple[Pass, ...]
    poly1305_call: Cycles
    poly1305_block: Cycles  # one more block in a call

    def poly1305(self, blocks: int) -> Cycles:
        return added(self.poly1305_call, scaled(blocks, self.poly1305_block))


Sequence = tuple[Cycles, tuple[str, ...]]  # its cost, and the names of its passes


def efficient(found: Iterable[Sequence]) -> tuple[Sequence, ...]:
    """Return the sequences than which no other is better in one state and not worse in the other."""
    kept: list[Sequence] = []
    for one in sorted(found):
        if not kept or one[0][-1] < kept[-1][0][-1]:
            kept.append(one)
    return tuple(kept)


def chosen(found: tuple[Sequence, ...]) -> Sequence:
    """Return the sequence that serves both states, of those that are efficient."""
    least = [min(cycles) for cycles in zip(*(cycles for cycles, _ in found))]

    def loss(one: Sequence) -> float:
        return max(cycles / best for cycles, best in zip(one[0], least)) - 1

    tolerable = [one for one in found if loss(one) <= TOLERANCE]
    return min(tolerable, key=lambda one: mixed(one[0])) if tolerable else min(found, key=loss)


@dataclass(frozen=True)
class PassTable:
    """The passes for 0, 1, 2, ... blocks that are left: of the one that gives the key, and of later ones. For more blocks, the
    last `period` entries repeat."""

    period: int
    first: tuple[str, ...]
    next: tuple[str, ...]


class Cheapest:
    """The cheapest sequences of passes."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self.later = [one for one in costs.passes if one.next is not None]
        self.then = cache(self._then)

    def _then(self, blocks: int, ready: int) -> tuple[Sequence, ...]:
        """Return the efficient sequences for the blocks that are left, and Poly1305 over what is ready and over them."""
        if blocks == 0:
            return ((self.costs.poly1305(ready), ()),)
        found = []
        for one in self.later:
            taken, done = one.taken(ready), min(blocks, one.blocks)
            cost = one.cost(taken)
            for cycles, passes in self.then(blocks - done, ready - taken + BLOCKS_OF_POLY1305 * done):
                found.append((added(cycles, cost), (one.name, *passes)))
        return efficient(found)

    def message(self, blocks: int) -> Sequence:
        """Return the sequence for a message of that many blocks, and the key."""
        found = []
        for one in self.costs.passes:
            done = min(blocks, one.blocks - 1)
            for cycles, passes in self.then(blocks - done, BLOCKS_OF_POLY1305 * done):
                found.append((added(cycles, one.first), (one.name, *passes)))
        return chosen(efficient(found))

    def continuation(self, blocks: int) -> str:
        """Return the pass for blocks that are left of a message, when a whole pass of Poly1305 is ready."""
        largest = max(one.taken(10**6) for one in self.later)
        return chosen(self.then(blocks, largest))[1][0] if blocks else self.later[0].name

    def table(self) -> PassTable:
        period = 1 << (max(one.blocks for one in self.later) - 1).bit_length()
        numbers = range(2 * period + 1)
        first = tuple(self.message(blocks)[1][0] for blocks in numbers)
        return PassTable(period, first, tuple(self.continuation(blocks) for blocks in numbers))


def costs_of(entries: list[dict]) -> Costs:
    """Return the costs of entries of the data, one for each state that was measured."""

    def both(tables: list[dict], key: str) -> Cycles:
        return tuple(table[key] for table in tables)

    passes = []
    for entry in entries:
        if "poly1305" not in entry:
            raise Wrong(f"the costs of {entry['kernel']} on {entry['family']} have no cost of Poly1305")
    for name in entries[0]["passes"]:
        of = [entry["passes"].get(name) for entry in entries]
        if None in of:  # not measured in each state
            continue
        one = Pass(name, of[0]["blocks"], both(of, "first"), both(of, "next") if "next" in of[0] else None)
        if "stitched" not in of[0]:
            passes.append(one)
            continue
        passes.append(replace(one, name=f"{name}_alone"))
        if all("with" in cycles for cycles in of):
            passes.append(replace(one, stitched=of[0]["stitched"], with_stitched=both(of, "with")))
    poly1305 = [entry["poly1305"] for entry in entries]
    return Costs(tuple(passes), both(poly1305, "call"), both(poly1305, "block"))


def counted(passes: tuple[str, ...]) -> str:
    """Return passes as the data has them: 3 rows1 for three times the same."""
    return ", ".join(f"{len(list(same))} {name}" for name, same in groupby(passes))


def listed(text: str) -> tuple[str, ...]:
    """Return the passes of such a text."""
    found: list[str] = []
    for part in text.replace("\n", " ").split(","):
        number, name = part.split()
        found += [name] * int(number)
    return tuple(found)


def given(name: str, entry: dict) -> PassTable:
    table = PassTable(entry["period"], listed(entry["first"]), listed(entry["next"]))
    if (
        len(table.first) != len(table.next)
        or (len(table.first) - 1) % table.period
        or table.period & (table.period - 1)
    ):
        raise Wrong(f"pass table {name}: {len(table.first)} and {len(table.next)} entries, period {table.period}")
    return table


def pass_tables(data: dict) -> dict[str, dict[str, PassTable]]:
    """Return the pass table of each name for each compiler."""
    found = {}
    for name, entry in data["tables"].items():
        if "first" in entry:
            table = given(name, entry)
            found[name] = {compiler: table for compiler in COMPILERS}
        elif "gcc" in entry:
            found[name] = {compiler: given(name, entry[compiler]) for compiler in COMPILERS}
        else:
            found[name] = {
                compiler: Cheapest(costs_of(measured(data, name, compiler))).table() for compiler in COMPILERS
            }
    return found


def measured(data: dict, name: str, compiler: str) -> list[dict]:
    """Return the costs from which a pass table follows, in the order of STATES."""
    table = data["tables"][name]
    found = [
        costs
        for costs in data["costs"]
        if (costs["kernel"], costs["family"]) == (table["kernel"], table["costs"])
        and costs["compiler"].split()[0] == compiler
    ]
    if not found:
        raise Wrong(f"pass table {name}: no costs of {table['kernel']} on {table['costs']} with {compiler}")
    return sorted(found, key=lambda costs: STATES.index(costs["sibling"]))


def macro(name: str, table: PassTable) -> str:
    """Return the initializer of a chacha20_pass_table."""
    words = [f"{table.period},", f"{len(table.first) - 1},"]
    for passes in (table.first, table.next):
        entries = [f"X({one})," for one in passes]
        words += ["(const uint8_t[]){" + entries[0], *entries[1:-1], entries[-1][:-1] + "},"]
    words[0], words[-1] = "{" + words[0], words[-1][:-1] + "}"
    lines = [f"#define PASS_TABLE_{name}(X)"]
    for word in words:
        if lines[-1].startswith("#") or len(lines[-1]) + 1 + len(word) > WIDTH - 2:
            lines.append("    " + word)
        else:
            lines[-1] += f" {word}"
    return " \\\n".join(lines) + "\n"


def header(data: dict) -> str:
    """Return the text of pass_tables.h."""
    text = """/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Made by tools/tune/pass_tables.py from passes.toml, which says where the numbers come from. DO NOT EDIT.
 *
 * The initializers of pass tables, where X(pass) stands for the number of a pass, and of the costs of
 * batches. */
#ifndef HORNET_CHACHA20_PASS_TABLES_H
#define HORNET_CHACHA20_PASS_TABLES_H

/* clang-format off */
"""
    for name, of in pass_tables(data).items():
        if of["gcc"] == of["clang"]:
            text += "\n" + macro(name, of["gcc"])
        else:
            text += f"\n#ifdef __clang__\n{macro(name, of['clang'])}#else\n{macro(name, of['gcc'])}#endif\n"
    for name, costs in data.get("batches", {}).items():
        text += "\n" + batch_macro(name, costs)
    return text + "\n/* clang-format on */\n\n#endif\n"


def batch_cost(costs: dict, count: int, blocks: int) -> int:
    """Return what that many packets of that many blocks take if they share passes, as aead/batch.c computes it."""
    passes = -(-count * (1 + blocks) // costs["lanes"])
    return (
        costs["call"]
        + count * costs["packet"]
        + passes * costs["pass"]
        + blocks * (costs["longest"] + count * costs["block"])
    )


def fewest(costs: dict) -> int:
    """Return how many packets of the same length gain, at the length where that is fewest."""
    return next(
        (
            count
            for count in range(2, costs["lanes"] + 1)
            if any(count * alone >= batch_cost(costs, count, n) * 17 // 16 for n, alone in enumerate(costs["alone"]))
        ),
        costs["lanes"],
    )


def batch_macro(name: str, costs: dict) -> str:
    """Return the initializer of a chacha20_batch_costs."""
    alone = ", ".join(map(str, costs["alone"]))
    values = ", ".join(str(costs[key]) for key in ("call", "packet", "pass", "longest", "block"))
    lines = textwrap.wrap(f"{{{values}, {{{alone}}}, {costs['single_block']}, {fewest(costs)}}}", WIDTH - 6)
    return " \\\n    ".join([f"#define BATCH_COSTS_{name}", *lines]) + "\n"


def read(text: str) -> dict:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as why:
        raise Wrong(str(why)) from why


def generate(description: str | None, file: Path, text_of: Callable[[dict], str], tables: str) -> int:
    """Write a file that follows from the data, or check that it does; `tables` is what occurs once in each table."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help=f"compare {file.name}, and write nothing")
    options = parser.parse_args()
    module = Path(sys.argv[0]).stem
    try:
        text = text_of(read(DATA.read_text()))
    except Wrong as why:
        print(f"{module}: {DATA.relative_to(ROOT)}: {why}", file=sys.stderr)
        return 2
    if not options.check:
        file.write_text(text)
    elif file.read_text() != text:
        print(
            f"{module}: {file.relative_to(ROOT)} is not that of {DATA.name}: run python3 -m tools.tune.{module}",
            file=sys.stderr,
        )
        return 1
    print(f"{text.count(tables)} pass tables")
    return 0


if __name__ == "__main__":
    sys.exit(generate(__doc__, HEADER, header, "#define PASS_TABLE_"))
