#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Installs the built files: the headers, the libraries, the files with which pkg-config and CMake find them, and man pages of
# section 3, if there is python3 to make them. pkg-config and CMake still find the files if they are moved.
#
#     tools/install-library.sh BUILD VERSION DESTDIR PREFIX LIBDIR
set -eu
build=$1 version=$2
shift 2
prefix=$1$2 libdir=$1$3
cd "$(dirname "$0")/.."

# The relative path from a folder in LIBDIR back to PREFIX, which must contain it.
case $3/ in
"$2"/*) ;;
*) echo "$0: LIBDIR ($3) must be below PREFIX ($2)" >&2; exit 2 ;;
esac
below=${3#"$2"}
up=$(printf '%s' "$below" | sed 's|/*[^/]\{1,\}|../|g; s|/$||')

install -d "$prefix/include" "$libdir/pkgconfig" "$libdir/cmake/hornet"
install -m 644 include/*.h "$prefix/include/"
install -m 644 "$build"/libhornet.a "$libdir/"
install -m 755 "$build/libhornet.so.$version" "$libdir/"
for link in "$build"/libhornet.so "$build"/libhornet.so.[0-9]; do
    cp -P "$link" "$libdir/"
done

# fill TEMPLATE FILE DEPTH...: DEPTH is the path from the file's folder to LIBDIR.
fill() {
    sed "s|@VERSION@|$version|g; s|@TO_LIBDIR@|$3|g; s|@TO_PREFIX@|$3/$up|g; s|@PREFIX@|\${pcfiledir}/$3/$up|g
        s|@LIBDIR@|\${prefix}/${below#/}|g; s|@INCLUDEDIR@|\${prefix}/include|g" "$1" > "$2"
    chmod 644 "$2"
}
fill tools/packaging/hornet.pc.in "$libdir/pkgconfig/hornet.pc" ..
fill tools/packaging/hornet-config.cmake.in "$libdir/cmake/hornet/hornet-config.cmake" ../..
fill tools/packaging/hornet-config-version.cmake.in "$libdir/cmake/hornet/hornet-config-version.cmake" ../..

if command -v python3 > /dev/null; then
    pages=$(mktemp -d)
    trap 'rm -rf "$pages"' EXIT
    python3 -B tools/manual.py "$pages"
    install -d "$prefix/share/man/man3"
    install -m 644 "$pages"/*.3 "$prefix/share/man/man3/"
else
    echo "without man pages of section 3: tools/manual.py, which makes them, needs python3" >&2
fi
