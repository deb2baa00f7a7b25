"""fourlab's agents for Kaggle's ConnectX: `as_kaggle_agent`."""

from __future__ import annotations

from functools import partial
from typing import Any

from fourlab.adapters.submission import Submission
from fourlab.adapters.thinker import make_thinker
from fourlab.agents.base import Agent
from fourlab.agents.engine import EngineAgent
from fourlab.agents.human import Human
from fourlab.agents.registry import AGENTS, agent
from fourlab.core.errors import GeometryError, SpecError
from fourlab.core.spec import write
from fourlab.rules.geometry import Rules
from fourlab.values.base import WrongGameError


def as_kaggle_agent(spec: str, seed: int | None = None) -> KaggleAgent:
    """Return `agent(obs, config)` for kaggle-environments, on every board, as either player.

    It plans `actTimeout` and `remainingOverageTime`; a `time=` in the spec is the most it takes for
    a move. Raises SpecError for what cannot play there.
    """
    return KaggleAgent(spec, seed)


class KaggleAgent(Submission):
    """An agent as the runner calls it; pickled, it travels as its spec and seed."""

    def __init__(self, spec: str, seed: int | None) -> None:
        player = player_of(spec)
        text = submission_spec(player, spec)
        super().__init__(partial(make_thinker, type(player), text, seed=seed))
        self._made_of = (spec, seed)

    def __reduce__(self) -> tuple[Any, ...]:
        return as_kaggle_agent, self._made_of


def submission_spec(player: Agent, spec: str) -> str:
    """Return a spec of options alone for an agent of one's own, which may be named by its file."""
    is_ours = type(player).__module__.startswith("fourlab.")
    return spec if is_ours else write(type(player).__name__, player.config)


def player_of(spec: str) -> Agent:
    """Return the agent that a spec string names, for connect4 or the board that it was trained on.

    Raises SpecError if it cannot play alone, GeometryError if it learned where stones do not fall.
    """
    try:
        found = agent(spec)
    except WrongGameError as error:
        found = agent(spec, error.rules)
    if isinstance(found, Human):
        known = ", ".join(name for name in AGENTS if name not in (Human.name, EngineAgent.name))
        raise SpecError(f"agent 'human' cannot play on Kaggle; take one of {known}")
    check_gravity(found.rules)
    return found


def check_gravity(rules: Rules) -> None:
    """Raise GeometryError for a board that Kaggle does not have."""
    if not rules.gravity:
        raise GeometryError(f"Kaggle's stones fall, those of {rules} do not; name another board")
