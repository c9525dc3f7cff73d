#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Runs a program for Windows in Wine, with all that Wine keeps below build/.
#
#     run-wine.sh PROGRAM [ARG...]
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$root/build"
export WINEPREFIX="$root/build/wine" WINEDEBUG=-all
unset DISPLAY WAYLAND_DISPLAY
exec wine "$@"
