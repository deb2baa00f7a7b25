"""`Certificate`: what an agent reaches against every reply, as a file that can be repeated."""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fourlab.agents.apart import apart
from fourlab.agents.base import Agent
from fourlab.agents.registry import agent as find_agent
from fourlab.arena.certify.refuting import (
    Places,
    below,
    ends_below,
    games_in,
    given_away,
    turning_point,
)
from fourlab.arena.certify.walk import MOST_POSITIONS, Progress, Tally, Walk
from fourlab.core.errors import SpecError
from fourlab.core.files import contents, open_file
from fourlab.core.kinds import typed
from fourlab.core.limit import NO_LIMIT, CalledOffError, Limit, Watch
from fourlab.core.machine import provenance
from fourlab.core.shipped import shipped_folder
from fourlab.core.spec import counted
from fourlab.core.storage import StorageError, replacing
from fourlab.core.workers import Workers
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules
from fourlab.rules.position import FIRST, SECOND, Position, position_of, write_moves
from fourlab.search.scores import OUTCOMES, sign
from fourlab.search.sizes import known
from fourlab.search.solver import shared_solver

KIND, VERSION = "certificate", 1
MOVES = "moves"  # the kind of a file of what was played
LONGEST_HEADER = 1 << 20  # bytes of its first line
SIDES = {"first": FIRST, "second": SECOND}
SHIPPED = shipped_folder("fourlab.arena.certify", "shipped")  # certificates, by their names
SHOWN = 20  # refuting games that a certificate holds
TELLING_SECONDS = 20.0  # that the solver may take to say where one of them turned
STARTS = 100_000  # positions to train from that are returned


@dataclass(frozen=True)
class Certificate:
    """What an agent without dice reaches as one side against every reply.

    `value` is what the side can reach from the start with perfect play, 1, 0 or -1. Certified
    weakly: no game ends below it. Strictly: in no position that it can be led to does its move give
    away a win or a draw that is there. `refuted` counts the ends below the value, strictly the
    positions where one was given away; `refutations` are games to them, the shortest first.
    """

    agent: str
    sources: str  # a digest of the agent's files
    game: str
    side: str
    start: str
    strict: bool
    mirrors: bool  # whether mirror images count as one
    value: int
    certified: bool
    by_ply: tuple[Tally, ...]
    refuted: int
    refutations: tuple[str, ...]
    turns: tuple[str, ...]  # which move of each gave the value away, '' where it is not known
    digest: str  # of all positions and moves
    versions: dict[str, Any]
    seconds: float
    starts: tuple[str, ...] = field(default=(), compare=False)  # to train from, if asked for

    @property
    def positions(self) -> int:
        """Distinct positions with the agent to move, finished ones too."""
        return sum(tally.positions for tally in self.by_ply)

    @property
    def results(self) -> dict[str, int]:
        """How many distinct ends of games are won, drawn and lost."""
        names = ("won", "drawn", "lost")
        return {name: sum(getattr(tally, name) for tally in self.by_ply) for name in names}

    @property
    def claim(self) -> dict[str, Any]:
        """What another walk of the same agent must find again."""
        names = ("game", "side", "start", "strict", "mirrors", "value", "certified", "by_ply")
        more = ("refuted", "refutations", "digest")
        return {name: getattr(self, name) for name in (*names, *more)}

    def to_json(self) -> dict[str, Any]:
        """Return what `fourlab certify --json` prints, and a certificate's file holds."""
        told = {name: value for name, value in asdict(self).items() if name != "starts"}
        told |= {
            "kind": KIND,
            "version": VERSION,
            "value": OUTCOMES[self.value],
            "positions": self.positions,
            "asked": sum(tally.asked for tally in self.by_ply),
            **self.results,
            "by_ply": [tally._asdict() for tally in self.by_ply],
            "refutations": list(self.refutations),
            "turns": list(self.turns),
            "analyse": [analyse_address(self.game, moves) for moves in self.refutations],
        }
        return {**told, "checksum": _checksum(told)}

    @typed
    def save(self, path: Path | str) -> None:
        """Write the certificate's file."""
        with replacing(Path(path)) as file:
            file.write((json.dumps(self.to_json(), indent=1) + "\n").encode())

    @classmethod
    @typed
    def load(cls, path: Path | str) -> Certificate:
        """Read a certificate's file; raises StorageError if it is none, or damaged."""
        path = Path(path)
        try:
            told = json.loads(contents(path))
            found = told.pop("checksum")
            kind, version = told["kind"], told["version"]
        except OSError as error:
            raise StorageError(f"cannot read {path}: {error.strerror}") from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise StorageError(f"{path} is no fourlab certificate, or it is damaged") from None
        if (kind, version) != (KIND, VERSION):
            raise StorageError(f"{path} is a {kind} of format {version}, not a {KIND} of {VERSION}")
        if found != _checksum(told):
            raise StorageError(f"{path} is damaged: its checksum does not fit")
        try:
            read = cls._told(dict(told))
            is_sound = read._is_sound and read.to_json() == {**told, "checksum": found}
        except (TypeError, KeyError) as error:
            raise StorageError(f"{path} is damaged: it lacks something ({error})") from None
        if not is_sound:  # its totals are those of its plies, for one
            raise StorageError(f"{path} contradicts itself, so that fourlab did not write it")
        return read

    @classmethod
    def _told(cls, told: dict[str, Any]) -> Certificate:
        told["value"] = {word: value for value, word in OUTCOMES.items()}[told["value"]]
        told["by_ply"] = tuple(Tally(**row) for row in told["by_ply"])
        told["refutations"], told["turns"] = tuple(told["refutations"]), tuple(told["turns"])
        fields = cls.__dataclass_fields__
        return cls(**{name: value for name, value in told.items() if name in fields})

    @property
    def _is_sound(self) -> bool:
        """Whether everything is of its kind, as in a file that was written by hand it need not."""
        texts = (self.agent, self.sources, self.game, self.side, self.start, self.digest)
        return (
            all(isinstance(text, str) for text in (*texts, *self.refutations, *self.turns))
            and all(type(one) is bool for one in (self.strict, self.mirrors, self.certified))
            and all(type(count) is int for tally in self.by_ply for count in tally)
            and len(self.turns) == len(self.refutations)
            and isinstance(self.versions, dict)
            and isinstance(self.seconds, int | float)
        )


def _checksum(told: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def shipped_names() -> list[str]:
    """Return the names of the certificates that come with fourlab."""
    return sorted(path.stem for path in SHIPPED.glob("*.json"))


def find_file(path: Path) -> Path:
    """Return the file of a certificate that is named by its path, or, if it ships, by its name.

    What lies on the disk comes before a name. Raises StorageError if there is neither.
    """
    if path.exists():
        return path
    if str(path) in shipped_names():
        return SHIPPED / f"{path}.json"
    raise StorageError(
        f"cannot read {path}: there is no such file; with fourlab come {', '.join(shipped_names())}"
    )


def analyse_address(game: str, moves: str) -> str:
    """Return the address of a position on the Analyse page."""
    return "/analyse?" + urlencode({"game": game, "moves": moves}, safe=":=,")


def verdict(found: Certificate) -> tuple[str, str]:
    """Say what was proven, with side and weak or strict, and what that means."""
    how = f"as {found.side} player, {'strict' if found.strict else 'weak'}"
    if not found.certified:
        what = "give value away" if found.strict else "lead to less than the value of the game"
        return f"Not proven {how}", f"{found.refuted:,} of its positions {what}."
    reached = {
        1: "It wins, whatever is replied.",
        0: "It never loses, whatever is replied.",
        -1: "The start is lost for it.",
    }[found.value]
    more = " No mistake of the opponent goes unpunished." if found.strict else ""
    return f"Proven {how}", reached + more


def value_for(start: Position, side: int, limit: Limit = NO_LIMIT) -> int:
    """Return 1, 0 or -1: what a side reaches from a position with perfect play of both.

    Raises CalledOffError where the limit does not suffice.
    """
    table = known(start.rules) if start.ply == 0 else None
    if table is None:
        found = shared_solver(start.rules).bounds(start, limit, weak=True)
        if not found.is_exact:
            raise CalledOffError
    outcome = sign(found.low) if table is None else table.outcome
    return outcome if start.to_move == side else -outcome


@typed
def certify(
    agent: str | Agent,
    game: str | Rules = "connect4",
    side: str = "first",
    *,
    strict: bool = False,
    start: str = "",
    starts: str = "",
    explain: bool = True,
    moves: Path | str | None = None,
    folder: Path | str | None = None,
    resume: bool = False,
    workers: Workers | None = None,
    most: int = MOST_POSITIONS,
    mirrors: bool | None = None,
    watch: Callable[[Progress], None] = lambda progress: None,
    limit: Limit = NO_LIMIT,
) -> Certificate:
    """Play an agent without dice against every reply.

    `starts` asks for positions to train from: `holes`, where the value was given away, by the
    solver, or `refuted`, all in which the agent moves and can be beaten, without it. `explain` has
    the solver say where refuted games turned. `moves` is a file for what the agent plays. `folder`
    keeps the walk, so that `resume` can go on with it. Once the limit is over, CalledOffError is
    raised: half a certificate says nothing.
    """
    if side not in SIDES:
        raise SpecError(f"no side {side!r}; write first or second")
    if starts not in ("", "holes", "refuted"):
        raise SpecError(f"no starts {starts!r}; write holes or refuted")
    most = counted("most", most, 1)
    folder = None if folder is None else Path(folder)
    is_spec = isinstance(agent, str)
    player = find_agent(agent, find_game(game) if is_spec else game)
    player = apart(player) if is_spec else player  # an object is asked where it lives
    begin = position_of(player.rules, start)
    with Walk(player, SIDES[side], begin, folder, mirrors) as walk:
        clock = limit.watch()
        value = value_for(begin, walk.side, clock.rest())
        walk.run(workers, resume, most, watch, clock.rest())
        if moves is not None:
            save_moves(walk, value, Path(moves))
        return _judged(walk, value, strict, starts, explain, clock)


def _judged(
    walk: Walk, value: int, strict: bool, starts: str, explain: bool, clock: Watch
) -> Certificate:
    """Return the certificate of a walk that is done."""
    given = functools.partial(given_away, walk, limit=clock.rest())
    refuting = given((1, 0)) if strict else ends_below(walk, value)
    games = games_in(walk, refuting, SHOWN, moves_too=True)
    begins: Places = {}
    if starts == "refuted":
        begins = below(walk, value)
    elif starts == "holes":
        begins = refuting if strict else given((value,))
    floor, limit = None if strict else value, clock.rest().within(TELLING_SECONDS)
    turns = [turning_point(walk.rules, walk.side, game, floor, limit) for game in games if explain]
    about = walk.about()
    return Certificate(
        agent=about["agent"],
        sources=about["sources"],
        game=about["game"],
        side=[*SIDES][walk.side],
        start=about["start"],
        strict=strict,
        mirrors=walk.mirrors,
        value=value,
        certified=not games,
        by_ply=tuple(walk.tallies),
        refuted=sum(len(keys) for keys in refuting.values()),
        refutations=tuple(write_moves(walk.rules, game) for game in games),
        turns=tuple(turns) or ("",) * len(games),
        digest=walk.digest,
        versions=_versions(),
        seconds=round(walk.seconds, 3),
        starts=tuple(write_moves(walk.rules, game) for game in games_in(walk, begins, STARTS)),
    )


@functools.cache
def _versions() -> dict[str, Any]:
    return dict(provenance())


def save_moves(walk: Walk, value: int, path: Path) -> None:
    """Write what the agent plays: a line of JSON, then its move in every position, by ply and key.

    `docs/deep/check.py` repeats the claim from it, with rules of its own.
    """
    rules = walk.rules
    header = {
        "kind": MOVES,
        "version": VERSION,
        **walk.about(),
        "side": [*SIDES][walk.side],
        "columns": rules.columns,
        "rows": rules.rows,
        "connect": rules.connect,
        "gravity": rules.gravity,
        "start": list(walk.start.moves),
        "value": OUTCOMES[value],
    }
    with replacing(path) as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        packed.write(json.dumps(header).encode() + b"\n")
        for ply in walk.plies:
            packed.write(walk.asked(ply)[1].tobytes())


def holds_moves(path: Path) -> bool:
    """Return whether a file is one that `save_moves` wrote."""
    try:
        with open_file(path) as file, gzip.GzipFile(fileobj=file) as packed:
            return bool(json.loads(packed.readline(LONGEST_HEADER))["kind"] == MOVES)
    except (OSError, EOFError, zlib.error, ValueError, TypeError, KeyError, RecursionError):
        return False


def differences(old: Certificate, new: Certificate) -> list[str]:
    """Return what two certificates disagree in, by name; none: the claim was repeated."""
    return [name for name, told in old.claim.items() if new.claim[name] != told]
