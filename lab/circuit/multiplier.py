# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A multiplier of 18 by 18 bits, as ECP5 and other FPGAs have it, with registers at its inputs and its output."""

from amaranth.hdl import ClockSignal, Const, Elaboratable, Instance, Module, Signal, Value

ECP5 = "ecp5"
BITS = 18
# From the inputs to the product.
CYCLES = 2


class Multiplier(Elaboratable):
    """product is a * b of two cycles before.

    yosys makes no use of the registers in ECP5's multipliers, so for the platform "ecp5" this is one of them, whose
    parameters enable these registers. The tests simulate the other form, which is for any FPGA.
    """

    def __init__(self, a: Value, b: Value, product_bits: int) -> None:
        self.a, self.b = a, b
        self.product = Signal(product_bits)
        assert max(len(a), len(b)) <= BITS

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if platform == ECP5:
            product = Signal(2 * BITS)
            m.submodules.mult18x18d = self.mult18x18d(product)
            m.d.comb += self.product.eq(product)
        else:
            a, b = Signal(len(self.a)), Signal(len(self.b))
            m.d.sync += [a.eq(self.a), b.eq(self.b), self.product.eq(a * b)]
        return m

    def mult18x18d(self, product: Signal) -> Instance:
        clocked = {
            f"p_REG_{register}_{signal}": f"{signal}0"
            for register in ("INPUTA", "INPUTB", "OUTPUT")
            for signal in ("CLK", "CE", "RST")
        }
        pins: dict[str, Value] = {
            f"i_{name}": Const(0) for name in ("SIGNEDA", "SIGNEDB", "SOURCEA", "SOURCEB", "RST0")
        }
        for name, value in (("A", self.a), ("B", self.b)):
            pins |= {f"i_{name}{i}": value[i] if i < len(value) else Const(0) for i in range(BITS)}
        pins |= {f"o_P{i}": product[i] for i in range(2 * BITS)}
        return Instance("MULT18X18D", **clocked, p_GSR="DISABLED", i_CLK0=ClockSignal(), i_CE0=Const(1), **pins)
