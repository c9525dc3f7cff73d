# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Faults in system calls, by strace: a signal or an error at a command's first call of a kind, its second, and so on."""

import re
from collections import Counter
from pathlib import Path


def calls_of(log: Path, after: str = "") -> list[tuple[str, int]]:
    """Return the calls of what strace logged: each with its name, and its number among those of this name.

    Those up to the first call of the name `after` are left out. strace counts the calls of each thread alone.
    """
    counts: Counter[str] = Counter()
    found = []
    for name in re.findall(r"^\d* *(\w+)\(", log.read_text(), re.M):
        counts[name] += 1
        found.append((name, counts[name]))
    begin = next((i + 1 for i, (name, _) in enumerate(found) if name == after), 0)
    return found[begin:]


def signals(calls: list[tuple[str, int]], signal: str) -> list[str]:
    """Return faults that send a signal at each of these calls, before it."""
    return [f"{name}:signal={signal}:when={when}" for name, when in calls]
