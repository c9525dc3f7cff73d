# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What both cores have at their ends: the stream of key and message, padded blocks, and the tag."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from lab.circuit.arithmetic import BITS, LIMBS, MASK, PASSES, TOP_BITS, TOP_MASK
from lab.circuit.intervals import finish_max

# A beat of the input: r, then s, then blocks of 16 bytes. The last beat has `last` and in `bytes` how many bytes it has, 1
# to 16, or 0 if the message is empty or has ended before. What is beyond these bytes is ignored, as is `bytes` elsewhere.
BEAT = data.StructLayout({"data": 128, "bytes": 5, "last": 1})
INPUT = stream.Signature(BEAT)
OUTPUT = stream.Signature(128)


def cut(value: Value) -> list[Value]:
    """Return up to 136 bits as limbs."""
    return [value[BITS * k : BITS * k + BITS] for k in range(LIMBS)]


def padded(beat: data.View) -> Value:
    """Return a beat's block, with a 1 above its last byte, or 0 if it has no bytes."""
    count = Mux(beat.last, beat.bytes, 16)
    parts = [Mux(count > i, beat.data.word_select(i, 8), (count == i) & (i > 0)) for i in range(16)]
    return Cat(*(Value.cast(part)[:8] for part in parts), count >= 16)


class Finish(wiring.Component):
    """Computes the tag of an accumulator's limbs and s, in 37 cycles, and keeps it until it is taken.

    The limbs and s are read in the cycle after `start`.

    In each cycle a limb leaves a ring of limbs at one end, and what arithmetic.finish puts into its place enters at the
    other one.
    """

    def __init__(self, limbs_max: Sequence[int]) -> None:
        self.limbs_max = limbs_max
        bits = max(limbs_max).bit_length()
        super().__init__(
            {
                "limbs": In(bits).array(LIMBS),
                "s": In(128),
                "start": In(1),
                "ready": Out(1),
                "tag": Out(OUTPUT),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        number_max, carry_max = finish_max(self.limbs_max)
        ring = [Signal(limb.shape(), name=f"limb{k}") for k, limb in enumerate(self.limbs)]
        s = Signal(LIMBS * BITS)
        number = Signal(number_max.bit_length())
        carry = Signal(carry_max.bit_length())
        excess = Signal(max(1, (number_max >> TOP_BITS).bit_length()))
        pass_, k = Signal(range(PASSES)), Signal(range(LIMBS + 1))
        loading, busy, done = Signal(), Signal(), Signal()

        adding = pass_ == PASSES - 1
        m.d.comb += [
            number.eq(ring[0] + (Mux(adding, s[:BITS], 0) + carry)),
            self.ready.eq(~busy & ~done),
            self.tag.valid.eq(done),
            self.tag.payload.eq(Mux(done, Cat(*(limb[:BITS] for limb in ring)), 0)),
        ]
        with m.If(loading):
            m.d.sync += [loading.eq(0), s.eq(self.s)]
            m.d.sync += [limb.eq(new) for limb, new in zip(ring, self.limbs, strict=True)]
        with m.Elif(busy):
            m.d.sync += k.eq(k + 1)
            with m.If(k < LIMBS):
                mask = Mux((pass_ == 0) & (k == LIMBS - 1), TOP_MASK, MASK)
                entering = Mux(pass_ == PASSES - 2, ring[0], number & mask)
                m.d.sync += [limb.eq(after) for limb, after in zip(ring, [*ring[1:], entering], strict=True)]
                m.d.sync += [carry.eq(number >> BITS), excess.eq(number >> TOP_BITS)]
                with m.If(adding):
                    m.d.sync += s.eq(s >> BITS)
            with m.Else():
                m.d.sync += [k.eq(0), pass_.eq(pass_ + 1)]
                m.d.sync += [carry.eq(Mux(pass_ == PASSES - 3, 5, excess + (excess << 2))), excess.eq(0)]
                with m.If(adding):
                    m.d.sync += [busy.eq(0), done.eq(1), carry.eq(0)]
        with m.If(done & self.tag.ready):
            m.d.sync += [done.eq(0), *(limb.eq(0) for limb in ring)]
        with m.If(self.start & self.ready):
            m.d.sync += [loading.eq(1), busy.eq(1)]
        return m
