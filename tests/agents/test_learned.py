"""Agents that play what was learned, and what they do where nothing was."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from fourlab.agents.learned import Learned, LearnedConfig
from fourlab.agents.play import play_game
from fourlab.agents.registry import agent
from fourlab.core.errors import SpecError
from fourlab.core.storage import StorageError
from fourlab.learning.registry import learner
from fourlab.rules.boards import boards_of
from fourlab.rules.position import position_of


def saved(folder: Path, spec: str = "q:opponent=self,alpha=1,epsilon=0.5,games=20000") -> Path:
    made = learner(spec, "tictactoe", 1)
    for _ in made.steps():
        pass
    made.save(folder / "values.npz")
    return folder / "values.npz"


def test_it_plays_the_most_valuable_move_and_tells_values(tmp_path: Path) -> None:
    player = agent(f"q:{saved(tmp_path)}", "tictactoe")
    position = position_of(player.rules, "3758")
    decision = player.decide(position, np.random.default_rng(1))
    assert decision.move == 8
    assert decision.values is not None
    assert decision.values[8] == 1
    assert decision.values[0] == -1


@pytest.mark.parametrize(("unseen", "moves"), [("random", {0, 1, 3, 5, 8}), ("baseline", {8})])
def test_where_nothing_was_seen_it_does_as_told(
    tmp_path: Path, unseen: str, moves: set[int]
) -> None:
    player = agent(f"q:{saved(tmp_path, 'q:games=1')},unseen={unseen}", "tictactoe")
    position = position_of(player.rules, "3758")
    decisions = [player.decide(position, np.random.default_rng(seed)) for seed in range(60)]
    assert {decision.move for decision in decisions} == moves
    assert all(decision.values is None for decision in decisions)


@pytest.mark.parametrize("spec", ["q", "afterstates:spread=0.3", "double-q", "monte-carlo"])
def test_it_tells_values_of_moves_that_were_taught_alone(spec: str) -> None:
    made = learner(spec, "tictactoe", 1, games=60)
    next(made.steps())
    player = made.agent()
    assert isinstance(player, Learned)
    known, told, silent = player.knowledge, 0, 0
    for moves in ("", "5", "1", "15", "51", "512", "3758"):
        position = position_of(player.rules, moves)
        decision = player.decide(position, np.random.default_rng(1))
        taught = known.visits(position)
        for values in (decision.values, decision.raw):
            there = values or (None,) * len(taught)
            assert [value is not None for value in there] == [bool(count) for count in taught]
        told += sum(map(bool, taught))
        silent += taught.count(0)
        # What nobody taught it still draws from.
        assert decision.policy == tuple(player.policies(boards_of([position]))[0])
    assert told > 3
    assert silent > 3


def test_the_monte_carlo_agent_follows_its_stored_policy(tmp_path: Path) -> None:
    player = agent(f"monte-carlo:{saved(tmp_path, 'monte-carlo:games=5000')}", "tictactoe")
    decision = player.decide(player.rules.start(), np.random.default_rng(1))
    assert decision.policy is not None
    assert max(decision.policy) == 1


def test_inside_kernels_it_is_the_same_player(tmp_path: Path) -> None:
    path = saved(tmp_path)
    made = learner(f"q:opponent=(q:{path}),games=500,epsilon=0,side=first", "tictactoe", 1)
    results = [(p.wins, p.losses) for p in made.steps()]
    assert sum(wins for wins, _ in results) == 0  # nobody beats a perfect table


def test_it_can_be_played_by_the_learner_itself() -> None:
    made = learner("afterstates:games=100", "tictactoe", 1)
    next(made.steps())
    player = Learned(made.rules, LearnedConfig(unseen="baseline"), made.knowledge)
    assert play_game(made.rules, player, agent("random", made.rules), 3).outcome


LEARNED = {"q": "q:games=500", "n-tuple": "n-tuple:tuples=4,length=3,games=500"}


@pytest.mark.parametrize("name", LEARNED)
def test_many_threads_decide_at_once(tmp_path: Path, name: str) -> None:
    player = agent(f"{name}:{saved(tmp_path, LEARNED[name])}", "tictactoe")
    positions = [position_of(player.rules, moves) for moves in ("", "1", "15", "512", "3758")] * 40
    alone = [player.decide(position, np.random.default_rng(1)) for position in positions]
    with ThreadPoolExecutor(4) as threads:
        together = threads.map(lambda p: player.decide(p, np.random.default_rng(1)), positions)
        assert list(together) == alone


@pytest.mark.parametrize("name", LEARNED)
def test_decisions_write_nowhere_that_other_threads_do(tmp_path: Path, name: str) -> None:
    player = agent(f"{name}:{saved(tmp_path, LEARNED[name])}", "tictactoe")
    assert isinstance(player, Learned)
    values = player.knowledge.values
    network = values.network
    spaces = [values.worths, *([] if network is None else [network.marks, network.hits])]
    for space in spaces:
        space.fill(99)
    boards = boards_of([position_of(player.rules, moves) for moves in ("", "15")])
    player.decide(position_of(player.rules, "15"), np.random.default_rng(1))
    player.choose(boards, np.arange(2))
    player.policies(boards)
    player.knowledge.worths(boards)
    assert all((space == 99).all() for space in spaces)


def test_mistakes_are_named(tmp_path: Path) -> None:
    path = saved(tmp_path, "q:games=1")
    with pytest.raises(SpecError, match="agent 'q' needs what was learned; write q:PATH"):
        agent("q", "tictactoe")
    with pytest.raises(StorageError, match=r"was learned by 'q'; write q:"):
        agent(f"afterstates:{path}", "tictactoe")
    with pytest.raises(StorageError, match=r"values.npz knows tictactoe, not connect4"):
        agent(f"q:{path}", "connect4")
    with pytest.raises(StorageError, match="cannot read nowhere: No such file"):
        agent("q:nowhere", "tictactoe")
    for spec in (f"q:{tmp_path}", f"learned:{tmp_path}", f"net:{tmp_path}", f"deep-q:{tmp_path}"):
        with pytest.raises(StorageError, match=r"no checkpoint is there; fourlab runs lists what"):
            agent(spec, "tictactoe")
