# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The command: python -m coconut COMMAND; -h says which there are. docs/coconut.md shows how they follow one another."""

import argparse
import sys
from functools import cache

from coconut import program, simulate
from coconut.describe import BUILD, DESCRIPTIONS, describe
from coconut.draw import draw
from coconut.graph import Graph, read_graphs
from coconut.machine import CPUS
from coconut.program import Architecture
from coconut.select import AVX2, AVX512, Z14, Unsupported, alternatives
from coconut.tables import HEADER, best_loop, markdown

# What the lines of each kernel are made for.
ARCHITECTURES = {"avx2": AVX2, "ifma": AVX512, "vmsl": Z14}

# The loops whose schedules are in the table, and in the quick one.
LOOPS = ("avx2/step 2", "avx2/long group", "avx2/long step 8", "ifma/step 2", "ifma/step 4", "ifma/long group", "ifma/long step 16",
         "vmsl/step 1", "vmsl/step 4")
QUICK_LOOPS = ("avx2/step 2", "avx2/long group", "ifma/long group", "vmsl/step 1")


@cache
def graphs(kernel: str) -> dict[str, Graph]:
    description = next((description for description in DESCRIPTIONS if description.kernel == kernel), None)
    if description is None:
        sys.exit(f"coconut: no kernel {kernel}; there are {', '.join(known.kernel for known in DESCRIPTIONS)}")
    return read_graphs(describe(description, "graph"))


def graph_named(title: str) -> Graph:
    kernel, _, line = title.partition("/")
    lines = graphs(kernel)
    if line not in lines:
        sys.exit(f"coconut: {kernel} has no line {line!r}; there are {', '.join(lines)}")
    return lines[line]


@cache
def samples(kernel: str) -> dict[str, list[simulate.Sample]]:
    result: dict[str, list[simulate.Sample]] = {}
    description = next(description for description in DESCRIPTIONS if description.kernel == kernel)
    for sample in simulate.read_samples(describe(description, "values")):
        result.setdefault(sample.line, []).append(sample)
    return result


def command_lines(_: argparse.Namespace) -> None:
    for description in DESCRIPTIONS:
        for graph in graphs(description.kernel).values():
            phases = graph.simplified().phases()
            counts = ", ".join(f"{phases.count(phase)} {phase}" for phase in ("expand", "multiply", "reduce") if phase in phases)
            print(f"{graph.title:24} {len(phases):4} values: {counts}")


def command_simulate(_: argparse.Namespace) -> None:
    """Every graph, as written, simplified, and in instructions, on every sample."""
    for description in DESCRIPTIONS:
        compared = selected = 0
        architecture = ARCHITECTURES.get(description.kernel)
        for graph in graphs(description.kernel).values():
            ways = selections(architecture, graph)
            selected += len(ways)
            for sample in samples(description.kernel)[graph.name]:
                simulate.compare(graph, sample)
                simulate.compare(graph.simplified(), sample)
                for way in ways:
                    program.compare(way, sample)
                compared += 2 + len(ways)
        print(f"{description.kernel}: {len(graphs(description.kernel))} lines, {selected} selections, {compared} simulations agree")


def selections(architecture: Architecture | None, graph: Graph) -> list[program.Program]:
    """None for lines that are no loops and take operations that only they do."""
    try:
        return alternatives(architecture, graph) if architecture else []
    except Unsupported:
        if graph.advance != 0:
            raise
        return []


def command_print(arguments: argparse.Namespace) -> None:
    graph = graph_named(arguments.line)
    print(simulate.trace(graph.simplified(), samples(graph.kernel)[graph.name][arguments.sample]))


def command_draw(arguments: argparse.Namespace) -> None:
    for title in arguments.lines or [graph.title for description in DESCRIPTIONS for graph in graphs(description.kernel).values()]:
        print(draw(graph_named(title).simplified(), BUILD / "pictures"))


def command_table(arguments: argparse.Namespace) -> None:
    rows = []
    for title in arguments.lines or (QUICK_LOOPS if arguments.quick else LOOPS):
        graph = graph_named(title)
        architecture = ARCHITECTURES[graph.kernel]
        for cpu in CPUS[architecture.name]:
            rows.append(best_loop(architecture, graph, cpu, arguments.seconds).cells())
            print(" ".join(rows[-1]), file=sys.stderr)
    print(markdown(HEADER, rows))


def main() -> None:
    parser = argparse.ArgumentParser(prog="coconut", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, function, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(function=function)
        return added

    command("lines", command_lines, "lists the lines that are described")
    command("simulate", command_simulate, "compares every graph with the library's model lanes")
    printing = command("print", command_print, "prints every value of a line beside its expression")
    printing.add_argument("line", help="KERNEL/LINE, such as 'avx2/step 1'")
    printing.add_argument("--sample", type=int, default=0)
    drawing = command("draw", command_draw, "draws lines, or all, as SVG")
    drawing.add_argument("lines", nargs="*")
    table = command("table", command_table, "schedules loops, and prints a table")
    table.add_argument("lines", nargs="*")
    table.add_argument("--quick", action="store_true", help="few loops")
    table.add_argument("--seconds", type=float, default=60, help="for each loop, on each CPU")
    arguments = parser.parse_args()
    try:
        arguments.function(arguments)
    except (simulate.Broken, ValueError) as error:
        sys.exit(f"coconut: {error}")


if __name__ == "__main__":
    main()
