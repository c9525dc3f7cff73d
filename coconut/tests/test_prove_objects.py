# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test the proofs of compiled functions, and that mistakes are refused."""

from dataclasses import replace

import pytest

from coconut.lift.compare import check_features, comparable
from coconut.lift.machine import Memory
from coconut.lift.objects import COMPILERS, Line, Linked, compiled, installed, read_line
from coconut.prove.composition import Key
from coconut.prove.evaluation import KEY, MESSAGE, RECORDS, TAG, Record
from coconut.prove.mutations_objects import changed_line, plant_in_call, reason_for
from coconut.prove.objects import Function, StreamingState, prove_streaming
from coconut.prove.polynomials import Number, Unproved

GCC_ARM, CLANG_ARM = COMPILERS[2:]
RECORD = {record.name: record for record in RECORDS}


def program(compiler: str) -> Linked:
    if compiler not in installed():
        pytest.skip(f"{compiler} is not installed")
    return compiled(compiler)


def with_kernel(compiler: str, name: str) -> Linked:
    """Return the program, if this CPU runs a kernel of it."""
    linked = program(compiler)
    if lacking := comparable(linked, RECORD[name]):
        pytest.skip(lacking)
    return linked


def lines_run(function: Function, length: int) -> list[Line]:
    function.prove(length)
    return [function.linked.lines[at] for at in function.ran]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_machine(compiler: str, record: Record) -> None:
    """On public bytes, the machine computes tags: so its instructions do what CPUs' do, in these functions."""
    linked = program(compiler)
    if not linked.has(record.name):
        pytest.skip(f"{compiler} made no {record.name}")
    with_kernel(compiler, record.name)
    sample = Key(1)
    for length in (0, 5, 16, 29, 63, 150, 290, 1700):
        assert Function(linked, record, "mac").run(sample.key, sample.message[:length]) == sample.tag(length)


@pytest.mark.parametrize(
    ("compiler", "name", "member", "length"),
    [
        ("gcc", "scalar64", "absorb", 37),
        ("clang-19", "scalar64", "absorb", 37),
        ("gcc", "ifma256", "mac", 143),
        ("clang-19", "ifma256", "mac", 143),
        (GCC_ARM, "neon", "absorb", 142),
        (CLANG_ARM, "neon_in_order", "mac", 65),
        (CLANG_ARM, "scalar64", "mac", 5),  # where a sum skips what has a name
    ],
)
def test_functions(compiler: str, name: str, member: str, length: int) -> None:
    assert Function(with_kernel(compiler, name), RECORD[name], member).prove(length) > 100


@pytest.mark.parametrize(("compiler", "name"), [("gcc", "ifma256"), (GCC_ARM, "neon")])
def test_streaming_state(compiler: str, name: str) -> None:
    assert prove_streaming(with_kernel(compiler, name), RECORD[name]) > 2


def test_other_length() -> None:
    """A length at which the function takes another step than the basic blocks is refused."""
    linked, record = with_kernel("gcc", "ifma256"), RECORD["ifma256"]
    with pytest.raises(Unproved):
        Function(linked, record._replace(groups="TWO"), "mac").prove(900)


def test_stale_register() -> None:
    """An addition that takes a register from before the loop is refused: as each iteration has names of its own."""
    function = Function(program("gcc"), RECORD["scalar64"], "mac")
    lines = lines_run(function, 80)
    loads = [line for line in lines if line.name == "mov" and "(%rsi)" in line.operands[0]]
    assert loads
    for line in loads[-2:]:
        with changed_line(function.linked, replace(line, name="nop", operands=())), pytest.raises(Unproved):
            function.prove(80)


def test_arm_stale_register() -> None:
    """The same on 64-bit Arm, where a multiplication that is left out leaves what the register had before."""
    function = Function(program(GCC_ARM), RECORD["scalar64"], "mac")
    line = [line for line in lines_run(function, 80) if line.name == "umulh"][-1]
    with changed_line(function.linked, replace(line, name="nop", operands=())), pytest.raises(Unproved):
        function.prove(80)


def test_arm_vectors() -> None:
    """A change in the last multiplication of vectors, or in the first load of a power, is refused."""
    function = Function(program(CLANG_ARM), RECORD["neon_in_order"], "mac")
    lines = lines_run(function, 65)
    multiply = [line for line in lines if line.name == "umlal2"][-1]
    insert = next(line for line in lines if line.name == "ins")
    for line in (multiply, insert):
        with changed_line(function.linked, replace(line, name="nop", operands=())), pytest.raises(Unproved):
            function.prove(65)


def test_first_value() -> None:
    """T of the first group taken for that of a later step is refused: the lanes that are kept are not those before."""
    kept = StreamingState(with_kernel("gcc", "ifma256"), RECORD["ifma256"], "lanes_absorb")
    kept.prove_absorb(2, 0)
    stores = [line for at in kept.ran if (line := kept.linked.lines[at]).name == "vmovdqu" and "(" in line.operands[1]]
    assert stores
    with changed_line(kept.linked, replace(stores[-1], name="nop", operands=())), pytest.raises(Unproved):
        kept.prove_absorb(2, 0)


PRESERVED = tuple(f"r{i}" for i in range(12, 16))
# The direction flag, all flags, the control words of both units and of their state, and calls of the system.
UNIT_STATE = (
    *("std", "cld", "popf", "ldmxcsr (%rdi)", "vldmxcsr (%rdi)", "stmxcsr (%rdi)", "fldcw (%rdi)", "fninit", "emms"),
    *("fxrstor (%rdi)", "xrstor (%rdi)", "wrfsbase %rax", "syscall", "int3", "rep movsb (%rsi),%es:(%rdi)"),
)


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("mov (%rsi),%rax", None),
        ("mov 0x28(%rsi),%rax", "nothing has written"),
        ("mov %r12,%rax\nadd $0x1,%rax", "nothing has set"),
        ("mov %rdi,%rbx", "rbx is not restored"),
        ("mov (%rsi),%rax\ncmp $0x1,%rax\nje 2000", "symbolic"),
        ("mov (%rsi),%rax\nmov (%rdi,%rax,1),%rcx", "an address depends"),
        ("mov (%rsi),%rax\nmov %rax,0x20(%rdi)", "written at"),
        ("mov (%rsi),%rax\nmov %rax,-0x18(%rsp)", "the stack has"),
        ("vmovdqu (%rsi),%xmm1", "vector 1 has"),
        ("push %rax", "a return to an unknown"),
        ("fld1", "no such instruction"),
        # Beyond the result: its last byte is at 15, and r of a state is before it.
        ("mov %dl,0xf(%rdi)", None),
        ("mov %dl,0x10(%rdi)", "1 bytes are written at"),
        ("mov %rdx,0x9(%rdi)", "8 bytes are written at"),
        ("mov %dl,-0x1(%rdi)", "1 bytes are written at"),
        # What the stack has above and below: the return address, the caller's frame, and what is below the red zone.
        ("mov $0x0,%edx\nmov %dl,0x7(%rsp)", "a return to an unknown|no instructions at|written at"),
        ("movb $0x0,0x8(%rsp)", "1 bytes are written at"),
        ("mov %rdx,-0x80(%rsp)", None),
        ("mov %rdx,-0x88(%rsp)", "136 bytes below"),
        ("sub $0x100,%rsp\nmov %rdx,(%rsp)\nadd $0x100,%rsp\nmov -0x100(%rsp),%rax", "256 bytes below"),
        # What a function must keep: each register, and the state of the unit.
        *((f"mov %rdx,%{register}", f"{register} is not restored") for register in ("rbx", "rbp", *PRESERVED)),
        ("sub $0x8,%rsp", "unknown|nothing has written|not where it was"),
        *((text, "no such instruction|not understood|no meaning|not in the table") for text in UNIT_STATE),
    ],
)
def test_refused(text: str, what: str | None) -> None:
    """What a function must not do is refused."""
    check_refused("gcc", text, what)


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("ldr x0, [x1]", None),
        ("ldr x0, [x1, #40]", "nothing has written"),
        ("add x9, x19, #0x1", "nothing has set"),
        ("orr x19, xzr, x1", "x19 is not restored"),
        ("movi v8.2d, #0x0", "d8 is not restored"),
        ("ldr x9, [x1]\nsubs xzr, x9, #0x1\nb.eq 2000", "symbolic"),
        ("ldr x9, [x1]\ncbz x9, 2000", "symbolic"),
        ("ldr x9, [x1]\nldr x9, [x1, x9, lsl #3]", "an address depends"),
        ("ldr x9, [x1]\nudiv x9, x9, x1", "a division"),
        ("ldr x9, [x1]\nstr x9, [x0, #32]", "written at"),
        ("ldr x9, [x1]\nstr x9, [sp, #-16]!\nadd sp, sp, #0x10", "the stack has"),
        ("sub sp, sp, #0x10", "the stack pointer"),
        ("ldr q1, [x1]", "vector 1 has"),
        ("add v1.2d, v2.2d, v3.2d", "nothing has set"),
        ("b.eq 2000", "nothing has set flags"),
        ("fadd d0, d1, d2", "no such instruction"),
        ("strb w2, [x0, #15]", None),
        ("strb w2, [x0, #16]", "1 bytes are written at"),
        ("str x2, [x0, #9]", "8 bytes are written at"),
        ("str w2, [sp]", "4 bytes are written at"),
        ("str x2, [sp, #-8]", "8 bytes below"),
        ("str x2, [sp, #-16]!\nldr x2, [sp], #16", None),
        ("str x2, [sp, #-16]!\nadd sp, sp, #0x10\nldr x2, [sp, #-16]", "16 bytes below"),
        *((f"orr x{i}, xzr, x1", f"x{i} is not restored") for i in range(19, 30)),
        *((f"movi v{i}.2d, #0x0", f"d{i} is not restored") for i in range(8, 16)),
        ("msr fpcr, x2", "no such instruction"),
        ("msr daifset, #0x2", "no such instruction"),
        ("svc #0x0", "no such instruction"),
    ],
)
def test_arm_refused(text: str, what: str | None) -> None:
    check_refused(GCC_ARM, text, what)


def check_refused(compiler: str, text: str, what: str | None) -> None:
    function = Function(program(compiler), RECORD["scalar64"], "mac")
    entry = function.linked.entry("scalar64", "mac")
    at, lines = 0x2000, {}
    for line in [*text.split("\n"), "ret"]:
        lines[at] = read_line(at, at + 8, line, function.linked.target.comment)
        at += 8
    linked = replace(function.linked)
    linked.__dict__["lines"] = lines
    linked.__dict__["symbols"] = function.linked.symbols
    linked.number = lambda at, count: 0x2000  # type: ignore[method-assign]
    memory = Memory(linked)
    memory.cells |= {KEY + 8 * i: (8, function.inputs.word(f"k{i}", 2**64 - 1)) for i in range(4)}
    other = Function(linked, RECORD["scalar64"], "mac", function.inputs)
    assert entry
    # The tag may hold anything, of which nothing is claimed.
    result: dict[int, Number | int] = {TAG: 0, TAG + 8: 0}
    memory.cells |= {at: (8, 0) for at in result}
    if what is None:
        assert other.call(memory, [TAG, KEY, 0, MESSAGE], result) == len(lines)
    else:
        with pytest.raises(Unproved, match=what):
            other.call(memory, [TAG, KEY, 0, MESSAGE], result)


@pytest.mark.parametrize("compiler", ["gcc", CLANG_ARM])
def test_mutations(compiler: str) -> None:
    program(compiler)
    tally = plant_in_call(compiler, "scalar64", 21, 2)
    assert tally.planted > 40 and not tally.unexplained()
    assert sum(tally.refused.values()) > tally.planted * 0.7  # many changes in what clears the stack are right


@pytest.mark.parametrize(
    ("of", "record", "what"), [("avx2", "scalar64", "requires nothing: .*not supported"), ("ifma", "avx2", "AVX-512")]
)
def test_features(of: str, record: str, what: str) -> None:
    """A kernel that runs an instruction of a feature that it does not require is refused: other CPUs run it, too."""
    function = Function(with_kernel("gcc", of), RECORD[of], "mac")
    function.prove(143)
    check_features(function.linked, RECORD[of], function.ran)
    with pytest.raises(Unproved, match=f"(?s){what}"):
        check_features(function.linked, RECORD[record], function.ran)


def test_unaligned() -> None:
    """An instruction that needs an aligned message is refused: a message can be anywhere."""
    linked = with_kernel("gcc", "avx2")
    function = Function(linked, RECORD["avx2"], "mac")
    loads = [
        line for line in lines_run(function, 143) if line.name == "vmovdqu" and line.operands[0].endswith("(%rsi)")
    ]
    assert loads
    with changed_line(linked, replace(loads[0], name="vmovdqa")), pytest.raises(Unproved, match="no multiple of"):
        function.prove(143)


def test_survivor() -> None:
    """A change that makes another tag has no reason."""
    function = Function(program("gcc"), RECORD["scalar64"], "mac")
    line = next(line for line in lines_run(function, 21) if line.name == "mul")
    with changed_line(function.linked, replace(line, name="nop", operands=())):
        assert reason_for(function, 21) == ""
    assert reason_for(function, 21) != ""
