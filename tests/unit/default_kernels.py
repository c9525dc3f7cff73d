#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check which kernels a build has by default, and which with HORNET_ALL_KERNELS, for each architecture: the list and the
records that the kernels' files define."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = ROOT / "tests" / "support" / "kernel_names.sh"
FILES = sorted((ROOT / "src" / "poly1305" / "kernels").glob("*.c"))
# The default kernels, best first, and the other ones that HORNET_ALL_KERNELS adds.
EXPECTED = {
    "x86_64-linux-gnu": ("ifma ifma256 avxifma avx2 scalar64", "avx512f sse2 scalar32 portable portable44"),
    "i686-linux-gnu": ("ifma ifma256 avxifma avx2 sse2 scalar32", "avx512f portable portable44"),
    "aarch64-linux-gnu": ("neon scalar64", "scalar32 portable portable44"),
    "arm-linux-gnueabihf -mfpu=neon": ("neon scalar32", "portable portable44"),
    "arm-linux-gnueabi": ("scalar32", "portable portable44"),
    "s390x-linux-gnu": ("vmsl vx scalar64", "scalar32 portable portable44"),
    "powerpc64le-linux-gnu": ("vsx scalar64", "scalar32 portable portable44"),
    "riscv64-linux-gnu": ("rvv512 rvv256 rvv128 scalar64", "scalar32 portable portable44"),
    "mips64-linux-gnuabi64": ("scalar64", "scalar32 portable portable44"),
    "mips-linux-gnu": ("scalar32", "portable portable44"),
    "wasm32": ("scalar32", "portable portable44"),
}


def output_of(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check(target: str, all_kernels: int, expected: list[str]) -> None:
    compiler = f"clang-19 -ffreestanding -DHORNET_ALL_KERNELS={all_kernels} --target={target}"
    listed = output_of(NAMES, compiler).split()
    text = "".join(output_of(*compiler.split(), "-std=c11", "-E", "-P", file) for file in FILES)
    defined = set(re.findall(r"hornet_poly1305_kernel_(\w+) = \{", text))
    if listed != expected or defined != set(expected):
        sys.exit(f"{target}, HORNET_ALL_KERNELS={all_kernels}: {listed} are listed, {defined} defined, not {expected}")


def main() -> None:
    checks = []
    for target, (default, others) in EXPECTED.items():
        order = output_of(NAMES, f"clang-19 -ffreestanding --target={target}").split()
        kernels = sorted(default.split() + others.split(), key=lambda name: order.index(name) if name in order else -1)
        checks += [(target, 0, default.split()), (target, 1, kernels)]
    with ThreadPoolExecutor(cpu_count()) as threads:
        list(threads.map(lambda arguments: check(*arguments), checks))
    # So these CPUs get the same kernel by default as in the tests, which build all kernels.
    for row in (ROOT / "tests" / "cross" / "cpus.txt").read_text().splitlines():
        if not row.startswith("#"):
            name, chosen = row.split()[0], row.split()[4]
            target = "i686-linux-gnu" if name.startswith("i686") else "x86_64-linux-gnu"
            if chosen not in EXPECTED[target][0].split():
                sys.exit(f"{name} is given {chosen}, which a default build omits")
    print(f"{len(EXPECTED)} architectures have the expected kernels")


if __name__ == "__main__":
    main()
