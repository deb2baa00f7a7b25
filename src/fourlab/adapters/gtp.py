"""An agent behind the text protocol of OpenSpiel's example server, a relative of Go's GTP.

A command a line; the answer begins with `=`, or with `?` if it failed, and ends with an empty line.
Moves are OpenSpiel's: `x3` is the first player in the fourth column, `o(0,2)` the second in the
right cell of the top row. Boards go by OpenSpiel's names, or by ours.
"""

from __future__ import annotations

import inspect

from fourlab.adapters.serving import EngineServer
from fourlab.core import own
from fourlab.core.errors import FourlabError, SpecError, quoted
from fourlab.core.spec import whole_number
from fourlab.rules.catalog import game as find_game
from fourlab.rules.formats import write_text
from fourlab.rules.position import Position
from fourlab.version import __version__

BOARDS = {"connect_four": "connect4", "tic_tac_toe": "tictactoe"}
SIDES = "xo"
COMMANDS = "gtp_"  # what the names of methods that answer begin with


class GtpServer(EngineServer):
    """Answers lines; what goes wrong is said behind a question mark, not raised."""

    def answer(self, line: str) -> bool:
        """Do what a line asks for; return whether to go on."""
        word, *rest = line.split() or [""]
        action = getattr(self, COMMANDS + word, None)
        try:
            if action is None:
                raise SpecError("unknown command; list_commands tells them")
            takes = inspect.signature(action)
            try:
                takes.bind(*rest)
            except TypeError:
                raise SpecError(" ".join(["write", word, *takes.parameters])) from None
            found = action(*rest)
            self.say(f"= {found}\n" if found else "=\n")
        except FourlabError as error:
            self.say(f"? {error}\n")
        except Exception as error:  # whatever an agent does, the next line is answered
            self.say(f"? {own.told(error)}\n")
        return word != "quit"

    def gtp_name(self) -> str:
        return f"fourlab {self.agent.spec}"

    def gtp_version(self) -> str:
        return __version__

    def gtp_protocol_version(self) -> str:
        return "2"

    def gtp_quit(self) -> str:
        return ""

    def gtp_list_commands(self) -> str:
        return " ".join(name[len(COMMANDS) :] for name in dir(self) if name.startswith(COMMANDS))

    def gtp_known_command(self, name: str) -> str:
        return str(hasattr(self, COMMANDS + name)).lower()

    def gtp_game(self, name: str = "") -> str:
        if name:
            self._become(self.agent.config, find_game(BOARDS.get(name, name)))
        named = str(self.agent.rules)
        return {ours: theirs for theirs, ours in BOARDS.items()}.get(named, named)

    def gtp_clear_board(self) -> str:
        self._become(self.agent.config, self.agent.rules)
        return ""

    def gtp_play(self, colour: str, move: str) -> str:
        """Play a move; as there, it is always that of the side to move."""
        legal = self.position.legal_moves()
        found = [one for one in legal if spelled(self.position, one) == move]
        if not found:
            raise SpecError(f"{move} cannot be played; legal: {self.gtp_legal_actions()}")
        self.position = self.position.play(found[0])
        return ""

    def gtp_genmove(self, colour: str = "") -> str:
        if self.position.is_over:
            raise SpecError("the game is over")
        decision = self.agent.decide(self.position, self.rng, self._limit({}))
        said = spelled(self.position, decision.move)
        self.position = self.position.play(decision.move)
        return said

    def gtp_undo(self, count: str = "1") -> str:
        moves = self.position.moves
        number = whole_number(count)
        if number is None or number > len(moves):
            raise SpecError(f"cannot take back {quoted(count)} of {len(moves)} moves")
        self.position = self.agent.rules.start().play_all(moves[: len(moves) - number])
        return ""

    def gtp_showboard(self) -> str:
        return f"\n{write_text(self.position, base=0).lower()}"

    def gtp_legal_actions(self) -> str:
        return " ".join(spelled(self.position, move) for move in self.position.legal_moves())

    def gtp_history(self) -> str:
        return ", ".join(str(move) for move in self.position.moves)

    def gtp_is_terminal(self) -> str:
        return str(self.position.is_over).lower()

    def gtp_current_player(self) -> str:
        return str(-4 if self.position.is_over else self.position.to_move)  # their sign for none

    def gtp_returns(self) -> str:
        winner = self.position.outcome.winner
        return {0: "1 -1", 1: "-1 1"}.get(-1 if winner is None else winner, "0 0")


def spelled(position: Position, move: int) -> str:
    """Return a move of the side to move as OpenSpiel writes it."""
    side, rules = SIDES[position.to_move], position.rules
    if rules.gravity:
        return f"{side}{move}"
    row, column = divmod(move, rules.columns)
    return f"{side}({row},{column})"
