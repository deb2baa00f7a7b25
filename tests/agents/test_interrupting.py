"""Ctrl-C is heard while an agent thinks, also where nothing limits it."""

import _thread
from typing import Any

import numpy as np
import pytest

from fourlab.agents.registry import agent
from fourlab.arena.certify import questions as certifying
from fourlab.arena.grading import Questions, answer


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
