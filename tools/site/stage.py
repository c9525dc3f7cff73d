#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes the pages of the site as Markdown, for Sphinx: tools/site/stage.py FOLDER COMMAND

The documents keep their paths, and change in nothing but links: one to a source leads to a page that shows it. What else there
is, is made from the tree: counts, results, references and examples. COMMAND is the hornet command, which writes its man pages.
tools/site/build.sh calls this, with the Python of the tests, because results are read by lab/.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from lab.bench import page as bench  # noqa: E402
from lab.report import results  # noqa: E402
from tools import manual  # noqa: E402

HERE = "tools/site"
# The tasks of which there is a program in each language: its name, and what it shows.
TASKS = {
    "seal_and_open": "Seal and open a message",
    "random_nonces": "Random nonces",
    "pieces": "One message in pieces",
    "packets": "Packets",
    "files": "Files",
    "verify": "Verify",
}
# Folders of examples/, the title and the ends of names.
LANGUAGES = {
    "c": ("C", "c"),
    "rust": ("Rust", "rs"),
    "go": ("Go", "go"),
    "python": ("Python", "py"),
    "javascript": ("JavaScript", "js"),
}
# The folders of packages, and their titles in the list beside every page: some have the same name.
PACKAGES = {
    "rust/hornet": "Rust",
    "rust/hornet-age": "Rust: headers of age",
    "rust/hornet-key-file": "Rust: key files",
    "rust/hornet-manifest": "Rust: manifests",
    "rustls": "Rust: rustls",
    "go": "Go",
    "python": "Python",
    "js": "JavaScript",
    "openssl": "OpenSSL",
}
# Lexers of Pygments by the ends of names.
LEXERS = {"c": "c", "h": "c", "def": "c", "cc": "cpp", "py": "python", "rs": "rust", "go": "go", "toml": "toml"}
LEXERS |= {"sh": "sh", "js": "js", "ts": "ts", "json": "json", "patch": "diff", "cnf": "ini"}
# The bytes of the longest source that has a page. What is longer is copied.
LONGEST = 40_000

LINK = re.compile(r"(!?)(\[(?:[^\]\[]|\[[^\]]*\])*\])\((?!(?!site:)\w+:)([^)#\s]*)(#[^)\s]+)?\)")


def tracked() -> list[str]:
    """Return the paths of the tree, of files that will be committed too."""
    lines = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    lines.check_returncode()
    return sorted({line for line in lines.stdout.splitlines() if (ROOT / line).exists()})


class Site:
    """The folder that is written, and what has been written into it."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.tree = tracked()
        self.documents = [path for path in self.tree if path.endswith(".md") and not path.startswith(f"{HERE}/")]
        self.folders = {str(parent) for path in self.tree for parent in Path(path).parents} - {"."}
        self.sources: set[str] = set()  # whose pages are still to be written
        self.made: set[str] = set()

    def write(self, path: str, text: str) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        self.made.add(path)

    def copy(self, path: str) -> None:
        # Sphinx copies pages of HTML as they are, from a folder of their own.
        target = (self.folder.parent / "extra" if path.endswith(".html") else self.folder) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / path).read_bytes())

    def link(self, source: str, page: str, target: str) -> str:
        """Return where a link of the file `source` leads in the page `page`: to another page, or a file that is copied."""
        path = os.path.normpath(os.path.join(os.path.dirname(source), target)) if target else source
        if target.startswith("site:"):
            path = target.removeprefix("site:")  # a page that is made
        elif path in self.documents:
            pass
        elif f"{path}/README.md" in self.documents:
            path = f"{path}/README.md"
        elif (task := task_of(path)) in TASKS:
            path = f"examples/{task}.md"
        elif path.endswith((".svg", ".html")) or (ROOT / path).is_file() and (ROOT / path).stat().st_size > LONGEST:
            self.copy(path)
        elif (ROOT / path).exists() or path in self.folders:
            self.sources.add(path)
            path = f"source/{path}/index.md" if path in self.folders else f"source/{path}.md"
        return os.path.relpath(path, os.path.dirname(page) or ".")

    def linked(self, source: str, text: str, page: str) -> str:
        """Return the text with links that work in the page."""

        def replaced(match: re.Match) -> str:
            image, label, target, anchor = match[1], match[2], match[3], match[4] or ""
            if not target and source == page:
                return match[0]
            made = self.link(source, page, target)
            if made.endswith(".html"):
                inner = re.sub(r"`([^`]*)`", r"<code>\1</code>", label[1:-1])
                return f'<a href="{made}{anchor}">{inner}</a>'
            if made.startswith("../" * made.count("../") + "source/") or "/source/" in made:
                anchor = ""
            return f"{image}{label}({made}{anchor})"

        # Not in blocks of code.
        parts = re.split(r"(^(?:```|~~~).*?^(?:```|~~~)$)", text, flags=re.M | re.S)
        return "".join(part if i % 2 else LINK.sub(replaced, part) for i, part in enumerate(parts))

    def document(self, source: str, page: str) -> None:
        """Write a Markdown file of the tree as a page."""
        text = (ROOT / source).read_text()

        def included(match: re.Match) -> str:
            path = os.path.normpath(os.path.join(os.path.dirname(source), match[1]))
            whole = (ROOT / path).read_text()
            start = whole.index(match[2])
            return self.linked(path, whole[start : whole.index(match[3], start)], page)

        def copied(match: re.Match) -> str:
            path = os.path.normpath(os.path.join(os.path.dirname(source), match[1]))
            self.copy(path)
            return f"```{{literalinclude}} {os.path.relpath(path, os.path.dirname(page) or '.')}"

        text = self.linked(source, text, page)
        text = re.sub(r"<!-- include (\S+) from \"(.*?)\" to \"(.*?)\" -->", included, text)
        self.write(page, re.sub(r"```\{literalinclude\} (\S+)", copied, text))

    def source_pages(self) -> None:
        """Write the pages of sources to which links lead."""
        done: set[str] = set()
        while self.sources - done:
            for path in sorted(self.sources - done):
                done.add(path)
                if path in self.folders:
                    self.folder_page(path)
                else:
                    self.copy(path)
                    kind = LEXERS.get(path.rpartition(".")[2], "text")
                    up = "../" * (path.count("/") + 1)
                    included = f"```{{literalinclude}} {up}{path}\n:language: {kind}\n```\n"
                    self.write(f"source/{path}.md", f"---\norphan: true\n---\n\n# {path}\n\n{included}")

    def folder_page(self, path: str) -> None:
        page = f"source/{path}/index.md"
        names = {one.removeprefix(f"{path}/").partition("/")[0] for one in self.tree if one.startswith(f"{path}/")}
        lines = []
        for name in sorted(names):
            inner = f"{path}/{name}"
            # The pages of folders list all, but not every source has a page.
            if inner in self.sources or inner in self.documents or f"{inner}/README.md" in self.documents:
                lines.append(
                    f"- [`{name}`]({self.link(inner, page, '') if inner in self.documents else self.link('x', page, inner)})\n"
                )
            else:
                lines.append(f"- `{name}`\n")
        self.write(page, f"---\norphan: true\n---\n\n# {path}/\n\n{''.join(lines)}")


def task_of(path: str) -> str | None:
    """Return the task of an example, if it is one."""
    for folder, (_, end) in LANGUAGES.items():
        if match := re.fullmatch(rf"examples/{folder}/(\w+)\.{end}", path):
            return match[1]
    return None


# Counts.


def counts() -> dict[str, object]:
    """Return numbers that pages mention, from the files that have them."""
    proofs = claims = 0
    for suite, table in tomllib.loads((ROOT / "coconut/prove/expected.toml").read_text()).items():
        # The suites of `make prove QUICK=1` are parts of others.
        for one in () if "quick" in suite else pairs(table):
            proofs, claims = proofs + one[0], claims + one[1]
    evidence = (ROOT / "docs/evidence.md").read_text()
    return {
        "proofs": f"{proofs:,}",
        "claims": f"{claims:,}",
        "assumptions": len(re.findall(r"^\| [A-Z]\d+ \|", (ROOT / "docs/SOUNDNESS.md").read_text(), re.M)),
        "evidence": len(re.findall(r"^\| (?!-|claim )", evidence, re.M)),
        "other_runs": len(RUNS) - 1,
    }


def pairs(table: dict | list) -> Iterator[list[int]]:
    """Return the numbers of proofs and of claims in a table, or in the tables in it."""
    if isinstance(table, list):
        yield table
    else:
        for inner in table.values():
            yield from pairs(inner)


# Results.

RUNS = sorted((ROOT / "lab/bench/results").glob("*.json"))


def results_page(site: Site) -> None:
    """A section for each run, of which static/site.js shows the one that the reader chooses."""
    text = "# Results\n\nHornet beside other libraries, by `make -C lab bench`: [what is measured, and how](lab/bench/README.md).\n"
    text += (
        "A ratio is Hornet's time to that of the fastest other library at the same length; below 1, Hornet is faster.\n"
    )
    for run in RUNS:
        all_ = results.load(run)
        base = results.base_name(all_)
        busy = ", beside a busy thread" if all_.get("sibling") == "busy" else ""
        text += f"\n## {results.title(all_['machine'])}{busy}\n\nMeasured on {all_['date']}; "
        text += f"[all tables and figures](lab/bench/results/{base}.md).\n"
        titles = {name: title for name, title, _ in bench.draw(all_)}
        for section in all_["sections"]:
            of = section["section"]
            text += f"\n### {bench.SECTIONS[of]}\n"
            shown = (("aead-ratio", "aead-sweep", "ChaCha20-Poly1305, sealed"), ("ratio", "sweep", "Poly1305 alone"))
            for kind, group, what in shown:
                name = f"{of}-{kind}"
                if name not in titles:
                    continue
                series = next(results.find(all_, of, group))
                table = bench.of_series(series).partition("\n\n")[2]
                text += f"\n**{what}**\n\n![{titles[name]}](lab/bench/results/{base}-{name}.svg)\n\n{table}"
    site.write("results/index.md", site.linked("index.md", text, "results/index.md"))


# References.


def c_text(text: str, pages: dict[str, str], here: str) -> str:
    """Return a comment of a header as Markdown, with links to what it names."""
    made = ""

    def prose(part: str) -> str:
        part = re.sub(r"([*<\[\]\\])", r"\\\1", part)

        def named(match: re.Match) -> str:
            name = match[0]
            if name not in pages:
                return name
            target = f"{pages[name]}#{name}" if not name.endswith(".h") else pages[name]
            return f"[`{name}`]({target.removeprefix(here) if pages[name] == here and '#' in target else target})"

        return re.sub(r"\bhornet\w*(?:\.h)?\b(?!`)|\bHORNET_\w+\b", named, part)

    for kind, part in manual.paragraphs(text):
        if kind == "code":
            made += f"```text\n{part}\n```\n\n"
        elif kind == "item":
            made += f"- {prose(' '.join(part.split()))}\n"
        else:
            made += f"{prose(part)}\n\n"
    return re.sub(r"(?m)^(- .*\n)(?!- |\n)", r"\1\n", made)


def c_reference(site: Site) -> list[str]:
    pages = {}
    for header in manual.ALL:
        pages[header.name] = f"{header.name.removesuffix('.h')}.md"
        pages |= {one.name: pages[header.name] for one in header.declarations}
    for header in manual.ALL:
        here = pages[header.name]
        text = f"# C: {header.name}\n\n```c\n#include <{header.name}>\n```\n\n{c_text(header.text, pages, here)}\n"
        for group in header.groups:
            text += f"## {group.title or 'Other declarations'}\n\n{c_text(group.text, pages, here)}\n"
            constants = [one for one in group.members if one.kind == "constant"]
            if constants:
                text += "| constant | value | |\n|---|---|---|\n"
                for one in constants:
                    about = c_text(one.text, pages, here).strip()
                    text += f'| <span id="{one.name}"></span>`{one.name}` | `{one.code}` | {about} |\n'
                text += "\n"
            for one in group.members:
                if one.kind != "constant":
                    code = manual.wrapped(one.code) if one.kind == "function" else one.code
                    text += f"### {one.name}\n\n```c\n{code}\n```\n\n{c_text(one.text, pages, here)}\n"
        text = re.sub(r"\]\((?:[\w.]+)?#(HORNET_\w+)\)", r"]", text)
        site.write(f"reference/c/{here}", re.sub(r"\[(`HORNET_\w+`)\](?!\()", r"\1", text))
    return [f"reference/c/{pages[header.name]}" for header in manual.ALL]


def command_reference(site: Site, command: Path) -> list[str]:
    """The man pages of the command, as mandoc writes them."""
    made = []

    def led(name: re.Match) -> str:
        return f'<a href="{name[1]}.html">{name[1]}({name[2]})</a>' if f"{name[1]}.{name[2]}" in names else name[0]

    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([command, "generate", "man", folder], check=True)
        names = sorted(path.name for path in Path(folder).iterdir())
        for name in names:
            html = subprocess.run(
                ["mandoc", "-T", "html", "-O", "fragment,man=%N.html;", f"{folder}/{name}"],
                stdout=subprocess.PIPE, text=True, check=True,
            ).stdout  # fmt: skip
            # Only its own pages are there, in the same folder. Headings begin below that of the page.
            html = re.sub(r'<table class="(head|foot)">.*?</table>', "", html, flags=re.S)
            for reference in r'<a class="Xr" href="[^"]*">([\w-]+)\((\d)\)</a>', r"<b>(hornet-\w+)</b>\((\d)\)":
                html = re.sub(reference, led, html)
            html = re.sub(r"(</?)h(\d)", lambda tag: f"{tag[1]}h{int(tag[2]) + 1}", html)
            html = re.sub(r"\n{2,}", "\n", html)
            stem = name.removesuffix(".1")
            title = stem.replace("-", " ", 1)
            site.write(f"reference/command/{stem}.md", f"# {title}\n\n```{{raw}} html\n{html}\n```\n")
            made.append(f"reference/command/{stem}.md")
    return made


def go_reference(site: Site) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["go", "run", f"{HERE}/go_reference.go", "bindings/go", folder], cwd=ROOT, check=True)
        made = sorted(Path(folder).iterdir())
        for path in made:
            site.write(f"reference/go/{path.name}", path.read_text())
    return [f"reference/go/{path.name}" for path in made]


def toctree(caption: str, pages: list[str], page: str) -> str:
    """Return a part of the list beside every page. A page may be given with its title there: "title <path>"."""

    def relative(path: str) -> str:
        return os.path.relpath(path, os.path.dirname(page) or ".").removesuffix(".md")

    lines = [re.sub(r"([^<>]+\.md)(?=>|$)", lambda path: relative(path[1]), one) for one in pages]
    listed = "\n".join(lines)
    return f"\n```{{toctree}}\n:caption: {caption}\n:maxdepth: 1\n:hidden:\n\n{listed}\n```\n"


def reference_index(site: Site, command: Path) -> None:
    """What is made elsewhere, by the tools of other languages, is linked by its path."""
    page = "reference/index.md"
    c, go, commands = c_reference(site), go_reference(site), command_reference(site, command)

    def listed(paths: list[str]) -> str:
        names = [(path, (site.folder / path).read_text().partition("\n")[0].partition(" ")[2]) for path in paths]
        return "".join(
            f"- [{name.rpartition(': ')[2]}]({os.path.relpath(path, 'reference')})\n" for path, name in names
        )

    text = "# References\n\nEach is made from what its package ships. [Search](../find.md) searches all of them.\n"
    text += (
        f"\n## C\n\n{listed(c)}\n`make install` installs the same as man pages of section 3, one for each function.\n"
    )
    text += "\n## Rust\n\n"
    for path in site.tree:
        if not re.fullmatch(r"bindings/(rust/[\w-]+|rustls)/src/lib\.rs", path):
            continue
        manifest = tomllib.loads((ROOT / path).parents[1].joinpath("Cargo.toml").read_text())
        if manifest["package"].get("publish", True):
            name = manifest.get("lib", {}).get("name", manifest["package"]["name"].replace("-", "_"))
            about = manifest["package"]["description"]
            text += f'- <a href="rust/{name}/index.html"><code>{name}</code></a>: {about}\n'
    text += f"\n## Go\n\n{listed(go)}"
    text += '\n## Python\n\n- <a href="python/hornet_poly1305.html"><code>hornet_poly1305</code></a>\n'
    text += '\n## JavaScript\n\n- <a href="javascript/index.html"><code>hornet-poly1305</code></a>\n'
    text += f"\n## Command\n\n{listed(commands)}"
    site.write(page, text + toctree("References", [*c, *go, *commands], page))


def examples(site: Site) -> list[str]:
    """A page for each task, with the program of each language that has one."""
    made = []
    for task, title in TASKS.items():
        text = ""
        for folder, (language, end) in LANGUAGES.items():
            path = f"examples/{folder}/{task}.{end}"
            if path in site.tree:
                site.copy(path)
                text += (
                    f"\n## {language}\n\n`{path}`\n\n```{{literalinclude}} ../{path}\n:language: {LEXERS[end]}\n```\n"
                )
        if text:
            made.append(f"examples/{task}.md")
            site.write(made[-1], f"# {title}\n\nEach program checks its own results, and is run by a test.\n{text}")
    return made


SEARCH = """# Search

All pages, sources, and the references of all languages.

```{raw} html
<link rel="stylesheet" href="pagefind/pagefind-ui.css">
<div id="search"></div>
<script src="pagefind/pagefind-ui.js"></script>
<script src="_static/search.js"></script>
<noscript>The search needs JavaScript; all pages are in the list beside this one, and in <a href="reference/index.html">references</a>.</noscript>
```
"""


def main() -> int:
    folder, command = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    site = Site(folder)
    for document in site.documents:
        site.document(document, document)
    results_page(site)
    reference_index(site, command)
    shown = examples(site)
    site.document(f"{HERE}/index.md", "index.md")
    site.write("find.md", SEARCH)
    guides = ["docs/migrating.md", *(f"docs/guides/{name}.md" for name in ("shapes", "keys-and-nonces", "verify"))]
    guides += ["docs/scale-out.md", "docs/incremental.md"]
    documents = [path for path in site.documents if re.fullmatch(r"docs/\w[\w-]*\.md", path) and path not in guides]
    documents.sort(key=lambda path: path != "docs/README.md")
    packages = [f"{name} <bindings/{folder}/README.md>" for folder, name in PACKAGES.items()]
    lab = [path for path in site.documents if path.startswith("lab/") and path.endswith("/README.md")]
    index = site.folder / "index.md"
    text = index.read_text()
    text += toctree("Guides", guides, "index.md") + toctree("Examples", shown, "index.md")
    text += toctree("Results and references", ["results/index.md", "reference/index.md", "find.md"], "index.md")
    text += toctree("Packages", ["README <README.md>", *packages], "index.md") + toctree(
        "Documents", documents, "index.md"
    )
    text += toctree("Lab", lab, "index.md")
    index.write_text(text)
    site.source_pages()
    (folder / "counts.json").write_text(json.dumps(counts()))
    print(f"{len(site.made)} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
