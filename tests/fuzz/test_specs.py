"""Spec strings of every kind: what they name, or a line that says what is wrong."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import nasty
from fourlab.agents.registry import AGENTS, agent
from fourlab.core.errors import FourlabError
from fourlab.core.spec import parse
from fourlab.learning.opponents import opponents
from fourlab.learning.registry import LEARNERS, learner
from fourlab.positions.starts import starts
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.studies.sweep import expand

TEXTS, FEW = 400, 200  # of one seed and kind; without the slow tests
SMALL = game("connect:columns=3,rows=3,k=3")
GAMES = (*nasty.GAMES, "connect:columns={},rows={},k={}", "mnk:k={}", "connect4:{}", "{}")
OPPONENTS = (
    "random", "{} random and {} baseline", "random then {}", "mcts:sims={{0..{}}}", "self",
    "mcts:sims={{{}..{}}},c={{{},{}}}", "frozen:every={}", "flat:playouts={{0..2147483648}}",
    "random{{0..99}} then x{{0..99}}y{{0..99}}z{{0..99}}", "({}", "{} then {} then {}",
)  # fmt: skip
STARTS = ("empty", "moves:{}", "random:plies={}", "uci", "uci:{}", "{}", "{}:{}")
READERS: dict[str, tuple[tuple[str, ...], Callable[[str], Any]]] = {
    "game": (GAMES, game),
    "agent": (nasty.specs(AGENTS), lambda text: agent(text, SMALL)),
    "learner": (nasty.specs(LEARNERS), lambda text: learner(text, SMALL)),
    "opponent": (OPPONENTS, lambda text: opponents(text, SMALL, 100)),
    "start": (STARTS, lambda text: starts(text, SMALL)),
    "moves": ((*nasty.MOVES, "{}", "{},{}", "{} {}"), lambda text: position_of(SMALL, text)),
    "grid": (nasty.GRIDS, expand),
    "spec": (("{}", "{}:{}", "{}:{}={}", "{}:{}=({},{})"), parse),
}


def check(kind: str, seed: int, texts: int = TEXTS) -> None:
    patterns, read = READERS[kind]
    dice = Random(f"{kind} {seed}")
    understood = refused = 0
    for number in range(texts):
        text = nasty.spec(dice, patterns)
        try:
            read(text)
            understood += 1
        except Exception as error:
            one_line = "\n" in text or "\n" not in str(error)
            if not isinstance(error, FourlabError) or not one_line:
                pytest.fail(f"{kind}, seed {seed}, number {number}: {text[:200]!r}: {error!r}")
            refused += 1
    assert understood > texts // 50
    assert refused > texts // 50


@pytest.mark.parametrize("kind", READERS)
def test_a_spec_is_understood_or_refused_in_one_line(kind: str) -> None:
    check(kind, 0, FEW)


@pytest.mark.parametrize("kind", READERS)
def test_a_very_long_spec_is_refused_as_soon_as_a_short_one(kind: str) -> None:
    """What took time with the square of the length would not come to its end here."""
    for text in ("9" * 300_000, "a" * 300_000, "(" * 300_000, "{1..2}" * 50_000, "1 and " * 50_000):
        with pytest.raises(FourlabError) as refused:
            READERS[kind][1](text)
        assert len(str(refused.value)) < 2000


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("kind", READERS)
def test_many_specs_are_understood_or_refused_in_one_line(kind: str, seed: int) -> None:
    check(kind, seed)
