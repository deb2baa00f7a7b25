"""What is asked of a run, held against what the run is and what its checkpoint holds."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path

from fourlab.agents.base import Agent
from fourlab.core.errors import FourlabError, SpecError
from fourlab.core.spec import configure, options_of, parse, show_value
from fourlab.core.storage import StorageError
from fourlab.learning.base import Learner
from fourlab.learning.evaluation import check_truth
from fourlab.learning.meaning import meaning, meaning_of
from fourlab.learning.opponents import opponent
from fourlab.learning.registry import learner as new_learner
from fourlab.learning.registry import load_learner
from fourlab.learning.run_files import CONFIG, RunConfig
from fourlab.rules.catalog import game as find_game


def agreed_length(folder: Path, text: str, game: str | None, seed: int | None) -> int | None:
    """Return the length that someone asks of a run who takes it up, None if nothing is said.

    `text` is a learner's spec, or its options alone behind a colon. Raises SpecError for whatever
    contradicts what the run was begun with.
    """
    config = RunConfig.load(folder)
    mine = new_learner(config.learner, config.game, config.seed)
    advice = "leave it out, or begin another run in another --out"
    if game is not None and str(find_game(game)) != config.game:
        raise SpecError(f"--game {game}: the run in {folder} is of {config.game}; {advice}")
    if seed is not None and seed != config.seed:
        raise SpecError(f"--seed {seed}: the run in {folder} has seed {config.seed}; {advice}")
    if not text:
        return None
    spec = parse(mine.name + text if text.startswith(":") else text)
    if spec.name != mine.name:
        raise SpecError(f"learner {spec.name!r}: the run in {folder} is of {mine.name!r}; {advice}")
    wanted = configure(mine.Config, spec, "learner")
    for option in options_of(mine.Config):
        if option.name not in spec.options or option.name == "games":
            continue
        asked, begun = (getattr(one, option.field) for one in (wanted, mine.config))
        if len({meaning(option.field, value, mine.rules) for value in (asked, begun)}) > 1:
            raise SpecError(
                f"{option.name}={show_value(asked)}: the run in {folder} was begun with "
                f"{option.name}={show_value(begun)}; {advice}"
            )
    return int(wanted.games) if "games" in spec.options else None


def is_same(begun: RunConfig, config: RunConfig) -> bool:
    """Return whether two configs mean one run, looked at in one way, however they are written."""

    def told(one: RunConfig) -> Hashable:
        made = new_learner(one.learner, one.game, one.seed)
        against = tuple(opponent(spec, made.rules).spec for spec in one.against)
        return meaning_of(made), replace(one, learner="", game=str(made.rules), against=against)

    try:
        return begun == config or told(begun) == told(config)
    except FourlabError:  # of one of them nothing can come
        return False


def loaded(checkpoint: Path, config: RunConfig, games: int) -> Learner:
    """Return the learner of a checkpoint with this length; raises StorageError."""
    try:
        learner = load_learner(checkpoint)
        if learner.config.games != games:
            learner = load_learner(checkpoint, games)
        found = learner.spec, str(learner.rules), learner.seed
        if found != (config.learner, config.game, config.seed):
            raise StorageError(
                f"{checkpoint} is of {learner.spec} on {learner.rules}, seed {learner.seed}, not "
                f"of {config.learner} on {config.game}, seed {config.seed}, as {CONFIG} says"
            )
    except StorageError as error:
        raise StorageError(
            f"{error}; put a copy in its place, or remove it: then this run begins anew"
        ) from None
    return learner


def check_looks(config: RunConfig, learner: Learner) -> None:
    """Raise SpecError if a run cannot be looked at as its config says."""
    if 0 < config.every < learner.together:
        raise SpecError(
            f"--every {config.every}: {learner.name} plays up to {learner.together:,} "
            f"{learner.unit} between two looks at it here; write at least {learner.together}"
        )


def check_is_left(folder: Path, begun: RunConfig, config: RunConfig, learner: Learner) -> None:
    """Raise SpecError if a run is to be looked at in another way and nothing of it is left."""
    if learner.done < learner.total:
        return
    for name, value in vars(config).items():
        if name != "learner" and value != getattr(begun, name):
            told = " ".join(value) if isinstance(value, tuple) else value
            raise SpecError(
                f"--{name.replace('_', '-')} {told}: {folder} has come to its end, "
                f"{learner.done:,} {learner.unit}; make it longer with --games too"
            )


def check_exams(config: RunConfig, learner: Learner) -> None:
    """Raise FourlabError, before a folder says so, if there is nobody or nothing to examine it."""
    examiners(config, learner)
    if config.truth:
        check_truth(learner.rules, config.truth)


def examiners(config: RunConfig, learner: Learner) -> list[Agent]:
    """Return the agents that a run is held against, ready to play; raises FourlabError."""
    agents = [opponent(spec, learner.rules) for spec in config.against]
    for agent in agents:
        agent.prepare()
    return agents
