# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs the library's tests for each row of architectures.txt in an emulator, built by gcc and by clang."""

import re
from dataclasses import replace

from support import compiled, fails, kernel_names, lanes_program, library, output, program, row, rows, run
from support.architectures import ARCHITECTURES, mini_gmp

# Debian's gcc is patched so that nothing fails where the stack is not aligned; therefore, look for the alignment itself.
ALIGNS_STACK = r"and +.0xf+[ec]0,%rsp"

# Models of qemu's, and a feature that is concluded from the number of each.
ARM_CORES = {
    "cortex-a53": "cortex_a53",
    "cortex-a72": "neoverse_n1",
    "neoverse-n1": "neoverse_n1",
    "a64fx": "other_sve",
    "max": "other_sve",
}

# The AES in instructions.
AES = {"aarch64": "armv8", "armhf": "armv8", "ppc64le": "power8", "ppc64": "power8"}

# The architectures of tests/support/call_on.h.
REGISTERS_KNOWN = "x86_64-", "aarch64-", "arm-linux-gnueabihf", "s390x-", "powerpc64", "riscv64-"

# Beside a vector kernel, cross-quick tests a scalar one here: as code for words of 64 and of 32 bits, big-endian, and for
# Windows. In other emulators that takes half a minute for what these show; the AEAD runs on all.
SCALAR_TOO = "rvv128", "i686", "s390x", "windows"
# Where cross-quick tests all that calls kernels, and what calls leave behind: elsewhere this is the same C.
CALLERS_TOO = "aarch64", "i686", "s390x", "windows"


def architectures():
    """Return a row for each architecture and compiler; cross-quick has one compiler for most."""
    for architecture in ARCHITECTURES.values():
        for compiler in architecture.compilers:
            quick = architecture.quick and compiler == architecture.compilers[0]
            suites = "cross cross-quick" if quick else "cross"
            scalar_too = not quick or architecture.name in SCALAR_TOO
            name = f"{architecture.name}-{compiler}"
            callers_too = not quick or architecture.name in CALLERS_TOO
            yield row(name, architecture, compiler, scalar_too, callers_too, suites=suites, cpu_seconds=120)


@rows("architecture, compiler, scalar_too, callers_too", *architectures())
def test_architecture(architecture, compiler, scalar_too, callers_too, folder):
    # No flag names an instruction set, and there must be no warnings.
    built = library(*architecture.command(compiler), "-O2")
    run("tools/amalgamate.py", folder)
    compiled(folder, [*built.command, "-Wall", "-Wextra", "-Werror"], [folder / "hornet.c"])

    built = replace(built, command=[*built.command, "-w"])
    link = architecture.link(folder, built)
    suffix = ".exe" if architecture.triple.endswith("-mingw32") else ""
    options = ["-DHORNET_NO_PEERS", "-Itests/cross/mini-gmp", f"-I{mini_gmp()}"]
    gmp = compiled(folder, [*built.command, *options], [mini_gmp() / "mini-gmp.c", "tests/support/reference.c"])

    def test(name, *arguments, built=built):
        """Build a program of tests/unit, run it, and return what it prints."""
        path = folder / f"{name}{suffix}"
        if not path.exists():
            program(path, built, f"tests/unit/{name}.c", options=options, link=[*gmp, *link])
        return output(*architecture.emulator, path, *arguments)

    chosen = program(folder / f"chosen{suffix}", built, "tests/cross/chosen.c", options=options, link=link)
    text = output(*architecture.emulator, chosen, architecture.chosen, architecture.tested.replace(",", " "))
    kernels = re.findall(r"^kernel (\w+)", text, re.M)
    tested = [kernel for kernel in kernels if scalar_too or not kernel.startswith("scalar")]
    assert tested
    for kernel in tested:
        test("test_poly1305", kernel)
        run(*architecture.emulator, lanes_program(folder / f"lanes_{kernel}{suffix}", built, kernel, link=link))
    for name in ("test_chacha20", *(("test_partial", "test_poly1305_aes") if callers_too else ())):
        test(name)
    assert f"{AES.get(architecture.name, 'bitsliced')}: runs here" in test("test_aes")
    for name in "test_aead", "test_ssh":
        test(name, "--few")
    # Data left behind by calls, on the stack and in vector registers.
    if callers_too and architecture.triple.startswith(REGISTERS_KNOWN):
        few = () if architecture.triple.startswith("x86_64-") else ("--few",)
        test("test_stack_wipe", *few, built=library(*architecture.command(compiler), "-O2", "-DHORNET_NO_CROSSOVERS"))
        for leak in ("stack", "register"):
            fails(*architecture.emulator, folder / f"test_stack_wipe{suffix}", "leak", leak)

    # The families of cores, by the numbers that qemu's models have.
    if architecture.triple.startswith("aarch64-"):
        wraps = [f"-Wl,--wrap=hornet_poly1305_kernel_{name}" for name in kernel_names(built.command, tuned=True)]
        dispatch = program(folder / "dispatch", built, "tests/unit/test_dispatch.c", link=[*wraps, *link])
        run(*architecture.emulator, dispatch)
        for core, feature in ARM_CORES.items():
            run(*architecture.emulator, "-cpu", core, dispatch, "neon", feature)

    check_multiplications(architecture, built)
    # gcc must align the stack for vectors of more than 16 bytes, as core/compiler.h requires.
    if suffix and compiler == "gcc":
        for kernel in ("avx2", "avx512f", "ifma256", "ifma"):
            assert count(architecture, built, kernel, ALIGNS_STACK) >= 2, f"{kernel} does not align its stack"


def check_multiplications(architecture, built):
    """Check that each multiplication instruction occurs in its kernel, and in no scalar one."""
    scalar = set(re.findall(r"_poly1305_kernels_(scalar\w*)\.c", " ".join(map(str, built.objects))))
    assert scalar
    for entry in architecture.multiplies.split(",") if architecture.multiplies != "-" else []:
        kernel, instruction = entry.split(":", 1)
        assert count(architecture, built, kernel, instruction) >= 20, f"{kernel} does not multiply by {instruction}"
        assert not sum(count(architecture, built, other, instruction) for other in scalar)


def count(architecture, built, kernel, instruction):
    """Return how many instructions of a kernel match a regular expression."""
    # GNU objdump decodes RISC-V's vectors only in files that require them throughout.
    riscv = architecture.triple.startswith("riscv64-")
    disassembler = ["llvm-objdump-19", "--mattr=+v"] if riscv else [f"{architecture.triple}-objdump"]
    (file,) = set(built.objects) - set(built.without(kernel))
    text = output(*disassembler, "-d", "--no-show-raw-insn", file)
    return sum(re.search(instruction, line) is not None for line in text.splitlines())
