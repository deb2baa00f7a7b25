"""From a board back to a game: an order of moves in which its stones can have been played."""

from dataclasses import replace

from fourlab.core.errors import NotationError
from fourlab.rules import kernels
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import cell_move
from fourlab.rules.position import Position

SEARCH_LIMIT = 10_000  # partial boards, a tenth of a second; boards of real games need dozens


def order_of_moves(rules: Rules, first: int, second: int) -> tuple[int, ...] | None:
    """Return moves from 0 that lead to these stones, or None if none were found.

    None means that no legal game leads there, short of a board that exhausts SEARCH_LIMIT. The
    stones must be a board: no overlap, nothing floating, counts in turn, a line for at most
    the side that moved last.
    """
    occupied = first | second
    sides = (first, second)
    last = sides[(occupied.bit_count() - 1) % 2]
    spent = [0]
    if not kernels.has_line(rules, last):
        return _alternate(rules, sides, occupied, spent)
    for cell in _cells(_removable(rules, last, occupied)):  # the stone that made the line
        if not kernels.has_line(rules, last & ~cell):
            moves = _alternate(rules, sides, occupied & ~cell, spent)
            if moves is not None:
                return (*moves, cell_move(rules, cell))
    return None


def ordered(position: Position) -> Position:
    """Return a position with an order of moves that leads to it, if it came without one.

    Raises NotationError if none is found.
    """
    if len(position.moves) == position.ply:
        return position
    first = position.first_stones
    moves = order_of_moves(position.rules, first, position.occupied ^ first)
    if moves is None:
        raise NotationError(f"no order of moves was found for a board of {position.rules}")
    return replace(position, moves=moves)


def _removable(rules: Rules, stones: int, occupied: int) -> int:
    """Return those stones that nothing rests on."""
    return stones & ~(occupied >> 1) if rules.gravity else stones


def _cells(cells: int) -> list[int]:
    """Return the single cells of a set, lowest first."""
    singles = []
    while cells:
        singles.append(cells & -cells)
        cells &= cells - 1
    return singles


def _alternate(
    rules: Rules, sides: tuple[int, int], target: int, spent: list[int]
) -> tuple[int, ...] | None:
    """Return moves that fill `target` in turns, by depth-first search over partial boards.

    `spent` counts the boards of all searches for one position.
    """
    path: list[int] = []  # cells played
    placed = 0
    tried = {0}
    choices = [_choices(rules, sides, target, placed)]
    while placed != target:
        if spent[0] > SEARCH_LIMIT:
            return None
        if not choices[-1]:
            choices.pop()
            if not path:
                return None
            placed ^= path.pop()
            continue
        cell = choices[-1].pop()
        if placed | cell not in tried:
            placed |= cell
            tried.add(placed)
            spent[0] += 1
            path.append(cell)
            choices.append(_choices(rules, sides, target, placed))
    return tuple(cell_move(rules, cell) for cell in path)


def _choices(rules: Rules, sides: tuple[int, int], target: int, placed: int) -> list[int]:
    """Return the cells that the side to move may fill next, the most promising last.

    A column with many stones still to come is the one that can block the rest: it comes first.
    """
    cells = kernels.legal_cells(rules, placed) & sides[placed.bit_count() % 2] & target
    if not rules.gravity:
        return _cells(cells)[:1]  # without gravity any order serves
    column_mask = (1 << rules.rows) - 1

    def still_to_come(cell: int) -> int:
        bottom = cell_move(rules, cell) * (rules.rows + 1)
        return ((target & ~placed) >> bottom & column_mask).bit_count()

    return sorted(_cells(cells), key=still_to_come)
