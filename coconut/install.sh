#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what coconut/ needs on Debian 12 and this machine lacks, and says before what it will do: Debian packages with
# apt-get, and the Python packages of requirements.txt, into build/coconut/venv. Does nothing, and needs no network, when
# all is there.
#
#     coconut/install.sh [--check]      --check: only says what is missing, and fails if anything is
set -eu
cd "$(dirname "$0")/.."

# shellcheck disable=SC2086 # an option or nothing, and packages
tools/apt-install.sh ${1-} gcc clang-19 llvm-19 graphviz python3-venv qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
    gcc-riscv64-linux-gnu libc6-dev-riscv64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross

# shellcheck disable=SC2086 # an option or nothing
tools/venv.sh ${1-} coconut/requirements.txt build/coconut/venv
