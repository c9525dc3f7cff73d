# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The default library as a profiler, a debugger and a linker see it.

A function's name identifies its kernel, no two functions share a name, only the functions declared in include/ are
exported, and no kernel is larger than docs/evidence.md says.
"""

import re
from collections import Counter

from support import DEFAULT_KERNELS, ROOT, attempt, kernel_names, row, rows, run, suite
from support.products import made_library, make

# In KB: of a function, of a kernel of each primitive, and of everything else together.
EVIDENCE = ROOT / "docs/evidence.md"
LIMITS = r"Functions are below (\d+) KB, a kernel of Poly1305 is below (\d+) KB, of ChaCha20 below (\d+), and the rest below (\d+)"
# The library calls no others.
FOREIGN = r"memcpy|memset|strcmp|__stack_chk_fail|_ITM_.*|__cxa_finalize|__gmon_start__"


def read(*command):
    """Return the lines that a program prints, as lists of words."""
    status, text = attempt(*command)
    assert status == 0, text
    return [line.split() for line in text.splitlines()]


def bytes_in(file) -> int:
    """Return the size of the code and the constants of an object."""
    return sum(
        int(words[1]) for words in read("size", "-A", file) if re.match(r"\.(text|rodata|data\.rel)", (*words, "")[0])
    )


def leaves_upper_halves(instructions: str) -> bool:
    """Return whether a function may return with something in the upper halves of x86-64's vector registers."""
    written = re.search(r"^[^<\n]*,%[yz]mm(?:[0-9]|1[0-5])\b(?:\{[^\n]*)?$", instructions, re.M)
    return bool(written and re.search(r"^ret", instructions, re.M) and "vzeroupper" not in instructions)


def legacy_instructions(instructions: str) -> set[str]:
    """Return the SSE instructions in a function that uses vectors of more than 128 bits, where all are VEX-encoded."""
    if not re.search(r"%[yz]mm", instructions):
        return set()
    return set(re.findall(r"^(?!v)(\w+)[^\n]*%xmm", instructions, re.M))


@rows(
    "compiler",
    row("symbols-gcc", "cc", cpu_seconds=15),
    row("symbols-clang-19", "clang-19", suites="slow", cpu_seconds=15),
)
def test_symbols(compiler):
    built = made_library(compiler)
    shared, objects = built / "libhornet.so", sorted((built / "obj").rglob("*.o"))

    sizes = [
        (words[3], int(words[1], 16)) for words in read("nm", "-S", shared) if len(words) == 4 and words[2] in "tT"
    ]
    twice = [name for name, count in Counter(name for name, _ in sizes).items() if count > 1]
    assert not twice, f"several functions have one name: {twice}"
    for primitive in "poly1305", "chacha20":
        for kernel in kernel_names([compiler, DEFAULT_KERNELS], primitive):
            compiled = built / f"obj/{primitive}/kernels/{kernel}.o"
            functions = [words[-1] for words in read("nm", compiled) if words[-2] in "tT"]
            # gcc appends .constprop.0 and similar suffixes to functions that it specializes.
            unnamed = [name for name in functions if not name.split(".")[0].endswith(f"_{kernel}")]
            assert not unnamed, f"functions of {primitive} by {kernel} without its name: {unnamed}"
            named = [name for name in functions if re.match(rf"{primitive}_.*_{kernel}", name)]
            assert len(named) >= 2, f"no functions of {primitive} by {kernel}"

    # What docs/evidence.md states of code and constants.
    function, *limits, rest = (int(number) << 10 for number in re.search(LIMITS, EVIDENCE.read_text()).groups())
    name, largest = max(sizes, key=lambda each: each[1])
    assert largest < function, f"{name} has {largest} bytes"
    bytes_of = {path.relative_to(built / "obj"): bytes_in(path) for path in objects}
    for primitive, limit in zip(("poly1305", "chacha20"), limits, strict=True):
        kernels = [path for path in bytes_of if path.match(f"{primitive}/kernels/*")]
        sized = {path.stem: bytes_of.pop(path) for path in kernels}
        print(f"{primitive}: {sized}")
        assert sum(sized.values()) > 10000 and max(sized.values()) < limit, f"above {limit}: {sized}"
    print(f"the rest: {sum(bytes_of.values())} bytes; at most {largest} in a function ({name})")
    assert sum(bytes_of.values()) < rest, bytes_of

    # The declared functions, according to the compiler: those with default visibility in the preprocessed header.
    header = "".join(attempt("gcc", "-E", "-P", path)[1] for path in (ROOT / "include").glob("*.h"))
    declared = set(re.findall(r'visibility\("default"\).*?(hornet_\w+)\(', header, re.S))
    names = [words[2].partition("@@") for words in read("nm", "-D", "--defined-only", shared) if words[1] != "A"]
    exported = {name: version for name, _, version in names}
    versions = set(exported.values())
    assert all(re.fullmatch(r"HORNET_\d+(\.\d+)?", version) for version in versions), f"versions {versions}"
    either = declared ^ exported.keys()
    assert len(declared) > 40 and not either, f"exported or declared, not both: {either}"
    defined = {words[2] for words in read("nm", "-g", "--defined-only", *objects) if len(words) == 3}
    outside = {name for name in defined if not name.startswith("hornet_")}
    assert not outside, f"global names outside hornet_: {outside}"
    # No symbol of a program can replace a function that the library calls internally.
    relocations = read("readelf", "-rW", shared)
    assert len(relocations) > 10
    diverted = [word for words in relocations for word in words if word.startswith("hornet_")]
    assert not diverted, f"bound when it is loaded, not when it is linked: {diverted}"
    undefined = {words[-1].split("@")[0] for words in read("nm", "-u", shared)}
    foreign = {name for name in undefined if not re.fullmatch(FOREIGN, name)}
    assert not foreign, f"the library calls {foreign}"

    # On Intel's CPUs, SSE instructions of whoever goes on would otherwise take several times as long.
    code = re.sub(r"^ *[0-9a-f]+:\s*", "", attempt("objdump", "-d", "--no-show-raw-insn", shared)[1], flags=re.M)
    functions = dict(re.findall(r"^[0-9a-f]+ <([^>]+)>:\n((?:.+\n)*)", code, re.M))
    assert len(functions) > 100
    if "vzeroupper" in code:
        left = [name for name, instructions in functions.items() if leaves_upper_halves(instructions)]
        assert not left, f"without vzeroupper: {left}"
        # There, one such instruction also waits for the upper half of its result.
        wide = [name for name, instructions in functions.items() if re.search("%[yz]mm", instructions)]
        mixed = {name: legacy_instructions(functions[name]) for name in wide if legacy_instructions(functions[name])}
        print(f"{len(wide)} functions with 256 or 512 bits")
        assert len(wide) > 30 and not mixed, f"SSE instructions among AVX: {mixed}"


@suite("slow", cpu_seconds=30)
def test_abi(folder):
    """The shared library has what that of the last release had: tools/release/libhornet.abi, of abidw, on x86-64."""
    built = ["library", f"BUILD={folder}", "CFLAGS=-O2 -g"]
    compare = "abidiff --fail-no-debug-info --no-added-syms".split()
    compare += [ROOT / "tools/release/libhornet.abi", folder / "libhornet.so"]
    make(*built)
    run(*compare)
    # A library that lacks a function must be refused, as an incompatible change.
    exports = (ROOT / "src/library/hornet.map").read_text()
    (folder / "less.map").write_text(exports.replace("        hornet_chacha20;\n", ""))
    make(*built, f"exports={folder}/less.map")
    assert attempt(*compare)[0] & 8
