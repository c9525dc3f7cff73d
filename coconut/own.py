# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Blocks of one's own: a TOML file that describes them, and the C++ file that it names (docs/coconut.md).

They become a kernel beside the library's, with the name of the TOML file, for the commands of this run. Whatever is
wrong in the file is a ValueError that names it and the entry.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomllib

from coconut import trace
from coconut.architectures import OF_LANES
from coconut.graph import Graph
from coconut.operations import Value
from coconut.prove.claims import Claims, Encoding
from coconut.prove.graphs import graphs_of, limits_in, recorded_checks
from coconut.prove.polynomials import Poly, add, constant, multiply
from coconut.simulate import Mismatch, Sample
from coconut.trace import Described, Kernel, read_traced

# What `lanes` may be: the kind of kernel, and how many lanes there are, if not `count`.
LANES = {"vectors": ("ends", 0), "sums": ("vmsl", 2)}
ENTRIES = {"source": str, "lanes": str, "count": int, "architectures": list, "modulus": str, "weights": list}
REQUIRED = ("source", "lanes", "modulus", "weights")
EXPONENT_MAX = 4096


class Polynomials(ast.NodeVisitor):
    """Turns expressions into polynomials in the names of inputs, modulo a number, if it is not 0."""

    def __init__(self, names: tuple[str, ...] = (), modulus: int = 0) -> None:
        self.names, self.modulus = names, modulus

    def of(self, text: str) -> Poly:
        try:
            poly: Poly = self.visit(ast.parse(text.replace("^", "**").strip(), mode="eval").body)
        except SyntaxError:
            raise ValueError(f"{text!r} is no expression") from None
        return multiply(poly, constant(1), self.modulus)

    def number(self, node: ast.expr) -> int:
        poly = self.visit(node)
        if poly.keys() - {()}:
            raise ValueError(f"{ast.unparse(node)} is no number")
        return int(poly.get((), 0))

    def visit_Constant(self, node: ast.Constant) -> Poly:
        return constant(node.value) if type(node.value) is int else self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Poly:
        if node.id not in self.names:
            raise ValueError(f"{node.id} is no input; there are {', '.join(self.names) or 'none'}")
        return {(self.names.index(node.id),): 1}

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Poly:
        return add({}, self.visit(node.operand), -1) if isinstance(node.op, ast.USub) else self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> Poly:
        match node.op:
            case ast.Add():
                return add(self.visit(node.left), self.visit(node.right))
            case ast.Sub():
                return add(self.visit(node.left), self.visit(node.right), -1)
            case ast.Mult():
                return multiply(self.visit(node.left), self.visit(node.right), self.modulus)
            case ast.Div() if self.modulus:
                inverse = pow(self.number(node.right), -1, self.modulus)
                return multiply(self.visit(node.left), constant(inverse), self.modulus)
            case ast.Pow() if 0 <= (exponent := self.number(node.right)) <= EXPONENT_MAX:
                result = constant(1)
                for _ in range(exponent):
                    result = multiply(result, self.visit(node.left), self.modulus)
                return result
        return self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> Poly:
        raise ValueError(f"{ast.unparse(node)}: only names, integers, + - * ^ and division by numbers are understood")


def names_in(graph: Graph, numbers: list[int]) -> dict[str, list[int]]:
    """Return inputs or outputs by the names that have them, without their indices."""
    found: dict[str, list[int]] = {}
    for i in numbers:
        found.setdefault(graph.nodes[i].name.partition("[")[0], []).append(i)
    return found


@dataclass(frozen=True)
class Own:
    """What a TOML file says.

    - weights: those of an element's numbers; or, for an element over all lanes, those of each lane of each number.
    - blocks: for each basic block, what each output is, as a text.
    """

    path: Path
    source: Path
    modulus: int
    weights: tuple[tuple[int, ...], ...]
    blocks: Mapping[str, Mapping[str, str]]
    architectures: tuple[str, ...]

    @property
    def over_lanes(self) -> bool:
        return len(self.weights[0]) > 1

    def polynomials(self, graph: Graph) -> dict[str, Poly]:
        """Return what each output is, in the names of inputs, modulo the modulus."""
        known = Polynomials(tuple(names_in(graph, graph.inputs())), self.modulus)
        found = {}
        for name, text in self.blocks[graph.name].items():
            try:
                found[name] = known.of(str(text))
            except ValueError as error:
                raise ValueError(f"{self.path}: [{graph.name}] {name} = {text!r}: {error}") from None
        return found

    def elements(self, name: str, values: Mapping[str, Value]) -> list[int]:
        """Return the elements that numbers are: one in each lane, or one over all lanes."""
        lanes = list(zip(*(values[f"{name}[{i}]"] for i in range(len(self.weights))), strict=True))
        weights = list(zip(*self.weights, strict=True))
        parts = [
            sum(a * b for a, b in zip(lane, weights[k if self.over_lanes else 0], strict=True))
            for k, lane in enumerate(lanes)
        ]
        return [sum(parts) % self.modulus] if self.over_lanes else [part % self.modulus for part in parts]

    def check_sample(self, graph: Graph, sample: Sample) -> None:
        """Raise Mismatch unless outputs are what the file says of them, in integers."""
        names = tuple(names_in(graph, graph.inputs()))
        inputs = {name: self.elements(name, sample.inputs) for name in names}
        for output, poly in self.polynomials(graph).items():
            for k, found in enumerate(self.elements(output, sample.outputs)):
                total = 0
                for monomial, coefficient in poly.items():
                    for variable in monomial:
                        coefficient *= inputs[names[variable]][k]
                    total += coefficient
                if total % self.modulus != found:
                    said = f"{output} is {found:#x}, and {self.blocks[graph.name][output]} is {total % self.modulus:#x}"
                    raise Mismatch(f"{graph.title}, sample {sample.number}: {said}")

    def claim(self, claims: Claims) -> None:
        """State the claims of a basic block: inputs are any elements, and outputs what the file says."""
        graph = claims.graph
        flat = tuple(weight for number in self.weights for weight in number)
        inputs = names_in(graph, graph.inputs())
        values: list[list[Poly]] = []
        for name, nodes in inputs.items():
            limits = [graph.nodes[i].limit for i in nodes for _ in self.weights[0]]
            encoding = Encoding(flat, limits=tuple(limits))
            if self.over_lanes:
                claims.packed = tuple(range(len(flat)))
                values.append([claims.assume_over_lanes(name, encoding)])
            else:
                values.append(claims.assume(name, encoding))
        outputs, polys = names_in(graph, graph.outputs()), self.polynomials(graph)
        for name, poly in polys.items():
            # What a loop carries keeps its limits; other outputs have those that the code states.
            carried = [graph.nodes[i].limit for i in inputs.get(name, ())] if graph.advance else []
            stated = carried or [graph.nodes[graph.nodes[i].args[0]].limit for i in outputs[name]]
            encoding = Encoding(flat, limits=tuple(limit for limit in stated for _ in self.weights[0]))
            expected = [self.in_ring(poly, [value[k] for value in values]) for k in range(len(values[0]))]
            if self.over_lanes:
                claims.powers[name] = encoding, expected[0]
            else:
                claims.claim(name, encoding, expected)

    def in_ring(self, poly: Poly, values: list[Poly]) -> Poly:
        total: Poly = {}
        for monomial, coefficient in poly.items():
            product = constant(coefficient)
            for variable in monomial:
                product = multiply(product, values[variable], self.modulus)
            total = add(total, product)
        return total

    def check(self, graphs: Mapping[str, Graph]) -> None:
        """Raise ValueError unless the file describes the basic blocks that the source has."""
        if missing := graphs.keys() ^ self.blocks.keys():
            name = sorted(missing)[0]
            have, lack = (self.source, self.path) if name in graphs else (self.path, self.source)
            raise ValueError(f"{lack}: there is no [{name}], which {have} has")
        for graph in graphs.values():
            where = f"{self.source}: basic block {graph.name}"
            if any(node.op.startswith("load_") for node in graph.nodes):
                raise ValueError(f"{where}: it loads from a message; its inputs are those of INPUT")
            if not graph.inputs() or not graph.outputs():
                raise ValueError(f"{where}: it has no inputs, or no outputs")
            outputs = names_in(graph, graph.outputs())
            for name, nodes in [*names_in(graph, graph.inputs()).items(), *outputs.items()]:
                if len(nodes) != len(self.weights):
                    raise ValueError(f"{where}: {name} has {len(nodes)} vectors, and weights {len(self.weights)}")
            if different := outputs.keys() ^ self.blocks[graph.name].keys():
                name = sorted(different)[0]
                said = "has no entry" if name in outputs else f"is no output of {self.source}"
                raise ValueError(f"{self.path}: [{graph.name}]: {name} {said}")
            self.polynomials(graph)


def own_of(kernel: str) -> Described | None:
    """Return what describes a kernel, if it is none of the library's."""
    return trace.kernel_named(kernel).own


def weights_of(entry: list[Any], lanes: int) -> Iterator[tuple[int, ...]]:
    for number in entry:
        if isinstance(number, list) != isinstance(entry[0], list) or (
            isinstance(number, list) and len(number) != lanes
        ):
            raise ValueError(f"weights = {entry}: each entry is a text, or a list of {lanes}, one for each lane")
        yield tuple(integer(text) for text in (number if isinstance(number, list) else [number]))


def integer(text: Any) -> int:
    """Return the integer that a text has, such as 2^224 - 2^96 + 1."""
    return Polynomials().of(str(text)).get((), 0)


def read(path: Path) -> Kernel:
    """Return the kernel that a TOML file describes, and add it to those that commands know."""
    try:
        content = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    blocks = {name: entry for name, entry in content.items() if isinstance(entry, dict)}
    for name, entry in content.items():
        if name not in blocks and name not in ENTRIES:
            raise ValueError(f"{path}: {name} is no entry; there are {', '.join(ENTRIES)}, and a table for each block")
        if name in ENTRIES and not isinstance(entry, ENTRIES[name]):
            raise ValueError(f"{path}: {name} = {entry!r} is no {ENTRIES[name].__name__}")
    for name in REQUIRED:
        if not content.get(name):
            raise ValueError(f"{path}: {name} is missing")
    if content["lanes"] not in LANES:
        raise ValueError(f"{path}: lanes = {content['lanes']!r} is none of {', '.join(LANES)}")
    kind, lanes = LANES[content["lanes"]]
    lanes = lanes or content.get("count", 0)
    if lanes < 1:
        raise ValueError(f"{path}: count, the number of lanes, is missing")
    architectures = tuple(content.get("architectures", ()))
    fitting = [
        name for name, (_, like) in OF_LANES.items() if (like.kind == "vmsl", like.lanes) == (kind == "vmsl", lanes)
    ]
    if unknown := [name for name in architectures if name not in fitting]:
        raise ValueError(
            f"{path}: no architecture {unknown[0]} has these lanes; there are {', '.join(fitting) or 'none'}"
        )
    try:
        modulus, weights = integer(content["modulus"]), tuple(weights_of(content["weights"], lanes))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if modulus < 2:
        raise ValueError(f"{path}: modulus = {content['modulus']!r} is below 2")
    name = path.stem
    if not re.fullmatch(r"[A-Za-z]\w*", name) or name in trace.KERNELS and own_of(name) is None:
        raise ValueError(f"{path}: {name} is the name of a kernel of the library, or no name")
    own = Own(path, path.parent / content["source"], modulus, weights, blocks, architectures)
    kernel = Kernel(name, lanes, kind, own=own)
    for known in (read_traced, graphs_of, limits_in, recorded_checks):
        known.cache_clear()
    trace.KERNELS[name] = kernel
    own.check(read_traced(name)[0])
    return kernel
