"""The games by name. A new game is one line in `GAMES`, or an entry point of `fourlab.games`."""

import functools
import importlib
import logging
from dataclasses import dataclass

from fourlab.core.registry import offered
from fourlab.core.spec import configure, option, parse, unknown
from fourlab.rules.geometry import CONNECT_RANGE, Rules

GAMES: dict[str, tuple[Rules, str]] = {
    "connect4": (Rules(7, 6, 4, gravity=True), "Connect Four"),
    "tictactoe": (Rules(3, 3, 3, gravity=False), "Tic-tac-toe"),
}

FAMILIES: dict[str, tuple[bool, str]] = {
    "connect": (True, "any board on which stones fall"),
    "mnk": (False, "any board on which stones stay where they are put"),
}


@functools.cache
def _add_installed() -> None:
    """Add the boards that installed packages offer; a broken one is named and left out.

    Only when a board without a name of ours is spoken of: their modules may import fourlab.
    """
    for name, place in offered("fourlab.games").items():
        module, _, attribute = place.partition(":")
        try:
            rules, title = getattr(importlib.import_module(module), attribute)
            GAMES.setdefault(name, (Rules(*rules), str(title)))
        except Exception as error:  # it is theirs to mend
            logging.getLogger("fourlab").warning("game %r of %s: %s", name, place, error)


@dataclass(frozen=True)
class Geometry:
    """The options of a family of games."""

    columns: int = option(7, "columns of the board", low=1)
    rows: int = option(6, "rows of the board", low=1)
    connect: int = option(
        4, "stones in a winning line", name="k", low=CONNECT_RANGE[0], high=CONNECT_RANGE[-1]
    )


def game(text: str | Rules) -> Rules:
    """Return the rules that a spec string names: `connect4`, `connect:columns=5,rows=6,k=4`."""
    if isinstance(text, Rules):
        return text
    spec = parse(text)
    if spec.name not in GAMES and spec.name not in FAMILIES:
        _add_installed()
    if spec.name in GAMES:
        configure(_NoOptions, spec, "game")
        return GAMES[spec.name][0]
    if spec.name not in FAMILIES:
        raise unknown("game", spec.name, [*GAMES, *FAMILIES])
    board = configure(Geometry, spec, "game")
    gravity, _ = FAMILIES[spec.name]
    return Rules(board.columns, board.rows, board.connect, gravity)


@dataclass(frozen=True)
class _NoOptions:
    """A game with a name of its own has nothing to set."""


def is_named(rules: Rules) -> bool:
    """Return whether a board has a name of its own: then it is worth kernels of its own too."""
    return name_of(rules) in GAMES


def name_of(rules: Rules) -> str:
    """Return the spec string of a game: `game(name_of(rules)) == rules`."""
    names = [name for name, (known, _) in GAMES.items() if known == rules]
    if not names:
        _add_installed()
        names = [name for name, (known, _) in GAMES.items() if known == rules]
    if names:
        return names[0]
    family = "connect" if rules.gravity else "mnk"
    return f"{family}:columns={rules.columns},rows={rules.rows},k={rules.connect}"
