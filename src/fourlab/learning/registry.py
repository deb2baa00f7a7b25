"""The learners by name. A new learner is one file and one line here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fourlab.core.brackets import unwrapped
from fourlab.core.registry import Registry, of_kind
from fourlab.core.spec import Spec, configure, counted, options_of, parse, spelled
from fourlab.core.storage import StorageError, peek
from fourlab.learning.base import Learner
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules

LEARNERS: Registry[type[Learner]] = Registry(
    "learner",
    {
        "q": "fourlab.learning.tables.q:Q",
        "afterstates": "fourlab.learning.tables.q:Afterstates",
        "double-q": "fourlab.learning.tables.double_q:DoubleQ",
        "td-lambda": "fourlab.learning.tables.td_lambda:TdLambda",
        "monte-carlo": "fourlab.learning.tables.monte_carlo:MonteCarlo",
        "n-tuple": "fourlab.learning.tables.td_lambda:NTuple",
        "deep-q": "fourlab.learning.networks.deep_q:DeepQ",
        "distil": "fourlab.learning.networks.distil:Distil",
        "zero": "fourlab.learning.networks.zero:Zero",
    },
    group="fourlab.learners",
    adapt=of_kind(Learner),
)


def learner(text: str, game: str | Rules = "connect4", seed: int = 0, **options: Any) -> Learner:
    """Return the learner that a spec string names, such as `q:alpha=0.1,opponent=baseline`.

    `options` are set on top, by field name: `games=20_000`. Raises SpecError for what does not
    exist. One trains it with `for progress in learner.steps()`, or in a folder with `train`.
    """
    spec = parse(text)
    kind = LEARNERS.find(spec.name)
    names = {option.field: option.name for option in options_of(kind.Config)}
    on_top = {
        names.get(field, field): unwrapped(spelled(value)) for field, value in options.items()
    }
    config = configure(kind.Config, Spec(spec.name, {**spec.options, **on_top}), "learner")
    return kind(find_game(game), config, counted("seed", seed, 0))


def load_learner(path: Path, games: int | None = None) -> Learner:
    """Return the learner that was saved in a file, whichever it was; raises StorageError.

    With `games` its run has that length from now on.
    """
    about = peek(path).get("about")
    name = about.get("learner") if isinstance(about, dict) else None
    if not isinstance(name, str) or name not in LEARNERS:
        raise StorageError(f"{path} is damaged: nothing to go on with (learner {name!r})")
    kind = LEARNERS.find(name)
    return kind.load(path) if games is None else kind.load(path, games)


def load_own(path: Path, spec: str, rules: Rules, seed: int) -> Learner:
    """Return the learner of a run from its file; raises StorageError for that of another run.

    Options that are live may be others than in the spec of the run.
    """
    found, own = load_learner(path), parse(spec)
    if (found.name, found.rules, found.seed) != (own.name, rules, seed):
        raise StorageError(
            f"{path} is of {found.name} on {found.rules}, seed {found.seed}, "
            f"not of {own.name} on {rules}, seed {seed}; put a copy in its place"
        )
    config = configure(found.Config, own, "learner")
    fixed = [option.field for option in options_of(found.Config) if not option.live]
    if any(getattr(config, name) != getattr(found.config, name) for name in fixed):
        raise StorageError(f"{path} is of {found.spec}, not of {spec}; put a copy in its place")
    return found
