# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs commands. What they print goes to the test's log."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The Rust workspace; `make python` tests the package that is excluded.
WORKSPACE = ["--workspace", "--exclude", "hornet-poly1305-python"]


def cpus() -> int:
    """Return the number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0))


def shown(command: Sequence[object]) -> str:
    """Return a command for people to read."""
    text = shlex.join(map(str, command)).replace(f"{ROOT}/", "")
    return text if len(text) < 500 else f"{text[:300]} [...] {text[-200:]}"


def execute(
    command: Sequence[object],
    cwd: Path = ROOT,
    env: Mapping[str, object] | None = None,
    stdin: bytes | None = None,
    capture: bool = False,
) -> tuple[int, bytes]:
    """Run a command and return its exit status and, if captured, its output. End all its processes if the test ends."""
    process = subprocess.Popen(
        list(map(str, command)),
        cwd=cwd,
        env=os.environ | {key: str(value) for key, value in (env or {}).items()},
        stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
        stdout=subprocess.PIPE if capture else None,
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(stdin)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return process.returncode, out or b""


def run(
    *command: object, cwd: Path = ROOT, env: Mapping[str, object] | None = None, stdin: bytes | None = None
) -> None:
    """Run a command, which must succeed. `env` is added to the environment."""
    __tracebackhide__ = True
    print("$", shown(command), flush=True)
    status, _ = execute(command, cwd, env, stdin)
    if status != 0:
        pytest.fail(f"{shown(command)}: exit status {status}")


def output(
    *command: object, cwd: Path = ROOT, env: Mapping[str, object] | None = None, stdin: bytes | None = None
) -> str:
    """Run a command, which must succeed, and return what it prints on standard output."""
    __tracebackhide__ = True
    print("$", shown(command), flush=True)
    status, out = execute(command, cwd, env, stdin, capture=True)
    text = out.decode(errors="replace")
    sys.stdout.write(text)
    if status != 0:
        pytest.fail(f"{shown(command)}: exit status {status}")
    return text


def attempt(*command: object, cwd: Path = ROOT, env: Mapping[str, object] | None = None) -> tuple[int, str]:
    """Run a command, and return its exit status and what it prints, errors included. The log does not contain it."""
    status, out = execute(["sh", "-c", 'exec "$@" 2>&1', "sh", *command], cwd, env, capture=True)
    return status, out.decode(errors="replace")


def fails(*command: object, cwd: Path = ROOT, env: Mapping[str, object] | None = None) -> str:
    """Run a command, which must fail but not by a signal, and return what it prints, errors included."""
    __tracebackhide__ = True
    print("$", shown(command), flush=True)
    status, text = attempt(*command, cwd=cwd, env=env)
    sys.stdout.write(text)
    if not 0 < status <= 125:
        pytest.fail(f"{shown(command)}: exit status {status}, where an error is expected")
    return text
