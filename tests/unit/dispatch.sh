#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# The choice of kernels, tested with records that count their calls: test_dispatch.c.
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
mapfile -t kernels < <("$root/tests/support/kernel_names.sh" gcc records)
mkdir -p "$root/build/tests"
gcc -O2 -Wall -Wextra -Werror -o "$root/build/tests/dispatch" "$root/tests/unit/test_dispatch.c" "${sources[@]}" \
    "${kernels[@]/#/-Wl,--wrap=hornet_poly1305_kernel_}"
"$root/build/tests/dispatch"
