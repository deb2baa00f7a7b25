"""A decision as values over the moves: bars in a notebook, rows of figures anywhere else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from fourlab.agents.base import Decision
from fourlab.core.notebook import frame, heading, light
from fourlab.core.sheet import Sheet

HALF = 52  # pixels of a bar of value 1
MOST = 720  # pixels for all bars
WIDE, NARROW = 54, 24  # pixels of a move, at most and at least
ROOM = 40  # pixels that a move needs to have its value written in full
EVEN = 0.05  # a value nearer to 0 is drawn as a draw
STYLE = (
    "".join(
        f".fl-{name} {{ fill: {name.upper()} }}"
        for name in ("win", "draw", "loss", "accent", "text", "text-3")
    )
    + " .fl-axis { stroke: LINE-STRONG } .fl-chosen { fill: SUNKEN }"
)


def decision_text(decision: Decision) -> str:
    """Return a decision as rows of figures under the moves."""
    lines = _figures(decision)
    count = max((len(cells) for _, cells in lines), default=0)
    title = f"move {decision.move + 1}"
    if not count:
        return title
    heads = ("", *(f"{n + 1}*" if n == decision.move else str(n + 1) for n in range(count)))
    return str(
        Sheet(title, heads, [(name, *cells) for name, cells in lines], notes=_more(decision))
    )


def decision_html(decision: Decision) -> str:
    """Return a decision as bars: values up and down from a draw, else how it leans."""
    bars = decision.values or decision.policy or _shares(decision.visits)
    top = heading(f"move {decision.move + 1}", *_more(decision))
    if not bars:
        return frame(top)
    pitch = max(NARROW, min(WIDE, MOST // len(bars)))
    told = ("policy", "visits") if decision.values else ("visits",)  # what the bars do not show
    below = [(name, cells) for name, cells in _figures(decision) if name in told]
    left = 56 if below else 0
    zero = HALF + 22 if decision.values else 2 * HALF + 22
    height = zero + (HALF if decision.values else 0) + 42 + 18 * len(below)
    width = left + len(bars) * pitch
    foot = height - 8 - 18 * len(below)
    parts = [
        f'<rect x="{left + decision.move * pitch}" y="2" width="{pitch}" height="{height - 4}" '
        f'rx="8" fill="{light("sunken")}" class="fl-chosen"/>',
        f'<path d="M{left} {zero}H{width}" stroke="{light("line-strong")}" class="fl-axis"/>',
    ]
    for move, value in enumerate(bars):
        x = left + (move + 0.5) * pitch
        is_told = pitch >= ROOM or move == decision.move  # the others would overlap
        parts.append(_bar(value, x, zero, pitch, decision.values is not None, is_told))
        weight = ' font-weight="700"' if move == decision.move else ""
        parts.append(f"<text{weight}{_at(x, foot - 4, 'text')}>{move + 1}</text>")
    for row, (name, cells) in enumerate(below, start=1):
        y = foot + 18 * row - 2
        parts.append(f'<text text-anchor="start"{_at(0, y, "text-3")}>{escape(name)}</text>')
        for move, cell in enumerate(cells):
            x = left + (move + 0.5) * pitch
            parts.append(f"<text{_at(x, y, 'text-3', pitch)}>{escape(cell)}</text>")
    label = escape(decision_text(decision))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" '
        f'viewBox="0 0 {width} {height}" text-anchor="middle" aria-label="{label}">'
        f"{''.join(parts)}</svg>"
    )
    return frame(top, svg, style=STYLE)


def _bar(
    value: float | None, x: float, zero: float, pitch: int, signed: bool, is_told: bool
) -> str:
    if value is None:
        return f"<text{_at(x, zero - 6, 'text-3')}>·</text>"
    length = (HALF if signed else 2 * HALF) * min(abs(value), 1.0)
    name = "accent"
    if signed:
        name = "draw" if abs(value) < EVEN else "win" if value > 0 else "loss"
    tall, up = max(length, 2.0), value >= 0
    y = zero - tall if up else zero
    text = f"{value:+z.2f}".replace("-", "−") if signed else f"{value:.0%}"
    where = y - 6 if up else y + tall + 14
    return (
        f'<rect x="{x - 0.3 * pitch:.1f}" y="{y:.1f}" width="{0.6 * pitch:.1f}" rx="2" '
        f'height="{tall:.1f}" fill="{light(name)}" class="fl-{name}"/>'
        + (f"<text{_at(x, where, 'text')}>{text}</text>" if is_told else "")
    )


def _at(x: float, y: float, name: str, pitch: int = WIDE) -> str:
    size = 12 if pitch >= ROOM else 9
    return f' x="{x:g}" y="{y:.1f}" font-size="{size}" fill="{light(name)}" class="fl-{name}"'


def _figures(decision: Decision) -> list[tuple[str, tuple[str, ...]]]:
    """Return what a decision tells of every move, in words, a row a kind."""
    rows = []
    for name, form in (("values", "+z.2f"), ("raw", "zg"), ("policy", ".0%"), ("visits", ",")):
        told: Sequence[float | None] | None = getattr(decision, name)
        if told:
            rows.append((name, tuple("·" if one is None else format(one, form) for one in told)))
    return rows


def _shares(visits: tuple[int, ...] | None) -> tuple[float, ...] | None:
    total = sum(visits or ())
    return tuple(count / total for count in visits) if visits and total else None


def _more(decision: Decision) -> tuple[str, ...]:
    """Return what else there is to say: how it expects to go on, and what it looked at."""
    line = " ".join(str(move + 1) for move in decision.line)
    told = [f"expects {line}"] if line else []
    return (*told, f"looked at {decision.effort:,}") if decision.effort else tuple(told)
