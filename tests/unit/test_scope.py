# SPDX-License-Identifier: Apache-2.0 OR MIT
"""No name of one kernel reaches the next in hornet.c, which tools/amalgamate.py makes from all of them.

clang lists the macros and the names at file scope of hornet.c, and those that are left without the text of the kernels.
Each name that only the kernels define must contain the names of the primitive and of the kernel. That is checked for
every architecture; and with one name changed back, the check must fail.
"""

import re

from support import ROOT, run, suite
from support.commands import execute

TARGETS = [
    "x86_64-linux-gnu",
    "i686-linux-gnu",
    "aarch64-linux-gnu",
    "arm-linux-gnueabihf",
    "s390x-linux-gnu",
    "powerpc64le-linux-gnu",
    "riscv64-linux-gnu",
    "wasm32",
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
    "name of partial.c": "poly1305_blocks_of_partial",
}


def clang(file, target, *options):
    # Not for Linux, whose headers are not installed for all targets.
    command = ["clang-19", f"--target={target}", "-U__linux__", "-ffreestanding", "-DHORNET_ALL_KERNELS=1"]
    command.append("-fno-color-diagnostics")
    if target == "wasm32":
        command.append("-msimd128")
    status, text = execute([*command, *options, file], capture=True)
    assert status == 0, f"clang for {target}"
    return text.decode()


@suite("quick", cpu_seconds=20)
def test_scope(folder):
    run("tools/amalgamate.py", folder)
    text = (folder / "hornet.c").read_text()
    kernels = [(found["primitive"], found["kernel"]) for found in KERNEL.finditer(text)]
    files = sorted(ROOT.glob("src/*/kernels/*.c"))
    assert set(kernels) == {(file.parts[-3], file.stem) for file in files} | {("poly1305", "partial")}
    scoped = re.compile("|".join(rf"{primitive}_\w+_{kernel}" for primitive, kernel in kernels))

    def names_in(text, target):
        file = folder / "hornet_without.c"
        file.write_text(text)
        tree = clang(file, target, "-fsyntax-only", "-Xclang", "-ast-dump")
        return {*DECLARED.findall(tree), *TAG.findall(tree), *MACRO.findall(clang(file, target, "-E", "-dM"))}

    def names_of_kernels(text, target):
        names = names_in(text, target) - names_in(KERNEL.sub("", text), target)
        return {name for name in names if not name.startswith("__builtin_")}

    def leaked(names):
        # What HORNET_CLEARED defines is called after a global function.
        return {name for name in names if not scoped.fullmatch(name) and not name.startswith("hornet_")}

    seen = set()
    for target in TARGETS:
        names = names_of_kernels(text, target)
        seen |= names
        assert not leaked(names), f"{target}: names of kernels reach what follows them"
    for primitive, kernel in kernels:
        few = sum(name.startswith(f"{primitive}_") and name.endswith(f"_{kernel}") for name in seen)
        assert few >= 20, f"few names of {primitive} by {kernel} were seen"
    # With one name changed back, this must fail.
    for kind, name in KINDS.items():
        plain = name.split("_", 1)[1].rsplit("_", 1)[0]
        assert leaked(names_of_kernels(re.sub(rf"\b{name}\b", plain, text), TARGETS[0])) == {plain}, kind
