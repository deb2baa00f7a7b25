"""Learn without a page."""

import numpy as np
import pytest

from fourlab.learning.runs import Run
from fourlab.rules.catalog import game as find_game
from fourlab.search.solver import solve
from fourlab.web.limits import read_agent
from fourlab.web.sessions import learn as learn_module
from fourlab.web.sessions.learn import LearnSession
from fourlab.web.sessions.play import PlaySession
from fourlab.web.sessions.reference import truth_sample
from fourlab.web.workbench import TRAINING
from web.bench import TestBench


def learn(bench: TestBench, **query: str) -> LearnSession:
    session = LearnSession(bench, {"game": "tictactoe", "opponent": "random", **query}, seed=1)
    session.open()
    bench.until(lambda: session.learner is not None)
    return session


def do(session: LearnSession, name: str, *args: object) -> None:
    assert session.act(name, list(args)), session.error


def games(session: LearnSession) -> int:
    return session.done


def test_a_game_is_watched_move_by_move(bench: TestBench) -> None:
    session = learn(bench)
    sample = session.sample
    assert sample is not None
    shown = [len(session.view()["board"]["moves"])]
    while session.frame + 1 < len(sample.game.phases):
        do(session, "step", "move")
        shown.append(len(session.view()["board"]["moves"]))
    assert shown == list(range(shown[0], len(sample.game.moves) + 1))
    assert session.view()["board"]["over"]
    do(session, "step", "move")
    bench.until(lambda: session.sample is not sample)
    assert games(session) == 2


def test_every_update_is_the_sum_that_the_page_writes(bench: TestBench) -> None:
    session = learn(bench, alpha="0.25", epsilon="0.3")
    for _ in range(30):
        sample = session.sample
        assert sample is not None
        for turn in sample.game.turns:
            total = turn.update.replace("×", "*").replace("−", "-")
            assert turn.after[turn.move] == pytest.approx(eval(total), abs=0.02)  # two digits
        do(session, "step", "game")
        if session.sample is sample:
            do(session, "step", "move")
        bench.until(lambda before=sample: session.sample is not before)


def test_what_a_move_was_worth_stands_in_the_table_until_it_is_learned_from(
    bench: TestBench,
) -> None:
    session = learn(bench, game="connect:columns=4,rows=4,k=3", alpha="0.5")
    sample = session.sample
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
    bench.until(lambda: games(session) > 20_000)
    do(session, "run")
    assert not session.running
    wins = session.view()["wins"]
    assert wins[-1][2] > wins[0][2] + 0.1
    do(session, "test")
    bench.until(lambda: session.tested)
    assert session.tested["wins"] + session.tested["draws"] + session.tested["losses"] == 100
    assert session.tested["wins"] > 70


def test_when_the_visitor_leaves_training_ends(bench: TestBench) -> None:
    session = learn(bench)
    do(session, "speed", 1_000_000)
    do(session, "run")
    bench.until(lambda: games(session) > 1000)
    session.close()
    learner = session.learner
    assert learner is not None
    marks: list[int] = []
    bench.start(lambda job: job.report(lambda: marks.append(0)), TRAINING)
    bench.start(lambda job: job.report(lambda: marks.append(1)), TRAINING)
    bench.until(lambda: len(marks) == 2)  # both threads are free: nothing is trained any more
    played = learner.done
    while not bench.posts.empty():
        bench.posts.get()()
    assert learner.done == played


def test_numbers_apply_at_once_without_a_reset(bench: TestBench) -> None:
    session = learn(bench)
    before = games(session)
    do(session, "tune", "epsilon", "0.5")
    do(session, "step", "game")
    do(session, "step", "move")
    bench.until(lambda: games(session) > before)
    assert session.learner is not None
    assert session.learner.config.epsilon == "0.5"
    assert "epsilon=0.5" in session.url


def test_monte_carlo_goes_through_its_three_phases(bench: TestBench) -> None:
    session = learn(bench, learner="monte-carlo", td="yes")
    phases = [session.view()["phase"]]
    sample = session.sample
    while session.frame + 1 < len(sample.game.phases):  # type: ignore[union-attr]
        do(session, "step", "phase")
        phases.append(session.view()["phase"])
    assert phases == ["episode generation", "episode evaluation", "policy improvement"]


def test_a_saved_run_is_a_run_and_an_opponent(
    bench: TestBench, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # type: ignore[arg-type]
    session = learn(bench)
    do(session, "save")
    bench.until(lambda: session.saved)
    assert session.saved is not None
    folder = learn_module.RUNS / "web"
    [saved] = folder.iterdir()
    assert Run.resume(saved).learner.done == games(session)
    query = dict(p.split("=", 1) for p in session.saved["play"].partition("?")[2].split("&"))
    game = PlaySession(bench, query, seed=1)
    assert game.notice == ""
    game.open()
    game.act("play", [0, 4])
    bench.until(lambda: game.line.length == 2)


def test_the_values_overlay_shows_what_the_opponent_has_learned(
    bench: TestBench, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # type: ignore[arg-type]
    session = learn(bench)
    do(session, "speed", 1e9)
    do(session, "run")
    bench.until(lambda: games(session) > 2000)
    do(session, "run")
    do(session, "save")
    bench.until(lambda: session.saved)
    spec = session.saved["play"].partition("opponent=")[2]
    query = {"game": "tictactoe", "opponent": spec, "moves": "5", "overlay": "values"}
    shown = PlaySession(bench, {**query, "starts": "opponent"}, seed=1)
    shown.open()
    bench.until(lambda: shown.overlay_data)
    position = shown.line.position
    values = read_agent(spec, position.rules).decide(position, np.random.default_rng(0)).values
    best = max(value for value in values if value is not None)
    assert best > 0
    for chip, value in zip(shown.view()["chips"], values, strict=True):
        assert (chip["kind"] == "full") == (value is None)
        if value is not None:
            assert float(chip["first"].replace("−", "-")) == pytest.approx(value, abs=0.006)
            assert chip["heat"] == pytest.approx(value, abs=0.001)
            assert chip["best"] == (value == best)


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
    before = session.settings
    assert not session.act(name, args)
    assert session.settings == before


@pytest.mark.parametrize("spec", ["q:/etc/passwd", "q:runs/../../secret", "q:../runs", "q"])
def test_no_file_outside_the_runs_folder_is_opened(bench: TestBench, spec: str) -> None:
    session = PlaySession(bench, {"opponent": spec})
    assert "is not in the folder runs" in session.notice
