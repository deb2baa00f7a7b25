"""Ctrl-C is heard while an agent thinks, also where nothing limits it."""

import _thread
from typing import Any

import numpy as np
import pytest

from fourlab.adapters.gymnasium import FourlabEnv
from fourlab.adapters.vector import FourlabVectorEnv
from fourlab.agents.minimax import Minimax
from fourlab.agents.registry import agent
from fourlab.arena.certify import questions as certifying
from fourlab.arena.grading import Questions, answer
from fourlab.core.limit import Limit
from fourlab.learning.evaluation import play_off
from fourlab.learning.mdp.planning import best_response
from fourlab.learning.networks.sources import Games, played
from fourlab.learning.registry import learner
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from strategies import random_positions


def interrupting(player: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have Ctrl-C pressed when the player searches on: a search that is one call never does."""
    search, calls = player._search, []

    def searched(*args: Any, **options: Any) -> Any:
        calls.append(None)
        if len(calls) == 3:
            _thread.interrupt_main()
        return search(*args, **options)

    monkeypatch.setattr(player, "_search", searched)


LONG = ["mcts:sims=30000", "flat:playouts=20000", "minimax:depth=9"]


@pytest.mark.parametrize("spec", LONG)
def test_a_decision_that_nothing_limits_hears_ctrl_c(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = agent(spec)
    player.prepare()
    interrupting(player, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        player.decide(player.rules.start(), np.random.default_rng(1))


@pytest.mark.parametrize("spec", LONG)
def test_a_grade_hears_ctrl_c(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    player = agent(spec)
    player.prepare()
    interrupting(player, monkeypatch)
    asked = Questions(spec, "connect4", "", 1, 0, ((3, 3),))
    with pytest.raises(KeyboardInterrupt):
        answer(asked, player)


def test_a_certificate_hears_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    player = agent("minimax:depth=9,ties=first")
    player.prepare()
    interrupting(player, monkeypatch)
    key = player.rules.start().key
    asked = certifying.Questions(player.spec, "connect4", "", 0, np.array([key], np.int64))
    with pytest.raises(KeyboardInterrupt):
        certifying.answer(asked, player)


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have Ctrl-C pressed when `minimax` searches on: a search that is one call never does."""
    search = Minimax._search

    def searched(*args: Any, **options: Any) -> Any:
        goes_on = args[6]
        if goes_on:
            _thread.interrupt_main()
        return search(*args, **options)

    monkeypatch.setattr(Minimax, "_search", searched)


DEEP = "minimax:depth=9"
ASKED = {
    "a table": lambda spec: learner(f"q:games=64,opponent=({spec})").advance(1),
    "a network": lambda spec: learner(f"deep-q:games=64,opponent=({spec})").advance(1),
    "lessons": lambda spec: played(game("connect4"), Games(of=spec, count=64)),
    "examination": lambda spec: play_off(learner("q"), agent(spec), 64, 1, "first"),
    "gymnasium": lambda spec: FourlabEnv("connect4", spec, "second").reset(seed=1),
    "a vector": lambda spec: FourlabVectorEnv(2, "connect4", spec, "second").reset(seed=1),
}


@pytest.mark.parametrize("asks", ASKED.values(), ids=ASKED)
@pytest.mark.usefixtures("interrupted")
def test_who_asks_about_many_boards_hears_ctrl_c(asks: Any) -> None:
    if asks in (ASKED["a network"], ASKED["lessons"]):
        pytest.importorskip("torch")
    with pytest.raises(KeyboardInterrupt):
        asks(DEEP)


@pytest.mark.parametrize("ties", ["first", "random"])
@pytest.mark.usefixtures("interrupted")
def test_a_best_response_hears_ctrl_c(ties: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        best_response("connect4", f"{DEEP},ties={ties}", "second", most=1)


@pytest.mark.parametrize("spec", ["mcts:sims=5", "minimax:depth=2", "flat:playouts=3"])
def test_quick_decisions_pass_without_a_look_at_the_clock_for_each(spec: str) -> None:
    rules, looks = game("connect4"), [0]
    boards = boards_of(random_positions(rules, 200))
    dice = np.arange(200)

    def stop() -> bool:
        looks[0] += 1
        return False

    player = agent(spec, rules)
    alone = player.choose(boards, dice)
    assert (player.choose(boards, dice, Limit(stop=stop)) == alone).all()
    assert (player.choose(boards, dice, Limit(nodes=10**6)) == alone).all()
    assert 0 < looks[0] <= 20
