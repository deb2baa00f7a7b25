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
