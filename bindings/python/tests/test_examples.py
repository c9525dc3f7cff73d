# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The examples of README.md and of the repository's examples/ run."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[1]
EXAMPLES = HERE.parents[1] / "examples"


def test_readme():
    blocks = re.findall(r"```python\n(.*?)```", (HERE / "README.md").read_text(), re.S)
    assert len(blocks) == 6
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert names["text"] == b"a message"


def test_programs():
    program = f"{EXAMPLES}/python/{{}}.py"
    subprocess.run([sys.executable, EXAMPLES / "check.py", program, sys.executable, program], check=True)


def test_migrating():
    folder = HERE.parents[1] / "tests/integration/migrating"
    program = [folder / "pyca.py", sys.executable, folder / "pyca.py"]
    subprocess.run([sys.executable, folder / "check.py", "pyca/cryptography", *program], check=True)


def test_shredded_rows(tmp_path):
    program, table, keys = EXAMPLES / "python/shred_rows.py", tmp_path / "table", tmp_path / "keys"

    def run(*arguments) -> str:
        return subprocess.run(
            [sys.executable, program, *map(str, arguments)], check=True, capture_output=True, text=True
        ).stdout

    run("write", table, keys)
    assert run("read", table, keys) == "1000 readable, 0 shredded, 0 not authentic\n"
    run("shred", keys, 3, 999)
    content = bytearray(table.read_bytes())
    content[104 * 5 + 30] ^= 1
    # Two rows that change places.
    content[0:104], content[104:208] = content[104:208], content[0:104]
    table.write_bytes(content)
    assert run("read", table, keys) == "995 readable, 2 shredded, 3 not authentic\n"
    example = runpy.run_path(str(program))
    rows, of_rows = example["read"](table, 104), example["read"](keys, 32)
    texts, valid, shredded = example["opened"](rows, of_rows)
    assert texts[7].tobytes() == b"row 7".ljust(64, b".") and not texts[3].any() and not texts[5].any()
    assert not valid[[0, 1, 3, 5, 999]].any() and shredded[[3, 999]].all()
    with pytest.raises(SystemExit, match="row 1000"):
        example["shred"](str(keys), [1000])
    table.write_bytes(content[:-1])
    with pytest.raises(SystemExit, match="no rows of 104"):
        example["read"](str(table), 104)


def test_capture(tmp_path):
    program, capture = EXAMPLES / "python/open_capture.py", tmp_path / "capture"

    def run(*arguments) -> str:
        return subprocess.run([sys.executable, program, *arguments], check=True, capture_output=True, text=True).stdout

    key = run("--write", capture).strip()
    assert run(key, capture) == "1000 packets, 1000 authentic\n"
    content = bytearray(capture.read_bytes())
    content[-1] ^= 1
    capture.write_bytes(content)
    assert run(key, capture) == "1000 packets, 999 authentic\n"
    example = runpy.run_path(str(program))
    starts, valid, memory = example["opened"](bytes.fromhex(key), bytes(content))
    assert memory[starts[7] : starts[7] + 8].tobytes() == b"packet 7" and not valid[-1]
    capture.write_bytes(content[:-5])
    with pytest.raises(SystemExit, match="packet 999"):
        example["places_of"](capture.read_bytes())
