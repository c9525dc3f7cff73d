# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The tools that count instructions and cycles on other architectures, on code of a few instructions."""

import sys
from types import SimpleNamespace

import pytest
from support import ROOT, run, suite

sys.path.append(str(ROOT / "lab/counts"))

import architectures
import call_cycles
import cycles
import instructions

# A call that loops three times and jumps over data, which are not executed.
CALLS = """
__asm__(".globl call_mac; .type call_mac, %function; call_mac: mov x1, #3; 1: subs x1, x1, #1; b.ne 1b; b 2f;"
        ".word 0xffffffff; 2: mul x2, x2, x2; mul x2, x2, x2; ret; .size call_mac, . - call_mac;");
void call_mac(void);
__attribute__((noinline)) void call_nothing(void) { __asm__ volatile("nop"); }
int main(void)
{
    void (*volatile call)(void) = call_mac;
    call();
    call();
    call = call_nothing;
    call();
    return 0;
}
"""
EXECUTED = ["mov", *3 * ["subs", "b.ne"], "b", "mul", "mul", "ret"]

# Two vectors of a message in an iteration, in a file that does not require vectors throughout.
LOOP = """
.globl poly1305_absorb_by_2_rvv128
.type poly1305_absorb_by_2_rvv128, @function
poly1305_absorb_by_2_rvv128:
.option push
.option arch, +v
1:
    vle32.v v8, (a0)
    vwmaccu.vv v12, v8, v8
    addi a0, a0, 32
    bltu a0, a1, 1b
    ret
.option pop
.size poly1305_absorb_by_2_rvv128, . - poly1305_absorb_by_2_rvv128
"""


@suite("quick")
def test_counts_trace(folder):
    (folder / "calls.c").write_text(CALLS, encoding="utf-8")
    run("aarch64-linux-gnu-gcc", "-O1", "-static", "-o", folder / "calls", folder / "calls.c")
    instructions.build_plugin()
    architecture = SimpleNamespace(name="aarch64", triple="aarch64-linux-gnu", command=["qemu-aarch64"], results={})
    program = call_cycles.Program(architecture, folder / "calls", "neoverse-n1")
    lines = program.call("poly1305", "chosen", 16)
    assert [line.split()[0] for line in lines] == EXECUTED
    said = program.cycles("poly1305", "chosen", 16)
    assert (said.instructions, said.unknown) == (len(EXECUTED), 0)
    # What llvm-mca cannot read is left out, and counted; a chain of multiplications takes as many latencies.
    assert program.modelled([*lines, "unknown x1"]).unknown == 1
    more = [program.modelled([*lines, *length * ["mul x2, x2, x2"]]).total for length in (100, 200)]
    assert more[1] - more[0] >= 200


@suite("quick")
def test_counts_tables_are_written(folder):
    text = (
        "# Counts\n\n## One\n\nSaid.\n\n| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |\n\n## Two\n\n| a |\n|---|\n| 3 |\n"
    )
    file = folder / "results.md"
    file.write_text(text, encoding="utf-8")
    printed = architectures.printed_by(lambda: print("| a |\n|---|\n| 4 |\n\n| b |\n|---|\n| 5 |\n\nqemu"))
    architectures.replace_tables("One", printed, file)
    assert file.read_text(encoding="utf-8") == text.replace("1 |", "4 |").replace("2 |", "5 |")
    with pytest.raises(SystemExit, match="not 1 tables in 'One'"):
        architectures.replace_tables("One", "| a |\n", file)
    # The tables in the tree are in the form that is written.
    for title, tables in ("Cycles for 64 bytes, by llvm-mca", 1), ("Cycles of whole calls, by llvm-mca", 2):
        section = (ROOT / "lab/counts/results.md").read_text(encoding="utf-8").partition(f"## {title}\n")[2]
        assert len(architectures.TABLE.findall(section.partition("\n## ")[0])) == tables
    assert all(
        f"## {title}\n" in (ROOT / "lab/counts/results.md").read_text() for title in instructions.TITLES.values()
    )


def cells(title: str, first: str, second: str) -> list[str]:
    """Return the cells of a row in a section of results.md; the first cell stands in the first row of several."""
    section = (ROOT / "lab/counts/results.md").read_text(encoding="utf-8").partition(f"## {title}\n")[2]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in section.splitlines()]
    at = next(i for i, row in enumerate(rows) if row[0] == first)
    return next(row[2:] for row in rows[at:] if len(row) > 2 and row[1] == second)


@suite("quick")
def test_counts_tables_are_of_this_tree():
    """Count again what each table says of z14, and of a long message on RISC-V's vectors.

    If it fails, run `make -C lab count-instructions count-cycles PUBLISH=1`.
    """
    instructions.build_plugin()
    z14 = instructions.Counted("s390x")
    for compiler in z14.compilers:
        z14.build_hornet(compiler)
    for primitive, title in instructions.TITLES.items():
        lengths = instructions.LENGTHS_BYTES[primitive][:3]
        counts = z14.counts(primitive, "chosen", lengths)
        counted = [instructions.per_byte(both, length) for both, length in zip(counts, lengths, strict=True)]
        assert counted == cells(title, "s390x", "Hornet")[:3]
    programs = [call_cycles.Program(z14, z14.program(compiler, "chosen"), "z14") for compiler in z14.compilers]
    called = [str(program.cycles("poly1305", "chosen", 256).total) for program in programs]
    assert architectures.per_compiler(called) == cells("Cycles of whole calls, by llvm-mca", "z14", "Hornet")[0]
    files = [cycles.link(z14, compiler) for compiler in z14.compilers]
    of = [f"{cycles.quickest(z14.triple, file, 'vmsl', 'z14')['absorb_many']:.0f}" for file in files]
    assert architectures.per_compiler(of) == cells("Cycles for 64 bytes, by llvm-mca", "z14", "`vmsl`")[-1]
    z14.check_results()

    riscv = instructions.Counted("rvv128")
    for compiler in riscv.compilers:
        riscv.build_hornet(compiler)
    length = instructions.LENGTHS_BYTES["poly1305"][-1]
    (count,) = riscv.counts("poly1305", "rvv128", [length])
    assert instructions.per_byte(count, length) == cells(instructions.TITLES["poly1305"], "rvv128", "`rvv128`")[-1]
    riscv.check_results()


@suite("quick")
def test_counts_loops(folder):
    (folder / "loop.s").write_text(LOOP, encoding="utf-8")
    triple = "riscv64-linux-gnu"
    run("clang-19", f"--target={triple}", "-march=rv64gc", "-c", "-o", folder / "loop.o", folder / "loop.s")
    run(f"{triple}-ld", "-e", "0", "-o", folder / "linked", folder / "loop.o")
    (loop,) = cycles.loops_of(triple, folder / "linked", "rvv128")
    assert (len(loop.instructions), loop.turn_bytes) == (4, 32)
    assert cycles.quickest(triple, folder / "linked", "rvv128", "sifive-p670")["absorb_by_2"] > 0
    power = {"isel    r8,r8,r29,4*cr7+lt": "isel    %r8,%r8,%r29,28", "crand   4*cr5+lt,gt,eq": "crand   20,1,2"}
    assert [cycles.for_llvm("powerpc64le-linux-gnu", text) for text in power] == list(power.values())
    assert cycles.for_llvm("s390x-linux-gnu", "brasl %r14,1002c70 <f>") == "basr %r14,%r15"
