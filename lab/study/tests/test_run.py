# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A kernel of one's own is built, checked and measured by the commands of lab/study/README.md; wrong ones are reported; and a run
without options overwrites nothing that is tracked.

    pytest lab/study/tests/test_run.py
"""

import csv
import gzip
import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
STUDY = ROOT / "lab/study"
sys.path[:0] = [str(STUDY.parent), str(STUDY)]

import run  # noqa: E402
from report import results  # noqa: E402


def tracked() -> str:
    """Return which files of git's are changed, and how."""
    return subprocess.run(["git", "diff", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def of_readme(folder: Path) -> tuple[str, list[list[str]], str]:
    """Return what the README's section on a kernel of one's own has, with a folder in place of build: the kernel, the words
    of each command, and what the last one prints."""
    section = (STUDY / "README.md").read_text().split("## A kernel of your own")[1].split("\n## ")[0]
    blocks = [textwrap.dedent(block) for block in re.findall(r"(?:^(?: {4}.*)?\n)+", section, re.M) if block.strip()]
    kernel, *others, printed = blocks
    commands = "".join(others).replace("build/mine", str(folder / "mine")).splitlines()
    return kernel, [shlex.split(command) for command in filter(None, commands)], printed.strip()


EXAMPLE = of_readme(Path())[0].strip("\n") + "\n"


def measured(options: list, folder: Path) -> tuple[dict, str]:
    """Run the study; return the results and the report."""
    run.main([str(option) for option in options])
    return results.load(next((folder / "results").glob("*.json.xz"))), (folder / "report/index.html").read_text()


def test_the_readme_adds_a_kernel(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    before = tracked()
    _, (first, edit, second), printed = of_readme(tmp_path)
    assert first[:2] == second[:2] == ["build/venv/bin/python", "lab/study/run.py"] and edit[0] == "sed"
    (tmp_path / "mine.c").write_text(EXAMPLE)
    found, page = measured([*first[2:], "--csv", "--figures"], tmp_path / "mine")
    check = next(check for check in found["checks"] if check["kernel"] == "mine")
    assert check["inputs"] > 1600 and check["wrong"] == 0
    lengths = next(series for series in found["series"] if series["group"] == "lengths")
    names = [column["name"] for column in lengths["columns"]]
    assert set(names) == {"mine", "hornet", "scalar64", "hornet again"}
    mine = lengths["columns"][names.index("mine")]
    cycles = mine["cycles"]["samples"][-1]
    assert len(cycles) == 5 * lengths["rounds"] == 10 and min(cycles) > 1000  # of the longest message
    assert all(0 <= busy < 2**10 for busy in mine["busy"]) and len(mine["busy"]) == len(lengths["xs"])
    assert found["clock"]["samples"] > 10 * len(lengths["xs"]) and 0 < found["clock"]["idle_slot"] < 1
    assert all(0.05 < low <= middle <= high < 50 for low, middle, high in lengths["clock"])
    assert len(found["machine"]["pinned"]) == 1 and len(lengths["clock"]) == 5
    assert re.search(r'<p class="caption"><strong>Table \d+\.</strong> mine, gcc</p>', page) and "none is wrong" in page
    assert "Noise with the library" in page
    with gzip.open(next((tmp_path / "mine/csv").glob("*-samples.csv.gz")), "rt") as file:
        rows = [row for row in csv.DictReader(file) if row["kernel"] == "mine"]
    every = {(str(n), str(process)) for n in lengths["xs"] for process in range(5)}
    assert {(row["bytes"], row["process"]) for row in rows} == every and len(every) <= len(rows) <= 2 * len(every)
    assert {path.suffix for path in (tmp_path / "mine/figures").iterdir()} == {".svg", ".pdf"}

    # With a mistake: what the README says of it is what is printed.
    (tmp_path / "mine-wrong.c").write_text(run.output_of(*edit[: edit.index(">")]))
    assert edit[-2:] == [">", str(tmp_path / "mine-wrong.c")]
    found, page = measured(second[2:], tmp_path / "mine-wrong")
    assert printed in capsys.readouterr().err.splitlines()
    (wrong,) = {f"{check['wrong']} of {check['inputs']} wrong" for check in found["checks"] if check["wrong"]}
    assert f"wrong with gcc: {wrong}" in page and wrong.removesuffix(" wrong") in printed
    assert tracked() == before


MISTAKES = {
    "tag": ("tag[i] = carry & 255;", "tag[i] = carry & 255; tag[16] = 0;", "0 bytes", 0),
    "crash": ("h[n] += 1;", "h[n] += 1; if (len_bytes == 300) __builtin_trap();", "300 bytes", 4),
}


def measured_mistake(old: str, new: str, kernels: str, tmp_path: Path) -> tuple[dict, dict, str]:
    """Measure the example with a mistake; return what was found of its tags, the results, and the report."""
    assert EXAMPLE.count(old) == 1
    source, shared = tmp_path / "mine.c", tmp_path / "mine.so"
    source.write_text(EXAMPLE.replace(old, new).replace("poly1305_auth", "my_mac"))
    subprocess.run(["gcc", "-O2", "-fPIC", "-shared", "-o", shared, source], check=True)
    options = ["--quick", "--with", f"wrong={shared}:my_mac", "--kernels", kernels, "--lengths", "16,64,80"]
    found, page = measured([*options, "--out", tmp_path / "out"], tmp_path / "out")
    return next(check for check in found["checks"] if check["kernel"] == "wrong"), found, page


@pytest.mark.parametrize("name", MISTAKES)
def test_kernels_that_do_damage_are_reported_and_not_measured(name, tmp_path, capsys):
    old, new, example, signal = MISTAKES[name]
    check, found, page = measured_mistake(old, new, "wrong,scalar64", tmp_path)
    assert check["wrong"] > 0 and example in check["example"]
    assert check["signal"] == signal
    (series,) = [series for series in found["series"] if series["columns"]]
    assert [column["name"] for column in series["columns"]] == ["scalar64"] and series["xs"] == [16, 64, 80]
    assert "warning: wrong, gcc: wrong on" in capsys.readouterr().err
    assert ": not measured.</strong>" in page and "none is wrong" not in page


WRONG_TAGS = {
    # The last subtraction of p left out: right but for sums of p or a little more.
    "reduction": ("reduced[16] > 3 ? reduced : h", "h", [0, 0, 0, None], "blocks with the sum p"),
    # A block of ones, behind which there are 192 bytes, is another one.
    "ones": (
        "h[n] += 1;",
        "h[n] += 1; unsigned all = 255; for (int i = 0; i < 16; i++) all &= msg[i]; h[0] += all == 255 && len_bytes == 208;",
        [0, 20, 0, None],
        "208 bytes, all bits set",
    ),
}


@pytest.mark.parametrize("name", WRONG_TAGS)
def test_wrong_tags_are_reported_and_measured(name, tmp_path, capsys):
    old, new, wrong, first = WRONG_TAGS[name]
    check, found, page = measured_mistake(old, new, "wrong,scalar64,bs4", tmp_path)
    classes = check["classes"]
    assert first in check["example"] and sum(of["wrong"] for of in classes) == check["wrong"] > 0
    assert sum(of["inputs"] for of in classes) == check["inputs"]
    assert all(of["wrong"] == count for of, count in zip(classes, wrong, strict=True) if count is not None)
    assert "wrong, gcc: wrong on" in capsys.readouterr().err
    lengths = next(series for series in found["series"] if series["group"] == "lengths")
    assert {"wrong", "scalar64", "bs4"} <= {column["name"] for column in lengths["columns"]}
    # It is marked in each table: where its times are, and where it is beside the papers' kernels and all others.
    rows = [f"<td>wrong, gcc</td><td>{of['class']}</td><td>{of['inputs']}</td><td>{of['wrong']}</td>" for of in classes]
    assert all(row in page for row in rows) and ": measured, and marked.</strong>" in page
    label = "wrong, wrong tags"
    captions = [f"</strong> {label}, gcc</p>", f"</strong> {label}, beside others, gcc: "]
    assert all(caption in page for caption in captions)
    everything = page[page.index("Everything: cycles per byte") :]
    assert f"<td>{label}</td>" in everything and "<td>wrong</td>" not in page


def test_goll_gueron_as_measured():
    """Dissertation, section 3.3: how often what follows the full groups is packed anew, by the code and by the text."""
    counts = {(one["kernel"], one["part"]): one["counts"].get("packing") for one in run.operations()}

    def pieces(kernel: str, lanes: int) -> list[float]:
        parts = [f"message of {4 * 16 * lanes + rest} bytes" for rest in range(15, 16 * lanes, 16)]
        return [counts[f"{kernel}{lanes}" if kernel != "measured" else f"gg{lanes}_measured", part] for part in parts]

    assert pieces("measured", 4) == [1, 2, 2, 3] and pieces("gg", 4) == [1, 2, 2, 0] and pieces("bs", 4) == [0, 0, 0, 0]
    assert pieces("measured", 8) == [1, 2, 2, 3, 3, 4, 4, 5] and pieces("gg", 8) == [1, 2, 2, 3, 3, 4, 4, 0]


def test_additions_of_the_table_methods():
    """Bernstein's section 5: about 65 and 38 on average; the table of 255 multiples, one for each of 17 bytes."""
    counts = {one["kernel"]: one["counts"] for one in run.operations() if "additions" in one["counts"]}
    assert 64 < counts["doublings"]["additions"] < 66 and 37.5 < counts["triples"]["additions"] < 39.5
    assert counts["multiples"] == {"additions": 17, "least": 17, "most": 17, "blocks": counts["triples"]["blocks"]}
    assert counts["triples"]["most"] <= 44


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="of x86-64")
def test_polyakovs_avx_is_of_128_bits(tmp_path):
    source = ROOT / "lab/study/kernels/polyakov_avx.c"
    subprocess.run(["gcc", "-O2", "-c", source, "-o", tmp_path / "avx.o"], check=True)
    text = run.output_of("objdump", "-d", "--no-show-raw-insn", str(tmp_path / "avx.o"))
    assert len(re.findall(r"\tvpmuludq ", text)) > 50 and not re.search(r"\tpmuludq |%ymm", text)


def test_several_results_in_one_report(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    options = "--quick --groups lengths,sweep4 --lengths 49-400 --kernels gg4*,bs4 --out"
    measured([*options.split(), tmp_path], tmp_path)
    (path,) = (tmp_path / "results").iterdir()
    other = results.load(path)
    other["machine"]["model"] = "Another CPU"
    results.save(tmp_path / "results/another.json", other)
    # The same CPU once more, on which the two evaluations changed places.
    swapped = results.load(path)
    names = {"bs4": "gg4_measured", "gg4_measured": "bs4"}
    for series in swapped["series"]:
        for column in series["columns"]:
            column["name"] = names.get(column["name"], column["name"])
    results.save(tmp_path / "results/swapped.json", swapped)
    files = [str(path), *(str(tmp_path / f"results/{name}.json") for name in ("another", "swapped"))]
    run.main(["--page", *files, "--out", str(tmp_path)])
    page = (tmp_path / "report/index.html").read_text()
    of = re.search(r"Of (\d+) conclusions \(sweep4, gcc\), .*?, (\d+) .*? (\d+) are opposed", page)
    lengths, changed, opposed = map(int, of.groups())
    assert lengths == 2 * 13 and 0 < opposed <= changed <= lengths
    top = page[: page.index('id="r1-top"')]
    assert top.count("Another CPU") >= 3 and "Cycles per byte, gcc: (1)" in top
    assert page.count("noise: balanced over itself, gcc") == 3 and page.count('id="r2-balanced"') == 1


def results_with(path: Path, factors: dict[str, float], **machine: str) -> Path:
    """Write results in which kernels take a factor of the times of GG as measured, and return their file."""
    lengths = list(range(65, 75))
    times = [[process + length for process in range(9)] for length in lengths]
    columns = [
        {"name": name, "cycles": {"samples": [[factor * time for time in row] for row in times]}, "busy": [0] * 10}
        for name, factor in {"gg4_measured": 1, "gg4": 1, **factors, "bs4 again": factors["bs4"]}.items()
    ]
    series = {"group": "sweep4", "variant": "gcc", "xs": lengths, "rounds": 1, "clock": 9 * [[1, 1, 1]]}
    for column, changes in zip(columns, [0, 0, 3, 0]):
        # At the first lengths, there is no difference.
        column["cycles"]["samples"][:changes] = times[:changes]
    found = {
        "date": "2026-01-01",
        "machine": results.this_machine() | machine,
        "clock": {"name": "tsc", "idle_slot": 0.06, "busy": 0, "samples": 360},
        "tools": {"gcc": "gcc"},
        "flags": {"hornet": run.FLAGS},
        "runs": [{"quick": False, "filters": {"groups": "sweep4"}}],
        "kernels": [{"name": one["name"], "paper": "", "label": one["name"], "runs": True} for one in columns],
        "operations": [],
        "series": [series | {"columns": columns}],
    }
    found["machine"]["load"] *= 2
    results.save(path, found)
    return path


def test_conclusions_of_two_runs_are_compared(tmp_path, capsys):
    """Made-up results: at 3 of 10 lengths there is no difference, at the others the balanced evaluation is faster or slower."""
    first, same, slower = (
        results_with(tmp_path / name, {"bs4": factor}) for name, factor in (("1", 0.9), ("2", 0.8), ("3", 1.1))
    )
    for files, expected, status in (
        ([first, same], "all                           20        0   0.00        0", 0),
        ([first, slower], "all                           20       14  70.00       14", 1),
    ):
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            run.main(["--compare", *map(str, files)])
        assert ended.value.code == status and expected in capsys.readouterr().out.splitlines()
    other = results_with(tmp_path / "4", {"bs4": 0.9}, model="Another CPU")
    with pytest.raises(SystemExit, match="Another CPU"):
        run.main(["--compare", str(first), str(other)])


def test_only_publish_writes_what_is_tracked():
    targets = [run.target_of(run.parsed(words)) for words in ([], ["--quick"], ["--page", "x"], ["--publish"])]
    assert targets == [run.BUILD, run.BUILD, run.BUILD, STUDY]
    # With other flags, into other files and folders.
    found = {"machine": {"model": "A CPU", "family": "1", "model_number": "2"}, "flags": {"hornet": "-O3 -fno-plt"}}
    assert run.name_of(found) == "a-f1m2-O3-fno-plt" and run.folder_of("gcc", "-O3").name == "gcc-O3"
    assert run.name_of(found | {"flags": {"hornet": run.FLAGS}}) == "a-f1m2"
    assert subprocess.run(["git", "check-ignore", "-q", run.BUILD], cwd=ROOT).returncode == 0


def test_bad_options_are_refused(capsys):
    for options in (["--with", "none.c"], ["--cpu", "4096"], ["--publish", "--quick"], ["--compilers", "tcc"]):
        with pytest.raises(SystemExit):
            run.main(options)
        assert "error:" in capsys.readouterr().err
