"""Who may take part in an event, how many games that may be, and what is so of each player."""

from __future__ import annotations

import contextlib
from typing import NamedTuple

from fourlab.agents.base import Agent
from fourlab.agents.registry import agent as find_agent
from fourlab.core.errors import FourlabError
from fourlab.core.files import written_at
from fourlab.core.spec import on_path, parse
from fourlab.learning.registry import LEARNERS
from fourlab.learning.runs import RunConfig, find_runs
from fourlab.rules.catalog import game as find_game
from fourlab.rules.catalog import name_of
from fourlab.rules.geometry import Rules
from fourlab.web.keep.shelf import Shelf
from fourlab.web.limits import KEPT, RUNS, read_agent

MOST_PLAYERS = 8
MOST_IN_ALL = 56_000  # games of an event
MOST_RUNS = 40  # of the server's that are offered


def read_players(specs: list[str], rules: Rules) -> list[str]:
    """Return agents by their shortest specs, held to the limits of the web."""
    if not 2 <= len(specs) <= MOST_PLAYERS:
        raise FourlabError(f"choose 2 to {MOST_PLAYERS} players, not {len(specs)}")
    found = [player(spec, rules).spec for spec in specs]
    if len(set(found)) < len(found):
        raise FourlabError("an agent is chosen twice; choose each once")
    return found


def player(spec: str, rules: Rules) -> Agent:
    """Return an agent as it plays in events: one that chooses for many boards needs no clock."""
    held = read_agent(spec, rules)
    free = held if held.sources() else find_agent(spec, rules)  # files have none, and may be large
    return free if free.chooses_many else held


def check_total(players: int, per_pair: int) -> int:
    """Return the games of a pair; raises FourlabError if there are too many in all."""
    pairs = players * (players - 1) // 2
    if pairs * per_pair > MOST_IN_ALL:
        raise FourlabError(
            f"{pairs * per_pair:,} games in all are too many for the web; at most "
            f"{MOST_IN_ALL // pairs:,} a pair, or in the terminal: fourlab arena"
        )
    return per_pair


class Fact(NamedTuple):
    """What the setting asks of a player."""

    is_learned: bool  # it plays what it learned, most of it from games on the empty board
    is_deterministic: bool


def kept_runs(shelf: Shelf, rules: Rules) -> dict[str, str]:
    """Return a visitor's runs that have learned something of a game: titles by spec."""
    return {
        f"{KEPT}{item.name}": item.title
        for item in shelf.items("run")
        if "agent" in item.body and item.body.get("query", {}).get("game") == name_of(rules)
    }


def own_runs(rules: Rules) -> list[str]:
    """Return the agents of the server's own runs of a game, by spec; the newest first."""
    found = []
    for folder in sorted(find_runs(RUNS), key=written_at, reverse=True)[:MOST_RUNS]:
        with contextlib.suppress(FourlabError, OSError, KeyError):
            config = RunConfig.load(folder)
            if find_game(config.game) == rules and parse(config.learner).name in LEARNERS:
                found.append(on_path(parse(config.learner).name, folder))
    return found
