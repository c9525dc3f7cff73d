#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs the library as a C user would, with CMake and with make, moves the installed files, and builds a program
# against them: with find_package and with pkg-config, static and shared, in C and in C++. Nothing is written outside
# DESTDIR.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=$root/build/install
rm -rf "$build"
mkdir -p "$build"

fail() {
    echo "$*" >&2
    exit 1
}

expect_tag() {
    tag=$(printf 'Cryptographic Forum Research Group' | "$@")
    [ "$tag" = a8061dc1305136c6c22b8baf0c0127a9 ] || fail "$*: wrong tag $tag"
}

# use PREFIX TARGET: builds and runs the program against the installation in PREFIX.
use() {
    name=$(basename "$1")-$(echo "$2" | tr -d :)
    cmake -S "$here" -B "$build/$name" -DCMAKE_PREFIX_PATH="$1" -DTARGET="$2"
    cmake --build "$build/$name"
    expect_tag "$build/$name/consumer"

    PKG_CONFIG_LIBDIR=$1/lib/pkgconfig
    export PKG_CONFIG_LIBDIR
    # The program compares the version in the header with that of the library.
    version=$(printf 'HORNET_VERSION\n' | cc -E -P -x c -include "$1/include/hornet.h" - | tail -n 1 | tr -d '"')
    [ "$(pkg-config --modversion hornet)" = "$version" ] || fail "pkg-config: another version than $version"
    # shellcheck disable=SC2046 # the flags are words
    cc -o "$build/$name-pkg-config" "$here/consumer.c" $(pkg-config --cflags --libs hornet)
    expect_tag env LD_LIBRARY_PATH="$1/lib" "$build/$name-pkg-config"
}

for shared in OFF ON; do
    cmake -S "$root" -B "$build/hornet-$shared" -DBUILD_SHARED_LIBS=$shared -DCMAKE_INSTALL_PREFIX="$build/at-first" \
        -DCMAKE_INSTALL_LIBDIR=lib
    cmake --build "$build/hornet-$shared" -j2
    cmake --install "$build/hornet-$shared"
    mv "$build/at-first" "$build/cmake-$shared"
    use "$build/cmake-$shared" hornet::hornet
done

make -s -C "$root" install-library DESTDIR="$build/root" PREFIX=/opt/hornet
(cd "$build/root" && find . ! -type d | sort) > "$build/installed"
grep -v '^\./opt/hornet/' "$build/installed" && fail "make install writes outside PREFIX"
mv "$build/root/opt/hornet" "$build/make"
use "$build/make" hornet::hornet
use "$build/make" hornet::hornet_static
# Also from the build folder.
cc -o "$build/as-built" "$here/consumer.c" -I"$root/include" -L"$root/build" -lhornet -Wl,-rpath,"$root/build"
expect_tag "$build/as-built"
make -s -C "$root" install-library DESTDIR="$build/debian" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu
PKG_CONFIG_LIBDIR=$build/debian/usr/lib/x86_64-linux-gnu/pkgconfig pkg-config --libs hornet |
    grep -q '/debian/usr/lib/x86_64-linux-gnu/pkgconfig/../../../lib/x86_64-linux-gnu -lhornet'

# All addresses are resolved when the library is loaded, and their table is then read-only. Indirect branches and
# returns can be checked; the linker marks the shared library accordingly if the system's startup code allows it, which
# Debian's does not. LDFLAGS are respected.
for library in "$build/make/lib/libhornet.so" "$build/cmake-ON/lib/libhornet.so"; do
    readelf -d "$library" | grep 'FLAGS_1.* NOW' > /dev/null || fail "$library: not -z now"
    readelf -l "$library" | grep GNU_RELRO > /dev/null || fail "$library: not -z relro"
done
for library in "$build/make/lib/libhornet.a" "$build/cmake-OFF/lib/libhornet.a"; do
    objects=$(ar t "$library" | wc -l)
    marked=$(readelf -n "$library" | grep -c 'IBT, SHSTK')
    [ "$(uname -m)" != x86_64 ] || [ "$marked" = "$objects" ] || fail "$library: $marked of $objects objects have CET marks"
done
make -s -C "$root" library BUILD="$build/flags" LDFLAGS=-Wl,--build-id=0x0123456789abcdef
readelf -n "$build/flags/libhornet.so" | grep 0123456789abcdef > /dev/null || fail "LDFLAGS are ignored"

# The header in C++.
printf '#include <hornet.h>\nint main() { return hornet_kernel_in_use(HORNET_POLY1305) == 0; }\n' > "$build/header.cc"
# shellcheck disable=SC2046
c++ -Wall -Wextra -pedantic -o "$build/header" "$build/header.cc" $(pkg-config --cflags --libs hornet)
LD_LIBRARY_PATH=$build/make/lib "$build/header"
cat "$build/installed"
