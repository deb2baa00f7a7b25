"""Search guided by a network: proofs are sure, and a bad network is made up for."""

from dataclasses import replace

import numpy as np
import pytest

from fourlab.agents.net import Net
from fourlab.agents.zero import FOREST_BYTES, SIMULATIONS_PER_SECOND, Zero, ZeroConfig
from fourlab.core.limit import Limit
from fourlab.core.storage import StorageError
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of
from fourlab.search.solver import shared_solver
from nets import random_network
from strategies import random_positions

RULES = game("connect:columns=5,rows=4,k=4")
NETWORK = random_network(RULES)
RNG = np.random.default_rng(1)


def zero(**options: object) -> Zero:
    return Zero(RULES, ZeroConfig(**options), NETWORK)  # type: ignore[arg-type]


def test_without_simulations_it_is_the_network_with_the_rule() -> None:
    config = Net.Config(rule=True)
    by_rule = Net(RULES, config, NETWORK)
    for position in random_positions(RULES, 60):
        if not position.winning_moves():
            found = zero(sims=0).decide(position, RNG).move
            if any(not position.play(m).winning_moves() for m in position.legal_moves()):
                assert found == by_rule.decide(position, RNG).move


def test_what_is_sure_is_true() -> None:
    """Wherever it says 1 or -1 of a move, exact play agrees."""
    solver, proven = shared_solver(RULES), 0
    for position in random_positions(RULES, 60):
        decision = zero(sims=300).decide(position, RNG)
        scores = solver.scores(position)
        for value, score in zip(decision.values or (), scores, strict=True):
            if value is not None and abs(value) == 1 and score is not None:
                assert np.sign(score) == value
                proven += 1
    assert proven > 20


def test_simulations_make_up_for_a_network_that_knows_nothing() -> None:
    solver, dice = shared_solver(RULES), np.zeros(80, np.int64)
    positions = [p for p in random_positions(RULES, 120) if p.ply > 4][:80]
    scores = [solver.scores(position) for position in positions]
    still = {name: np.zeros_like(layer) for name, layer in NETWORK.layers.items()}
    blank = replace(NETWORK, layers=still)

    def good(sims: int) -> int:
        moves = Zero(RULES, ZeroConfig(sims=sims), blank).choose(boards_of(positions), dice)
        return sum(
            np.sign(row[move]) == max(np.sign(s) for s in row if s is not None)
            for row, move in zip(scores, moves.tolist(), strict=True)
        )

    assert good(400) > good(0) + 5


def test_visits_line_and_values_speak_of_one_tree() -> None:
    position = position_of(RULES, "33")
    decision = zero(sims=200).decide(position, RNG)
    assert decision.visits is not None
    assert sum(decision.visits) == 200
    assert decision.line[0] == decision.move
    for move in decision.line:
        position = position.play(move)
    assert decision.effort > 50


def test_a_clock_ends_it_and_calling_off_too() -> None:
    looks = iter(range(5))
    limit = Limit(stop=lambda: next(looks, None) is None)
    player = zero(sims=1_000_000)
    player.prepare()
    assert player.decide(RULES.start(), RNG, limit).effort < 20
    timed = zero(time=0.05)
    assert not timed.is_deterministic
    assert not timed.chooses_many
    assert 1 < timed.decide(RULES.start(), RNG).effort < 1 + 0.05 * SIMULATIONS_PER_SECOND


@pytest.mark.parametrize(
    ("config", "worth"),
    [({}, 0.6), ({"graded": 0.0}, 1.0), ({"graded": 0.8}, 0.2), ({"value": "plain"}, 1.0)],
)
def test_proofs_count_as_the_network_was_taught(config: dict[str, object], worth: float) -> None:
    """A win with the last stones is worth what it was where the network learned."""
    position = position_of(RULES, "354245442313551")
    assert max(s for s in shared_solver(RULES).scores(position) if s is not None) == 1
    taught = replace(NETWORK, about={"config": config})
    decision = Zero(RULES, ZeroConfig(sims=200), taught).decide(position, RNG)
    assert max(v for v in decision.raw or () if v is not None) == pytest.approx(worth, abs=0.1)


@pytest.mark.parametrize("graded", ["much", 1.5, True, float("nan")])
def test_a_header_that_cannot_be_is_refused(graded: object) -> None:
    with pytest.raises(StorageError, match="damaged: graded="):
        Zero(RULES, ZeroConfig(), replace(NETWORK, about={"config": {"graded": graded}}))


@pytest.mark.parametrize("sims", [0, 30])
def test_many_boards_are_chosen_for_in_portions(sims: int, monkeypatch: pytest.MonkeyPatch) -> None:
    positions = random_positions(RULES, 30)
    dice = np.zeros(30, np.int64)
    whole = zero(sims=sims).choose(boards_of(positions), dice).tolist()
    monkeypatch.setitem(FOREST_BYTES, "cpu", 1)
    assert zero(sims=sims).choose(boards_of(positions), dice).tolist() == whole
