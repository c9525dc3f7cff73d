# SPDX-License-Identifier: Apache-2.0 OR MIT
"""gcc and clang warn about an ignored result of each function in include/ that returns a bool."""

import re

from support import ROOT, attempt, output, suite


@suite("quick")
def test_checked_results(folder):
    headers = [path.name for path in (ROOT / "include").glob("*.h")]
    includes = "".join(f'#include "{name}"\n' for name in headers)
    source = folder / "ignores.c"
    source.write_text(includes)
    header = output("gcc", "-E", "-P", "-Iinclude", source)
    functions = re.findall(r"_Bool\s+(hornet_\w+)\((.*?)\);", header, re.S)
    assert len(functions) > 30, "too few functions are seen"
    calls = ""
    for name, parameters in functions:
        arguments = ["p" if "*" in each or "[" in each else "0" for each in parameters.split(",")]
        calls += f"    {name}({', '.join(arguments)});\n"
    source.write_text(f"{includes}void ignores(void *p);\nvoid ignores(void *p)\n{{\n{calls}}}\n")
    for compiler in "gcc", "clang-19":
        status, text = attempt(compiler, "-Wall", "-Iinclude", "-c", "-o", folder / "ignores.o", source)
        assert status == 0, text
        warned = text.count("warning: ignoring return value")
        assert warned == len(functions), f"{compiler} warns of {warned} in {len(functions)}:\n{text}"
