# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run python -m coconut COMMAND: -h lists the commands, and docs/coconut.md shows how they build on one another."""

import argparse
import json
import os
import re
import signal
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coconut import interpret, simulate
from coconut.architectures import ARCHITECTURES, INSTRUCTION_SETS, SCALAR_NAME, architectures_of
from coconut.assembler import ParseError
from coconut.graph import Graph
from coconut.program import Program
from coconut.select import choices_for, select, supported
from coconut.trace import BUILD, KERNELS, ROOT, read_traced

if TYPE_CHECKING:
    from coconut.functions import SingleBlock

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


def command_blocks(_: argparse.Namespace) -> None:
    for kernel in KERNELS:
        for graph in graphs(kernel).values():
            phases = graph.simplified().phases()
            counts = ", ".join(f"{phases.count(phase)} {phase}" for phase in PHASES if phase in phases)
            print(f"{graph.title:24} {len(phases):4} values: {counts}")


def command_simulate(arguments: argparse.Namespace) -> None:
    """Simulate every graph on every sample: as recorded, simplified, and after instruction selection."""
    for kernel in arguments.kernels or KERNELS:
        compared = selected = 0
        for graph in graphs(kernel).values():
            variants = [
                variant for architecture in architectures_of(kernel) for variant in supported(architecture, graph)
            ]
            selected += len(variants)
            for sample in samples_of(graph):
                simulate.compare(graph, sample)
                simulate.compare(graph.simplified(), sample)
                for variant in variants:
                    interpret.compare(variant, sample)
                compared += 2 + len(variants)
        print(f"{kernel}: {len(graphs(kernel))} basic blocks, {selected} selections, {compared} simulations agree")


def command_print(arguments: argparse.Namespace) -> None:
    graph = graph_named(arguments.block)
    print(simulate.trace(graph.simplified(), samples_of(graph)[arguments.sample]))


# Blocks emitted in addition to the Go module's, with their variants. They are ordered for the architecture's first CPU.
OTHERS = {
    "ifma256/step 4": {"cut": "ternary", "times5": "multiply"},
    "ifma256/long step 16": {"cut": "ternary", "times5": "multiply"},
    "neon/step 2": {"shifts": "accumulated"},
    "vx/step 2": {},
    "vmsl/step 1": {},
    "vmsl/step 4": {},
    "rvv2/step 2": {},
    "rvv2/step 4": {},
}


def command_emit(arguments: argparse.Namespace) -> None:
    """Emit basic blocks as functions, and run them: as Go's assembly, in interpret.py, and on CPUs, here or emulated."""
    from coconut.emit import go_declarations, go_file
    from coconut.functions import SingleBlock
    from coconut.go_module import POLY1305, poly1305_program
    from coconut.orders import by_list

    titles = [*dict.fromkeys(f"{kernel}/{block}" for kernel, blocks in POLY1305.values() for block in blocks), *OTHERS]
    if unknown := set(arguments.blocks) - {*titles, SCALAR_NAME}:
        raise ValueError(f"{', '.join(sorted(unknown))}: not emitted, as {', '.join([*titles, SCALAR_NAME])} are")
    folder = Path(arguments.folder)
    # In a folder of their own, because Go takes .S files for cgo's.
    (folder / "gnu").mkdir(parents=True, exist_ok=True)
    if not arguments.blocks or SCALAR_NAME in arguments.blocks:
        emit_scalar(folder)
    functions: dict[str, list[SingleBlock]] = {}
    for title in titles:
        if arguments.blocks and title not in arguments.blocks:
            continue
        name = re.sub(r"[/ ](\w)", lambda found: found[1].upper(), title)
        if title in OTHERS:
            graph = graph_named(title)
            architecture = ARCHITECTURES[graph.kernel]
            choices = next(choices_for(architecture)) | OTHERS[title]
            program = by_list(select(architecture, graph, choices), architecture.cpus[0])
        else:
            program = poly1305_program(title)
        functions.setdefault(program.architecture.goarch, []).append(SingleBlock.of(program, name))
    for goarch, of_arch in functions.items():
        constraint = f"{goarch} && gc && !purego"
        in_go = [function for function in of_arch if function.architecture.go is not None]
        text = go_file(in_go, constraint)
        if in_go:
            (folder / f"blocks_{goarch}.s").write_text(text)
            declarations = go_declarations(in_go, "emitted", constraint)
            (folder / f"blocks_{goarch}.go").write_text(declarations + go_table(in_go))
        # The samples of what runs, by file: one for each length of vectors.
        runnable: dict[str, dict[str, list[dict[str, Any]]]] = {}
        for function in of_arch:
            (folder / "gnu" / f"{function.name}.S").write_text(function.text(function.architecture.gnu))
            for program, suffix in lengths(function.blocks[0].program):
                said, words = emitted_block(function, program, text if function in in_go else "")
                print(said)
                if words:
                    runnable.setdefault(suffix, {})[function.name] = words
        for suffix, words_of in runnable.items():
            (folder / f"blocks_{goarch}{suffix}.json").write_text(json.dumps(words_of))


def emitted_block(function: "SingleBlock", program: Program, text: str) -> tuple[str, list[dict[str, Any]]]:
    """Check an emitted function, for vectors of that program's length, and return what was done, and words of samples."""
    from coconut.native import prefix_of, run_beside, run_samples

    (block,) = function.blocks
    samples = samples_of(program.graph)
    said = f"{function.name}: {program.graph.title}, {len(program.ops)} instructions"
    for sample in samples:
        interpret.compare(program, sample)
    if text:
        interpret.check_block(function, text, samples, program)
        said += ", interpreted"
    if program is not block.program:
        said += f" with {program.graph.lanes} lanes"
    prefix = prefix_of(program.architecture)
    if prefix is None:
        return said, []
    if not prefix:
        run_samples(function, samples)
    if program.is_loop:
        run_beside(program, "gcc", rounds=0, emitted=block.program)
    # A block that is not a loop has its outputs where a loop has its accumulator.
    out = {} if program.is_loop else {"t": [0] * block.output_words}
    words = [{**program.words_of(sample), **out, "message": b64encode(sample.message).decode()} for sample in samples]
    return said + f", run {'by ' + prefix[0] if prefix else 'on this CPU'}", words


def go_table(functions: list["SingleBlock"]) -> str:
    """Return the Go code for the test: the type State, and the functions by name, on slices."""
    lines = ["", "type State [7]uint64", ""]
    lines.append("var functions = map[string]func(t, powers []uint64, message *byte, iterations uint64){")
    for function in functions:
        first, second, *rest = (parameter.split() for parameter in function.parameters)
        slices = [f"({first[1]})(t)", f"({second[1]})(powers)"]
        if function.architecture.scalable:
            slices = ["&t[0]", "&powers[0]"]
        lines += [
            f'\t"{function.name}": func(t, powers []uint64, message *byte, iterations uint64) {{',
            f"\t\t{function.name}({', '.join([*slices, *(name for name, _ in rest)])})",
            "\t},",
        ]
    return "\n".join([*lines, "}", ""])


def emit_scalar(folder: Path) -> None:
    """Emit the scalar function for each architecture, as the Go module has it."""
    from coconut.go_module import scalar, scalar_functions
    from coconut.native import prefix_of, run_function

    # In a folder of their own, too: the Go package declares the function.
    (folder / "scalar").mkdir(exist_ok=True)
    for name, text in scalar().items():
        (folder / "scalar" / Path(name).name).write_text(text)
    for function in scalar_functions():
        architecture = function.architecture
        (folder / "gnu" / f"{SCALAR_NAME}_{architecture.goarch}.S").write_text(function.text(architecture.gnu))
        said = f"{SCALAR_NAME}: {function.description} For {architecture.name}, interpreted"
        prefix = prefix_of(architecture)
        if prefix is not None:
            run_function(function, "gcc", rounds=0)
            said += f", run {'by ' + prefix[0] if prefix else 'on this CPU'}"
        print(said)


def lengths(program: Program) -> list[tuple[Program, str]]:
    """Return the program and, if its code serves every vector length, its counterparts for the other lengths.

    With each there is the suffix of the file of its samples.
    """
    others = [
        kernel
        for kernel, architecture in ARCHITECTURES.items()
        if architecture.scalable and architecture.selector is program.architecture.selector
    ]
    return [(program, "")] + [
        (select(ARCHITECTURES[kernel], graphs(kernel)[program.graph.name]), f"_{KERNELS[kernel].lanes}")
        for kernel in others
        if kernel != program.graph.kernel
    ]


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
        raise ValueError(f"{folder}: {', '.join(differing)}: not what is generated; `coconut go` writes it anew")


def command_prove(arguments: argparse.Namespace) -> None:
    from coconut.prove.command import prove, suites

    known = suites(not arguments.no_certificates, arguments.compiler or (), arguments.every_length)
    if unknown := set(arguments.suites) - known.keys():
        raise ValueError(f"no proofs {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    wanted = {name: known[name] for name in arguments.suites or known}
    rows = prove(wanted, print if arguments.verbose else lambda _: None)
    if "objects" in wanted and not arguments.compiler:
        from coconut.lift.objects import COMPILERS, installed

        for compiler in sorted({*COMPILERS} - {*installed()}):
            print(f"nothing is proved of what `{compiler}` makes: it is not installed (coconut/install.sh)")
    if refused := [row.name for row in rows if row.refused]:
        raise ValueError(f"not everything is proved: {', '.join(refused)}")


def command_mutations(arguments: argparse.Namespace) -> None:
    from coconut.prove import chacha20, mutations, mutations_chacha20, mutations_objects
    from coconut.prove.planting import Tally

    def tallies() -> Iterator[tuple[str, Tally]]:
        yield from mutations.plant_in_graphs(arguments.blocks or mutations.BLOCKS)
        if not arguments.blocks:
            yield from mutations.plant_in_go()
            yield from mutations_objects.plant_in_objects(arguments.each_instruction)
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
    if unexplained:
        raise ValueError(f"{unexplained} mistakes are not refused, and not explained")


def command_instructions(_: argparse.Namespace) -> None:
    from coconut.check_instructions import check_instructions

    checked, unable = check_instructions(list(INSTRUCTION_SETS))
    print(
        f"{checked} results of instructions agree with CPUs, here or emulated"
        + "".join(f"; nothing here runs those of {architecture.name}" for architecture in unable)
    )


def run(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="coconut", description=__doc__)
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
    emitting = command(
        "emit", command_emit, "write basic blocks as Go and GNU assembly, read them back, simulate and run them"
    )
    emitting.add_argument("blocks", nargs="*", help=f"only these, KERNEL/BLOCK or {SCALAR_NAME}")
    emitting.add_argument("--folder", default=str(BUILD / "emitted"))
    go = command("go", command_go, "write the generated files of bindings/go, after simulating them")
    go.add_argument("packages", nargs="*", help="only these packages: chacha20, poly1305")
    go.add_argument("--folder", default=str(ROOT / "bindings" / "go"))
    go.add_argument("--check", action="store_true", help="compare them with the existing files instead")
    proving = command("prove", command_prove, "prove that blocks, selections and functions are right for all inputs")
    proving.add_argument("suites", nargs="*", help="only these: graphs, selections, chacha20, go, objects, ...")
    proving.add_argument("--no-certificates", action="store_true", help="write and verify no certificates")
    proving.add_argument("--compiler", action="append", help="prove its machine code, not that of those installed")
    proving.add_argument("--every-length", action="store_true", help="prove all machine code; an hour")
    proving.add_argument("--verbose", action="store_true", help="print every proof")
    mutating = command("mutations", command_mutations, "plant mistakes, which proofs must refuse")
    mutating.add_argument("blocks", nargs="*", help="only in these basic blocks, KERNEL/BLOCK")
    mutating.add_argument(
        "--each-instruction", action="store_true", help="change every instruction of compiled functions; hours"
    )
    command("instructions", command_instructions, "compare the tables of instructions with this CPU and emulated ones")
    arguments = parser.parse_args(words)
    try:
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
