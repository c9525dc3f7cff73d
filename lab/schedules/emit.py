# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Emit basic blocks as functions by themselves, and run them on CPUs."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from coconut import interpret
from coconut.__main__ import graph_named, graphs, samples_of
from coconut.architectures import SCALAR_NAME
from coconut.emit import go_declarations, go_file
from coconut.functions import SingleBlock
from coconut.go_module import POLY1305, poly1305_program, scalar, scalar_functions
from coconut.graph import Graph
from coconut.native import prefix_of
from coconut.orders import by_list, simulated_cycles
from coconut.own import own_of
from coconut.program import Program
from coconut.select import alternatives, choices_for, select
from coconut.trace import KERNELS
from lab.schedules.architectures import ARCHITECTURES, architectures_of
from lab.schedules.native import run_against_compiled, run_function, run_samples
from lab.schedules.rvv import RVV, ScalableBlock, single_block

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


# For loops of one's own; native.h has the library's.
ITERATIONS = (1, 4, 13)


def emit(blocks: Sequence[str], folder: Path, own: Sequence[str] = ()) -> None:
    """Emit basic blocks as functions, and run them on CPUs, here or emulated; if there are blocks of one's own, these."""
    titles = list(own) or [
        *dict.fromkeys(f"{kernel}/{block}" for kernel, names in POLY1305.values() for block in names),
        *OTHERS,
    ]
    if unknown := set(blocks) - {*titles, SCALAR_NAME}:
        raise ValueError(f"{', '.join(sorted(unknown))}: not emitted, as {', '.join([*titles, SCALAR_NAME])} are")
    # In a folder of their own, because Go takes .S files for cgo's.
    (folder / "gnu").mkdir(parents=True, exist_ok=True)
    if not own and (not blocks or SCALAR_NAME in blocks):
        emit_scalar(folder)
    functions: dict[str, list[SingleBlock]] = {}
    for title in titles:
        if blocks and title not in blocks:
            continue
        name = re.sub(r"[/ ](\w)", lambda found: found[1].upper(), title)
        if title in own:
            for program in own_programs(graph_named(title)):
                named = f"{name}{program.architecture.name.capitalize()}"
                functions.setdefault(program.architecture.goarch, []).append(single_block(program, named))
            continue
        if title in OTHERS:
            graph = graph_named(title)
            architecture = ARCHITECTURES[graph.kernel]
            choices = next(choices_for(architecture)) | OTHERS[title]
            program = by_list(select(architecture, graph, choices), architecture.cpus[0])
        else:
            program = poly1305_program(title)
        functions.setdefault(program.architecture.goarch, []).append(single_block(program, name))
    for goarch, of_arch in functions.items():
        constraint = f"{goarch} && gc && !purego"
        in_go = [function for function in of_arch if function.architecture.go is not None]
        if in_go:
            (folder / f"blocks_{goarch}.s").write_text(go_file(in_go, constraint))
            declarations = go_declarations(in_go, "emitted", constraint)
            (folder / f"blocks_{goarch}.go").write_text(declarations + go_table(in_go))
        # The samples of what runs, by file: one for each length of vectors.
        runnable: dict[str, dict[str, list[dict[str, Any]]]] = {}
        for function in of_arch:
            (folder / "gnu" / f"{function.name}.S").write_text(function.text(function.architecture.gnu))
            for program, suffix in lengths(function.blocks[0].program):
                said, words = emitted_block(function, program)
                print(said)
                if words:
                    runnable.setdefault(suffix, {})[function.name] = words
        for suffix, words_of in runnable.items():
            (folder / f"blocks_{goarch}{suffix}.json").write_text(json.dumps(words_of))


def own_programs(graph: Graph) -> Iterator[Program]:
    """Yield, for each architecture of a block of one's own, the variant that takes the fewest cycles on its first CPU."""
    for architecture in architectures_of(graph.kernel):
        cpu = architecture.cpus[0]
        ordered = [by_list(variant, cpu) for variant in alternatives(architecture, graph)]
        yield min(ordered, key=partial(simulated_cycles, cpu=cpu))


def emitted_block(function: SingleBlock, program: Program) -> tuple[str, list[dict[str, Any]]]:
    """Check an emitted function, for vectors of that program's length, and return what was done, and words of samples."""
    (block,) = function.blocks
    samples = samples_of(program.graph)
    said = f"{function.name}: {program.graph.title}, {len(program.ops)} instructions"
    for sample in samples:
        interpret.compare(program, sample)
    if program is not block.program:
        said += f" with {program.graph.lanes} lanes"
    prefix = prefix_of(program.architecture)
    if prefix is None:
        return said, []
    own = own_of(program.graph.kernel)
    if own:
        run_samples(function, samples, ITERATIONS if program.is_loop else (1,))
    elif not prefix:
        run_samples(function, samples)
    if program.is_loop and not own:
        run_against_compiled(program, "gcc", rounds=0, emitted=block.program)
    # A block that is not a loop has its outputs where a loop has its accumulator.
    out = {} if program.is_loop else {"t": [0] * block.output_words}
    words = [{**program.words_of(sample), **out, "message": b64encode(sample.message).decode()} for sample in samples]
    return said + f", run {'by ' + prefix[0] if prefix else 'on this CPU'}", words


def go_table(functions: list[SingleBlock]) -> str:
    """Return the Go code for the test: the type State, and the functions by name, on slices."""
    lines = ["", "type State [7]uint64", ""]
    lines.append("var functions = map[string]func(t, powers []uint64, message *byte, iterations uint64){")
    for function in functions:
        first, second, *rest = (parameter.split() for parameter in function.parameters)
        slices = [f"({first[1]})(t)", f"({second[1]})(powers)"]
        if isinstance(function, ScalableBlock):
            slices = ["&t[0]", "&powers[0]"]
        lines += [
            f'\t"{function.name}": func(t, powers []uint64, message *byte, iterations uint64) {{',
            f"\t\t{function.name}({', '.join([*slices, *(name for name, _ in rest)])})",
            "\t},",
        ]
    return "\n".join([*lines, "}", ""])


def emit_scalar(folder: Path) -> None:
    """Emit the scalar function for each architecture, as the Go module has it."""
    # In a folder of their own, too: the Go package declares the function.
    (folder / "scalar").mkdir(exist_ok=True)
    for name, text in scalar().items():
        (folder / "scalar" / Path(name).name).write_text(text)
    for function in scalar_functions():
        architecture = function.architecture
        (folder / "gnu" / f"{SCALAR_NAME}_{architecture.goarch}.S").write_text(function.text(architecture.gnu))
        said = f"{SCALAR_NAME}: {function.description} For {architecture.name}"
        prefix = prefix_of(architecture)
        if prefix is not None:
            run_function(function, "gcc", rounds=0)
            said += f", run {'by ' + prefix[0] if prefix else 'on this CPU'}"
        print(said)


def lengths(program: Program) -> list[tuple[Program, str]]:
    """Return the program and, if its code serves every vector length, its counterparts for the other lengths.

    With each there is the suffix of the file of its samples.
    """
    own = program.graph.kernel
    return [(program, "")] + [
        (select(RVV[kernel], graphs(kernel)[program.graph.name]), f"_{KERNELS[kernel].lanes}")
        for kernel in (RVV if own in RVV else ())
        if kernel != own
    ]
