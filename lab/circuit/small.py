# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The small core: 8 multipliers, a block in 14 cycles.

cycle 0 to 7    a limb of the accumulator, the last one first, times r
      2 to 9    sums * 2^17 + these products
      10 to 12  sums + the next block, carried
      13        the result becomes the accumulator
"""

from amaranth.hdl import Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from lab.circuit.arithmetic import LIMBS, MASK, R_MASK, carried, row
from lab.circuit.ends import INPUT, OUTPUT, Finish, cut, padded
from lab.circuit.intervals import limbs_max, sums_max
from lab.circuit.wires import Pipeline

CYCLES_PER_BLOCK = 14


class SmallCore(wiring.Component):
    """Computes tags of messages, each with a key of its own, in a time that depends only on their lengths."""

    message: In(INPUT)  # type: ignore[valid-type]
    tag: Out(OUTPUT)  # type: ignore[valid-type]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.finish = finish = Finish(limbs_max())
        wiring.connect(m, finish.tag, wiring.flipped(self.tag))

        r, s = Signal(R_MASK.bit_length()), Signal(128)
        # A block that is still to be added, and whether it is the message's last one or the last one was before.
        block, full, ended = Signal(129), Signal(), Signal()
        # Each limb of the accumulator passes through the last place, and is multiplied there.
        a_max = max(limbs_max())
        a = [Signal(a_max.bit_length(), name=f"a{k}") for k in range(LIMBS)]
        sums = [Signal(high.bit_length(), name=f"sum{k}") for k, high in enumerate(sums_max())]

        at_once, pipeline = Pipeline(m, registers=False), Pipeline(m)
        (limb,) = at_once.wires(a[-1:], [a_max])
        products = [limb * factor for factor in at_once.wires(cut(r), [MASK] * LIMBS)]
        next_sums = row(at_once.wires(sums, sums_max(), products[0].time), products)
        limbs = pipeline.wires(cut(block), [MASK] * LIMBS)
        result = pipeline.together(carried(pipeline.wires(sums, sums_max()), limbs))
        assert all(wire.high <= high for wire, high in zip(result, limbs_max(), strict=True))
        assert LIMBS + products[0].time + result[0].time + 1 == CYCLES_PER_BLOCK

        # One of these is 1: the cycle of the block, in which it waits for the next one.
        cycle = Signal(CYCLES_PER_BLOCK)
        first_product, waiting = products[0].time, products[0].time + LIMBS
        adding, begin, proceed, final = Signal(), Signal(), Signal(), Signal()
        m.d.comb += proceed.eq(cycle[waiting] & (full | (ended & finish.ready)))
        m.d.sync += [
            cycle.eq(cycle << 1),
            cycle[0].eq(cycle[-1] & ~final),
            cycle[waiting].eq(begin | cycle[waiting - 1] | (cycle[waiting] & ~proceed)),
            cycle[waiting + 1].eq(proceed),
            adding.eq(cycle[first_product - 1] | (adding & ~cycle[waiting - 1])),
        ]
        with m.If(cycle[-1]):
            m.d.sync += [limb.eq(wire.value) for limb, wire in zip(a, result, strict=True)]
        with m.Else():
            m.d.sync += [limb.eq(before) for limb, before in zip(a, [Const(0), *a[:-1]], strict=True)]
        with m.If(adding):
            m.d.sync += [number.eq(wire.value) for number, wire in zip(sums, next_sums, strict=True)]
        with m.If(cycle[waiting + 1]):
            m.d.sync += [number.eq(0) for number in sums]
        with m.If(proceed):
            m.d.sync += [full.eq(0), block.eq(0), final.eq(~full)]

        m.d.comb += [finish.s.eq(s), *(limb.eq(wire.value) for limb, wire in zip(finish.limbs, result, strict=True))]
        beat = self.message.payload
        with m.FSM():
            with m.State("R"):
                m.d.comb += self.message.ready.eq(1)
                with m.If(self.message.valid):
                    m.d.sync += r.eq(beat.data & R_MASK)
                    m.next = "S"
            with m.State("S"):
                m.d.comb += self.message.ready.eq(1)
                with m.If(self.message.valid):
                    m.d.comb += begin.eq(1)
                    m.d.sync += s.eq(beat.data)
                    m.next = "BLOCKS"
            with m.State("BLOCKS"):
                m.d.comb += self.message.ready.eq(~full & ~ended)
                with m.If(self.message.valid & self.message.ready):
                    m.d.sync += [ended.eq(beat.last), full.eq(~beat.last | (beat.bytes != 0)), block.eq(padded(beat))]
                m.d.comb += finish.start.eq(cycle[-2] & final)
                with m.If(cycle[-1] & final):
                    m.d.sync += [final.eq(0), ended.eq(0), r.eq(0), s.eq(0)]
                    m.next = "R"
        return m
