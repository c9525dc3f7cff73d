#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Runs a statically linked Linux x86-64 program on an emulated processor, so
# that code for instructions this machine lacks (AVX-512) can be tested.
#
#   run-emulated.sh [-c CPUMODEL] PROGRAM [ARGUMENT...]
#
# The program's output and errors come out here, and its exit status is this
# script's (128 + n if signal n killed it); 124 if EMULATOR_TIMEOUT ran out,
# 125 if the emulator failed.  The program gets no input, no environment, no
# files but itself, and an empty /tmp.
#
# CPUMODEL is one of those `bochs-bin --help cpu` lists, among them:
#   corei7_haswell_4770  AVX2
#   corei7_skylake_x     AVX-512 F, CD, DQ, BW, VL (the default)
#   corei3_cnl           the same, IFMA and VBMI
#   corei7_icelake_u, tigerlake  the same and later ones
#
# Needs, on Debian 12, as root once or installed beforehand:
#   apt-get install --no-install-recommends bochs bochs-term cpio gcc libc6-dev
# The kernel that runs in the emulator is Debian's, fetched on first use with
# apt-get download, which needs apt's lists (apt-get update) but not root.
#
# Environment: EMULATOR_WORK (default build/emulator) holds what is kept from
# run to run; EMULATOR_TIMEOUT (default 1800) is in seconds; EMULATOR_MEMORY
# (default 512) is in MiB.

set -eu

model=corei7_skylake_x
while getopts c: option; do
    case $option in
    c) model=$OPTARG ;;
    *) exit 125 ;;
    esac
done
shift $((OPTIND - 1))
[ -f "${1-}" ] || { echo "usage: $0 [-c CPUMODEL] PROGRAM [ARGUMENT...]" >&2; exit 125; }

here=$(cd "$(dirname "$0")" && pwd)
work=${EMULATOR_WORK:-build/emulator}
memory=${EMULATOR_MEMORY:-512}
mkdir -p "$work"
work=$(cd "$work" && pwd)

# The disk is read in units of 128 KiB.
unit=131072
units() { echo $((($(wc -c <"$1") + unit - 1) / unit)); }
pad() { truncate -s "%$unit" "$1"; }

# Files shared by all runs, made in a directory that is renamed when complete.
if [ ! -d "$work/kernel" ]; then
    new=$(mktemp -d "$work/new.XXXXXX")
    (
        cd "$new"
        package=$(apt-cache depends linux-image-cloud-amd64 |
            sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
        apt-get -q -o APT::Sandbox::User=root download "$package"
        dpkg-deb --fsys-tarfile "$package"_*.deb |
            tar -x --wildcards --strip-components=2 './boot/vmlinuz-*'
        mv vmlinuz-* vmlinuz
        rm ./*.deb
        # The part that runs in 64-bit mode follows the setup sectors.
        sectors=$(od -A n -t u1 -j 497 -N 1 vmlinuz)
        tail -c +$(((sectors + 1) * 512 + 1)) vmlinuz >kernel
        pad kernel
    ) >&2
    mv -T "$new" "$work/kernel" 2>/dev/null || rm -r "$new" # another run was first
fi

run=$(mktemp -d "$work/run.XXXXXX")
children=
# shellcheck disable=SC2086 # several process numbers
trap 'kill $children 2>/dev/null || :; rm -rf "$run"' EXIT
trap 'exit 125' HUP INT TERM

mkdir "$run/root" "$run/root/dev" "$run/root/proc" "$run/root/tmp"
gcc -O2 -Wall -static -o "$run/root/init" "$here/guest-init.c"
cp "$1" "$run/root/program"
chmod 755 "$run/root/program"
printf '%s\0' "$@" >"$run/root/args"

cd "$run"
(cd root && find . | cpio --quiet -o -H newc -R 0:0) >initramfs

# Half of what the kernel does while booting is not needed here, and takes seconds: testing ciphers, checking
# certificates, detecting devices. clearcpuid (which hides features from the kernel only) is for Bochs 2.7: its CPUID
# reports compacted XSAVE (xsavec, xsaves) and the position of protection keys in it (pku) incorrectly, which Linux
# detects, disabling XSAVE and therefore AVX; and it reports fsrm without erms, which Linux assumes to come with it. The
# clock is the emulator's (ips below), not that of the CPU model.
skip=load_system_certificate_list,trace_eval_init,cubictcp_register,init_evm
skip=$skip,init_ima,inet6_init,i8042_init,cmos_init
printf '%s\0' "console=ttyS2 quiet nokaslr mitigations=off acpi=off pci=off \
panic=-1 tsc=reliable tsc_early_khz=50000 clearcpuid=xsavec,xsaves,pku,fsrm \
cryptomgr.notests initcall_blacklist=$skip" >cmdline

as --64 -I "$work/kernel" -o rom.o "$here/guest-rom.S" \
    --defsym MEMORY=$((memory << 20)) \
    --defsym INITRD_SIZE="$(wc -c <initramfs)" \
    --defsym INITRD_UNITS="$(units initramfs)" \
    --defsym KERNEL_UNITS="$(units "$work/kernel/kernel")"
ld -m elf_x86_64 -Ttext=0xffff0000 -e 0xffff0000 --oformat binary -o rom rom.o
pad initramfs
cat "$work/kernel/kernel" initramfs >disk
truncate -s %516096 disk # whole cylinders

mkfifo out err
cat >bochsrc <<END
cpu: model=$model, count=1, ips=50000000
memory: guest=$memory, host=$memory
romimage: file=rom
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=disk, mode=flat, path=disk, cylinders=0
com1: enabled=1, mode=file, dev=out
com2: enabled=1, mode=file, dev=err
com3: enabled=1, mode=file, dev=console
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
vga: extension=none, update_freq=1
plugin_ctrl: unmapped=1, biosdev=0, speaker=0, extfpuirq=0, gameport=0, iodebug=0, parallel=0
display_library: term
clock: sync=none, time0=1
panic: action=fatal
log: log
END
echo continue >commands # Debian's Bochs starts in its debugger

# Line by line, so that the two do not mix within a line when they go to the same place.
LC_ALL=C sed -u '' out &
out=$!
LC_ALL=C sed -u '' err >&2 &
err=$!
# Bochs's only display without X requires a terminal, which script(1) provides. It ignores SIGTERM.
TERM=vt100 script -qec "exec timeout -s KILL -k 1 ${EMULATOR_TIMEOUT:-1800} \
    bochs-bin -q -f bochsrc -rc commands" /dev/null </dev/null >screen &
emulator=$!
children="$emulator $out $err"
status=0
wait $emulator || status=$?
: 1<>out 2<>err # if Bochs had not opened them, the readers would wait forever
wait $out $err
children=

exit_status=$(tr -d '\r' 2>/dev/null <console | sed -n 's/^exit status //p' | tail -n 1)
if [ -n "$exit_status" ]; then
    exit "$exit_status"
elif [ "$status" = 137 ]; then
    echo "$0: out of time" >&2
    exit 124
fi
echo "$0: the emulator failed" >&2
tail -n 20 screen console log >&2 || :
exit 125
