# SPDX-License-Identifier: Apache-2.0 OR MIT
"""State what each kind of basic block must compute: what is assumed of its inputs, and claimed of its outputs.

Inputs and outputs have the same shapes, so that what one block leaves is what the next one assumes; composition.py
joins the claims. Limits are those that the graph records, which come from the field's header.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from coconut.graph import Graph
from coconut.operations import BLOCK_BYTES, WORD_MAX
from coconut.prove.polynomials import (
    Lanes,
    Message,
    Number,
    P,
    Poly,
    Ring,
    Unproved,
    add,
    multiply,
    weighted,
)

ONE: Poly = {(): 1}
# The bit above the 128 of a block.
TOP: Poly = {(): 2**128}
# The powers of a long step are in vectors of 8 lanes at most.
POWERS_IN_VECTOR = 8
# Sums before they are carried.
WIDE_MAX = 2**63 - 1


@dataclass(frozen=True)
class Derived:
    """A number that is the sum of others, times a fraction."""

    of: tuple[int, ...]
    factor: int = 1
    divisor: int = 1


@dataclass(frozen=True)
class Shape:
    """How an element is stored as numbers.

    - weights: those of its limbs.
    - groups: for each group of limbs, the factor by which the element is multiplied there, modulo p.
    - derived: the numbers that follow from others.
    - multiples: what divides a number.
    - limits: those of all numbers, if the graph does not record them.
    """

    weights: tuple[int, ...]
    groups: Mapping[tuple[int, ...], int] = field(default_factory=dict)
    derived: Mapping[int, Derived] = field(default_factory=dict)
    multiples: Mapping[int, int] = field(default_factory=dict)
    limits: tuple[int, ...] = ()

    def all_groups(self) -> Mapping[tuple[int, ...], int]:
        return self.groups or {tuple(range(len(self.weights))): 1}

    @property
    def count(self) -> int:
        """Return how many numbers there are."""
        return 1 + max(*(i for group in self.all_groups() for i in group), *self.derived, 0)

    def derive(self, numbers: Mapping[int, Number | int], i: int) -> Poly:
        """Return what number i must be, times its divisor."""
        derived = self.derived[i]
        return weighted([numbers[k] for k in derived.of], [derived.factor] * len(derived.of))

    def limit(self, i: int) -> int:
        """Return the limit of a number, which must not be above that of a number derived from it alone."""
        limit = self.limits[i]
        for k, derived in self.derived.items():
            if derived.of == (i,):
                limit = min(limit, self.limits[k] * derived.divisor // derived.factor)
        return limit

    def assume(self, ring: Ring, name: str, value: Poly | None) -> tuple[list[Number | int], Poly]:
        """Return numbers that are an element with this value, or with any value, and that value."""
        numbers: dict[int, Number | int] = {}
        for i in range(self.count):
            if i not in self.derived:
                multiple = self.multiples.get(i, 1)
                numbers[i] = ring.input(f"{name}[{i}]", self.limit(i) // multiple) * multiple
        for i, derived in self.derived.items():
            poly = {m: c // derived.divisor for m, c in self.derive(numbers, i).items()}
            numbers[i] = ring.given(poly, self.limits[i])
        if value is None:
            value = ring.value(name)
        for group, factor in self.all_groups().items():
            ring.element([numbers[i] for i in group], self.weights, multiply(value, {(): factor}, P))
        return [numbers[i] for i in range(self.count)], value

    def require(self, ring: Ring, name: str, numbers: Sequence[Number | int], value: Poly) -> None:
        """Raise Unproved unless the numbers are an element with this value, for all inputs."""
        for i, number in enumerate(numbers):
            ring.claim_range(f"{name}[{i}]", number, 0, self.limits[i])
        for i, multiple in self.multiples.items():
            ring.claim_multiple(f"{name}[{i}]", numbers[i], multiple)
        for i, derived in self.derived.items():
            others = [numbers[k] for k in derived.of]
            factors = [derived.factor] * len(others)
            ring.claim_zero(f"what {name}[{i}] exceeds", [*others, numbers[i]], [*factors, -derived.divisor])
        for group, factor in self.all_groups().items():
            limbs = [numbers[i] for i in group]
            ring.claim_value(f"{name}{list(group)}", limbs, self.weights, multiply(value, {(): factor}, P))


FIVE_LIMBS = tuple(2 ** (26 * i) for i in range(5))
THREE_LIMBS = (1, 2**44, 2**88)
# P_00, P_11, P_22, P_01, P_02 and P_12 in d_0 + 2^44 d_1 + 2^88 d_2: src/poly1305/field/radix44.h.
KARATSUBA = (1 - 2**44 - 2**88, -20 - 2**44 + 2**88, -20 + 20 * 2**44 - 2**88, 2**44, 2**88, 20)


def with_halves(weights: tuple[int, ...]) -> tuple[int, ...]:
    """Return the weights of sums in two halves of 52 bits."""
    return (*weights, *(weight << 52 for weight in weights))


@dataclass(frozen=True)
class Field:
    """The shapes of a field's types.

    tops: whether long sums leave out the blocks' bits above 2^128.
    """

    fe: Shape
    multiplier: Shape
    wide: Shape
    long_multiplier: Shape
    long_sum: Shape
    tops: bool = False


RADIX26 = Field(
    Shape(FIVE_LIMBS),
    Shape(FIVE_LIMBS, {tuple(range(5)): 1}, {4 + i: Derived((i,), 5) for i in range(1, 5)}),
    Shape(FIVE_LIMBS),
    Shape(
        FIVE_LIMBS,
        {tuple(range(5 * k, 5 * k + 5)): 2 ** (32 * k) for k in range(4)},
        {20 + i: Derived((1 + i,), 5) for i in range(4)},
    ),
    Shape(FIVE_LIMBS),
    tops=True,
)
RADIX44 = Field(
    Shape(THREE_LIMBS),
    Shape(THREE_LIMBS, {(0, 1, 2): 1}, {3: Derived((1,), 20), 4: Derived((2,), 20)}),
    Shape(with_halves(THREE_LIMBS)),
    Shape(THREE_LIMBS, {(0, 1, 2): 1}, {3: Derived((0, 1)), 4: Derived((0, 2)), 5: Derived((1, 2))}),
    Shape(with_halves(KARATSUBA)),
)
# With sums of 128 bits, a wide is one number for each limb.
RADIX44_SUMS = replace(RADIX44, wide=Shape(THREE_LIMBS))

# r is clamped: Bernstein 2005, section 2.
R_WORDS = Shape((1, 2**64), multiples={1: 4}, limits=(0x0FFFFFFC0FFFFFFF, 0x0FFFFFFC0FFFFFFC))
# h of struct poly1305.
H_WORDS = Shape((1, 2**64, 2**128), limits=(WORD_MAX, WORD_MAX, 4))
PAD_WORDS = Shape((1, 2**64), limits=(WORD_MAX, WORD_MAX))
SCALAR_R = Shape(
    (1, 2**64),
    {(0, 1): 1},
    {2: Derived((1,), 5, 4), 3: Derived((0,), 5)},
    R_WORDS.multiples,
    (*R_WORDS.limits, R_WORDS.limits[1] // 4 * 5, R_WORDS.limits[0] * 5),
)


def total(polys: Iterable[Poly]) -> Poly:
    result: Poly = {}
    for poly in polys:
        result = add(result, poly)
    return result


def product(*polys: Poly) -> Poly:
    result = ONE
    for poly in polys:
        result = multiply(result, poly, P)
    return result


Limits = Mapping[str, tuple[int, ...]]


def limits_of(graphs: Iterable[Graph]) -> dict[str, tuple[int, ...]]:
    """Return the limits of the numbers of each input of a kernel's basic blocks.

    The key is BLOCK/NAME, and NAME too if all blocks with such an input have the same limits.
    """
    found: dict[str, tuple[int, ...]] = {}
    different = set()
    for graph in graphs:
        limits: dict[str, list[int]] = {}
        for i in graph.inputs():
            node = graph.nodes[i]
            limits.setdefault(node.name.partition("[")[0], []).append(node.limit)
        for name, values in limits.items():
            found[f"{graph.name}/{name}"] = tuple(values)
            if found.setdefault(name, tuple(values)) != tuple(values):
                different.add(name)
    return {name: limits for name, limits in found.items() if name not in different}


@dataclass
class Claims:
    """What is assumed and claimed of one basic block."""

    graph: Graph
    of_field: Field | None
    limits: Limits
    ring: Ring
    message: Message
    inputs: dict[str, Lanes] = field(default_factory=dict)
    values: dict[str, list[Poly]] = field(default_factory=dict)
    outputs: dict[str, tuple[Shape, list[Poly]]] = field(default_factory=dict)

    @property
    def lanes(self) -> int:
        return self.graph.lanes

    @property
    def fields(self) -> Field:
        assert self.of_field is not None
        return self.of_field

    def limited(self, shape: Shape, name: str) -> Shape:
        """Return a shape with the limits that the kernel's basic blocks state of an input."""
        return shape if shape.limits else replace(shape, limits=self.limits[name])

    def assume(
        self, name: str, shape: Shape, values: Sequence[Poly] | None = None, lanes: int = 0, like: str = ""
    ) -> list[Poly]:
        """Assume an element in each lane, and return their values."""
        count, shape = lanes or self.lanes, self.limited(shape, like or name)
        names = [name if count == 1 else f"{name}.{lane}" for lane in range(count)]
        rows = [shape.assume(self.ring, names[k], values[k] if values else None) for k in range(count)]
        for i in range(shape.count):
            self.inputs[f"{name}[{i}]"] = tuple(numbers[i] for numbers, _ in rows)
        self.values[name] = [value for _, value in rows]
        return self.values[name]

    def claim(self, name: str, shape: Shape, values: list[Poly], like: str = "") -> None:
        """Claim an element in each lane, with the limits of the input of this name or of another one."""
        self.outputs[name] = self.limited(shape, like or name), values

    def block(self, i: int, top: bool = True) -> Poly:
        return self.message.block(BLOCK_BYTES * i, top)

    def check(self, outputs: Mapping[str, Lanes]) -> int:
        """Raise Unproved unless the outputs are all that is claimed. Return the number of claims."""
        for name, (shape, values) in self.outputs.items():
            rows = [outputs[f"{name}[{i}]"] for i in range(shape.count)]
            for lane, value in enumerate(values):
                shape.require(self.ring, f"{name}.{lane}", [row[lane] for row in rows], value)
        if unclaimed := {re.sub(r"\[\d+\]", "", name) for name in outputs} - self.outputs.keys():
            raise Unproved(f"nothing is claimed of {', '.join(sorted(unclaimed))}")
        return sum(len(values) for _, values in self.outputs.values())


def kind_of(graph: Graph) -> tuple[str, int]:
    """Return a basic block's name without its number of groups, and that number, or 0."""
    kind, _, number = graph.name.rpartition(" ")
    return (kind, int(number)) if number.isdigit() else (graph.name, 0)


def claim_decimated(claims: Claims) -> None:
    """State the claims of blocks/decimated.h."""
    kind, n = kind_of(claims.graph)
    fields, lanes, every = claims.fields, claims.lanes, range(claims.lanes)
    if kind == "expand":
        claims.claim("c", fields.fe, [claims.block(i) for i in every], "t")
    elif kind == "reduce":
        claims.claim("t", fields.fe, claims.assume("d", fields.wide, like="reduce/d"), "last")
    elif kind == "end":
        t, last, others = (claims.assume(name, fields.fe) for name in ("t", "last", "others"))
        terms = [add(product(claims.block(i), last[i]), product(t[i], others[i])) for i in every]
        claims.claim("sum", replace(fields.fe, limits=(WORD_MAX,) * fields.fe.count), [total(terms)])
    elif kind == "long group":
        # Halves of a product are below 2^52; a group adds a few to sums with room for LONG_SUM_MAX groups.
        limits = tuple(WIDE_MAX if i < 6 else WIDE_MAX >> 12 for i in range(fields.long_sum.count))
        d = claims.assume("d", replace(fields.long_sum, limits=limits))
        power = claims.assume("table", fields.long_multiplier)
        # A field that adds the blocks' tops separately leaves them out.
        factor = power[min(lanes, POWERS_IN_VECTOR) - 1]
        values = [add(d[i], product(claims.block(i, not fields.tops), factor)) for i in every]
        claims.claim("d", replace(fields.long_sum, limits=(WORD_MAX,) * fields.long_sum.count), values)
    elif kind == "step":
        t = claims.assume("t", fields.fe)
        powers = [[ONE] * lanes, *(claims.assume(f"R^{k}", fields.multiplier) for k in range(1, n + 1))]
        claims.claim("t", fields.fe, horner(claims.block, t, powers), "last")
    elif kind == "long step":
        t, in_vector = claims.assume("t", fields.fe), min(lanes, POWERS_IN_VECTOR)
        table = [claims.assume(f"table{i}", fields.long_multiplier) for i in range(n // in_vector)]
        powers = [[ONE] * lanes]
        powers += [[table[k // in_vector][in_vector - 1 - k % in_vector]] * lanes for k in range(n)]
        tops = product(total(power[0] for power in powers[1:n]), TOP)
        claims.assume("tops", fields.fe, [tops if fields.tops else {}] * lanes)
        claims.claim("t", fields.fe, horner(claims.block, t, powers), "last")
    elif kind == "begin":
        claim_begin(claims, n)
    elif kind == "batch":
        # Each lane has a message of its own, and r of its own.
        h = claims.assume("value", fields.fe)
        powers = [claims.assume(f"r^{k}", fields.multiplier, like="R^1") for k in range(1, n + 1)]
        values = []
        for i in every:
            terms = [product(claims.block(k * lanes + i), powers[n - 1 - k][i]) for k in range(n)]
            values.append(total([product(h[i], powers[n - 1][i]), *terms]))
        claims.claim("value", fields.fe, values)
    elif kind == "append":
        left, right, shift = (claims.assume(name, fields.fe) for name in ("left", "right", "shift"))
        values = [add(product(left[i], shift[i]), right[i]) for i in every]
        claims.claim("d", replace(fields.wide, limits=(WIDE_MAX,) * fields.wide.count), values)
    elif kind == "replace":
        names = ("whole", "replaced", "replacement", "shift")
        whole, old, new, shift = (claims.assume(name, fields.fe) for name in names)
        values = [add(whole[i], product(add(new[i], old[i], -1), shift[i])) for i in every]
        claims.claim("d", replace(fields.wide, limits=(WIDE_MAX,) * fields.wide.count), values)


def horner(block: Callable[[int], Poly], t: Sequence[Poly], powers: Sequence[Sequence[Poly]]) -> list[Poly]:
    """Return, for each lane, T R^n + group_1 R^(n - 1) + ... + group_n; powers are R^0 to R^n."""
    n, lanes = len(powers) - 1, len(t)
    return [
        total([product(t[i], powers[n][i]), *(product(block(k * lanes + i), powers[n - 1 - k][i]) for k in range(n))])
        for i in range(lanes)
    ]


def horner_of_pairs(block: Callable[[int], Poly], t: Sequence[Poly], powers: Sequence[Sequence[Poly]]) -> list[Poly]:
    """Return U and L after groups of four blocks; powers are those for the last group, the one before it, and so on."""
    n = len(powers)
    return [
        total(
            [
                product(t[lane], powers[n - 1][0]),
                *(product(block(4 * k + lane + 2 * i), powers[n - 1 - k][i]) for k in range(n) for i in range(2)),
            ]
        )
        for lane in range(2)
    ]


def claim_begin(claims: Claims, n: int) -> None:
    """State that there are the powers of r, and T of the first group and h."""
    fields, lanes, every = claims.fields, claims.lanes, range(claims.lanes)
    in_vector = min(lanes, POWERS_IN_VECTOR)
    (r,), (h,) = claims.assume("r", R_WORDS, lanes=1), claims.assume("h", H_WORDS, lanes=1)
    claims.assume("s", PAD_WORDS, lanes=1)
    powers = [ONE]
    for _ in range(lanes * max(n, 2)):
        powers.append(product(powers[-1], r))
    claims.claim("t", fields.fe, [add(claims.block(i), h if i == 0 else {}) for i in every])
    claims.claim("last", fields.fe, [powers[lanes - i] for i in every])
    claims.claim("others", fields.fe, [powers[2 * lanes - i] for i in every])
    long = any(name.startswith("table") for name in outputs_of(claims.graph))
    for k in range(1, (2 if long else n) + 1):
        claims.claim(f"R^{k}", fields.multiplier, [powers[lanes * k]] * lanes)
    if long:
        for i in range(n // in_vector):
            exponents = [in_vector * i + in_vector - lane % in_vector for lane in every]
            claims.claim(f"table{i}", fields.long_multiplier, [powers[lanes * k] for k in exponents])
        tops = product(total(powers[lanes * k] for k in range(1, n)), TOP)
        claims.claim("tops", fields.fe, [tops if fields.tops else {}] * lanes)


def outputs_of(graph: Graph) -> set[str]:
    return {graph.nodes[i].name.partition("[")[0] for i in graph.outputs()}


def claim_sums(claims: Claims) -> None:
    """State the claims of blocks/vmsl.c: U and L in two lanes, and the powers of r in pairs."""
    kind, n = kind_of(claims.graph)
    fields = claims.fields
    if kind == "expand":
        claims.claim("c", fields.fe, [claims.block(0), claims.block(2)], "t")
    elif kind == "reduce":
        # The code bounds the high words of the sums; the low words are any.
        high = [node.limit for node in claims.graph.nodes if node.op == "sums_high"]
        wide = replace(fields.wide, limits=tuple(limit << 64 | WORD_MAX for limit in high))
        values = [claims.assume(name, wide, lanes=1)[0] for name in ("first", "second")]
        claims.claim("t", fields.fe, values)
    elif kind == "step":
        t = claims.assume("t", fields.fe)
        powers = [claims.assume(f"r^{4 * k}", fields.multiplier) for k in range(1, n + 1)]
        claims.claim("t", fields.fe, horner_of_pairs(claims.block, t, powers))
    elif kind == "last":
        (u, low), blocks = claims.assume("t", fields.fe), [claims.block(i) for i in range(4)]
        even, odd = (claims.assume(name, fields.multiplier) for name in ("even", "odd"))
        values = [
            add(product(add(u, blocks[0]), even[0]), product(blocks[2], even[1])),
            add(product(add(low, blocks[1]), odd[0]), product(blocks[3], odd[1])),
        ]
        claims.claim("t", fields.fe, values)


def claim_scalar(claims: Claims) -> None:
    """State the claims of blocks/scalar.cc."""
    kind, n = kind_of(claims.graph)
    # Beside ChaCha20, limb 2 is that of a product; otherwise it is any word.
    like = "finish/t" if kind in {"start", "four", "finish"} else "block/t"
    words = claims.limited(Shape((1, 2**64, 2**128)), like)
    if kind in {"begin", "start"}:
        (r,), (h,) = claims.assume("r", R_WORDS), claims.assume("h", H_WORDS)
        claims.assume("s", PAD_WORDS)
        claims.claim("t", words, [add(h, claims.block(0)) if kind == "begin" else h])
        claims.claim("k", SCALAR_R, [r])
        return
    (t,), (k,) = claims.assume("t", words), claims.assume("k", SCALAR_R)
    if kind in {"end", "finish"}:
        claims.claim("h", H_WORDS, [product(t, k) if kind == "end" else t])
        return
    for i in range({"four": 4}.get(kind, n or 1)):
        if kind == "four":
            t = product(add(t, claims.block(i)), k)
        else:
            t = add(product(t, k), claims.block(i, kind != "last"))
    claims.claim("t", words, [t])
    claims.claim("k", SCALAR_R, [k])


def claims_for(kind: str, graph: Graph) -> tuple[Callable[[Claims], None], Field | None]:
    """Return what states the claims of a kernel's basic blocks, and its field."""
    if kind == "vmsl":
        return claim_sums, RADIX44_SUMS
    if kind == "scalar":
        return claim_scalar, None
    return claim_decimated, RADIX44 if graph.kernel.startswith("ifma") else RADIX26
