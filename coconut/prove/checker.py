# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Verify certificates of proofs, without anything of coconut: python checker.py FILE...

A certificate has one line for each step, a JSON array: the line's number, its kind, and the rest. Numbers are integers
that depend on the inputs. Of each one, the certificate gives a polynomial in variables that equals it for all inputs,
and this program verifies that, and each range. A polynomial is a list of [coefficient, variable, ...].

The statement, which is to be read:
  input VARIABLE NAME LOW HIGH   a number of which only the range is assumed
  value VARIABLE NAME            any integer, the value of elements modulo p = 2^130 - 5
  given POLY LOW HIGH            an input that is assumed to be a polynomial in inputs, with a range
  element NUMBERS WEIGHTS POLY   inputs are assumed to have this weighted sum modulo p
  + - * >> & | ^ < [A, B] FACTS  a number: an operation on integers, as Python has it; constants are in hexadecimal
  claim NAME KIND ...            what is proved: see Checker.claim
Its proof:
  constant N VALUE               number N has only this value, and is written as a constant from here on
  exact N FACT                   number N, as what 64 bits hold of its polynomial
  quotient VARIABLE BITS POLY    the variable is POLY / 2^BITS, rounded down: 0 <= POLY - 2^BITS VARIABLE < 2^BITS
  name VARIABLE NAME N           the variable is the polynomial of number N
  renamed N VARIABLE             number N, written by the name of its polynomial
  relation NUMBERS WEIGHTS       names of limbs: solve their weighted sum, as what they stand for, for the first one
  bound POLY                     a fact: the polynomial is within what the ranges of its variables give
  sum [[C, FACT], ...] D E       a fact: the sum of C times FACT, plus D, divided by E; ranges are rounded inwards
  cases POLY VARIABLE FACTS      a fact: for each value of the variable, facts on what equals POLY then
A number wraps (WORD, SUM) if its polynomial equals it only modulo 2^64; as WORD, it is in 64 bits.
"""

import json
import sys
from collections import Counter
from math import gcd

P = 2**130 - 5
WORD_MAX = 2**64 - 1
EXACT, WORD, SUM = 0, 1, 2
OPERATIONS = {"+", "-", "*", ">>", "&", "|", "^", "<"}


class Refused(Exception):
    pass


def require(holds, reason):
    if not holds:
        raise Refused(reason)


def no_fraction(text):
    raise Refused(f"{text} is no integer")


def add(a, b, factor=1):
    result = dict(a)
    for monomial, coefficient in b.items():
        result[monomial] = result.get(monomial, 0) + factor * coefficient
    return {monomial: c for monomial, c in result.items() if c}


def multiply(a, b):
    result = {}
    for m, x in a.items():
        for n, y in b.items():
            monomial = tuple(sorted(m + n))
            result[monomial] = result.get(monomial, 0) + x * y
    return {monomial: c for monomial, c in result.items() if c}


def constant(number):
    return {(): number} if number else {}


def divide(poly, divisor):
    require(divisor > 0 and all(c % divisor == 0 for c in poly.values()), f"a coefficient is no multiple of {divisor}")
    return {monomial: c // divisor for monomial, c in poly.items()}


def product(a, b):
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def modulo_p(poly):
    return {monomial: c % P for monomial, c in poly.items() if c % P}


class Checker:
    def __init__(self):
        self.variables = []  # the range of each, or None
        self.inputs, self.values = set(), set()  # variables
        self.definitions = {}  # of names, by variable
        self.known = {}  # ranges, by polynomial
        self.polys = {}  # of numbers and facts, by line
        self.wraps = {}  # of numbers, by line
        self.bits = {}  # of numbers: a polynomial that is 0 or 1, and with which the number is 0
        self.ands = {}  # by pairs of operands: the line
        self.and_of = {}  # the other way round
        self.solved = {}  # variables in terms of others, modulo p
        self.reduced = {}  # monomials modulo p
        self.claims = []
        self.counts = Counter()
        self.title = ""

    # Polynomials and ranges

    def poly(self, terms):
        result = {}
        for coefficient, *variables in terms:
            for number in (coefficient, *variables):
                require(type(number) is int, "a polynomial of other than integers")
            require(all(0 <= v < len(self.variables) for v in variables), "an unknown variable")
            result = add(result, {tuple(sorted(variables)): coefficient})
        return result

    def of_inputs(self, poly, others=frozenset()):
        require(all(v in self.inputs or v in others for m in poly for v in m), "a variable that is no input")
        return poly

    def note(self, poly, low, high):
        key = frozenset(poly.items())
        before = self.known.get(key, (low, high))
        self.known[key] = max(low, before[0]), min(high, before[1])
        require(self.known[key][0] <= self.known[key][1], "a range that is empty")
        return self.known[key]

    def range(self, poly):
        return self.known[frozenset(poly.items())] if poly.keys() - {()} else (poly.get((), 0),) * 2

    def bound(self, poly):
        low = high = 0
        for monomial, coefficient in poly.items():
            limits = coefficient, coefficient
            for variable in monomial:
                require(self.variables[variable] is not None, "a variable without a range")
                limits = product(limits, self.variables[variable])
            low, high = low + limits[0], high + limits[1]
        return self.note(poly, low, high)

    def variable(self, number, limits):
        require(number == len(self.variables), "variables that do not count")
        self.variables.append(limits)
        return {(number,): 1}

    def fact(self, at, poly, low, high):
        self.polys[at] = poly
        self.note(poly, low, high)

    def number(self, at, poly, low, high, wraps=EXACT):
        self.fact(at, poly, low, high)
        self.wraps[at] = wraps

    def operand(self, operand):
        """Return polynomial, range and wrapping of a number or a constant."""
        if isinstance(operand, str):
            poly = constant(int(operand, 16))
            return poly, self.range(poly), EXACT
        return self.polys[operand], self.range(self.polys[operand]), self.wraps[operand]

    def exact_operand(self, operand):
        poly, limits, wraps = self.operand(operand)
        require(wraps == EXACT, "a number that wraps")
        return poly, limits

    def remainder(self, poly, fact, bits):
        """Return the low bits of a polynomial, which a fact says."""
        found = self.polys[fact]
        low, high = self.range(found)
        require(low >= 0 and high >> bits == 0, f"the fact {fact} says nothing of {bits} bits")
        divide(add(poly, found, -1), 1 << bits)
        return found

    def same_number(self, at, before, poly, low, high, wraps=EXACT):
        self.number(at, poly, low, high, wraps)
        if before in self.bits:
            self.bits[at] = self.bits[before]
        if before in self.and_of:
            self.and_of[at] = self.and_of[before]
            self.ands[self.and_of[at]] = at

    # Modulo p

    def reduce(self, poly):
        result = {}
        for monomial, coefficient in poly.items():
            if monomial not in self.reduced:
                product = {(): 1}
                for variable in monomial:
                    product = modulo_p(multiply(product, self.solved.get(variable, {(variable,): 1})))
                self.reduced[monomial] = product
            for m, c in self.reduced[monomial].items():
                result[m] = (result.get(m, 0) + coefficient * c) % P
        return {m: c for m, c in result.items() if c}

    def weighted(self, operands, weights):
        require(len(operands) == len(weights) > 0, "other numbers than weights")
        total = {}
        for operand, weight in zip(operands, weights):
            total = add(total, self.exact_operand(operand)[0], weight)
        return total

    def solve(self, operands, weights, value):
        """Solve a weighted sum that is value modulo p for its first variable."""
        total, first = self.weighted(operands, weights), self.exact_operand(operands[0])[0]
        ((monomial, coefficient),) = first.items()
        require(len(monomial) == 1 and monomial[0] not in self.solved, "the first limb is no variable of its own")
        rest = add(value, add(total, first, -weights[0]), -1)
        require(all(monomial[0] not in m for m in rest), "the first limb is in others")
        self.solved[monomial[0]] = modulo_p(multiply(rest, constant(pow(coefficient * weights[0], -1, P))))
        self.reduced.clear()

    # Lines

    def line_input(self, at, variable, name, low, high):
        self.number(at, self.variable(variable, (low, high)), low, high)
        self.inputs.add(variable)

    def line_value(self, at, variable, name):
        self.variable(variable, None)
        self.values.add(variable)

    def line_given(self, at, terms, low, high):
        self.number(at, self.of_inputs(self.poly(terms)), low, high)

    def line_element(self, at, operands, weights, terms):
        self.of_inputs(self.weighted(operands, weights))
        self.solve(operands, weights, self.of_inputs(self.poly(terms), self.values))

    def line_relation(self, at, operands, weights):
        total = {}
        for operand, weight in zip(operands, weights):
            ((((variable,), one),),) = (self.polys[operand].items(),)
            require(one == 1, "a relation of other than names")
            total = add(total, self.definitions[variable], weight)
        self.solve(operands, weights, self.reduce(total))

    def line_constant(self, at, number, value):
        poly, limits = self.exact_operand(number)
        require(limits == (value, value), f"it may be {limits}")
        self.polys[number] = constant(value)

    def line_exact(self, at, number, fact):
        require(self.wraps[number] == WORD, "no word that wraps")
        self.same_number(at, number, self.remainder(self.polys[number], fact, 64), 0, WORD_MAX)

    def line_quotient(self, at, variable, bits, terms):
        poly = self.poly(terms)
        low, high = self.bound(poly)
        self.fact(at, add(poly, self.variable(variable, (low >> bits, high >> bits)), -1 << bits), 0, (1 << bits) - 1)

    def line_name(self, at, variable, name, number):
        self.definitions[variable] = self.polys[number]
        limits = self.bound(self.polys[number])
        self.number(at, self.variable(variable, limits), *limits)

    def line_renamed(self, at, number, variable):
        require(self.polys[number] == self.definitions[variable], "the name of something else")
        limits = self.range(self.polys[number])
        self.same_number(at, number, {(variable,): 1}, *limits, self.wraps[number])

    def line_bound(self, at, terms):
        poly = self.poly(terms)
        self.fact(at, poly, *self.bound(poly))

    def line_sum(self, at, terms, number, divisor):
        poly, low, high = constant(number), number, number
        for coefficient, fact in terms:
            poly = add(poly, self.polys[fact], coefficient)
            limits = product((coefficient, coefficient), self.range(self.polys[fact]))
            low, high = low + limits[0], high + limits[1]
        self.fact(at, divide(poly, divisor), -(-low // divisor), high // divisor)

    def line_cases(self, at, terms, variable, cases):
        poly, (first, last) = self.poly(terms), self.variables[variable]
        require(len(cases) == last - first + 1, "other cases than values")
        ranges = []
        for value, facts in zip(range(first, last + 1), cases):
            require(facts, "no facts for a case")
            for fact in facts:
                difference = add(poly, self.polys[fact], -1)
                require(not self.with_value(difference, variable, value), f"the fact {fact} is on something else")
            limits = [self.range(self.polys[fact]) for fact in facts]
            ranges.append((max(low for low, _ in limits), min(high for _, high in limits)))
            # An empty range is a case that does not occur.
        ranges = [(low, high) for low, high in ranges if low <= high]
        self.fact(at, poly, min(low for low, _ in ranges), max(high for _, high in ranges))

    def with_value(self, poly, variable, value):
        result = {}
        for monomial, coefficient in poly.items():
            rest = tuple(v for v in monomial if v != variable)
            result = add(result, {rest: coefficient}, value ** (len(monomial) - len(rest)))
        return result

    # Operations

    def operation(self, at, op, operands, facts):
        a, b = operands
        (x, in_x, wraps_x), (y, in_y, wraps_y) = self.operand(a), self.operand(b)
        if op in "+-*":
            if op == "*":
                poly, limits = multiply(x, y), product(in_x, in_y)
            else:
                sign = 1 if op == "+" else -1
                poly, other = add(x, y, sign), product(in_y, (sign, sign))
                limits = in_x[0] + other[0], in_x[1] + other[1]
            self.number(at, poly, *limits, SUM if wraps_x or wraps_y else EXACT)
            return
        if op == "&":
            self.ands[a, b], self.and_of[at] = at, (a, b)
            if y.keys() <= {()} and isinstance(b, str):
                self.mask(at, a, y.get((), 0), facts)
                return
        require(wraps_x == wraps_y == EXACT, "a number that wraps")
        if op == ">>":
            (fact,), bits = facts, y.get((), 0)
            require(y.keys() <= {()} and bits >= 0, "a shift by other than a constant")
            poly = divide(add(x, self.remainder(x, fact, bits), -1), 1 << bits)
            self.number(at, poly, in_x[0] >> bits, in_x[1] >> bits)
        elif op == "<":
            require(max(in_x[1] - in_y[0], in_y[1] - in_x[0]) <= WORD_MAX, "a comparison of other than words")
            difference = add(x, y, -1)
            quotient = divide(add(difference, self.remainder(difference, facts[0], 64), -1), 1 << 64)
            self.number(at, add({}, quotient, -1), 0, 1)
        elif op == "&":
            self.both(at, a, b)
        elif op == "|" and self.disjoint(a, b):
            self.number(at, add(x, y), in_x[0] + in_y[0], in_x[1] + in_y[1])
        else:
            common = self.ands[a, b] if (a, b) in self.ands else self.ands[b, a]
            require(in_x[0] >= 0 and in_y[0] >= 0, f"{op} of what may be negative")
            poly = add(add(x, y), self.exact_operand(common)[0], -1 if op == "|" else -2)
            self.number(at, poly, 0, (1 << max(in_x[1].bit_length(), in_y[1].bit_length())) - 1)

    def mask(self, at, operand, mask, facts):
        """And with a constant."""
        poly, (low, high), wraps = self.operand(operand)
        if mask == WORD_MAX and not facts:
            self.number(at, poly, low, high, EXACT if low >= 0 and high <= WORD_MAX else WORD)
            return
        require(wraps == EXACT or 0 <= mask <= WORD_MAX, "bits above a word of a number that wraps")
        changes, result = mask ^ mask << 1, poly if mask < 0 else {}
        at_bits = [i for i in range(1, changes.bit_length()) if changes >> i & 1]
        require(len(at_bits) == len(facts), "other facts than ends of runs of ones")
        for bits, fact in zip(at_bits, facts):
            result = add(result, self.remainder(poly, fact, bits), -1 if mask >> bits & 1 else 1)
        nonnegative = wraps == EXACT and low >= 0
        if mask >= 0:
            self.number(at, result, 0, min(high, mask) if nonnegative else mask)
        else:
            self.number(at, result, 0 if nonnegative else low - ~mask, high)
        if operand in self.bits:
            self.bits[at] = self.bits[operand]

    def disjoint(self, a, b):
        """Whether all bits of one are below those of the other."""
        for (x, (x_low, x_high)), (y, (y_low, _)) in (
            (self.exact_operand(a), self.exact_operand(b)),
            (self.exact_operand(b), self.exact_operand(a)),
        ):
            if x_low >= 0 and y_low >= 0 and all(c % (1 << x_high.bit_length()) == 0 for c in y.values()):
                return True
        return False

    def both(self, at, a, b):
        """And of two numbers: of disjoint bits, of what is 0 with one of two bits, or all or nothing by a bit."""
        x, in_x = self.exact_operand(a)
        y, (low, high) = self.exact_operand(b)
        exclusive = a in self.bits and b in self.bits and self.bound(add(self.bits[a], self.bits[b]))[1] <= 1
        ones = gcd(*y.values())
        if self.disjoint(a, b) or exclusive:
            self.number(at, {}, 0, 0)
        elif x == y:
            self.number(at, x, *in_x)
        elif -1 <= low and high <= 0:
            self.bits[at] = add({}, y, -1)
            self.number(at, multiply(x, self.bits[at]), min(0, in_x[0]), max(0, in_x[1]))
        else:
            require(0 <= low and high <= ones, "and of other than a constant times a bit")
            chosen, (_, most) = self.exact_operand(self.ands[a, hex(ones)])
            self.bits[at] = divide(y, ones)
            self.number(at, multiply(chosen, self.bits[at]), 0, most)

    # Claims

    def claim(self, at, name, kind, *rest):
        if kind == "range":  # NUMBER LOW HIGH
            number, low, high = rest
            found = self.exact_operand(number)[1]
            require(low <= found[0] and found[1] <= high, f"{name} may be {found}")
        elif kind == "multiple":  # NUMBER DIVISOR
            divide(self.exact_operand(rest[0])[0], rest[1])
        elif kind == "zero":  # NUMBERS WEIGHTS: the weighted sum is 0
            require(not self.weighted(*rest), f"{name} is not 0")
        elif kind == "value":  # NUMBERS WEIGHTS POLY: the weighted sum is the polynomial modulo p
            numbers, weights, terms = rest
            value = self.of_inputs(self.poly(terms), self.values)
            require(not self.reduce(add(self.weighted(numbers, weights), value, -1)), f"{name} is another number")
        elif kind == "congruent":  # NUMBERS WEIGHTS BITS: the weighted sum is 0 modulo 2^BITS
            numbers, weights, bits = rest
            require(len(numbers) == len(weights) > 0, "other numbers than weights")
            total = {}
            for number, weight in zip(numbers, weights):
                poly, _, wraps = self.operand(number)
                require(wraps == EXACT or (weight << 64) % (1 << bits) == 0, "a number that wraps")
                total = add(total, poly, weight)
            divide(total, 1 << bits)
        else:
            raise Refused("a claim of no known kind")
        self.claims.append((name, kind))

    def check(self, lines):
        kind = ""
        for at, text in enumerate(lines):
            try:
                number, kind, *rest = json.loads(text, parse_float=no_fraction, parse_constant=no_fraction)
                require(number == at, f"line {number} is here")
                require((at == 0) == (kind == "certificate"), "no beginning, or two")
                self.counts[kind] += 1
                if kind == "certificate":
                    version, self.title = rest
                    require(version == 1, "another version")
                elif kind == "end":
                    require(rest == [len(self.claims)] and at == len(lines) - 1, "there were other lines")
                elif kind == "claim":
                    self.claim(at, *rest)
                elif kind in OPERATIONS:
                    self.operation(at, kind, *rest)
                else:
                    getattr(self, f"line_{kind}")(at, *rest)
            except (Refused, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                raise Refused(f"line {at}: {type(error).__name__}: {error}: {text[:100].strip()}") from None
        if kind != "end":
            raise Refused("there is no end")


def check_file(path):
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    checker = Checker()
    try:
        checker.check(lines)
    except Refused as refusal:
        print(f"{path}: REFUSED: {refusal}")
        return False
    counts = checker.counts
    operations = sum(counts[op] for op in OPERATIONS)
    facts = counts["bound"] + counts["sum"] + counts["cases"]
    claims = ", ".join(f"{count} {kind}" for kind, count in Counter(kind for _, kind in checker.claims).items())
    assumed = counts["given"] + counts["element"]
    print(f"{checker.title}: verified: {counts['input']} inputs, {assumed} assumptions, {operations} operations,")
    print(f"  {counts['quotient']} quotients, {facts} facts; {len(checker.claims)} claims: {claims}")
    return True


if __name__ == "__main__":
    sys.exit(0 if all([check_file(path) for path in sys.argv[1:]]) and len(sys.argv) > 1 else 1)
