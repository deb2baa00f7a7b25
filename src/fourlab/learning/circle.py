"""The circle closed: train, play against every reply, begin games at what was refuted, train on.

No solver has a part in it: the walk over all replies shows by itself where the agent can be beaten.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fourlab.core.errors import SpecError
from fourlab.learning.base import Learner
from fourlab.learning.runs import Run
from fourlab.rules.position import position_of

if TYPE_CHECKING:
    from fourlab.arena.certify.certificate import Certificate
    from fourlab.arena.certify.walk import Progress

CERTIFICATE = "certificate.json"
SIDES = ("first", "second")


def check(learner: Learner, side: str) -> None:
    """Raise SpecError for a side that is none or a learner whose games begin where they do."""
    if side not in SIDES:
        raise SpecError(f"--until-certified {side}: there is no such side; write first or second")
    if not hasattr(learner, "begin_at"):
        raise SpecError(
            f"--until-certified: learner {learner.name!r} cannot begin games where it was refuted; "
            "zero and the learners of tables can"
        )


def examine(
    run: Run, side: str, watch: Callable[[Progress], None] = lambda progress: None
) -> Certificate:
    """Play what a run has learned by its last report against every reply.

    The certificate goes into its folder. Where it is refuted, training games begin there from now
    on.
    """
    from fourlab.arena.certify.certificate import certify

    check(run.learner, side)
    learner: Any = run.learner
    run.save()
    # It cannot be followed through lots.
    lots = "" if learner.agent().is_deterministic else ",ties=first"
    spec = run.spec + lots
    found = certify(spec, learner.rules, side, starts="refuted", explain=False, watch=watch)
    found.save(run.folder / CERTIFICATE)
    if not found.certified:
        learner.begin_at([position_of(learner.rules, moves) for moves in found.starts])
        run.save(again=True)
    return found
