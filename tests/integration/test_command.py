# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The tags that `make run` prints, those in its manifest, and those of files of many lengths, compared with openssl's."""

import os
import re
import subprocess

from support import ROOT, output, run, suite
from support.products import command

LENGTHS = [0, 1, 15, 16, 17, 255, 256, 383, 384, 1000, 4097, 65535, 65536, 65537, 1048576, 2999999]


def poly1305(key, message):
    """Return a tag in hex, as openssl computes it."""
    words = ["openssl", "mac", "-macopt", f"hexkey:{key.hex()}", "-in", "-", "Poly1305"]
    return subprocess.run(words, input=message, stdout=subprocess.PIPE, check=True).stdout.decode().strip().lower()


def aes(key, nonces):
    """Encrypt each nonce, with openssl, and return the blocks."""
    words = ["openssl", "enc", "-aes-128-ecb", "-K", key.hex(), "-nopad"]
    blocks = subprocess.run(words, input=b"".join(nonces), stdout=subprocess.PIPE, check=True).stdout
    return [blocks[i : i + 16] for i in range(0, len(blocks), 16)]


def key_file(path):
    path.write_bytes(os.urandom(32))
    path.chmod(0o600)
    return path


@suite("quick", cpu_seconds=30)
def test_command_demo(folder):
    run("make", "--silent", "command", "library")
    key = key_file(folder / "key")
    demo = output("tools/demo.sh", key, folder / "kept").splitlines()
    assert poly1305(key.read_bytes(), (ROOT / "build/hornet").read_bytes()) in demo
    assert "hornet/README.md: CHANGED" in demo
    assert "hornet/new: EXTRA" in demo
    check_manifest(folder / "kept")


def check_manifest(kept):
    """Compute Poly1305-AES of each file, and the seal, as docs/manifest.md describes it."""
    manifest = (kept / "manifest").read_text()
    body, nonce, tag = re.fullmatch(r"(.*\n)seal (\w{32}) (\w{32})\n", manifest, re.DOTALL).groups()
    rows = re.findall(r"^([0-9a-f]{32}) ([0-9a-f]{32})  (.*)$", body, re.M)
    files = [(kept / path).read_bytes() for _, _, path in rows]
    key = bytes.fromhex(re.search("^key (.{64})$", (kept / "keyfile").read_text(), re.M)[1])
    pads = aes(key[:16], [bytes.fromhex(nonce) for nonce in [*(row[0] for row in rows), nonce]])
    messages = [*files, body.encode()]
    expected = [poly1305(key[16:] + pad, message) for pad, message in zip(pads, messages, strict=True)]
    differ = [path for (_, tag, path), right in zip(rows, expected[:-1], strict=True) if tag != right]
    # The demo alters this file.
    assert differ == ["hornet/README.md"]
    assert tag == expected[-1]
    # It covers every file of the project except symbolic links.
    tracked = output("git", "ls-files", "--stage").splitlines()
    assert len(rows) == sum(not line.startswith("120000") for line in tracked)


@suite("quick", cpu_seconds=20)
def test_command_tags(folder):
    """Every kernel that runs here tags files of all lengths."""
    kernels = re.findall("^([a-z0-9]+) .* yes", output(command(), "info"), re.M)
    assert kernels
    key = key_file(folder / "key")
    for length in LENGTHS:
        message = os.urandom(length)
        (folder / "file").write_bytes(message)
        expected = poly1305(key.read_bytes(), message)
        for kernel in kernels:
            tag = output(command(), "mac", "--kernel", kernel, "--key-file", key, folder / "file").strip()
            assert tag == expected, f"kernel {kernel}, length {length}"
