"""Who an agent is: its spec, and the files that it was loaded from.

A file may change while a worker lives, and differ from machine to machine. So agents are known by
spec and checksum wherever they are recorded, sent to workers, or kept there.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence

from fourlab.agents.apart import apart
from fourlab.agents.base import Agent
from fourlab.agents.registry import agent
from fourlab.core.errors import FourlabError

NAMED = 3  # agents that a sentence names
KEPT = 32  # agents that a process keeps
KEPT_APART = 4  # of which each may have a process of its own


def checksum(agent: Agent) -> str:
    """Return a digest of the files that make an agent who it is, '' if there are none."""
    digest = hashlib.sha256()
    files = [path for path in agent.sources() if path.is_file()]
    for path in files:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16] if files else ""


def label(spec: str, digest: str, several: set[str]) -> str:
    """Return an agent's name: its spec, and which files where `several` have gone by it."""
    return f"{spec}@{digest[:6]}" if digest and spec in several else spec


def in_short(specs: Sequence[str]) -> str:
    """Return agents in a few words, however many: those of a grid are hundreds."""
    more = [f"{len(specs) - NAMED + 1} more"] if len(specs) > NAMED else []
    return " and ".join([*specs[: NAMED - len(more)], *more])


@functools.lru_cache(maxsize=KEPT)
def known_agent(spec: str, game: str, digest: str, side: int = 0) -> Agent:
    """Return the agent of a spec and a checksum, the same one whenever it is asked for again.

    Each side has its own, since an agent may remember. Raises FourlabError if the files are others
    than those of the checksum.
    """
    found = agent(spec, game)
    if digest and checksum(found) != digest:
        raise FourlabError(
            f"the file of {spec} has changed since this began, or differs between machines; "
            "let a copy play that stays as it is"
        )
    return found


@functools.lru_cache(maxsize=KEPT_APART)
def asked_agent(spec: str, game: str, digest: str) -> Agent:
    """Return the agent of `known_agent` as a worker asks it: people's own in its own process."""
    return apart(known_agent(spec, game, digest))
