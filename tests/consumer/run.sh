#!/bin/sh
# Installs the library as a C user would and builds a program against it: by CMake and by pkg-config, static
# and shared, from C and from C++.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build/consumer
rm -rf "$build"

expect_tag() {
    tag=$(printf 'Cryptographic Forum Research Group' | "$@")
    [ "$tag" = a8061dc1305136c6c22b8baf0c0127a9 ] || { echo "$*: wrong tag $tag" >&2; exit 1; }
}

for shared in OFF ON; do
    prefix=$build/prefix-$shared
    cmake -S "$root" -B "$build/hornet-$shared" -DBUILD_SHARED_LIBS=$shared \
        -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib
    cmake --build "$build/hornet-$shared" -j2
    cmake --install "$build/hornet-$shared"

    cmake -S "$here" -B "$build/cmake-$shared" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$build/cmake-$shared"
    expect_tag "$build/cmake-$shared/consumer"

    PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    export PKG_CONFIG_PATH
    [ "$(pkg-config --modversion hornet)" = 0.1.0 ]
    # shellcheck disable=SC2046 # the flags are words
    cc -o "$build/pkg-config-$shared" "$here/consumer.c" $(pkg-config --cflags --libs hornet)
    expect_tag env LD_LIBRARY_PATH="$prefix/lib" "$build/pkg-config-$shared"
done

# The header in C++.
printf '#include <hornet.h>\nint main() { return hornet_kernel_count() == 0; }\n' > "$build/header.cc"
# shellcheck disable=SC2046
c++ -Wall -Wextra -pedantic -o "$build/header" "$build/header.cc" $(pkg-config --cflags --libs hornet)
LD_LIBRARY_PATH=$prefix/lib "$build/header"
