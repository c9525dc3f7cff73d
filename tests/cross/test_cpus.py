# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The rows of cpus.txt, for CPUs other than this machine's: what each chooses, and what its kernels compute.

These are the kernel that each chooses, all kernels that it offers, and their tags; the ChaCha20 kernels that run, and
the results of sealing; and AES. qemu emulates up to AVX2; for AVX-512, Bochs boots a whole machine.
"""

from pathlib import Path

import pytest
from support import kernel_names, lanes_program, library, output, program, row, rows, run
from support.architectures import table
from support.emulator import run_emulated
from support.products import once

CPUS = table("tests/cross/cpus.txt")
REFERENCE = "tests/support/reference.c"
HERE_IS_AVX_512 = "avx512ifma" in Path("/proc/cpuinfo").read_text().split()
on_other_cpus = pytest.mark.skipif(
    HERE_IS_AVX_512, reason="other tests run the same code here, in a fraction of the time"
)


def check(answers, compiler, best):
    """Compare the answers with the definition. The ChaCha20 kernels from the best on must have answered, and no others."""
    kernels = kernel_names([compiler], "chacha20")
    kernels = kernels[kernels.index(best) :]
    sources = ["tests/cross/check_answers.c", REFERENCE]
    built = once("check-answers", lambda folder: program(folder / "check", ["cc", "-O2"], *sources, link=["-lgmp"]))
    run(built / "check", *kernels, stdin=answers.encode())


def programs(folder, compiler):
    """Return the library, and the programs that check the choice of a kernel and that compute answers."""
    built = library(compiler, "-O2")
    wraps = [f"-Wl,--wrap=hornet_poly1305_kernel_{name}" for name in kernel_names([compiler], tuned=True)]
    dispatch = program(folder / "dispatch", built, "tests/unit/test_dispatch.c", link=["-static", *wraps])
    return built, dispatch, program(folder / "answers", built, "tests/cross/known_answers.c", link=["-static"])


# The choice for all sets of features is tested elsewhere: between edits, one CPU of each kind is enough.
BETWEEN_EDITS = {"x86-64-baseline", "x86-64-avx", "i686-no-sse2"}
CI_TOO = {"x86-64-max", "x86-64-avx2-masked", "i686-sse2"}


@rows(
    "compiler, emulator, model, chosen, cipher",
    *(
        row(
            f"cpus-{name}",
            *values[:4],
            values[5],
            suites="quick" if name in BETWEEN_EDITS else "slow" if name in CI_TOO else "release",
            cpu_seconds=20,
        )
        for name, *values in CPUS
        if values[1] != "bochs"
    ),
)
def test_cpus(compiler, emulator, model, chosen, cipher, folder):
    # qemu reports on stderr which features of a model it lacks; the programs detect those that remain.
    emulated = [emulator, "-cpu", model]
    built, dispatch, answers = programs(folder, compiler)
    run(*emulated, dispatch, chosen)
    # Kernels in plain C are slow, and do not depend on the CPU.
    kernels = [name for name in kernel_names([compiler]) if not name.startswith("portable")]
    check(output(*emulated, answers, *kernels), compiler, cipher)
    run(*emulated, program(folder / "aes", built, "tests/unit/test_aes.c", link=["-static"]))


# The kernels that dispatch chooses, as one compiler makes them.
IN_CI = {("avx-512-ifma", "clang-19")}


def bochs_rows(start, seconds, in_ci, others):
    """Return a row for each CPU that Bochs emulates and each compiler, in these suites; its name follows the start."""
    for name, compiler, emulator, *values in CPUS:
        if emulator == "bochs":
            suites = in_ci if (name, compiler) in IN_CI else others
            yield row(f"{start}-{name}-{compiler}", compiler, *values, suites=suites, cpu_seconds=seconds)


@on_other_cpus
@rows("compiler, model, chosen, tested, cipher", *bochs_rows("cpus", 120, "slow", "release"))
def test_avx_512(compiler, model, chosen, tested, cipher, folder):
    kernels = tested.split(",")
    _, dispatch, answers = programs(folder, compiler)
    run_emulated(folder / "choice", model, dispatch, chosen)
    answered = run_emulated(folder / "answered", model, answers, *kernels)
    assert all(f"kernel {kernel}\n" in answered for kernel in kernels)
    check(answered, compiler, cipher)


@on_other_cpus
@rows(
    "compiler, model, chosen, tested, cipher",
    *bochs_rows("reference", 300, "release", "release"),
)
def test_avx_512_reference(compiler, model, chosen, tested, cipher, folder):
    built = library(compiler, "-O2")
    gmp = program(folder / "gmp", built, "tests/unit/test_poly1305.c", REFERENCE, link=["-static", "-lgmp"])
    for kernel in tested.split(","):
        lanes = lanes_program(folder / f"lanes-{kernel}", built, kernel, link=["-static"])
        run_emulated(folder / f"lanes-{kernel}.emulated", model, lanes)
        run_emulated(folder / f"reference-{kernel}.emulated", model, gmp, kernel)
