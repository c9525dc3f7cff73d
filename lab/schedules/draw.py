# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Draw graphs and schedules, coloured by phase: expand, multiply, reduce (the z14 paper, figures 4 and 6)."""

import json
import subprocess
from html import escape
from pathlib import Path

from coconut.graph import Graph
from coconut.program import Program

COLOURS = {"expand": "#cfe2f3", "multiply": "#f9cb9c", "reduce": "#d9ead3"}
# The most cycles of an interval whose instructions are named.
NAMED = 64
SYMBOLS = {
    "add": "+",
    "sub": "−",
    "and": "&",
    "or": "|",
    "shl": "<<",
    "shr": ">>",
    "mul32": "×",
    "madd52lo": "+×lo",
    "madd52hi": "+×hi",
    "sum_mul_add": "+Σ×",
}


MACROS = {"EXP": "expand", "MULTIPLY": "multiply", "REDUCE": "reduce"}
NO_OPERATIONS = {"splat", "input", "output"}


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def file_of(title: str, folder: Path, suffix: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{title.replace('/', '-').replace(' ', '-')}{suffix}.svg"


def heading(title: str, explained: str) -> str:
    """Return the label of a graph: its title, what the colours mean, and how it is read."""
    cells = "".join(f'<td bgcolor="{colour}" border="1">{phase}</td>' for phase, colour in COLOURS.items())
    count = len(COLOURS)
    return (
        f'<<table border="0" cellspacing="4"><tr><td colspan="{count}"><font point-size="15">{escape(title)}</font></td></tr>'
        f'<tr>{cells}</tr><tr><td colspan="{count}">{escape(explained)}</td></tr></table>>'
    )


def phases_of(graph: Graph) -> list[str]:
    """Return the phase of each node; a macro of the z14 paper's code is all of one."""
    phase = next((phase for begin, phase in MACROS.items() if graph.name.startswith(begin)), "")
    return [phase] * len(graph.nodes) if phase else graph.phases()


def draw(graph: Graph, folder: Path) -> Path:
    """Write an SVG file, which shows a value's whole expression under the pointer, and return its path."""
    phases = phases_of(graph)
    title = f"{graph.title}: data flow of {sum(node.op not in NO_OPERATIONS for node in graph.nodes)} operations"
    explained = (
        "Ellipses are inputs and outputs; arrows go from operands to results, downwards; constants stand in boxes."
    )
    lines = [
        "digraph {",
        f'labelloc=t fontname="sans-serif" fontsize=10 label={heading(title, explained)}',
        "ranksep=0.25 nodesep=0.12",
        'node [shape=box style=filled fontname="sans-serif" fontsize=9 height=0.2 width=0.3 margin=0.04]',
        'edge [arrowsize=0.4 color="#666666"]',
    ]
    for i, node in enumerate(graph.nodes):
        # Constants are drawn within their users: their edges would cover the rest.
        if node.op == "splat":
            continue
        constants = [hex(graph.nodes[arg].imm[0]) for arg in node.args if graph.nodes[arg].op == "splat"]
        text, look = " ".join([SYMBOLS.get(node.op, node.op), *constants, *map(str, node.imm)]), COLOURS[phases[i]]
        shape = "box"
        if node.op in {"input", "output"}:
            text, look, shape = node.name, "white", "ellipse"
        tooltip = quoted(f"{graph.label(i)} = {graph.expression(i)}")
        lines.append(f'{i} [label={quoted(text)} fillcolor="{look}" shape={shape} tooltip={tooltip}]')
        lines += [f"{arg} -> {i}" for arg in node.args if graph.nodes[arg].op != "splat"]
    path = file_of(graph.title, folder)
    subprocess.run(["dot", "-Tsvg", "-o", path], input="\n".join([*lines, "}"]), text=True, check=True)
    return path


def draw_schedule(
    program: Program, times: tuple[int, ...], ports: dict[tuple[str, int], int], interval: int, cpu: str, folder: Path
) -> Path:
    """Write an SVG file of a loop's interval: which instruction is on each port in each cycle, by name where there is room.

    Pointing at an instruction shows what it computes, with the cycle of its iteration in which it is issued.
    """
    graph = program.graph.simplified()
    phases = graph.phases()
    names = sorted({port for port, _ in ports})
    named = interval <= NAMED
    wide, high, left, top = (32 if named else 12), 18, 110, 74
    right, bottom = left + interval * wide, top + len(names) * high

    def text(x: int, y: int, content: str, more: str = "") -> str:
        return f'<text x="{x}" y="{y}"{more}>{escape(content)}</text>'

    title = f"{program.graph.title} on {cpu}: an iteration every {interval} cycles"
    parts = [text(8, 20, title, ' font-size="15" font-weight="bold"')]
    for x, (phase, colour) in zip(range(left, right + 600, 100), COLOURS.items(), strict=False):
        parts.append(f'<rect x="{x}" y="34" width="12" height="12" fill="{colour}" stroke="#888888"/>')
        parts.append(text(x + 17, 44, phase))
    parts.append(f'<rect x="{x + 100}" y="34" width="12" height="12" fill="white" stroke="#888888"/>')
    parts += [text(x + 117, 44, "free"), text(8, top - 6, "port"), text(right + 6, top - 6, "taken")]
    for row, name in enumerate(names):
        # llvm-mca numbers units of one resource by unprintable characters.
        port = "".join(letter if letter.isprintable() else str(ord(letter)) for letter in name)
        taken = sum(port == name for port, _ in ports)
        y = top + row * high
        parts += [text(8, y + 13, port), text(right + 6, y + 13, f"{100 * taken // interval} %")]
        for cycle in range(interval):
            i = ports.get((name, cycle))
            op = program.ops[i] if i is not None else None
            colour = "white" if op is None else COLOURS[phases[op.node]]
            shown = "" if op is None else f"{op.instruction.name}, cycle {times[i or 0]}: {graph.expression(op.node)}"
            x = left + cycle * wide
            parts.append(
                f'<rect x="{x}" y="{y}" width="{wide - 1}" height="{high - 1}" fill="{colour}" stroke="#cccccc">'
                f"<title>{escape(shown)}</title></rect>"
            )
            if op is not None and named:
                parts.append(text(x + 1, y + 12, op.instruction.name[:7], ' font-size="7.5" pointer-events="none"'))
    parts += [text(left + cycle * wide + 1, bottom + 14, str(cycle)) for cycle in range(0, interval, 5)]
    parts.append(text(left, bottom + 32, "cycle of the interval"))
    width, height = max(right, x + 100) + 60, bottom + 42
    file = file_of(program.graph.title, folder, f"-{cpu}")
    file.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="11" fill="#222222"><rect width="100%" height="100%" fill="white"/>'
        + "".join(parts)
        + "</svg>\n"
    )
    return file
