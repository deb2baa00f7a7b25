"""From how an experiment was run to the laboratory's pages with the same settings."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fourlab.positions.suites import PHASES, in_phase
from fourlab.rules.catalog import game as find_game


def arena(
    game: str, agents: tuple[str, ...], games: int, seed: int, plies: int | None = None
) -> str:
    """Return the address of the arena with these agents; `plies` of openings, None the usual."""
    begin = "" if plies is None else plies
    return _address("/arena", game=game, agents=agents, games=games, seed=seed, plies=begin)


def learn(game: str, learner: str, seed: int) -> str:
    """Return the address of a training run."""
    return _address("/learn", game=game, learner=learner, seed=seed)


def analyse(game: str, moves: str = "") -> str:
    """Return the address of a position."""
    return _address("/analyse", game=game, moves=moves)


def of_entry(entry: dict[str, Any]) -> tuple[str, str] | None:
    """Return where an entry of a bench's log can be looked at: a word and an address."""
    game = entry.get("game", "connect4")
    if entry["kind"] == "match":
        agents, games = (entry["a"], entry["b"]), entry["games"]
        where = arena(game, agents, games, entry["seed"], entry.get("plies"))
        return "Open in Arena", where
    if entry["kind"] == "training":
        return "Open in Learn", learn(game, entry["learner"], entry["seeds"][0])
    if entry["kind"] == "grade" and (moves := _graded(entry)):
        return "Open in Analyse", analyse(game, moves)
    return None


def _graded(entry: dict[str, Any]) -> str:
    """Return a position that an agent was graded on: the costliest, else its suite's first."""
    if entry.get("worst"):
        return str(entry["worst"])
    if entry["suite"] not in PHASES:
        return ""
    first = next(in_phase(find_game(entry.get("game", "connect4")), entry["suite"]), None)
    return first.notation if first else ""


def _address(page: str, **options: Any) -> str:
    return f"{page}?{urlencode({k: v for k, v in options.items() if v != ''}, doseq=True)}"
