# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The choice among all kernels and among the default ones, tested with records that count calls: test_dispatch.c.

Of x86 CPUs, those that test_families.h knows have the features that the compiler lists, and docs/performance.md says what
they get.
"""

import re
from pathlib import Path

from support import DEFAULT_KERNELS, ROOT, kernel_names, library, output, program, row, rows, run, suite

# As in test_reference.py, so that both have the same objects.
SANITIZED = ["clang-19", "-O2", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DHORNET_DEBUG"]


@rows(
    "commands",
    row("dispatch-gcc", [["gcc", "-O2"], ["gcc", "-O2", DEFAULT_KERNELS]], suites="check quick"),
    row("dispatch-clang-19", [["clang-19", "-O2"]]),
    row("dispatch-i686", [["i686-linux-gnu-gcc", "-O2"]]),
    row("dispatch-sanitized", [SANITIZED], suites="slow", cpu_seconds=60),
)
def test_dispatch(commands, folder):
    for command in commands:
        run(dispatch_program(command, folder, [] if command is SANITIZED else ["-static"]))


def dispatch_program(command, folder, link=("-static",)) -> Path:
    wraps = [f"-Wl,--wrap=hornet_poly1305_kernel_{name}" for name in kernel_names(command, tuned=True)]
    return program(folder / "dispatch", library(*command), "tests/unit/test_dispatch.c", link=[*link, *wraps])


def bits_in_header() -> dict[str, tuple[str, int]]:
    """Return the word of CPUID and the mask of each feature of x86 in clang's cpuid.h."""
    header = Path(output("clang-19", "-print-resource-dir").strip()) / "include/cpuid.h"
    found, word = {}, None
    for line in header.read_text().splitlines():
        if leaf := re.match(r"/\* Features in %(\w+) for leaf (\w+)(?: sub-leaf (\d+))? \*/", line):
            register, number, subleaf = leaf.groups("0")
            word = f"leaf{number}{'' if subleaf == '0' else f'_{subleaf}'}_{register}"
        elif bit := re.match(r"#define bit_(\w+)\s+(0x\w+|bit_\w+)", line):
            name, value = bit.groups()
            alias = value.removeprefix("bit_").lower()
            found[name.lower()] = found[alias] if alias in found else (word, int(value, 16))
    return found


@suite("check quick")
def test_cpu_feature_bits():
    """Each feature in x86.def is where the compiler's header has it, with the registers that its name implies."""
    listed = (ROOT / "src/core/cpu/x86.def").read_text()
    features = re.findall(r"^HORNET_CPU_FEATURE\((\w+), (leaf\w+), (\d+), (\w+)\)", listed, re.M)
    properties = re.findall(r"^HORNET_CPU_FEATURE\(\w+, properties, X86_\w+, 0\)", listed, re.M)
    assert len(features) >= 11 and len(features) + len(properties) == len(re.findall("^HORNET_CPU", listed, re.M))
    bits = bits_in_header()
    for name, word, bit, xcr0 in features:
        assert bits[name] == (word, 1 << int(bit)), name
        assert xcr0 == ("XCR0_ZMM" if name.startswith("avx512") else "XCR0_YMM" if name.startswith("avx") else "0"), (
            name
        )


def features_of(cpu: str) -> set[str]:
    """Return the features that the compiler lists for a CPU."""
    macros = output("clang-19", f"-march={cpu}", "-dM", "-E", "-x", "c", "/dev/null")
    return {name.lower().replace("_", "") for name in re.findall(r"^#define __(\w+?)__ 1$", macros, re.M)}


@suite("check quick", cpu_seconds=20)
def test_known_cpus(folder):
    lines = output(dispatch_program(["clang-19", "-O2", DEFAULT_KERNELS], folder), "--families").splitlines()
    rows, compiled = lines[::2], lines[1::2]
    decide = {name for line in compiled for name in line.split(": ")[1].split()} - {"hybrid"}
    bits = bits_in_header()
    for line in compiled:
        cpu, features = line.split(": ")
        listed = features_of(cpu.strip()) & decide
        told = set(features.split()) - {"hybrid"}
        assert told == listed or (cpu[0] == " " and told < listed), f"{cpu}: the compiler lists {listed}"
    placed = re.findall(r'^    \{"(\w+)", offsetof\(struct x86_cpuid, (\w+)\), (\d+)\},', families_h(), re.M)
    assert len(placed) == 6
    for name, word, bit in placed:
        # Intel SDM volume 2, CPUID; the header lacks two.
        header = {"hybrid": ("leaf7_edx", 1 << 15), "avx512vp2intersect": ("leaf7_edx", 1 << 8)} | bits
        assert header[name] == (word, 1 << int(bit)), name

    text = (ROOT / "docs/performance.md").read_text().split("\n## Families of x86 cores\n")[1].split("\n## ")[0]
    documented = [line[: line.rstrip("|").rindex("|") + 1] for line in text.splitlines() if line.startswith("| ")][1:]
    assert documented == [row.rstrip() for row in rows], "docs/performance.md needs these rows:\n" + "\n".join(rows)
    print(f"{len(rows)} CPUs, {len(decide)} features")
    assert len(rows) >= 18 and len(decide) >= 15


def families_h() -> str:
    return (ROOT / "tests/unit/test_families.h").read_text()
