# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compare instructions of compiled programs with CPUs, here or emulated: a machine runs only forms that were compared.

Each form (forms.py) is run by the code that an instruction of it has in the program, at its own address, with all
general registers, vectors, masks, flags and the memory around its operands set to edges and random numbers (cpus.py).
A machine runs the same, on these numbers, and on symbolic numbers and words that have these values. Whatever it says
must be what the CPU did: registers, whole vectors, masks, memory, the next instruction, and each condition that it does
not refuse. Which operands may be symbolic words at the same time is compared, too, and all else is refused.
"""

import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

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
    ZEROS,
    Cpu,
    Run,
    Sample,
    Unusable,
    cpu_of,
    placed,
)
from coconut.lift.forms import code_of, encoding_of, form_of, forms_of
from coconut.lift.objects import X86_64, Line, Linked, Target
from coconut.lift.operands import operand_of
from coconut.native import cpu_features, prefix_of, runner_of
from coconut.operations import WORD_MAX
from coconut.prove.polynomials import Ring, Unproved, transitions
from coconut.prove.term_values import WordValues
from coconut.prove.terms import WORD_MAX as HALF_MAX
from coconut.prove.terms import Difference, Symbolic, Terms
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
    return lacking(required_by(linked, record))


def lacking(required: int) -> str:
    """Return that this CPU lacks some of the features that have these bits in a record, or nothing."""
    missing = [name for name in features_of(required) if name not in cpu_features()]
    return f"this CPU has no {', '.join(missing)}" if missing else ""


def features_of(bits: int) -> list[str]:
    """Return the features that have these bits in a record."""
    return [name for i, name in enumerate(features_listed()) if bits >> i & 1]


def required_by(linked: Linked, record: Named) -> int:
    """Return the bits of the features that a kernel for x86-64 requires, as its record says."""
    return linked.number(linked.symbols[f"hornet_poly1305_kernel_{record.name}"] + REQUIRED, 4)


def features_required(linked: Linked, record: Named) -> list[str]:
    """Return the features that a kernel for x86-64 requires, as its record says."""
    return features_of(required_by(linked, record))


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
# On which states an instruction is run on symbolic words, until this many agree; at the first two, the bits of operands
# are apart, so that they can be joined. On every second one on comparisons, too: in the last, registers are 0.
OF_WORDS, WORDS = (6, 3, 0, 2, 1, 4, ZEROS), 2
# How many instructions of a form are run; all but the first on fewer states.
INSTANCES, FEWER = 3, 6
# How many states a machine may refuse at first, before the form counts as refused.
REFUSED_MAX = 6
# How many elements of 64 bits a vector has, by the letter of its name.
LETTERS = {"x": 2, "y": 4, "z": 8}
TOO_NEAR = "Unusable a jump to what is too near"
SIGNALS = {4: "this CPU does not have it", 5: "a trap", 7: "a bus error", 8: "an arithmetic exception", 11: "a fault"}


class Differs(Exception):
    """A machine says something else than a CPU."""


@dataclass
class Verdict:
    """What became of a form: compared on a number of states, public and symbolic ones; else why it was not.

    words: on how many with symbolic words. together: which operands were such at the same time: bit i is that of place i
    of what an instruction of the form takes numbers from.
    """

    form: str
    states: int = 0
    symbolic: int = 0
    words: int = 0
    together: set[int] = field(default_factory=set)
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

    symbolic: which of the places that it uses have symbolic numbers: general registers, vectors, memory, flags. words:
    which of them have symbolic words. differences: such a word may be a comparison.
    """

    cpu: Cpu
    machines: "type[Machine]"
    linked: Linked
    one: Run
    sample: Sample
    after: bytes
    symbolic: Sequence[tuple[str, Any]] = ()
    source: random.Random = field(default_factory=random.Random)
    words: Sequence[tuple[str, Any]] = ()
    differences: bool = False

    def __post_init__(self) -> None:
        self.ring = Ring()
        self.inputs: dict[int, int] = {}
        self.variables: dict[str, int] = {}
        self.terms = Terms(self.ring, decide=lambda difference: self.values.of_word(difference) == 0)
        self.values = WordValues(self.terms, self.variables, self.inputs)
        # Each trial of a few also on the numbers that words become, which takes long.
        self.values.also_numbers = self.source.randrange(4) == 0
        # What is used of vectors, and an element behind it.
        letters = re.findall(r"%([xyz])mm", " ".join(self.one.line.operands))
        self.elements = max((LETTERS[letter] for letter in letters), default=2) + 1

    def number(self, value: int, within: int = WORD_MAX) -> Any:
        """Return a symbolic number with a value: of 64 bits or less, or a sum that may wrap."""
        if within != WORD_MAX and len(transitions(within)) == 2:
            # Bits of one run.
            low = (within & -within).bit_length() - 1
            return self.input(value >> low, within >> low) << low
        kind = self.source.randrange(4)
        if kind == 0:
            other = self.source.getrandbits(64)
            return self.input(value + other & WORD_MAX, WORD_MAX) - self.input(other, WORD_MAX) & WORD_MAX
        if kind == 1:
            return self.input(value, WORD_MAX)
        return self.input(value, (1 << self.source.choice([max(value.bit_length(), 1), 64])) - 1)

    def input(self, value: int, limit: int) -> Any:
        number = self.ring.input(f"x{len(self.inputs)}", max(limit, value))
        ((variable,),) = number.poly
        self.inputs[variable] = self.values.known[variable] = value
        return number

    def word(self, value: int, within: int = WORD_MAX) -> Any:
        """Return a symbolic word with a value: some of its runs of bits are constant, and all that is not within a mask."""
        if self.differences:
            number = self.source.getrandbits(64)
            return self.input(number, WORD_MAX) ^ self.word_of(number ^ value, WORD_MAX)
        return self.word_of(value, within)

    def word_of(self, value: int, within: int) -> Any:
        source = self.source
        first = source.choice((32, source.randrange(1, 32)))
        ends = {0, first, min(first + 32, 64), 64, *source.sample(range(1, 64), source.choice((0, 0, 1, 3)))}
        ends |= {min(end, 64) for end, _ in transitions(within)}
        total: Any = 0
        for begin, end in pairwise(sorted(ends)):
            part = value >> begin & (1 << end - begin) - 1
            is_constant = not within >> begin & 1 or source.randrange(8) == 0
            total = total | (part if is_constant else self.bits(part, end - begin)) << begin
        return total

    def bits(self, value: int, size: int) -> Any:
        """Return a symbolic word of some bits with a value: those of a variable or of what is made of some, in any place."""
        source, kind = self.source, self.source.randrange(8)
        if kind == 0:
            return self.variable(value, size)
        at = source.randrange(33 - size)
        noise, mask, by = source.getrandbits(32), (1 << size) - 1 << at, source.randrange(1, 32)
        number, a, b = noise & ~mask | value << at, source.getrandbits(32), source.getrandbits(32)
        if kind == 1:
            found = self.variable(number)
        elif kind == 2:
            x = self.variable((number >> by | number << 32 - by) & HALF_MAX)
            found = x << by & HALF_MAX | x >> 32 - by
        elif kind == 3:
            found = self.variable(number ^ HALF_MAX) ^ HALF_MAX
        elif kind == 4:
            found = self.variable(number ^ a) ^ self.variable(a)
        elif kind == 5:
            found = self.variable(number - a & HALF_MAX) + self.variable(a) & HALF_MAX
        elif kind == 6:
            found = self.variable(number - a & HALF_MAX) + a & HALF_MAX
        else:
            # Another exclusive or in each part: they are joined.
            low = (1 << by) - 1
            parts = self.variable(number ^ a) & low | self.variable(number ^ a ^ b) & ~low & HALF_MAX
            found = parts ^ self.variable(a) ^ (self.variable(b) & ~low & HALF_MAX)
        return found >> at & (1 << size) - 1

    def variable(self, value: int, bits: int = 32) -> Any:
        name = f"w{len(self.variables)}"
        self.variables[name] = value
        return self.terms.variable(name, bits)

    def made(self, place: tuple[str, Any], value: int) -> Any:
        """Return the value in a place as it is to be there: a symbolic word or number, or public."""
        within = self.within.get(place, WORD_MAX)
        if place in self.words:
            return self.word(value, within)
        return self.number(value, within) if place in self.symbolic else value

    def machine(self) -> "Machine":
        """Return a machine with the numbers of the sample."""
        sample, one = self.sample, self.one
        self.within = self.cpu.within(one.line, sample.apart) if self.words else {}
        places = {*self.symbolic, *self.words}
        cells: dict[int, tuple[int, Any]] = {}
        for start, words in ((one.data, sample.data), (one.stack, sample.stack)):
            if start:
                cells |= {start + 8 * i: (8, word) for i, word in enumerate(words)}
        if ("memory", "") in places:
            registers = dict(zip(self.cpu.names, sample.general, strict=True))
            near = one.access.at(registers) if one.access else one.stack_pointer
            begin, end = (
                (near - near % 8 - 16, near + 80) if not self.words else (near - near % 8, near + 8 * self.elements)
            )
            for at in range(begin, end, 8):
                cells[at] = 8, self.made(("memory", ""), cells[at][1])
        machine = self.machines.on(self.linked, cells)
        machine.anything = self.kept
        machine.general = dict(zip(self.cpu.names, sample.general, strict=True))
        machine.vectors = dict(enumerate(sample.vectors))
        if sample.masks:
            machine.masks = dict(enumerate(sample.masks))  # type: ignore[attr-defined]
        for kind, which in places:
            if kind == "general" and which in machine.general:
                machine.general[which] = self.made((kind, which), machine.general[which])
            elif kind == "vectors":
                vector = machine.vectors[which]
                used = self.elements if self.words else len(vector)
                made = [self.made((kind, which), word) for word in vector[:used]]
                machine.vectors[which] = (*made, *vector[used:])
        flags = type(machine.flags)
        if ("flags", "") in places:
            assert sample.addends is not None
            make = self.word_of if ("flags", "") in self.words else self.input
            a, b = (make(number, WORD_MAX) for number in sample.addends)
            machine.flags = flags("add", a, b, 0, a + b & WORD_MAX, 64)
        else:
            machine.flags = flags("known", result=sample.flags >> self.cpu.flags_shift)
        return machine

    def kept(self, is_secret: bool) -> Any:
        """Return any number, of which an instruction that writes a part of a register keeps the rest: here what is there."""
        name = operand_of(self.one.line.operands[-1], 0).name if self.linked.target == X86_64 else ""
        if name not in self.cpu.names:
            raise Unproved("a register of which nothing is known")
        return self.input(self.sample.general[self.cpu.names.index(name)], WORD_MAX)

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
        values = self.values
        expected = bytearray(self.cpu.packed(self.sample))
        expected[FLAGS:MASKS_AT] = self.after[FLAGS:MASKS_AT]
        for at, what, number in self.changed(machine):
            found = int.from_bytes(self.after[at : at + 8], "little")
            if not values.agree(number, found):
                self.differ(f"{what} is {found:#x}", hex(values.of_word(number)))
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

    def compare_flags(self, machine: "Machine", before: object, values: WordValues) -> None:
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

    states: how many an instruction is run on. of_words: whether it is run on symbolic words, too.
    """

    target: Target
    machines: "type[Machine]"
    states: int = STATES
    of_words: bool = True
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    # Instructions that were found to be of a form that was compared, by their identity.
    passed: dict[int, "Passed"] = field(default_factory=dict)

    def require(self, linked: Linked, line: Line) -> "Passed":
        """Return what an instruction may be run on; raise Unproved unless it is of a form that was compared."""
        if (passed := self.passed.get(id(line))) is not None and passed.line is line:
            return passed
        code = code_of(linked, line)
        if not code:
            form = self.compare_other(linked, line)
        else:
            form = form_of(self.target, line, code)
            if form not in self.verdicts:
                self.compare(linked, forms_of(linked, function_around(linked, line)))
        if reason := self.verdicts[form].reason:
            raise Unproved(f"it was not compared with a CPU in this run: {reason}")
        passed = self.passed[id(line)] = Passed.of(line, cpu_of(self.target).used(line), self.verdicts[form])
        return passed

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
                if self.of_words:
                    verdict.words = self.judge_words(linked, one, trials, verdict.together)
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

    def judge_words(self, linked: Linked, one: Run, trials: Sequence[tuple[Sample, bytes]], together: set[int]) -> int:
        """Do so on symbolic words, in any of the places together; return how many trials agree, and write down which.

        The other places have symbolic numbers, or public ones, in turn; so do the flags.
        """
        cpu, agreed = cpu_of(self.target), 0
        used = [place for place in cpu.used(one.line) if place[0] != "flags"]
        chosen = [trials[i] for i in OF_WORDS if i < len(trials)]
        for which in range(1 << len(used)):
            words = [place for i, place in enumerate(used) if which >> i & 1]
            others = [place for place in used if place not in words]
            found = 0
            for i, (sample, after) in enumerate(chosen):
                flags = [("flags", "")] if sample.addends else []
                source = random.Random(i + which)
                numbers = [place for place in others if i % 2 and source.getrandbits(1)]
                if words or flags:
                    try:
                        Trial(cpu, self.machines, linked, one, sample, after, numbers, source, words + flags).run()
                    except REFUSALS:
                        continue
                    agreed, found = agreed + 1, found + 1
                if found == WORDS:
                    break
            if found:
                together.add(which)
            # All of them are comparisons.
            for sample, after in chosen[::2] if words and not others else ():
                trial = Trial(cpu, self.machines, linked, one, sample, after, (), random.Random(which), words)
                trial.differences = True
                try:
                    trial.run()
                except REFUSALS:
                    continue
                agreed += 1
                together.add(~which)
        return agreed


class Passed(NamedTuple):
    """An instruction of a form that was compared: the places that it takes numbers from, each with a bit, and which of
    them were symbolic words together."""

    line: Line
    general: list[tuple[int, str]]
    vectors: list[tuple[int, int]]
    memory: int
    together: set[int]
    # The numbers of the vectors; whether it takes, and changes, nothing else but flags.
    numbers: tuple[int, ...]
    only_vectors: bool

    @staticmethod
    def of(line: Line, used: Iterable[tuple[str, Any]], verdict: Verdict) -> "Passed":
        places = {place: 1 << i for i, place in enumerate(place for place in used if place[0] != "flags")}
        general, vectors = (
            [(bit, which) for (found, which), bit in places.items() if found == kind] for kind in ("general", "vectors")
        )
        memory, numbers = places.get(("memory", ""), 0), tuple(number for _, number in vectors)
        # In braces are masks, and lists of registers; a comparison also names the mask that it sets.
        others = "{" in line.text or "%k" in line.text
        only_vectors = bool(vectors) and not general and not memory and not others
        return Passed(line, general, vectors, memory, verdict.together, numbers, only_vectors)

    def words_in(self, machine: "Machine") -> int:
        """Return which of the registers have symbolic words; inverted, if one has a comparison."""
        found, compares = 0, False
        for bit, name in self.general:
            if isinstance(machine.general[name], Symbolic):
                found |= bit
                compares |= isinstance(machine.general[name], Difference)
        for bit, number in self.vectors:
            if any(isinstance(word, Symbolic) for word in machine.vectors.get(number, ())):
                found |= bit
        return ~found if compares else found

    def check(self, words: int, read: Iterable[Any]) -> None:
        """Raise Unproved unless the instruction was compared with symbolic words in these places, and where it has read
        some from memory."""
        if any(isinstance(word, Symbolic) for word in read):
            if not self.memory:
                raise Unproved("a symbolic word is read from memory that is no operand")
            words = ~(~words | self.memory) if words < 0 else words | self.memory
        if words and words not in self.together and not (words < 0 and ~words in self.together):
            raise Unproved("it was not compared with a CPU on such symbolic words in this run")


def census(linked: Linked, machines: "type[Machine]") -> tuple[str, list[Verdict]]:
    """Compare all forms that a program has; return how many there are of each kind, and what became of each."""
    comparison = Comparison(linked.target, machines)
    lines = forms_of(linked, linked.read.values())
    comparison.compare(linked, lines)
    found = [comparison.verdicts[form] for form in lines]
    compared = [verdict for verdict in found if not verdict.reason]
    states, symbolic = sum(verdict.states for verdict in compared), sum(verdict.symbolic for verdict in compared)
    words, of_words = sum(verdict.words for verdict in compared), sum(bool(verdict.together) for verdict in compared)
    kinds = Counter("differ" if x.differs else "unable" if x.unable else "refused" for x in found if x.reason)
    text = (
        f"{sum(map(len, lines.values()))} instructions of {len(lines)} forms: {len(compared)} compared on {states} states "
        f"and {symbolic} with symbolic numbers, {of_words} of them on {words} with symbolic words, {kinds['refused']} not modelled and refused, {kinds['unable']} that it "
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


def require(machine: "Machine", line: Line) -> Passed:
    """Return what an instruction may be run on, of a form that was compared with a CPU since this program was started;
    raise Unproved otherwise."""
    kind = type(machine)
    if kind not in COMPARISONS:
        COMPARISONS[kind] = Comparison(machine.linked.target, kind)
    return COMPARISONS[kind].require(machine.linked, line)
