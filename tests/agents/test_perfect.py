from collections.abc import Iterator

import numpy as np
import pytest

from fourlab.agents import by_heart
from fourlab.agents.base import Decision
from fourlab.agents.minimax import Minimax
from fourlab.agents.play import play_game
from fourlab.agents.registry import agent
from fourlab.arena.match import play
from fourlab.arena.pairing import Pairing, Stretch
from fourlab.core.errors import SpecError
from fourlab.core.limit import CalledOffError, Limit
from fourlab.rules.catalog import game
from fourlab.rules.position import position_of

SMALL = game("connect:columns=5,rows=4,k=4")  # a draw
FAMOUS = position_of(game("connect4"), "4445423633442655")


def chosen(spec: str, draws: int = 200) -> dict[int, float]:
    player = agent(spec)
    moves = [player.decide(FAMOUS, np.random.default_rng(s)).move + 1 for s in range(draws)]
    return {move: moves.count(move) / draws for move in set(moves)}


def test_it_plays_the_fastest_win_and_knows_every_score() -> None:
    decision = agent("perfect").decide(FAMOUS, np.random.default_rng(0))
    assert decision.move == 4
    assert decision.raw == (-1, -13, 0, None, 5, 3, -2)
    assert decision.values == (-1, -1, 0, None, 1, 1, -1)
    assert decision.policy == (0, 0, 0, 0, 1, 0, 0)


def test_it_may_be_content_with_any_win() -> None:
    shares = chosen("perfect:prefer=any")
    assert set(shares) == {5, 6}
    assert 0.4 < shares[5] < 0.6


def test_it_blunders_as_often_as_it_is_told() -> None:
    shares = chosen("perfect:blunder=0.3", draws=1000)
    assert shares[5] == pytest.approx(0.7, abs=0.05)
    assert set(shares) == {1, 2, 3, 5, 6, 7}
    assert set(chosen("perfect:blunder=1")) == {1, 2, 3, 6, 7}


def test_where_all_moves_are_equal_there_is_no_blunder() -> None:
    position = position_of(game("tictactoe"), "")
    decision = agent("perfect:blunder=1", "tictactoe").decide(position, np.random.default_rng(1))
    assert decision.policy == pytest.approx((1 / 9,) * 9)


@pytest.mark.parametrize("opponent", ["random", "baseline", "perfect"])
def test_it_never_loses_a_drawn_game(opponent: str) -> None:
    perfect, other = agent("perfect", SMALL), agent(opponent, SMALL)
    for seed in range(15):
        assert play_game(SMALL, perfect, other, seed).outcome in ("first", "draw")
        assert play_game(SMALL, other, perfect, seed).outcome in ("second", "draw")


def test_the_first_player_wins_connect_four() -> None:
    perfect = agent("perfect")
    assert play_game(game("connect4"), perfect, perfect, seed=1).outcome == "first"


def test_out_of_time_it_still_plays() -> None:
    huge = game("connect:columns=9,rows=6,k=4")
    decision = agent("perfect:time=0.01", huge).decide(huge.start(), np.random.default_rng(0))
    assert 0 <= decision.move < 9
    assert None in (decision.values or ())


@pytest.mark.parametrize("spec", ["perfect:blunder=1.1", "perfect:prefer=best", "perfect:time=0"])
def test_bad_options_are_refused(spec: str) -> None:
    with pytest.raises(SpecError, match="is not allowed"):
        agent(spec)


def test_where_time_is_too_short_minimax_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def favours_the_edge(*_: object) -> Decision:
        return Decision(7, raw=(*[-1.0] * 7, 1.0))

    monkeypatch.setattr(Minimax, "decide", favours_the_edge)
    rules = game("connect:columns=8,rows=6,k=4")
    decision = agent("perfect:time=0.001", rules).decide(rules.start(), np.random.default_rng(1))
    assert decision.move == 7
    threat = rules.start().play_all("41414")  # every move but column 4 is known to lose
    known = agent("perfect:time=0.001", rules).decide(threat, np.random.default_rng(1))
    assert known.move == 3


@pytest.fixture
def unknown(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No board is known by heart."""
    monkeypatch.setattr(by_heart, "_kept", {})
    monkeypatch.setattr("fourlab.search.book.PORTION", 50)
    yield
    assert not by_heart._one_at_a_time.locked()


@pytest.mark.usefixtures("unknown")
@pytest.mark.parametrize("looks", [0, 5, 14, 40])
def test_learning_a_board_by_heart_can_be_called_off_at_any_time(looks: int) -> None:
    rules, left = game("connect:columns=4,rows=3,k=3"), iter(range(looks))
    with pytest.raises(CalledOffError):
        by_heart.exact_values(rules, Limit(stop=lambda: next(left, None) is None))
    assert by_heart._kept == {}
    whole = by_heart.exact_values(rules)
    assert whole is not None
    assert by_heart.exact_values(rules, Limit(stop=lambda: True)) is whole  # known by now


@pytest.mark.usefixtures("unknown")
def test_who_waits_for_another_board_can_be_called_off() -> None:
    with by_heart._one_at_a_time, pytest.raises(CalledOffError):
        by_heart.exact_values(SMALL, Limit(stop=lambda: True))


@pytest.mark.usefixtures("unknown")
def test_games_of_who_learns_by_heart_first_are_called_off() -> None:
    left = iter(range(5))
    stretch = Stretch(Pairing(str(SMALL), "perfect", "random", 1, 2), 0, 2)
    with pytest.raises(CalledOffError):
        play(stretch, stop=lambda: next(left, None) is None)
    assert by_heart._kept == {}
