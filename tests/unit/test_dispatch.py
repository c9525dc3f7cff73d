# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The choice among all kernels and among the default ones, tested with records that count calls: test_dispatch.c."""

from support import DEFAULT_KERNELS, kernel_names, library, program, run, suite


@suite("check quick")
def test_dispatch(folder):
    for command in ["gcc", "-O2"], ["gcc", "-O2", DEFAULT_KERNELS]:
        wraps = [f"-Wl,--wrap=hornet_poly1305_kernel_{name}" for name in kernel_names(command, tuned=True)]
        run(program(folder / "dispatch", library(*command), "tests/unit/test_dispatch.c", link=wraps))
