#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs the Python packages in a requirements file, and nothing else, into a virtual environment, and announces it
# beforehand. If none is missing, does nothing and needs no network.
#
#     venv.sh [--check] REQUIREMENTS FOLDER      --check: only prints what is missing, and fails if anything is
set -eu
check=
if [ "$1" = --check ]; then
    check=1
    shift
fi
requirements=$1 venv=$2
cmp -s "$requirements" "$venv/installed.txt" && exit 0
if [ -n "$check" ]; then
    echo "missing what $requirements names" >&2
    exit 1
fi
echo "installing what $requirements names into $venv with pip"
python3 -m venv --clear "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: -r "$requirements"
cp "$requirements" "$venv/installed.txt"
