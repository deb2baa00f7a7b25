"""`GameLine`: a game as it was played, and the place in it that is looked at."""

from __future__ import annotations

from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position, position_of

MOST_VARIATIONS = 40  # the oldest are forgotten; far more than anyone plays


class GameLine:
    """The positions of a game from the empty board on; `at` counts the stones that are shown.

    Going back keeps the rest of the game. Where another move is then played, the game as it went
    on before is one of the `variations`, the newest first.
    """

    def __init__(self, position: Position, at: int | None = None) -> None:
        self.variations: list[tuple[int, ...]] = []
        self.positions: list[Position] = []
        self._follow(position)
        self.look(self.length if at is None else at)

    def _follow(self, position: Position) -> None:
        self.positions = [position.rules.start()]
        for move in position.moves:
            self.positions.append(self.positions[-1].play(move))
        self.at = len(position.moves)

    @property
    def rules(self) -> Rules:
        """The game."""
        return self.positions[0].rules

    @property
    def position(self) -> Position:
        """The position that is shown."""
        return self.positions[self.at]

    @property
    def last(self) -> Position:
        """The position that the game has reached."""
        return self.positions[-1]

    @property
    def length(self) -> int:
        """The number of moves played."""
        return len(self.positions) - 1

    @property
    def is_at_end(self) -> bool:
        """Whether the shown position is the last."""
        return self.at == self.length

    def play(self, move: int) -> None:
        """Play a move in the shown position; after a different one the old game is a variation."""
        after = self.position.play(move)
        if not self.is_at_end and self.positions[self.at + 1].moves[-1] == move:
            self.at += 1
            return
        old = self.last.moves
        del self.positions[self.at + 1 :]
        self.positions.append(after)
        self.at += 1
        self.remember(old)

    def look(self, stones: int) -> None:
        """Show the position after so many moves, as far as there are any."""
        self.at = max(0, min(stones, self.length))

    def remember(self, *others: tuple[int, ...]) -> None:
        """Keep other lines as variations, each once, none that is the beginning of another."""
        found: list[tuple[int, ...]] = []
        for moves in sorted((*others, *self.variations), key=len, reverse=True):
            if not any(long[: len(moves)] == moves for long in (self.last.moves, *found)):
                found.append(moves)
        newest = [*others, *self.variations]
        self.variations = sorted(found, key=newest.index)[:MOST_VARIATIONS]

    def choose(self, number: int) -> None:
        """Make a variation the game; the game becomes a variation. It is shown from its fork on."""
        moves, old = self.variations[number], self.last.moves
        fork = next((i for i, (a, b) in enumerate(zip(moves, old, strict=False)) if a != b), 0)
        self._follow(position_of(self.rules, moves))
        self.remember(old)
        self.look(fork + 1)
