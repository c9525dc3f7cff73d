# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The papers' own programs: fetched, their tags compared, and the z14's counted as the stored results say.

pytest lab/study/tests/test_originals.py
"""

import json
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

ROOT = Path(__file__).resolve().parents[3]
STUDY = ROOT / "lab/study"
sys.path[:0] = [str(STUDY.parent), str(STUDY)]

import poly1305aes  # noqa: E402
import reporting  # noqa: E402
import run  # noqa: E402
import z14  # noqa: E402
import z14_original  # noqa: E402
from report import results  # noqa: E402

Z14 = json.loads(reporting.MODEL.read_text())

SOURCE = """
#define MULTIPLY(a, b) \\
\tVMSLG a, b, V0, a

TEXT mac(SB), $0
\tVZERO V0
\tMULTIPLY(V1, V2)
\t// expacc in-lined to create limbs
\tVPERM V1, V2, EX0, V3
\tREDUCE(V1)
\tRET
"""


def test_lines_belong_to_macros():
    assert z14_original.macros_of(SOURCE) == {7: "MULTIPLY", 9: "EXPACC", 10: "REDUCE"}


@pytest.mark.parametrize("version", z14_original.VERSIONS)
def test_z14(version, original, inputs):
    stored = Z14["original"][version]
    checked = original.checked(version, inputs)
    assert checked == stored["check"] == {"inputs": checked["inputs"], "wrong": 0, "example": ""}
    assert checked["inputs"] > 1600
    counts = original.counts(version, original.trace(version, Z14["bytes"]))
    assert counts == {key: stored[key] for key in counts}
    assert sum(counts["phases"].values()) == counts["instructions"]
    # By hand, before: two blocks to an iteration, with a multiplication for the square of r, which takes 30 instructions,
    # of which 25 multiply, and one reduction more, which takes 23.
    if version == "before":
        iterations = -(-Z14["bytes"] // 32)
        assert counts["phases"]["multiply"] == 30 * (iterations + 1) and counts["phases"]["reduce"] == 23 * (
            iterations + 2
        )


def test_figures_1_to_3_of_z14():
    """The paper's figures, from the code; and the stored ones, which the page has."""
    found = json.loads(json.dumps(z14.arrangements()))
    assert found == Z14["arrangements"]
    drawn = {
        number: sorted((of["blocks"], of["powers"], of["accumulator"], of["multiplications"]) for of in one["products"])
        for number, one in found.items()
    }
    both, neither, first = [True, True], [False, False], [True, False]
    assert drawn == {
        "1": [([0, 1], [2, 2], both, 25)],
        "2": [([0, 1], [4, 4], both, 25), ([2, 3], [2, 2], neither, 25)],
        "3": [([0, 2], [4, 2], first, 9), ([1, 3], [4, 2], first, 9)],
    }


def test_overflows_of_z14():
    found = z14.overflows()
    assert found == Z14["overflows"] and len(found) == 6
    # In the paper's worst cases as here, a bit at most, and in fewer limbs if none exceeded its own before.
    worst, best = (next(of["limbs"] for of in found if of["begin"] == begin) for begin in ("all limbs", "no limb"))
    assert max(of["most_bits"] for of in found) == 1 and worst[0] > best[0] > 0 and worst[-1] == 0


def test_a_wrong_tag_is_found(original, inputs, tmp_path):
    damaged = bytearray(inputs.read_bytes())
    damaged[64 + 8 + 32] ^= 1
    (tmp_path / "inputs").write_bytes(damaged)
    found = original.checked("after", tmp_path / "inputs")
    assert (found["wrong"], found["example"]) == (1, "0 bytes")


@pytest.fixture(scope="module")
def inputs():
    return run.inputs()


@pytest.fixture(scope="module")
def original():
    for tool in ("go", z14_original.EMULATOR):
        if which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    fetched = subprocess.run(["go", "mod", "download"], cwd=z14_original.MODULE, capture_output=True, text=True)
    if fetched.returncode != 0:
        pytest.skip(f"go does not fetch the module: {fetched.stderr}")
    z14_original.instructions.build_plugin()
    return z14_original.Original()


def test_poly1305aes(tmp_path):
    try:
        poly1305aes.fetched()
    except subprocess.CalledProcessError as error:
        pytest.skip(f"pip does not fetch it: {error}")
    options = "--quick --originals --kernels poly1305aes_*,double53 --lengths 64 --out"
    run.main([*options.split(), str(tmp_path)])
    found = results.load(next((tmp_path / "results/originals").iterdir()))
    assert [check["wrong"] for check in found["checks"]] == [0, 0]
    assert {kernel["name"] for kernel in found["kernels"] if kernel["paper"] == "own"} == {"poly1305aes_53"}


def test_which_stored_programs_have_wrong_tags():
    stored = [results.load(path) for path in reporting.ORIGINALS.iterdir()]
    checks = {check["kernel"]: check for found in stored for check in found["checks"]}
    wrong = {name: check["wrong"] for name, check in checks.items() if check["wrong"]}
    assert {"poly1305aes_53", "poly1305aes_athlon", "poly1305aes_ppro", "bs4_original"} <= checks.keys()
    assert wrong.keys() == {"bs4_original"} and all(check["measured"] for check in checks.values())
