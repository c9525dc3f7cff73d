#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The manual of the C library, made from the comments of include/*.h.

    tools/manual.py FOLDER      writes man pages of section 3 into FOLDER: one for each header, and one for each function

`make install` runs it, so it needs nothing but Python's standard library; Doxygen, with which a test compares it, is not
there then. tools/site/ makes the web pages of the same declarations.
"""

import os
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADERS = "hornet hornet_stream hornet_poly1305_aes hornet_ssh hornet_kernels".split()


@dataclass
class Declaration:
    """What a header declares: its C text without the library's attributes, and its comment."""

    name: str
    kind: str  # function, type or constant
    code: str
    text: str


@dataclass
class Group:
    """A group of Doxygen, or what precedes or follows all of them, which has no title."""

    title: str
    text: str
    members: list[Declaration] = field(default_factory=list)


@dataclass
class Header:
    name: str
    text: str
    groups: list[Group]

    @property
    def declarations(self) -> list[Declaration]:
        return [member for group in self.groups for member in group.members]


# A comment, and what follows it up to the end of a declaration; a constant with its comment behind it; the end of a group.
PARTS = re.compile(
    r"/\*\* (?P<comment>@file.*?)\*/"
    r"|/\*\* @defgroup \w+ (?P<title>[^\n]*)\n \* @\{(?P<group>.*?)\*/"
    r"|(?P<end>/\*\* @\} \*/)"
    r"|^#define (?P<constant>HORNET_\w+) +(?P<value>\S+) */\*\*< (?P<about>[^\n]*?) \*/$"
    r"|/\*\* (?P<text>(?:(?!\*/).)*?) ?\*/\n"
    r"(?:#define (?P<macro>HORNET_\w+) (?P<given>[^\n]*)"
    r"|HORNET_(?:API|CHECKED) (?P<function>[^;]*;)"
    r"|(?P<type>typedef (?:struct|enum) (?P<type_name>\w+) \{.*?\n\} \w+;))",
    re.S | re.M,
)


def plain(comment: str) -> str:
    """Return the text of a comment without the asterisks at the beginning of its lines."""
    return re.sub(r"^ \* ?", "", comment.removeprefix("@file"), flags=re.M).strip("\n ").replace("\n \n", "\n\n")


def one_line(code: str) -> str:
    """Join the lines of a declaration."""
    return re.sub(r"\s+", " ", code)


def read(name: str) -> Header:
    """Read include/NAME.h."""
    header, group = Header(f"{name}.h", "", [Group("", "")]), None
    for part in PARTS.finditer((ROOT / f"include/{name}.h").read_text()):
        if part["comment"]:
            header.text = plain(part["comment"])
            continue
        if part["title"]:
            group = Group(part["title"], plain(part["group"]))
            header.groups.append(group)
            continue
        if part["end"]:
            group = None
            continue
        if group is None and header.groups[-1].title:
            header.groups.append(Group("", ""))
        if part["constant"]:
            made = Declaration(part["constant"], "constant", part["value"], part["about"])
        elif part["macro"]:
            made = Declaration(part["macro"], "constant", part["given"], plain(part["text"]))
        elif part["function"]:
            code = one_line(part["function"])
            made = Declaration(re.search(r"(\w+)\(", code)[1], "function", code, plain(part["text"]))
        else:
            made = Declaration(part["type_name"], "type", part["type"], plain(part["text"]))
        header.groups[-1].members.append(made)
    header.groups = [group for group in header.groups if group.members]
    return header


def headers() -> list[Header]:
    return [read(name) for name in HEADERS]


def version() -> str:
    return next(one.code for one in read("hornet").declarations if one.name == "HORNET_VERSION").strip('"')


def paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """Divide a comment into paragraphs, items of lists, and what is indented, such as code: "text", "item" or "code"."""
    for part in re.split(r"\n{2,}", text) if text else ():
        lines: list[str] = []
        kind = "text"
        for line in part.split("\n"):
            now = "item" if line.startswith("  - ") else "code" if line.startswith("    ") and kind != "item" else kind
            if now == "code" and kind == "text" and lines and not lines[-1].endswith(":"):
                now = "text"  # a continued line
            if now == "item" and line.startswith("  - ") or now != kind:
                if lines:
                    yield kind, "\n".join(lines)
                lines = []
            kind = now
            if kind == "code":
                lines.append(line[4:] if line.startswith("    ") else line)
            else:
                lines.append(line.strip().removeprefix("- "))
        if lines:
            yield kind, "\n".join(lines)


def wrapped(code: str, width: int = 80) -> str:
    """Divide the parameters of a function into lines, below one another."""
    if len(code) <= width:
        return code
    start, _, parameters = code.partition("(")
    lines, indent = [f"{start}("], " " * (len(start) + 1)
    if len(indent) > width // 2:
        lines, indent = [f"{start}(", ""], " " * 4
    for i, parameter in enumerate(parameters.split(", ")):
        text = parameter if parameter.endswith(";") else f"{parameter},"
        first = lines[-1] == f"{start}(" or not lines[-1].strip()
        if not first and len(lines[-1]) + 1 + len(text) > width:
            lines.append(indent + text)
        elif first:
            lines[-1] = (lines[-1] or indent) + text
        else:
            lines[-1] += f" {text}"
        assert i < 20, code
    return "\n".join(lines)


# Man pages.

PARAGRAPH = ".PP\n"


def day() -> str:
    """Return the day of SOURCE_DATE_EPOCH, or today, as the command's pages have it."""
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", 0)) or time.time()
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))


def roff(text: str) -> str:
    """Escape what the formatter would interpret."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def roff_paragraphs(text: str) -> str:
    made = ""
    for kind, part in paragraphs(text):
        if kind == "code":
            made += f".PP\n.nf\n{roff(part)}\n.fi\n"
        else:
            made += (".IP \\(bu 2\n" if kind == "item" else ".PP\n") + f"{roff(part)}\n"
    return made


def first_sentence(text: str) -> str:
    """Return the beginning of a description, as a line of `apropos`."""
    sentence = re.split(r"[.;](?:\s|$)", one_line(text))[0]
    return sentence[0].lower() + sentence[1:] if sentence[1:2].islower() else sentence


def page(name: str, about: str, sections: list[tuple[str, str]]) -> str:
    made = f'.TH {name} 3 {day()} "hornet {version()}" "Hornet"\n.SH NAME\n{name} \\- {roff(first_sentence(about))}\n'
    return made + "".join(f".SH {title.upper()}\n{text.removeprefix(PARAGRAPH)}" for title, text in sections if text)


def verbatim(code: str) -> str:
    return f".nf\n{roff(code)}\n.fi\n"


def see_also(names: list[str]) -> str:
    return ".BR " + " (3),\n.BR ".join(names) + " (3)" + "\n"


def function_page(header: Header, group: Group, of: Declaration) -> str:
    used = [one for one in TYPES if re.search(rf"\b{one.name}\b", of.code)]
    types = "".join(verbatim(one.code) + roff_paragraphs(one.text) for one in used)
    others = [one.name for one in group.members if one.kind == "function" and one.name != of.name]
    synopsis = f'.nf\n.B "#include <{header.name}>"\n.PP\n{roff(wrapped(of.code))}\n.PP\nLink with \\-lhornet.\n.fi\n'
    return page(
        of.name,
        of.text,
        [
            ("synopsis", synopsis),
            ("description", roff_paragraphs(of.text)),
            ("types", types),
            (group.title, roff_paragraphs(group.text)),
            ("see also", see_also(list(dict.fromkeys([header.name, "hornet.h", *others])))),
        ],
    )


def header_page(header: Header) -> str:
    sections = [("synopsis", verbatim(f"#include <{header.name}>")), ("description", roff_paragraphs(header.text))]
    for group in header.groups:
        text = roff_paragraphs(group.text)
        for one in group.members:
            if one.kind == "constant":
                text += f".TP\n.B {one.name}\n{roff(one.code)}: {roff(one.text)}\n"
            elif one.kind == "function":
                text += f".TP\n.BR {one.name} (3)\n{roff(first_sentence(one.text))}\n"
            else:
                text += f".TP\n.B {one.name}\n{roff(first_sentence(one.text))}\n"
        sections.append((group.title or "other declarations", text))
    return page(header.name, header.text, sections)


def man_pages() -> dict[str, str]:
    """Return the names and the texts of all man pages."""
    made = {}
    for header in ALL:
        made[f"{header.name}.3"] = header_page(header)
        for group in header.groups:
            for one in group.members:
                if one.kind == "function":
                    made[f"{one.name}.3"] = function_page(header, group, one)
    return made


ALL = headers()
TYPES = [one for header in ALL for one in header.declarations if one.kind == "type"]


def main() -> int:
    if len(sys.argv) != 2:
        print(f"usage: {sys.argv[0]} FOLDER", file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in man_pages().items():
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
