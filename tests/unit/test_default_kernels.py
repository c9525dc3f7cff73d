# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Which kernels a build has by default, and which with HORNET_ALL_KERNELS, for each architecture of the tests.

The list, the records that the kernels' files define, what CPUs are given by these, the tables of the emulated CPUs, and
the documents agree.
"""

import math
import re
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

from support import ALL_KERNELS, DEFAULT_KERNELS, ROOT, cpus, suite
from support.architectures import ARCHITECTURES, table
from support.commands import execute
from support.kernels import list_rows

FILES = sorted((ROOT / "src/poly1305/kernels").glob("*.c"))
X86, WASM = "--target=x86_64-linux-gnu", "--target=wasm32"
# What the tests choose and run on other CPUs: target, chosen kernel, tested kernels.
TESTED = [
    (f"--target={words[1].removesuffix('-gcc')}" if "-linux-gnu-" in words[1] else X86, words[4], words[5])
    for words in table("tests/cross/cpus.txt")
] + [
    (f"--target={each.triple} {each.option if each.option[0:2] == '-m' else ''}".strip(), each.chosen, each.tested)
    for each in ARCHITECTURES.values()
]
TARGETS = list(dict.fromkeys([*(target for target, _, _ in TESTED), WASM]))
# A CPU that runs 512-bit instructions well also has IFMA: only Knights Landing does not.
IMPLIED = {"CPU_avx512f": {"CPU_avx512vl", "CPU_avx512ifma", "CPU_avx512vbmi2"}}


def features(text):
    return set(re.findall(r"CPU_\w+", text)) - {"CPU_ANY"}


def records(command):
    """Return what each record requires, and its lanes."""
    required, lanes = {}, {}
    for file in FILES:
        status, text = execute([*command, "-std=c11", "-E", "-P", file], capture=True)
        assert status == 0, f"{command}: {file}"
        record = (
            r"hornet_poly1305_kernel_(\w+) = \{\s*\.implementation = \{[^}]*\.required = ([^}]*)\},\s*\.lanes = (.*),"
        )
        for name, needs, product in re.findall(record, text.decode()):
            required[name] = features(needs)
            lanes[name] = math.prod(map(int, product.split("*")))
    return required, lanes


def given(entries, required):
    """Return the records that some CPU is given: those with an entry that the entries before it leave a length for."""
    kept, earlier = set(), []
    for name, preferred, *lengths in entries:
        needs = required[name] | features(preferred)
        has = needs.union(*(IMPLIED.get(feature, ()) for feature in needs))
        lengths = [math.inf if "NEVER" in text else int(text) for text in lengths]
        taken = [each for needed, each in earlier if needed <= has]
        if any(length < min([each[i] for each in taken], default=math.inf) for i, length in enumerate(lengths)):
            kept.add(name)
        earlier.append((needs, lengths))
    return kept


def check(target):
    """Compare the list, the records and what CPUs are given; return the names of both builds, and the lanes of each."""
    kernels = []
    for option in DEFAULT_KERNELS, ALL_KERNELS:
        command = [*f"clang-19 -ffreestanding {target}".split(), option]
        listed, (required, lanes) = list_rows(command), records(command)
        entries = [columns for _, columns in listed]
        assert {name for name, *_ in entries} == required.keys(), f"{target}, {option}: records of {required.keys()}"
        kernels.append([columns[0] for kind, columns in listed if kind == "HORNET_ENTRY"])
    served = [name for name in kernels[1] if name in given(entries, required)]
    assert kernels[0] == served, f"{target}: CPUs are given {served}, a default build has {kernels[0]}"
    return *kernels, lanes


def documented():
    """Return the kernels in the table of design.md with their lanes, and those that the text after it names."""
    _, text = (ROOT / "docs/design.md").read_text().split("\n## The kernels\n")
    lines, _, omitted = text.partition("\n## ")[0].strip().partition("\n\n")
    lanes = {}
    for line in lines.splitlines()[2:]:
        first, *_, last = line.strip("| ").split("|")
        names, numbers = re.findall(r"`(\w+)`", first), [int(number) for number in re.findall(r"\d+", last)]
        lanes |= {names[0]: set(numbers)} if len(names) == 1 else dict(zip(names, ({n} for n in numbers), strict=True))
    return lanes, set(re.findall(r"`(\w+)`", omitted))


@suite("quick", cpu_seconds=20)
def test_kernels_default():
    with ThreadPoolExecutor(cpus()) as pool:
        kernels = dict(zip(TARGETS, pool.map(check, TARGETS), strict=True))
    for target, chosen, tested in TESTED:
        default, complete, _ = kernels[target]
        assert chosen in [*default, "-"], f"{target}: a default build omits {chosen}"
        assert set(tested.split(",")) - {"all"} <= set(complete), f"{target}: {tested}"

    lanes, omitted, complete = defaultdict(set), set(), set()
    for default, names, lanes_of in kernels.values():
        complete |= set(names)
        omitted |= set(names) - set(default)
        for name in default:
            lanes[name].add(lanes_of[name])
    assert complete == {file.stem for file in FILES}
    in_table, in_text = documented()
    assert in_table == lanes and in_text & complete >= omitted, "docs/design.md lists others"
    print(f"{len(kernels)} targets, {len(TESTED)} rows of CPUs and architectures, {len(in_table)} kernels documented")
    assert len(kernels) >= 15 and len(TESTED) >= 25 and len(in_table) >= 15
