# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Line charts, bars and the lanes of vectors as SVG, drawn by matplotlib. Colours are CSS variables, with values for light and dark pages."""

import io
import math
import pathlib
import re
from dataclasses import dataclass, field
from html import escape

import matplotlib
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.ticker import FixedLocator, NullLocator

# The colour as drawn, which is that of light pages, and that of dark ones. c0 to c7 can be told apart also with colour
# vision deficiency (after Okabe and Ito), on both.
COLOURS = {
    "c0": ("#0063a6", "#5cb0f0"),
    "c1": ("#c44e00", "#ff9350"),
    "c2": ("#007a58", "#3ecfa0"),
    "c3": ("#a3478a", "#e89ad0"),
    "c4": ("#2a8fc7", "#8fd3ff"),
    "c5": ("#8a6a00", "#e2c044"),
    "c6": ("#6b6b6b", "#a5a5a5"),
    "c7": ("#5b3fa0", "#b9a5f5"),
    "hornet": ("#010101", "#ffffff"),  # matplotlib omits black
    "page": ("#fffffe", "#14161a"),
    "text": ("#1a1a1a", "#e8e8e8"),
    "soft": ("#555555", "#a8a8a8"),
    "grid": ("#dddddd", "#363a42"),
}
LINE_HEIGHT = 16
# Space for the labels of the axes, and for the names of the lines.
LEFT, RIGHT, TOP, BOTTOM = 74, 225, 14, 54

matplotlib.rcParams.update({"svg.fonttype": "none", "font.family": "sans-serif", "font.size": 13})


def style(selector: str) -> str:
    """Return the style sheet that defines the colours."""
    light, dark = ("".join(f"--{name}:{pair[i]};" for name, pair in COLOURS.items()) for i in (0, 1))
    return f"{selector}{{{light}}}@media (prefers-color-scheme:dark){{{selector}{{{dark}}}}}"


def bytes_text(value: float) -> str:
    """Format a number of bytes, such as 64 or 1 KiB."""
    for unit in ("", " KiB", " MiB"):
        if value < 1024 or value % 1024 != 0:
            break
        value /= 1024
    else:
        unit = " GiB"
    return f"{value:g}{unit}"


def number_text(value: float) -> str:
    return f"{value:,.0f}".replace(",", " ") if abs(value) >= 1000 else f"{value:g}"


@dataclass
class Line:
    label: str
    points: list[tuple[float, float]]
    colour: str  # a key of COLOURS
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


def linear_axis(title: str, values: list[float], text=number_text, zero: bool = True, tight: bool = False) -> Axis:
    """Return an axis with about five ticks at round numbers. It ends at ticks, or, if tight, at the extreme values."""
    low, high = (min(0, *values) if zero else min(values)), max(values)
    rough = (high - low or 1) / 5
    scale = 10 ** math.floor(math.log10(rough))
    step = next(factor * scale for factor in (1, 2, 2.5, 5, 10) if factor * scale >= rough)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    ticks = [round(i * step, 10) for i in range(first, last + 1)]
    if tight:
        return Axis(title, low, high, False, [tick for tick in ticks if low <= tick <= high], text)
    return Axis(title, ticks[0], ticks[-1], False, ticks, text)


def log_axis(title: str, values: list[float], base: int, text=number_text) -> Axis:
    low, high = min(values), max(values)
    if base == 2:
        ticks = [2.0**i for i in range(math.ceil(math.log2(low) - 1e-9), math.floor(math.log2(high) + 1e-9) + 1)]
        while len(ticks) > 12:
            ticks = ticks[::2]
    else:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [m * 10.0**d for d in decades for m in (1, 2, 5)]
        low = max(tick for tick in ticks if tick <= low)
        high = min(tick for tick in ticks if tick >= high)
        ticks = [tick for tick in ticks if low <= tick <= high]
    return Axis(title, low, high, True, ticks, text)


def apart(places: list[float], low: float, high: float) -> list[float]:
    """Return the places in the same order, moved so that labels of a line's height do not overlap."""
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = list(places)
    for _ in range(200):
        for below, above in zip(order, order[1:]):
            overlap = moved[below] + LINE_HEIGHT - moved[above]
            if overlap > 0:
                moved[below] -= overlap / 2
                moved[above] += overlap / 2
        for i in order:
            moved[i] = min(max(moved[i], low), high)
    return moved


@dataclass
class Panel:
    """One of several charts in a figure."""

    title: str
    x: Axis
    y: Axis
    lines: list[Line]
    level: float | None = None


@dataclass
class Drawing:
    """A figure that can be put into a page, and into files."""

    title: str
    figure: Figure

    def __str__(self) -> str:
        return svg(self.title, self.figure)

    def save(self, folder: pathlib.Path) -> None:
        """Write it as SVG and PDF, into files with the figure's title as their names."""
        name = re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")
        (folder / f"{name}.svg").write_text(standalone(str(self)))
        self.figure.savefig(folder / f"{name}.pdf", metadata={"CreationDate": None})


def chart(title: str, x: Axis, y: Axis, lines: list[Line], height: int = 430, level: float | None = None) -> str:
    """Return a chart of lines, each with its name at its end; Hornet's are drawn last, in front. `level` draws a
    horizontal line."""
    width = 1080
    figure = Figure(figsize=(width / 72, height / 72), dpi=72)
    _panel(figure, Panel("", x, y, lines, level), (LEFT, BOTTOM, width - RIGHT, height - TOP), 1.8)
    return svg(title, figure)


# Space in a figure of several charts: for its title, for the title of a chart, between the charts.
HEADING, PANEL_HEADING, GAP = 40, 30, 26


def panels(title: str, charts: list[Panel], columns: int = 1, height: int = 330) -> Drawing:
    """Return a figure with a title of charts beside and below one another, each of that height with its own axes. Lines
    are named at their ends; in more than one column, by a legend in each chart."""
    width = 1080
    columns = min(columns, len(charts))
    rows = math.ceil(len(charts) / columns)
    full = HEADING + rows * height
    figure = Figure(figsize=(width / 72, full / 72), dpi=72)
    _heading(figure, title, full)
    named = columns == 1 and any(line.label for panel in charts for line in panel.lines)
    each = width / columns
    for i, panel in enumerate(charts):
        left = (i % columns) * each + LEFT
        top = full - HEADING - (i // columns) * height - (PANEL_HEADING if panel.title else 0)
        right = (i % columns + 1) * each - (RIGHT if named else GAP)
        bottom = full - HEADING - (i // columns + 1) * height + BOTTOM
        plot = _panel(figure, panel, (left, bottom, right, top), 1.8 if named else 1.5, named)
        if panel.title:
            text = figure.text(left / width, (top + 9) / full, panel.title, color=COLOURS["text"][0], fontsize=14)
            text.set_fontweight("bold")
        if not named:
            _legend(plot, panel)
    return Drawing(title, figure)


def _heading(figure: Figure, title: str, height: int) -> None:
    text = figure.text(8 / 1080, 1 - 22 / height, title, color=COLOURS["text"][0], fontsize=16)
    text.set_fontweight("bold")


def _legend(plot, panel: Panel) -> None:
    lines = [line for line in panel.lines if line.label]
    if not lines:
        return
    handles = [
        Line2D([], [], color=COLOURS[line.colour][0], linestyle=(0, (4, 2)) if line.dashed else "-", label=line.label)
        for line in lines
    ]
    legend = plot.legend(handles=handles, frameon=False, fontsize=13, loc="best")
    for text, line in zip(legend.get_texts(), lines):
        text.set_color(COLOURS[line.colour][0])


def _panel(figure: Figure, panel: Panel, box: tuple, line_width: float, named: bool = True):
    """Draw a chart into a box of the figure: left, bottom, right and top in pixels."""
    width, height = (72 * inches for inches in figure.get_size_inches())
    left, bottom, right, top = box
    x, y = panel.x, panel.y
    plot = figure.add_axes((left / width, bottom / height, (right - left) / width, (top - bottom) / height))
    for of, axis, set_scale in ((plot.xaxis, x, plot.set_xscale), (plot.yaxis, y, plot.set_yscale)):
        set_scale("log" if axis.log else "linear")
        of.set_major_locator(FixedLocator(axis.ticks))
        of.set_minor_locator(NullLocator())
        of.set_ticklabels([axis.text(tick) for tick in axis.ticks])
        of.set_label_text(axis.title, fontsize=14, color=COLOURS["text"][0])
    plot.set_xlim(x.low, x.high)
    plot.set_ylim(y.low, y.high)
    plot.grid(color=COLOURS["grid"][0], linewidth=1)
    plot.set_axisbelow(True)
    plot.tick_params(bottom=False, left=False, labelcolor=COLOURS["soft"][0], labelsize=13)
    for spine in plot.spines.values():
        spine.set_visible(False)
    if panel.level is not None:
        plot.axhline(panel.level, color=COLOURS["soft"][0], linewidth=1)
    ordered = sorted(panel.lines, key=lambda line: line.colour == "hornet")
    for line in ordered:
        colour = COLOURS[line.colour][0]
        if line.dots:
            points = [point for point in line.points for _ in (0, 1)]
            path = Path(points, [Path.MOVETO, Path.LINETO] * len(line.points))
            path.should_simplify = False  # would drop them
            plot.add_patch(PathPatch(path, facecolor="none", edgecolor=colour, linewidth=2.6, capstyle="round"))
        else:
            plot.plot(
                *zip(*line.points),
                color=colour,
                linewidth=3 if line.colour == "hornet" else line_width,
                linestyle=(0, (4, 2)) if line.dashed else "-",
            )
    if not named:
        return plot
    ends = [plot.transData.transform(line.points[-1])[1] for line in ordered]
    for line, end, place in zip(ordered, ends, apart(ends, bottom, top)):
        colour = COLOURS[line.colour][0]
        figure.add_artist(
            Line2D(
                [(right + 2) / width, (right + 12) / width], [end / height, place / height], color=colour, linewidth=1
            )
        )
        text = figure.text((right + 15) / width, place / height, line.label, color=colour, va="center")
        text.set_fontweight("bold")
    return plot


def bars(title: str, axis_title: str, rows: list[tuple[str, list[float]]], parts: list[str]) -> Drawing:
    """Return a figure with a title and a bar for each row, divided in proportion into labelled parts."""
    width, left = 1080, 190
    height = HEADING + len(rows) * 48 + 50
    figure = Figure(figsize=(width / 72, height / 72), dpi=72)
    _heading(figure, title, height)
    plot = figure.add_axes((left / width, 50 / height, (width - left - 40) / width, (height - HEADING - 50) / height))
    for i, (_, values) in enumerate(rows):
        start = 0.0
        for k, value in enumerate(values):
            share = 100 * value / sum(values)
            plot.barh(i, share, left=start, height=0.7, color=COLOURS[f"c{k}"][0])
            text = f"{parts[k]} {share:.0f} %" if share > 14 else f"{share:.0f} %"
            plot.text(start + share / 2, i, text, ha="center", va="center", fontweight="bold", color=COLOURS["page"][0])
            start += share
    plot.set_xlim(0, 100)
    plot.set_ylim(len(rows) - 0.5, -0.5)
    plot.set_xticks([0, 25, 50, 75, 100])
    plot.set_yticks(range(len(rows)), [label for label, _ in rows])
    plot.tick_params(bottom=False, left=False, labelcolor=COLOURS["text"][0], labelsize=13)
    plot.set_xlabel(axis_title, fontsize=14, color=COLOURS["text"][0])
    for spine in plot.spines.values():
        spine.set_visible(False)
    return Drawing(title, figure)


@dataclass
class Bars:
    """Bars below a title: each has a label, a value and a key of COLOURS."""

    title: str
    bars: list[tuple[str, float, str]]


def time_text(seconds: float) -> str:
    """Format a time, such as 2.5 µs or 12 s."""
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            break
    value = seconds * factor
    return f"{value:.{1 if value < 9.95 else 0}f}".removesuffix(".0") + f" {unit}"


def log_bars(title: str, axis_title: str, parts: list[Bars], text=number_text) -> Drawing:
    """Return a figure with a title and parts below one another, whose bars share a logarithmic axis. Each bar begins at a
    power of ten below all of them, and its value is written at its end."""
    width, left, right, row = 1080, 250, 80, 26
    rows = sum(len(part.bars) + 1.6 for part in parts)
    height = HEADING + rows * row + 50
    figure = Figure(figsize=(width / 72, height / 72), dpi=72)
    _heading(figure, title, height)
    plot = figure.add_axes((left / width, 50 / height, (width - left - right) / width, rows * row / height))
    values = [value for part in parts for _, value, _ in part.bars]
    decades = [math.floor(math.log10(min(values)) - 0.05), math.ceil(math.log10(max(values)))]
    low, ticks = 10.0 ** decades[0], [10.0**decade for decade in range(decades[0], decades[1] + 1)]
    plot.set_xscale("log")
    plot.set_xlim(low, ticks[-1])
    plot.set_ylim(rows, 0)
    plot.xaxis.set_major_locator(FixedLocator(ticks))
    plot.xaxis.set_minor_locator(NullLocator())
    plot.set_xticklabels([text(tick) for tick in ticks])
    plot.set_xlabel(axis_title, fontsize=14, color=COLOURS["text"][0])
    plot.grid(axis="x", color=COLOURS["grid"][0], linewidth=1)
    plot.set_axisbelow(True)
    labels, at = [], 0.0
    for part in parts:
        heading = figure.text(8 / width, (50 + (rows - at - 0.8) * row) / height, part.title, va="center")
        heading.set(color=COLOURS["text"][0], fontweight="bold")
        at += 1.6
        for label, value, colour in part.bars:
            plot.barh(at, value - low, left=low, height=0.7, color=COLOURS[colour][0])
            plot.text(value, at, f" {text(value)}", va="center", color=COLOURS["text"][0], fontsize=13)
            labels.append((at, label))
            at += 1
    plot.set_yticks(*zip(*labels))
    plot.tick_params(bottom=False, left=False, labelcolor=COLOURS["text"][0], labelsize=13)
    for spine in plot.spines.values():
        spine.set_visible(False)
    return Drawing(title, figure)


@dataclass
class Product:
    """A product of vectors: what each lane of both factors holds, and a note."""

    lanes: list[str]
    multipliers: list[str]
    note: str


def vectors(title: str, charts: list[tuple[str, list[Product], str]]) -> Drawing:
    """Return a figure with a title of charts beside one another: each has a title, products of vectors, whose lanes are
    boxes, and a line below them."""
    width, row, box = 1080, 68, 30
    height = HEADING + PANEL_HEADING + max(len(products) for _, products, _ in charts) * row + 30
    figure = Figure(figsize=(width / 72, height / 72), dpi=72)
    _heading(figure, title, height)

    def write(left: float, top: float, text: str, **more) -> None:
        figure.text(left / width, 1 - top / height, text, **{"color": COLOURS["text"][0], "fontsize": 13, **more})

    def boxes(left: float, top: float, each: float, texts: list[str], colour: str) -> float:
        for text in texts:
            place, size = (left / width, 1 - (top + box) / height), (each / width, box / height)
            more = {"facecolor": "none", "edgecolor": COLOURS[colour][0], "linewidth": 1.5}
            figure.add_artist(Rectangle(place, *size, transform=figure.transFigure, **more))
            write(left + each / 2, top + box / 2, text, ha="center", va="center_baseline")
            left += each
        return left

    for at, (name, products, below) in enumerate(charts):
        left, top = at * width / len(charts) + 8, HEADING + 8.0
        write(left, top + 12, name, fontweight="bold", fontsize=14)
        top += PANEL_HEADING
        for product in products:
            right = boxes(left, top, 78, product.lanes, "c0")
            write(right + 13, top + box / 2, "×", ha="center", va="center_baseline")
            boxes(right + 26, top, 48, product.multipliers, "c1")
            write(left, top + box + 17, product.note, color=COLOURS["soft"][0])
            top += row
        write(left, top + 8, below, color=COLOURS["soft"][0])
    return Drawing(title, figure)


_DECIMAL = re.compile(r"-?\d+\.\d+")


def _one_digit(number: re.Match) -> str:
    return f"{float(number[0]):.1f}".removesuffix(".0")


def svg(title: str, figure: Figure) -> str:
    """Return the figure as an element for an HTML page, which refers to nothing. It is the same in every run."""
    figure.patch.set_visible(False)
    for plot in figure.axes:
        plot.patch.set_visible(False)
    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": title}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    view = re.search(r'viewBox="([^"]*)"', text)[1]
    text = re.sub(r"<svg[^>]*>", f'<svg viewBox="{view}" role="img" aria-label="{escape(title)}">', text, count=1)
    text = re.sub(r"(?s)<metadata>.*?</metadata>|<style[^>]*>.*?</style>|<!--.*?-->", "", text)
    text = re.sub(r"(?s)<clipPath.*?</clipPath>|<defs>\s*</defs>| clip-path=\"[^\"]*\"| id=\"[^\"]*\"", "", text)
    text = re.sub(r"(?s)<defs>\s*</defs>| transform=\"rotate\(-?0 [^\"]*\"", "", text)
    text = re.sub(r"font-family: [^;\"]*", "font-family: sans-serif", text)
    text = text if "<g " in text else re.sub("</?g>", "", text)
    text = re.sub(r"<[^>]*>", lambda tag: _DECIMAL.sub(_one_digit, " ".join(tag[0].split())), text)
    text = re.sub(r"\n\s*", "\n", re.sub(r"M (\S+ \S+) L \1(?![.\d])", r"M\1h0", text))
    for name, (colour, _) in COLOURS.items():
        text = text.replace(colour, f"var(--{name})")
    return text.strip()


def described(x: Axis, y: Axis, lines: list[Line]) -> str:
    """Return what a chart shows, in words for who does not see it: for each line its ends and extremes."""
    said = []
    for line in lines:
        low, high = (extreme(line.points, key=lambda point: point[1]) for extreme in (min, max))
        ends = [("first", line.points[0]), ("last", line.points[-1]), ("lowest", low), ("highest", high)]
        said.append(f"{line.label}: " + ", ".join(f"{name} {at[1]:.3g} at {x.text(at[0])}" for name, at in ends))
    return f"{y.title}, over {x.title}. {'; '.join(said)}."


def standalone(text: str, about: str = "") -> str:
    """Return the figure as a file of its own, with its colours, and with a description in words, if there is one."""
    attributes = text[4 : text.index(">")]
    if about:
        attributes += ' aria-describedby="about"'
        about = f'<desc id="about">{escape(about)}</desc>'
    opened = f'<svg xmlns="http://www.w3.org/2000/svg" style="background:var(--page)"{attributes}>'
    return f"{opened}{about}<style>{style('svg')}</style>{text[text.index('>') + 1 :]}\n"
