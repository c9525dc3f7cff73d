# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Rust crate for other targets, and the library and the crate without a C library."""

import re

from support import ROOT, compiled, library, output, row, rows, run, suite
from support.architectures import ARCHITECTURES, table

CRATE = ROOT / "bindings/rust/hornet"
# In an emulator, unoptimized code takes longer than optimizing it. Overflow checks stay enabled.
PROFILE = {"CARGO_PROFILE_TEST_OPT_LEVEL": 1, "CARGO_PROFILE_TEST_DEBUG": 0}


# WebAssembly has no threads.
FEATURES = {"all": ["--all-features"], "no threads": ["--no-default-features", "--features", "std,aead,universal-hash"]}


# The C code of most is in cross-quick. wasm32 has words of 32 bits.
NOT_QUICK = "aarch64", "ppc64le", "ppc64", "riscv64", "armhf", "i686", "s390x"


def targets():
    for target, name in table("tests/cross/rust-targets.txt"):
        architecture = ARCHITECTURES.get(name)
        # qemu takes a minute for RISC-V's vectors.
        slow = architecture is not None and architecture.compilers == ["clang-19"]
        suites, cpu_seconds = ("cross" if slow or name in NOT_QUICK else "cross cross-quick"), 80 if slow else 40
        yield row(
            f"rust-{name if architecture else target}", target, architecture, "", suites=suites, cpu_seconds=cpu_seconds
        )
    yield row("rust-wasm32-vectors", "wasm32-wasip1", None, "-msimd128", suites="cross cross-quick", cpu_seconds=30)


def run_tests(target, runner, features="all", **env):
    """Run the crate's tests, by a command that runs a program, and check that those of the AEAD are among them."""
    variable = f"CARGO_TARGET_{target.upper().replace('-', '_')}"
    env[f"{variable}_RUNNER"] = " ".join(map(str, runner))
    if linker := env.pop("linker", None):
        env[f"{variable}_LINKER"] = linker
    printed = output("cargo", "test", "--locked", *FEATURES[features], "--target", target, cwd=CRATE, env=env | PROFILE)
    for name in (
        "tests::wycheproof_cases",
        "tests::every_length",
        "traits::tests::same_as_another_implementation_of_the_traits",
    ):
        assert f"test aead::{name} ... ok" in printed, f"the test aead::{name} did not run"


@rows("target, architecture, wasm_flags", *targets())
def test_rust_target(target, architecture, wasm_flags, folder):
    compiler, flags = (f"{name}_{target.replace('-', '_')}" for name in ("CC", "CFLAGS"))
    if not architecture:
        # WebAssembly has no C library, except for the parts that Rust provides.
        runner = ["node", "--no-warnings", ROOT / "tests/cross/wasi.mjs"]
        run_tests(target, runner, "no threads", **{compiler: "clang-19", flags: f"-ffreestanding {wasm_flags}"})
        return
    # i686 runs natively.
    emulator = architecture.emulator
    runner = emulator if emulator == ["env"] else [*emulator, "-L", f"/usr/{architecture.triple}"]
    env = {compiler: architecture.gcc, "linker": architecture.gcc}
    if architecture.compilers == ["clang-19"]:
        env[compiler], env[flags] = "clang-19", f"--target={architecture.triple}"
        # Beside what gcc builds for the same target.
        env["CARGO_TARGET_DIR"] = ROOT / "build/rust-clang"
        # Without it, qemu's vectors are not detected.
        (probe,) = compiled(ROOT / "build/rust-clang/hwprobe", [architecture.gcc, "-O2"], ["tests/cross/hwprobe.c"])
        env["RUSTFLAGS"] = f"-Clink-arg=-Wl,--wrap=syscall -Clink-arg={probe}"
    run_tests(target, runner, **env)


@suite("cross", cpu_seconds=90)
def test_windows_rust(folder):
    # Rust's standard library gets random bytes from a Windows library that Wine 8 lacks. Another library has the same
    # function under another name.
    definition = folder / "bcryptprimitives.def"
    definition.write_text("LIBRARY bcryptprimitives\nEXPORTS\nProcessPrng=advapi32.SystemFunction036\n")
    made = ["-shared", "-nostdlib", "-Wl,-e,0", "-o", folder / "bcryptprimitives.dll", definition, "-ladvapi32"]
    run("x86_64-w64-mingw32-gcc", *made)
    runner = ROOT / "tests/cross/run-wine.sh"
    run_tests("x86_64-pc-windows-gnu", [runner], WINEPATH=f"Z:{folder}")


@rows(
    "target",
    row("freestanding-wasm32", "wasm32"),
    *(row(f"freestanding-{name}", name, suites="release") for name in ("aarch64", "x86_64", "loongarch64", "riscv32")),
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
