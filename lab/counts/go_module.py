#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Count the instructions that one call of the Go module executes on other architectures, beside golang.org/x/crypto.

    go_module.py [NAME...]                              a Markdown table; all architectures, or those named
    go_module.py --of NAME OPERATION LIBRARY LENGTH     the functions that one call executes, most frequent first

qemu counts, through plugin.c. The difference of two runs of bindings/go/compare, with -calls, removes what the program
executes before its calls. Go's runtime is not counted, since it also executes in the background, apart from its
functions that copy, clear and compare memory.
"""

import bisect
import os
import re
import subprocess
import sys
from collections import Counter

from architectures import BUILD, ROOT, execute, table_row
from instructions import build_plugin, run_counted

COMPARE = ROOT / "bindings" / "go" / "compare"

# Architectures as Go calls them, and features that are not used.
NAMES = {"arm64": ("arm64", ""), "s390x": ("s390x", ""), "z13": ("s390x", ",cpu.vxe=off"), "riscv64": ("riscv64", "")}
OPERATIONS = ["Sum", "Seal", "Open"]
LIBRARIES = ["hornet", "x/crypto"]
LENGTHS_BYTES = [64, 256, 1350, 16384]
CALLS = [100, 300]
# One thread, no garbage collection, and no preemption.
ENVIRONMENT = {"GOMAXPROCS": "1", "GOGC": "off"}
GODEBUG = "asyncpreemptoff=1"
NOT_COUNTED = re.compile(r"(internal/)?runtime[./](?!mem|duff|morestack)|internal/chacha8rand\.")


class Program:
    """The program for an architecture, and its functions by address."""

    def __init__(self, name: str) -> None:
        goarch, godebug = NAMES[name]
        self.command = [f"qemu-{goarch.replace('arm64', 'aarch64')}"]
        self.environment = os.environ | ENVIRONMENT | {"GODEBUG": GODEBUG + godebug}
        self.path = BUILD / f"go-{goarch}"
        environment = os.environ | {"GOARCH": goarch, "CGO_ENABLED": "0"}
        subprocess.run(["go", "build", "-o", self.path, "."], cwd=COMPARE, env=environment, check=True)
        lines = execute("go", "tool", "nm", "-n", self.path).splitlines()
        known = [(int(words[0], 16), words[2]) for words in map(str.split, lines) if words[1] in "Tt"]
        self.addresses, self.names = zip(*known)

    def function(self, address: int) -> str:
        return self.names[bisect.bisect_right(self.addresses, address) - 1]

    def run(self, operation: str, library: str, length_bytes: int, calls: int) -> Counter[str]:
        """Return the instructions that each function executes."""
        options = ["-calls", calls, "-operation", operation, "-library", library, "-lengths", length_bytes]
        counts: Counter[str] = Counter()
        for block, count in run_counted(self.command, self.path, *options, environment=self.environment)[1]:
            counts[self.function(block[0])] += count * len(block)
        return counts

    def executed(self, operation: str, library: str, length_bytes: int) -> dict[str, float]:
        """Return the instructions of one call, by function."""
        few, many = (self.run(operation, library, length_bytes, calls) for calls in CALLS)
        many.subtract(few)
        return {
            name: count / (CALLS[1] - CALLS[0])
            for name, count in many.items()
            if count != 0 and not NOT_COUNTED.match(name)
        }


def rows_of(name: str) -> list[str]:
    program = Program(name)
    rows = []
    for operation in OPERATIONS:
        for length_bytes in LENGTHS_BYTES:
            counts = [sum(program.executed(operation, library, length_bytes).values()) for library in LIBRARIES]
            cells = [f"{count / length_bytes:.2f}" for count in counts]
            rows.append(table_row([name, operation, str(length_bytes), *cells, f"{counts[0] / counts[1]:.2f}"]))
    return rows


def table(names: list[str]) -> None:
    print(table_row(["", "", "bytes", *LIBRARIES, "ratio"]))
    print("|---" * 6 + "|")
    for name in names:
        print("\n".join(rows_of(name)), flush=True)
    print()
    version = execute("go", "list", "-m", "golang.org/x/crypto", cwd=COMPARE).strip()
    print(execute("qemu-aarch64", "--version").splitlines()[0])
    print(execute("go", "version", cwd=COMPARE).strip(), version, sep="\n")


def account(name: str, operation: str, library: str, length_bytes: int) -> None:
    executed = Program(name).executed(operation, library, length_bytes)
    for function, count in sorted(executed.items(), key=lambda entry: -entry[1]):
        print(f"{count:12.1f} {count / length_bytes:8.3f} a byte  {function}")


def main() -> None:
    build_plugin()
    arguments = sys.argv[1:]
    if len(arguments) == 5 and arguments[0] == "--of":
        account(*arguments[1:4], int(arguments[4]))
    elif set(arguments) <= NAMES.keys():
        table(arguments or list(NAMES))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
