"""A turning point in words: what was played, what held, and why it went wrong where that is sure.

A reason is given only where it follows from the board and from the solver's refuting line: a win at
hand, a block that was missed, two threats at once, two winning cells one above the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fourlab.rules import kernels
from fourlab.rules.formats import row_cells
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.search.scores import sign, stones_to_come

NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
SOON = 3  # a win in so few stones is said with its number

Name = Callable[[int], str]  # a side as a sentence has it: You, Yellow, Red


@dataclass(frozen=True)
class Reason:
    """Why a move was wrong, and the cells that the sentence speaks of, as bits."""

    text: str = ""
    cells: int = 0


def sentence(who: str, before: Position, move: int, scores: dict[int, int]) -> str:
    """Say what was played and what held: 'You played 5; column 2 held the win'."""
    rules = before.rules
    best = best_move(rules, scores)
    score = scores[best]
    held = "held the draw"
    if score > 0:
        stones = stones_to_come(rules, before.ply, score)
        soon = "won at once" if stones == 1 else f"won in {stones}"
        held = soon if stones <= SOON else "held the win"
    return f"{who} played {move + 1}; {rules.unit} {best + 1} {held}"


def best_move(rules: Rules, scores: dict[int, int]) -> int:
    """Return the move with the best score, the most central of equals."""
    middle = (rules.columns - 1) / 2
    return max(scores, key=lambda move: (scores[move], -abs(move % rules.columns - middle)))


def reason_of(before: Position, move: int, line: Sequence[int], name: Name) -> Reason:
    """Say why a move was a mistake, nothing where no short reason is sure.

    `line` is perfect play after the move; it is trusted only where it ends the game.
    """
    wins = before.winning_moves()
    if wins:
        cells = _cells(before, wins)
        verb = "completes" if len(wins) == 1 else "complete"
        length = NUMBERS.get(before.rules.connect, str(before.rules.connect))
        return Reason(f"{_named(before, wins).capitalize()} {verb} {length} in a row.", cells)
    after = before.play(move)
    if after.is_over:
        return Reason()
    lost = after.winning_moves()
    if lost:
        return _open_win(before, move, after, lost, name)
    return _combination(before, after, line, name)


def _open_win(
    before: Position, move: int, after: Position, lost: tuple[int, ...], name: Name
) -> Reason:
    """The other side wins at once: its threat stood there before, or the move made room for it."""
    other = name(after.to_move)
    wins = _verb(other, "win")
    stood = [one for one in lost if kernels.move_cell(before.rules, before.occupied, one)
             & kernels.winning_cells(before.rules, before.waiting)]  # fmt: skip
    if stood and move not in stood:
        where = _named(before, tuple(stood))
        text = f"{where.capitalize()} had to be blocked: {_inside(other)} {wins} there at once."
        return Reason(text, _cells(before, tuple(stood)))
    text = f"{other} {wins} at once on top of it, in {before.rules.unit} {move + 1}."
    return Reason(text, _cells(after, lost)) if lost == (move,) else Reason()


def _combination(before: Position, after: Position, line: Sequence[int], name: Name) -> Reason:
    """Look along the refuting line for two threats at once, or two cells one above the other."""
    rules = before.rules
    positions = [after]
    for reply in line:
        positions.append(positions[-1].play(reply))
    winner = positions[-1].outcome.winner
    if winner is None or winner == before.to_move or len(line) < 3:
        return Reason()
    other, own = name(winner), name(before.to_move)
    last = positions[-3]  # the winner has just played, and will win whatever is replied
    threats = _threats(last)
    if len(threats) > 1 and not last.winning_moves():
        number = f"With move {last.ply} {_inside(other)} {_verb(other, 'threaten')}"
        where = _named(last, threats)
        return Reason(f"{number} {where} at once. {own} can block only one.", _cells(last, threats))
    final = positions[-1].occupied ^ positions[-2].occupied
    for position in positions[1::2]:
        pair = _stacked(position) & ~_stacked_of(rules, before.waiting, before.occupied)
        both = pair | pair << 1
        if both & final:
            cell = final if final & pair else final >> 1
            where = f"column {kernels.cell_move(rules, cell) + 1}"
            verb = _verb(other, "get")
            text = f"{other} {verb} two winning cells in {where}, one above the other."
            return Reason(f"{text} {own} can fill only one.", cell | cell << 1)
    return Reason()


def _threats(position: Position) -> tuple[int, ...]:
    """Return the moves with which the side that just moved would win, were it its turn again."""
    rules = position.rules
    wanted = kernels.winning_cells(rules, position.waiting)
    legal = position.legal_moves()
    return tuple(m for m in legal if kernels.move_cell(rules, position.occupied, m) & wanted)


def _stacked(position: Position) -> int:
    """Return the lower cells of pairs that both win for the side that just moved."""
    return _stacked_of(position.rules, position.waiting, position.occupied)


def _stacked_of(rules: Rules, stones: int, occupied: int) -> int:
    if not rules.gravity:
        return 0
    cells = kernels.winning_cells(rules, stones) & ~occupied
    return int(cells & (cells >> 1))


def _cells(position: Position, moves: Sequence[int]) -> int:
    cells = 0
    for move in moves:
        cells |= kernels.move_cell(position.rules, position.occupied, move)
    return cells


def _named(position: Position, moves: Sequence[int]) -> str:
    """Name moves: 'column 4', 'columns 2 and 6', 'columns 1, 2 and 6'."""
    return name_moves(position.rules, moves)


def name_moves(rules: Rules, moves: Sequence[int]) -> str:
    """Name moves: 'column 4', 'columns 2 and 6', 'columns 1, 2 and 6'."""
    numbers = [str(move + 1) for move in sorted(moves)]
    if len(numbers) == 1:
        return f"{rules.unit} {numbers[0]}"
    return f"{rules.unit}s {', '.join(numbers[:-1])} and {numbers[-1]}"


def _inside(who: str) -> str:
    """Return a side as it stands inside a sentence."""
    return "you" if who == "You" else who


def _verb(who: str, verb: str) -> str:
    return verb if who == "You" else f"{verb}s"


def marked(rules: Rules, cells: int) -> list[int]:
    """Return cells as the page counts them, row by row from the top left."""
    return [index for index, cell in enumerate(row_cells(rules)) if cells & cell]


def is_turning(before: int, after: int) -> bool:
    """Whether a move changed the outcome, given the scores before and after it, each to move."""
    return sign(-after) < sign(before)
