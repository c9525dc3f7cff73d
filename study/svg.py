# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Line charts and bars as inline SVG. Colours are classes that the page's style sheet defines for light and dark."""

import math
from dataclasses import dataclass, field
from html import escape

WIDTH, HEIGHT = 1080, 430
LEFT, RIGHT, TOP, BOTTOM = 74, 225, 14, 54
LINE_HEIGHT = 16


def bytes_text(value: float) -> str:
    """Format a number of bytes, such as 64 or 1 KiB."""
    if value >= 1024 and value % 1024 == 0:
        return f"{value / 1024:g} KiB"
    return f"{value:g}"


def number_text(value: float) -> str:
    return f"{value:,.0f}".replace(",", " ") if abs(value) >= 1000 else f"{value:g}"


@dataclass
class Series:
    label: str
    points: list[tuple[float, float]]
    colour: str  # a class: hornet, or c0 to c7
    dashed: bool = False
    dots: bool = False


@dataclass
class Axis:
    title: str
    low: float
    high: float
    log: bool = False
    ticks: list[float] = field(default_factory=list)
    text: object = number_text

    def place(self, value: float) -> float:
        """Return 0 at the low end and 1 at the high end."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def linear_axis(title: str, values: list[float], text=number_text, zero: bool = True, tight: bool = False) -> Axis:
    """Return an axis with about five ticks at round numbers. It ends at ticks, or, if tight, at the extreme values."""
    low, high = (min(0, *values) if zero else min(values)), max(values)
    rough = (high - low or 1) / 5
    scale = 10 ** math.floor(math.log10(rough))
    step = next(factor * scale for factor in (1, 2, 2.5, 5, 10) if factor * scale >= rough)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [round(i * step, 10) for i in range(first, last + 1)]
    if tight:
        return Axis(title, low, high, False, [tick for tick in ticks if low <= tick <= high], text)
    return Axis(title, ticks[0], ticks[-1], False, ticks, text)


def log_axis(title: str, values: list[float], base: int, text=number_text) -> Axis:
    low, high = min(values), max(values)
    if base == 2:
        ticks = [2.0**i for i in range(math.ceil(math.log2(low) - 1e-9), math.floor(math.log2(high) + 1e-9) + 1)]
        while len(ticks) > 9:
            ticks = ticks[::2]
    else:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [m * 10.0**d for d in decades for m in (1, 2, 5)]
        low = max(tick for tick in ticks if tick <= low)
        high = min(tick for tick in ticks if tick >= high)
        ticks = [tick for tick in ticks if low <= tick <= high]
    return Axis(title, low, high, True, ticks, text)


def _spread(places: list[float]) -> list[float]:
    """Return the places in the same order, moved apart so that labels do not overlap."""
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = list(places)
    for _ in range(200):
        for above, below in zip(order, order[1:]):
            overlap = moved[above] + LINE_HEIGHT - moved[below]
            if overlap > 0:
                moved[above] -= overlap / 2
                moved[below] += overlap / 2
        lowest = HEIGHT - BOTTOM
        for i in order:
            moved[i] = min(max(moved[i], TOP + 4), lowest)
    return moved


def chart(title: str, x: Axis, y: Axis, series: list[Series]) -> str:
    """Return a chart of lines, each labelled at its end; Hornet's are drawn last, in front."""
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def at(point):
        return LEFT + x.place(point[0]) * width, TOP + (1 - y.place(point[1])) * height

    out = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">']
    for tick in y.ticks:
        _, v = at((x.low, tick))
        out.append(
            f'<line class="grid" x1="{LEFT}" x2="{LEFT + width}" y1="{v:.1f}" y2="{v:.1f}"/>'
            f'<text class="tick" x="{LEFT - 8}" y="{v + 4:.1f}" text-anchor="end">{y.text(tick)}</text>'
        )
    for tick in x.ticks:
        h, _ = at((tick, y.low))
        out.append(
            f'<line class="grid" x1="{h:.1f}" x2="{h:.1f}" y1="{TOP}" y2="{TOP + height}"/>'
            f'<text class="tick" x="{h:.1f}" y="{TOP + height + 19}" text-anchor="middle">{x.text(tick)}</text>'
        )
    out.append(
        f'<text class="axis" x="{LEFT + width / 2}" y="{HEIGHT - 10}" text-anchor="middle">{escape(x.title)}</text>'
        f'<text class="axis" transform="translate(16 {TOP + height / 2}) rotate(-90)" text-anchor="middle">'
        f"{escape(y.title)}</text>"
    )
    if y.low < 0 < y.high:
        _, v = at((x.low, 0))
        out.append(f'<line class="zero" x1="{LEFT}" x2="{LEFT + width}" y1="{v:.1f}" y2="{v:.1f}"/>')
    ordered = sorted(series, key=lambda one: one.colour == "hornet")
    for one in ordered:
        places = [at(point) for point in one.points]
        if one.dots:
            path = "".join(f"M{h:.1f} {v:.1f}h0" for h, v in places)
        else:
            path = "M" + "L".join(f"{h:.1f} {v:.1f}" for h, v in places)
        kind = f"{one.colour}{' dashed' if one.dashed else ''}{' dots' if one.dots else ''}"
        out.append(f'<path class="line {kind}" d="{path}"/>')
    ends = [at(one.points[-1]) for one in ordered]
    for one, (_, v), moved in zip(ordered, ends, _spread([v for _, v in ends])):
        edge = LEFT + width
        out.append(
            f'<line class="lead {one.colour}" x1="{edge + 2}" x2="{edge + 12}" y1="{v:.1f}" y2="{moved:.1f}"/>'
            f'<text class="label {one.colour}" x="{edge + 15}" y="{moved + 4:.1f}">{escape(one.label)}</text>'
        )
    return "".join(out) + "</svg>"


def bars(title: str, axis_title: str, rows: list[tuple[str, list[float]]], parts: list[str]) -> str:
    """Return a bar for each row, divided in proportion into labelled parts."""
    left, bar, gap = 190, 34, 14
    width, height = WIDTH - left - 40, len(rows) * (bar + gap)
    out = [f'<svg viewBox="0 0 {WIDTH} {height + 50}" role="img" aria-label="{escape(title)}">']
    for i, (label, values) in enumerate(rows):
        v, h, total = i * (bar + gap) + 4, float(left), sum(values)
        out.append(f'<text class="axis" x="{left - 10}" y="{v + bar / 2 + 4}" text-anchor="end">{escape(label)}</text>')
        for k, value in enumerate(values):
            part = width * value / total
            out.append(f'<rect class="bar c{k}" x="{h:.1f}" y="{v}" width="{part:.1f}" height="{bar}"/>')
            share = f"{100 * value / total:.0f} %"
            text = f"{parts[k]} {share}" if part > 110 else share
            out.append(
                f'<text class="inbar" x="{h + part / 2:.1f}" y="{v + bar / 2 + 5}" text-anchor="middle">{text}</text>'
            )
            h += part
    for tick in (0, 25, 50, 75, 100):
        h = left + width * tick / 100
        out.append(f'<text class="tick" x="{h:.1f}" y="{height + 16}" text-anchor="middle">{tick}</text>')
    out.append(
        f'<text class="axis" x="{left + width / 2}" y="{height + 40}" text-anchor="middle">{escape(axis_title)}</text>'
    )
    return "".join(out) + "</svg>"
