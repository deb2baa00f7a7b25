"""The agents by name. A new agent is one file and one line here."""

from fourlab.agents.base import Agent
from fourlab.core.errors import SpecError
from fourlab.core.registry import Registry
from fourlab.core.spec import configure, parse
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules

AGENTS: Registry[type[Agent]] = Registry(
    "agent",
    {
        "random": "fourlab.agents.simple:Random",
        "baseline": "fourlab.agents.simple:Baseline",
        "flat": "fourlab.agents.flat:Flat",
        "minimax": "fourlab.agents.minimax:Minimax",
        "mcts": "fourlab.agents.mcts:Mcts",
        "perfect": "fourlab.agents.perfect:Perfect",
        "q": "fourlab.agents.learned:QAgent",
        "afterstates": "fourlab.agents.learned:AfterstatesAgent",
        "double-q": "fourlab.agents.learned:DoubleQAgent",
        "td-lambda": "fourlab.agents.learned:TdLambdaAgent",
        "monte-carlo": "fourlab.agents.learned:MonteCarloAgent",
        "n-tuple": "fourlab.agents.learned:NTupleAgent",
        "deep-q": "fourlab.agents.deep_q:DeepQAgent",
        "learned": "fourlab.agents.learned:Learned",
        "net": "fourlab.agents.net:Net",
        "zero": "fourlab.agents.zero:Zero",
        "human": "fourlab.agents.human:Human",
    },
)


def agent(text: str | Agent, game: str | Rules | None = None) -> Agent:
    """Return the agent that a spec string names, as a player of `game`, by default connect4.

    Raises SpecError, which lists what exists, for an unknown name, option or value, and for an
    agent that plays another game.
    """
    rules = find_game("connect4" if game is None else game)
    if isinstance(text, Agent):
        if game is not None and text.rules != rules:
            raise SpecError(f"{text.spec} plays {text.rules}, not {rules}; make one that does")
        return text
    spec = parse(text)
    kind = AGENTS.find(spec.name)
    return kind(rules, configure(kind.Config, spec, "agent"))
