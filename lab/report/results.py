# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The results of measurements, in the one form that all measurers write. A file is a JSON object:

date        the UTC date
machine     the CPU (model, family, model_number, stepping, microcode, features), the system, the CPUs that the process
            may run on (pinned), whether a hypervisor runs the system (its name, or ""), the governor, turbo and smt
            (whether more threads run on a core) if the system shows them, and the load average before and after
clock       its name, and the counts per cycle of the core if the clock counts something else
tools       the versions of compilers and commands
flags       the flags of each group of sources that was measured
peers       the name, the version and a note of each implementation
missing     the implementations that could not be built or run, and why
runs        date, groups, processes and rounds of each run; a later run replaced the groups that it names
sibling     the state of the sibling thread beside which samples counted, if it was chosen
sections    the instructions that were allowed, the kernels in use, the checks of tags, and which share of the samples
            was taken beside a busy sibling thread, if that is known
series      tables of measurements; each has a section, a group, a variant, an axis, xs, columns and notes

A column has a name and quantities: "ns" for a message, "cpu", those that all CPUs spent on it, where a process was
measured, "cycles", "counts" of the clock, "instructions", or "ratio" to the first column, paired within each round. A
quantity is {"samples": [[...], ...]} with the samples of each x. A sample is independent of the others: the median over
the rounds of one process. A series of the study has two "rounds", and keeps the two medians of each process beside one
another: of "cycles", by the clock beside each round, beside an idle sibling thread and beside a busy one, or twice the
same where there was one state; "busy", for each x the number whose bit i says that it was busy beside median i; and
"clock", of each process the counts per cycle, the 1st percentile, the median and the 99th. Older results have "counts",
and in "clock" the counts per cycle before and after the series. Where samples are not kept, a quantity is {"median": [...]}, with the quartiles "low" and "high" if they are
known. The name of a file that is compressed ends in .xz.
"""

import datetime
import json
import lzma
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

HORNET = "hornet"
READ_PASS = "read pass"
ONE_CALL = ", one call"
OPENSSL = "OpenSSL"
# The prefix of the names of tools that only the groups of whole processes use.
COMMAND = "command "
SWEEPS = ("sweep", "aead-sweep")
FEATURES = (
    "sse2 avx avx2 bmi2 adx avx512f avx512dq avx512bw avx512vl avx512ifma avx_ifma asimd".split()  # what Poly1305 uses
)


# The machine.


def parse_cpu(cpuinfo: str) -> dict:
    """Return the description of the first CPU in /proc/cpuinfo."""
    fields: dict[str, str] = {}
    for line in cpuinfo.splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())

    def field(*names: str) -> str:
        return next((fields[name] for name in names if name in fields), "")

    flags = field("flags", "Features").split()
    return {
        "model": field("model name", "CPU implementer") or "unknown",
        "family": field("cpu family", "CPU architecture"),
        "model_number": field("model", "CPU part"),
        "stepping": field("stepping", "CPU revision"),
        "microcode": field("microcode"),
        "features": [feature for feature in FEATURES if feature in flags],
    }


def this_machine() -> dict:
    def read(path: str) -> str | None:
        try:
            return Path(path).read_text().strip()
        except OSError:
            return None

    cpus = "/sys/devices/system/cpu"
    boost, no_turbo, smt = (read(f"{cpus}/{file}") for file in ("cpufreq/boost", "intel_pstate/no_turbo", "smt/active"))
    pinned = sorted(os.sched_getaffinity(0))
    cpuinfo = read("/proc/cpuinfo") or ""
    return parse_cpu(cpuinfo) | {
        "system": f"{os.uname().sysname} {os.uname().release}",
        "pinned": pinned,
        "cpus": os.cpu_count(),
        "hypervisor": read("/sys/hypervisor/type") or ("unnamed" if re.search(r"\bhypervisor\b", cpuinfo) else ""),
        "governor": read(f"{cpus}/cpu{pinned[0]}/cpufreq/scaling_governor"),
        "turbo": boost == "1" if boost else no_turbo == "0" if no_turbo else None,
        "smt": smt == "1" if smt else None,
        "load": [round(os.getloadavg()[0], 1)],
    }


def title(machine: dict) -> str:
    """Return name, family and model, because names in clouds are vague."""
    return f"{machine['model']}, family {machine['family']} model {machine['model_number']}"


def slug(machine: dict) -> str:
    """Return the base name of the files with this CPU's results."""
    words = re.split(r"[^a-z0-9]", machine["model"].lower())
    words = [word for word in words if word not in ("", "r", "tm", "cpu", "processor")]
    return "-".join([*words, f"f{machine['family']}m{machine['model_number']}"])


def base_name(all_: dict) -> str:
    """Return the base name of the files made from these results."""
    return slug(all_["machine"]) + ("-busy" if all_.get("sibling") == "busy" else "")


def today() -> str:
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()


# Statistics.


def rounded(value: float) -> float:
    """Round to four significant digits; the others are noise."""
    return float(f"{value:.3e}")


def quantile(values: list[float], fraction: float) -> float:
    """Return the value below which that fraction of the values lies, interpolated."""
    ordered = sorted(values)
    at = fraction * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (at - below)


def median(values: list[float]) -> float:
    return quantile(values, 0.5)


def spread(quantity: dict | None) -> dict:
    """Return the medians and quartiles of a quantity at each x."""
    if quantity is None or "samples" not in quantity:
        return quantity or {"median": []}
    return {
        name: [rounded(quantile(samples, fraction)) for samples in quantity["samples"]]
        for name, fraction in (("median", 0.5), ("low", 0.25), ("high", 0.75))
    }


def is_hornet(column: str) -> bool:
    return column.startswith(HORNET)


def is_rival(column: str) -> bool:
    return not is_hornet(column) and column != READ_PASS


def compared(series: dict) -> list[dict]:
    """Return the columns with the spreads of all quantities, and the ratios of Hornet's columns to the fastest other
    one ("to_best"), to OpenSSL ("to_openssl") and to a single call ("to_one_call"), each within one process."""
    columns = series["columns"]
    ratios = {column["name"]: column.get("ratio", {}).get("samples") for column in columns}
    found = []
    for column in columns:
        name, own = column["name"], ratios[column["name"]]
        more = {what: spread(value) for what, value in column.items() if what != "name"}
        if own is not None:
            rivals = [value for other, value in ratios.items() if is_rival(other)]
            if is_hornet(name) and not name.endswith(ONE_CALL):
                more["to_best"] = _quotients(own, rivals)
                if series["group"] == "pieces" and OPENSSL in ratios:
                    more["to_openssl"] = _quotients(own, [ratios[OPENSSL]])
            if name + ONE_CALL in ratios:
                more["to_one_call"] = _quotients(own, [ratios[name + ONE_CALL]])
        found.append({"name": name, **more})
    return found


def _quotients(own: list[list[float]], others: list[list[list[float]]]) -> dict:
    """Return the spread of the quotients of one column and the fastest of others, sample by sample."""
    if not others:
        return {"median": []}
    rows = zip(own, *others)
    return spread({"samples": [[a / min(b) for a, *b in zip(*row)] for row in rows]})


# Files.


def load(path: Path) -> dict:
    data = path.read_bytes()
    return json.loads(lzma.decompress(data) if path.suffix == ".xz" else data)


def save(path: Path, results: dict) -> None:
    """Replace a file, which is written completely or not at all. Each column is one line."""

    def dump(value: object, **how) -> str:
        return json.dumps(value, ensure_ascii=False, **how)

    head = dump({key: value for key, value in results.items() if key != "series"}, indent=1).removesuffix("\n}")
    series = []
    for one in results["series"]:
        form = dump({key: value for key, value in one.items() if key != "columns"}).removesuffix("}")
        columns = ",\n".join(dump(column, separators=(",", ":")) for column in one["columns"])
        series.append(f'{form}, "columns": [\n{columns}]}}')
    text = f'{head},\n "series": [\n{",".join(series)}]\n}}\n'
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    data = text.encode()
    temporary.write_bytes(lzma.compress(data) if path.suffix == ".xz" else data)
    temporary.rename(path)
    print(f"wrote {path}", file=sys.stderr)


def find(results: dict, section: str | None, group: str, variant: str | None = None) -> Iterator[dict]:
    """Return the series of a group, in the order of the file."""
    return (
        one
        for one in results["series"]
        if one["group"] == group and section in (None, one["section"]) and variant in (None, one["variant"])
    )


def merge(processes: list[list[dict]], section: str) -> list[dict]:
    """Merge the series of several processes, which all have the same form. A process gives one value for each x."""
    merged = []
    for same in zip(*processes, strict=True):
        first = same[0]
        columns = []
        for at, column in enumerate(first["columns"]):
            quantities = {}
            for what in (key for key in column if key != "name" and column[key]):
                values = zip(*(one["columns"][at][what] for one in same), strict=True)
                quantities[what] = {"samples": [[rounded(value) for value in row] for row in values]}
                if first["group"] in SWEEPS and what != "ratio":
                    # They would take megabytes.
                    quantities[what] = {"median": spread(quantities[what])["median"]}
            columns.append({"name": column["name"], **quantities})
        merged.append({"section": section, **first, "columns": columns})
    return merged


class Different(Exception):
    """Two runs that cannot be combined."""


def insert(old: dict, new: dict) -> dict:
    """Return the old results with the groups that are in the new ones replaced."""

    def same(what: str, is_same: bool) -> None:
        if not is_same:
            raise Different(f"{what} changed since then: measure all groups again")

    same("the sibling thread's state has", old.get("sibling") == new.get("sibling"))
    cpu = ("model", "family", "model_number", "stepping", "features")
    same("the CPU has", all(old["machine"][key] == new["machine"][key] for key in cpu))
    same("the clock has", old["clock"] == new["clock"])
    for sources, flags in new["flags"].items():
        same("flags have", old["flags"].get(sources, flags) == flags)
    for tool, version in new["tools"].items():
        same(tool, tool.startswith(COMMAND) or old["tools"].get(tool, version) == version)
    versions = {peer["name"]: peer["version"] for peer in old["peers"]}
    for peer in new["peers"]:
        same(peer["name"], versions.get(peer["name"], peer["version"]) == peer["version"])
    sections = {section["section"]: section for section in old["sections"]}
    for section in new["sections"]:
        before = sections.setdefault(section["section"], section)
        same(
            "the kernel has",
            all(before.get(key) in (None, section[key]) for key in ("kernel", "chacha20_kernel")),
        )
        before["chacha20_kernel"] = section["chacha20_kernel"]
        before["checks"] = _replaced(before["checks"], section["checks"], lambda check: check["peer"])

    def place(series: dict) -> tuple:
        return series["section"], series["group"]

    replaced = {place(one) for one in new["series"]}
    order = list(dict.fromkeys(place(one) for one in [*old["series"], *new["series"]]))
    kept = [one for one in old["series"] if place(one) not in replaced]
    groups = {group for _, group in replaced}
    runs = [run | {"groups": [group for group in run["groups"] if group not in groups]} for run in old["runs"]]
    return old | {
        "tools": old["tools"] | new["tools"],
        "flags": old["flags"] | new["flags"],
        "peers": _replaced(old["peers"], new["peers"], lambda peer: peer["name"]),
        "missing": old["missing"] | new["missing"],
        "runs": [run for run in runs if run["groups"] or run is runs[0]] + new["runs"],
        "sections": list(sections.values()),
        "series": sorted([*kept, *new["series"]], key=lambda one: order.index(place(one))),
    }


def _replaced(old: list[dict], new: list[dict], key: Callable[[dict], str]) -> list[dict]:
    return list(({key(item): item for item in old} | {key(item): item for item in new}).values())
