"""A curve in the terminal: how errors fall by the second, above a progress bar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import RenderableType
from rich.progress import Progress
from rich.text import Text

from fourlab.cli.console import is_plain

ROWS, COLUMNS = 6, 60
EIGHTHS = " ▁▂▃▄▅▆▇█"


class CurveBar(Progress):
    """A progress bar below a curve, which stays when the bar goes."""

    points: Sequence[tuple[float, float]] = ()  # seconds, share

    def get_renderables(self) -> Iterable[RenderableType]:
        if self.points:
            yield self._curve()
        yield from super().get_renderables()

    def stop(self) -> None:
        super().stop()
        if self.points:
            self.console.print(self._curve())
        self.points = ()

    def _curve(self) -> Text:
        words = "moves that give a win or a draw away, by seconds of learning\n"
        return Text(words + curve(self.points, is_plain(self.console)), no_wrap=True)


def curve(points: Sequence[tuple[float, float]], plain: bool = False) -> str:
    """Draw shares against seconds; between two points the earlier one stands.

    A share of 0 is a thin line, and nothing is drawn before the first point. `plain`: in ASCII.
    """
    end = points[-1][0]
    top = max(share for _, share in points) or 1.0
    heights = []
    for column in range(1, COLUMNS + 1):
        known = [share for seconds, share in points if seconds <= end * column / COLUMNS]
        heights.append(max(1, round(8 * ROWS * known[-1] / top)) if known else 0)
    lines = []
    for row in reversed(range(ROWS)):
        label = f"{top:.1%}" if row == ROWS - 1 else "0%" if row == 0 else ""
        eighths = [min(max(height - 8 * row, 0), 8) for height in heights]
        marks = [("#" if part else " ") if plain else EIGHTHS[part] for part in eighths]
        lines.append(f"{label:>6} {''.join(marks)}".rstrip())
    return "\n".join([*lines, f"{'0 s':>10}{f'{end:,.0f} s':>{COLUMNS - 3}}"])
