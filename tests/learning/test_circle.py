"""Training until no reply is left that beats it."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

from fourlab.arena.certify.certificate import Certificate
from fourlab.core.errors import SpecError
from fourlab.learning.circle import CERTIFICATE, check, examine
from fourlab.learning.registry import learner, load_learner
from fourlab.learning.runs import Run, RunConfig

TOY = "connect:columns=4,rows=4,k=3"
SPEC = (
    "zero:games=20000,width=16,blocks=1,head=8,hidden=16,bins=17,lanes=64,sims=16,fast-sims=4,"
    "random-plies=8,batch=64,prefill=256,rate=0.005,look=0,start-share=0.5,chunk=100"
)


def test_the_circle_closes(tmp_path: Path) -> None:
    """At first replies beat it; games begin there, also after a pause, and in the end none does."""
    run = Run.start(tmp_path, RunConfig(learner(SPEC, TOY).spec, TOY, 1, every=200))
    first = None
    for _ in run.reports():
        found = examine(run, "first")
        assert Certificate.load(tmp_path / CERTIFICATE).claim == found.claim
        if found.certified:
            break
        starts = run.learner.starts
        assert 0 < len(starts) <= len(found.starts)
        if first is None:
            first = found
            again = load_learner(tmp_path / run.learner.file)
            assert again.starts.tolist() == starts.tolist()
    assert first is not None
    assert first.refuted > 0
    assert found.certified


def test_who_cannot_be_examined_is_refused() -> None:
    with pytest.raises(SpecError, match="no such side; write first or second"):
        check(learner("zero", TOY), "both")
    with pytest.raises(SpecError, match="'deep-q' cannot begin games where it was refuted; zero"):
        check(learner("deep-q", TOY), "first")
