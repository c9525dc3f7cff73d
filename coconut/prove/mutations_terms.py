# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Plant mistakes in the engine of symbolic words, terms.py, and where polynomials.py takes words: checks must fail.

Each operator, comparison, number and condition of the source is changed, one at a time; word_checks.py runs on the module
that the changed source makes. What survives must be right all the same, for a reason that is known.
"""

import ast
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from coconut.prove import polynomials, terms
from coconut.prove.planting import Tally
from coconut.prove.polynomials import Number, Unproved
from coconut.prove.word_checks import check_all

# How long the checks may take, in seconds, and how much memory; they take a tenth of one, and little. A mistake may have
# no end.
SECONDS_MAX, BYTES_MAX = 2, 1 << 28
BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitXor,
    ast.BitXor: ast.BitOr,
}
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


class Mutant(NamedTuple):
    """A kind of mistake, the function and the line that has it, before and after, and the changed source."""

    kind: str
    function: str
    before: str
    after: str
    tree: ast.Module

    @property
    def title(self) -> str:
        return f"{self.function}: {self.before}: {self.after}"


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the kind of each change of a node, and what it becomes."""
    new: Any = deepcopy(node)
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in BINARY:
        new.op = BINARY[type(node.op)]()
        yield "operator", new
    elif isinstance(node, ast.Compare):
        new.ops[0] = (COMPARISONS[type(node.ops[0])])()
        yield "comparison", new
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield "alone", value
    elif isinstance(node, ast.Constant) and type(node.value) in {int, bool}:
        new.value = node.value + 1 if type(node.value) is int else not node.value
        yield "number", new
    elif isinstance(node, ast.If | ast.IfExp):
        new.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
        yield "condition", new
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert | ast.USub | ast.Not):
        yield "left out", node.operand


class Replaced(ast.NodeTransformer):
    """Replaces a node by another one."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        return self.new if node is self.old else self.generic_visit(node)


def mutants(source: str, chosen: Callable[[str], bool] = lambda function: True) -> Iterator[Mutant]:
    """Yield all changes of functions and of what classes have."""
    tree, lines = ast.parse(source), source.splitlines()
    where = {
        id(node): f"{outer.name + '.' if isinstance(outer, ast.ClassDef) else ''}{function.name}"
        for outer in (*tree.body, tree)
        for function in getattr(outer, "body", [])
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
    }
    annotations = {id(part) for node in ast.walk(tree) for part in annotated(node)}
    # A copy has the same nodes in the same order.
    for i, node in enumerate(ast.walk(tree)):
        function = where.get(id(node), "")
        if not function or not chosen(function) or id(node) in annotations:
            continue
        for kind, new in changes(node):
            copied = deepcopy(tree)
            old = next(other for j, other in enumerate(ast.walk(copied)) if j == i)
            after = f"{kind} {first_line(node if kind == 'left out' else new)}"
            changed = ast.fix_missing_locations(Replaced(old, new).visit(copied))
            yield Mutant(kind, function, lines[getattr(node, "lineno", 1) - 1].strip(), after, changed)


def annotated(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what says types."""
    for field in ("annotation", "returns"):
        if (part := getattr(node, field, None)) is not None:
            yield from ast.walk(part)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
        yield from ast.walk(node.args[1])


def first_line(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(node)).splitlines()[0]


@contextmanager
def limited() -> Iterator[None]:
    """Raise Unproved if something takes too long, and MemoryError if it takes too much memory."""

    def end(number: int, frame: FrameType | None) -> None:
        raise Unproved("no end")

    before, limits = signal.signal(signal.SIGALRM, end), resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + BYTES_MAX, limits[1]))
    signal.alarm(SECONDS_MAX)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)


@contextmanager
def noticed() -> Iterator[None]:
    """Raise Unproved if a mistake is noticed, in whatever way."""
    try:
        with limited():
            yield
    except Exception as error:
        raise Unproved(f"{type(error).__name__} {error}") from None


def check_engine(mutant: Mutant) -> None:
    """Check terms.py with a mistake; raise Unproved if that is noticed."""
    with noticed():
        engine = ModuleType(terms.__name__)
        exec(compile(mutant.tree, "terms.py", "exec"), engine.__dict__)
        check_all(engine)


def check_number_of(mutant: Mutant) -> None:
    """Check the same of Number.of, which makes a number of a word that it is combined with."""
    (function,) = (
        node
        for outer in mutant.tree.body
        if isinstance(outer, ast.ClassDef) and outer.name == "Number"
        for node in outer.body
        if isinstance(node, ast.FunctionDef) and node.name == "of"
    )
    made: dict[str, Any] = {}
    exec(compile(ast.Module([function], []), "polynomials.py", "exec"), polynomials.__dict__, made)
    before = Number.of
    try:
        Number.of = made["of"]  # type: ignore[method-assign]
        with noticed():
            check_all(terms)
    finally:
        Number.of = before  # type: ignore[method-assign]


# Why mistakes are none: by the function, a part of the line, and a part of the change.
SHORTCUT = "it is a shortcut for what follows"
NEVER = "that is never so"
DISJOINT = "the bits are apart, so that or and exclusive or are the same"
APART = "the sets have nothing in common"
FIRST = "the first bit of a slice of ones does not count"
LOWEST = "the length of the number is the same"
EQUIVALENT: dict[tuple[str, str, str], str] = {
    ("Terms.number", "self.count += 1", "number 2"): "a number need only be new",
    ("Term.united", "if other is self", "alone other is self"): SHORTCUT,
    ("Term.__and__", "return self if", "alone not ~mask"): SHORTCUT,
    ("Term.__and__", "return self if", "mask >> self.end - 1 | 1"): SHORTCUT,
    ("Term.__and__", "return self if", "mask << self.end - 1"): SHORTCUT,
    ("Term.__and__", "return self if", "number 2"): SHORTCUT,
    ("Term.__and__", "return self if", "~mask | (1 << self.end) - 1"): SHORTCUT,
    ("Term.__and__", "return self if", "self.end + 1"): SHORTCUT,
    ("Term.__and__", "return self if", "left out ~mask"): SHORTCUT,
    ("Term.__and__", "return self if", "1 >> self.end"): SHORTCUT,
    ("Term.united", "return rest | other", "rest ^ other"): DISJOINT,
    ("Term.exclusive_or", "if isinstance(made, Term) and len", "alone len"): "several atoms make no constant",
    ("turned", "and len(parts) > 1", "len(parts) >= 1"): NEVER,
    ("turned", "and len(parts) > 1", "number 2"): NEVER,
    ("turned", "start = min", "number 3"): "any first slice will do that all rotations have",
    ("Terms.pieces_of", "and atom in self.sums", "alone atom in self.sums"): SHORTCUT,
    ("Term.__rsub__", "inverts = ", "other >= 0"): "a term ends above bit 0",
    ("Sum.__and__", "if not isinstance(mask, int)", "alone mask < 0"): "a symbolic mask is refused when it is compared",
    ("Term.slices_of", "other < 0", "other <= 0"): NEVER,
    ("Term.slices_of", "other < 0", "number 1"): NEVER,
    ("ones_of", "found.append", "number 1"): FIRST,
    ("Terms.term", "first = 0", "number 1"): FIRST,
    ("Terms.xor", "return (ONES, 0)", "number 1"): FIRST,
    ("cut", "first + start - at if atom", "number 1"): FIRST,
    ("Difference.__sub__", "or other", "alone other"): "a symbolic number is refused when it is compared",
    ("Terms.with_common_parts", "cancels = ", "alone not of_others"): SHORTCUT,
    ("Terms.parts_of_atom", "found = frozenset", "^ ({ONES}"): APART,
    ("Terms.parts_of_atom", "self.parts[atom] = found", "found ^ self.parts_of"): APART,
    ("Terms.parts_of_atom", "operands, is_inverted", "number 1"): "only the atom counts",
    ("Terms.rollback", "strict=True", "number False"): "there is a length of each table",
    ("Terms.polynomial", "total = total |", "total ^"): DISJOINT,
    ("Terms.polynomial", "if low < high", "low <= high"): "no bits are a part that is 0",
    ("Terms.polynomial", "if high < begin", "high <= begin"): "a mask of all bits changes nothing",
    ("ones_of", "at += (rest & -rest)", "rest | -rest"): LOWEST,
    ("ones_of", "bits = (~rest & rest + 1)", "~rest | rest + 1"): LOWEST,
    ("ones_of", "bits = (~rest & rest + 1)", "number 2"): LOWEST,
    ("Term.masked", "(ends & -ends)", "ends | -ends"): LOWEST,
}


def reason_for(mutant: Mutant) -> str:
    """Return why a mistake that survives is right, or "" if that is not known."""
    for (function, before, after), reason in EQUIVALENT.items():
        if mutant.function == function and before in mutant.before and after in mutant.after:
            return reason
    return ""


def source_of(module: ModuleType) -> str:
    assert module.__file__
    return Path(module.__file__).read_text()


def plant_in_terms() -> Iterator[tuple[str, Tally]]:
    """Plant all mistakes; yield which file they are in, and what became of them."""
    check_all(terms)
    tally = Tally()
    for mutant in mutants(source_of(terms)):
        tally.plant(mutant.kind, mutant.title, lambda: check_engine(mutant), lambda: reason_for(mutant))
    yield "terms.py", tally
    tally = Tally()
    for mutant in mutants(source_of(polynomials), "Number.of".__eq__):
        tally.plant(mutant.kind, mutant.title, lambda: check_number_of(mutant), lambda: reason_for(mutant))
    yield "polynomials.py, Number.of", tally


def main() -> int:
    """Plant all mistakes, print what became of them, and return how many are not explained."""
    unexplained = 0
    for where, tally in plant_in_terms():
        print(where, *tally.lines(), sep="\n")
        unexplained += len(tally.unexplained())
    return unexplained


# In a process of its own: a mistake may have no end, and a process that proves has a deeper stack.
if __name__ == "__main__":
    sys.exit(main())
