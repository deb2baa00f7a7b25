"""The learners by name. A new learner is one file and one line here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fourlab.learning.config import Training
from fourlab.learning.double_q import DoubleQ
from fourlab.learning.learner import Learner
from fourlab.learning.monte_carlo import MonteCarlo
from fourlab.learning.q import Afterstates, Q
from fourlab.learning.td_lambda import NTuple, TdLambda
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules
from fourlab.rules.spec import configure, parse, unknown

LEARNERS: dict[str, type[Training]] = {
    kind.name: kind for kind in (Q, Afterstates, DoubleQ, TdLambda, MonteCarlo, NTuple)
}


def learner(text: str, game: str | Rules = "connect4", seed: int = 0, **options: Any) -> Learner:
    """Return the learner that a spec string names, such as `q:alpha=0.1,opponent=baseline`.

    `options` are set on top, by field name. Raises SpecError for what does not exist.
    """
    spec = parse(text)
    if spec.name not in LEARNERS:
        raise unknown("learner", spec.name, LEARNERS)
    config = configure(LEARNERS[spec.name], spec, "learner")
    return Learner(find_game(game), replace(config, **options), seed)
