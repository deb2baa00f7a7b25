"""The agents by name. A new agent is one file and one line here."""

from fourlab.agents.base import Agent
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


def agent(text: str | Agent, game: str | Rules = "connect4") -> Agent:
    """Return the agent that a spec string names, as a player of `game`.

    Raises SpecError, which lists what exists, for an unknown name, option or value.
    """
    rules = find_game(game)
    if isinstance(text, Agent):
        return text
    spec = parse(text)
    kind = AGENTS.find(spec.name)
    return kind(rules, configure(kind.Config, spec, "agent"))
