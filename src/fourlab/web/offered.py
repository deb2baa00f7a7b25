"""Agents of the server's owner: the files of a folder, and those of installed packages.

None of them runs in the server: each plays as an engine, in a process of its own, with the
strictest limits. What a visitor types is only ever looked up among what the owner offers.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fourlab.agents.base import Agent, Decision
from fourlab.agents.engine import EngineAgent, EngineConfig, Program
from fourlab.agents.registry import AGENTS
from fourlab.core import own
from fourlab.core.errors import SpecError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.lines import python_with_fourlab
from fourlab.core.spec import option, write
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.web import words

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

    def sources(self) -> tuple[Path, ...]:
        """Return nothing: its name holds a digest, or its package stands for it."""
        return ()


@dataclass(frozen=True)
class OfferedConfig:
    """Options of a file that is offered."""

    part: str = option("", "which agent of the file", positional=True)


class Offered(Agent):
    """An agent of this server's owner."""

    Config = OfferedConfig
    path = ""

    def __init__(self, rules: Rules, config: OfferedConfig | None = None) -> None:
        super().__init__(rules, config)
        digest = self.name.partition("@")[2]
        part = f":{self.config.part}" if self.config.part else ""
        self._agent = Guarded(rules, f"{self.path}@{digest}{part}", self.spec)

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
        if not parts:
            continue
        kind = type("Offered", (Offered,), {"name": parcel.name, "path": parcel.path})
        kind.__doc__ = f"{path.name}, of this server's owner."
        kind.__module__ = Offered.__module__
        AGENTS[parcel.name] = kind
        specs = [write(parcel.name, OfferedConfig(p)) for p in (parts if len(parts) > 1 else [""])]
        details = tuple(parts if len(parts) > 1 else ["of this server's owner"])
        words.FAMILIES.append(words.Family(parcel.name, path.name, tuple(specs), details))
        found += specs
    if not found:
        raise SpecError(f"--agents {folder}: no file in it holds an agent; try fourlab new agent")
    return found


def agents_in(text: str) -> list[str]:
    """Return the names of a source that look like agents, without running it."""
    try:
        nodes = ast.parse(text).body
    except SyntaxError:
        return []
    found = []
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            fits = any(isinstance(n, ast.FunctionDef) and n.name == "decide" for n in node.body)
        elif isinstance(node, ast.FunctionDef):
            names = [argument.arg for argument in node.args.args]
            fits = names[:2] == ["position", "rng"] or (
                len(names) == 2 and names[0].startswith("obs") and names[1].startswith("conf")
            )
        else:
            continue
        if fits and not node.name.startswith("_"):
            found.append(node.name)
    return found
