# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Generate files of bindings/go, by their paths in it.

They are the same on every machine: nothing here is stopped by a clock. What is written is interpreted, or read back and
simulated, on every sample.
"""

from collections.abc import Callable, Iterable
from functools import cache

from coconut import interpret
from coconut.architectures import ARCHITECTURES, SCALAR, SCALAR_NAME
from coconut.describe import read_described
from coconut.emit import Message, go_file, go_interface
from coconut.functions import Function, Part, go_declarations, go_functions, write
from coconut.orders import by_list
from coconut.parse import parse
from coconut.program import Program, compare
from coconut.scalar_function import function_of, go_text, read_back
from coconut.select import select

CONSTRAINT = "amd64 && gc && !purego"
# The CPU whose model decides the order of instructions.
CPU = "sapphirerapids"
DOUBLE_ROUNDS = 10

# Kernel and shape of each function; the number in its name is that of the blocks it makes at once. The first dictionary
# has those that take a message, the second those that write the keystream.
CHACHA20_XOR = {"xor8AVX2": ("chacha20-256", "lanes 1"), "xor32AVX512": ("chacha20-512", "lanes 2")}
CHACHA20_STREAM = {
    "stream2AVX2": ("chacha20-256", "rows 1"),
    "stream4AVX2": ("chacha20-256", "rows 2"),
    "stream6AVX2": ("chacha20-256", "rows 3"),
    "stream8AVX2": ("chacha20-256", "lanes 1"),
    "stream4AVX512": ("chacha20-512", "rows 1"),
    "stream8AVX512": ("chacha20-512", "rows 2"),
    "stream12AVX512": ("chacha20-512", "rows 3"),
    "stream16AVX512": ("chacha20-512", "lanes 1"),
    "stream32AVX512": ("chacha20-512", "lanes 2"),
}


def chacha20_function(name: str, kernel: str, shape: str, end: str) -> Function:
    graphs, _ = read_described(kernel)
    parts = [("begin", 1), ("double round", DOUBLE_ROUNDS), (f"{end} end", 1)]
    return Function(
        name,
        tuple(Part(select(ARCHITECTURES[kernel], graphs[f"{shape} {line}"]), turns) for line, turns in parts),
        graphs[f"{shape} {end}"],
    )


def chacha20() -> dict[str, str]:
    functions = [chacha20_function(name, *of, "xor") for name, of in CHACHA20_XOR.items()]
    functions += [chacha20_function(name, *of, "stream") for name, of in CHACHA20_STREAM.items()]
    written = [write(function, CPU) for function in functions]
    text = go_functions(written, CONSTRAINT)
    for function in functions:
        _, samples = read_described(function.whole.kernel)
        for sample in samples[function.whole.name]:
            interpret.compare(text, function, sample)
        if function.loads_message:
            interpret.compare(text, function, samples[function.whole.name][0], groups=2)
    return {
        "internal/chacha20/emitted_amd64.s": text,
        "internal/chacha20/emitted_amd64.go": go_declarations(written, "chacha20", CONSTRAINT),
    }


# Poly1305's functions, named by how many groups share a reduction, with kernel and basic blocks; before them, the
# variants that are fastest on Zen 5.
POLY1305_WAYS = {
    "avx2": {"multiplier": "memory"},
    "ifma": {"multiplier": "memory", "cut": "ternary", "times5": "multiply"},
}
POLY1305 = {
    "avx2By2": ("avx2", ("begin 2", "step 2", "step 1", "end")),
    "avx2By8": ("avx2", ("begin 8", "long step 8", "step 2", "step 1", "end")),
    "ifmaBy4": ("ifma", ("begin 4", "step 4", "step 2", "step 1", "end")),
    "ifmaBy16": ("ifma", ("begin 16", "long step 16", "step 2", "step 1", "end")),
}


@cache
def poly1305_line(title: str) -> Program:
    kernel, _, line = title.partition("/")
    graph = read_described(kernel)[0][line]
    return by_list(select(ARCHITECTURES[kernel], graph, POLY1305_WAYS[kernel]), CPU)


def scalar() -> dict[str, str]:
    """Generate the functions that process Poly1305's blocks one after another, for every architecture."""
    graphs, samples = read_described("scalar64")
    files = {}
    for architecture in SCALAR:
        function = function_of(SCALAR_NAME, architecture, graphs)
        text = go_text(function, f"{architecture.goarch} && gc && !purego")
        for line in read_back(text, function).lines:
            for sample in samples[line.graph.name]:
                compare(line, sample)
        files[f"internal/poly1305/emitted_scalar_{architecture.goarch}.s"] = text
    return files


def poly1305() -> dict[str, str]:
    messages = [
        Message(name, tuple(poly1305_line(f"{kernel}/{line}") for line in lines))
        for name, (kernel, lines) in POLY1305.items()
    ]
    text = go_file([message.assembly() for message in messages], CONSTRAINT)
    for message in messages:
        for part in message.parts:
            read = parse(text, message.part_name(part), part)
            for sample in read_described(part.graph.kernel)[1][part.graph.name]:
                compare(read, sample)
    declarations = {message.name + message.go_parameters(): message.description() for message in messages}
    return scalar() | {
        "internal/poly1305/emitted_lanes_amd64.s": text,
        "internal/poly1305/emitted_lanes_amd64.go": go_interface(declarations, "poly1305", CONSTRAINT),
    }


GENERATORS: dict[str, Callable[[], dict[str, str]]] = {"chacha20": chacha20, "poly1305": poly1305}


def generated(packages: Iterable[str] = ()) -> dict[str, str]:
    """Return the generated files of these packages, or of all."""
    if unknown := set(packages) - GENERATORS.keys():
        raise ValueError(f"no generated package {', '.join(unknown)}; there are {', '.join(GENERATORS)}")
    return {
        name: text
        for package, generator in GENERATORS.items()
        if not packages or package in packages
        for name, text in generator().items()
    }
