# SPDX-License-Identifier: Apache-2.0 OR MIT
"""All pages: links, what they request, and whether they fit a window; contrast and what else axe finds; keys and search."""

import html
import re
import urllib.parse
from pathlib import Path

import pytest
from conftest import OTHERS, ROOT, SITE, own_pages, pages
from playwright.sync_api import BrowserContext, Page

WIDTHS = 360, 1280
AXE = ROOT / "tools/site/node_modules/axe-core/axe.min.js"
MEGABYTES = 40
# How far the page reaches, or what is in it and cannot be scrolled: Furo's page hides what is too wide for a narrow window.
WIDEST = """() => {
    const scrolls = (one) => one !== null && !one.matches("body, .content, .article-container, article") &&
        (["auto", "scroll"].includes(getComputedStyle(one).overflowX) || scrolls(one.parentElement));
    const far = [...document.querySelectorAll(".content *")]
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !scrolls(one))
        .map((one) => Math.round(one.getBoundingClientRect().right));
    return Math.max(document.documentElement.scrollWidth, ...far);
}"""
# What the search must find, and a page that must be among the first ten.
WORDS = {
    "hornet_chacha20_poly1305_seal": "reference/c/hornet.html",
    "NewUnauthenticatedCipher": "reference/go/chacha20.html",
    "CountingNonces": "reference/rust/hornet/nonce/struct.CountingNonces.html",
    "encrypt_into": "reference/python/hornet_poly1305.html",
    "xSeal": "reference/javascript/functions/xSeal.html",
    "retag": "reference/command/hornet-retag.html",
    "minisign": "docs/guides/verify.html",
    "bitmap": "docs/incremental.html",
    "crypto_onetimeauth": "docs/migrating.html",
    "getrandom": "examples/random_nonces.html",
}


def anchors(text: str) -> set[str]:
    """Return the ids of a page, and the same without percent-encoding, as browsers find them."""
    pairs = re.findall(r"""<[^<>]*?\sid=(?:"([^"]*)"|([^"\s>]+))""", text)
    found = {html.unescape(quoted or bare) for quoted, bare in pairs}
    return {"", "top", *found, *map(urllib.parse.unquote, found)}


def targets(text: str) -> set[str]:
    found = re.findall(r"""<(?:a|img|link|script|source)\b[^<>]*?\s(?:href|src)="([^"]+)""", text)
    return {html.unescape(one) for one in found}


def test_size() -> None:
    size = sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file())
    assert size <= MEGABYTES * 1_000_000, f"{size} bytes"


def test_links() -> None:
    """Each link within the site leads to a file, and to an anchor that is there."""
    texts = {path: (SITE / path).read_text(encoding="utf-8") for path in pages()}
    known = {path: anchors(text) for path, text in texts.items()}
    count, broken = 0, []
    for path, text in texts.items():
        for target in targets(text):
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            file = (SITE / path).parent / urllib.parse.unquote(parts.path) if parts.path else SITE / path
            name = str(Path(*file.resolve().relative_to(SITE).parts)) if SITE in file.resolve().parents else ""
            anchor = urllib.parse.unquote(parts.fragment)
            # rustdoc's scripts make the lines of sources anchors, and sections of implementations.
            by_script = "/src/" in name and re.fullmatch(r"[\d-]+", anchor)
            if not file.is_file() or (name in known and not by_script and anchor not in known[name]):
                broken.append(f"{path}: {target}")
    assert count > 10_000 and not broken, f"of {count} links, {len(broken)} broken: {broken[:20]}"


def visited() -> list[str]:
    """Return the pages that are opened: of those that show sources, and that other tools made, each twentieth. Those that only
    lead to another page could go there at any time."""
    others = [path for path in pages() if path.startswith((*OTHERS, "source/")) and "/src/" not in path]
    leads = re.compile(r"<meta\s+http-equiv=.?refresh", re.I)
    return [path for path in own_pages() + others[::20] if not leads.search((SITE / path).read_text(encoding="utf-8"))]


@pytest.fixture
def watched(context: BrowserContext, base: str) -> tuple[Page, list[str]]:
    """A page, and what goes wrong in it: requests to elsewhere, answers other than 200, and exceptions."""
    page, wrong = context.new_page(), []

    def asked(route) -> None:
        if route.request.url.startswith((base, "data:", "blob:")):
            route.continue_()
        else:
            wrong.append(f"{page.url} requests {route.request.url}")
            route.abort()

    context.route("**/*", asked)
    page.on("response", lambda answer: answer.status >= 400 and wrong.append(f"{answer.status} {answer.url}"))
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
    return page, wrong


def test_requests_and_overflow(watched: tuple[Page, list[str]], base: str) -> None:
    """No page requests anything from elsewhere, or is wider than the window."""
    page, wrong = watched
    visits = visited()
    for path in visits:
        page.goto(base + path)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wide = page.evaluate(WIDEST)
            # Pages of other tools are theirs to fit.
            if wide > width and not path.startswith((*OTHERS, "lab/study/report")):
                wrong.append(f"{path}: {wide} of {width} pixels")
    assert len(visits) > 100 and not wrong, f"of {len(visits)} pages, {len(wrong)}: {wrong[:20]}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(browser, base: str, scheme: str) -> None:
    """axe finds nothing that contradicts WCAG 2 A and AA, contrast included. Of references and measurements, and in dark, some are tried."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    page, wrong = context.new_page(), []
    guides = [path for path in own_pages() if path.startswith(("docs/", "examples/", "results/")) or "/" not in path]
    others = [path for path in own_pages() if path not in guides]
    chosen = [*guides, *others[::4]] if scheme == "light" else [*guides[::4], *others[::8]]
    assert len(chosen) >= 12
    for path in chosen:
        page.goto(base + path)
        page.add_script_tag(path=AXE)
        found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa'], resultTypes: ['violations']})")
        for one in found["violations"]:
            wrong.append(f"{path}: {one['id']}: {one['nodes'][0]['target']} {one['nodes'][0]['failureSummary']}")
    context.close()
    assert not wrong, f"{len(wrong)}: " + "\n".join(wrong[:12])


def focused(page: Page) -> str:
    return page.evaluate("document.activeElement.getAttribute('name') ?? document.activeElement.tagName")


def test_keyboard(context: BrowserContext, base: str) -> None:
    """Without a mouse: the box of the search, what it finds, and the CPU whose results are shown."""
    page = context.new_page()
    page.goto(f"{base}index.html")
    for _ in range(6):
        page.keyboard.press("Tab")
        if focused(page) == "q":
            break
    page.keyboard.type("clamp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/find.html?q=clamp")
    page.wait_for_selector(".pagefind-ui__result-link")
    for _ in range(4):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.className").startswith("pagefind-ui__result-link"):
            break
    target = page.evaluate("document.activeElement.href")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(re.escape(target.partition("#")[0])))

    page.goto(f"{base}results/index.html")
    shown = "[...document.querySelectorAll('#results > section')].filter((one) => !one.hidden).map((one) => one.id)"
    before = page.evaluate(shown)
    assert len(before) == 1
    for _ in range(200):
        page.keyboard.press("Tab")
        if focused(page) == "SELECT":
            break
    page.keyboard.press("ArrowDown")
    after = page.evaluate(shown)
    assert len(after) == 1 and after != before


def test_without_scripts(browser, base: str) -> None:
    """All results are there, and all references."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{base}results/index.html")
    sections = page.locator("#results > section")
    assert sections.count() >= 5 and all(one.is_visible() for one in sections.all())
    page.goto(f"{base}find.html")
    page.get_by_role("link", name="references", exact=True).click()
    assert page.title().startswith("References")
    context.close()


@pytest.mark.parametrize("word", WORDS)
def test_search(context: BrowserContext, base: str, word: str) -> None:
    page = context.new_page()
    page.goto(f"{base}find.html?q={word}")
    page.wait_for_selector(".pagefind-ui__result-link")
    page.click(".pagefind-ui__button") if page.locator(".pagefind-ui__button").count() else None
    page.wait_for_timeout(300)
    links = page.eval_on_selector_all(".pagefind-ui__result-link", "all => all.map((one) => one.href)")
    found = [link.removeprefix(base).partition("#")[0] for link in links]
    assert WORDS[word] in found, found
