# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Instructions in the syntax of GNU's assembler, which llvm-mca reads."""

from coconut.program import Memory, Op

# The general registers that point to memory, in C's order of arguments after the first, which points to the accumulator.
POINTERS = {
    "x86_64": {"powers": "%rsi", "constants": "%rdx", "message": "%rcx"},
    "s390x": {"powers": "%r3", "constants": "%r4", "message": "%r5"},
}


def address(triple: str, place: Memory) -> str:
    return f"{place.offset}({POINTERS[triple][place.base]})"


def register(triple: str, vector_bytes: int, number: int) -> str:
    if triple == "s390x":
        return f"%v{number}"
    return f"%{'z' if vector_bytes == 64 else 'y'}mm{number}"


def text(triple: str, vector_bytes: int, op: Op, args: list[int], result: int) -> str:
    """The line, with operands and result in these registers."""
    instruction = op.instruction
    operands = [register(triple, vector_bytes, arg) for arg in args]
    to = register(triple, vector_bytes, result)
    if instruction.zero:
        operands = [to, to]
    if op.memory is not None:
        place = address(triple, op.memory)
        if op.memory.broadcast and instruction.memory == "broadcast":
            place += f"{{1to{vector_bytes // 8}}}"
        operands.append(place)
    if triple == "s390x":
        immediate = [str(op.imm)] if instruction.immediate else []
        return f"{instruction.name} {', '.join([to, *operands, *immediate])}"
    if instruction.accumulates:
        assert args[0] == result
        operands = operands[1:]
    immediate = [f"${op.imm}"] if instruction.immediate else []
    return f"{instruction.name} {', '.join([*immediate, *reversed(operands), to])}"
