#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs what schedules need on Debian 12 and this machine lacks: what coconut/ needs, Graphviz, and the Python packages of
# requirements.txt into build/schedules/venv. Does nothing, and needs no network, if nothing is missing.
#
#     lab/schedules/install.sh [--check]      --check: only print what is missing, and fail if anything is
set -eu
cd "$(dirname "$0")/../.."

# shellcheck disable=SC2086 # an option or nothing
coconut/install.sh ${1-}
# shellcheck disable=SC2086
tools/apt-install.sh ${1-} graphviz
# shellcheck disable=SC2086
tools/venv.sh ${1-} lab/schedules/requirements.txt build/schedules/venv
