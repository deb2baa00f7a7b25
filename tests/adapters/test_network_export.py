"""Agents with a network on Kaggle: it travels in the file, which plays the agent's moves."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bare import run_bare
from fourlab.adapters import export
from fourlab.adapters.export import export_kaggle
from fourlab.agents.registry import agent
from fourlab.core.errors import SpecError
from fourlab.core.storage import StorageError
from fourlab.rules.catalog import game
from fourlab.rules.formats import write_kaggle
from fourlab.rules.position import Position, position_of
from nets import random_network
from strategies import random_positions

RULES = game("connect:columns=4,rows=4,k=3")
RNG = np.random.default_rng(1)

PROGRAM = """
import json, sys
sys.path.append(sys.argv[1])
answers = {}
for path in sys.argv[3:]:
    scope = {}
    exec(compile(open(path).read(), path, "exec"), scope)
    answers[path] = [scope["agent"](*asked) for asked in json.loads(open(sys.argv[2]).read())]
strange = [name for name in sys.modules if name.split(".")[0] in ("fourlab", "torch")]
jit = [module.COMPILED for name, module in sys.modules.items() if name.endswith(".core.jit")]
print(json.dumps({"answers": answers, "strange": strange, "compiled": jit}))
"""


def question(position: Position) -> tuple[dict[str, Any], dict[str, Any]]:
    rules = position.rules
    obs = {"board": list(write_kaggle(position)), "mark": position.to_move + 1}
    board = {"columns": rules.columns, "rows": rules.rows, "inarow": rules.connect}
    return {**obs, "remainingOverageTime": 600}, {**board, "actTimeout": 20}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    random_network(RULES).save(tmp_path / "net.safetensors", half=True)
    return tmp_path / "net.safetensors"


@pytest.mark.parametrize("packages", [["numpy"], ["numpy", "numba", "llvmlite"]], ids=len)
def test_the_file_plays_the_moves_of_the_agent(
    tmp_path: Path, path: Path, packages: list[str]
) -> None:
    positions = random_positions(RULES, 9)
    (tmp_path / "questions.json").write_text(json.dumps([question(p) for p in positions]))
    judging = tmp_path / "judging.safetensors"  # of which deep-q asks what ends are worth, too
    replace(random_network(RULES), about={"config": {"ends": "network"}}).save(judging)
    specs = [f"net:{path}", f"net:{path},rule=yes,plies=2", f"zero:{path},sims=8"]
    specs += [f"deep-q:{path}", f"deep-q:{judging}"]
    files = [tmp_path / f"{number}.py" for number in range(len(specs))]
    for spec, file in zip(specs, files, strict=True):
        file.write_text(export_kaggle(spec))
    players = [agent(spec, RULES) for spec in specs]
    path.unlink()  # the files need no other
    judging.unlink()
    report, errors = run_bare(
        tmp_path, PROGRAM, packages, str(tmp_path / "questions.json"), *map(str, files)
    )
    for player, file in zip(players, files, strict=True):
        wanted = [player.decide(position, RNG).move for position in positions]
        assert report["answers"][str(file)] == wanted
    assert report["strange"] == []
    assert report["compiled"][0] == (len(packages) > 1)
    assert "Traceback" not in errors


def test_on_other_boards_a_simple_player_answers(path: Path) -> None:
    scope: dict[str, Any] = {}
    exec(compile(export_kaggle(f"net:{path}"), "submission.py", "exec"), scope)
    assert scope["agent"](*question(position_of(game("connect4"), "171717"))) == 0


def test_numbers_of_16_bits_travel_as_such(tmp_path: Path, path: Path) -> None:
    random_network(RULES).save(tmp_path / "whole.safetensors")
    half, whole = (
        len(export_kaggle(f"net:{file}")) for file in (path, tmp_path / "whole.safetensors")
    )
    assert whole - half > 0.4 * (tmp_path / "whole.safetensors").stat().st_size


def test_what_does_not_fit_or_needs_torch_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SpecError, match=r"needs torch.* leave out device="):
        export_kaggle(f"zero:{path},device=cuda")
    monkeypatch.setattr(export, "LARGEST", 1000)
    with pytest.raises(StorageError, match=r"1,000 is the most; train a network of fewer blocks"):
        export_kaggle(f"zero:{path}")
