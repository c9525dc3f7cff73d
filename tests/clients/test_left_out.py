# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Builds with some of the kernels only, by make and by CMake: they contain these and no others.

They compute the same tags. Invalid names, and choices that leave no kernel for some CPU, are refused.
"""

import re

from support import fails, output, program, run, suite


def check(folder, archive, *kernels):
    """Check which kernels an archive contains."""
    test = program(folder / "kernels", ["cc", "-O2"], "tests/clients/left_out.c", options=["-Iinclude"], link=[archive])
    assert sorted(output(test).split()) == sorted(kernels)
    records = re.findall(r" hornet_poly1305_kernel_(\w+)$", output("nm", archive), re.M)
    assert set(records) == set(kernels)


@suite("quick", cpu_seconds=20)
def test_kernels_left_out_make(folder):
    def make(kernels):
        return "make", "--silent", "library", f"BUILD={folder}", f"HORNET_KERNELS={kernels}"

    # Another choice in the same folder rebuilds what depends on it.
    for kernels in ("avx2 scalar64", "scalar32"):
        run(*make(kernels))
        check(folder, folder / "libhornet.a", *kernels.split())
    assert "no kernel abacus" in fails(*make("avx2 abacus"))
    # A build for CPUs with AVX2 only.
    assert "a kernel that runs everywhere" in fails(*make("avx2"))


@suite("quick")
def test_kernels_left_out_cmake(folder):
    run("cmake", "-S", ".", "-B", folder, "-DHORNET_KERNELS=ifma scalar64")
    run("cmake", "--build", folder)
    check(folder, folder / "libhornet.a", "ifma", "scalar64")
    assert "no kernel abacus" in fails("cmake", "-S", ".", "-B", folder, "-DHORNET_KERNELS=abacus")
