"""`Walk`: an agent without dice against every reply, level by level, equal positions once.

A folder holds the keys of each level and the agent's moves (`Answers`), so that a walk that was
killed goes on. Keys follow from the moves before them and are made again.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from fourlab.agents.base import Agent
from fourlab.arena.certify.answers import Answers
from fourlab.arena.certify.kernels import (
    DRAWN,
    LOST,
    OPEN,
    WON,
    distinct,
    write_ends,
    write_replies,
    write_states,
)
from fourlab.arena.certify.questions import Portions, answer
from fourlab.arena.identity import checksum
from fourlab.core.arrays import Bytes, Ints
from fourlab.core.errors import FourlabError, SpecError
from fourlab.core.files import contents
from fourlab.core.held import Held, alone
from fourlab.core.limit import NO_LIMIT, Limit, Watch
from fourlab.core.storage import StorageError, check_same, replacing, seal, unseal, writing
from fourlab.core.workers import Workers
from fourlab.rules.keys import check_size, table_key
from fourlab.rules.position import FIRST, Position, write_moves

MOST_POSITIONS = 100_000_000  # 9 bytes each on the disk
CHILDREN = 1 << 23  # keys that are made before equal ones are put together: 64 MB
META = "walk.json"
DIGEST = re.compile(r"(?<=\.py)@[0-9a-f]+")  # of somebody's own file


class Tally(NamedTuple):
    """One ply of a walk: distinct positions with the agent to move, and how games end there.

    A game that the agent's own move ends counts at the ply before it.
    """

    ply: int
    positions: int  # finished ones too
    asked: int
    won: int
    drawn: int
    lost: int


class Progress(NamedTuple):
    """How far a walk is."""

    ply: int
    done: int  # positions of this ply that are answered
    total: int  # positions of this ply to ask
    positions: int  # of all plies so far


def words(agent: str, game: str, side: str, start: str) -> str:
    """Return what a walk is of; that of an edited file takes the place of the one before."""
    beginning = f" from {start}" if start else ""
    return f"{DIGEST.sub('', agent)} as {side} in {game}{beginning}"


def _told(about: dict[str, Any]) -> str:
    side = ("first", "second")[about["side"]]
    return words(about["agent"], about["game"], side, about["start"])


def _tell(
    watch: Callable[[Progress], None], ply: int, positions: int, done: int, total: int
) -> None:
    watch(Progress(ply, done, total, positions))


class Walk:
    """The positions that an agent can be led to as one side, and its moves in them.

    `folder` keeps it for `resume`; without, it is gone at the end of the `with` block. Until then
    nobody else may walk there. Raises SpecError for an agent that need not play the same twice.
    """

    def __init__(
        self,
        agent: Agent,
        side: int = FIRST,
        start: Position | None = None,
        folder: Path | None = None,
        mirrors: bool | None = None,
    ) -> None:
        if not agent.is_deterministic:
            raise SpecError(
                f"{agent.spec} need not play the same twice, so that it cannot be followed through "
                "every reply; take an agent without dice or a clock: a network, or learned values, "
                "perfect or minimax with ties=first"
            )
        self.agent, self.rules, self.side = agent, agent.rules, side
        check_size(self.rules)
        self.start = start or self.rules.start()
        if self.start.is_over:
            raise FourlabError(f"the game is over in {self.rules} '{self.start.notation}'")
        self.mirrors = agent.mirrors_alike if mirrors is None else mirrors
        self.tallies: list[Tally] = []
        self.seconds = 0.0
        self._temporary = None if folder else tempfile.TemporaryDirectory(prefix="fourlab-walk-")
        self.folder = folder or Path(self._temporary.name)  # type: ignore[union-attr]
        self._portions = Portions()
        self._place: Held | None = None
        self._holding = ExitStack()

    def __enter__(self) -> Walk:
        with writing(self.folder / META):
            pass  # makes the folder
        self._place = self._holding.enter_context(alone(self.folder))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self._check_place()  # what was read there by now might be of another walk
        finally:
            self._holding.close()
            if self._temporary is not None:
                self._temporary.cleanup()

    def _check_place(self) -> None:
        if self._place is not None:
            self._place.check()

    @property
    def first_ply(self) -> int:
        """The stones on the board when the agent is asked first."""
        return self.start.ply + self.replies_first

    @property
    def replies_first(self) -> bool:
        """Whether the opponent moves in the start position."""
        return self.start.to_move != self.side

    @property
    def plies(self) -> list[int]:
        """The plies with positions, the agent to move."""
        return [tally.ply for tally in self.tallies]

    def keys(self, ply: int) -> Ints:
        """Return the keys of all positions of a ply, finished ones too."""
        found: Ints = np.load(self._path(ply, "keys"), mmap_mode="r")
        return found

    def states(self, ply: int) -> Bytes:
        """Return how the positions of a ply stand: OPEN, DRAWN or LOST."""
        keys = self.keys(ply)
        states = np.empty(len(keys), np.uint8)
        write_states(self.rules, np.asarray(keys), states)
        return states

    def asked(self, ply: int) -> tuple[Ints, Bytes]:
        """Return the keys of the positions that the agent was asked in, and its moves."""
        keys = np.asarray(self.keys(ply))[self.states(ply) == OPEN]
        return keys, np.fromfile(self._path(ply, "moves"), np.uint8)

    def run(
        self,
        workers: Workers | None = None,
        resume: bool = False,
        most: int = MOST_POSITIONS,
        watch: Callable[[Progress], None] = lambda progress: None,
        limit: Limit = NO_LIMIT,
    ) -> None:
        """Walk to the end; `watch` sees how far it is. Raises FourlabError for too many positions.

        Workers make the agent anew from its spec and files. Once the limit is over, CalledOffError
        is raised.
        """
        began, clock = time.perf_counter(), limit.watch()
        spent = self._open(resume)
        self.agent.prepare()
        self.tallies = []
        ply, keys = self.first_ply, self._first_keys()
        while len(keys):
            total = sum(tally.positions for tally in self.tallies) + len(keys)
            if total > most:
                raise FourlabError(
                    f"more than {most:,} positions by ply {ply} of {self.rules}; allow more with "
                    "--most (9 bytes each on the disk), or begin later in the game with --start"
                )
            self._check_place()
            path = self._path(ply, "keys")
            with writing(path), path.open("wb") as file:
                np.save(file, keys)
            states = self.states(ply)
            keys = keys[states == OPEN]
            told = functools.partial(_tell, watch, ply, total)
            moves = self._ask(ply, keys, workers, told, clock)
            self.seconds = spent + time.perf_counter() - began
            self._check_place()
            self._note(self.seconds)
            keys, won, drawn = self._replies(ply, keys, moves)
            counts = int((states == DRAWN).sum()) + drawn, int((states == LOST).sum())
            self.tallies.append(Tally(ply, len(states), len(moves), won, *counts))
            ply += 2
        self.seconds = spent + time.perf_counter() - began

    @property
    def digest(self) -> str:
        """A digest of all positions, ply by ply and by key, and of the moves."""
        digest = hashlib.sha256()
        for ply in self.plies:
            digest.update(np.asarray(self.keys(ply)).astype("<i8").tobytes())
            digest.update(self.asked(ply)[1].tobytes())
        return digest.hexdigest()

    def about(self) -> dict[str, Any]:
        """Return what makes this walk what it is."""
        return {
            "agent": self.agent.spec,
            "sources": checksum(self.agent),
            "game": str(self.rules),
            "side": self.side,
            "start": write_moves(self.rules, self.start.moves),
            "mirrors": self.mirrors,
        }

    def _path(self, ply: int, what: str) -> Path:
        return self.folder / f"{ply:02}.{what}"

    def _open(self, resume: bool) -> float:
        """Make the folder ready; return the seconds that an earlier run has spent."""
        path, mine = self.folder / META, self.about()
        if path.exists():
            try:
                found = unseal(json.loads(contents(path)), path)
                spent, held = float(found.pop("seconds")), _told(found)
            except (OSError, ValueError, TypeError, KeyError, IndexError, RecursionError):
                raise StorageError(f"{path} is damaged; remove {self.folder}") from None
            check_same(self.folder, f"a walk of {held}", f"a walk of {_told(mine)}")
            if resume != (found == mine):
                changed = "the agent has changed since then; begin anew without --resume"
                begun = "this walk was begun before; go on with --resume, or remove it"
                raise StorageError(f"{self.folder}: {changed if resume else begun}")
            if resume:
                return spent
        elif any(self.folder.iterdir()):
            raise StorageError(
                f"{self.folder} holds something else than a walk; name another, or remove it"
            )
        for old in (*self.folder.glob("*.moves*"), *self.folder.glob("*.keys")):
            old.unlink()
        self._note(0.0)
        return 0.0

    def _note(self, seconds: float) -> None:
        if self._temporary is None:
            with replacing(self.folder / META) as file:
                file.write(json.dumps(seal({**self.about(), "seconds": seconds})).encode())

    def _first_keys(self) -> Ints:
        """Return the keys of the first level."""
        start = self.start
        if not self.replies_first:
            key, _ = table_key(self.rules, self.mirrors, start.mover, start.occupied)
            return np.array([key], np.int64)
        return self._children(
            np.array([start.mover]), np.array([start.occupied]), np.zeros(1, np.uint8)
        )

    def _children(self, movers: Ints, occupied: Ints, states: Bytes) -> Ints:
        """Return the keys after every reply on boards with the opponent to move, each once."""
        rows = CHILDREN // self.rules.move_count
        room = np.empty(min(rows, len(movers)) * self.rules.move_count, np.int64)
        found = np.empty(0, np.int64)
        for first in range(0, len(movers), rows):
            part = slice(first, first + rows)
            boards = movers[part], occupied[part], states[part]
            count = write_replies(self.rules, self.mirrors, *boards, room)
            fresh = distinct(room[:count])
            found = distinct(np.concatenate([found, fresh])) if len(found) else fresh
        return found

    def _replies(self, ply: int, keys: Ints, moves: Bytes) -> tuple[Ints, int, int]:
        """Return the next level, and how many games the agent has won and drawn with its moves."""
        movers, occupied = np.empty((2, len(keys)), np.int64)
        states = np.empty(len(keys), np.uint8)
        illegal = write_ends(self.rules, keys, moves, movers, occupied, states)
        if illegal >= 0:
            raise FourlabError(
                f"{self.agent.spec} plays {moves[illegal] + 1}, no legal move, with {ply} stones "
                f"on the board (key {keys[illegal]} of {self.rules})"
            )
        won, drawn = int((states == WON).sum()), int((states == DRAWN).sum())
        return self._children(movers, occupied, states), won, drawn

    def _ask(
        self,
        ply: int,
        keys: Ints,
        workers: Workers | None,
        watch: Callable[[int, int], None],
        clock: Watch,
    ) -> Bytes:
        """Return the agent's moves in positions; what the folder holds is not asked again."""
        answers = Answers(self._path(ply, "moves"), len(keys))
        rows = answers.left
        done = len(keys) - len(rows)
        watch(done, len(keys))
        digest = "" if workers is None else checksum(self.agent)
        who = self.agent.spec, digest, str(self.rules)
        jobs = self._portions.questions(who, keys, rows)
        here = ((job, answer(job, self.agent, clock.rest())) for job in jobs)
        for job, (chosen, seconds) in here if workers is None else workers.run(answer, jobs):
            clock.check()  # where it was over, not all of these are the agent's moves
            answers.take(job.first, chosen)
            done += len(chosen)
            self._portions.pace(len(chosen), seconds)
            watch(done, len(keys))
        return answers.moves


def remove(folder: Path) -> None:
    """Remove the folder of a walk that is done, unless somebody walks there again by now."""
    with suppress(StorageError), alone(folder):
        shutil.rmtree(folder)
