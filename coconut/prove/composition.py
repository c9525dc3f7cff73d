# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check that what the basic blocks compute makes Bernstein's polynomial, for messages of every length.

First the algebra, on the same formulas that claims.py states of the blocks. h_k, the value over k blocks, is defined
by h_0 = h and h_(k+1) = (h_k + c_(k+1)) r: Bernstein 2005, section 2. For every kernel and every step, an invariant holds
after the first group, any step keeps it, and the end turns it into h_k; so it holds after any number of steps.

Then the dispatch, which says which blocks run for a length. All branches depend on lengths only. So for one length a
function computes a fixed polynomial in r, the pad and the words of the message, as long as the blocks compute what is
proved of them. If that polynomial is not Bernstein's, it agrees with it for a random r with a probability of at most
(n + 1) / 2^106 for n blocks, since r has 106 bits that are not 0 (Schwartz and Zippel). One random key and message for
each length, and for each sequence of calls, are evidence enough.
"""

import ctypes
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from coconut.prove.claims import ONE, horner, horner_of_pairs, kind_of, product, total
from coconut.prove.graphs import POLY1305_KERNELS, graphs_of
from coconut.prove.polynomials import P, Poly, Unproved, add
from coconut.prove.proof import Proved, proved
from coconut.trace import KERNELS, ROOT

KERNEL_FILES = ROOT / "src" / "poly1305" / "kernels"
LENGTH_MAX = 4096
# The loop of fe_power is checked for exponents with this number of bits at most.
POWER_BITS = 6
CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


@dataclass
class Names:
    """Variables: r, h, and as many as are asked for."""

    count: int = 0
    powers: list[Poly] = field(default_factory=lambda: [ONE])

    def variable(self) -> Poly:
        self.count += 1
        return {(self.count,): 1}

    def variables(self, count: int) -> list[Poly]:
        return [self.variable() for _ in range(count)]

    def power(self, n: int) -> Poly:
        """Return r^n, which is variable 0 n times."""
        while len(self.powers) <= n:
            self.powers.append(product(self.powers[-1], {(0,): 1}))
        return self.powers[n]


def bernstein(names: Names, h: Poly, blocks: Sequence[Poly]) -> Poly:
    """Return the value over blocks, continued from h: the definition."""
    for block in blocks:
        h = product(add(h, block), names.power(1))
    return h


def expect(what: str, found: Poly, expected: Poly) -> None:
    difference = {m: c % P for m, c in add(found, expected, -1).items() if c % P}
    if difference:
        raise Unproved(f"{what}: {len(difference)} terms are different")


def check_decimated(lanes: int, steps: Sequence[int]) -> int:
    """Check an evaluation over lanes; return the number of identities."""
    names, count = Names(), 0
    weights = [names.power(lanes - i) for i in range(lanes)]

    def weighted(t: Sequence[Poly]) -> Poly:
        return total(product(value, weight) for value, weight in zip(t, weights, strict=True))

    # The invariant: the lanes, each times its power of r, sum up to the value over all blocks so far. Zero blocks come
    # first, and h is added to the block behind them.
    for absent in range(lanes):
        h, blocks = names.variable(), names.variables(lanes - absent)
        first: list[Poly] = [{}] * absent + [add(block, h if i == 0 else {}) for i, block in enumerate(blocks)]
        expect(f"the first group with {absent} blocks absent", weighted(first), bernstein(names, h, blocks))
        count += 1
    for n in steps:
        t, blocks = names.variables(lanes), names.variables(n * lanes)
        powers = [[names.power(lanes * k)] * lanes for k in range(n + 1)]
        after = horner(lambda i, blocks=blocks: blocks[i], t, powers)  # type: ignore[misc]
        expect(f"a step of {n} groups", weighted(after), bernstein(names, weighted(t), blocks))
        count += 1
    # The end, for a last group whose last block is any number.
    t, blocks = names.variables(lanes), names.variables(lanes)
    terms = [product(t[i], names.power(2 * lanes - i)) for i in range(lanes)]
    terms += [product(blocks[i], weights[i]) for i in range(lanes)]
    expect("the end", total(terms), bernstein(names, weighted(t), blocks))
    # The end of the streaming state: without a group.
    expect("the sum of lanes", total(product(t[i], names.power(lanes - i)) for i in range(lanes)), weighted(t))
    return count + 2


def check_pairs(steps: Sequence[int]) -> int:
    """Check the evaluation of two values in parallel, U and L: the z14 paper, figure 3."""
    names, count = Names(), 0
    for n in steps:
        (u, low), blocks = names.variables(2), names.variables(4 * n)
        powers = [[names.power(4 * k), names.power(4 * k - 2)] for k in range(1, n + 1)]
        # The invariant: r U + L is r times the value so far.
        after = horner_of_pairs(lambda i, blocks=blocks: blocks[i], [u, low], powers)  # type: ignore[misc]
        before = add(product(u, names.power(1)), low)
        expect(
            f"a step of {n} groups of pairs",
            add(product(after[0], names.power(1)), after[1]),
            continued(names, before, blocks),
        )
        count += 1
    (u, low), blocks = names.variables(2), names.variables(4)
    # With other powers for L in the last group, U + L is the value.
    last = horner_of_pairs(lambda i: blocks[i], [u, low], [[names.power(4), names.power(2)]])[:1]
    last += [total([product(add(low, blocks[1]), names.power(3)), product(blocks[3], names.power(1))])]
    before = add(product(u, names.power(1)), low)
    expect("the last group of pairs", product(total(last), names.power(1)), continued(names, before, blocks))
    return count + 1


def continued(names: Names, value: Poly, blocks: Sequence[Poly]) -> Poly:
    """Return r times the value over blocks, continued from value / r."""
    before = product(value, names.power(len(blocks)))
    return add(before, product(bernstein(names, {}, blocks), names.power(1)))


def check_serial() -> int:
    """Check the serial evaluation: t r is the value so far, where t has the next block added."""
    names = Names()
    r = names.power(1)
    h, t, (block, padded) = names.variable(), names.variable(), names.variables(2)
    expect("the first block", product(add(h, block), r), bernstein(names, h, [block]))
    value = product(t, r)
    after = add(value, block)
    expect("a block", product(after, r), bernstein(names, value, [block]))
    expect("four blocks", product(add(t, block), r), bernstein(names, t, [block]))
    expect("a padded block", product(add(product(after, r), padded), r), bernstein(names, value, [block, padded]))
    return 4


def check_batch() -> int:
    """Check a lane of a batch: one block, or two with one reduction; blocks absent at first are zero, and so is h."""
    names = Names()
    h, blocks = names.variable(), names.variables(2)
    lazily = add(product(add(h, blocks[0]), names.power(2)), product(blocks[1], names.power(1)))
    expect("two blocks of a batch", lazily, bernstein(names, h, blocks))
    expect("absent blocks of a batch", bernstein(names, {}, [{}, blocks[0]]), bernstein(names, {}, [blocks[0]]))
    return 2


def check_partials(blocks_max: int = 4) -> int:
    """Check that segments join, and can be replaced: Bernstein 2005, section 1."""
    names, count = Names(), 0
    for n in range(blocks_max + 1):
        left, right, new, old = names.variables(2), names.variables(n), names.variables(2), names.variables(2)
        zero: Poly = {}
        joined = add(product(bernstein(names, zero, left), names.power(n)), bernstein(names, zero, right))
        expect(f"a segment of {n} blocks", joined, bernstein(names, zero, [*left, *right]))
        whole = bernstein(names, zero, [*left, *old, *right])
        difference = add(bernstein(names, zero, new), bernstein(names, zero, old), -1)
        replaced = add(whole, product(difference, names.power(n)))
        expect(f"a segment before {n} blocks", replaced, bernstein(names, zero, [*left, *new, *right]))
        count += 2
    # fe_power, bit by bit: squares and products, and what they make of the exponent.
    value, r = names.variable(), names.power(1)
    for n in range(1 << POWER_BITS):
        exponent, power = 0, ONE
        for bit in reversed(range(POWER_BITS)):
            if n >> bit > 1:
                exponent, power = 2 * exponent, product(power, power)
            if n >> bit & 1:
                exponent, power = exponent + 1, product(power, r)
        if exponent != n:
            raise Unproved(f"r^{exponent}, not r^{n}")
        expect(f"r^{n}", product(power, value), product(names.power(n), value))
        count += 1
    return count


def prove_algebra(kernels: Iterable[str] = POLY1305_KERNELS) -> Iterator[Proved]:
    """Check the algebra of kernels; claims are identities."""
    for name in kernels:
        kinds = [kind_of(graph) for graph in graphs_of(name).values()]
        steps = sorted({n for kind, n in kinds if kind in {"step", "long step"}})
        if KERNELS[name].kind == "vmsl":
            yield proved(name, partial(check_pairs, steps))
        elif KERNELS[name].kind == "scalar":
            yield proved(name, check_serial)
        elif KERNELS[name].kind == "":
            yield proved(name, partial(check_decimated, KERNELS[name].lanes, steps))
    yield proved("batches", check_batch)
    yield proved("partial evaluations", check_partials)


def prefixes(message: bytes, r: int) -> list[int]:
    """Return the values over the whole blocks at the front of a message, by their number."""
    values = [0]
    for at in range(0, len(message) // 16 * 16, 16):
        block = int.from_bytes(message[at : at + 16], "little") | 1 << 128
        values.append((values[-1] + block) * r % P)
    return values


@dataclass
class Key:
    """A random key and message, and the tag of each of its prefixes, by the definition."""

    seed: int

    def __post_init__(self) -> None:
        source = random.Random(self.seed)
        self.key, self.message = source.randbytes(32), source.randbytes(LENGTH_MAX)
        self.r = int.from_bytes(self.key[:16], "little") & CLAMP
        self.values = prefixes(self.message, self.r)

    def tag(self, length: int) -> bytes:
        value, rest = self.values[length // 16], self.message[length // 16 * 16 : length]
        if rest:
            value = (value + int.from_bytes(rest + b"\1", "little")) * self.r % P
        return (value + int.from_bytes(self.key[16:], "little") & (1 << 128) - 1).to_bytes(16, "little")


def library(path: Path) -> ctypes.CDLL:
    if not path.exists():
        raise ValueError(f"no {path}; `make` builds it")
    loaded = ctypes.CDLL(str(path))
    loaded.hornet_kernel_force.restype = ctypes.c_bool
    loaded.hornet_poly1305_partial_append.restype = ctypes.c_bool
    loaded.hornet_poly1305_partial_compute.restype = ctypes.c_bool
    return loaded


POLY1305 = 0  # of hornet_primitive
STATE_BYTES = 4096  # more than any state has


def one_call(hornet: ctypes.CDLL, key: Key, length: int) -> bytes:
    tag = ctypes.create_string_buffer(16)
    hornet.hornet_poly1305(tag, key.message, ctypes.c_size_t(length), key.key)
    return tag.raw


def pieces(hornet: ctypes.CDLL, key: Key, length: int) -> bytes:
    """Return the tag of three pieces, at places that depend on the length."""
    tag, state = ctypes.create_string_buffer(16), ctypes.create_string_buffer(STATE_BYTES)
    hornet.hornet_poly1305_init(state, key.key)
    cuts = sorted(random.Random(length).randint(0, length) for _ in range(2))
    for start, end in zip([0, *cuts], [*cuts, length], strict=True):
        hornet.hornet_poly1305_update(state, key.message[start:end], ctypes.c_size_t(end - start))
    hornet.hornet_poly1305_final(state, tag)
    return tag.raw


def batch(hornet: ctypes.CDLL, key: Key, length: int) -> bytes:
    """Return the tag of a message among 16 whose lengths are at most as long, and check those of the others."""
    count = 16
    lengths = [length, *(random.Random(length).randint(0, length) for _ in range(count - 1))]
    tags = ctypes.create_string_buffer(16 * count)
    messages = (ctypes.c_char_p * count)(*[key.message] * count)
    sizes = (ctypes.c_size_t * count)(*lengths)
    hornet.hornet_poly1305_batch(tags, messages, sizes, key.key * count, ctypes.c_size_t(count))
    for i in range(1, count):
        if tags.raw[16 * i : 16 * i + 16] != key.tag(lengths[i]):
            raise Unproved(f"another tag in a batch, for {lengths[i]} bytes in a batch with {length}")
    return tags.raw[:16]


def partials(hornet: ctypes.CDLL, key: Key, length: int) -> bytes:
    """Return the tag of two segments."""
    left, right, tag = (ctypes.create_string_buffer(STATE_BYTES) for _ in range(3))
    r = (int.from_bytes(key.key[:16], "little") & CLAMP).to_bytes(16, "little")
    cut = random.Random(length).randint(0, length // 16) * 16
    for evaluation, part in ((left, key.message[:cut]), (right, key.message[cut:length])):
        if not hornet.hornet_poly1305_partial_compute(evaluation, part, ctypes.c_size_t(len(part)), r):
            raise Unproved("no partial evaluation")
    if not hornet.hornet_poly1305_partial_append(left, right, r):
        raise Unproved("segments that do not join")
    hornet.hornet_poly1305_partial_tag(tag, left, key.key[16:])
    return tag.raw[:16]


INTERFACES: dict[str, Callable[[ctypes.CDLL, Key, int], bytes]] = {
    "one call": one_call,
    "three pieces": pieces,
    "batches of 16": batch,
    "two segments": partials,
}


def prove_dispatch(path: Path, lengths: Sequence[int] = range(LENGTH_MAX + 1)) -> Iterator[Proved]:
    """Compare tags of the library with the definition, at random, for every kernel that this CPU has.

    A claim is a length.
    """
    hornet = library(path)
    for seed, file in enumerate(sorted(KERNEL_FILES.glob("*.c"))):
        if not hornet.hornet_kernel_force(POLY1305, file.stem.encode()):
            continue
        key = Key(seed)
        for name, interface in INTERFACES.items():
            for length in lengths:
                if interface(hornet, key, length) != key.tag(length):
                    raise Unproved(f"{file.stem}, {name}: another tag for {length} bytes")
            yield Proved(f"{file.stem}, {name}", len(lengths))
