# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The pipelined core: a pipeline of L stages that computes a * b + c, one block a cycle.

What leaves the pipeline enters it again, so that it holds L accumulators, one in each slot. In each pass of a slot, a is
multiplied by b = r^d and a block c, or 0, is added, where d is the number of blocks in the last L slots: so every slot is
kept at the latest block, however many cycles pass between blocks, and d is L where none do. In the pass after the last block,
b = r^(d + 1), and the sum of all slots is the value of the message. Before that, the pipeline computes the powers
r^2 to r^L, in its slots too.
"""

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from lab.circuit.arithmetic import BITS, LIMBS, MASK, R_MASK, step
from lab.circuit.ends import BEAT, INPUT, OUTPUT, Finish, cut, padded
from lab.circuit.intervals import limbs_max
from lab.circuit.wires import Pipeline

# L: the stages of the pipeline, and the slots in it.
LANES = 10


def exponents(lanes: int) -> list[list[int]]:
    """Return, for each pass of the powers, the exponent of the power of r by which each slot is multiplied.

    Slot j goes from r to r^(j + 1). r^e leaves slot e - 1 two cycles before the first slot that is multiplied by it enters.
    """
    reached = [1] * lanes
    passes = []
    while reached[-1] < lanes:
        added = [min(exponent, j + 1 - exponent) for j, exponent in enumerate(reached)]
        assert all(e < 2 or (reached[e - 1] == e and e - 1 <= j - 2) for j, e in enumerate(added))
        passes.append(added)
        reached = [exponent + more for exponent, more in zip(reached, added, strict=True)]
    return passes


class PipelinedCore(wiring.Component):
    """Computes tags of messages, each with a key of its own, in a time that depends only on their lengths."""

    message: In(INPUT)  # type: ignore[valid-type]
    tag: Out(OUTPUT)  # type: ignore[valid-type]

    def elaborate(self, platform: object) -> Module:
        m = Module()

        # The loop. A slot is decided upon at time -2, and enters the multipliers at time 0.
        pipeline = Pipeline(m)
        a = [Signal(high.bit_length(), name=f"a{k}") for k, high in enumerate(limbs_max())]
        b = [Signal(high.bit_length(), name=f"b{k}") for k, high in enumerate(limbs_max())]
        c = Signal(LIMBS * BITS)
        out = pipeline.together(
            step(
                pipeline.wires(a, limbs_max()),
                pipeline.wires(b, limbs_max()),
                pipeline.wires(cut(c), [MASK] * LIMBS, time=-1),
            )
        )
        assert all(wire.high <= high for wire, high in zip(out, limbs_max(), strict=True))
        m.d.comb += [limb.eq(wire.value) for limb, wire in zip(a, out, strict=True)]
        lanes = LANES
        assert out[0].time == lanes

        # The powers r^0 to r^L.
        element = data.ArrayLayout(len(b[0]), LIMBS)
        m.submodules.powers = powers = Memory(shape=element, depth=1 << lanes.bit_length(), init=[])
        read, write = powers.read_port(domain="comb"), powers.write_port()
        multiply = Signal()
        exponent = Signal.like(read.addr)
        m.d.comb += read.addr.eq(exponent)
        m.d.sync += [limb.eq(Mux(multiply, read.data[k], 0)) for k, limb in enumerate(b)]

        # What becomes of a slot when it has passed: it is a power to be kept, or a part of the sum.
        power, final, reached = Signal(), Signal(), Signal.like(exponent)
        passed = Cat(power, final, reached)
        for _ in range(lanes + 2):
            later = Signal(len(passed), name="passed")
            m.d.sync += later.eq(passed)
            passed = later
        m.submodules.finish = finish = Finish([lanes * high for high in limbs_max()])
        wiring.connect(m, finish.tag, wiring.flipped(self.tag))
        totals = [Signal(limb.shape(), name=f"total{k}") for k, limb in enumerate(finish.limbs)]
        with m.If(passed[0]):
            m.d.comb += [write.en.eq(1), write.addr.eq(passed[2:])]
            m.d.comb += [write.data[k].eq(limb) for k, limb in enumerate(a)]
        with m.If(passed[1]):
            m.d.sync += [total.eq(total + limb) for total, limb in zip(totals, a, strict=True)]

        r, s = Signal(R_MASK.bit_length()), Signal(128)
        m.d.comb += [finish.s.eq(s), *(limb.eq(total) for limb, total in zip(finish.limbs, totals, strict=True))]

        # Whether there is a block, and each of the last L slots got one; how many did; and how many slots hold no blocks.
        beat, got = Signal(BEAT), Signal()
        recent, blocks, blocks_now = Signal(lanes), Signal(range(lanes + 1)), Signal(range(lanes + 1))
        others = Signal(range(lanes + 1))
        m.d.comb += blocks_now.eq(blocks + got - recent[-1])
        m.d.sync += [beat.eq(0), got.eq(0), c.eq(0), multiply.eq(0)]

        def pass_blocks() -> list[Any]:
            return [
                recent.eq(Cat(got, recent)),
                blocks.eq(blocks_now),
                exponent.eq(blocks_now + final),
                multiply.eq(others == 0),
                c.eq(Mux(got, padded(beat), 0)),
                others.eq(Mux(others == 0, 0, others - 1)),
            ]

        passes = exponents(lanes)
        table = [[[1] * lanes, [0] * lanes]]
        for added in passes:
            table.append([[x + y for x, y in zip(table[-1][0], added, strict=True)], added])
        pass_, slot = Signal(range(len(table))), Signal(range(max(lanes + 3, powers.depth)))
        m.d.sync += slot.eq(slot + 1)
        with m.FSM():
            with m.State("CLEAR"):
                m.d.comb += [write.en.eq(1), write.addr.eq(slot)]
                with m.If(slot == powers.depth - 1):
                    m.next = "R"
            with m.State("R"):
                m.d.comb += self.message.ready.eq(1)
                with m.If(self.message.valid):
                    m.d.comb += [write.en.eq(1), write.addr.eq(0), write.data[0].eq(1)]
                    m.d.sync += r.eq(self.message.payload.data & R_MASK)
                    m.next = "S"
            with m.State("S"):
                m.d.comb += self.message.ready.eq(1)
                with m.If(self.message.valid):
                    m.d.comb += [write.en.eq(1), write.addr.eq(1)]
                    m.d.comb += [write.data[k].eq(limb) for k, limb in enumerate(cut(r))]
                    m.d.sync += [s.eq(self.message.payload.data), slot.eq(0)]
                    m.next = "POWERS"
            with m.State("POWERS"):
                m.d.comb += power.eq(pass_ != 0)
                with m.Switch(Cat(slot[: exponent.shape().width], pass_)):
                    for p, both in enumerate(table):
                        for j, (after, added) in enumerate(zip(*both, strict=True)):
                            with m.Case(p << len(exponent) | j):
                                m.d.comb += reached.eq(after)
                                m.d.sync += exponent.eq(added)
                m.d.sync += multiply.eq(pass_ != 0)
                with m.If(pass_ == 0):
                    m.d.sync += c.eq(r)
                with m.If(slot == lanes - 1):
                    m.d.sync += [slot.eq(0), pass_.eq(pass_ + 1)]
                    with m.If(pass_ == len(table) - 1):
                        m.d.sync += [pass_.eq(0), others.eq(lanes), blocks.eq(0), recent.eq(0)]
                        m.next = "BLOCKS"
            with m.State("BLOCKS"):
                m.d.comb += self.message.ready.eq(1)
                m.d.sync += pass_blocks()
                payload = self.message.payload
                with m.If(self.message.valid):
                    m.d.sync += [beat.eq(payload), got.eq(~payload.last | (payload.bytes != 0))]
                    with m.If(payload.last):
                        m.next = "LAST BLOCK"
            with m.State("LAST BLOCK"):
                m.d.sync += [*pass_blocks(), slot.eq(0)]
                m.next = "FINAL"
            with m.State("FINAL"):
                m.d.comb += final.eq(1)
                m.d.sync += pass_blocks()
                with m.If(slot == lanes - 1):
                    m.d.sync += slot.eq(0)
                    m.next = "DRAIN"
            with m.State("DRAIN"):
                # The powers are no longer needed.
                m.d.comb += [write.en.eq(1), write.addr.eq(slot)]
                with m.If(slot == lanes + 2):
                    m.next = "FINISH"
            with m.State("FINISH"):
                m.d.comb += finish.start.eq(1)
                with m.If(finish.ready):
                    m.next = "FORGET"
            with m.State("FORGET"):
                m.d.sync += [r.eq(0), s.eq(0), *(total.eq(0) for total in totals)]
                m.next = "R"
        return m
