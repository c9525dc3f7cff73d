# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The text that a comparison of two revisions prints."""

import math

import numpy

from . import intervals, results
from .bench import figure, row

# The number of calls that are printed; batches are all printed.
WORST = 10


def geometric_mean(ratios: list[list[float]]) -> tuple[float, float, float]:
    """Return the geometric mean over the cases of the medians of their samples, and its bootstrap interval of 95 %: the
    pairs of processes are drawn again, the same for all cases."""
    mean = intervals.mean_of_medians(numpy.log(numpy.array(ratios)), fewest=1)
    return math.exp(mean.middle), math.exp(mean.low), math.exp(mean.high)


def of_series(series: dict, version: str) -> str:
    """Return the summary of one kind of calls with one compiler, and the cases with the highest ratios."""
    base, tree = series["columns"]
    mean, low, high = geometric_mean(tree["ratio"]["samples"])
    ratio = results.spread(tree["ratio"])
    above = [f"{sum(value > limit for value in ratio['median'])} above {limit:.2f}" for limit in (1, 1.02, 1.03)]
    names = [column["name"] for column in (base, tree)]
    width = max(12, *map(len, names)) + 2
    is_calls = series["group"] == "calls"
    text = (
        f"\n{series['variant']} ({version}), {series['group']}: geometric mean {mean:.4f} ({low:.4f} to {high:.4f}) over "
        f"{len(series['xs'])}; {', '.join(above)}\n"
        f"{'worst, bytes' if is_calls else '64 of bytes':>14}"
        f"{names[0]:>{width}}{names[1]:>{width}}{'ratio':>10}  quartiles\n"
    )
    ns = [results.spread(column["ns"])["median"] for column in (base, tree)]
    rows = sorted(zip(series["xs"], *ns, *(ratio[key] for key in ("median", "low", "high"))), key=lambda row: -row[3])
    for x, base_ns, tree_ns, middle, low, high in rows[: WORST if is_calls else None]:
        text += f"{x:>14}{figure(base_ns):>{width}}{figure(tree_ns):>{width}}{middle:>10.3f}  {low:.3f} to {high:.3f}\n"
    return text


def text(all_: dict) -> str:
    run, machine = all_["runs"][0], all_["machine"]
    base, tree = (column["name"] for column in all_["series"][0]["columns"])
    head = (
        f"{results.title(machine)}; {all_['date']}; load {' to '.join(map(str, machine['load']))}; {run['processes']} "
        f"processes, {run['rounds']} rounds; {all_['flags']['hornet']}\n"
        f"Ratios: the time of {tree} to that of {base}, below 1 is faster. In brackets: the bootstrap interval of 95 % over "
        "the pairs of processes. Nanoseconds for a message.\n"
    )
    return head + "".join(of_series(series, all_["tools"][series["variant"]]) for series in all_["series"])


def of_go(all_: dict) -> str:
    """Return the times of the Go module and of x/crypto; of many lengths, those with the highest ratios."""
    text = f"{results.title(all_['machine'])}, {all_['tools']['go']}\n\n"
    text += row(["", "bytes", "hornet, ns", "x/crypto, ns", "ratio"]) + row(5 * ["---"])
    for series in all_["series"]:
        ours, theirs = (results.spread(column["ns"])["median"] for column in series["columns"])
        # The module's time to x/crypto's: the inverse of what is stored.
        ratios = [1 / ratio for ratio in results.spread(series["columns"][1]["ratio"])["median"]]
        rows = list(zip(series["xs"], ours, theirs, ratios))
        if len(rows) > 2 * WORST:
            rows = sorted(rows, key=lambda one: -one[3])[:WORST]
        text += "".join(row([series["variant"], x, figure(a), figure(b), f"{r:.2f}"]) for x, a, b, r in rows)
        if len(series["xs"]) > 2 * WORST:
            text += row([series["variant"], "median", "", "", f"{results.median(ratios):.2f}"])
    return text
