# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The library for code that must not touch vector registers, such as an operating system's kernel.

Its compiler is told so, and the library then has no instruction that reads or writes them. It computes the same results,
and leaves neither secrets behind nor any vector register changed.
"""

import platform
import re

import pytest
from support import ROOT, STRICT, attempt, compiled, library, output, program, row, rows, run, suite

KERNEL = "-mno-sse -mno-mmx -mno-red-zone -mcmodel=kernel -fno-pic"
NONE = "--target=x86_64-unknown-none -msoft-float -mno-sse -mno-mmx -mno-red-zone"
ARM = "-mgeneral-regs-only -mno-outline-atomics"
# Registers of vectors, masks, MMX and x87; and instructions that imply them.
REGISTERS = {
    "x86": r"%[xyzt]?mm\d|%st\b|%k[0-7]|^(?:f(?!s|g)|v(?!er|m)|emms|ldmxcsr|stmxcsr|xsave|xrstor)",
    "aarch64": r"[ \t,{\[][bhsdqvzp]\d+\b",
}


def count_vectors(objects, family, least, disassembler="objdump"):
    """Return how many instructions of objects use vectors. They must have `least` instructions or more."""
    status, text = attempt(disassembler, "-d", "--no-show-raw-insn", *objects)
    assert status == 0, text[-1000:]
    # Without comments and the addresses of jumps.
    found = re.findall(r"^ *[0-9a-f]+:\s+(\S+(?: +lock)?[^<\n#]*?)(?:[0-9a-f]+ <.*|//.*|#.*)?$", text, re.M)
    vectors = [each for each in found if re.search(REGISTERS[family], each)]
    print(f"{len(objects)} objects, {len(found)} instructions, {len(vectors)} of vectors: {vectors[:3]}")
    assert len(found) >= least
    return len(vectors)


def check_called(objects):
    called = set(re.findall("^ +U (.*)$", output("nm", "-u", *objects), re.M))
    assert {name for name in called if not name.startswith("hornet_")} <= {"memcpy", "memset", "_GLOBAL_OFFSET_TABLE_"}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these flags are those of x86-64")
@rows(
    "command",
    row("no-vectors-kernel-gcc", f"gcc -O2 {KERNEL}"),
    row("no-vectors-kernel-clang-19", f"clang-19 -O2 {KERNEL}"),
    row("no-vectors-general-gcc", "gcc -O2 -mgeneral-regs-only"),
    row("no-vectors-general-clang-19", "clang-19 -O2 -mgeneral-regs-only"),
    row("no-vectors-none", f"clang-19 -O2 {NONE}"),
    row("no-vectors-i686", "gcc -O2 -m32 -mgeneral-regs-only"),
    row("no-vectors-O3-gcc", f"gcc -O3 {KERNEL}", suites="release"),
    row("no-vectors-O0-clang-19", f"clang-19 -O0 {KERNEL}", suites="release"),
)
def test_no_vectors(command, folder):
    words = [*command.split(), "-ffreestanding"]
    built = library(*words)
    assert count_vectors(built.objects, "x86", 15000) == 0
    check_called(built.objects)
    run("tools/amalgamate.py", folder)
    one = compiled(folder, [*words, "-Wall", "-Wextra", "-Werror"], [folder / "hornet.c"])
    assert count_vectors(one, "x86", 5000) == 0
    check_called(one)


@suite("quick")
def test_vectors_are_counted():
    """The other builds have vectors, and the pattern sees them."""
    assert count_vectors(library("gcc", "-O2").objects, "x86", 30000) > 10000


@rows(
    "command",
    row("no-vectors-aarch64-gcc", f"aarch64-linux-gnu-gcc -O2 {ARM}", suites="cross cross-quick"),
    row("no-vectors-aarch64-clang-19", f"clang-19 --target=aarch64-linux-gnu -O2 {ARM}", suites="cross"),
)
def test_no_vectors_aarch64(command, folder):
    disassembler = "aarch64-linux-gnu-objdump"
    built = library(*command.split(), "-ffreestanding")
    assert count_vectors(built.objects, "aarch64", 12000, disassembler) == 0
    run("tools/amalgamate.py", folder)
    one = compiled(folder, [*command.split(), "-ffreestanding", "-Wall", "-Wextra", "-Werror"], [folder / "hornet.c"])
    assert count_vectors(one, "aarch64", 5000, disassembler) == 0
    others = library("clang-19", "--target=aarch64-linux-gnu", "-O2", "-ffreestanding")
    assert count_vectors(others.objects, "aarch64", 12000, disassembler) > 5000


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the programs run here")
@rows(
    "compiler",
    row("no-vectors-results-gcc", "gcc", cpu_seconds=20),
    row("no-vectors-results-clang-19", "clang-19", suites="release", cpu_seconds=20),
)
def test_results(compiler, folder):
    """The build for a kernel computes what the definitions say, and leaves nothing behind."""
    flags = KERNEL.split()
    memory = compiled(folder, [compiler, "-O2", *flags, "-ffreestanding"], ["tests/unit/memory_by_words.c"])

    def test(name, *arguments, level="-O2", cflags=()):
        built = library(compiler, "-O2", *flags, *cflags, "-ffreestanding")
        # The tests read the lists of that build.
        command = [compiler, level, "-fno-pie", "-DHORNET_ALL_KERNELS=1", "-DHORNET_NO_VECTORS=1"]
        reference = compiled(folder, [*command, *STRICT], ["tests/support/reference.c"])
        objects = [*built.objects, *memory, *reference]
        libraries = ["-no-pie", "-Wl,-z,now", "-lgmp", "-lgcrypt", "-lnettle", "-lcrypto"]
        run(program(folder / name, command, f"tests/unit/{name}.c", objects=objects, link=libraries), *arguments)

    for kernel in "scalar64", "scalar32":
        test("test_poly1305", kernel)
    for name in "test_chacha20", "test_poly1305_aes", "test_aes", "test_partial":
        test(name)
    test("test_aead", "--few")
    test("test_ssh", "--few")
    # The test itself uses no vectors for the arguments of a call.
    test("test_preserved_vectors", level="-O0")
    test("test_stack_wipe", "--few", cflags=["-DHORNET_NO_CROSSOVERS"])


@rows(
    "target, family, prefix",
    row("no-vectors-rust-x86_64-unknown-none", "x86_64-unknown-none", "x86", ""),
    row(
        "no-vectors-rust-aarch64-unknown-none-softfloat",
        "aarch64-unknown-none-softfloat",
        "aarch64",
        "aarch64-linux-gnu-",
        suites="cross cross-quick",
    ),
)
def test_rust(target, family, prefix, folder):
    """The crate compiles C as Rust compiles its own code for these targets."""
    build = ["cargo", "build", "--release", "--locked", "--no-default-features", "--target", target]
    run(*build, cwd=ROOT / "bindings/rust/hornet", env={"CC": "clang-19", "CARGO_TARGET_DIR": folder})
    [archive] = folder.glob(f"{target}/release/build/*/out/libhornet.a")
    assert count_vectors([archive], family, 5000, f"{prefix}objdump") == 0
