# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run emitted loops and those that compilers make, on this CPU or in an emulator, and compare what they leave.

What an emulator runs is not timed.
"""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from coconut.architecture import Architecture
from coconut.functions import ScalarBlocks, SingleBlock
from coconut.native import build, run
from coconut.own import own_of
from coconut.program import Program
from coconut.simulate import Mismatch, Sample, after
from coconut.trace import BUILD, SOURCE, kernel_named
from lab.schedules.rvv import RVV, single_block

HERE = Path(__file__).resolve().parent
# Kernels whose loops are compared with those of portable.c.
IN_C = RVV.keys()
Times = tuple[float, float] | None


def hooked(name: str) -> str:
    return f'-DHORNET_KERNEL_HOOK="{HERE / name}"'


def file_of(kernel: str) -> Path:
    """Return the file of a kernel with whose loops the emitted ones are compared."""
    return SOURCE / "poly1305" / "kernels" / f"{'portable' if kernel in IN_C else kernel}.c"


def group_bytes(kernel: str) -> int:
    """Return the bytes of a group, as in the kernel: with sums, two evaluations run in parallel."""
    found = kernel_named(kernel)
    return 16 * found.lanes * (2 if found.kind == "vmsl" else 1)


def run_samples(function: SingleBlock, samples: list[Sample], iterations: Iterable[int] = (1,)) -> None:
    """Run the emitted function, and compare with the model lanes; a loop of one's own also for several iterations."""
    (block,), architecture = function.blocks, function.architecture
    program, order = block.program, architecture.byte_order
    own = own_of(program.graph.kernel)
    data, wanted = b"", []
    for sample in samples:
        words, to = program.words_of(sample), list(after(program.graph, sample, max(iterations)))
        if own:
            for one in to:
                own.check_sample(program.graph, one)
        state = words["t"] + [0] * (block.output_words - len(words["t"]))
        for count in iterations:
            numbers = [count, *state, *words["powers"]]
            data += b"".join(number.to_bytes(8, order) for number in numbers) + sample.message
            wanted.append((f"sample {sample.number}, {count} iterations", program.words_of(to[count - 1])["want"]))
    sizes = {"STATE_WORDS": block.output_words, "POWERS_WORDS": program.input_words()}
    options = [f"-D{name}={size}" for name, size in (sizes | {"MESSAGE_BYTES": len(samples[0].message)}).items()]
    with TemporaryDirectory(dir=BUILD) as folder:
        source, binary = Path(folder) / "block.S", Path(folder) / "samples"
        source.write_text(function.text(architecture.gnu))
        build(architecture, "gcc", binary, [HERE / "samples.c", source], [f"-DEMITTED={function.name}", *options])
        ran = run(architecture, [str(binary)], input=data)
    size = 8 * block.output_words
    if ran.returncode != 0 or len(ran.stdout) != size * len(wanted):
        raise Mismatch(f"{function.name}: the emitted function fails with {ran.returncode}")
    for i, (title, want) in enumerate(wanted):
        left = ran.stdout[size * i : size * i + 8 * len(want)]
        if left != b"".join(number.to_bytes(8, order) for number in want):
            raise Mismatch(f"{function.name}, {title}: the emitted function leaves something else")


def build_and_run(
    title: str, text: str, kernel: str, architecture: Architecture, compiler: str, rounds: int, options: list[str]
) -> Times:
    """Build an emitted function with the compiled kernel, and run both."""
    source, binary = (BUILD / f"against-{architecture.name}-{compiler}{suffix}" for suffix in (".S", ""))
    source.write_text(text)
    build(architecture, compiler, binary, [file_of(kernel), source], options)
    ran = run(architecture, [str(binary), str(rounds)], text=True)
    if ran.returncode != 0:
        raise Mismatch(f"{title}, emitted: {ran.stdout.strip() or ran.returncode}")
    times = ran.stdout.split()
    return (float(times[0]), float(times[1])) if times else None


def run_function(function: ScalarBlocks, compiler: str, rounds: int) -> Times:
    """Return the nanoseconds for 13 blocks, compiled and emitted, as run_against_compiled."""
    architecture, graph = function.architecture, function.blocks[0].program.graph
    options = [f"-DEMITTED={function.name}", hooked("native_scalar.h")]
    return build_and_run(
        graph.title, function.text(architecture.gnu), graph.kernel, architecture, compiler, rounds, options
    )


def run_against_compiled(
    program: Program, compiler: str, rounds: int, emitted: Program | None = None, function: SingleBlock | None = None
) -> Times:
    """Return the nanoseconds per iteration, compiled and emitted, where the program runs; None without rounds.

    Raise Mismatch unless both leave the same accumulator for every sample. emitted is the code of that program, which
    was made for vectors of another length; function, if it is not that of the program by itself, is what is run.
    """
    architecture, graph = program.architecture, program.graph
    function = function or single_block(emitted or program, "coconut_loop")
    options = [
        f"-DITERATION_GROUPS={graph.advance // group_bytes(graph.kernel)}",
        f"-DEMITTED={function.name}",
        *([f"-DPORTABLE_LANES={graph.lanes}"] if graph.kernel in IN_C else []),
        hooked("native.h"),
    ]
    text = function.text(function.architecture.gnu)
    return build_and_run(graph.title, text, graph.kernel, architecture, compiler, rounds, options)
