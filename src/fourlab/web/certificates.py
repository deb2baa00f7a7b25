"""Certificates of the server: their files, and the walks that make new ones, one a visitor."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fourlab.agents.base import Agent
from fourlab.agents.registry import agent as find_agent
from fourlab.arena.certify.certificate import (
    SHIPPED,
    SIDES,
    Certificate,
    certify,
    shipped_names,
    value_for,
)
from fourlab.arena.certify.walk import Progress
from fourlab.core.errors import FourlabError, SpecError
from fourlab.core.files import written_at
from fourlab.core.limit import CalledOffError, Limit
from fourlab.core.spec import POSITIONAL, options_of, parse
from fourlab.core.storage import reading, replacing
from fourlab.positions.suites import position_lines
from fourlab.rules.geometry import Rules
from fourlab.web.limits import RUNS, made, read_agent
from fourlab.web.workbench import LONG, Job, Workbench

OWN = Path("web") / "certificates"  # in the runs folder: those made on the page
FOLDERS = (OWN, Path("certificates"))  # and those that the command line put there
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
MOST_CELLS = 20  # of a board on which a player is certified here
MOST_POSITIONS = 300_000
MOST_SECONDS = 180.0
MOST_FILES = 200  # made on the page; the oldest goes first
MOST_BYTES = 1 << 20  # of a certificate's file
BETWEEN_REPORTS = 0.2  # seconds
RUNNING, STOPPED, DONE = "running", "stopped", "done"


@dataclass(frozen=True)
class Walking:
    """A walk that a visitor asked for, and how far it is."""

    agent: str
    game: str
    side: str
    strict: bool
    state: str = RUNNING
    progress: Progress | None = None
    failure: str = ""
    name: str = ""  # of the certificate, once it is there


def without_dice(text: str, rules: Rules) -> Agent:
    """Return the agent that a visitor named, made to draw no lots where it can choose to.

    Raises SpecError if it is not allowed here, or need not play the same twice all the same.
    """
    held = read_agent(text, rules)  # what it may name and ask for
    agent = held if held.sources() else find_agent(text, rules)
    if not agent.is_deterministic and "ties" in {one.name for one in options_of(agent.Config)}:
        agent = made(type(agent), rules, replace(agent.config, ties="first"))
    if not agent.is_deterministic:
        raise SpecError(
            f"{text} need not play the same twice, so that it cannot be followed through every "
            "reply; take a network, perfect, minimax with a depth, or a run of yours"
        )
    return agent


class Certificates:
    """The certificates in a server's folders by name, and the walks that are going on."""

    def __init__(self, root: Path = RUNS) -> None:
        self.root = root
        self.walks: dict[str, Walking] = {}  # by visitor, the last of each
        self.circles: dict[str, Any] = {}  # by visitor, the last of each: a `Circle`
        self.listeners: list[Callable[[], None]] = []
        self._jobs: dict[str, Job] = {}
        self._known: dict[Path, tuple[int, Certificate]] = {}
        self._begun = itertools.count()  # walks: one that was stopped may last longer than the next

    # The files

    def names(self) -> list[str]:
        """Return the names of those that were made here, the newest first."""
        paths = [path for folder in FOLDERS for path in (self.root / folder).glob("*.json")]
        paths = [path for path in paths if NAME.fullmatch(path.stem) and path.is_file()]
        newest = sorted(paths, key=written_at, reverse=True)
        return list(dict.fromkeys(path.stem for path in newest))[:MOST_FILES]

    def shipped(self) -> list[str]:
        """Return the names of those that come with fourlab; one made here hides its namesake."""
        return [name for name in shipped_names() if self.path(name).parent == SHIPPED]

    def path(self, name: str, suffix: str = ".json") -> Path:
        """Return the file of a certificate; raises FourlabError if there is none."""
        if NAME.fullmatch(name):
            for folder in (*(self.root / one for one in FOLDERS), SHIPPED):
                found = folder / f"{name}{suffix}"
                if found.is_file():
                    return found
        raise FourlabError(f"there is no certificate {name[:40]!r}")

    def load(self, name: str) -> Certificate:
        """Return a certificate; raises FourlabError if there is none, or it is damaged."""
        path = self.path(name)
        with reading(path):
            if path.stat().st_size > MOST_BYTES:
                raise FourlabError(f"{path} is too large for a certificate")
        changed = written_at(path)
        if path not in self._known or self._known[path][0] != changed:
            self._known[path] = (changed, Certificate.load(path))
        return self._known[path][1]

    # The walks

    def ask(
        self, bench: Workbench, who: str, spec: str, rules: Rules, side: str, strict: bool
    ) -> None:
        """Certify an agent for a visitor; raises FourlabError if that is too much."""
        if self.is_running(who):
            raise FourlabError("one player of yours is being certified; stop that first")
        if rules.cells > MOST_CELLS:
            raise FourlabError(
                f"{rules} has {rules.cells} cells, here {MOST_CELLS} at most; on larger boards: "
                "fourlab certify"
            )
        if side not in SIDES:
            raise FourlabError(f"no side {side!r}; first or second")
        self.walks[who] = Walking(without_dice(spec, rules).spec, str(rules), side, strict)
        self._jobs[who] = bench.start(
            lambda job: self._walk(job, who), LONG, lambda why: self._failed(who, why)
        )

    def is_running(self, who: str) -> bool:
        """Whether a walk of a visitor's is going on."""
        walk = self.walks.get(who)
        return walk is not None and walk.state == RUNNING

    def stop(self, who: str) -> None:
        """Call a walk off."""
        if self.is_running(who):
            self._jobs[who].cancel()
            self._change(who, state=STOPPED)

    def _walk(self, job: Job, who: str) -> None:
        """Walk, and keep the certificate with its moves and its holes."""
        asked, shown, ply = self.walks[who], 0.0, 0
        agent = find_agent(asked.agent, asked.game)  # reads its file, which may take long
        limit = Limit(stop=job.within(MOST_SECONDS))
        folder = self.root / OWN
        folder.mkdir(parents=True, exist_ok=True)
        moves = folder / f".{who or 'nobody'}-{next(self._begun)}.moves"

        def watch(progress: Progress) -> None:
            nonlocal shown, ply
            now, ply = time.monotonic(), progress.ply
            if now - shown > BETWEEN_REPORTS:
                shown = now
                job.report(self._far, who, progress)

        try:
            side = SIDES[asked.side]
            if not asked.strict and value_for(agent.rules.start(), side, limit) < 0:
                raise FourlabError(
                    f"the {asked.side} player is lost on this board, so that weak says nothing of "
                    "it; choose strict"
                )
            found = certify(
                agent,
                agent.rules,
                asked.side,
                strict=asked.strict,
                starts="holes",
                moves=moves,
                most=MOST_POSITIONS,
                watch=watch,
                limit=limit,
            )
            name = _name(found)
            moves.replace(folder / f"{name}.moves")
        except CalledOffError:
            if job.cancelled():
                return
            raise FourlabError(
                f"not done in {MOST_SECONDS:.0f} s, at ply {ply}; in the terminal there is no such "
                "limit: fourlab certify"
            ) from None
        finally:
            moves.unlink(missing_ok=True)
        if found.starts:
            with replacing(folder / f"{name}.holes") as file:
                file.write(position_lines(found.starts))
        found.save(folder / f"{name}.json")
        self._make_room(folder)
        job.report(self._done, who, name)

    def _make_room(self, folder: Path) -> None:
        oldest = sorted(folder.glob("*.json"), key=written_at)
        for path in oldest[:-MOST_FILES]:
            for suffix in (".json", ".moves", ".holes"):
                path.with_suffix(suffix).unlink(missing_ok=True)

    def _far(self, who: str, progress: Progress) -> None:
        self._change(who, progress=progress)

    def _done(self, who: str, name: str) -> None:
        self._change(who, state=DONE, name=name)

    def _failed(self, who: str, why: str) -> None:
        self._change(who, state=STOPPED, failure=why)

    def _change(self, who: str, **changes: Any) -> None:
        self.walks[who] = replace(self.walks[who], **changes)
        self.tell()

    def tell(self) -> None:
        """Let all pages show how far it is."""
        for listener in list(self.listeners):
            listener()


def _name(found: Certificate) -> str:
    """Name a certificate by what it says: perfect-5x4-second-3f9a61; of a run, by its name too."""
    size = re.sub(r"[^0-9]+", "x", found.game).strip("x") or found.game
    agent = found.agent.partition(":")[0]
    folder = Path(parse(found.agent).options.get(POSITIONAL, "")).name  # two may play the same
    agent = folder[:40] if NAME.fullmatch(folder[:40]) else agent
    parts = [agent, size, found.side, "strict" if found.strict else "", found.digest[:6]]
    return "-".join(part for part in parts if part)
