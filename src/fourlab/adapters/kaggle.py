"""fourlab's agents for Kaggle's ConnectX: `as_kaggle_agent`."""

from collections.abc import Callable
from functools import partial
from typing import Any

from fourlab.adapters.submission import agent_function
from fourlab.adapters.thinker import make_thinker
from fourlab.agents.base import Agent
from fourlab.agents.human import Human
from fourlab.agents.registry import AGENTS, agent
from fourlab.rules.errors import SpecError


def as_kaggle_agent(spec: str, seed: int | None = None) -> Callable[[Any, Any], int]:
    """Return `agent(obs, config)` for kaggle-environments, on every board, as either player.

    It plans `actTimeout` and `remainingOverageTime`; a `time=` in the spec is the most it takes for
    a move. Raises SpecError for what cannot play there.
    """
    return agent_function(partial(make_thinker, kind_of(spec), spec, seed=seed))


def kind_of(spec: str) -> type[Agent]:
    """Return the kind of agent a spec string names; raises SpecError if it cannot play alone."""
    kind = type(agent(spec))
    if kind is Human:
        known = ", ".join(name for name in AGENTS if name != Human.name)
        raise SpecError(f"agent 'human' cannot play on Kaggle; take one of {known}")
    return kind
