"""What a notebook draws: colours, a frame, and curves. Pure HTML, CSS and SVG, without ids.

Colours are the laboratory's. They follow the notebook's own theme where it tells it (JupyterLab,
VS Code), else the system's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

# By the name of the laboratory's variable: in the light, in the dark.
COLOURS = {
    "text": ("#141925", "#e9ecf2"),
    "text-2": ("#434b5c", "#b7becb"),
    "text-3": ("#5f687a", "#929bac"),
    "line": ("#e0e4eb", "#272e3b"),
    "line-strong": ("#bfc6d2", "#3d4657"),
    "sunken": ("#eceef3", "#1e2430"),
    "accent": ("#3550b8", "#4c69da"),
    "on-accent": ("#fff", "#fff"),
    "curve": ("#2c449f", "#a3b6fa"),
    "win": ("#00718a", "#56c8de"),
    "draw": ("#5b6475", "#98a1b2"),
    "loss": ("#a82f4b", "#f58a97"),
    "board": ("#31488f", "#344a93"),
    "hole": ("#f5f6f8", "#0e1117"),
    "yellow": ("#f3b63f", "#f3b94a"),
    "yellow-edge": ("#96650a", "#ffdb94"),
    "yellow-mark": ("#7a5006", "#6e4703"),
    "red": ("#d94a33", "#e2583f"),
    "red-edge": ("#f7a897", "#ff9c87"),
    "red-mark": ("#ffe3db", "#ffe6df"),
}

THEMES = """
.fourlab { color-scheme: light dark }
[data-jp-theme-light="true"] .fourlab, .vscode-light .fourlab { color-scheme: light }
[data-jp-theme-light="false"] .fourlab, .vscode-dark .fourlab { color-scheme: dark }
"""
STYLE = """
.fourlab { font: 14px/20px system-ui, "Segoe UI", Roboto, Arial, "DejaVu Sans", sans-serif;
  color: TEXT; font-variant-numeric: tabular-nums; max-width: max-content; margin: 4px 0 }
.fourlab p { margin: 0 0 6px; color: TEXT-2 }
.fourlab p b { color: TEXT; font-weight: 600 }
.fourlab p.note { margin: 6px 0 0; color: TEXT-3; font-size: 13px; max-width: 60em }
.fourlab svg { display: block; max-width: 100%; height: auto }
.fourlab table { border-collapse: collapse; margin: 0; border: 0; font: inherit }
.fourlab th, .fourlab td { padding: 3px 0 3px 20px; text-align: right; border: 0; background: none;
  color: TEXT; white-space: nowrap; vertical-align: middle }
.fourlab th { font-weight: 400; color: TEXT-3; border-bottom: 1px solid LINE-STRONG }
.fourlab tr { background: none !important }
.fourlab tbody tr + tr td { border-top: 1px solid LINE }
.fourlab .text { text-align: left }
.fourlab th:first-child, .fourlab td:first-child { padding-left: 0 }
.fourlab tr.strong td { font-weight: 600 }
.fourlab .track { height: 6px; border-radius: 3px; background: SUNKEN; overflow: hidden }
.fourlab .track i { display: block; height: 100%; background: ACCENT }
"""
GRID = ("curve", "win", "loss", "draw")  # the colours of curves, in their order
WIDTH, HEIGHT, LEFT = 520, 156, 42  # of curves, in pixels; to the left stand shares
MOST_POINTS = 240  # of a curve


def painted(css: str) -> str:
    """Return CSS with colours in the place of their names, which stand in capitals."""
    for name in sorted(COLOURS, key=len, reverse=True):
        css = css.replace(name.upper(), both(name))
    return css


def both(name: str) -> str:
    """Return a colour that is another in the dark."""
    return "light-dark({}, {})".format(*COLOURS[name])


def light(name: str) -> str:
    """Return a colour in the light, which programs without CSS see."""
    return COLOURS[name][0]


def frame(*parts: str, style: str = "") -> str:
    """Return parts as one thing for a notebook, with the style that they need."""
    css = painted(THEMES + STYLE + style)
    return f'<div class="fourlab"><style>{css}</style>{"".join(parts)}</div>'


def heading(strong: str, *rest: str) -> str:
    """Return a line over a drawing."""
    return f"<p>{' · '.join([f'<b>{escape(strong)}</b>', *map(escape, rest)])}</p>"


def track(share: float) -> str:
    """Return a bar that is filled so far."""
    width = 100 * min(max(share, 0.0), 1.0)
    return f'<div class="track" style="width:{WIDTH}px"><i style="width:{width:.1f}%"></i></div>'


Curve = Sequence[tuple[float, float]]


def curves(drawn: Mapping[str, Curve], end: float, unit: str) -> str:
    """Return curves between 0 and 1 over 0 to `end`, each named in its colour.

    Points far behind each other are joined; a curve of one point is a dot.
    """
    right, bottom, left, top = WIDTH - 8, HEIGHT - 20, LEFT, 14
    text = f'font-size="12" fill="{light("text-3")}" class="faint"'
    parts = []
    for share in (0.0, 0.5, 1.0):
        y = bottom - share * (bottom - top)
        parts.append(
            f'<path d="M{left} {y:.1f}H{right}" class="grid" stroke="{light("line")}"/>'
            f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end" {text}>{share:.0%}</text>'
        )
    parts.append(
        f'<text x="{left}" y="{HEIGHT - 4}" {text}>0</text>'
        f'<text x="{right}" y="{HEIGHT - 4}" text-anchor="end" {text}>'
        f"{end:,.0f} {escape(unit)}</text>"
    )
    names = []
    for place, (name, points) in enumerate(drawn.items()):
        colour = GRID[place % len(GRID)]
        every = -(-len(points) // MOST_POINTS) or 1
        chosen = [*points[::every], *points[-1:]]
        spots = [
            (left + (right - left) * x / max(end, 1), bottom - (bottom - top) * min(max(y, 0), 1))
            for x, y in chosen
        ]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        style = f'fill="none" stroke="{light(colour)}" stroke-width="2" class="of-{colour}"'
        parts.append(f'<polyline points="{path}" stroke-linejoin="round" {style}/>')
        for x, y in spots[-1:]:
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" {style}/>')
        last = f" {points[-1][1]:.0%}" if points else ""
        names.append(f'<span class="ink-{colour}">{escape(name)}{last}</span>')
    body = "".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(", ".join(drawn))}">'
        f'{body}</svg><p class="names">{"".join(names)}</p>'
    )


CURVE_STYLE = (
    ".fourlab .grid { stroke: LINE } .fourlab .faint { fill: TEXT-3 }"
    f".fourlab .names {{ padding-left: {LEFT}px }}"
    " .fourlab .names span { margin-right: 20px;"
    " font-weight: 600 }"
    + "".join(
        f" .fourlab .of-{name} {{ stroke: {name.upper()} }} .fourlab .ink-{name} {{ color:"
        f" {name.upper()} }}"
        for name in GRID
    )
)
