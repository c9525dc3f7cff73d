# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Schedule by continuous optimization: section 10 of the z14 paper.

Issue cycles are real numbers. Breaches cost a penalty that grows with their square: using a result too early, and
overfilling a resource, of which each instruction takes a share in the cycles around its own. Registers cost a linear
penalty, of which there are two. The result is the priorities for list scheduling.
"""

from collections import Counter
from collections.abc import Callable

import numpy
from scipy.optimize import minimize

from lab.schedules.modulo import Problem, list_schedule

# Weights of the penalties. The first two are of constraints that must hold, and outweigh the others.
DEPENDENCE, RESOURCE, REGISTERS, LENGTH = 4.0, 1.0, 0.02, 0.05
ROUNDS = 150
# Cycles that an instruction's share extends to each side, so that the gradient sees the capacity there.
REACH = 2.0


def register_weights(problem: Problem) -> numpy.ndarray:
    """Return, for each instruction, the registers that it frees, as the share that it has in the users of each operand,
    less the one that it takes: it is drawn to earlier cycles by the former, and to later ones by the latter."""
    program = problem.program
    uses = Counter(arg for op in program.ops for arg in set(op.args))
    return numpy.array([sum(1 / uses[arg] for arg in set(op.args)) - 1 for op in program.ops])


def io_weights(problem: Problem) -> numpy.ndarray:
    """Return the weight of each instruction's cycle in the paper's I/O penalty.

    The penalty is a sum over instructions: the cycles of the inputs, each divided by the number of its other consumers,
    less the cycles of the consumers, each divided by the number of values that it consumes. An input without other
    consumers, for which the paper does not say what it divides by, counts like one that has one.
    """
    program, first = problem.program, problem.program.first_op
    uses = Counter(arg for op in program.ops for arg in set(op.args))
    weights = numpy.zeros(problem.size)
    for i, op in enumerate(program.ops):
        for arg in set(op.args):
            if arg >= first:
                weights[arg - first] += 1 / max(1, uses[arg] - 1)
                weights[i] -= 1 / len(set(op.args))
    return weights


def no_weights(problem: Problem) -> numpy.ndarray:
    return numpy.zeros(problem.size)


PENALTIES = {"registers freed": register_weights, "the paper's": io_weights, "none": no_weights}


def continuous_times(
    problem: Problem, penalty_of: Callable[[Problem], numpy.ndarray] = register_weights
) -> numpy.ndarray:
    """Return the issue cycles at a minimum near the list schedule; there are many minima.

    penalty_of: the weights of the instructions' cycles in the penalty for registers.
    """
    start = numpy.array(list_schedule(problem), dtype=float)
    edges = [edge for edge in problem.edges if edge.distance == 0]
    before = numpy.array([edge.before for edge in edges])
    after = numpy.array([edge.after for edge in edges])
    latency = numpy.array([edge.latency for edge in edges], dtype=float)
    cycles = numpy.arange(start.max() + 2 * REACH)
    weights = penalty_of(problem)
    demands = []
    for resource in problem.resources:
        instructions = numpy.array([i for i, _, _ in resource.demands])
        demands.append(
            (
                instructions,
                numpy.array([units * length for _, units, length in resource.demands], dtype=float),
                resource.capacity,
            )
        )

    def penalty(times: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        late = numpy.maximum(0, times[before] + latency - times[after])
        total = DEPENDENCE * float(late @ late)
        gradient = numpy.zeros_like(times)
        numpy.add.at(gradient, before, 2 * DEPENDENCE * late)
        numpy.add.at(gradient, after, -2 * DEPENDENCE * late)
        for instructions, demand, capacity in demands:
            # A raised cosine, whose sum over the cycles is the demand.
            angle = (times[instructions][:, None] - cycles[None, :]) * numpy.pi / REACH
            inside = numpy.abs(angle) < numpy.pi
            share = numpy.where(inside, (1 + numpy.cos(angle)) / (2 * REACH), 0) * demand[:, None]
            over = numpy.maximum(0, share.sum(axis=0) - capacity)
            total += RESOURCE * float(over @ over)
            slope = numpy.where(inside, -numpy.sin(angle) * numpy.pi / (2 * REACH * REACH), 0) * demand[:, None]
            numpy.add.at(gradient, instructions, 2 * RESOURCE * (slope @ over))
        total += float((REGISTERS * weights + LENGTH / problem.size) @ times)
        return total, gradient + REGISTERS * weights + LENGTH / problem.size

    bounds = [(0, cycles[-1])] * problem.size
    found = minimize(penalty, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": ROUNDS})
    times: numpy.ndarray = found.x
    return times
