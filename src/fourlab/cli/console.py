"""What the terminal shows: boards and results, in colour where there is colour."""

from rich.console import Console
from rich.text import Text

from fourlab.rules.boards import row_cells
from fourlab.rules.position import FIRST, SECOND, SIDE_NAMES, Outcome, Position

STYLES = ("bold yellow", "bold red")
FRAME = "blue"
PLAIN_MARKS = ("X", "O")
DISC_MARKS = ("●", "○")  # filled and hollow: told apart without colour too


def console() -> Console:
    """Return a console on standard output; plain when piped or under NO_COLOR."""
    return Console(soft_wrap=True, highlight=False)


def is_plain(target: Console) -> bool:
    """Return whether to draw in letters and ASCII alone."""
    return target.color_system is None or target.no_color or not target.encoding.startswith("utf")


def marks(plain: bool) -> tuple[str, str]:
    """Return how the first and the second player's stones look."""
    return PLAIN_MARKS if plain else DISC_MARKS


def board(position: Position, plain: bool) -> Text:
    """Draw a board: the last move in (round), a winning line in [square] brackets."""
    rules = position.rules
    width = len(str(rules.columns if rules.gravity else rules.cells))
    text = Text()
    side_edge, corner = ("|", "+") if plain else ("│", "╰")
    for row in range(rules.rows):
        text.append(side_edge, style=FRAME)
        for cell in range(row * rules.columns, (row + 1) * rules.columns):
            text.append_text(_cell(position, cell, width, plain))
        text.append(f"{side_edge}\n", style=FRAME)
    dash, end = ("-", "+") if plain else ("─", "╯")
    text.append(corner, style=FRAME)
    for column in range(rules.columns):
        label = str(column + 1) if rules.gravity else dash
        text.append(dash + label.rjust(width, dash) + dash, style=FRAME)
    text.append(end, style=FRAME)
    return text


def _cell(position: Position, index: int, width: int, plain: bool) -> Text:
    """Draw the cell that comes `index`-th, row by row from the top left."""
    cell = row_cells(position.rules)[index]
    if not position.occupied & cell:
        label = "." if position.rules.gravity else str(index + 1)
        return Text(f" {label.rjust(width)} ", style="dim")
    side = FIRST if position.first_stones & cell else SECOND
    opening, closing = " ", " "
    if position.line & cell:
        opening, closing = "[", "]"
    elif cell == _last_cell(position):
        opening, closing = "(", ")"
    mark = marks(plain)[side]
    return Text(f"{(opening + mark).rjust(width + 1)}{closing}", style=STYLES[side])


def _last_cell(position: Position) -> int:
    if not position.moves:
        return 0
    before = position.rules.start().play_all(position.moves[:-1])
    return position.occupied & ~before.occupied


def result(position: Position, plain: bool) -> str:
    """Say how a game ended."""
    outcome = position.outcome
    if outcome is Outcome.DRAW:
        return f"Draw after {position.ply} moves."
    if outcome.winner is None:
        return f"Stopped after {position.ply} moves."
    side = f"{marks(plain)[outcome.winner]} ({SIDE_NAMES[outcome.winner]})"
    return f"{side} wins after {position.ply} moves."
