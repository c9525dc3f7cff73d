# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Write down what a run has proved, of which bytes, so that others can check it (check.py), and read that.

A manifest names each archive by its SHA-256, with the compiler, its flags and the linker; counts the proofs of each suite
by compiler and part; and lists each proof of machine code. A proof of whole calls lists these: their function and lengths,
and how many instructions ran, with a hash of them.
"""

import hashlib
import json
import re
import subprocess
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from coconut.lift.forms import code_of
from coconut.lift.objects import TARGETS, Linked
from coconut.prove.every_length import prover
from coconut.prove.expected import Counts, write_whole
from coconut.prove.proof import Called, Proved
from coconut.trace import BUILD, ROOT

# What was proved, after a run without a failure.
MANIFEST = BUILD / "manifest.json"
FORMAT, VERSION = "proofs of hornet", 1
# Longer texts are proved by nobody, and would keep whoever checks a manifest for hours.
LENGTH_MAX = 1 << 20

SHA256 = re.compile("[0-9a-f]{64}")
COUNT = range(1 << 32)
LENGTH = range(LENGTH_MAX + 1)

# What a manifest has: a type, a range, or a pattern of text; a list of one shape; a table of entries that must be there,
# or, with a type as its name, of any of one shape.
CALL = {
    "function": str,
    "opens": bool,
    "length": LENGTH,
    "aad_length": LENGTH,
    "in_place": bool,
    "extended": bool,
    "instructions": COUNT,
    "ran": SHA256,
}
REACHED = {"exist": COUNT, "ran": COUNT, "not": {str: COUNT}}
ARCHIVE = {
    "archive": str,
    "sha256": SHA256,
    "compiler": str,
    "command": str,
    "flags": str,
    "target": re.compile("|".join(TARGETS)),
    "linker": str,
    "linked": SHA256,
    "reached": REACHED,
}
PROOF = {
    "suite": str,
    "title": str,
    "compiler": str,
    "kernel": str,
    "function": str,
    "lengths": str,
    "claims": COUNT,
    "calls": [CALL],
}
SHAPE = {
    "format": re.compile(FORMAT),
    "version": range(VERSION, VERSION + 1),
    "prover": SHA256,
    "seed": range(1 << 64),
    "every_length": bool,
    "archives": [ARCHIVE],
    "counts": {str: {str: {str: [COUNT]}}},
    "omitted": {str: {str: {str: str}}},
    "proofs": [PROOF],
}


@cache
def linker_of(tool: str) -> str:
    run = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True)
    return run.stdout.partition("\n")[0]


def identity(linked: Linked) -> dict[str, str]:
    """Return what identifies an archive, and the program that it is linked to."""
    flags = (ROOT / linked.archive).parent / "obj" / "flags"
    return {
        "archive": linked.archive,
        "sha256": linked.sha256,
        "compiler": linked.version,
        "command": linked.compiler,
        "flags": " ".join(flags.read_text().split()) if flags.exists() else "",
        "target": linked.target.architecture,
        "linker": linker_of(linked.target.tool("ld")),
        "linked": hashlib.sha256(linked.path.read_bytes()).hexdigest(),
    }


def ran_of(linked: Linked, ran: Collection[int]) -> dict[str, Any]:
    """Return how many instructions ran, and the SHA-256 of a line for each, in the order of their addresses: the address
    and the bytes, both in hexadecimal."""
    lines = [linked.read[at] for at in sorted(ran) if at in linked.read]
    text = "".join(f"{line.at:x} {code_of(linked, line).hex()}\n" for line in lines)
    return {"instructions": len(lines), "ran": hashlib.sha256(text.encode()).hexdigest()}


def call_of(linked: Linked, called: Called) -> dict[str, Any]:
    return called.call | ran_of(linked, called.ran)


def proof_of(suite: str, proof: Proved, linked: Mapping[str, Linked]) -> dict[str, Any]:
    """Return what is said of a proof of machine code; linked: the programs by their compilers."""
    assert proof.compiled
    calls = [call_of(linked[proof.compiler], called) for called in proof.calls]
    return {"suite": suite, "title": proof.title, **proof.compiled._asdict(), "claims": proof.claims, "calls": calls}


def write(
    archives: list[dict[str, Any]],
    counts: Mapping[str, Counts],
    proofs: Iterable[dict[str, Any]],
    seed: int,
    every_length: bool = False,
    path: Path | None = None,
) -> None:
    """Write a manifest, as a whole file; every_length: whether more was proved than is expected."""
    omitted: dict[str, dict[str, dict[str, str]]] = {}
    for suite, made in counts.items():
        for (compiler, part), reason in made.omitted.items():
            omitted.setdefault(suite, {}).setdefault(compiler, {})[part] = reason
    content = {
        "format": FORMAT,
        "version": VERSION,
        "prover": prover(),
        "seed": seed,
        "every_length": every_length,
        "archives": archives,
        "counts": {suite: made.found for suite, made in counts.items()},
        "omitted": omitted,
        "proofs": list(proofs),
    }
    require(content, SHAPE)
    path = path or MANIFEST
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(content, indent=1) + "\n")


def require(value: Any, shape: Any, place: str = "") -> None:
    """Raise ValueError unless a value has a shape; place: where it is."""
    if isinstance(shape, type):
        if type(value) is not shape:
            raise ValueError(f"{place}: {value!r:.40} is no {shape.__name__}")
    elif isinstance(shape, range):
        if type(value) is not int or value not in shape:
            raise ValueError(f"{place}: {value!r:.40} is no number from {shape.start} to {shape.stop - 1}")
    elif isinstance(shape, re.Pattern):
        if not isinstance(value, str) or not shape.fullmatch(value):
            raise ValueError(f"{place}: {value!r:.40} is not {shape.pattern}")
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise ValueError(f"{place}: {value!r:.40} is no list")
        for i, each in enumerate(value):
            require(each, shape[0], f"{place}[{i}]")
    else:
        require_table(value, shape, place)


def require_table(value: Any, shape: dict[Any, Any], place: str) -> None:
    if not isinstance(value, dict):
        raise ValueError(f"{place or 'all of it'}: {value!r:.40} is no table")
    if str in shape:
        for name, each in value.items():
            require(each, shape[str], f"{place}.{name}".lstrip("."))
        return
    if missing := [name for name in shape if name not in value]:
        raise ValueError(f"{place}: {missing[0]} is missing".removeprefix(": "))
    for name, each in value.items():
        if name not in shape:
            raise ValueError(f"{place}: {name} is no entry; there are {', '.join(shape)}".removeprefix(": "))
        require(each, shape[name], f"{place}.{name}".lstrip("."))


def read(path: Path) -> dict[str, Any]:
    """Return a manifest; raise ValueError, which says what is wrong and where, unless it has the shape of one."""
    try:
        content: dict[str, Any] = json.loads(path.read_text())
        require_manifest(content)
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: no JSON: {error}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return content


def require_manifest(content: Any) -> None:
    """Raise ValueError unless something is a manifest, whose parts belong together."""
    for name in ("format", "version"):
        # Another version may have another shape.
        if isinstance(content, dict) and name in content:
            require(content[name], SHAPE[name], name)
    require(content, SHAPE)
    compilers = [archive["compiler"] for archive in content["archives"]]
    if len(set(compilers)) < len(compilers) or not compilers:
        raise ValueError("archives: none, or two of one compiler")
    for i, proof in enumerate(content["proofs"]):
        if proof["compiler"] not in compilers:
            raise ValueError(f"proofs[{i}].compiler: no archive is made by {proof['compiler']}")
    for suite, by_compiler in content["counts"].items():
        for compiler, parts in by_compiler.items():
            for part, count in parts.items():
                if len(count) != 2:
                    raise ValueError(
                        f"counts.{suite}.{compiler}.{part}: {count} is not two numbers, of proofs and claims"
                    )


def counts_of(content: Mapping[str, Any], suite: str) -> Counts:
    """Return what a manifest counts of a suite."""
    omitted = content["omitted"].get(suite, {})
    return Counts(
        content["counts"][suite],
        {(compiler, part): reason for compiler, parts in omitted.items() for part, reason in parts.items()},
    )
