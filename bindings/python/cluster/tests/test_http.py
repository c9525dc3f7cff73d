# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Stores over HTTP: whatever a server answers, what is tagged is what a mounted copy has, and all else is unread."""

import os
import re

import pytest
from conftest import PART, content, hornet, write_tree
from hornet_poly1305.dask import _manifest, _stores, check, retag, tag
from hornet_poly1305.dask._stores import split_url
from test_manifests import command
from web import Web

SMALL, BIG = 1000, 2 * PART + 1000
ONCE = rf"use --part {-(-BIG // 16) * 16}$"
# What servers do, and why an object of one part, and one of several, is unread; None if it is tagged.
FAULTS = {
    "none": (None, None),
    "no HEAD": (None, None),
    "503 at first": (None, None),
    "cut at first": (None, None),
    "cut at first, then ignored": (None, f"ignores ranges.*{ONCE}"),
    "no versions, less": ("requested 7 times", f"no version.*{ONCE}"),
    "ignored": (None, f"ignores ranges.*{ONCE}"),
    "no versions": (None, f"no version.*{ONCE}"),
    "no length of GET": (None, f"ignores ranges.*{ONCE}"),
    "wrong range": (None, r"sent bytes \d+-\d+ for \d+-\d+$"),
    "first bytes": (None, r"sent bytes 0-\d+ for \d+-\d+$"),
    "short range": (None, None),
    "no range told": ("without saying which", "without saying which"),
    "range without size": ("without saying which", "without saying which"),
    "odd range": ("without saying which", r"without saying which \(bytes \\xc2\\x9b31m\\xe2\\x80\\xae\)"),
    "several ranges": (r"without saying which \(multipart/byteranges\)",) * 2,
    "long": ("changed", "more than was requested"),
    "cut": ("requested 7 times",) * 2,
    "500": ("answered 500 .* 7 times",) * 2,
    "other ETag": ("changed",) * 2,
    "other time": ("changed",) * 2,
    "other length": ("changed",) * 2,
    "compressed": (r"compresses it \(gzip\)",) * 2,
    "always compressed": (r"compresses it \(gzip\)",) * 2,
    "no length": ("does not tell its size",) * 2,
    "moved": (r"redirected to http://127.0.0.1:\d+/elsewhere/file: use that URL",) * 2,
    "moved to a folder": (r"redirected to http://127.0.0.1:\d+/elsewhere/:",) * 2,
    "moved to another host": ("redirected to http://files.example/f: ",) * 2,
    "moved to itself": ("redirected to",) * 2,
    "moved to nowhere": ("answered 302",) * 2,
    "403": ("answered 403",) * 2,
    "404": ("no longer exists",) * 2,
    "gone": ("no longer exists",) * 2,
    "416": ("changed",) * 2,
    "201": ("answered 201",) * 2,
    "204": ("answered 204",) * 2,
    "418": ("answered 418",) * 2,
}


@pytest.fixture(autouse=True)
def impatient(cluster, monkeypatch):
    """Requests are repeated soon."""
    monkeypatch.setattr(_stores, "_DELAY_SECONDS", 0.001)
    cluster.client.run(lambda: setattr(_stores, "_DELAY_SECONDS", 0.001))
    yield
    cluster.client.run(lambda: setattr(_stores, "_DELAY_SECONDS", 0.1))


def test_servers_that_misbehave(keys, cluster, tmp_path):
    """Each fault, of objects of one part and of three: the tag is right, or the object is unread, and the reason tells."""
    sizes = {"s": SMALL, "b": BIG}
    files = {
        f"{kind}/{fault}".encode(): content(i, size) for kind, size in sizes.items() for i, fault in enumerate(FAULTS)
    }
    expected = {f"{kind}/{fault}".encode(): why[kind == "b"] for kind in sizes for fault, why in FAULTS.items()}
    with Web(files) as web:
        made = tag(f"{web.url}/", keys.path, cluster.client, PART)
        keys.assert_tags(made.text, {b"./" + name: files[name] for name, why in expected.items() if why is None})
        for name, why in expected.items():
            told = made.failed.pop(b"./" + name, None)
            assert (told is None) == (why is None) and re.search(why or "", told or ""), (name, told)
            assert told is None or (told.isprintable() and "secret" not in told)
        assert made.failed == {} and len(expected) == 74
        # What is read at once is read once, and what is refused is not read again and again.
        assert web.sent["/s/ignored"] == SMALL and web.sent["/b/ignored"] <= 3 * BIG
        assert web.gets[b"b/wrong range"] <= 3
        whole = [name for name in ("ignored", "no versions", "no length of GET", "cut at first")]
        urls = [f"{web.url}/b/{name}".replace(" ", "%20") for name in whole]
        before = web.sent["/b/ignored"]
        made = tag(urls, keys.path, cluster.client, -(-BIG // 16) * 16)
        keys.assert_tags(made.text, {f"b/{name}".encode(): files[f"b/{name}".encode()] for name in whole})
        assert web.sent["/b/ignored"] == before + BIG
        # The command says so too.
        _, error = command(
            "tag", "-k", keys.path, "-o", "m", *cluster.options(), f"{web.url}/s/moved", cwd=tmp_path, status=2
        )
        assert error.count("\n") == 1 and "redirected" in error and not (tmp_path / "m").exists()


def test_checkpoints_have_only_known_versions(keys, cluster, tmp_path, monkeypatch):
    """What a server tells no version of is read again: it may be another object by now."""
    checkpoint = tmp_path / "checkpoint"
    with Web({b"t/no versions": b"old", b"t/other": b"same"}) as web:

        def interrupted(*_):
            raise OSError("interrupted")

        with monkeypatch.context() as patch:
            patch.setattr(_manifest, "_write", interrupted)
            with pytest.raises(OSError, match="interrupted"):
                tag(f"{web.url}/t/", keys.path, cluster.client, checkpoint=checkpoint)
        web.files[b"t/no versions"] = b"new"
        made = tag(f"{web.url}/t/", keys.path, cluster.client, checkpoint=checkpoint)
    keys.assert_tags(made.text, web.files)
    assert made.summary.from_checkpoint == len("same")


def test_redirections_that_are_asked_for(keys, cluster):
    """allow_redirects is aiohttp's; a folder's page is still no object."""
    with Web(
        {b"x/moved": b"1", b"elsewhere/file": b"there", b"x/moved to itself": b"2", b"x/moved to a folder": b"3"}
    ) as web:
        made = tag(f"{web.url}/x/moved", keys.path, cluster.client, allow_redirects=True)
        keys.assert_tags(made.text, {b"x/moved": b"there"})
        for name, why in (("moved to itself", "without end"), ("moved to a folder", "redirected to the folder")):
            with pytest.raises(OSError, match=why):
                tag(f"{web.url}/x/{name}", keys.path, cluster.client, allow_redirects=True)


NAMES = [
    b"f1",
    b"a b",
    b"100%",
    b"a%20b",
    b"a?b",
    b"a#b",
    b"a&amp;b",
    b"a;b=c",
    b"a+b",
    b'"q"',
    b"\xc3\xa9",
    b"\xff",
    b"new\nline",
    b"deep/er/x",
    b"~",
    b"a:b",
]


def test_names_are_those_of_a_mounted_copy(keys, cluster, tmp_path):
    """Percent escapes are decoded, whether the URL is a folder's, with a slash or without, or an object's."""
    files = {b"t/" + name: content(i, 100 + i) for i, name in enumerate(NAMES)}
    write_tree(tmp_path, files)
    with Web(files) as web:
        for urls in (
            [f"{web.url}/t"],
            [f"{web.url}/t/"],
            [f"{web.url}/t/a%20b", f"{web.url}/t/f%31", f"{web.url}/t/%ff"],
        ):
            made = tag(urls, keys.path, cluster.client, output=tmp_path / "m", force=True)
            of = [b"t/a b", b"t/f1", b"t/\xff"] if len(urls) > 1 else files
            keys.assert_tags(made.text, {name: files[name] for name in of})
            assert not made.failed
            hornet("check", "-k", keys.path, *(["--strict"] if len(urls) == 1 else []), "m", cwd=tmp_path)
            assert check(made, keys.path, cluster.client, strict=True).is_ok
        web.files[b"t/a b"] = b"changed"
        newer = retag(tag(f"{web.url}/t", keys.path, cluster.client), [b"t/a b"], cluster.client)
        assert check(newer, keys.path, cluster.client, strict=True).is_ok


def page(*links, title="Index of /t"):
    text = f"<title>{title}</title>" + "".join(f'<a href="{link}">{link}</a>' for link in links)
    return 200, {"Content-Type": "text/html"}, text.encode()


def test_folders(keys, cluster):
    """What servers show for folders: listings are walked, and all else is refused or unread, but never an object."""
    files = {b"t/a": b"A", b"t/s/b": b"B"}
    for pages, expected, unread in [
        ({}, files, []),
        # Without a slash, and without a redirection: links are from the root.
        ({b"t": page("/t/a", "/t/s/")}, files, []),
        ({b"t/": page("/t/a", "/t/s"), b"t/s": page("/t/s/b", "/")}, files, []),
        ({b"t/": page("a", "/t/s"), b"t/s": page("b")}, {b"t/a": b"A"}, [(b"t/s", "links to /t/b")]),
        # Go's, nginx's, and links that browsers understand.
        ({b"t/": page("a", "s/", title="")}, files, []),
        ({b"t/": page("../", "a", "./s/", "?C=S&amp;O=A", "https://nginx.org/", "mailto:me@example.org")}, files, []),
        ({b"t/s/": page("../", title="")}, {b"t/a": b"A"}, []),
        ({b"t/s/": page(title="Directory listing for /t/s/")}, {b"t/a": b"A"}, []),
        # What is no listing.
        ({b"t/s/": page(title="")}, {b"t/a": b"A"}, [(b"t/s", "lists nothing")]),
        ({b"t/s/": page("b", "/static/help")}, {b"t/a": b"A"}, [(b"t/s", "links to /static/help")]),
        ({b"t/s/": page("b", "c/d")}, {b"t/a": b"A"}, [(b"t/s", "links to /t/s/c/d")]),
        ({b"t/s/": page("b", "b?raw=1")}, {b"t/a": b"A"}, [(b"t/s", "links to /t/s/b")]),
        ({b"t/s/": (200, {"Content-Type": "application/json"}, b"[]")}, {b"t/a": b"A"}, [(b"t/s", "application/json")]),
        ({b"t/s/": (403, {})}, {b"t/a": b"A"}, [(b"t/s", "403")]),
        ({b"t/s/": (404, {})}, {b"t/a": b"A"}, [(b"t/s", "no object is there")]),
        (
            {b"t/s/": (200, {"Content-Type": "text/html", "Content-Encoding": "gzip"}, b"")},
            {b"t/a": b"A"},
            [(b"t/s", "gzip")],
        ),
        (
            {b"t/s/": (200, {"Content-Type": "text/html", "Content-Length": "999"}, b"<a href=b>")},
            {b"t/a": b"A"},
            [(b"t/s", "")],
        ),
        (
            {b"t/s/": (200, {"Content-Type": "text/html", "Content-Length": None}, b"<a href=b>")},
            {b"t/a": b"A"},
            [(b"t/s", "where")],
        ),
        ({b"t/s/": (302, {"Location": "/login"})}, {b"t/a": b"A"}, [(b"t/s", "redirected to")]),
        # What names no path.
        (
            {b"t/": page("a", "..%2fb", "%2e%2e/", "b%00", "c%2Fd", "%ed%b3%bf", "absent")},
            {b"t/a": b"A"},
            [
                (b"t/%2e%2e", "no path"),
                (b"t/%ed%b3%bf", "not UTF-8"),
                (b"t/..%2fb", "slash"),
                (b"t/absent", "no object"),
            ]
            + [(b"t/b%00", "NUL"), (b"t/c%2Fd", "slash")],
        ),
    ]:
        with Web(files, pages) as web:
            made = tag(f"{web.url}/t", keys.path, cluster.client)
            keys.assert_tags(made.text, expected)
            told = sorted(made.failed.items())
            assert [name for name, _ in told] == [name for name, _ in unread], (pages, told)
            assert all(why in reason for (_, why), (_, reason) in zip(unread, told)), told
    for pages, why in [
        ({b"t/": page(title="")}, "lists nothing"),
        ({b"t/": (403, {})}, "403"),
        ({b"t/": page("a", "/static/help")}, "links to"),
    ]:
        with Web(files, pages) as web, pytest.raises(OSError, match=f"^{web.url}/t: .*{why}"):
            tag(f"{web.url}/t", keys.path, cluster.client)
    # A page that somebody wrote is an object, and one that lists itself ends.
    text = page("/other", "https://example.org/", title="A story")[2]
    with Web({b"p.html": text}, {b"p.html": (200, {"Content-Type": "text/html", "ETag": "1"}, text)}) as web:
        keys.assert_tags(tag(f"{web.url}/p.html", keys.path, cluster.client).text, {b"p.html": text})
    with Web({}) as web:
        web.pages = type(
            "", (dict,), {"__contains__": lambda *_: True, "__getitem__": lambda *_: page("abcdefgh" * 20 + "/")}
        )()
        made = tag(f"{web.url}/x/", keys.path, cluster.client)
        assert ["its path is too long" in reason for reason in made.failed.values()] == [True]


def test_urls(keys):
    """What a URL names, and what is refused."""
    for url, expected in [
        ("http://h:1/a%20b", ("http://h:1", "a b")),
        ("https://h/a%2520b/", ("https://h", "a%20b/")),
        ("http://h", ("http://h", ".")),
        ("http://h/", ("http://h", ".")),
        ("http://h/%ff/100%", ("http://h", os.fsdecode(b"\xff/100%"))),
        ("http://h/a b/\u00e9", ("http://h", "a b/\u00e9")),
        ("http://h/a@b:c", ("http://h", "a@b:c")),
        ("s3://b/a%20b/", ("s3://b", "a%20b")),
    ]:
        assert split_url(url) == expected
    for url, why in [
        ("http://h/a?signature=secret", "http://h/a: no path has a query"),
        ("http://h/a#secret", "http://h/a: no path has a query"),
        ("http://h/../a", "has an empty component, . or .."),
        ("http://h/%2e%2e/a", "has an empty component, . or .."),
        ("http://h//a", "has an empty component, . or .."),
        ("http://h/a%2fb", "an escaped slash or NUL"),
        ("http://h/a%00b", "an escaped slash or NUL"),
        ("http://h/%ed%b3%bf", "not UTF-8"),
        ("http://", "no host"),
        ("http://user:secret@h/a", "password"),
        ("https://secret@h/a", "password"),
        ("sftp://user:secret@h/a", "password"),
    ]:
        with pytest.raises(ValueError, match=re.escape(why)) as caught:
            split_url(url)
        assert "secret" not in str(caught.value)
