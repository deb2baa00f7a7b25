"""The cache of compiled kernels, seen from fresh processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import fourlab

# Uses kernels of several modules, one of them from a factory, and reports numba's own counters.
PROGRAM = """
import logging, sys
logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
import fourlab
from fourlab.rules import jit, kernels, dice
from fourlab.search import choices
rules = fourlab.game("connect4")
playouts = choices.playouts_on(rules)
assert sum(playouts(100, dice.seeded(1))[:3]) == 100
assert rules.start().play_all("4455").legal_moves() == (0, 1, 2, 3, 4, 5, 6)
used = [playouts, dice.seeded, kernels.has_line, kernels.legal_cells, kernels.move_cell]
hits = sum(sum(function.stats.cache_hits.values()) for function in used)
misses = sum(sum(function.stats.cache_misses.values()) for function in used)
print("hit" if hits else "no hit", "miss" if misses else "no miss", sep=", ")
print("folder", jit.CACHE_FOLDER)
"""


def run(cache: Path, source: Path = Path(fourlab.__file__).parent.parent) -> list[str]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(source)}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    first = run(tmp_path)
    assert first.count("compiling (once)") == 1
    assert "no hit, miss" in first
    second = run(tmp_path)
    assert "compiling (once)" not in second
    assert "hit, no miss" in second
    assert first[-1] == second[-1]


def test_an_edit_of_any_kernel_source_starts_a_fresh_cache(tmp_path: Path) -> None:
    package = tmp_path / "src" / "fourlab"
    original = Path(fourlab.__file__).parent
    for path in original.rglob("*.py"):
        copy = package / path.relative_to(original)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    before = run(tmp_path / "cache", package.parent)
    kernels = package / "rules" / "kernels.py"
    kernels.write_text(kernels.read_text() + "\n# an edit\n")
    after = run(tmp_path / "cache", package.parent)
    assert before[-1] != after[-1]
    assert "no hit, miss" in after


def test_a_disk_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file where a folder should be")
    lines = run(blocked)
    assert "folder None" in lines
    assert "no hit, miss" in lines
    assert "no hit, miss" in run(blocked)


def test_where_numba_cannot_be_imported_kernels_are_plain_python() -> None:
    program = """
import sys
sys.modules["numba"] = None
import numpy, fourlab
from fourlab.rules import jit
assert not jit.COMPILED and jit.CACHE_FOLDER is None
game = fourlab.game("connect4")
position = game.start().play_all("121212")
for spec in ("mcts:sims=50", "minimax:depth=2", "flat:playouts=5"):
    assert fourlab.agent(spec, game).decide(position, numpy.random.default_rng(1)).move == 0
print(fourlab.Solver(game).score(game.start().play_all("4445423633442655")))
"""
    source = str(Path(fourlab.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "5\n", done.stderr


@pytest.mark.parametrize("name", ["game", "agent", "play_game", "Position", "Rules"])
def test_the_python_face_is_there(name: str) -> None:
    assert name in dir(fourlab)
    assert getattr(fourlab, name) is not None


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'gmae'"):
        fourlab.gmae  # noqa: B018
