"""Matches: how the games of a pairing are played, one rule for all agents."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from fourlab.agents.base import Agent
from fourlab.arena.games import Games
from fourlab.arena.host import Host
from fourlab.arena.identity import known_agent
from fourlab.arena.in_step import play_in_step, ready
from fourlab.arena.pairing import Pairing, Stretch, Watch, import_modules, nobody
from fourlab.arena.seats import gathered, play_seated
from fourlab.core.limit import CalledOffError, never
from fourlab.core.workers import is_left
from fourlab.positions.openings import default_plies
from fourlab.rules.position import position_of


def play(stretch: Stretch, watch: Watch = nobody, stop: Callable[[], bool] = never) -> Games:
    """Play the games of a stretch; runs in a worker. Raises CalledOffError once `stop` says so.

    Agents of ours that choose for many boards at once play many games in step, where no clock is
    asked for. Everyone else sits in a process of their own, one game after the other.
    """
    pairing = stretch.pairing
    import_modules(pairing.modules)
    if pairing.move_seconds is None:
        agents = _agents(pairing)
        if all(_in_step(agent) for agent in agents):
            return play_in_step(stretch, agents, watch, stop)
    return play_seated(stretch, watch, is_left if stop is never else stop)


def prepare(pairing: Pairing) -> None:
    """Compile and load what the games of a pairing need, if they are played in this process."""
    import_modules(pairing.modules)
    agents = _agents(pairing)
    if pairing.move_seconds is None and all(_in_step(agent) for agent in agents):
        ready(pairing, agents)


def _agents(pairing: Pairing) -> tuple[Agent, Agent]:
    sides = zip((pairing.a, pairing.b), pairing.checksums, (0, 1), strict=True)
    a, b = (known_agent(spec, pairing.game, *seat) for spec, *seat in sides)
    return a, b


def _in_step(agent: Agent) -> bool:
    return agent.chooses_many and type(agent).__module__.startswith("fourlab.")


def play_here(
    a: Agent,
    b: Agent,
    games: int,
    seed: int,
    plies: int | None = None,
    stop: Callable[[], bool] = never,
) -> Games:
    """Play games between two agents in this thread, without a clock: for agents without a file.

    Raises CalledOffError once `stop` says so; of agents one game after the other, between games.
    """
    length = default_plies(a.rules) if plies is None else plies
    pairing = Pairing(str(a.rules), a.spec, b.spec, seed, length)
    if _in_step(a) and _in_step(b):
        return play_in_step(Stretch(pairing, 0, games), (a, b), stop=stop)
    numbers = np.arange(games)
    said: list[dict[str, Any]] = []
    host = Host(said.append)
    seeds, lines = pairing.seeds(numbers).tolist(), pairing.openings(numbers).moves.tolist()
    for number in range(games):
        if stop():
            raise CalledOffError
        host.play(number, (a, b), seeds[number], position_of(a.rules, lines[number]), math.inf)
    return gathered(pairing, [message for message in said if "result" in message])
