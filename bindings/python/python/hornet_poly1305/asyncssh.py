# SPDX-License-Identifier: Apache-2.0 OR MIT
"""asyncssh with this package's chacha20-poly1305@openssh.com, which it offers first by default:

    import asyncssh
    import hornet_poly1305.asyncssh

    hornet_poly1305.asyncssh.install()

Nothing else changes: what follows, clients and servers alike, is asyncssh's. asyncssh has no public interface for ciphers, so
install() replaces one entry of its private table, and refuses versions of asyncssh with which that was not checked.
"""

import asyncssh
from asyncssh import encryption

from hornet_poly1305._exceptions import InvalidTag
from hornet_poly1305._native import SSHCipher

__all__ = ["install", "uninstall"]

# The versions that were checked.
_FIRST, _LAST = (2, 18), (2, 24)
_ALGORITHM, _CIPHER = b"chacha20-poly1305@openssh.com", "chacha20-poly1305"


class _Encryption(encryption.ChachaEncryption):
    """What asyncssh makes for each direction after each key exchange."""

    def __init__(self, key: bytes) -> None:
        cipher = SSHCipher(key)
        self._packet_length, self._seal, self._open = cipher.packet_length, cipher.seal, cipher.open

    @classmethod
    def new(
        cls, cipher_name: str, key: bytes, iv: bytes, mac_alg: bytes = b"", mac_key: bytes = b"", etm: bool = False
    ) -> "_Encryption":
        return cls(key)

    def encrypt_packet(self, seq: int, header: bytes, packet: bytes) -> tuple[bytes, bytes]:
        # The header is the length of the packet. The caller sends the sum: a tag apart would be two copies.
        return self._seal(seq, packet), b""

    def decrypt_header(self, seq: int, first_block: bytes, header_len: int) -> tuple[bytes, bytes]:
        return first_block, self._packet_length(seq, first_block).to_bytes(4, "big")

    def decrypt_packet(self, seq: int, first: bytes, rest: bytes, header_len: int, mac: bytes) -> bytes | None:
        try:
            return self._open(seq, first + rest + mac)
        except (InvalidTag, ValueError):  # ValueError: shorter than a packet, after a length that was not authentic
            return None


def install() -> None:
    """Let asyncssh use SSHCipher from the next key exchange on, in all connections of the process.

    Raises RuntimeError if asyncssh is a version with which that was not checked, or lacks the algorithm itself.
    """
    if not _FIRST <= tuple(map(int, asyncssh.__version__.split(".")[:2])) <= _LAST:
        first, last = (".".join(map(str, version)) for version in (_FIRST, _LAST))
        raise RuntimeError(
            f"hornet_poly1305.asyncssh was checked with asyncssh {first} to {last}, and this is {asyncssh.__version__}"
        )
    if _ALGORITHM not in encryption._enc_params:
        raise RuntimeError(f"asyncssh does not offer {_ALGORITHM.decode()} here: its cryptography has no Poly1305")
    encryption._enc_params[_ALGORITHM] = (_Encryption, _CIPHER)


def uninstall() -> None:
    """Let asyncssh use its own cipher from the next key exchange on."""
    if _ALGORITHM in encryption._enc_params:
        encryption._enc_params[_ALGORITHM] = (encryption.ChachaEncryption, _CIPHER)
