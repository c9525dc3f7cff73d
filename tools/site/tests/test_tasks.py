# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Five tasks: each is at most two clicks from the first page, and what is shown there runs as it stands.

test.sh has built the library in build/sphinx/library and the Python package in build/sphinx/python.
"""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT
from playwright.sync_api import BrowserContext, Page

WORK = ROOT / "build/sphinx"


@pytest.fixture
def first(context: BrowserContext, base: str) -> Page:
    page = context.new_page()
    page.goto(f"{base}index.html")
    return page


def click(page: Page, name: str) -> None:
    page.locator("article").get_by_role("link", name=name, exact=True).first.click()


def shown(page: Page, below: str = "") -> list[str]:
    """Return the blocks of code of the page, or of the section with this title."""
    scope = page.locator("article")
    if below:
        scope = page.locator(f"article section:has(> :is(h1, h2, h3):text-matches('^{re.escape(below)}#?$'))").last
    return [block.inner_text() for block in scope.locator("pre").all()]


def run(*words: object, cwd: Path, status: int = 0, **env: object) -> str:
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=os.environ | {name: str(value) for name, value in env.items()},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def test_seal_a_file_in_c(first: Page, tmp_path: Path) -> None:
    click(first, "Seal a file in C")
    (code,) = shown(first, "C")
    (tmp_path / "files.c").write_text(code)
    text = os.urandom(200_000)
    (tmp_path / "text").write_bytes(text)
    link = [f"-I{ROOT}/include", WORK / "library/libhornet.a", "-pthread"]
    run("cc", "-o", "files", "files.c", *link, cwd=tmp_path)
    run("./files", "seal", "key", "text", "sealed", cwd=tmp_path)
    run("./files", "open", "key", "sealed", "opened", cwd=tmp_path)
    assert (tmp_path / "opened").read_bytes() == text
    assert text[:100] not in (tmp_path / "sealed").read_bytes()


def test_open_packets_in_python(first: Page, tmp_path: Path) -> None:
    click(first, "Open packets in Python")
    (code,) = shown(first, "Python")
    (tmp_path / "packets.py").write_text(code)
    python = ROOT / "build/python/venv/bin/python"  # has NumPy
    said = run(python, "packets.py", cwd=tmp_path, PYTHONPATH=WORK / "python")
    assert said == "48 packets: 47 opened, packet 7 refused\n"


def test_swap_x_crypto(first: Page, tmp_path: Path) -> None:
    click(first, "Swap golang.org/x/crypto for Hornet")
    imports = first.locator("section#golang-org-x-crypto code").all_inner_texts()
    path = next(code for code in imports if code.endswith("/chacha20poly1305"))
    click(first, "a program, and how a module finds a checkout")
    blocks = shown(first)
    (program,) = [block for block in blocks if block.startswith("package main")]
    assert f'"{path}"' in program
    (lines,) = [block.splitlines() for block in blocks if "./hornet/bindings/go" in block]
    assert len(lines) == 2 and all(line.startswith("go mod ") for line in lines)
    (tmp_path / "main.go").write_text(program)
    (tmp_path / "hornet").symlink_to(ROOT)
    run("go", "mod", "init", "client", cwd=tmp_path)
    for line in lines:
        run("sh", "-c", line, cwd=tmp_path, GOPROXY="off", GOSUMDB="off", GOFLAGS="-mod=mod")
    assert "a message" in run("go", "run", ".", cwd=tmp_path, GOPROXY="off")


def test_verify_a_download(first: Page, tmp_path: Path) -> None:
    click(first, "Verify a download")
    (block,) = shown(first)
    lines = [line.partition("#")[0] for line in block.splitlines()]
    assert [line.split()[0] for line in lines] == ["minisign", "sha256sum"]
    (tmp_path / "archive.tar.gz").write_bytes(os.urandom(1000))
    run("sh", "-c", "sha256sum archive.tar.gz > SHA256SUMS", cwd=tmp_path)
    run("minisign", "-G", "-W", "-p", "hornet.pub", "-s", "secret", cwd=tmp_path)
    run("minisign", "-S", "-s", "secret", "-m", "SHA256SUMS", cwd=tmp_path)
    for line in lines:
        run("sh", "-c", line, cwd=tmp_path, file="archive.tar.gz")
    (tmp_path / "archive.tar.gz").write_bytes(b"another")
    run("sh", "-c", lines[1], cwd=tmp_path, status=1, file="archive.tar.gz")
    (tmp_path / "SHA256SUMS").write_text("another")
    run("sh", "-c", lines[0], cwd=tmp_path, status=1)


def test_tag_a_bucket(first: Page, tmp_path: Path) -> None:
    """The commands are those that bindings/python/cluster/tests/test_recipe.py runs with an S3 server; here, the first."""
    click(first, "Tag a bucket")
    assert first.url.endswith("#a-bucket-of-weights")
    block = shown(first, "A bucket of weights")[0]
    document = (ROOT / "docs/incremental.md").read_text()
    assert block in re.search(r"^### A bucket of weights\n+```sh\n(.*?)^```$", document, re.M | re.S)[1]
    tag, retag, check = block.splitlines()
    assert [shlex.split(line)[:2] for line in (tag, retag, check)] == [
        ["hornet-cluster", name] for name in ("tag", "retag", "check")
    ]
