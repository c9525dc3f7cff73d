#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run the six examples of a language, and compare what they print with the table of README.md.

examples/check.py SOURCE COMMAND...    in both, {} stands for the name of a program
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LONGEST = 60  # lines
CHUNK_BYTES, TAG_BYTES = 65536, 16


def printed() -> dict[str, str]:
    """Return what each program prints."""
    readme = Path(__file__).with_name("README.md").read_text()
    found = dict(re.findall(r"^\| `(\w+)` \| .* \| `(.*)` \|$", readme, re.M))
    assert len(found) == 6, found
    return found


def check_files(run, expected: str) -> None:
    """Files of several lengths are as before when they were opened; what was changed gives no file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        key, text, sealed, opened = (folder / name for name in ("key", "text", "sealed", "opened"))
        for length in (0, CHUNK_BYTES, 200_000):
            key.unlink(missing_ok=True)
            text.write_bytes(os.urandom(length))
            what = expected.replace("200000", str(length))
            assert run("seal", key, text, sealed) == what
            assert key.stat().st_mode & 0o77 == 0, "others can read the key"
            assert run("open", key, sealed, opened) == what.replace("seal", "open")
            assert opened.read_bytes() == text.read_bytes()
            chunks = max(1, -(-length // CHUNK_BYTES))
            assert sealed.stat().st_size == length + chunks * TAG_BYTES
        content, before = sealed.read_bytes(), opened.read_bytes()
        changed = bytearray(content)
        changed[150_000] ^= 1
        chunk = CHUNK_BYTES + TAG_BYTES
        swapped = content[chunk : 2 * chunk] + content[:chunk] + content[2 * chunk :]
        for wrong in (changed, swapped, content[: 2 * chunk], content[:-1], content + b"0", b""):
            sealed.write_bytes(wrong)
            assert run("open", key, sealed, opened) is None, "what is not authentic was opened"
            assert run("open", key, sealed, folder / "new") is None
        assert run("seal", key, text, sealed) is None, "a key was used twice"
        assert sealed.read_bytes() == b"" and opened.read_bytes() == before
        assert run("open", key, folder / "none", opened) is None and run("seal") is None
        assert run("try", key, text, opened) is None
        left = {path.name for path in folder.iterdir()}
        assert left == {"key", "text", "sealed", "opened"}, f"left: {left}"


def check_opens_others(run) -> None:
    """A text that another language sealed is opened: HORNET_SEALED names a folder with key, text and sealed."""
    with tempfile.TemporaryDirectory() as name:
        folder, opened = Path(os.environ["HORNET_SEALED"]), Path(name, "opened")
        run("open", folder / "key", folder / "sealed", opened)
        assert opened.read_bytes() == (folder / "text").read_bytes()


def main(source: str, *command: str) -> None:
    for name, expected in printed().items():
        lines = Path(source.replace("{}", name)).read_text().count("\n")
        assert lines <= LONGEST, f"{name} has {lines} lines, at most {LONGEST}"

        def run(*arguments: object, name: str = name) -> str | None:
            """Return the line that a program prints, or None if it fails and says so."""
            words = [word.replace("{}", name) for word in command] + [str(word) for word in arguments]
            done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            assert (done.returncode == 0) == (done.stderr == ""), f"{words}: {done}"
            assert done.returncode in (0, 1, 2), f"{words}: {done}"
            assert done.stdout.count("\n") == (done.returncode == 0), f"{words}: {done}"
            return done.stdout.strip() if done.returncode == 0 else None

        if name == "files":
            check_files(run, expected)
            if "HORNET_SEALED" in os.environ:
                check_opens_others(run)
        else:
            line = run()
            assert line == expected, f"{name} prints {line!r}, where README.md has {expected!r}"
    print("6 programs")


if __name__ == "__main__":
    main(*sys.argv[1:])
