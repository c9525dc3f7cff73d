# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Loads get what was just stored from the store buffer: no public function waits for a store to reach the cache.

A CPU forwards a store to a later load only if that store has all bytes of the load (Agner Fog, "The microarchitecture of
Intel, AMD and VIA CPUs", sections on store forwarding stalls). A compiler that joins two loads of 8 bytes into one of 16, of
words that were stored apart, makes the call wait some 12 cycles. test_traces.c single-steps every public function on every kernel
of this CPU, and each load is compared with the stores before it.
"""

import platform
import re
import struct
import subprocess

import iced_x86
import pytest
from support import DEFAULT_KERNELS, library, output, program, row, rows

# A store leaves the store buffer some cycles after it retires. Nothing waits for those that are this many instructions old.
WINDOW = 64
# gregs of Linux, by number of the register as iced_x86 counts them.
ORDER = "R8 R9 R10 R11 R12 R13 R14 R15 RDI RSI RBP RBX RDX RAX RCX RSP RIP".split()
INDEX = {getattr(iced_x86.Register, name): number for number, name in enumerate(ORDER)}
# What need not be as fast, by kernel or by function.
KERNELS_EXCEPTED = {"vector128", "bitsliced"}  # for CPUs without AVX2 or AES-NI
EXCEPTED = {
    "hornet_batch_sort": "the first comparison, once for each window of messages",
    "packets_take": "lanes that move, once for each pass of many packets",
    "hornet_aead_compute_tag": "the lengths of a message in chunks, once for each message",
}
STEP = struct.Struct("17Q16s")
READS = {iced_x86.OpAccess.READ, iced_x86.OpAccess.READ_WRITE, iced_x86.OpAccess.COND_READ}
WRITES = {iced_x86.OpAccess.WRITE, iced_x86.OpAccess.READ_WRITE, iced_x86.OpAccess.READ_COND_WRITE}


class Accesses:
    """The loads and stores of each instruction."""

    def __init__(self):
        self.factory, self.known = iced_x86.InstructionInfoFactory(), {}

    def at(self, address, code):
        """Return (loads or stores, size, base, index, scale, displacement) of each access."""
        if address not in self.known:
            instruction = iced_x86.Decoder(64, code, ip=address).decode()
            self.known[address] = [
                (
                    (used.access in READS, used.access in WRITES),
                    iced_x86.MemorySizeInfo(used.memory_size).size,
                    INDEX.get(used.base),
                    INDEX.get(used.index),
                    used.scale,
                    used.displacement,
                )
                for used in self.factory.info(instruction).used_memory()
                if used.segment not in (iced_x86.Register.FS, iced_x86.Register.GS)
            ]
        return self.known[address]


def failures(steps, accesses):
    """Return the number of loads, and each that no store can be forwarded to: its address, that of the store, and the steps
    between them."""
    loads, found = 0, []
    stores, owners = [], {}  # (step, address of the instruction), and for each byte the number of the store
    for number, (*registers, code) in enumerate(steps):
        rip = registers[-1]
        for (reads, writes), size, base, index, scale, displacement in accesses.at(rip, code):
            at = displacement + (0 if base is None else registers[base])
            at = (at + (0 if index is None else registers[index] * scale)) % (1 << 64)
            if reads:
                loads += 1
                of = {owners.get(byte) for byte in range(at, at + size)}
                latest = max((store for store in of if store is not None), default=None)
                if latest is not None and len(of) > 1 and number - stores[latest][0] <= WINDOW:
                    found.append((rip, stores[latest][1], number - stores[latest][0]))
            if writes:
                owners.update(dict.fromkeys(range(at, at + size), len(stores)))
                stores.append((number, rip))
    return loads, found


def calls(test):
    """Yield kernel, function, length and steps of each call."""
    with subprocess.Popen([test, "steps"], stdout=subprocess.PIPE) as process:
        while line := process.stdout.readline():
            assert line.count(b", ") == 3, line[:200]
            kernel, function, n, steps = line.decode().split(", ")
            data = process.stdout.read(STEP.size * int(steps))
            yield kernel, function, int(n), STEP.iter_unpack(data)
    assert process.returncode == 0


@pytest.mark.skipif(platform.machine() != "x86_64", reason="single steps are for x86-64")
@rows(
    "compiler",
    *(
        row(f"forwarding-{compiler}", compiler, suites=suites, cpu_seconds=25)
        for compiler, suites in (("gcc", "slow"), ("clang-19", "release"))
    ),
)
def test_forwarding(compiler, folder):
    built = library(compiler, "-O2", "-g", "-DHORNET_NO_CROSSOVERS", DEFAULT_KERNELS)
    test = program(folder / "test", built, "tests/unit/test_traces.c", link=["-static"])
    accesses, total, count, wrong, where = Accesses(), 0, 0, 0, {}
    for kernel, function, n, steps in calls(test):
        if kernel in KERNELS_EXCEPTED:
            continue
        loads, found = failures(steps, accesses)
        total, count = total + loads, count + 1
        for load, store, distance in found:
            where.setdefault((load, store), []).append((distance, kernel, function, n))
    print(f"{count} calls, {total} loads, {len(accesses.known)} instructions")
    addresses = sorted({address for both in where for address in both})
    text = output("addr2line", "-a", "-f", "-i", "-s", "-e", test, *map(hex, addresses)) if addresses else ""
    frames = [re.sub(r" \(.*", "", part).split("\n")[1:-1] for part in text.split("0x")[1:]]
    names = {address: part[::2] for address, part in zip(addresses, frames, strict=True)}
    lines = {address: " < ".join(part[1::2]) for address, part in zip(addresses, frames, strict=True)}
    for both, of in sorted(where.items()):
        distance, kernel, function, n = min(of)
        reasons = {name for address in both for name in names[address]} & EXCEPTED.keys()
        print(f"{distance} steps, {len(of)} times: {function}, {n} bytes, {kernel}{', excepted' if reasons else ''}")
        for what, address in zip(("load ", "store"), both, strict=True):
            print(f"  {what} {address:#x} {names[address][0]} {lines[address]}")
        if not reasons:
            wrong += 1
    assert count > 100 and total > 50000
    assert not wrong, f"{wrong} pairs of load and store"
