# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Make functions of basic blocks, of several kinds, which differ in how values pass from block to block."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TypeVar

from coconut.allocate import OutOfRegisters, Step, allocate_chained, allocate_loop, allocate_straight, pressure
from coconut.architecture import Architecture
from coconut.assembler import Assembler
from coconut.emit import Block, Function, moved, text_of
from coconut.graph import Graph
from coconut.instructions import Memory, Op
from coconut.operations import BLOCK_BYTES, Value
from coconut.orders import by_list, simulated_cycles, steady_cycles, within_registers
from coconut.program import Program
from coconut.schedule import problem_of
from coconut.select import Selector, select

CHACHA20_BYTES = 64
COUNTER = 48  # offset in ChaCha20's state of the word that counts blocks


# Where values are between basic blocks, by name: in a register, or in the frame.
Places = dict[str, int | Memory]

# The CPU whose model decides the order of instructions in functions of ChaCha20.
CPU = "sapphirerapids"

FRAME_ALIGN = 64


def flat(vectors: Sequence[Value]) -> list[int]:
    return [number for vector in vectors for number in vector]


def block_of(program: Program, repeat: str) -> Block:
    """Return a loop that keeps its accumulator in registers, or a block whose inputs and outputs are in memory."""
    if not program.is_loop:
        return Block.of(program, allocate_straight(program))
    architecture, size = program.architecture, program.architecture.vector_bytes
    state = [Memory("state", i * size) for i in range(len(program.inputs))]
    kept = [Memory("constants", (len(program.constants) + i) * size) for i in range(len(program.kept))]
    load_constant = architecture.load_constant or architecture.load
    loads = [(architecture.load, place) for place in state] + [(load_constant, place) for place in kept]
    return replace(
        Block.of(program, allocate_loop(program), repeat),
        before=tuple(moved(architecture, name, i, place, program.label(i)) for i, (name, place) in enumerate(loads)),
        after=tuple(
            moved(architecture, architecture.store, i, place, program.inputs[i]) for i, place in enumerate(state)
        ),
    )


def summary(program: Program) -> str:
    iteration = f" an iteration, of {program.graph.advance} bytes" if program.is_loop else ""
    choices = f"; {program.choices}" if program.choices else ""
    return f"{program.graph.title}: {len(program.ops)} instructions{iteration}{choices}."


@dataclass(frozen=True)
class SingleBlock(Function):
    """A basic block by itself.

        void NAME(t, powers, message, iterations)      func NAME(t *T, powers *P, message *byte, iterations uint64)

    is a loop: the accumulator's limbs, the graph's inputs in memory one after another, the message, and the number of
    iterations, at least one. Any other basic block is

        void NAME(out, in, message)      func NAME(out *O, in *I[, message *byte])

    where outputs and inputs do not overlap, and out has room for spilled values.
    """

    @staticmethod
    def of(program: Program, name: str) -> "SingleBlock":
        block = block_of(program, "iterations")
        types = f"*[{block.output_words}]uint64", f"*[{program.input_words()}]uint64"
        if program.is_loop:
            parameters = [f"t {types[0]}", f"powers {types[1]}", "message *byte", "iterations uint64"]
        else:
            # Inputs that begin with words are a State.
            is_state = next(iter(program.memory_inputs()), "") in program.words
            parameters = [f"out {types[0]}", f"in {'*State' if is_state else types[1]}"]
            parameters += ["message *byte"] * program.loads_message
        words = flat(program.constant_vectors())
        tables: dict[str, Sequence[int]] = {name: words} if words else {}
        return SingleBlock(name, (block,), tuple(parameters), summary(program), tables, clears=program.ends)

    def arguments(self, assembler: Assembler) -> dict[str, str]:
        registers = *(assembler.pointers[base] for base in ("state", "powers", "message")), assembler.counters[0]
        return {parameter.split()[0]: register for parameter, register in zip(self.parameters, registers)}

    def body(self, assembler: Assembler) -> list[str]:
        (block,) = self.blocks
        return block.loop(assembler, self.name) if block.program.is_loop else block.iteration(assembler)


@dataclass(frozen=True)
class Message(Function):
    """A message of Poly1305: a block that begins it, loops with their own numbers of iterations, and one that ends it.

    The outputs of the first determine the place of everything in the function's frame.
    """

    @staticmethod
    def of(name: str, programs: Sequence[Program]) -> "Message":
        blocks = tuple(block_of(program, f"iterations{Block(program, ()).name}") for program in programs)
        begin = programs[0]
        loops = [f"{block.repeat} uint64" for block in blocks if block.program.is_loop]
        names = ", ".join(program.graph.name for program in programs)
        return Message(
            name,
            blocks,
            (f"out *[{blocks[-1].output_words}]uint64", "in *State", "message *byte", *loops),
            f"{begin.graph.kernel}: {names}; {begin.choices}.",
            {name + block.name: flat(block.program.constant_vectors()) for block in blocks},
            8 * blocks[0].output_words,
            begin.architecture.vector_bytes,
            clears=True,
        )

    def places(self, block: Block) -> dict[str, int | None]:
        """Return where in the frame a block has its inputs and its outputs; None for an argument of the function."""
        begin, end = self.blocks[0].program, self.blocks[-1].program
        program = block.program
        frame, inputs = begin.memory_outputs(), program.memory_inputs()
        if program is begin:
            return {"state": 0, "powers": None}
        # Inputs in another order than that of `begin` are a mistake in coconut/blocks/; unused ones may be missing.
        first = frame[next(iter(inputs))]
        needed = {op.memory.offset for op in program.ops if op.memory is not None and op.memory.base == "powers"}
        for name, offset in inputs.items():
            taken = any(0 <= at - offset < begin.architecture.vector_bytes for at in needed)
            if taken and frame.get(name) != first + offset:
                raise ValueError(
                    f"{self.name}: {program.graph.name} does not find {name} where {begin.graph.name} leaves it"
                )
        return {"state": None if program is end else frame[program.inputs[0]], "powers": first}

    def arguments(self, assembler: Assembler) -> dict[str, str]:
        return {"message": assembler.pointers["message"]}

    def body(self, assembler: Assembler) -> list[str]:
        counter, frame = assembler.counters[0], assembler.pointers["frame"]
        lines = assembler.control("frame", extra=self.align - 1, align=self.align, register=frame)
        for block in self.blocks:
            name, after = self.name + block.name, f"after{self.name}{block.name}"
            lines += ["", f"// {block.program.graph.name}"]
            if isinstance(block.repeat, str):
                lines += self.argument(assembler, block.repeat, counter)
                lines += assembler.control("skip", counter=counter, label=after)
            for (base, place), argument in zip(self.places(block).items(), ("out", "in"), strict=True):
                register = assembler.pointers[base]
                if place is None:
                    lines += self.argument(assembler, argument, register)
                else:
                    lines += assembler.control("place", offset=place, frame=frame, register=register)
            lines += self.table(assembler, name)
            if isinstance(block.repeat, str):
                lines += [*block.loop(assembler, name), f"{after}:"]
            else:
                lines += block.iteration(assembler)
                if block is self.blocks[0]:
                    lines += block.advance(assembler, block.program.graph.lanes * BLOCK_BYTES)
        return lines


@dataclass(frozen=True)
class ChaCha20(Function):
    """Blocks of ChaCha20: load the state, run the double round several times, and store blocks.

        func NAME(dst, src *byte, state *State, groups uint64)
        func NAME(dst *byte, state *State)

    The first makes one group of blocks after another, and advances the state's counter. The second, of blocks that load
    no message, makes one group, and leaves the counter. The outputs of a basic block that are not in memory are the
    inputs of the next, in registers.

    - shared: the basic block before all groups, whose outputs stay in registers.
    - more_bytes: those of blocks in rows that are made in step with the others.
    """

    shared: Block | None = None
    more_bytes: int = 0

    @staticmethod
    def of(
        name: str, programs: Sequence[Program], repeats: Sequence[int], cpu: str, shares: bool = False
    ) -> "ChaCha20":
        """Return the function; if it shares, the first program is that before all groups."""
        programs = with_hoisted_loads(with_one_table(programs), repeats)
        kept = [name for name, _ in programs[0].outputs] if shares else []
        programs = [programs[0], *(with_live_through(program, kept) for program in programs[1:])]
        blocks: list[Block] = []
        inputs: Places = {}
        stays: Places = {}
        for program, repeat in zip(programs, repeats, strict=True):
            block, inputs = best_block(program, repeat, inputs, cpu)
            blocks.append(block)
            stays = stays or {name: inputs[name] for name in kept}
        if stays != {name: inputs[name] for name in kept}:
            raise OutOfRegisters(f"{name}: what groups share does not stay in its registers")
        parts = ", ".join(
            f"{block.program.graph.name} ({len(block.steps)} instructions"
            f"{f', {block.repeat} times' if block.repeat != 1 else ''})"
            for block in blocks
        )
        loads = any(program.loads_message for program in programs)
        constants = flat(programs[0].constants)
        return ChaCha20(
            name,
            tuple(blocks[shares:]),
            ("dst *byte", "src *byte", "state *State", "groups uint64") if loads else ("dst *byte", "state *State"),
            f"{programs[0].graph.kernel}: {parts}.",
            {name: constants} if constants else {},
            max(block.vectors for block in blocks) * programs[0].architecture.vector_bytes,
            clears=True,
            shared=blocks[0] if shares else None,
        )

    @property
    def loads_message(self) -> bool:
        return any(block.program.loads_message for block in self.blocks)

    @property
    def group_bytes(self) -> int:
        graph = self.blocks[-1].program.graph
        return len(graph.outputs()) * 4 * graph.lanes + self.more_bytes

    def in_step(self, name: str, rows: "ChaCha20") -> "ChaCha20":
        """Return the function that also makes blocks in rows, in registers of its own, and writes them behind these.

        Rows take the first registers, because AVX-512F does not insert words into others.
        """
        if self.frame_bytes or rows.frame_bytes:
            raise OutOfRegisters(f"{name}: in step, there is no frame")
        (words,), (numbers,) = self.constants.values(), rows.constants.values()
        used = [1 + max(step.result for block in of.blocks for step in block.steps) for of in (self, rows)]
        if sum(used) > self.architecture.registers:
            raise OutOfRegisters(f"{name}: in step, {sum(used)} registers are needed")
        at = {"out": self.group_bytes, "constants": len(words) * self.architecture.word_bytes}
        blocks = [
            replace(
                block,
                steps=tuple(interleaved([of.moved(used[1]) for of in block.steps], [of.moved(0, at) for of in other])),
            )
            for block, other in zip(self.blocks, (block.steps for block in rows.blocks), strict=True)
        ]
        # All constants of rows are what is added to the counter, in the first of four words.
        later = [n if i % 4 else n + self.group_bytes // CHACHA20_BYTES for i, n in enumerate(numbers)]
        return replace(
            self,
            name=name,
            blocks=tuple(blocks),
            description=f"{self.description} In step with {rows.description}",
            constants={name: [*words, *later]},
            more_bytes=rows.group_bytes,
        )

    def arguments(self, assembler: Assembler) -> dict[str, str]:
        pointers = assembler.pointers
        if not self.loads_message:
            return {"dst": pointers["out"], "state": pointers["state"]}
        registers = pointers["out"], pointers["message"], pointers["state"], assembler.counters[0]
        return dict(zip(("dst", "src", "state", "groups"), registers, strict=True))

    def body(self, assembler: Assembler) -> list[str]:
        lines = self.shared.iteration(assembler) if self.shared is not None else []
        lines += ["", "group:"] * self.loads_message
        for number, block in enumerate(self.blocks):
            iteration = block.iteration(assembler)
            if isinstance(block.repeat, int) and block.repeat != 1:
                counter, label = assembler.counters[1], f"block{number}"
                iteration = [
                    *assembler.control("count", number=block.repeat, counter=counter),
                    "",
                    *assembler.control("align"),
                    f"{label}:",
                    *iteration,
                    *assembler.control("again", counter=counter, label=label),
                    "",
                ]
            lines += iteration
        if not self.loads_message:
            return lines
        pointers, size = assembler.pointers, self.group_bytes
        return [
            *lines,
            "",
            *assembler.control("add_word", number=size // CHACHA20_BYTES, offset=COUNTER, pointer=pointers["state"]),
            *(
                line
                for base in ("out", "message")
                for line in assembler.control("advance", bytes=size, pointer=pointers[base])
            ),
            *assembler.control("again", counter=assembler.counters[0], label="group"),
            "",
        ]


def combining(known: Architecture, assembler: Assembler, stream: str, to: str, message: str | None) -> list[str]:
    """Return what writes a block of the keystream, combined with one of the message if there is one.

    Each is at a register.
    """
    given = replace(assembler, pointers={"stream": stream, "out": to} | ({"message": message} if message else {}))
    xor = known.instructions["vpxord" if "vpxord" in known.instructions else "vpxor"]
    lines = []
    for register, offset in enumerate(range(0, CHACHA20_BYTES, known.vector_bytes)):
        lines += text_of([moved(known, known.load, register, Memory("stream", offset))], given)
        if message:
            lines += text_of([Step(Op(xor, (0,), None, Memory("message", offset)), (register,), register)], given)
        lines += text_of([moved(known, known.store, register, Memory("out", offset))], given)
    return lines


def advanced(assembler: Assembler, *pointers: str) -> list[str]:
    """Return what advances pointers by a block."""
    return [
        line for pointer in pointers for line in assembler.control("advance", bytes=CHACHA20_BYTES, pointer=pointer)
    ]


def combined(known: Architecture, assembler: Assembler, stream: str, to: str, message: str, label: str) -> list[str]:
    """Return the loop of what `combining` returns, over a number of blocks that is not 0."""
    return [
        *assembler.control("align"),
        f"{label}:",
        *combining(known, assembler, stream, to, message),
        *advanced(assembler, stream, message, to),
        *assembler.control("again", counter=assembler.counters[0], label=label),
    ]


@dataclass(frozen=True)
class Pass(ChaCha20):
    """Blocks of ChaCha20 in the frame, of which as many are combined with a message as it has.

        func NAME(dst, src *byte, state *State, key, last *byte, blocks uint64)

    If key is not nil, the first block goes there, and the message begins with the second. The next ones, of a number
    that may be 0, are combined with src; if last is not nil, the one after them goes there. The counter stays.
    """

    @staticmethod
    def after(stream: ChaCha20, name: str) -> "Pass":
        """Return the function that makes the blocks of another one, which writes the keystream."""
        return Pass(
            name,
            stream.blocks,
            ("dst *byte", "src *byte", "state *State", "key *byte", "last *byte", "blocks uint64"),
            stream.description,
            {name: words for words in stream.constants.values()},
            stream.frame_bytes + stream.group_bytes,
            FRAME_ALIGN,
            clears=True,
            more_bytes=stream.more_bytes,
        )

    def arguments(self, assembler: Assembler) -> dict[str, str]:
        return {"state": assembler.pointers["state"]}

    def text(self, assembler: Assembler) -> str:
        """Return the function, with its aligned frame, and the blocks in it."""
        return super().text(replace(assembler, pointers=assembler.pointers | {"frame": "BX", "out": "R10"}))

    def body(self, assembler: Assembler) -> list[str]:
        known, frame, made = self.architecture, assembler.pointers["frame"], assembler.pointers["out"]
        to, message = "DI", assembler.pointers["message"]

        def copied(argument: str, label: str) -> list[str]:
            """Return what writes a block to an argument, unless that is nil."""
            skip = assembler.control("skip", counter=to, label=label)
            return [*self.argument(assembler, argument, to), *skip, *combining(known, assembler, made, to, None)]

        return [
            *assembler.control("frame", extra=self.align - 1, align=self.align, register=frame),
            *assembler.control("place", offset=self.frame_bytes - self.group_bytes, frame=frame, register=made),
            *super().body(assembler),
            "",
            *copied("key", "message"),
            *advanced(assembler, made),
            "message:",
            *self.argument(assembler, "dst", to),
            *self.argument(assembler, "src", message),
            *self.argument(assembler, "blocks", assembler.counters[0]),
            *assembler.control("skip", counter=assembler.counters[0], label="rest"),
            *combined(known, assembler, made, to, message, "combine"),
            "rest:",
            *copied("last", "done"),
            "done:",
        ]


@dataclass(frozen=True)
class Mask(ChaCha20):
    """The first 16 bytes of blocks, one for each lane, whose counters and nonces are 16 bytes each of src.

        func NAME(dst, src *byte, state *State)

    dst may be src. The counter and the nonce of the state are not read.
    """

    @staticmethod
    def after(made: ChaCha20) -> "Mask":
        """Return the function of these basic blocks."""
        parts = {part.name: getattr(made, part.name) for part in fields(made)}
        return Mask(**parts | {"parameters": ("dst *byte", "src *byte", "state *State")})

    @property
    def loads_message(self) -> bool:
        return False

    def arguments(self, assembler: Assembler) -> dict[str, str]:
        pointers = assembler.pointers
        return {"dst": pointers["out"], "src": pointers["message"], "state": pointers["state"]}


@dataclass(frozen=True)
class Combine(Function):
    """Blocks of the keystream, in memory, combined with those of a message, a block a group.

        func NAME(dst, src, stream *byte, groups uint64)

    - known: the architecture.
    """

    known: Architecture | None = None

    @staticmethod
    def of(name: str, known: Architecture) -> "Combine":
        parameters = ("dst *byte", "src *byte", "stream *byte", "groups uint64")
        return Combine(name, (), parameters, "Exclusive or of a message and the keystream.", clears=True, known=known)

    @property
    def architecture(self) -> Architecture:
        assert self.known is not None
        return self.known

    def arguments(self, assembler: Assembler) -> dict[str, str]:
        pointers = assembler.pointers
        registers = pointers["out"], pointers["message"], pointers["state"], assembler.counters[0]
        return dict(zip(("dst", "src", "stream", "groups"), registers, strict=True))

    def body(self, assembler: Assembler) -> list[str]:
        to, message, stream, _ = self.arguments(assembler).values()
        return combined(self.architecture, assembler, stream, to, message, "group")


@dataclass(frozen=True)
class Stitched(ChaCha20):
    """Blocks of ChaCha20 in vectors, stitched in the rounds to something else in general registers.

    Both use registers and memory of their own, so that every interleaving is correct; they are interleaved evenly, and
    the CPU does the rest.

    - other: the basic blocks in general registers: before the rounds, in a double round, after them.
    """

    other: tuple[Block, ...] = ()

    @property
    def general(self) -> Architecture:
        """Return the architecture of the general registers."""
        return self.other[0].program.architecture

    @staticmethod
    def vectors(alone: ChaCha20, architecture: Architecture) -> tuple[Block, ...]:
        """Return the blocks of a function of ChaCha20, with other pointers."""
        return tuple(
            replace(block, program=replace(block.program, architecture=architecture)) for block in alone.blocks
        )

    def arguments(self, assembler: Assembler) -> dict[str, str]:
        return {}

    def text(self, assembler: Assembler) -> str:
        """Return the function, whose constants have no register of their own."""
        symbol = f"·{self.name}Constants<>"
        return super().text(replace(assembler, pointers=assembler.pointers | {"constants": symbol}))

    def head(self, assembler: Assembler) -> list[str]:
        """Return what aligns the frame: half of all vectors would be in two lines of the cache."""
        frame = assembler.pointers["frame"]
        return assembler.control("frame", extra=self.align - 1, align=self.align, register=frame)

    def place(self, name: str) -> dict[str, str | int]:
        """Return the operand that is an argument in memory."""
        names = [parameter.split()[0] for parameter in self.parameters]
        return {"name": name, "offset": 8 * names.index(name)}

    def notation(self) -> Assembler:
        assert self.general.go is not None
        return self.general.go

    def repeated(self, assembler: Assembler, label: str, lines: list[str]) -> list[str]:
        again = assembler.control("again", counter=self.notation().counters[0], label=label)
        return ["", *assembler.control("align"), f"{label}:", *lines, *again, ""]

    def ending(self, assembler: Assembler) -> list[str]:
        """Return the end of a group, which the counter then counts."""
        names = ("state", "dst", "src") if self.loads_message else ("state", "dst")
        registers = dict(zip(("state", "dst", "src"), ("state", "out", "message"), strict=True))
        pointers, blocks = assembler.pointers, self.group_bytes // CHACHA20_BYTES
        return [
            *(line for name in names for line in self.argument(assembler, name, pointers[registers[name]])),
            *self.blocks[2].iteration(assembler),
            *assembler.control("add_word", number=blocks, offset=COUNTER, pointer=pointers["state"]),
        ]

    def cleared(self) -> list[str]:
        clears = self.notation().clears
        assert clears is not None
        return [clears(i) for i in range(self.general.registers)]


@dataclass(frozen=True)
class StitchedMac(Stitched):
    """Poly1305 stitched to ChaCha20.

        func NAME(dst, src *byte, state *State, mac *MAC, message *byte, groups, rounds uint64)
        func NAME(dst *byte, state *State, mac *MAC, message *byte, rounds uint64)

    They do what functions of ChaCha20 do, and advance the counter; and each group continues mac over the next blocks of
    message, four (or 4 fours) in each of the first `rounds` double rounds, 1 to 10.
    """

    fours: int = 1

    @staticmethod
    def stitch(
        alone: ChaCha20, vectors: Architecture, general: Architecture, graphs: dict[str, Graph], fours: int
    ) -> "StitchedMac":
        """Return a function of ChaCha20, with pointers as in vectors, stitched to Poly1305's graphs."""
        start, four, finish = (program_of(general, graphs[part]) for part in ("start", "four", "finish"))
        four = ordered(four)
        place = {name: register for register, name in enumerate(four.inputs)}
        outputs = dict(start.outputs)
        if four.inputs != finish.inputs or set(outputs) != set(four.inputs):
            raise ValueError(f"{alone.name}: the blocks of Poly1305 do not fit together")
        ended, places = allocate_loop(finish, {}), start.memory_inputs()
        stores = tuple(
            moved(general, "store", ended.at[value], Memory("powers", places[name]), name)
            for name, value in finish.outputs
        )
        mac = (
            Block.of(start, allocate_loop(start, {outputs[name]: place[name] for name in outputs})),
            Block.of(four, allocate_loop(four)),
            replace(Block.of(finish, ended), after=stores),
        )
        loads = alone.loads_message
        return StitchedMac(
            alone.name,
            Stitched.vectors(alone, vectors),
            (
                *("dst *byte", "src *byte")[: 1 + loads],
                *("state *State", "mac *MAC", "message *byte"),
                *("groups uint64", "rounds uint64")[1 - loads :],
            ),
            f"{alone.description} Beside {four.graph.title} ({len(four.ops)} instructions"
            f"{f', {fours} times' if fours != 1 else ''}).",
            alone.constants,
            alone.frame_bytes,
            FRAME_ALIGN,
            clears=True,
            other=mac,
            fours=fours,
        )

    def body(self, assembler: Assembler) -> list[str]:
        other = self.notation()
        begin, rounds, _ = self.blocks
        start, four, finish = self.other
        counter, message = other.counters[0], other.pointers["message"]
        iteration = rounds.iteration(assembler)
        absorbed = [
            *four.iteration(other),
            *assembler.control("advance", bytes=four.program.graph.advance, pointer=message),
        ]
        lines = [
            *self.argument(assembler, "mac", other.pointers["powers"]),
            *self.argument(assembler, "message", message),
            *start.iteration(other),
            "",
            *["group:"] * self.loads_message,
            *self.argument(assembler, "state", assembler.pointers["state"]),
            *begin.iteration(assembler),
            *self.argument(assembler, "rounds", counter),
            *self.repeated(assembler, "beside", interleaved(iteration, absorbed * self.fours)),
            *assembler.control("count", number=int(rounds.repeat), counter=counter),
            *assembler.control("subtract", **self.place("rounds"), register=counter),
            *assembler.control("none_left", label="end"),
            *self.repeated(assembler, "alone", iteration),
            "end:",
            *self.ending(assembler),
        ]
        if self.loads_message:
            lines += [
                *assembler.control("advance_argument", bytes=self.group_bytes, **self.place("dst")),
                *assembler.control("advance_argument", bytes=self.group_bytes, **self.place("src")),
                *assembler.control("again_argument", label="group", **self.place("groups")),
                "",
            ]
        return [*lines, *finish.iteration(other), *text_of(finish.after, other), *self.cleared()]


@dataclass(frozen=True)
class StitchedBlocks(Stitched):
    """A group of blocks of ChaCha20, stitched to the block before, which has Poly1305's key, and the block after.

        func NAME(dst, src *byte, state *State, others *byte)

    The blocks before and after go to others, 64 bytes each. The counter advances by the group. Each of the two is made
    in half of the double rounds, by the same code, because loops that exceed the cache of decoded instructions take
    longer.
    """

    @staticmethod
    def stitch(
        alone: ChaCha20, vectors: Architecture, general: Architecture, graphs: dict[str, Graph]
    ) -> "StitchedBlocks":
        """Return a function of ChaCha20, with pointers as in vectors, stitched to two blocks of a lane of graphs."""
        spill = Memory("frame", alone.frame_bytes)
        places: Places = {}
        others: list[Block] = []
        for part, block in zip(("begin", "double round in turn", "lanes end"), alone.blocks, strict=True):
            program = select(general, graphs[f"lanes 1 {part}"].one_lane(0))
            other, places = best_block(program, int(block.repeat), places, CPU, spill)
            others.append(other)
        size = alone.architecture.vector_bytes
        # The last word of the frame counts the blocks.
        words = (max(block.vectors for block in others) + 1) * general.vector_bytes
        return StitchedBlocks(
            alone.name,
            Stitched.vectors(alone, vectors),
            ("dst *byte", "src *byte", "state *State", "others *byte"),
            f"{alone.description} Beside 2 in general registers ({len(others[1].steps)} instructions a double round).",
            alone.constants,
            alone.frame_bytes + (words + size - 1) // size * size,
            FRAME_ALIGN,
            clears=True,
            other=tuple(others),
        )

    def body(self, assembler: Assembler) -> list[str]:
        other, state = self.notation(), assembler.pointers["state"]
        begin, rounds, _ = self.blocks
        before, beside, after = self.other
        group = self.group_bytes // CHACHA20_BYTES

        counted: dict[str, str | int] = {
            "offset": self.frame_bytes - self.general.vector_bytes,
            "pointer": assembler.pointers["frame"],
        }

        def counts(number: int) -> list[str]:
            return assembler.control("add_word", number=number, offset=COUNTER, pointer=state)

        return [
            *self.argument(assembler, "state", state),
            *begin.iteration(assembler),
            *counts(-1),
            *assembler.control("count_word", number=2, **counted),
            "",
            "block:",
            *before.iteration(other),
            *assembler.control("count", number=int(rounds.repeat) // 2, counter=other.counters[0]),
            *self.repeated(assembler, "beside", interleaved(rounds.iteration(assembler), beside.iteration(other) * 2)),
            *self.argument(assembler, "others", other.pointers["out"]),
            *after.iteration(other),
            *assembler.control("advance_argument", bytes=CHACHA20_BYTES, **self.place("others")),
            *counts(group + 1),
            *assembler.control("again_word", label="block", **counted),
            "",
            *counts(-2 * group - 1),
            *self.cleared(),
            *self.ending(assembler),
        ]


Line = TypeVar("Line")


def interleaved(lines: Sequence[Line], others: Sequence[Line]) -> list[Line]:
    """Return both sequences interleaved evenly."""
    at = [(i * len(others), line) for i, line in enumerate(lines)]
    at += [(i * len(lines), line) for i, line in enumerate(others)]
    return [line for _, line in sorted(at, key=lambda place: place[0])]


def best_block(
    program: Program, repeat: int, inputs: Places, cpu: str, spill: Memory = Memory("frame", 0)
) -> tuple[Block, Places]:
    """Return the block in its fastest order, and the registers or places of its outputs.

    The orders are: as written, and by list scheduling within some number of registers. The time includes that of stores
    to the frame and loads from it; without a pointer to the frame, orders that need it are left out.
    """
    most, framed = program.architecture.registers, spill.base in program.architecture.gnu.pointers
    if not framed and pressure(program) > most:
        program = with_sunk_loads(program)
    problem = problem_of(program, cpu)
    priority = [-float(height) for height in problem.heights]
    orders = [program]
    for registers in range(min(pressure(program), most), most + 3):
        order = program.reordered(within_registers(problem, priority, registers))
        if order not in orders:
            orders.append(order)
    best: tuple[float, Block, Places] | None = None
    for order in orders:
        allocator, outputs = allocate_chained(order, inputs, repeat != 1, spill)
        block = Block.of(order, allocator, repeat)
        if block.vectors != 0 and not framed:
            continue
        time = steady_cycles(order.architecture.triple, cpu, block.iteration(order.architecture.gnu))
        if best is None or time < best[0]:
            best = time, block, outputs
    if best is None:
        raise OutOfRegisters(f"{program.graph.title}: every order needs a frame")
    return best[1], best[2]


def with_sunk_loads(program: Program) -> Program:
    """Return the program with each load sunk to right before the first use of its value."""
    first, order = program.first_op, list[int]()
    for i, op in enumerate(program.ops):
        if op.args:
            loads = [arg - first for arg in op.args if arg >= first and not program.ops[arg - first].args]
            order += [load for load in loads if load not in order] + [i]
    order += [i for i in range(len(program.ops)) if i not in order]
    return program.reordered(order)


def with_one_table(programs: Sequence[Program]) -> list[Program]:
    """Return the programs with the constants of all in one table, which each then has."""
    constants: list[Value] = []
    for program in programs:
        if program.kept:
            raise ValueError(f"{program.graph.title} keeps constants in registers")
        constants += [value for value in program.constants if value not in constants]
    size = programs[0].architecture.vector_bytes

    def moved_to(program: Program, op: Op) -> Op:
        if op.memory is None or op.memory.base != "constants":
            return op
        at = constants.index(program.constants[op.memory.offset // size])
        return replace(op, memory=replace(op.memory, offset=at * size))

    return [
        replace(program, ops=tuple(moved_to(program, op) for op in program.ops), constants=tuple(constants))
        for program in programs
    ]


def with_live_through(program: Program, names: Sequence[str]) -> Program:
    """Return the program with these values live through it: further inputs that are outputs, too."""
    more = tuple(name for name in names if name not in program.inputs)
    inputs, first = (*program.inputs, *more), program.first_op

    def place(value: int) -> int:
        return value + len(more) * (value >= first)

    return replace(
        program,
        inputs=inputs,
        ops=tuple(replace(op, args=tuple(map(place, op.args))) for op in program.ops),
        outputs=(
            *((name, place(value)) for name, value in program.outputs),
            *((name, inputs.index(name)) for name in names),
        ),
    )


def with_hoisted_loads(programs: Sequence[Program], repeats: Sequence[int]) -> list[Program]:
    """Return the programs with loads of constants hoisted out of each loop, to the program before it.

    They are further outputs of that, and inputs and outputs of the loop.
    """
    result = list(programs)
    for number, (program, repeat) in enumerate(zip(programs, repeats, strict=True)):
        first = program.first_op
        loads = {
            i: f"constant {op.memory.offset}"
            for i, op in enumerate(program.ops)
            if not op.args and op.memory is not None and op.memory.base == "constants"
        }
        if repeat == 1 or not loads:
            continue
        before, names = result[number - 1], tuple(loads.values())
        # It may take some of them itself.
        loaded, ends = list(before.ops), []
        for i in loads:
            places = [None if op.args else op.memory for op in loaded]
            if program.ops[i].memory not in places:
                loaded.append(replace(program.ops[i], node=-1))
                places.append(program.ops[i].memory)
            ends.append(before.first_op + places.index(program.ops[i].memory))
        made = (*before.outputs, *zip(names, ends, strict=True))
        result[number - 1] = replace(before, ops=tuple(loaded), outputs=made)
        kept = [i for i in range(len(program.ops)) if i not in loads]
        place = {value: value for value in range(first)} | {first + i: first + k for k, i in enumerate(loads)}
        place |= {first + i: first + len(loads) + k for k, i in enumerate(kept)}
        ops = (replace(program.ops[i], args=tuple(place[arg] for arg in program.ops[i].args)) for i in kept)
        outputs = [(name, place[value]) for name, value in program.outputs]
        result[number] = replace(
            program,
            inputs=(*program.inputs, *names),
            ops=tuple(ops),
            outputs=(*outputs, *((name, first + k) for k, name in enumerate(names))),
        )
    return result


@dataclass(frozen=True)
class ScalarBlocks(Function):
    """Blocks of Poly1305 one after another: "begin", the loop "block", "last" and "end".

        void NAME(struct poly1305 *state, const uint8_t *message, uint64_t blocks, const uint8_t last[16])

    It continues a value over whole blocks, at least one, of which "begin" takes the first, and then over a padded one
    if last is not NULL. Between the basic blocks, values are in registers: the inputs of the loop, in its order.
    """

    @staticmethod
    def of(name: str, architecture: Architecture, graphs: dict[str, Graph]) -> "ScalarBlocks":
        begin, loop, last, end = (program_of(architecture, graphs[part]) for part in ("begin", "block", "last", "end"))
        loop, last = ordered(loop), ordered(last)
        outputs = {name: value for name, value in begin.outputs}
        if not loop.inputs == last.inputs == end.inputs or set(loop.inputs) != set(outputs):
            raise ValueError(f"{name}: its basic blocks do not fit together")
        place = {name: register for register, name in enumerate(loop.inputs)}
        # The outputs go to the inputs of the same names.
        ended, places = allocate_loop(end, {}), begin.memory_inputs()
        stores = tuple(
            moved(architecture, "store", ended.at[value], Memory("powers", places[name]), name)
            for name, value in end.outputs
        )
        blocks = (
            Block.of(begin, allocate_loop(begin, {value: place[name] for name, value in begin.outputs})),
            Block.of(loop, allocate_loop(loop), "blocks"),
            Block.of(last, allocate_loop(last)),
            replace(Block.of(end, ended), after=stores),
        )
        count = [len(block.program.ops) for block in blocks]
        return ScalarBlocks(
            name,
            blocks,
            ("p *State", "message *byte", "blocks uint64", "last *byte"),
            f"{loop.graph.title}: {count[1]} instructions a block, {count[0]} before and {count[3]} after all.",
        )

    def arguments(self, assembler: Assembler) -> dict[str, str]:
        pointers = assembler.pointers
        return {"p": pointers["powers"], "message": pointers["message"], "blocks": assembler.counters[0]}

    def body(self, assembler: Assembler) -> list[str]:
        begin, loop, last, end = self.blocks
        prefix = "" if assembler.is_go else f".L{self.name}_"
        return [
            *begin.iteration(assembler),
            *assembler.control("none_left", label=prefix + "rest"),
            *begin.advance(assembler, begin.program.graph.advance),
            *assembler.control("align"),
            f"{prefix}loop:",
            *loop.iteration(assembler),
            *loop.advance(assembler, loop.program.graph.advance),
            *assembler.control("again", label=prefix + "loop"),
            f"{prefix}rest:",
            *assembler.control("no_last", label=prefix + "done"),
            *last.iteration(assembler),
            f"{prefix}done:",
            *end.iteration(assembler),
            *text_of(end.after, assembler),
        ]


@dataclass(frozen=True)
class ScalarEnd(Function):
    """The end of a message of Poly1305, of blocks in two places: "start", the loop "block" twice, and "end".

        func NAME(p *State, message *byte, blocks uint64, last *byte, lasts uint64)

    It multiplies a value to which a block has been added, and continues it over the blocks of message, and those of
    last; there may be none.
    """

    @staticmethod
    def of(name: str, whole: ScalarBlocks, graphs: dict[str, Graph]) -> "ScalarEnd":
        """Return the function, with the loop and the end of another one."""
        _, loop, _, end = whole.blocks
        start = program_of(whole.architecture, graphs["start"])
        place = {name: register for register, name in enumerate(loop.program.inputs)}
        first = Block.of(start, allocate_loop(start, {value: place[name] for name, value in start.outputs}))
        return ScalarEnd(
            name,
            (first, loop, end),
            ("p *State", "message *byte", "blocks uint64", "last *byte", "lasts uint64"),
            f"{loop.program.graph.title}: {len(loop.program.ops)} instructions a block.",
        )

    def arguments(self, assembler: Assembler) -> dict[str, str]:
        pointers = assembler.pointers
        return {"p": pointers["powers"], "message": pointers["message"], "blocks": assembler.counters[0]}

    def body(self, assembler: Assembler) -> list[str]:
        start, loop, end = self.blocks
        lines = start.iteration(assembler)
        for number in range(2):
            lines += [
                *assembler.control("skip", label=f"done{number}"),
                *assembler.control("align"),
                f"loop{number}:",
                *loop.iteration(assembler),
                *loop.advance(assembler, loop.program.graph.advance),
                *assembler.control("again", label=f"loop{number}"),
                f"done{number}:",
            ]
            if number == 0:
                lines += self.argument(assembler, "last", assembler.pointers["message"])
                lines += self.argument(assembler, "lasts", assembler.counters[0])
        return [*lines, *end.iteration(assembler), *text_of(end.after, assembler)]


def program_of(architecture: Architecture, graph: Graph) -> Program:
    """Return the program of a graph, with its inputs where the graph has them, even if it is not a loop."""
    graph = graph.simplified()
    selector: Selector = architecture.selector(architecture, graph, architecture.order(graph.lanes), {})
    return selector.program()


@cache
def ordered(program: Program) -> Program:
    """Return the program in the order that is best over the models of all CPUs, with equal weights."""
    cpus = program.architecture.cpus
    variants = [program, *(by_list(program, cpu) for cpu in cpus)]
    candidates = list({variant.ops: variant for variant in variants}.values())
    cycles = [[simulated_cycles(candidate, cpu) for candidate in candidates] for cpu in cpus]
    total = [sum(column[i] / min(column) for column in cycles) for i in range(len(candidates))]
    return candidates[total.index(min(total))]
