#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Combine the library into one file, hornet.c, with its headers beside it: `cc -O2 -c hornet.c` builds it.

    tools/amalgamate.py FOLDER

The sources follow one another, with each include replaced by the included file: headers once, except the templates that
each kernel includes again. In the tree, every kernel is a translation unit, and all of them define the same names. Here,
each name that a kernel's file or its templates define gets the names of primitive and kernel: fe_mul becomes
poly1305_fe_mul_avx2, and LANES becomes poly1305_LANES_avx2. tests/unit/test_scope.py shows that none is left out.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
HEADERS = sorted((ROOT / "include").glob("*.h"))

# Included wherever they are requested, which may be in a condition.
ALWAYS = {
    "core/intrinsics.h",
    "core/target_begin.h",
    "core/target_end.h",
    "core/kernel_list.h",
    "aes/by_instructions.h",
    "aead/long_chunk.h",
}

# Included by each kernel again.
TEMPLATES = {
    "poly1305/kernel_begin.h",
    "poly1305/kernel_end.h",
    "poly1305/lanes.h",
    "poly1305/field.h",
    "poly1305/scalar_field.h",
    "aead/stitched.h",
}
TEMPLATE_FOLDERS = ("poly1305/lanes/", "poly1305/field/", "poly1305/horner/", "chacha20/lanes/", "chacha20/layouts/")

INCLUDE = re.compile(r'#include "([^"]+)"')
TOKEN = re.compile(
    r"(?P<space>\s+|/\*.*?\*/|//[^\n]*)"
    r'|(?P<text>"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')'
    r"|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<other>->|\.\.\.|.)",
    re.DOTALL,
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*", re.MULTILINE | re.DOTALL)
# A name that already contains the kernel's: here, all do.
NAMED = re.compile(r"^#define (\w+) +HORNET_KERNEL_NAME\(\w+, \1\)\n", re.MULTILINE)


def name_in_source(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def is_template(path: Path) -> bool:
    name = name_in_source(path)
    return name in TEMPLATES or name.startswith(TEMPLATE_FOLDERS)


def included_files(path: Path) -> list[Path]:
    """Return the files that a file includes by quoted names, in order."""
    found = INCLUDE.findall(path.read_text(encoding="utf-8"))
    return [(path.parent / name).resolve() for name in found]


def uses_templates(path: Path) -> bool:
    return any(file not in HEADERS and (is_template(file) or uses_templates(file)) for file in included_files(path))


def tokens_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each token that is neither space nor comment."""
    for found in TOKEN.finditer(text):
        if found.lastgroup != "space":
            yield str(found.lastgroup), found[0]


def declarations(text: str) -> Iterator[list[tuple[str, str]]]:
    """Yield the tokens of each declaration at file scope. What is in braces is left out, except for enumerators."""
    without_comments = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    declaration: list[tuple[str, str]] = []
    depth = 0
    for kind, token in tokens_of(DIRECTIVE.sub("", without_comments)):
        if token == "{":
            if depth == 0:
                is_enum = "enum" in (before for _, before in declaration[-2:])
                is_function = declaration[-1][1] == ")"
                declaration.append((kind, token))
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 0:
                declaration.append((kind, token))
                if is_function:
                    yield declaration
                    declaration = []
        elif depth == 0 and token == ";":
            yield declaration
            declaration = []
        elif depth == 0 or (depth == 1 and is_enum):
            declaration.append((kind, token))
        if depth < 0:
            break
    if depth != 0 or declaration:
        sys.exit(f"{sys.argv[0]}: a declaration does not end: {' '.join(token for _, token in declaration)[:200]}")


def without_groups(declaration: list[tuple[str, str]], opening: str, closing: str) -> list[tuple[str, str]]:
    """Leave out the groups in brackets of one kind, and put an empty group in their place."""
    depth, left = 0, []
    for kind, token in declaration:
        depth += token == opening
        if depth == 0 or (depth == 1 and token == opening):
            left.append((kind, token))
        depth -= token == closing
        if depth == 0 and token == closing:
            left.append((kind, token))
    return left


def names_declared(declaration: list[tuple[str, str]]) -> set[str]:
    """Return the names that a declaration at file scope declares: of functions, variables, types, tags, enumerators."""
    tokens = without_groups(without_groups(declaration, "(", ")"), "[", "]")
    texts = [token for _, token in tokens]
    while "__attribute__" in texts:
        at = texts.index("__attribute__")
        del tokens[at : at + 3], texts[at : at + 3]
    names = set()
    declarator = texts
    if "{" in texts:
        begin, end = texts.index("{"), texts.index("}")
        if "enum" in texts[:begin]:
            starts = [begin] + [at for at in range(begin, end) if texts[at] == ","]
            names |= {texts[at + 1] for at in starts if tokens[at + 1][0] == "name"}
        if begin >= 2 and texts[begin - 2] in ("struct", "union", "enum"):
            names.add(texts[begin - 1])
        if texts[begin - 1] == ")" or "=" in texts[:begin]:  # the body of a function, an initializer
            declarator = texts[:begin]
        else:
            declarator = texts[end + 1 :]
    if "=" in declarator:
        declarator = declarator[: declarator.index("=")]
        if declarator[-1] == ")":  # HORNET_PASTE makes the name
            return names
    while declarator and declarator[-1] == "]":
        declarator = declarator[:-2]
    if declarator and declarator[-1] == ")":
        if declarator[0] == "typedef":
            sys.exit(f"{sys.argv[0]}: cannot read {' '.join(texts)}")
        # A function, unless a macro declares something.
        before = declarator[:-2]
        if len(before) >= 2 and re.match(r"\w", before[-1]) and re.match(r"[\w*)]", before[-2]):
            names.add(before[-1])
    elif declarator and (len(declarator) > 1 or "{" in texts):
        names.add(declarator[-1])
    return names


def names_defined(text: str) -> set[str]:
    """Return the macros and the names at file scope that a text defines, except for the library's global names."""
    names = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.MULTILINE))
    for declaration in declarations(text):
        # HORNET_CLEARED and similar macros, which headers define, look like functions.
        names |= {name for name in names_declared(declaration) if not name.lower().startswith("hornet_")}
    return names


def scoped(text: str, primitive: str, kernel: str) -> str:
    """Return a kernel's text with the names that it defines changed to names that no other kernel defines.

    A member of a structure changes too if it has one of these names; if the structure is not the kernel's own, the result
    does not compile.
    """
    text = NAMED.sub("", text)
    names = names_defined(text)
    result = []
    for found in TOKEN.finditer(text):
        is_scoped = found.lastgroup == "name" and found[0] in names
        result.append(f"{primitive}_{found[0]}_{kernel}" if is_scoped else found[0])
    return "".join(result)


class Amalgamation:
    """The text so far, and the headers that need not be included again."""

    def __init__(self) -> None:
        self.text = ""
        self.seen: set[Path] = set()

    def add_source(self, source: Path) -> None:
        """Add a source; if it is a kernel, the headers that it shares with others come before it."""
        if not uses_templates(source):
            self.text += self.expanded(source, self.seen)
            return
        self.add_shared_headers(source, set())
        name = source.relative_to(ROOT).as_posix()
        text = self.expanded(source, set(self.seen))
        primitive = name_in_source(source).split("/")[0]
        self.text += scoped(text, primitive, source.stem) + f"/* ---- end of {name} ---- */\n"

    def add_shared_headers(self, file: Path, visited: set[Path]) -> None:
        for included in included_files(file):
            if included in HEADERS or included in visited or name_in_source(included) in ALWAYS:
                continue
            visited.add(included)
            if is_template(included):
                self.add_shared_headers(included, visited)
            elif included not in self.seen:
                self.seen.add(included)
                self.text += self.expanded(included, self.seen)

    def expanded(self, path: Path, seen: set[Path]) -> str:
        """Return a file's text in which each include of a file that was not seen before is replaced by that file."""
        lines = ["", f"/* ---- {path.relative_to(ROOT).as_posix()} ---- */"]
        for line in path.read_text(encoding="utf-8").splitlines():
            include = INCLUDE.match(line)
            if include is None:
                lines.append(line)
                continue
            included = (path.parent / include.group(1)).resolve()
            if included in HEADERS:
                lines.append(f'#include "{included.name}"')
                continue
            name = name_in_source(included)
            if name in ALWAYS or name.endswith(".def") or included not in seen:
                seen.add(included)
                lines.append(self.expanded(included, seen).rstrip("\n"))
        return "\n".join(lines) + "\n"


def is_conditional(source: Path) -> bool:
    """Return whether a source is for some targets only: an #if encloses all of it, including headers inserted into
    it."""
    return re.search(r"^#if(def)? ", source.read_text(encoding="utf-8"), re.MULTILINE) is not None


def sources() -> list[Path]:
    """Return all sources, those for all targets first, in an order that does not depend on the file system."""
    return sorted(SOURCE.rglob("*.c"), key=lambda path: (is_conditional(path), name_in_source(path)))


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    amalgamation = Amalgamation()
    for source in sources():
        amalgamation.add_source(source)
    opening = [
        "/* SPDX-License-Identifier: Apache-2.0 OR MIT",
        " *",
        " * Hornet in one file, made by tools/amalgamate.py: ChaCha20-Poly1305, Poly1305, ChaCha20, XChaCha20-Poly1305 and Poly1305-AES.",
        " * The headers state the contracts. cc -O2 -c hornet.c needs no other flag. */",
        "#define HORNET_AMALGAMATED 1",
        # The rest is skipped: after an #error, compilers go on, and report each difference between the languages.
        "#ifdef __cplusplus",
        '#error "hornet.c is C11: compile it as C, and include hornet.h from C++"',
        "#else",
    ]
    text = "\n".join(opening) + "\n" + amalgamation.text + "\n#endif\n"
    (folder / "hornet.c").write_text(text, encoding="utf-8")
    for header in HEADERS:
        (folder / header.name).write_text(header.read_text(encoding="utf-8"), encoding="utf-8")


if __name__ == "__main__":
    main()
