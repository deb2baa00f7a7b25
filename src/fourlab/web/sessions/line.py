"""`GameLine`: a game as it was played, and the place in it that is looked at."""

from __future__ import annotations

from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position


class GameLine:
    """The positions of a game from the empty board on; `at` counts the stones that are shown.

    Going back keeps the rest of the game until another move is played.
    """

    def __init__(self, position: Position) -> None:
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
        """Play a move in the shown position; a different one ends the game as it went on before."""
        after = self.position.play(move)
        if not self.is_at_end and self.positions[self.at + 1].moves[-1] == move:
            self.at += 1
            return
        del self.positions[self.at + 1 :]
        self.positions.append(after)
        self.at += 1

    def look(self, stones: int) -> None:
        """Show the position after so many moves, as far as there are any."""
        self.at = max(0, min(stones, self.length))
