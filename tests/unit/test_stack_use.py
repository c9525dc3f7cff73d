# SPDX-License-Identifier: Apache-2.0 OR MIT
"""No public function takes more of the stack than hornet.h says, on any kernel that this CPU has: test_stack_use.c."""

import re

from support import DEFAULT_KERNELS, ROOT, STRICT, library, output, program, row, rows

HEADER, EXPORTS = (ROOT / path for path in ("include/hornet.h", "src/library/hornet.map"))
PACKETS = {
    f"hornet_{cipher}_{call}_batch"
    for cipher in ("chacha20_poly1305", "xchacha20_poly1305", "ssh")
    for call in ("seal", "open")
}


@rows("compiler", row("stack-use-gcc", "gcc"), row("stack-use-clang-19", "clang-19"))
def test_stack_use(compiler, folder):
    built = library(compiler, "-O2", DEFAULT_KERNELS)
    test = program(folder / "test", built, "tests/unit/test_stack_use.c", options=STRICT, link=["-Wl,-z,now"])
    taken = {name: int(number) for name, number in re.findall(r"^(hornet_\w+) (\d+) ", output(test), re.M)}

    public = set(re.findall(r"^ +(hornet_\w+);$", EXPORTS.read_text(), re.M))
    assert len(public) > 40 and public == taken.keys(), f"measured or exported, not both: {public ^ taken.keys()}"
    text = re.sub(r"\s+\*\s+", " ", HEADER.read_text())
    stated = re.search(r"at most (\d+) KiB of the stack, batches of packets at most (\d+) KiB", text)
    assert stated and public > PACKETS
    for name, number in taken.items():
        limit = 1024 * int(stated[2 if name in PACKETS else 1])
        assert number <= limit, f"{name} takes {number} bytes of the stack, more than {limit}"
    # Those that have a copy of the ciphertext there, and those that do nearly nothing.
    assert taken["hornet_chacha20_poly1305_seal"] > 1024 and taken["hornet_version"] < 64
