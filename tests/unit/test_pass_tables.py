# SPDX-License-Identifier: Apache-2.0 OR MIT
"""tools/tune: pass_tables.h is that of passes.toml, they are the cheapest, and measurements become a patch that applies."""

import json
import platform
import random
import re
import subprocess

import pytest
from support import ROOT, output, run, suite

from tools.tune import batches, pass_tables, passes

COSTS = """[[costs]]
kernel = "wide"
family = "here"
compiler = "{}"
sibling = "{}"
date = 2026-01-01
poly1305 = {{kernel = "scalar", call = 100, block = {}}}
passes.key = {{blocks = 1, first = 90}}
passes.rows = {{blocks = 2, first = 120, next = 110, stitched = 1, with = 130}}
passes.lanes = {{blocks = 4, first = 150, next = 145}}
passes.lanes_key = {{blocks = 5, first = 170}}
"""


@suite("check quick", cpu_seconds=1)
def test_pass_tables():
    run("python3", "-m", "tools.tune.pass_tables", "--check")
    run("python3", "-m", "tools.tune.go_passes", "--check")
    data = pass_tables.read(pass_tables.DATA.read_text())
    files = " ".join(
        file.read_text() for file in (ROOT / "src/chacha20").rglob("*.[ch]") if file.name != "pass_tables.h"
    )
    unused = [name for name in data["tables"] if not re.search(rf"(?:#define PASS_TABLE +|, ){name}\b", files)]
    assert not unused, f"pass tables that no kernel has: {unused}"
    print(f"{len(data['tables'])} pass tables, {len(data['costs'])} costs")
    assert len(data["tables"]) >= 17 and len(data["costs"]) >= 15


def sequences(costs, blocks, ready, keyed):
    """Return the cost of each sequence of passes, in each state."""
    if blocks == 0 and not keyed:
        return [costs.poly1305(ready)]
    found = []
    for one in costs.passes:
        if keyed or one.next is not None:
            done = min(blocks, one.blocks - keyed)
            taken = 0 if keyed else one.taken(ready)
            cost = one.first if keyed else one.cost(taken)
            rest = sequences(costs, blocks - done, ready - taken + 4 * done, False)
            found += [pass_tables.added(cycles, cost) for cycles in rest]
    return found


def serving(found):
    """Return the cost of the sequence that serves both states, and whether one is tolerable in both."""
    least = [min(cycles) for cycles in zip(*found)]
    losses = [max(cycles / best for cycles, best in zip(one, least)) for one in found]
    mixtures = [sum(one) / len(one) for one, loss in zip(found, losses) if loss <= 1.05]
    return (min(mixtures), True) if mixtures else (min(losses), False)


@suite("check quick", cpu_seconds=2)
def test_pass_tables_are_cheapest():
    """Among all sequences, for one state and for both, where costs differ little between them and where they differ much."""
    noise, count, intolerable = random.Random(1), 0, 0
    for number in range(60):
        entries = []
        for state in pass_tables.STATES[: 1 + number % 2]:
            entry = pass_tables.read(COSTS.format("gcc", state, noise.uniform(1, 20)))["costs"][0]
            for name, of in entry["passes"].items():
                for key in of.keys() & {"first", "next", "with"}:
                    like = entries[0]["passes"][name][key] if entries and number % 3 else None
                    of[key] = noise.randrange(80, 250) if like is None else round(like * noise.uniform(1.1, 1.3))
            entries.append(entry)
        costs = pass_tables.costs_of(entries)
        finder = pass_tables.Cheapest(costs)
        for blocks in range(11):
            every = sequences(costs, blocks, 0, True)
            cost, tolerable = serving(every)
            found = finder.message(blocks)[0]
            if tolerable:
                assert abs(pass_tables.mixed(found) - cost) < 1e-6, (entries, blocks)
            else:
                loss = max(cycles / min(of) for cycles, of in zip(found, zip(*every)))
                assert abs(loss - cost) < 1e-6, (entries, blocks)
                intolerable += 1
            count += 1
    print(f"{count} messages, {intolerable} without a sequence that loses at most 5 % in both states")
    assert count == 660 and 30 < intolerable < 300


def followed(costs, table, blocks):
    """Return the cost of a message for which a pass table is looked up before each pass."""
    passes, keyed, ready, cost = {one.name: one for one in costs.passes}, True, 0, None
    while keyed or blocks:
        entries = table.first if keyed else table.next
        last = len(entries) - 1
        one = passes[entries[blocks if blocks <= last else last - -blocks % table.period]]
        done, taken = min(blocks, one.blocks - keyed), 0 if keyed else one.taken(ready)
        cost = one.first if keyed else pass_tables.added(cost, one.cost(taken))
        blocks, ready, keyed = blocks - done, ready - taken + 4 * done, False
    return pass_tables.added(cost, costs.poly1305(ready))


@suite("check quick", cpu_seconds=2)
def test_pass_tables_are_followed():
    """A table knows only how many blocks are left, not what is ready; that costs little."""
    data = pass_tables.read(pass_tables.DATA.read_text())
    losses = []
    for name, entry in data["tables"].items():
        for compiler in pass_tables.COMPILERS if "costs" in entry else ():
            costs = pass_tables.costs_of(pass_tables.measured(data, name, compiler))
            finder = pass_tables.Cheapest(costs)
            table = finder.table()
            for blocks in range(100):
                of = [pass_tables.mixed(cost) for cost in (followed(costs, table, blocks), finder.message(blocks)[0])]
                losses.append((of[0] / of[1], name, compiler, blocks))
    print(f"{len(losses)} messages; the worst is {max(losses)}")
    assert len(losses) >= 400 and max(losses)[0] < 1.03, max(losses)


@suite("check quick", cpu_seconds=1)
def test_pass_tables_from_costs(folder):
    text = "\n".join(
        [
            '[tables.wide]\nkernel = "wide"\ncosts = "here"\n',
            COSTS.format("gcc 1", "idle", 9),
            COSTS.format("clang 1", "idle", 1),
        ]
    )
    header = pass_tables.header(pass_tables.read(text))
    assert header.count("#define PASS_TABLE_wide(X)") == 2 and "#ifdef __clang__" in header, header

    # Measured anew: the entry changes, and nothing else; a new state is added; the patch applies.
    about = {"kernel": "wide", "family": "here", "compiler": "gcc 2"}
    found = {"poly1305": {"kernel": "scalar", "call": 1, "block": 2}, "passes": {"key": {"blocks": 1, "first": 5}}}
    new = passes.replaced(text, passes.entry({**about, "sibling": "idle"}, "2026-02-02", found))
    of = pass_tables.read(new)["costs"]
    assert len(of) == 2 and of[0] | {"date": 0} == about | {"sibling": "idle", "date": 0, **found}
    assert of[1] == pass_tables.read(text)["costs"][1]
    more = passes.replaced(new, passes.entry({**about, "sibling": "busy"}, "2026-02-02", found))
    assert pass_tables.read(more)["costs"][:2] == of and len(pass_tables.read(more)["costs"]) == 3
    (folder / "data").write_text(text)
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    (folder / "patch").write_text(passes.patch("data", text, more))
    run("git", "-C", folder, "apply", folder / "patch")
    assert (folder / "data").read_text() == more


@suite("check quick", cpu_seconds=1)
def test_batch_costs():
    """The costs of packets are found in what batches.c prints, and those in passes.toml are whole."""
    of = {"lanes": 4, "call": 100, "packet": 7, "pass": 200, "longest": 30, "block": 11, "single_block": 80}
    of["alone"] = [90 + 60 * n for n in range(25)]
    lines = ["lanes 4", "single 80.2", *(f"alone {n} {ns}" for n, ns in enumerate(of["alone"]))]
    lines += [f"together {k} {n} {pass_tables.batch_cost(of, k, n)}" for k in (2, 3, 4) for n in (0, 1, 2, 3, 8, 24)]
    found, worst = batches.costs([line.split() for line in lines])
    assert found == of and worst < 1e-6
    gaining = [
        k
        for k in range(2, 5)
        if any(k * ns >= pass_tables.batch_cost(of, k, n) * 17 // 16 for n, ns in enumerate(of["alone"]))
    ]
    assert pass_tables.fewest(of) == gaining[0]
    assert pass_tables.fewest(of | {"call": 10**6}) == 4, "packets never gain, but one bundle is tried"

    shared = int(re.search(r"#define AEAD_SHARED_BYTES (\d+)", (ROOT / "src/core/tuning.h").read_text())[1])
    data = pass_tables.read(pass_tables.DATA.read_text())["batches"]
    for name, costs in data.items():
        assert len(costs["alone"]) == 1 + shared // 64 and shared % 64 == 0, name
        values = [*costs["alone"], *(costs[key] for key in of.keys() - {"alone"})]
        assert all(0 <= value < 1 << 16 for value in values), name
    print(f"costs of packets on {len(data)} kernels")
    assert len(data) >= 4


@suite("check quick", cpu_seconds=1)
def test_passes_beside_a_busy_thread():
    # 100 cycles at 2 GHz beside an idle thread, 150 beside a busy one; and some that were interrupted, or
    # beside a thread that took few slots.
    samples = (
        [[50, 0.1, 1.5]] * 60 + [[60, 0.12, 1.5]] * 30 + [[75, 0.2, 1.5]] * 60 + [[900, 0.1, 1.5]] * 5 + [[50, 0.1, 4]]
    )

    def lines_of(samples: list) -> str:
        passes_ = [{"name": "rows1", "blocks": 4, "stitched": 0, "first": samples, "next": samples}]
        poly1305 = [{"poly1305_blocks": n, "samples": samples} for n in (64, 256)]
        return "\n".join(map(json.dumps, [[["avx2", True]], *poly1305, *passes_]))

    _, found = passes.costs("avx2", [lines_of(samples)] * 2)
    assert {state: of["passes"]["rows1"] for state, of in found.items()} == {
        "idle": {"blocks": 4, "first": 100, "next": 100},
        "busy": {"blocks": 4, "first": 150, "next": 150},
    }
    assert list(passes.costs("avx2", [lines_of(samples[:60])])[1]) == ["idle"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the passes of this CPU are not measured")
@suite("quick", cpu_seconds=15)
def test_passes_are_timed(folder):
    """The program builds with this tree, and times each pass of a kernel that every x86-64 CPU can run."""
    lines = output(passes.build("vector128", "gcc", folder)).splitlines()
    features, *timed = [json.loads(line) for line in lines]
    assert ["sse2", True] in features
    assert [line.get("name") for line in timed] == [None, None, "key", "rows1", "rows3", "lanes1"]
    assert all(len(line.get("first", line.get("samples"))) == 200 for line in timed)
