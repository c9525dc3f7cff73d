#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Runs a Windows program in Wine, with all of Wine's files below build/.
#
#     run-wine.sh PROGRAM [ARG...]
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$root/build"
export WINEPREFIX="$root/build/wine" WINEDEBUG=-all
unset DISPLAY WAYLAND_DISPLAY
exec wine "$@"
