# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Do what a section of a Markdown file says: write its files to a home folder, and run its commands."""

import os
import re
import subprocess
import sys
from pathlib import Path

from coconut.trace import ROOT


def section(file: str, title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", (ROOT / file).read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def write_files(text: str, home: Path) -> list[Path]:
    """Write the fenced blocks, each to the file that the sentence before it names."""
    written = []
    for name, content in re.findall(r"`~/([^`]+)`[^\n]*:\n\n```\w+\n(.*?)```", text, re.DOTALL):
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        written.append(path)
    return written


def commands(text: str) -> list[str]:
    return re.findall(r"^    (\S.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)


def scripts(text: str) -> list[str]:
    """Return the fenced blocks that are for a shell."""
    return re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(command: str, home: Path, modules: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command; its first word stands for a module of Python."""
    functions = "".join(f'{name}() {{ "{sys.executable}" -m {module} "$@"; }}; ' for name, module in modules.items())
    environment = os.environ | {"HOME": str(home)}
    shell = ["bash", "-c", functions + command]
    return subprocess.run(shell, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
