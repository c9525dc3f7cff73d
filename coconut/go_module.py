# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Generate files of bindings/go, by their paths in it.

Generation is reproducible: nothing here is stopped by a clock. `coconut prove go go-chacha20 go-stitched` proves what is
written.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache

from coconut.architecture import Architecture
from coconut.architectures import ARCHITECTURES, SCALAR, SCALAR_NAME, WORDS_128
from coconut.architectures.amd64_words import AVX2_WORDS, AVX2_WORDS_STITCHED, AVX512_WORDS, AVX512VL_WORDS
from coconut.architectures.scalar_amd64 import AMD64
from coconut.architectures.scalar_amd64_words import AMD64_WORDS
from coconut.architectures.scalar_riscv64_words import RISCV64_WORDS
from coconut.emit import Function, go_declarations, go_file
from coconut.functions import (
    ChaCha20,
    Combine,
    Mask,
    Message,
    Pass,
    ScalarBlocks,
    ScalarEnd,
    SingleBlock,
    StitchedBlocks,
    StitchedMac,
)
from coconut.orders import by_list
from coconut.program import Program
from coconut.select import select
from coconut.trace import read_traced

CONSTRAINT = "{} && gc && !purego"
AMD64_ONLY = CONSTRAINT.format("amd64")
DOUBLE_ROUNDS = 10

# Kernel and layout of each function; the number in its name is that of the blocks of a group. The first dictionary
# has those that take a message, the second those that write the keystream.
CHACHA20_XOR = {
    "xor8AVX2": (AVX2_WORDS, "chacha20-256", "lanes 1"),
    "xor16AVX512": (AVX512_WORDS, "chacha20-512", "lanes 1"),
    "xor32AVX512": (AVX512_WORDS, "chacha20-512", "lanes 2"),
}
CHACHA20_STREAM = {
    "stream2AVX2": (AVX2_WORDS, "chacha20-256", "rows 1"),
    "stream4AVX2": (AVX2_WORDS, "chacha20-256", "rows 2"),
    "stream6AVX2": (AVX2_WORDS, "chacha20-256", "rows 3"),
    "stream8AVX2": (AVX2_WORDS, "chacha20-256", "lanes 1"),
    "stream8AVX512VL": (AVX512VL_WORDS, "chacha20-256", "lanes 1"),
    "stream4AVX512": (AVX512_WORDS, "chacha20-512", "rows 1"),
    "stream8AVX512": (AVX512_WORDS, "chacha20-512", "rows 2"),
    "stream12AVX512": (AVX512_WORDS, "chacha20-512", "rows 3"),
    "stream16AVX512": (AVX512_WORDS, "chacha20-512", "lanes 1"),
    "stream32AVX512": (AVX512_WORDS, "chacha20-512", "lanes 2"),
}
# Functions that make the blocks of another one in step with rows.
CHACHA20_IN_STEP = {
    "stream10AVX512VL": ("stream8AVX512VL", "rows 1"),
    "stream12AVX512VL": ("stream8AVX512VL", "rows 2"),
    "stream20AVX512": ("stream16AVX512", "rows 1"),
    "stream24AVX512": ("stream16AVX512", "rows 2"),
}

# Functions that make the first rows of blocks, one for each lane, for QUIC's header protection.
CHACHA20_MASK = {
    "mask8AVX2": (AVX2_WORDS, "chacha20-256"),
    "mask16AVX512": (AVX512_WORDS, "chacha20-512"),
}


# The same functions for each architecture of WORDS_128: layout, and whether they take a message.
CHACHA20_128 = {
    "xor4": ("lanes 1", "xor"),
    "stream1": ("rows 1", "stream"),
    "stream2": ("rows 2", "stream"),
    "stream4": ("lanes 1", "stream"),
}


def chacha20_function(name: str, architecture: Architecture, kernel: str, layout: str, end: str) -> ChaCha20:
    graphs, _ = read_traced(kernel)
    # Two sets of lanes do not fit into AVX2's registers.
    rounds = "double round in turn" if (kernel, layout) == ("chacha20-256", "lanes 2") else "double round"
    parts, repeats = ["begin", rounds, f"{end} end"], [1, DOUBLE_ROUNDS, 1]
    # What groups share of the first round takes twelve registers.
    shares = architecture in WORDS_128 and (layout, end) == ("lanes 1", "xor")
    if shares:
        parts, repeats = ["columns", "first double round", *parts[1:]], [1, 1, DOUBLE_ROUNDS - 1, 1]
    programs = [select(architecture, graphs[f"{layout} {part}"]) for part in parts]
    return ChaCha20.of(name, programs, repeats, architecture.cpus[0], shares)


def mask_function(name: str, architecture: Architecture, kernel: str) -> Mask:
    graphs, _ = read_traced(kernel)
    parts = ("samples begin", "double round", "row end")
    programs = [select(architecture, graphs[f"lanes 1 {part}"]) for part in parts]
    return Mask.after(ChaCha20.of(name, programs, (1, DOUBLE_ROUNDS, 1), architecture.cpus[0]))


# One block in general registers, with the basic block after the rounds.
CHACHA20_RISCV64 = {"xor1": "lanes xor end", "stream1": "lanes end"}


def scalar_chacha20_function(name: str, end: str) -> ChaCha20:
    """Return the function that makes the first block of those that four lanes make."""
    graphs, _ = read_traced("chacha20-128")
    parts = [graphs[f"lanes 1 {part}"].one_lane(0) for part in ("begin", "double round", end)]
    programs = [select(RISCV64_WORDS, part) for part in parts]
    return ChaCha20.of(name, programs, (1, DOUBLE_ROUNDS, 1), RISCV64_WORDS.cpus[0])


# ChaCha20 stitched to Poly1305, and to two blocks: how many times four blocks of Poly1305 are in a double round, and
# layouts.
STITCHED_MAC = {
    "xor8MAC4AVX2": (1, "lanes 1", "xor"),
    "xor16MAC8AVX2": (2, "lanes 2", "xor"),
    "stream2MAC4AVX2": (1, "rows 1", "stream"),
    "stream4MAC4AVX2": (1, "rows 2", "stream"),
    "stream6MAC4AVX2": (1, "rows 3", "stream"),
    "stream2MAC8AVX2": (2, "rows 1", "stream"),
    "stream4MAC8AVX2": (2, "rows 2", "stream"),
    "stream6MAC8AVX2": (2, "rows 3", "stream"),
}
STITCHED_BLOCKS = {
    "xor8And2AVX2": ("lanes 1", "xor"),
    "xor16And2AVX2": ("lanes 2", "xor"),
}


def stitched() -> dict[str, str]:
    graphs, kernel = read_traced("scalar64")[0], "chacha20-256"
    words, _ = read_traced(kernel)
    functions = [
        StitchedMac.stitch(chacha20_function(name, AVX2_WORDS, kernel, *of), AVX2_WORDS_STITCHED, AMD64, graphs, fours)
        for name, (fours, *of) in STITCHED_MAC.items()
    ]
    blocks = [
        StitchedBlocks.stitch(chacha20_function(name, AVX2_WORDS, kernel, *of), AVX2_WORDS_STITCHED, AMD64_WORDS, words)
        for name, of in STITCHED_BLOCKS.items()
    ]
    return {
        "internal/stitched/emitted_amd64.s": go_file([*functions, *blocks], AMD64_ONLY),
        "internal/stitched/emitted_amd64.go": go_declarations([*functions, *blocks], "stitched", AMD64_ONLY),
    }


def chacha20() -> dict[str, str]:
    xors, streams = (
        {name: chacha20_function(name, *of, end) for name, of in functions.items()}
        for functions, end in ((CHACHA20_XOR, "xor"), (CHACHA20_STREAM, "stream"))
    )
    for name, (lanes, layout) in CHACHA20_IN_STEP.items():
        rows = chacha20_function(name, *CHACHA20_STREAM[lanes][:2], layout, "stream")
        streams[name] = streams[lanes].in_step(name, rows)
    passes = [Pass.after(function, name.replace("stream", "pass")) for name, function in streams.items()]
    masks = [mask_function(name, *of) for name, of in CHACHA20_MASK.items()]
    combine = Combine.of("combineAVX2", AVX2_WORDS)
    functions: dict[str, list[Function]] = {"amd64": [*xors.values(), *streams.values(), *passes, *masks, combine]}
    for architecture in WORDS_128:
        functions[architecture.goarch] = [
            *(chacha20_function(name, architecture, "chacha20-128", *of) for name, of in CHACHA20_128.items()),
            mask_function("mask4", architecture, "chacha20-128"),
        ]
    functions[RISCV64_WORDS.goarch] = [scalar_chacha20_function(name, end) for name, end in CHACHA20_RISCV64.items()]
    files = {}
    for goarch, of_architecture in functions.items():
        constraint = CONSTRAINT.format(goarch)
        files[f"internal/chacha20/emitted_{goarch}.s"] = go_file(of_architecture, constraint)
        files[f"internal/chacha20/emitted_{goarch}.go"] = go_declarations(of_architecture, "chacha20", constraint)
    return files


# Poly1305's functions, named by how many groups share a reduction, with kernel and basic blocks; before them, the
# variants that are fastest on Zen 5.
POLY1305_VARIANTS = {
    "avx2": {"multiplier": "memory"},
    "ifma256": {"multiplier": "memory", "cut": "ternary", "times5": "multiply"},
    "ifma": {"multiplier": "memory", "cut": "ternary", "times5": "multiply"},
}
POLY1305 = {
    "avx2By2": ("avx2", ("begin 2", "step 2", "step 1", "end")),
    "avx2By8": ("avx2", ("begin 8", "long step 8", "step 2", "step 1", "end")),
    "ifma256By2": ("ifma256", ("begin 2", "step 2", "step 1", "end")),
    "ifmaBy4": ("ifma", ("begin 4", "step 4", "step 2", "step 1", "end")),
    "ifmaBy16": ("ifma", ("begin 16", "long step 16", "step 2", "step 1", "end")),
}


# Loops of Poly1305 by themselves: what comes before and after them is in Go.
POLY1305_LOOPS = {"vmslBy1": "vmsl/step 1", "vmslBy4": "vmsl/step 4", "vxBy2": "vx/step 2"}


@cache
def poly1305_program(title: str) -> Program:
    kernel, _, name = title.partition("/")
    graph, architecture = read_traced(kernel)[0][name], ARCHITECTURES[kernel]
    return by_list(select(architecture, graph, POLY1305_VARIANTS.get(kernel)), architecture.cpus[0])


@cache
def scalar_functions() -> tuple[ScalarBlocks, ...]:
    graphs = read_traced("scalar64")[0]
    return tuple(ScalarBlocks.of(SCALAR_NAME, architecture, graphs) for architecture in SCALAR)


def scalar() -> dict[str, str]:
    """Generate the functions that process Poly1305's blocks one after another, for every architecture."""
    graphs, _ = read_traced("scalar64")
    files = {}
    for function in scalar_functions():
        goarch = function.architecture.goarch
        ends = [ScalarEnd.of("scalarEnd", function, graphs)] if function.architecture is AMD64 else []
        text = go_file([function, *ends], CONSTRAINT.format(goarch))
        files[f"internal/poly1305/emitted_scalar_{goarch}.s"] = text
    return files


def poly1305_loops() -> dict[str, str]:
    """Generate the loops, which clear their registers."""
    loops = [
        replace(SingleBlock.of(poly1305_program(title), name), clears=True) for name, title in POLY1305_LOOPS.items()
    ]
    constraint = CONSTRAINT.format("s390x")
    return {
        "internal/poly1305/emitted_lanes_s390x.s": go_file(loops, constraint),
        "internal/poly1305/emitted_lanes_s390x.go": go_declarations(loops, "poly1305", constraint),
    }


def poly1305() -> dict[str, str]:
    messages = [
        Message.of(name, [poly1305_program(f"{kernel}/{block}") for block in blocks])
        for name, (kernel, blocks) in POLY1305.items()
    ]
    return (
        scalar()
        | poly1305_loops()
        | {
            "internal/poly1305/emitted_lanes_amd64.s": go_file(messages, AMD64_ONLY),
            "internal/poly1305/emitted_lanes_amd64.go": go_declarations(messages, "poly1305", AMD64_ONLY),
        }
    )


GENERATORS: dict[str, Callable[[], dict[str, str]]] = {
    "chacha20": chacha20,
    "poly1305": poly1305,
    "stitched": stitched,
}


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
