# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What is measured: tables of cases for tools/measure/measure.c."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from .peers import SECTIONS, Peer

BEST, NOT_512F = ("best",), ("best", "avx2")
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


class Group:
    def __init__(self, title: str, *series: Series, sections: tuple[str, ...] = SECTIONS) -> None:
        self.title, self.series, self.sections = title, series, sections


COMMON = (0, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1350, 1500, 2048, 4096, 16384, LONG, 1 << 20)
PACKETS = (0, 16, 64, 128, 192, 256, 448, 512, 960, 1350, 1420, 1500, 2048, 4096, 16384, LONG, 1 << 20)
PIECES = (16, 64, 100, 256, 512, 1024, 1350, 4096, 16384)
EDITS = {"the first": "arg=0", "the middle": "arg=1", "the last": "arg=2", "whole message": "arg=3 exact=1 rounds=3"}
EDITS |= {"the first of 1 TiB": "arg=4", "the middle of 1 TiB": "arg=5", "the last of 1 TiB": "arg=6"}
ONE_CALL = (("mac", ", one call"),)


def macs(variant: str, xs: tuple, more: str = "", who=all_peers, operation: str = "mac", **other) -> Series:
    """Return a series of messages of these lengths."""
    return Series(variant, xs, lambda x: f"{operation} len={x}{more}", who, **other)


def sealed(variant: str, xs: tuple, aad: int, operation: str = "seal", who=aead, **other) -> Series:
    return macs(variant, xs, f" aad={aad}", who, operation, **other)


def fast_aead(peer: Peer) -> bool:
    return aead(peer) and peer.fast


def unaligned(length: int) -> Series:
    places = (*range(16), 63)
    return Series(f"{length} bytes", places, lambda x: f"mac len={length} offset={x}", fast, "offset", divisor=2)


def in_pieces() -> list[Series]:
    many = Series("1 MiB, time for one piece", PIECES, lambda x: f"pieces+mac len={1 << 20} first={x} then={x}", fast)
    many = replace(many, axis="bytes in a piece", divisor=2, in_a_message=lambda x: -(-(1 << 20) // x))
    two = Series(
        "a header of 16 bytes, then one piece; time for one message",
        (284, 1334, 4096, 16384),
        lambda x: f"pieces+mac len={16 + x} first=16 then={x}",
        fast,
        "bytes after the header",
    )
    return [replace(one, named=ONE_CALL) for one in (many, two)]


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

        who = fast if operation == "batch" else fast_aead
        return Series(f"{count} {what}{name}", xs, case, who, axis, ((operation, " batch"),))

    mean, average = (total // count,), "bytes on average"
    return [
        of("", lengths, lambda x: [x] * count, "bytes"),
        of(" of 0 to 1500 bytes at random", mean, lambda _: mixed, average),
        of(" of one length with the same sum", mean, lambda _: flat, average),
    ]


def nonces(name: str, keys: int, divisor: int) -> Series:
    lengths = (0, 16, 64, 256, 1024, 4096, 16384)
    return macs(f"{name}, a fresh nonce in every call", lengths, f" keys={keys}", operation="aes", divisor=divisor)


COLD = (64, 1350, 16384)
AAD = "16 bytes of associated data"
GROUPS = {
    "lengths": Group("Common lengths", macs("throughput", COMMON), macs("latency", COMMON, " chained=1")),
    "sweep": Group("Every length", macs("throughput", tuple(range(2305)), "", fast, divisor=2)),
    "cold": Group("Message and key in no cache", macs("out of cache", COLD, " cold=1", divisor=2), sections=BEST),
    "keys": Group(
        "Keys in turn", Series("64 bytes", (1, 4096), lambda x: f"mac len=64 keys={x}", axis="keys"), sections=BEST
    ),
    "unaligned": Group("Unaligned messages", *map(unaligned, (64, 1350, 16384)), sections=BEST),
    "batch": Group("Batches, time for one message", *batches("batch", "mac", "messages", (16, 64, 128, 256, 1350), 64)),
    "pieces": Group("Messages in pieces", *in_pieces(), sections=BEST),
    "stream": Group("One gibibyte", macs("from memory", (1 << 30,), " keys=1 exact=1 rounds=3", fast), sections=BEST),
    "aes": Group("Poly1305-AES", nonces("one key", 1, 1), nonces("4096 keys in turn", 4096, 4), sections=BEST),
    "edit": Group(
        "One segment replaced, and the new tag",
        Series("segments of 4 KiB", tuple(EDITS), lambda x: f"run {EDITS[x]}", only("edit"), "segment", divisor=4),
        sections=BEST,
    ),
    "seal": Group("ChaCha20-Poly1305, sealed", sealed(AAD, PACKETS, 16), sections=NOT_512F),
    "open": Group("ChaCha20-Poly1305, opened", sealed(AAD, PACKETS, 16, "open"), sections=NOT_512F),
    "aead-sweep": Group(  # the lengths end at every position within a block
        "ChaCha20-Poly1305, many lengths",
        sealed(f"sealed, {AAD}", tuple(range(0, 4201, 3)), 16, who=fast_aead, divisor=2),
        sections=NOT_512F,
    ),
    "packets": Group(
        "ChaCha20-Poly1305, packets",
        *(sealed(f"sealed, {n} bytes of associated data", (64, 256, 1350, 1420, 1500), n) for n in (0, 5, 13, 16)),
        sections=NOT_512F,
    ),
    "aead-batch": Group(
        "ChaCha20-Poly1305, batches, time for one packet",
        *(one for n in (8, 32, 64) for one in batches("seal_batch", "seal", "packets", (64, 256, 1350), n, " aad=16")),
        sections=NOT_512F,
    ),
    "evp": Group(
        "ChaCha20-Poly1305 through EVP",
        *(
            sealed(f"{done}, 5 bytes of associated data", (64, 1350, 16384), 5, operation, only("evp"))
            for operation, done in (("seal", "sealed"), ("open", "opened"))
        ),
        sections=NOT_512F,
    ),
}
