# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Synthesize, place and route the cores for an ECP5, and write a table of what the tools report, beside published cores.

python -m lab.circuit.synthesize [--results] [--seed N]     table: build/circuit/results.md; --results: the committed one
python -m lab.circuit.synthesize --table [--results]        of the reports that are in build/circuit
python -m lab.circuit.synthesize --verilog                  build/circuit/NAME.v, with MULT18X18D; for any FPGA: --any
"""

import argparse
import json
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from amaranth.back import rtlil
from amaranth.lib import wiring

from lab.circuit.multiplier import ECP5
from lab.circuit.pipelined import PipelinedCore
from lab.circuit.simulate import BLOCK_BYTES, Run, Tagged, beats
from lab.circuit.small import SmallCore

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/circuit"
TOOLS = BUILD / "synthesis/bin"
COMMITTED = Path(__file__).parent / "results.md"
PUBLISHED = Path(__file__).parent / "published.json"

CORES: dict[str, Callable[[], wiring.Component]] = {"small": SmallCore, "pipelined": PipelinedCore}
# The largest ECP5 in its fastest speed grade, and the clock that the tools aim at.
DEVICE = ["--85k", "--speed", "8", "--package", "CABGA756"]
DEVICE_NAME = "ECP5-85F, speed grade 8, CABGA756"
AIM_MHZ = 200
MESSAGES = (64, 1500, 16384)


def run(name: str, tool: str, *arguments: object) -> None:
    """Run a tool, whose output goes to a file, in build/circuit."""
    log = BUILD / f"{name}.{tool}.log"
    with log.open("w") as output:
        command = [str(TOOLS / f"yowasp-{tool}"), *map(str, arguments)]
        status = subprocess.run(command, cwd=BUILD, stdout=output, stderr=subprocess.STDOUT, check=False).returncode
    if status != 0:
        raise SystemExit(f"{tool} failed: see {log.relative_to(ROOT)}")


def write_rtlil(name: str, platform: str | None) -> Path:
    BUILD.mkdir(parents=True, exist_ok=True)
    path = BUILD / f"{name}.il"
    path.write_text(rtlil.convert(CORES[name](), name=f"poly1305_{name}", platform=platform))
    return path


def write_verilog(name: str, platform: str | None) -> None:
    source = write_rtlil(name, platform)
    run(name, "yosys", "-q", "-p", f"read_rtlil {source.name}; proc; write_verilog -noattr {name}.v")


def place_and_route(name: str, seed: int) -> None:
    source = write_rtlil(name, ECP5)
    run(name, "yosys", "-q", "-p", f"read_rtlil {source.name}; synth_ecp5 -top poly1305_{name} -json {name}.json")
    # Not with nextpnr's router2, which may find no way from the clock's pin.
    options = ["--freq", AIM_MHZ, "--timing-allow-fail", "--seed", seed]
    run(name, "nextpnr-ecp5", *DEVICE, "--json", f"{name}.json", *options, "--report", f"{name}.report.json")


@dataclass(frozen=True)
class Cycles:
    """What messages take in the simulator: a block of a long one, and whole ones one after the other."""

    block: float
    message: dict[int, float]


def cycles(core: Callable[[], wiring.Component]) -> Cycles:
    def between(length: int) -> int:
        """Return the cycles from one message's first beat to the next one's, of several."""
        message = run_of(core, [length] * 3)
        return message[2].begun - message[1].begun

    longer, shorter = between(64 * BLOCK_BYTES), between(32 * BLOCK_BYTES)
    block = (longer - shorter) / 32
    of_32 = shorter - 32 * block
    return Cycles(block, {n: between(n) if n <= 1500 else of_32 + block * -(-n // BLOCK_BYTES) for n in MESSAGES})


def run_of(core: Callable[[], wiring.Component], lengths: list[int]) -> list[Tagged]:
    found = Run(core(), [list(beats(bytes(32), bytes(length))) for length in lengths])
    found.tags()
    return found.tagged


def rows() -> Iterator[list[str]]:
    for name, core in CORES.items():
        report = json.loads((BUILD / f"{name}.report.json").read_text())
        used = {cell: count["used"] for cell, count in report["utilization"].items()}
        (clock,) = report["fmax"].values()
        mhz, taken = clock["achieved"], cycles(core)
        multipliers = used["MULT18X18D"]
        rate = mhz * BLOCK_BYTES / taken.block
        yield [
            f"{name}, {DEVICE_NAME}",
            f"{used['TRELLIS_COMB']}",
            f"{used['TRELLIS_FF']}",
            f"{multipliers}",
            f"{mhz:.1f}",
            f"{taken.block:g}",
            f"{rate:.0f}",
            f"{rate / multipliers:.1f}",
            *(f"{mhz * n / taken.message[n]:.0f}" for n in MESSAGES),
        ]
    for other in json.loads(PUBLISHED.read_text()):
        known = [other.get(key) for key in ("luts", "registers", "multipliers", "mhz", "cycles_per_block")]
        rate_known = other["mhz"] and other["cycles_per_block"]
        rate = other["mhz"] * BLOCK_BYTES / other["cycles_per_block"] if rate_known else None
        each = f"{rate / other['multipliers']:.1f}" if rate and other["multipliers"] else ""
        yield [
            f"[{other['name']}]({other['source']}), {other['device']}",
            *("" if value is None else str(value) for value in known),
            "" if rate is None else f"{rate:.0f}",
            each,
            *("" for _ in MESSAGES),
        ]


def bound(name: str) -> str:
    """Return what the longest path consists of, in nanoseconds."""
    report = json.loads((BUILD / f"{name}.report.json").read_text())
    clocked = [path for path in report["critical_paths"] if "<async>" not in (path["from"], path["to"])]
    parts: dict[str, float] = {}
    for part in clocked[0]["path"]:
        parts[part["type"]] = parts.get(part["type"], 0) + part["delay"]
    first, last = (clocked[0]["path"][i][side]["cell"] for i, side in ((0, "from"), (-1, "to")))
    delays = ", ".join(f"{kind} {delay:.2f}" for kind, delay in parts.items())
    return f"- {name}: {sum(parts.values()):.2f} ns from `{first}` to `{last}`: {delays}"


def table() -> str:
    heads = ["core", "LUTs", "registers", "multipliers", "MHz", "cycles a block", "MB/s", "MB/s a multiplier"]
    heads += [f"MB/s at {n} B" for n in MESSAGES]
    lines = [heads, ["---", *("---:" for _ in heads[1:])], *rows()]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    paths = "\n".join(bound(name) for name in CORES)
    packages = (Path(__file__).parent / "synthesis.txt").read_text()
    tools = ", ".join(f"`{line}`" for line in packages.splitlines() if line.startswith("yowasp-"))
    return f"""# The circuit's cores

Written by `lab/circuit/synthesize.py` from the reports of {tools}.
LUTs are those that nextpnr calls `TRELLIS_COMB`, including carry chains and memories; MB/s are 10^6 bytes in a second.
Messages of a length follow one after the other, each with its own key.
The figures of other cores are those of their authors, for other devices and tools.

{text}

The longest paths, which bound the clock, in ns:

{paths}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--verilog", action="store_true")
    parser.add_argument("--any", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.verilog:
        for name in CORES:
            write_verilog(name, None if options.any else ECP5)
        return
    if not options.table:
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda name: place_and_route(name, options.seed), CORES))
    path = COMMITTED if options.results else BUILD / "results.md"
    path.write_text(table())
    print(path.relative_to(ROOT))
    print(path.read_text())


if __name__ == "__main__":
    main()
