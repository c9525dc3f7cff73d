# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare how many proofs and claims were made with those that expected.toml states.

A table is a suite, and a line of it a part of the suite: how many proofs it has, and how many claims. A suite of machine
code has a table for each compiler; versions that the file does not name may differ in claims, but not in proofs.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import tomllib

FILE = Path(__file__).with_name("expected.toml")
HEADER = """\
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# How many proofs and claims `coconut prove` makes, by suite, compiler, and kernel or function. More or fewer is a failure.
# `coconut prove --expect` rewrites the tables of the suites that it runs.
"""

# Proofs and claims, by their part of a suite.
Parts = dict[str, list[int]]


@dataclass
class Counts:
    """What was proved: by compiler, which is empty where none is proved, and part; and what cannot be proved here."""

    found: dict[str, Parts] = field(default_factory=dict)
    omitted: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, compiler: str, part: str, claims: int) -> None:
        count = self.found.setdefault(compiler, {}).setdefault(part, [0, 0])
        count[0] += 1
        count[1] += claims


def read(path: Path | None = None) -> dict[str, dict[str, Parts]]:
    """Return the tables by suite and compiler."""
    found: dict[str, dict[str, Parts]] = {}
    path = path or FILE
    if not path.exists():
        return found
    for suite, table in tomllib.loads(path.read_text()).items():
        for key, value in table.items():
            if isinstance(value, list):
                found.setdefault(suite, {}).setdefault("", {})[key] = value
            else:
                found.setdefault(suite, {})[key] = value
    return found


def unversioned(compiler: str) -> str:
    """Return a compiler without its version: gcc of gcc 12.2.0, and of "gcc 12.2.0, aarch64" what both name."""
    words = compiler.split()
    return " ".join([*words[:1], *words[2:]])


def expected_of(tables: dict[str, Parts], compiler: str) -> tuple[Parts, bool]:
    """Return what is expected of a compiler, and whether that is of this very version."""
    if compiler in tables:
        return tables[compiler], True
    others = [parts for other, parts in tables.items() if unversioned(other) == unversioned(compiler)]
    return (others[-1] if others else {}), False


def differences(suite: str, counts: Counts, compilers: Iterable[str], path: Path | None = None) -> list[str]:
    """Return what is missing, and what is more than expected, of the compilers that were to be proved."""
    tables, found = read(path).get(suite, {}), []
    if not counts.found:
        return [f"{suite}: nothing was proved"]
    for compiler in dict.fromkeys([*compilers, *counts.found]):
        expected, exact = expected_of(tables, compiler)
        proved = counts.found.get(compiler, {})
        for part in dict.fromkeys([*expected, *proved]):
            if (compiler, part) in counts.omitted:
                continue
            title = ", ".join(word for word in (suite, compiler, part) if word)
            columns = 2 if exact else 1
            wanted, made = expected.get(part, [0, 0])[:columns], proved.get(part, [0, 0])[:columns]
            if made == wanted:
                continue
            fewer = any(a < b for a, b in zip(made, wanted, strict=True))
            found.append(f"{title}: {shown(made)}, and {shown(wanted)} expected" + ("" if fewer else MORE))
    return found


MORE = "; if more is right, `coconut prove --expect` changes expected.toml"


def shown(count: list[int]) -> str:
    return " with ".join(f"{number} {name}" for number, name in zip(count, ("proofs", "claims"), strict=False))


def rewrite(made: dict[str, Counts], path: Path | None = None) -> None:
    """Write what was proved in place of the tables of the same suites and compilers; keep what was omitted."""
    path = path or FILE
    tables = read(path)
    for suite, counts in made.items():
        for compiler, parts in counts.found.items():
            before, _ = expected_of(tables.get(suite, {}), compiler)
            kept = {part: count for part, count in before.items() if (compiler, part) in counts.omitted}
            tables.setdefault(suite, {})[compiler] = parts | kept
    lines = [HEADER]
    for suite, by_compiler in sorted(tables.items()):
        for compiler, parts in sorted(by_compiler.items()):
            lines.append(f'\n[{suite}."{compiler}"]\n' if compiler else f"\n[{suite}]\n")
            lines += [f'"{part}" = {count}\n' for part, count in sorted(parts.items())]
    write_whole(path, "".join(lines))


def write_whole(path: Path, text: str) -> None:
    """Write a file, which others see as it was or with all of the text."""
    unfinished = path.with_suffix(".new")
    unfinished.write_text(text)
    unfinished.replace(path)
