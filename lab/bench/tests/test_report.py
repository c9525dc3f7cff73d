# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of what makes tables and figures from results: pytest lab/bench/tests/test_report.py"""

import math
import re
import shutil
import sys
from pathlib import Path

import numpy
import pytest

BENCH = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCH))

import measure as driver  # noqa: E402
import processes  # noqa: E402
from report import bench, comparison, figures, intervals, results, samples  # noqa: E402

FILES = sorted((BENCH / "results").glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_committed_pages_are_made_from_the_committed_results(path):
    made = bench.render(results.load(path))
    committed = {file.name for file in path.parent.glob(f"{path.stem}[.-]*")} - {path.name}
    assert committed == set(made)
    for name, text in made.items():
        assert (path.parent / name).read_text() == text, f"{name}: run measure.py render {path}"


def test_every_time_on_a_page_comes_from_the_results():
    """With other times and ratios, no figure in a table of times stays the same."""
    path = FILES[0]
    all_ = results.load(path)

    def cells(text):
        body = text[text.index("### Common lengths: throughput") : text.index("### Common lengths: latency")]
        return [re.findall(r"[\d.]+", row)[1:] for row in body.splitlines() if re.match(r"\| \d", row)]

    before = cells(bench.markdown(all_, []))
    for series in all_["series"]:
        for column in series["columns"]:
            for quantity in (value for key, value in column.items() if key != "name"):
                for key, values in quantity.items():
                    quantity[key] = [1.7 * value + 5 for value in values]
    after = cells(bench.markdown(all_, []))
    assert len(before) == 19
    for old, new in zip(before, after, strict=True):
        assert not [a for a, b in zip(old, new, strict=True) if a == b]


def process(hornet: float, first: float, second: float, group: str = "lengths", last: str = results.READ_PASS) -> list:
    """Return the series of one process."""
    times = {"hornet gcc": hornet, "first": first, "second": second, last: 0.1}
    columns = [{"name": name, "ns": [ns], "cycles": [], "ratio": [ns / hornet]} for name, ns in times.items()]
    return [{"group": group, "variant": "throughput", "axis": "bytes", "xs": [16], "columns": columns, "notes": []}]


def test_hornet_is_compared_with_the_best_rival_of_its_own_process():
    series = results.merge([process(1, 2, 4), process(10, 40, 20), process(3, 4, 5)], "best")
    assert series[0]["columns"][0]["ns"] == {"samples": [[1, 10, 3]]}
    hornet, rival, *_ = results.compared(series[0])
    assert hornet["ns"]["median"] == [3]
    assert hornet["to_best"] == {"median": [0.5], "low": [0.5], "high": [pytest.approx(0.625, 1e-3)]}
    assert "to_best" not in rival and "cycles" not in rival


def test_pieces_are_compared_with_openssl_and_the_one_call_of_the_same_peer():
    runs = [process(4, 8, 16, "pieces", f"hornet gcc{results.ONE_CALL}") for _ in range(3)]
    for run, ns in zip(runs, (2, 1, 0.5)):
        run[0]["columns"][2]["name"] = results.OPENSSL
        run[0]["columns"][3] |= {"ns": [ns], "ratio": [ns / 4]}
    hornet, _, _, one_call = results.compared(results.merge(runs, "best")[0])
    assert [hornet[key]["median"] for key in ("to_one_call", "to_best", "to_openssl")] == [[4.0], [0.5], [0.25]]
    assert not {"to_one_call", "to_best", "to_openssl"} & set(one_call)


def test_quantiles_and_rounding():
    values = [5, 1, 2, 3, 4]
    assert [results.quantile(values, fraction) for fraction in (0, 0.25, 0.5, 1)] == [1, 2, 3, 5]
    assert results.median([4, 1, 2, 3]) == 2.5
    assert [results.rounded(value) for value in (1234.567, 0.001234567, 0)] == [1235, 0.001235, 0]
    assert [bench.figure(value) for value in (0, 9.994, 12.34, 123.4, float("nan"))] == [
        "0.00",
        "9.99",
        "12.3",
        "123",
        "-",
    ]


def quantity(*values: float) -> dict:
    return {"median": list(values), "low": [0.9 * value for value in values], "high": [1.1 * value for value in values]}


def table(group: str, axis: str = "bytes", **more: dict) -> dict:
    hornet = {"name": "hornet gcc", "ns": quantity(4, 64), "to_best": quantity(0.5, 2), **more}
    other = {"name": "other", "ns": quantity(8, 32)}
    return {"group": group, "variant": "v", "axis": axis, "xs": [16, 1024], "columns": [hornet, other]}


def test_tables():
    assert bench.of_series(table("lengths")) == (
        "\n### Common lengths: v\n\n| bytes | hornet gcc | other | hornet gcc / best other |\n| ---: | ---: | ---: | ---: |\n"
        "| 16 | 4.00 | 8.00 | **0.50** (0.45 to 0.55) |\n| 1024 | 64.0 | 32.0 | **2.00** (1.80 to 2.20) |\n"
    )
    assert "| 1024 | 16.0 | 32.0 |" in bench.of_series(table("stream"))
    assert "| 1024 | 0.06 | 0.03 |" in bench.of_series(table("edit"))
    assert "| hornet gcc | 1.000 | 2.00 | 1024 | 1 | 1 |" in bench.of_series(table("sweep"))
    assert " **1.25** (1.12 to 1.38) |\n" in bench.of_series(table("pieces", to_one_call=quantity(4, 1.25)))
    rates = bench.of_series(table("pieces", bench.PIECE_BYTES, to_one_call=quantity(4, 1.25)))
    assert "hornet gcc, rate relative to one call" in rates and " **0.80** (0.73 to 0.89) |\n" in rates
    cycles = table("lengths", cycles=quantity(1, 2))
    cycles["columns"][1]["cycles"] = quantity(3, 5)
    assert (
        "Cycles of the core:\n\n| bytes |" in (text := bench.of_series(cycles, True))
        and "| 1024 | 2.00 | 5.00 |" in text
    )
    left_out = table("file") | {"columns": [], "notes": ["Left out: no reason."]}
    assert bench.of_series(left_out) == "\n### Whole processes: one file: v\n\nLeft out: no reason.\n\n"


def test_wrong_tags_are_reported():
    checks = [
        {"peer": "a", "inputs": 10, "wrong": 0, "example": None},
        {"peer": "b", "inputs": 10, "wrong": 2, "example": "16 bytes"},
        {"peer": "c", "inputs": 10, "wrong": 6, "example": "0 bytes"},
    ]
    section = {"section": "avx2", "mask": ":~1", "kernel": "avx2", "chacha20_kernel": None, "checks": checks}
    text = bench.of_section({"clock": {"name": "ns"}, "series": []}, section)
    assert "All 10 tags are correct: a.\n" in text and "`OPENSSL_ia32cap=:~1`." in text
    assert "**b: WRONG on 2 of 10 inputs, first on 16 bytes; measured nevertheless.**" in text
    assert "**c: WRONG on 6 of 10 inputs, first on 0 bytes; not measured.**" in text


def run(date: str, *groups: str) -> dict:
    machine = {"model": "m", "family": "1", "model_number": "2", "stepping": "3", "features": []}
    checks = [{"peer": date, "inputs": 1, "wrong": 0, "example": None}]
    return {
        "date": date,
        "machine": machine,
        "clock": {"name": "ns"},
        "tools": {"gcc": "12", "command x": date},
        "flags": {"hornet": "-O2"},
        "peers": [{"name": "OpenSSL", "version": "4", "note": None}],
        "missing": {},
        "runs": [{"date": date, "groups": list(groups), "processes": 9, "rounds": 41}],
        "sections": [{"section": "best", "kernel": "ifma", "chacha20_kernel": "avx512", "checks": checks}],
        "series": [
            {
                "section": "best",
                "group": group,
                "variant": date,
                "xs": [1],
                "columns": [{"name": "a", "ns": {"samples": [[1]]}}],
            }
            for group in groups
        ],
    }


def test_new_groups_replace_old_ones_and_keep_the_order():
    both = results.insert(run("old", "lengths", "cold", "cold", "edit"), run("new", "edit", "cold"))
    assert [(one["group"], one["variant"]) for one in both["series"]] == [
        ("lengths", "old"),
        ("cold", "new"),
        ("edit", "new"),
    ]
    assert len(both["sections"][0]["checks"]) == 2
    again = results.insert(both, run("newer", "cold"))
    assert [(one["date"], one["groups"]) for one in again["runs"]] == [
        ("old", ["lengths"]),
        ("new", ["edit"]),
        ("newer", ["cold"]),
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda new: new["machine"].update(model="another"),
        lambda new: new["flags"].update(hornet="-O3"),
        lambda new: new["clock"].update(name="rdpmc"),
        lambda new: new["tools"].update(gcc="13"),
        lambda new: new["peers"][0].update(version="5"),
        lambda new: new["sections"][0].update(kernel="avx2"),
        lambda new: new["sections"][0].update(chacha20_kernel="avx2"),
    ],
)
def test_what_was_measured_with_something_else_stays_apart(change):
    new = run("new", "cold")
    change(new)
    with pytest.raises(results.Different):
        results.insert(run("old", "cold"), new)


@pytest.mark.parametrize("name", ["file.json", "file.json.xz"])
def test_files_are_replaced_whole(tmp_path, name):
    path = tmp_path / "folder" / name
    for text in ("old", "new"):
        results.save(path, run(text, "cold", "keys"))
    assert results.load(path) == run("new", "cold", "keys")
    assert [file.name for file in path.parent.iterdir()] == [name]
    assert (path.read_bytes()[:1] == b"{") == (path.suffix == ".json")


def test_machines():
    amd = "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\nflags\t\t: fpu avx2\n"
    assert results.parse_cpu(amd)["features"] == ["avx2"]
    intel = "cpu family : 6\nmodel : 143\nmodel name : Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz\n"
    arm = "CPU implementer : 0x41\nCPU architecture: 8\nCPU part : 0xd4f\nFeatures : asimd\n"
    slugs = [results.slug(results.parse_cpu(text)) for text in (amd, intel, arm)]
    assert slugs == ["amd-epyc-f25m17", "intel-xeon-platinum-8481c-2-70ghz-f6m143", "0x41-f8m0xd4f"]
    recorded = {"system", "pinned", "governor", "turbo", "smt", "hypervisor", "load"}
    assert recorded <= set(results.this_machine())


def two_panels() -> figures.Drawing:
    x, y = figures.linear_axis("bytes", [16, 1024]), figures.linear_axis("ns", [1, 9])
    lines = [figures.Line("the line", [(16, 1), (1024, 9)], "c0"), figures.Line("other", [(16, 2), (1024, 3)], "c1")]
    return figures.panels("a title", [figures.Panel(name, x, y, lines) for name in ("one of two", "two of two")], 2)


def test_figures_have_titles_and_are_written_as_files(tmp_path):
    text = str(two_panels())
    for shown in ("a title", "one of two", "two of two"):
        assert text.count(f">{shown}</text>") == 1, shown
    assert text.count(">the line</text>") == 2  # a legend in each chart
    two_panels().save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-title.pdf", "a-title.svg"]
    assert (tmp_path / "a-title.pdf").read_bytes().startswith(b"%PDF") and "<svg xmlns" in (
        tmp_path / "a-title.svg"
    ).read_text()


def test_intervals():
    above, around = numpy.arange(1.0, 10.0), numpy.arange(-4.0, 5.0)
    rows = intervals.medians(numpy.array([above, -above, around]))
    assert [one.verdict for one in rows] == [intervals.FASTER, intervals.SLOWER, intervals.NO_DIFFERENCE]
    # An interval of 95 % leaves out the least and the most of nine samples.
    assert (rows[0].middle, rows[0].low, rows[0].high) == (5, 2, 8)
    assert intervals.shares(rows) == pytest.approx({"faster": 100 / 3, "no difference": 100 / 3, "slower": 100 / 3})
    # The bootstrap itself, of samples in any order, agrees.
    samples = numpy.random.default_rng(1).normal(size=9)
    draws = numpy.random.default_rng(2).integers(9, size=(20000, 9))
    low, high = numpy.quantile(numpy.median(samples[draws], axis=1), [0.025, 0.975], method="inverted_cdf")
    assert (intervals.medians(samples[None])[0].low, intervals.medians(samples[None])[0].high) == (low, high)
    # About 5 % of the intervals of noise exclude 0; that of a mean over lengths is narrower.
    noise = numpy.random.default_rng(3).normal(size=(4000, 9))
    assert 2 < 100 - intervals.shares(intervals.medians(noise))[intervals.NO_DIFFERENCE] < 6
    mean = intervals.mean_of_medians(noise)
    assert mean.verdict == intervals.NO_DIFFERENCE and mean.high - mean.low < 0.2
    # Processes that are fast as a whole widen it: a draw takes the same ones at all lengths.
    apart = intervals.mean_of_medians(noise + numpy.arange(-4.0, 5.0))
    assert apart.high - apart.low > 2
    few = intervals.medians(numpy.ones((1, 4)))[0]
    assert few.verdict == intervals.NO_DIFFERENCE and few.low == -math.inf


def series_of_study(**more) -> dict:
    columns = {"gg4_measured": [[10, 12, 20, 40, 90, 60]], "bs4": [[9, 9, 9, 20, 20, 20]]}
    return {
        "group": "sweep4",
        "variant": "gcc",
        "xs": [113],
        "columns": [{"name": name, "counts": {"samples": samples}} for name, samples in columns.items()],
    } | more


def test_samples_of_the_study():
    """A sample is the median of a process's rounds, in cycles by that process's clock in that section."""
    new = {"clock": {"name": "tsc"}, "series": [series_of_study(rounds=3, clock=[[0.5, 0.5], [1.5, 2.5]])]}
    of = samples.Samples(new)
    assert list(of.cycles("sweep4", "gcc", "gg4_measured")[113]) == [24, 30]
    assert list(of.speed_ups("sweep4", "gcc", "gg4_measured", "bs4")[113]) == pytest.approx([25, 100 / 1.5])
    assert of.cycles("sweep4", "gcc", "gg4") == {}
    assert samples.drift(new["series"][0]) == pytest.approx(100 * (2.5 / 1.5 - 1))
    rows = list(samples.sample_rows(new))
    assert [(row["process"], row["round"], row["counts"], row["cycles"]) for row in rows[2:5]] == [
        (0, 2, 20, "40"),
        (1, 0, 40, "20"),
        (1, 1, 90, "45"),
    ]
    assert [(row["kernel"], row["bytes"], row["cycles"]) for row in samples.median_rows(new)] == [
        ("gg4_measured", 113, "27"),
        ("bs4", 113, "14"),
    ]
    # The older form: one process, and one rate of the clock.
    old = samples.Samples({"clock": {"name": "tsc", "per_cycle": 0.5}, "series": [series_of_study()]})
    assert list(old.cycles("sweep4", "gcc", "bs4")[113]) == [18, 18, 18, 40, 40, 40]


def test_figures():
    lines = [
        figures.Line("a < b", [(16, 2), (1024, 0.03)], "c0", True),
        figures.Line("hornet", [(16, 1), (512, 9)], "hornet"),
    ]
    drawn = [
        figures.chart(
            "a title", figures.log_axis("bytes", [16, 1024], 2), figures.log_axis("ns", [0.03, 9], 10), lines, level=1
        ),
        str(figures.bars("a title", "share (%)", [("row", [1, 3])], ["one", "other"])),
        str(two_panels()),
    ]
    assert drawn[0] == figures.chart(
        "a title", figures.log_axis("bytes", [16, 1024], 2), figures.log_axis("ns", [0.03, 9], 10), lines, level=1
    )
    assert ">a &lt; b</text>" in drawn[0] and ">0.05</text>" in drawn[0] and ">other 75 %</text>" in drawn[1]
    for text in drawn:
        # Nothing refers to other files or to other elements, and all colours are the page's.
        assert not re.search(r"href|url\(|id=|xmlns|#[0-9a-f]{6}", text), text
        assert 'aria-label="a title"' in text and "prefers-color-scheme:dark" in figures.standalone(text)
    places = figures.apart([10, 12, 100], 0, 100)
    assert places[1] - places[0] >= 15.9 and places[2] == 100


def test_comparisons():
    pairs = [
        [
            {"kind": "calls", "bytes": str(i), "base_ns": 10.0, "tree_ns": 12.0, "ratio": 1.2 + i / 100}
            for i in range(12)
        ]
    ] * 3
    both = driver.of_both_orders(
        {"base_ns": 20, "tree_ns": 20, "ratio": 1.0}, {"base_ns": 40, "tree_ns": 10, "ratio": 0.25}
    )
    assert (both["base_ns"], both["tree_ns"], both["ratio"]) == (30, 15, 0.5)
    (series,) = driver.series_of("gcc", pairs, ("v1", "this tree"))
    lines = comparison.of_series(series, "12").splitlines()
    assert lines[1] == (
        "gcc (12), calls: geometric mean 1.2545 (1.2545 to 1.2545) over 12; 12 above 1.00, 12 above 1.02, 12 above 1.03"
    )
    assert (
        lines[3].split() == ["11", "10.0", "12.0", "1.310", "1.310", "to", "1.310"]
        and len(lines) == 3 + comparison.WORST
    )
    mean, low, high = comparison.geometric_mean([[1.0, 2.0, 4.0, 1.0, 2.0]])
    assert low < mean == 2 and low >= 1 and high <= 4
    with pytest.raises(SystemExit):
        driver.tree_of("no such revision", Path("/nowhere"))


def test_processes(tmp_path):
    assert processes.available_memory("MemTotal: 24684084 kB\nMemAvailable:    2000 kB\n") == 2_048_000
    assert processes.available_memory("") == 0
    left_out = processes.measure("tree", tmp_path / "hornet", 1, True)
    assert left_out["notes"] == ["Left out: there is no hornet: run make."] and left_out["columns"] == []
    if shutil.which("hyperfine") is None:
        pytest.skip("hyperfine is not installed")
    short, long = processes.measured({"short": ("true", 1), "long": ("sleep 0.05", 2)}, tmp_path, 3)
    assert len(short["ns"]["samples"][0]) == 3 and short["ratio"]["samples"] == [[1, 1, 1]]
    assert all(ns > 0.1e9 for ns in long["ns"]["samples"][0]) and min(long["ratio"]["samples"][0]) > 1
