"""The top of the package: quick to import, complete, and one call for each thing one does."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fourlab
from fourlab.core.errors import SpecError
from fourlab.learning.runs import Run, RunConfig

SMALL = "connect:columns=5,rows=4,k=4"


def test_everything_at_the_top_is_there_and_described() -> None:
    for name in fourlab.__all__:
        if name != "__version__":
            assert getattr(fourlab, name).__doc__, name
    assert {"learner", "train", "grade", "tournament", "show"} <= set(dir(fourlab))


def test_importing_it_loads_nothing_heavy() -> None:
    heavy = "{'numba', 'numpy', 'rich', 'IPython', 'fourlab.rules'} & set(sys.modules)"
    code = f"import sys, fourlab; sys.exit(bool({heavy}))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_train_runs_shows_goes_on_and_plays(tmp_path: Path) -> None:
    seen: list[int] = []
    folder = tmp_path / "mine"
    asked = {"out": folder, "seed": 1, "games": 2000, "opponent": "random"}
    run = fourlab.train(
        "q:alpha=0.3", "tictactoe", show=lambda run: seen.append(run.learner.done), **asked
    )  # type: ignore[arg-type]
    assert run.learner.done == seen[-1] == 2000
    assert run.learner.config.alpha == "0.3"
    assert run.agent().spec == f"q:{folder}"
    assert fourlab.Run.resume(str(folder)).learner.done == 2000
    again = fourlab.train("q", "tictactoe", alpha=0.3, **asked)  # type: ignore[arg-type]
    assert again.learner.done == 2000
    with pytest.raises(SpecError, match="holds a run"):
        fourlab.train("q:alpha=0.2", "tictactoe", **asked)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="no option 'gmaes'"):
        fourlab.learner("q", gmaes=3)
    played = fourlab.tournament(run.agent(), "random", game="tictactoe", games=200)
    assert played.ratings().ranking()[0] == f"q:{folder}"


def test_training_without_a_folder_makes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runs: list[Run] = [fourlab.train("q", "tictactoe", games=10) for _ in range(2)]
    assert [run.folder for run in runs] == [Path("runs/q-1"), Path("runs/q-2")]


def test_a_tournament_keeps_its_games_in_a_record(tmp_path: Path) -> None:
    seen: list[int] = []
    record = tmp_path / "games.db"

    def play(games: int) -> int:
        return fourlab.tournament(
            "random", "baseline", game=SMALL, games=games, record=record, workers=1,
            show=lambda played: seen.append(played.played),
        ).played  # fmt: skip

    assert play(4) == seen[-1] == 4
    seen.clear()
    assert play(6) == 6
    assert min(seen) > 4  # those that were played before are not played again


def test_a_grade_takes_names_or_things() -> None:
    by_name = fourlab.grade("baseline", "end", game="tictactoe")
    by_thing = fourlab.grade(fourlab.agent("baseline", "tictactoe"), "end")
    assert by_name.to_json() == by_thing.to_json()
    assert fourlab.grade("perfect", "played", game="tictactoe").overall.to_json()["good"] == 1.0


def test_one_agent_or_a_list_of_them_is_taken_as_several_are(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"game": "tictactoe", "games": 4, "workers": 1}
    listed = fourlab.tournament(["random", "baseline"], **asked)
    assert listed.event == fourlab.tournament("random", "baseline", **asked).event
    assert listed.played == 4
    one = fourlab.tournament("random", against="baseline", **asked)
    assert one.event.against == ("baseline",)
    assert fourlab.sweep("flat:playouts={1,2}", "random", **asked).against == ("random",)
    run = fourlab.train("q", "tictactoe", out=tmp_path, games=10, against="random")
    assert run.config.against == ("random",)
    with pytest.raises(SpecError, match="plays against nobody; name an agent"):
        fourlab.sweep("flat:playouts={1,2}", [], **asked)


def test_a_grade_takes_positions_without_scores_of_its_own_game() -> None:
    game = fourlab.game("tictactoe")
    positions = [game.start(), game.start().play_all("51")]
    assert fourlab.grade("perfect", positions, game=game).overall.positions == 2
    with pytest.raises(SpecError, match="positions of tictactoe cannot be asked of an agent for"):
        fourlab.grade("perfect", positions)
    with pytest.raises(SpecError, match="no positions: there is nothing to grade on"):
        fourlab.grade("perfect", [], game=game)
    with pytest.raises(SpecError, match="3 is no suite; write its name, or a list of positions"):
        fourlab.grade("perfect", 3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "ask",
    [
        fourlab.solve,
        fourlab.Solver().score,
        fourlab.Solver().bounds,
        fourlab.Solver().scores,
        fourlab.Solver().line,
        lambda moves: fourlab.Solver().score_many([moves]),
        lambda moves: fourlab.agent("random").decide(moves, np.random.default_rng()),
        lambda moves: fourlab.grade("random", [moves]),
        lambda moves: fourlab.play_game("connect4", "random", "random", 1, moves),
    ],
)
def test_moves_that_are_no_position_are_told_how_to_become_one(ask: Any) -> None:
    with pytest.raises(fourlab.FourlabError, match=r"'44' is no position; .*play_all\('4455'\)"):
        ask("44")


BOARD, DICE = fourlab.game(SMALL), np.random.default_rng()
FEW: dict[str, Any] = {"game": SMALL, "games": 2, "workers": 1}


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: fourlab.train("q", SMALL, truth=3, games=1), "truth=3: write text"),
        (lambda: fourlab.train("q", SMALL, out=3, games=1), "out=3: write a path or text"),
        (lambda: fourlab.train("q", SMALL, show=3, games=1), "show=3: write a function"),
        (lambda: fourlab.tournament("random", "baseline", record=3, **FEW), "record=3: write a"),
        (lambda: fourlab.tournament("random", "baseline", show=3, **FEW), "show=3: write a funct"),
        (lambda: fourlab.tournament("random", "baseline", gauntlet=b"x", **FEW), "True or False"),
        (
            lambda: fourlab.tournament("flat", "baseline", against="random", gauntlet=True, **FEW),
            "gauntlet does nothing beside against",
        ),
        (lambda: fourlab.sweep(3), "text=3: write text"),
        (lambda: fourlab.Solver(SMALL, book=3), "book=3: write what .*Book.load"),
        (lambda: fourlab.Solver(SMALL).bounds(BOARD.start(), 0.5), r"=0.5: write fourlab.Limit\("),
        (lambda: fourlab.Solver(SMALL).scores(BOARD.start(), weak="no"), "weak='no': write True"),
        (lambda: fourlab.Solver(SMALL).score_many(3), "positions=3: write a list"),
        (lambda: fourlab.agent("random").decide(BOARD.start(), 5), r"rng=5: .*default_rng\(5\)"),
        (lambda: fourlab.agent("mcts").decide(BOARD.start(), DICE, 5), "limit=5: write fourlab.Li"),
        (lambda: fourlab.certify("perfect:ties=first", SMALL, moves=3), "moves=3: write a path"),
        (lambda: fourlab.certify("perfect:ties=first", SMALL, workers=3), "workers=3: .*Workers"),
        (lambda: fourlab.certify("perfect:ties=first", SMALL, most=-1), "most=-1: write a whole"),
        (lambda: fourlab.Certificate.load(3), "path=3: write a path"),
        (lambda: fourlab.best_response(SMALL, "random", win="x"), "win='x': write a number"),
        (
            lambda: fourlab.best_response(SMALL, "random", win=float("nan")),
            "win=nan, .*: write finite",
        ),
        (
            lambda: fourlab.best_response(SMALL, "random", loss=-float("inf")),
            "loss=-inf: write fin",
        ),
        (lambda: RunConfig("q", SMALL, against="random"), r"against='random': write a tuple"),
        (lambda: fourlab.mdp(SMALL, "random", []), r"side=\[\]: write text"),
        (lambda: fourlab.mdp(SMALL, start=3), "3 is no position"),
        (lambda: fourlab.Run.resume(3), "folder=3: write a path"),
        (lambda: Run.start(3, RunConfig("q", SMALL)), "folder=3: write a path"),
        (lambda: Run.start("x", "q"), r"config='q': write fourlab.learning.runs.RunConfig\("),
        (lambda: fourlab.Sweep(3, ("random",)), "text=3: write text"),
        (lambda: fourlab.Sweep("flat:playouts={1,2}", "random"), "against='random': write a list"),
        (lambda: fourlab.Sweep("flat:playouts={1,2}", ("random",), records="x"), "records='x': wr"),
        (lambda: fourlab.Tournament("random"), r"event='random': write fourlab.arena.events.Event"),
    ],
)
def test_arguments_of_another_kind_are_told_what_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Any, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(fourlab.FourlabError, match=says):
        ask()
    assert not list(tmp_path.iterdir())


def test_an_own_agent_is_asked_rightly_too() -> None:
    class Mine(fourlab.Agent):
        """Plays the first move."""

        name = "mine"

        def decide(self, state: Any, generator: Any, limit: Any = None) -> fourlab.Decision:
            return fourlab.Decision(state.legal_moves()[0])

    mine = Mine(BOARD)
    assert mine.decide(BOARD.start(), generator=DICE).move == 0
    with pytest.raises(SpecError, match="rng=5: write numpy"):
        mine.decide(BOARD.start(), 5)


def test_what_the_command_says_of_a_run_python_says_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asked: dict[str, Any] = {"games": 128, "opponent": "mcts:sims=1", "out": tmp_path / "late"}
    for _ in range(2):  # the second time it is over
        fourlab.train("q", "tictactoe", every=100, **asked)
    fourlab.train("q", "tictactoe", every=64, **asked | {"out": tmp_path / "exact"})
    told = [record.getMessage() for record in caplog.records if record.name == "fourlab.runs"]
    late = "--every 100: q is looked at after every 64 games; a report comes with the first look"
    assert told == [f"{late} from each 100 on"]


def test_a_run_that_taught_nothing_says_so_in_python(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("torch")
    small = "network=residual,blocks=0,width=2"
    for spec in (f"deep-q:reuse=0,{small}", f"deep-q:batch=2,{small}"):
        fourlab.train(spec, "tictactoe", games=9, out=tmp_path / spec[7:12])
    told = [record.getMessage() for record in caplog.records if record.name == "fourlab.runs"]
    assert told == ["nothing was learned (reuse=0): it plays as it began"]


def test_a_certificate_takes_places_as_text(tmp_path: Path) -> None:
    moves, folder, file = (str(tmp_path / name) for name in ("moves", "walk", "file"))
    found = fourlab.certify("perfect:ties=first", "tictactoe", moves=moves, folder=folder)
    found.save(file)
    assert fourlab.Certificate.load(file) == found
    assert {path.name for path in tmp_path.iterdir()} == {"moves", "walk", "file"}


@pytest.mark.parametrize("option", ["seed", "every", "evaluation_games"])
@pytest.mark.parametrize("number", [-1, True, 2.5, None, 2**63])
def test_a_number_that_is_none_begins_no_run(tmp_path: Path, option: str, number: Any) -> None:
    """It was written down first, and then told to be damage."""
    with pytest.raises(SpecError, match=f"{option}={number}: write a whole number"):
        fourlab.train("q", "tictactoe", out=tmp_path / "mine", games=10, **{option: number})
    assert not list(tmp_path.iterdir())


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    two = np.int64(2)
    run = fourlab.train("q", "tictactoe", out=tmp_path / "mine", games=two, seed=two, every=two)
    assert Run.resume(run.folder).config == run.config
    played = fourlab.tournament(
        "random", "baseline", game="tictactoe", games=two, seed=two, workers=two, plies=two
    )
    assert json.loads(json.dumps(played.to_json()))["seed"] == 2


def test_a_game_is_played_by_names_or_things_of_that_game() -> None:
    by_thing = fourlab.play_game(
        fourlab.game("tictactoe"), *[fourlab.agent("random", "tictactoe")] * 2, seed=5
    )
    assert fourlab.play_game("tictactoe", "random", "random", seed=5).moves == by_thing.moves
    with pytest.raises(SpecError, match="random plays connect4, not tictactoe"):
        fourlab.play_game("tictactoe", "random", fourlab.agent("random"), seed=5)
    with pytest.raises(fourlab.FourlabError, match="connect4 is not the game to be played"):
        fourlab.play_game("tictactoe", "random", "random", 5, fourlab.game("connect4").start())
    with pytest.raises(SpecError, match="seed=None"):
        fourlab.play_game("tictactoe", "random", "random", None)  # type: ignore[arg-type]


def test_a_run_is_taken_up_however_it_was_called(tmp_path: Path) -> None:
    """What stands in its files is compared with what was asked for."""
    asked = RunConfig("q:opponent=random,games=3", "connect:columns=7,rows=6,k=4")
    run = Run.start(tmp_path / "mine", asked)
    assert [line["games"] for line in run.reports()][-1] == 3
    assert Run.resume(tmp_path / "mine").learner.done == 3
