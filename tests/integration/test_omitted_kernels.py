# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Builds with the default kernels, with all, and with some only, by make, CMake and cargo: they contain no others.

They compute the same tags. Invalid names, and choices that leave no kernel for some CPU, are refused.
"""

import re

from support import DEFAULT_KERNELS, fails, kernel_names, output, program, run, suite
from support.products import make


def check(folder, archive, *kernels):
    """Check which kernels an archive contains."""
    test = program(
        folder / "kernels", ["cc", "-O2"], "tests/integration/omitted_kernels.c", options=["-Iinclude"], link=[archive]
    )
    assert sorted(output(test).split()) == sorted(kernels)
    records = re.findall(r" hornet_poly1305_kernel_([a-z0-9]+)\w*$", output("nm", archive), re.M)
    assert set(records) == set(kernels)


@suite("slow", cpu_seconds=20)
def test_omitted_kernels_make(folder):
    def words(kernels):
        return "library", f"BUILD={folder}", f"HORNET_KERNELS={kernels}"

    # Another choice in the same folder rebuilds what depends on it.
    for kernels, built in (
        ("", kernel_names(["cc", DEFAULT_KERNELS])),
        ("all", kernel_names(["cc"])),
        ("avx2 scalar64", ["avx2", "scalar64"]),
        ("scalar32", ["scalar32"]),
    ):
        make(*words(kernels))
        check(folder, folder / "libhornet.a", *built)
    assert "no kernel abacus" in fails("make", *words("avx2 abacus"))
    # A build for CPUs with AVX2 only.
    assert "a kernel that runs everywhere" in fails("make", *words("avx2"))


@suite("quick")
def test_omitted_kernels_cmake(folder):
    run("cmake", "-S", ".", "-B", folder, "-DHORNET_KERNELS=ifma avx512f scalar64")
    run("cmake", "--build", folder, "-j2")
    check(folder, folder / "libhornet.a", "ifma", "avx512f", "scalar64")
    assert "no kernel abacus" in fails("cmake", "-S", ".", "-B", folder, "-DHORNET_KERNELS=abacus")


@suite("quick")
def test_omitted_kernels_cargo(folder):
    build = ["cargo", "build", "--quiet", "--locked", "--package", "hornet-poly1305"]
    run(*build, env={"HORNET_KERNELS": "avx2 avx512f scalar64", "CARGO_TARGET_DIR": folder})
    [archive] = (folder / "debug/build").rglob("libhornet.a")
    check(folder, archive, "avx2", "avx512f", "scalar64")
    assert "no kernel abacus" in fails(*build, env={"HORNET_KERNELS": "abacus", "CARGO_TARGET_DIR": folder})
