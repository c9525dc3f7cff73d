# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Read Go's assembly as people write it: with macros, which the preprocessor of Go's assembler expands in place.

A macro may have parameters and several lines, and may use others. Directives that are read are #define, #undef, #ifdef,
#ifndef, #else, #endif, and #include of textflag.h, whose names stay as they are; all else is refused.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from coconut.assembler import ParseError

# A word may have Go's middle dot and division slash.
TOKENS = re.compile(
    r"""(?P<space>[ \t\r]+)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<newline>\n)|(?P<word>[^\W\d·∕][\w·∕]*|[·∕][\w·∕]*)"""
    r"""|(?P<number>0[xX][0-9a-fA-F]+|\d+)|(?P<text>"[^"\n]*")|(?P<other><<|>>|->|.)""",
    re.DOTALL,
)
NESTED_MAX = 100


class Token(NamedTuple):
    kind: str
    text: str
    line: int
    follows_space: bool = False


@dataclass(frozen=True)
class Macro:
    """A macro as it is defined; parameters are None if it is a plain name for its tokens."""

    name: str
    line: int
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]


@dataclass(frozen=True)
class Statement:
    """An instruction, a label (which has no operands and ends with a colon) or a directive of the assembler.

    line: where it stands in the file, or the use of the macro that it comes from. uses: of which uses of macros with
    parameters it is, the outermost first, by their number in the file.
    """

    line: int
    name: str
    operands: tuple[str, ...]
    uses: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        return f"{self.name} {', '.join(self.operands)}".strip()


class Use(NamedTuple):
    """The use of a macro with parameters: what stands for each of them, with plain names replaced."""

    macro: Macro
    line: int
    arguments: tuple[str, ...]


@dataclass
class Expanded:
    """A file behind the preprocessor; macros are those defined at its end."""

    statements: list[Statement]
    macros: dict[str, Macro]
    uses: list[Use]

    def text(self) -> str:
        """Return the file without macros, in which statements stand on lines of their own."""
        lines = [
            statement.text
            if statement.name.endswith(":") or statement.name in {"TEXT", "DATA", "GLOBL"}
            # Go's assembler takes what begins at the margin for an instruction, too.
            else f"\t{statement.text}"
            for statement in self.statements
        ]
        return "\n".join(['#include "textflag.h"', *lines, ""])


def tokens_of(text: str) -> list[Token]:
    found, line, space = [], 1, False
    for match in TOKENS.finditer(text):
        kind = match.lastgroup or ""
        if kind not in {"space", "comment"}:
            found.append(Token(kind, match[0], line, space))
        space = kind in {"space", "comment"}
        line += match[0].count("\n")
    return [*found, Token("newline", "\n", line)]


def decimal(token: Token) -> str:
    """Return a token as a statement has it: numbers are decimal."""
    if token.kind != "number":
        return token.text
    return str(int(token.text, 8 if re.fullmatch(r"0\d+", token.text) else 0))


def split_operands(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return what commas outside of parentheses separate."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in "([") - (token.text in ")]") if token.kind == "other" else 0
        if token.text == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts if parts != [[]] else []


@dataclass
class Preprocessor:
    """The macros that are known, and what was read so far. skipped: conditions around a line, whether each hides it."""

    macros: dict[str, Macro] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    skipped: list[bool] = field(default_factory=list)
    includes: set[str] = field(default_factory=set)

    def read(self, text: str) -> Expanded:
        tokens, at = tokens_of(text), 0
        while at < len(tokens):
            end = next(i for i in range(at, len(tokens)) if tokens[i].kind == "newline")
            if tokens[at].text == "#":
                if end > at + 1 and tokens[at + 1].text == "define":
                    while tokens[end - 1].text == "\\":
                        end = next((i for i in range(end + 1, len(tokens)) if tokens[i].kind == "newline"), end)
                        if end == len(tokens) - 1:
                            break
                self.directive(tokens[at + 1 : end])
            elif not any(self.skipped):
                end = self.whole_line(tokens, at, end)
                for statement in self.expanded_statements(tokens[at:end]):
                    self.statements.append(statement)
            at = end + 1
        if self.skipped:
            raise ParseError("an #ifdef without its #endif")
        return Expanded(self.statements, self.macros, self.uses)

    def whole_line(self, tokens: Sequence[Token], at: int, end: int) -> int:
        """Return the end of a line, behind the arguments of macros that go over several."""
        depth = 0
        for i in range(at, len(tokens)):
            depth += (tokens[i].text == "(") - (tokens[i].text == ")")
            if i >= end and tokens[i].kind == "newline" and depth <= 0:
                return i
        raise ParseError(f"line {tokens[at].line}: a parenthesis is not closed")

    def directive(self, tokens: Sequence[Token]) -> None:
        line, name = (tokens[0].line, tokens[0].text) if tokens else (0, "")
        if name in {"ifdef", "ifndef"} and len(tokens) == 2:
            self.skipped.append((tokens[1].text in self.macros) == (name == "ifndef"))
        elif name in {"else", "endif"} and len(tokens) == 1 and self.skipped:
            last = self.skipped.pop()
            if name == "else":
                self.skipped.append(not last)
        elif any(self.skipped):
            return
        elif name == "define" and len(tokens) > 1 and tokens[1].kind == "word":
            self.define(tokens[1], tokens[2:])
        elif name == "undef" and len(tokens) == 2:
            if self.macros.pop(tokens[1].text, None) is None:
                raise ParseError(f"line {line}: {tokens[1].text} is not defined")
        elif name == "include" and [token.text for token in tokens[1:]] == ['"textflag.h"']:
            self.includes.add("textflag.h")
        else:
            raise ParseError(f"line {line}: #{' '.join(token.text for token in tokens)}: a directive that is not read")

    def define(self, name: Token, rest: Sequence[Token]) -> None:
        if name.text in self.macros:
            raise ParseError(f"line {name.line}: {name.text} is defined twice")
        parameters, body = None, list(rest)
        if rest and rest[0].text == "(" and not rest[0].follows_space:
            end = next((i for i, token in enumerate(rest) if token.text == ")"), None)
            if end is None:
                raise ParseError(f"line {name.line}: {name.text}: parameters do not end")
            parts = split_operands(rest[1:end])
            parameters = tuple(part[0].text for part in parts if len(part) == 1 and part[0].kind == "word")
            if len(set(parameters)) < len(parts):
                raise ParseError(f"line {name.line}: {name.text}: parameters that are not names, or there twice")
            body = list(rest[end + 1 :])
        kept = []
        for i, token in enumerate(body):
            if token.text == "\\":
                # The last line of the file may end so.
                if i + 1 < len(body) and body[i + 1].kind != "newline":
                    raise ParseError(f"line {token.line}: {name.text}: only the end of a line can be escaped")
            else:
                kept.append(token)
        self.macros[name.text] = Macro(name.text, name.line, parameters, tuple(kept))

    def expand(
        self, tokens: Sequence[Token], depth: int, uses: tuple[int, ...]
    ) -> Iterator[tuple[Token, tuple[int, ...]]]:
        """Yield tokens without macros, each with the uses that it comes from."""
        if depth > NESTED_MAX:
            raise ParseError(f"line {tokens[0].line}: macros that use each other without end")
        i = 0
        while i < len(tokens):
            token = tokens[i]
            macro = self.macros.get(token.text) if token.kind == "word" else None
            i += 1
            if macro is None or macro.parameters is not None and (i == len(tokens) or tokens[i].text != "("):
                # Without arguments, the name of a macro that has parameters stands for itself.
                yield token, uses
                continue
            body, inside = macro.body, uses
            if macro.parameters is not None:
                end = self.closing(tokens, i)
                arguments = split_operands([part for part in tokens[i + 1 : end] if part.kind != "newline"])
                if len(arguments) != len(macro.parameters):
                    wanted = f"{len(macro.parameters)} arguments, not {len(arguments)}"
                    raise ParseError(f"line {token.line}: {macro.name} takes {wanted}")
                i = end + 1
                given = dict(zip(macro.parameters, arguments, strict=True))
                body = tuple(
                    part
                    for one in body
                    for part in (given[one.text] if one.kind == "word" and one.text in given else [one])
                )
                number = len(self.uses)
                texts = tuple(
                    "".join(decimal(part) for part, _ in self.expand(one, depth + 1, ())) for one in arguments
                )
                # Macros in arguments are used where their parameter stands.
                self.uses[number:] = [Use(macro, token.line, texts)]
                inside = (*uses, number)
            yield from self.expand([part._replace(line=token.line) for part in body], depth + 1, inside)

    @staticmethod
    def closing(tokens: Sequence[Token], opening: int) -> int:
        depth = 0
        for i in range(opening, len(tokens)):
            depth += (tokens[i].text == "(") - (tokens[i].text == ")")
            if depth == 0:
                return i
        raise ParseError(f"line {tokens[opening].line}: a parenthesis is not closed")

    def expanded_statements(self, tokens: Sequence[Token]) -> Iterator[Statement]:
        part: list[tuple[Token, tuple[int, ...]]] = []
        for token, uses in [*self.expand(tokens, 0, ()), (Token("newline", "\n", 0), ())]:
            if token.kind != "newline" and token.text != ";":
                part.append((token, uses))
                continue
            yield from statements_of(part)
            part = []


def statements_of(part: Sequence[tuple[Token, tuple[int, ...]]]) -> Iterator[Statement]:
    """Yield the label and the instruction that tokens are."""
    tokens = [token for token, _ in part]
    if len(tokens) > 1 and tokens[0].kind == "word" and tokens[1].text == ":":
        yield Statement(tokens[0].line, f"{tokens[0].text}:", (), part[0][1])
        part, tokens = part[2:], tokens[2:]
    if not tokens:
        return
    if tokens[0].kind != "word":
        raise ParseError(f"line {tokens[0].line}: {''.join(token.text for token in tokens)}: no instruction")
    end = 1
    while end + 1 < len(tokens) and tokens[end].text == "." and not tokens[end].follows_space:
        end += 2
    name = "".join(token.text for token in tokens[:end])
    operands = tuple("".join(map(decimal, operand)) for operand in split_operands(tokens[end:]))
    yield Statement(tokens[0].line, name, operands, part[0][1])


def expanded(text: str) -> Expanded:
    """Return a file of Go's assembly with its macros expanded in place."""
    return Preprocessor().read(text)
