#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what coconut/ needs on Debian 12 and this machine lacks: Debian packages with apt-get, and the Python packages of
# requirements.txt into build/coconut/venv. Announces what it will do; does nothing, and needs no network, if nothing is missing.
#
#     coconut/install.sh [--check]      --check: only print what is missing, and fail if anything is
set -eu
cd "$(dirname "$0")/.."

# shellcheck disable=SC2086 # an option or nothing, and packages
tools/apt-install.sh ${1-} gcc clang-19 llvm-19 python3-venv qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
    gcc-riscv64-linux-gnu libc6-dev-riscv64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross

# shellcheck disable=SC2086 # an option or nothing
tools/venv.sh ${1-} coconut/requirements.txt build/coconut/venv
