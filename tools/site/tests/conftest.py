# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The site in build/site, a server for it, and Chromium."""

import functools
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

ROOT = Path(__file__).resolve().parents[3]
SITE = ROOT / "build/site"
# Made by other tools: rustdoc, pdoc and typedoc. Of these, some pages are visited; of all, links are followed.
OTHERS = tuple(f"reference/{folder}/" for folder in ("rust", "python", "javascript"))


def pages() -> list[str]:
    """Return the paths of all pages."""
    return sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*.html"))


def own_pages() -> list[str]:
    """Return the paths of the pages that Sphinx made, without those that show a source or list a folder."""
    return [path for path in pages() if not path.startswith((*OTHERS, "source/", "_", "lab/study/report"))]


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def base() -> Iterator[str]:
    """The address of the first page's folder."""
    handler = functools.partial(Handler, directory=SITE)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    # Debian's, which the tests of the npm package use too. Its sandbox does not work for root.
    with sync_playwright() as playwright:
        options = ["--no-sandbox"] if os.getuid() == 0 else []
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=options)
        yield chromium
        chromium.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1280, "height": 900})
    yield made
    made.close()
