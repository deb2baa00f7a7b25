"""Schedules, opponents and starts say what they mean."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourlab.core.dice import seeded
from fourlab.core.errors import FourlabError, SpecError
from fourlab.learning.opponents import Opponents, named_in, opponents
from fourlab.learning.schedules import schedule
from fourlab.positions.starts import draw_start, starts
from fourlab.rules.catalog import game
from fourlab.rules.kernels import has_line

RULES = game("tictactoe")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.25", [0.25, 0.25, 0.25, 0.25]),
        ("const:0.25", [0.25, 0.25, 0.25, 0.25]),
        ("linear:1,end=0", [1.0, 0.75, 0.5, 0.25]),
        ("linear:1,end=0,games=2", [1.0, 0.5, 0.0, 0.0]),
        ("exp:0.8,factor=0.5,every=2", [0.8, 0.8, 0.4, 0.4]),
        ("exp:0.8,factor=0.5,every=1,floor=0.3", [0.8, 0.4, 0.3, 0.3]),
        ("steps:1/0.5/0.1,every=1", [1.0, 0.5, 0.1, 0.1]),
    ],
)
def test_schedules(text: str, expected: list[float]) -> None:
    assert schedule(text, "alpha").at(np.arange(4), 4) == pytest.approx(expected)


@pytest.mark.parametrize("text", ["lin:1", "steps:a/b", "linear:1,stop=2", "nan"])
def test_what_is_no_schedule_is_refused(text: str) -> None:
    with pytest.raises(SpecError, match="alpha"):
        schedule(text, "alpha")


def names(found: Opponents, games: int, seed: int = 0) -> list[str]:
    members = [found.block(number, seed)[0] for number in range(games)]
    return ["frozen" if member.agent is None else member.agent.spec for member in members]


def test_a_curriculum_gives_each_stage_its_share() -> None:
    found = opponents("mcts:sims={0..2} then baseline", RULES, 8)
    assert names(found, 8) == [
        *["mcts:sims=0"] * 2,
        *["mcts:sims=1"] * 2,
        *["mcts:sims=2"] * 2,
        *["baseline"] * 2,
    ]


def test_lists_in_braces_are_stages() -> None:
    found = opponents("mcts:sims={0,5,10}", RULES, 3)
    assert names(found, 3) == ["mcts:sims=0", "mcts:sims=5", "mcts:sims=10"]


def test_a_mixture_keeps_its_weights() -> None:
    found = opponents("4 baseline and 1 minimax:depth=2", RULES, 50_000)
    listed = names(found, 50_000, seed=3)
    assert listed.count("baseline") / len(listed) == pytest.approx(0.8, abs=0.02)


@given(
    st.sampled_from(
        [
            "2 random and 1 baseline",
            "random then baseline then random",
            "random and frozen:every=70",
        ]
    ),
    st.integers(1, 400),
    st.integers(0, 9),
)
def test_blocks_do_not_depend_on_where_one_begins(text: str, games: int, seed: int) -> None:
    found = opponents(text, RULES, games)
    one_by_one = names(found, games, seed)
    by_blocks: list[str] = []
    while len(by_blocks) < games:
        member, stop = found.block(len(by_blocks), seed)
        assert stop > len(by_blocks)
        name = "frozen" if member.agent is None else member.agent.spec
        by_blocks += [name] * (min(stop, games) - len(by_blocks))
    assert by_blocks == one_by_one


@pytest.mark.parametrize(
    "text",
    [
        "0 random and baseline",
        "mcts:sims={}",
        "mcts:sims={0..2147483648}",  # they are counted before they are listed
        "nobody",
        "frozen:every=2 and frozen:every=3",
    ],
)
def test_what_is_no_opponent_is_refused(text: str) -> None:
    with pytest.raises(SpecError):
        opponents(text, RULES, 10)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("(minimax:depth=2)", "minimax:depth=2"),
        ("(random then baseline)", "random then baseline"),
        ("(2 random and 1 baseline) then (baseline)", "2 random and baseline then baseline"),
        ("((mcts:sims={0..2}))", "mcts:sims={0..2}"),
        ("2 (random) and (baseline)", "2 random and baseline"),
    ],
)
def test_brackets_around_opponents_mean_nothing(text: str, bare: str) -> None:
    assert names(opponents(text, RULES, 900), 900) == names(opponents(bare, RULES, 900), 900)
    assert list(named_in(text)) == list(named_in(bare))


def test_brackets_around_schedules_and_starts_mean_nothing() -> None:
    assert schedule("(linear:0.5,end=0.1)", "alpha") == schedule("linear:0.5,end=0.1", "alpha")
    assert schedule("(0.5)", "alpha") == schedule("0.5", "alpha")
    assert starts("(random:plies=2)", RULES).plies == 2
    with pytest.raises(SpecError, match="unknown schedule for alpha"):
        schedule("0.5:end=1", "alpha")


def test_starts() -> None:
    position = RULES.start().play_all("3758")
    found = starts("moves:3758", RULES)
    assert draw_start(RULES, found, seeded(1))[:2] == (position.mover, position.occupied)
    assert draw_start(RULES, starts("empty", RULES), seeded(1))[:2] == (0, 0)
    plies = set()
    spread, state = starts("random:plies=6", RULES), seeded(1)
    for _ in range(300):
        mover, occupied, state = draw_start(RULES, spread, state)
        assert not has_line(RULES, mover)
        assert not has_line(RULES, mover ^ occupied)
        plies.add(int(occupied).bit_count())
    assert plies == set(range(7))
    assert len(starts("uci", game("connect4")).movers) == 67_557
    assert len(starts("uci:win", game("connect4")).movers) == 44_473


@pytest.mark.parametrize("text", ["uci", "moves:123456789123", "moves:14253", "nowhere"])
def test_what_is_no_start_is_refused(text: str) -> None:
    with pytest.raises(FourlabError):
        starts(text, RULES)
