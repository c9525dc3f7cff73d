#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs the built files: the command, its man pages and its shell completions, both generated from its definition.
#
#     tools/install-command.sh BUILD DESTDIR PREFIX
set -eu
build=$1 prefix=$2$3
generated=$(mktemp -d)
trap 'rm -rf "$generated"' EXIT

mkdir "$generated/man" "$generated/completions"
"$build/hornet" generate man "$generated/man"
"$build/hornet" generate completions "$generated/completions"

install -d "$prefix/bin" "$prefix/share/man/man1" "$prefix/share/bash-completion/completions" \
    "$prefix/share/zsh/site-functions" "$prefix/share/fish/vendor_completions.d"
install -m 755 "$build/hornet" "$prefix/bin/"
install -m 644 "$generated"/man/*.1 "$prefix/share/man/man1/"
install -m 644 "$generated/completions/hornet.bash" "$prefix/share/bash-completion/completions/hornet"
install -m 644 "$generated/completions/_hornet" "$prefix/share/zsh/site-functions/"
install -m 644 "$generated/completions/hornet.fish" "$prefix/share/fish/vendor_completions.d/"
