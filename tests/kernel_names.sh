#!/bin/sh
# Prints the names of all kernels, a line each, as src/kernels.def lists them.
sed -n 's/^HORNET_KERNEL(\([a-z0-9]*\),.*/\1/p' "$(dirname "$0")/../src/kernels.def"
