"""Agents of one's own: what a file or a module holds, made into agents.

Three kinds are taken: a subclass of `Agent`; a function `(position, rng) -> move`, with `limit` too
if it has a parameter of that name; Kaggle's `agent(observation, configuration)`. What else a
function takes, with a default, is an option of the agent.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
import random
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, ClassVar

import numpy as np

from fourlab.agents.base import Agent, Decision, kernel_seed
from fourlab.core import own
from fourlab.core.errors import GeometryError, OwnCodeError, SpecError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.spec import option, options_of
from fourlab.rules.formats import write_kaggle
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position

KINDS = (bool, int, float, str)  # that an option can have; numbers of numpy are floats, too
KAGGLE_NAMES = (("obs", "observation"), ("config", "configuration", "conf"))
KEPT = 256  # kinds of agents that a process keeps
ACT_TIMEOUT, OVERAGE = 2.0, 60.0  # seconds that Kaggle gives for a move, and in addition for a game
LEGACY_SEED = 1 << 32  # numpy's shared dice take no more
REMEDY = (
    "write a function (position, rng), Kaggle's agent(observation, configuration), or a subclass"
    " of fourlab.Agent; a beginning: fourlab new agent mine.py"
)


class FunctionAgent(Agent):
    """A function of somebody's own."""

    function: ClassVar[Callable[..., Any]]
    takes_limit: ClassVar[bool] = False

    def __init__(self, rules: Rules, config: Any = None) -> None:
        super().__init__(rules, config)
        fields = dataclasses.fields(self.config)
        self._options = {field.name: getattr(self.config, field.name) for field in fields}

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        options = {**self._options, "limit": limit} if self.takes_limit else self._options
        return Decision(self._move(type(self).function(position, rng, **options)))

    def _move(self, answer: Any) -> int:
        try:
            return operator.index(answer)
        except TypeError:
            raise OwnCodeError(
                f"{self.name} answered {answer!r}; a move is a whole number, "
                f"0 to {self.rules.move_count - 1}"
            ) from None


class Struct(dict[str, Any]):
    """What Kaggle hands over: fields as keys and as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class KaggleFunction(FunctionAgent):
    """A function of somebody's own, as Kaggle's ConnectX calls it."""

    parameters: ClassVar[int] = 2

    def __init__(self, rules: Rules, config: Any = None) -> None:
        super().__init__(rules, config)
        if not rules.gravity:
            raise GeometryError(f"{self.name} is for Kaggle, where stones fall; {rules} is not")
        self._draws = "random" in source_of(self)

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        rules = self.rules
        if self._draws:  # from dice that everybody draws from; so that one seed is one game
            seed = kernel_seed(rng) % LEGACY_SEED
            random.seed(seed)
            np.random.seed(seed)  # noqa: NPY002  # as it is drawn from
        observation = Struct(
            board=write_kaggle(position),
            mark=position.to_move + 1,
            step=position.ply,
            remainingOverageTime=OVERAGE,
        )
        act = min(ACT_TIMEOUT, limit.seconds)
        configuration = Struct(
            columns=rules.columns,
            rows=rules.rows,
            inarow=rules.connect,
            actTimeout=act,
            timeout=act,
            agentTimeout=OVERAGE,
            runTimeout=1200,
            episodeSteps=1000,
        )
        given = (observation, configuration)[: self.parameters]
        return Decision(self._move(type(self).function(*given)))


def source_of(agent: Agent) -> str:
    """Return the text of an own agent's file, and of those beside it that it imports."""
    place = agent.name.partition(":")[0]
    if own.is_file(place):
        return "\n".join(text for _, text in own.parcel(place).texts)
    module = inspect.getmodule(type(agent))
    return inspect.getsource(module) if module else ""


def pick_agent(module: ModuleType, place: str, part: str) -> type[Agent]:
    """Return the agent that a module holds, or the one of a name; raises SpecError."""
    file = place.partition("@")[0]
    offered = {
        name: thing
        for name, thing in vars(module).items()
        if getattr(thing, "__module__", None) == module.__name__ and _is_agent(name, thing)
    }
    listed = ", ".join(offered) or "none"
    if part and part not in offered:
        if not hasattr(module, part):
            raise SpecError(f"{file} holds no {part}; its agents: {listed}")
        offered[part] = getattr(module, part)
    if not offered:
        raise SpecError(f"{file} holds no agent; {REMEDY}")
    if len(offered) > 1 and not part:
        first = next(iter(offered))
        raise SpecError(f"{file} holds several agents; name one, such as {file}:{first}: {listed}")
    thing = part or next(iter(offered))
    name = place if len(offered) == 1 else f"{place}:{thing}"
    return adapt(offered[thing], name, () if own.is_file(place) else (str(module.__file__),))


def adapt(thing: Any, name: str, files: tuple[str, ...] | None = None) -> type[Agent]:
    """Return a class or a function as a kind of agent with this name, always the same one.

    Raises SpecError if it is neither.

    `files` are those that make it who it is, by default the one that it was written in.
    """
    if not isinstance(thing, type | FunctionType):
        raise SpecError(f"{name} is no agent but {type(thing).__name__}; {REMEDY}")
    return _adapted(thing, name, (inspect.getfile(thing),) if files is None else files)


@functools.lru_cache(maxsize=KEPT)
def _adapted(thing: Any, name: str, files: tuple[str, ...]) -> type[Agent]:
    base: type[Agent]
    fields: dict[str, Any] = {}
    if isinstance(thing, type) and issubclass(thing, Agent):
        base = thing
        _check_class(thing, name)
    elif isinstance(thing, FunctionType):
        base, fields = _function(thing, name)
    else:
        raise SpecError(f"{name} is no agent but {type(thing).__name__}; {REMEDY}")

    def sources(self: Agent) -> tuple[Path, ...]:
        return (*base.sources(self), *map(Path, files))

    home = {"__module__": thing.__module__, "__doc__": thing.__doc__ or f"{name}, one's own."}
    ours = {"name": name, "sources": sources, "__reduce__": _parcelled}
    kind = type(thing.__name__, (base,), {**fields, **home, **ours})
    _check_options(kind)
    return kind


def _parcelled(self: Agent) -> tuple[Any, ...]:
    """Return an agent as it is copied and pickled: nobody can import its class by its name."""
    state = self.__getstate__()
    if isinstance(state, dict):  # its options are of a class of their own, too; the spec tells them
        state = {name: what for name, what in state.items() if name not in ("rules", "config")}
    return _unparcelled, (own.mentioned(self.spec), self.spec, self.rules), state or None


def _unparcelled(files: tuple[own.Parcel, ...], spec: str, rules: Rules) -> Agent:
    from fourlab.agents.registry import agent  # imports this module

    own.carry(files)
    return agent(spec, rules)


def _is_agent(name: str, thing: Any) -> bool:
    if name.startswith("_"):
        return False
    if isinstance(thing, type):
        return issubclass(thing, Agent) and not inspect.isabstract(thing)
    return isinstance(thing, FunctionType) and _signature(thing) is not None


def _signature(function: FunctionType) -> type[FunctionAgent] | None:
    """Return which kind of agent a function is, by the names of its parameters."""
    names = list(inspect.signature(function).parameters)
    if names[:2] == ["position", "rng"]:
        return FunctionAgent
    fits = [name in known for name, known in zip(names, KAGGLE_NAMES, strict=False)]
    return KaggleFunction if 1 <= len(names) <= 2 and all(fits) else None


def _function(function: FunctionType, name: str) -> tuple[type[Agent], dict[str, Any]]:
    base = _signature(function)
    parameters = list(inspect.signature(function).parameters.values())
    if base is None:
        taken = ", ".join(parameter.name for parameter in parameters)
        raise SpecError(f"{name}({taken}) is no agent; {REMEDY}")
    fields: dict[str, Any] = {"function": function, "Config": dataclasses.make_dataclass("C", ())}
    if base is KaggleFunction:
        return base, {**fields, "parameters": len(parameters)}
    options = [parameter for parameter in parameters[2:] if parameter.name != "limit"]
    for parameter in options:
        if parameter.default is parameter.empty or parameter.kind is parameter.VAR_KEYWORD:
            raise SpecError(f"{name}: give {parameter.name} a default, such as {parameter.name}=1")
        if parameter.default is not None and not isinstance(parameter.default, KINDS):
            given = f"option {parameter.name}={parameter.default!r:.50}"
            raise SpecError(
                f"{name}: {given} is no number, text or yes/no; write {parameter.name}=1"
            )
    made = [
        (p.name, _kind(p.default), option(p.default, "an option of the file"))
        for p in options
        if p.default is not None  # such a one is nobody's to set
    ]
    config = dataclasses.make_dataclass(f"{function.__name__}_options", made, frozen=True)
    fields |= {"Config": config, "takes_limit": len(options) < len(parameters) - 2}
    return base, fields


def _kind(default: Any) -> type[Any]:
    return next(kind for kind in KINDS if isinstance(default, kind))


def _check_class(kind: type[Agent], name: str) -> None:
    if inspect.isabstract(kind):
        missing = ", ".join(sorted(kind.__abstractmethods__))
        raise SpecError(
            f"{name} lacks {missing}; an agent has decide(self, position, rng, limit=NO_LIMIT)"
        )
    for method, given, wanted in (
        (kind.decide, ((), (NO_LIMIT,)), "decide(self, position, rng, limit=NO_LIMIT)"),
        (kind.__init__, ((),), "__init__(self, rules, config=None)"),
    ):
        signature = inspect.signature(method)
        try:
            for more in given:
                signature.bind(None, None, None, *more)
        except TypeError:
            raise SpecError(f"{name}: {method.__name__}{signature} must be {wanted}") from None


def _check_options(kind: type[Agent]) -> None:
    if not (isinstance(kind.Config, type) and dataclasses.is_dataclass(kind.Config)):
        raise SpecError(f"{kind.name}: Config is no dataclass; write @dataclass above it")
    for one in options_of(kind.Config):
        if one.default is dataclasses.MISSING:
            wrong = f"{one.field} has no default"
        elif one.default is not None and not isinstance(one.default, KINDS):
            wrong = f"{one.field}={one.default!r} is no number, text or yes/no"
        elif one.kind not in KINDS:
            wrong = f"{one.field} has a kind that is no int, float, str or bool"
        else:
            continue
        raise SpecError(f"{kind.name}: option {wrong}; write {one.field}: int = 1")
