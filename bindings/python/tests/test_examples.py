# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The examples of README.md and of examples/ run."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[1]


def test_readme():
    blocks = re.findall(r"```python\n(.*?)```", (HERE / "README.md").read_text(), re.S)
    assert len(blocks) == 5
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert names["text"] == b"a message"


def test_capture(tmp_path):
    program, capture = HERE / "examples/open_capture.py", tmp_path / "capture"

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
