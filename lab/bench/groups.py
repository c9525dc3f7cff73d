# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What is measured: tables of cases for tools/measure/measure.c."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from .peers import BEST, SECTIONS, Peer

NOT_512F = ("best", "avx2")
LONG = 65536  # from this length on, a sample is only a few calls and takes longer


def all_peers(peer: Peer) -> bool:
    return not peer.groups or "mac" in peer.groups


def fast(peer: Peer) -> bool:
    return all_peers(peer) and peer.fast


def aead(peer: Peer) -> bool:
    return not peer.groups


def only(group: str) -> Callable[[Peer], bool]:
    return lambda peer: group in peer.groups


@dataclass(frozen=True)
class Series:
    """A table of results: a case of measure.c for each x. The names of its columns are those of the peers."""

    variant: str
    xs: tuple
    case: Callable[[int], str]
    who: Callable[[Peer], bool] = all_peers
    axis: str = "bytes"
    named: tuple[tuple[str, str], ...] = ()  # what is appended to the names: (operation, text)
    divisor: int = 1  # of the rounds
    in_a_message: Callable[[int], int] = lambda x: 1  # what is timed, such as pieces
    notes: tuple[str, ...] = ()

    def suffix(self, operation: str) -> str:
        return dict(self.named).get(operation, "")


@dataclass(frozen=True)
class Group:
    title: str
    series: tuple[Series, ...]
    sections: tuple[str, ...] = SECTIONS


COMMON = (0, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1350, 1500, 2048, 4096, 16384, LONG, 1 << 20)
PACKETS = (0, 16, 64, 128, 192, 256, 448, 512, 960, 1350, 1420, 1500, 2048, 4096, 16384, LONG, 1 << 20)
PIECES = (16, 64, 100, 256, 512, 1024, 1350, 4096, 16384)
ONE_CALL = ", one call"
BATCH = " batch"


def batches(
    operation: str, single: str, what: str, lengths: tuple[int, ...], count: int, more: str = ""
) -> list[Series]:
    """Return batches of equal lengths, of random ones, and of one length with the same sum as these."""
    noise = random.Random(64)
    mixed = [noise.randint(0, 1500) for _ in range(count)]
    total = sum(mixed)
    flat = [(total + i) // count for i in range(count)]

    def of(name: str, xs: tuple[int, ...], lens: Callable[[int], list[int]], axis: str) -> Series:
        def case(x: int) -> str:
            return f"{operation}+{single} lens={','.join(map(str, lens(x)))}{more}"

        who = fast if operation == "batch" else lambda peer: aead(peer) and peer.fast
        return Series(f"{count} {what}{name}", xs, case, who, axis, ((operation, BATCH),))

    mean, average = (total // count,), "bytes on average"
    return [
        of("", lengths, lambda x: [x] * count, "bytes"),
        of(" of 0 to 1500 bytes at random", mean, lambda _: mixed, average),
        of(" of one length with the same sum", mean, lambda _: flat, average),
    ]


def common(operation: str) -> tuple[Series, ...]:
    return (Series("16 bytes of associated data", PACKETS, lambda x: f"{operation} len={x} aad=16", aead),)


def evp(operation: str, done: str) -> Series:
    name = f"{done}, 5 bytes of associated data"
    return Series(name, (64, 1350, 16384), lambda x: f"{operation} len={x} aad=5", only("evp"))


GROUPS = {
    "lengths": Group(
        "Common lengths",
        (
            Series("throughput", COMMON, lambda x: f"mac len={x}"),
            Series("latency", COMMON, lambda x: f"mac len={x} chained=1"),
        ),
    ),
    "sweep": Group(
        "Every length", (Series("throughput", tuple(range(2305)), lambda x: f"mac len={x}", fast, divisor=2),)
    ),
    "cold": Group(
        "Message and key in no cache",
        (Series("out of cache", (64, 1350, 16384), lambda x: f"mac len={x} cold=1", divisor=2),),
        BEST,
    ),
    "keys": Group(
        "Keys in turn", (Series("64 bytes", (1, 4096), lambda x: f"mac len=64 keys={x}", axis="keys"),), BEST
    ),
    "unaligned": Group(
        "Unaligned messages",
        tuple(
            Series(
                f"{length} bytes",
                (*range(16), 63),
                lambda x, length=length: f"mac len={length} offset={x}",
                fast,
                "offset",
                divisor=2,
            )
            for length in (64, 1350, 16384)
        ),
        BEST,
    ),
    "batch": Group(
        "Batches, time for one message", tuple(batches("batch", "mac", "messages", (16, 64, 128, 256, 1350), 64))
    ),
    "pieces": Group(
        "Messages in pieces",
        (
            Series(
                "1 MiB, time for one piece",
                PIECES,
                lambda x: f"pieces+mac len={1 << 20} first={x} then={x}",
                fast,
                "bytes in a piece",
                (("mac", ONE_CALL),),
                2,
                lambda x: -(-(1 << 20) // x),
            ),
            Series(
                "a header of 16 bytes, then one piece; time for one message",
                (284, 1334, 4096, 16384),
                lambda x: f"pieces+mac len={16 + x} first=16 then={x}",
                fast,
                "bytes after the header",
                (("mac", ONE_CALL),),
            ),
        ),
        BEST,
    ),
    "stream": Group(
        "One gibibyte",
        (Series("from memory", (1 << 30,), lambda x: f"mac len={x} keys=1 exact=1 rounds=3", fast),),
        BEST,
    ),
    "aes": Group(
        "Poly1305-AES",
        tuple(
            Series(
                f"{name}, a fresh nonce in every call",
                (0, 16, 64, 256, 1024, 4096, 16384),
                lambda x, keys=keys: f"aes len={x} keys={keys}",
                divisor=divisor,
            )
            for name, keys, divisor in (("one key", 1, 1), ("4096 keys in turn", 4096, 4))
        ),
        BEST,
    ),
    "edit": Group(
        "One segment replaced, and the new tag",
        (
            Series(
                "segments of 4 KiB",
                ("the first", "the middle", "the last", "whole message"),
                lambda x: {
                    "the first": "run arg=0",
                    "the middle": "run arg=1",
                    "the last": "run arg=2",
                    "whole message": "run arg=3 exact=1 rounds=3",
                }[x],
                only("edit"),
                "segment",
                divisor=4,
            ),
        ),
        BEST,
    ),
    "seal": Group("ChaCha20-Poly1305, sealed", common("seal"), NOT_512F),
    "open": Group("ChaCha20-Poly1305, opened", common("open"), NOT_512F),
    "aead-sweep": Group(
        "ChaCha20-Poly1305, many lengths",
        (
            Series(
                "sealed, 16 bytes of associated data",
                tuple(range(0, 4201, 3)),  # they end at every position within a block
                lambda x: f"seal len={x} aad=16",
                lambda peer: aead(peer) and peer.fast,
                divisor=2,
            ),
        ),
        NOT_512F,
    ),
    "packets": Group(
        "ChaCha20-Poly1305, packets",
        tuple(
            Series(
                f"sealed, {aad} bytes of associated data",
                (64, 256, 1350, 1420, 1500),
                lambda x, aad=aad: f"seal len={x} aad={aad}",
                aead,
            )
            for aad in (0, 5, 13, 16)
        ),
        NOT_512F,
    ),
    "aead-batch": Group(
        "ChaCha20-Poly1305, batches, time for one packet",
        tuple(
            series
            for count in (8, 32, 64)
            for series in batches("seal_batch", "seal", "packets", (64, 256, 1350), count, " aad=16")
        ),
        NOT_512F,
    ),
    "evp": Group("ChaCha20-Poly1305 through EVP", (evp("seal", "sealed"), evp("open", "opened")), NOT_512F),
}
