#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what `make -C lab test` needs on Debian 12 and this machine lacks.
set -eu
cd "$(dirname "$0")/../.."
tools/apt-install.sh gcc g++ clang-19 clang-tidy-19 ccache libgmp-dev python3-venv
tools/venv.sh tests/requirements.txt build/venv
coconut/install.sh
lab/circuit/install.sh
cargo fetch --locked --manifest-path tests/cross/mini-gmp/Cargo.toml
