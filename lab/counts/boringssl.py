# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The program calls.c with BoringSSL's ChaCha20-Poly1305 for 64-bit Arm, which is an object of assembly. AWS-LC, a fork,
has the same instructions."""

import json
import sys
from pathlib import Path

from architectures import HERE, execute

ASSEMBLY = {
    "aws-lc-sys": "aws-lc/generated-src/linux-aarch64/crypto/cipher_extra/chacha20_poly1305_armv8.S",
    "ring": "pregenerated/chacha20_poly1305_armv8-linux64.S",  # of BoringSSL
}


def build(compiler: list[str], program: Path) -> None:
    folders = crates()
    assembly, *others = [folders[name] / path for name, path in ASSEMBLY.items()]
    if any(instructions(other) != instructions(assembly) for other in others):
        sys.exit(f"the instructions of {assembly} and {others[0]} differ: count both")
    options = ["-static", "-DCOUNT_BORINGSSL", f"-I{folders['aws-lc-sys'] / 'aws-lc/include'}"]
    execute(*compiler, *options, "-o", program, HERE / "calls.c", assembly)


def crates() -> dict[str, Path]:
    """Return the folders of the crates in peers/Cargo.toml, which cargo downloads if they are not there."""
    manifest = HERE / "peers/Cargo.toml"
    metadata = json.loads(execute("cargo", "metadata", "--locked", "--format-version=1", "--manifest-path", manifest))
    return {crate["name"]: Path(crate["manifest_path"]).parent for crate in metadata["packages"]}


def instructions(assembly: Path) -> list[list[str]]:
    """Return the words of the lines that are neither comments nor directives."""
    lines = [line.split() for line in assembly.read_text(encoding="utf-8").splitlines()]
    return [words for words in lines if words and not words[0].startswith(("//", "#", "."))]
