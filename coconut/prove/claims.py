# SPDX-License-Identifier: Apache-2.0 OR MIT
"""State what each kind of basic block must compute: what is assumed of its inputs, and claimed of its outputs.

Inputs and outputs have the same encodings, so that what one block leaves is what the next one assumes; composition.py
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
    poly_of,
    weighted,
)
from coconut.trace import KERNELS

ONE: Poly = {(): 1}
# The bit above the 128 of a block.
TOP: Poly = {(): 2**128}
# The powers of a long step are in vectors of 8 lanes at most.
POWERS_IN_VECTOR = 8
# Longer steps have a table.
STEPS_MAX = 4
# As in lanes/recorder.h, and in the blocks of a batch in which some messages have begun.
MESSAGE_BYTES = 4096
BEGUN_STEP = 3
# Sums before they are carried.
WIDE_MAX = 2**63 - 1


@dataclass(frozen=True)
class Derived:
    """A number that is the sum of others, times a fraction."""

    of: tuple[int, ...]
    factor: int = 1
    divisor: int = 1


@dataclass(frozen=True)
class Encoding:
    """How an element is stored as numbers.

    - weights: those of its limbs.
    - copies: for each copy of the element, its limbs, and the factor by which it is multiplied, modulo p.
    - derived: the numbers that follow from others.
    - multiples: what divides a number.
    - limits: those of all numbers, if the graph does not record them.
    - total: the range of the sum that the weights make, as an integer, if it is narrower than limits say.
    """

    weights: tuple[int, ...]
    copies: Mapping[tuple[int, ...], int] = field(default_factory=dict)
    derived: Mapping[int, Derived] = field(default_factory=dict)
    multiples: Mapping[int, int] = field(default_factory=dict)
    limits: tuple[int, ...] = ()
    total: tuple[int, int] | None = None

    def all_copies(self) -> Mapping[tuple[int, ...], int]:
        return self.copies or {tuple(range(len(self.weights))): 1}

    @property
    def count(self) -> int:
        """Return how many numbers there are."""
        return max(len(self.limits), 1 + max(*(i for copy in self.all_copies() for i in copy), *self.derived, 0))

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
        for copy, factor in self.all_copies().items():
            ring.element([numbers[i] for i in copy], self.weights, multiply(value, {(): factor}, ring.modulus))
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
        for copy, factor in self.all_copies().items():
            limbs = [numbers[i] for i in copy]
            ring.claim_value(f"{name}{list(copy)}", limbs, self.weights, multiply(value, {(): factor}, ring.modulus))
        if self.total:
            ring.claim_range(name, ring.narrowed(integer(numbers, self.weights)), *self.total)


FIVE_LIMBS = tuple(2 ** (26 * i) for i in range(5))
THREE_LIMBS = (1, 2**44, 2**88)
# P_00, P_11, P_22, P_01, P_02 and P_12 in d_0 + 2^44 d_1 + 2^88 d_2: src/poly1305/field/radix44.h.
KARATSUBA = (1 - 2**44 - 2**88, -20 - 2**44 + 2**88, -20 + 20 * 2**44 - 2**88, 2**44, 2**88, 20)


def with_halves(weights: tuple[int, ...]) -> tuple[int, ...]:
    """Return the weights of sums in two halves of 52 bits."""
    return (*weights, *(weight << 52 for weight in weights))


@dataclass(frozen=True)
class Field:
    """The encodings of a field's types.

    tops: whether long sums leave out the blocks' bits above 2^128.
    """

    fe: Encoding
    multiplier: Encoding
    wide: Encoding
    long_multiplier: Encoding
    long_sum: Encoding
    tops: bool = False


RADIX26 = Field(
    Encoding(FIVE_LIMBS),
    Encoding(FIVE_LIMBS, {tuple(range(5)): 1}, {4 + i: Derived((i,), 5) for i in range(1, 5)}),
    Encoding(FIVE_LIMBS),
    Encoding(
        FIVE_LIMBS,
        {tuple(range(5 * k, 5 * k + 5)): 2 ** (32 * k) for k in range(4)},
        {20 + i: Derived((1 + i,), 5) for i in range(4)},
    ),
    Encoding(FIVE_LIMBS),
    tops=True,
)
# The numbers of a multiplier in the order in which radix26.h uses them.
BY_DIAGONALS = (0, 1, 5, 2, 6, 3, 7, 4, 8)


def packed_in(lanes: int) -> tuple[int, ...]:
    """Return which numbers of a multiplier the lanes of a few vectors have; the last one fills them."""
    return BY_DIAGONALS + BY_DIAGONALS[-1:] * (-len(BY_DIAGONALS) % lanes)


RADIX44 = Field(
    Encoding(THREE_LIMBS),
    Encoding(THREE_LIMBS, {(0, 1, 2): 1}, {3: Derived((1,), 20), 4: Derived((2,), 20)}),
    Encoding(with_halves(THREE_LIMBS)),
    Encoding(THREE_LIMBS, {(0, 1, 2): 1}, {3: Derived((0, 1)), 4: Derived((0, 2)), 5: Derived((1, 2))}),
    Encoding(with_halves(KARATSUBA)),
)
# With sums of 128 bits, a wide is one number for each limb.
RADIX44_SUMS = replace(RADIX44, wide=Encoding(THREE_LIMBS))

FOUR_WORDS32 = tuple(2 ** (32 * i) for i in range(4))

# r is clamped: Bernstein 2005, section 2.
R_WORDS = Encoding((1, 2**64), multiples={1: 4}, limits=(0x0FFFFFFC0FFFFFFF, 0x0FFFFFFC0FFFFFFC))
# The same in words of 32 bits; the number behind these is not used.
SCALAR32_R = Encoding(
    FOUR_WORDS32,
    {(0, 1, 2, 3): 1},
    {4 + i: Derived((i,), 5, 4) for i in range(1, 4)},
    {i: 4 for i in range(1, 4)},
    (0x0FFFFFFF, *[0x0FFFFFFC] * 3, 0x13FFFFFE, *[0x13FFFFFB] * 3),
)
# h of struct poly1305.
H_WORDS = Encoding((1, 2**64, 2**128), limits=(WORD_MAX, WORD_MAX, 4))
# h + 5, from which the tag is made.
X_WORDS = Encoding((1, 2**64, 2**128), limits=(WORD_MAX, WORD_MAX, 7), total=(5, 5 * 2**128 + 4))
# A block with its 1 appended.
BLOCK_WORDS = Encoding((1, 2**64, 2**128), limits=(WORD_MAX, WORD_MAX, 1))
# The difference of a short block of zeros and a full one: src/poly1305/partial.c.
EXCESS_WORDS = Encoding((1, 2**64, 2**128), limits=(WORD_MAX, WORD_MAX, 3))
ANY_WORD = Encoding((1,), limits=(WORD_MAX,))
PAD_WORDS = Encoding((1, 2**64), limits=(WORD_MAX, WORD_MAX))
SCALAR_R = Encoding(
    (1, 2**64),
    {(0, 1): 1},
    {2: Derived((1,), 5, 4), 3: Derived((0,), 5)},
    R_WORDS.multiples,
    (*R_WORDS.limits, R_WORDS.limits[1] // 4 * 5, R_WORDS.limits[0] * 5),
)


def integer(numbers: Iterable[Number | int], weights: Iterable[int]) -> Number | int:
    result: Number | int = 0
    for number, weight in zip(numbers, weights, strict=True):
        result = result + number * weight
    return result


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
    outputs: dict[str, tuple[Encoding, list[Poly]]] = field(default_factory=dict)
    # In each lane, the value as an integer, and the pad.
    tags: dict[str, list[tuple[Number | int, Number | int]]] = field(default_factory=dict)
    # Multipliers for all lanes whose numbers are in lanes: which number each lane has, and what is claimed.
    packed: tuple[int, ...] = ()
    powers: dict[str, tuple[Encoding, Poly]] = field(default_factory=dict)

    @property
    def lanes(self) -> int:
        return self.graph.lanes

    @property
    def fields(self) -> Field:
        assert self.of_field is not None
        return self.of_field

    def limited(self, encoding: Encoding, name: str) -> Encoding:
        """Return an encoding with the limits that the kernel's basic blocks state of an input."""
        return encoding if encoding.limits else replace(encoding, limits=self.limits[name])

    def assume(
        self, name: str, encoding: Encoding, values: Sequence[Poly] | None = None, lanes: int = 0, like: str = ""
    ) -> list[Poly]:
        """Assume an element in each lane, and return their values."""
        count, encoding = lanes or self.lanes, self.limited(encoding, like or name)
        names = [name if count == 1 else f"{name}.{lane}" for lane in range(count)]
        elements = [encoding.assume(self.ring, names[k], values[k] if values else None) for k in range(count)]
        for i in range(encoding.count):
            self.inputs[f"{name}[{i}]"] = tuple(numbers[i] for numbers, _ in elements)
        self.values[name] = [value for _, value in elements]
        return self.values[name]

    def assume_power(self, name: str, like: str = "") -> list[Poly]:
        """Assume a multiplier by which all lanes are multiplied, and return its value in each lane."""
        if not self.packed:
            return self.assume(name, self.fields.multiplier, like=like)
        limit = self.limits[like or name][0]
        encoding = replace(self.fields.multiplier, limits=(limit,) * self.fields.multiplier.count)
        return [self.assume_over_lanes(name, encoding)] * self.lanes

    def assume_over_lanes(self, name: str, encoding: Encoding) -> Poly:
        """Assume an element whose numbers are in lanes, and return its value."""
        numbers, value = encoding.assume(self.ring, name, None)
        in_order = [numbers[i] for i in self.packed]
        for i in range(len(in_order) // self.lanes):
            self.inputs[f"{name}[{i}]"] = tuple(in_order[self.lanes * i : self.lanes * (i + 1)])
        return value

    def claim_power(self, name: str, value: Poly, like: str = "") -> None:
        """Claim a multiplier by which all lanes are multiplied."""
        if self.packed:
            limit = self.limits[like or name][0]
            encoding = replace(self.fields.multiplier, limits=(limit,) * self.fields.multiplier.count)
            self.powers[name] = encoding, value
        else:
            self.claim(name, self.fields.multiplier, [value] * self.lanes, like)

    def claim(self, name: str, encoding: Encoding, values: list[Poly], like: str = "") -> None:
        """Claim an element in each lane, with the limits of the input of this name or of another one."""
        self.outputs[name] = self.limited(encoding, like or name), values

    def block(self, i: int, top: bool = True) -> Poly:
        return self.message.block(BLOCK_BYTES * i, top)

    def check(self, outputs: Mapping[str, Lanes], checked: Mapping[str, Lanes] | None = None) -> int:
        """Raise Unproved unless the outputs are all that is claimed. Return the number of claims.

        checked: outputs of which all claims were proved; elements that are in these are not proved again.
        """
        for name, (encoding, values) in self.outputs.items():
            limbs = [outputs[f"{name}[{i}]"] for i in range(encoding.count)]
            known = [checked[f"{name}[{i}]"] for i in range(encoding.count)] if checked else []
            for lane, value in enumerate(values):
                if not known or any(limb[lane] is not old[lane] for limb, old in zip(limbs, known, strict=True)):
                    encoding.require(self.ring, f"{name}.{lane}", [limb[lane] for limb in limbs], value)
        for name, ends in self.tags.items():
            for lane, (before, pad) in enumerate(ends):
                words = [outputs[f"{name}[{i}]"][lane] for i in range(2)]
                self.ring.claim_tag(f"{name}.{lane}", words, before, pad)
        for name, (encoding, value) in self.powers.items():
            numbers: dict[int, Number | int] = {}
            for i, k in enumerate(self.packed):
                number = outputs[f"{name}[{i // self.lanes}]"][i % self.lanes]
                self.ring.claim_zero(f"{name}, number {i}", [number, numbers.setdefault(k, number)], [1, -1])
            encoding.require(self.ring, name, [numbers[k] for k in range(encoding.count)], value)
        claimed = self.outputs.keys() | self.tags.keys() | self.powers.keys()
        if unclaimed := {re.sub(r"\[\d+\]", "", name) for name in outputs} - claimed:
            raise Unproved(f"nothing is claimed of {', '.join(sorted(unclaimed))}")
        claims = sum(len(values) for _, values in self.outputs.values()) + sum(map(len, self.tags.values()))
        return claims + len(self.powers)


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
        powers = [[ONE] * lanes, *(claims.assume_power(f"R^{k}") for k in range(1, n + 1))]
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
        powers = [claims.assume(f"r^{k}", fields.multiplier, like=f"batch {n}/r^{k}") for k in range(1, n + 1)]
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
    fields, lanes = claims.fields, claims.lanes
    (r,), (h,) = claims.assume("r", R_WORDS, lanes=1), claims.assume("h", H_WORDS, lanes=1)
    claims.assume("s", PAD_WORDS, lanes=1)
    claims.claim("t", fields.fe, [add(claims.block(i), h if i == 0 else {}) for i in range(lanes)])
    long = any(name.startswith("table") for name in outputs_of(claims.graph))
    powers = claim_powers(claims, r, n, 2 if long else n)
    if long:
        tops = product(total(powers[lanes * k] for k in range(1, n)), TOP)
        claims.claim("tops", fields.fe, [tops if fields.tops else {}] * lanes)


def outputs_of(graph: Graph) -> set[str]:
    return {graph.nodes[i].name.partition("[")[0] for i in graph.outputs()}


def claim_sums(claims: Claims) -> None:
    """State the claims of blocks/vmsl.cc: U and L in two lanes, and the powers of r in pairs."""
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
    elif kind == "powers":
        (r,) = claims.assume("r", R_WORDS, lanes=1)
        for k in range(1, 9):
            claims.claim(f"r^{4 * k}", fields.multiplier, [product(*[r] * (4 * k)), product(*[r] * (4 * k - 2))])
        claims.claim("odd", fields.multiplier, [product(r, r, r), r])
    elif kind == "enter":
        claims.claim("t", fields.fe, [*claims.assume("h", H_WORDS, lanes=1), {}])
    elif kind == "leave":
        claims.claim("h", H_WORDS, [total(claims.assume("last", fields.fe))])
    elif kind == "last":
        (u, low), blocks = claims.assume("t", fields.fe), [claims.block(i) for i in range(4)]
        even, odd = (claims.assume(name, fields.multiplier) for name in ("even", "odd"))
        values = [
            add(product(add(u, blocks[0]), even[0]), product(blocks[2], even[1])),
            add(product(add(low, blocks[1]), odd[0]), product(blocks[3], odd[1])),
        ]
        claims.claim("last", fields.fe, values)


def in_pieces(ring: Ring, word: str, bits: Sequence[int]) -> list[Number]:
    """Return the parts of a word, each of a number of bits, from the lowest one on."""
    return [ring.input(f"{word}.{i}", (1 << count) - 1) for i, count in enumerate(bits)]


def joined(pieces: Mapping[int, Number]) -> Number | int:
    """Return the word that consists of pieces, from certain bits on, and of zeros."""
    result: Number | int = 0
    for at, piece in pieces.items():
        result = result + (piece << at)
    return result


def assume_clamped(claims: Claims, key: int | None = None) -> Poly:
    """Assume words of r, in pieces where limbs are cut; or a key at an offset in the message, from which r is clamped."""
    name = "r" if key is None else f"r at {key}: "
    low, high = (
        in_pieces(claims.ring, f"{name}{i}", bits) for i, bits in enumerate(((28, 6, 26, 4), (2, 26, 6, 26, 4)))
    )
    value = claims.ring.value(name)
    kept = [low[0], low[2], high[1], high[3]]
    claims.ring.element(kept, (1, 2**34, 2**66, 2**98), value)
    if key is not None:
        words = [dict(zip((0, 28, 34, 60), low, strict=True)), dict(zip((0, 2, 28, 34, 60), high, strict=True))]
        for i, word in enumerate(words):
            claims.message.words[key + 8 * i] = joined(word)
    else:
        for i, word in enumerate(({0: kept[0], 34: kept[1]}, {2: kept[2], 34: kept[3]})):
            claims.inputs[f"r[{i}]"] = (joined(word),)
    return value


def end_words(addend: int) -> tuple[str, Encoding]:
    """Return what a message leaves: h, or h + 5, from which the tag is made."""
    return ("x", X_WORDS) if addend else ("h", H_WORDS)


def claim_words(claims: Claims, value: Poly, addend: int) -> None:
    """Claim what a message leaves."""
    name, encoding = end_words(addend)
    claims.claim(name, encoding, [add(value, {(): addend} if addend else {})])


def claim_scalar(claims: Claims) -> None:
    """State the claims of blocks/scalar.cc."""
    name, is_small = claims.graph.name.removeprefix("small "), claims.graph.name.startswith("small ")
    kind, n = kind_of(replace(claims.graph, name=name))
    in_words32 = claims.graph.kernel == "scalar32"
    multiplier = SCALAR32_R if in_words32 else SCALAR_R
    weights = (*FOUR_WORDS32, 2**128) if in_words32 else (1, 2**64, 2**128)

    def words(like: str) -> Encoding:
        return claims.limited(Encoding(weights), like)

    # What begins is small. Stitched to ChaCha20, limb 2 is that of a product; otherwise it is any word.
    stitched, small = words("finish/t") if not in_words32 else None, words("block/t" if in_words32 else "small block/t")
    any_words = stitched if stitched and kind in {"start", "four", "finish"} else words("block/t")
    if kind == "first":
        r = assume_clamped(claims, 0)
        claims.claim("t", small, [claims.block(2)])
        claims.claim("k", multiplier, [r])
        claims.claim("s", PAD_WORDS, [weighted([claims.message.word(16), claims.message.word(24)], (1, 2**64))])
        return
    if kind in {"begin", "start"}:
        (r,) = [assume_clamped(claims)] if in_words32 else claims.assume("r", R_WORDS)
        (h,) = claims.assume("h", H_WORDS)
        claims.assume("s", PAD_WORDS)
        claims.claim("t", small if kind == "begin" else any_words, [add(h, claims.block(0)) if kind == "begin" else h])
        claims.claim("k", multiplier, [r])
        return
    (t,), (k,) = claims.assume("t", small if is_small else any_words), claims.assume("k", multiplier)
    if kind in {"end", "finish"}:
        claim_words(claims, product(t, k) if kind == "end" else t, n)
        return
    for i in range({"four": 4}.get(kind, n or 1)):
        if kind == "four":
            t = product(add(t, claims.block(i)), k)
        else:
            t = add(product(t, k), claims.block(i, kind != "last"))
    claims.claim("t", any_words, [t])
    claims.claim("k", multiplier, [k])


def claim_powers(claims: Claims, r: Poly, n: int, steps: int, others: bool = True) -> list[Poly]:
    """State that there are the powers of r for n groups: multipliers for `steps` groups, and a table if those are fewer.

    Return the powers of r, by exponent.
    """
    fields, lanes, every = claims.fields, claims.lanes, range(claims.lanes)
    powers = [ONE]
    for _ in range(lanes * max(n, 2)):
        powers.append(product(powers[-1], r))
    claims.claim("last", fields.fe, [powers[lanes - i] for i in every], "end/last")
    if others:
        claims.claim("others", fields.fe, [powers[2 * lanes - i] for i in every], "end/others")
    for k in range(1, steps + 1):
        claims.claim_power(f"R^{k}", powers[lanes * k], "R^1")
    in_vector = min(lanes, POWERS_IN_VECTOR)
    for i in range(n // in_vector if steps < n else 0):
        exponents = [in_vector * i + in_vector - lane % in_vector for lane in every]
        claims.claim(f"table{i}", fields.long_multiplier, [powers[lanes * k] for k in exponents])
    return powers


def claim_ends(claims: Claims) -> None:
    """State the claims of blocks/ends.cc."""
    kind, n = kind_of(claims.graph)
    fields, lanes, every = claims.fields, claims.lanes, range(claims.lanes)
    messages_apart = MESSAGE_BYTES // lanes

    def words(name: str, encoding: Encoding = H_WORDS) -> Poly:
        return claims.assume(name, encoding, lanes=1)[0]

    if kind == "powers":
        claim_powers(claims, words("r", R_WORDS), n, 1 if n > STEPS_MAX else n)
    elif kind == "first":
        h, blocks = words("h"), [claims.block(lanes + i) for i in every]
        there = [add(blocks[i], h if i == 0 else {}) for i in range(lanes - n)]
        claims.claim("t", fields.fe, [{}] * n + there)
    elif kind == "end":
        t = claims.assume("t", fields.fe)
        last, others = (claims.assume(name, fields.fe, like=f"end/{name}") for name in ("last", "others"))
        ends: list[Poly] = [*(claims.block(i) for i in range(lanes - 1)), words("block", BLOCK_WORDS)]
        value = total(add(product(ends[i], last[i]), product(t[i], others[i])) for i in every)
        claim_words(claims, value, n)
    elif kind == "long":
        t, in_vector = claims.assume("t", fields.fe), min(lanes, POWERS_IN_VECTOR)
        table = [claims.assume(f"table{i}", fields.long_multiplier) for i in range(-(-n // in_vector))]
        powers = [[ONE] * lanes]
        powers += [[table[k // in_vector][in_vector - 1 - k % in_vector]] * lanes for k in range(n)]
        claims.claim("t", fields.fe, horner(claims.block, t, powers), "value")
    elif kind == "stream begin":
        r, h = words("r", R_WORDS), words("h")
        steps = sum(name.startswith("R^") for name in outputs_of(claims.graph))
        claim_powers(claims, r, steps, steps, others=False)
        claims.claim("t", fields.fe, [add(claims.block(i), h if i == 0 else {}) for i in every])
    elif kind == "stream":
        t = claims.assume("t", fields.fe)
        # Each power is a word that all lanes share.
        powers = [[ONE] * lanes, *(claims.assume_power(f"R^{k}")[:1] * lanes for k in range(1, n + 1))]
        claims.claim("t", fields.fe, horner(claims.block, t, powers), "value")
    elif kind == "stream end":
        t, last = claims.assume("t", fields.fe), claims.assume("last", fields.fe, like="end/last")
        claims.claim("h", H_WORDS, [total(product(t[i], last[i]) for i in every)])
    elif kind == "keys":
        claims.claim("r^1", fields.multiplier, [assume_clamped(claims, 32 * i) for i in every], "short/r^1")
        for i, half in enumerate(("low", "high")):
            pads = [poly_of(claims.message.word(32 * lane + 16 + 8 * i)) for lane in every]
            claims.claim(f"s {half}", ANY_WORD, pads)
        claims.claim("value", fields.fe, [{}] * lanes)
    elif kind in {"begun", "short"}:
        values, multipliers = claims.assume("value", fields.fe), claims.assume("r^1", fields.multiplier)
        absorbed: list[Poly] = [{}] * lanes
        for i in every:
            if kind == "short":
                absorbed[i] = words(f"block{i}", BLOCK_WORDS)
            elif i < n:
                absorbed[i] = claims.message.block(messages_apart * i + BLOCK_BYTES * BEGUN_STEP)
        claims.claim("value", fields.fe, [product(add(values[i], absorbed[i]), multipliers[i]) for i in every])
    elif kind == "finish":
        claims.assume("value", fields.fe)
        for half in ("low", "high"):
            claims.assume(f"s {half}", ANY_WORD)
        claims.tags["tag"] = []
        for lane in every:
            limbs = [claims.inputs[f"value[{i}]"][lane] for i in range(len(fields.fe.weights))]
            pad = [claims.inputs[f"s {half}[0]"][lane] for half in ("low", "high")]
            claims.tags["tag"].append((integer(limbs, fields.fe.weights), integer(pad, PAD_WORDS.weights)))
    elif kind == "append":
        left, right = words("left"), words("right")
        (shift,) = claims.assume("shift", fields.fe)
        claims.claim("h", H_WORDS, [add(product(left, shift), right)])
    elif kind == "join":
        right = words("right")
        (left,), (shift,) = claims.assume("left", fields.fe, like="join/left"), claims.assume("shift", fields.fe)
        claims.claim("value", fields.fe, [add(product(left, shift), right)], "join/left")
    elif kind == "replace":
        whole, old, new = words("whole"), words("replaced"), words("replacement")
        (shift,) = claims.assume("shift", fields.fe)
        claims.claim("h", H_WORDS, [add(whole, product(add(new, old, -1), shift))])
    elif kind == "shift":
        r = words("r", R_WORDS)
        claims.claim("shift", fields.fe, [product(*[r] * n)])
    elif kind == "square":
        (result,) = claims.assume("result", fields.fe)
        claims.claim("result", fields.fe, [product(result, result)])
    elif kind == "times":
        (a,), (result,) = claims.assume("a", fields.fe), claims.assume("result", fields.fe)
        claims.claim("result", fields.fe, [product(result, a)])
    elif kind == "zeros":
        r, excess, top = words("r", R_WORDS), words("excess", EXCESS_WORDS), {(): 1 << 128}
        value = product(r, excess)
        for i in range(1, n + 1):
            value = add(value, product(top, *[r] * i))
        claims.claim("h", H_WORDS, [value])
    elif kind == "zeros end":
        (f,), (r,) = (claims.assume(name, fields.fe, like=f"{kind}/{name}") for name in ("f", "r"))
        claims.claim("h", H_WORDS, [product(add(product(f, {(): 1 << 128}), words("excess", EXCESS_WORDS)), r)])
    elif kind in {"twice", "twice and one"}:
        (f,), (r,), (less_one,) = (
            claims.assume(name, fields.fe, like=f"{kind}/{name}") for name in ("f", "r", "less one")
        )
        doubled = product(f, add(product(f, less_one), {(): 2}))
        result = doubled if kind == "twice" else add(product(doubled, r), ONE)
        claims.claim("f", fields.fe, [result], f"{kind}/f")


def claim_shared(claims: Claims) -> None:
    """State the claims of blocks/tag.cc."""
    kind, n = kind_of(claims.graph)
    if kind == "tag":
        name, encoding = end_words(n)
        claims.assume(name, encoding)
        claims.assume("s", PAD_WORDS)
        words, pad = ([claims.inputs[f"{of}[{i}]"][0] for i in range(count)] for of, count in ((name, 3), ("s", 2)))
        value = integer(words, encoding.weights)
        if encoding.total:
            least, most = encoding.total
            value = claims.ring.given(add(poly_of(value), {(): least}, -1), most - least)
        claims.tags["tag"] = [(value, integer(pad, PAD_WORDS.weights))]
    else:
        first = BLOCK_BYTES if kind == "padded after" else 0
        value = integer([claims.message.number(first, n), 1], (1, 2 ** (8 * n)))
        claims.claim("block", BLOCK_WORDS, [poly_of(value)])


def claims_for(kind: str, graph: Graph) -> tuple[Callable[[Claims], None], Field | None]:
    """Return what states the claims of a kernel's basic blocks, and its field."""
    if own := KERNELS[graph.kernel].own:
        return own.claim, None
    if kind == "vmsl":
        return claim_sums, RADIX44_SUMS
    if kind == "scalar":
        return claim_scalar, None
    if kind == "tag":
        return claim_shared, None
    if kind == "ends":
        return claim_ends, RADIX44 if KERNELS[graph.kernel].radix == 44 else RADIX26
    return claim_decimated, RADIX44 if graph.kernel.startswith("ifma") else RADIX26
