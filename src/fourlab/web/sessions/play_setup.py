"""Who plays what on Play: read from an address, and written into one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fourlab.core.errors import FourlabError
from fourlab.rules.geometry import Rules
from fourlab.rules.position import FIRST, SECOND
from fourlab.web.limits import read_agent, read_game
from fourlab.web.words import DEFAULT_GAME, DEFAULT_OPPONENT, HUMAN

OVERLAYS = ("off", "exact", "visits", "values")
STARTS = ("you", "opponent", "random")


@dataclass(frozen=True)
class Setup:
    """Who plays what; a player is `human` or an agent's spec."""

    rules: Rules
    players: tuple[str, str]
    starts: str = "you"
    overlay: str = "off"

    @property
    def people(self) -> int:
        """How many people play."""
        return self.players.count(HUMAN)

    @property
    def you(self) -> int:
        """The side that the page takes: the person's, or the first."""
        return SECOND if self.people == 1 and self.players[SECOND] == HUMAN else FIRST

    @property
    def opponent(self) -> str:
        """The player on the other side."""
        return self.players[1 - self.you]


def read_setup(query: Mapping[str, str]) -> tuple[Setup, str, list[str]]:
    """Return the setup and moves that an address names, and what in it could not be taken.

    What is wrong is passed over in favour of the default, so that a visitor always gets a board.
    """
    problems = []
    try:
        rules = read_game(query.get("game", DEFAULT_GAME))
        moves = query.get("moves", "")
    except FourlabError as error:
        problems.append(str(error))
        rules, moves = read_game(DEFAULT_GAME), ""
    specs = []
    for name, fallback in (("opponent", DEFAULT_OPPONENT), ("watch", HUMAN)):
        spec = query.get(name, fallback)
        try:
            if spec != HUMAN:
                read_agent(spec, rules)
        except FourlabError as error:
            problems.append(str(error))
            spec = fallback
        specs.append(spec)
    opponent, other = specs
    second = query.get("you") == "second" and opponent != HUMAN and other == HUMAN
    overlay = query.get("overlay", "off")
    starts = query.get("starts", "opponent" if second else "you")
    setup = Setup(
        rules,
        (opponent, other) if second else (other, opponent),
        starts if starts in STARTS else "you",
        overlay if overlay in OVERLAYS else "off",
    )
    return setup, moves, problems
