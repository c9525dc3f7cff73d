# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Pictures of graphs, coloured by what they do: expand, multiply, reduce (the z14 paper, figures 4 and 6)."""

from pathlib import Path

import graphviz

from coconut.graph import Graph

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
    """An SVG file, which shows a value's whole expression where the pointer rests."""
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
        # Constants are drawn within what takes them: their edges would cover the rest.
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
