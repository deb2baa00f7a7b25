"""The agents by name. A new agent is one file and one line here, or a user's own file."""

import inspect
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, cast

from fourlab.agents.base import Agent
from fourlab.agents.function import REMEDY, adapt, pick_agent
from fourlab.core import cells, own
from fourlab.core.errors import SpecError
from fourlab.core.registry import Registry
from fourlab.core.spec import POSITIONAL, Spec, configure, nameable, parse, write
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules

GROUP = "fourlab.agents"  # of entry points
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
        "engine": "fourlab.agents.engine:EngineAgent",
        "human": "fourlab.agents.human:Human",
    },
    group=GROUP,
    pick=pick_agent,
    adapt=adapt,
)


Named = str | Agent | type[Agent] | Callable[..., int]
"""What stands for an agent: a spec, the agent, or a class or a function of one's own."""


def several(agents: Named | Sequence[Any]) -> tuple[Named, ...]:
    """Return agents that were given one by one, in a list, or alone."""
    if isinstance(agents, list | tuple):
        return tuple(one for some in agents for one in several(some))
    return (cast(Named, agents),)


def agent(text: Named, game: str | Rules | None = None) -> Agent:
    """Return the agent that a spec string names, as a player of `game`, by default connect4.

    A class or a function stands for the agent that its file would give, also when it was written in
    a notebook.

    Raises SpecError, which lists what exists, for an unknown name, option or value, and for an
    agent that plays another game.
    """
    rules = find_game("connect4" if game is None else game)
    if isinstance(text, Agent):
        if game is not None and text.rules != rules:
            raise SpecError(f"{text.spec} plays {text.rules}, not {rules}; make one that does")
        return text
    kind, config = configured(parse(nameable(spec_of(text))))
    made = kind(rules, config)
    if not (hasattr(made, "rules") and hasattr(made, "config")):
        raise SpecError(f"{kind.name}: its __init__ must call super().__init__(rules, config)")
    return made


def spec_of(thing: Named) -> str:
    """Return the spec of an agent that anyone can be sent; raises SpecError if there is none.

    What was written in a notebook or a script goes by its source, with all that it names.
    """
    if isinstance(thing, str):
        return thing
    if isinstance(thing, Agent):
        kind = type(thing)
        return write(spec_of(kind), thing.config) if cells.from_main(kind) else thing.spec
    is_kind = isinstance(thing, type) and issubclass(thing, Agent)
    if not is_kind and not isinstance(thing, FunctionType):
        raise SpecError(f"{thing!r:.60} is no agent; {REMEDY}")
    if cells.from_main(thing):
        return f"{cells.gathered(thing)}:{thing.__name__}"
    home = thing.__module__
    return f"{home if own.is_own(home) else inspect.getfile(thing)}:{thing.__name__}"


def whole(spec: Spec) -> Spec:
    """Return a spec whose name has the part of a file, where such a part is registered."""
    name = f"{spec.name}:{spec.options.get(POSITIONAL, '')}"
    if POSITIONAL not in spec.options or name not in AGENTS:
        return spec
    return Spec(name, {key: text for key, text in spec.options.items() if key != POSITIONAL})


def configured(spec: Spec) -> tuple[type[Agent], Any]:
    """Return the kind of agent that a spec names, and its config; raises SpecError.

    In `mine.py:Name,depth=3` the first word names an agent of the file.
    """
    spec = whole(spec)
    part = spec.options.get(POSITIONAL, "")
    if own.is_own(spec.name) and part.isidentifier() and spec.name not in AGENTS:
        rest = {name: value for name, value in spec.options.items() if name != POSITIONAL}
        kind, spec = AGENTS.find(spec.name, part), Spec(f"{spec.name}:{part}", rest)
    else:
        kind = AGENTS.find(spec.name)
    return kind, configure(kind.Config, spec, "agent")
