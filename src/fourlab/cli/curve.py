"""A curve in the terminal: how errors fall by the second, above a progress bar."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
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


def curve_bar() -> CurveBar:
    """Return a bar on standard error, in the words of who updates it."""
    console = Console(stderr=True, markup=False, emoji=False)
    if console.is_terminal:
        console.width -= len("^C")  # which would break a full line, and leave half of it behind
    return CurveBar(
        TextColumn("{task.description}"),
        BarColumn(bar_width=12),  # room for the numbers in 80 columns
        TextColumn("{task.completed:,} of {task.total:,}"),
        TextColumn("{task.fields[said]}"),
        TimeRemainingColumn(compact=True),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


class Speedometer:
    """Games a second between pauses: neither compiling nor evaluating counts."""

    def __init__(self) -> None:
        self._began: tuple[float, int] | None = None
        self._speed: float | None = None

    def read(self, games: int) -> float | None:
        """Return the latest speed; None before there is one."""
        now = time.perf_counter()
        if self._began is None:
            self._began = (now, games)
        else:
            self._speed = (games - self._began[1]) / max(now - self._began[0], 1e-9)
        return self._speed

    def pause(self, speed: float) -> None:
        """Stop until the next reading; by then it was so fast."""
        self._began, self._speed = None, speed


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
