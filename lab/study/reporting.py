# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The study's page, a self-contained file made from results of one or several CPUs, those for the z14, and the papers'
numbers.

Every measured number comes from the results, every number for VMSL from lab/study/results/z14-model.json, and every number
of a paper from lab/study/papers.json. A sentence that concludes is chosen by the intervals of what was measured; causes are
given only where something counted or measured them.
"""

import json
import re
import sys
from html import escape
from pathlib import Path

import numpy

STUDY = Path(__file__).resolve().parent
LAB = STUDY.parent
sys.path.append(str(LAB))

from report import results  # noqa: E402
from report.figures import (  # noqa: E402
    Drawing,
    Line,
    Panel,
    Product,
    bars,
    bytes_text,
    linear_axis,
    log_axis,
    panels,
    style,
    vectors,
)
from report.samples import Samples, beside_samples, drift, rates  # noqa: E402

from tools.measure import intervals  # noqa: E402
from tools.measure.intervals import FASTER, NO_DIFFERENCE, SLOWER, Interval  # noqa: E402
from tools.measure.samples import BUSY  # noqa: E402

MODEL = STUDY / "results" / "z14-model.json"
ORIGINALS = STUDY / "results" / "originals"
COUNTS = LAB / "counts/results.md"
ORDERS = LAB / "schedules/results/times.md"
PAPERS = json.loads((STUDY / "papers.json").read_text())
CALIBRATION = json.loads((STUDY / "results/calibration.json").read_text())
RANGES = [(49, 1000), (1001, 2000), (2001, 4000)]
AGAIN, NOISE = " again", "noise: Hornet over itself"
# Prefixes of the names of the papers' own programs in the stored results.
PROGRAMS = {
    "bs4_original": "<code>bs4_original</code>, the program whose address is in section 5 of the IET paper",
    "poly1305aes": "<code>poly1305aes</code>, Bernstein's of 2005, in x87 assembly for Athlon and Pentium Pro or in doubles",
}
# The kernels beside which the user's are shown.
BESIDE = ["hornet", "gg4_measured", "gg4", "bs4", "x87", "double53", "folded64", "scalar32"]
BUILD_32 = "gcc, 32-bit code"
OTHER_KINDS = {"unpack": "unpacklo, unpackhi", "blend": "_mm256_blend_epi32", "shift": "shifts", "logic": "and, or"}
AES_LENGTHS = (0, 16, 64, 128, 1024)  # of which a quick run has some
LEFT_OUT = 0.05  # the share of instructions that a model may lack
COLOURS = ("c0", "c1", "c2")  # of the builds
# The papers' tables and figures, and parts of the captions of ours that show the same.
OF_THE_PAPERS = [
    ("IET paper", "table 1", ["Table 1 of the IET paper"]),
    ("", "section 4.1", ["section 4.1 of the IET paper"]),
    ("", "tables 2 and 3", ["tables 2 and 3 of the IET paper"]),
    ("", "section 5, lengths that are faster", ["At how many of the lengths"]),
    ("", "section 5, the program", ["Wrong tags, by", "bs4_original"]),
    ("", "tables 4 to 6", ["Tables 4, 5 and 6 of the IET paper"]),
    ("", "figures 12 to 23", ["Figures 12,", "Figures 13,", "Figures 14,", "Figures 15,"]),
    ("dissertation", "tables 1 and 2", ["Tables 1 and 2 of the dissertation"]),
    ("", "figures 1 to 14", ["Figures 12,", "Figures 13,", "Figures 14,", "Figures 15,", "Figures 7 and 14"]),
    ("", "section 4.4", ["section 4.4 of the dissertation"]),
    ("", "section 5.2", ["the dissertation's section 5.2"]),
    ("", "section 6", ["The same by n mod 128", "n mod 128", "8 lanes"]),
    ("Bernstein", "section 1", ["Section 1 of Bernstein"]),
    ("", "sections 2 and 4", ["Sections 2, 4 and 5 of Bernstein", "Section 4 of Bernstein"]),
    ("", "section 5", ["Sections 2, 4 and 5 of Bernstein", "Section 5 of Bernstein"]),
    ("", "the program", ["poly1305aes"]),
    ("", "appendix A", ["Appendix A of Bernstein"]),
    ("Polyakov", "vectors", ["Radix 2^26 in vectors"]),
    ("", "scalar", ["Scalar, cycles per byte"]),
    ("", "NEON", ["Radix 2^26 in NEON", "Not measured: the library"]),
    (
        "",
        "Arm, POWER and z",
        ["Scalar and floating point on Arm", "Model and measurement", "Not measured: the library"],
    ),
    ("", "code sizes, MIPS64", ["Bytes of scalar code", "MIPS64, where"]),
    ("", "x87", ["Radix 2^32 in x87"]),
    ("", "AVX doubles", ["Radix of about 2^22"]),
    ("", "short inputs", ["Where the switch"]),
    ("z14", "figures 1 to 3", ["Figures 1, 2 and 3 of the z14 paper"]),
    ("", "figure 4 and section 10", ["Figure 4 and section 10 of the z14 paper"]),
    ("", "figure 5", ["Figure 5 of the z14 paper", "Figure 5 and section 6 of the z14 paper", "reduction adds"]),
    ("", "appendix 2", ["Appendix 2 of the z14 paper"]),
    (
        "",
        "section 6",
        ["section 6 of the z14 paper", "beside the z14 paper's own code", "a call of the paper's message"],
    ),
]

STYLE = (
    style(":root")
    + """
:root { color-scheme: light dark; }
body { background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; max-width: 1120px;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.8rem; } h2 { margin-top: 3rem; border-top: 1px solid var(--grid); padding-top: 1.5rem; }
p { max-width: 52rem; } .soft, figcaption, .caption { color: var(--soft); }
figure { margin: 1.5rem 0; } svg { width: 100%; height: auto; display: block; }
table { border-collapse: collapse; margin: .3rem 0 1rem; font-variant-numeric: tabular-nums; font-size: 14.5px; }
.caption { margin: 1.2rem 0 0; } th, td { padding: .2rem .7rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } td + td { white-space: nowrap; } th { border-bottom: 1px solid var(--soft); font-weight: 600; }
tr.here td { font-weight: 600; } .wide { overflow-x: auto; }
h3 { margin-top: 2rem; }
"""
)


def powers(text: str) -> str:
    """Convert 2^26 to 2 with a raised 26."""
    return re.sub(r"\^(\d+)", r"<sup>\1</sup>", text)


def in_text(text: str) -> str:
    """Do the same for text in a figure, which cannot contain elements."""
    return re.sub(r"\^(\d+)", lambda found: found[1].translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")), text)


def table(caption: str, head: list[str], rows: list[list], here: int = 0, number: str = "", id_: str = "") -> str:
    """Return a table whose last `here` rows are this CPU's."""

    def cell(value):
        if value is None:
            return "<td>–</td>"
        if isinstance(value, float):
            return f"<td>{value:.{3 if abs(value) < 0.2 else 2}f}</td>"
        return f"<td>{powers(escape(str(value)))}</td>"

    body = "".join(
        f"<tr{' class=here' if i >= len(rows) - here else ''}>{''.join(map(cell, row))}</tr>"
        for i, row in enumerate(rows)
    )
    of_id = f' id="{id_}"' if id_ else ""
    return (
        f'<div class="wide"{of_id}><p class="caption">{number}{powers(escape(caption))}</p><table><tr>'
        f"{''.join(f'<th>{powers(escape(name))}</th>' for name in head)}</tr>{body}</table></div>"
    )


def brackets(interval: Interval, digits: int = 1) -> str:
    """Return a median with its interval."""
    middle, low, high = (
        f"{value:.{digits}f}".replace(f"-{0:.{digits}f}", f"{0:.{digits}f}")
        for value in (interval.middle, interval.low, interval.high)
    )
    return f"{middle} [{'no interval' if interval.low == -numpy.inf else f'{low}, {high}'}]"


def scaled(interval: Interval, factor: float) -> Interval:
    return Interval(*(value * factor for value in (interval.middle, interval.low, interval.high)))


def verdict_of_ratio(ratio: Interval) -> str:
    """Say what an interval of a ratio of times means: no difference if it contains 1."""
    return FASTER if ratio.high < 1 else SLOWER if ratio.low > 1 else NO_DIFFERENCE


def shares_text(found: list[Interval]) -> list[str | None]:
    """Return how many are faster, not different and slower, in %; nothing where there are no intervals."""
    shares = intervals.shares(found)
    known = found[0].low != -numpy.inf
    return [f"{shares[verdict]:.1f}" if known else None for verdict in (FASTER, NO_DIFFERENCE, SLOWER)]


def paragraph(*sentences: str) -> str:
    return f"<p>{powers(' '.join(filter(None, sentences)))}</p>"


def counts_elsewhere(text: str) -> list[list[str | None]]:
    """Return a row for each kernel of the library in lab/counts/results.md that has a model of llvm-mca or was
    run for Arm, POWER or z: CPU, kernel, instructions executed per byte of a long message, and the least cycles per byte of
    a loop, gcc and clang."""

    def tables(title: str) -> dict[tuple[str, str], list[str]]:
        found, first = {}, ""
        for line in text.partition(f"## {title}\n")[2].partition("\n## ")[0].split("\n"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) > 3 and cells[1].startswith("`"):
                first = cells[0] or first
                found[first, cells[1].strip("`")] = cells[2:]
            elif len(cells) > 3:
                first = cells[0] or first
        return found

    executed = tables("Instructions per byte")
    architectures = {"neoverse": "aarch64", "cortex": "aarch64", "apple": "aarch64", "z": "s390x", "pwr": "ppc64le"}
    rows, seen = [], set()
    for (cpu, kernel), cells in tables("Cycles for 64 bytes, by llvm-mca").items():
        of = next((name for prefix, name in architectures.items() if cpu.startswith(prefix)), None)
        if (of, kernel) not in executed:
            continue
        seen.add((of, kernel))
        # "26 / 27" is one figure for each compiler, "26" the same for both; "-" stands for no such loop.
        loops = [(cell.split(" / ") * 2)[:2] for cell in cells if cell]
        least = [min(float(loop[i]) for loop in loops if loop[i] != "-") / 64 for i in (0, 1)]
        rows.append([cpu, kernel, executed[of, kernel][-1], " / ".join(f"{value:.2f}" for value in least)])
    for (of, kernel), cells in executed.items():
        if of in ("armhf", *architectures.values()) and (of, kernel) not in seen:
            rows.append([f"{of}, no model", kernel, cells[-1], None])
    return rows


def orders_of_vmsl(text: str) -> list[list[str]]:
    """Return the head and the rows of coconut's orders of an iteration on VMSL in lab/schedules/results/times.md."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n") if line.startswith("| ")]
    head = next(row for row in rows if row[0] == "loop")
    return [head, *(row for row in rows if row[0].startswith("vmsl/"))]


class Report:
    def __init__(self, found: dict, file_name: str, model: dict) -> None:
        self.results = found
        self.file_name = file_name
        self.model = model
        self.out: list[str] = []
        self.drawn: list[Drawing] = []
        self.prefix = ""
        self.captions: dict[str, list[str]] = {"table": [], "figure": []}
        self.builds = list(found["tools"])
        self.papers_gcc = "gcc-O3" if "gcc-O3" in self.builds else "gcc"
        flags = found["flags"]["hornet"]
        self.here = results.title(found["machine"]) + ("" if flags == "-O2" else f", {flags}")
        self.labels = {kernel["name"]: kernel["label"] for kernel in found["kernels"]}
        self.samples = Samples(found)
        # A median over the processes, in cycles.
        self.cycles = {key: self.samples.medians(*key) for key in self.samples.of}
        self.is_partial = bool(found["runs"][0].get("filters"))
        # What body() concludes of two kernels at a length: group, build, the new kernel, the old one, and the length.
        self.concluded: dict[tuple[str, str, str, str, int], str] = {}

    def series(self, group: str, variant: str, column: str) -> dict[int, float]:
        """Return cycles by length; empty for a kernel that does not run on this CPU."""
        return self.cycles.get((group, variant, column), {})

    def lengths(self) -> list[int]:
        return next(results.find(self.results, None, "lengths"))["xs"]

    def interval(self, group: str, variant: str, column: str, length: int) -> Interval | None:
        """Return the cycles with their interval."""
        samples = self.samples.cycles(group, variant, column).get(length)
        return None if samples is None else intervals.medians(samples[None])[0]

    def per_byte(self, build: str, kernel: str, length: int) -> str | None:
        """Return the cycles per byte with their interval."""
        found = self.interval("lengths", build, kernel, length)
        return None if found is None else brackets(scaled(found, 1 / length), 2 if found.middle / length >= 0.2 else 3)

    def ratio(self, build: str, new: str, old: str, length: int) -> Interval | None:
        """Return the ratio of the times of two kernels, within processes."""
        up = self.samples.speed_ups("lengths", build, old, new).get(length)
        if up is None:
            return None
        found = intervals.medians(up[None])[0]
        self.concluded["lengths", build, new, old, length] = found.verdict
        return Interval(*(1 - value / 100 for value in (found.middle, found.high, found.low)))

    def noise_at(self, build: str, length: int) -> str | None:
        up = self.samples.speed_ups("lengths", build, "hornet", f"hornet{AGAIN}").get(length)
        return None if up is None else f"{brackets(intervals.medians(up[None])[0])} %"

    def noise(self, lengths: list[int], builds: list[str]) -> list[list]:
        """Return a row with the difference of the library from itself, if it was entered twice."""
        cells = [self.noise_at(build, n) for n in lengths for build in builds]
        return [[NOISE, *cells]] if any(cells) else []

    @staticmethod
    def of_noise(what: str, of: list[Interval]) -> str:
        """Say how far a kernel that was entered twice is from itself."""
        sizes = [abs(one.middle) for one in of]
        chance = 100 - intervals.shares(of)[NO_DIFFERENCE]
        return (
            f"Noise with {what}, entered twice: its two entries differ by at most {results.quantile(sizes, 0.5):.2f} % at half of "
            f"the lengths and {results.quantile(sizes, 0.95):.2f} % at 95 % of them. At {chance:.1f} % of the lengths the interval excludes "
            "0; 5 % is what intervals of 95 % allow."
        )

    def noise_of_library(self) -> str:
        """Say it of the library, at the lengths of the tables, with all compilers."""
        ups = [
            up
            for build in self.builds
            for up in self.samples.speed_ups("lengths", build, "hornet", f"hornet{AGAIN}").values()
        ]
        if not ups or len(ups[0]) < intervals.FEWEST:
            return ""
        return self.of_noise("the library (A/A, at the lengths of the tables)", intervals.medians(numpy.array(ups)))

    def large(self) -> int:
        return max(self.lengths())

    def runs(self, *kernels: str) -> bool:
        """Return whether these were measured at the lengths of the papers' tables."""
        return all(("lengths", "gcc", kernel) in self.cycles for kernel in kernels)

    def lines(self, kernels: str, build: str) -> list[Line]:
        """Return a line for each kernel; each word is its name and its colour."""
        found = []
        for kernel, colour in (word.split(":") for word in kernels.split()):
            points = [(n, value / n) for n, value in self.series("lengths", build, kernel).items()]
            if points:
                label = self.labels.get(kernel, kernel).replace("Goll-Gueron", "GG")  # which has room beside the figure
                found.append(Line(in_text(label), points, colour))
        return found

    # The parts of the page, each of which these append to.

    def say(self, *sentences: str) -> None:
        if any(sentences):
            self.out.append(paragraph(*sentences))

    def numbered(self, kind: str, caption: str) -> tuple[str, str]:
        """Return the number of a table or figure as the beginning of its caption, and its id."""
        self.captions[kind].append(caption)
        number = len(self.captions[kind])
        return f"<strong>{kind.title()} {number}.</strong> ", f"{self.prefix}{kind}-{number}"

    def table(self, caption: str, head: list[str], rows: list[list], here: int = 0) -> None:
        self.out.append(table(caption, head, rows, here, *self.numbered("table", caption)))

    def figure(self, caption: str, drawing: Drawing) -> None:
        self.drawn.append(drawing)
        number, id_ = self.numbered("figure", caption)
        self.out.append(f'<figure id="{id_}">{drawing}<figcaption>{number}{powers(caption)}</figcaption></figure>')

    def per_byte_figure(self, caption: str, title: str, lines: list[Line]) -> None:
        xs, ys = zip(*[point for one in lines for point in one.points])
        x, y = log_axis("message length (bytes)", xs, 2, bytes_text), log_axis("cycles per byte", ys, 10)
        self.figure(caption, panels(title, [Panel("", x, y, lines)], height=430))

    @staticmethod
    def by_length(title: str, lines: list[Line], y_title: str, zero: bool = True) -> Panel:
        """Return a chart over the message length."""
        xs, ys = zip(*[point for line in lines for point in line.points])
        x = linear_axis("message length (bytes)", xs, zero=zero, tight=True)
        return Panel(title, x, linear_axis(y_title, ys, zero=zero), lines)

    def head(self, sections: list[tuple[str, str]]) -> str:
        r = self.results
        counter = {
            "rdpmc": "cycles of the core, read by rdpmc",
            "perf": "cycles of the core, read from perf",
            "tsc": "the time stamp counter, because this system lets a program read no counter of cycles",
            "clock": "nanoseconds, because this system lets a program read no counter of cycles",
        }[r["clock"]["name"]]
        run = r["runs"][0]
        quick = "<strong>A quick run: few lengths and few samples.</strong>" if run["quick"] else ""
        filters = [f"{name} {value}" for name, value in run.get("filters", {}).items()]
        partly = f"<strong>Only a part was measured: {escape('; '.join(filters))}.</strong>" if filters else ""
        compilers = "; ".join(escape(text) for text in r["tools"].values())
        return "".join(
            [
                "<p>" + " · ".join(f'<a href="#{name}">{title}</a>' for name, title in sections) + "</p>",
                paragraph(
                    quick,
                    partly,
                    f"Measured on {escape(results.title(r['machine']))}, {r['date']}, {escape(r['machine']['system'])}, with "
                    f"{compilers}, {escape(r['flags']['hornet'])}. Counted: {counter}.",
                    self.clock(),
                    self.conditions(),
                ),
                paragraph(self.of_samples(), self.noise_of_library(), self.of_checks()),
                paragraph(
                    f'<span class="soft">Every measured number here comes from <code>lab/study/results/{self.file_name}</code>, every one of VMSL '
                    "from <code>lab/study/results/z14-model.json</code>, what is said of other models and other architectures from "
                    "<code>lab/study/results/calibration.json</code> and <code>lab/counts/results.md</code>, every number of a paper from <code>lab/study/papers.json</code>, which says "
                    "from which table.</span>"
                ),
                "<ul>"
                + "".join(
                    f"<li>{name}{escape(PAPERS[key]['title'])}</li>"
                    for name, key in (
                        ("The IET paper: ", "bhattacharyya_sarkar"),
                        ("The dissertation: ", "dissertation"),
                        ("", "polyakov"),
                        ("", "bernstein"),
                        ("The z14 paper: ", "z14"),
                    )
                )
                + "</ul>",
                paragraph(
                    "A speed-up is 100 (t<sub>0</sub> − t<sub>1</sub>) / t<sub>0</sub>, from the old time to the new one. GG: Goll and Gueron's "
                    "evaluation, as measured or of the text; balanced, or new: Bhattacharyya and Sarkar's."
                ),
            ]
        )

    def clock(self) -> str:
        """Say how counts become cycles, and whether the clock of the core changed."""
        series = [one for one in self.results["series"] if "clock" in one and one["columns"]]
        if not series:
            per_cycle = self.results["clock"]["per_cycle"]
            return (
                f"A dependent addition, which takes a cycle of the core, took {per_cycle:.3f} counts at the end of the run, by which all "
                "is divided; it was not timed for each section."
            )
        rate = numpy.concatenate([rates(self.results, one) for one in series])
        worst = max(series, key=drift)
        if beside_samples(self.results):
            rate, clock = numpy.concatenate([one["clock"] for one in series]), self.results["clock"]
            return (
                "Beside each sample, a chain of multiplications was timed, which takes three cycles of the core for each, and "
                f"instructions that take nothing but a slot: a cycle was {rate.min():.4f} to {rate.max():.4f} counts, without the outermost "
                "percent of each section and process, and each count is divided by the one beside it. "
                f"{100 * clock['busy'] / clock['samples']:.1f} % of {clock['samples']} samples were taken beside a busy sibling thread, with "
                f"which an instruction takes a slot for {BUSY:g} times as long or more; they count only where a process has none beside an "
                "idle one at a length, and two kernels are compared in the same state."
            )
        return (
            f"A dependent addition, which takes a cycle of the core, took {rate.min():.4f} to {rate.max():.4f} counts, timed before and "
            "after each section in each process; counts are divided by the mean of the two. The most that it changed within a "
            f"section is {drift(worst):.1f} % ({worst['group']})."
        )

    def conditions(self) -> str:
        machine = self.results["machine"]
        load = machine["load"]
        of_load = f"The load of the system was {load[0]} before and {load[1]} after."
        if "hypervisor" not in machine:
            return f"Governor, turbo, hypervisor and pinning were not recorded. {of_load}"
        unknown, name = "not shown by the system", machine["hypervisor"]

        def one_of(key: str, yes: str, no: str) -> str:
            value = machine.get(key)
            return f"{key} {unknown}" if value is None else yes if value else no

        known = [
            f"Pinned to CPU {', '.join(map(str, machine['pinned']))} of {machine['cpus']}",
            f"governor {machine['governor'] or unknown}",
            one_of("turbo", "turbo on", "turbo off"),
            one_of("smt", "several threads on a core", "one thread on a core"),
            f"in a virtual machine{'' if name == 'unnamed' else f' ({escape(name)})'}" if name else "no hypervisor",
            f"microcode {escape(machine.get('microcode') or unknown)}",
        ]
        return f"{'; '.join(known)}. {of_load}"

    def of_samples(self) -> str:
        series = next((one for one in self.results["series"] if one["columns"]), None)
        if series is None:
            return ""
        counts = {cycles.shape[1] for _, cycles in self.samples.of.values()}
        count = max(counts)
        fewer = f", {min(counts)} of them also what is not compared at each length" if len(counts) > 1 else ""
        of = (
            f"{count} processes measured, one after another{fewer}, each kernel in turn with the others and in another order "
            "each time; a sample is the median of a process's rounds"
            if "rounds" in series
            else f"A single process measured; its passes, of which {count} are kept, are taken for the samples"
        )
        if count < intervals.FEWEST:
            of += f"; of fewer than {intervals.FEWEST} samples there is no interval, and nothing is called faster or slower"
        return (
            f"A time is that of one call, key to tag, with all code and data in L1, each call after the one before it has ended. {of}. "
            "Given are medians (the papers take the least of five medians) and, in brackets, intervals of 95 % by the bootstrap. "
            "Faster and slower are differences whose interval excludes 0; else there is no difference."
        )

    def of_checks(self) -> str:
        """Say what the run's comparison with the reference found."""
        checks = self.results.get("checks")
        if not checks:
            return "These results have no record of a comparison of tags."
        wrong = [check for check in checks if check["wrong"]]
        tags = sum(check["inputs"] for check in checks)
        found = (
            f"Before the measurement, {tags} tags of {len(checks)} kernels, those of each compiler, were compared with those of the "
            "definition in GMP's integers"
        )
        if not wrong:
            return f"{found}: none is wrong."
        each = "; ".join(
            f"{escape(check['kernel'])} with {check['build']}: {check['wrong']} of {check['inputs']} wrong, first {escape(check['example'])}"
            + (f", ended by signal {check['signal']}" if check["signal"] else "")
            + (": measured, and marked" if check.get("measured") else ": not measured")
            for check in wrong
        )
        return f"{found}. <strong>{each}.</strong>"

    def chain_and_apart(self, kind: str) -> dict[str, Interval]:
        """Return what one takes in a chain and apart, in cycles, as it was measured."""
        times = {}
        for series in results.find(self.results, None, "instructions"):
            count, _, how = series["variant"].partition(" ")
            found = self.interval("instructions", series["variant"], kind, 0)
            if found is not None:
                times[how] = scaled(found, 1 / int(count))
        return times

    def latency_throughput(self, kind: str) -> str | None:
        """Return what an instruction takes, as the paper has it."""
        times = self.chain_and_apart(kind)
        return ", ".join(brackets(times[how], 2) for how in ("in a chain", "apart")) if times.get("apart") else None

    def counted(self) -> None:
        paper = PAPERS["bhattacharyya_sarkar"]
        counts = {(c["kernel"], c["part"]): c for c in self.results["operations"]}
        if not counts:
            return
        got = counts["packed4", "vecMult"]["counts"]
        wide = counts["packed8", "vecMult"]["counts"]
        rows = [
            [paper["table1"]["intrinsics"][kind], number, f"{got[kind]:g}", f"{wide[kind]:g}"]
            for kind, number in paper["table1"]["counts"].items()
        ]
        theirs = paper["table1"]["latency_throughput"]
        for row, kind in zip(rows, paper["table1"]["counts"]):
            row += [*(theirs[cpu].get(kind) for cpu in theirs), self.latency_throughput(kind)]
        same = all(got[kind] == number for kind, number in paper["table1"]["counts"].items())
        one, two = (counts["packed4", f"first multiplication, rho {rho}"]["counts"] for rho in (1, 2))
        of_one, names = paper["first"]["counts"], paper["table1"]["intrinsics"] | OTHER_KINDS
        first = [
            [
                names[kind],
                str(of_one.get(kind, 0)),
                f"{one[kind]:g}",
                str(paper["first"]["mul32"]["2"]) if kind == "mul32" else None,
                f"{two[kind]:g}",
            ]
            for kind in names
        ]
        alike = [names[kind] for kind in of_one if one[kind] == of_one[kind]]
        shuffles = ("permute32", "permute64", "unpack", "blend", "set", "logic")
        theirs_moved, moved = (sum(of.get(kind, 0) for kind in shuffles) for of in (of_one, one))
        kinds = [["mul32"], ["madd52"], ["add"], ["shift", "logic"], ["permute32", "permute64"]]
        blocks = [
            [
                self.labels.get(c["kernel"], c["kernel"]),
                c["lanes"],
                *[f"{sum(c['counts'][kind] for kind in group):.4g}" for group in kinds],
            ]
            for c in self.results["operations"]
            if c["part"] == "block"
        ]
        lean = counts["avx2", "block"]["counts"]["mul32"]
        plain = counts["gg4", "block"]["counts"]["mul32"]
        self.say("The same code, run over lanes that count their operations (<code>lab/study/lanes/counting.h</code>).")
        self.table(
            "Table 1 of the IET paper: vecMult, one field multiplication in each lane",
            ["intrinsic", "paper", "counted, 4 lanes", "counted, 8 lanes", *theirs, self.here],
            rows,
        )
        self.say(
            "On the right, latency and throughput in cycles: in the paper, Intel's figures; here an instruction's time in a chain, "
            "in which each waits for the one before it, and its time in 16 chains that are interleaved."
        )
        self.table(
            "The improved first multiplication, section 4.1 of the IET paper and section 4.4 of the dissertation",
            ["intrinsic", "paper, rho = 1", "counted", "paper, rho = 2", "counted"],
            first,
        )
        self.say(
            f"The counts of vecMult are {'' if same else 'not '}the paper's.",
            f"Of the first multiplication of one block, {' and '.join(alike)} are the dissertation's; to arrange the operands it "
            f"has {theirs_moved} operations, and the code here {moved:g}.",
            "In eight lanes it takes the same number of instructions, for twice the blocks." if got == wide else "",
        )
        self.table(
            "Operations for a block of 16 bytes, in the inner loop",
            ["kernel", "lanes", "32 × 32", "52 × 52", "additions", "shifts, and, or", "permutations"],
            blocks,
        )
        self.say(
            f"In Goll and Gueron's packing a block takes {plain:g} multiplications, in the library's AVX2 kernel {lean:g} over long "
            "messages."
        )

    # Goll and Gueron's evaluation, as measured and of the text, and the balanced one.

    def compared(self, lanes: int) -> None:
        section, new = f"sweep{lanes}", f"bs{lanes}"
        if not self.series(section, "gcc", new):
            runs = {kernel["name"]: kernel["runs"] for kernel in self.results["kernels"]}
            self.say("Not measured." if runs.get(new) else f"This CPU lacks the instructions for {lanes} lanes.")
            return
        self.contradiction(lanes)
        against = {f"gg{lanes}_measured": "as measured", f"gg{lanes}": "of the text"}
        against = {kernel: name for kernel, name in against.items() if self.series(section, "gcc", kernel)}
        if "as measured" not in against.values():
            self.say(
                "<strong>These results lack Goll and Gueron's evaluation as measured: run the study again.</strong>"
            )
        ups = {
            (name, build): self.samples.speed_ups(section, build, kernel, new)
            for kernel, name in against.items()
            for build in self.builds
        }
        self.averages(lanes, ups, list(against.values()))
        self.verdicts(lanes, ups, against)
        self.by_rest(lanes, ups)
        self.compared_figures(lanes, ups, [*against, new])

    def contradiction(self, lanes: int) -> None:
        group = 16 * lanes
        if lanes == 4:
            self.say(
                "Text and code treat a short last block differently. By the text, n bytes are ⌈n/16⌉ blocks (IET paper, section 2; "
                "dissertation, 2.5), so that 49 to 63 bytes after the full groups are a group too, whose last block is short. The "
                "dissertation says in section 4.2 that the code, which the papers measured, does not follow the text: it counts ⌊n/16⌋ "
                "blocks; by section 3.3 it handles these 49 to 63 bytes as 32, 16 and 1 to 15 bytes, each packed anew. Here are both: "
                "GG <em>as measured</em>, with which the conclusions compare first, and GG <em>of the text</em>. They are one "
                "source, but for what counts as a group."
            )
        else:
            self.say(
                "The dissertation (section 6) gives no measurement of the 512-bit evaluations, since no such processor was "
                "available to it. It says that Goll and Gueron's treats the message as the 256-bit one does; so, as measured, it counts whole "
                f"blocks here, and handles up to {group - 1} bytes after the full groups in pieces of 32, 16 and fewer bytes."
            )
        counts = {(c["kernel"], c["part"]): c["counts"] for c in self.results["operations"]}
        rows = []
        for length in (4 * group + rest for rest in range(15, group, 16)):
            row = [length, length % group]
            for kernel in (f"gg{lanes}_measured", f"gg{lanes}", f"bs{lanes}"):
                got = counts.get((kernel, f"message of {length} bytes"))
                row += [f"{got['packing']:g}", f"{got['mul32']:g}"] if got else [None, None]
            rows.append(row)
        if any(row[2] is not None for row in rows):
            kernels = ("GG as measured", "GG of the text", "balanced")
            self.table(
                "Counted: pieces after the full groups, each packed anew, and multiplications of a whole message, powers included",
                ["bytes", f"n mod {group}", *(f"{name}, {what}" for name in kernels for what in ("pieces", "mul"))],
                rows,
            )

    @staticmethod
    def joined(ups: dict[int, numpy.ndarray], low: int = 0, high: int = 10**9) -> numpy.ndarray:
        """Return the speed-ups at the lengths from low to high, [length, process]."""
        return numpy.array([samples for n, samples in ups.items() if low <= n <= high])

    def averages(self, lanes: int, ups: dict, names: list[str]) -> None:
        """Tables 2 and 3 of the IET paper."""
        rows = []
        if lanes == 4:
            for row in PAPERS["bhattacharyya_sarkar"]["averages"]["rows"]:
                of = {self.papers_gcc: row[2:4], "clang": row[4:6]}
                cells = (of.get(build, [None, None]) for build in self.builds)
                rows.append([row[0], row[1], *(value for pair in cells for value in pair)])
            for processor, lengths, *both in PAPERS["dissertation"]["summary"]["rows"]:
                cells = [
                    value for build in self.builds for value in (both if build == self.papers_gcc else [None, None])
                ]
                rows.append([f"dissertation, {processor}", lengths, *cells])
        here, averages = 0, {}
        for name in names:
            for low, high in RANGES:
                lengths = [n for n in ups[name, "gcc"] if low <= n <= high]
                if not lengths:
                    continue
                row = [f"here, over GG {name}", f"{max(low, min(lengths))} to {high}"]
                for build in self.builds:
                    samples = self.joined(ups[name, build], low, high)
                    average = averages[name, build, f"{low} to {high}"] = intervals.mean_of_medians(samples)
                    most = max(intervals.medians(samples), key=lambda one: one.middle)
                    row += [brackets(most, 2), brackets(average, 2)]
                rows.append(row)
                here += 1
        self.table(
            "Speed-up of the balanced evaluation over Goll and Gueron's"
            + (": tables 2 and 3 of the IET paper, the dissertation's section 5.2, and here" if lanes == 4 else ""),
            [
                "processor",
                "bytes",
                *(f"{build}, {what}" for build in self.builds for what in ("maximum %", "average %")),
            ],
            rows,
            here,
        )
        if lanes == 4:
            self.say(*(self.beside_averages(averages, name) for name in names))

    @staticmethod
    def beside_averages(averages: dict, name: str) -> str:
        """Count the averages that are below, between and above those of the paper's processors."""
        counts = {"below those of all of the paper's processors": 0, "between them": 0, "above": 0}
        for (of, build, lengths), here in averages.items():
            if of == name and here.low != -numpy.inf:
                column = 5 if build == "clang" else 3
                papers = [
                    row[column] for row in PAPERS["bhattacharyya_sarkar"]["averages"]["rows"] if row[1] == lengths
                ]
                counts[list(counts)[0 if here.high < min(papers) else 2 if here.low > max(papers) else 1]] += 1
        if not any(counts.values()):
            return ""
        found = ", ".join(f"{count} {where}" for where, count in counts.items())
        return f"Over GG {name}, of the {sum(counts.values())} averages {found}, by their intervals."

    def verdicts(self, lanes: int, ups: dict, against: dict[str, str]) -> None:
        """Say at how many lengths it is faster, and how large noise is."""
        rows, here, faster = [], [], {}
        if lanes == 4:
            for paper, key in (("IET paper", "bhattacharyya_sarkar"), ("dissertation", "dissertation")):
                for name, *papers in PAPERS[key]["faster"]["rows"]:
                    rows.append([f"{paper}, {name}, gcc", None, *(f"{share:.2f}" for share in papers)])
        for kernel, name in against.items():
            for build in self.builds:
                found = intervals.medians(self.joined(ups[name, build]))
                for n, one in zip(ups[name, build], found):
                    self.concluded[f"sweep{lanes}", build, f"bs{lanes}", kernel, n] = one.verdict
                shares = shares_text(found)
                if shares[0] is not None:
                    faster.setdefault(name, []).append(f"{shares[0]} % of the lengths with {build}")
                here.append([f"here, over GG {name}, {build}", len(found), *shares])
        noise = {}
        for build in self.builds:
            of = self.samples.speed_ups(f"sweep{lanes}", build, f"bs{lanes}", f"bs{lanes}{AGAIN}")
            if of:
                noise[build] = intervals.medians(self.joined(of))
                here.append([f"noise: balanced over itself, {build}", len(of), *shares_text(noise[build])])
        self.table(
            "At how many of the lengths the balanced evaluation is faster: here by intervals, in the papers by figures of two decimals",
            ["", "lengths", "faster %", "no difference %", "slower %"],
            rows + here,
            len(here),
        )
        papers = [row[1] for row in PAPERS["bhattacharyya_sarkar"]["faster"]["rows"]]
        for name, shares in faster.items():
            self.say(
                f"Over GG {name} the balanced evaluation is faster at {', '.join(shares)}"
                + (f"; the IET paper has {min(papers):.1f} to {max(papers):.1f} %, with gcc." if lanes == 4 else ".")
            )
        for build, of in noise.items():
            self.say(self.of_noise(f"the balanced evaluation (A/A, {build})", of))
        if not noise:
            self.say("These results have no kernel that was entered twice, and so no measure of noise.")

    def by_rest(self, lanes: int, ups: dict) -> None:
        """Show where the speed-up comes from, in the dissertation's classes (section 3.3)."""
        group, section = 16 * lanes, f"sweep{lanes}"
        last = group - 15
        classes = [(low, low + 14) for low in range(1, group, 16)] + [(whole, whole) for whole in range(16, group, 16)]
        pairs = {(f"balanced over GG {name}", build): of for (name, build), of in ups.items()}
        effect = "GG of the text over as measured"
        for build in self.builds:
            of = self.samples.speed_ups(section, build, f"gg{lanes}_measured", f"gg{lanes}")
            if of:
                pairs[effect, build] = of
        rows, means = [], {}
        for low, high in sorted(classes):
            row = [f"{low} to {high}" if low < high else str(low)]
            for key, of in pairs.items():
                samples = numpy.array([one for n, one in of.items() if low <= n % group <= high])
                if len(samples) == 0:
                    row.append(None)
                    continue
                means[low, key] = intervals.mean_of_medians(samples)
                faster = shares_text(intervals.medians(samples))[0]
                row.append(brackets(means[low, key]) + (f"; {float(faster):.0f} %" if faster else ""))
            rows.append(row)
        self.table(
            f"The same by n mod {group}, the bytes after the full groups: average speed-up in %, its interval, and at how many of the "
            "lengths it is faster",
            [f"n mod {group}", *(f"{name}, {build}" for name, build in pairs)],
            rows,
        )
        self.say(*self.rarely_faster(lanes, ups))
        for build in self.builds:
            if (last, (effect, build)) in means:
                others = [one for n, one in pairs[effect, build].items() if n % group < last]
                self.say(
                    f"The effect of the contradiction with {build}: where n mod {group} is {last} or more, GG of the text is faster than as "
                    f"measured by {brackets(means[last, (effect, build)])} % on average. At the other lengths both do the same; there the difference "
                    f"is {brackets(intervals.mean_of_medians(numpy.array(others)))} %."
                )
        for build in self.builds:
            same = means.get((last, ("balanced over GG of the text", build)))
            if same is not None:
                self.say(
                    f"Where n mod {group} is {last} or more, the balanced evaluation and GG of the text do the same operations, in functions "
                    f"compiled apart: with {build} the difference is {brackets(same)} %. What two compilations of the same differ by "
                    "is in every comparison, besides noise."
                )

    def rarely_faster(self, lanes: int, ups: dict) -> list[str]:
        """Say where the balanced evaluation is faster than GG as measured at less than half of the lengths, and what was
        counted there."""
        group, said = 16 * lanes, []
        counts = {(c["kernel"], c["part"]): c["counts"] for c in self.results["operations"]}
        for low in range(1, group, 16):
            shares = {}
            for build in self.builds:
                of = [up for n, up in ups.get(("as measured", build), {}).items() if low <= n % group <= low + 15]
                faster = shares_text(intervals.medians(numpy.array(of)))[0] if of else None
                if faster is not None:
                    shares[build] = float(faster)
            if not any(share < 50 for share in shares.values()):
                continue
            part = f"message of {4 * group + low + 14} bytes"
            old, new = (counts.get((kernel, part), {}).get("mul32") for kernel in (f"gg{lanes}_measured", f"bs{lanes}"))
            said.append(
                f"Where n mod {group} is {low} to {low + 15}, the balanced evaluation is faster than GG as measured at only "
                + ", ".join(f"{share:.0f} % of the lengths with {build}" for build, share in shares.items())
                + (f": for a {part} it takes {new:g} multiplications, GG {old:g}." if old and new else ".")
            )
        return said

    def compared_figures(self, lanes: int, ups: dict, kernels: list[str]) -> None:
        charts = []
        middles = {key: dict(zip(of, numpy.median(list(of.values()), axis=1).tolist())) for key, of in ups.items()}
        values = [value for of in middles.values() for value in of.values()]
        low, high = (results.quantile(values, fraction) for fraction in (0.002, 0.998))
        y = linear_axis("speed-up (%)", [low, high])
        outside = sum(not y.low <= value <= y.high for value in values)
        for (name, build), of in middles.items():
            points = sorted((n, min(max(value, y.low), y.high)) for n, value in of.items())
            x = linear_axis("message length (bytes)", [n for n, _ in points], tight=True)
            line = Line("", points, COLOURS[self.builds.index(build)], dots=True)
            charts.append(Panel(f"over GG {name}, {build}", x, y, [line], 0))
        which = (
            "Figures 12, 16 and 20 of the IET paper, 1 and 8 of the dissertation"
            if lanes == 4
            else "As figure 12 of the IET paper, in 8 lanes"
        )
        edge = f" {outside} of {len(values)} dots lie outside and are drawn at the edge." if outside else ""
        self.figure(
            f"{which}: speed-up of the balanced evaluation over Goll and Gueron's at every measured length, none a multiple of {16 * lanes} "
            f"bytes.{edge}",
            panels(f"Speed-up of the balanced evaluation, {lanes} lanes", charts, len(self.builds), 300),
        )
        colours = dict(zip(reversed(kernels), ("c0", "c3", "c1")))
        numbers = (
            "13, 17 and 21 of the IET paper, 2, 3, 9 and 10 of the dissertation",
            "14, 18 and 22 of the IET paper, 4, 5, 11 and 12 of the dissertation",
            "15, 19 and 23 of the IET paper, 6 and 13 of the dissertation",
            "7 and 14 of the dissertation",
        )
        for (low, high), number in zip([*RANGES, (RANGES[0][0], RANGES[-1][1])], numbers, strict=True):
            charts = []
            for build in self.builds:
                lines = []
                for kernel, colour in colours.items():
                    of = self.series(f"sweep{lanes}", build, kernel).items()
                    points = [(n, value / n) for n, value in of if low <= n <= high]
                    if points:
                        lines.append(Line(self.labels[kernel].split(",")[0], points, colour))
                if lines:
                    charts.append(self.by_length(build, lines[::-1], "cycles per byte", zero=False))
            if charts:
                which = f"Figures {number}" if lanes == 4 else "In 8 lanes"
                lengths = f"{max(low, min(n for panel in charts for n, _ in panel.lines[0].points))} to {high} bytes"
                self.figure(
                    f"{which}: cycles per byte, {lengths}. The axis does not begin at 0.",
                    panels(f"Cycles per byte, {lengths}, {lanes} lanes", charts, 1, 300),
                )

    def dissertation_lengths(self) -> None:
        """Tables 1 and 2 of the dissertation, at lengths that both have, a few of each class of n mod 64."""
        paper = PAPERS["dissertation"]["lengths"]
        papers = {name: {row[0]: row[3] for row in paper[name]["rows"]} for name in ("Skylake", "Kaby Lake")}
        rows = []
        for n in sorted(set(papers["Skylake"]) & set(papers["Kaby Lake"])):
            if n % 8 not in (0, 1, 7):
                continue
            row = [n, n % 64, papers["Skylake"][n], papers["Kaby Lake"][n]]
            for build in self.builds:
                for old in ("gg4_measured", "gg4"):
                    up = self.samples.speed_ups("sweep4", build, old, "bs4").get(n)
                    row.append(None if up is None else brackets(intervals.medians(up[None])[0]))
            rows.append(row)
        if any(cell is not None for row in rows for cell in row[4:]):
            names = ("as measured", "of the text")
            self.table(
                "Tables 1 and 2 of the dissertation: speed-up in %, there with gcc",
                [
                    *("bytes", "n mod 64", "Skylake", "Kaby Lake"),
                    *(f"here, over GG {name}, {build}" for build in self.builds for name in names),
                ],
                rows,
            )

    def short_block(self) -> None:
        """What a last block of one byte costs beside a whole one, in the dissertation's tables and here."""
        paper = PAPERS["dissertation"]["lengths"]
        cycles = {
            name: {row[0]: [value * row[0] for value in row[1:3]] for row in paper[name]["rows"]}
            for name in ("Skylake", "Kaby Lake")
        }
        rows = []
        for whole in (80, 592, 1488, 96, 112):
            short = whole - 15
            row = [f"{short} and {whole}"]
            for of in cycles.values():
                row += [
                    f"{round(of[short][i] - of[whole][i])}" if short in of and whole in of else None for i in (0, 1)
                ]
            for build in self.builds:
                for kernel in ("gg4_measured", "bs4"):
                    here = self.samples.cycles("sweep4", build, kernel)
                    if short in here and whole in here:
                        row.append(brackets(intervals.medians((here[short] - here[whole])[None])[0], 0))
                    else:
                        row.append(None)
            rows.append(row)
        if all(cell is None for row in rows for cell in row[5:]):
            return
        names = [f"{name}, {what}" for name in cycles for what in ("GG", "new")]
        names += [f"here, {what}, {build}" for build in self.builds for what in ("GG as measured", "balanced")]
        self.table("Cycles that a last block of one byte takes more than one of 16 bytes", ["bytes", *names], rows)
        theirs = [
            of[whole - 15][0] - of[whole][0]
            for of in cycles.values()
            for whole in (80, 592, 1488)
            if whole in of and whole - 15 in of
        ]
        self.say(
            f"In the dissertation's tables a short last block costs Goll and Gueron's code {min(theirs):.0f} to {max(theirs):.0f} cycles more than "
            "a whole one. Its section 3.3 treats both alike, and so does the code here: what their code does in these cycles, the "
            "papers do not describe, and it is not built here."
        )

    def tables_4_to_6(self) -> None:
        paper = PAPERS["bhattacharyya_sarkar"]["lengths"]
        names = ("Haswell", "Skylake", "Kaby Lake")
        old = "gg4_measured" if self.runs("gg4_measured") else "gg4"
        for build, first in (("clang", 1), ("gcc", 4), ("gcc-O3", 4)):
            if build not in self.builds or not self.runs("bs4", old):
                continue
            head = ["bytes"]
            for name in names:
                head += [f"{name}, GG", "new", "%"]
            head += [f"here, {self.labels[old].split(',')[0]}", "new", "% and interval"]
            ups = self.samples.speed_ups("lengths", build, old, "bs4")
            found = {n: intervals.medians(up[None])[0] for n, up in ups.items()}
            rows = []
            for i, row in enumerate(paper["Haswell"]["rows"]):
                n, cells = row[0], [row[0]]
                for name in names:
                    cells += paper[name]["rows"][i][first : first + 3]
                cells += [self.per_byte(build, kernel, n) for kernel in (old, "bs4")]
                cells.append(brackets(found[n]) if n in found else None)
                rows.append(cells)
            faster = {name: sum(row[first + 2] > 0 for row in paper[name]["rows"]) for name in names}
            for n, one in found.items():
                self.concluded["lengths", build, "bs4", old, n] = one.verdict
            verdicts = [found[row[0]].verdict for row in rows if row[0] in found]
            self.table(
                f"Tables 4, 5 and 6 of the IET paper, {build}: cycles per byte of Goll and Gueron's and the new "
                "evaluation, speed-up in %",
                head,
                rows,
            )
            theirs = ", ".join(f"{count} of {len(rows)} lengths on {name}" for name, count in faster.items())
            self.say(
                f"The new evaluation is faster at {theirs}; here at {verdicts.count(FASTER)} of {len(verdicts)}, and slower at "
                f"{verdicts.count(SLOWER)}."
            )

    def bernstein(self) -> None:
        paper = PAPERS["bernstein"]
        kernels = [k["name"] for k in self.results["kernels"] if k["paper"] == "bernstein" and self.runs(k["name"])]
        kernels += [name for name in ("scalar32", "scalar64", "hornet") if self.runs(name)]
        lengths = [n for n in (16, 64, 256, 1024, 4096, self.large()) if n in self.lengths()]
        rows = [
            [self.labels[k] if k not in ("scalar32", "scalar64") else f"integer registers, 2^{k[6:]}"]
            + [self.per_byte(build, k, n) for n in lengths for build in self.builds]
            for k in kernels
        ]
        head = ["strategy"] + [f"{bytes_text(n)}, {build}" for n in lengths for build in self.builds]
        fit = self.samples.cycles("lengths", "gcc", "x87")
        double = self.per_byte("gcc", "double53", 4096)
        rows += self.noise(lengths, self.builds)
        self.table("Sections 2, 4 and 5 of Bernstein: cycles per byte at a length", head, rows, 2)
        if 1024 in fit and 4096 in fit:
            slope = intervals.medians((fit[4096] - fit[1024])[None] / (4096 - 1024))[0]
            self.say(
                f"The paper's software takes fewer than {paper['abstract']['per_byte']} cycles a byte on an {paper['abstract']['cpu']}, "
                f"with AES and {paper['abstract']['per_message']} cycles a message besides; the same arithmetic in C takes {brackets(slope, 2)} "
                "here, per byte from 1 to 4 KiB.",
                f"With mantissas of 53 bits, in SSE2 registers, twice the multiplications take {double}."
                if double
                else "",
                self.integer_registers(),
            )
            short, long_ = self.per_byte("gcc", "doublings", 1024), self.per_byte("gcc", "doublings", 4096)
            self.say(
                "The table methods branch and index by secrets: <strong>unsafe</strong>, for comparison only.",
                f"The doublings take {short} cycles per byte at 1 KiB and {long_} at 4 KiB of the same message again and again."
                if short and long_
                else "",
            )
        self.additions()
        self.loads()
        self.verification()
        self.aes()

    def verification(self) -> None:
        """Compare verifying tags of Poly1305-AES with section 1 and appendix A of Bernstein."""
        paper = PAPERS["bernstein"]
        names = {
            "x87": "the floating-point arithmetic of section 4",
            "double53": "the floating-point arithmetic with 53-bit mantissas",
            "hornet": "the library",
        }
        warm = "key in cache,data in cache,aligned"
        named = [
            (kernel, build, f"{name}, {build}")
            for kernel, name in names.items()
            for build in self.builds
            if self.series("cases", f"{kernel}, {build}", warm)
        ]
        n = 1024
        at = [(f"{self.labels[k]}, {build}", self.interval("cases", f"{k}, {build}", warm, n)) for k, build, _ in named]
        found = [(label, one) for label, one in at if one is not None]
        of_64 = {
            f"{self.labels[k]}, {build}": self.interval("cases", f"{k}, {build}", warm, 64) for k, build, _ in named
        }
        rows = [
            [f"{self.here}: {label}", brackets(one, 0), of_64[label] and brackets(of_64[label], 0)]
            for label, one in found
        ]
        short = dict(paper["section1"]["rows_64"])
        if rows:
            self.table(
                f"Section 1 of Bernstein: cycles to verify a tag of {n} and of 64 bytes, with AES",
                ["processor", f"{n} bytes", "64 bytes"],
                [[name, value, short.get(name)] for name, value in paper["section1"]["rows"]] + rows,
                len(rows),
            )
            least = min(value for _, value in paper["section1"]["rows"])
            one = min((one for _, one in found), key=lambda one: one.middle)
            factor = Interval(least / one.middle, least / one.high, least / one.low if one.low > 0 else -numpy.inf)
            self.say(
                f"The quickest of the paper's CPUs takes {brackets(factor)} times as many cycles as "
                "the quickest here, which encrypts the nonce with the CPU's instructions for AES where it has them."
            )
        for kernel, build, name in named:
            self.eight_cases(f"{kernel}, {build}", name)
        for kernel, build, name in named:
            self.of_cases(f"{kernel}, {build}", name)

    def loads(self) -> None:
        """Compare section 4's three ways to load an integer into a floating-point register."""
        ways = {
            "load_zeros": "beside four bytes of zeros, as an integer of eight",
            "load_exponent": "beside an exponent, as a double, from which 2^52 + 2^51 is subtracted",
            "load_signed": "less 2^31, as an integer of four with a sign, to which 2^31 is added",
        }
        times = {way: self.chain_and_apart(way) for way in ways}
        if not all(times.values()):
            return
        self.table(
            "Section 4 of Bernstein: three ways to load an integer of four bytes into a register of x87, cycles",
            ["way", "stored and loaded again, in a chain", "apart"],
            [[ways[way], *(brackets(one) for one in of.values())] for way, of in times.items()],
        )
        apart = next(key for key in self.samples.of if key[0] == "instructions" and key[1].endswith(" apart"))[1]
        samples = {way: self.samples.cycles("instructions", apart, way)[0] for way in ways}
        said = []
        for way in ("load_zeros", "load_exponent"):
            ratio = intervals.medians((samples[way] / samples["load_signed"])[None])[0]
            said.append(brackets(ratio))
        self.say(
            "In the paper, the store of four bytes makes the load of eight wait for dozens of cycles in the first two ways. Here they "
            f"take {' and '.join(said)} times as long as the third, if loads do not depend on one another."
        )

    def aes(self) -> None:
        """Say what AES takes of the time to verify a tag."""
        warm, rows, most = "key in cache,data in cache,aligned", [], []
        ways = ("from the key", "from an expanded key")
        for build in self.builds:
            of = self.samples.cycles("aes", build, ways[0])
            if not of:
                continue
            row = [build, *(one and brackets(one, 0) for one in (self.interval("aes", build, way, 0) for way in ways))]
            verified = self.samples.cycles("cases", f"hornet, {build}", warm)
            for n in AES_LENGTHS:
                share = intervals.medians(100 * of[0][None] / verified[n])[0] if n in verified else None
                row.append(share and brackets(share))
                most += [f"{n} ({build})"] if share and share.low > 50 else []
            rows.append(row)
        if not rows:
            return
        self.table(
            "Section 4 of Bernstein, AES: cycles for one block, and its share from the key of the time in which the library verifies a tag, in %",
            ["build", *ways, *(f"share of {n} bytes" for n in AES_LENGTHS)],
            rows,
        )
        self.say(
            f"In the paper, AES is more than half of the time for short messages; here of {', '.join(most) or 'none of these'} bytes. The columns are of one call that is waited for: inside a "
            "verification, AES can begin beside the rest."
        )

    def eight_cases(self, variant: str, name: str) -> None:
        """Draw appendix A's graph: every case over the length."""
        short_names = {"key not in cache": "key cold", "data not in cache": "data cold"}
        charts: dict[str, list[Line]] = {}
        for group, prefix in (("cases", ""), ("cases of cold code", "code cold, ")):
            for _, _, case in [key for key in self.cycles if key[:2] == (group, variant)]:
                *cold, alignment = case.split(",")
                panel = " and ".join(filter(None, map(short_names.get, cold))) or "key and data in the cache"
                colour = "c2" if prefix else "c1" if alignment == "unaligned" else "c0"
                points = [(n, cycles / 1000) for n, cycles in self.series(group, variant, case).items()]
                charts.setdefault(panel, []).append(Line(f"{prefix}{alignment}", points, colour))
        # All with the same axis, so that they can be compared.
        values = [value for lines in charts.values() for line in lines for _, value in line.points]
        y = linear_axis("1000 cycles to verify", values)
        drawn = [self.by_length(panel, lines, y.title) for panel, lines in charts.items()]
        for panel in drawn:
            panel.y = y
        self.figure(
            "Appendix A of Bernstein: time to verify a tag of Poly1305-AES against length, in the eight cases and with code "
            f"that is not in the cache, {name}.",
            panels(f"Verification by {name}", drawn, 2, 300),
        )

    def of_cases(self, variant: str, name: str) -> None:
        """Say what each case costs."""

        def mean_of(case: str, group: str = "cases") -> numpy.ndarray | None:
            """Return the mean of each process from 2 KiB on."""
            values = [value for n, value in self.samples.cycles(group, variant, case).items() if n >= 2048]
            return numpy.mean(values, axis=0) if values else None

        def cost(of: numpy.ndarray, beside: numpy.ndarray) -> Interval:
            return intervals.medians((of - beside)[None])[0]

        warm = "key in cache,data in cache,aligned"
        base = mean_of(warm)
        key = mean_of("key not in cache,data in cache,aligned")
        data = mean_of("key in cache,data not in cache,aligned")
        unaligned = mean_of("key in cache,data in cache,unaligned")
        code = mean_of(warm, "cases of cold code")
        if base is None or key is None or data is None or unaligned is None:
            return
        paper = PAPERS["bernstein"]["cold_code"]["cycles"]
        of_code = (
            f", code {brackets(cost(code, base), 0)} (in the paper {paper[0]} to {paper[1]})"
            if code is not None
            else ""
        )
        times = self.samples.cycles("cases", variant, warm)
        whole = [
            2 * times[n] / (times[n - 1] + times[n + 1]) for n in times if n % 16 == 0 and n > 1024 and n + 1 in times
        ]
        # As a speed-up over the neighbours.
        change = intervals.medians(100 * (1 - numpy.median(whole, axis=0))[None])[0] if whole else None
        said = {FASTER: "takes less time than", SLOWER: "takes more time than", NO_DIFFERENCE: "takes the time of"}
        order = {
            FASTER: "As in the paper, a key costs less than data.",
            SLOWER: "Unlike in the paper, a key costs more than data.",
        }
        self.say(
            f"With {name}, from 2 to 4 KiB: a key that is not in the cache costs {brackets(cost(key, base), 0)} cycles on average, "
            f"data {brackets(cost(data, base), 0)}{of_code}, and unaligned data {brackets(cost(unaligned, base), 0)}, of "
            f"{brackets(intervals.medians(base[None])[0], 0)}.",
            order.get(cost(data, key).verdict, "Between the costs of key and data there is no difference."),
            f"Above 1 KiB, a multiple of 16 bytes {said[change.verdict]} its neighbours: by {brackets(change)} % less (in the paper, slightly "
            "less)."
            if change
            else "",
        )

    def additions(self) -> None:
        """Compare the additions that the table methods were counted to make with the paper's."""
        counts = {(c["kernel"], c["part"]): c["counts"] for c in self.results["operations"]}
        paper = PAPERS["bernstein"]["additions"]
        rows = []
        for kernel in ("doublings", "triples", "multiples"):
            if of := counts.get((kernel, "multiplication")):
                rows.append([self.labels[kernel], paper.get(kernel), of["additions"], f"{of['least']} to {of['most']}"])
                blocks = of["blocks"]
        if rows:
            self.table(
                f"Section 5 of Bernstein: additions and subtractions of table elements to multiply by r, over {blocks} random blocks, with "
                "another random r for each 64",
                ["strategy", "paper, on average about", "counted, mean", "counted, range"],
                rows,
            )

    def integer_registers(self) -> str:
        """Compare the library's scalar code with the floating-point arithmetic at 4 KiB."""
        said = []
        for kernel in ("x87", "double53"):
            up = self.samples.speed_ups("lengths", "gcc", kernel, "scalar64").get(4096)
            if up is not None:
                one = intervals.medians(up[None])[0]
                said.append(f"over {self.labels[kernel]}: {brackets(one)} % ({one.verdict})")
        return (
            f"Speed-up of integer registers, which section 5 names, at 4 KiB, gcc, {'; '.join(said)}." if said else ""
        )

    def polyakov(self) -> None:
        paper, large = PAPERS["polyakov"], self.large()
        kernels = "folded64 scalar26 scalar32 polyakov_sse2 polyakov_avx polyakov_avx2 polyakov_avx512f doubles_avx x87".split()
        here = {k: self.per_byte("gcc", k, large) for k in kernels}
        in_32 = {k: self.per_byte(BUILD_32, k, large) for k in kernels}
        of_64, of_32 = f"{self.here}, 64-bit code", f"{self.here}, 32-bit code"
        vectors = [list(row) + [None] for row in paper["vectors"]["rows"]]
        vectors.append([of_32, in_32["polyakov_sse2"], None, None, None])
        vectors.append([of_64, *(here[f"polyakov_{name}"] for name in ("sse2", "avx", "avx2", "avx512f"))])
        scalars = [list(row) for row in paper["scalar"]["rows"]]
        scalars += [[of_32, in_32["scalar32"], None], [of_64, here["scalar32"], here["folded64"]]]
        floats = [[name, value] for name, value in paper["x87"]["rows"]] + [[of_32, in_32["x87"]], [of_64, here["x87"]]]
        if not any(in_32.values()):
            self.say("These results have no measurement of 32-bit code.")
        if here["polyakov_sse2"]:
            self.table(
                f"Radix 2^26 in vectors, cycles per byte out of a large block, here {bytes_text(large)}, gcc",
                [*paper["vectors"]["columns"], "AVX-512F"],
                vectors,
                2,
            )
        haswell = {row[0]: row for row in paper["vectors"]["rows"]}["Haswell"]
        haswell_scalar = {row[0]: row for row in paper["scalar"]["rows"]}["Haswell"]

        def ratio(new: str, old: str) -> str:
            return brackets(self.ratio("gcc", new, old, large), 2)

        if here["polyakov_avx2"]:
            self.say(
                f"AVX2 takes {haswell[3] / haswell[1]:.2f} of the time of SSE2 on his Haswell, "
                f"{ratio('polyakov_avx2', 'polyakov_sse2')} here, in 64-bit code; {haswell[3] / haswell_scalar[2]:.2f} of that of scalar "
                f"radix 2^64 (below), {ratio('polyakov_avx2', 'folded64')} here."
            )
        self.table(
            f"Scalar, cycles per byte out of a large block, here {bytes_text(large)}",
            paper["scalar"]["columns"],
            scalars,
            2,
        )
        if here["scalar32"] and here["folded64"]:
            self.say(
                f"Radix 2^32, in 32-bit programs, takes {haswell_scalar[1] / haswell_scalar[2]:.1f} times as long as 2^64 on his "
                f"Haswell; here {ratio('scalar32', 'folded64')} times, by the library's in 64-bit ones."
            )
        self.polyakov_elsewhere()
        if here["x87"]:
            self.table(
                "Radix 2^32 in x87 registers, cycles per byte out of a large block", ["processor", "x87"], floats, 2
            )
        float_rows = [
            [self.labels[k]] + [self.per_byte(build, k, large) for build in self.builds]
            for k in ("doubles_avx", "doubles_fma", "doubles_avx512", "polyakov_avx2", "scalar26", "folded64")
            if self.runs(k)
        ]
        self.table(
            f"Radix of about 2^22 in vectors of doubles, beside integers: cycles per byte of {bytes_text(large)}",
            ["implementation", *self.builds],
            float_rows + self.noise([large], self.builds),
        )
        if here["polyakov_avx2"] and here["doubles_avx"]:
            holds = {
                FASTER: "that holds here",
                NO_DIFFERENCE: "here there is no difference",
                SLOWER: "that does not hold here",
            }
            of_lanes = self.ratio("gcc", "polyakov_avx2", "doubles_avx", large)
            of_x87 = self.ratio("gcc", "folded64", "x87", large)
            self.say(
                f"He dismisses floating point for CPUs with vectors of integers; {holds[verdict_of_ratio(of_lanes)]}: in four lanes, "
                f"integers take {brackets(of_lanes, 2)} of the time of doubles.",
                "He says, too, that floating point never beats radix 2^64 in registers that are not vectors; "
                f"{holds[verdict_of_ratio(of_x87)]}: radix 2^64 takes {brackets(of_x87, 2)} of the time of x87."
                if of_x87
                else "",
            )
        single = {build: self.interval("lengths", build, "folded64", 16) for build in self.builds}
        times = self.samples.cycles("lengths", "gcc", "folded64")
        if single["gcc"] and large in times:
            factor = intervals.medians((times[16] / (times[large] / large * 16))[None])[0]
            others = ", ".join(
                f"{brackets(single[build], 0)} with {build}" for build in self.builds[1:] if single[build]
            )
            self.say(
                f"A single block takes {brackets(single['gcc'], 0)} cycles here, key to tag{f' ({others})' if others else ''}, about "
                f"{paper['single']['haswell_cycles']} on his Haswell; {brackets(factor)} times a block of a large message, where he has "
                f"{paper['single']['blocks_least']} to {paper['single']['blocks_most']}" + "."
            )
        rows = []
        for vector in ("polyakov_sse2", "polyakov_avx2", "polyakov_avx512f", "doubles_avx", "doubles_avx512"):
            if self.runs(vector):
                rows.append(
                    [self.labels[vector]]
                    + [
                        self.crossing(build, vector, scalar)
                        for scalar in ("folded64", "scalar64")
                        for build in self.builds
                    ]
                )
        if rows:
            self.say("He prefers scalar code for short inputs. Here vectors are faster from these lengths on:")
            self.table(
                "Where the switch from scalar to vectors pays: from which of the measured lengths on vectors are faster",
                [
                    "vectors",
                    *(f"than {scalar}, {build}" for scalar in ("2^64", "the library's 2^64") for build in self.builds),
                ],
                rows,
            )
        self.per_byte_figure(
            "Cycles per byte against length, gcc.",
            "Polyakov's implementations, gcc",
            self.lines(
                "x87:c6 scalar26:c5 folded64:c1 polyakov_sse2:c4 polyakov_avx2:c0 polyakov_avx512f:c7 doubles_avx:c2 "
                "hornet:hornet",
                "gcc",
            ),
        )

    def polyakov_elsewhere(self) -> None:
        """His figures for Arm, POWER and z, which he measured, beside what was counted for such CPUs."""
        paper = PAPERS["polyakov"]
        self.say(
            "His CPUs with Arm's, IBM's and Freescale's architectures were not at hand. Beside his figures, which are measured, stand "
            "the instructions that the library's kernels execute in qemu, and the cycles of their inner loops by llvm-mca's models of newer "
            "CPUs, which are no measurements: caches, branches and what surrounds the loop are not in them, nor is the reduction, where eight or more groups of blocks share one. They are those of "
            "<code>lab/counts/results.md</code>, gcc / clang."
        )
        for name, caption in (
            ("neon", "Radix 2^26 in NEON"),
            ("elsewhere", "Scalar and floating point on Arm, POWER and z"),
        ):
            head, rows = paper[name]["columns"], [list(row) for row in paper[name]["rows"]]
            self.table(f"{caption}: Polyakov's measured cycles per byte out of a large block", head, rows)
        self.calibrated()
        self.table(
            "Not measured: the library's kernels for Arm, POWER and z, counted and by a model",
            ["model", "kernel", "instructions per byte of 16 KiB", "cycles per byte of the loop, llvm-mca"],
            counts_elsewhere(COUNTS.read_text()),
        )

    def calibrated(self) -> None:
        """Say what llvm-mca's models are worth, and how large code is."""
        paper, found = PAPERS["polyakov"], CALIBRATION
        measured = {
            (row[0], column): value
            for name in ("neon", "elsewhere")
            for row in paper[name]["rows"]
            for column, value in zip(paper[name]["columns"], row)
        }
        rows, ratios = [], {}
        for one in found["rows"]:
            theirs, executed = measured[one["processor"], one["column"]], one["instructions_per_byte"]
            left_out = one["left_out"] / (executed * found["bytes"][1])
            ratio = one["per_byte"] / theirs
            # A model that lacks more of the instructions does not time this code.
            if left_out < LEFT_OUT:
                ratios[f"{one['processor']}, {one['column']}"] = ratio
            rows.append(
                [f"{one['processor']} ({one['model']})", one["column"], executed, theirs, one["per_byte"], ratio]
                + [f"{100 * left_out:.0f} %"]
            )
        self.table(
            "Model and measurement of the same code, OpenSSL's: cycles per byte out of a large block",
            [
                "CPU (model)",
                "code",
                "instructions",
                "Polyakov, measured",
                "llvm-mca",
                "ratio",
                "instructions without a model",
            ],
            rows,
        )
        least, most = (choose(ratios, key=ratios.get) for choose in (min, max))
        self.say(
            f"These models take {ratios[least]:.2f} ({least}) to {ratios[most]:.2f} ({most}) of the time that he measured, so that a model's "
            f"figure, and those of the next table, may be wrong by a factor of {max(1 / ratios[least], ratios[most]):.1f}; "
            f"{sum(ratio < 1 for ratio in ratios.values())} of {len(ratios)} are below the measurement. The code is that of OpenSSL "
            f"{escape(found['openssl'])}, and may have changed since he measured.",
        )
        limits = paper["sizes"]
        self.table(
            "Bytes of scalar code of radix 2^64; the library's and the study's has functions of its own for short messages",
            ["architecture", "Polyakov, less than", *dict.fromkeys(one["code"] for one in found["sizes"])],
            [
                [name, limits[name], *(one["bytes"] for one in found["sizes"] if one["architecture"] == name)]
                for name in dict.fromkeys(one["architecture"] for one in found["sizes"])
            ],
        )
        self.table(
            "MIPS64, where Polyakov expects that radix 2^32 may be better: instructions per byte out of a large block, in qemu",
            ["code", "instructions"],
            [[one["code"], one["instructions_per_byte"]] for one in found["mips64"]],
        )

    def crossing(self, build: str, vector: str, scalar: str) -> str:
        """Return the least length from which on `vector` is faster at all measured lengths, by intervals."""
        ups, found = self.samples.speed_ups("lengths", build, scalar, vector), None
        for n in sorted(ups, reverse=True):
            verdict = self.concluded["lengths", build, vector, scalar, n] = intervals.medians(ups[n][None])[0].verdict
            if verdict != FASTER:
                break
            found = n
        return "never" if found is None else bytes_text(found)

    def z14(self) -> None:
        paper, len_bytes = PAPERS["z14"], next(results.find(self.results, None, "phases"))["xs"][0]
        rows, reduces = [], {}
        for build in self.builds:
            for kind in ("serial", "parallel"):
                variant = f"{kind}, {build}"
                expand, multiply, reduce = (
                    self.series("phases", variant, phase)[len_bytes] for phase in ("expand", "multiply", "reduce")
                )
                values = [expand, multiply - expand, reduce - multiply]
                reduces[build, kind] = values[2] / (len_bytes / 64)
                rows.append((variant, [max(value, 0) for value in values]))
        large = self.large()
        self.arranged()
        self.original()
        self.say(
            f"The paper's three limbs, {paper['muls_per_block']} multiply-sums a block in place of "
            f"{paper['before_muls_per_block']} multiplications, over a model of VMSL in plain C, which takes two multiplications and "
            "four additions with carry for each. So this shows what each phase takes beside the others on this CPU, not on a z14."
        )
        self.figure(
            f"The same phases of the study's kernels on this CPU, {len_bytes} bytes: the time that each phase adds. Expand includes "
            "raising the powers, and reduce the end of the evaluation.",
            bars(
                "Shares of the phases, three limbs of 44 bits",
                "share of the time (%)",
                rows,
                ["expand", "multiply", "reduce"],
            ),
        )
        self.table(
            "Cycles for a group of four blocks that the reduction adds",
            ["", *self.builds],
            [[kind] + [round(reduces[build, kind], 1) for build in self.builds] for kind in ("serial", "parallel")],
        )
        self.table(
            f"Cycles per byte of {bytes_text(large)}",
            ["", *self.builds],
            [
                [self.labels[k]] + [self.per_byte(build, k, large) for build in self.builds]
                for k in ("z14_serial", "z14_parallel")
            ],
        )
        ratios = ", ".join(
            f"{reduces[build, 'parallel'] / reduces[build, 'serial']:.2f} with {build}" for build in self.builds
        )
        self.say(
            f"The paper found the serial reduction a bottleneck, and proposes the parallel one. Here the parallel one adds {ratios} of the "
            "cycles that the serial one adds.",
        )
        self.overflows()
        self.ours_beside()
        self.orders()
        self.vmsl()

    def arranged(self) -> None:
        """Draw which block is in which lane, and by which power of r it is multiplied."""
        charts = []
        for number, of in self.model["arrangements"].items():
            products = [
                Product(
                    [
                        f"m[{block}]{' + h' * has}"
                        for block, has in zip(product["blocks"], product["accumulator"], strict=True)
                    ],
                    [in_text(f"r^{power}") for power in product["powers"]],
                    f"{product['multiplications']} multiplications",
                )
                for product in sorted(of["products"], key=lambda product: product["blocks"])
            ]
            phases = of["phases"]
            below = f"expand {phases['expand']}, multiply {phases['multiply']}, reduce {phases['reduce']} operations"
            charts.append((f"Figure {number}: {of['block']}, {of['bytes'] // 16} blocks", products, below))
        self.figure(
            "Figures 1, 2 and 3 of the z14 paper: the blocks m of a group, and the accumulator h, in the two lanes of a vector, and the powers of "
            "r by which they are multiplied, before the sum is reduced. It is drawn from the data flow of the library's code that is "
            "arranged so, and is what each iteration but the last does.",
            vectors("Two lanes: blocks, accumulator and powers of r", charts),
        )

    def overflows(self) -> None:
        """Count the limbs that exceed their bits, as the paper's appendix 2 does."""
        paper, found = PAPERS["z14"]["appendix2"], self.model["overflows"]
        iterations = len(found[0]["limbs"])
        rows = []
        for begin in dict.fromkeys(one["begin"] for one in found):
            theirs = [str(count) for count in paper[begin]]
            rows.append([begin, "the paper's, which is not stated", *theirs, *[None] * (iterations - len(theirs))])
            rows += [[begin, one["multiplier"], *map(str, one["limbs"])] for one in found if one["begin"] == begin]
        self.table(
            "Appendix 2 of the z14 paper: how many of the three limbs exceed their 44, 44 and 42 bits after each iteration of the parallel "
            "reduction, over blocks of ones",
            ["at the beginning", "multiplier", *(f"iteration {i + 1}" for i in range(iterations))],
            rows,
        )
        most = max(one["most_bits"] for one in found)
        falls = all(all(a > b or a == b == 0 for a, b in zip(one["limbs"], one["limbs"][1:])) for one in found)
        self.say(
            f"No limb exceeds its bits by more than {most}; the paper observed no more than {paper['most_bits']}.",
            "Their number falls until it is 0, as the paper concludes."
            if falls
            else "Their number does not fall in all cases, as the paper concludes that it does.",
            "The paper argues from these worst cases that operands stay below 56 bits. Here both reductions are run over ranges, to a fixed point, for "
            "all inputs: <code>lab/tests/test_study_bounds.py</code>.",
        )

    def original(self) -> None:
        """Show the paper's own code, before and after: figure 5, and the whole call."""
        paper, original, ghz = PAPERS["z14"], self.model["original"], PAPERS["z14"]["clock"]["ghz"]
        before, after = original["before"], original["after"]
        wrong = before["check"]["wrong"] + after["check"]["wrong"]
        self.say(
            f"The paper's own code is public: <code>{escape(original['module'])}</code> has the assembly from before it and the "
            f"one by VMSL, which names the paper. It is assembled by {escape(original['go'])} and run in qemu; each instruction that a "
            "call executes belongs to the macro on whose line it is: what expands a message to limbs, multiplies, reduces, or none of "
            "these. The cycles are those of the whole call by llvm-mca's model of the z14; as in a profile, a cycle is of the phase of "
            "the first instruction that has not retired.",
            f"Of {before['check']['inputs']} tags of each, {wrong or 'none'} {'are' if wrong > 1 else 'is'} wrong; "
            "of messages made for it, <code>lab/schedules/results/originals.md</code> shows wrong ones of the latter.",
        )
        phases, names = list(before["phases"]), {"instructions": "phases", "cycles by the model": "phase cycles"}
        bars_of = [
            (f"{when}, {name.split()[0]}", [original[when][key][phase] for phase in phases])
            for name, key in names.items()
            for when in ("before", "after")
        ]
        self.figure(
            f"Figure 5 of the z14 paper, by its own code: shares of the phases in a call of {self.model['bytes']} bytes, of the "
            "instructions that are executed, and of the cycles by the model.",
            bars("Shares of the phases, before and after", "share (%)", bars_of, phases),
        )
        times = paper["times"] | {"expand": 1 / paper["times"]["expand"]}
        rows = []
        for phase in phases:
            row = [phase]
            for key in names.values():
                old, new = (original[when][key][phase] for when in ("before", "after"))
                row += [str(old), str(new), f"{old / new:.2f}"]
            rows.append([*row, f"{times[phase]:.2f}" if phase in times else None])
        row = ["all"]
        for key in names.values():
            old, new = (sum(original[when][key].values()) for when in ("before", "after"))
            row += [str(old), str(new), f"{old / new:.2f}"]
        rows.append([*row, f"{paper['before_ns'] / paper['after_ns']:.2f}"])
        head = [f"{name}, {what}" for name in names for what in ("before", "after", "ratio")]
        self.table(
            f"Figure 5 and section 6 of the z14 paper, its own code, {self.model['bytes']} bytes: how many times as fast a phase became, there "
            "by a profile",
            ["phase", *head, "paper, ratio of times"],
            rows,
            1,
        )
        ns = [one["cycles"] / ghz for one in (before, after)]
        self.say(
            f"A call executes {after['instructions'] / before['instructions']:.2f} of the instructions that it executed before, "
            f"{after['multiplications']} multiplications in place of {before['multiplications']}, and takes {after['cycles'] / before['cycles']:.2f} of "
            f"the cycles by the model: {ns[0]:.0f} and {ns[1]:.0f} ns at {ghz:g} GHz (IBM's figure: the paper states no clock). The paper measured "
            f"{paper['before_ns']} and {paper['after_ns']} ns, {paper['after_ns'] / paper['before_ns']:.2f}.",
        )

    def ours_beside(self) -> None:
        """Ours at the paper's length, beside its own code: by the emulator and the model."""
        paper, kernels, builds = PAPERS["z14"], self.model["kernels"], list(self.model["compilers"])
        original = self.model["original"]
        groups, ghz = self.model["bytes"] // 64, paper["clock"]["ghz"]
        rows = [
            [f"the paper's, {when}", *[str(original[when]["instructions"])] * len(builds), *[None] * len(builds)]
            for when in ("before", "after")
        ]
        for label, kernel in (
            ("the library's vx: limbs of 26 bits, four blocks a step", "vx"),
            ("VMSL, serial reduction", "z14_serial"),
            ("VMSL, parallel reduction", "z14_parallel"),
            ("VMSL, the library's", "vmsl"),
        ):
            loops = [kernels[kernel][build]["loop"]["cycles"] for build in builds]
            rows.append(
                [
                    label,
                    *(f"{kernels[kernel][build]['call']['instructions']:g}" for build in builds),
                    *(None if cycles is None else f"{cycles * groups / ghz:.0f}" for cycles in loops),
                ]
            )
        self.table(
            f"The study's and the library's kernels beside the z14 paper's own code, {self.model['bytes']} bytes: "
            f"instructions of the call in qemu, and {groups} groups in the inner loop by llvm-mca, at {ghz:g} GHz, without the powers and the end",
            [
                "",
                *(f"instructions, {build}" for build in builds),
                *(f"loop, ns by the model, {build}" for build in builds),
            ],
            rows,
        )

    def orders(self) -> None:
        """Show what Coconut makes of figure 4 and of section 10."""
        head, *rows = orders_of_vmsl(ORDERS.read_text())
        vmsl = sum(of["multiplications"] for of in self.model["arrangements"]["3"]["products"])
        self.table(
            "Figure 4 and section 10 of the z14 paper: cycles of an iteration of four blocks by the model of z14, issued in order, and out "
            "of order",
            head,
            rows,
        )
        self.say(
            f"Apart is figure 4: {vmsl} independent VMSL, of which {vmsl - PAPERS['z14']['accumulators']} are added to the accumulators. The orders are Coconut's, which proves that "
            "both compute the same; continuous optimization, the random search that it guides and minimum cuts are those of section 10 "
            "(<code>docs/coconut.md</code>)."
        )

    def vmsl(self) -> None:
        """Describe the evaluation on VMSL itself, not measured, but counted by an emulator and timed by a model."""
        paper, model = PAPERS["z14"], self.model
        kernels, builds, groups = model["kernels"], list(model["compilers"]), model["bytes"] / 64
        names = {
            "vx": ("the library's, radix 2^26, four blocks a step", paper["before_muls_per_block"]),
            "z14_serial": ("44/44/42 by VMSL, serial reduction", paper["muls_per_block"]),
            "z14_parallel": ("44/44/42 by VMSL, parallel reduction", paper["muls_per_block"]),
            "vmsl": ("the library's VMSL, many groups to a reduction: without it", None),
        }

        def each(kernel: str, part: str, what: str, divisor: float = 1) -> list:
            values = [kernels[kernel][build][part][what] for build in builds]
            return [None if value is None else f"{value / divisor:g}" for value in values]

        rows = []
        for kernel, (label, muls) in names.items():
            muls_here = " / ".join(dict.fromkeys(each(kernel, "loop", "multiplications", 4)))
            rows.append(
                [
                    label,
                    muls and f"{muls:g}",
                    muls_here,
                    *each(kernel, "loop", "instructions"),
                    *each(kernel, "loop", "cycles"),
                    *each(kernel, "call", "instructions"),
                ]
            )
        head = [
            "inner loop",
            "multiplications a block, paper",
            "here",
            *(f"instructions, {build}" for build in builds),
            *(f"cycles, {build}" for build in builds),
            *(f"a call, {build}" for build in builds),
        ]
        absent = self.results.get("z14_tools_missing", [])
        stored = self.results.get("z14_stored", f"this machine lacks {', '.join(absent)}" if absent else "")
        source = (
            f"<code>lab/study/results/z14-model.json</code>, of {model['date']}, with {escape('; '.join(model['compilers'].values()))}, "
            f"{escape(model['flags'])}, {escape(model['qemu'])} and llvm-mca of {escape(model['llvm-mca'])}"
        )
        ghz = paper["clock"]["ghz"]
        before, after = (paper[when] * ghz / groups for when in ("before_ns", "after_ns"))
        cycles = {(kernel, build): kernels[kernel][build]["loop"]["cycles"] for kernel in kernels for build in builds}
        gains = [
            (
                build,
                cycles["z14_serial", build] / cycles["vx", build],
                cycles["z14_parallel", build] / cycles["z14_serial", build],
            )
            for build in builds
            if cycles["z14_serial", build] and cycles["z14_parallel", build]
        ]
        of_vx = ", ".join(f"{ratio:.2f} with {build}" for build, ratio, _ in gains)
        of_serial = ", ".join(f"{ratio:.2f} with {build}" for build, _, ratio in gains)
        faster_builds = [build for build, _, ratio in gains if ratio < 1]
        exact = all(
            kernels[kernel][build]["loop"]["multiplications"] == 4 * muls
            for kernel, (_, muls) in names.items()
            if muls
            for build in builds
        )
        of_call = kernels["z14_serial"][builds[0]]["call"]["multiplications"]
        self.out.append("<h3>On VMSL itself</h3>")
        self.say(
            "No z14 was at hand: the same two kernels, compiled for z14, run in qemu, which counts their instructions; their inner "
            "loops are timed by llvm-mca's model of the z14, with all loads from L1. "
            f"All these figures come from {source}.",
            f"They are the stored ones, not made with these measurements: {escape(stored)}." if stored else "",
        )
        self.table(
            "For 64 bytes, four blocks, in the inner loop; and all instructions of a call of the paper's message, "
            f"{model['bytes']} bytes, key to tag (the library's kernels clear the stack besides)",
            head,
            rows,
        )
        self.say(
            f"The multiplications agree with the paper's: {paper['muls_per_block']} to a block in place of "
            f"{paper['before_muls_per_block']}; qemu counts {of_call:g} for the whole call."
            if exact
            else "The multiplications do not agree with the paper's.",
            f"Its {paper['before_ns']} and {paper['after_ns']} ns are {before:.0f} and {after:.0f} cycles for 64 bytes, at {ghz:g} GHz "
            "(IBM's figure: the paper states no clock), all of the call included. It measured that a call takes "
            f"{after / before:.2f} of what it took; by the model, the loop with the serial reduction takes {of_vx} of the time of the library's "
            "radix 2^26, which reduces once for two groups of four blocks."
            if gains
            else "",
        )
        if gains:
            self.say(
                "The paper proposes the parallel reduction and does not measure it. By the model its loop takes "
                f"{of_serial} of the time of the serial one's:",
                f"it gains with {' and '.join(faster_builds)}{'' if len(faster_builds) == len(gains) else ' alone'}."
                if faster_builds
                else "it gains nothing.",
                "The library's loop, in which many groups share a reduction, takes "
                + ", ".join(
                    f"{cycles['vmsl', build] / cycles['z14_parallel', build]:.2f} with {build}" for build, *_ in gains
                )
                + " of that of the parallel one.",
            )

    def beyond(self) -> None:
        lambdas = [1, 2, 3, 4, 8, 16, 32]
        shown = [n for n in (1024, 4096, self.large()) if n in self.lengths()]
        best = []
        for lanes, name in (("avx2", "AVX2, radix 2^26"), ("ifma", "AVX-512 IFMA, radix 2^44")):
            if not self.runs(f"lambda1_{lanes}"):
                continue
            charts = []
            for n in shown:
                lines = [
                    Line(
                        build,
                        [(k, self.series("lengths", build, f"lambda{k}_{lanes}")[n] / n) for k in lambdas],
                        colour,
                    )
                    for build, colour in zip(self.builds, COLOURS)
                ]
                ys = [value for one in lines for _, value in one.points]
                x = log_axis("groups to a reduction", lambdas, 2)
                charts.append(Panel(bytes_text(n), x, linear_axis("cycles per byte", ys, zero=False), lines))
            for n in shown:
                times = {k: self.series("lengths", "gcc", f"lambda{k}_{lanes}")[n] for k in lambdas}
                least = min(times, key=times.get)
                over = {k: self.ratio("gcc", f"lambda{k}_{lanes}", f"lambda{least}_{lanes}", n) for k in lambdas}
                same = [str(k) for k in lambdas if k == least or verdict_of_ratio(over[k]) == NO_DIFFERENCE]
                three = brackets(over[3], 2) if least != 3 else None
                cells = [self.per_byte("gcc", f"lambda{k}_{lanes}", n) for k in (1, least)]
                best.append([name, bytes_text(n), ", ".join(same), *cells, three])
            self.figure(
                f"How many groups share a reduction (lambda): {name}. The axes do not begin at 0.",
                panels(f"Groups to a reduction, {in_text(name)}", charts, len(charts), 300),
            )
        if best:
            self.table(
                "The least lambda, gcc, and those that do not differ from it: cycles per byte",
                ["lanes", "bytes", "lambda", "lambda 1", "the least", "lambda 3, ratio to the least"],
                best + [[*row[:1], None, None, None, None, *row[1:]] for row in self.noise([self.large()], ["gcc"])],
            )
            self.say("Goll and Gueron stop at 3.")
        lengths = [n for n in self.lengths() if n > 64 and n % 64 != 0]
        rests = [
            ("gg4_measured", "pieces at the end, as measured"),
            ("gg4", "pieces at the end, of the text"),
            ("bs4", "zeros, cheap first multiplication"),
            ("zeros4", "zeros, full multiplication"),
            ("front4", "scalar blocks in front"),
        ]
        rests = [(kernel, name) for kernel, name in rests if self.runs(kernel)]
        if self.runs("bs4", "zeros4", "front4"):
            for build in self.builds:
                rows = []
                for n in lengths:
                    ratios = [self.ratio(build, k, "bs4", n) for k, _ in rests]
                    cells = [None if k == "bs4" else brackets(ratio, 2) for (k, _), ratio in zip(rests, ratios)]
                    rows.append([bytes_text(n), -(-n // 16) % 4, *cells])
                means: list[str | None] = []
                for k, _ in rests:
                    ups = self.samples.speed_ups("lengths", build, "bs4", k)
                    of = intervals.mean_of_medians(numpy.array([1 - ups[n] / 100 for n in lengths]))
                    means.append(None if k == "bs4" else brackets(of, 2))
                rows.append(["mean", None, *means])
                self.table(
                    f"Blocks that fill no group, 4-way, {build}: ratio of the time to that of Bhattacharyya and Sarkar's",
                    ["bytes", "rho", *[name for _, name in rests]],
                    rows,
                    1,
                )
                said = []
                for kernel, name in (("zeros4", "a full first multiplication"), ("front4", "scalar blocks in front")):
                    ups = self.samples.speed_ups("lengths", build, kernel, "bs4")
                    one = intervals.mean_of_medians(numpy.array([ups[n] for n in lengths]))
                    said.append(f"over {name} {brackets(one)} % ({one.verdict})")
                self.say(f"Speed-up of the cheap first multiplication with {build}, on average: {'; '.join(said)}.")
        order = "gmp:c6 x87:c5 folded64:c1 polyakov_avx2:c4 gg4_measured:c3 bs4:c0 bs8:c7 z14_parallel:c2 hornet:hornet"
        for build in self.builds:
            self.per_byte_figure(
                f"Every paper's, and the library's, on the same axes, {build}.",
                f"Every paper's implementation, and the library's, {build}",
                self.lines(order, build),
            )
        library = [
            k["name"]
            for k in self.results["kernels"]
            if k["paper"] == "library" and self.runs(k["name"]) and not k["name"].startswith("portable")
        ]
        colours = iter(["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"] * 2)
        self.per_byte_figure(
            "The library's kernels, gcc; each is that of its row of the list, whatever the length.",
            "The library's kernels, gcc",
            self.lines(
                " ".join(f"{name}:{'hornet' if name == 'hornet' else next(colours)}" for name in library), "gcc"
            ),
        )
        self.everything()

    def everything(self) -> None:
        names = [k["name"] for k in self.results["kernels"] if self.runs(k["name"])]
        lengths = [n for n in (16, 64, 256, 1024, 4096, self.large()) if n in self.lengths()]
        rows = [
            [self.labels[k]] + [self.per_byte(build, k, n) for n in lengths for build in self.builds] for k in names
        ] + self.noise(lengths, self.builds)
        self.table(
            "Everything: cycles per byte at a length",
            ["kernel"] + [f"{bytes_text(n)}, {build}" for n in lengths for build in self.builds],
            rows,
        )

    def own(self) -> None:
        """Compare the user's kernels with the library, or with the first other that was measured."""
        names = [k["name"] for k in self.results["kernels"] if self.runs(k["name"])]
        own = [k["name"] for k in self.results["kernels"] if k["paper"] == "own" and k["name"] in names]
        others = [name for name in ("hornet", *names) if name in names and name not in own]
        if not own:
            return
        self.wrong_tags(own)
        for kernel in own:
            for build in self.builds:
                rows = []
                of = self.samples.cycles("lengths", build, kernel)
                for n, one in zip(of, intervals.medians(numpy.array(list(of.values())))):
                    row = [bytes_text(n), brackets(one, 0), self.per_byte(build, kernel, n)]
                    ratio = self.ratio(build, kernel, others[0], n) if others else None
                    if ratio:
                        row += [self.per_byte(build, others[0], n), brackets(ratio, 2), verdict_of_ratio(ratio)]
                        row.append(self.noise_at(build, n))
                    rows.append(row)
                head = ["bytes", "cycles", "cycles per byte"]
                head += (
                    [self.labels[others[0]], f"ratio of the time to that of {self.labels[others[0]]}", "", NOISE]
                    if others
                    else []
                )
                self.table(f"{self.labels[kernel]}, {build}", head, rows)
        self.own_beside_papers(own)
        colours = iter(["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"] * 2)
        shown = [*own, *(name for name in ("hornet", "scalar64", "folded64", "bs4") if name in others)]
        self.per_byte_figure(
            "Your kernels beside others, gcc.",
            "Your kernels, gcc",
            self.lines(" ".join(f"{k}:{'hornet' if k == 'hornet' else next(colours)}" for k in shown), "gcc"),
        )

    def wrong_tags(self, own: list[str]) -> None:
        """Show of which inputs the user's kernels compute wrong tags."""
        rows = [
            [f"{check['kernel']}, {check['build']}", of["class"], of["inputs"], of["wrong"], of["example"]]
            for check in self.results.get("checks", [])
            if check["kernel"] in own and check["wrong"]
            for of in check["classes"]
        ]
        if rows:
            self.table("Wrong tags, by class of input", ["kernel", "inputs", "number", "wrong", "first"], rows)
            self.say("Kernels with wrong tags are marked wherever they are compared: they do not compute Poly1305.")

    def originals(self) -> None:
        """Show the stored results of the papers' own programs."""
        for path in [] if self.prefix not in ("", "r1-") else sorted(ORIGINALS.glob("*.json.xz")):
            one = Report(results.load(path), f"originals/{path.name}", self.model)
            one.captions, one.prefix, one.out = self.captions, self.prefix, self.out
            own = [kernel["name"] for kernel in one.results["kernels"] if kernel["paper"] == "own"]
            one.say(
                f"{'; '.join(PROGRAMS[prefix] for prefix in PROGRAMS if any(name.startswith(prefix) for name in own))}: measured on {escape(one.here)}, {one.results['date']}, with "
                f"{escape('; '.join(one.results['tools'].values()))}, in one run with the kernels beside them, and not with the rest of this page: "
                f"from <code>lab/study/results/{escape(one.file_name)}</code>.",
                one.of_checks(),
                one.conditions(),
            )
            one.wrong_tags(own)
            one.own_beside_papers(own)

    def own_beside_papers(self, own: list[str]) -> None:
        """Compare the user's kernels with the library and with those of the papers whose programs are public."""
        tables = PAPERS["bhattacharyya_sarkar"]["lengths"]["Haswell"]["rows"]
        shown = {row[0] for row in tables} | {16, 64, 256, 1024, 4096, self.large()}
        for kernel in own:
            for build in self.builds:
                beside = [name for name in BESIDE if self.series("lengths", build, name)]
                lengths = self.samples.cycles("lengths", build, kernel) if beside else {}
                lengths = {n: cycles for n, cycles in lengths.items() if n in shown}
                ratios = [[self.ratio(build, kernel, name, n) for n in lengths] for name in beside]
                rows = [
                    [
                        bytes_text(n),
                        brackets(intervals.medians(cycles[None])[0], 0),
                        *(brackets(of[at], 2) for of in ratios),
                        self.noise_at(build, n),
                    ]
                    for at, (n, cycles) in enumerate(lengths.items())
                ]
                for low, high in RANGES:
                    row = []
                    for name in beside:
                        ups = self.joined(self.samples.speed_ups("sweep4", build, name, kernel), low, high)
                        row.append(brackets(intervals.mean_of_medians(ups)) if len(ups) else None)
                    if any(row):
                        rows.append([f"{low} to {high}, %", None, *row, None])
                if rows:
                    verdicts = [list(map(verdict_of_ratio, of)) for of in ratios]
                    counts = [
                        ", ".join(str(of.count(verdict)) for verdict in (FASTER, NO_DIFFERENCE, SLOWER))
                        for of in verdicts
                    ]
                    rows.append([f"lengths: {FASTER}, {NO_DIFFERENCE}, {SLOWER}", None, *counts, None])
                    head = ["bytes", "cycles", *(self.labels[name] for name in beside), NOISE]
                    self.table(
                        f"{self.labels[kernel]}, beside others, {build}: ratio of its time to theirs, and average speed-up in % over them",
                        head,
                        rows,
                    )

    def reductions(self) -> None:
        self.say(
            "A value modulo p = 2^130 − 5 has one representation below p, and a tag is right only if it is that one. Bernstein's section 4 "
            "ends in it: carry, add p to make all limbs positive, subtract p if that is not negative. The IET paper and the z14 paper reduce "
            "to limbs of 26 or 27, and of 44 or 45, bits and leave the rest to the code that accompanies them."
        )
        self.say(
            "The study's kernels and the library's end alike: the sum over the lanes is put together with all carries below 5 · 2^128, "
            "and what is p or more has p subtracted, without a branch (<code>src/poly1305/tag.h</code>). Inputs of the comparison with the "
            "definition have sums from p − 8 to p + 8 (<code>lab/study/check.c</code>).",
            self.of_checks(),
        )

    def body(self, prefix: str = "") -> str:
        """Return the report of one results file; the names of its sections, tables and figures begin with the prefix."""
        self.prefix = prefix
        goll_gueron = "Goll and Gueron; Bhattacharyya and Sarkar"
        sections = [
            ("counts", "What a multiplication takes", self.counted),
            (
                "balanced",
                goll_gueron,
                lambda: self.compared(4),
                self.short_block,
                self.dissertation_lengths,
                self.tables_4_to_6,
            ),
            ("eight", "The dissertation: 512 bits", lambda: self.compared(8)),
            ("bernstein", "Bernstein 2005", self.bernstein),
            ("polyakov", "Polyakov", self.polyakov),
            ("z14", "The z14", self.z14),
            ("originals", "The papers' own programs", self.originals),
            ("own", "Your kernels", self.own),
            ("beyond", "Beyond the papers", self.beyond),
            ("reductions", "Where the papers' reductions end", self.reductions),
        ]
        if self.is_partial:
            measured = {series["group"] for series in self.results["series"] if series["columns"]}
            sections = [
                ("balanced", goll_gueron, *[lambda: self.compared(4)] * ("sweep4" in measured)),
                ("eight", "The dissertation: 512 bits", *[lambda: self.compared(8)] * ("sweep8" in measured)),
                ("own", "Your kernels", *[self.own] * ("lengths" in measured)),
                ("all", "Everything", *[self.everything] * ("lengths" in measured)),
            ]
        parts = []
        for name, title, *methods in sections:
            self.out = []
            for method in methods:
                method()
            parts.append((f"{prefix}{name}", title, "".join(self.out)))
        text = self.head([(name, title) for name, title, text in parts if text])
        return text + "".join(f'<h2 id="{name}">{title}</h2>{text}' for name, title, text in parts if text)


def of_the_papers(report: Report) -> str:
    """Return the list of the papers' tables and figures, each with the numbers of ours, in Markdown."""
    lines = ["| paper | its table or figure | in the report |", "|---|---|---|"]
    report.body()
    for paper, theirs, parts in OF_THE_PAPERS:
        ours = []
        for kind, captions in report.captions.items():
            numbers = [str(i + 1) for i, caption in enumerate(captions) if any(part in caption for part in parts)]
            if numbers:
                first = f"{', '.join(numbers[:-1])} and " if len(numbers) > 1 else ""
                ours.append(f"{kind}{'s' if first else ''} {first}{numbers[-1]}")
        lines.append(f"| {paper} | {theirs} | {'; '.join(ours) or 'none'} |".replace("|  |", "| |"))
    return "\n".join(lines)


def beside(reports: list[Report]) -> str:
    """Return tables of several results beside one another."""
    rows = []
    for one in reports:
        for build in one.builds:
            for lanes in (4, 8):
                for old, name in ((f"gg{lanes}_measured", "as measured"), (f"gg{lanes}", "of the text")):
                    ups = one.samples.speed_ups(f"sweep{lanes}", build, old, f"bs{lanes}")
                    if not ups:
                        continue
                    row = [f"{one.here}, {build}", lanes, name]
                    for low, high in RANGES:
                        samples = one.joined(ups, low, high)
                        row.append(brackets(intervals.mean_of_medians(samples)) if len(samples) else None)
                    rows.append(row + shares_text(intervals.medians(one.joined(ups))))
    text = ""
    if rows:
        head = ["CPU", "lanes", "over GG", *(f"{low} to {high} bytes" for low, high in RANGES)]
        head += ["faster %", "no difference %", "slower %"]
        text += table(
            "Balanced over Goll and Gueron's: average speed-up in % with its interval, and lengths", head, rows
        )
    names = list(dict.fromkeys(k["name"] for one in reports for k in one.results["kernels"] if one.runs(k["name"])))
    labels = {name: label for one in reports for name, label in one.labels.items()}
    measured = [one for one in reports if any(map(one.runs, names))]
    lengths = [n for n in (16, 64, 256, 1024, 4096, 16384) if all(n in one.lengths() for one in measured)]
    if names and lengths:
        cells = [[labels[name], *(one.per_byte("gcc", name, n) for n in lengths for one in measured)] for name in names]
        head = ["kernel", *(f"{bytes_text(n)}, ({i + 1})" for n in lengths for i in range(len(measured)))]
        which = "; ".join(f"({i + 1}) {one.here}" for i, one in enumerate(measured))
        text += table(f"Cycles per byte, gcc: {which}", head, cells)
    return text


def changes(first: Report, second: Report) -> dict[str, tuple[int, int, int]]:
    """Return how many conclusions both reports have, how many of these are not the same, and how many are opposed: of the
    sweeps and of the tables with each compiler, and all. Both bodies were made before."""
    found: dict[str, list[set[str]]] = {}
    for key, verdict in first.concluded.items():
        if key in second.concluded:
            group, build, *_ = key
            for of in (f"{group}, {build}", "all"):
                found.setdefault(of, []).append({verdict, second.concluded[key]})
    last = found.pop("all", [])
    return {
        of: (len(both), sum(len(one) > 1 for one in both), both.count({FASTER, SLOWER}))
        for of, both in [*found.items(), ("all", last)]
    }


def changed(reports: list[Report]) -> str:
    """Say how many conclusions of two results of the same CPU are not the same."""
    said = []
    for i, first in enumerate(reports):
        for second in (other for other in reports[i + 1 :] if other.here == first.here):
            for of, (number, unlike, opposed) in changes(first, second).items():
                if number:
                    said.append(
                        f"Of {number} conclusions ({of}), {escape(first.here)}, {unlike} ({100 * unlike / number:.1f} %) are not "
                        f"the same in both results; {opposed} are opposed."
                    )
    return paragraph(*said) if said else ""


def report(of: list[tuple[dict, str]], model: dict) -> tuple[str, list[Drawing]]:
    """Return the page of results and the names of their files, and its figures."""
    reports = [Report(found, name, model) for found, name in of]
    body = "<h1>The papers' experiments, repeated</h1>"
    if len(reports) == 1:
        body += reports[0].body()
    else:
        prefixes = [f"r{i + 1}-" for i in range(len(reports))]
        links = (f'<li><a href="#{prefix}top">{escape(one.here)}</a></li>' for prefix, one in zip(prefixes, reports))
        bodies = [
            f'<h1 id="{prefix}top">{escape(one.here)}</h1>{one.body(prefix)}' for prefix, one in zip(prefixes, reports)
        ]
        body += f"<ul>{''.join(links)}</ul>{beside(reports)}{changed(reports)}{''.join(bodies)}"
    drawn = []
    for i, one in enumerate(reports):
        for drawing in one.drawn:
            drawn.append(drawing if len(reports) == 1 else Drawing(f"{i + 1} {drawing.title}", drawing.figure))
    text = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Poly1305: the papers' experiments, repeated</title><style>{STYLE}</style></head>\n<body>{body}</body></html>\n"
    )
    return text, drawn


def page(found: dict, file_name: str, model: dict) -> str:
    return report([(found, file_name)], model)[0]
