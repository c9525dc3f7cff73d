# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs statically linked programs for Linux on x86-64 on an emulated CPU, with instructions that this machine may lack.

Bochs boots Debian's kernel with tests/cross/emulator/guest-init.c as its first process. The kernel is fetched with
`apt-get download`, which needs apt's lists, but not root.
"""

import fcntl
import re
import tempfile
from pathlib import Path

import pytest

from support.commands import ROOT, execute, output, run

HERE = ROOT / "tests/cross/emulator"
WORK = ROOT / "build/emulator"
SECONDS = 1800
MEMORY_MIB = 512
# The disk is read in units, and consists of whole cylinders.
UNIT, CYLINDER = 131072, 516096

# Half of what the kernel does while booting is not needed here, and takes seconds: testing ciphers, checking
# certificates, detecting devices. clearcpuid (which hides features from the kernel only) is for Bochs 2.7: its CPUID
# reports compacted XSAVE (xsavec, xsaves) and the position of protection keys in it (pku) incorrectly, which Linux
# detects, disabling XSAVE and therefore AVX; and it reports fsrm without erms, which Linux assumes to come with it. The
# clock is the emulator's (ips below), not that of the CPU model.
KERNEL_OPTIONS = (
    "console=ttyS2 quiet nokaslr mitigations=off acpi=off pci=off panic=-1 tsc=reliable tsc_early_khz=50000 "
    "clearcpuid=xsavec,xsaves,pku,fsrm cryptomgr.notests initcall_blacklist=load_system_certificate_list,"
    "trace_eval_init,cubictcp_register,init_evm,init_ima,inet6_init,i8042_init,cmos_init"
)
CONFIGURATION = f"""
cpu: model=MODEL, count=1, ips=50000000
memory: guest={MEMORY_MIB}, host={MEMORY_MIB}
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
"""


def padded(data: bytes, unit: int = UNIT) -> bytes:
    return data + bytes(-len(data) % unit)


def linux_kernel() -> bytes:
    """Return the part of Debian's kernel that runs in 64-bit mode, which follows the setup sectors."""
    WORK.mkdir(parents=True, exist_ok=True)
    with (WORK / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (WORK / "vmlinuz").exists():
            depends = output("apt-cache", "depends", "linux-image-cloud-amd64")
            package = re.search(r"Depends: (linux-image-[0-9]\S*)", depends)[1]
            with tempfile.TemporaryDirectory(dir=WORK) as folder:
                run("apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", package, cwd=Path(folder))
                run("dpkg-deb", "--extract", *Path(folder).glob("*.deb"), folder)
                (image,) = Path(folder).glob("boot/vmlinuz-*")
                image.rename(WORK / "vmlinuz")
    image = (WORK / "vmlinuz").read_bytes()
    return padded(image[(image[497] + 1) * 512 :])


def run_emulated(folder: Path, model: str, program: Path, *arguments: object) -> str:
    """Run a program, which must succeed, on a model that `bochs-bin --help cpu` lists, and return what it prints.

    It gets no input, no environment, no files but itself, and an empty /tmp. `folder` is for the emulator's files.
    """
    folder.mkdir()
    root = folder / "root"
    for name in ("dev", "proc", "tmp"):
        (root / name).mkdir(parents=True)
    run("gcc", "-O2", "-Wall", "-static", "-o", root / "init", HERE / "guest-init.c")
    run("cp", program, root / "program")
    (root / "args").write_bytes(b"".join(str(word).encode() + b"\0" for word in (program, *arguments)))
    run("sh", "-c", "cd root && find . | cpio --quiet -o -H newc -R 0:0 > ../initramfs", cwd=folder)
    kernel, initramfs = linux_kernel(), (folder / "initramfs").read_bytes()
    (folder / "kernel").write_bytes(kernel)
    (folder / "cmdline").write_bytes(KERNEL_OPTIONS.encode() + b"\0")
    symbols = {
        "MEMORY": MEMORY_MIB << 20,
        "INITRD_SIZE": len(initramfs),
        "INITRD_UNITS": len(padded(initramfs)) // UNIT,
        "KERNEL_UNITS": len(kernel) // UNIT,
    }
    defined = [word for name, value in symbols.items() for word in ("--defsym", f"{name}={value}")]
    run("as", "--64", "-I", WORK, "-o", "rom.o", HERE / "guest-rom.S", *defined, cwd=folder)
    linked = "ld -m elf_x86_64 -Ttext=0xffff0000 -e 0xffff0000 --oformat binary -o rom rom.o"
    run(*linked.split(), cwd=folder)
    (folder / "disk").write_bytes(padded(kernel + padded(initramfs), CYLINDER))
    (folder / "bochsrc").write_text(CONFIGURATION.replace("MODEL", model))
    # Debian's Bochs starts in its debugger.
    (folder / "commands").write_text("continue\n")

    # Bochs's only display without X requires a terminal, which script(1) provides. It ignores SIGTERM.
    bochs = f"exec timeout -s KILL {SECONDS} bochs-bin -q -f bochsrc -rc commands"
    print("$", model, program.name, *arguments, flush=True)
    _, screen = execute(["script", "-qec", bochs, "/dev/null"], cwd=folder, env={"TERM": "vt100"}, capture=True)
    printed, errors, console = (
        (folder / name).read_text(errors="replace") if (folder / name).exists() else ""
        for name in ("out", "err", "console")
    )
    print(printed + errors, flush=True)
    statuses = re.findall(r"^exit status (\d+)\r?$", console, re.M)
    if not statuses:
        pytest.fail(f"the emulator failed: {console[-2000:]}{screen[-2000:].decode(errors='replace')}")
    if statuses[-1] != "0":
        pytest.fail(f"{program.name} on {model}: exit status {statuses[-1]}")
    return printed
