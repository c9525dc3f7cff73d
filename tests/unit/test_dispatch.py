# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The choice among all kernels and among the default ones, tested with records that count calls: test_dispatch.c."""

from support import DEFAULT_KERNELS, kernel_names, library, program, row, rows, run


@rows(
    "commands",
    row("dispatch", [["gcc", "-O2"], ["gcc", "-O2", DEFAULT_KERNELS]], suites="check quick"),
    row("dispatch-clang-19", [["clang-19", "-O2"]]),
    row("dispatch-i686", [["i686-linux-gnu-gcc", "-O2"]]),
)
def test_dispatch(commands, folder):
    for command in commands:
        wraps = [f"-Wl,--wrap=hornet_poly1305_kernel_{name}" for name in kernel_names(command, tuned=True)]
        link = ["-static", *wraps]
        run(program(folder / "dispatch", library(*command), "tests/unit/test_dispatch.c", link=link))
