# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Fuzzes the library in C, and manifests, key files and sealed files in Rust, with libFuzzer.

Each target starts from its corpus, and runs for FUZZ_SECONDS from the environment, 5 if it is not set. build/fuzz keeps
the input of a finding, and the new inputs of the targets in C.
"""

import os
import re
from pathlib import Path

from support import ROOT, STRICT, attempt, library, program, row, rows, run, suite

SECONDS = int(os.environ.get("FUZZ_SECONDS", "5"))
FUZZ = Path(__file__).parent
KEPT = ROOT / "build/fuzz"
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
RUST_TARGETS = sorted(path.stem for path in (FUZZ / "rust/src/bin").glob("*.rs"))
# One for each format.
IN_CI = "key_file_text", "manifest_changed", "parts_changed", "sealed_header"


def fuzz(name, *command, cwd=ROOT):
    """Run a target, which must find nothing, and return what it prints."""
    (KEPT / "new" / name).mkdir(parents=True, exist_ok=True)
    (KEPT / "findings").mkdir(exist_ok=True)
    limits = [f"-max_total_time={SECONDS}", f"-artifact_prefix={KEPT}/findings/{name}-", "-print_final_stats=1"]
    status, said = attempt(*command, *limits, cwd=cwd, env={"RUST_BACKTRACE": 0})
    print(said)
    assert status == 0, f"{name}: exit status {status}"
    runs = int(re.search(r"^stat::number_of_executed_units: *(\d+)", said, re.M)[1])
    assert runs > 100, f"{name}: only {runs} runs"
    return said


@rows(
    "target",
    *(
        row(f"fuzz-c-{name}", name, suites="slow", cpu_seconds=30)
        for name in ("message", "batch", "partial", "aead", "stream")
    ),
)
def test_fuzz_c(target, folder):
    built = library("clang-19", "-O1", "-g", *SANITIZERS, "-fsanitize=fuzzer-no-link")
    command = ["clang-19", "-O1", "-g", *SANITIZERS, "-fsanitize=fuzzer"]
    sources = [FUZZ / f"c/{target}.c", ROOT / "tests/support/reference.c"]
    fuzzer = program(folder / target, command, *sources, objects=built.objects, options=STRICT, link=["-lgmp"])
    # New inputs go to the first folder.
    fuzz(target, fuzzer, "-timeout=20", "-max_len=4096", KEPT / "new" / target, FUZZ / "c/corpus" / target)


@rows(
    "target",
    *(
        row(f"fuzz-rust-{name}", name, suites="slow" if name in IN_CI else "release", cpu_seconds=40)
        for name in RUST_TARGETS
    ),
)
def test_fuzz_rust(target, folder):
    built = ["cargo", "run", "--quiet", "--release", "--locked", "--bin", target, "--"]
    dictionary = FUZZ / "rust/dictionaries" / target.split("_")[0]
    arguments = ["-max_len=1024", f"-dict={dictionary}", folder, FUZZ / "rust/corpus" / target]
    said = fuzz(target, *built, *arguments, cwd=FUZZ / "rust")
    # Without instrumentation, the target would run but find nothing.
    covered = int(re.search(r"^#\d+\s+DONE +cov: (\d+) ", said, re.M)[1])
    assert covered >= 20, f"{target} covers only {covered} edges: is the code instrumented?"


@suite("release", cpu_seconds=130)
def test_fuzz_rust_clippy():
    run("cargo", "clippy", "--release", "--locked", "--all-targets", "--", "-D", "warnings", cwd=FUZZ / "rust")
