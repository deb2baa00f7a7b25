"""An agent behind the text protocol of OpenSpiel's example server, a relative of Go's GTP.

A command a line; the answer begins with `=`, or with `?` if it failed, and ends with an empty line.
Moves are OpenSpiel's: `x3` is the first player in the fourth column, `o(0,2)` the second in the
right cell of the top row. Boards go by OpenSpiel's names, or by ours.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

from fourlab.adapters.serving import EngineServer
from fourlab.agents.base import Agent
from fourlab.core import own
from fourlab.core.errors import FourlabError, SpecError, quoted
from fourlab.core.spec import whole_number
from fourlab.rules.catalog import game as find_game
from fourlab.rules.formats import write_text
from fourlab.rules.position import Position
from fourlab.version import __version__

COLOURS = (("x", "b", "black"), ("o", "w", "white"))  # OpenSpiel's, and those of Go
BOARDS = {"connect_four": "connect4", "tic_tac_toe": "tictactoe"}
TOLD: dict[
    str, Callable[[Agent, Position], str]
] = {  # what is only told, of an agent and a position
    "name": lambda agent, _: f"fourlab {agent.spec}",
    "version": lambda *_: __version__,
    "protocol_version": lambda *_: "2",
    "quit": lambda *_: "",
    "showboard": lambda _, position: f"\n{write_text(position, base=0).lower()}",
    "legal_actions": lambda _, position: " ".join(spelled(position)),
    "history": lambda _, position: ", ".join(map(str, position.moves)),
    "is_terminal": lambda _, position: str(position.is_over).lower(),
    "current_player": lambda _, position: str(-4 if position.is_over else position.to_move),
    "returns": lambda _, p: {0: "1 -1", 1: "-1 1", None: "0 0"}[p.outcome.winner],
}


class GtpServer(EngineServer):
    """Answers lines; what goes wrong is said behind a question mark, not raised."""

    def answer(self, line: str) -> bool:
        """Do what a line asks for; return whether to go on."""
        word, *rest = line.split() or [""]
        action = getattr(self, f"gtp_{word}", lambda: TOLD[word](self.agent, self.position))
        try:
            if word not in self.gtp_list_commands().split():
                raise SpecError("unknown command; list_commands tells them")
            takes = inspect.signature(action).parameters
            least = sum(one.default is one.empty for one in takes.values())
            if not least <= len(rest) <= len(takes):
                raise SpecError(" ".join(["write", word, *takes]))
            self.say(f"= {action(*rest) or ''}".rstrip(" ") + "\n")
        except (Exception, SystemExit) as error:  # whatever it does, the next line is answered
            self.say(f"? {error if isinstance(error, FourlabError) else own.told(error)}\n")
        return word != "quit"

    def gtp_list_commands(self) -> str:
        methods = (name.removeprefix("gtp_") for name in dir(self) if name.startswith("gtp_"))
        return " ".join(sorted([*methods, *TOLD]))

    def gtp_known_command(self, name: str) -> str:
        return str(name in self.gtp_list_commands().split()).lower()

    def gtp_game(self, name: str = "") -> str:
        if name:
            self._become(self.agent.config, find_game(BOARDS.get(name, name)))
        named = str(self.agent.rules)
        return {ours: theirs for theirs, ours in BOARDS.items()}.get(named, named)

    def gtp_clear_board(self) -> None:
        self._become(self.agent.config, self.agent.rules)

    def gtp_play(self, colour: str, move: str) -> None:
        moves = spelled(self.position)
        if move not in moves:
            raise SpecError(f"{move} cannot be played; legal: {' '.join(moves)}")
        self._check_side(colour)
        self.position = self.position.play(moves[move])

    def gtp_genmove(self, colour: str = "") -> str:
        if self.position.is_over:
            raise SpecError("the game is over")
        self._check_side(colour)
        move = self.agent.decide(self.position, self.rng, self._limit({})).move
        before, self.position = self.position, self.position.play(move)
        return next(said for said, one in spelled(before).items() if one == move)

    def _check_side(self, colour: str) -> None:
        if colour.lower() not in ("", *(names := COLOURS[self.position.to_move])):
            raise SpecError(f"{quoted(colour)} cannot move now; write {names[0]}")

    def gtp_undo(self, count: str = "1") -> None:
        moves, number = self.position.moves, whole_number(count)
        if number is None or number > len(moves):
            raise SpecError(f"cannot take back {quoted(count)} of {len(moves)} moves")
        self.position = self.agent.rules.start().play_all(moves[: len(moves) - number])


def spelled(position: Position) -> dict[str, int]:
    """Return the legal moves as OpenSpiel writes them."""
    side, rules = "xo"[position.to_move], position.rules
    cells = [f"({row},{column})" for row in range(rules.rows) for column in range(rules.columns)]
    return {f"{side}{m if rules.gravity else cells[m]}": m for m in position.legal_moves()}
