# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Mutants of a C file: copies with one small mistake each, made from clang's syntax tree.

    comparisons     each other one that differs for some operands
    && and ||       the other one; one operand alone
    conditions      negated; those of `if` always true or false, those of loops always false
    ?:              one branch alone, as if a minimum or maximum were not taken
    + - * / % & | ^ another operator; also of += and the like, which also become =
    ++ and --       by two; where the value is used, before instead of after its use
    true and false  the other one
    lengths         one and 16 more or less, and cut to 32 bits

What only chooses one of several kernels, and what is cleared below the stack pointer, is not changed. Lengths are the 64-bit values that are passed, assigned, returned, compared, added to an address, or the result of a
branch of ?:, and the operands of * / % & | ^. Constants below 16 and indices are changed by one only. Constants,
remainders, indices and counters of loops are not cut to 32 bits.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from clang.cindex import Config, Cursor, CursorKind, Index, TranslationUnit, TypeKind

Config.set_library_file("libclang-19.so.1")

OTHER_OPERATORS = {
    "<": "<= > >= !=",
    "<=": "< > >= ==",
    ">": ">= < <= !=",
    ">=": "> < <= ==",
    "==": "!= <= >=",
    "!=": "== < >",
    "&&": "||",
    "||": "&&",
    "+": "-",
    "-": "+",
    "*": "+ /",
    "/": "* %",
    "%": "/ *",
    "&": "| ^",
    "|": "& ^ +",
    "^": "& | + -",
    "+=": "-= =",
    "-=": "+= =",
    "|=": "&= ^= += =",
    "&=": "|= ^= =",
    "^=": "&= |= += =",
}
CUT = "(uint32_t)"
COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
LOGICAL = {"&&", "||"}
OPERATORS = {CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR}
LOOPS = {CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT}
WORDS = {TypeKind.ULONG, TypeKind.ULONGLONG}
STATEMENTS = {CursorKind.COMPOUND_STMT, CursorKind.IF_STMT, *LOOPS}
CONSTANTS = {CursorKind.INTEGER_LITERAL, CursorKind.CXX_UNARY_EXPR}
WRAPPERS = {CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR}
# Macros with arguments whose calls are literals; what is in the arguments of others is not changed.
LITERALS = {"UINT32_C", "UINT64_C"}


@dataclass(frozen=True, order=True)
class Mutant:
    """A file in which an expression, text[start:end], is another one, or is cut to 32 bits."""

    start: int
    end: int
    replacement: str
    function: str
    cuts: bool = False

    def of(self, text: str) -> str:
        return text[: self.start] + self.replacement + text[self.end :]

    def line(self, text: str) -> tuple[int, str]:
        """Return the number of its line, and the line with the change."""
        _, changed = self._lines(text)
        return text.count("\n", 0, self._begin(text)) + 1, changed

    def lines(self, text: str) -> str:
        """Return the line without the change and with it, each with its end."""
        return "".join(f"{line}\n" for line in self._lines(text))

    def line_after(self, text: str) -> str:
        """Return the line after that of the change."""
        return text[text.index("\n", self.end) :].split("\n", 2)[1].strip()

    def _begin(self, text: str) -> int:
        """Return where the line begins."""
        same = next(i for i, (old, new) in enumerate(zip(text, self.of(text))) if old != new)
        return text.rfind("\n", 0, same) + 1

    def _lines(self, text: str) -> tuple[str, str]:
        begin, changed = self._begin(text), self.of(text)
        end = changed.index("\n", self.start + len(self.replacement))
        return joined(text[begin : text.index("\n", self.end)]), joined(changed[begin:end])


def all_of(text: str, mutants: list[Mutant]) -> str:
    """Return a file that contains all mutants. hornet_mutant is the number of one in the list, from 1 on.

    hornet_cut(number, value) returns a value, or the value cut to 32 bits if that is the mutant.
    """
    places: dict[tuple[int, int], list[tuple[int, str]]] = {}
    for number, mutant in enumerate(mutants, 1):
        places.setdefault((mutant.start, mutant.end), []).append((number, mutant.replacement))
    # Outer expressions come before those within them.
    waiting = sorted(places, key=lambda place: (place[0], -place[1]))

    def written(start: int, end: int) -> str:
        parts = []
        while waiting and waiting[0][1] <= end:
            place = waiting.pop(0)
            value = f"({written(*place)})"
            for number, new in places[place]:
                cuts = mutants[number - 1].cuts
                value = f"hornet_cut({number}, {value})" if cuts else f"(hornet_mutant == {number} ? ({new}) : {value})"
            # Without the conversion, ?: would widen a narrow integer.
            parts += [text[start : place[0]], f"(__typeof__({text[slice(*place)]}))", value]
            start = place[1]
        return "".join([*parts, text[start:end]])

    return f"extern int hornet_mutant;\nunsigned long hornet_cut(int, unsigned long);\n{written(0, len(text))}"


def joined(code: str) -> str:
    """Return a statement on one line, without comments."""
    return " ".join(re.sub(r"/\*.*?(\*/|$)", "", code, flags=re.S).split())


class Changes:
    """Visits the functions of a file."""

    def __init__(self, path: Path) -> None:
        self.path, self.text = path, path.read_text()
        self.function = ""
        self.counters: set[int] = set()
        self.macros: set[tuple[int, int]] = set()
        self.found = {self.text: Mutant(0, 0, "", "")}

    def code(self, node: Cursor) -> str:
        return self.text[node.extent.start.offset : node.extent.end.offset]

    def replace(self, node: Cursor, *replacements: str, cuts: bool = False) -> None:
        start, end = node.extent.start.offset, node.extent.end.offset
        # A function may contain a file.
        if not is_in(node, self.path) or any(first <= start and end <= last for first, last in self.macros):
            return
        for replacement in replacements:
            mutant = Mutant(start, end, replacement, self.function, cuts)
            self.found.setdefault(mutant.of(self.text), mutant)

    def with_operators(self, node: Cursor, names: list[str]) -> list[str]:
        """Return an operation with other operators; nothing if a macro contains the operator."""
        start, end = node.extent.start.offset, node.extent.end.offset
        left, right = (child.extent for child in node.get_children())
        between = re.sub(
            r"/\*.*?\*/", lambda comment: " " * len(comment[0]), self.text[left.end.offset : right.start.offset]
        )
        if between.strip() != node.spelling:
            return []
        place = left.end.offset + between.index(node.spelling)
        rest = self.text[place + len(node.spelling) : end]
        return [self.text[start:place] + name + rest for name in names]

    def visit(self, node: Cursor, is_statement: bool = False) -> None:
        children = list(node.get_children())
        if node.kind in (CursorKind.ENUM_DECL, CursorKind.STATIC_ASSERT):
            return
        if node.kind in OPERATORS:
            self.binary(node, *children)
        elif node.kind == CursorKind.UNARY_OPERATOR:
            self.unary(node, children[0], is_statement)
        elif node.kind == CursorKind.CONDITIONAL_OPERATOR:
            self.negate(children[0])
            self.replace(node, *(f"({self.code(branch)})" for branch in children[1:]))
            for branch in children[1:]:
                self.length(branch)
        elif node.kind == CursorKind.IF_STMT:
            self.negate(children[0])
            self.replace(children[0], "true", "false")
        elif node.kind in LOOPS:
            for child in children[:-1]:
                if child.kind.is_expression() and child.spelling in COMPARISONS | LOGICAL:
                    self.replace(child, "false")
        elif node.kind == CursorKind.CALL_EXPR:
            if not node.spelling.endswith(("_kernel_for", "stack_end")):
                for argument in children[1:]:
                    self.length(argument)
        elif node.kind == CursorKind.INIT_LIST_EXPR:
            for value in children:
                self.length(value)
        elif node.kind == CursorKind.RETURN_STMT or (node.kind == CursorKind.VAR_DECL and self.is_initialized(node)):
            for value in children[-1:]:
                self.length(value)
        elif node.kind == CursorKind.ARRAY_SUBSCRIPT_EXPR:
            self.length(children[1], is_index=True)
        elif node.kind == CursorKind.INTEGER_LITERAL and self.code(node) in ("true", "false"):
            self.replace(node, "false" if self.code(node) == "true" else "true")
        if node.kind == CursorKind.VAR_DECL and node.type.kind == TypeKind.CONSTANTARRAY:
            children = [child for child in children if child.kind == CursorKind.INIT_LIST_EXPR]
        holds_statements = node.kind in STATEMENTS or node.spelling == ","
        for child in children:
            self.visit(child, holds_statements)

    def is_initialized(self, declaration: Cursor) -> bool:
        return "=" in self.code(declaration)

    def binary(self, node: Cursor, left: Cursor, right: Cursor) -> None:
        name = node.spelling
        pointers = [side.type.get_canonical().kind == TypeKind.POINTER for side in (left, right)]
        if name in OTHER_OPERATORS and not all(pointers):
            self.replace(node, *self.with_operators(node, OTHER_OPERATORS[name].split()))
        if name in LOGICAL:
            for operand in left, right:
                self.replace(node, self.grouped(operand))
                self.negate(operand)
        elif name in COMPARISONS:
            self.cut(left)
            self.length(right)
        elif name in ("+", "-"):
            if pointers[0]:
                self.length(right)
        elif name != ",":
            self.length(right)
            if not name.endswith("="):
                self.length(left)

    def unary(self, node: Cursor, operand: Cursor, is_statement: bool) -> None:
        code, inner = self.code(node), self.code(operand)
        before = code[:2] in ("++", "--")
        sign = code[:2] if before else code[-2:]
        if sign in ("++", "--"):
            self.replace(node, f"({inner} {sign[0]}= 2)")
            if not is_statement:
                self.replace(node, f"{inner}{sign}" if before else f"{sign}{inner}")
        elif code.startswith(("!", "-", "~")):
            self.replace(node, inner)

    def negate(self, condition: Cursor) -> None:
        """Negate a condition that has no operator of its own that is replaced."""
        inner = inside(condition)
        if inner.kind == CursorKind.UNARY_OPERATOR or inner.spelling in COMPARISONS | LOGICAL:
            return
        self.replace(condition, f"!{self.grouped(condition)}")

    def grouped(self, node: Cursor) -> str:
        """Return the text of an operand, in parentheses if it has an operator."""
        code = self.code(node)
        return code if re.fullmatch(r"\w+(->\w+|\.\w+)*", code) else f"({code})"

    def is_length(self, node: Cursor) -> bool:
        return node.type.get_canonical().kind in WORDS and not node.type.spelling.endswith("uintptr_t")

    def length(self, node: Cursor, is_index: bool = False) -> None:
        """Change a value of 64 bits. The branches of ?: are changed themselves."""
        if not self.is_length(node) or inside(node).kind == CursorKind.CONDITIONAL_OPERATOR:
            return
        code = self.grouped(node)
        few = is_index or value(node) < 16
        self.replace(node, *(f"({code} {sign} {n})" for sign in "+-" for n in ((1,) if few else (1, 16))))
        if not is_index:
            self.cut(node)

    def cut(self, node: Cursor) -> None:
        """Cut a value of 64 bits to 32."""
        if self.is_length(node) and not self.fits(node):
            self.replace(node, CUT + self.grouped(node), cuts=True)

    def fits(self, node: Cursor) -> bool:
        """Return whether 32 bits hold a value: a constant, a remainder, or the counter of a loop."""
        node = inside(node)
        if node.kind in OPERATORS:
            left, right = node.get_children()
            return self.fits(right) and (node.spelling in ("%", "&") or self.fits(left))
        declared = node.referenced
        if declared is not None and declared.kind == CursorKind.VAR_DECL:
            return declared.extent.start.offset in self.counters
        return node.kind in CONSTANTS or (declared is not None and declared.kind == CursorKind.ENUM_CONSTANT_DECL)


def inside(node: Cursor) -> Cursor:
    """Return what implicit conversions and parentheses enclose."""
    while node.kind in WRAPPERS and (children := list(node.get_children())):
        node = children[0]
    return node


def value(node: Cursor) -> float:
    """Return the value of a literal or an enumerator, and infinity for all else."""
    node = inside(node)
    if node.referenced is not None and node.referenced.kind == CursorKind.ENUM_CONSTANT_DECL:
        return node.referenced.enum_value
    words = [token.spelling for token in node.get_tokens()]
    return int(words[0]) if len(words) == 1 and words[0].isdigit() else float("inf")


def counters_in(body: Cursor) -> Iterator[int]:
    """Return where the variables are declared that a `for` declares."""
    for node in body.walk_preorder():
        if node.kind == CursorKind.FOR_STMT:
            for child in node.get_children():
                if child.kind == CursorKind.DECL_STMT:
                    yield from (variable.extent.start.offset for variable in child.get_children())


def functions_in(tree: Cursor, path: Path, text: str) -> Iterator[tuple[str, Cursor]]:
    """Return the bodies of the functions that a file defines, and the names of these."""
    for node in tree.get_children():
        if node.kind != CursorKind.FUNCTION_DECL or not is_in(node, path):
            continue
        for child in node.get_children():
            # Not what HORNET_CLEARED defines beside it: there the macro is the text.
            if child.kind == CursorKind.COMPOUND_STMT and text[child.extent.start.offset] == "{":
                yield node.spelling.removesuffix("_body"), child


def is_in(node: Cursor, path: Path) -> bool:
    file = node.extent.start.file
    return file is not None and Path(file.name).resolve() == path


def macro_calls(tree: Cursor, path: Path, text: str) -> Iterator[tuple[int, int]]:
    """Return where the calls of macros with arguments are, except literals: their nodes have no places of their own."""
    for node in tree.get_children():
        if node.kind == CursorKind.MACRO_INSTANTIATION and node.spelling not in LITERALS:
            start, end = node.extent.start.offset, node.extent.end.offset
            if is_in(node, path) and text[end - 1] == ")":
                yield start, end


def mutants_of(path: Path, source: Path, arguments: list[str]) -> list[Mutant]:
    """Return the mutants of a file, which may be a header that a source includes."""
    changes = Changes(path)
    record = TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    unit = Index.create().parse(str(source), args=arguments, options=record)
    assert not list(unit.diagnostics), [diagnostic.spelling for diagnostic in unit.diagnostics]
    changes.macros = set(macro_calls(unit.cursor, path, changes.text))
    for changes.function, body in functions_in(unit.cursor, path, changes.text):
        changes.counters = set(counters_in(body))
        changes.visit(body)
    return sorted(changes.found.values())[1:]
