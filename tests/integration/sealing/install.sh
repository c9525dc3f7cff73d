#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs rage, age's format in Rust, into build/tools/rage with cargo, which takes some five minutes of one CPU.
set -eu
cd "$(dirname "$0")/../../.."
version=0.12.1
if [ "$(build/tools/rage/bin/rage --version 2> /dev/null)" != "rage $version" ]; then
    echo "installing rage $version into build/tools/rage with cargo"
    cargo install rage --version "=$version" --locked --quiet --root build/tools/rage --no-default-features
fi
