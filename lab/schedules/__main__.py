# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Draw and schedule the library's loops: python -m lab.schedules COMMAND; -h lists the commands, README.md explains them."""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from coconut.__main__ import add_with, graph_named, graphs, read_own
from coconut.architectures import SCALAR, SCALAR_NAME
from coconut.assembler import ParseError
from coconut.native import runs_here
from coconut.own import own_of
from coconut.select import alternatives
from coconut.simulate import Mismatch
from coconut.trace import BUILD, KERNELS, ROOT
from lab.schedules import originals
from lab.schedules.architectures import architectures_of
from lab.schedules.compiled import COMPILED, cells_of, with_compiled
from lab.schedules.continuous import PENALTIES
from lab.schedules.draw import draw, draw_schedule
from lab.schedules.emit import emit
from lab.schedules.native import run_against_compiled
from lab.schedules.optimal import ports_of
from lab.schedules.orders import orders, penalties
from lab.schedules.overlap import HEADER as OVERLAP_HEADER
from lab.schedules.overlap import HEADER_OVERLAPPED, loops, rows_of
from lab.schedules.tables import HEADER, best_loop, markdown

# The loops of `table`, and of `table --quick`.
LOOPS = (
    "avx2/step 2",
    "avx2/long group",
    "avx2/long step 8",
    "ifma256/step 2",
    "ifma256/step 4",
    "ifma/step 2",
    "ifma/step 4",
    "ifma/long group",
    "ifma/long step 16",
    "neon/step 2",
    "vx/step 2",
    "rvv2/step 2",
    "rvv2/step 4",
    "vmsl/step 1",
    "vmsl/step 4",
    "scalar64/block",
)
INTERVALS = ROOT / "lab/schedules/results/schedules.md"
QUICK_LOOPS = ("avx2/step 2", "avx2/long group", "ifma/long group", "vmsl/step 1")


def titles_of(kernels: Iterable[str]) -> list[str]:
    return [graph.title for kernel in kernels for graph in graphs(kernel).values()]


def command_draw(arguments: argparse.Namespace) -> None:
    if arguments.schedule:
        draw_schedules(arguments)
        return
    for title in arguments.blocks or titles_of(arguments.own or KERNELS):
        graph = originals.graph_of_macro(title) or graph_named(title).simplified()
        print(draw(graph, BUILD / "pictures"))


def draw_schedules(arguments: argparse.Namespace) -> None:
    for title in arguments.blocks:
        graph = graph_named(title)
        row = best_loop(architectures_of(graph.kernel)[0], graph, arguments.schedule, arguments.seconds)
        ports = ports_of(row.problem, row.loop.times, row.loop.interval)
        assert ports is not None
        loop = row.loop
        path = draw_schedule(
            row.problem.program, loop.times, ports, loop.interval, arguments.schedule, BUILD / "pictures"
        )
        print(f"{path}: interval {loop.interval}, {row.proved}; {row.time}")


def command_table(arguments: argparse.Namespace) -> None:
    rows = []
    for title in arguments.blocks or titles_of(arguments.own) or (QUICK_LOOPS if arguments.quick else LOOPS):
        graph = graph_named(title)
        for architecture, cpu in ((known, cpu) for known in architectures_of(graph.kernel) for cpu in known.cpus):
            row = best_loop(architecture, graph, cpu, arguments.seconds)
            rows.append(row.cells() + cells_of(architecture.triple, graph.kernel, graph.name, cpu))
            print(*rows[-1], sep=", ", file=sys.stderr)
    print(markdown([*HEADER, *COMPILED], rows))


def command_compiled(_: argparse.Namespace) -> None:
    """Write the columns that no search is needed for."""
    INTERVALS.write_text("".join(with_compiled(INTERVALS.read_text())))


def command_orders(arguments: argparse.Namespace) -> None:
    """Compare orders of a loop's instructions, and time them natively if this CPU can run them."""
    graph = graph_named(arguments.block)
    known = architectures_of(graph.kernel)
    architecture = next((one for one in known if arguments.cpu in one.cpus), known[0])
    # The scalar loop is not a function by itself, and with nothing compiled are blocks of one's own compared.
    native = runs_here(architecture) and architecture not in SCALAR and not own_of(graph.kernel)
    rows = []
    for variant in alternatives(architecture, graph):
        for order in orders(variant, arguments.cpu or architecture.cpus[0], arguments.seconds):
            row = [variant.choices, order.name, str(order.in_order_cycles), f"{order.cycles:.1f}"]
            for compiler in ("gcc", "clang") if native else ():
                compiled, emitted = run_against_compiled(order.program, compiler, rounds=300) or (0.0, 0.0)
                row.append(f"{emitted:.2f} / {compiled:.2f}")
            rows.append(row)
            print(*row, sep=", ", file=sys.stderr)
    header = ["choices", "order", "cycles in order", "cycles, llvm-mca"]
    print(markdown(header + ["ns, emitted / gcc", "ns, emitted / clang"] * native, rows))


def command_penalties(arguments: argparse.Namespace) -> None:
    """Print what the penalty for registers changes in orders by continuous optimization."""
    names = ["list", *PENALTIES]
    rows = []
    for title in arguments.blocks or LOOPS:
        graph = graph_named(title)
        for architecture, cpu in ((known, cpu) for known in architectures_of(graph.kernel) for cpu in known.cpus):
            # The first variant that fits into the registers in some order.
            variants = (penalties(program, cpu) for program in alternatives(architecture, graph))
            found = {order.name: order for order in next(filter(None, variants), [])}
            if not found:
                continue
            cells = (
                f"{found[name].in_order_cycles}, {found[name].cycles:.1f}" if name in found else "-" for name in names
            )
            rows.append([title, cpu, str(len(next(iter(found.values())).program.ops)), *cells])
            print(*rows[-1], sep="; ", file=sys.stderr)
    print(markdown(["loop", "CPU", "instructions", *names], rows), *compared(names, rows), sep="\n")


def compared(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return, for each penalty, in how many rows it takes fewer cycles than none, and more."""
    lines = [""]
    none = len(rows[0]) - len(names) + names.index("none")
    for name in names[:-1]:
        column = none - len(names) + 1 + names.index(name)
        pairs = [
            (row[column].split(", "), row[none].split(", ")) for row in rows if "-" not in (row[column], row[none])
        ]
        for k, what in enumerate(("in order", "by llvm-mca")):
            fewer, more = (sum(sign * (float(a[k]) - float(b[k])) > 0 for a, b in pairs) for sign in (-1, 1))
            lines.append(f"- {name}: fewer cycles {what} than none in {fewer} of {len(pairs)} rows, more in {more}")
    return lines


def command_overlap(arguments: argparse.Namespace) -> None:
    """Print what bounds the loops of the Go module, and what those gain whose iterations overlap."""
    rows = []
    for title, block, search in loops(arguments.loops):
        for row in rows_of(title, block, arguments.rounds, search):
            rows.append(row)
            print(*row, sep=", ", file=sys.stderr)
    print(markdown([*OVERLAP_HEADER, *HEADER_OVERLAPPED], rows))


def command_originals(_: argparse.Namespace) -> None:
    print(originals.page())


def command_emit(arguments: argparse.Namespace) -> None:
    emit(arguments.blocks, Path(arguments.folder), titles_of(arguments.own))


def run(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="lab.schedules", description=__doc__)
    add_with(parser)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, function: Callable[[argparse.Namespace], None], text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(function=function)
        return added

    drawing = command("draw", command_draw, "draw these basic blocks, or all, as SVG")
    drawing.add_argument("blocks", nargs="*")
    drawing.add_argument("--schedule", metavar="CPU", help="draw the loops' schedules instead: ports over cycles")
    drawing.add_argument("--seconds", type=float, default=60, help="time for each schedule")
    table = command("table", command_table, "schedule loops and print a table")
    table.add_argument("blocks", nargs="*")
    table.add_argument("--quick", action="store_true", help="only a few loops")
    table.add_argument("--seconds", type=float, default=60, help="time for each loop on each CPU")
    command("compiled", command_compiled, f"write the compilers' cycles in {INTERVALS.relative_to(ROOT)} anew")
    ordering = command("orders", command_orders, "compare several orders of a loop's instructions, and time them")
    ordering.add_argument("block")
    ordering.add_argument("--cpu", help="CPU whose model is scheduled for")
    ordering.add_argument("--seconds", type=float, default=30, help="time for CP-SAT")
    penalty = command("penalties", command_penalties, "compare penalties for registers in continuous optimization")
    penalty.add_argument("blocks", nargs="*")
    overlapping = command("overlap", command_overlap, "print what bounds the Go module's loops, and what overlap gains")
    overlapping.add_argument("loops", nargs="*", help="only these, KERNEL/BLOCK, or words of the others' titles")
    overlapping.add_argument("--rounds", type=int, default=300, help="for times on this CPU; 0: none")
    command("originals", command_originals, "read, run, prove and schedule the z14 paper's own assembly")
    emitting = command("emit", command_emit, "write basic blocks as Go and GNU assembly, read them back, and run them")
    emitting.add_argument("blocks", nargs="*", help=f"only these, KERNEL/BLOCK or {SCALAR_NAME}")
    emitting.add_argument("--folder", default=str(BUILD / "emitted"))
    arguments = parser.parse_args(argv)
    try:
        read_own(arguments)
        arguments.function(arguments)
    except (Mismatch, ParseError, ValueError, OSError) as error:
        sys.exit(f"lab.schedules: {error}")


if __name__ == "__main__":
    run()
