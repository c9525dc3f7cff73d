# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prove the library's functions as compilers made them at every length: their loops by invariants at cut points.

A length is 16 (b + L (1 + u + w)) + y, with L lanes, b + 1 blocks in the first group, u groups that were taken behind
it, w groups that are left, and y bytes in the last block. A function is executed symbolically with u and w as variables
(publics.py), and forks at a branch that depends on one of them, or on y. If T is in place there, the branch is a cut
point, with an abstract state: T is any element (havoc); public numbers are affine in b, y, u and w; other numbers are
kept if they depend on key and state alone and are the same on all paths that arrive, and are top otherwise. From a
state each path is explored to the end, or to a cut point, whose state must cover what arrives, with the T that the
basic blocks have by then.

So a state is a loop invariant. It is inferred from the paths that arrive: if a state does not cover one, it becomes the
join of all paths that arrived so far, widened where that grows, and is explored again.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from coconut.lift.compare import check_features, comparable
from coconut.lift.machine import RETURN, Machine, Memory, Unknown
from coconut.lift.objects import X86_64, Linked, chosen, target_of
from coconut.lift.publics import COUNTS, Public, Residue, Space, Split, Whole, divided, range_of
from coconut.operations import BLOCK_BYTES
from coconut.prove.claims import STEPS_MAX
from coconut.prove.composition import check_decimated, check_serial
from coconut.prove.evaluation import KEY, MESSAGE, Evaluation, Inputs, Record, groups_listed
from coconut.prove.graphs import graphs_of
from coconut.prove.objects import ASSUMED as OBJECTS_ASSUMED
from coconut.prove.objects import (
    WHOLE,
    Function,
    check_left,
    check_writes,
    described,
    kernels_of,
    omitted,
    prove_lengths,
)
from coconut.prove.polynomials import EXACT, Key, Lanes, Number, Range, Unproved, key_of
from coconut.prove.proof import Proved, proved

LENGTH_BITS = 38
ASSUMED = (
    *OBJECTS_ASSUMED,
    f"Lengths are below 2^{LENGTH_BITS} bytes; the regions of a call do not overlap at any such length.",
    "In the algebra of steps, as composition.py checks it, the blocks of a message follow one another.",
)
LENGTH_MAX = 1 << LENGTH_BITS
# How many steps the basic blocks are ahead of the code, so that what the code computes has their names.
AHEAD = 1
# After how many instructions T is looked for.
INSTRUCTIONS = 4
# Names of inputs that are the same throughout a call.
STABLE = re.compile(r"[rsh]\d(\.\d+)?|m\+\d+:\d")
# Limits that no function reaches.
STATES_MAX, ARRIVALS_MAX, PATHS_MAX = 64, 64, 512


class Top(Unknown):
    """The top of the lattice: a number, maybe a secret one, of which nothing is known."""


@dataclass
class LoopMemory(Memory):
    """Memory with a message of a length that is not known, at symbolic addresses."""

    inputs: Inputs = field(default_factory=Inputs)
    length: Whole = 0
    writes: int = 0

    def read(self, at: Whole, count: int) -> Any:
        low, high = range_of(at)
        if high < MESSAGE or low >= KEY:
            if isinstance(at, int):
                return super().read(at, count)
            at.separate(next(iter(at.terms)))
        offset = at - MESSAGE
        if not offset >= 0 or not offset + count <= self.length:
            raise Unproved(f"{count} bytes at {offset} are read, beyond the message")
        terms, number = (offset.terms, offset.constant) if isinstance(offset, Public) else ({}, offset)
        odd = [name for name, factor in terms.items() if factor % BLOCK_BYTES]
        if odd:
            assert isinstance(offset, Public)
            offset.separate(odd[0])
        # From here on there are bytes; before it there are words.
        end = self.length.constant if isinstance(self.length, Public) else self.length
        same = terms == (self.length.terms if isinstance(self.length, Public) else {})
        partial_at = end - end % BLOCK_BYTES if same and end % BLOCK_BYTES else number + count + BLOCK_BYTES
        base = "+".join(f"{factor}{name}" for name, factor in sorted(terms.items()))
        part = Memory(self.linked)
        for place in range(number - number % 8, number + count, 8):
            for byte in range(place, place + 8, 8 if place < partial_at else 1):
                size = 8 if place < partial_at else 1
                part.cells[KEY + byte] = size, self.inputs.word(f"m{base}+{byte}:{size}", (1 << 8 * size) - 1)
        return part.read(KEY + number, count)

    def write(self, at: Whole, count: int, value: Any) -> None:
        if not isinstance(at, int) or MESSAGE <= at < KEY:
            raise Unproved(f"{count} bytes are written at {at}")
        self.writes += 1
        super().write(at, count, value)


class Stage(NamedTuple):
    """A place in an evaluation: T, how many groups were taken behind the first one, and how many are left."""

    t: Mapping[str, Lanes]
    taken: Whole
    left: Whole

    def limbs(self) -> Iterator[tuple[tuple[str, int], Number | int]]:
        for name, lanes in self.t.items():
            if name.startswith("t["):
                yield from (((name, lane), number) for lane, number in enumerate(lanes))


# Where a number is: the kind of place, and which one.
Place = tuple[Any, ...]


@dataclass
class Path:
    """A path of the symbolic execution: the machine, the address, the ranges of variables, and the evaluation so far.

    - b, y: of the length. n: how many groups share a reduction, or 0.
    - stages: where the evaluation is, and places ahead of it. expected: the result, once it is known.
    - moved: whether an instruction was run since the state at which the path began.
    """

    machine: Machine
    at: int
    ranges: dict[str, Range]
    b: Whole
    y: Whole
    left: Whole
    n: int = 0
    stages: list[Stage] = field(default_factory=list)
    expected: list[Number | int] | None = None
    moved: bool = True

    @property
    def memory(self) -> LoopMemory:
        assert isinstance(self.machine.memory, LoopMemory)
        return self.machine.memory

    def copied(self) -> "Path":
        machine = self.machine.copied()
        return Path(
            machine,
            self.at,
            dict(self.ranges),
            self.b,
            self.y,
            self.left,
            self.n,
            list(self.stages),
            self.expected,
            self.moved,
        )

    def replace(self, name: str, value: Whole) -> None:
        """Put a value in place of a variable."""

        def changed(number: Any) -> Any:
            return number.with_value(name, value) if isinstance(number, Public) else number

        for place, number in list(values_of(self.machine)):
            if isinstance(number, Public):
                put(self.machine, place, changed(number))
        self.b, self.y, self.left = changed(self.b), changed(self.y), changed(self.left)
        self.memory.length = changed(self.memory.length)
        self.stages = [Stage(t, changed(taken), changed(left)) for t, taken, left in self.stages]


FLAGS = ("a", "b", "carry_in", "result")


def values_of(machine: Machine) -> Iterator[tuple[Place, Any]]:
    """Yield all that a machine holds, by its place."""
    for item in ("general", "masks"):
        yield from (((item, key), value) for key, value in getattr(machine, item, {}).items())
    for key, lanes in machine.vectors.items():
        yield from ((("vectors", key, lane), value) for lane, value in enumerate(lanes))
    for at, (size, value) in machine.memory.cells.items():
        yield ("cells", at, size), value
    flags = machine.flags
    yield from ((("flags", flags.kind, flags.width, name), getattr(flags, name)) for name in FLAGS)


def put(machine: Machine, place: Place, value: Any) -> None:
    """Write a number to a place."""
    kind, key, *more = place
    if kind == "vectors":
        lanes = machine.vectors.get(key, (Top(""),) * (more[0] + 1))
        lanes += (Top(""),) * (more[0] + 1 - len(lanes))
        machine.vectors[key] = (*lanes[: more[0]], value, *lanes[more[0] + 1 :])
    elif kind == "cells":
        machine.memory.cells[key] = more[0], value
    elif kind == "flags":
        machine.flags.kind, machine.flags.width = key, more[0]
        setattr(machine.flags, more[1], value)
    else:
        getattr(machine, kind)[key] = value


def named(number: Number) -> tuple[int, Key]:
    """Return what two numbers that are equal for all inputs have in common."""
    return number.wraps, key_of(number.poly)


PARAMETERS = ("b", "y", "u", "v", "s")


@dataclass
class Arrival:
    """What a path leaves at a cut point: b, y, u, and n v + s groups left; what is where; which limbs of T it may be."""

    parameters: tuple[Whole, ...]
    ranges: list[Range]
    values: dict[Place, Any]
    limbs: dict[Place, set[tuple[str, int]]]
    stage: Stage


@dataclass(frozen=True)
class Affine:
    """A public number: a constant, and factors of the parameters; or some bits of that, as in Public."""

    constant: int
    factors: tuple[int, ...]
    bits: int = 0
    space: Space = field(default_factory=Space, compare=False)

    def at(self, parameters: Sequence[Whole]) -> Whole:
        result: Whole = self.constant
        for factor, parameter in zip(self.factors, parameters, strict=True):
            result = result + parameter * factor
        if not self.bits:
            return result
        terms, constant = (result.terms, result.constant) if isinstance(result, Public) else ({}, result)
        return self.space.made(terms, constant, self.bits)


class Limb(NamedTuple):
    """A limb of T."""

    name: str
    lane: int


@dataclass
class State:
    """The abstract state at a cut point: what all paths that arrive have in common."""

    key: tuple[int, int, bool]
    arrivals: list[Arrival] = field(default_factory=list)
    ranges: list[Range] = field(default_factory=list)
    # The largest number of groups. As u and what is left are the groups of the length, no u is larger.
    most: int = 0
    held: dict[Place, Any] = field(default_factory=dict)

    def covers(self, arrival: Arrival) -> bool:
        """Return whether the state covers what a path leaves."""
        for (low, high), (least, most) in zip(self.ranges, arrival.ranges, strict=True):
            if least < low or min(most, self.most) > high:
                return False
        return all(self.covers_place(place, value, arrival) for place, value in self.held.items())

    def covers_place(self, place: Place, value: Any, arrival: Arrival) -> bool:
        if isinstance(value, Top):
            return True
        if place not in arrival.values:
            return False
        found = arrival.values[place]
        if isinstance(value, Limb):
            return value in arrival.limbs.get(place, ())
        if isinstance(value, Affine):
            return is_whole(found) and is_same(value.at(arrival.parameters), found)
        if isinstance(value, Number):
            return isinstance(found, Number) and named(found) == named(value)
        return value is found

    def join(self, stable: Callable[[Number], bool]) -> None:
        """Join (and widen) over all paths that reached this cut point."""
        ranges = [arrival.ranges for arrival in self.arrivals]
        hull = [(min(low for low, _ in each), max(high for _, high in each)) for each in zip(*ranges, strict=True)]
        if self.ranges:
            # Widening: a number that has grown may grow further.
            hull = [
                (min(low, old[0]), self.most if high > old[1] and name == "u" else max(high, old[1]))
                for name, (low, high), old in zip(PARAMETERS, hull, self.ranges, strict=True)
            ]
        # The table's steps follow one that may be all there is.
        self.ranges = [
            (0, high) if self.key[1] > STEPS_MAX and name == "v" else (low, high)
            for name, (low, high) in zip(PARAMETERS, hull, strict=True)
        ]
        places = {place for arrival in self.arrivals for place in arrival.values}
        held = {place: self.common(place, stable) for place in places}
        self.held = {place: value for place, value in held.items() if value is not None}

    def known(self) -> set[Place]:
        """Return the places of which something is known."""
        return {place for place, value in self.held.items() if not isinstance(value, Top)}

    def common(self, place: Place, stable: Callable[[Number], bool]) -> Any:
        """Return the join of a place over all paths that arrived; None if one of them does not have it."""
        if any(place not in arrival.values for arrival in self.arrivals):
            # Only what may be left at the end must be there.
            return Top("") if place[0] in {"vectors", "cells"} else None
        values = [arrival.values[place] for arrival in self.arrivals]
        if all(is_whole(value) for value in values):
            if isinstance(values[0], int) and all(isinstance(x, int) and x == values[0] for x in values):
                return Affine(values[0], (0,) * len(PARAMETERS))
            return fitted([(arrival.parameters, arrival.values[place]) for arrival in self.arrivals]) or Top("")
        if limbs := set.intersection(*(arrival.limbs.get(place, set()) for arrival in self.arrivals)):
            return Limb(*min(limbs))
        first = values[0]
        if isinstance(first, Number):
            same = all(isinstance(value, Number) and named(value) == named(first) for value in values)
            return first if same and stable(first) else Top("")
        return first if all(value is first for value in values) else Top("")


def is_whole(value: Any) -> bool:
    return isinstance(value, int | Public)


def bits_of(value: Whole) -> int:
    return value.bits if isinstance(value, Public) else 0


def is_same(a: Whole, b: Whole) -> bool:
    """Return whether two numbers are the same sum, and as many bits of it."""
    if isinstance(a, Public) and isinstance(b, Public):
        return (a.terms, a.constant, a.bits) == (b.terms, b.constant, b.bits)
    return isinstance(a, int) and isinstance(b, int) and a == b


def fitted(found: Sequence[tuple[Sequence[Whole], Whole]]) -> Affine | None:
    """Return the affine relation of public numbers to parameters that holds on all paths, if there is one."""
    bits = {bits_of(value) for _, value in found}
    if len(bits) > 1:
        return None
    rows: list[list[Fraction]] = []
    for parameters, value in found:
        forms = [number if isinstance(number, Public) else None for number in (*parameters, value)]
        constants = [number.constant if isinstance(number, Public) else number for number in (*parameters, value)]
        rows.append([Fraction(1), *map(Fraction, constants)])
        for name in {name for form in forms if form is not None for name in form.terms}:
            rows.append(
                [Fraction(0), *(Fraction(form.terms.get(name, 0) if form is not None else 0) for form in forms)]
            )
    count = len(rows[0]) - 1
    solution, at = [Fraction(0)] * count, 0
    pivots = []
    for column in range(count):
        pivot = next((i for i in range(at, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [x / rows[at][column] for x in rows[at]]
        for i in range(len(rows)):
            if i != at and rows[i][column]:
                rows[i] = [x - rows[i][column] * y for x, y in zip(rows[i], rows[at], strict=True)]
        pivots.append(column)
        at += 1
    if any(row[-1] for row in rows[at:]):
        return None
    for i, column in enumerate(pivots):
        solution[column] = rows[i][-1]
    if any(x.denominator != 1 for x in solution):
        return None
    constant, *factors = (int(x) for x in solution)
    space = next((value.space for _, value in found if isinstance(value, Public)), Space())
    return Affine(constant, tuple(factors), bits.pop(), space)


@dataclass
class Induction(Function):
    """The proof of mac or absorb for all lengths from the first on at which its own code runs."""

    space: Space = field(default_factory=Space)
    states: dict[tuple[int, int, bool], State] = field(default_factory=dict)
    # Whether variables of the ring depend on key and state alone.
    stables: dict[int, bool] = field(default_factory=dict)
    definitions: dict[int, Key] = field(default_factory=dict)
    worklist: list[tuple[int, int, bool]] = field(default_factory=list)
    registers: dict[str, Any] = field(default_factory=dict)
    callee_saved: dict[str, Any] = field(default_factory=dict)
    result: int = 0
    paths: int = 0
    # The addresses of the instructions that ran.
    ran_all: set[int] = field(default_factory=set)

    @property
    def mac(self) -> bool:
        return self.member == "mac"

    @property
    def group_bytes(self) -> int:
        return BLOCK_BYTES * self.record.lanes

    @property
    def shortest(self) -> int:
        """Return the first length that is proved: two groups, or a whole block."""
        return self.group_bytes + 1 if self.record.ends else BLOCK_BYTES

    def length(self, b: Whole, y: Whole, groups: Whole) -> Whole:
        """Return the length with a number of groups behind the first."""
        return (groups + 1) * self.group_bytes + b * BLOCK_BYTES + y

    def evaluation(self, path: Path) -> Evaluation:
        length: Any = path.memory.length
        return Evaluation(self.inputs, self.record, path.memory, length, self.mac)

    def enter(self, b: int) -> Path:
        """Return a call with b + 1 blocks in its first group."""
        self.space.ranges = {}
        left = self.space.variable("w", 0, LENGTH_MAX // self.group_bytes - 2)
        y = self.space.variable("y", *self.last_bytes)
        memory = LoopMemory(self.linked, inputs=self.inputs, length=self.length(b, y, left))
        machine = self.machine(memory)
        path = Path(machine, self.linked.entry(self.record.name, self.member), self.space.ranges, b, y, left)
        arguments, self.result = self.prepared(self.evaluation(path))
        # What registers hold at the entry is the same on all paths.
        self.registers = self.registers or dict(machine.general)
        machine.general |= self.registers | dict(zip(machine.ARGUMENTS, arguments, strict=False))
        self.callee_saved = self.callee_saved or machine.callee_saved()
        return path

    def look_ahead(self, path: Path) -> None:
        """Run the basic blocks that are next, as far as what is known of the length tells which ones."""
        try:
            if self.record.ends:
                self.look_ahead_in_lanes(path)
            else:
                self.look_ahead_in_blocks(path)
        except (Split, Residue):
            pass

    def look_ahead_in_lanes(self, path: Path) -> None:
        evaluation = self.evaluation(path)
        if not path.n:
            ngroups = path.left + 2
            path.n = max((n for n, least in groups_listed(self.record.groups) if ngroups >= least))
        n, lanes = path.n, self.record.lanes
        powers = evaluation.powers(n)
        if not path.stages:
            assert isinstance(path.b, int)
            path.stages.append(Stage(evaluation.first(lanes - 1 - path.b), 0, path.left))
        while path.expected is None:
            t, taken, left = path.stages[-1]
            at: Any = (path.b + 1) * BLOCK_BYTES + taken * self.group_bytes
            if left == 0:
                if isinstance(path.y, int):
                    words = evaluation.last(powers, t, at)
                    path.expected = evaluation.tag(words) if self.mac else words
                return
            if len(path.stages) > AHEAD:
                return
            count = next_step(n, left)
            if not isinstance(count, int):
                return
            path.stages.append(Stage(evaluation.step(n, count, powers, t, at), taken + count, left - count))

    def look_ahead_in_blocks(self, path: Path) -> None:
        evaluation = self.evaluation(path)
        if not path.stages:
            path.stages.append(Stage(evaluation.begin(), 0, path.left))
        while path.expected is None:
            t, taken, left = path.stages[-1]
            small = "small " if taken == 0 else ""
            at: Any = taken + 1
            if left == 0:
                if isinstance(path.y, int):
                    if path.y:
                        t, small = evaluation.with_block(small + "last", t, at), ""
                    words = evaluation.end("scalar64", small + "end", t)
                    path.expected = evaluation.tag(words) if self.mac else words
                return
            if len(path.stages) > AHEAD:
                return
            path.stages.append(Stage(evaluation.with_block(small + "block", t, at), taken + 1, left - 1))

    def has_gone_on(self, path: Path) -> bool:
        """Return whether T of a step that was ahead is in place, from which the evaluation then goes on."""
        if len(path.stages) < 2 or path.expected is not None:
            return False
        held = [
            x.poly
            for lanes in (*path.machine.vectors.values(), path.machine.general.values())
            for x in lanes
            if isinstance(x, Number)
        ]
        limbs = [next(stage.limbs())[1] for stage in path.stages[1:]]
        if not any(isinstance(limb, Number) and limb.poly in held for limb in limbs):
            return False
        stage = self.in_place(path)
        if stage is None or stage is path.stages[0]:
            return False
        while path.stages[0] is not stage:
            del path.stages[0]
        return True

    def may_cut(self, path: Path, split: Split) -> bool:
        """Return whether the branch at which a path forks may be a cut point.

        Once bytes of the last block are told apart, or groups that are no whole step, what depends on them may be not
        affine; so after the first such cut point there is none.
        """
        whole = {"y": self.last_bytes, "s": (0, modulus_of(path.n) - 1)}.get(split.variable[0])
        is_count = split.variable[0] in COUNTS
        return path.moved and bool(path.stages) and (is_count or path.ranges[split.variable] == whole)

    @property
    def last_bytes(self) -> Range:
        """Return how many bytes may be in the last block; in the scalar kernel, in what is behind full blocks."""
        return (1, BLOCK_BYTES) if self.record.ends else (0, BLOCK_BYTES - 1)

    def in_place(self, path: Path) -> Stage | None:
        """Return the last place in the evaluation of which all limbs of T are somewhere, if there is one.

        A limb that is constant may be in no place. So a new state needs a path on which none is.
        """
        found = {named(value) for _, value in values_of(path.machine) if isinstance(value, Number)}
        is_new = not any(at == path.at for at, _, _ in self.states)
        for stage in reversed(path.stages):
            if all(named(x) in found if isinstance(x, Number) else not is_new for _, x in stage.limbs()):
                return stage
        return None

    def is_stable(self, variable: int) -> bool:
        """Return whether a variable of the ring stands for a number that does not depend on the path.

        It depends on the key, the state, and the message at an offset that is a constant.
        """
        if variable not in self.stables:
            ring = self.inputs.ring
            if len(self.definitions) < len(ring.named):
                self.definitions = {made: key for key, made in ring.named.items()}
            found = STABLE.fullmatch(ring.names[variable]) is not None
            if variable in ring.origins:
                found = self.are_stable(ring.origins[variable][0])
            elif variable in self.definitions:
                found = self.are_stable(monomial for monomial, _ in self.definitions[variable])
            self.stables[variable] = found
        return self.stables[variable]

    def are_stable(self, monomials: Iterable[tuple[int, ...]]) -> bool:
        return all(self.is_stable(variable) for monomial in monomials for variable in monomial)

    def arrival(self, path: Path, stage: Stage) -> tuple[tuple[int, int, bool], Arrival]:
        """Return the key of a state, and what a path leaves there."""
        v, s = divided(stage.left, modulus_of(path.n))
        parameters = (path.b, path.y, stage.taken, v, s)
        key = path.at, path.n, s == 0 if isinstance(s, int) else False
        values = dict(values_of(path.machine))
        limits = self.limits(stage.taken)
        limbs: dict[Place, set[tuple[str, int]]] = {}
        by_number: dict[object, set[tuple[str, int]]] = {}
        for limb, number in stage.limbs():
            by_number.setdefault(named(number) if isinstance(number, Number) else number, set()).add(limb)
            self.inputs.ring.claim_range(f"{limb[0]} in lane {limb[1]}", number, 0, limits[limb[0]])
        for place, value in values.items():
            same = by_number.get(named(value)) if isinstance(value, Number) else None
            if isinstance(value, int):
                same = by_number.get(value)
            if same:
                limbs[place] = same
        ranges = [range_of(parameter) for parameter in parameters]
        return key, Arrival(parameters, ranges, values, limbs, stage)

    def arrive(self, path: Path, stage: Stage) -> None:
        """End a path at a cut point, whose state is joined with what the path leaves unless it covers that."""
        check_writes(path.machine, self.result_places)
        key, arrival = self.arrival(path, stage)
        self.check_others(arrival, self.states.get(key))
        state = self.states.setdefault(key, State(key, most=LENGTH_MAX // self.group_bytes))
        if state.arrivals and state.covers(arrival):
            return
        state.arrivals.append(arrival)
        if len(state.arrivals) > ARRIVALS_MAX or len(self.states) > STATES_MAX:
            raise Unproved("no invariant is found")
        state.join(self.is_kept)
        if not all(state.covers(earlier) for earlier in state.arrivals):
            raise Unproved("a join that does not cover what arrived")
        if key not in self.worklist:
            self.worklist.append(key)

    def check_others(self, arrival: Arrival, state: State | None) -> None:
        """Raise Unproved unless what an evaluation has, apart from T, is the same on all paths that arrive."""
        others = state.arrivals[0].stage.t if state else arrival.stage.t
        for name, lanes in arrival.stage.t.items():
            for number, other in zip(lanes, others.get(name, ()), strict=True):
                if name.startswith("t["):
                    continue
                if not (isinstance(number, Number) and isinstance(other, Number)):
                    raise Unproved(f"{name} is a constant")
                if named(number) != named(other) or not self.is_kept(number):
                    raise Unproved(f"{name} is not the same on all paths that arrive")

    def is_kept(self, number: Number) -> bool:
        return number.wraps == EXACT and self.are_stable(number.poly)

    def may_arrive(self, path: Path) -> Stage | None:
        """Return where the evaluation is if a path can end at a known state whose join with it loses no place."""
        stage = self.in_place(path)
        if stage is None:
            return None
        try:
            key, arrival = self.arrival(path, stage)
        except (Split, Residue, Unproved):
            return None
        if key not in self.states:
            return None
        state = self.states[key]
        if state.covers(arrival):
            return stage
        other = State(key, [*state.arrivals, arrival], list(state.ranges), state.most)
        other.join(self.is_kept)
        return stage if other.known() == state.known() else None

    def limits(self, taken: Whole) -> dict[str, int]:
        """Return the limits of the limbs of T; what the scalar kernel has after one block is small."""
        small = "small " if isinstance(taken, int) and taken == 0 else ""
        graph = graphs_of(self.record.ends)["end"] if self.record.ends else graphs_of("scalar64")[f"{small}block"]
        return {node.name: node.limit for i in graph.inputs() if (node := graph.nodes[i]).name.startswith("t[")}

    @property
    def result_places(self) -> list[int]:
        return [self.result + 8 * i for i in range(2 if self.mac else 3)]

    def resume(self, state: State) -> Path:
        """Return a path that begins in a state."""
        at, n, _ = state.key
        self.space.ranges = {}
        parameters = [
            self.space.variable(name, low, high) if low < high else low
            for name, (low, high) in zip(PARAMETERS, state.ranges, strict=True)
        ]
        b, y, u, v, s = parameters
        left = v * modulus_of(n) + s
        memory = LoopMemory(self.linked, inputs=self.inputs, length=self.length(b, y, u + left))
        machine = self.machine(memory)
        machine.general, machine.flags, memory.cells = {}, type(machine.flags)(), {}
        before, limits = state.arrivals[0].stage.t, self.limits(u)
        t = {
            name: tuple(
                self.inputs.word(f"any {name}.{lane}, {limits[name]:#x}", limits[name]) for lane in range(len(lanes))
            )
            if name.startswith("t[")
            else lanes
            for name, lanes in before.items()
        }
        for place in (place for place, value in state.held.items() if isinstance(value, Top)):
            for i in range(place[2] if place[0] == "cells" else 0):
                memory.cells[place[1] + i] = 1, Top("")
        for place, value in state.held.items():
            if isinstance(value, Top) and place[0] == "cells":
                continue
            if isinstance(value, Limb):
                value = t[value.name][value.lane]
            elif isinstance(value, Affine):
                value = value.at(parameters)
            if place[0] == "cells":
                memory.write(place[1], place[2], value)
            else:
                put(machine, place, value)
        return Path(machine, at, self.space.ranges, b, y, left, n, [Stage(t, u, left)], moved=False)

    def explore(self, path: Path) -> None:
        """Explore all paths from here to cut points and to the end."""
        paths = [path]
        while paths:
            self.paths += 1
            if self.paths > PATHS_MAX:
                raise Unproved("too many paths")
            path = paths.pop()
            paths += self.run_to_cut(path)
            self.ran_all |= path.machine.ran.keys()

    def run_to_cut(self, path: Path) -> list[Path]:
        """Run a path to a cut point, to its end, or to where it forks; return the paths into which it forks."""
        self.space.ranges = path.ranges
        self.look_ahead(path)
        machine, memory = path.machine, path.memory
        cuts = {at for at, _, _ in self.states}
        while path.at != RETURN:
            if path.moved and path.at in cuts and (stage := self.may_arrive(path)) is not None:
                self.arrive(path, stage)
                return []
            general, flags, writes = dict(machine.general), machine.flags, memory.writes
            try:
                path.at = machine.advance(path.at)
                path.moved = True
                if machine.steps % INSTRUCTIONS == 0 and self.has_gone_on(path):
                    self.look_ahead(path)
                continue
            except (Split, Residue) as question:
                if memory.writes != writes:
                    raise Unproved("an instruction that is not known to run has written to memory") from None
                machine.general, machine.flags = general, flags
                asked: Split | Residue = question
            stage = self.in_place(path) if isinstance(asked, Split) and self.may_cut(path, asked) else None
            if stage is not None:
                try:
                    self.arrive(path, stage)
                    return []
                except (Split, Residue) as question:
                    asked = question
            if isinstance(asked, Split):
                return list(self.fork(path, asked))
            self.divide(path, asked)
            self.look_ahead(path)
        self.finish(path)
        return []

    def fork(self, path: Path, split: Split) -> Iterator[Path]:
        """Yield the path with a variable in each part of its range."""
        for low, high in split.parts:
            part = path.copied()
            part.ranges[split.variable] = low, high
            if low == high:
                part.replace(split.variable, low)
            yield part

    def divide(self, path: Path, residue: Residue) -> None:
        """Put a multiple and a remainder in place of a variable; these may be a few more numbers than it may be."""
        low, high = (end // residue.modulus for end in path.ranges[residue.variable])
        whole = self.space.variable("v", low, high)
        rest = self.space.variable("s", 0, residue.modulus - 1)
        path.replace(residue.variable, whole * residue.modulus + rest)

    def finish(self, path: Path) -> None:
        """Prove what a path leaves at the end of the call."""
        machine = path.machine
        if path.expected is None:
            raise Unproved("a call ends before all of the message was taken")
        for at, word in zip(self.result_places, path.expected, strict=True):
            self.inputs.ring.claim_same(f"the word at {at:#x}", machine.memory.read(at, 8), word)
        check_writes(machine, self.result_places)
        machine.check_restored(self.callee_saved)
        check_left(machine)
        for place, value in values_of(machine):
            if isinstance(value, Top) and place[0] in {"vectors", "cells"}:
                raise Unproved(f"a number that may be secret is at {place[:2]} at the end")

    def prove_all(self) -> int:
        """Prove all lengths from the shortest one on; return the number of paths."""
        for b in reversed(range(self.record.lanes)):
            self.explore(self.enter(b))
        while self.worklist:
            self.explore(self.resume(self.states[self.worklist.pop(0)]))
        return self.paths


def modulus_of(n: int) -> int:
    """Return the number of groups that a loop takes, if n share a reduction; loops of less take even numbers."""
    return n if n > STEPS_MAX else 2 if n else 1


def next_step(n: int, left: Whole) -> Whole:
    """Return the number of groups of the next step, as decimated_kernel.h takes them."""
    rest: Whole = left % modulus_of(n)
    if rest != 0:
        return rest
    return n if n > STEPS_MAX else next(k for k in range(n, 1, -2) if left >= k)


def prove_function(linked: Linked, record: Record, member: str, inputs: Inputs) -> int:
    """Prove mac or absorb at every length; return the number of identities, paths and short lengths."""
    sizes = sorted({n for n, _ in groups_listed(record.groups)})
    steps = {k for n in sizes for k in range(1, n + 1) if n > STEPS_MAX or k in {1, 2, n}}
    count = check_decimated(record.lanes, sorted(steps)) if record.ends else check_serial()
    induction = Induction(linked, record, member, inputs)
    count += induction.prove_all()
    check_features(linked, record, induction.ran_all)
    short = range(0 if member == "mac" else 1, induction.shortest)
    return count + prove_lengths(linked, record, member, short)


# clang keeps in a byte of a register whether a loop runs for the first time, which a public number does not tell.
NOT_PROVED = {("avxifma", "absorb")}


def prove_loops(compilers: Iterable[str] = ()) -> Iterator[Proved]:
    """Prove what compilers made of the kernels of x86-64 at every length."""
    kernel, inputs = "", Inputs()
    made = kernels_of(compiler for compiler in chosen(compilers) if target_of(compiler) == X86_64)
    # What compilers made of a kernel has numbers in common, which take gigabytes.
    for linked, record in sorted(made, key=lambda of: of[1].kernel):
        if kernel != record.kernel:
            kernel, inputs = record.kernel, Inputs()
        title = f"{linked.version}: {record.name}"
        if reason := comparable(linked, record):
            yield omitted(title, linked, record, reason)
            continue
        for member in WHOLE:
            if (record.name, member) in NOT_PROVED:
                continue
            of = described(linked, record, member, f"every length below 2^{LENGTH_BITS}")
            prove = partial(prove_function, linked, record, member, inputs)
            yield proved(f"{title} {member}, every length", prove, compiled=of)
