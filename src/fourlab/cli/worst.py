"""The worst game of an agent, and the move that lost it, by the solver."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fourlab.rules.record import GameRecord

SECONDS = 20.0  # for exact scores, from the end of the game back


def worst_of(agents: set[str], games: Iterable[GameRecord]) -> tuple[GameRecord, int] | None:
    """Return the game that one of these agents lost in the fewest moves, and its side, or None.

    Of equally short ones, it is that of the lowest number.
    """
    lost = [
        (len(entry.moves), entry.id, entry, side)
        for entry in games
        for side, name in enumerate((entry.first, entry.second))
        if name in agents and entry.outcome == ("second", "first")[side]
    ]
    return min(lost, key=lambda found: found[:2])[2:] if lost else None


def mistake(entry: GameRecord, side: int) -> str:
    """Say which of its moves cost the agent most, "" if that cannot be told in time."""
    from fourlab.core.limit import Limit
    from fourlab.rules.catalog import game as find_game
    from fourlab.rules.position import position_of, read_moves, write_moves
    from fourlab.search.scores import words
    from fourlab.search.solver import shared_solver

    rules = find_game(entry.game)
    moves = read_moves(rules, entry.moves)
    watch = Limit(seconds=SECONDS).watch()
    costs = []
    for ply in reversed(range(entry.plies, len(moves))):
        if ply % 2 != side:
            continue
        position = position_of(rules, moves[:ply])
        scores = dict(shared_solver(rules).moves(position, watch.rest()))
        if not all(found.is_exact for found in scores.values()):
            break
        best = max(scores, key=lambda move: (scores[move].low, -move))
        cost = scores[best].low - scores[moves[ply]].low
        costs.append((-cost, ply, best, scores[best].low, scores[moves[ply]].low))
    cost, ply, best, could, did = min(costs, default=(0, 0, 0, 0, 0))
    if not cost:
        return ""
    unit = rules.unit
    return (
        f"its costliest move: {unit} {moves[ply] + 1} as move {ply + 1}, {words(rules, ply, did)}; "
        f"{unit} {best + 1} was {words(rules, ply, could)}: "
        f"fourlab analyze {write_moves(rules, moves[:ply])}"
        + ("" if entry.game == "connect4" else f" --game {entry.game}")
    )
