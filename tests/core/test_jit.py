"""How kernels are compiled and kept, seen from fresh processes."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import fourlab
from fourlab.core import kernel_cache

# Uses kernels of several modules, one of them from a factory, and reports numba's own counters.
PROGRAM = """
import logging, sys
logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
import fourlab
from fourlab.core import dice
from fourlab.rules import kernels
from fourlab.search import choices
rules = fourlab.game("connect4")
playouts = choices.playouts_on(rules)
assert sum(playouts(100, dice.seeded(1))[:3]) == 100
assert rules.start().play_all("4455").legal_moves() == (0, 1, 2, 3, 4, 5, 6)
used = [playouts, dice.seeded, kernels.has_line, kernels.legal_cells, kernels.move_cell]
hits = sum(sum(function.stats.cache_hits.values()) for function in used)
misses = sum(sum(function.stats.cache_misses.values()) for function in used)
print("hit" if hits else "no hit", "miss" if misses else "no miss", sep=", ")
"""


def run(
    cache: Path,
    source: Path = Path(fourlab.__file__).parent.parent,
    before: Callable[[], None] | None = None,
    program: str = PROGRAM,
) -> list[str]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(source)}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=before,
    )
    return done.stdout.splitlines()


def installed(folder: Path) -> Path:
    """A second installation of the same sources."""
    original = Path(fourlab.__file__).parent
    ignore = shutil.ignore_patterns("__pycache__", "static")
    shutil.copytree(original, folder / "fourlab", ignore=ignore)
    return folder


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    first = run(tmp_path)
    said = [line for line in first if line.startswith("compiling")]
    assert [line.endswith("(once on this machine) ...") for line in said] == [
        True,
        *[False] * (len(said) - 1),
    ]
    assert "no hit, miss" in first
    second = run(tmp_path)
    assert not any("compiling" in line for line in second)
    assert "hit, no miss" in second


@pytest.mark.parametrize(
    ("name", "value"), [("NUMBA_NUM_THREADS", "0"), ("NUMBA_NUM_THREADS", "x"), ("NUMBA_OPT", "x")]
)
def test_a_setting_that_numba_refuses_is_an_error_in_a_line(name: str, value: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fourlab", "runs"],
        capture_output=True,
        text=True,
        env={**os.environ, name: value},
    )
    assert done.returncode == 2
    assert done.stderr.startswith("fourlab: numba: ")
    assert len(done.stderr.splitlines()) == 1
    assert "orrect" in done.stderr


def test_nothing_of_numba_is_set_while_threads_compile(tmp_path: Path) -> None:
    """Not where its own cache lies, either: other people's functions are kept there."""
    program = """
import types
from concurrent.futures import ThreadPoolExecutor
import numba
class Watched(types.ModuleType):
    def __setattr__(self, name, value):
        raise AssertionError(f"numba.config.{name} was set")
numba.config.__class__ = Watched
from fourlab.core import dice
with ThreadPoolExecutor() as pool:
    list(pool.map(dice.seeded, [1, 2]))
print(sum(dice.seeded.stats.cache_misses.values()))
"""
    assert run(tmp_path, program=program)[-1] == "1"
    assert list(tmp_path.rglob("*.nbc"))


def test_a_second_installation_starts_warm_and_an_edit_does_not(tmp_path: Path) -> None:
    cache, copy = tmp_path / "cache", installed(tmp_path / "src")
    run(cache)
    assert "hit, no miss" in run(cache, copy)
    for edited, warm in (("web/app.py", True), ("core/dice.py", False)):
        path = copy / "fourlab" / edited
        path.write_text(path.read_text() + "\n# an edit\n")
        assert ("hit, no miss" in run(cache, copy)) is warm


def test_what_was_imported_before_an_edit_is_not_kept_for_after_it(tmp_path: Path) -> None:
    program = """
from fourlab.core import dice, kernel_cache
import os
for path in kernel_cache.PACKAGE.rglob("*.py"):
    os.utime(path)
from fourlab.search import choices
for function in (dice.seeded, choices.playouts_on):
    print(kernel_cache.folder_of(function) is not None)
"""
    said = run(tmp_path / "cache", installed(tmp_path / "src"), program=program)
    assert said == ["True", "False"]


def test_what_two_programs_compile_never_has_one_name(tmp_path: Path) -> None:
    """Parts of one are linked by name into kernels of the other."""
    program = """
from fourlab.core.jit import kernel
@kernel
def next_to(number):
    return number + 1
@kernel
def twice(number):
    return 2 * next_to(number)
assert twice(7) == 16
for dispatcher in (twice, next_to.part):
    print(*(compiled.fndesc.mangled_name for compiled in dispatcher.overloads.values()))
"""
    one, other = (run(tmp_path, program=program) for _ in range(2))
    assert len(one) == len(other) == 2
    assert not {*one} & {*other}


@pytest.mark.parametrize("module", ["__main__", "fourlab", "my_agent", "other.core.bits"])
def test_what_is_not_ours_is_not_kept(module: str) -> None:
    """Its source is nobody's hash: an edit of it would find the code of before."""
    assert kernel_cache._module_folder(module) is None


@pytest.mark.parametrize(
    ("kernel", "edited"),
    [
        ("learning.tables.loop", "learning.tables.targets"),  # a file without the word kernel in it
        ("learning.tables.loop", "agents.instant"),
        ("search.solver", "search.bounds"),
        ("search.mcts", "rules.kernels"),
        ("rules.kernels", "core.bits"),
    ],
)
def test_the_hash_of_a_kernel_covers_every_module_it_stands_on(kernel: str, edited: str) -> None:
    assert f"fourlab.{edited}" in kernel_cache.needed(f"fourlab.{kernel}")


def test_old_states_of_a_module_are_swept_away(tmp_path: Path) -> None:
    for number in range(9):
        folder = tmp_path / f"search.flat-{number}"
        folder.mkdir()
        os.utime(folder, (number, number))
    (tmp_path / "search.tree-0").mkdir()
    kernel_cache._sweep(tmp_path / "search.flat-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *(f"search.flat-{number}" for number in range(4, 9)),
        "search.tree-0",
    ]


def test_a_damaged_file_is_compiled_again(tmp_path: Path) -> None:
    """A single bit, too: machine code would be run with it."""
    run(tmp_path)
    files = list(tmp_path.rglob("*.nbc"))
    assert files
    for number, path in enumerate(files):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data if number else b"\x80\x04 no machine code")
    assert "no hit, miss" in run(tmp_path)
    assert "hit, no miss" in run(tmp_path)


def test_a_file_in_the_place_of_another_is_compiled_again(tmp_path: Path) -> None:
    run(tmp_path)
    files = sorted(tmp_path.rglob("*.nbc"))
    assert len(files) > 1
    contents = [path.read_bytes() for path in files]
    for path, data in zip(files, contents[1:] + contents[:1], strict=True):
        path.write_bytes(data)
    assert "no hit, miss" in run(tmp_path)
    assert "hit, no miss" in run(tmp_path)


def test_a_disk_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file where a folder should be")
    assert "no hit, miss" in run(blocked)
    assert "no hit, miss" in run(blocked)


def test_a_disk_that_fills_up_stops_nothing_and_spoils_nothing(tmp_path: Path) -> None:
    """Files of more than 8 kB cannot be written for a while, as on a disk that is full."""
    resource = pytest.importorskip("resource")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))  # noqa: E731
    assert run(tmp_path, before=limit)[-1].endswith("miss")
    assert [path for path in tmp_path.rglob("*") if ".tmp." in path.name] == []
    run(tmp_path)
    assert run(tmp_path)[-1] == "hit, no miss"


def test_where_numba_cannot_be_imported_kernels_are_plain_python() -> None:
    program = """
import sys
sys.modules["numba"] = None
import numpy, fourlab
from fourlab.core import jit
assert not jit.COMPILED
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
