# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A program that defines functions with the names of the library's, as another version of the library would.

The shared library must call its own functions.
"""

from support import STRICT, program, row, rows, run
from support.products import made_library


@rows("compiler", row("interposed-gcc", "cc"), row("interposed-clang-19", "clang-19"))
def test_interposed(compiler, folder):
    built = made_library(compiler)
    link = [f"-L{built}", "-lhornet", f"-Wl,-rpath,{built}", "-rdynamic"]
    run(
        program(
            folder / "program", [compiler], "tests/integration/interposed.c", options=[*STRICT, "-Iinclude"], link=link
        )
    )
