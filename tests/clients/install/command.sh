#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# `make install`: nothing is written outside PREFIX, the command runs from there, its man pages have no errors, and each
# shell can read its completions.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$*" >&2
    exit 1
}

make -s -C "$root" install DESTDIR="$work/root" PREFIX=/opt/hornet
prefix=$work/root/opt/hornet
outside=$(find "$work/root" ! -type d ! -path "$prefix/*")
[ -z "$outside" ] || fail "make install writes outside PREFIX: $outside"
for file in bin/hornet include/hornet.h lib/libhornet.a lib/libhornet.so lib/pkgconfig/hornet.pc \
    lib/cmake/hornet/hornet-config.cmake share/man/man1/hornet.1; do
    [ -f "$prefix/$file" ] || fail "make install does not install $file"
done
# Install again, over the existing files.
make -s -C "$root" install DESTDIR="$work/root" PREFIX=/opt/hornet

version=$(printf 'HORNET_VERSION\n' | cc -E -P -x c -include "$prefix/include/hornet.h" - | tail -n 1 | tr -d '"')
[ "$("$prefix/bin/hornet" --version)" = "hornet $version" ] || fail "the command has another version than $version"

# Every command listed in the help has a page.
commands=$("$prefix/bin/hornet" --help | sed -n '/^Commands:/,/^$/ s/^  \([a-z][a-z]*\) .*/\1/p' | grep -vx help)
[ "$(wc -w <<< "$commands")" -ge 7 ] || fail "the help lists too few commands: $commands"
for command in $commands; do
    page=$prefix/share/man/man1/hornet-$command.1
    # Without the backspaces that produce bold text.
    text=$(mandoc "$page" | sed 's/.\x08//g')
    grep -q "^ *hornet $command" <<< "$text" || fail "$page does not show how to call it"
done
for page in "$prefix"/share/man/man1/*.1; do
    notices=$(mandoc -T lint -W warning "$page" || true)
    [ -z "$notices" ] || fail "$notices"
done

# complete_bash WORD...: prints bash's completions of the last word.
complete_bash() {
    bash -c '
        source "$0"
        COMP_WORDS=(hornet "$@") COMP_CWORD=$# COMP_LINE="hornet $*" COMP_POINT=${#COMP_LINE}
        _hornet hornet "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
        printf "%s\n" "${COMPREPLY[@]}"' "$prefix/share/bash-completion/completions/hornet" "$@"
}
[ "$(complete_bash ke)" = keygen ] || fail "bash does not complete keygen"
[ "$(complete_bash tag --follow)" = --follow-symlinks ] || fail "bash does not complete an option"
[ -z "$(complete_bash g)" ] || fail "bash offers the hidden command"
zsh -n "$prefix/share/zsh/site-functions/_hornet"
grep -q '^#compdef hornet$' "$prefix/share/zsh/site-functions/_hornet"
fish --no-execute "$prefix/share/fish/vendor_completions.d/hornet.fish"
offered=$(fish --no-config -c "source $prefix/share/fish/vendor_completions.d/hornet.fish; complete -C 'hornet ke'")
[[ $offered == keygen* ]] || fail "fish does not complete keygen: $offered"
