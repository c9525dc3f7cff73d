# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Rust crate for other targets, and the library and the crate without a C library."""

import re

from support import ROOT, library, output, row, rows, run, suite
from support.architectures import ARCHITECTURES, table

CRATE = ROOT / "bindings/rust/hornet"
# In an emulator, unoptimized code takes longer than optimizing it. Overflow checks stay enabled.
PROFILE = {"CARGO_PROFILE_TEST_OPT_LEVEL": 1, "CARGO_PROFILE_TEST_DEBUG": 0}


def targets():
    for target, name in table("tests/cross/rust-targets.txt"):
        yield row(f"rust-{target}", target, ARCHITECTURES.get(name), "", suites="cross cross-quick", cpu_seconds=30)
    yield row("rust-wasm32-vectors", "wasm32-wasip1", None, "-msimd128", suites="cross cross-quick", cpu_seconds=30)


def run_tests(target, compiler, runner, features, flags=""):
    variable = target.replace("-", "_")
    env = {f"CC_{variable}": compiler, f"CFLAGS_{variable}": flags}
    env[f"CARGO_TARGET_{variable.upper()}_RUNNER"] = " ".join(map(str, runner))
    if compiler.endswith("-gcc"):
        env[f"CARGO_TARGET_{variable.upper()}_LINKER"] = compiler
    run("cargo", "test", "--locked", *features, "--target", target, cwd=CRATE, env=env | PROFILE)


@rows("target, architecture, flags", *targets())
def test_rust_target(target, architecture, flags):
    if architecture:
        emulator = architecture.emulator
        # i686 runs natively.
        runner = emulator if emulator == ["env"] else [*emulator, "-L", f"/usr/{architecture.triple}"]
        run_tests(target, architecture.gcc, runner, ["--all-features"])
    else:
        # WebAssembly has no C library, except for the parts that Rust provides, and no threads.
        runner = ["node", "--no-warnings", ROOT / "tests/cross/wasi.mjs"]
        run_tests(target, "clang-19", runner, ["--no-default-features", "--features", "std"], f"-ffreestanding {flags}")


@suite("cross cross-quick", cpu_seconds=30)
def test_windows_rust(folder):
    # Rust's standard library gets random bytes from a Windows library that Wine 8 lacks. Another library has the same
    # function under another name.
    definition = folder / "bcryptprimitives.def"
    definition.write_text("LIBRARY bcryptprimitives\nEXPORTS\nProcessPrng=advapi32.SystemFunction036\n")
    made = ["-shared", "-nostdlib", "-Wl,-e,0", "-o", folder / "bcryptprimitives.dll", definition, "-ladvapi32"]
    run("x86_64-w64-mingw32-gcc", *made)
    runner = ROOT / "tests/cross/run-wine.sh"
    env = {"WINEPATH": f"Z:{folder}", "CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER": runner}
    run("cargo", "test", "--locked", "--target", "x86_64-pc-windows-gnu", cwd=CRATE, env=env)


@rows(
    "target",
    *(row(f"freestanding-{target}", target) for target in ("wasm32", "aarch64", "x86_64", "loongarch64", "riscv32")),
)
def test_freestanding(target):
    """The library compiles for targets without a C library, and calls only memcpy and memset."""
    triple = target if target == "wasm32" else f"{target}-none-elf"
    built = library("clang-19", f"--target={triple}", "-ffreestanding", "-O2")
    # nm cannot read wasm.
    if target != "wasm32":
        called = set(re.findall("^ +U (.*)$", output("nm", "-u", *built.objects), re.M))
        assert {name for name in called if not name.startswith("hornet_")} <= {"memcpy", "memset"}


@rows(
    "target",
    *(row(f"freestanding-rust-{name}", name) for name in ("wasm32-unknown-unknown", "aarch64-unknown-none")),
)
def test_freestanding_rust(target):
    """The crate compiles without std."""
    build = ["cargo", "build", "--release", "--locked", "--no-default-features", "--target", target]
    run(*build, cwd=CRATE, env={"CC": "clang-19"})
