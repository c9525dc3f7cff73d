# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test that assembly with macros is read as Go's assembler reads it, and that macros become programs."""

import pytest

from coconut.assembler import ParseError
from coconut.handwritten import expressions, macro_block, read_written
from coconut.interpret import General, Output, Pointer, execute
from coconut.preprocess import expanded
from coconut.prove.go_files import assembled

FILE = """\
#include "textflag.h"
// Plain names, one of which stands for another.
#define SUM V3
#define TOTAL SUM
#define LEFT 24
#define ADD2(a, b, d) \\
	VAG a, b, d \\ // a comment behind the backslash
	\\ // and a line of nothing else
	VAG d, b, d \\

/* A comment
   of two lines */
#define TWICE(x, d, t) \\
	VZERO t; \\
	ADD2(x, t, d) \\
	ADD2(d, d, d)
#define BOTH(a, b) VLM (R2), a, b
#ifdef SUM
#define KEEP V20
#else
#define KEEP V21
#endif
#ifndef SUM
	NOTHING
#endif

DATA ·two<>+0(SB)/8, $0x10
DATA ·two<>+8(SB)/8, $0x0000000000000011
GLOBL ·two<>(SB), RODATA, $16

// func add(out *[16]byte, in *[32]byte, count uint64)
TEXT ·add(SB), NOSPLIT, $0-24
	LMG out+0(FP), R1, R3
	MOVD $·two<>(SB), R5
	VL (R5), KEEP
	BOTH(V1, V2)
	TWICE(V1, V4, V5)
again:	VAG V4, V2, TOTAL
	VAG SUM, KEEP, SUM
	SUB $1, R3
	CMPBEQ R3, $0, 2(PC)
	VLEIB $7, $LEFT, SUM // is skipped
#undef SUM
#define SUM V6
	VLR V3, SUM
	CMPBGT R3, $0, again
	VST SUM, (R1)
	RET
"""


def test_as_go_reads_it() -> None:
    """The file without macros makes the same bytes."""
    found, wanted = assembled(expanded(FILE).text(), "s390x"), assembled(FILE, "s390x")
    assert found.constants == wanted.constants
    assert found.functions.keys() == wanted.functions.keys() == {"add"}
    assert found.functions["add"].content == wanted.functions["add"].content


def test_uses() -> None:
    source = expanded(FILE)
    assert [(use.macro.name, use.arguments) for use in source.uses] == [
        ("BOTH", ("V1", "V2")),
        ("TWICE", ("V1", "V4", "V5")),
        ("ADD2", ("V1", "V5", "V4")),
        ("ADD2", ("V4", "V4", "V4")),
    ]
    inside = [statement for statement in source.statements if 1 in statement.uses]
    assert [statement.text for statement in inside] == [
        "VZERO V5",
        "VAG V1, V5, V4",
        "VAG V4, V5, V4",
        "VAG V4, V4, V4",
        "VAG V4, V4, V4",
    ]
    assert inside[-1].uses == (1, 3)


@pytest.mark.parametrize("count", (1, 2))
def test_run(count: int) -> None:
    storage = {("in", 0): 3, ("in", 8): 5, ("in", 16): 100, ("in", 24): 1000, ("out", 0): 0, ("out", 8): 0}
    arguments: dict[str, General] = {"out": Pointer("out"), "in": Pointer("in"), "count": count}
    call = read_written(FILE).code("add").call(arguments, storage, lambda: 7, {"out": Output(0, 16, 8)})
    call.run_to()
    # The last iteration skips the instruction that replaces a byte.
    assert [call.machine.storage["out", i] for i in (0, 8)] == [4 * 3 + 100 + 16, 4 * 5 + 1000 + 17]


def test_program() -> None:
    """Each value is assigned once, and the program computes what the macro does."""
    program = macro_block(read_written(FILE), "TWICE", ("d",))
    assert program.inputs == ("x",)
    values = execute(program, [(3, 5)], {})
    assert dict(program.outputs)["d"] == len(values) - 1 and values[-1] == (12, 20)
    assert expressions(program, values) == [
        "v1         (0x0 0x0, vzero())",
        "v2         (0x3 0x5, vag(x, v1))",
        "v3         (0x3 0x5, vag(v2, v1))",
        "v4         (0x6 0xa, vag(v3, v3))",
        "d          (0xc 0x14, vag(v4, v4))",
    ]
    with pytest.raises(ParseError, match="which registers are loaded"):
        macro_block(read_written(FILE.replace("BOTH(V1, V2)", "BOTH(V1, V3)")), "BOTH")


@pytest.mark.parametrize(
    ("change", "message"),
    (
        (("TWICE(V1, V4, V5)", "TWICE(V1, V4)"), "line 37: TWICE takes 3 arguments, not 2"),
        (("TWICE(V1, V4, V5)", "TWICE(V1, V4, V5"), "line 37: a parenthesis is not closed"),
        (("ADD2(x, t, d)", "TWICE(x, d, t)"), "macros that use each other without end"),
        (("#define LEFT 24", "#define SUM 24"), "line 5: SUM is defined twice"),
        (("#define LEFT 24", "#define LEFT 24 \\ 3"), "line 5: LEFT: only the end of a line can be escaped"),
        (
            ("#define ADD2(a, b, d)", "#define ADD2(a, a, d)"),
            "line 6: ADD2: parameters that are not names, or there twice",
        ),
        (("#undef SUM", "#undef OTHER"), "line 43: OTHER is not defined"),
        (('"textflag.h"', '"other.h"'), 'line 1: #include "other.h": a directive that is not read'),
        (("#endif\n#ifndef", "#ifndef"), "an #ifdef without its #endif"),
        (("+8(SB)/8", "+8(SB)/4"), "a constant that is not understood"),
        (("VLR V3, SUM", "VLRX V3, SUM"), "line 45: VLRX V3, V6: no instruction that is known"),
        (("again:", "there: again:"), "no instruction"),
    ),
)
def test_refused(change: tuple[str, str], message: str) -> None:
    assert change[0] in FILE
    with pytest.raises(ParseError) as found:
        read_written(FILE.replace(*change)).code("add")
    assert message in str(found.value)
