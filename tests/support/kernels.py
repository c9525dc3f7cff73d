# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The kernels of a tree, the programs that test them alone, and the proofs of their bounds."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.build import ALL_KERNELS, DEFAULT_KERNELS, STRICT, Library, program
from support.commands import ROOT, attempt, execute, run


def list_rows(
    command: Sequence[object] = ("clang-19",), primitive: str = "poly1305", tree: Path = ROOT
) -> list[tuple[str, list[str]]]:
    """Return the entries of the list in src/ that a compiler builds, best first.

    Each is the macro of kernel_list.h that it expands to, and the columns, with the name of its record first.
    """
    if DEFAULT_KERNELS not in command:
        command = [*command, ALL_KERNELS]
    kinds = "HORNET_ENTRY", "HORNET_TUNED_ENTRY", "HORNET_FURTHER_ENTRY"
    source = "".join(f"#define {kind}(...) kernel_row = {kind}, __VA_ARGS__;\n" for kind in kinds) + "".join(
        f'#include "{tree}/src/{file}"\n' for file in ("core/compiler.h", f"{primitive}/kernels.def")
    )
    status, text = execute([*command, *"-E -P -x c -".split()], stdin=source.encode(), capture=True)
    found = [line.split(", ") for line in re.findall("kernel_row = ([^;]+);", text.decode())]
    if status != 0 or not found:
        pytest.fail(f"{primitive} has no kernels")
    return [(kind, columns) for kind, *columns in found]


def kernel_names(
    command: Sequence[object] = ("clang-19",), primitive: str = "poly1305", tree: Path = ROOT, tuned: bool = False
) -> list[str]:
    """Return the names of the kernels that a compiler builds, in the order of the list in src/.

    If `tuned`, of all records that the entries name, some of which are another's with other tuned numbers.
    """
    kinds = ["HORNET_ENTRY", *(["HORNET_TUNED_ENTRY"] if tuned else [])]
    return [columns[0] for kind, columns in list_rows(command, primitive, tree) if kind in kinds]


def lanes_program(path: Path, built: Library, kernel: str, tree: Path = ROOT, link: Sequence[object] = ()) -> Path:
    """Compile the test of the operations of a kernel's lanes, test_lanes.h."""
    options = [*STRICT, define("HORNET_KERNEL_HOOK", tree / "tests/unit/test_lanes.h")]
    source = tree / f"src/poly1305/kernels/{kernel}.c"
    return program(path, built, source, objects=built.without(kernel), options=options, link=link)


PROOFS = ROOT / "tests/proofs"
CLANG = ["clang-19", "-O1", "-Wall", "-Wextra"]


def define(name: str, path: Path) -> str:
    """Return the option that defines a macro as the name of a file."""
    return f'-D{name}="{path}"'


def lanes_options(kernel: Path) -> list[str]:
    """Return the options that tell interval.h of a kernel's lanes; none for a scalar kernel, or another architecture."""
    # The preprocessor prints the hook's lines with the number filled in. clang supports all instruction sets.
    status, text = attempt("clang-19", "-E", "-P", define("HORNET_KERNEL_HOOK", PROOFS / "lanes.h"), kernel)
    if status != 0:
        pytest.fail(text)
    found = re.findall(r"^option_of_the_proof = (\w+), (\d+);$", text, re.M)
    return [f"-D{name}={value}" for name, value in found]


def proof_of(name: str, tree: Path = ROOT) -> list[object] | None:
    """Return the command that compiles the proof of a vector kernel, of the field for VMSL, or of a scalar field.

    There is none for scalar kernels.
    """
    source = tree / "src/poly1305"
    if name == "vmsl":
        return [*CLANG, f"-I{tree}/src", PROOFS / "vmsl.c"]
    if name.startswith("radix"):
        return ["clang++-19", *CLANG[1:], define("FIELD_FILE", source / f"field/{name}.h"), PROOFS / "scalar.cc"]
    kernel = source / f"kernels/{name}.c"
    options = lanes_options(kernel)
    hooks = [define("HORNET_LANES_HOOK", PROOFS / "interval.h"), define("HORNET_KERNEL_HOOK", PROOFS / "bounds.h")]
    return [*CLANG, *options, *hooks, kernel] if options else None


def prove(name: str, folder: Path, tree: Path = ROOT) -> bool:
    """Run a proof, and return whether there is one."""
    command = proof_of(name, tree)
    if command:
        run(*command, "-o", folder / name)
        run(folder / name)
    return command is not None
