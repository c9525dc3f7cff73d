# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Decrypt all packets of a capture in one call:

    python open_capture.py KEY_IN_HEX FILE      prints how many there are, and how many are authentic
    python open_capture.py --write FILE         writes a capture to try it on, and prints the key

The file is a pcap file whose packets are data messages of WireGuard (section 5.4.6 of its paper), as they are in UDP: 16
bytes of header, whose last 8 are the counter, which is the nonce; then the ciphertext and the tag.
"""

import struct
import sys
from pathlib import Path

import hornet_poly1305 as hornet
import numpy

PCAP = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 147)
RECORD_BYTES, HEADER_BYTES = 16, 16


def places_of(capture: bytes) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Return where the packets begin, and their lengths."""
    if capture[:4] != PCAP[:4]:
        raise SystemExit("not a pcap file with little-endian numbers and microseconds")
    starts, lengths, at = [], [], len(PCAP)
    while at + RECORD_BYTES <= len(capture):
        (length,) = struct.unpack_from("<I", capture, at + 8)
        at += RECORD_BYTES
        if at + length > len(capture):
            raise SystemExit(f"packet {len(starts)}: {length} bytes from {at} on are not within the file")
        if length >= HEADER_BYTES + 16 and capture[at] == 4:
            starts.append(at)
            lengths.append(length)
        at += length
    return numpy.array(starts, dtype=numpy.int64), numpy.array(lengths, dtype=numpy.int64)


def opened(key: bytes, capture: bytes) -> tuple[numpy.ndarray, numpy.ndarray, bytearray]:
    """Return where the packets' texts are, which are authentic, and the memory that the texts are in."""
    starts, lengths = places_of(capture)
    memory = numpy.frombuffer(bytearray(capture), dtype=numpy.uint8)
    nonces = numpy.zeros((len(starts), 12), dtype=numpy.uint8)
    nonces[:, 4:] = memory[starts[:, None] + numpy.arange(8, 16)]
    # In place: a text is where its ciphertext was, and what is not authentic is zeros.
    _, valid = hornet.open_packets(
        key, nonces, memory, starts + HEADER_BYTES, lengths - HEADER_BYTES, out=memory, tags=None
    )
    return starts + HEADER_BYTES, numpy.frombuffer(valid, dtype=bool), memory


def written(path: Path) -> bytes:
    """Write a capture of 1000 packets, and return its key."""
    key = hornet.ChaCha20Poly1305.generate_key()
    cipher = hornet.ChaCha20Poly1305(key)
    parts = [PCAP]
    for counter in range(1000):
        sealed = cipher.encrypt(bytes(4) + struct.pack("<Q", counter), b"packet %d" % counter + bytes(counter), None)
        packet = struct.pack("<IIQ", 4, 7, counter) + sealed
        parts.append(struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet)
    path.write_bytes(b"".join(parts))
    return key


def main(arguments: list[str]) -> None:
    if len(arguments) != 2:
        raise SystemExit(__doc__)
    path = Path(arguments[1])
    if arguments[0] == "--write":
        print(written(path).hex())
        return
    _, valid, _ = opened(bytes.fromhex(arguments[0]), path.read_bytes())
    print(f"{len(valid)} packets, {int(valid.sum())} authentic")


if __name__ == "__main__":
    main(sys.argv[1:])
