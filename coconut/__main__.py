# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run python -m coconut COMMAND: -h lists the commands, and docs/coconut.md shows how they build on one another."""

import argparse
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from coconut import interpret, own, simulate
from coconut.architectures import INSTRUCTION_SETS, architectures_of
from coconut.assembler import ParseError
from coconut.graph import Graph
from coconut.select import supported
from coconut.trace import KERNELS, ROOT, read_traced

# Plants mistakes in a process of its own.
ENGINE = "coconut.prove.mutations_terms"
PHASES = ("expand", "multiply", "reduce")


def graphs(kernel: str) -> dict[str, Graph]:
    return read_traced(kernel)[0]


def graph_named(title: str) -> Graph:
    kernel, _, name = title.partition("/")
    blocks = graphs(kernel)
    if name not in blocks:
        raise ValueError(f"{kernel} has no basic block {name!r}; there are {', '.join(blocks)}")
    return blocks[name]


def samples_of(graph: Graph) -> list[simulate.Sample]:
    return read_traced(graph.kernel)[1][graph.name]


def add_with(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--with",
        action="append",
        default=[],
        metavar="FILE.toml",
        dest="own",
        help="add blocks of your own; repeatable",
    )


def read_own(arguments: argparse.Namespace) -> None:
    """Add blocks of one's own to those that commands know; those without a list of others take these alone."""
    arguments.own = [own.read(Path(path)).name for path in arguments.own]


def command_blocks(arguments: argparse.Namespace) -> None:
    for kernel in arguments.own or KERNELS:
        for graph in graphs(kernel).values():
            phases = graph.simplified().phases()
            counts = ", ".join(f"{phases.count(phase)} {phase}" for phase in PHASES if phase in phases)
            print(f"{graph.title:24} {len(phases):4} values: {counts}")


def command_simulate(arguments: argparse.Namespace) -> None:
    """Simulate every graph on every sample: as recorded, simplified, and after instruction selection."""
    for kernel in arguments.kernels or arguments.own or KERNELS:
        compared = selected = 0
        for graph in graphs(kernel).values():
            variants = [
                variant for architecture in architectures_of(kernel) for variant in supported(architecture, graph)
            ]
            selected += len(variants)
            described = KERNELS[kernel].own
            for sample in samples_of(graph):
                if described:
                    described.check_sample(graph, sample)
                simulate.compare(graph, sample)
                simulate.compare(graph.simplified(), sample)
                for variant in variants:
                    interpret.compare(variant, sample)
                compared += 2 + len(variants)
        print(f"{kernel}: {len(graphs(kernel))} basic blocks, {selected} selections, {compared} simulations agree")


def command_print(arguments: argparse.Namespace) -> None:
    graph = graph_named(arguments.block)
    print(simulate.trace(graph.simplified(), samples_of(graph)[arguments.sample]))


def command_go(arguments: argparse.Namespace) -> None:
    from coconut.go_module import generated

    folder = Path(arguments.folder)
    differing = []
    for name, text in generated(arguments.packages).items():
        path = folder / name
        if not arguments.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            differing.append(name)
        print(f"{name}: {len(text.splitlines())} lines")
    if differing:
        raise ValueError(f"{folder}: {', '.join(differing)}: not what is generated; `coconut go` generates it")


def command_prove(arguments: argparse.Namespace) -> None:
    from coconut.prove.command import Wanted, run

    seed = secrets.randbits(64) if arguments.seed is None else arguments.seed
    compilers, own_kernels = tuple(arguments.compiler or ()), tuple(arguments.own)
    wanted = Wanted(
        not arguments.no_certificates,
        compilers,
        arguments.every_length,
        seed,
        own_kernels,
        tuple(arguments.kernels or ()),
    )
    run(arguments.suites or own_kernels, wanted, arguments.verbose, arguments.expect)


def command_check(arguments: argparse.Namespace) -> None:
    from coconut.prove.check import SAMPLE, Chosen, check

    seed = secrets.randbits(64) if arguments.seed is None else arguments.seed
    count = SAMPLE if arguments.sample is None else arguments.sample
    compilers, kernels = tuple(arguments.compiler or ()), tuple(arguments.kernels or ())
    check(Path(arguments.manifest), Chosen(compilers, kernels, count, arguments.all, seed, arguments.second))


def command_mutations(arguments: argparse.Namespace) -> None:
    from coconut.prove import chacha20, mutations, mutations_aead, mutations_chacha20, mutations_objects
    from coconut.prove.planting import Tally

    def tallies() -> Iterator[tuple[str, Tally]]:
        if arguments.calls:
            yield from mutations_aead.plant_in_calls(arguments.each_instruction)
            return
        yield from mutations.plant_in_graphs(arguments.blocks or mutations.BLOCKS)
        if not arguments.blocks:
            yield from mutations.plant_in_go()
            yield from mutations_objects.plant_in_objects(arguments.each_instruction)
            yield from mutations_aead.plant_in_calls(arguments.each_instruction)
            yield "ChaCha20's graphs", mutations_chacha20.plant_in_graphs()
            yield "ChaCha20 in Go", mutations_chacha20.plant_in_go(chacha20.go_functions())

    planted, survivors, unexplained = 0, 0, 0
    for title, tally in tallies():
        summary, *reasons = tally.lines()
        print(f"{title}: {summary}", *reasons, sep="\n", flush=True)
        planted += tally.planted
        survivors += len(tally.survivors)
        unexplained += len(tally.unexplained())
    print(f"{planted} mistakes, {survivors} not refused, {unexplained} of them not explained")
    is_all = not arguments.blocks and not arguments.calls
    if is_all and subprocess.run([sys.executable, "-m", ENGINE], cwd=ROOT, check=False).returncode != 0:
        raise ValueError("mistakes in the engine of symbolic words are not noticed, and not explained")
    if unexplained:
        raise ValueError(f"{unexplained} mistakes are not refused, and not explained")


def command_every_length(arguments: argparse.Namespace) -> None:
    from coconut.prove.every_length import prove_every_length

    first, _, last = arguments.lengths.partition("-")
    lengths = range(int(first), int(last or first) + 1)
    prove_every_length(tuple(arguments.compiler or ()), lengths, arguments.kernels or (), arguments.processes)


def command_instructions(_: argparse.Namespace) -> None:
    from coconut.check_instructions import check_instructions

    checked, unable = check_instructions(list(INSTRUCTION_SETS))
    print(
        f"{checked} results of instructions agree with CPUs, here or emulated"
        + "".join(f"; nothing here runs those of {architecture.name}" for architecture in unable)
    )


def command_forms(arguments: argparse.Namespace) -> None:
    from coconut.lift.compare import census
    from coconut.lift.objects import chosen, compiled
    from coconut.prove.objects import MACHINES

    bad = []
    for compiler in chosen(arguments.compiler or ()):
        linked = compiled(compiler)
        text, verdicts = census(linked, MACHINES[linked.target.architecture])
        print(f"{linked.version}: {text}", flush=True)
        for verdict in verdicts if arguments.verbose else [verdict for verdict in verdicts if verdict.differs]:
            print(f"    {verdict.form}: {verdict.reason or f'{verdict.states} and {verdict.symbolic}'}")
        if any(verdict.differs for verdict in verdicts) or all(verdict.reason for verdict in verdicts):
            bad.append(linked.version)
    if bad:
        raise ValueError(f"forms that differ, or none that is compared: {', '.join(bad)}")


def run(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="coconut", description=__doc__)
    add_with(parser)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, function: Callable[[argparse.Namespace], None], text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(function=function)
        return added

    command("blocks", command_blocks, "list the basic blocks of all kernels")
    simulating = command("simulate", command_simulate, "compare every graph with the library's model lanes")
    simulating.add_argument("kernels", nargs="*", help="only these kernels")
    printing = command("print", command_print, "print every value of a basic block with its expression")
    printing.add_argument("block", help="KERNEL/BLOCK, such as 'avx2/step 1'")
    printing.add_argument("--sample", type=int, default=0)
    go = command("go", command_go, "write the generated files of bindings/go")
    go.add_argument("packages", nargs="*", help="only these packages: chacha20, poly1305")
    go.add_argument("--folder", default=str(ROOT / "bindings" / "go"))
    go.add_argument("--check", action="store_true", help="compare them with the existing files instead")
    proving = command("prove", command_prove, "prove that blocks, selections and functions are right for all inputs")
    proving.add_argument("suites", nargs="*", help="only these: graphs, selections, chacha20, go, objects, ...")
    proving.add_argument("--no-certificates", action="store_true", help="write and verify no certificates")
    proving.add_argument("--compiler", action="append", help="prove its machine code, not that of those installed")
    proving.add_argument(
        "--kernels", action="append", help="only calls with this choice, of suites aead-...; repeatable"
    )
    proving.add_argument("--every-length", action="store_true", help="execute machine code at every length; an hour")
    proving.add_argument("--seed", type=int, help="repeat a run's keys of dispatch")
    proving.add_argument("--expect", action="store_true", help="rewrite expected.toml, how many proofs there must be")
    proving.add_argument("--verbose", action="store_true", help="print every proof, with its function and lengths")
    checking = command(
        "check", command_check, "check what `prove` wrote against the libraries here, and prove some again"
    )
    checking.add_argument("manifest", help="such as build/coconut/manifest.json")
    checking.add_argument("--compiler", action="append", help="only what it made, as the manifest has it; repeatable")
    checking.add_argument("--kernels", action="append", help="only calls with this choice; repeatable")
    checking.add_argument("--sample", type=int, metavar="N", help="how many calls are proved again")
    checking.add_argument("--all", action="store_true", help="prove all of them again; half an hour")
    checking.add_argument("--second", action="store_true", help="run calls that seal on a second lifter, too")
    checking.add_argument("--seed", type=int, help="repeat a choice of calls")
    lengths = command("every-length", command_every_length, "prove calls of the AEAD at every length, for hours")
    lengths.add_argument(
        "--lengths", default="0-600", metavar="FIRST-LAST", help="of the text, in bytes (default: 0-600)"
    )
    lengths.add_argument("--compiler", action="append", help="its machine code, not that of those installed")
    lengths.add_argument(
        "--kernels", action="append", help="only this choice, as `prove --verbose` names it; repeatable"
    )
    lengths.add_argument(
        "--processes", type=int, default=0, help="how many at the same time (default: one for each CPU)"
    )
    mutating = command("mutations", command_mutations, "plant mistakes, which proofs must refuse")
    mutating.add_argument("blocks", nargs="*", help="only in these basic blocks, KERNEL/BLOCK")
    mutating.add_argument(
        "--calls", action="store_true", help="only in whole calls of the AEAD, as compilers made them"
    )
    mutating.add_argument(
        "--each-instruction", action="store_true", help="change every instruction of compiled functions; hours"
    )
    forms = command("forms", command_forms, "compare each form of instruction in compiled programs with CPUs")
    forms.add_argument("--compiler", action="append", help="of its program, not of those of all compilers")
    forms.add_argument("--verbose", action="store_true", help="list all forms, and how often each is compared")
    command("instructions", command_instructions, "compare the tables of instructions with this CPU and emulated ones")
    arguments = parser.parse_args(argv)
    try:
        read_own(arguments)
        arguments.function(arguments)
    except (simulate.Mismatch, ParseError, ValueError) as error:
        sys.exit(f"coconut: {error}")


def main() -> None:
    try:
        try:
            run()
        finally:
            # Output that cannot be written fails here rather than when Python exits.
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed the pipe. Other tools die of the signal, which Python ignores.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)


if __name__ == "__main__":
    main()
