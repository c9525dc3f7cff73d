# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run a core in Amaranth's simulator."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

from amaranth.hdl import Module, ResetInserter, Signal
from amaranth.lib import wiring
from amaranth.sim import Simulator

BLOCK_BYTES = 16
# The simulated clock's period, in seconds.
PERIOD = 1e-6


@dataclass(frozen=True)
class Beat:
    data: int
    bytes: int = 0
    last: int = 0


def beats(key: bytes, message: bytes, empty_last: bool = False) -> Iterator[Beat]:
    """Yield a message as a core reads it; empty_last: the last beat has no bytes."""
    yield Beat(int.from_bytes(key[:BLOCK_BYTES], "little"))
    yield Beat(int.from_bytes(key[BLOCK_BYTES:], "little"))
    blocks = [message[i : i + BLOCK_BYTES] for i in range(0, len(message), BLOCK_BYTES)]
    for i, block in enumerate(blocks):
        last = not empty_last and i == len(blocks) - 1
        yield Beat(int.from_bytes(block, "little"), len(block) if last else 0, last)
    if empty_last or not message:
        yield Beat(0, 0, 1)


def never(cycle: int) -> bool:
    return False


@dataclass
class Tagged:
    """A tag, and the cycles in which r was taken, the last beat was taken, and the tag was there."""

    begun: int
    ended: int = 0
    there: int = 0
    tag: bytes = b""


@dataclass
class Run:
    """A core that gets messages one after the other.

    pause: in which cycles the source offers nothing. hold: in which cycles no tag is taken. reset: a cycle in which the core
    is reset, after which nothing more happens. idle: how many cycles follow at the end.
    """

    core: wiring.Component
    messages: Sequence[Sequence[Beat]]
    pause: Callable[[int], bool] = never
    hold: Callable[[int], bool] = never
    reset: int | None = None
    idle: int = 0
    tagged: list[Tagged] = field(default_factory=list)

    def simulator(self) -> Simulator:
        core = self.core
        m = Module()
        clock, reset = Signal(32, name="clock_cycle"), Signal(name="reset")
        m.submodules.core = ResetInserter(reset)(core)
        m.d.sync += clock.eq(clock + 1)
        simulator = Simulator(m)
        simulator.add_clock(PERIOD)

        def stopped(context: Any) -> bool:
            return self.reset is not None and context.get(clock) >= self.reset

        async def source(context: Any) -> None:
            for message in self.messages:
                for i, beat in enumerate(message):
                    while self.pause(context.get(clock)):
                        await context.tick()
                    context.set(core.message.payload, vars(beat))
                    context.set(core.message.valid, 1)
                    taken = False
                    while not taken:
                        if stopped(context):
                            context.set(core.message.payload, vars(Beat(0)))
                            context.set(core.message.valid, 0)
                            return
                        taken = context.get(core.message.ready)
                        cycle = context.get(clock)
                        await context.tick()
                    context.set(core.message.payload, vars(Beat(0)))
                    context.set(core.message.valid, 0)
                    if i == 0:
                        self.tagged.append(Tagged(cycle))
                self.tagged[-1].ended = cycle

        async def sink(context: Any) -> None:
            for i in range(len(self.messages)):
                while not context.get(core.tag.valid) and not stopped(context):
                    await context.tick()
                if stopped(context):
                    context.set(reset, 1)
                    await context.tick()
                    context.set(reset, 0)
                    break
                there = context.get(clock)
                while self.hold(context.get(clock)):
                    await context.tick()
                self.tagged[i].there = there
                self.tagged[i].tag = context.get(core.tag.payload).to_bytes(BLOCK_BYTES, "little")
                context.set(core.tag.ready, 1)
                await context.tick()
                context.set(core.tag.ready, 0)
            for _ in range(self.idle):
                await context.tick()

        simulator.add_testbench(source)
        simulator.add_testbench(sink)
        return simulator

    def tags(self) -> list[bytes]:
        self.simulator().run()
        return [tagged.tag for tagged in self.tagged]

    def remains(self) -> dict[str, int]:
        """Run, and return what signals and memories hold at the end, by name, if that is not 0."""
        trace = StringIO()
        simulator = self.simulator()
        with simulator.write_vcd(trace):
            simulator.run()
        names: dict[str, str] = {}
        last: dict[str, str] = {}
        for line in trace.getvalue().splitlines():
            if declared := re.fullmatch(r"\$var \w+ \d+ (\S+) (.*) \$end", line):
                names[declared[1]] = declared[2]
            elif changed := re.fullmatch(r"b([01]+) (\S+)|([01])(\S+)", line):
                last[changed[2] or changed[4]] = changed[1] or changed[3]
        return {names[key]: int(value, 2) for key, value in last.items() if int(value, 2)}
