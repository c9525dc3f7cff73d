# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The study's page, a self-contained file made from its results, those for the z14, and the papers' numbers.

Every measured number comes from the results, every number for VMSL from study/results/z14-model.json, and every number
of a paper from study/papers.json.
"""

import json
import re
from html import escape
from pathlib import Path
from statistics import mean

from . import results
from .figures import Line, bars, bytes_text, chart, linear_axis, log_axis, style

STUDY = Path(__file__).resolve().parents[2] / "study"
MODEL = STUDY / "results" / "z14-model.json"
PAPERS = json.loads((STUDY / "papers.json").read_text())
RANGES = [("49 to 1000", 49, 1000), ("1001 to 2000", 1001, 2000), ("2001 to 4000", 2001, 4000)]

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
th:first-child, td:first-child { text-align: left; } th { border-bottom: 1px solid var(--soft); font-weight: 600; }
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


def table(caption: str, head: list[str], rows: list[list], here: int = 0) -> str:
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
    return (
        f'<div class="wide"><p class="caption">{powers(escape(caption))}</p><table><tr>'
        f"{''.join(f'<th>{powers(escape(name))}</th>' for name in head)}</tr>{body}</table></div>"
    )


def figure(caption: str, svg: str) -> str:
    return f"<figure>{svg}<figcaption>{powers(caption)}</figcaption></figure>"


def paragraph(*sentences: str) -> str:
    return f"<p>{powers(' '.join(filter(None, sentences)))}</p>"


class Report:
    def __init__(self, found: dict, file_name: str, model: dict) -> None:
        self.results = found
        self.file_name = file_name
        self.model = model
        self.out: list[str] = []
        self.builds = list(found["tools"])
        self.here = results.title(found["machine"])
        self.labels = {kernel["name"]: kernel["label"] for kernel in found["kernels"]}
        # The least of several medians, as in the papers, in cycles.
        per_cycle = found["clock"]["per_cycle"]
        self.cycles = {
            (series["group"], series["variant"], column["name"]): {
                x: min(samples) / per_cycle for x, samples in zip(series["xs"], column["counts"]["samples"])
            }
            for series in found["series"]
            for column in series["columns"]
        }

    def series(self, group: str, variant: str, column: str) -> dict[int, float]:
        """Return cycles by length; empty for a kernel that does not run on this CPU."""
        return self.cycles.get((group, variant, column), {})

    def lengths(self) -> list[int]:
        return next(results.find(self.results, None, "lengths"))["xs"]

    def per_byte(self, build: str, kernel: str, length: int) -> float | None:
        value = self.series("lengths", build, kernel).get(length)
        return None if value is None else round(value / length, 2 if value / length >= 0.2 else 3)

    def speed_ups(self, section: str, build: str, old: str, new: str) -> dict[int, float]:
        """Return 100 (t_0 - t_1) / t_0 from section 5, which is positive where the new evaluation is faster."""
        before, after = self.series(section, build, old), self.series(section, build, new)
        return {n: 100 * (before[n] - after[n]) / before[n] for n in before if n in after and before[n] > 0}

    def large(self) -> int:
        return max(self.lengths())

    def runs(self, kernel: str) -> bool:
        return ("lengths", "gcc", kernel) in self.cycles

    def lines(self, kernels: str, build: str) -> list[Line]:
        """Return a line for each kernel; each word is its name and its colour."""
        found = []
        for kernel, colour in (word.split(":") for word in kernels.split()):
            points = [(n, value / n) for n, value in self.series("lengths", build, kernel).items()]
            if points:
                found.append(Line(in_text(self.labels.get(kernel, kernel)), points, colour))
        return found

    def per_byte_chart(self, title: str, series: list[Line]) -> str:
        xs, ys = zip(*[point for one in series for point in one.points])
        return chart(
            title, log_axis("message length (bytes)", xs, 2, bytes_text), log_axis("cycles per byte", ys, 10), series
        )

    # The parts of the page, each of which these append to.

    def say(self, *sentences: str) -> None:
        self.out.append(paragraph(*sentences))

    def table(self, caption: str, head: list[str], rows: list[list], here: int = 0) -> None:
        self.out.append(table(caption, head, rows, here))

    def figure(self, caption: str, svg: str) -> None:
        self.out.append(figure(caption, svg))

    def plot(self, caption: str, title: str, lines: list[Line], y_title: str, zero: bool = True) -> None:
        """Append a chart over the message length."""
        xs, ys = zip(*[point for line in lines for point in line.points])
        x = linear_axis("message length (bytes)", xs, zero=zero, tight=True)
        self.figure(caption, chart(title, x, linear_axis(y_title, ys), lines))

    def head(self, sections: list[tuple[str, str]]) -> str:
        r = self.results
        counter = {
            "rdpmc": "cycles of the core, read by rdpmc",
            "perf": "cycles of the core, read from perf",
            "tsc": "the time stamp counter, because this system lets a program read no counter of cycles",
            "clock": "nanoseconds, because this system lets a program read no counter of cycles",
        }[r["clock"]["name"]]
        scale = (
            ""
            if r["clock"]["name"] not in ("tsc", "clock")
            else f"It counts {r['clock']['per_cycle']:.3f} times in a cycle of the core, by which all is divided here: so long "
            "took each of a chain of additions, which take a cycle."
        )
        quick = "<strong>A quick run: few lengths and few samples.</strong>" if r["runs"][0]["quick"] else ""
        compilers = "; ".join(escape(text) for text in r["tools"].values())
        return "".join(
            [
                "<h1>The papers' experiments, repeated</h1>",
                "<p>" + " · ".join(f'<a href="#{name}">{title}</a>' for name, title in sections) + "</p>",
                paragraph(
                    quick,
                    f"Measured on {escape(self.here)}, {r['date']}, {escape(r['machine']['system'])}, with {compilers}, "
                    f"{escape(r['flags']['hornet'])}. Counted: {counter}.",
                    scale,
                    f"The load of the system was {r['machine']['load'][0]} before and {r['machine']['load'][1]} after; what is compared was measured "
                    "in turn, in one process.",
                ),
                paragraph(
                    "A time is that of one call, key to tag, with all code and data in L1: the least of several "
                    "medians, as in the papers. Each call begins after the one before it has ended. All kernels pass the tests "
                    "of the library's own (<code>tests/unit/test_study.py</code>), and end in the library's complete reduction."
                ),
                paragraph(
                    f'<span class="soft">Every measured number here comes from <code>study/results/{self.file_name}</code>, every one of VMSL '
                    "from <code>study/results/z14-model.json</code>, every number of a paper from <code>study/papers.json</code>, which says "
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
                    "evaluation; balanced, or new: Bhattacharyya and Sarkar's."
                ),
            ]
        )

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
        same = all(got[kind] == number for kind, number in paper["table1"]["counts"].items())
        first = [
            [f"rho = {rho}", number, f"{counts['packed4', f'first multiplication, rho {rho}']['counts']['mul32']:g}"]
            for rho, number in paper["first"]["mul32"].items()
        ]
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
        self.say("The same code, run over lanes that count their operations (<code>study/lanes/counting.h</code>).")
        self.table(
            "Table 1 of the IET paper: vecMult, one field multiplication in each lane",
            ["intrinsic", "paper", "counted, 4 lanes", "counted, 8 lanes"],
            rows,
        )
        self.table("Multiplications of the improved first multiplication, section 4.1", ["", "paper", "counted"], first)
        self.say(
            "All counts are the paper's." if same else "The counts differ from the paper's.",
            "In eight lanes the same algorithm takes the same number of instructions for twice the blocks.",
        )
        self.table(
            "Operations for a block of 16 bytes, in the inner loop",
            ["kernel", "lanes", "32 × 32", "52 × 52", "additions", "shifts, and, or", "permutations"],
            blocks,
        )
        self.say(
            f"Goll and Gueron's packing takes {plain:g} multiplications a block, as every evaluation in radix 2^26 with "
            f"five limbs does. The library's AVX2 kernel takes {lean:g} over long messages, because it multiplies a "
            "block as four words of 32 bits by powers that stand ready for the place of each."
        )

    def compared(self, lanes: int) -> None:
        """Compare Goll-Gueron with the balanced evaluation."""
        section, old, new = f"sweep{lanes}", f"gg{lanes}", f"bs{lanes}"
        if not self.series(section, "gcc", new):
            self.say(f"This CPU lacks the instructions for {lanes} lanes.")
            return
        ups = {build: self.speed_ups(section, build, old, new) for build in self.builds}
        head = [
            "processor",
            "bytes",
            *(f"{build}, {what} %" for build in self.builds for what in ("maximum", "average")),
        ]
        rows = []
        if lanes == 4:
            rows = [list(row[: len(head)]) for row in PAPERS["bhattacharyya_sarkar"]["averages"]["rows"]]
        averages = {}
        for name, low, high in RANGES:
            row = [self.here, name]
            for build in self.builds:
                of_range = [up for n, up in ups[build].items() if low <= n <= high]
                averages[build, name] = mean(of_range)
                row += [round(max(of_range), 2), round(mean(of_range), 2)]
            rows.append(row)
        self.table(
            "Speed-up of the balanced evaluation over Goll and Gueron's"
            + (": tables 2 and 3 of the IET paper, and here" if lanes == 4 else ""),
            head,
            rows,
            len(RANGES),
        )
        share = {build: 100 * mean(up > 0 for up in ups[build].values()) for build in self.builds}
        positive = all(average > 0 for average in averages.values())
        faster = (
            "The balanced evaluation is faster at "
            + ", ".join(f"{percent:.0f} % of the lengths with {build}" for build, percent in share.items())
            + "."
        )
        if lanes == 4:
            papers = ", ".join(
                f"{value:g} % on {name}" for name, value in PAPERS["bhattacharyya_sarkar"]["faster"]["rows"]
            )
            self.say(
                faster,
                f"The paper has, with gcc, {papers}.",
                "Here, too, it is faster on average in every range, and gains most where messages are short."
                if positive
                else "Unlike in the paper, it is not faster on average in every range.",
                self.beside_averages(averages),
            )
        else:
            least = min(averages.values())
            self.say(
                "The dissertation (section 6) gives no measurement of the 512-bit evaluations, since no such processor was "
                "available to it, only that the balanced one executes fewer instructions.",
                faster,
                f"It gains {least:.1f} % or more on average in every range, more than in four lanes, because up to seven "
                "blocks are left over in place of three."
                if least > 0
                else "It does not gain in every range.",
            )
        self.by_rho(lanes, ups)
        series = [
            Line(f"{build}", sorted(ups[build].items()), colour, dots=True)
            for build, colour in zip(self.builds, ("c0", "c1"))
        ]
        for one in series:
            one.points = [(n, min(max(up, -20), 45)) for n, up in one.points]
        which = "Figures 12, 16 and 20" if lanes == 4 else "As figure 12, in 8 lanes"
        caption = (
            f"{which}: speed-up of the balanced evaluation over Goll and Gueron's, every length but multiples of "
            f"{16 * lanes} bytes."
        )
        self.plot(caption, "speed-up by length", series, "speed-up (%)")
        for (name, low, high), numbers in zip(RANGES, ("13, 17 and 21", "14, 18 and 22", "15, 19 and 23")):
            series = []
            for kernel, colour in ((old, "c1"), (new, "c0")):
                for build in self.builds:
                    points = [
                        (n, value / n) for n, value in self.series(section, build, kernel).items() if low <= n <= high
                    ]
                    series.append(
                        Line(f"{self.labels[kernel].split(',')[0]}, {build}", points, colour, build == "clang")
                    )
            which = f"Figures {numbers}" if lanes == 4 else "In 8 lanes"
            heading = f"cycles per byte, {name} bytes"
            self.plot(f"{which}: {heading}.", heading, series, "cycles per byte", zero=False)

    def by_rho(self, lanes: int, ups: dict) -> None:
        """Show where the speed-up comes from."""
        rhos = {
            build: {rho: [up for n, up in of.items() if -(-n // 16) % lanes == rho] for rho in range(lanes)}
            for build, of in ups.items()
        }
        rows = [
            [
                rho or "0: whole groups, the last block short",
                *(f"{mean(rhos[build][rho]):.2f}" for build in self.builds),
            ]
            for rho in [*range(1, lanes), 0]
            if all(rhos[build][rho] for build in self.builds)
        ]
        full = max(abs(mean(of[0])) for of in rhos.values())
        others = min(mean(of[rho]) for of in rhos.values() for rho in range(1, lanes) if of[rho])
        self.table(
            "The same by rho, the blocks in the group that is not full: average speed-up in %",
            ["rho", *self.builds],
            rows,
        )
        self.say(
            "At rho = 0 both evaluations do the same:" if full < 1.5 else "At rho = 0 the two do nearly the same:",
            f"their averages there are up to {full:.1f} % from 0, which says how exact the others are.",
            "At every other rho the balanced evaluation gains." if others > 0 else "",
        )

    @staticmethod
    def beside_averages(averages: dict) -> str:
        """Count the averages that are below, between and above those of the paper's processors."""
        below, above = 0, 0
        for (build, name), here in averages.items():
            column = 3 if build == "gcc" else 5
            papers = [row[column] for row in PAPERS["bhattacharyya_sarkar"]["averages"]["rows"] if row[1] == name]
            below += here < min(papers)
            above += here > max(papers)
        return (
            f"Of the {len(averages)} averages, {below} are below those of all of the paper's processors, {above} above, and "
            f"{len(averages) - below - above} between."
        )

    def tables_4_to_6(self) -> None:
        paper = PAPERS["bhattacharyya_sarkar"]["lengths"]
        for build, first in (("clang", 1), ("gcc", 4)):
            if build not in self.builds or not self.runs("bs4"):
                continue
            head = ["bytes"]
            for name in ("Haswell", "Skylake", "Kaby Lake"):
                head += [f"{name}, GG", "new", "%"]
            head += ["here, GG", "new", "%"]
            old, new = self.series("lengths", build, "gg4"), self.series("lengths", build, "bs4")
            rows = []
            for i, row in enumerate(paper["Haswell"]["rows"]):
                n, cells = row[0], [row[0]]
                for name in ("Haswell", "Skylake", "Kaby Lake"):
                    cells += paper[name]["rows"][i][first : first + 3]
                if n in old and n in new:
                    cells += [round(old[n] / n, 2), round(new[n] / n, 2), round(100 * (old[n] - new[n]) / old[n], 2)]
                else:
                    cells += [None] * 3
                rows.append(cells)
            faster = {
                name: sum(row[first + 2] > 0 for row in paper[name]["rows"])
                for name in ("Haswell", "Skylake", "Kaby Lake")
            }
            here = [100 * (old[n] - new[n]) / old[n] for n in (row[0] for row in paper["Haswell"]["rows"]) if n in old]
            self.table(
                f"Tables 4, 5 and 6 of the IET paper, {build}: cycles per byte of Goll and Gueron's and the new "
                "evaluation, speed-up in %",
                head,
                rows,
            )
            theirs = ", ".join(f"{count} of {len(rows)} lengths on {name}" for name, count in faster.items())
            self.say(f"The new evaluation is faster at {theirs}; here at {sum(up > 0 for up in here)} of {len(here)}.")
        n = 2000
        here = self.per_byte("gcc", "bs4", n)
        then = paper["Haswell"]["rows"][-1][5]
        if here is not None:
            self.say(
                f"At {n} bytes the new evaluation takes {here:g} cycles per byte here, {then:g} on Haswell: "
                f"{here / then:.2f} of it for the same instructions."
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
        fit = self.series("lengths", "gcc", "x87")
        double = self.per_byte("gcc", "double53", 4096)
        self.table("Sections 2, 4 and 5: cycles per byte at a length", head, rows, 1)
        if fit:
            slope = (fit[4096] - fit[1024]) / (4096 - 1024)
            self.say(
                f"The paper's software takes fewer than {paper['abstract']['per_byte']} cycles a byte on an {paper['abstract']['cpu']}, "
                f"with AES and {paper['abstract']['per_message']} cycles a message besides; the same arithmetic in C takes {slope:.2f} "
                "here. The paper's was scheduled by hand for its CPU; this is what compilers make of C on one that computes elsewhere.",
                f"With mantissas of 53 bits, in SSE2 registers, twice the multiplications take {double:g}."
                if double
                else "",
                "Integer registers, which section 5 names for CPUs with faster integer multiplication, are faster than either.",
            )
            short, long_ = self.per_byte("gcc", "doublings", 1024), self.per_byte("gcc", "doublings", 4096)
            self.say(
                "The table methods branch and index by secrets: <strong>unsafe</strong>, for comparison only.",
                f"Their time shows it: the doublings take {short:g} cycles per byte at 1 KiB and {long_:g} at 4 KiB of the same "
                "message again and again, as far as the CPU's branch predictor can learn its bits by heart."
                if short and long_ and long_ > 1.3 * short
                else "",
            )
        n = 1024
        rows = [[name, value] for name, value in paper["section1"]["rows"]]
        rows += [
            [f"{self.here}: {self.labels[k]}", round(self.series("lengths", "gcc", k)[n])]
            for k in ("x87", "double53", "hornet")
            if self.runs(k)
        ]
        self.table(
            f"Section 1: cycles to verify a tag of {n} bytes, with AES; here to compute one, without AES, gcc",
            ["processor", "cycles"],
            rows,
            len(rows) - len(paper["section1"]["rows"]),
        )
        least = min(value for _, value in paper["section1"]["rows"])
        self.say(
            f"The quickest of the paper's CPUs takes {least / self.series('lengths', 'gcc', 'hornet')[n]:.0f} times as many cycles, "
            "AES included, as the library here."
        )
        cases = {
            series["variant"]: {
                column["name"]: self.series("cases", series["variant"], column["name"]) for column in series["columns"]
            }
            for series in results.find(self.results, None, "cases")
        }
        colours = ["c6", "c1", "c2", "c5", "c0", "c3", "c4", "c7"]
        short_names = {"key not in cache": "key cold", "data not in cache": "data cold", "unaligned": "unaligned"}
        named = [
            (kernel, name)
            for kernel, name in (
                ("x87", "the floating-point arithmetic of section 4"),
                ("double53", "the floating-point arithmetic with 53-bit mantissas"),
                ("hornet", "the library"),
            )
            if kernel in cases
        ]
        for kernel, name in named:
            series = []
            for colour, (case, times) in zip(colours, cases[kernel].items()):
                label = ", ".join(filter(None, map(short_names.get, case.split(",")))) or "all in cache, aligned"
                label = label.replace("key cold, data cold", "key, data cold")
                series.append(Line(label, list(times.items()), colour, "unaligned" in case))
            caption = f"Appendix A: time against length in the eight cases, {name}, gcc."
            self.plot(caption, f"eight cases of {name}", series, "cycles for a message")

        def mean_of(kernel, case):
            """Return the mean from 2 KiB on."""
            return mean(value for n, value in cases[kernel][case].items() if n >= 2048)
            return

        for kernel, name in named:
            if "key not in cache,data in cache,aligned" not in cases[kernel]:
                continue
            base = mean_of(kernel, "key in cache,data in cache,aligned")
            key = mean_of(kernel, "key not in cache,data in cache,aligned") - base
            data = mean_of(kernel, "key in cache,data not in cache,aligned") - base
            unaligned = mean_of(kernel, "key in cache,data in cache,unaligned") - base
            self.say(
                f"With {name}, from 2 to 4 KiB: a key that is not in the cache costs {key:.0f} cycles on average, data {data:.0f}, "
                f"and unaligned data {unaligned:.0f}, of {base:.0f}.",
                "As in the paper, the penalty for a key is small beside that for data."
                if key < data
                else "Unlike in the paper, a key costs more than data.",
                "Alignment matters no longer." if abs(unaligned) < 0.05 * base else "Alignment matters still.",
            )

    def polyakov(self) -> None:
        paper, large = PAPERS["polyakov"], self.large()
        kernels = "folded64 scalar26 scalar32 polyakov_sse2 polyakov_avx2 polyakov_avx512f doubles_avx x87".split()
        here = {k: self.per_byte("gcc", k, large) for k in kernels}
        vectors = [list(row) + [None] for row in paper["vectors"]["rows"]]
        vectors.append([self.here, here["polyakov_sse2"], None, here["polyakov_avx2"], here["polyakov_avx512f"]])
        scalars = [list(row) for row in paper["scalar"]["rows"]]
        scalars.append([self.here, here["scalar32"], here["folded64"]])
        floats = [[name, value] for name, value in paper["x87"]["rows"]] + [[self.here, here["x87"]]]
        if here["polyakov_sse2"]:
            self.table(
                f"Radix 2^26 in vectors, cycles per byte out of a large block, here {bytes_text(large)} and 64-bit code throughout, "
                "gcc",
                [*paper["vectors"]["columns"], "AVX-512F"],
                vectors,
                1,
            )
        haswell = {row[0]: row for row in paper["vectors"]["rows"]}["Haswell"]
        haswell_scalar = {row[0]: row for row in paper["scalar"]["rows"]}["Haswell"]
        if here["polyakov_avx2"]:
            then, now = haswell[3] / haswell_scalar[2], here["polyakov_avx2"] / here["folded64"]
            self.say(
                f"AVX2 takes {haswell[3] / haswell[1]:.2f} of the time of SSE2 on his Haswell, "
                f"{here['polyakov_avx2'] / here['polyakov_sse2']:.2f} here; {then:.2f} of that of scalar radix 2^64 (below), "
                f"{now:.2f} here{': that agrees' if abs(now / then - 1) < 0.15 else ''}."
            )
        self.table(
            f"Scalar, cycles per byte out of a large block, here {bytes_text(large)}",
            paper["scalar"]["columns"],
            scalars,
            1,
        )
        if here["scalar32"] and here["folded64"]:
            self.say(
                f"Radix 2^32, in 32-bit programs, takes {haswell_scalar[1] / haswell_scalar[2]:.1f} times as long as 2^64 on his "
                f"Haswell; here {here['scalar32'] / here['folded64']:.1f} times, by the library's in 64-bit ones."
            )
        if here["x87"]:
            self.table(
                "Radix 2^32 in x87 registers, cycles per byte out of a large block", ["processor", "x87"], floats, 1
            )
        float_rows = [
            [self.labels[k]] + [self.per_byte(build, k, large) for build in self.builds]
            for k in ("doubles_avx", "doubles_fma", "doubles_avx512", "polyakov_avx2", "scalar26", "folded64")
            if self.runs(k)
        ]
        self.table(
            f"Radix of about 2^22 in vectors of doubles, beside integers: cycles per byte of {bytes_text(large)}",
            ["implementation", *self.builds],
            float_rows,
        )
        if here["polyakov_avx2"] and here["doubles_avx"]:
            better = here["doubles_avx"] > here["polyakov_avx2"]
            self.say(
                "He dismisses floating point for CPUs with vectors of integers; "
                + (
                    f"that holds here: {here['doubles_avx']:g} against {here['polyakov_avx2']:g} cycles per byte in four lanes."
                    if better
                    else "that does not hold here."
                ),
                "He says, too, that floating point never beats radix 2^64 in registers that are not vectors: "
                f"x87 takes {here['x87']:g}, radix 2^64 {here['folded64']:g}."
                if here["x87"]
                else "",
            )
        single = {build: self.series("lengths", build, "folded64").get(16) for build in self.builds}
        of_large = self.per_byte("gcc", "folded64", large)
        if single["gcc"] and of_large:
            factor = single["gcc"] / (16 * of_large)
            others = ", ".join(f"{single[build]:.0f} with {build}" for build in self.builds if build != "gcc")
            self.say(
                f"A single block takes {single['gcc']:.0f} cycles here, key to tag{f' ({others})' if others else ''}, about "
                f"{paper['single']['haswell_cycles']} on his Haswell; {factor:.1f} times a block of a large message, where he has "
                f"{paper['single']['blocks_least']} to {paper['single']['blocks_most']}"
                + (
                    ": that does not agree. Before a block's multiplication and after it little is done here."
                    if factor < paper["single"]["blocks_least"]
                    else "."
                )
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
            self.say(
                "He prefers scalar code for short inputs, where vectors compute much that is thrown away. That holds here, "
                "up to these lengths:"
            )
            self.table(
                "Where the switch from scalar to vectors pays: from which of the measured lengths on vectors are faster",
                [
                    "vectors",
                    *(f"than {scalar}, {build}" for scalar in ("2^64", "the library's 2^64") for build in self.builds),
                ],
                rows,
            )
        self.figure(
            "Cycles per byte against length, gcc.",
            self.per_byte_chart(
                "Polyakov's implementations",
                self.lines(
                    "x87:c6 scalar26:c5 folded64:c1 polyakov_sse2:c4 polyakov_avx2:c0 polyakov_avx512f:c7 doubles_avx:c2 "
                    "hornet:hornet",
                    "gcc",
                ),
            ),
        )

    def crossing(self, build: str, vector: str, scalar: str) -> str:
        """Return the least length from which on `vector` is faster at all measured lengths."""
        fast, slow = self.series("lengths", build, vector), self.series("lengths", build, scalar)
        found = None
        for n in sorted(fast, reverse=True):
            if fast[n] >= slow[n]:
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
        self.say(
            f"The paper's three limbs, {paper['muls_per_block']} multiply-sums a block in place of "
            f"{paper['before_muls_per_block']} multiplications, over a model of VMSL in plain C, which takes two multiplications and "
            "four additions with carry for each. So this shows what each phase takes beside the others on this CPU, not on a z14."
        )
        self.figure(
            f"Figure 5: shares of expand, multiply and reduce of {len_bytes} bytes, as the time that each phase adds. The "
            "reduction also makes each group wait for the one before it.",
            bars("shares of the phases", "share of the time (%)", rows, ["expand", "multiply", "reduce"]),
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
        agrees = all(reduces[build, "parallel"] < reduces[build, "serial"] for build in self.builds)
        self.say(
            "The paper found the serial reduction a bottleneck, and the parallel one a remedy: "
            + ("that agrees here." if agrees else "that does not agree here with every compiler."),
            f"On its z14 the whole went from {paper['before_ns']} to {paper['after_ns']} ns at {paper['bytes']} bytes: multiplication "
            f"{paper['times']['multiply']} times and reduction {paper['times']['reduce']} times as fast, expansion "
            f"{paper['times']['expand']} times as slow.",
            "Its appendix argues from observed worst cases that limbs stay below 56 bits. Here both reductions are run over ranges, "
            "to a fixed point, for all inputs: <code>tests/proofs/test_study_bounds.py</code>.",
        )
        self.vmsl()

    def vmsl(self) -> None:
        """Describe the evaluation on VMSL itself, not measured, but counted by an emulator and timed by a model."""
        paper, model = PAPERS["z14"], self.model
        kernels, builds, groups = model["kernels"], list(model["compilers"]), model["bytes"] / 64
        names = {
            "vx": ("radix 2^26, two products at a time, as before the paper", paper["before_muls_per_block"]),
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
        source = (
            f"<code>study/results/z14-model.json</code>, of {model['date']}, with {escape('; '.join(model['compilers'].values()))}, "
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
            f"This machine lacks {escape(', '.join(absent))}: they are from the file that is committed, and were not made with "
            "the measurements."
            if absent
            else "",
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
            "radix 2^26, which reduces once for two groups of four blocks: multiplications are no longer what takes the time."
            if gains
            else "",
        )
        if gains:
            self.say(
                "The paper proposes the parallel reduction and does not measure it. By the model its loop takes "
                f"{of_serial} of the time of the serial one's:",
                f"it gains with {' and '.join(faster_builds)}{'' if len(faster_builds) == len(gains) else ' alone'}, and not as much as beside the "
                "phases above, because the expansion and the additions are most of the instructions."
                if faster_builds
                else "it gains nothing.",
                "More is gained where many groups share a reduction, which the paper does not consider.",
            )

    def beyond(self) -> None:
        lambdas = [1, 2, 3, 4, 8, 16, 32]
        shown = [n for n in (1024, 4096, self.large()) if n in self.lengths()]
        best = []
        for lanes, name in (("avx2", "AVX2, radix 2^26"), ("ifma", "AVX-512 IFMA, radix 2^44")):
            if not self.runs(f"lambda1_{lanes}"):
                continue
            series = []
            for i, n in enumerate(shown):
                for build in self.builds:
                    points = [(k, self.per_byte(build, f"lambda{k}_{lanes}", n)) for k in lambdas]
                    series.append(Line(f"{bytes_text(n)}, {build}", points, f"c{i}", build == "clang"))
            for n in shown:
                times = {k: self.per_byte("gcc", f"lambda{k}_{lanes}", n) for k in lambdas}
                best.append([name, bytes_text(n), min(times, key=times.get), times[1], min(times.values())])
            ys = [value for one in series for _, value in one.points]
            self.figure(
                f"How many groups share a reduction: {name}.",
                chart(
                    f"lambda, {name}",
                    log_axis("lambda: groups to a reduction", lambdas, 2),
                    linear_axis("cycles per byte", ys),
                    series,
                ),
            )
        if best:
            self.table(
                "The best lambda, gcc: cycles per byte", ["lanes", "bytes", "best lambda", "lambda 1", "best"], best
            )
            self.say(
                "Goll and Gueron stop at 3, since powers of R do not fit into registers. Loaded from memory they cost little: what "
                "limits lambda is the time that it takes to raise them, so that longer messages gain from more."
            )
        lengths = [n for n in self.lengths() if n > 64 and n % 64 != 0]
        rests = [
            ("gg4", "pieces at the end"),
            ("bs4", "zeros, cheap first multiplication"),
            ("zeros4", "zeros, full multiplication"),
            ("front4", "scalar blocks in front"),
        ]
        if self.runs("bs4"):
            for build in self.builds:
                times = {k: self.series("lengths", build, k) for k, _ in rests}
                rows = []
                for n in lengths:
                    n = int(n)
                    ratios = [times[k][n] / times["bs4"][n] for k, _ in rests]
                    rows.append([bytes_text(n), -(-n // 16) % 4] + [round(ratio, 2) for ratio in ratios])
                means = [mean(row[2 + i] for row in rows) for i in range(len(rests))]
                rows.append(["mean", None] + [round(value, 2) for value in means])
                self.table(
                    f"Blocks that fill no group, 4-way, {build}: ratio of the time to that of Bhattacharyya and Sarkar's",
                    ["bytes", "rho", *[name for _, name in rests]],
                    rows,
                    1,
                )
                ideas = dict(zip([k for k, _ in rests], means))
                cheap = 100 * (ideas["zeros4"] - 1)
                scalar = 100 * (ideas["front4"] - 1)
                self.say(
                    f"With {build}, the cheap first multiplication takes {abs(cheap):.1f} % {'less' if cheap > 0 else 'more'} time than "
                    f"a full one on average, and scalar blocks in front take {abs(scalar):.1f} % {'more' if scalar > 0 else 'less'} time than it:",
                    "the scalar code runs while the vectors raise the powers of r, which the first multiplication waits for."
                    if scalar < 0
                    else "the cheap multiplication is worth its code.",
                )
        order = "gmp:c6 x87:c5 folded64:c1 polyakov_avx2:c4 gg4:c3 bs4:c0 bs8:c7 z14_parallel:c2 hornet:hornet"
        for build in self.builds:
            self.figure(
                f"Every paper's, and the library's, on the same axes, {build}.",
                self.per_byte_chart(f"all, {build}", self.lines(order, build)),
            )
        library = [
            k["name"]
            for k in self.results["kernels"]
            if k["paper"] == "library" and self.runs(k["name"]) and not k["name"].startswith("portable")
        ]
        colours = iter(["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"] * 2)
        self.figure(
            "The library's kernels, gcc; each is that of its row of the list, whatever the length.",
            self.per_byte_chart(
                "the library's kernels",
                self.lines(
                    " ".join(f"{name}:{'hornet' if name == 'hornet' else next(colours)}" for name in library), "gcc"
                ),
            ),
        )
        names = [k["name"] for k in self.results["kernels"] if self.runs(k["name"])]
        lengths = [n for n in (16, 64, 256, 1024, 4096, self.large()) if n in self.lengths()]
        rows = [
            [self.labels[k]] + [self.per_byte(build, k, n) for n in lengths for build in self.builds] for k in names
        ]
        self.table(
            "Everything: cycles per byte at a length",
            ["kernel"] + [f"{bytes_text(n)}, {build}" for n in lengths for build in self.builds],
            rows,
        )

    def reductions(self) -> None:
        self.say(
            "A value modulo p = 2^130 − 5 has one representation below p, and a tag is right only if it is that one. Bernstein's section 4 "
            "ends in it: carry, add p to make all limbs positive, subtract p if that is not negative. The IET paper and the z14 paper reduce "
            "to limbs of 26 or 27, and of 44 or 45, bits and leave the rest to the code that accompanies them; code published with two "
            "of the papers returns wrong tags where the last sum is p or a little more."
        )
        self.say(
            "Here every kernel ends alike: its sum over the lanes is put together with all carries below 5 · 2^128, and what is p "
            "or more has p subtracted, without a branch (<code>src/poly1305/tag.h</code>). The tests solve the last block for sums at p − 8 to "
            "p + 8, at 2^130 and at every limb boundary, and inject accumulators as large as allowed: 0 failures."
        )

    def page(self) -> str:
        parts = []
        for name, title, *methods in (
            ("counts", "What a multiplication takes", self.counted),
            ("balanced", "Goll and Gueron; Bhattacharyya and Sarkar", lambda: self.compared(4), self.tables_4_to_6),
            ("eight", "The dissertation: 512 bits", lambda: self.compared(8)),
            ("bernstein", "Bernstein 2005", self.bernstein),
            ("polyakov", "Polyakov", self.polyakov),
            ("z14", "The z14", self.z14),
            ("beyond", "Beyond the papers", self.beyond),
            ("reductions", "Where the papers' reductions end", self.reductions),
        ):
            self.out = []
            for method in methods:
                method()
            parts.append((name, title, "".join(self.out)))
        body = self.head([(name, title) for name, title, text in parts if text])
        body += "".join(f'<h2 id="{name}">{title}</h2>{text}' for name, title, text in parts if text)
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>Poly1305: the papers' experiments, repeated</title><style>{STYLE}</style></head>\n<body>{body}</body></html>\n"
        )


def page(found: dict, file_name: str, model: dict) -> str:
    return Report(found, file_name, model).page()
