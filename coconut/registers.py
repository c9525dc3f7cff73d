# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Register allocation of a program in the order that it stands in: by linear scan, which needs no more registers in a straight
line than there are values at once."""

from dataclasses import dataclass

from coconut.program import Program


class Pressure(Exception):
    """There are more values at once than registers."""


@dataclass(frozen=True)
class Allocation:
    """Of each value its register, and what has to move at the end of a turn for the next: from, to."""

    registers: tuple[int, ...]
    moves: tuple[tuple[int, int], ...]


def last_uses(program: Program) -> list[int]:
    """Of each value the instruction that takes it last; beyond the end for what goes out and for constants; -1 if none."""
    first = program.first_op
    last = [-1] * (first + len(program.ops))
    for i, op in enumerate(program.ops):
        for arg in op.args:
            last[arg] = i
    for value in [*range(len(program.inputs), first), *(value for _, value in program.outputs)]:
        last[value] = len(program.ops)
    return last


def allocate(program: Program) -> Allocation:
    """Inputs, then constants, get the first registers. What a turn leaves for the next gets its register if that is free."""
    first = program.first_op
    last = last_uses(program)
    wanted = {output: value for value, output in program.carried().items()}
    free = set(range(first, program.architecture.registers))
    if first > program.architecture.registers:
        raise Pressure("inputs and constants")
    registers = [*range(first), *([-1] * len(program.ops))]
    # A sum is accumulated in one register: what is wanted at the end of it is wanted at its beginning.
    for i in reversed(range(len(program.ops))):
        if program.ops[i].instruction.accumulates and program.architecture.replaces_sum and first + i in wanted:
            wanted.setdefault(program.ops[i].args[0], wanted[first + i])
    free |= {registers[value] for value in range(first) if last[value] == -1}
    for i, op in enumerate(program.ops):
        ending = {registers[arg] for arg in op.args if last[arg] == i}
        if op.instruction.accumulates and program.architecture.replaces_sum:
            if last[op.args[0]] != i:
                raise Pressure("an accumulated sum is used again")
            registers[first + i] = registers[op.args[0]]
            free |= ending - {registers[first + i]}
            continue
        free |= ending
        if not free:
            raise Pressure(f"{program.graph.title}: at instruction {i} of {len(program.ops)}")
        register = wanted.get(first + i)
        if register not in free:
            # Not one that another value is to end in, if there is a choice.
            claimed = set(wanted.values())
            register = min(free, key=lambda number: (number in claimed, number))
        registers[first + i] = register
        if last[first + i] != -1:
            free.discard(register)
    moves = tuple(
        (registers[output], value) for value, output in program.carried().items() if registers[output] != value
    )
    return Allocation(tuple(registers), moves)


def pressure(program: Program) -> int:
    """The most values at once, constants included."""
    first = program.first_op
    last = last_uses(program)
    alive = sum(last[value] != -1 for value in range(first))
    most = alive
    for i, op in enumerate(program.ops):
        alive -= sum(last[arg] == i for arg in set(op.args))
        alive += last[first + i] != -1
        most = max(most, alive)
    return most
