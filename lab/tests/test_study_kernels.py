# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The tests of the library's own kernels, test_poly1305.c, on every kernel in lab/study/kernels.def.

They run in a copy of the tree whose list contains these instead of the library's kernels, 16 at a time, because a list
has at most 31 entries.
"""

import re
import shutil

from support import ROOT, STRICT, compiled, kernel_names, program, row, rows, run, sources_in
from support.architectures import ARCHITECTURES, mini_gmp
from support.commands import execute

SANITIZED = "clang-19 -O1 -gline-tables-only -fsanitize=address,undefined -fno-sanitize-recover=all".split()
# One kernel per method of computation.
METHODS = ["double53", "multiples", "scalar26", "gg4", "gg4_measured", "z14_parallel"]
AT_ONCE = 16


def all_kernels(name, paper):
    return True


def methods(name, paper):
    return name in METHODS


def papers(name, paper):
    """Omit kernels that only serve for comparison."""
    return paper != "ablation"


def z14(name, paper):
    return paper == "z14"


def study_kernels(command, tree):
    """Return the names of the study's kernels that a compiler builds, and the paper of each."""
    text = "#define STUDY_KERNEL(name, paper, label) kernel = name paper;\n" + "".join(
        f'#include "{tree}/{path}"\n' for path in ("src/core/compiler.h", "lab/study/kernels.def")
    )
    _, said = execute([*command, *"-E -P -x c -".split()], stdin=text.encode(), capture=True)
    return dict(re.findall(r"kernel = (\w+) (\w+);", said.decode()))


def list_of(fallback, names):
    """Return the text of a list: the fallback, which the kernels call for blocks that do not fill a group, and the kernels."""
    kernels = [f"{fallback}, CPU_ANY, 0, 0", *(f"{name}, CPU_ANY, 0, HORNET_NEVER" for name in names)]
    kernels.append("portable44, CPU_ANY, 0, 0")  # for batches, which the study lacks
    lines = ["/* SPDX-License-Identifier: Apache-2.0 OR MIT */", '#include "../core/kernel_list.h"']
    lines += [f"HORNET_KERNEL({kernel})" for kernel in kernels]
    return "\n".join([*lines, "#undef HORNET_ENTRY", "#undef HORNET_FURTHER_ENTRY", "#undef HORNET_TUNED_ENTRY", ""])


@rows(
    "command, wanted, architecture",
    row("study-gcc", ["gcc", "-O2"], all_kernels, None, suites="release", cpu_seconds=80),
    row("study-clang-19", ["clang-19", "-O2"], all_kernels, None, suites="release", cpu_seconds=150),
    row("study-sanitized", SANITIZED, methods, None, suites="release", cpu_seconds=60),
    row("study-i686", ["i686-linux-gnu-gcc", "-O2"], papers, "i686", suites="release", cpu_seconds=160),
    row("study-s390x", ["s390x-linux-gnu-gcc", "-O2"], z14, "s390x", cpu_seconds=60),
)
def test_study_kernels(command, wanted, architecture, folder):
    for name in "include", "src", "lab/study", "tests":
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("target", "corpus"))
    names = [name for name, paper in study_kernels(command, folder).items() if wanted(name, paper)]
    assert len(names) >= 2
    fallback = next(name for name in kernel_names(command) if name.startswith("scalar"))
    kernels_def = folder / "src/poly1305/kernels.def"

    sources, options, link, emulator = [folder / "tests/support/reference.c"], STRICT, ["-lgmp"], []
    if architecture:
        gmp = mini_gmp()
        sources.append(gmp / "mini-gmp.c")
        options = ["-w", f"-I{ROOT}/tests/cross/mini-gmp", f"-I{gmp}"]
        link, emulator = ["-static"], ARCHITECTURES[architecture].emulator
    own = re.compile(rf"KERNEL(?:_RECORD)?[( ] *({'|'.join(names)})\b")
    sources += [path for path in sources_in(folder / "lab/study/kernels") if own.search(path.read_text())]
    # The parts of the library that its tests call, and the fallback.
    needed = [path for part in ("core", "core/cpu", "poly1305") for path in sorted((folder / "src" / part).glob("*.c"))]
    needed += [folder / f"src/poly1305/kernels/{name}.c" for name in (fallback, "portable44")]

    kernels_def.write_text(list_of(fallback, names[:1]))
    kernels = compiled(folder / "kernels", [*command, *options], sources)
    for first in range(0, len(names), AT_ONCE):
        some = names[first : first + AT_ONCE]
        kernels_def.write_text(list_of(fallback, some))
        objects = [*kernels, *compiled(folder / "objects", [*command, *options], needed)]
        test = folder / "tests/unit/test_poly1305.c"
        run(
            *emulator,
            program(folder / "test", command, test, objects=objects, options=options, link=link),
            "--if-supported",
            *some,
        )
