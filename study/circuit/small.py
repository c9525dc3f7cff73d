# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The small core: 8 multipliers, a block in 13 cycles.

    cycle 0 to 7    a limb of the accumulator, the last one first, times r
          1 to 8    sums * 2^17 + these products
          9 to 11   sums + the next block, carried
          12        the result becomes the accumulator
"""

from amaranth.hdl import Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from study.circuit.arithmetic import LIMBS, MASK, R_MASK, carried, row
from study.circuit.ends import INPUT, OUTPUT, Finish, cut, padded
from study.circuit.intervals import limbs_max, sums_max
from study.circuit.wires import Pipeline

CYCLES_PER_BLOCK = 13


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
        products = [Signal((a_max * MASK).bit_length(), name=f"product{k}") for k in range(LIMBS)]
        sums = [Signal(high.bit_length(), name=f"sum{k}") for k, high in enumerate(sums_max())]
        m.d.sync += [product.eq(a[-1] * limb) for product, limb in zip(products, cut(r), strict=True)]

        at_once, pipeline = Pipeline(m, registers=False), Pipeline(m)
        next_sums = row(at_once.wires(sums, sums_max()), at_once.wires(products, [a_max * MASK] * LIMBS))
        limbs = pipeline.wires(cut(block), [MASK] * LIMBS)
        result = pipeline.together(carried(pipeline.wires(sums, sums_max()), limbs))
        assert all(wire.high <= high for wire, high in zip(result, limbs_max(), strict=True))
        assert LIMBS + 1 + result[0].time + 1 == CYCLES_PER_BLOCK

        cycle = Signal(range(CYCLES_PER_BLOCK))
        final = Signal()
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
                    m.d.sync += [s.eq(beat.data), cycle.eq(LIMBS + 1)]
                    m.next = "BLOCKS"
            with m.State("BLOCKS"):
                m.d.comb += self.message.ready.eq(~full & ~ended)
                m.d.sync += cycle.eq(cycle + 1)
                with m.If(cycle < LIMBS):
                    m.d.sync += [limb.eq(before) for limb, before in zip(a, [Const(0), *a[:-1]], strict=True)]
                with m.If((cycle > 0) & (cycle <= LIMBS)):
                    m.d.sync += [number.eq(wire.value) for number, wire in zip(sums, next_sums, strict=True)]
                with m.If(cycle == LIMBS + 1):
                    with m.If(full | (ended & finish.ready)):
                        m.d.sync += [full.eq(0), block.eq(0), final.eq(~full), *(number.eq(0) for number in sums)]
                    with m.Else():
                        m.d.sync += cycle.eq(cycle)
                with m.If(cycle == CYCLES_PER_BLOCK - 1):
                    with m.If(~final):
                        m.d.sync += [cycle.eq(0), *(limb.eq(wire.value) for limb, wire in zip(a, result, strict=True))]
                    with m.Else():
                        m.d.comb += finish.start.eq(1)
                        m.d.sync += [final.eq(0), ended.eq(0), r.eq(0), s.eq(0)]
                        m.next = "R"
                with m.If(self.message.valid & self.message.ready):
                    m.d.sync += [ended.eq(beat.last), full.eq(~beat.last | (beat.bytes != 0)), block.eq(padded(beat))]
        return m
