"""Who plays what on Play: read from an address, and written into one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from fourlab.core.errors import FourlabError
from fourlab.rules.catalog import name_of
from fourlab.rules.geometry import Rules
from fourlab.rules.position import FIRST, SECOND, write_moves
from fourlab.web.limits import read_agent, read_game
from fourlab.web.sessions.line import GameLine
from fourlab.web.sessions.notation import one_of, read_prefix
from fourlab.web.words import DEFAULT_GAME, DEFAULT_OPPONENT, HUMAN

OVERLAYS = ("off", "exact", "visits", "values")
STARTS = ("you", "opponent", "random")
SIDES = ("first", "second")


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


def read_setup(query: Mapping[str, str]) -> tuple[Setup, list[str]]:
    """Return the setup that an address names, and what in it could not be taken.

    What is wrong is passed over in favour of the default, so that a visitor always gets a board.
    """
    problems = []
    try:
        rules = read_game(query.get("game", DEFAULT_GAME))
    except FourlabError as error:
        problems.append(str(error))
        rules = read_game(DEFAULT_GAME)
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
    you, overlay, starts = (
        one_of(query, name, among, problems)
        for name, among in (("you", SIDES), ("overlay", OVERLAYS), ("starts", STARTS))
    )
    second = you == "second" and opponent != HUMAN and other == HUMAN
    starts = "opponent" if second and "starts" not in query else starts
    players = (opponent, other) if second else (other, opponent)
    return Setup(rules, players, starts, overlay), problems


def read_line(rules: Rules, query: Mapping[str, str]) -> tuple[GameLine, str]:
    """Return the game that an address tells: `moves` are shown, those of `then` come after them."""
    if not _is_game(query.get("game", DEFAULT_GAME)):
        return GameLine(rules.start()), ""  # the moves are of a board that does not exist
    shown = read_prefix(rules, query.get("moves", ""))
    if shown.error or not query.get("then"):
        return GameLine(shown.position), shown.error
    whole = read_prefix(rules, f"{shown.position.notation},{query['then']}")
    return GameLine(whole.position, shown.position.ply), whole.error


def _is_game(spec: str) -> bool:
    try:
        read_game(spec)
    except FourlabError:
        return False
    return True


def address(setting: Setup, line: GameLine, kept: str = "", is_review: bool = False) -> str:
    """Return the address of what is shown: the moves on the board, and those that follow."""
    query = {"game": name_of(line.rules), "moves": line.position.notation}
    rest = line.last.moves[line.at :]
    if rest:
        query["then"] = write_moves(line.rules, rest)
    query["opponent"] = setting.opponent
    if setting.people == 0:
        query["watch"] = setting.players[FIRST]
    if setting.you == SECOND:
        query["you"] = "second"
    if setting.starts == "random":
        query["starts"] = "random"
    if setting.overlay != "off":
        query["overlay"] = setting.overlay
    if kept:
        query["kept"] = kept
    if is_review:
        query["review"] = "yes"
    return "/play?" + urlencode(query, safe=":=,")
