# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs commands that ask for passphrases on a terminal, and types them."""

import fcntl
import os
import pty
import select
import signal
import subprocess
import termios
import time
from dataclasses import dataclass
from pathlib import Path

SECONDS = 60


@dataclass
class Typed:
    """What a command did: its exit status, what the terminal showed, and what it wrote."""

    status: int
    shown: str
    stdout: bytes
    stderr: str


def echoes(terminal):
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


def on_terminal(terminal):
    """Let the keys of a terminal end this process, also if the tests run in the background, where shells ignore Ctrl-C."""
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def typed(lines, *words, cwd, stdin=b"", env=None):
    """Run a command that has a terminal of its own, and type each line when it asks without showing what is typed.

    No line may be in its arguments or its environment; and at the end the terminal must show again what is typed.
    """
    person, terminal = pty.openpty()
    shown, asked = b"", 0
    try:
        with subprocess.Popen(
            [str(word) for word in words],
            cwd=cwd,
            env=os.environ | {"PINENTRY_PROGRAM": "none"} | (env or {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=lambda: on_terminal(terminal),
        ) as process:
            try:
                before = ""
                end = time.monotonic() + SECONDS
                for line in lines:
                    while b":" not in shown[asked:] or echoes(terminal):
                        assert time.monotonic() < end, f"{words} did not ask, but showed {shown}"
                        if select.select([person], [], [], 0.01)[0]:
                            shown += os.read(person, 4096)
                        elif process.poll() is not None:
                            break
                    asked = len(shown)
                    for name in ("cmdline", "environ"):
                        of_process = Path(f"/proc/{process.pid}/{name}").read_bytes()
                        assert not before or before.encode() not in of_process
                    os.write(person, f"{line}\n".encode() if line.isprintable() else line.encode())
                    before = line
                # Most of it is read after the question.
                out, err = process.communicate(stdin, timeout=SECONDS)
            finally:
                process.kill()
        assert echoes(terminal)
        while select.select([person], [], [], 0)[0]:
            shown += os.read(person, 4096)
    finally:
        os.close(person)
        os.close(terminal)
    return Typed(process.returncode, shown.decode(), out, err.decode())
