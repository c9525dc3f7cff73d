# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Passphrases that are typed on a terminal: hornet and age open what the other sealed."""

import os
import subprocess

import pytest
from integration.sealing.peers import RAGE, age
from integration.sealing.terminals import typed
from support import suite
from support.products import command

PASSPHRASE = "correct horse ü"


@pytest.fixture(name="asks")
def asks_(folder):
    """Return what runs hornet, with what is typed."""
    (folder / "t").write_bytes(os.urandom(100_000))

    def run(lines, *words, stdin=b""):
        ended = typed(lines, command(), *words, cwd=folder, stdin=stdin)
        print("hornet", *words, ended.status, repr(ended.shown), ended.stderr)
        assert not any(line.strip() and line.strip() in ended.shown + ended.stderr for line in lines)
        return ended

    return run


@suite("quick", cpu_seconds=20)
def test_sealing_passphrases(folder, asks):
    text, twice = (folder / "t").read_bytes(), [PASSPHRASE, PASSPHRASE]
    sealed = asks(twice, "seal", "-p", "-o", "z", "t")
    assert (sealed.status, sealed.stderr) == (0, "")
    assert sealed.shown.split("\r\n") == ["Passphrase: ", "Again: ", ""]
    opened = asks([PASSPHRASE], "open", "-p", "z")
    assert (opened.status, opened.stdout, opened.shown) == (0, text, "Passphrase: \r\n")
    # The text comes by a pipe, of which nothing is taken for a passphrase.
    sealed = asks(twice, "seal", "-p", stdin=text)
    assert asks([PASSPHRASE], "open", "-p", stdin=sealed.stdout).stdout == text

    wrong = asks(["correct horse u"], "open", "-p", "-o", "o", "z")
    assert (wrong.status, wrong.stderr) == (1, "hornet: z: the passphrase is another\n")
    for lines, words, why in (
        ([""], ["open", "-p", "-o", "o", "z"], "is empty"),
        ([""], ["seal", "-p", "-o", "o", "t"], "is empty"),
        ([PASSPHRASE, PASSPHRASE[1:]], ["seal", "-p", "-o", "o", "t"], "the two differ"),
        ([PASSPHRASE, ""], ["seal", "-p", "-o", "o", "t"], "the two differ"),
        # The end of the input, in place of a line.
        (["\x04"], ["open", "-p", "-o", "o", "z"], "is empty"),
    ):
        ended = asks(lines, *words)
        assert (ended.status, ended.stdout, ended.stderr) == (2, b"", f"hornet: passphrase: {why}\n")
    # Ended while it asks.
    assert asks(["\x03"], "open", "-p", "-o", "o", "z").status == -2
    assert asks([PASSPHRASE, "\x03"], "seal", "-p", "-o", "o", "t").status == -2
    assert sorted(os.listdir(folder)) == ["t", "z"]

    alone = subprocess.run(
        [command(), "open", "-p", "z"], cwd=folder, capture_output=True, text=True, start_new_session=True, check=False
    )
    assert alone.returncode == 2 and "passphrase: no terminal to ask on" in alone.stderr


@suite("quick", cpu_seconds=20)
def test_sealing_age_passphrases(folder, asks):
    opens_what_the_other_sealed(folder, asks, age())


@suite("release", cpu_seconds=30)
def test_sealing_rage_passphrases(folder, asks):
    opens_what_the_other_sealed(folder, asks, RAGE)


def opens_what_the_other_sealed(folder, asks, other):
    """Check that hornet and age, or a command like it, open what the other sealed with a passphrase."""
    text = (folder / "t").read_bytes()
    for armor in [], ["-a"]:
        twice = [PASSPHRASE, PASSPHRASE]
        assert asks(twice, "seal", "-p", *armor, "-o", "z", "--force", "t").status == 0
        ended = typed([PASSPHRASE], other, "-d", "-o", "o", "z", cwd=folder)
        assert (ended.status, (folder / "o").read_bytes()) == (0, text), ended
        (folder / "o").unlink()
        ended = typed(twice, other, "-p", *armor, "-o", "y", "t", cwd=folder)
        assert ended.status == 0, ended
        assert asks([PASSPHRASE], "open", "-p", "y").stdout == text
        (folder / "y").unlink()
