#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# The library compiles without warnings, and without flags that name an instruction set.
#
#     compiles.sh COMPILER LEVEL
set -euo pipefail
. "$(dirname "$0")/../support/build.sh"
build_objects "$root/build/tests/compiles-$1$2" "$1" "$2" -std=c11 "${warnings[@]}"
