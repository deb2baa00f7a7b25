"""Grades: how often an agent plays what perfect play would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fourlab.agents.apart import apart
from fourlab.agents.base import Agent, kernel_seed
from fourlab.agents.registry import Named, spec_of
from fourlab.agents.registry import agent as find_agent
from fourlab.arena.identity import asked_agent, checksum
from fourlab.arena.match import play_here
from fourlab.arena.pairing import import_modules
from fourlab.arena.statistics import mean_interval, share_interval
from fourlab.core import own
from fourlab.core.errors import SpecError
from fourlab.core.limit import NO_LIMIT
from fourlab.core.sheet import Sheet
from fourlab.core.spec import counted
from fourlab.core.workers import Workers
from fourlab.positions.suites import Reporter, Scored, all_scored, score_positions
from fourlab.positions.suites import suite as suite_of
from fourlab.rules.boards import boards_of
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position, position_of
from fourlab.search.scores import sign

CHUNK = 20  # positions a worker is asked about at once
PLAYED = "played"  # the name of positions out of the agent's own games
HEADS = ("ply", "positions", "perfect", "good", "regret")
LEGEND = (
    "perfect: a move of the best score; good: keeps win, draw or loss; regret: score given up;"
    " ± is half of a 95% interval"
)
OWN_GAMES, OWN_POSITIONS = 200, 300


@dataclass
class Marks:
    """Graded moves: the best score, or one that keeps win, draw or loss, and what they cost."""

    positions: int = 0
    perfect: int = 0
    good: int = 0
    regrets: list[int] = field(default_factory=list)

    def add(self, scored: Scored, move: int) -> None:
        """Grade one move."""
        score = dict(enumerate(scored.scores)).get(move)
        if score is None:
            scored.position.play(move)  # which says why that cannot be
            raise ValueError(f"move {move + 1} of {scored.position.notation!r} has no score")
        self.positions += 1
        self.perfect += score == scored.best
        self.good += sign(score) == sign(scored.best)
        self.regrets.append(scored.best - score)

    def to_json(self) -> dict[str, Any]:
        """Return shares and their 95% intervals; one position alone bounds no mean."""
        count = max(self.positions, 1)
        return {
            "positions": self.positions,
            "perfect": self.perfect / count,
            "perfect_interval": share_interval(self.perfect, self.positions),
            "good": self.good / count,
            "good_interval": share_interval(self.good, self.positions),
            "regret": sum(self.regrets) / count,
            "regret_interval": mean_interval(self.regrets) if self.positions > 1 else None,
        }

    def cells(self) -> tuple[str, ...]:
        """Return the marks as cells of a table under `HEADS`, without the first."""
        figures = self.to_json()
        shares = []
        for name in ("perfect", "good"):
            low, high = figures[f"{name}_interval"]
            shares.append(f"{figures[name]:.0%} ± {(high - low) / 2 * 100:.0f}")
        spread = ""
        if figures["regret_interval"] is not None:
            low, high = figures["regret_interval"]
            spread = f" ± {(high - low) / 2:.1f}"
        return str(self.positions), *shares, f"{figures['regret']:.1f}{spread}"


@dataclass
class Grade:
    """An agent's grade on a suite, over all and ply by ply."""

    agent: str
    overall: Marks
    by_ply: dict[int, Marks]
    worst: str = ""  # moves to the position in which most was given up, if anything was

    def sheet(self) -> Sheet:
        """Return the grade as a table, ply by ply and over all."""
        rows = [(str(ply), *marks.cells()) for ply, marks in sorted(self.by_ply.items())]
        return Sheet(
            f"{self.agent} on {self.overall.positions} positions",
            HEADS,
            [*rows, ("all", *self.overall.cells())],
            texts=0,
            notes=(LEGEND,),
            strong=frozenset([len(rows)]),
        )

    def __repr__(self) -> str:
        return str(self.sheet())

    def _repr_html_(self) -> str:
        return self.sheet()._repr_html_()

    def to_json(self) -> dict[str, Any]:
        """Return what `fourlab grade --json` prints."""
        plies = [{"ply": ply, **marks.to_json()} for ply, marks in sorted(self.by_ply.items())]
        return {"agent": self.agent, **self.overall.to_json(), "by_ply": plies}


@dataclass(frozen=True)
class Questions:
    """Positions to put to an agent: plain data, fit for any worker."""

    agent: str
    checksum: str  # of the files it is loaded from
    game: str
    seed: int
    first: int  # number of the first position in its suite
    moves: tuple[tuple[int, ...], ...]  # that lead to the positions
    modules: tuple[str, ...] = ()  # to import first: they register agents of their own


def answer(questions: Questions, player: Agent | None = None) -> list[int]:
    """Return the moves that an agent decides on; runs in a worker, which makes it anew.

    Each position has dice of its own, so that it does not matter who asks about which.
    """
    if player is None:
        import_modules(questions.modules)
        player = asked_agent(questions.agent, questions.game, questions.checksum)
    positions = [position_of(player.rules, moves) for moves in questions.moves]
    dice = [
        np.random.default_rng(np.random.SeedSequence(questions.seed, spawn_key=(number,)))
        for number in range(questions.first, questions.first + len(positions))
    ]
    if player.chooses_many:
        seeds = np.array([kernel_seed(rng) for rng in dice], np.int64)
        return [int(m) for m in player.choose(boards_of(positions), seeds, NO_LIMIT.heard)]
    if not type(player).__module__.startswith("fourlab."):  # as if it were asked apart
        dice = [np.random.default_rng(kernel_seed(rng)) for rng in dice]
    return [player.decide(*asked).move for asked in zip(positions, dice, strict=True)]


def played_positions(player: Agent, seed: int = 0) -> list[Position]:
    """Return where an agent had to move in games against `baseline`, each position once.

    The games begin on the empty board, and it plays on both sides.
    """
    rules = player.rules
    games = play_here(player, find_agent("baseline", rules), OWN_GAMES, seed, plies=0)
    found: dict[int, Position] = {}
    for number, (line, length) in enumerate(zip(games.moves, games.lengths, strict=True)):
        for ply in range(number % 2, int(length), 2):
            position = position_of(rules, line[:ply].tolist())
            found.setdefault(position.shared_key, position)
    every = max(1, -(-len(found) // OWN_POSITIONS))
    return list(found.values())[::every]


def positions_of(
    player: Agent, name: str, seed: int = 0, watch: Reporter = lambda positions, _: positions
) -> list[Scored]:
    """Return the scored positions of a suite, of a file, or `played` in the agent's own games."""
    if name != PLAYED:
        return suite_of(player.rules, name, watch)
    found = played_positions(player, seed)
    return list(score_positions(watch(found, len(found))))


def asked_positions(suite: Sequence[Scored | Position], rules: Rules) -> list[Scored]:
    """Return positions with their scores; raises FourlabError if they are none of this game."""
    if not isinstance(suite, Sequence):
        raise SpecError(f"{suite!r:.60} is no suite; write its name, or a list of positions")
    if not suite:
        raise SpecError("no positions: there is nothing to grade on; name a suite, such as middle")
    found = list(all_scored(suite))
    for other in {str(one.position.rules) for one in found if one.position.rules != rules}:
        raise SpecError(f"positions of {other} cannot be asked of an agent for {rules}")
    return found


def grade(
    agent: Named,
    suite: str | Sequence[Scored | Position] = "middle",
    seed: int = 0,
    watch: Callable[[Grade], object] = lambda grade: None,
    workers: Workers | int | None = None,
    game: str | Rules | None = None,
    cluster: str | None = None,
) -> Grade:
    """Let an agent decide in every position of a suite, and hold it against perfect play.

    A suite is a name (opening, middle, end, uci), a file of move strings, `played` (positions of
    the agent's own games), or positions, scored or not. `watch` sees the grade grow. Workers, so
    many or those of a Dask cluster, make the agent anew from its spec and files. The game is
    connect4 if none is named.
    """
    seed = counted("seed", seed, 0)
    if cluster is not None or not (workers is None or isinstance(workers, Workers)):
        count = None if isinstance(workers, Workers) else workers
        with Workers(count, "processes", cluster) as pool:
            return grade(agent, suite, seed, watch, pool, game)
    found = find_agent(agent, game)
    agent = apart(found) if isinstance(agent, str) else found  # an object is asked where it lives
    if workers is not None:
        agent = apart(find_agent(spec_of(agent), agent.rules))  # as they will find it
    if isinstance(suite, str):
        suite = positions_of(agent, suite, seed)
    suite = asked_positions(suite, agent.rules)
    result = Grade(agent.spec, Marks(), {})
    lines = [scored.position.moves for scored in suite]
    who = (agent.spec, "" if workers is None else checksum(agent), str(agent.rules), seed)
    home = type(agent).__module__
    modules = () if home.startswith("fourlab.") or own.is_own(agent.name) else (home,)
    jobs = [
        Questions(*who, first, tuple(lines[first : first + CHUNK]), modules)
        for first in range(0, len(suite), CHUNK)
    ]
    here = ((job, answer(job, agent)) for job in jobs)
    costs: list[tuple[int, int]] = []  # what was given up, negative, and where
    for job, moves in here if workers is None else workers.run(answer, jobs):
        for place, move in enumerate(moves, job.first):
            scored = suite[place]
            result.overall.add(scored, move)
            result.by_ply.setdefault(scored.position.ply, Marks()).add(scored, move)
            costs.append((-result.overall.regrets[-1], place))
            watch(result)
    most, place = min(costs, default=(0, 0))
    if most:
        result.worst = suite[place].position.notation
    return result
