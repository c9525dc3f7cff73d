#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what counts of instructions and cycles on other architectures need on Debian 12 and this machine lacks.
set -eu
cd "$(dirname "$0")/../.."
tests/install.sh cross
tools/apt-install.sh llvm-19
