"""Who an agent is: its spec, and the files that it was loaded from.

A file may change while a worker lives, and differ from machine to machine. So agents are known by
spec and checksum wherever they are recorded, sent to workers, or kept there.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fourlab.agents.apart import apart
from fourlab.agents.base import Agent
from fourlab.agents.registry import agent, configured
from fourlab.core import own
from fourlab.core.errors import FourlabError
from fourlab.core.spec import parse, write

LEARNED = (".npz", ".safetensors")  # files of values
NAMED = 3  # agents that a sentence names
KEPT = 32  # agents that a process keeps
KEPT_APART = 4  # of which each may have a process of its own


def checksum(agent: Agent) -> str:
    """Return a digest of the files that make an agent who it is, '' if there are none.

    What was learned is the same under any name: that which it has in a run folder.
    """
    digest = hashlib.sha256()
    files = [path for path in agent.sources() if path.is_file()]
    for path in files:
        name = f"checkpoint{path.suffix}" if path.suffix in LEARNED else path.name
        digest.update(name.encode() + path.read_bytes())
    return digest.hexdigest()[:16] if files else ""


@functools.lru_cache(maxsize=4096)
def identity(spec: str, digest: str) -> str:
    """Return who a spec is: of what was learned the contents in the place of their path.

    One's own files are known by their contents anyway, and are not run for this.
    """
    try:
        if not digest or own.is_own(parse(spec).name):
            return spec
        kind, config = configured(parse(spec))
        return write(kind.name, replace(config, path=digest)) if hasattr(config, "path") else spec
    except FourlabError:  # a record may name what is not here
        return spec


def labels(agents: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the names of agents, given by spec and checksum: one for all paths to the same.

    It is the shortest of their specs, and which files where several have gone by it.
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    digests: dict[str, set[str]] = {}
    for spec, digest in agents:
        groups.setdefault(identity(spec, digest), []).append((spec, digest))
        digests.setdefault(spec, set()).add(digest)
    found: dict[tuple[str, str], str] = {}
    for same in groups.values():
        spec, digest = min(same, key=lambda one: (len(one[0]), one))
        short = f"{spec}@{digest[:6]}" if digest and len(digests[spec]) > 1 else spec
        found |= dict.fromkeys(same, short)
    return found


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
