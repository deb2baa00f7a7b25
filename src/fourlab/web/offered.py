"""Agents of the server's owner: the files of a folder, and those of installed packages.

None of them runs in the server: each plays as an engine, in a process of its own, with the
strictest limits. What a visitor types is only ever looked up among what the owner offers.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.agents.engine import EngineAgent, EngineConfig, EngineError, Program
from fourlab.agents.registry import AGENTS
from fourlab.core import own
from fourlab.core.errors import IllegalMoveError, SpecError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.lines import python_with_fourlab
from fourlab.core.spec import options_of, write
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.web import words
from fourlab.web.declared import agents_in

GUARDED_SECONDS = 5.0  # for a move


class Guarded(EngineAgent):
    """An agent of somebody else, in a process of its own."""

    def __init__(self, rules: Rules, played: str, shown: str) -> None:
        self._played, self._shown = played, shown
        super().__init__(rules, EngineConfig(time=GUARDED_SECONDS))

    @property
    def spec(self) -> str:
        """The spec that a visitor knows."""
        return self._shown

    def _program(self) -> Program:
        command = (*python_with_fourlab("fourlab.cli.main"), "engine", self._played)
        return Program(command, spec=self._shown)

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        """Return a move that the rules allow; pages play it unseen."""
        decision = super().decide(position, rng, limit)
        try:
            position.play(decision.move)
        except IllegalMoveError as error:
            raise EngineError(f"{self.spec}: {error}") from None
        return decision

    def sources(self) -> tuple[Path, ...]:
        """Return nothing: its name holds a digest, or its package stands for it."""
        return ()


class Offered(Agent):
    """An agent of this server's owner."""

    path = ""

    def __init__(self, rules: Rules, config: Any = None) -> None:
        super().__init__(rules, config)
        known = self.name.partition("@")[2]  # of several.py@3f2a1c9d:Name
        self._agent = Guarded(rules, write(f"{self.path}@{known}", self.config), self.spec)

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        return self._agent.decide(position, rng, limit)

    def prepare(self) -> None:
        """Start it."""
        self._agent.prepare()


def guarded(agent: Agent) -> Agent:
    """Return an agent as it may play in a server: one that is not ours, in its own process."""
    is_ours = type(agent).__module__.startswith("fourlab.")
    return agent if is_ours else Guarded(agent.rules, agent.spec, agent.spec)


def offer(folder: Path) -> list[str]:
    """Offer the agents in the files of a folder; return their specs. No file is run."""
    if not folder.is_dir():
        raise SpecError(f"--agents {folder}: there is no such folder")
    found = []
    for path in sorted(folder.glob("*.py")):
        parcel = own.parcel(str(path))
        parts = agents_in(parcel.texts[0][1])
        for part, config in parts.items():
            kind = _kind(parcel, part if len(parts) > 1 else "", config)
            AGENTS[kind.name] = kind
            title = f"{path.name}: {part}" if len(parts) > 1 else path.name
            settings = ", ".join(map(str, options_of(config)))
            detail = settings or "of this server's owner"
            words.FAMILIES.append(words.Family(kind.name, title, (kind.name,), (detail,)))
            found.append(kind.name)
    if not found:
        raise SpecError(
            f"--agents {folder}: {left_out(folder) or 'no file in it holds an agent'}; "
            "try fourlab new agent"
        )
    return found


def left_out(folder: Path) -> str:
    """Say which files of a folder hold no agent, and why if one cannot be read; '' if all do."""
    said = []
    for path in sorted(folder.glob("*.py")):
        text = own.parcel(str(path)).texts[0][1]
        if agents_in(text):
            continue
        try:
            ast.parse(text)
        except SyntaxError as error:
            said.append(f"{path.name} ({error.msg}, line {error.lineno})")
        except (ValueError, RecursionError):
            said.append(f"{path.name} (it cannot be read)")
        else:
            said.append(path.name)
    return f"no agent in {', '.join(said)}" if said else ""


def _kind(parcel: own.Parcel, part: str, config: type[Any]) -> type[Offered]:
    """Return the agent of a file, or one of several, as a kind of its own."""
    name = f"{parcel.name}:{part}" if part else parcel.name
    kind = type("Offered", (Offered,), {"name": name, "path": parcel.path, "Config": config})
    kind.__doc__ = f"{name.partition('@')[0]}, of this server's owner."
    kind.__module__ = Offered.__module__
    return kind
