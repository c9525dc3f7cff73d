# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What workers need and nothing else may show: r, the key of answers, and what opens the store."""

from __future__ import annotations

import base64
import html
import json
import os
import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn
from urllib.parse import quote, quote_plus, unquote, urlsplit

import cloudpickle
import fsspec

from hornet_poly1305 import Evaluation, InvalidTag, XChaCha20Poly1305
from hornet_poly1305._native import escaped
from hornet_poly1305.dask._items import NONCE_BYTES

R_BYTES, KEY_BYTES = 16, 32
_TAG_BYTES = 16
SECRET_BYTES = R_BYTES + KEY_BYTES
# The longest reason, and the shortest value that is taken for a credential: shorter ones are parts of words.
_REASON_CHARACTERS, _LEAF_CHARACTERS = 500, 4
_HIDDEN = "***"
# The user and password of any URL, and its query, in which stores sign requests.
_USER = re.compile(r"(?<=://)[^/?#\s]*@")
_QUERY = re.compile(r"(://[^\s?'\"<>]*\?)[^\s'\"<>]+")
_SECRET_NAME = re.compile(r"KEY|SECRET|TOKEN|PASS|CREDENTIAL|CONNECTION_STRING", re.IGNORECASE)


class WorkerError(Exception):
    """A worker cannot do what it was asked to. Its text is the reason, without secrets; it refers to nothing else."""


class Secrets:
    """What a run's tasks need. It shows nothing of that, and leaves a process only sealed."""

    __slots__ = ("_secret", "options", "root")

    def __init__(self, secret: bytes | bytearray, root: str, options: dict[str, Any]) -> None:
        """Hold r and the key of answers, one after the other, and what opens the store. A bytearray is taken over."""
        self._secret = secret if isinstance(secret, bytearray) else bytearray(secret)
        self.root, self.options = root, options

    def __repr__(self) -> str:
        return "<secrets of a run>"

    def __reduce_ex__(self, _protocol: object) -> NoReturn:
        """Refuse to be pickled or copied, also when an exception refers to them."""
        raise TypeError("secrets of a run are not pickled or copied")

    def seal(self, key: bytes, run: bytes) -> bytes:
        """Return them as bytes that only holders of the key can read: Dask may log what it sends and calls."""
        plaintext = self._secret + cloudpickle.dumps((self.root, self.options))
        nonce = os.urandom(NONCE_BYTES)
        try:
            return nonce + XChaCha20Poly1305(key).encrypt(nonce, plaintext, run)
        finally:
            wipe(plaintext)

    @classmethod
    def open(cls, sealed: bytes, key: bytes, run: bytes) -> Secrets:
        """Return what was sealed. Raises WorkerError."""
        plaintext = bytearray(max(0, len(sealed) - NONCE_BYTES - _TAG_BYTES))
        try:
            XChaCha20Poly1305(key).decrypt_into(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], run, plaintext)
            with memoryview(plaintext) as view:
                root, options = cloudpickle.loads(view[SECRET_BYTES:])
            return cls(plaintext[:SECRET_BYTES], root, options)
        except InvalidTag:
            raise WorkerError("what came is not sealed for this worker and run") from None
        finally:
            wipe(plaintext)

    def evaluation_and_cipher(self) -> tuple[Evaluation, XChaCha20Poly1305]:
        """Return what holds r, and what holds the key of answers; here they are wiped."""
        r, key = self._secret[:R_BYTES], self._secret[R_BYTES:]
        try:
            return Evaluation(r), XChaCha20Poly1305(key)
        finally:
            for each in (r, key, self._secret):
                wipe(each)

    def wipe(self) -> None:
        """Overwrite r and the key of answers."""
        wipe(self._secret)

    def scrubbed(self, text: str) -> str:
        """Return text, such as a store's library says, without credentials: the options', this process's, and any URL's."""
        environment = [value for name, value in os.environ.items() if _SECRET_NAME.search(name)]
        leaves = {*_leaves(self.options), *_leaves(fsspec.config.conf), *environment, *_parts_of_url(self.root)}
        forms = {form for leaf in leaves if len(leaf) >= _LEAF_CHARACTERS for form in _forms(leaf)}
        # Not by expressions, which Python would keep.
        for form in sorted(forms, key=len, reverse=True):
            text = text.replace(form, _HIDDEN)
        return without_credentials(text)


def on_one_line(text: str) -> str:
    """Return text on one line, escaped as names are."""
    return escaped(" ".join(text.split()).encode(errors="surrogateescape"))


def without_credentials(text: str) -> str:
    """Return text without the user, password and query of any URL."""
    return _QUERY.sub(rf"\1{_HIDDEN}", _USER.sub(f"{_HIDDEN}@", text))


def wipe(secret: bytearray) -> None:
    """Overwrite a secret with zeros."""
    secret[:] = bytes(len(secret))


def told(error: BaseException, scrubbed: Callable[[str], str] | None = None) -> str:
    """Return why something failed, on a line, without what the exception refers to. What it says is part of that only if it
    can be scrubbed.
    """
    for one in (error, error.__cause__):
        if isinstance(one, ModuleNotFoundError) and one.name:
            return f"{one.name} is not installed there"
    said = ""
    if scrubbed is not None:
        try:
            said = " ".join(scrubbed(str(error)).split())[:_REASON_CHARACTERS]
        except Exception:  # of the exception's own
            said = ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _leaves(value: object, depth: int = 6) -> Iterator[str]:
    """Yield what may be credentials in options."""
    if depth == 0 or value is None or isinstance(value, bool):
        return
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple, set, frozenset)):
        for each in value:
            yield from _leaves(each, depth - 1)
    elif isinstance(value, (bytes, bytearray)):
        yield from _leaves(value.decode(errors="surrogateescape"), depth)
    elif isinstance(value, (str, int, float)):
        text = str(value)
        if re.match(r"[A-Za-z][\w+.-]*://", text):
            yield from _parts_of_url(text)
            return
        yield text
        # A connection string.
        yield from (part.partition("=")[2] for part in re.split(r"[;&\s]", text))
    elif hasattr(value, "__dict__"):
        yield from _leaves(vars(value), depth - 1)


def _parts_of_url(url: str) -> Iterator[str]:
    """Yield what may be credentials in a URL: not its host and path, which say what has failed."""
    parts = urlsplit(url)
    for part in (parts.username, parts.password, *(each.partition("=")[2] for each in parts.query.split("&"))):
        if part:
            yield from (part, unquote(part))


def _forms(value: str) -> set[str]:
    """Return how a value may be written."""
    data = value.encode(errors="surrogateescape")
    encoded = [base64.b64encode(data), base64.urlsafe_b64encode(data), data.hex().encode()]
    reprs = [
        repr(value)[1:-1],
        repr(repr(value))[2:-2],
        repr(data)[2:-1],
        repr(repr(data))[3:-2],
        json.dumps(value)[1:-1],
    ]
    quoted = [quote(data, safe=""), quote(data), quote_plus(data), html.escape(value)]
    forms = {value, *reprs, *quoted} | {each.decode().rstrip("=") for each in encoded}
    return forms | {on_one_line(form) for form in forms}
