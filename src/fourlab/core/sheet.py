"""`Sheet`: figures in rows, a table in a notebook and aligned text anywhere else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from fourlab.core.notebook import frame, heading, light

SPAN_WIDTH, SPAN_HEIGHT = 150, 18  # pixels of an interval that is drawn
SPAN_STYLE = (
    ".fourlab .span { stroke: CURVE } .fourlab .middle { fill: CURVE }"
    " .fourlab .zero { stroke: LINE-STRONG }"
)


@dataclass(frozen=True)
class Sheet:
    """Rows under heads. The first `texts` columns hold words, all others figures.

    `spans` are a low, a middle and a high end for each row, which a notebook draws beside it, with
    a line at `zero`. Rows numbered in `strong` stand out.
    """

    title: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    texts: int = 1
    notes: tuple[str, ...] = ()
    spans: Sequence[tuple[float, float, float]] = ()
    zero: float | None = None
    strong: frozenset[int] = frozenset()

    def __str__(self) -> str:
        lines = [self.heads, *self.rows]
        widths = [max(len(line[place]) for line in lines) for place in range(len(self.heads))]
        told = [self.title] if self.title else []
        for line in lines:
            cells = [
                cell.ljust(width) if place < self.texts else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(line, widths, strict=True))
            ]
            told.append("  ".join(cells).rstrip())
        return "\n".join([*told, *self.notes])

    def table(self) -> str:
        """Return the table alone, for a frame whose style has `SPAN_STYLE`."""
        heads = "".join(f"<th{self._kind(n)}>{escape(h)}</th>" for n, h in enumerate(self.heads))
        heads += "<th></th>" if self.spans else ""
        rows = []
        for number, row in enumerate(self.rows):
            cells = "".join(f"<td{self._kind(n)}>{escape(c)}</td>" for n, c in enumerate(row))
            cells += f"<td>{self._span(number)}</td>" if self.spans else ""
            strong = ' class="strong"' if number in self.strong else ""
            rows.append(f"<tr{strong}>{cells}</tr>")
        top = heading(self.title) if self.title else ""
        notes = "".join(f'<p class="note">{escape(note)}</p>' for note in self.notes)
        body = f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody>"
        return f"{top}<table>{body}</table>{notes}"

    def _repr_html_(self) -> str:
        return frame(self.table(), style=SPAN_STYLE)

    def _kind(self, column: int) -> str:
        return ' class="text"' if column < self.texts else ""

    def _span(self, number: int) -> str:
        """Return an interval as a line with a dot, on the scale of all of them."""
        edges = [edge for span in self.spans for edge in span]
        edges += [] if self.zero is None else [self.zero]
        low, room = min(edges), (max(edges) - min(edges)) or 1.0
        places = [5 + (SPAN_WIDTH - 10) * (edge - low) / room for edge in self.spans[number]]
        y = SPAN_HEIGHT / 2
        zero = ""
        if self.zero is not None:
            x = 5 + (SPAN_WIDTH - 10) * (self.zero - low) / room
            zero = (
                f'<path d="M{x:.1f} 0V{SPAN_HEIGHT}" class="zero" stroke="{light("line-strong")}"/>'
            )
        ink = light("curve")
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{SPAN_WIDTH}" height="{SPAN_HEIGHT}" '
            f'aria-hidden="true">{zero}<path d="M{places[0]:.1f} {y}H{places[2]:.1f}" class="span" '
            f'stroke="{ink}" stroke-width="2" stroke-linecap="round"/><circle cx="{places[1]:.1f}" '
            f'cy="{y}" r="3.5" class="middle" fill="{ink}"/></svg>'
        )
