#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs the Python packages of the circuit into build/circuit: those for simulation and tests, and with --synthesis also
# yosys and nextpnr, some 300 MB. Does nothing, and needs no network, if nothing is missing.
#
#     lab/circuit/install.sh [--check] [--synthesis]      --check: only print what is missing, and fail if anything is
set -eu
cd "$(dirname "$0")/../.."
check=
if [ "${1-}" = --check ]; then
    check=--check
    shift
fi

# shellcheck disable=SC2086 # an option or nothing
tools/apt-install.sh $check python3-venv
# shellcheck disable=SC2086
tools/venv.sh $check lab/circuit/requirements.txt build/circuit/venv
if [ "${1-}" = --synthesis ]; then
    # shellcheck disable=SC2086
    tools/venv.sh $check lab/circuit/synthesis.txt build/circuit/synthesis
fi
