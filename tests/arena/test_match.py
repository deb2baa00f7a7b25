"""The games of a pairing: legal, fair, and the same whoever plays them."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from fourlab.agents.registry import agent
from fourlab.arena import in_step, seats
from fourlab.arena.events import Event
from fourlab.arena.games import Games, joined, moves_array
from fourlab.arena.match import play, play_here
from fourlab.arena.pairing import Pairing, Stretch
from fourlab.core.limit import never
from fourlab.positions.openings import default_plies
from fourlab.rules.catalog import game
from fourlab.rules.position import Outcome, position_of

SMALL = "connect:columns=5,rows=4,k=4"
GAMES = ["connect4", "tictactoe", SMALL, "mnk:columns=4,rows=4,k=3"]
JITTED = ["random", "baseline", "minimax:depth=3", "mcts:sims=30", "flat:playouts=10"]


def pairing(name: str, a: str, b: str, seed: int = 1, **conditions: object) -> Pairing:
    return Pairing(name, a, b, seed, default_plies(game(name)), **conditions)  # type: ignore


def assert_equal(one: Games, other: Games) -> None:
    for name in ("numbers", "results", "lengths", "moves"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.forfeits == other.forfeits


def assert_sound(rules, games: Games) -> None:
    """Replay every game: legal to its end, with the result that the rules give."""
    for number, result, text in zip(
        games.numbers.tolist(), games.results.tolist(), games.notations(rules), strict=True
    ):
        outcome = position_of(rules, text).outcome
        a_wins = Outcome.FIRST_WINS if number % 2 == 0 else Outcome.SECOND_WINS
        assert outcome is not Outcome.IN_PROGRESS
        assert result == (0 if outcome is Outcome.DRAW else 1 if outcome is a_wins else -1)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("a", JITTED)
def test_jitted_games_follow_the_rules(name: str, a: str) -> None:
    assert_sound(game(name), play(Stretch(pairing(name, a, "baseline"), 0, 20)))


@pytest.mark.parametrize("a", JITTED)
def test_games_do_not_depend_on_who_plays_them_and_with_which_others(
    a: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = pairing(SMALL, a, "mcts:sims=20")
    whole = play(Stretch(pair, 0, 30))
    monkeypatch.setattr(in_step, "BATCH", 4)
    parts = [play(Stretch(pair, first, count)) for first, count in ((0, 2), (2, 18), (20, 10))]
    assert_equal(joined(parts), whole)
    assert len(np.unique(whole.keys())) > 20


@pytest.mark.parametrize("a", ["perfect:blunder=0.2", "mcts:sims=20,reuse=yes"])
def test_games_through_decide_follow_the_rules_and_do_not_depend_on_the_others(a: str) -> None:
    pair = pairing(SMALL, a, "random")
    whole = play(Stretch(pair, 0, 12))
    assert_sound(game(SMALL), whole)
    assert_equal(joined([play(Stretch(pair, 0, 4)), play(Stretch(pair, 4, 8))]), whole)
    assert (whole.seconds > 0).all()


def test_each_opening_is_played_twice_with_colours_swapped() -> None:
    pair = pairing("connect4", "perfect:time=0.01", "random")
    games = play(Stretch(pair, 0, 8))
    assert (games.moves[0::2, :8] == games.moves[1::2, :8]).all()
    assert len({tuple(row) for row in games.moves[::2, :8].tolist()}) == 4
    assert (games.results == 1).all()  # as first and as second player
    winners = [position_of(pair.rules, text).outcome.value for text in games.notations(pair.rules)]
    assert winners == ["first", "second"] * 4


def test_seeds_and_pairings_give_different_games() -> None:
    def keys(**changes: object) -> set[int]:
        fields = {"name": SMALL, "a": "random", "b": "baseline", "seed": 1, **changes}
        return set(play(Stretch(pairing(**fields), 0, 20)).keys().tolist())  # type: ignore[arg-type]

    assert keys() == keys()
    assert keys() != keys(seed=2)
    assert keys() != keys(a="baseline", b="random")


def test_seeds_of_games_are_all_different() -> None:
    pair = pairing("connect4", "random", "random")
    seeds = pair.seeds(np.arange(100_000))
    assert len(np.unique(seeds)) == 100_000
    assert (seeds >= 0).all()


def test_from_the_empty_board_if_asked_for() -> None:
    games = play(Stretch(Pairing("tictactoe", "minimax", "minimax", 1, plies=0), 0, 30))
    assert (games.results == 0).all()
    assert len(set(games.moves[:, 0].tolist())) > 1


@pytest.mark.parametrize("name", ["connect4", "mnk:columns=4,rows=4,k=3"])
def test_notation_and_back(name: str) -> None:
    games = play(Stretch(pairing(name, "random", "random"), 0, 50))
    moves, lengths = moves_array(game(name), games.notations(game(name)))
    np.testing.assert_array_equal(lengths, games.lengths)
    np.testing.assert_array_equal(moves, games.moves)


def test_agents_without_a_spec_meet_here() -> None:
    rules = game(SMALL)
    jitted = play_here(agent("baseline", rules), agent("random", rules), 20, seed=1)
    assert_equal(jitted, play(Stretch(pairing(SMALL, "baseline", "random"), 0, 20)))
    plain = play_here(agent("perfect", rules), agent("random", rules), 6, seed=1)
    assert_equal(plain, play(Stretch(pairing(SMALL, "perfect", "random"), 0, 6)))


def test_plain_python_plays_the_same_games() -> None:
    code = (
        "from fourlab.arena.match import *;"
        f"pair = Pairing({SMALL!r}, 'baseline', 'random', 1, 4);"
        "print(*play(Stretch(pair, 0, 6)).notations(pair.rules))"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_DISABLE_JIT": flag},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for flag in ("0", "1")
    ]
    assert said[0] == said[1] != ""


TROUBLE = {
    "crashing": "RuntimeError: out of ideas",
    "cheating": "IllegalMoveError: column 100 does not exist",
    "slow": "allowed are 2 s",
    "hanging": "no move within 2 s",
    "fatal": "its process ended with code 3",
    "leaving": "SystemExit: 4",
    "leaking": "its process was stopped",
    "greedy": "MemoryError",
    "asking": "EOFError: EOF when reading a line",
    "confused": "decide gave 'left'; return fourlab.Decision(move)",
}


@pytest.mark.usefixtures("troublemakers")
@pytest.mark.parametrize("name", TROUBLE)
def test_who_makes_trouble_forfeits_by_name_and_the_others_play_on(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    conditions = {"move_seconds": 2.0, "modules": ("troublemakers",)}
    hung: set[str] = set()
    with monkeypatch.context() as impatient:
        impatient.setattr(seats, "OWN_WARM_SECONDS", 3.0)
        impatient.setattr(seats, "_hung", hung)
        games = play(Stretch(pairing(SMALL, "dull", name, **conditions), 0, 2))
    if name == "hanging":
        assert hung == {name}  # the next job does not wait for it before its games
    assert games.results.tolist() == [1, 1]
    assert sorted(games.forfeits) == [0, 1]
    for number, text in games.forfeits.items():
        move = 6 if number % 2 == 0 else 5
        assert text.startswith(f"{name} at move {move}: ")
        assert TROUBLE[name] in text
        assert games.lengths[number] == move - 1
    good = play(Stretch(pairing(SMALL, "dull", "baseline", **conditions), 0, 4))
    assert not good.forfeits


def test_one_that_only_hangs_is_not_waited_for_in_every_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hangs_in = {0, 2, 3, 4}

    def messages(_seat, pairing, numbers, *_):
        for number in numbers:
            here = {"number": number, "moves": [0], "seconds": [0.0, 0.0], "said": ["", ""]}
            yield {**here, "thinks": 1, "agent": pairing.b}
            if number in hangs_in:
                raise TimeoutError
            yield {**here, "result": -1, "forfeit": ""}

    child = SimpleNamespace(errors=str, leave=str, close=str)
    monkeypatch.setattr(seats, "_take", lambda: SimpleNamespace(child=child, at=""))
    monkeypatch.setattr(seats, "_messages", messages)
    monkeypatch.setattr(seats, "_hangs", Counter())
    monkeypatch.setattr(seats, "_idle", [])
    pair = pairing(SMALL, "random", "hanging")
    games = seats.play_seated(Stretch(pair, 0, 8), lambda *_: None)
    assert games.results.tolist() == [1, -1, 1, 1, 1, 1, 1, 1]
    late = "hanging at move 2: no move within 60 s"
    assert {n: games.forfeits[n] for n in sorted(hangs_in)} == dict.fromkeys(sorted(hangs_in), late)
    lost = f"hanging at move {pair.plies + 1}: not asked: no move within 60 s in 3 games in a row"
    assert [games.forfeits[n] for n in (5, 6, 7)] == [lost] * 3
    clocked = pairing(SMALL, "random", "hanging", move_seconds=2.0)  # as it was asked for
    games = seats.play_seated(Stretch(clocked, 0, 8), lambda *_: None)
    assert sorted(games.forfeits) == sorted(hangs_in)


def test_a_file_that_hangs_forfeits_with_the_line_it_hangs_in(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def choose(position, rng):\n    while position.ply < 12: pass\n    return 0\n"
    )
    mine = agent(str(tmp_path / "mine.py"), SMALL).spec
    games = play(Stretch(pairing(SMALL, "random", mine, move_seconds=3.0), 0, 1))
    told = "mine.py:2: no move within 3 s in: while position.ply < 12: pass"
    assert games.forfeits[0].endswith(told)


def test_own_agents_have_long_for_a_first_decision_while_they_start(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def choose(position, rng):\n    return 0\n")
    [pair] = Event(SMALL, (str(file), "random"), games=2, move_seconds=2.0).pairings()
    told = [{"thinks": 0, "warms": True}, {"starts": True}, {"starts": True}]
    told += [{"thinks": 1, "warms": True}, {"thinks": 0}, {"result": 1}]
    patience = []

    def heard(seat: seats.Seat, seconds: float, stop: object) -> dict[str, object]:
        patience.append(seconds)
        return told[len(patience) - 1]

    monkeypatch.setattr(seats, "_heard", heard)
    seat = seats.Seat()
    passed_on = list(seats._messages(seat, pair, [0], set(), never))
    seat.child.close()
    own, ours, move = seats.OWN_WARM_SECONDS, seats.WARM_SECONDS, 2.0 + seats.GRACE
    assert patience == [seats.START_SECONDS, own, own, own, ours, move]
    assert not any("starts" in message for message in passed_on)


class Snatched(list):  # type: ignore[type-arg]
    """Seats of which another thread has just taken the last."""

    def __bool__(self) -> bool:
        return True


def test_an_idle_seat_may_be_gone_when_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "_idle", Snatched())
    games = play(Stretch(pairing(SMALL, "perfect:blunder=0.5", "random"), 0, 2))
    assert len(games) == 2


@pytest.mark.usefixtures("troublemakers")
@pytest.mark.parametrize("name", ["noisy", "forking"])
def test_agents_may_print_and_fork(name: str) -> None:
    games = play(Stretch(pairing(SMALL, "dull", name, modules=("troublemakers",)), 0, 4))
    assert not games.forfeits
    again = play(Stretch(pairing(SMALL, "dull", name, modules=("troublemakers",)), 0, 4))
    assert_equal(games, again)
    assert games.said == again.said
    assert sorted(games.said) == ([0, 1, 2, 3] if name == "noisy" else [])
    assert all(dull == "" and noisy for dull, noisy in games.said.values())


@pytest.mark.usefixtures("troublemakers")
def test_a_game_whose_process_is_killed_from_outside_is_played_again(tmp_path) -> None:
    marker = tmp_path / "killed"
    pair = pairing(SMALL, f"unlucky:{marker}", "random", modules=("troublemakers",))
    games = play(Stretch(pair, 0, 6))
    assert marker.exists()
    assert not games.forfeits
    assert_equal(play(Stretch(pair, 0, 6)), games)


@pytest.mark.usefixtures("troublemakers")
def test_an_agent_whose_file_has_changed_is_loaded_again(tmp_path) -> None:
    file = tmp_path / "moves.txt"
    heights = []
    for column in ("0", "4"):
        file.write_text(column)
        event = Event(SMALL, (f"filed:{file}", "dull"), games=2, plies=0)
        [pair] = event.pairings()
        heights.append(play(Stretch(pair, 0, 2)).moves[0, 0])
    assert heights == [0, 4]


@pytest.mark.parametrize("a", ["mcts:sims=20", "perfect:blunder=0.5"])
def test_games_can_be_watched_and_broken_off(a: str) -> None:
    seen: list[tuple[int, list[int]]] = []
    pair = pairing(SMALL, a, "random")
    games = play(Stretch(pair, 4, 2), lambda one, moves: seen.append((one.first, moves)))
    lines = dict(zip(games.numbers.tolist(), games.moves.tolist(), strict=True))
    assert all(lines[number][: len(moves)] == moves for number, moves in seen)
    assert len(seen) > games.lengths.max() // 2 - 2
    assert_equal(games, play(Stretch(pair, 4, 2)))

    def enough(one: Stretch, moves: list[int]) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        play(Stretch(pair, 4, 2), enough)
