"""Who an agent is: its spec, and the files that it was loaded from.

A file may change while a worker lives, and differ from machine to machine. So agents are known by
spec and checksum wherever they are recorded, sent to workers, or kept there.
"""

from __future__ import annotations

import functools
import hashlib
import threading
from pathlib import Path

from fourlab.agents.base import Agent
from fourlab.agents.registry import agent
from fourlab.rules.errors import FourlabError
from fourlab.rules.spec import options_of
from fourlab.values.knowledge import CHECKPOINT

KEPT = 32  # agents that a process keeps


def checksum(agent: Agent) -> str:
    """Return a digest of the files that an agent is loaded from, '' if there are none.

    A path is what a spec names without an option's name: `q:runs/mine`. Of a run folder only the
    checkpoint counts: reports beside it tell of speed, which differs between equal runs.
    """
    digest = hashlib.sha256()
    found = False
    for option in options_of(type(agent.config)):
        path = str(getattr(agent.config, option.field))
        if option.positional and path:
            for file in _files(Path(path)):
                found = True
                digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16] if found else ""


def _files(path: Path) -> list[Path]:
    if (path / CHECKPOINT).is_file():
        return [path / CHECKPOINT]
    return [file for file in [path, *sorted(path.rglob("*"))] if file.is_file()]


def label(spec: str, digest: str) -> str:
    """Return the name of an agent among those of the same spec but other files."""
    return f"{spec}@{digest[:6]}" if digest else spec


def known_agent(spec: str, game: str, digest: str, side: int = 0) -> Agent:
    """Return the agent of a spec and a checksum, the same one whenever this thread asks again.

    Each thread and each side has its own: an agent works in memory of its own. Raises FourlabError
    if the files are others than those of the checksum.
    """
    return _loaded(spec, game, digest, side, threading.get_ident())


@functools.lru_cache(maxsize=KEPT)
def _loaded(spec: str, game: str, digest: str, _side: int, _thread: int) -> Agent:
    found = agent(spec, game)
    if digest and checksum(found) != digest:
        raise FourlabError(
            f"the file of {spec} has changed since this began, or differs between machines; "
            "let a copy play that stays as it is"
        )
    return found
