"""Learn without a page."""

import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fourlab.agents.learned import Learned
from fourlab.agents.mcts import Mcts
from fourlab.core.arrays import Ints
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.learning.networks.distil import Distil
from fourlab.learning.runs import Run
from fourlab.rules.boards import Boards
from fourlab.rules.catalog import game as find_game
from fourlab.rules.kernels import move_cell
from fourlab.rules.position import position_of
from fourlab.search.solver import solve
from fourlab.values.knowledge import Knowledge
from fourlab.values.shape import Shape
from fourlab.values.store import ACTIONS, TUPLES, teach
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import Keep
from fourlab.web.limits import offer_runs, read_agent
from fourlab.web.runs.pace import Pace
from fourlab.web.runs.policy import best_known
from fourlab.web.runs.reference import truth_sample
from fourlab.web.runs.room import Room
from fourlab.web.runs.setup import read_setup
from fourlab.web.sessions.learn import LearnSession
from fourlab.web.sessions.learn_game import _changed, _update
from fourlab.web.sessions.overlays import values_overlay
from fourlab.web.sessions.play import PlaySession
from web.bench import PATIENCE, TestBench


@pytest.fixture(autouse=True)
def keep(tmp_path: Path, bench: TestBench) -> Keep:
    """A store of the test's own; its runs can be named as opponents."""
    made = Keep(tmp_path / "kept")
    bench.room = Room(bench, made)  # type: ignore[attr-defined]
    offer_runs(bench.room.player)  # type: ignore[attr-defined]
    return made


def learn(bench: TestBench, **query: str) -> LearnSession:
    address = {"game": "tictactoe", "opponent": "random", **query}
    session = enter(bench, address)
    bench.until(lambda: session.training.learner is not None)
    return session


def enter(bench: TestBench, query: dict[str, str], visitor: str = "ann") -> LearnSession:
    room = bench.room  # type: ignore[attr-defined]
    session = LearnSession(bench, query, seed=1, shelf=Shelf(room.keep, visitor), room=room)
    session.open()
    return session


def do(session: LearnSession, name: str, *args: object) -> None:
    assert session.act(name, list(args)), session.error


def games(session: LearnSession) -> int:
    return session.training.done


def test_a_game_is_watched_move_by_move(bench: TestBench) -> None:
    session = learn(bench)
    sample = session.training.sample
    assert sample is not None
    shown = [len(session.view()["board"]["moves"])]
    while session.training.frame + 1 < len(sample.game.phases):
        do(session, "step", "move")
        shown.append(len(session.view()["board"]["moves"]))
    assert shown == list(range(shown[0], len(sample.game.moves) + 1))
    assert session.view()["board"]["over"]
    do(session, "step", "move")
    bench.until(lambda: session.training.sample is not sample)
    assert games(session) == 2


def test_every_update_is_the_sum_that_the_page_writes(bench: TestBench) -> None:
    session = learn(bench, alpha="0.25", epsilon="0.3")
    for _ in range(30):
        sample = session.training.sample
        assert sample is not None
        for turn in sample.game.turns:
            total = turn.update.replace("×", "*").replace("−", "-")
            assert turn.after[turn.move] == pytest.approx(eval(total), abs=0.02)  # two digits
        do(session, "step", "game")
        if session.training.sample is sample:
            do(session, "step", "move")
        bench.until(lambda before=sample: session.training.sample is not before)


def test_a_network_writes_no_sum_that_is_false_and_counts_no_trials(bench: TestBench) -> None:
    session = learn(bench, learner="n-tuple", game="connect:columns=4,rows=4,k=3")
    do(session, "step", "game")
    sample = session.training.sample
    assert sample is not None
    for turn in sample.game.turns:
        old, new = turn.before[turn.move], turn.after[turn.move]
        assert "×" not in turn.update
        target = float(turn.update.split("toward ")[1].split(",")[0].replace("−", "-"))
        assert old is not None
        assert new is not None
        assert (new - old) * (target - old) >= -0.02  # two digits
        assert turn.trials[turn.move] is None


def test_each_move_says_what_it_was_worth_and_why_it_was_chosen(bench: TestBench) -> None:
    session = learn(bench, learner="monte-carlo", epsilon="0")
    words = set()
    for _ in range(60):
        do(session, "step", "move")
        bench.until(lambda: not session.training.busy)
        said = session.view()["said"]
        sample = session.training.sample
        if said and said["why"] and sample is not None:
            words.add(said["why"]["word"].split(":")[0])
            own = sample.game.side
            assert said["side"] == own
    assert words <= {"random", "policy"}
    assert "random" in words  # at first every state is new


def test_a_speed_reaches_what_it_says_or_says_what_it_reaches(bench: TestBench) -> None:
    session = learn(bench)
    counted: list[float] = []
    for pace in (300.0, 3_000.0, 30_000.0):
        clock = {"now": 0.0}
        paced = Pace(pace, lambda clock=clock: clock["now"])
        paced.restart()
        played = 0
        for _ in range(100):  # ten seconds in slices
            clock["now"] += 0.1
            games = paced.allowed(8.0)
            played += games
            paced.played(games, games * 8)
        assert played * 8 / 10 == pytest.approx(pace, rel=0.1)
        assert paced.reached is not None
        assert paced.reached[0] == pytest.approx(pace, rel=0.2)
        counted.append(played)
    assert counted[1] == pytest.approx(10 * counted[0], rel=0.1)  # no cliff
    do(session, "speed", 300)
    do(session, "run")
    bench.until(lambda: session.training.pace.reached)
    assert session.view()["reached"]["games"] >= 0


def test_a_board_is_chosen_by_its_size_and_goal(bench: TestBench) -> None:
    session = learn(bench)
    do(session, "board", 6, 3, 3, True)
    assert session.view()["choices"]["game"]["title"] == "6 × 3, connect 3"
    do(session, "board", 4, 4, 3, False)
    assert session.training.settings.rules.gravity is False
    for wrong in ((3, 3, 4, True), (0, 4, 3, True), (9, 9, 4, True), ("5", 4, 3, True)):
        assert not session.act("board", list(wrong))


def test_a_rate_that_is_a_mean_says_so(bench: TestBench) -> None:
    session = learn(bench, learner="monte-carlo")
    [rate] = [dial for dial in session.view()["dials"] if dial["name"] == "alpha"]
    assert rate["value"] == "mean"
    do(session, "tune", "alpha", "0.2")
    do(session, "tune", "alpha", "mean")
    assert session.training.settings.turned["alpha"] == -1


@pytest.mark.parametrize(
    ("learner", "rate"),
    [("q", "-0.5"), ("q", "mean"), ("q", "-1"), ("td-lambda", "mean"), ("monte-carlo", "-0.5")],
)
def test_a_rate_that_a_learner_does_not_take_is_refused_at_once(
    bench: TestBench, learner: str, rate: str
) -> None:
    session = learn(bench, learner=learner)
    before = session.training.settings
    [dial] = [dial for dial in session.view()["dials"] if dial["name"] == "alpha"]
    assert (dial["low"], dial["high"]) == (0, 1)
    assert not session.act("tune", ["alpha", rate])
    assert session.error is not None
    assert "0 to 1" in session.error["text"]
    assert session.training.settings == before
    for address in ({"alpha": rate}, {"learner": f"{learner}:alpha={rate}"}):
        setup, notice = read_setup({"learner": learner, **address})
        assert "alpha" in notice
        assert "alpha" not in {**setup.turned, **setup.fixed}


def test_columns_are_counted_over_all_games(bench: TestBench) -> None:
    session = learn(bench, learner="monte-carlo")
    assert session.view()["columns"] is None  # before anything is to be said
    do(session, "run")
    bench.until(lambda: games(session) > 3000 and session.view()["columns"])
    columns = session.view()["columns"]
    for shares in (columns["chosen"], columns["best"]):
        assert sum(shares) == pytest.approx(1, abs=0.01)
    learner = session.training.learner
    assert learner is not None
    visits = learner.knowledge.values.table.visits  # type: ignore[attr-defined]
    assert int(visits.sum()) >= 3000 * 2


@pytest.mark.parametrize("learner", ["afterstates", "n-tuple"])
def test_values_of_boards_say_where_the_best_lie_too(bench: TestBench, learner: str) -> None:
    session = learn(bench, learner=learner)
    do(session, "run")
    bench.until(lambda: games(session) > 3000 and session.view()["columns"])
    do(session, "run")
    bench.until(lambda: not session.training.busy)
    columns = session.view()["columns"]
    assert columns["note"] == "in all test games"
    assert "last test games" in columns["states"]
    for shares in (columns["chosen"], columns["best"]):
        assert sum(shares) == pytest.approx(1, abs=0.01)
    assert columns["chosen"] != columns["best"]  # what is met often counts once
    known = session.training.learner.knowledge  # type: ignore[union-attr]
    assert best_known(known, position_of(known.rules, "1425")) == 2  # it wins


def test_a_pause_does_not_wait_for_a_slow_opponent(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = learn(bench, opponent="mcts:sims=20")
    bench.until(lambda: not session.training.busy)
    before, asked = games(session), threading.Event()

    def ponder(self: Mcts, boards: Boards, dice: Ints, limit: Limit = NO_LIMIT) -> Ints:
        asked.set()
        for _ in range(300):
            if limit.stop():
                break
            time.sleep(0.01)
        return np.zeros(len(dice), np.int64)

    monkeypatch.setattr(Mcts, "choose", ponder)
    do(session, "speed", 1e9)
    do(session, "run")
    assert asked.wait(PATIENCE)
    do(session, "run")
    bench.until(lambda: not session.training.busy)
    assert (games(session), session.failure) == (before, "")


def test_the_policy_list_finds_every_position(bench: TestBench) -> None:
    session = learn(bench)
    do(session, "run")
    bench.until(lambda: games(session) > 3000)
    do(session, "run")
    do(session, "find", "51")
    bench.until(lambda: session.policy is not None)
    assert session.policy is not None
    rows = session.policy["rows"]
    assert rows[0]["state"] == "51"
    assert all(row["state"].startswith("51") for row in rows)
    learner = session.training.learner
    assert learner is not None
    for row in rows[:10]:
        values = learner.knowledge.move_values(position_of(learner.rules, row["state"]))  # type: ignore[attr-defined]
        assert row["value"] == pytest.approx(values[row["move"]], abs=1e-3)
    do(session, "find", "55")
    bench.until(lambda: session.policy["text"] == "55")
    assert "taken" in session.policy["error"] or "full" in session.policy["error"]


def test_what_a_move_was_worth_stands_in_the_table_until_it_is_learned_from(
    bench: TestBench,
) -> None:
    session = learn(bench, game="connect:columns=4,rows=4,k=3", alpha="0.5")
    sample = session.training.sample
    assert sample is not None
    while not session.view()["changed"]:
        rows = session.view()["rows"]
        assert all(
            row["values"][turn.move] == round(turn.before[turn.move], 4)
            for row, turn in zip(rows, sample.game.turns, strict=False)
        )
        do(session, "step", "move")
    changed = session.view()["changed"]
    turn = sample.game.turns[changed["row"]]
    old, new = turn.before[turn.move], turn.after[turn.move]
    assert session.view()["rows"][changed["row"]]["values"][turn.move] == round(new, 4)
    assert changed["difference"] == round(new - old, 4)


def test_running_fast_it_learns(bench: TestBench) -> None:
    session = learn(bench)
    do(session, "speed", 1_000_000)
    do(session, "run")

    def more_is_won() -> bool:
        wins = session.view()["wins"]
        return len(wins) > 1 and wins[-1][2] > wins[0][2] + 0.1

    bench.until(lambda: games(session) > 20_000 and more_is_won())
    do(session, "run")
    assert not session.training.running
    do(session, "test")
    bench.until(lambda: session.training.tested)
    assert (
        session.training.tested["wins"]
        + session.training.tested["draws"]
        + session.training.tested["losses"]
        == 100
    )
    assert session.training.tested["wins"] > 70


def test_ten_seconds_of_learning_begin_when_it_can_learn(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = enter(bench, {"game": "tictactoe", "opponent": "random"})
    do(session, "learn", 10)
    pace, now = session.training.pace, [0.0]
    monkeypatch.setattr(pace, "_clock", lambda: now[0])
    pace.restart(10)
    now[0] = 60.0  # it was compiled for a minute
    bench.until(lambda: session.training.learner is not None)
    assert session.training.running
    assert not pace.is_spent


def test_numbers_apply_at_once_without_a_reset(bench: TestBench) -> None:
    session = learn(bench)
    before = games(session)
    do(session, "tune", "epsilon", "0.5")
    do(session, "step", "game")
    do(session, "step", "move")
    bench.until(lambda: games(session) > before)
    assert session.training.learner is not None
    assert session.training.learner.config.epsilon == "0.5"


def test_monte_carlo_goes_through_its_three_phases(bench: TestBench) -> None:
    session = learn(bench, learner="monte-carlo", td="yes")
    phases = [session.view()["phase"]["name"]]
    sample = session.training.sample
    while session.training.frame + 1 < len(sample.game.phases):  # type: ignore[union-attr]
        do(session, "step", "phase")
        phases.append(session.view()["phase"]["name"])
    assert phases == ["episode generation", "episode evaluation", "policy improvement"]


def address_of(session: LearnSession) -> dict[str, str]:
    return dict(part.split("=", 1) for part in session.challenged.partition("?")[2].split("&"))


def test_a_run_is_a_run_folder_and_an_opponent(bench: TestBench, keep: Keep) -> None:
    session = learn(bench)
    do(session, "challenge")
    bench.until(lambda: session.challenged)
    [item] = keep.items("run")
    assert Run.resume(keep.folder(item.name)).learner.done == games(session)
    game = PlaySession(bench, address_of(session), seed=1)
    assert game.notice == ""
    game.open()
    game.act("play", [0, 4])
    bench.until(lambda: game.line.length == 2)


def test_the_values_overlay_shows_what_the_opponent_has_learned(bench: TestBench) -> None:
    session = learn(bench)
    do(session, "speed", 1e9)
    do(session, "run")
    bench.until(lambda: games(session) > 2000)
    do(session, "run")
    do(session, "challenge")
    bench.until(lambda: session.challenged)
    spec = address_of(session)["opponent"]
    query = {"game": "tictactoe", "opponent": spec, "moves": "5", "overlay": "values"}
    shown = PlaySession(bench, {**query, "starts": "opponent"}, seed=1)
    shown.open()
    bench.until(lambda: shown.overlay_data)
    position = shown.line.position
    values = read_agent(spec, position.rules).decide(position, np.random.default_rng(0)).values
    best = max(value for value in values if value is not None)
    assert best > 0
    for move, (chip, value) in enumerate(zip(shown.view()["chips"], values, strict=True)):
        assert (chip["kind"] == "full") == (move not in position.legal_moves())
        assert (chip["first"] in ("–", "full")) == (value is None)
        if value is not None:
            assert float(chip["first"].replace("−", "-")) == pytest.approx(value, abs=0.006)
            assert chip["heat"] == pytest.approx(value, abs=0.001)
            assert chip["best"] == (value == best)


def test_colours_are_those_of_the_rewards_that_were_used(bench: TestBench) -> None:
    for opponent, scale in (("self", 0.5), ("random", 1.0)):
        session = learn(bench, opponent=opponent, win="0.5")
        assert session.view()["scale"] == scale
    rules = find_game("tictactoe")
    known = Knowledge.new(rules, Shape(ACTIONS), {"config": {"win": 0.5, "opponent": "self"}})
    teach(rules, known.values, 0, 0, 4, move_cell(rules, 0, 4), 0, 1.0, -0.5)
    chips = values_overlay(rules.start(), Learned(rules, knowledge=known))["chips"]
    assert (chips[4]["first"], chips[4]["heat"]) == ("−0.50", -1.0)
    # Nobody taught the others, however well 0 would look beside a loss.
    assert [chip["first"] for chip in chips].count("–") == 8
    assert [move for move, chip in enumerate(chips) if chip["best"]] == [4]


def test_no_trials_are_told_of_a_network() -> None:
    rules = find_game("tictactoe")
    known = Knowledge.new(rules, Shape(TUPLES, tuples=2, length=2))
    found = values_overlay(rules.start(), Learned(rules, knowledge=known))
    assert {(chip["first"], chip["second"]) for chip in found["chips"]} == {("0.00", "")}
    assert "trials" not in str(found)


def test_asking_the_solver_is_told_called_off_by_a_pause_and_taken_up_again(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    patience = threading.Event()
    prepare = Distil.prepare

    def ask(learner: Distil) -> None:
        while not patience.wait(0.01):
            learner.tell("asking the solver about positions with 9 stones: 64 of 3,000")
        prepare(learner)

    monkeypatch.setattr(Distil, "prepare", ask)
    session = enter(bench, {"learner": "distil", "game": "tictactoe"})
    do(session, "run")
    bench.until(lambda: "64 of 3,000" in session.waiting)
    assert session.view()["preparing"]
    do(session, "run")  # pause
    bench.until(lambda: not session.training.busy)
    assert session.waiting == ""
    assert session.failure == ""
    assert not session.view()["preparing"]
    do(session, "run")
    bench.until(lambda: "64 of 3,000" in session.waiting)
    patience.set()
    bench.until(lambda: games(session) > 0)
    assert session.waiting == ""


def test_most_of_the_time_belongs_to_learning(bench: TestBench) -> None:
    session = learn(bench)
    do(session, "speed", 1e9)
    do(session, "run")
    training = session.training
    bench.until(lambda: training.curves.wins)
    assert training.rest > training.seconds  # none before it has learned for longer than that took
    training.rest = float("inf")
    points, games = len(training.curves.wins), training.done
    bench.until(lambda: training.done > 100 * games)
    assert len(training.curves.wins) == points
    training.rest = 0.0
    bench.until(lambda: len(training.curves.wins) > points)


def test_the_truth_of_a_small_board_is_soon_found() -> None:
    sample = truth_sample(find_game("tictactoe"))
    assert len({one.position for one in sample}) == 120
    assert all(one.scores == tuple(solve(one.position)) for one in sample[:20])


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("tune", ["epsilon", "2"]),
        ("tune", ["alpha", "nan"]),
        ("tune", ["games", "5"]),
        ("tune", ["epsilon", None]),
        ("choose", ["game", "connect:columns=9,rows=6,k=4"]),
        ("choose", ["opponent", "mcts:sims=1000000000"]),
        ("choose", ["learner", "../q"]),
        ("tune", ["td", "yes"]),  # not a dial of this learner
        ("choose", ["seed", "1"]),
        ("speed", [float("inf")]),
        ("speed", ["fast"]),
        ("step", ["year"]),
    ],
)
def test_bad_input_is_refused(bench: TestBench, name: str, args: list[object]) -> None:
    session = learn(bench)
    before = session.training.settings
    assert not session.act(name, args)
    assert session.training.settings == before


def test_a_run_is_no_opponent_to_train_against(bench: TestBench) -> None:
    session = learn(bench)
    do(session, "run")
    bench.until(lambda: games(session) > 0)
    do(session, "run")
    bench.until(lambda: not session.training.busy and not session.training.is_dirty)  # type: ignore[attr-defined]
    assert session.kept is not None
    other = f"run:{session.kept.name}"
    for spec in (other, f"random then {other}"):
        assert not session.act("choose", ["opponent", spec])
        assert session.error is not None
        assert "fourlab train" in session.error["text"]


@pytest.mark.parametrize("spec", ["q:/etc/passwd", "q:runs/../../secret", "q:../runs", "q"])
def test_no_file_outside_the_runs_folder_is_opened(bench: TestBench, spec: str) -> None:
    session = PlaySession(bench, {"opponent": spec})
    assert "is not in the folder runs" in session.notice


def test_what_a_page_does_by_itself_takes_no_error_away(bench: TestBench) -> None:
    session = learn(bench)
    assert not session.act("tune", ["epsilon", "5"])
    do(session, "find", "")  # the page looks at the policy again
    assert session.view()["error"]["text"] == "epsilon 5 is out of range; 0 to 1"
    do(session, "tune", "epsilon", "0.5")
    assert session.view()["error"] is None


def test_a_full_table_writes_no_sum_that_is_false(bench: TestBench) -> None:
    session = learn(bench, learner="q")
    bench.until(lambda: session.training.sample is not None)
    sample = session.training.sample
    turn = replace(sample.game.turns[0], trials=[0] * 9)  # taught, and not remembered
    full = replace(sample, game=replace(sample.game, turns=(turn,)))
    assert _update(session.training, full, 1)["formula"].startswith("The table is full")
    assert _changed(full, 1) is None
    assert _changed(sample, 1) is not None
