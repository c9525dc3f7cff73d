# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A kernel of x86 requires every feature whose instructions it may have: a CPU without one must not be given it.

Compilers use what the kernel's target regions name, and assembly in it may have MULX.
"""

import re

from support import ALL_KERNELS, ROOT, suite
from support.commands import execute

FILES = sorted(
    file
    for folder in ("poly1305/kernels", "chacha20/kernels", "aes")
    for file in (ROOT / "src" / folder).glob("*.c")
    if file.name != "aes.c"
)
# No CPU has these without the others.
IMPLIED = {"avx2": {"ssse3", "sse2"}, "ssse3": {"sse2"}, "aes": {"sse2"}}
# A compiler that may use these uses the others, too, which a hypervisor may hide.
USED = {name: {"avx512f", "avx2"} for name in ("avx512vl", "avx512bw", "avx512ifma", "avx512vbmi2")}
USED |= {"avx512f": {"avx2"}, "avxifma": {"avx2"}}
# Every x86-64 CPU has them.
ALWAYS = {"sse2"}


def with_implied(features):
    found = set(features)
    for name in features:
        found |= IMPLIED.get(name, set())
    return found | ALWAYS


def text_of(file):
    status, text = execute(["clang-19", "-std=c11", "-E", "-P", ALL_KERNELS, file], capture=True)
    assert status == 0, file
    return text.decode()


def features_in(text):
    """Return the features that the target regions of a kernel name, and those of its assembly."""
    found = {name for names in re.findall(r'target\("([^"]*)"\)', text) for name in names.split(",")}
    found = found.union(*(USED.get(name, set()) for name in found))
    return found | ({"bmi2"} if '"mulxq ' in text else set())


def missing(text):
    """Return the features that a kernel has, but one of its records does not require; and how many records there are."""
    records = re.findall(r"\.required = ([^},]*)[},]", text)
    lost = [features_in(text) - with_implied(re.findall(r"CPU_(\w+)", record)) for record in records]
    return set().union(*lost), len(records)


@suite("check quick", cpu_seconds=5)
def test_kernels_require_their_targets():
    checked = refused = 0
    for file in FILES:
        text = text_of(file)
        lost, records = missing(text)
        assert not lost, f"{file.relative_to(ROOT)} has instructions of {lost}, which it does not require"
        checked += records if features_in(text) else 0
        # With a feature left out that no other implies, or with none, this must fail.
        for required in set(re.findall(r"\.required = ([^},]*)[},]", text)):
            names = re.findall(r"CPU_(\w+)", required)
            for name in [*names, *(["*"] if len(names) > 1 else [])]:
                rest = [other for other in names if other != name and name != "*"]
                if features_in(text) <= with_implied(rest):
                    continue
                wrong = " | ".join(f"CPU_{other}" for other in rest) or "CPU_ANY"
                assert missing(text.replace(f".required = {required}", f".required = {wrong}"))[0], (file, wrong)
                refused += 1
    print(f"{checked} records of kernels with features; {refused} with a feature left out are refused")
    assert checked >= 13 and refused >= 15
