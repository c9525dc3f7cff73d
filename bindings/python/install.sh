#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what is missing to build and test the Python package: requirements.txt into build/python/venv, and cryptography's
# source distribution, whose tests are run, into build/python/pyca. Prints first what it will do. Does nothing, and needs no
# network, if nothing is missing.
#
#     bindings/python/install.sh [--check]      --check: only prints what is missing, and fails if anything is
set -eu
cd "$(dirname "$0")/../.."
# shellcheck disable=SC2086 # an option or nothing
tools/apt-install.sh ${1-} python3-venv
# shellcheck disable=SC2086 # the same
tools/venv.sh ${1-} bindings/python/requirements.txt build/python/venv

pyca=$(sed -n 's/^cryptography==//p' bindings/python/requirements.txt)
if [ ! -f "build/python/pyca/cryptography-$pyca.tar.gz" ]; then
    if [ "${1-}" = --check ]; then
        echo "missing cryptography's source distribution (bindings/python/install.sh downloads it)" >&2
        exit 1
    fi
    echo "downloading cryptography's source distribution into build/python/pyca with pip"
    rm -rf build/python/pyca
    # pip asks the build backend, which is in the same environment, for the name and version.
    PATH=$PWD/build/python/venv/bin:$PATH build/python/venv/bin/python -m pip download --quiet --disable-pip-version-check \
        --no-deps --no-build-isolation --no-binary cryptography --dest build/python/pyca "cryptography==$pyca"
fi
