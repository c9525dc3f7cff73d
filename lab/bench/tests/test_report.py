# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of what plans the cases, and makes tables and figures of results: pytest lab/bench/tests/test_report.py"""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCH.parents[1]))

from lab.bench import __main__ as driver  # noqa: E402
from lab.bench import groups, page, peers, processes  # noqa: E402
from lab.report import results  # noqa: E402
from tools.measure import samples  # noqa: E402

FILES = sorted((BENCH / "results").glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_committed_pages_are_made_from_the_committed_results(path):
    made = page.render(results.load(path))
    others = [other.stem for other in FILES if other.stem.startswith(f"{path.stem}-")]
    committed = {file.name for file in path.parent.glob(f"{path.stem}[.-]*")} - {path.name}
    committed = {name for name in committed if not name.startswith(tuple(others))}
    assert committed == set(made)
    for name, text in made.items():
        assert (path.parent / name).read_text() == text, f"{name}: python -m lab.bench render {path}"


def test_every_time_on_a_page_comes_from_the_results():
    """With other times and ratios, no figure in a table of times stays the same."""
    path = FILES[0]
    all_ = results.load(path)

    def cells(text):
        body = text[text.index("### Common lengths: throughput") : text.index("### Common lengths: latency")]
        return [re.findall(r"[\d.]+", row)[1:] for row in body.splitlines() if re.match(r"\| \d", row)]

    def other(value):
        return [1.7 * sample + 5 for sample in value] if isinstance(value, list) else 1.7 * value + 5

    before = cells(page.markdown(all_, []))
    for series in all_["series"]:
        for column in series["columns"]:
            for quantity in (value for key, value in column.items() if key != "name"):
                for key, values in quantity.items():
                    quantity[key] = [other(value) for value in values]
    after = cells(page.markdown(all_, []))
    assert len(before) == 2 * 19  # nanoseconds and cycles
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


def test_medians_and_figures():
    assert results.median([4, 1, 2, 3]) == 2.5
    assert [page.figure(value) for value in (0, 9.994, 12.34, 123.4, float("nan"))] == [
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
    assert page.of_series(table("lengths")) == (
        "\n### Common lengths: v\n\n| bytes | hornet gcc | other | hornet gcc / best other |\n| ---: | ---: | ---: | ---: |\n"
        "| 16 | 4.00 | 8.00 | **0.50** (0.45 to 0.55) |\n| 1024 | 64.0 | 32.0 | **2.00** (1.80 to 2.20) |\n"
    )
    assert "| 1024 | 16.0 | 32.0 |" in page.of_series(table("stream"))
    assert "| 1024 | 0.06 | 0.03 |" in page.of_series(table("edit"))
    assert "| hornet gcc | 1.000 | 2.00 | 1024 | 1 | 1 |" in page.of_series(table("sweep"))
    assert " **1.25** (1.12 to 1.38) |\n" in page.of_series(table("pieces", to_one_call=quantity(4, 1.25)))
    rates = page.of_series(table("pieces", page.PIECE_BYTES, to_one_call=quantity(4, 1.25)))
    assert "hornet gcc, rate relative to one call" in rates and " **0.80** (0.73 to 0.89) |\n" in rates
    cycles = table("lengths", cycles=quantity(1, 2))
    cycles["columns"][1]["cycles"] = quantity(3, 5)
    assert (
        "Cycles of the core:\n\n| bytes |" in (text := page.of_series(cycles, True))
        and "| 1024 | 2.00 | 5.00 |" in text
    )
    left_out = table("file") | {"columns": [], "notes": ["Left out: no reason."]}
    assert page.of_series(left_out) == "\n### Whole processes: one file: v\n\nLeft out: no reason.\n\n"


def test_wrong_tags_are_reported():
    checks = [
        {"peer": "a", "inputs": 10, "wrong": 0, "example": None},
        {"peer": "b", "inputs": 10, "wrong": 2, "example": "16 bytes"},
        {"peer": "c", "inputs": 10, "wrong": 6, "example": "0 bytes"},
    ]
    section = {"section": "avx2", "mask": ":~1", "kernel": "avx2", "chacha20_kernel": None, "checks": checks}
    text = page.of_section({"clock": {"name": "ns"}, "series": []}, section)
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
    rust = {"hornet": "-O2", "rust": "-O3"}
    rusty = run("new", "edit") | {"flags": rust}
    assert results.insert(run("old", "cold"), rusty)["flags"] == rust
    assert results.insert(run("old", "cold") | {"flags": rust}, run("new", "edit"))["flags"] == rust
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


def run_of(cases: list[tuple], names: list[str], ns: dict[str, int]) -> samples.Run:
    """Return what a process measured: each peer takes the same time for every message."""
    lines = [{"slots": 1, "multiplications": 1, "peers": [{"name": name} for name in names]}]
    for i, (*_, line) in enumerate(cases):
        who = re.search(r"peers=([\d,]*)", line)[1].split(",")
        for operation in line.split()[0].split("+"):
            for peer in map(int, who):
                row = {"case": i, "op": operation, "peer": peer, "count": 1, "ns": [ns[names[peer]]] * 3}
                lines.append(row | {"slot": [1] * 3, "mul": [3] * 3})
    return samples.parse(map(json.dumps, lines))


def test_cases_and_what_becomes_of_them():
    """Every group of every section has cases, for the peers that it is about; columns have the names and units of the page."""
    for section in peers.SECTIONS:
        names = [peer.name for peer in [*peers.HORNETS, *peers.PEERS] if section in peer.sections]
        chosen = list(groups.GROUPS)
        cases = driver.cases_of(section, chosen, names, 41)
        measured = {group for group, *_ in cases}
        assert measured == {name for name, group in groups.GROUPS.items() if section in group.sections}
        assert all(re.fullmatch(r"[a-z_+]+( [a-z]+=[\d,]+)+", line) for *_, line in cases)
        assert len(cases) > 2300
    assert peers.PEERS and len({peer.name for peer in peers.PEERS}) == len(peers.PEERS)
    names = ["hornet gcc", "OpenSSL", "Nettle", "hornet gcc EVP provider", "OpenSSL EVP default", "hornet gcc edits"]
    times = dict(zip(names, (100, 200, 50, 30, 60, 5000)))
    chosen = ["sweep", "batch", "pieces", "edit", "evp", "keys"]
    cases = driver.cases_of("best", chosen, names, 41)
    found = driver.series_of("best", [run_of(cases, names, times)] * 2, cases)
    by_group = {}
    for series in found:
        by_group.setdefault(series["group"], []).append(series)
    assert list(by_group) == ["sweep", "batch", "pieces", "edit", "evp", "keys"]

    def columns(series: dict) -> dict[str, list[float]]:
        return {
            column["name"]: column["ns"].get("samples", [column["ns"].get("median")])[0] for column in series["columns"]
        }

    assert list(columns(by_group["sweep"][0])) == ["hornet gcc", "OpenSSL"]  # Nettle cannot be the fastest
    assert list(columns(by_group["keys"][0])) == ["hornet gcc", "OpenSSL", "Nettle"]
    assert list(columns(by_group["batch"][0]))[0] == "hornet gcc batch" and len(by_group["batch"]) == 3
    pieces = columns(by_group["pieces"][0])
    assert pieces["hornet gcc"] == pieces["hornet gcc, one call"] == [results.rounded(100 * 16 / (1 << 20))] * 2
    assert "OpenSSL, one call" not in pieces
    assert columns(by_group["evp"][1]) == {"hornet gcc EVP provider": [30, 30], "OpenSSL EVP default": [60, 60]}
    assert by_group["edit"][0]["xs"][3] == "whole message" and columns(by_group["edit"][0]) == {
        "hornet gcc edits": [5000] * 2
    }
    ratios = {column["name"]: column["ratio"]["samples"][0] for column in by_group["keys"][0]["columns"]}
    assert ratios == {"hornet gcc": [1, 1], "OpenSSL": [2, 2], "Nettle": [0.5, 0.5]}
    all_ = run("a day", *chosen) | {"series": found, "clock": {"name": "chain"}}
    all_["sections"][0] |= {"section": "best", "mask": None, "busy": 0.25}
    text = page.markdown(all_, [])
    assert "Beside 25 % of the samples, another thread ran on the same core." in text
    assert "peers in Rust" not in text
    all_["flags"]["rust"] = "-O3"
    assert "- flags of the peers in Rust: `-O3`\n\n" in page.markdown(all_, [])
    assert "| whole message | 5.00 |" in text and "### ChaCha20-Poly1305 through EVP: opened" in text


def test_a_peer_that_cannot_be_built_is_left_out(monkeypatch, capsys):
    monkeypatch.setitem(peers.LIBRARIES, "nettle", lambda: ["-l:libnone.a"])
    monkeypatch.setattr(peers, "BUILD", peers.BUILD / "broken")
    nettle = next(peer for peer in peers.PEERS if peer.name == "Nettle")
    files, missing = peers.build_all([nettle])
    assert files == {} and missing["Nettle"].startswith("cannot find -l:libnone.a")
    assert "Nettle is left out: cannot find" in capsys.readouterr().err
    with pytest.raises(samples.Failed, match="no peer 'none'; there are hornet gcc, "):
        driver.selected(["none"])
    assert [peer.name for peer in driver.selected(["openssl evp"])] == ["OpenSSL EVP", "OpenSSL EVP default"]


def test_processes(tmp_path):
    assert processes.available_memory("MemTotal: 24684084 kB\nMemAvailable:    2000 kB\n") == 2_048_000
    assert processes.available_memory("") == 0
    (left_out,) = processes.measure("tree", tmp_path / "hornet", 1, True)
    assert left_out["notes"] == ["Left out: there is no hornet: run make."] and left_out["columns"] == []
    if shutil.which("hyperfine") is None:
        pytest.skip("hyperfine is not installed")
    (tmp_path / "zeros").write_bytes(bytes(8 << 20))
    short, long = processes.measured({"short": ("true", 1), "long": ("sleep 0.05", 2)}, tmp_path, 3)
    assert len(short["ns"]["samples"][0]) == 3 and short["ratio"]["samples"] == [[1, 1, 1]]
    assert all(ns > 0.1e9 for ns in long["ns"]["samples"][0]) and min(long["ratio"]["samples"][0]) > 1
    prepared = {"append": ("sh -c 'echo y >> out'", 1), "append again": ("sh -c 'echo z >> out'", 1)}
    processes.measured(prepared, tmp_path, 1, "sh -c 'echo x >> out'")
    assert (tmp_path / "out").read_text().split() == list("xyxz" * 2)
    busy, idle = processes.measured({"busy": ("sha256sum zeros", 1), "idle": ("sleep 0.2", 1)}, tmp_path, 1)
    assert idle["cpu"]["samples"][0][0] < 0.1e9 < idle["ns"]["samples"][0][0] and busy["cpu"]["samples"][0][0] > 5e6


def test_sizes_and_holes(tmp_path):
    assert [processes.size_text(n) for n in (4096, 24 << 20, 8 << 30, 1 << 40)] == ["4 KiB", "24 MiB", "8 GiB", "1 TiB"]
    processes.fill(tmp_path / "file", 1 << 20, (0, 9 << 20))
    content = (tmp_path / "file").read_bytes()
    assert len(content) == 10 << 20 and content[1 << 20 : 9 << 20] == bytes(8 << 20)
    assert content[:16] != bytes(16) != content[-16:] and (tmp_path / "file").stat().st_blocks << 9 < 3 << 20


def of_changes() -> dict:
    """Return results with whole processes that need not read everything."""

    def series(variant: str, **ms: float) -> dict:
        first = next(iter(ms.values()))
        columns = [
            {"name": name.replace("_", " "), "ns": quantity(1e6 * time), "cpu": quantity(2e6 * time)}
            | {"ratio": quantity(time / first)}
            for name, time in ms.items()
        ]
        return {"section": "best", "group": "incremental", "variant": variant, "axis": "bytes"} | {
            "xs": [8 << 30],
            "columns": columns,
        }

    edits = table("edit") | {"section": "best", "xs": ["the first", "the first of 1 TiB"]}
    edits["columns"][0]["ns"] = quantity(1500, 2500)
    parts = [series("8 GiB", hornet_tag=4000, hornet_retag=3.0, b3sum=1500), series("1 TiB", hornet_tag=7.0)]
    return run("a day", "incremental") | {"series": [*parts, edits]}


def test_what_is_not_read():
    all_ = of_changes()
    assert "| hornet retag | 3.00 | 6.00 | **0.0008** |" in page.of_series(all_["series"][0])
    ((name, title, text),) = page.draw(all_)
    assert name == "best-incremental" and f'aria-label="{title}"' in text and text.count(f">{title}</text>") == 1
    shown = re.findall("<text[^>]*> ?([^<]*)</text>", text)
    for words in ("8 GiB", "1 TiB", "hornet retag", "b3sum", "6 ms", "14 ms", "3 s", "8 s", "2.5 µs", "10 µs", "10 s"):
        assert words in shown, words
    all_["series"] = all_["series"][2:]
    assert page.draw(all_) == []  # without whole processes, nothing to compare
