#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Nonces and manifests when processes are killed, encounter errors, or run at the same time: no nonce is handed out
# twice, and every manifest is complete.
#
#     tests/clients/nonces.sh [HORNET [KILLS]]      the command, and the number of processes to kill; default:
#                                                   build/hornet, 1000
set -euo pipefail
cd "$(dirname "$0")/../.."
hornet=$(realpath "${1-build/hornet}") kills=${2-1000}
[ $# -gt 0 ] || make -s command
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir tree out
for i in 1 2 3; do
    head -c "$((1000 * i))" /dev/urandom > "tree/file $i"
done

fail() {
    echo "$*" >&2
    exit 1
}

# Prints the counters in a manifest's nonces: their first 6 bytes, which are unique without the random bits.
counters_in() {
    sed -n 's/^\(seal \)\?\([0-9a-f]\{12\}\)[0-9a-f]\{20\} [0-9a-f]\{32\}.*/\2/p' "$@"
}

# Checks the manifests written so far: each is complete, and no nonce occurs twice.
check_manifests() {
    local manifest
    for manifest in out/*; do
        [ -s "$manifest" ] || continue
        # The status is 1 if errors kept files from being read, and the manifest says so.
        "$hornet" check --quiet --json -k key "$manifest" > report 2>&1 || { [ $? = 1 ] && ! grep -q REFUSED report; } ||
            fail "$1: $manifest is not whole: $(cat report)"
    done
    counters_in out/* | sort > used
    [ -z "$(uniq -d used)" ] || fail "$1: nonces used twice: $(uniq -d used | head -n 3)"
    echo "$1: $(wc -l < used) nonces so far, none twice"
}

# Runs one command under strace with an injection, and stores its status in $status. A panic gives an abort or 101.
injected() {
    local injection=$1
    shift
    status=0
    { strace -f -qqq -o /dev/null -e "inject=$injection" "$@" > stdout 2> stderr; } 2> /dev/null || status=$?
    case $status in
    0 | 1 | 2 | 137) ;;
    *) cat stderr >&2; fail "$injection: $* ended with status $status" ;;
    esac
    # An incomplete manifest is gone with the process; output that was shown counts.
    [ ! -s stdout ] || cp stdout "out/stdout-$((++shown))"
}
shown=0

"$hornet" keygen key

# The order of system calls: the new key file is on the disk, under its name, before a file is read.
strace -f -qqq -e trace=flock,fsync,fdatasync,rename,renameat,renameat2,openat -o log "$hornet" tag -k key tree > out/order
order=$(sed 's/^[0-9]* *//' log | awk '
    /^flock\(.*LOCK_EX/ { print "lock" }
    /^(fsync|fdatasync)\(/ { print "sync" }
    /^rename/ { print "rename" }
    /^openat\(.*"(tree\/)?file 1"/ { print "read"; exit }' | tr '\n' ' ')
[ "$order" = "lock sync rename sync read " ] || fail "the order of system calls: $order"
check_manifests "order of system calls"

# kill_everywhere NAME COMMAND...: kills the command at each system call that it makes: at the first openat, the second,
# and so on. NUMBER in an argument is replaced by a different number each time.
kill_everywhere() {
    local name=$1 call times when before=$killed
    shift
    strace -f -qqq -o calls "${@//NUMBER/trial-$name}" > /dev/null
    sed 's/^[0-9]* *//' calls | sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' | sort | uniq -c > counts
    while read -r times call; do
        for ((when = 1; when <= times && killed < kills; when++)); do
            injected "$call:signal=KILL:when=$when" "${@//NUMBER/$name-$call-$when}"
            # Threads distribute the calls differently each time.
            [ "$status" != 137 ] || killed=$((killed + 1))
        done
    done < counts
    echo "$name: killed $((killed - before)) times"
}

killed=0
kill_everywhere keygen "$hornet" keygen new-NUMBER
kill_everywhere fork "$hornet" keygen --fork key fork-NUMBER
for ((round = 1; killed < kills; round++)); do
    kill_everywhere "tag-$round" "$hornet" tag -k key tree
    kill_everywhere "manifest-$round" "$hornet" tag -k key -o out/NUMBER tree
    [ "$round" -lt 50 ] || fail "only $killed processes killed"
done
check_manifests "$killed processes killed"
# Every key file that exists is complete, and no two have the same key.
keys=0
for file in key new-* fork-*; do
    [ -e "$file" ] || continue
    "$hornet" tag -k "$file" tree > /dev/null || fail "$file is not whole"
    keys=$((keys + 1))
done
[ "$(sed -n 's/^key //p' key new-* fork-* | sort -u | wc -l)" = "$keys" ] || fail "two key files have one key"

# A full disk and a failing disk, at every call that could fail.
for call in openat write fsync flock rename,renameat,renameat2 link,linkat unlink,unlinkat ftruncate; do
    for error in ENOSPC EIO; do
        for when in {1..12}; do
            injected "$call:error=$error:when=$when" "$hornet" tag -k key -o "out/$call-$error-$when" tree
            # Here, the same error would keep the manifest from getting its name.
            injected "$call:error=$error:when=$when" "$hornet" tag -k key tree
        done
    done
done
check_manifests "errors at every call"

# Without random bits. A fork draws some for its nonces, and others for a temporary name. `hornet tag` cannot be used
# here, because the standard library's hash maps abort the process if the system provides none.
refused=0
for when in {1..6}; do
    injected "getrandom:error=EIO:when=$when" "$hornet" keygen --fork key "fork-random-$when"
    ! grep -q 'no random bytes for nonces' stderr || refused=$((refused + 1))
    [ "$status" = 0 ] || [ ! -e "fork-random-$when" ] || fail "fork-random-$when: made without random bits"
done
# From glibc 2.41 on, getting random bytes may need no system call, so none can fail.
strace -f -qqq -e trace=getrandom -o log "$hornet" keygen --fork key fork-random
[ "$refused" -gt 0 ] || ! grep -q ', 9, 0)' log || fail "no reservation was refused for want of random bits"
"$hornet" tag -k key tree > out/after-no-random-bits
check_manifests "no random bits"

# Eight processes at once, some of which are killed.
for process in {1..8}; do
    for ((i = 0; i < 25; i++)); do
        if [ $((i % 3)) = 0 ]; then
            timeout -s KILL "0.0$((RANDOM % 2))$((RANDOM % 10))" "$hornet" tag -k key -o "out/$process-at-once-$i" tree ||
                [ $? -ge 124 ] || exit 1
        else
            "$hornet" tag -k key tree > "out/$process-at-once-$i"
        fi
    done 2> "stderr-$process" &
    processes[process]=$!
done
for process in {1..8}; do
    wait "${processes[process]}" || fail "process $process: $(cat "stderr-$process")"
done
check_manifests "eight processes at once"

# Ended by SIGINT or SIGTERM at each call that creates, writes or names a file: no temporary file remains. A signal
# takes effect when the call returns.
mkdir ended
"$hornet" keygen ended/key
ended=0
for signal in INT TERM; do
    for call in openat write fsync linkat rename,renameat,renameat2; do
        for when in {1..6}; do
            status=0
            { strace -f -qqq -o /dev/null -e "inject=$call:signal=$signal:when=$when" \
                "$hornet" tag -k ended/key -o ended/manifest --force tree; } > stdout 2> stderr || status=$?
            [ "$status" = 0 ] || ended=$((ended + 1))
            left=$(find ended -name '.*')
            [ -z "$left" ] || fail "SIG$signal at $call $when leaves $left"
        done
    done
done
[ "$ended" -gt 0 ] || fail "no process was ended"
"$hornet" check --quiet -k ended/key ended/manifest || fail "the manifest is not whole"
echo "$ended processes ended by signals: no temporary file left"
