# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Check that what the basic blocks compute makes Bernstein's polynomial, for messages of every length.

First the algebra, on the same formulas that claims.py states of the blocks. h_k, the value over k blocks, is defined
by h_0 = h and h_(k+1) = (h_k + c_(k+1)) r: Bernstein 2005, section 2. For every kernel and every step, an invariant holds
after the first group, any step keeps it, and the end turns it into h_k; so it holds after any number of steps.

Then the dispatch, which says which blocks run for a length. All branches depend on lengths only. So for one length a
function computes a fixed polynomial in r, linear in the blocks, as long as the blocks compute what is proved of them.
Its tag is compared with Bernstein's at random. Let D be the difference of the two polynomials, of degree n + 1 at most
for n blocks.

 -  Some coefficient of D is a linear form in the blocks. It is zero for a random message with probability 2^-128 at most,
    or 2^-8y if the last block, of y < 16 bytes, is the only one in it.
 -  Tags are equal if D(r) = k 2^128, for |k| <= 3: numbers below p have equal tags if they differ by that. Each of the 7
    polynomials D - k 2^128 that is not zero has n + 1 roots at most, and r is one of 2^106 numbers. So a random r agrees
    with probability 7 (n + 1) / 2^106 at most (Schwartz and Zippel): 2^-95 for 4096 bytes.

Each length is computed with KEYS keys, each with a message of its own. They are drawn anew in each run, in pairs: a key
and its complement, which set each bit of r, of the pad, and of those that are cleared, to 0 and to 1. The keys of
different pairs are independent, and so are all messages. So with two pairs another polynomial stays unnoticed with
probability 2^-190 at most, and another use of the last block alone with 2^-32y.
"""

import ctypes
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from coconut.lift.compare import SPELLED
from coconut.lift.elf import Elf, maker_of
from coconut.listed import listed
from coconut.native import cpu_features
from coconut.prove.claims import ONE, horner, horner_of_pairs, kind_of, product, total
from coconut.prove.graphs import POLY1305_KERNELS, graphs_of
from coconut.prove.polynomials import P, Poly, Unproved, add
from coconut.prove.proof import Compiled, Proved, proved
from coconut.trace import KERNELS

LENGTH_MAX = 4096
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
    """Return the value over n blocks, continued from h: (h + c_1) r^n + c_2 r^(n - 1) + ... + c_n r, the definition."""
    if not blocks:
        return h
    return total(
        product(block, names.power(len(blocks) - i)) for i, block in enumerate([add(h, blocks[0]), *blocks[1:]])
    )


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
    """Check that segments join, can be replaced, and can be zeros: Bernstein 2005, section 1.

    core.py proves the powers of r, and the sums of them, f, of which zeros are 2^128 r f.
    """
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
        # An iteration of zeros_value, from f_n to f_2n and f_(2n + 1), and its end.
        sums = [total(names.power(i) for i in range(k)) for k in (n, 2 * n, 2 * n + 1)]
        less_one = add(names.power(1), ONE, -1)
        doubled = product(sums[0], add(product(sums[0], less_one), {(): 2}))
        expect(f"{n} powers doubled", doubled, sums[1])
        expect(f"{n} powers doubled and one", add(product(doubled, names.power(1)), ONE), sums[2])
        top: Poly = {(): 1 << 128}
        zeros = product(product(top, names.power(1)), sums[0])
        expect(f"{n} blocks of zeros", zeros, bernstein(names, zero, [top] * n))
        count += 5
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


def r_of(key: bytes) -> int:
    return int.from_bytes(key[:16], "little") & CLAMP


def ended(value: int, rest: bytes, key: bytes) -> bytes:
    """Return the tag of a message by the value over its whole blocks, and the bytes after them."""
    if rest:
        value = (value + int.from_bytes(rest + b"\1", "little")) * r_of(key) % P
    return (value + int.from_bytes(key[16:], "little") & (1 << 128) - 1).to_bytes(16, "little")


def tag_of(key: bytes, message: bytes) -> bytes:
    """Return the tag by the definition."""
    return ended(prefixes(message, r_of(key))[-1], message[len(message) // 16 * 16 :], key)


@dataclass
class Key:
    """A random key and message, and the tag of each of its prefixes, by the definition. A complement has all other bits."""

    seed: int | str
    complement: bool = False

    def __post_init__(self) -> None:
        self.key = random.Random(f"{self.seed} key").randbytes(32)
        if self.complement:
            self.key = bytes(byte ^ 0xFF for byte in self.key)
        self.message = random.Random(f"{self.seed} message {self.complement}").randbytes(LENGTH_MAX)
        self.r = r_of(self.key)
        self.values = prefixes(self.message, self.r)

    def tag(self, length: int) -> bytes:
        return ended(self.values[length // 16], self.message[length // 16 * 16 : length], self.key)


def keys_of(seed: int, title: str, count: int) -> list[Key]:
    """Return keys in pairs, which together have each bit set and clear."""
    keys = [Key(f"{seed} {title} {i // 2}", bool(i % 2)) for i in range(count)]
    check_bits([key.key for key in keys])
    return keys


def check_bits(keys: Sequence[bytes]) -> None:
    """Raise Unproved unless each bit is set in one of the keys, and clear in another."""
    numbers = [int.from_bytes(key, "little") for key in keys]
    some, each = 0, (1 << 256) - 1
    for number in numbers:
        some, each = some | number, each & number
    if some != (1 << 256) - 1 or each != 0:
        raise Unproved("a bit is the same in all keys")


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


# How many keys there are to a length, with a message for each.
KEYS = 4
BATCH = 16
# Up to this length, each message of a batch has another length than all others once.
EACH_PLACE_MAX = 512

# A message: its key, and its length. An interface returns the messages of a length, and their tags.
Asked = list[tuple[Key, int]]
Tags = Iterator[tuple[Asked, list[bytes]]]


def one_call(hornet: ctypes.CDLL, keys: Sequence[Key], length: int, _: random.Random) -> Tags:
    found, tag = [], ctypes.create_string_buffer(16)
    for key in keys[:KEYS]:
        hornet.hornet_poly1305(tag, key.message, ctypes.c_size_t(length), key.key)
        found.append(tag.raw)
    yield [(key, length) for key in keys[:KEYS]], found


def pieces(hornet: ctypes.CDLL, keys: Sequence[Key], length: int, source: random.Random) -> Tags:
    """Yield tags of messages in three pieces, of which each state gets one in turn."""
    states = [(key, ctypes.create_string_buffer(STATE_BYTES)) for key in keys[:KEYS]]
    for key, state in states:
        hornet.hornet_poly1305_init(state, key.key)
    cuts = sorted(source.randint(0, length) for _ in range(2))
    for start, end in zip([0, *cuts], [*cuts, length], strict=True):
        for key, state in states:
            hornet.hornet_poly1305_update(state, key.message[start:end], ctypes.c_size_t(end - start))
    found, tag = [], ctypes.create_string_buffer(16)
    for _key, state in states:
        hornet.hornet_poly1305_final(state, tag)
        found.append(tag.raw)
    yield [(key, length) for key in keys[:KEYS]], found


def batch_of(hornet: ctypes.CDLL, keys: Sequence[Key], lengths: Sequence[int]) -> tuple[Asked, list[bytes]]:
    """Return the tags of a batch of messages of these lengths, each under a key of its own."""
    count = len(lengths)
    tags = ctypes.create_string_buffer(16 * count)
    messages = (ctypes.c_char_p * count)(*[key.message for key in keys])
    sizes = (ctypes.c_size_t * count)(*lengths)
    hornet.hornet_poly1305_batch(tags, messages, sizes, b"".join(key.key for key in keys), ctypes.c_size_t(count))
    found = tags.raw
    return list(zip(keys, lengths, strict=True)), [found[i : i + 16] for i in range(0, 16 * count, 16)]


def batch(hornet: ctypes.CDLL, keys: Sequence[Key], length: int, source: random.Random) -> Tags:
    """Yield tags of a message, at any place, among 16 whose lengths are at most as long."""
    lengths = [source.randint(0, length) for _ in range(BATCH)]
    lengths[source.randrange(BATCH)] = length
    yield batch_of(hornet, keys, lengths)


def batch_but_one(hornet: ctypes.CDLL, keys: Sequence[Key], length: int, source: random.Random) -> Tags:
    """Yield tags of 16 messages of one length, but for one: half as long, or of any length."""
    for place in range(BATCH) if length <= EACH_PLACE_MAX else [length % BATCH]:
        for other in (length // 2, source.randint(0, max(length, 16))):
            yield batch_of(hornet, keys, [length] * place + [other] + [length] * (BATCH - 1 - place))


def partials(hornet: ctypes.CDLL, keys: Sequence[Key], length: int, source: random.Random) -> Tags:
    """Yield tags of two segments; all first ones are computed before the others."""
    cut = source.randint(0, length // 16) * 16
    halves = []
    for start, end in ((0, cut), (cut, length)):
        for key in keys[:KEYS]:
            part, evaluation = key.message[start:end], ctypes.create_string_buffer(STATE_BYTES)
            r = key.r.to_bytes(16, "little")
            if not hornet.hornet_poly1305_partial_compute(evaluation, part, ctypes.c_size_t(len(part)), r):
                raise Unproved("no partial evaluation")
            halves.append(evaluation)
    found, tag = [], ctypes.create_string_buffer(16)
    for key, left, right in zip(keys[:KEYS], halves[:KEYS], halves[KEYS:], strict=True):
        if not hornet.hornet_poly1305_partial_append(left, right, key.r.to_bytes(16, "little")):
            raise Unproved("segments that do not join")
        hornet.hornet_poly1305_partial_tag(tag, left, key.key[16:])
        found.append(tag.raw)
    yield [(key, length) for key in keys[:KEYS]], found


INTERFACES: dict[str, Callable[[ctypes.CDLL, Sequence[Key], int, random.Random], Tags]] = {
    "one call": one_call,
    "three pieces": pieces,
    "batches of 16": batch,
    "batches with one other length": batch_but_one,
    "two segments": partials,
}


def kernels_in(hornet: ctypes.CDLL) -> Iterator[tuple[str, bool]]:
    """Yield the kernels of a library, and whether this CPU runs them; refuse one that should run, as the system has it."""
    for kernel in listed(hornet, POLY1305):
        kernel_name, required = kernel.name.decode(), kernel.required.decode().split()
        if not kernel.supported and {SPELLED.get(name, name) for name in required} <= cpu_features():
            raise Unproved(f"{kernel_name} is not supported, but this CPU has {' '.join(required)}")
        yield kernel_name, kernel.supported


def prove_interface(hornet: ctypes.CDLL, title: str, seed: int, lengths: Sequence[int]) -> int:
    """Compare tags of an interface with the definition, at random; return how many lengths they are."""
    interface = INTERFACES[title.partition(", ")[2]]
    keys, source = keys_of(seed, title, BATCH), random.Random(f"{seed} {title}")
    for length in lengths:
        for asked, tags in interface(hornet, keys, length, source):
            for (key, size), tag in zip(asked, tags, strict=True):
                if tag != key.tag(size):
                    sizes = ", ".join(str(size) for _, size in asked)
                    raise Unproved(f"another tag for {size} bytes, with messages of {sizes} bytes; seed {seed}")
    return len(lengths)


def prove_dispatch(path: Path, seed: int, lengths: Sequence[int] = range(LENGTH_MAX + 1)) -> Iterator[Proved]:
    """Prove the dispatch of a library, for every kernel that this CPU has. A claim is a length."""
    hornet, compiler = library(path), maker_of([Elf(path.name, path.read_bytes())])
    for name, runs in kernels_in(hornet):
        of = Compiled(compiler, name)
        if not runs:
            yield Proved(f"{compiler}: {name}", 0, compiled=of, omitted="this CPU cannot run it")
            continue
        if not hornet.hornet_kernel_force(POLY1305, name.encode()):
            raise Unproved(f"{name} cannot be forced")
        for interface in INTERFACES:
            title = f"{name}, {interface}"
            of = Compiled(compiler, name, interface, f"{lengths[0]} to {lengths[-1]}")
            yield proved(title, partial(prove_interface, hornet, title, seed, lengths), compiled=of)
