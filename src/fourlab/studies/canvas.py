"""What all figures share: colours, sizes, files.

A figure is drawn once, in light colours, and measured in pixels: text of 13 on a sheet as wide as a
page. Inside a page its colours are the page's own variables, so that it is dark where the page is.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from fourlab.core.errors import FourlabError, missing_extra
from fourlab.core.files import open_file
from fourlab.core.storage import check_place, check_spare, reading, replacing

# How figures of ours are told from others', by format, and how far into a file it is said.
FORMATS = {".png": b"Software\0fourlab", ".svg": b'<svg class="fourlab"'}
SAID = 1024  # bytes
WIDE, NARROW = 736, 334  # pixels: a figure on a page, and on a phone
CARD, LOW = 354, 190  # pixels: a figure that stands for a whole study, and its usual height
PIXELS = 72  # an inch
SIZE = 13.0  # of text
LETTER = 7.5  # pixels that one takes, about
EVEN = 2  # times the least step is the greatest where steps count as even
FAR = 20  # times the least value is the greatest where an axis is logarithmic

# The light colours by the name of their variable. Each is there once, so that a colour tells its
# variable: where two are alike in the light and not in the dark, one differs by an unseen shade.
PALETTE = {
    "text": "#141925",
    "text-2": "#434b5c",
    "text-3": "#5f687a",
    "line": "#e0e4eb",
    "line-strong": "#bfc6d2",
    "surface": "#fffffe",
    "sunken": "#eceef3",
    "accent": "#3550b8",
    "accent-ink": "#2c449f",
    "accent-track": "#c5cff3",
    "on-accent": "#ffffff",
    "win": "#00718a",
    "win-ink": "#04586b",
    "draw": "#5b6475",
    "draw-soft": "#e6e9ef",
    "loss": "#a82f4b",
    "loss-ink": "#8a1e39",
    "heat-low": "#a82f4c",
    "heat-zero": "#f1f3f6",
    "heat-high": "#00718b",
    "board": "#31488f",
    "board-lo": "#243871",
    "hole": "#f5f6f8",
    "yellow": "#f3b63f",
    "yellow-edge": "#96650a",
    "yellow-mark": "#7a5006",
    "red": "#d94a33",
    "red-edge": "#f7a897",
    "red-mark": "#ffe3db",
}
VARIABLES = {colour: name for name, colour in PALETTE.items()}
INK, SECOND, FAINT, GRID = (PALETTE[name] for name in ("text", "text-2", "text-3", "line"))
ACCENT, SURFACE, WHITE = (PALETTE[name] for name in ("accent", "surface", "on-accent"))

_width: ContextVar[float] = ContextVar("width", default=WIDE)
_settings = threading.Lock()  # matplotlib has one set of them for all threads


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure, measured in inches; needs matplotlib but no display."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("figures need matplotlib", "plots") from None
    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


@contextmanager
def drawn_for(width: float) -> Iterator[None]:
    """Let sheets be so many pixels wide meanwhile."""
    token = _width.set(width)
    try:
        yield
    finally:
        _width.reset(token)


def page_width() -> float:
    """Return the pixels that a sheet is wide."""
    return _width.get()


def is_narrow() -> bool:
    """Return whether a figure is drawn for a phone."""
    return page_width() < (WIDE + NARROW) / 2


def is_card() -> bool:
    """Return whether a figure is drawn for a card, where it has to be low too."""
    return page_width() == CARD


def sheet(height: float, title: str = "") -> Any:
    """Return an empty figure of the page's width and so many pixels high, its title on top."""
    title = "" if is_card() else title
    figure = new_figure(page_width() / PIXELS, (height + 28 * bool(title)) / PIXELS)
    figure.get_layout_engine().set(w_pad=2 / PIXELS, h_pad=2 / PIXELS)
    if title:
        figure.suptitle(title, x=0.005, ha="left", fontsize=SIZE, color=SECOND)
    return figure


def plain(axes: Any, grid: str = "") -> None:
    """Take away what is not needed; a grid along "x" or "y" stays, faintly."""
    axes.set_facecolor("none")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelsize=SIZE, labelcolor=FAINT, pad=6)
    axes.set_axisbelow(True)
    if grid:
        axes.grid(axis=grid, color=GRID, linewidth=1)


def scale_of(values: Sequence[float]) -> str:
    """Return the scale of an axis: logarithmic for values far apart that no even steps join."""
    ordered = sorted(set(values))
    steps = [after - before for before, after in itertools.pairwise(ordered)]
    is_even = len(steps) > 1 and max(steps) <= EVEN * min(steps)
    is_far = ordered[0] > 0 and ordered[-1] >= FAR * ordered[0]
    return "log" if is_far and not is_even else "linear"


def check(path: Path) -> None:
    """Find out before long work whether a figure can be drawn; raises FourlabError."""
    _check_format(path)
    check_place(path)
    check_spare(path, "figure of fourlab", _is_figure)
    new_figure(1, 1)


def _check_format(path: Path) -> None:
    if path.suffix not in FORMATS:
        raise FourlabError(f"cannot draw {path}; name a file that ends in {' or '.join(FORMATS)}")


def _is_figure(path: Path) -> bool:
    with reading(path), open_file(path) as file:
        return FORMATS[path.suffix] in file.read(SAID)


def save(figure: Any, path: Path) -> None:
    """Write a figure in the format that the file's name asks for, in light colours."""
    _check_format(path)
    with replacing(path) as file:
        if path.suffix == ".svg":
            text = _drawn(figure, "white").encode()
            file.write(text.replace(b"<svg", FORMATS[path.suffix], 1))
        else:
            figure.savefig(file, format=path.suffix[1:], dpi=150, metadata={"Software": "fourlab"})


def svg_text(figure: Any, name: str = "") -> str:
    """Return a figure as SVG for the inside of a page: text as text, colours as variables.

    No identifier in it is in another figure's too; figures that are alike need different names.
    """
    text = _drawn(figure, "none")
    mark = "f" + hashlib.sha256((name + text).encode()).hexdigest()[:8]
    text = re.sub(r'((?:id="|href="#|url\(#))', rf"\1{mark}-", text)
    text = re.sub(r"(?<=: )#[0-9a-f]{6}(?=[;\"])", _variable, text)
    return re.sub(r"(?<=[ :])sans-serif(?=[;\"])", "var(--sans, sans-serif)", text)


def _drawn(figure: Any, ground: str) -> str:
    """Return a figure as SVG without what changes from run to run or is never referred to.

    Its style sheet would reach the whole page that it is put into: the drawing inherits it instead.
    """
    import matplotlib

    settings: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "fourlab"}
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    buffer = io.BytesIO()
    with _settings, matplotlib.rc_context(settings):
        figure.savefig(buffer, format="svg", dpi=PIXELS, facecolor=ground, metadata=nothing)
    text = buffer.getvalue().decode()
    text = text[text.index("<svg") :].replace("xlink:href", "href")
    text = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->\n?", "", text, flags=re.DOTALL)
    head, body = text.split(">", 1)
    view = re.search(r'viewBox="[^"]*"', head)
    shared = re.search(r"\s*<defs>\s*<style[^>]*>\*\{([^}]*)\}</style>\s*</defs>", body)
    inherited = f' style="{shared[1]}"' if shared else ""
    body = body.replace(shared[0], "", 1) if shared else body
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', body))
    body = re.sub(r' id="([^"]*)"', lambda m: m[0] if m[1] in used else "", body)
    top = f'<svg xmlns="http://www.w3.org/2000/svg" {view[0] if view else ""}{inherited}>'
    return top + _shorter(body)


def _shorter(text: str) -> str:
    """Return SVG without what nobody sees, a third shorter."""
    text = re.sub(r' transform="rotate\(-0 [^"]*\)"', "", text)
    text = re.sub(r"(font(?:-family|: [^;\"]*?px)[: ] ?)[^;\"]*sans-serif", r"\1sans-serif", text)
    text = re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), text)
    return re.sub(r"\s*\n\s*", "\n", text)


def _variable(found: re.Match[str]) -> str:
    name = VARIABLES.get(found[0])
    return f"var(--{name}, {found[0]})" if name else found[0]
