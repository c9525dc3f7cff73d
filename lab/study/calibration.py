#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What a model of a CPU is worth: llvm-mca's cycles beside those that Polyakov measured on that CPU, of the assembly that he
wrote, OpenSSL's, in which Debian's version has changed since.

    calibration.py [FILE.json]      writes lab/study/results/calibration.json

qemu executes calls of 8 and 16 KiB, whose instructions llvm-mca gets as straight code (lab/counts/call_cycles.py); a byte
out of a large block takes their difference. His code sizes stand beside those of the functions that he wrote it of.
"""

import datetime
import json
import os
import sys
import tempfile
from pathlib import Path
from shutil import which

STUDY = Path(__file__).resolve().parent
sys.path.append(str(STUDY.parent / "counts"))

import call_cycles  # noqa: E402
import instructions  # noqa: E402

FILE = STUDY / "results/calibration.json"
TOOLS = [
    *(
        f"{of}-gcc"
        for of in ("aarch64-linux-gnu", "powerpc64le-linux-gnu", "s390x-linux-gnu", "mips64el-linux-gnuabi64")
    )
]
TOOLS += ["llvm-mca-19", "qemu-aarch64", "clang-19"]
LENGTHS_BYTES = 8192, 16384
# The CPU and the column in papers.json, the architecture, llvm-mca's and qemu's names of the CPU, and the variables by which
# OpenSSL chooses the code. qemu has no Apple A7, and Debian's OpenSSL needs a POWER8.
SCALAR_ARM, SCALAR_POWER = {"OPENSSL_armcap": "0"}, {"OPENSSL_ppccap": "0"}
MODELS = [
    *(
        (name, column, "aarch64", model, qemu, choice)
        for name, model, qemu in (
            ("Cortex-A53", "cortex-a53", "cortex-a53"),
            ("Cortex-A57", "cortex-a57", "cortex-a57"),
            ("Apple A7", "cyclone", "cortex-a57"),
        )
        for column, choice in (("NEON, 64-bit", {}), ("2^64", SCALAR_ARM))
    ),
    ("POWER7", "2^64", "ppc64le", "pwr7", "power8", SCALAR_POWER),
    ("POWER8", "2^64", "ppc64le", "pwr8", "power8", SCALAR_POWER),
    ("z196", "2^64", "s390x", "z196", "max", {"OPENSSL_s390xcap": "z196"}),
]


def missing() -> list[str]:
    return [tool for tool in TOOLS if which(tool) is None]


# He expects that on MIPS64 radix 2^32 in 64-bit instructions may be better than 2^64.
MIPS64 = {"2^64, OpenSSL": "openssl", "2^64, the library": "scalar64", "2^32, the library": "scalar32"}
# The code that his sizes are of, in OpenSSL, and the library's and the study's with the same radix.
OPENSSL_CODE = ["poly1305_init", "poly1305_blocks", "poly1305_emit"]
SOURCES = {"scalar64": "src/poly1305/kernels/scalar64.c", "folded64": "lab/study/kernels/folded64.c"}


def function_bytes(triple: str, file: Path) -> dict[str, int]:
    """Return the sizes of the functions in an object, an archive or a program. Of two with one name, the exported one
    counts."""
    rows = [line.split() for line in instructions.execute(f"{triple}nm", "-S", file).splitlines()]
    rows = sorted((row for row in rows if len(row) == 4 and row[2] in "tT"), key=lambda row: row[2], reverse=True)
    return {name: int(size, 16) for _, size, _, name in rows}


def sizes(openssl: Path) -> list[dict]:
    """Return how many bytes of code scalar implementations take."""
    system = Path(instructions.execute("gcc", "-print-file-name=libcrypto.a").strip())
    of_openssl = {"aarch64": ("aarch64-linux-gnu-", openssl)} | ({"x86_64": ("", system)} if system.exists() else {})
    found = []
    for name, (triple, file) in of_openssl.items():
        functions = function_bytes(triple, file)
        found.append({"architecture": name, "code": "OpenSSL", "bytes": sum(functions[of] for of in OPENSSL_CODE)})
        for kernel, source in SOURCES.items():
            with tempfile.NamedTemporaryFile(suffix=".o") as compiled:
                instructions.execute(f"{triple}gcc", "-O2", "-c", "-o", compiled.name, instructions.ROOT / source)
                total = sum(function_bytes(triple, Path(compiled.name)).values())
            found.append({"architecture": name, "code": kernel, "bytes": total})
    return found


def of_mips64(mips64: instructions.Counted, kernel: str) -> float:
    """Return the instructions that qemu executes for a byte out of a large block."""
    short, long_ = (mips64.count("gcc", "poly1305", kernel, length) for length in LENGTHS_BYTES)
    return round((long_ - short) / (LENGTHS_BYTES[1] - LENGTHS_BYTES[0]), 3)


def results() -> dict:
    instructions.build_plugin()
    built: dict[str, instructions.Counted] = {}
    rows = []
    for name, column, architecture_name, model, qemu, choice in MODELS:
        if architecture_name not in built:
            built[architecture_name] = instructions.Counted(architecture_name)
            built[architecture_name].build("openssl")
        architecture = built[architecture_name]
        path = architecture.program("gcc", "openssl")
        program = call_cycles.Program(architecture, path, model, qemu, os.environ | choice)
        short, long_ = (program.cycles("poly1305", "openssl", length) for length in LENGTHS_BYTES)
        more_bytes = LENGTHS_BYTES[1] - LENGTHS_BYTES[0]
        rows.append(
            {
                "processor": name,
                "column": column,
                "model": model,
                "per_byte": round((long_.total - short.total) / more_bytes, 3),
                "instructions_per_byte": round((long_.instructions - short.instructions) / more_bytes, 3),
                "left_out": long_.unknown,
            }
        )
        print(rows[-1], file=sys.stderr)
    for architecture in built.values():
        architecture.check_results()
    mips64 = instructions.Counted("mips64el")
    mips64.build("openssl")
    mips64.build("scalar64")
    package = next((instructions.BUILD / "aarch64/openssl").glob("*.deb")).name
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "openssl": package.split("_")[1],
        "llvm-mca": next(
            line.strip() for line in instructions.execute("llvm-mca-19", "--version").splitlines() if "version" in line
        ),
        "bytes": LENGTHS_BYTES,
        "rows": rows,
        "mips64": [
            {"code": name, "instructions_per_byte": of_mips64(mips64, kernel)} for name, kernel in MIPS64.items()
        ],
        "sizes": sizes(built["aarch64"].program("gcc", "openssl")),
    }


if __name__ == "__main__":
    if absent := missing():
        sys.exit(f"calibration.py: not installed: {', '.join(absent)}")
    Path(*(sys.argv[1:2] or [FILE])).write_text(json.dumps(results(), indent=1) + "\n")
