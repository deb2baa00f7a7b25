"""What options mean does not depend on how they are written, and on nothing less."""

import pytest

from fourlab.learning.meaning import meaning
from fourlab.learning.registry import learner

ALIKE = [
    ("q", "alpha", ["0.1", "1e-1", "(const:.1)", "const"]),
    ("q", "epsilon", ["linear:1,end=0.1", "(linear:1.0,end=.1)", "linear:end=0.10,start=1"]),
    ("q", "alpha", ["steps:1/0.5", "steps:1.0/.5", "(steps:1e0/0.50,every=1000)"]),
    ("q", "start", ["random", "random:plies=8", "(random:plies=8.0)"]),
    ("q", "opponent", ["2 random and 4 frozen", "random and 2 frozen:every=10000"]),
    ("deep-q", "opponent", ["self", "(self)"]),
    ("deep-q", "rate", ["0.001", "const:1e-3"]),
    ("distil", "positions", ["walk:first and suite", "walk and (suite:middle)"]),
]
APART = [
    ("q", "alpha", ["0.1", "0.2", "linear:0.1,end=0.1", "exp:0.1", "steps:0.1"]),
    ("q", "start", ["empty", "random", "random:plies=7", "moves:1", "moves:2"]),
    ("q", "opponent", ["random", "self", "random then random", "random and frozen", "frozen"]),
    ("q", "opponent", ["random and baseline", "baseline and random", "2 random and baseline"]),
    ("q", "memory_mb", ["1", "2"]),
]


def meanings(name: str, field: str, texts: list[str]) -> int:
    if name in ("deep-q", "distil"):
        pytest.importorskip("torch")
    made = [learner(name, "tictactoe", **{field: text}) for text in texts]
    return len({meaning(field, getattr(one.config, field), one.rules) for one in made})


@pytest.mark.parametrize(("name", "field", "texts"), ALIKE)
def test_what_is_written_otherwise_means_the_same(name: str, field: str, texts: list[str]) -> None:
    assert meanings(name, field, texts) == 1


@pytest.mark.parametrize(("name", "field", "texts"), APART)
def test_what_differs_means_something_else(name: str, field: str, texts: list[str]) -> None:
    assert meanings(name, field, texts) == len(texts)


def test_a_text_that_is_nothing_of_ours_means_itself() -> None:
    rules = learner("q", "tictactoe").rules
    assert meaning("opponent", "whoever is there", rules) == "whoever is there"
