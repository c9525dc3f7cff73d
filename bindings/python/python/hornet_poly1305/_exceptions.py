# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The exceptions: cryptography's own where it is installed, so that programs that catch these need no change."""

try:
    from cryptography.exceptions import AlreadyFinalized, InvalidSignature, InvalidTag
except ImportError:

    class AlreadyFinalized(Exception):  # type: ignore[no-redef]
        """A message in pieces has ended."""

    class InvalidSignature(Exception):  # type: ignore[no-redef]
        """A message does not have this tag."""

    class InvalidTag(Exception):  # type: ignore[no-redef]
        """A ciphertext is not authentic."""


__all__ = ["AlreadyFinalized", "InvalidSignature", "InvalidTag"]
