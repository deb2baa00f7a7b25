"""Deep Q-learning: targets by hand, one seed one network, and going on as if never stopped."""

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourlab.agents.minimax import Minimax
from fourlab.agents.registry import agent
from fourlab.core.arrays import Ints
from fourlab.core.errors import MissingExtraError
from fourlab.core.limit import Limit
from fourlab.core.storage import StorageError
from fourlab.learning.evaluation import play_off
from fourlab.learning.networks.deep_q import DeepQ
from fourlab.learning.networks.replay import Rows, new_rows
from fourlab.learning.registry import learner, load_learner
from fourlab.learning.runs import Run, RunConfig, read_metrics
from fourlab.positions.suites import phase_positions
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from fourlab.values.outlook import Singles

torch = pytest.importorskip("torch")

BOARD = "connect:columns=4,rows=3,k=3"
SMALL = "deep-q:width=4,batch=16,memory=300,lanes=8"
OPTIONS = {
    "plain": ",sync=5",
    "study": ",target=study,sync=0,optimiser=sgd,rate=0.01,ends=network",
    "fancy": ",double=yes,priority=0.6,steps=3,sync=1,soft=0.1,rate=(linear:0.01,end=0.001)",
    "residual": ",sync=3,network=residual,blocks=1,mirror=no",
    "half": ",sync=5,half=yes",
    "returns": ",target=returns,lambda=0.7",
    "opponents": ",sync=5,opponent=(2 baseline and 1 frozen:every=20),side=second",
    "asked": ",sync=5,opponent=(mcts:sims=3 then random),start=(random:plies=3)",
}


def made(spec: str, game: str = BOARD, seed: int = 1, **options: Any) -> DeepQ:
    found = learner(spec, game, seed, **options)
    assert isinstance(found, DeepQ)
    return found


def trained(one: DeepQ) -> DeepQ:
    for _ in one.steps():
        pass
    return one


def same(one: DeepQ, other: DeepQ) -> bool:
    """Whether two are equal in all that is saved."""
    a, b = one.estimator.arrays(), other.estimator.arrays()
    a |= one.replay.arrays() | one.play.lanes._asdict()
    b |= other.replay.arrays() | other.play.lanes._asdict()
    return all(np.array_equal(a[name], b[name], equal_nan=True) for name in a | b)


def counted(scale: float) -> Any:
    """A valuation that can be worked out by hand: by the lowest stone of the side to move."""

    def value(movers: Ints, occupied: Ints) -> Singles:
        return (np.log2(np.maximum(movers & -movers, 1)) * scale).astype(np.float32)

    return value


def after(moves: str, following: str | None, reward: float, factor: float) -> Rows:
    """A row: the board after moves (cells of tic-tac-toe), then the one before a later decision."""
    start = game("tictactoe").start()
    row, board = new_rows(1), start.play_all(moves)
    row.movers[0], row.occupied[0] = board.mover, board.occupied
    if following is not None:
        board = start.play_all(following)
        row.next_movers[0], row.next_occupied[0] = board.mover, board.occupied
    row.rewards[0], row.factors[0] = reward, factor
    return row


ROWS = (
    after("1", "1", 0, 0.5),  # O moves next and takes the least
    after("15", "15", 0, 0.5),  # X moves next and takes the most
    after("14253", None, 1, 0),  # X has won
    after("1425", "1425", 0, 0.5),  # X wins at once
    after("14259", "14259", 0, 0.25),  # O wins at once
)


def targets(spec: str) -> tuple[DeepQ, list[float]]:
    one = made(spec, "tictactoe")
    one.estimator.value = counted(0.1)  # type: ignore[method-assign]
    one.estimator.target_value = counted(-0.01)  # type: ignore[method-assign]
    for row in ROWS:
        one.replay.add(row)
    numbers = np.arange(len(ROWS))
    return one, one.targets(numbers, one.replay.take(numbers)).tolist()


def test_targets_by_hand() -> None:
    # Bits: cells 7, 4, 1 are 0, 1, 2, cells 8, 5, 2 are 4, 5, 6, cells 9, 6, 3 are 8, 9, 10. After
    # O's move in "1" the lowest stone of X is cell 1 (bit 2), whatever O does; after X's move in
    # "15" the lowest stone of O is cell 5 (bit 5).
    assert targets("deep-q:width=4,sync=0")[1] == pytest.approx([0.1, 0.25, 1, 0.5, -0.25])
    assert targets("deep-q:width=4,sync=9")[1] == pytest.approx([-0.01, -0.025, 1, 0.5, -0.25])


def test_the_first_takes_the_most_and_the_second_the_least() -> None:
    for following, best in (("1", min), ("15", max)):
        one = made("deep-q:width=4,sync=0", "tictactoe")
        one.replay.add(after(following, following, 0, 1.0))
        board = game("tictactoe").start().play_all(following)
        children = boards_of([board.play(move) for move in board.legal_moves()])
        values = one.estimator.value(children.movers, children.occupied)
        found = one.targets(np.zeros(1, np.int64), one.replay.take(np.zeros(1, np.int64)))
        assert found[0] == pytest.approx(best(values.tolist()), abs=1e-6)
        assert len(set(values.tolist())) > 1


def test_double_picks_by_one_network_and_values_by_the_other() -> None:
    one = made("deep-q:width=4,sync=9,double=yes", "tictactoe")
    liked = {move: 0.1 * move for move in range(9)}  # by the network; X likes cell 9 best
    worth = {move: -0.1 * move for move in range(9)}  # by the target network

    def by(table: dict[int, float]) -> Any:
        def value(movers: Ints, occupied: Ints) -> Singles:
            cells = [start.play(move).occupied for move in range(9)]
            new = [int(board) & ~start.play_all("15").occupied for board in occupied]
            return np.array([table[cells.index(cell)] for cell in new], np.float32)

        return value

    start = game("tictactoe").start()
    one.estimator.value = by(liked)  # type: ignore[method-assign]
    one.estimator.target_value = by(worth)  # type: ignore[method-assign]
    one.replay.add(after("15", "15", 0, 1.0))
    numbers = np.zeros(1, np.int64)
    assert one.targets(numbers, one.replay.take(numbers))[0] == pytest.approx(-0.8)


def test_the_faulty_target_is_the_own_value_once_more() -> None:
    # Lowest stones of the side to move: O has none after "1", X has cell 1 after "15" and "1425"
    # (bit 2), O has cell 4 after "14259" (bit 1).
    _, found = targets("deep-q:width=4,target=study,sync=0")
    assert found == pytest.approx([0, 0.5 * 0.2, 1, 0.5 * 0.2, 0.25 * 0.1])


def test_without_what_came_of_it_a_board_learns_from_the_next_one() -> None:
    # Nothing is learned on the way, so that games are the same and targets those of one network.
    spec, games = "deep-q:width=4,reuse=0,epsilon=0.3,lanes=8", 30
    ahead = trained(made(f"{spec},sync=0", games=games))
    numbers = np.arange(len(ahead.replay))
    rows = ahead.replay.take(numbers)
    found = ahead.targets(numbers, rows).tolist()
    boards = zip(rows.movers.tolist(), rows.occupied.tolist(), strict=True)
    known = dict(zip(boards, found, strict=True))
    at_once = trained(made(f"{spec},target=returns,lambda=0", games=games)).replay
    told = at_once.take(np.arange(len(at_once)))
    compared = 0
    for mover, occupied, worth in zip(told.movers, told.occupied, told.rewards, strict=True):
        if occupied:  # the empty board comes after no move
            assert worth == pytest.approx(known[int(mover), int(occupied)], abs=1e-6)
            compared += 1
    assert compared == len(numbers) - int((rows.rewards != 0).sum()) > 100


def test_a_target_network_is_asked_once_for_each_row() -> None:
    one = made("deep-q:width=4,sync=2", "tictactoe")
    one.replay.add(after("1", "1", 0, 1.0))
    numbers = np.zeros(3, np.int64)
    rows = one.replay.take(numbers)
    before = one.targets(numbers, rows)
    one.estimator.target_value = counted(9.0)  # type: ignore[method-assign]
    assert (one.targets(numbers, rows) == before).all()
    one.updates = 2
    assert one.targets(numbers, rows)[0] == pytest.approx(18.0)


@pytest.mark.parametrize("network", ["study", "residual,blocks=1"])
def test_one_batch_is_learned_by_heart(network: str) -> None:
    one = made(f"deep-q:network={network},width=8", "connect:columns=5,rows=4,k=4")
    boards = boards_of(phase_positions(one.rules, "middle", 24))
    wanted = np.random.default_rng(1).choice([-0.9, 0.0, 0.9], 24).astype(np.float32)
    even = np.ones(24, np.float32)
    losses = [
        (one.estimator.learn(boards.movers, boards.occupied, wanted, even, 0.005) ** 2).mean()
        for _ in range(100)
    ]
    assert losses[0] > 0.3
    assert losses[-1] < 0.02
    if network == "study":  # no batch normalisation between learning and playing
        assert one.estimator.value(boards.movers, boards.occupied) == pytest.approx(wanted, abs=0.4)


def test_the_target_network_follows_by_a_share() -> None:
    one = made("deep-q:width=4")
    slow = {name: a.copy() for name, a in one.estimator.arrays().items() if "target" in name}
    boards = boards_of(phase_positions(one.rules, "middle", 8))
    one.estimator.learn(*boards[:2], np.ones(8, np.float32), np.ones(8, np.float32), 0.1)
    one.estimator.follow(0.25)
    now = one.estimator.arrays()
    for name, before in slow.items():
        fast = now[name.replace("target", "network")]
        assert now[name] == pytest.approx(0.75 * before + 0.25 * fast, abs=1e-6)
    one.estimator.follow()
    now = one.estimator.arrays()
    assert all((now[name] == now[name.replace("target", "network")]).all() for name in slow)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_one_seed_is_one_network_and_resuming_changes_nothing(options: str, tmp_path: Path) -> None:
    spec = f"{SMALL}{options}"
    whole = trained(made(spec, games=60, chunk=60))
    first = made(spec, games=60, chunk=13)
    next(first.steps())
    assert 0 < first.done < 60
    first.save(tmp_path / DeepQ.file)
    again = load_learner(tmp_path / DeepQ.file)
    assert isinstance(again, DeepQ)
    assert same(first, again)
    assert trained(again).done == whole.done == 60
    assert again.updates == whole.updates > 10
    assert same(again, whole)
    assert not same(whole, trained(made(spec, games=60, seed=2)))


def test_few_games_at_a_time_and_stops_between_are_the_same_run() -> None:
    whole, parts = (made(f"{SMALL},sync=5", games=60, chunk=60) for _ in range(2))
    looks = iter(range(1000))
    now_and_then = Limit(stop=lambda: next(looks) % 3 == 2)
    done = [0]
    while (progress := parts.advance(1, now_and_then)) is not None:
        assert progress.played == progress.done - done[-1]
        done.append(progress.done)
    assert len(set(done)) > 4
    assert same(trained(whole), parts)


def test_games_of_a_chunk_that_was_called_off_are_told_once() -> None:
    learner = made(SMALL, games=60, chunk=40)
    looks = iter(range(1000))
    learner.halt = lambda: next(looks) == 12
    assert list(learner.steps()) == []
    assert 0 < (untold := learner.done) < 40
    told = [learner.advance(40), *learner.steps()]
    assert untold < 40 <= told[0].done < 60
    ends = [0, *(progress.done for progress in told)]
    assert [progress.played for progress in told] == np.diff(ends).tolist()
    assert ends[-1] == 60


def test_a_stop_is_heard_while_opponents_think_and_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = f"{SMALL},sync=5,games=60,chunk=40,opponent=(2 minimax:depth=2 and 1 frozen:every=20)"
    told = RunConfig(spec, BOARD, 5, 30)
    straight = Run.start(tmp_path / "straight", told)
    list(straight.reports())
    broken = Run.start(tmp_path / "broken", told)
    choose, asked = Minimax.choose, 0

    def slowly(*args: Any) -> Any:
        nonlocal asked
        asked += 1
        return choose(*args)

    monkeypatch.setattr(Minimax, "choose", slowly)
    for most in (2, 9, 5):
        ends = asked + most
        list(broken.reports(stop=lambda ends=ends: asked >= ends))
        assert asked == ends
        broken = Run.resume(tmp_path / "broken")
        assert 0 <= broken.learner.done < 60
    list(broken.reports())
    assert isinstance(broken.learner, DeepQ)
    assert isinstance(straight.learner, DeepQ)
    assert same(broken.learner, straight.learner)
    lines = [read_metrics(run.folder) for run in (straight, broken)]
    for line in lines[0] + lines[1]:
        del line["games_per_s"]
    assert lines[0] == lines[1]


@pytest.mark.parametrize("ends", ["rule", "network"])
def test_the_agent_of_a_file_plays_as_the_learner_does(ends: str, tmp_path: Path) -> None:
    one = trained(made(f"{SMALL},ends={ends}", games=40))
    one.save(tmp_path / DeepQ.file)
    player, boards = (
        agent(f"deep-q:{tmp_path}", BOARD),
        boards_of(phase_positions(one.rules, "middle", 40)),
    )
    dice = np.zeros(40, np.int64)
    assert (player.choose(boards, dice) == one.agent().choose(boards, dice)).all()
    values = player.decide(boards.position(one.rules, 3), np.random.default_rng(0)).values
    expected = one.worths(boards.take(np.array([3])))[0]
    assert [np.nan if v is None else v for v in values or ()] == pytest.approx(
        expected.tolist(), abs=1e-4, nan_ok=True
    )


def test_it_learns_a_small_game() -> None:
    one = made("deep-q:width=16,games=600,batch=32,sync=20,reuse=8")
    untaught = play_off(one, agent("random", BOARD), 400, 1, "alternating")
    taught = play_off(trained(one), agent("random", BOARD), 400, 1, "alternating")
    assert untaught.losses > 100
    assert taught.losses < 60


def test_files_of_others_are_refused(tmp_path: Path) -> None:
    path = tmp_path / DeepQ.file
    one = made(SMALL, games=20)
    one.estimator.folded({"learner": "somebody"}).save(path)
    with pytest.raises(StorageError, match="somebody"):
        DeepQ.load(path)
    one.estimator.folded({"learner": "deep-q", "config": {}, "seed": 1}).save(path)
    with pytest.raises(StorageError, match="damaged"):
        DeepQ.load(path)


def test_a_missing_torch_is_answered_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("learning.networks.playing", "learning.networks.estimator"):
        monkeypatch.delitem(sys.modules, f"fourlab.{name}", raising=False)
    monkeypatch.delitem(sys.modules, "fourlab.values.on_torch", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[deep\]'"):
        learner("deep-q")


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("reuse=0", "reuse=0"),
        ("reuse=1e-320", r"[\d,]{20,} boards too few"),
        ("reuse=1,batch=999", r"\d+ boards too few"),
    ],
)
def test_a_network_that_is_never_taught_says_so(more: str, why: str) -> None:
    small = "deep-q:games=20,width=2,network=residual,blocks=0"
    fresh, taught = made(f"{small},{more}"), made(f"{small},batch=8")
    assert not any("loss" in progress.metrics for progress in fresh.steps())
    assert re.fullmatch(why, fresh.untaught)
    assert "loss" in list(taught.steps())[-1].metrics
    assert taught.untaught == ""
