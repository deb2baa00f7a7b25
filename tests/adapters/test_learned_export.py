"""Learned agents on Kaggle: the values travel in the file, and it plays what the agent plays."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bare import run_bare
from fourlab.adapters import export
from fourlab.adapters.export import export_kaggle
from fourlab.adapters.kaggle import as_kaggle_agent
from fourlab.agents.learned import Learned, LearnedConfig
from fourlab.agents.registry import agent
from fourlab.core.errors import GeometryError, SpecError
from fourlab.core.storage import StorageError
from fourlab.learning.registry import LEARNERS, learner
from fourlab.learning.tables.learner import TableLearner
from fourlab.rules.boards import boards_of
from fourlab.rules.formats import write_kaggle
from fourlab.rules.position import Position, position_of
from fourlab.values.packing import packed, unpacked

BOARD = "connect:columns=4,rows=4,k=3"
TABLES = [name for name in LEARNERS if issubclass(LEARNERS[name], TableLearner)]
SMALL = {"n-tuple": "n-tuple:tuples=5,length=4"}

# Loads files as Kaggle's runner does and asks each for its moves in some positions.
PROGRAM = """
import json, sys
sys.path.append(sys.argv[1])
answers = {}
for path in sys.argv[3:]:
    scope = {}
    exec(compile(open(path).read(), path, "exec"), scope)
    agent = [value for value in scope.values() if callable(value)][-1]
    answers[path] = [agent(obs, config) for obs, config in json.loads(open(sys.argv[2]).read())]
strange = [name for name in sys.modules if name.split(".")[0] == "fourlab"]
jit = [module.COMPILED for name, module in sys.modules.items() if name.endswith(".core.jit")]
print(json.dumps({"answers": answers, "strange": strange, "compiled": jit}))
"""


def saved(folder: Path, name: str, board: str = BOARD, games: int = 2000) -> Path:
    made = learner(SMALL.get(name, name), board, 1, games=games)
    for _ in made.steps():
        pass
    path = folder / f"{name}.npz"
    made.save(path)
    return path


def wandering(board: str, count: int) -> list[Position]:
    """Return positions of random games."""
    rng, found = np.random.default_rng(5), []
    position = agent("random", board).rules.start()
    start = position
    while len(found) < count:
        found.append(position)
        position = position.play(int(rng.choice(position.legal_moves())))
        position = start if position.is_over else position
    return found


def question(position: Position) -> tuple[dict[str, Any], dict[str, Any]]:
    rules = position.rules
    obs = {"board": list(write_kaggle(position)), "mark": position.to_move + 1}
    board = {"columns": rules.columns, "rows": rules.rows, "inarow": rules.connect}
    return {**obs, "remainingOverageTime": 600}, {**board, "actTimeout": 2}


@pytest.mark.parametrize("packages", [["numpy"], ["numpy", "numba", "llvmlite"]], ids=len)
def test_the_file_plays_the_moves_of_the_agent(tmp_path: Path, packages: list[str]) -> None:
    positions = wandering(BOARD, 24)
    (tmp_path / "questions.json").write_text(json.dumps([question(p) for p in positions]))
    files = {}
    for name in TABLES:
        spec = f"{name}:{saved(tmp_path, name)},unseen=baseline"
        files[spec] = tmp_path / f"{name}.py"
        files[spec].write_text(export_kaggle(spec))
        (tmp_path / f"{name}.npz").rename(tmp_path / f"{name}.away")  # the file needs no other
    report, errors = run_bare(
        tmp_path, PROGRAM, packages, str(tmp_path / "questions.json"), *map(str, files.values())
    )
    for (spec, file), name in zip(files.items(), TABLES, strict=True):
        (tmp_path / f"{name}.away").rename(tmp_path / f"{name}.npz")
        player, sure = agent(spec, BOARD), 0
        for position, column in zip(positions, report["answers"][str(file)], strict=True):
            policy = player.decide(position, np.random.default_rng(1)).policy
            assert policy is not None
            assert policy[column] > 0
            sure += max(policy) == 1
        assert sure > 9
    assert report["strange"] == []
    assert report["compiled"][0] == (len(packages) > 1)
    assert "Traceback" not in errors


@pytest.mark.parametrize("exported", [False, True])
def test_on_other_boards_it_wins_and_blocks(tmp_path: Path, exported: bool) -> None:
    spec = f"q:{saved(tmp_path, 'q')}"
    scope: dict[str, Any] = {"agent": as_kaggle_agent(spec)}
    if exported:
        exec(compile(export_kaggle(spec), "submission.py", "exec"), scope)
    rules = agent("random").rules
    assert scope["agent"](*question(position_of(rules, "171717"))) == 0  # win
    assert scope["agent"](*question(position_of(rules, "17171"))) == 0  # block
    assert scope["agent"](*question(position_of(rules, ""))) == 3


def test_the_file_says_which_board_it_knows(tmp_path: Path) -> None:
    text = export_kaggle(f"q:{saved(tmp_path, 'q')}")
    assert f"is about {BOARD}; on other boards a simple player" in text.partition("import")[0]
    assert text == export_kaggle(f"q:{tmp_path / 'q.npz'}")
    assert "import pickle" not in text


def test_where_stones_do_not_fall_there_is_no_kaggle(tmp_path: Path) -> None:
    with pytest.raises(GeometryError, match="stones fall, those of tictactoe do not"):
        export_kaggle(f"q:{saved(tmp_path, 'q', 'tictactoe')}")


def test_what_is_too_large_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path, "q")
    whole = len(export_kaggle(f"q:{path}"))
    monkeypatch.setattr(export, "LARGEST", whole - 3_000)
    with pytest.raises(StorageError, match=r"seldom taught: q:\S+,visits=\d+$") as refused:
        export_kaggle(f"q:{path}")
    advice = str(refused.value).rpartition(": ")[2]
    assert len(export_kaggle(advice)) <= whole - 3_000
    network = f"n-tuple:{saved(tmp_path, 'n-tuple')}"
    monkeypatch.setattr(export, "LARGEST", 1000)
    with pytest.raises(StorageError, match="train fewer or shorter tuples"):
        export_kaggle(network)


def test_values_taught_seldom_count_as_unseen_where_asked(tmp_path: Path) -> None:
    for name in ("q", "afterstates", "double-q", "monte-carlo"):
        path = saved(tmp_path, name)
        whole, often = (agent(f"{name}:{path},visits={n}", BOARD).knowledge for n in (1, 5))
        assert 0 < len(often) < len(whole)
        assert often.arrays()["visits"].min() >= 5
        kept = whole.arrays()["visits"] >= 5
        for part in ("keys", "columns", "values", "visits"):
            np.testing.assert_array_equal(often.arrays()[part], whole.arrays()[part][kept])
        if name == "monte-carlo":
            assert set(often.arrays()["choice_keys"]) == set(often.arrays()["keys"])
    with pytest.raises(SpecError, match="leave out visits="):
        agent(f"n-tuple:{saved(tmp_path, 'n-tuple')},visits=2", BOARD)


def test_a_packed_file_knows_all_values_and_no_more(tmp_path: Path) -> None:
    for name in ("q", "n-tuple"):
        known = agent(f"{name}:{saved(tmp_path, name)}", BOARD).knowledge
        data = packed(known)
        assert len(data) < (tmp_path / f"{name}.npz").stat().st_size
        again = unpacked(data, Path("packed"), known.rules)
        for position in wandering(BOARD, 20):
            assert again.move_values(position) == known.move_values(position)
        with pytest.raises(StorageError, match="packed is no fourlab values, or it is damaged"):
            unpacked(data[:-30], Path("packed"), known.rules)


@pytest.mark.parametrize(
    "options", ["win=3,draw=1,opponent=minimax", "opponent=self", "start=(random:plies=4)"]
)
def test_a_packed_file_tells_values_on_the_same_scale(options: str) -> None:
    made = learner(f"q:games=500,{options}", BOARD, 1)
    for _ in made.steps():
        pass
    data, boards = packed(made.knowledge), boards_of(wandering(BOARD, 40))
    again = unpacked(data, Path("packed"), made.rules)
    raw = np.nan_to_num(made.knowledge.worths(boards))
    np.testing.assert_array_equal(np.nan_to_num(again.worths(boards)), raw)
    players = [Learned(made.rules, LearnedConfig(), known) for known in (made.knowledge, again)]
    assert players[0].home_plies == players[1].home_plies
    assert again.about["config"].get("opponent") in (None, "self")  # whose file may be private
