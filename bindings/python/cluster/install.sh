#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what is missing to test hornet-cluster: what the Python package needs to be built, requirements.txt into
# build/python/cluster/venv. Prints first what it will do. Does nothing, and needs no network, if nothing is missing.
#
#     install.sh [--gateway]      --gateway: also versitygw, an S3 server that serves a folder; its test is skipped without
set -eu
cd "$(dirname "$0")/../../.."
bindings/python/install.sh
tools/venv.sh bindings/python/cluster/requirements.txt build/python/cluster/venv

versitygw=v1.8.0
if [ "${1-}" = --gateway ] && ! go version -m build/python/cluster/versitygw 2> /dev/null | grep -q "versitygw	$versitygw	"; then
    echo "building versitygw $versitygw, an S3 gateway, into build/python/cluster with go"
    GOBIN=$PWD/build/python/cluster go install "github.com/versity/versitygw/cmd/versitygw@$versitygw"
fi
