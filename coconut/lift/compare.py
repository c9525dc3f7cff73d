# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare instructions of compiled programs with CPUs, here or emulated: a machine runs only forms that were compared.

Each form (forms.py) is run by the code that an instruction of it has in the program, at its own address, with all
general registers, vectors, masks, flags and the memory around its operands set to edges and random numbers (cpus.py).
A machine runs the same, on these numbers, and on symbolic ones that have these values. Whatever it says must be what
the CPU did: registers, whole vectors, masks, memory, the next instruction, and each condition that it does not refuse.
"""

import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from coconut.architectures.scalar_arm64 import ARM64
from coconut.lift.cpus import (
    AFTER,
    BLOCK,
    DATA,
    FLAGS,
    JUMPED,
    MASKS_AT,
    OUTCOME,
    SIGNAL,
    STACK,
    VECTORS,
    Cpu,
    Run,
    Sample,
    Unusable,
    cpu_of,
    placed,
)
from coconut.lift.forms import code_of, encoding_of, form_of, forms_of
from coconut.lift.objects import X86_64, Line, Linked, Target
from coconut.native import cpu_features, prefix_of, runner_of
from coconut.operations import WORD_MAX
from coconut.prove.polynomials import Number, Ring, Unproved, Values
from coconut.trace import SOURCE

if TYPE_CHECKING:
    from coconut.lift.machine import Machine

# What a record begins with: a pointer to its name, and the features that the kernel requires (core/dispatch.h).
REQUIRED = 8
# Names of features in core/cpu/x86.def that the system spells in another way.
SPELLED = {"avxifma": "avx_ifma", "avx512vbmi2": "avx512_vbmi2"}


class Named(Protocol):
    @property
    def name(self) -> str: ...


@cache
def features_listed() -> list[str]:
    """Return the features of x86 CPUs as the system spells them, in the order of their bits in a record."""
    text = (SOURCE / "core" / "cpu" / "x86.def").read_text()
    return [SPELLED.get(name, name) for name in re.findall(r"^HORNET_CPU_FEATURE\((\w+)", text, re.MULTILINE)]


def comparable(linked: Linked, record: Named) -> str:
    """Return why the instructions of a kernel cannot be compared here, or nothing if they can.

    On x86-64 they run on this CPU, which may lack a feature that the kernel requires.
    """
    if linked.target != X86_64:
        return "" if prefix_of(ARM64) is not None else f"nothing here runs programs for {linked.target.architecture}"
    missing = [name for name in features_required(linked, record) if name not in cpu_features()]
    return f"this CPU has no {', '.join(missing)}" if missing else ""


def features_required(linked: Linked, record: Named) -> list[str]:
    """Return the features that a kernel for x86-64 requires, as its record says."""
    required = linked.number(linked.symbols[f"hornet_poly1305_kernel_{record.name}"] + REQUIRED, 4)
    return [name for i, name in enumerate(features_listed()) if required >> i & 1]


def check_features(linked: Linked, record: Named, ran: Iterable[int]) -> None:
    """Raise Unproved if instructions at these addresses need a feature that the kernel does not require.

    GNU's assembler knows which instructions are of which features.
    """
    if linked.target != X86_64:
        return
    required, lines = features_required(linked, record), [linked.read[at] for at in ran if at in linked.read]
    if not any(name.startswith("avx512") for name in required):
        for line in lines:
            if encoding_of(code_of(linked, line)) == "evex":
                raise Unproved(f"{line.text}: {record.name} does not require AVX-512")
    # Jumps are of no feature, nor is what does nothing, whose prefixes the assembler refuses to repeat.
    texts = {line.text for line in lines if not line.name.startswith(("j", "call", "nop"))}
    arch = "".join(f".arch {name}\n" for name in ("generic64", *(f".{name}" for name in ("ibt", *required))))
    command = [linked.target.tool("as"), "-o", "/dev/null"]
    ran_as = subprocess.run(command, input=arch + "\n".join(texts) + "\n", capture_output=True, text=True, check=False)
    if ran_as.returncode != 0 or not texts:
        raise Unproved(f"{record.name} requires {', '.join(required) or 'nothing'}: {ran_as.stderr.strip()[:300]}")


# How many states an instruction is run on, how many of them on symbolic numbers too, and how many must agree.
STATES, SYMBOLIC, LEAST = 30, 3, 3
# How many instructions of a form are run; all but the first on fewer states.
INSTANCES, FEWER = 3, 6
# How many states a machine may refuse at first, before the form counts as refused.
REFUSED_MAX = 6
TOO_NEAR = "Unusable a jump to what is too near"
SIGNALS = {4: "this CPU does not have it", 5: "a trap", 7: "a bus error", 8: "an arithmetic exception", 11: "a fault"}


class Differs(Exception):
    """A machine says something else than a CPU."""


@dataclass
class Verdict:
    """What became of a form: compared on a number of states, public and symbolic ones; else why it was not."""

    form: str
    states: int = 0
    symbolic: int = 0
    refused: str = ""
    unable: str = ""
    differs: str = ""

    @property
    def reason(self) -> str:
        """Return why a machine must not run the form, or nothing."""
        return self.differs or self.unable or self.refused


@dataclass
class Trial:
    """A run of an instruction on a CPU, and what a machine makes of the same numbers.

    symbolic: which of the places that it uses have symbolic numbers: general registers, vectors, memory, flags.
    """

    cpu: Cpu
    machines: "type[Machine]"
    linked: Linked
    one: Run
    sample: Sample
    after: bytes
    symbolic: Sequence[tuple[str, Any]] = ()
    source: random.Random = field(default_factory=random.Random)

    def __post_init__(self) -> None:
        self.ring = Ring()
        self.inputs: dict[int, int] = {}

    def number(self, value: int) -> Any:
        """Return a symbolic number with a value: of 64 bits or less, or a sum that may wrap."""
        kind = self.source.randrange(4)
        if kind == 0:
            other = self.source.getrandbits(64)
            return self.input(value + other & WORD_MAX, WORD_MAX) - self.input(other, WORD_MAX) & WORD_MAX
        if kind == 1:
            return self.input(value, WORD_MAX)
        return self.input(value, (1 << self.source.choice([max(value.bit_length(), 1), 64])) - 1)

    def input(self, value: int, limit: int) -> Any:
        number = self.ring.input(f"x{len(self.inputs)}", max(limit, value))
        self.inputs[len(self.ring.names) - 1] = value
        return number

    def machine(self) -> "Machine":
        """Return a machine with the numbers of the sample."""
        sample, one = self.sample, self.one
        cells: dict[int, tuple[int, Any]] = {}
        for start, words in ((one.data, sample.data), (one.stack, sample.stack)):
            if start:
                cells |= {start + 8 * i: (8, word) for i, word in enumerate(words)}
        if ("memory", "") in self.symbolic:
            registers = dict(zip(self.cpu.names, sample.general, strict=True))
            near = one.access.at(registers) if one.access else one.stack_pointer
            for at in range(near - near % 8 - 16, near + 80, 8):
                cells[at] = 8, self.number(cells[at][1])
        machine = self.machines.on(self.linked, cells)
        machine.general = dict(zip(self.cpu.names, sample.general, strict=True))
        machine.vectors = dict(enumerate(sample.vectors))
        if sample.masks:
            machine.masks = dict(enumerate(sample.masks))  # type: ignore[attr-defined]
        for kind, which in self.symbolic:
            if kind == "general" and which in machine.general:
                machine.general[which] = self.number(machine.general[which])
            elif kind == "vectors":
                machine.vectors[which] = tuple(map(self.number, machine.vectors[which]))
        flags = type(machine.flags)
        if ("flags", "") in self.symbolic:
            assert sample.addends is not None
            a, b = (self.input(number, WORD_MAX) for number in sample.addends)
            machine.flags = flags("add", a, b, 0, a + b & WORD_MAX, 64)
        else:
            machine.flags = flags("known", result=sample.flags >> self.cpu.flags_shift)
        return machine

    def run(self) -> None:
        """Run the machine; raise Differs if it says something else, and what it raises if it refuses."""
        machine = self.machine()
        flags = machine.flags
        place = machine.step(self.one.line)
        outcome = int.from_bytes(self.after[OUTCOME : OUTCOME + 8], "little")
        if outcome > SIGNAL:
            self.differ(SIGNALS.get(outcome - SIGNAL, f"signal {outcome - SIGNAL}"), "a result")
        if outcome != {self.one.line.after: AFTER, self.one.target: JUMPED}.get(place):
            self.differ("another next instruction", hex(place) if isinstance(place, int) else "")
        values = Values(self.ring, self.inputs)
        expected = bytearray(self.cpu.packed(self.sample))
        expected[FLAGS:MASKS_AT] = self.after[FLAGS:MASKS_AT]
        for at, what, number in self.changed(machine):
            found = int.from_bytes(self.after[at : at + 8], "little")
            if not values.agree(number, found):
                self.differ(
                    f"{what} is {found:#x}",
                    f"{values.at(number.poly):#x}" if isinstance(number, Number) else hex(number),
                )
            expected[at : at + 8] = self.after[at : at + 8]
        for at, count in machine.written:
            places = {self.one.data: DATA, self.one.stack: STACK}
            start = next((start for start in places if start and start <= at <= start + BLOCK - count), 0)
            if not start:
                self.differ("another place in memory is written", hex(at))
            at_state, number = at - start + places[start], machine.memory.read(at, count)
            found = int.from_bytes(self.after[at_state : at_state + count], "little")
            if not values.agree(number, found):
                self.differ(f"memory is {found:#x}", "another number")
            expected[at_state : at_state + count] = self.after[at_state : at_state + count]
        if expected != self.after:
            at = next(i for i, (x, y) in enumerate(zip(expected, self.after, strict=True)) if x != y)
            self.differ(f"what the machine leaves as it was is changed, byte {at} of the state", "no change")
        self.compare_flags(machine, flags, values)

    def changed(self, machine: "Machine") -> Iterator[tuple[int, str, Any]]:
        """Yield where in the state a number is that the machine has changed or that is symbolic, its name and value."""
        for i, name in enumerate(self.cpu.names):
            if (value := machine.general[name]) is not self.sample.general[i]:
                yield 8 * i, name, value
        for i, before in enumerate(self.sample.vectors):
            if (vector := machine.vectors[i]) is not before:
                if len(vector) != self.cpu.vector_words:
                    self.differ("a vector of another length", str(len(vector)))
                for k in range(self.cpu.words_here):
                    yield VECTORS + 64 * i + 8 * k, f"word {k} of vector {i}", vector[k]
        if set(machine.vectors) - set(range(len(self.sample.vectors))):
            self.differ("no such vector", str(sorted(machine.vectors)))
        for i, mask in enumerate(self.sample.masks):
            if (value := machine.masks[i]) is not mask:  # type: ignore[attr-defined]
                yield MASKS_AT + 8 * i, f"mask {i}", value

    def compare_flags(self, machine: "Machine", before: object, values: Values) -> None:
        """Compare all conditions that the machine does not refuse; or flags, if it leaves them as they were."""
        found = int.from_bytes(self.after[FLAGS : FLAGS + 8], "little")
        if machine.flags is before:
            if any((found ^ self.sample.flags) >> place & 1 for place in self.cpu.places.values()):
                self.differ("flags are changed", "no change")
            return
        for condition in self.cpu.conditions:
            try:
                truth = machine.truth(condition)
            except (Unproved, TypeError):
                continue
            if not values.agree(truth, int(self.cpu.holds(condition, found))):
                self.differ(f"the condition {condition} is {self.cpu.holds(condition, found)}", "the opposite")

    def differ(self, cpu: str, machine: str) -> None:
        raise Differs(f"on a CPU {cpu}, in the model {machine}")


# What a machine raises when it refuses an instruction (Machine.advance).
REFUSALS = (Unproved, KeyError, ValueError, TypeError, IndexError, AttributeError)


@dataclass
class Comparison:
    """The forms of instructions of an architecture that were compared, since this program was started.

    states: how many an instruction is run on.
    """

    target: Target
    machines: "type[Machine]"
    states: int = STATES
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    # Instructions that were found to be of a form that was compared, by their identity.
    passed: dict[int, Line] = field(default_factory=dict)

    def require(self, linked: Linked, line: Line) -> None:
        """Raise Unproved unless an instruction is of a form that was compared."""
        if self.passed.get(id(line)) is line:
            return
        code = code_of(linked, line)
        if not code:
            form = self.compare_other(linked, line)
        else:
            form = form_of(self.target, line, code)
            if form not in self.verdicts:
                self.compare(linked, forms_of(linked, function_around(linked, line)))
        if reason := self.verdicts[form].reason:
            raise Unproved(f"it was not compared with a CPU in this run: {reason}")
        self.passed[id(line)] = line

    def compare_other(self, linked: Linked, line: Line) -> str:
        """Compare an instruction that is not from the file, and return its form."""
        line, code = placed(self.target, line)
        form = form_of(self.target, line, code)
        if form not in self.verdicts:
            if code:
                self.compare_runs(linked, {form: [(line, code)]})
            else:
                self.verdicts[form] = Verdict(form, refused="the assembler has no such instruction")
        return form

    def compare(self, linked: Linked, lines: Mapping[str, Sequence[Line]]) -> None:
        """Compare forms, by instructions of the file that have them, unless they were compared."""
        wanted = {form: spread(found, 4 * INSTANCES) for form, found in lines.items() if form not in self.verdicts}
        coded = {form: [(x, code_of(linked, x)) for x in found] for form, found in wanted.items()}
        self.compare_runs(linked, coded)
        for form, found in wanted.items():
            if self.verdicts[form].refused == TOO_NEAR:
                self.compare_runs(linked, {form: [placed(self.target, found[0])]})

    def compare_runs(self, linked: Linked, instances: Mapping[str, Sequence[tuple[Line, bytes]]]) -> None:
        cpu, runs = cpu_of(self.target), []
        for form, found in instances.items():
            self.verdicts[form] = Verdict(form, refused="no instruction of this form can be run alone")
            count = 0
            for line, code in found:
                try:
                    if not code:
                        raise Unusable
                    one = cpu.runs_of(replace(line, after=line.at + len(code)), code)
                    samples = cpu.samples(one, FEWER if count else self.states)
                    self.require_modelled(linked, one, samples)
                    runs.append((form, one, samples))
                except (Unusable, *REFUSALS) as error:
                    if str(error) and not count:
                        self.verdicts[form].refused = f"{type(error).__name__} {error}"
                    continue
                count += 1
                if count == INSTANCES:
                    break
        states = cpu.run([(one, samples) for _, one, samples in runs]) if runs else []
        for (form, one, samples), after in zip(runs, states, strict=True):
            self.judge(linked, form, one, list(zip(samples, after, strict=True)))

    def require_modelled(self, linked: Linked, one: Run, samples: Sequence[Sample]) -> None:
        """Raise what the machine raises if it refuses an instruction: no CPU runs that, which may be a call of the system."""
        for i, sample in enumerate(samples[:REFUSED_MAX], 1):
            try:
                Trial(cpu_of(self.target), self.machines, linked, one, sample, b"").machine().step(one.line)
                return
            except REFUSALS:
                if i == REFUSED_MAX:
                    raise

    def judge(self, linked: Linked, form: str, one: Run, trials: Sequence[tuple[Sample, bytes]]) -> None:
        """Compare what a CPU did on some samples with the machine; write what became of it to the form's verdict."""
        verdict, cpu = self.verdicts[form], cpu_of(self.target)
        outcomes = Counter(int.from_bytes(after[OUTCOME : OUTCOME + 8], "little") for _, after in trials)
        if outcomes[0]:
            verdict.unable = "there is no memory for it"
        elif outcomes[SIGNAL + 4]:
            verdict.unable = SIGNALS[4]
        if verdict.reason and (verdict.unable or verdict.states):
            return
        agreed, refused, reason = 0, 0, ""
        try:
            for sample, after in trials:
                try:
                    Trial(cpu, self.machines, linked, one, sample, after).run()
                    agreed += 1
                except REFUSALS as error:
                    refused, reason = refused + 1, f"{type(error).__name__} {error}"
                    if refused == REFUSED_MAX and not agreed:
                        break
            if agreed >= LEAST and not verdict.states:
                verdict.symbolic = self.judge_symbolic(linked, one, trials)
        except Differs as error:
            verdict.differs = f"{one.line.text}: {error}"
            return
        if agreed >= LEAST:
            verdict.states += agreed
            verdict.refused = ""
        elif not verdict.states:
            verdict.refused = reason

    def judge_symbolic(self, linked: Linked, one: Run, trials: Sequence[tuple[Sample, bytes]]) -> int:
        """Do so on symbolic numbers, in all places, in all but one, and in one; return how many trials agree."""
        cpu, agreed = cpu_of(self.target), 0
        used = cpu.used(one.line)
        patterns = [used, *([place] for place in used), *([x for x in used if x != place] for place in used)]
        for pattern in dict.fromkeys(map(tuple, patterns)):
            usable = [trial for trial in trials if trial[0].addends or ("flags", "") not in pattern]
            for i, (sample, after) in enumerate(usable[:SYMBOLIC]):
                source = random.Random(i + len(pattern))
                try:
                    Trial(cpu, self.machines, linked, one, sample, after, pattern, source).run()
                    agreed += 1
                except REFUSALS:
                    if i:
                        break
        return agreed


def census(linked: Linked, machines: "type[Machine]") -> tuple[str, list[Verdict]]:
    """Compare all forms that a program has; return how many there are of each kind, and what became of each."""
    comparison = Comparison(linked.target, machines)
    lines = forms_of(linked, linked.read.values())
    comparison.compare(linked, lines)
    found = [comparison.verdicts[form] for form in lines]
    compared = [verdict for verdict in found if not verdict.reason]
    states, symbolic = sum(verdict.states for verdict in compared), sum(verdict.symbolic for verdict in compared)
    kinds = Counter("differ" if x.differs else "unable" if x.unable else "refused" for x in found if x.reason)
    text = (
        f"{sum(map(len, lines.values()))} instructions of {len(lines)} forms: {len(compared)} compared on {states} states "
        f"and {symbolic} with symbolic numbers, {kinds['refused']} not modelled and refused, {kinds['unable']} that it "
        f"does not have, {kinds['differ']} that differ; on {runner_of(cpu_of(linked.target).architecture)}"
    )
    return text, found


def spread(lines: Sequence[Line], most: int) -> list[Line]:
    """Return some of many, from all places."""
    return list(lines[:: max(1, -(-len(lines) // most))])


def function_around(linked: Linked, line: Line) -> Iterator[Line]:
    """Yield the instructions of the function that has an instruction."""
    begin = max((at for at in linked.functions if at <= line.at), default=line.at)
    end = min((at for at in linked.functions if at > line.at), default=line.at + 1)
    for at in sorted({line.at} | {at for at in linked.read if begin <= at < end}):
        yield linked.read[at]


# By the class of the machines.
COMPARISONS: "dict[type[Machine], Comparison]" = {}


def require(machine: "Machine", line: Line) -> None:
    """Raise Unproved unless an instruction is of a form that was compared with a CPU since this program was started."""
    kind = type(machine)
    if kind not in COMPARISONS:
        COMPARISONS[kind] = Comparison(machine.linked.target, kind)
    COMPARISONS[kind].require(machine.linked, line)
