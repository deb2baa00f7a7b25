"""Figures with a board in them, drawn as the laboratory draws it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from fourlab.rules.catalog import game as find_game
from fourlab.rules.formats import row_cells
from fourlab.rules.position import Position, position_of
from fourlab.studies.base import Published
from fourlab.studies.canvas import (
    ACCENT,
    FAINT,
    INK,
    PALETTE,
    PIXELS,
    SECOND,
    SIZE,
    is_card,
    is_narrow,
    page_width,
    plain,
    sheet,
)
from fourlab.studies.findings import Findings
from fourlab.studies.plots.lines import middle_of
from fourlab.studies.plots.parts import beside, locator, over, spread

RADIUS = 0.405  # of holes and discs, in cells
PAD = 0.2
DECIDED = 1 / 3  # the value from which a move counts as winning, and below minus that as losing
NEAR = 0.06  # values that are named together
SHARE_HEIGHT, LOW_HEIGHT = 118, 56  # pixels of the bars above a board, and on a card


def columns_on_board(found: Findings, published: Published | None = None) -> Any:
    """Draw shares of columns as bars on the boards of `extra["boards"]`."""
    boards = found.extra["boards"]
    most = max(max(board.get("highs") or board["shares"]) for board in boards)
    if is_card():
        boards = boards[:2]
    across = min(len(boards), 1 if _is_stacked() else 2 if len(boards) in (2, 4) else 3)
    down = -(-len(boards) // across)
    figure = sheet(down * (_share_height() + 104))
    figure.get_layout_engine().set(h_pad=8 / PIXELS)
    every = np.atleast_1d(figure.subplots(down, across)).ravel()
    for axes in every[len(boards) :]:
        axes.set_axis_off()
    for axes, board in zip(every, boards, strict=False):
        told = published.rows.get(board["title"], {}) if published else {}
        _bars(axes, board, most, told, page_width() / across)
    return figure


def _is_stacked() -> bool:
    """Return whether things stand below each other: on a phone, and not on a card."""
    return is_narrow() and not is_card()


def _share_height() -> float:
    return LOW_HEIGHT if is_card() else SHARE_HEIGHT


def _bars(
    axes: Any, board: dict[str, Any], most: float, told: dict[str, float], room: float
) -> None:
    """Draw the bars of one board on its topmost row."""
    plain(axes)
    columns, shares = int(board["columns"]), board["shares"]
    pitch = min(44.0, (room - 24) / (columns + 2 * PAD))  # pixels of a cell
    height = _share_height() / pitch
    tall = [height * share / most for share in shares]
    even = height / columns / most
    axes.axhline(even, color=FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    axes.bar(range(columns), tall, 0.62, color=ACCENT, alpha=0.8)
    if board.get("lows") and board.get("highs"):
        low, high = (np.array(board[name]) * height / most for name in ("lows", "highs"))
        ends = np.maximum(0, [np.array(tall) - low, high - np.array(tall)])
        axes.errorbar(range(columns), tall, yerr=ends, fmt="none", color=INK, elinewidth=1.5)
        tops = np.maximum(high, tall)
    else:
        tops = np.array(tall)
    for column, (top, share) in enumerate(zip(tops, shares, strict=True)):
        style = {"ha": "center", "va": "bottom", "fontsize": SIZE, "color": SECOND}
        axes.text(column, top + 4 / pitch, f"{100 * share:.0f}", **style)
        value = told.get(str(column + 1))
        if value is not None:
            at = height * value / most
            axes.plot([column - 0.42, column + 0.42], [at, at], color=FAINT, linewidth=2)
    _plate(axes, columns, 1, -1 - PAD - 0.1)
    for column in range(columns):
        _hole(axes, column, -0.5 - PAD - 0.1)
    axes.set_xlim(-0.5 - PAD, columns - 0.5 + PAD)
    axes.set_ylim(-1.1 - 2 * PAD, height + 24 / pitch)
    axes.set_aspect("equal", anchor="W")
    axes.set_xticks(range(columns), [str(column + 1) for column in range(columns)])
    axes.set_yticks([])
    axes.set_title(f"{board['title']}, percent", loc="left", fontsize=SIZE, color=SECOND, pad=2)


def _plate(axes: Any, columns: int, rows: int, bottom: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    axes.add_patch(
        FancyBboxPatch(
            (-0.5 - PAD + 0.2, bottom - PAD + 0.2),
            columns + 2 * PAD - 0.4,
            rows + 2 * PAD - 0.4,
            boxstyle="round,pad=0.2,rounding_size=0.2",
            facecolor=PALETTE["board"],
            linewidth=0,
        )
    )


def _circle(
    axes: Any, x: float, y: float, radius: float, face: str, edge: str = "", width: float = 1.5
) -> None:
    from matplotlib.patches import Circle

    style = {
        "facecolor": PALETTE[face] if face else "none",
        "edgecolor": PALETTE[edge] if edge else "none",
        "linewidth": width if edge else 0,
    }
    axes.add_patch(Circle((x, y), radius, **style))


def _hole(axes: Any, x: float, y: float) -> None:
    _circle(axes, x, y, RADIUS, "hole", "board-lo", 1)


def _disc(axes: Any, x: float, y: float, side: int) -> None:
    """Draw a disc with the mark that tells the sides apart without colour: a ring, or a dot."""
    name = "red" if side else "yellow"
    _circle(axes, x, y, RADIUS, name, f"{name}-edge")
    if side:
        _circle(axes, x, y, 0.22 * RADIUS, "red-mark")
    else:
        _circle(axes, x, y, 0.56 * RADIUS, "", "yellow-mark", 1.5)


def draw_position(axes: Any, position: Position, notes: dict[int, tuple[str, str]]) -> None:
    """Draw a position; `notes` are a word and a colour for empty cells, row by row from the top."""
    rules = position.rules
    plain(axes)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlim(-0.5 - PAD, rules.columns - 0.5 + PAD)
    axes.set_ylim(-PAD, rules.rows + PAD)
    axes.set_aspect("equal", anchor="N")
    _plate(axes, rules.columns, rules.rows, 0)
    for index, cell in enumerate(row_cells(rules)):
        x, y = index % rules.columns, rules.rows - 0.5 - index // rules.columns
        if position.occupied & cell:
            _disc(axes, x, y, 0 if position.first_stones & cell else 1)
            continue
        _hole(axes, x, y)
        if index in notes:
            word, colour = notes[index]
            style = {"ha": "center", "va": "center", "fontsize": SIZE, "fontweight": "bold"}
            axes.text(x, y, word, color=PALETTE[colour], **style)


def _landing(position: Position, move: int) -> int:
    """Return the cell of a move, counted row by row from the top left."""
    after = position.play(move)
    new = after.occupied & ~position.occupied
    return next(index for index, cell in enumerate(row_cells(position.rules)) if cell & new)


# ---- values of moves ----------------------------------------------------------------------------


def trajectories(
    found: Findings,
    published: Published | None = None,
    moves: str = "",
    game: str = "tictactoe",
    x: str = "games",
    title: str = "",
) -> Any:
    """Draw values between -1 and 1 as they were learned, beside the position after `moves`.

    A curve whose name ends in a move's number is coloured, and named on the board, by its value.
    """
    if is_card():
        figure, shape, ratio = sheet(150), (1, 2), {"width_ratios": [3, 2]}
    elif is_narrow():
        figure, shape, ratio = sheet(400, title), (2, 1), {"height_ratios": [3, 2]}
    else:
        figure, shape, ratio = sheet(260, title), (1, 2), {"width_ratios": [3, 1]}
    axes, beside_it = figure.subplots(*shape, **ratio)
    plain(axes, "y")
    ends: dict[str, float] = {}
    for curve in found.curves:
        series = np.array(curve.series, np.float64)
        middle, low, high = middle_of(series)
        ends[curve.name] = float(middle[-1])
        colour = PALETTE[_outcome(ends[curve.name])]
        axes.plot(curve.x, middle, color=colour, linewidth=2)
        axes.plot(curve.x[-1:], middle[-1:], "o", color=colour, markersize=7, clip_on=False)
        if len(series) > 1:
            axes.fill_between(curve.x, low, high, color=colour, alpha=0.12, linewidth=0)
    axes.set_ylim(-1.08, 1.08)
    axes.set_yticks([-1, 0, 1], ["−1", "0", "1"])
    axes.margins(x=0)
    over(axes, [point for curve in found.curves for point in curve.x], x)
    if is_card():
        axes.xaxis.set_major_locator(locator(2, fewest=1))
    _name_groups(figure, axes, ends)
    position = position_of(find_game(game), moves)
    draw_position(beside_it, position, _notes(position, ends))
    return figure


def _outcome(value: float) -> str:
    return "win" if value > DECIDED else "loss" if value < -DECIDED else "draw"


def _name_groups(figure: Any, axes: Any, ends: dict[str, float]) -> None:
    """Name curves at their ends, those that end together together."""
    groups: list[list[str]] = []
    for name in sorted(ends, key=lambda name: ends[name]):
        if groups and ends[name] - ends[groups[-1][-1]] < NEAR:
            groups[-1].append(name)
        else:
            groups.append([name])
    means = [sum(ends[name] for name in group) / len(group) for group in groups]
    pixels = figure.get_figheight() * PIXELS * (0.55 if _is_stacked() else 0.85)
    for place, mean, group in zip(spread(means, 18 * 2.16 / pixels), means, groups, strict=True):
        style = {"fontsize": SIZE, "va": "center", "fontweight": "bold"}
        colour = PALETTE[_outcome(mean)]
        beside(axes, together(group), axes.get_xlim()[1], place, 12, color=colour, **style)


def together(names: Sequence[str]) -> str:
    """Return names as one: "cell 1" and "cell 4" are "cell 1, 4"."""
    heads = {name.rpartition(" ")[0] for name in names}
    if len(heads) > 1:
        return ", ".join(names)
    tails = sorted((name.rpartition(" ")[2] for name in names), key=lambda tail: (len(tail), tail))
    return f"{heads.pop()} {', '.join(tails)}".strip()


def _notes(position: Position, ends: dict[str, float]) -> dict[int, tuple[str, str]]:
    notes = {}
    legal = position.legal_moves()
    for name, value in ends.items():
        found = re.search(r"(\d+)$", name)
        if found and int(found[1]) - 1 in legal:
            notes[_landing(position, int(found[1]) - 1)] = (found[1], _outcome(value))
    return notes
