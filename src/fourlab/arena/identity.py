"""Who an agent is: its spec, and the files that it was loaded from.

A file may change while a worker lives, and differ from machine to machine. So agents are known by
spec and checksum wherever they are recorded, sent to workers, or kept there.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fourlab.agents.apart import apart
from fourlab.agents.base import Agent
from fourlab.agents.learned import Learned
from fourlab.agents.registry import agent, configured
from fourlab.core import own
from fourlab.core.errors import FourlabError
from fourlab.core.spec import parse, write
from fourlab.core.storage import is_there
from fourlab.values.base import values_file

LEARNED = (".npz", ".safetensors")  # files of values
NAMED = 3  # agents that a sentence names
KEPT = 32  # agents that a process keeps
KEPT_APART = 4  # of which each may have a process of its own


def checksum(agent: Agent) -> str:
    """Return a digest of the files that make an agent who it is, '' if there are none.

    What was learned is the same under any name: that which it has in a run folder.
    """
    return _digest([path for path in agent.sources() if path.is_file()])


def _digest(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        name = f"checkpoint{path.suffix}" if path.suffix in LEARNED else path.name
        digest.update(name.encode() + path.read_bytes())
    return digest.hexdigest()[:16] if files else ""


def _led(spec: str) -> tuple[type[Agent], Any] | None:
    """Return the kind and the config of an agent that a path leads to, None of any other.

    One's own files are known by their contents anyway, and are not run for this.
    """
    try:
        if own.is_own(parse(spec).name):
            return None
        kind, config = configured(parse(spec))
    except FourlabError:  # a record may name what is not here
        return None
    return (kind, config) if getattr(config, "path", "") else None


@functools.lru_cache(maxsize=4096)
def identity(spec: str, digest: str) -> str:
    """Return who a spec is: of what was learned the contents in the place of their path."""
    if not digest or (found := _led(spec)) is None:
        return spec
    return write(found[0].name, replace(found[1], path=digest))


def _player(spec: str, digest: str) -> str:
    """Return the identity of a spec, whoever learned it: older records name `learned` too."""
    who = identity(spec, digest)
    name, _, rest = who.partition(":")
    known = [kind.name for kind in Learned.__subclasses__()]
    return f"{Learned.name}:{rest}" if digest and name in known else who


def labels(agents: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the names of agents, given by spec and checksum: one for all paths to the same.

    It is the shortest of their specs, and which files where several have gone by it.
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    digests: dict[str, set[str]] = {}
    for spec, digest in agents:
        groups.setdefault(_player(spec, digest), []).append((spec, digest))
        digests.setdefault(spec, set()).add(digest)
    found: dict[tuple[str, str], str] = {}
    for same in groups.values():
        general = f"{Learned.name}:"
        spec, digest = min(same, key=lambda one: (one[0].startswith(general), len(one[0]), one))
        short = f"{spec}@{digest[:6]}" if digest and len(digests[spec]) > 1 else spec
        found |= dict.fromkeys(same, short)
    return found


def meant(text: str, called: Mapping[tuple[str, str], str]) -> set[str]:
    """Return the names, of those in `labels`, of the agents that a text stands for.

    It is such a name, a spec, one's own file whatever that held, or any path to what was learned:
    to where it lies, or to the same contents.
    """
    place = _place(text)
    held = [path for path in [Path(place)] if is_there(path) and path.is_file()]
    sought = {text, _player(text, place), _player(text, _digest(held))}
    own_file = f"{Path(text).name}@" if text.endswith(own.SUFFIX) else None
    return {
        name
        for (spec, digest), name in called.items()
        if (own_file and spec.startswith(own_file))
        or sought & {name, spec, f"{spec}@{digest[:6]}"}
        or sought & {_player(spec, digest), _player(spec, _place(spec))}
    }


def _place(spec: str) -> str:
    """Return the file that the path of a spec leads to from here, "" without a path."""
    if (found := _led(spec)) is None:
        return ""
    path = Path(found[1].path)
    with contextlib.suppress(FourlabError):  # a folder without one
        path = values_file(path)
    return os.path.realpath(path) if is_there(path) else str(path)


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
