#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Count the instructions that one Poly1305 call executes on other architectures, compared with those of OpenSSL's
libcrypto.

    instructions.py [NAME...]                               a Markdown table; all architectures, or those named
    instructions.py --of NAME COMPILER WHAT LENGTH_BYTES    what one call executes: functions, mnemonics, the loops

qemu counts, through plugin.c. The difference of two runs removes what a program executes before its calls, and counting
a function that does nothing removes the loop around the calls. OpenSSL is Debian's libssl-dev for the architecture,
which apt-get fetches into build/ without installing it; its static libraries allow calls of the internal Poly1305_Init,
_Update and _Final, as well as EVP_MAC with one context for all calls. Kernels are counted without their minimum
lengths.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path
from platform import freedesktop_os_release

from architectures import BUILD, HERE, ROOT, Architecture, execute, per_compiler, table_row

LENGTHS_BYTES = [64, 256, 512, 1024, 1350, 16384]

# The architectures in architectures.txt that are counted, with their Debian names; RISC-V is not in Debian 12.
DEBIAN = {
    "aarch64": "arm64",
    "s390x": "s390x",
    "ppc64le": "ppc64el",
    "armhf": "armhf",
    "mips64el": "mips64el",
    "i686": "i386",
    "riscv64": None,
    "rvv128": None,
    "rvv256": None,
    "rvv512": None,
}

# The numbers of calls in two runs, whose difference is counted; single digits, so that both runs parse arguments of
# equal length.
CALLS = [2, 6]


class Counted(Architecture):
    """An architecture, and the programs that are counted on it."""

    def __init__(self, name: str, further: Sequence[Path] = ()) -> None:
        super().__init__(name, list(DEBIAN), further)
        # This machine's CPU can run i686, but qemu's is the one that counts. By default qemu emulates a poor CPU, so
        # ask for all features.
        self.command = ["qemu-i386", "-cpu", "max"] if self.emulator == ["env"] else self.emulator
        self.tags: dict[int, set[str]] = {}

    def build_hornet(self, compiler: str) -> None:
        """Build two programs: one in which kernels are used from their minimum lengths on, and one in which they
        handle every length."""
        cc, folder, objects = self.compiler(compiler), self.folder / compiler, self.objects(compiler)
        calls, kernels = HERE / "calls.c", ROOT / "src/poly1305/kernels.c"
        cc.append("-DHORNET_ALL_KERNELS=1")  # as the objects
        cc.append(f"-DCOUNTED_KERNELS={' '.join(f'COUNTED({source.stem})' for source in self.further)}")
        others = [path for path in objects if not path.name.endswith("_poly1305_kernels.c.o")]
        execute(*cc, "-static", "-o", folder / "calls-chosen", calls, *objects, *self.linked())
        execute(
            *cc,
            "-static",
            "-DHORNET_NO_CROSSOVERS",
            "-o",
            folder / "calls-forced",
            calls,
            kernels,
            *others,
            *self.linked(),
        )

    def build_openssl(self) -> None:
        """Fetch the package of Debian's release, without updates, so that all architectures have the same version.
        Uses separate lists: neither the system's packages nor its architectures change."""
        state = self.folder / "openssl"
        for folder in ["lists/partial", "cache/archives/partial"]:
            (state / folder).mkdir(parents=True, exist_ok=True)
        options = {
            "APT::Architecture": DEBIAN[self.name],
            "APT::Architectures": DEBIAN[self.name],
            "APT::Default-Release": freedesktop_os_release()["VERSION_CODENAME"],
            "Dir::State::Lists": state / "lists",
            "Dir::Cache": state / "cache",
            "APT::Sandbox::User": "",
            "Debug::NoLocking": 1,
        }
        apt = ["apt-get", "-qq", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
        if not list(state.glob("*.deb")):
            # It fails if any list is missing; the download shows whether this package's list is there.
            subprocess.run([str(word) for word in [*apt, "update"]], capture_output=True, check=False)
            execute(*apt, "download", "libssl-dev", cwd=state)
        package = next(state.glob("*.deb"))
        execute("dpkg", "-x", package, state)
        usr = state / "usr"
        library = next(usr.glob("lib/*/libcrypto.a"))
        execute(
            *self.compiler("gcc"),
            "-w",
            "-static",
            "-DCOUNT_OPENSSL",
            f"-I{usr / 'include'}",
            f"-I{usr / 'include' / library.parent.name}",
            "-o",
            self.folder / "calls-openssl",
            HERE / "calls.c",
            library,
        )

    def program(self, compiler: str, what: str) -> Path:
        if what.startswith("openssl"):
            return self.folder / "calls-openssl"
        return self.folder / compiler / ("calls-chosen" if what == "chosen" else "calls-forced")

    def blocks(self, compiler: str, what: str, length_bytes: int) -> dict[tuple[int, ...], float]:
        """Return how often one call executes each block, identified by the addresses of its instructions. Counts may
        be negative for blocks outside the calls."""
        program = self.program(compiler, what)
        blocks: Counter[tuple[int, ...]] = Counter()
        for sign, calls in zip([-1, 1], CALLS):
            for subject, more in [(what, sign), ("nothing", -sign)]:
                command = [
                    *self.command,
                    "-plugin",
                    BUILD / "plugin.so",
                    program,
                    subject,
                    str(length_bytes),
                    str(calls),
                ]
                result = subprocess.run(command, capture_output=True, text=True, check=False)
                if result.returncode != 0:
                    sys.exit(f"{' '.join(map(str, command))}\n{result.stderr[-2000:]}")
                if subject == what:
                    self.tags.setdefault(length_bytes, set()).add(result.stdout)
                for line in result.stderr.splitlines():
                    count, *addresses = line.split()
                    blocks[tuple(int(address, 16) for address in addresses)] += more * int(count)
        return {block: count / (CALLS[1] - CALLS[0]) for block, count in blocks.items() if count != 0}

    def count(self, compiler: str, what: str, length_bytes: int) -> float:
        return sum(count * len(block) for block, count in self.blocks(compiler, what, length_bytes).items())

    def executed(self, compiler: str, what: str, length_bytes: int) -> dict[int, tuple[float, str, str]]:
        """Return how often one call executes the instruction at each address, the function that contains it, and its
        text."""
        counts: Counter[int] = Counter()
        for block, count in self.blocks(compiler, what, length_bytes).items():
            for address in block:
                counts[address] += count
        executed = {}
        function = ""
        for line in execute(
            f"{self.triple}-objdump", "-d", "--no-show-raw-insn", self.program(compiler, what)
        ).splitlines():
            if heading := re.match(r"[0-9a-f]+ <(.*)>:$", line):
                function = heading[1]
            elif (found := re.match(r"\s*([0-9a-f]+):\s+(\S.*)", line)) and (address := int(found[1], 16)) in counts:
                executed[address] = counts[address], function, found[2].expandtabs()
        return executed


def build_plugin() -> None:
    BUILD.mkdir(parents=True, exist_ok=True)
    execute(
        "gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", BUILD / "plugin.so", HERE / "plugin.c"
    )


def per_byte(counts: list[float], length_bytes: int) -> str:
    return per_compiler([f"{count / length_bytes:.2f}" for count in counts])


def rows_of(architecture: Counted) -> list[str]:
    """Return the rows of the table for an architecture."""
    name = architecture.name
    for compiler in architecture.compilers:
        architecture.build_hornet(compiler)
    openssl = {}
    if DEBIAN[name] is not None:
        architecture.build_openssl()
        for what in ["openssl", "openssl_evp"]:
            openssl[what] = [architecture.count("gcc", what, length) for length in LENGTHS_BYTES]
    hornet = {
        what: [
            [architecture.count(compiler, what, length) for compiler in architecture.compilers]
            for length in LENGTHS_BYTES
        ]
        for what in [*architecture.kernels, "chosen"]
    }
    different = [length for length, tags in architecture.tags.items() if len(tags) != 1]
    if different:
        sys.exit(f"{name}: not all tags of {different} bytes are the same")
    rows = []

    def add(label: str, cells: list[str]) -> None:
        rows.append(table_row([name if not rows else "", label, *cells]))

    def add_counts(label: str, counts: list[list[float]]) -> None:
        add(label, [per_byte(both, length) for both, length in zip(counts, LENGTHS_BYTES)])

    for kernel in architecture.kernels:
        add_counts(f"`{kernel}`", hornet[kernel])
    add_counts("Hornet", hornet["chosen"])
    if openssl:
        add_counts("OpenSSL", [[count] for count in openssl["openssl"]])
        add_counts("OpenSSL, `EVP_MAC`", [[count] for count in openssl["openssl_evp"]])
        add(
            "ratio to OpenSSL",
            [
                per_byte([count / beside for count in both], 1)
                for both, beside in zip(hornet["chosen"], openssl["openssl"])
            ],
        )
    return rows


def table(names: list[str]) -> None:
    architectures = [Counted(name) for name in names]
    header = ["", "", *(f"{length} bytes" for length in LENGTHS_BYTES)]
    print(table_row(header))
    print("|---" * len(header) + "|")
    with ThreadPoolExecutor(cpu_count()) as pool:
        for rows in pool.map(rows_of, architectures):
            print("\n".join(rows), flush=True)
    print()
    for command in [["qemu-aarch64", "--version"], ["aarch64-linux-gnu-gcc", "--version"], ["clang-19", "--version"]]:
        print(execute(*command).splitlines()[0])
    print("\n".join(sorted(path.name for path in BUILD.glob("*/openssl/*.deb"))))


def account(name: str, compiler: str, what: str, length_bytes: int) -> None:
    """Print what one call executes, most frequent first."""
    architecture = Counted(name)
    if what.startswith("openssl"):
        architecture.build_openssl()
    else:
        architecture.build_hornet(compiler)
    executed = architecture.executed(compiler, what, length_bytes)
    functions: Counter[str] = Counter()
    mnemonics: Counter[str] = Counter()
    for count, function, text in executed.values():
        functions[function] += count
        mnemonics[text.split()[0]] += count
    for title, counts in [("functions", functions), ("mnemonics", mnemonics)]:
        print(f"{title}:")
        for label, count in counts.most_common(40):
            print(f"{count:12.1f} {count / length_bytes:8.3f} a byte  {label}")
    print("instructions:")
    most = max(count for count, _, _ in executed.values())
    for address, (count, function, text) in sorted(executed.items()):
        if count >= most / 8:
            print(f"{count:12.1f} {address:8x} {function} {text}")


def main() -> None:
    build_plugin()
    arguments = sys.argv[1:]
    if len(arguments) == 5 and arguments[0] == "--of":
        account(arguments[1], arguments[2], arguments[3], int(arguments[4]))
    elif not any(argument.startswith("-") for argument in arguments):
        table(arguments or list(DEBIAN))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
