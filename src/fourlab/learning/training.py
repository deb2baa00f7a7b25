"""Training in one call: a learner, its run folder, and what there is to see of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fourlab.agents.registry import Named, several, spec_of
from fourlab.agents.registry import agent as find_agent
from fourlab.core.kinds import typed
from fourlab.core.showing import shown
from fourlab.core.spec import parse
from fourlab.learning.registry import learner as new_learner
from fourlab.learning.runs import Run, RunConfig
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules

RUNS = "runs"
log = logging.getLogger("fourlab.runs")


@typed
def train(
    learner: str,
    game: str | Rules = "connect4",
    *,
    out: Path | str | None = None,
    seed: int = 0,
    every: int = 0,
    against: Named | Sequence[Named] = (),
    evaluation_games: int = 1000,
    truth: str = "",
    show: Callable[[Run], object] | None = None,
    **options: Any,
) -> Run:
    """Train a learner in a run folder to its end and return the run.

    `learner` is a spec such as `q:alpha=0.1`; `options` are set on top by field name, as
    `games=20_000` or `opponent="baseline"`, which may be a function or a class too. The folder is
    `out`, or a new one below `runs`; a run that stopped there goes on, if it is the same. Every so
    many games, 0 for a tenth of the run, it is evaluated `against` agents and, with `truth`, on a
    suite of positions. `show` sees the run now and then: `fourlab.show` draws it. What was learned
    plays as `run.agent()`.
    """
    rules = find_game(game)
    if "opponent" in options:
        options["opponent"] = spec_of(options["opponent"])
    spec = new_learner(learner, rules, seed, **options).spec
    opponents = tuple(find_agent(spec_of(one), rules).spec for one in several(against))
    folder = free_folder(learner) if out is None else Path(out)
    config = RunConfig(spec, str(rules), seed, every, opponents, evaluation_games, truth)
    run = Run.again(folder, config)
    if not run.is_over:
        _remark(run)
    with shown(show, run) as look:
        for _ in run.reports(watch=lambda _: look()):
            look()
    _remark(run)
    return run


def _remark(run: Run) -> None:
    if run.remark:
        log.warning(run.remark)


def free_folder(learner: str) -> Path:
    """Return a folder below runs/ that is not there yet."""
    name = parse(learner).name
    number = 1
    while Path(RUNS, f"{name}-{number}").exists():
        number += 1
    return Path(RUNS, f"{name}-{number}")
