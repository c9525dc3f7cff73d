# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Order instructions by minimum cuts, which section 10 of the z14 paper proposes after Costa's thesis.

The dependence graph is cut in two where the fewest values pass, again and again, into components within which most
values are made and used. A component is scheduled together; where it waits, instructions of the next ones are
interleaved. As in the paper, components may be interleaved because list scheduling fills the cycles that are left.
"""

from ortools.graph.python import max_flow

from lab.schedules.modulo import Problem

# Components with this many instructions or fewer are not cut further.
SMALL = 16
# Both sides of a cut have at least this share of the instructions.
SHARE = 4


def components(problem: Problem) -> list[list[int]]:
    """Return the instructions in components, each of which depends on earlier ones only."""
    depths = [0] * problem.size
    for i, edges in enumerate(problem.forward):
        for edge in edges:
            depths[edge.after] = max(depths[edge.after], depths[i] + edge.latency)

    def cut(part: list[int]) -> list[list[int]]:
        if len(part) <= SMALL:
            return [part]
        inside = {instruction: place for place, instruction in enumerate(part)}
        by_depth = sorted(part, key=lambda i: (depths[i], i))
        share = len(part) // SHARE
        source, sink, anything = len(part), len(part) + 1, len(part)
        flow = max_flow.SimpleMaxFlow()
        for i in part:
            users = {edge.after for edge in problem.forward[i]} & inside.keys()
            for user in users:
                flow.add_arc_with_capacity(inside[i], inside[user], 1)
                # What an instruction needs is on its side, or before it.
                flow.add_arc_with_capacity(inside[user], inside[i], anything)
        for i in by_depth[:share]:
            flow.add_arc_with_capacity(source, inside[i], anything)
        for i in by_depth[-share:]:
            flow.add_arc_with_capacity(inside[i], sink, anything)
        flow.solve(source, sink)
        first = {part[place] for place in flow.get_source_side_min_cut() if place < len(part)}
        return cut([i for i in part if i in first]) + cut([i for i in part if i not in first])

    return cut(list(range(problem.size)))


def by_components(problem: Problem) -> list[float]:
    """Return the priority for list scheduling: by component, then by what waits for an instruction."""
    found = components(problem)
    rank = {instruction: number for number, part in enumerate(found) for instruction in part}
    longest = max(problem.heights) + 1
    return [float(rank[i] * longest - problem.heights[i]) for i in range(problem.size)]
