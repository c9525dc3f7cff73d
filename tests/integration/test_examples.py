# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The examples in C and Go. Those in JavaScript are run by test_js.py, those in Python by the tests of the package, and those
in Rust by cargo.
"""

from support import ROOT, output, program, row, rows, run, suite
from support.products import checked_examples, made_library

OPTIONS = "-std=gnu11 -O2 -Wall -Wextra -Wpedantic -Wshadow -Werror -Iinclude -pthread".split()


@rows("compiler", row("examples-gcc", "gcc"), row("examples-clang-19", "clang-19"))
def test_examples(compiler, folder):
    sources = sorted((ROOT / "examples/c").glob("*.c"))
    for source in sources:
        library = made_library() / "libhornet.a"
        program(folder / source.stem, [compiler], source, options=OPTIONS, link=["-pthread", library])
    checked_examples("c/{}.c", folder / "{}")
    # These check their own results.
    others = ["batch", "segments"]
    for name in others:
        run(folder / name)
    assert len(sources) == 6 + len(others), "a program is not run"


@suite("quick")
def test_examples_go(folder):
    sources = sorted((ROOT / "examples/go").glob("*.go"))
    staticcheck = output("go", "-C", "bindings/go/compare", "tool", "-n", "staticcheck").strip()
    for source in sources:
        # Each is a program of its own.
        run("go", "build", "-o", f"{folder}/", source.name, cwd=source.parent)
        run("go", "vet", source.name, cwd=source.parent)
        run(staticcheck, source.name, cwd=source.parent)
    checked_examples("go/{}.go", folder / "{}")
    assert len(sources) == 6, "a program is not run"
