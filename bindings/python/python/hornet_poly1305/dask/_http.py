# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Stores over HTTP. No server is trusted to answer what it was asked: every response must be of the version that was
listed, and of the range that was requested.

A name is the path of a URL without its percent escapes: what a mounted copy has it called. Folders are listed by the pages
that servers generate for them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from html.parser import HTMLParser
from typing import Any, TypeVar
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

import aiohttp
from fsspec.asyn import sync
from tenacity import AsyncRetrying

from hornet_poly1305.dask._items import Failed, Item
from hornet_poly1305.dask._stores import (
    _CHUNK_BYTES,
    CHANGED,
    Object,
    Other,
    Reading,
    Store,
    Unread,
    _pin,
    _Progress,
    decoded,
    reason,
    retrying,
    tells_version,
)

# How often what a folder has is asked again after a transient error, and how much at once.
_RETRIES, _AT_ONCE = 3, 16
# The longest page of a folder, and the longest path: a server may link folders without end.
_PAGE_BYTES, _PATH_BYTES = 64 << 20, 4096
_TRANSIENT = (408, 425, 429)

_T = TypeVar("_T")


class _Folder(Exception):
    """A URL is that of a folder."""


class _NoListing(Failed):
    """A page does not list a folder."""


class HttpStore(Store):
    """A server. Each response tells the version that it is of."""

    def __init__(self, root: str, options: dict[str, Any]) -> None:
        """Prepare the session. A connection that is silent for long is given up, whatever its length in all."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=30)
        client = {"timeout": timeout} | options.get("client_kwargs", {})
        super().__init__(root, {"allow_redirects": False} | options | {"client_kwargs": client, "encoded": True})

    def path(self, name: bytes) -> str:
        """Return the URL of a name."""
        below = b"" if name == b"." else name.removeprefix(b"./")
        return f"{self.base}/{quote(below)}"

    def _pin_of(self, response: aiohttp.ClientResponse, size: int) -> bytes:
        return _pin(size, response.headers.get("ETag"), response.headers.get("Last-Modified"))

    @contextlib.asynccontextmanager
    async def _response(self, method: str, url: str, **headers: str) -> AsyncIterator[aiohttp.ClientResponse]:
        """Yield a response that has content. Raises _Folder if the server says that the URL is one."""
        session = await self.fs.set_session()
        options = dict(self.fs.kwargs)
        options["headers"] = {**options.get("headers", {}), "Accept-Encoding": "identity", **headers}
        try:
            async with session.request(method, self.fs.encode_url(url), **options) as response:
                _check(response, url)
                yield response
        except aiohttp.TooManyRedirects:
            raise Failed("redirected without end") from None

    async def _patiently(self, ask: Callable[[], Awaitable[_T]]) -> _T:
        async def asked() -> _T:
            return await ask()

        result: _T = await AsyncRetrying(**retrying(_RETRIES, (Failed, FileNotFoundError, _Folder)))(asked)
        return result

    def _wait(self, coroutine: Callable[..., Coroutine[Any, Any, _T]], *arguments: object) -> _T:
        result: _T = sync(self.fs.loop, coroutine, *arguments)
        return result

    def list(self, argument: str) -> Iterator[Object | Other | Unread]:
        """Yield what is at and below an argument: a folder if it ends in a slash, or if the server says so."""
        name = os.fsencode(argument)
        top = name.rstrip(b"/")
        if name == top != b".":
            try:
                yield self._wait(self._described, name)
                return
            except _Folder:
                pass
        folders = [top]
        while folders:
            folder = folders.pop()
            try:
                names = self._wait(self._listed, folder)
            except Exception as error:
                if folder == top:
                    raise
                yield Unread(folder, reason(error))
                continue
            if not names:
                yield Other(folder, "folder")
            files = []
            for name, problem in names.items():
                if problem is not None:
                    yield Unread(name, problem)
                elif name.endswith(b"/"):
                    folders.append(name[:-1])
                else:
                    files.append(name)
            for name, found in zip(files, self._wait(self._described_all, files), strict=True):
                match found:
                    case _Folder():
                        folders.append(name)
                    case Object():
                        yield found
                    case _:
                        yield Unread(name, reason(found))

    def find(self, name: bytes, argument: bytes) -> Object | None:
        """Return the object of this name, or None if there is none."""
        try:
            return self._wait(self._described, name)
        except (FileNotFoundError, _Folder):
            return None

    async def _described_all(self, names: Sequence[bytes]) -> Sequence[Object | BaseException]:
        limit = asyncio.Semaphore(_AT_ONCE)

        async def one(name: bytes) -> Object:
            async with limit:
                return await self._described(name)

        return await asyncio.gather(*map(one, names), return_exceptions=True)

    async def _described(self, name: bytes) -> Object:
        """Return the object. Raises _Folder if the name is of one."""
        url = self.path(name)
        try:
            found, is_page = await self._patiently(lambda: self._asked("HEAD", name))
        except (FileNotFoundError, _Folder):
            raise
        except Exception:  # not all servers answer HEAD, nor all with a size
            found, is_page = await self._patiently(lambda: self._asked("GET", name))
        # A page may be a folder's, of a server that does not redirect to the URL with a slash.
        if is_page and found.size <= _PAGE_BYTES:
            with contextlib.suppress(_NoListing):
                await self._patiently(lambda: self._page(url, url + "/", name))
                raise _Folder
        return found

    async def _asked(self, method: str, name: bytes) -> tuple[Object, bool]:
        """Return the object, from the head of a response, and whether it is in HTML."""
        async with self._response(method, self.path(name)) as response:
            size = _length(response)
            if response.status != 200 or size is None:
                raise Failed("the server does not tell its size")
            return Object(name, size, self._pin_of(response, size)), response.content_type == "text/html"

    async def _listed(self, folder: bytes) -> dict[bytes, str | None]:
        if len(folder) > _PATH_BYTES:
            raise Failed("its path is too long: its page may be its own entry")
        url = self.path(folder).rstrip("/") + "/"
        return await self._patiently(lambda: self._page(url, url, folder))

    async def _page(self, url: str, folder_url: str, folder: bytes) -> dict[bytes, str | None]:
        """Return the names that a page lists, those of folders with a slash at the end, and what is wrong with them."""
        async with self._response("GET", url) as response:
            if response.status != 200 or response.content_type != "text/html":
                raise _NoListing(f"a folder, of which the server gives no page that lists it ({response.content_type})")
            is_chunked = "chunked" in response.headers.get("Transfer-Encoding", "").lower()
            if _length(response) is None and not is_chunked:
                raise Failed("the server does not say where the page of this folder ends")
            text = bytearray()
            async for data in response.content.iter_chunked(_CHUNK_BYTES):
                text += data
                if len(text) > _PAGE_BYTES:
                    raise Failed("the page of this folder is too long")
            page_url = str(response.url)
        return _names(bytes(text), page_url, folder_url, folder, url == folder_url)

    def _read(self, item: Item, progress: _Progress, reading: Reading) -> None:
        try:
            while not self._wait(self._stream, item, progress, reading):
                pass
        except _Folder:
            raise Failed(CHANGED) from None

    async def _stream(self, item: Item, progress: _Progress, reading: Reading) -> bool:
        """Evaluate a response, and return whether it was the last: servers may send less than was requested."""
        is_whole = item.length == item.size
        has_version = tells_version(item)
        if not has_version:
            if not is_whole:
                raise Failed(f"the server tells no version (ETag, Last-Modified), so it is read at once: {_part(item)}")
            progress.restart()
        start = item.offset + progress.done + len(progress.waiting)
        end = until = item.offset + item.length
        if start == end and item.length:
            return True
        ranged = {} if is_whole and start == 0 else {"Range": f"bytes={start}-{end - 1}"}
        async with self._response("GET", self.path(item.name), **ranged) as response:
            if response.status == 206:
                first, last, size = _range(response)
                if first != start or not start <= last < end:
                    raise Failed(f"the server sent bytes {first}-{last} for {start}-{end - 1}")
                until = last + 1 if has_version else end
            else:
                length = _length(response)
                size = item.size if length is None else length
            if self._pin_of(response, size) != item.pin:
                raise Failed(CHANGED)
            if response.status == 200 and ranged:
                if not is_whole:
                    raise Failed(f"the server ignores ranges, so it is read at once: {_part(item)}")
                progress.restart()
                start = 0
            async for data in response.content.iter_chunked(_CHUNK_BYTES):
                reading.bytes_read += len(data)
                start += len(data)
                if start > until:
                    raise Failed("the server sent more than was requested")
                progress.take(data)
        if start < until:
            raise OSError(f"a response was {until - start} bytes shorter than announced")
        return start == end


def _part(item: Item) -> str:
    return f"use --part {-(-item.size // 16) * 16}"


def _check(response: aiohttp.ClientResponse, url: str) -> None:
    """Raise what a response without the content of the URL stands for."""
    status = response.status
    is_redirection = 300 <= status < 400
    moved = response.headers.get("Location") if is_redirection else str(response.url) if response.history else None
    if moved is not None:
        asked, there = urlsplit(url), urlsplit(urljoin(url, moved))
        if there.netloc == asked.netloc and unquote_to_bytes(there.path) == unquote_to_bytes(asked.path) + b"/":
            raise _Folder
        # A query may be secret.
        to = f"{there.scheme}://{there.netloc.rpartition('@')[2]}{there.path}"
        if is_redirection:
            raise Failed(f"redirected to {to}: use that URL, or --option allow_redirects=true")
        if there.path.endswith("/") and not asked.path.endswith("/"):
            raise Failed(f"redirected to the folder {to}")
    if status in (404, 410):
        raise FileNotFoundError("no object is there or below")
    if status == 416:
        raise Failed(CHANGED)
    if status in _TRANSIENT or status >= 500:
        raise OSError(f"the server answered {status} {response.reason}")
    if status not in (200, 206):
        raise Failed(f"the server answered {status} {response.reason}")
    encoding = response.headers.get("Content-Encoding", "").lower()
    if encoding not in ("", "identity"):
        raise Failed(f"the server compresses it ({encoding}), and was asked not to")


def _length(response: aiohttp.ClientResponse) -> int | None:
    text = response.headers.get("Content-Length", "")
    return int(text) if re.fullmatch(r"\d{1,18}", text, re.ASCII) else None


def _range(response: aiohttp.ClientResponse) -> tuple[int, int, int]:
    """Return the first and the last byte, and the size of the object."""
    text = response.headers.get("Content-Range", "")
    found = re.fullmatch(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})", text.strip(), re.ASCII)
    if not found:
        raise Failed(f"the server sent parts of it without saying which ({text or response.content_type})")
    first, last, size = map(int, found.groups())
    return first, last, size


class _Links(HTMLParser):
    """The links of a page, and its title."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.title = ""
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take the target of a link."""
        self._in_title = tag == "title"
        if tag == "a" and (link := dict(attrs).get("href")) is not None:
            self.links.append(link)

    def handle_data(self, data: str) -> None:
        """Take the title."""
        if self._in_title:
            self.title += data


def _names(
    text: bytes, page_url: str, folder_url: str, folder: bytes, is_link_up_enough: bool
) -> dict[bytes, str | None]:
    """Return what the page of a folder lists. Raises _NoListing if it links to other places of the server, as pages that
    people write do, or to nothing without saying that it lists a folder.
    """
    parser = _Links()
    parser.feed(text.decode(errors="surrogateescape"))
    parser.close()
    host, path = urlsplit(folder_url)[1:3]
    above = [unquote_to_bytes(part) for part in path.split("/")[:-1]]
    names: dict[bytes, str | None] = {}
    is_listing = re.match(r"\s*(index of|directory listing for) /", parser.title, re.IGNORECASE) is not None
    # A page that says so is no object, either.
    kind = Failed if is_listing else _NoListing
    for link in parser.links:
        there = urlsplit(urljoin(page_url, link))
        if there.scheme in ("mailto", "javascript") or (there.scheme in ("http", "https") and there.netloc != host):
            continue
        parts = there.path.encode(errors="surrogateescape").split(b"/")
        slash = b"/" if parts[-1] == b"" else b""
        parts = parts[:-1] if slash else parts
        plain = [unquote_to_bytes(part) for part in parts]
        if plain == above[: len(plain)]:
            # To the folder itself, sorted otherwise, or to one above.
            is_listing |= is_link_up_enough and plain != above
        elif plain[:-1] == above and not there.query:
            try:
                names[os.path.join(folder, decoded(parts[-1])) + slash] = None
            except ValueError as error:
                names[os.path.join(folder, parts[-1])] = str(error)
        else:
            raise kind(f"a folder, whose page does not just list it, but links to {there.path}")
    if not names and not is_listing:
        raise _NoListing("a folder, whose page lists nothing")
    return names
