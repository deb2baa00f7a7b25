"""Tables whose games begin where they were refuted."""

from pathlib import Path

from fourlab.arena.certify.certificate import Certificate
from fourlab.core.storage import load_arrays
from fourlab.learning.circle import CERTIFICATE, examine
from fourlab.learning.registry import learner, load_learner
from fourlab.learning.runs import Run, RunConfig
from fourlab.learning.tables.learner import TableLearner
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of

TOY = "connect:columns=4,rows=4,k=3"
HOLES = ["1122", "1313", "4"]


def begun(seed: int = 3) -> TableLearner:
    made = learner("q:games=4000,opponent=self,chunk=200", TOY, seed)
    assert isinstance(made, TableLearner)
    made.begin_at([position_of(made.rules, moves) for moves in HOLES])
    return made


def test_half_of_the_games_begin_there() -> None:
    made = begun()
    first = [made.watch().turns[0].ply for _ in range(200)]
    assert 70 < first.count(0) < 130
    assert {ply for ply in first if ply} == {4, 1}


def test_a_pause_changes_nothing(tmp_path: Path) -> None:
    one, other = begun(), begun()
    one.advance(1000)
    one.save(tmp_path / "paused.npz")
    learned = []
    for made in (load_learner(tmp_path / "paused.npz"), other):
        made.advance(3000 - made.done)
        made.save(tmp_path / "end.npz")
        learned.append(load_arrays(tmp_path / "end.npz", "values", 1)[0]["checksum"])
    assert learned[0] == learned[1]


def test_the_circle_closes_for_a_table(tmp_path: Path) -> None:
    spec = "q:games=200000,opponent=self,chunk=200"
    run = Run.start(tmp_path, RunConfig(learner(spec, TOY).spec, TOY, 1, every=200))
    refuted = []
    for _ in run.reports():
        found = examine(run, "first")
        assert Certificate.load(tmp_path / CERTIFICATE).claim == found.claim
        refuted.append(found.refuted)
        if found.certified:
            break
    assert refuted[0] > 0
    assert refuted[-1] == 0
    assert game(found.game) == run.learner.rules
