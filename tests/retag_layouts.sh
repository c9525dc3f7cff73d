#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Runs the command's random changes of files on a new file system of each kind whose holes are skipped, mounted below
# DIRECTORY where only this script sees it; in DIRECTORY itself if nothing can be mounted.
#
#     tests/retag_layouts.sh DIRECTORY
set -eu
layouts() {
    HORNET_LAYOUTS_IN=$1 cargo test --package hornet-poly1305-cli --lib --locked -- \
        commands::retag::tests::random_layouts --exact --nocapture
}

if [ "${2-}" != unshared ]; then
    if unshare --mount true; then
        exec unshare --mount "$0" "$1" unshared
    fi
    layouts "$1"
    echo "nothing can be mounted: tested on one file system"
    exit
fi
image=$1/image point=$1/mounted count=0
mkdir "$point"
for kind in ext4 xfs btrfs; do
    truncate -s 8G "$image"
    if "mkfs.$kind" -q "$image" && mount -o loop "$image" "$point"; then
        layouts "$point"
        umount "$point"
        count=$((count + 1))
    else
        echo "not tested on $kind, which cannot be mounted"
    fi
    rm "$image"
done
[ "$count" -gt 0 ] || layouts "$1"
echo "tested on $count file systems that were mounted"
