# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Both cores, simulated, have the tags of the definition, in a time that depends only on lengths, and keep no secrets; and
their arithmetic is proved, as are the widths of their registers.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from amaranth.lib import wiring

from coconut.prove.polynomials import Unproved
from lab.circuit import arithmetic, intervals, prove
from lab.circuit.arithmetic import BITS, R_MASK, P
from lab.circuit.multiplier import BITS as MULTIPLIER_BITS
from lab.circuit.pipelined import LANES, PipelinedCore, exponents
from lab.circuit.simulate import Beat, Run, beats, never
from lab.circuit.small import CYCLES_PER_BLOCK, SmallCore

VECTORS = Path(__file__).resolve().parents[3] / "tests/vectors"
CORES = pytest.mark.parametrize("core", [SmallCore, PipelinedCore])
Core = Callable[[], wiring.Component]
Input = tuple[bytes, bytes]
KEY_MAX = b"\xff" * 32
# r = 1, so that the value of a message is the sum of its blocks; and the largest s.
KEY_SUM = (1).to_bytes(16, "little") + b"\xff" * 16


def number(some: bytes) -> int:
    return int.from_bytes(some, "little")


def value_of(key: bytes, message: bytes) -> int:
    """Return the value of the polynomial by the definition of RFC 8439, section 2.5."""
    value = 0
    for i in range(0, len(message), 16):
        value = (value + number(message[i : i + 16] + b"\1")) * (number(key[:16]) & R_MASK) % P
    return value


def tag_of(key: bytes, message: bytes) -> bytes:
    return (value_of(key, message) + number(key[16:]) & 2**128 - 1).to_bytes(16, "little")


def solved(choice: random.Random, key: bytes, blocks: int, value: int) -> bytes:
    """Return a message of this many blocks with this value before s is added. Its last block may be short."""
    inverse = pow(number(key[:16]) & R_MASK, -1, P)
    while True:
        message = choice.randbytes(16) + choice.choice(
            [choice.randbytes(16 * (blocks - 2)), b"\xff" * (16 * (blocks - 2))]
        )
        last = (value * inverse - value_of(key, message)) % P
        end = last.bit_length() - 1
        if end > 0 and end % 8 == 0 and end <= 128:
            return message + (last - (1 << end)).to_bytes(end // 8, "little")


def rfc8439() -> Iterator[tuple[bytes, bytes, bytes]]:
    for row in re.findall(r'\{"(\w*)",\s*"(\w*)",\s*"(\w*)"\}', (VECTORS / "rfc8439.h").read_text()):
        key, message, tag = map(bytes.fromhex, row)
        yield key, message, tag


def edge_keys() -> Iterator[tuple[bytes, int]]:
    """Yield keys and the exponents of their powers that are small modulo p."""
    for r, power, value in re.findall(r'\{"(\w+)", (\d+), (-?\d+)\}', (VECTORS / "edge_keys.h").read_text()):
        assert pow(int(r, 16), int(power), P) == int(value) % P
        yield int(r, 16).to_bytes(16, "little") + b"\xff" * 16, int(power)


def check(
    core: Core, inputs: Sequence[Input], pause: Callable[[int], bool] = never, hold: Callable[[int], bool] = never
) -> None:
    """Compare a core's tags with the definition's."""
    found = Run(core(), [list(beats(key, message)) for key, message in inputs], pause, hold).tags()
    for (key, message), tag in zip(inputs, found, strict=True):
        assert tag == tag_of(key, message), (key.hex(), message.hex())


@CORES
def test_vectors_of_the_rfc(core: Core) -> None:
    vectors = list(rfc8439())
    assert len(vectors) == 12
    found = Run(core(), [list(beats(key, message)) for key, message, _ in vectors]).tags()
    assert found == [tag for _, _, tag in vectors]


@CORES
def test_lengths(core: Core) -> None:
    """Every number of bytes in the last block, and of blocks around those that fill the slots once and twice."""
    choice = random.Random(1)
    lengths = [*range(34), *(16 * blocks + more for blocks in range(3, 2 * LANES + 3) for more in (-1, 0))]
    keys = (KEY_MAX, choice.randbytes(32))
    check(core, [(keys[n % 2], choice.choice([choice.randbytes(n), b"\xff" * n])) for n in lengths])


@CORES
def test_values_at_limb_boundaries(core: Core) -> None:
    """Values around those of single bits, p, and 2^130, which the last block is solved for."""
    choice = random.Random(2)
    edges = [*(1 << BITS * k for k in range(1, 8)), 1 << 64, 1 << 128, 1 << 129, P, 1 << 130]
    keys = [(1).to_bytes(16, "little") + b"\xff" * 16, KEY_MAX]
    values = [(edge + offset) % P for edge in edges for offset in (-5, -1, 0, 4, 5)]
    check(core, [(keys[i % 2], solved(choice, keys[i % 2], 4 + i % 5, value)) for i, value in enumerate(values)])


@CORES
def test_powers_near_p(core: Core) -> None:
    """Keys of which a power is within some units of 0 or p."""
    inputs = [(key, b"\xff" * (16 * power + extra)) for key, power in edge_keys() for extra in (1, 16 * LANES)]
    assert len(inputs) > 20
    check(core, inputs)


@CORES
def test_pauses(core: Core) -> None:
    """No pause of the source or the sink, at any time, changes a tag."""
    choice = random.Random(3)
    for rate in (0.1, 0.5, 0.9):
        late = [choice.random() < rate for _ in range(1000)]
        inputs = [(choice.randbytes(32), choice.randbytes(choice.randrange(16 * 3 * LANES))) for _ in range(6)]
        check(core, inputs, pause=lambda cycle: late[cycle % 1000], hold=lambda cycle: late[7 * cycle % 1000])


@CORES
def test_ends_without_bytes(core: Core) -> None:
    """The last beat may have no bytes; `bytes` of other beats, bytes beyond it, and bits that r has not are ignored."""
    choice = random.Random(4)
    messages: list[list[Beat]] = []
    expected: list[bytes] = []
    for count in (0, 1, 2, LANES, LANES + 1):
        key, message = choice.randbytes(32), choice.randbytes(16 * count)
        end = choice.randbytes(5)
        expected += [tag_of(key, message), tag_of(key, message), tag_of(key, message + end)]
        plain = list(beats(key, message, empty_last=True))
        noisy = [Beat(beat.data, choice.randrange(32), beat.last) for beat in plain[:-1]]
        ends = [Beat(choice.getrandbits(128), 0, 1), Beat(number(end) | choice.getrandbits(88) << 40, 5, 1)]
        messages += [plain, *([*noisy, last] for last in ends)]
    assert Run(core(), messages).tags() == expected


@CORES
def test_time_depends_on_the_length_only(core: Core) -> None:
    def times(key: bytes, byte: bytes) -> list[tuple[int, int, int]]:
        run = Run(core(), [list(beats(key, byte * length)) for length in (0, 1, 16, 100, 16 * LANES, 500)])
        run.tags()
        return [(tagged.begun, tagged.ended, tagged.there) for tagged in run.tagged]

    expected = times(bytes(32), b"\0")
    assert all(
        times(key, byte) == expected for key, byte in ((KEY_MAX, b"\xff"), (KEY_MAX, b"\0"), (bytes(32), b"\xff"))
    )


@CORES
def test_cycles_that_the_documentation_states(core: Core) -> None:
    blocks = 12
    run = Run(core(), [list(beats(KEY_MAX, bytes(16 * blocks)))] * 3)
    run.tags()
    first, middle, last = run.tagged
    message = CYCLES_PER_BLOCK * blocks + 7 if core is SmallCore else blocks + 78
    assert middle.begun - first.begun == last.begun - middle.begun == message
    assert last.there - last.ended == (67 if core is SmallCore else 63)


# What a core that waits may hold; the others of the simulation are its clock.
PUBLIC = {"clk", "clock_cycle", "ready", "message__ready", "slot", "exponent", "$signature__addr"}


@CORES
@pytest.mark.parametrize("reset", [None, 30, 80, 97])
def test_nothing_remains(core: Core, reset: int | None) -> None:
    """After a message, or a reset in the midst of it, all registers and memories are 0, but for some of control."""
    assert set(Run(core(), [list(beats(KEY_MAX, b"\xff" * 300))], reset=reset, idle=20).remains()) <= PUBLIC


def test_powers_are_known_when_they_are_needed() -> None:
    for lanes in range(2, 17):
        reached = [1] * lanes
        known = {0, 1}
        for added in exponents(lanes):
            assert set(added) <= known
            reached = [exponent + more for exponent, more in zip(reached, added, strict=True)]
            known |= set(reached)
        assert reached == list(range(1, lanes + 1))


def test_limbs_fit_the_multipliers() -> None:
    assert max(intervals.limbs_max()).bit_length() <= MULTIPLIER_BITS


def test_proofs() -> None:
    assert sum(claims for _, claims in prove.proofs(LANES)) > 100


@pytest.mark.parametrize(
    ("name", "mistake"), [("FOLD", 319), ("TOP_BITS", 12), ("BITS", 16), ("MASK", 2**16 - 1), ("TOP_MASK", 2**12 - 1)]
)
def test_proofs_notice_a_mistake(monkeypatch: pytest.MonkeyPatch, name: str, mistake: int) -> None:
    monkeypatch.setattr(arithmetic, name, mistake)
    with pytest.raises(Unproved):
        list(prove.proofs(LANES))


@pytest.mark.parametrize("name", ["sums_max", "finish_max"])
def test_proofs_notice_narrow_registers(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    bounds = getattr(prove, name)
    monkeypatch.setattr(prove, name, lambda *limbs: tuple(high >> 1 for high in bounds(*limbs)))
    with pytest.raises(Unproved):
        list(prove.proofs(LANES))
