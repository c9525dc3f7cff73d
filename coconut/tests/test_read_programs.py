# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test that programs are refused that do something else than what is read of them."""

import subprocess
from pathlib import Path

import pytest

from coconut.lift.amd64 import Amd64
from coconut.lift.elf import Elf
from coconut.lift.machine import Memory
from coconut.lift.objects import LIBRARY, Linked, compiled_file
from coconut.prove.evaluation import KEY, MESSAGE, TAG
from coconut.prove.objects import check_left, check_writes
from coconut.prove.polynomials import Ring, Unproved


def linked_of(folder: Path, source: str, name: str = "source.c") -> Linked:
    path = folder / name
    path.write_text(source)
    return compiled_file("gcc", path, ("-O2", "-fno-stack-protector"))


def run(linked: Linked) -> int:
    """Run f(tag, message, 32, key) on public bytes of the message and a secret key; return the first word of the tag."""
    machine = Amd64(linked, Memory(linked))
    machine.memory.cells |= {MESSAGE + 8 * i: (8, i + 1) for i in range(4)} | {TAG: (8, 0)}
    machine.memory.cells[KEY] = 8, Ring().input("k", 2**64 - 1)
    machine.call(linked.symbols["f"], [TAG, MESSAGE, 32, KEY])
    check_writes(machine, [TAG])
    check_left(machine)
    result: int = machine.memory.read(TAG, 8)
    return result


def function(*lines: str, rest: str = "") -> str:
    """Return a file of assembly with a function f, and other lines."""
    body = "\n".join(lines)
    return f'.text\n.globl f\n.type f, @function\nf:\n{body}\nret\n.size f, .-f\n{rest}\n.ident "GCC: (x) 12.2.0"\n'


MEMSET = (
    "mov (%rcx),%rax",
    "vmovq %rax,%xmm5",
    "push %rdi",
    "xor %esi,%esi",
    "mov $8,%edx",
    "call memset",
    "pop %rdi",
)
REFUSED = {
    # Instructions that objdump does not print by default: here, they add to what rax points to.
    "zeros": (function("lea 8(%rdi),%rax", ".zero 16", "movq $1,(%rdi)"), "add .*which nothing has written"),
    "variable": (
        function("mov mode(%rip),%rax", "mov %rax,(%rdi)", rest=".data\nmode: .quad 1"),
        "nothing has written",
    ),
    # What is below the stack pointer when a function is called, whose stack that is.
    "red zone": (
        function(
            "movq $7,-64(%rsp)",
            "xor %esi,%esi",
            "mov $8,%edx",
            "push %rdi",
            "call memset",
            "pop %rdi",
            "mov -64(%rsp),%rax",
            "mov %rax,(%rdi)",
        ),
        "rax is read",
    ),
    "overlap": (function("push %rdi", "mov $8,%edx", "lea 4(%rsi),%rdi", "call memcpy", "pop %rdi"), "which overlap"),
    "below": (function("push %rdi", "lea -64(%rsp),%rdi", "call memset", "pop %rdi"), "is given what is below"),
    # No function of the C library clears it.
    "secret": (function(*MEMSET), "vector 5"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    source, what = REFUSED[name]
    linked = linked_of(tmp_path, source, "source.s")
    with pytest.raises(Unproved, match=what):
        print(hex(run(linked)))


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("extern int chosen __attribute__((weak)); int f(void) { return &chosen ? 1 : 0; }", "chosen is weak"),
        ("__attribute__((weak)) int f(int a) { return a; }", "f is weak"),
        ('int g(int a) { return a; } void *r(void) { return g; } int f(int) __attribute__((ifunc("r")));', "f is weak"),
        ("void *memcpy(void *a, const void *b, unsigned long n) { return n ? a : (void *)b; }", "memcpy is defined"),
        ('__asm__(".text\\n.globl f\\nf: ret");', "f has instructions"),
        ('__asm__(".text\\n.globl f\\n.type f,@function\\nf: ret");', "f has instructions"),
    ],
)
def test_symbols(source: str, what: str, tmp_path: Path) -> None:
    """What another program may decide, and code that no function has, is no part of an archive."""
    (tmp_path / "file.c").write_text(source)
    subprocess.run(["gcc", "-O2", "-c", tmp_path / "file.c", "-o", tmp_path / "file.o"], check=True)
    with pytest.raises(Unproved, match=what):
        Elf("file.o", (tmp_path / "file.o").read_bytes()).check_symbols(LIBRARY)


def test_two_records(tmp_path: Path) -> None:
    """A local symbol of a name that another file has, too."""
    linked = linked_of(tmp_path, function(rest=".globl hornet_x\n.data\nhornet_x: .quad 1"), "one.s")
    linked.__dict__["named"] = [*linked.named, (0x1234, "hornet_x")]
    with pytest.raises(Unproved, match="two symbols hornet_x"):
        print(linked.symbols)
