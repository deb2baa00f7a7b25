"""Sweeps: a grid over options of an agent or a learner, every point of it a match.

Braces hold the values of an option: `mcts:sims=200,c={0.7,1,1.4}`; several braces span a grid. A
learner is trained at every point (`training.py`) before what it has learned plays.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourlab.agents.registry import Named, several, spec_of
from fourlab.agents.registry import agent as find_agent
from fourlab.arena.events import Event
from fourlab.arena.records import Records
from fourlab.arena.tallies import Tally
from fourlab.arena.tournament import Tournament
from fourlab.core.brackets import split_items
from fourlab.core.errors import SpecError, quoted
from fourlab.core.kinds import typed
from fourlab.core.sheet import Sheet
from fourlab.core.showing import shown
from fourlab.core.spec import parse
from fourlab.core.workers import Workers
from fourlab.learning.registry import LEARNERS
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules
from fourlab.studies.courses import Courses

MOST_POINTS = 1000
BRACES = re.compile(r"(?<![\w-])([\w-]+)=\{([^{}]*)\}")


@dataclass(frozen=True)
class Lattice:
    """The options that vary, and the spec of every point in the order of `itertools.product`."""

    options: dict[str, tuple[str, ...]]
    specs: tuple[str, ...]

    def points(self) -> list[dict[str, str]]:
        """Return the values of the options at every point."""
        combinations = itertools.product(*self.options.values())
        return [dict(zip(self.options, values, strict=True)) for values in combinations]


def expand(text: str) -> Lattice:
    """Return the grid that a spec with braces spans; raises SpecError.

    Whether values that are written otherwise mean something else is known of what is made of them.
    """
    options: dict[str, tuple[str, ...]] = {}
    for name, values in BRACES.findall(text):
        choices = tuple(value.strip() for value in split_items(values, text))
        if name in options or not all(choices) or len({*choices}) < len(choices):
            raise SpecError(
                f"{quoted(name)} in {quoted(text)}: give each option different values, once"
            )
        options[name] = choices
    rest = BRACES.sub("", text)
    if not options or "{" in rest or "}" in rest:
        raise SpecError(
            f"{quoted(text)} spans no grid; write values in braces: mcts:c={{0.7,1,1.4}}"
        )
    if (points := math.prod(len(choices) for choices in options.values())) > MOST_POINTS:
        raise SpecError(f"{quoted(text)} spans {points:,} points; at most {MOST_POINTS:,}")
    specs = []
    for values in itertools.product(*options.values()):
        chosen = iter(values)
        specs.append(BRACES.sub(lambda found: f"{found[1]}={next(chosen)}", text))  # noqa: B023
    return Lattice(options, tuple(specs))


class Sweep:
    """A grid of agents against some opponents; its games are those of its tournament.

    `training`, which must be over, says that the points are learners.
    """

    @typed
    def __init__(
        self,
        text: str,
        against: Sequence[str],
        game: str = "connect4",
        games: int = 100,
        seed: int = 0,
        plies: int | None = None,
        move_seconds: float | None = None,
        records: Records | None = None,
        resume: bool = False,
        training: Courses | None = None,
    ) -> None:
        self.text = text
        self.grid = expand(text)
        self.training = training
        if not against:
            raise SpecError(f"{quoted(text)} plays against nobody; name an agent: baseline")
        agents = training.agents if training else self.grid.specs
        conditions = {"against": tuple(against), "plies": plies, "move_seconds": move_seconds}
        try:
            event = Event(game, agents, games, seed, **conditions)  # type: ignore[arg-type]
        except SpecError as error:
            if training or parse(agents[0]).name not in LEARNERS:
                raise
            raise SpecError(f"{error}; for options of the learner, say --train GAMES") from None
        first: dict[str, str] = {}
        for point, agent in zip(self.grid.specs, event.agents, strict=True):
            if first.setdefault(agent, point) != point:
                raise SpecError(f"{first[agent]!r} and {point!r} are one agent; give it once")
        self.tournament = Tournament(event, records, resume)

    @property
    def details(self) -> str:
        """The game, and for how many games each point was trained, if that is one number."""
        lengths = {course.games for course in self.training.courses} if self.training else set()
        trained = [f"trained on {games:,} games" for games in lengths] if len(lengths) == 1 else []
        return ", ".join([self.tournament.event.game, *trained])

    @property
    def against(self) -> tuple[str, ...]:
        """The opponents."""
        return self.tournament.event.against

    def tally(self, point: int, opponent: int) -> Tally:
        """Return the games of one point against one opponent."""
        return self.tournament.tallies[point * len(self.against) + opponent]

    def sheet(self) -> Sheet:
        """Return a table with a row for each point and opponent, the best standing out."""
        figures = self.to_json()
        rows, spans = [], []
        for point in figures["points"]:
            counts = [f"{point[name]:,}" for name in ("wins", "draws", "losses")]
            span = f"{point['low']:.1%} to {point['high']:.1%}"
            row = [*point["options"].values(), point["against"], *counts, f"{point['score']:.1%}"]
            rows.append((*row, span, f"{point['mean_moves']:.1f}"))
            spans.append((point["low"], point["score"], point["high"]))
        scores = [point["score"] for point in figures["points"]]
        heads = (*self.grid.options, "against", "wins", "draws", "losses", "score", "95%", "moves")
        return Sheet(
            f"{self.text}, {self.details}, seed {figures['seed']}",
            heads,
            rows,
            texts=len(self.grid.options) + 1,
            notes=tuple(self.tournament.remarks),
            spans=spans,
            strong=frozenset(n for n, score in enumerate(scores) if score == max(scores)),
        )

    def __repr__(self) -> str:
        return str(self.sheet())

    def _repr_html_(self) -> str:
        return self.sheet()._repr_html_()

    def to_json(self) -> dict[str, Any]:
        """Return what `fourlab sweep --json` prints."""
        event = self.tournament.event
        points = []
        for number, options in enumerate(self.grid.points()):
            for opponent, name in enumerate(self.against):
                figures = self.tally(number, opponent).to_json()
                kept = ("wins", "draws", "losses", "score", "low", "high", "mean_moves")
                who = {"options": options, "agent": figures["a"], "against": name}
                if self.training is not None:
                    who["trained"] = self.training.courses[number].games
                points.append({**who, **{key: figures[key] for key in kept}})
        return {
            "sweep": self.text,
            "game": event.game,
            "games": self.tournament.played,
            "seed": event.seed,
            "points": points,
        }


@typed
def sweep(
    text: str,
    against: Named | Sequence[Named] = "baseline",
    *,
    game: str | Rules = "connect4",
    games: int = 100,
    seed: int = 0,
    plies: int | None = None,
    move_seconds: float | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    record: Path | str | None = None,
    show: Callable[[Sweep], object] | None = None,
) -> Sweep:
    """Play a match at every point of a grid of agents, and return the sweep.

    `text` is a spec with values in braces: `perfect:blunder={0,0.1,0.2}`; every point plays `games`
    against each of the opponents. `record`, `show` and the rest are as in `tournament`. Grids of
    learners are trained by `fourlab sweep --train`.
    """
    opponents = tuple(find_agent(spec_of(one), game).spec for one in several(against))
    conditions = (str(find_game(game)), games, seed, plies, move_seconds)
    with (
        Workers(workers, cluster=cluster) as pool,
        nullcontext() if record is None else Records(Path(record)) as records,
    ):
        played = Sweep(text, opponents, *conditions, records, resume=True)
        if cluster is None:
            played.tournament.prepare()
        with shown(show, played) as look:
            for _ in played.tournament.run(pool):
                look()
    return played
