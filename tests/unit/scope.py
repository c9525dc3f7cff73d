#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check that no name of one kernel reaches the next in hornet.c, which tools/amalgamate.py makes from all of them.

clang lists the macros and the names at file scope of hornet.c, and those that are left without the text of the kernels.
Each name that only the kernels define must contain the names of the primitive and of the kernel. That is checked for
every architecture; and with one name changed back, the check must fail.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "tests" / "scope"
TARGETS = [
    "x86_64-linux-gnu",
    "i686-linux-gnu",
    "aarch64-linux-gnu",
    "arm-linux-gnueabihf",
    "s390x-linux-gnu",
    "powerpc64le-linux-gnu",
    "riscv64-linux-gnu",
]
KERNEL = re.compile(
    r"^/\* ---- src/(?P<primitive>\w+)/(?:kernels/)?(?P<kernel>\w+)\.c ---- \*/\n"
    r"(?:(?!/\* ---- end of )(?!/\* ---- src/[^\n]*\.c ----).*\n)*"
    r"/\* ---- end of src/(?P=primitive)/(?:kernels/)?(?P=kernel)\.c ---- \*/\n",
    re.MULTILINE,
)
# At file scope, and enumerators, one level below.
DECLARED = re.compile(r"^(?:[|`]-(?:Function|Var|Typedef)Decl|[| ] [|`]-EnumConstantDecl) .*?(\w+) '", re.MULTILINE)
TAG = re.compile(r"^[|`]-(?:Record|Enum)Decl .*> \S+ (?:struct |union )?(\w+)(?: definition)?$", re.MULTILINE)
MACRO = re.compile(r"^#define (\w+)", re.MULTILINE)
# A name of each kind, in the text of a kernel that has it.
KINDS = {
    "function": "poly1305_fe_mul_avx2",
    "type": "poly1305_vec_avx2",
    "variable": "chacha20_words_ones_then_zeros_avx2",
    "tag": "poly1305_serial_length_scalar64",
    "enumerator": "poly1305_SERIAL_ONE_scalar64",
    "macro": "poly1305_LANES_avx2",
    "macro with a default": "poly1305_BATCH_VECTORS_ifma",
    "macro with parameters": "poly1305_GROUPS_TO_A_REDUCTION_avx2",
    "name of partial.c": "poly1305_shift_by_partial",
}


def clang(text: str, target: str, *options: str) -> str:
    file = FOLDER / "hornet_without.c"
    file.write_text(text)
    command = ["clang-19", f"--target={target}", "-ffreestanding", "-DHORNET_ALL_KERNELS=1", "-fno-color-diagnostics"]
    return subprocess.run([*command, *options, file], check=True, capture_output=True, text=True).stdout


def names_in(text: str, target: str) -> set[str]:
    tree = clang(text, target, "-fsyntax-only", "-Xclang", "-ast-dump")
    macros = clang(text, target, "-E", "-dM")
    return {*DECLARED.findall(tree), *TAG.findall(tree), *MACRO.findall(macros)}


def names_of_kernels(text: str, target: str) -> set[str]:
    names = names_in(text, target) - names_in(KERNEL.sub("", text), target)
    return {name for name in names if not name.startswith("__builtin_")}


def main() -> None:
    subprocess.run([ROOT / "tools" / "amalgamate.py", FOLDER], check=True)
    text = (FOLDER / "hornet.c").read_text()
    kernels = [(found["primitive"], found["kernel"]) for found in KERNEL.finditer(text)]
    files = sorted(ROOT.glob("src/*/kernels/*.c"))
    expected = {(file.parts[-3], file.stem) for file in files} | {("poly1305", "partial")}
    if set(kernels) != expected:
        sys.exit(f"hornet.c has {kernels}, not {expected}")
    scoped = re.compile("|".join(rf"{primitive}_\w+_{kernel}" for primitive, kernel in kernels))

    def leaked(text: str, target: str) -> set[str]:
        return {name for name in names_of_kernels(text, target) if not scoped.fullmatch(name)}

    seen: set[str] = set()
    for target in TARGETS:
        names = names_of_kernels(text, target)
        seen |= names
        if leaked(text, target):
            sys.exit(f"{target}: names of kernels reach what follows them: {', '.join(sorted(leaked(text, target)))}")
        print(f"{target}: {len(names)} names of kernels, all of them in their scope")
    for primitive, kernel in kernels:
        if sum(name.startswith(f"{primitive}_") and name.endswith(f"_{kernel}") for name in seen) < 20:
            sys.exit(f"few names of {primitive} by {kernel} were seen")
    for kind, name in KINDS.items():
        plain = name.split("_", 1)[1].rsplit("_", 1)[0]
        if leaked(re.sub(rf"\b{name}\b", plain, text), TARGETS[0]) != {plain}:
            sys.exit(f"with {name} as {plain}, this check does not fail: {kind}")
    print(f"{len(KINDS)} names changed back in turn: the check fails each time")


if __name__ == "__main__":
    main()
