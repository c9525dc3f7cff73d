# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A new kernel needs a lanes file, a kernel file and one line in the list.

With these in a copy of the tree, it is listed, runs, agrees with GMP, is proved, and has its lanes tested.
"""

import re
import shutil

from support import ROOT, kernel_names, lanes_program, library, output, program, sources_in, suite
from support.kernels import proof_of


@suite("quick", cpu_seconds=20)
def test_new_kernel(folder):
    for name in "include", "src", "tests":
        shutil.copytree(ROOT / name, folder / name)
    source = folder / "src/poly1305"
    # Lanes with three operations written differently from the model's, so that there is new code to compile.
    lanes = (source / "lanes/portable.h").read_text()
    for before, after in ("PORTABLE_LANES 2", "PORTABLE_LANES 4"), ("a.lane[i] + b.lane[i]", "b.lane[i] + a.lane[i]"):
        assert before in lanes
        lanes = lanes.replace(before, after)
    (source / "lanes/novel.h").write_text(lanes)
    (source / "kernels/novel.c").write_text((source / "kernels/portable.c").read_text().replace("portable", "novel"))
    rows = (source / "kernels.def").read_text()
    new = re.sub(
        r"^HORNET_KERNEL\(scalar32,", r"HORNET_KERNEL(novel, CPU_ANY, 0, 33)\n\g<0>", rows, count=1, flags=re.M
    )
    assert new != rows
    (source / "kernels.def").write_text(new)

    assert "novel" in kernel_names(tree=folder)
    proof = program(folder / "proof", proof_of("novel", folder))
    assert "bounds of novel (4 lanes)" in output(proof)
    built = library("gcc", "-O2", sources=sources_in(folder / "src"))
    tested = output(lanes_program(folder / "lanes", built, "novel", folder))
    assert re.search(r"^test_lanes novel: \d+ checks, 0 failed", tested, re.M)
    sources = [folder / "tests/unit/test_poly1305.c", folder / "tests/support/reference.c"]
    compared = output(program(folder / "test", built, *sources, link=["-lgmp"]), "novel")
    assert re.search(r"^kernel novel: \d{6,} checks", compared, re.M)
