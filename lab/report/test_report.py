# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of what tables, figures and intervals are made with: pytest lab/report/test_report.py"""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from report import figures, results, samples  # noqa: E402


def test_quantiles_and_rounding():
    values = [5, 1, 2, 3, 4]
    assert [results.quantile(values, fraction) for fraction in (0, 0.25, 0.5, 1)] == [1, 2, 3, 5]
    assert [results.rounded(value) for value in (1234.567, 0.001234567, 0)] == [1235, 0.001235, 0]


@pytest.mark.parametrize("name", ["file.json", "file.json.xz"])
def test_files_are_replaced_whole(tmp_path, name):
    path = tmp_path / "folder" / name
    series = {"group": "keys", "xs": [1], "columns": [{"name": "a", "ns": {"samples": [[1]]}}]}
    for text in ("old", "new"):
        results.save(path, {"date": text, "series": [series, series]})
    assert results.load(path) == {"date": "new", "series": [series, series]}
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
    assert [(row["process"], row["round"], row["cycles"], row["sibling"]) for row in rows[2:5]] == [
        (0, 2, "40", "unknown"),
        (1, 0, "20", "unknown"),
        (1, 1, "45", "unknown"),
    ]
    assert [(row["kernel"], row["bytes"], row["cycles"]) for row in samples.median_rows(new)] == [
        ("gg4_measured", 113, "27"),
        ("bs4", 113, "14"),
    ]
    # The older form: one process, and one rate of the clock.
    old = samples.Samples({"clock": {"name": "tsc", "per_cycle": 0.5}, "series": [series_of_study()]})
    assert list(old.cycles("sweep4", "gcc", "bs4")[113]) == [18, 18, 18, 40, 40, 40]


def test_samples_beside_a_busy_thread():
    """Samples beside an idle sibling thread count; two kernels are compared in rounds with the same state."""
    columns = {"gg4_measured": ([10, 12, 30, 40, 90, 60], 0b110100), "bs4": ([9, 27, 9, 20, 45, 30], 0b110010)}
    series = series_of_study(rounds=3, clock=[[0.9, 1, 1.1], [1, 1, 1]]) | {
        "columns": [
            {"name": name, "cycles": {"samples": [cycles]}, "busy": [busy]} for name, (cycles, busy) in columns.items()
        ]
    }
    found = {"clock": {"name": "tsc", "idle_slot": 0.06}, "series": [series]}
    of = samples.Samples(found)
    assert list(of.cycles("sweep4", "gcc", "gg4_measured")[113]) == [11, 40]
    assert list(of.cycles("sweep4", "gcc", "bs4")[113]) == [9, 20]
    assert list(of.speed_ups("sweep4", "gcc", "gg4_measured", "bs4")[113]) == pytest.approx([10, 50])
    states = [row["sibling"] for row in samples.sample_rows(found)]
    assert states[:6] == ["idle", "idle", "busy", "idle", "busy", "busy"]
    assert samples.rates(found, series).tolist() == [1, 1] and samples.drift(series) == pytest.approx(
        100 * (1.1 / 0.9 - 1)
    )
    # Where a process has no sample beside an idle thread, and no round in which the states are the same, all count.
    series["columns"][0]["busy"], series["columns"][1]["busy"] = [0b111111], [0]
    of = samples.Samples(found)
    assert list(of.cycles("sweep4", "gcc", "gg4_measured")[113]) == [12, 60]
    assert list(of.speed_ups("sweep4", "gcc", "gg4_measured", "bs4")[113]) == pytest.approx([25, 50])


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
    x, y = figures.linear_axis("bytes", [0, 2048], figures.bytes_text), figures.linear_axis("ns", [0, 9])
    about = figures.described(x, y, [figures.Line("a < b", [(16, 2), (512, 9), (1024, 0.5), (2048, 1)], "c0")])
    assert about == "ns, over bytes. a < b: first 2 at 16, last 1 at 2 KiB, lowest 0.5 at 1 KiB, highest 9 at 512."
    text = figures.standalone(drawn[0], about)
    assert 'aria-describedby="about"' in text and '<desc id="about">ns, over bytes. a &lt; b: first' in text
    places = figures.apart([10, 12, 100], 0, 100)
    assert places[1] - places[0] >= 15.9 and places[2] == 100


def test_bars_begin_at_a_power_of_ten_and_their_lengths_are_logarithms():
    parts = [figures.Bars("all", [("a", 0.002, "c0"), ("b", 0.2, "hornet")]), figures.Bars("few", [("c", 2.0, "c1")])]
    assert [
        figures.time_text(value) for value in (2.5e-6, 0.0147, 0.2, 9.96, 20)
    ] == "2.5 µs,15 ms,200 ms,10 s,20 s".split(",")
    plot = figures.log_bars("a title", "seconds", parts, figures.time_text).figure.axes[0]
    assert plot.get_xlim() == (1e-3, 10) and [bar.get_x() for bar in plot.patches] == [1e-3] * 3
    assert [bar.get_x() + bar.get_width() for bar in plot.patches] == pytest.approx([0.002, 0.2, 2])
    tops = [bar.get_y() for bar in plot.patches]
    assert tops == sorted(tops) and tops[2] - tops[1] > 2 * (tops[1] - tops[0])
