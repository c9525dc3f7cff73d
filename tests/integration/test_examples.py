# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The examples in C: each compiles without warnings, and checks its own result."""

from support import ROOT, fails, output, program, row, rows, run
from support.products import KEY, MESSAGE, TAG, made_library

OPTIONS = "-std=gnu11 -O2 -Wall -Wextra -Wpedantic -Wshadow -Werror -Iinclude -pthread".split()
EXAMPLES = sorted((ROOT / "examples/c").glob("*.c"))
assert len(EXAMPLES) >= 8


@rows("compiler", row("examples-gcc", "gcc"), row("examples-clang-19", "clang-19"))
def test_examples(compiler, folder):
    for source in EXAMPLES:
        path = folder / source.stem
        program(path, [compiler], source, options=OPTIONS, link=["-pthread", made_library() / "libhornet.a"])
        if source.stem != "stream":
            run(path)
            continue
        # It gets a message of RFC 8439, and no key.
        (folder / "key").write_bytes(KEY)
        assert output(path, folder / "key", stdin=MESSAGE).strip() == TAG
        fails(path, "/dev/null")
        fails(path, folder / "none")
