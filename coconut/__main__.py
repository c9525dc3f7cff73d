# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The command: python -m coconut COMMAND; -h says which there are. docs/coconut.md shows how they follow one another.

OR-Tools and SciPy are imported by the commands that take them: that takes longer than others run."""

import argparse
import json
import sys
from base64 import b64encode
from functools import cache
from pathlib import Path

from coconut import program, simulate
from coconut.architecture import Architecture
from coconut.architectures import ARCHITECTURES
from coconut.check_instructions import check_instructions, runs_here
from coconut.describe import BUILD, DESCRIPTIONS, describe
from coconut.draw import draw
from coconut.emit import assembly, go_file, go_interface
from coconut.graph import Graph, read_graphs
from coconut.parse import Unreadable, parse
from coconut.program import Program
from coconut.select import Unsupported, alternatives

# The loops whose schedules are in the table, and in the quick one.
LOOPS = (
    "avx2/step 2",
    "avx2/long group",
    "avx2/long step 8",
    "ifma/step 2",
    "ifma/step 4",
    "ifma/long group",
    "ifma/long step 16",
    "vmsl/step 1",
    "vmsl/step 4",
)
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
            counts = ", ".join(
                f"{phases.count(phase)} {phase}" for phase in ("expand", "multiply", "reduce") if phase in phases
            )
            print(f"{graph.title:24} {len(phases):4} values: {counts}")


def command_simulate(arguments: argparse.Namespace) -> None:
    """Every graph, as written, simplified, and in instructions, on every sample."""
    for description in DESCRIPTIONS:
        if arguments.kernels and description.kernel not in arguments.kernels:
            continue
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
        print(
            f"{description.kernel}: {len(graphs(description.kernel))} lines, {selected} selections, {compared} simulations agree"
        )


def selections(architecture: Architecture | None, graph: Graph) -> list[Program]:
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
    for title in arguments.lines or [
        graph.title for description in DESCRIPTIONS for graph in graphs(description.kernel).values()
    ]:
        print(draw(graph_named(title).simplified(), BUILD / "pictures"))


def command_table(arguments: argparse.Namespace) -> None:
    from coconut.compilers import compiled_cycles
    from coconut.tables import HEADER, best_loop, markdown

    rows = []
    for title in arguments.lines or (QUICK_LOOPS if arguments.quick else LOOPS):
        graph = graph_named(title)
        architecture = ARCHITECTURES[graph.kernel]
        for cpu in architecture.cpus:
            row = best_loop(architecture, graph, cpu, arguments.seconds)
            cycles = [
                compiled_cycles(architecture.triple, compiler, graph.kernel, graph.name, cpu)
                for compiler in ("gcc", "clang")
            ]
            rows.append(row.cells() + ["-" if figure is None else f"{figure:.1f}" for figure in cycles])
            print(*rows[-1], sep=", ", file=sys.stderr)
    print(markdown([*HEADER, "gcc", "clang"], rows))


def command_orders(arguments: argparse.Namespace) -> None:
    """Natively too, where this CPU can."""
    from coconut.compilers import run_native
    from coconut.orders import orders
    from coconut.tables import markdown

    graph = graph_named(arguments.line)
    architecture = ARCHITECTURES[graph.kernel]
    native = runs_here(architecture)
    rows = []
    for way in alternatives(architecture, graph):
        for order in orders(way, arguments.cpu or architecture.cpus[0], arguments.seconds):
            row = [way.choices, order.name, str(order.in_order_cycles), f"{order.cycles:.1f}"]
            for compiler in ("gcc", "clang") if native else ():
                compiled, emitted = run_native(order.program, compiler, rounds=300) or (0.0, 0.0)
                row.append(f"{emitted:.2f} / {compiled:.2f}")
            rows.append(row)
            print(*row, sep=", ", file=sys.stderr)
    header = ["choices", "order", "cycles in order", "cycles, llvm-mca"]
    print(markdown(header + ["ns, emitted / gcc", "ns, emitted / clang"] * native, rows))


# What is emitted: the loops of long messages, and the CPU whose model decides about their order.
EMITTED = {
    "avx2Step2": "avx2/step 2",
    "avx2LongStep8": "avx2/long step 8",
    "ifmaStep4": "ifma/step 4",
    "ifmaLongStep16": "ifma/long step 16",
}
EMITTED_FOR = "sapphirerapids"
GO_CONSTRAINT = "amd64 && gc && !purego"


def command_emit(arguments: argparse.Namespace) -> None:
    """Every loop is read back out of the file and simulated, and runs on this CPU if it can."""
    from coconut.compilers import run_native
    from coconut.orders import best_order

    programs = {}
    for name, title in EMITTED.items():
        if arguments.names and name not in arguments.names:
            continue
        graph = graph_named(title)
        ways = [
            best_order(way, EMITTED_FOR, arguments.seconds)
            for way in alternatives(ARCHITECTURES[graph.kernel], graph)[:2]
        ]
        programs[name] = min((way for way in ways if way is not None), key=lambda way: way.cycles).program
    folder = Path(arguments.folder)
    # Apart, because Go takes .S files for cgo's.
    (folder / "gnu").mkdir(parents=True, exist_ok=True)
    text = go_file(programs, GO_CONSTRAINT)
    (folder / "loops_amd64.s").write_text(text)
    (folder / "loops_amd64.go").write_text(go_interface(programs, "emitted", GO_CONSTRAINT))
    runnable: dict[str, list[dict]] = {}
    for name, emitted in programs.items():
        (folder / "gnu" / f"{name}.S").write_text(assembly(emitted, name, emitted.architecture.gnu))
        title, line_samples = emitted.graph.title, samples(emitted.graph.kernel)[emitted.graph.name]
        read = parse(text, name, emitted)
        for sample in line_samples:
            program.compare(emitted, sample)
            program.compare(read, sample)
        line = f"{name}: {title}, {len(emitted.ops)} instructions, read back and simulated"
        if runs_here(emitted.architecture):
            run_native(emitted, "gcc", rounds=0)
            runnable[name] = [
                program.words_of(emitted, sample) | {"message": b64encode(sample.message).decode()}
                for sample in line_samples
            ]
            line += ", run on this CPU"
        print(line)
    (folder / "loops.json").write_text(json.dumps(runnable))


def command_instructions(_: argparse.Namespace) -> None:
    checked, unable = check_instructions()
    print(
        f"{checked} results of instructions agree with the CPU"
        + "".join(f"; it cannot run those of {architecture.name}" for architecture in unable)
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="coconut", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, function, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(function=function)
        return added

    command("lines", command_lines, "lists the lines that are described")
    simulating = command("simulate", command_simulate, "compares every graph with the library's model lanes")
    simulating.add_argument("kernels", nargs="*", help="only these")
    printing = command("print", command_print, "prints every value of a line beside its expression")
    printing.add_argument("line", help="KERNEL/LINE, such as 'avx2/step 1'")
    printing.add_argument("--sample", type=int, default=0)
    drawing = command("draw", command_draw, "draws lines, or all, as SVG")
    drawing.add_argument("lines", nargs="*")
    table = command("table", command_table, "schedules loops, and prints a table")
    table.add_argument("lines", nargs="*")
    table.add_argument("--quick", action="store_true", help="few loops")
    table.add_argument("--seconds", type=float, default=60, help="for each loop, on each CPU")
    ordering = command("orders", command_orders, "orders a loop's instructions in several ways, and times them")
    ordering.add_argument("line")
    ordering.add_argument("--cpu", help="whose model is scheduled for")
    ordering.add_argument("--seconds", type=float, default=30, help="for CP-SAT")
    emitting = command(
        "emit", command_emit, "writes loops as Go and GNU assembly, reads them back, simulates and runs them"
    )
    emitting.add_argument("names", nargs="*", help=f"only these of {', '.join(EMITTED)}")
    emitting.add_argument("--folder", default=str(BUILD / "emitted"))
    emitting.add_argument("--seconds", type=float, default=10, help="for CP-SAT, for each loop; 0: without")
    command("instructions", command_instructions, "compares the table of instructions with this CPU")
    arguments = parser.parse_args()
    try:
        arguments.function(arguments)
    except (simulate.Broken, Unreadable, ValueError) as error:
        sys.exit(f"coconut: {error}")


if __name__ == "__main__":
    main()
