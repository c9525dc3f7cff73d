"""Checks the output of the program `answers` against Poly1305's definition in Python's integers.

    check_answers.py FILE
"""

import sys

MAX_BYTES = 2304
P = 2**130 - 5
CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


def expected_lines():
    for kind in range(3):
        msg = bytes(255 if kind == 0 else (i * i * 7 + i // 5 + kind) % 256 for i in range(MAX_BYTES))
        key = bytes((i * 97 + 5) % 256 if kind == 2 else 255 for i in range(32))
        r = int.from_bytes(key[:16], "little") & CLAMP
        s = int.from_bytes(key[16:], "little")
        h = 0  # over the full blocks before the last one
        for n in range(MAX_BYTES + 1):
            tail = msg[n // 16 * 16 : n]
            if n and not tail:
                h = (h + int.from_bytes(msg[n - 16 : n] + b"\1", "little")) * r % P
            total = (h + int.from_bytes(tail + b"\1", "little")) * r % P if tail else h
            tag = ((total + s) % 2**128).to_bytes(16, "little")
            yield f"{kind} {n:4} {tag.hex()}"


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        found = file.read().splitlines()
    expected = list(expected_lines())
    if not found or len(found) % len(expected):
        sys.exit(f"{sys.argv[1]}: {len(found)} lines, not a multiple of {len(expected)}")
    for i, line in enumerate(found):
        if line != expected[i % len(expected)]:
            sys.exit(f"{sys.argv[1]}:{i + 1}: '{line}', not '{expected[i % len(expected)]}'")
    print(f"{sys.argv[1]}: {len(found)} tags are right")


main()
