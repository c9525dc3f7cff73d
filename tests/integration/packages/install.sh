#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what the tests of packages need on Debian 12 in addition to tests/install.sh and what tools/release/dist.py installs.
set -eu
cd "$(dirname "$0")/../../.."
tools/apt-install.sh autopkgtest debootstrap minisign
