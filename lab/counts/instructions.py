#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Count the instructions that one call executes on other architectures, compared with those of OpenSSL's libcrypto.

    instructions.py [PRIMITIVE...] [NAME...]    Markdown tables: of poly1305, and of seal with the ChaCha20 in it, or of
                                                one of them; all architectures, or those named
    instructions.py --write                     all, into results.md
    instructions.py --of NAME COMPILER PRIMITIVE WHAT LENGTH_BYTES
                                                what one call executes: functions, mnemonics, the loops; PRIMITIVE and
                                                WHAT as in calls.c

qemu counts, through plugin.c. The difference of two runs removes what a program executes before its calls, and counting
a function that does nothing removes the loop around the calls. OpenSSL is Debian's libssl-dev for the architecture,
which apt-get fetches into build/ without installing it; its static libraries allow calls of the internal Poly1305_Init,
_Update and _Final, and ChaCha20_ctr32, as well as EVP_MAC with one context for all calls. Kernels of Poly1305 are
counted without their minimum lengths.
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

import boringssl
from architectures import BUILD, HERE, ROOT, Architecture, execute, per_compiler, printed_by, replace_tables, table_row

TITLES = {"poly1305": "Instructions per byte", "seal": "Instructions per byte of ChaCha20-Poly1305"}
LENGTHS_BYTES = {"poly1305": [64, 256, 512, 1024, 1350, 16384], "seal": [64, 256, 1350, 8192, 16384]}

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

# CPUs of qemu that are counted beside its default: without SVE, the library chooses other pass tables, by the family.
FURTHER_CPUS = {"aarch64": ["neoverse-n1", "cortex-a53"]}

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
        self.results: dict[tuple[str, int], set[str]] = {}

    def build_hornet(self, compiler: str) -> None:
        """Build two programs: one in which kernels are used from their minimum lengths on, and one in which they
        handle every length."""
        cc, folder, objects = self.compiler(compiler), self.folder / compiler, self.objects(compiler)
        calls, kernels = HERE / "calls.c", ROOT / "src/poly1305/kernels.c"
        cc.append("-DHORNET_ALL_KERNELS=1")  # as the objects
        cc.append(f"-DCOUNTED_KERNELS={' '.join(f'COUNTED({source.stem})' for source in self.further)}")
        others = [path for path in objects if not path.name.endswith("_poly1305_kernels.c.o")]
        if self.name == "aarch64":
            cc.append("-Wl,--wrap=hornet_arm_properties")  # calls.c names the core
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

    def build(self, what: str, compiler: str = "gcc") -> None:
        """Build the programs that can call this."""
        if what == "boringssl":
            boringssl.build(self.compiler("gcc"), self.program(compiler, what))
        elif what.startswith("openssl"):
            self.build_openssl()
        else:
            self.build_hornet(compiler)

    def program(self, compiler: str, what: str) -> Path:
        if what.startswith("openssl") or what == "boringssl":
            return self.folder / f"calls-{what.removesuffix('_evp')}"
        return self.folder / compiler / ("calls-chosen" if what == "chosen" else "calls-forced")

    def blocks(self, compiler: str, primitive: str, what: str, length_bytes: int) -> dict[tuple[int, ...], float]:
        """Return how often one call executes each block, identified by the addresses of its instructions. Counts may
        be negative for blocks outside the calls."""
        program = self.program(compiler, what)
        blocks: Counter[tuple[int, ...]] = Counter()
        for sign, calls in zip([-1, 1], CALLS):
            for subject, more in [(what, sign), ("nothing", -sign)]:
                printed, counts = run_counted(self.command, program, primitive, subject, length_bytes, calls)
                if subject == what:
                    self.results.setdefault((primitive, length_bytes), set()).add(printed)
                for block, count in counts:
                    blocks[block] += more * count
        return {block: count / (CALLS[1] - CALLS[0]) for block, count in blocks.items() if count != 0}

    def count(self, compiler: str, primitive: str, what: str, length_bytes: int) -> float:
        return sum(count * len(block) for block, count in self.blocks(compiler, primitive, what, length_bytes).items())

    def counts(self, primitive: str, what: str, lengths_bytes: list[int]) -> list[list[float]]:
        """Return for each length the counts of each compiler, or of OpenSSL."""
        compilers = ["gcc"] if what.startswith("openssl") else self.compilers
        return [[self.count(compiler, primitive, what, length) for compiler in compilers] for length in lengths_bytes]

    def check_results(self) -> None:
        """Exit unless all that was counted has computed the same."""
        if different := [call for call, results in self.results.items() if len(results) != 1]:
            sys.exit(f"{self.name}: not all results of {different} are the same")

    def executed(
        self, compiler: str, primitive: str, what: str, length_bytes: int
    ) -> dict[int, tuple[float, str, str]]:
        """Return how often one call executes the instruction at each address, the function that contains it, and its
        text."""
        counts: Counter[int] = Counter()
        for block, count in self.blocks(compiler, primitive, what, length_bytes).items():
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


def run_counted(
    emulator: Sequence[str | Path],
    program: Path,
    *arguments: object,
    environment: dict[str, str] | None = None,
    traced: tuple[int, int] | None = None,
) -> tuple[str, list[tuple[tuple[int, ...], int]]]:
    """Run a program. Return what it prints, and the blocks that it executes, by the addresses of their instructions, and
    how often; or, if given where plugin.c begins and ends a trace, each execution of a block, in order."""
    options = "" if traced is None else ",begins={:x},ends={:x}".format(*traced)
    command = [*emulator, "-plugin", f"{BUILD / 'plugin.so'}{options}", program, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stderr[-2000:]}")
    blocks = []
    for line in result.stderr.splitlines():
        count, *addresses = line.split()
        blocks.append((tuple(int(address, 16) for address in addresses), int(count)))
    return result.stdout, blocks


def per_byte(counts: list[float], length_bytes: int) -> str:
    return per_compiler([f"{count / length_bytes:.2f}" for count in counts])


class Rows:
    """The rows of a table for an architecture."""

    def __init__(self, name: str, lengths_bytes: list[int]) -> None:
        self.name, self.lengths_bytes = name, lengths_bytes
        self.rows: list[str] = []

    def add(self, label: str, cells: list[str]) -> None:
        self.rows.append(table_row([self.name if not self.rows else "", label, *cells]))

    def add_counts(self, label: str, counts: list[list[float]]) -> None:
        self.add(label, [per_byte(both, length) for both, length in zip(counts, self.lengths_bytes)])

    def add_ratio(self, hornet: list[list[float]], openssl: list[list[float]]) -> None:
        cells = [per_byte([count / beside for count in both], 1) for both, (beside,) in zip(hornet, openssl)]
        self.add("ratio to OpenSSL", cells)


def rows_of(architecture: Counted, primitive: str) -> list[str]:
    """Return the rows of a primitive's table for an architecture."""
    name = architecture.name
    for compiler in architecture.compilers:
        architecture.build_hornet(compiler)
    if DEBIAN[name] is not None:
        architecture.build_openssl()
    rows = rows_on(architecture, primitive, name, architecture.kernels)
    default = architecture.command
    for cpu in FURTHER_CPUS.get(name, []):
        architecture.command = [*default, "-cpu", cpu]
        rows += rows_on(architecture, primitive, f"{name}, {cpu}", [])
    architecture.check_results()
    return rows


def rows_on(architecture: Counted, primitive: str, label: str, kernels: list[str]) -> list[str]:
    """Return the rows for qemu's CPU in the architecture's command, with these kernels of Poly1305."""
    lengths = LENGTHS_BYTES[primitive]
    has_openssl = DEBIAN[architecture.name] is not None
    rows = Rows(label, lengths)
    if primitive == "poly1305":
        for kernel in kernels:
            rows.add_counts(f"`{kernel}`", architecture.counts(primitive, kernel, lengths))
    else:
        rows.add_counts("ChaCha20", architecture.counts("chacha20", "chosen", lengths))
        if has_openssl:
            rows.add_counts("OpenSSL's ChaCha20", architecture.counts("chacha20", "openssl", lengths))
    hornet = architecture.counts(primitive, "chosen", lengths)
    rows.add_counts("Hornet", hornet)
    if has_openssl:
        openssl = architecture.counts(primitive, "openssl", lengths)
        rows.add_counts("OpenSSL", openssl)
        if primitive == "poly1305":
            rows.add_counts("OpenSSL, `EVP_MAC`", architecture.counts(primitive, "openssl_evp", lengths))
        rows.add_ratio(hornet, openssl)
    return rows.rows


def table(primitive: str, names: list[str]) -> None:
    header = ["", "", *(f"{length} bytes" for length in LENGTHS_BYTES[primitive])]
    print(table_row(header))
    print("|---" * len(header) + "|")
    with ThreadPoolExecutor(cpu_count()) as pool:
        for rows in pool.map(lambda name: rows_of(Counted(name), primitive), names):
            print("\n".join(rows), flush=True)
    print()


def versions() -> None:
    for command in [["qemu-aarch64", "--version"], ["aarch64-linux-gnu-gcc", "--version"], ["clang-19", "--version"]]:
        print(execute(*command).splitlines()[0])
    print("\n".join(sorted(path.name for path in BUILD.glob("*/openssl/*.deb"))))


def account(name: str, compiler: str, primitive: str, what: str, length_bytes: int) -> None:
    """Print what one call executes, most frequent first."""
    architecture = Counted(name)
    architecture.build(what, compiler)
    executed = architecture.executed(compiler, primitive, what, length_bytes)
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
    if len(arguments) == 6 and arguments[0] == "--of":
        account(*arguments[1:5], int(arguments[5]))
    elif arguments == ["--write"]:
        for primitive, title in TITLES.items():
            replace_tables(title, printed_by(lambda primitive=primitive: table(primitive, list(DEBIAN))))
    elif not any(argument.startswith("-") for argument in arguments):
        primitives = [argument for argument in arguments if argument in LENGTHS_BYTES]
        names = [argument for argument in arguments if argument not in LENGTHS_BYTES]
        for primitive in primitives or LENGTHS_BYTES:
            table(primitive, names or list(DEBIAN))
        versions()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
