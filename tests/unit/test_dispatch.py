# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The choice of kernels, tested with records that count their calls: test_dispatch.c."""

from support import kernel_names, library, program, run, suite


@suite("check quick")
def test_dispatch(folder):
    wraps = [f"-Wl,--wrap=hornet_poly1305_kernel_{name}" for name in kernel_names(["gcc"])]
    run(program(folder / "dispatch", library("gcc", "-O2"), "tests/unit/test_dispatch.c", link=wraps))
