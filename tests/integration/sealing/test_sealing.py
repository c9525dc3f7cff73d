# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`hornet seal` and `hornet open` beside age and rage, and the age project's test vectors (c2sp.org/CCTV/age)."""

import hashlib
import os
import subprocess
import zlib
from collections import Counter, defaultdict

from integration.sealing.peers import RAGE, age, vectors
from support import attempt, output, run, suite
from support.products import command

CHUNK = 65536
LENGTHS = sorted(
    {0, 1, 15, 16, 17, 1000, CHUNK - 17, CHUNK - 16, CHUNK - 15, 5 * CHUNK + 33, 3000000, 16 * CHUNK, 17 * CHUNK - 1}
    | {n * CHUNK + more for n in (1, 2, 3, 8, 9) for more in (-1, 0, 1)}
    | {CHUNK + 16, CHUNK + 17}
)


def piped(message, *words):
    return subprocess.run([str(word) for word in words], input=message, stdout=subprocess.PIPE, check=True).stdout


@suite("quick", cpu_seconds=30)
def test_sealing_age(folder):
    opens_what_the_other_sealed(folder, age())


@suite("release", cpu_seconds=30)
def test_sealing_rage(folder):
    opens_what_the_other_sealed(folder, RAGE)


@suite("quick", cpu_seconds=5)
def test_sealing_age_post_quantum(folder):
    opens_what_the_other_sealed(folder, age(), "--post-quantum", lengths=[0, 100, CHUNK])
    other, identity, text = folder / "other", folder / "identity", folder / "text"
    run(age().parent / "age-keygen", "-pq", "-o", other)
    recipient = output(age().parent / "age-keygen", "-y", other).strip()
    assert piped(piped(b"text", command(), "seal", "-r", recipient), command(), "open", "-i", other) == b"text"
    # With X25519, a quantum computer would open the file.
    status, error = attempt(
        command(), "seal", "-r", recipient, "-r", output(command(), "keygen", "--age", folder / "x").strip(), text
    )
    assert status == 2 and "'age1pq1…' cannot be used with others" in error
    sealed = folder / "sealed-to-other"
    sealed.write_bytes(piped(b"text", command(), "seal", "-r", recipient))
    status, error = attempt(command(), "open", "-i", identity, sealed)
    assert status == 1 and "not sealed to any of these identities" in error


def opens_what_the_other_sealed(folder, other, *kind, lengths=LENGTHS):
    """What one seals, the other opens, with and without armour, from files and in pipes."""
    assert len(LENGTHS) == 30
    hornet = command()
    identity, text, sealed = (folder / name for name in ("identity", "text", "sealed"))
    recipient = output(hornet, "keygen", "--age", *kind, identity).strip()
    for length in lengths:
        message = os.urandom(length)
        text.write_bytes(message)
        for armor in [], ["-a"]:
            run(hornet, "seal", "-r", recipient, *armor, "-o", sealed, "--force", text)
            assert piped(b"", other, "-d", "-i", identity, sealed) == message
            sealed.unlink()
            run(other, "-r", recipient, *armor, "-o", sealed, text)
            assert piped(b"", hornet, "open", "-i", identity, sealed) == message
            ours = piped(message, hornet, "seal", "-r", recipient, *armor)
            assert piped(ours, other, "-d", "-i", identity) == message
            theirs = piped(message, other, "-r", recipient, *armor)
            assert piped(theirs, hornet, "open", "-i", identity) == message


def vector(path):
    """Return what a vector states, and its file."""
    head, _, content = path.read_bytes().partition(b"\n\n")
    stated = defaultdict(list)
    for line in head.decode().splitlines():
        name, value = line.split(": ", 1)
        stated[name].append(value)
    return stated, zlib.decompress(content) if stated["compressed"] else content


@suite("quick", cpu_seconds=30)
def test_sealing_vectors(folder):
    sealed, key, to = folder / "sealed", folder / "key", folder / "to"
    key.touch(0o600)
    counts = Counter()
    for path in vectors():
        stated, content = vector(path)
        expected = stated["expect"][0]
        sealed.write_bytes(content)
        key.write_text("\n".join(stated["identity"] or stated["passphrase"] or ["AGE-SECRET-KEY-1"]) + "\n")
        by = "--passphrase-file" if stated["passphrase"] and not stated["identity"] else "--identity"
        if not stated["identity"] and not stated["passphrase"]:
            key.unlink()
            run(command(), "keygen", "--age", key)
        words = [command(), "open", by, key]
        to.unlink(missing_ok=True)
        found = subprocess.run([*words, sealed], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        status, _ = attempt(*words, "-o", to, sealed)
        wanted = 0 if expected == "success" else 1
        assert (found.returncode, status, to.exists()) == (wanted, wanted, wanted == 0), (path.name, found.stderr)
        digest = hashlib.sha256(found.stdout).hexdigest()
        if expected == "success":
            assert digest == hashlib.sha256(to.read_bytes()).hexdigest() == stated["payload"][0], path.name
        elif expected != "payload failure":
            assert found.stdout == b"", path.name
        elif stated["payload"]:
            assert digest == stated["payload"][0], path.name
        counts[expected] += 1
    print(counts)
    assert counts.total() == 147
    assert counts == {
        "success": 26,
        "header failure": 62,
        "armor failure": 26,
        "no match": 13,
        "payload failure": 19,
        "HMAC failure": 1,
    }
