# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The bench's results as a Markdown page with figures."""

import math
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path

from lab.report import figures, results
from lab.report.results import SWEEPS, is_hornet, is_rival

from .groups import GROUPS

SECTIONS = {
    "best": "All instructions of the CPU",
    "avx2": "AVX2, no AVX-512",
    "avx512f": "AVX-512F, no IFMA",
}
TITLES = {name: group.title for name, group in GROUPS.items()} | {
    "file": "Whole processes: one file",
    "tree": "Whole processes: many small files",
    "incremental": "Whole processes: what need not be read",
}
COMMANDS = ("file", "tree", "incremental")
PIECE_BYTES = "bytes in a piece"
CYCLES = ("rdpmc", "perf", "chain")  # the clocks that count cycles of the core


def figure(value: float) -> str:
    """Format a number with about three significant digits."""
    if not math.isfinite(value):
        return "-"
    if 0 < abs(value) < 0.01:
        return f"{value:.1g}"
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def row(cells: Iterable[object]) -> str:
    return "|" + "".join(f" {cell} |" for cell in cells) + "\n"


def at(values: list[float], i: int) -> float:
    """Return NaN for an absent value: an edited file may have too few."""
    return values[i] if i < len(values) else math.nan


def ratio(spread: dict, i: int, inverse: bool = False) -> str:
    middle, low, high = (at(spread.get(name, []), i) for name in ("median", "low", "high"))
    if inverse:
        middle, low, high = 1 / middle, 1 / high, 1 / low
    return f"**{middle:.2f}** ({low:.2f} to {high:.2f})"


def verdict(check: dict) -> str:
    """Return the result of checking a peer's tags, in one line."""
    if check["example"] is None:
        return f"{check['peer']}: all {check['inputs']} tags are correct"
    return f"{check['peer']}: WRONG on {check['wrong']} of {check['inputs']} inputs, first on {check['example']}"


def is_measured(check: dict) -> bool:
    """Whether a peer is measured despite its wrong tags. If most are wrong, it was called incorrectly."""
    return check["wrong"] <= check["inputs"] // 2


def of_series(series: dict, counts_cycles: bool = False) -> str:
    """Return a series as a table with its title."""
    group, xs, columns = series["group"], series["xs"], results.compared(series)
    text = f"\n### {TITLES[group]}: {series['variant']}\n\n"
    text += "".join(f"{note}\n\n" for note in series.get("notes", []))
    if not columns:
        return text
    if group in SWEEPS:
        return text + _of_sweep(xs, columns)
    if group in COMMANDS:
        return text + _of_commands(group, series["axis"], xs[0], columns)
    text += {"edit": "Microseconds:\n\n", "stream": "Gigabytes (10^9 bytes) a second:\n\n"}.get(group, "")

    def having(what: str) -> list[tuple[str, dict]]:
        return [(column["name"], column[what]) for column in columns if column.get(what, {}).get("median")]

    # With many pieces, the interesting figure is the rate relative to a single call; with two, the cost of the cut.
    as_rate = series["axis"] == PIECE_BYTES
    relative = "rate" if as_rate else "time"
    names = [column["name"] for column in columns]
    head = [series["axis"], *names]
    head += [f"{name} / {results.OPENSSL}" for name, _ in having("to_openssl")]
    head += [f"{name} / best other" for name, _ in having("to_best")]
    head += [f"{name}, {relative} relative to one call" for name, _ in having("to_one_call")]
    text += row(head) + row("---:" for _ in head)
    for i, x in enumerate(xs):
        times = [at(column["ns"]["median"], i) for column in columns]
        if group in ("stream", "edit"):
            times = [x / ns if group == "stream" else ns / 1e3 for ns in times]
        cells = [x, *map(figure, times)]
        cells += [ratio(spread, i) for what in ("to_openssl", "to_best") for _, spread in having(what)]
        cells += [ratio(spread, i, as_rate) for _, spread in having("to_one_call")]
        text += row(cells)
    if counts_cycles and group == "lengths":
        text += "\nCycles of the core:\n\n" + row([series["axis"], *names]) + row("---:" for _ in range(len(names) + 1))
        for i, x in enumerate(xs):
            text += row([x, *(figure(at(column["cycles"]["median"], i)) for column in columns)])
    return text


def _of_commands(group: str, axis: str, x: float, columns: list[dict]) -> str:
    """Return the table of whole processes: a single x, and a row for each process."""
    first = columns[0]["name"]
    if group == "incremental":
        # A rate would be of bytes that were not read.
        text = row(["", "milliseconds", "CPU milliseconds", f"time relative to {first}"]) + row(["---"] + 3 * ["---:"])
        for column in columns:
            times = [figure(column[what]["median"][0] / 1e6) for what in ("ns", "cpu")]
            text += row([column["name"], *times, f"**{figure(column['ratio']['median'][0])}**"])
        return text
    rate = "gigabytes (10^9) a second" if axis == "bytes" else "thousand files a second"
    text = row(["", "milliseconds", rate, f"time relative to {first}"]) + row(["---"] + 3 * ["---:"])
    for column in columns:
        ns = column["ns"]["median"][0]
        rates = x / ns if axis == "bytes" else x / ns * 1e6
        text += row([column["name"], figure(ns / 1e6), figure(rates), ratio(column["ratio"], 0)])
    return text


def _of_sweep(xs: list[int], columns: list[dict]) -> str:
    """Return the summary of a series that is too long to print."""
    every = "Every length" if len(xs) < 2 or xs[1] - xs[0] == 1 else f"Every {xs[1] - xs[0]} bytes"
    rivals = ", ".join(column["name"] for column in columns if is_rival(column["name"]))
    text = f"{every} from {xs[0]} to {xs[-1]}, as ratios to the fastest of {rivals} at that length:\n\n"
    text += row(["", "geometric mean", "worst", "at length", "lengths above 1.00", "lengths above 1.05"])
    text += row(["---"] + 5 * ["---:"])
    for column in columns:
        ratios = column.get("to_best", {}).get("median")
        if ratios and is_hornet(column["name"]):
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            # The longest, if several are as bad.
            worst, length = max(zip(ratios, xs))
            above = [sum(value > limit for value in ratios) for limit in (1, 1.05)]
            text += row([column["name"], f"{mean:.3f}", f"{worst:.2f}", length, *above])
    return text


def of_section(all_: dict, section: dict) -> str:
    text = f"\n## {SECTIONS[section['section']]}\n\nHornet's kernel: `{section['kernel']}`.\n"
    if section.get("chacha20_kernel"):
        text += f"Of ChaCha20: `{section['chacha20_kernel']}`.\n"
    if section["mask"]:
        text += f"`OPENSSL_ia32cap={section['mask']}`.\n"
    if section.get("busy") is not None:
        text += f"Beside {100 * section['busy']:.0f} % of the samples, another thread ran on the same core.\n"
    # Poly1305 and ChaCha20-Poly1305 have different inputs.
    correct = [check for check in section["checks"] if check["wrong"] == 0]
    for inputs, same in groupby(correct, key=lambda check: check["inputs"]):
        text += f"All {inputs} tags are correct: {'; '.join(check['peer'] for check in same)}.\n"
    for check in section["checks"]:
        if check["wrong"] != 0:
            measured = "measured nevertheless" if is_measured(check) else "not measured"
            text += f"\n**{verdict(check)}; {measured}.**\n"
    counts_cycles = all_["clock"]["name"] in CYCLES
    return text + "".join(
        of_series(series, counts_cycles) for series in all_["series"] if series["section"] == section["section"]
    )


def markdown(all_: dict, plots: list[tuple[str, str]]) -> str:
    """Return the whole page. Each plot is a title and a file name."""
    first, *later = all_["runs"]
    machine = all_["machine"]
    sibling = {"idle": "an idle", "busy": "a busy"}.get(all_.get("sibling", ""))
    beside = ", beside a busy thread" if sibling == "a busy" else ""
    text = (
        f"# {results.title(machine)}{beside}\n\nMeasured on {first['date']} by `make -C lab bench`; [what is measured and how]"
        "(../README.md). Nanoseconds for one message, "
        f"medians over {first['processes']} processes of medians over up to {first['rounds']} rounds. A ratio is Hornet's "
        "time to that of the fastest other peer in the same round; below 1 Hornet is faster. In brackets: the quartiles "
        "over the processes.\n\n"
    )
    if sibling:
        text += f"Samples count beside {sibling} sibling thread, where there were any.\n\n"
    for run in later:
        text += (
            f"Measured again on {run['date']}, over {run['processes']} processes and up to {run['rounds']} rounds: "
            f"{', '.join(run['groups'])}.\n\n"
        )
    text += f"CPU features: {', '.join(machine['features'])}\n\n"
    text += "".join(f"- {name}: {version}\n" for name, version in all_["tools"].items())
    text += f"- Hornet's flags: `{all_['flags']['hornet']}`\n"
    if "rust" in all_["flags"]:
        text += f"- flags of the peers in Rust: `{all_['flags']['rust']}`\n"
    text += "\n"
    text += row(["peer", "version", ""]) + row(3 * ["---"])
    text += "".join(row([peer["name"], peer["version"], peer["note"] or ""]) for peer in all_["peers"])
    text += "".join(row([name, "left out", why]) for name, why in all_["missing"].items())
    text += "".join(f"\n![{title}]({file})\n" for title, file in plots)
    return text + "".join(of_section(all_, section) for section in all_["sections"])


# Figures.


def lines(series: dict, pick: Callable[[dict], dict | None], per_byte: bool = False) -> list[figures.Line]:
    """Return a line for each column: the peers use each colour twice, dashed the second time; Hornet's builds but the
    last are dashed."""
    found = []
    columns = [(column["name"], spread) for column in results.compared(series) if (spread := pick(column))]
    peers = [name for name, _ in columns if not is_hornet(name)]
    hornets = [name for name, _ in columns if is_hornet(name)]
    for name, spread in columns:
        points = [
            (x, y) for x, y in zip(series["xs"], spread["median"]) if math.isfinite(y) and not (per_byte and x == 0)
        ]
        if not points:
            continue
        if is_hornet(name):
            colour, dashed = "hornet", name != hornets[-1]
        else:
            which = peers.index(name)
            colour, dashed = f"c{which % 8}", which // 8 % 2 == 1
        if per_byte:
            points = [(x, y / x) for x, y in points]
        found.append(figures.Line(name, points, colour, dashed))
    return found


def draw(all_: dict) -> list[tuple[str, str, str]]:
    """Return the name, the title and the text of each figure for which there are results."""
    plots = []
    counts_cycles = all_["clock"]["name"] in CYCLES
    unit, what = ("Cycles", "cycles") if counts_cycles else ("Nanoseconds", "ns")
    x_title = "message length (bytes)"

    def add(name: str, title: str, y_title: str, drawn: list[figures.Line], log: bool, level: float | None = None):
        if not drawn:
            return
        xs, ys = zip(*(point for line in drawn for point in line.points))
        if log:
            x, y = figures.log_axis(x_title, xs, 2, figures.bytes_text), figures.log_axis(y_title, ys, 10)
        else:
            x = figures.linear_axis(x_title, xs, figures.bytes_text, tight=True)
            y = figures.linear_axis(y_title, ys)
        chart = figures.chart(title, x, y, drawn, 600, level)
        plots.append((name, title, figures.standalone(chart, figures.described(x, y, drawn))))

    for section in all_["sections"]:
        of, instructions = section["section"], SECTIONS[section["section"]]
        for group, about in (
            ("lengths", ""),
            ("seal", "ChaCha20-Poly1305, sealed: "),
            ("open", "ChaCha20-Poly1305, opened: "),
            ("evp", "ChaCha20-Poly1305 through EVP, sealed: "),
        ):
            # In a group with several series, the first: throughput, not latency.
            if series := next(results.find(all_, of, group), None):
                title = f"{about}{unit} per byte over bytes. {instructions}"
                add(f"{of}-{group}", title, f"{unit} per byte", lines(series, lambda c: c.get(what), True), True)
        for group, about, name in (("sweep", "", "ratio"), ("aead-sweep", "ChaCha20-Poly1305, sealed: ", "aead-ratio")):
            series = next(results.find(all_, of, group), None)
            if series is None:
                continue
            if of == "best":
                title = f"{about}{unit} over bytes. {instructions}"
                add(f"{of}-{group}", title, unit, lines(series, lambda c: c.get(what)), False)
            ratio_title = "ime as a ratio to the fastest other peer"
            title = f"{about}T{ratio_title}, over bytes. {instructions}"
            drawn = lines(series, lambda c: c.get("to_best") if is_hornet(c["name"]) else None)
            add(f"{of}-{name}", title, f"t{ratio_title}", drawn, False, 1.0)
        if parts := not_read(all_, of):
            title = "CPU time of tags and checks, by what is read"
            drawing = figures.log_bars(title, "CPU time, start of the process included", parts, figures.time_text)
            about = [
                f"{part.title}: {label} {figures.time_text(value)}" for part in parts for label, value, _ in part.bars
            ]
            plots.append((f"{of}-incremental", title, figures.standalone(str(drawing), f"{'; '.join(about)}.")))
    return plots


def not_read(all_: dict, section: str) -> list[figures.Bars]:
    """Return the CPU times of whole processes that need not read everything, and of others, in seconds."""
    found = []
    for series in results.find(all_, section, "incremental"):
        times = [(column["name"], column["cpu"]["median"][0] / 1e9) for column in results.compared(series)]
        bars = [(name, seconds, "hornet" if is_hornet(name) else "c0") for name, seconds in times]
        if bars:
            found.append(figures.Bars(series["variant"], bars))
    edits = next(results.find(all_, section, "edit"), None)
    place = "the first of 1 TiB"
    if found and edits and place in edits["xs"]:
        ns = results.compared(edits)[0]["ns"]["median"][edits["xs"].index(place)]
        bar = ("the first 4 KiB replaced, new tag", ns / 1e9, "hornet")
        found.append(figures.Bars("1 TiB whose values are in memory, one core, in a program that runs", [bar]))
    return found


def render(all_: dict) -> dict[str, str]:
    """Return the names and the texts of all files made from these results."""
    base = results.base_name(all_)
    plots = [(title, f"{base}-{name}.svg", text) for name, title, text in draw(all_)]
    page = markdown(all_, [(title, name) for title, name, _ in plots])
    return {f"{base}.md": page} | {name: text for _, name, text in plots}


def write(all_: dict, folder: Path) -> None:
    for name, text in render(all_).items():
        (folder / name).write_text(text, encoding="utf-8")
        print(folder / name)
