# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare multiplication in P-224's field on VMSL with what people use, by counts and a model of the z14.

    build/schedules/venv/bin/python -m lab.p224.compare [--quick] [FILE.md]

writes FILE.md, by default lab/p224/results.md. qemu counts instructions, and llvm-mca's model of the z14 gives cycles, by
the programs of lab/counts, which lab/counts/install.sh installs what they need for. Go's p224Mul, which crypto/ecdsa and
crypto/ecdh use, is taken from the Go that is installed; OpenSSL is Debian's, which lab/counts fetches.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from coconut.__main__ import graph_named
from coconut.allocate import allocate_loop
from coconut.emit import text_of
from coconut.functions import SingleBlock
from coconut.orders import simulated_cycles, steady_cycles
from coconut.own import integer, read
from coconut.program import Program
from coconut.simulate import Mismatch
from lab.schedules.emit import own_programs
from lab.schedules.tables import HEADER, best_loop, markdown

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "counts"))

call_cycles: Any = __import__("call_cycles")
counts: Any = __import__("instructions")

BUILD = counts.BUILD / "p224"
FIAT = Path("src/crypto/internal/fips140/nistec/fiat/p224_fiat64.go")
CALLS = 3
# For each schedule.
SECONDS = 20
TRIPLE, CPU = "s390x-linux-gnu", "z14"
COMMAND = ["qemu-s390x", "-cpu", "max"]
P = integer("2^224 - 2^96 + 1")
X, Y = (int(re.search(rf'#define {name} "(\w+)"', (HERE / "calls.c").read_text())[1], 16) for name in "XY")  # type: ignore[index]
# By what Montgomery's multiplication of four words multiplies a product.
IN_MONTGOMERY = pow(2**256, -1, P)
MULTIPLICATIONS = ("vmsl", "mlg")


@dataclass
class Call:
    """A program that multiplies, and what is counted in it: by default, all but main.

    - factor: by which a product is multiplied, too.
    """

    title: str
    path: Path
    is_counted: Callable[[str], bool] = lambda function: function != "main"
    begins: str = "multiply"
    factor: int = 1

    def __post_init__(self) -> None:
        lines = counts.execute(f"{TRIPLE}-nm", "-n", self.path).splitlines()
        known = [line.split(maxsplit=2) for line in lines if re.match(r"\w+ [tTwW] ", line)]
        self.addresses = [(int(address, 16), name) for address, _, name in known]

    def address(self, wanted: str) -> int:
        return next(address for address, name in self.addresses if name.split(".")[-1] == wanted)

    def function(self, address: int) -> str:
        return next((name for start, name in reversed(self.addresses) if start <= address), "")

    def lines(self) -> tuple[Any, list[str]]:
        """Return the instructions of the last call in order, with what reads them; check the product."""
        environment = os.environ | {"GOMAXPROCS": "1", "GOGC": "off", "GODEBUG": "asyncpreemptoff=1"}
        traced = self.address(self.begins), self.address("marker")
        printed, blocks = counts.run_counted(COMMAND, self.path, CALLS, environment=environment, traced=traced)
        words = printed.split()
        found = int("".join(word.zfill(16) for word in words), 16)
        if found % P != X * pow(Y * self.factor, CALLS, P) % P:
            raise Mismatch(f"{self.title}: {CALLS} multiplications give {found:#x}")
        architecture = SimpleNamespace(name="s390x", triple=TRIPLE, command=COMMAND, results={})
        program = call_cycles.Program(architecture, self.path, CPU)
        executed = [block for block, _ in blocks if self.is_counted(self.function(block[0]))]
        addresses = [address for block in executed for address in block]
        texts = program.disassembled(addresses)
        return program, [texts[address] for address in addresses]

    def row(self) -> list[str]:
        program, lines = self.lines()
        modelled = program.modelled(lines)
        multiplications = sum(line.startswith(MULTIPLICATIONS) for line in lines)
        left_out = f", without {modelled.unknown} instructions" if modelled.unknown else ""
        counted = [str(len(lines)), str(multiplications), f"{modelled.total}{left_out}"]
        return [self.title, *counted, ports(program, lines)]


def ports(program: Any, lines: list[str]) -> str:
    """Return the cycles for which the instructions take the ports of the model."""
    said, _ = program.mca(lines, *call_cycles.SUMMARY)
    return str(re.findall(r"^Block RThroughput: *([\d.]+)", said, re.MULTILINE)[0])


def emitted(program: Program) -> Call:
    function = SingleBlock.of(program, "multiply_vmsl")
    source, binary = BUILD / "emitted.S", BUILD / "emitted"
    source.write_text(function.text(program.architecture.gnu))
    command = [f"{TRIPLE}-gcc", "-O2", "-static", f"-DMULTIPLY={function.name}"]
    counts.execute(*command, "-o", binary, HERE / "calls.c", source)
    return Call("VMSL, as a function", binary, lambda name: "multiply_vmsl" in name, function.name)


def go() -> Call:
    folder, binary = BUILD / "go", BUILD / "calls-go"
    folder.mkdir(exist_ok=True)
    root = Path(counts.execute("go", "env", "GOROOT").strip())
    (folder / "fiat.go").write_text((root / FIAT).read_text().replace("\npackage fiat\n", "\npackage main\n"))
    (folder / "calls.go").write_text((HERE / "calls.go").read_text())
    environment = os.environ | {"GOARCH": "s390x", "CGO_ENABLED": "0", "GO111MODULE": "off"}
    subprocess.run(["go", "build", "-o", binary, "fiat.go", "calls.go"], cwd=folder, env=environment, check=True)
    return Call("Go's `p224Mul`", binary, lambda name: name.endswith("p224Mul"), "p224Mul", IN_MONTGOMERY)


def openssl() -> Call:
    s390x, binary = counts.Counted("s390x"), BUILD / "calls-openssl"
    s390x.build_openssl()
    usr = s390x.folder / "openssl" / "usr"
    library = next(usr.glob("lib/*/libcrypto.a"))
    includes = [f"-I{usr / 'include'}", f"-I{usr / 'include' / library.parent.name}"]
    command = [f"{TRIPLE}-gcc", "-O2", "-w", "-static", "-fno-inline"]
    counts.execute(*command, *includes, "-o", binary, HERE / "calls.c", library)
    return Call("OpenSSL's `BN_mod_mul_montgomery`", binary, factor=IN_MONTGOMERY)


def loops(one: Program, two: Program, of_go: Call) -> Iterator[list[str]]:
    """Yield the rows of multiplications one after another, by the model."""
    model, lines = of_go.lines()
    for title, program, count in (("VMSL, each of the one before it", one, 1), ("VMSL, two at a time", two, 2)):
        text = text_of(allocate_loop(program).steps, program.architecture.gnu)
        figures = len(program.ops), simulated_cycles(program, CPU), float(ports(model, text))
        yield [title, *(f"{figure / count:.1f}" for figure in figures)]
    steady = steady_cycles(TRIPLE, CPU, lines)
    yield [f"{of_go.title}, independent ones", f"{len(lines):.1f}", f"{steady:.1f}", ports(model, lines)]


def report(quick: bool) -> str:
    counts.build_plugin()
    BUILD.mkdir(parents=True, exist_ok=True)
    read(HERE / "p224.toml")
    one, two = (next(own_programs(graph_named(f"p224/{name}"))) for name in ("multiply", "multiply 2"))
    of_go = go()
    calls = [emitted(one), of_go, *([] if quick else [openssl()])]
    tables = [
        (["a call", "instructions", "multiplications", "cycles", "by ports alone"], [call.row() for call in calls]),
        (["a multiplication of many", "instructions", "cycles", "by ports alone"], list(loops(one, two, of_go))),
    ]
    if not quick:
        rows = [best_loop(program.architecture, program.graph, CPU, SECONDS).cells()[:-1] for program in (one, two)]
        tables.append((HEADER[:-1], rows))
    versions = [["go", "version"], ["qemu-s390x", "--version"], ["llvm-mca-19", "--version"]]
    found = [
        next(line for line in counts.execute(*words).splitlines() if "ersion" in line).strip() for words in versions
    ]
    packages = sorted(path.name for path in counts.BUILD.glob("s390x/openssl/*.deb")) if not quick else []
    return (
        "\n\n".join(
            [
                "# Multiplication modulo 2^224 - 2^96 + 1 on z14",
                "`python -m lab.p224.compare` writes this file."
                "\nCycles are those of LLVM's model of z14, in which a pair of registers is one, so that each MLGR waits for the one before it."
                "\nBy ports alone, nothing waits.",
                *(markdown(*table) for table in tables),
                "\n".join([*found, *packages]),
            ]
        )
        + "\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="without OpenSSL, and without schedules")
    parser.add_argument("file", nargs="?", default=HERE / "results.md", type=Path)
    arguments = parser.parse_args()
    arguments.file.write_text(report(arguments.quick))


if __name__ == "__main__":
    main()
