# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Delete rows by deleting their keys (crypto-shredding): each row of a table is sealed under a key of its own.

    python shred_rows.py write TABLE KEYS       writes a table of 1000 rows to try it on, and their keys
    python shred_rows.py shred KEYS ROW...      overwrites the keys of these rows with zeros
    python shred_rows.py read TABLE KEYS        prints how many rows are readable, shredded, and not authentic

A row without its key cannot be read in any copy of the table, nor in a backup. So only KEYS, a third of its size, must be
where what is deleted is gone: no old versions, and no backups that are older than the time a deletion may take.
"""

import os
import sys
from pathlib import Path

import hornet_poly1305 as hornet
import numpy

NONCE, TEXT, TAG, KEY = 24, 64, 16, 32
ROW = NONCE + TEXT + TAG


def packets_of(rows: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray, tuple[bytes, numpy.ndarray, numpy.ndarray]]:
    """Return starts and lengths of the texts, and the associated data: the number of each row, so that none can be moved."""
    numbers = numpy.arange(len(rows), dtype=numpy.int64)
    eight = numpy.full(len(rows), 8)
    return numbers * ROW + NONCE, numpy.full(len(rows), TEXT), (numbers.astype("<i8").tobytes(), numbers * 8, eight)


def sealed(texts: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Return the rows of a table of texts, and their keys, which are new."""
    rows = numpy.zeros((len(texts), ROW), dtype=numpy.uint8)
    keys = numpy.frombuffer(os.urandom(KEY * len(texts)), dtype=numpy.uint8).reshape(-1, KEY)
    # Drawn at random, so that a row that changes may keep its key.
    nonces = numpy.frombuffer(os.urandom(NONCE * len(texts)), dtype=numpy.uint8).reshape(-1, NONCE)
    rows[:, :NONCE] = nonces
    rows[:, NONCE : NONCE + TEXT] = texts
    starts, lengths, aad = packets_of(rows)
    _, tags = hornet.xseal_packets(keys, nonces, rows, starts, lengths, aad=aad, out=rows)
    rows[:, NONCE + TEXT :] = numpy.frombuffer(tags, dtype=numpy.uint8).reshape(-1, TAG)
    return rows, keys


def opened(rows: numpy.ndarray, keys: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """Return the texts, zeros where they cannot be read; which are authentic; and which are shredded.

    Anyone knows a key of zeros, and could seal rows under it: those are not authentic.
    """
    starts, lengths, aad = packets_of(rows)
    nonces, memory = rows[:, :NONCE].copy(), rows.copy()
    _, valid = hornet.xopen_packets(keys, nonces, memory, starts, lengths + TAG, aad=aad, out=memory)
    shredded = ~keys.any(axis=1)
    texts = memory[:, NONCE : NONCE + TEXT]
    texts[shredded] = 0
    return texts, numpy.frombuffer(valid, dtype=bool) & ~shredded, shredded


def read(path: str, each: int) -> numpy.ndarray:
    """Return the rows of a file."""
    content = Path(path).read_bytes()
    if len(content) % each != 0:
        raise SystemExit(f"{path}: {len(content)} bytes are no rows of {each}")
    return numpy.frombuffer(content, dtype=numpy.uint8).reshape(-1, each)


def shred(path: str, numbers: list[int]) -> None:
    """Overwrite the keys of rows in a file."""
    count = os.path.getsize(path) // KEY
    for number in numbers:
        if not 0 <= number < count:
            raise SystemExit(f"row {number}: there are rows 0 to {count - 1}")
    with open(path, "r+b") as file:
        for number in numbers:
            file.seek(KEY * number)
            file.write(bytes(KEY))
        file.flush()
        os.fsync(file.fileno())


def main(arguments: list[str]) -> None:
    match arguments:
        case ["write", table, keys]:
            texts = b"".join((b"row %d" % i).ljust(TEXT, b".") for i in range(1000))
            rows, new = sealed(numpy.frombuffer(texts, dtype=numpy.uint8).reshape(-1, TEXT))
            Path(keys).touch(mode=0o600)
            Path(keys).write_bytes(new.tobytes())
            Path(table).write_bytes(rows.tobytes())
        case ["shred", keys, *numbers]:
            shred(keys, [int(number) for number in numbers])
        case ["read", table, keys]:
            rows, of_rows = read(table, ROW), read(keys, KEY)
            if len(rows) != len(of_rows):
                raise SystemExit(f"{len(rows)} rows, but {len(of_rows)} keys")
            _, valid, shredded = opened(rows, of_rows)
            wrong = len(rows) - valid.sum() - shredded.sum()
            print(f"{valid.sum()} readable, {shredded.sum()} shredded, {wrong} not authentic")
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
