# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The study's page depends only on its results files and the papers' numbers: with other results, none of the old figures
remains. In a browser, it opens, requests no other files, and no text in a figure is cut off.

    CHROMIUM=chromium pytest lab/study/tests/test_page.py      without CHROMIUM: not in a browser
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "lab"), str(ROOT / "lab/study")]

import reporting  # noqa: E402
from report import results  # noqa: E402

PAGE = ROOT / "lab/study/report/index.html"
# The first CPU comes first.
FILES = [ROOT / name for name in re.findall(r"Every measured number here comes from <code>([^<]*)", PAGE.read_text())]
RESULTS = FILES[0]
# The page with the names of its parts as in a page of one CPU.
TEXT = re.sub(r'(?<="|#)r1-', "", PAGE.read_text())
MODEL = json.loads(reporting.MODEL.read_text())


def other(value, change):
    """Return value with change applied to all its numbers."""
    if isinstance(value, dict):
        return {key: other(part, change) for key, part in value.items()}
    if isinstance(value, list):
        return [other(part, change) for part in value]
    return change(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def cells(page: str, first: str, last: str) -> list[list[str]]:
    """Return the cells in the tables between two headings, in a list per row."""
    part = page[page.index(first) : page.index(last)]
    return [re.findall(r"<td>([^<]*)</td>", row) for row in re.findall(r"<tr[^>]*>(<td>.*?)</tr>", part)]


def test_the_committed_page_is_made_from_the_committed_results():
    page, _ = reporting.report([(results.load(file), file.name) for file in FILES], MODEL)
    assert page == PAGE.read_text(), f"run lab/study/run.py --publish --page {' '.join(map(str, FILES))}"
    assert not re.findall(r"(?:src|href)=\"[^#\"][^\"]*\"|url\([^)]*\)|https?:[^< \"]*", page)


def test_the_list_of_the_papers_names_what_is_in_the_page():
    page, readme = TEXT, (ROOT / "lab/study/README.md").read_text()
    assert reporting.of_the_papers(reporting.Report(results.load(RESULTS), RESULTS.name, MODEL)) in readme
    listed = readme[readme.index("| paper | its table or figure |") :].partition("\n\n")[0]
    names = re.findall(
        r"(table|figure)s? ((?:\d+(?:, | and )?)+)", "\n".join(row.rsplit("|", 2)[1] for row in listed.split("\n"))
    )
    numbers = [(kind, number) for kind, text in names for number in re.findall(r"\d+", text)]
    assert len(numbers) > 25 and "none" not in listed
    for kind, number in numbers:
        assert f'id="{kind}-{number}"' in page and f"<strong>{kind.title()} {number}.</strong>" in page
    # Every table and figure of a CPU has a number of its own.
    parts = re.split(r'<h1 id="r\d+-top">', PAGE.read_text())
    assert len(parts) == (1 if len(FILES) == 1 else len(FILES) + 1)
    for part in parts[-len(FILES) :]:
        for kind, element in ("table", "<table>"), ("figure", "<figure"):
            found = re.findall(rf"<strong>{kind.title()} (\d+)\.</strong>", part)
            assert found == [str(i + 1) for i in range(part.count(element))]


def test_counts_for_other_architectures_come_from_their_tables():
    text = reporting.COUNTS.read_text()
    rows = {tuple(row[:2]): row[2:] for row in reporting.counts_elsewhere(text)}
    assert {"neoverse-v2", "z14", "pwr9", "armhf, no model"} <= {cpu for cpu, _ in rows}
    line = re.search(r"^\| pwr9 \| `scalar64` \| (\d+) / (\d+)", text, re.M)
    assert rows["pwr9", "scalar64"][1] == " / ".join(f"{int(value) / 64:.2f}" for value in line.groups())
    # A compiler whose code has no loop over groups from a table has the figure of another loop.
    both, gcc = re.search(r"^\| pwr9 \| `vsx3` \|[ |]*([\d /]+) \| \| (\d+) / - ", text, re.M).groups()
    clang = both.split(" / ")[-1]
    assert rows["pwr9", "vsx3"][1] == f"{int(gcc) / 64:.2f} / {int(clang) / 64:.2f}"
    cells = re.compile(r"(?<=\| )[0-9./ -]*[0-9][0-9./ -]*(?= \|)")
    other_text = cells.sub(lambda cell: re.sub(r"\d", lambda digit: str(int(digit[0]) % 9 + 1), cell[0]), text)
    changed = reporting.counts_elsewhere(other_text)
    assert len(changed) == len(rows) > 15
    assert all(a != b for old, new in zip(rows.values(), changed) for a, b in zip(old, new[2:]) if a is not None)
    page = PAGE.read_text()
    assert all(f"<td>{cpu}</td><td>{kernel}</td><td>{row[0]}</td>" in page for (cpu, kernel), row in rows.items())


def test_orders_come_from_their_table():
    head, *rows = reporting.orders_of_vmsl(reporting.ORDERS.read_text())
    assert "minimum cuts" in head and [row[0].split(",")[1].strip() for row in rows] == ["chained", "apart"]
    page = PAGE.read_text()
    for row in rows:
        assert len(row) == len(head) and "".join(f"<td>{cell}</td>" for cell in row) in page


def test_all_figures_for_vmsl_come_from_the_model():
    # In both compilers' columns, which follow the paper's.
    more = MODEL | {"kernels": other(MODEL["kernels"], lambda value: value + 1000)}
    pages = (TEXT, reporting.page(results.load(RESULTS), RESULTS.name, more))
    before, after = (cells(page, "On VMSL itself", 'id="originals"') for page in pages)
    for old, new in zip(before, after, strict=True):
        assert len(old) >= 7 and all(a != b for a, b in zip(old[-7:], new[-7:], strict=True))


def test_what_models_are_worth_comes_from_calibration(monkeypatch):
    of = reporting.CALIBRATION

    def said() -> str:
        report = reporting.Report(results.load(RESULTS) | {"series": []}, RESULTS.name, MODEL)
        report.calibrated()
        return re.sub("</?sup>", "", "".join(report.out)) + "the end"

    more = other(of, lambda value: 3 * value + 1)
    # A model that lacks many of the instructions is not said to be one of the code.
    worst = max(range(len(of["rows"])), key=lambda i: of["rows"][i]["per_byte"])
    more["rows"][worst]["left_out"] = more["rows"][worst]["instructions_per_byte"] * 10000
    before = said()
    monkeypatch.setattr(reporting, "CALIBRATION", more)
    after = said()
    captions = ["Model and measurement", "Bytes of scalar code", "MIPS64, where", "the end"]
    for first, last, kept in zip(captions[:-1], captions[1:], ({0, 1, 3, 6}, {0, 1}, {0}), strict=True):
        for old, new in zip(*(cells(page, first, last) for page in (before, after)), strict=True):
            assert {i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a == b} | kept == kept
    worths = [re.search(r"These models take .*? of the time", page)[0] for page in (before, after)]
    name = f"({of['rows'][worst]['processor']}, {of['rows'][worst]['column'].replace('^', '')})"
    assert name in worths[0] and name not in worths[1]
    assert re.sub("</?sup>", "", TEXT).count(worths[0]) == len(FILES)


def test_before_and_after_comes_from_paper_and_model():
    of_vx, original, paper = MODEL["kernels"]["vx"]["gcc"], MODEL["original"], reporting.PAPERS["z14"]
    page = TEXT
    rows = [row for row in cells(page, "kernels beside the z14 paper", "On VMSL") if row]
    assert rows[0][1] == rows[0][2] == str(original["before"]["instructions"])
    assert rows[2][1] == f"{of_vx['call']['instructions']:g}"
    assert rows[2][3] == f"{of_vx['loop']['cycles'] * 32 / paper['clock']['ghz']:.0f}"
    # The paper's own code: each phase, before and after, and all.
    rows = [
        row
        for row in cells(page, "Figure 5 and section 6 of the z14 paper", "Cycles for a group of four blocks")
        if row
    ]
    for row in rows[:4]:
        for at, key in (1, "phases"), (4, "phase cycles"):
            counts = [original[when][key][row[0]] for when in ("before", "after")]
            assert row[at : at + 3] == [*map(str, counts), f"{counts[0] / counts[1]:.2f}"]
    assert rows[1][0] == "multiply" and rows[1][7] == f"{paper['times']['multiply']:.2f}"
    assert rows[4][1:3] == [str(original[when]["instructions"]) for when in ("before", "after")]


def test_all_measured_figures_come_from_the_results():
    found = results.load(RESULTS)
    # All cycles in the last table, which lists every kernel, change with the samples, and so do all lines.
    for series in found["series"]:
        for column in series["columns"]:
            quantity = column["cycles"] if "cycles" in column else column["counts"]
            quantity["samples"] = [[1.5 * value + 40 for value in row] for row in quantity["samples"]]
    pages = [TEXT, reporting.page(found, RESULTS.name, MODEL)]
    before, after = (
        [row for row in cells(page, "Everything: cycles per byte", 'id="reductions"') if not row[0].startswith("noise")]
        for page in pages
    )
    assert len(before) > 40
    for old, new in zip(before, after, strict=True):
        assert all(a != b or a == "–" for a, b in zip(old[1:], new[1:], strict=True)), old
    drawn = [re.findall(r'<path d="([^"]{400,})"', page) for page in pages]
    assert len(drawn[0]) > 50
    assert not set(drawn[0]) & set(drawn[1])


def of_sweep(factors: list[float], **more) -> str:
    """Return what the report says of results in which the balanced evaluation takes the times of Goll and Gueron's, as
    measured, times a factor for each process."""
    lengths = list(range(49, 64)) + list(range(1025, 1040))
    base = [[process + length for process in range(9)] for length in lengths]
    balanced = [[time * factor for time, factor in zip(row, factors)] for row in base]
    times = {"gg4_measured": base, "gg4": base, "bs4": balanced, "bs4 again": balanced}
    columns = [{"name": name, "counts": {"samples": rows}} for name, rows in times.items()]
    series = {
        "group": "sweep4",
        "variant": "gcc",
        "xs": lengths,
        "rounds": 1,
        "clock": 9 * [[1, 1]],
        "columns": columns,
    }
    found = results.load(RESULTS) | {"series": [series], "tools": {"gcc": "gcc"}, "operations": []} | more
    found["kernels"] = [{"name": name, "paper": "", "label": name, "runs": True} for name in times]
    report = reporting.Report(found, "made.json", MODEL)
    report.compared(4)
    return "".join(report.out) + report.of_checks()


@pytest.mark.parametrize(
    ("factors", "shares", "average"),
    [
        (9 * [0.8], "100.0</td><td>0.0</td><td>0.0", "20.00 [20.00, 20.00]"),
        (9 * [1.25], "0.0</td><td>0.0</td><td>100.0", "-25.00 [-25.00, -25.00]"),
        ([0.9, 0.9, 0.9, 1, 1, 1, 1.1, 1.1, 1.1], "0.0</td><td>100.0</td><td>0.0", "0.00 [-10.00, 10.00]"),
        # One process of nine that disagrees decides nothing.
        ([1.5, *8 * [0.8]], "100.0</td><td>0.0</td><td>0.0", "20.00 [20.00, 20.00]"),
    ],
)
def test_conclusions_follow_from_the_samples(factors, shares, average):
    said = of_sweep(factors)
    assert f"<td>here, over GG as measured, gcc</td><td>30</td><td>{shares}</td>" in said
    assert f"<td>here, over GG as measured</td><td>49 to 1000</td><td>{average}</td><td>{average}</td>" in said
    assert f"faster at {shares.split('<')[0]} % of the lengths with gcc" in said
    # A kernel does not differ from itself.
    assert "<td>noise: balanced over itself, gcc</td><td>30</td><td>0.0</td><td>100.0</td><td>0.0</td>" in said


def test_that_tags_are_right_is_said_only_of_tags_that_were_compared():
    checks = [{"build": "gcc", "kernel": "bs4", "inputs": 9, "wrong": 0, "example": None, "signal": 0}]
    said = [
        of_sweep(9 * [1], checks=found) for found in (None, checks, [checks[0] | {"wrong": 2, "example": "3 bytes"}])
    ]
    assert "no record of a comparison" in said[0] and "none is wrong" not in said[0] + said[2]
    assert "9 tags of 1 kernels" in said[1] and ": none is wrong." in said[1]
    assert "bs4 with gcc: 2 of 9 wrong, first 3 bytes: not measured.</strong>" in said[2]


# The page reports about itself in its title.
SCRIPT = """
<script>
addEventListener("load", () => {
    const problems = [];
    for (const svg of document.querySelectorAll("svg")) {
        const all = svg.viewBox.baseVal;
        const labels = [...svg.querySelectorAll("text")];
        for (const text of labels) {
            const box = svg.getBoundingClientRect(), own = text.getBoundingClientRect();
            if (own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1 || own.bottom > box.bottom + 1) {
                problems.push(`cut off: ${text.textContent}`);
            }
        }
        const sizes = labels.map((text) => text.getBoundingClientRect().height);
        if (Math.min(...sizes) < 12 || all.width === 0 || labels.length < 8) {
            problems.push(`not legible: ${svg.getAttribute("aria-label")}`);
        }
        const scale = svg.getBoundingClientRect().width / all.width;
        if (scale < 0.9) {
            problems.push(`small: ${scale}`);
        }
    }
    if (document.documentElement.scrollWidth > innerWidth) {
        problems.push("wider than the window");
    }
    if (performance.getEntriesByType("resource").length !== 0) {
        problems.push("asks for other files");
    }
    const dark = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const text = getComputedStyle(document.querySelector("svg text")).fill;
    const body = getComputedStyle(document.body).backgroundColor;
    document.title = `${document.querySelectorAll("svg").length} figures, ${dark}, ${body} ${text}: ${problems.join("; ")}.`;
});
</script>
"""


@pytest.mark.skipif("CHROMIUM" not in os.environ, reason="CHROMIUM names no browser")
@pytest.mark.parametrize(
    ("scheme", "colours"),
    [("light", "rgb(255, 255, 254) rgb(85, 85, 85)"), ("dark", "rgb(20, 22, 26) rgb(168, 168, 168)")],
)
def test_in_a_browser(tmp_path, scheme, colours):
    """At 1280 pixels."""
    page = tmp_path / "page.html"
    page.write_text(PAGE.read_text().replace("</body>", f"{SCRIPT}</body>"))
    options = ["--blink-settings=preferredColorScheme=0"] if scheme == "dark" else []
    command = [
        os.environ["CHROMIUM"],
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={tmp_path}/profile",
    ]
    command += ["--window-size=1280,1000", *options, "--dump-dom", page.as_uri()]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    title = re.search(r"<title>([^<]*)", text)[1]
    assert re.fullmatch(rf"\d\d figures, {scheme}, {re.escape(colours)}: \.", title), title
