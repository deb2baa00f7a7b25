"""The agents by name. A new agent is one file and one line here."""

from fourlab.agents.base import Agent
from fourlab.agents.flat import Flat
from fourlab.agents.human import Human
from fourlab.agents.learned import LEARNED_AGENTS
from fourlab.agents.mcts import Mcts
from fourlab.agents.minimax import Minimax
from fourlab.agents.perfect import Perfect
from fourlab.agents.simple import Baseline, Random
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules
from fourlab.rules.spec import configure, parse, unknown

_KINDS: list[type[Agent]] = [Random, Baseline, Flat, Minimax, Mcts, Perfect]
_KINDS += [*LEARNED_AGENTS.values(), Human]
AGENTS: dict[str, type[Agent]] = {kind.name: kind for kind in _KINDS}


def agent(text: str | Agent, game: str | Rules = "connect4") -> Agent:
    """Return the agent that a spec string names, as a player of `game`.

    Raises SpecError, which lists what exists, for an unknown name, option or value.
    """
    rules = find_game(game)
    if isinstance(text, Agent):
        return text
    spec = parse(text)
    if spec.name not in AGENTS:
        raise unknown("agent", spec.name, AGENTS)
    kind = AGENTS[spec.name]
    return kind(rules, configure(kind.Config, spec, "agent"))
