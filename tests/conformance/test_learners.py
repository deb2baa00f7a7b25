"""What every registered learner must do, through the contract alone.

`counting` is a learner of this file: what a user would write, known by nobody else.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import pytest

from fourlab.agents.base import Agent, Decision
from fourlab.agents.registry import agent
from fourlab.core.errors import SpecError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.spec import option, options_of
from fourlab.core.storage import load_arrays, save_arrays
from fourlab.learning.base import Learner, Progress
from fourlab.learning.evaluation import against_truth, play_off
from fourlab.learning.registry import LEARNERS, learner, load_learner
from fourlab.learning.runs import Run, RunConfig, read_metrics
from fourlab.positions.suites import Scored, phase_positions
from fourlab.positions.walks import wander
from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.search.solver import solve


@dataclass(frozen=True)
class CountingConfig:
    """Counts which first moves win random games."""

    games: int = option(100, "games to play", low=1)
    step: int = option(50, "games between two looks", low=1)
    patience: int = option(1, "does nothing", live=True)


class Favourite(Agent):
    """Plays the move that won most often, wherever it is."""

    name = "favourite"

    def __init__(self, rules: Rules, wins: Counter[int]) -> None:
        super().__init__(rules)
        self.wins = wins

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        return Decision(max(position.legal_moves(), key=lambda move: (self.wins[move], -move)))


class Counting(Learner):
    """Counts which first moves win random games."""

    name, title, Config = "counting", "Counting", CountingConfig

    def __init__(self, rules: Rules, config: CountingConfig, seed: int = 0) -> None:
        super().__init__(rules, config, seed)
        self.wins: Counter[int] = Counter()

    @property
    def total(self) -> int:
        return self.config.games

    @property
    def size(self) -> int:
        return len(self.wins)

    def steps(self) -> Iterator[Progress]:
        while self.done < self.total:
            counts = [0, 0, 0]
            for _ in range(min(self.config.step, self.total - self.done)):
                rng = np.random.default_rng([self.seed, self.done])
                last = wander(self.rules.start(), rng)[-1]
                winner = last.outcome.winner
                self.wins[last.moves[0]] += winner == 0
                counts[{0: 0, None: 1, 1: 2}[winner]] += 1
                self.done += 1
            yield Progress(self.done, *counts, {"size": self.size})

    def agent(self) -> Favourite:
        return Favourite(self.rules, self.wins)

    def save(self, path: Path) -> None:
        about = {"learner": self.name, "config": vars(self.config), "seed": self.seed}
        about |= {"done": self.done, "notes": self.notes, "game": str(self.rules)}
        counts = np.array([self.wins[move] for move in range(self.rules.move_count)])
        save_arrays(path, "counts", 1, {"about": about}, {"counts": counts})

    @classmethod
    def load(cls, path: Path, games: int | None = None) -> Self:
        header, arrays = load_arrays(path, "counts", 1)
        about = header["about"]
        made = cls(game(about["game"]), cls.config_of(about, games), about["seed"])
        made.done, made.notes = about["done"], about["notes"]
        made.wins = Counter(dict(enumerate(arrays["counts"].tolist())))
        return made


KINDS = [*LEARNERS, Counting.name]


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    LEARNERS[Counting.name] = Counting
    yield
    del LEARNERS[Counting.name]


BOARD = "connect:columns=4,rows=3,k=3"
NETWORKS = ("deep-q", "distil", "zero")  # need torch
SMALL = {
    "n-tuple": "n-tuple:tuples=4,length=3",
    "distil": "distil:width=8,blocks=1,batch=100,chunk=100",
    "zero": "zero:width=4,blocks=1,head=2,hidden=4,bins=5,lanes=64,sims=8,fast-sims=4,look=2,"
    "batch=64,prefill=128,reuse=2,window=500,chunk=100",
    "deep-q": "deep-q:width=4,batch=32,reuse=1,memory=500,sync=20",
}


@pytest.fixture(params=KINDS)
def spec(request: pytest.FixtureRequest) -> str:
    if request.param in NETWORKS:
        pytest.importorskip("torch")
    return SMALL.get(request.param, request.param)


def played(made: Learner) -> list[int]:
    """What it plays in some positions: what was learned, seen from outside."""
    player = made.agent()
    return [
        player.decide(position, np.random.default_rng(1)).move
        for position in phase_positions(made.rules, "middle", 60)
    ]


def trained(spec: str, seed: int = 1, games: int = 300) -> Learner:
    made = learner(spec, BOARD, seed, games=games)
    for _ in made.steps():
        pass
    return made


def test_steps_add_up_and_one_seed_is_one_run(spec: str) -> None:
    made = learner(spec, BOARD, 1, games=300)
    steps = list(made.steps())
    assert steps[-1].done == made.done == made.total == 300
    assert sum(step.played for step in steps) == 300
    assert played(made) == played(trained(spec))


def test_a_learner_that_was_put_away_goes_on_as_if_nothing_had_happened(
    spec: str, tmp_path: Path
) -> None:
    path = str(tmp_path / LEARNERS[spec.partition(":")[0]].file)  # text serves as a path
    made = learner(spec, BOARD, 1, games=2500)
    next(made.steps())
    made.notes = {"seen": 3}
    made.save(path)
    again = load_learner(path)
    assert (again.done, again.spec, again.seed, again.rules) == (
        *(made.done, made.spec, made.seed, made.rules),
    )
    assert again.notes == {"seen": 3}
    for one in (made, again):
        for _ in one.steps():
            pass
    assert played(made) == played(again) == played(trained(spec, games=2500))


def test_what_was_learned_can_be_played_graded_and_evaluated(spec: str) -> None:
    made = trained(spec)
    score = play_off(made, agent("random", BOARD), 40, 1, "alternating")
    assert score.games == 40
    assert play_off(made, agent("mcts:sims=5", BOARD), 10, 1, "first").games == 10
    positions = phase_positions(made.rules, "middle", 20)
    scored = [Scored(position, tuple(solve(position))) for position in positions]
    found = against_truth(made, scored)
    assert found["positions"] == 20
    assert 0 <= found["good"] <= 1
    assert (found["classes"] is None) == (found["values_seen"] == 0)
    if classes := found["classes"]:
        assert sum(map(sum, classes["matrix"])) == classes["positions"] <= 20
        assert classes["accuracy"] == np.trace(classes["matrix"]) / classes["positions"]


def test_a_run_that_has_ended_can_be_made_longer(spec: str, tmp_path: Path) -> None:
    made = learner(spec, BOARD, 2, games=130)
    list(Run.start(tmp_path, RunConfig(made.spec, BOARD, 2)).reports())
    run = Run.resume(tmp_path, 300)
    assert (run.learner.done, run.learner.total) == (130, 300)
    list(run.reports())
    again = Run.resume(tmp_path)
    assert again.learner.done == again.learner.total == 300


def test_in_self_play_the_first_or_the_second_player_wins(spec: str) -> None:
    made = learner(spec, BOARD, 2)
    if hasattr(made.config, "opponent"):
        asked = {name: learner(spec, BOARD, 2, opponent=name) for name in ("self", "random")}
        assert [one.outcomes[0] for one in asked.values()] == ["first won", "won"]
    else:
        assert (made.outcomes[0] == "first won") == (made.name == "zero")


def test_a_run_folder_serves_every_learner(spec: str, tmp_path: Path) -> None:
    made = learner(spec, BOARD, 2, games=200)
    config = RunConfig(made.spec, BOARD, 2, 100, ("random",), 20)
    looks = iter(range(1))
    run = Run.start(tmp_path, config)
    list(run.reports(stop=lambda: next(looks, None) is None))
    resumed = Run.resume(tmp_path)
    list(resumed.reports())
    assert resumed.learner.done == 200
    assert [line["games"] for line in read_metrics(tmp_path)][-1] == 200
    assert all(json.dumps(line) for line in read_metrics(tmp_path))


def test_what_can_be_watched_is_told_whole(spec: str) -> None:
    made = learner(spec, BOARD, 3, games=1000)
    for number in range(1, 20):
        seen = made.watch()
        if seen is None:
            assert made.done == 0
            return
        assert made.done == number
        line = [made.rules.start()]
        for move in seen.moves:
            line.append(line[-1].play(move))
        assert line[-1].is_over
        for turn in seen.turns:
            assert turn.move == seen.moves[turn.ply]
            assert [v is None for v in turn.after] == [
                move not in line[turn.ply].legal_moves() for move in range(made.rules.move_count)
            ]
            assert turn.update
        stones = [shown for shown, _, _ in seen.phases]
        assert stones == sorted(stones)
        assert stones[-1] == len(seen.moves)
        assert seen.phases[-1][1] == len(seen.turns)


def test_only_what_is_declared_live_can_be_tuned(spec: str) -> None:
    made = learner(spec, BOARD, 1)
    with pytest.raises(ValueError, match="cannot change while it learns"):
        made.tune(games=5)
    for dial in options_of(made.Config):
        assert dial.label
    live = [dial for dial in options_of(made.Config) if dial.live]
    assert live


def test_a_rate_that_is_refused_leaves_it_as_it_was(spec: str) -> None:
    made = learner(spec, BOARD, 1)
    before = made.spec
    for dial in options_of(made.Config):
        if dial.live and dial.kind is not bool:
            with pytest.raises(SpecError):
                made.tune(**{dial.field: "-7" if dial.kind is str else float("nan")})
    assert made.spec == before


@pytest.mark.parametrize("opponent", ["mcts:sims=3", "minimax:depth=2", "perfect:blunder=0.5"])
def test_any_agent_can_be_a_training_opponent(opponent: str) -> None:
    made = trained(f"q:opponent=({opponent})", games=150)
    assert made.done == 150
    assert played(made) == played(trained(f"q:opponent=({opponent}),chunk=7", games=150))


@pytest.mark.parametrize("name", KINDS)
def test_learners_are_described(name: str) -> None:
    kind = LEARNERS[name]
    assert kind.name == name
    assert kind.title
    assert (kind.__doc__ or "").splitlines()[0].endswith(".")
    assert (kind.Config.__doc__ or "").splitlines()[0].endswith(".")
    assert all(described.help for described in options_of(kind.Config))
