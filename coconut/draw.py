# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Draw graphs and schedules, coloured by phase: expand, multiply, reduce (the z14 paper, figures 4 and 6)."""

from html import escape
from pathlib import Path

import graphviz

from coconut.graph import Graph
from coconut.program import Program

COLOURS = {"expand": "#cfe2f3", "multiply": "#f9cb9c", "reduce": "#d9ead3"}
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


def draw(graph: Graph, folder: Path) -> Path:
    """Write an SVG file, which shows a value's whole expression under the pointer, and return its path."""
    picture = graphviz.Digraph(
        graph.title,
        format="svg",
        graph_attr={"ranksep": "0.25", "nodesep": "0.12"},
        node_attr={
            "shape": "box",
            "style": "filled",
            "fontname": "sans-serif",
            "fontsize": "9",
            "height": "0.2",
            "width": "0.3",
            "margin": "0.04",
        },
        edge_attr={"arrowsize": "0.4", "color": "#666666"},
    )
    phases = graph.phases()
    for i, node in enumerate(graph.nodes):
        # Constants are drawn within their users: their edges would cover the rest.
        if node.op == "splat":
            continue
        text = {"input": node.name, "output": node.name}.get(node.op)
        if text is None:
            constants = [hex(graph.nodes[arg].imm[0]) for arg in node.args if graph.nodes[arg].op == "splat"]
            text = " ".join([SYMBOLS.get(node.op, node.op), *constants, *map(str, node.imm)])
        plain = node.op in {"input", "output"}
        picture.node(
            str(i),
            text,
            fillcolor="white" if plain else COLOURS[phases[i]],
            shape="ellipse" if plain else "box",
            tooltip=f"{graph.label(i)} = {graph.expression(i)}",
        )
        picture.edges((str(arg), str(i)) for arg in node.args if graph.nodes[arg].op != "splat")
    folder.mkdir(parents=True, exist_ok=True)
    name = graph.title.replace("/", "-").replace(" ", "-")
    return Path(picture.render(name, directory=folder, cleanup=True))


def draw_schedule(
    program: Program, times: tuple[int, ...], ports: dict[tuple[str, int], int], interval: int, cpu: str, folder: Path
) -> Path:
    """Write an SVG file of a loop's interval: which instruction is on each port in each cycle.

    Pointing at an instruction shows it, with the cycle of its iteration in which it is issued.
    """
    graph = program.graph.simplified()
    phases = graph.phases()
    names = sorted({port for port, _ in ports})
    cell, left = 14, 130
    texts, cells = [], []
    for row, name in enumerate(names):
        # llvm-mca numbers units of one resource by unprintable characters.
        shown = "".join(letter if letter.isprintable() else str(ord(letter)) for letter in name)
        taken = sum(port == name for port, _ in ports)
        texts.append(
            f'<text x="4" y="{row * cell + 11}">{escape(shown)}</text>'
            f'<text x="{left + interval * cell + 4}" y="{row * cell + 11}">{100 * taken // interval} %</text>'
        )
        for cycle in range(interval):
            i = ports.get((name, cycle))
            op = program.ops[i] if i is not None else None
            colour = "white" if op is None else COLOURS[phases[op.node]]
            title = "" if op is None else f"{op.instruction.name}, cycle {times[i or 0]}: {graph.expression(op.node)}"
            cells.append(
                f'<rect x="{left + cycle * cell}" y="{row * cell}" width="{cell - 1}" height="{cell - 1}" '
                f'fill="{colour}"><title>{escape(title)}</title></rect>'
            )
    width, height = left + interval * cell + 50, len(names) * cell
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{program.graph.title.replace('/', '-').replace(' ', '-')}-{cpu}.svg"
    file.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="10"><rect width="100%" height="100%" fill="#dddddd"/>'
        + "".join(texts + cells)
        + "</svg>\n"
    )
    return file
