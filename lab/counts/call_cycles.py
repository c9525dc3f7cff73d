#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Cycles of whole calls on CPUs other than this machine's, from llvm-mca's models, beside other libraries.

    call_cycles.py [WORD...]                                    Markdown tables; of all, or of the architectures, models,
                                                                compilers, primitives, and lengths in bytes given
    call_cycles.py --write                                      all, into results.md
    call_cycles.py --of MODEL COMPILER PRIMITIVE WHAT LENGTH    the instructions of one call as passed to llvm-mca, and
                                                                what it says; PRIMITIVE and WHAT as in calls.c

qemu executes a call, and plugin.c records the addresses of its instructions. Their sequence is passed to llvm-mca as
straight code, which runs once. So the cycles are those of one call after which nothing follows: all loads hit L1 and
wait for no store, all branches are predicted, and a call instruction takes a cycle. The library chooses its kernels and
pass tables for the core of the model.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from os import cpu_count
from pathlib import Path

from architectures import execute, per_compiler, printed_by, replace_tables, table_row
from cycles import Instruction, for_llvm
from instructions import Counted, Rows, build_plugin, run_counted

LENGTHS_BYTES = {"poly1305": [256, 512, 1350, 16384], "seal": [256, 1350, 8192]}

# The models, with qemu's CPU, and on 64-bit Arm the number of the core for which the library chooses: qemu 7.2 has
# neither Neoverse V2 nor Cortex-A55.
MODELS = {
    "aarch64": {
        "neoverse-v2": ["max", "410fd4f0"],
        "neoverse-n1": ["neoverse-n1", "413fd0c1"],
        "cortex-a55": ["cortex-a53", "412fd050"],
    },
    "s390x": {"z13": ["max,vxeh=off"], "z14": ["max"]},
    "ppc64le": {"pwr9": ["power9"], "pwr10": ["power10"]},
}
# The other libraries, and what is counted of them.
PEERS = {"aarch64": ["openssl", "boringssl"], "s390x": ["openssl"], "ppc64le": ["openssl"]}
PEERS_CALLS = {"openssl": ["poly1305", "seal"], "boringssl": ["seal"]}
LABELS = {"chosen": "Hornet", "openssl": "OpenSSL", "boringssl": "BoringSSL, AWS-LC"}
COMPILERS = ["gcc", "clang-19"]

# Executed instructions that are further apart are disassembled separately.
GAP_BYTES = 4096


@dataclass
class Cycles:
    """What llvm-mca says about a call."""

    instructions: int
    total: int
    unknown: int  # executed instructions that it cannot read or has no model of, and therefore leaves out


class Program:
    """A program that calls.c makes, run on one CPU: that of the model in MODELS, or the named one of qemu's."""

    def __init__(
        self,
        architecture: Counted,
        path: Path,
        model: str,
        cpu: str = "",
        environment: dict[str, str] | None = None,
    ) -> None:
        self.architecture, self.path, self.model, self.environment = architecture, path, model, environment
        cpu, *self.core = [cpu] if cpu else MODELS[architecture.name][model]
        self.command = [*architecture.command, "-cpu", cpu]

    @cached_property
    def symbols(self) -> dict[str, tuple[int, int]]:
        """The address and the size of each function."""
        lines = execute(f"{self.architecture.triple}-nm", "-S", self.path).splitlines()
        words = [line.split() for line in lines]
        return {row[3]: (int(row[0], 16), int(row[1], 16)) for row in words if len(row) == 4}

    def executed(self, primitive: str, what: str, length_bytes: int) -> list[int]:
        """Return the addresses of the instructions that the second call executes; the first one chooses kernels."""
        call = {"poly1305": "call_mac", "chacha20": "call_chacha20", "seal": "call_seal"}[primitive]
        arguments = [primitive, what, length_bytes, 2, *self.core]
        traced = self.symbols[call][0], self.symbols["call_nothing"][0]
        printed, blocks = run_counted(self.command, self.path, *arguments, environment=self.environment, traced=traced)
        self.architecture.results.setdefault((primitive, length_bytes), set()).add(printed)
        begin, size = self.symbols["main"]
        return [address for block, _ in blocks for address in block if not begin <= address < begin + size]

    def disassembled(self, addresses: Iterable[int]) -> dict[int, str]:
        """Return the instructions at these addresses, as llvm-mca reads them."""
        found: dict[int, str] = {}
        wanted = set(addresses)
        # Data among the instructions can mislead objdump about those behind; these are then the first of their span.
        while left := sorted(wanted - found.keys()):
            spans: list[list[int]] = []
            for address in left:
                if not spans or address - spans[-1][-1] > GAP_BYTES:
                    spans.append([])
                spans[-1].append(address)
            before = len(found)
            for span in spans:
                found.update(self.span(span[0], span[-1]))
            if len(found) == before:
                sys.exit(f"{self.path}: objdump finds no instruction at {left[0]:x}")
        return found

    def span(self, first: int, last: int) -> dict[int, str]:
        """Return the instructions from one address to another."""
        options = ["-d", "--no-show-raw-insn", f"--start-address={first}", f"--stop-address={last + 8}"]
        lines = execute(f"{self.architecture.triple}-objdump", *options, self.path).splitlines()
        matches = [match for line in lines if (match := re.match(r"\s*([0-9a-f]+):\s+(\S.*)", line))]
        return {(address := int(match[1], 16)): self.assembly(address, match[2]) for match in matches}

    def assembly(self, address: int, text: str) -> str:
        return for_llvm(self.architecture.triple, Instruction(address, text).text)

    def call(self, primitive: str, what: str, length_bytes: int) -> list[str]:
        """Return the instructions that one call executes."""
        addresses = self.executed(primitive, what, length_bytes)
        texts = self.disassembled(addresses)
        return [texts[address] for address in addresses]

    def mca(self, lines: list[str], *options: str) -> tuple[str, str]:
        """Return what llvm-mca prints about these instructions, and its errors."""
        with tempfile.NamedTemporaryFile("w", suffix=".s") as file:
            file.writelines(f"\t{line}\n" for line in lines)
            file.flush()
            command = ["llvm-mca-19", f"-mtriple={self.architecture.triple}", f"-mcpu={self.model}", "-iterations=1"]
            command += ["-call-latency=1", "-skip-unsupported-instructions=any", *options, file.name]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{result.stderr[-2000:]}")
        return result.stdout, result.stderr

    def cycles(self, primitive: str, what: str, length_bytes: int) -> Cycles:
        return self.modelled(self.call(primitive, what, length_bytes))

    def modelled(self, lines: list[str]) -> Cycles:
        said, _ = self.mca(lines, *SUMMARY)
        known, total = (int(re.search(rf"^{name}: *(\d+)", said, re.MULTILINE)[1]) for name in FIGURES)
        return Cycles(len(lines), total, len(lines) - known)


SUMMARY = ["-resource-pressure=false", "-instruction-info=false"]
FIGURES = ["Instructions", "Total Cycles"]


def chosen(words: list[str], offered: Iterable[str]) -> list[str]:
    """Return which of these are among the words; all, if none is."""
    offered = list(offered)
    return [one for one in offered if one in words] or offered


def architecture_of(model: str) -> str:
    return next(name for name, models in MODELS.items() if model in models)


def build(name: str, compilers: list[str]) -> Counted:
    architecture = Counted(name)
    architecture.compilers = compilers
    for compiler in compilers:
        architecture.build("chosen", compiler)
    for what in PEERS[name]:
        architecture.build(what)
    return architecture


def tables(words: list[str]) -> None:
    """Print the tables, of what the words name."""
    models = chosen(words, [model for name in chosen(words, MODELS) for model in MODELS[name]])
    names = list(dict.fromkeys(map(architecture_of, models)))
    compilers = chosen(words, COMPILERS)
    with ThreadPoolExecutor(cpu_count()) as pool:
        built = dict(zip(names, pool.map(lambda name: build(name, compilers), names)))
        for primitive in chosen(words, LENGTHS_BYTES):
            lengths = [int(word) for word in words if word.isdigit()] or LENGTHS_BYTES[primitive]
            header = ["", "", *(f"{length} bytes" for length in lengths)]
            print(table_row(header))
            print("|---" * len(header) + "|")
            for model in models:
                print("\n".join(rows_of(pool, built[architecture_of(model)], model, primitive, lengths)), flush=True)
            print()
    for architecture in built.values():
        architecture.check_results()


def rows_of(
    pool: ThreadPoolExecutor, architecture: Counted, model: str, primitive: str, lengths_bytes: list[int]
) -> list[str]:
    """Return the rows of a table for a model."""

    def counted(what: str) -> list[list[Cycles]]:
        """Return for each length the cycles of each compiler, or of another library."""
        compilers = architecture.compilers if what == "chosen" else ["gcc"]
        programs = [Program(architecture, architecture.program(compiler, what), model) for compiler in compilers]
        calls = [(program, length) for length in lengths_bytes for program in programs]
        results = list(pool.map(lambda call: call[0].cycles(primitive, what, call[1]), calls))
        return [results[at : at + len(programs)] for at in range(0, len(results), len(programs))]

    peers = [what for what in PEERS[architecture.name] if primitive in PEERS_CALLS[what]]
    hornet, *others = libraries = [counted(what) for what in ["chosen", *peers]]
    rows = Rows(model, lengths_bytes)
    for what, results in zip(["chosen", *peers], libraries):
        rows.add(LABELS[what], [per_compiler([str(one.total) for one in both]) for both in results])
        if any(one.unknown for both in results for one in both):
            rows.add("instructions left out", [per_compiler([str(one.unknown) for one in both]) for both in results])
    best = [min(one.total for (one,) in column) for column in zip(*others)]
    cells = [per_compiler([f"{one.total / peer:.2f}" for one in both]) for both, peer in zip(hornet, best)]
    rows.add("ratio to the best", cells)
    return rows.rows


def account(model: str, compiler: str, primitive: str, what: str, length_bytes: int) -> None:
    """Print the instructions of one call, and what llvm-mca says about them."""
    architecture = Counted(architecture_of(model))
    architecture.build(what, compiler)
    program = Program(architecture, architecture.program(compiler, what), model)
    lines = program.call(primitive, what, length_bytes)
    print("\n".join(lines))
    print(*program.mca(lines, *SUMMARY), sep="\n")


WORDS = {*COMPILERS, *LENGTHS_BYTES, *MODELS, *(model for models in MODELS.values() for model in models)}


def main() -> None:
    build_plugin()
    arguments = sys.argv[1:]
    if len(arguments) == 6 and arguments[0] == "--of":
        account(*arguments[1:5], int(arguments[5]))
    elif arguments == ["--write"]:
        replace_tables("Cycles of whole calls, by llvm-mca", printed_by(lambda: tables([])))
    elif all(argument in WORDS or argument.isdigit() for argument in arguments):
        tables(arguments)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
