# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Which kernels a build has by default, and which with HORNET_ALL_KERNELS, for each architecture.

Both the list and the records that the kernels' files define are checked.
"""

import re
from concurrent.futures import ThreadPoolExecutor

from support import ALL_KERNELS, DEFAULT_KERNELS, ROOT, cpus, kernel_names, suite
from support.architectures import table
from support.commands import execute

FILES = sorted((ROOT / "src/poly1305/kernels").glob("*.c"))
# The default kernels, best first, and the other ones that HORNET_ALL_KERNELS adds.
EXPECTED = {
    "x86_64-linux-gnu": ("ifma ifma256 avxifma avx2 scalar64", "avx512f sse2 scalar32 portable portable44"),
    "i686-linux-gnu": ("ifma ifma256 avxifma avx2 sse2 scalar32", "avx512f portable portable44"),
    "aarch64-linux-gnu": ("neon scalar64", "scalar32 portable portable44"),
    "arm-linux-gnueabihf -mfpu=neon": ("neon scalar32", "portable portable44"),
    "arm-linux-gnueabi": ("scalar32", "portable portable44"),
    "s390x-linux-gnu": ("vmsl vx scalar64", "scalar32 portable portable44"),
    "powerpc64le-linux-gnu": ("vmsum vsx3 vsx scalar64", "scalar32 portable portable44"),
    "riscv64-linux-gnu": ("rvv512 rvv256 rvv128 scalar64", "scalar32 portable portable44"),
    "mips64-linux-gnuabi64": ("scalar64", "scalar32 portable portable44"),
    "mips-linux-gnu": ("scalar32", "portable portable44"),
    "wasm32": ("scalar32", "portable portable44"),
}


def check(target, option, expected):
    """Compare the names in the list and of the records with those expected, and return those in the list."""
    compiler = f"clang-19 -ffreestanding {option} --target={target}".split()
    listed = kernel_names(compiler)
    defined = set()
    for file in FILES:
        status, text = execute([*compiler, "-std=c11", "-E", "-P", file], capture=True)
        assert status == 0, f"{target}: {file}"
        defined |= set(re.findall(r"hornet_poly1305_kernel_([a-z0-9]+) = \{", text.decode()))
    assert set(listed) == defined == set(expected), f"{target}, {option}"
    return listed


@suite("quick", cpu_seconds=20)
def test_kernels_default():
    def check_both(target):
        default, others = (names.split() for names in EXPECTED[target])
        assert check(target, DEFAULT_KERNELS, default) == default
        check(target, ALL_KERNELS, default + others)

    with ThreadPoolExecutor(cpus()) as pool:
        list(pool.map(check_both, EXPECTED))


@suite("quick")
def test_kernels_of_cpus():
    """The CPUs of the emulators get the same kernel by default as in the tests, which build all kernels."""
    for name, _, _, _, chosen, *_ in table("tests/cross/cpus.txt"):
        target = "i686-linux-gnu" if name.startswith("i686") else "x86_64-linux-gnu"
        assert chosen in EXPECTED[target][0].split(), f"a default build omits the kernel of {name}"
