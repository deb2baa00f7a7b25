"""Certificates against a brute force, for good agents and spoilt ones."""

import gzip
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fourlab
from every_reply import Strategy, every_reply, outcome
from fourlab.agents.base import Agent, Decision
from fourlab.agents.registry import agent
from fourlab.arena.certify.certificate import (
    Certificate,
    certify,
    differences,
    find_file,
    shipped_names,
)
from fourlab.arena.certify.refuting import below, given_away
from fourlab.arena.certify.walk import Walk, remove
from fourlab.arena.identity import checksum
from fourlab.core.errors import FourlabError, GeometryError, IllegalMoveError, SpecError
from fourlab.core.limit import CalledOffError, Limit
from fourlab.core.storage import StorageError
from fourlab.core.workers import Workers
from fourlab.learning.registry import learner
from fourlab.rules.catalog import game
from fourlab.rules.position import Position, position_of

SIDES = ["first", "second"]
GAMES = ["tictactoe", "connect:columns=4,rows=4,k=3", "connect:columns=4,rows=4,k=4"]
FOURS = GAMES[2]
TESTS = Path(__file__).parent.parent


def losing_changes(player: Strategy, side: int, start: Position) -> list[tuple[int, int]]:
    """Return single moves that give something away, with the keys where they would be played."""
    asked = every_reply(player, side, start).asked.values()
    if player.mirrors_alike:
        asked = {min(p, p.mirror(), key=lambda p: p.key): None for p in asked}.keys()
    return [
        (position.key, move)
        for position in asked
        for move in position.legal_moves()
        if -outcome(position.play(move)) < outcome(position)
    ]


def spoilt(name: str, side: int, count: int, start: str = "") -> list[Strategy]:
    """Return strategies of which one move, chosen by lot, is wrong."""
    rules = game(name)
    changes = losing_changes(Strategy(rules), side, position_of(rules, start))
    rng = np.random.default_rng([side, len(changes)])
    picked = rng.permutation(len(changes))[:count]
    return [Strategy(rules, dict([changes[index]])) for index in picked]


def compare(player: Strategy, side: int, start: str = "") -> None:
    """Hold a walk against the brute force."""
    begin = position_of(player.rules, start)
    true = every_reply(player, side, begin)
    worth = outcome(begin) if begin.to_move == side else -outcome(begin)
    with Walk(player, side, begin, mirrors=False) as walk:
        walk.run()
        sums = [sum(column) for column in zip(*walk.tallies, strict=True)][2:]
        assert sums == [len(true.asked), len(true.won), len(true.drawn), len(true.lost)]
        keys = {key for ply in walk.plies for key in walk.asked(ply)[0].tolist()}
        assert keys == set(true.asked)
        for threshold in (1, 0):
            holes = given_away(walk, (threshold,))
            assert {key for row in holes.values() for key in row.tolist()} == true.holes(threshold)
    for strict in (False, True):
        found = certify(
            player, player.rules, SIDES[side], strict=strict, start=start, starts="holes"
        )
        weak_bad = true.lost | (true.drawn if worth == 1 else set()) if worth > -1 else set()
        bad = true.holes(1) | true.holes(0) if strict else weak_bad
        assert (found.value, found.certified, found.refuted) == (worth, not bad, len(bad))
        wrong = true.holes(1) | true.holes(0) if strict else true.holes(worth)
        starts = [position_of(player.rules, line) for line in found.starts]
        assert {position.key for position in starts} == wrong
        lengths = []
        for moves in found.refutations:
            played = position_of(player.rules, moves)
            lengths.append(played.ply)
            assert moves.startswith(start)
            assert played.is_over or strict
            if strict:
                before = position_of(player.rules, played.moves[:-1])
                assert before.key in wrong
                assert player.move(before) == played.moves[-1]
        assert lengths == sorted(lengths)
        assert all(" became " in turn for turn in found.turns)


def test_a_walk_belongs_to_one_program_until_it_is_judged(tmp_path: Path) -> None:
    player, folder = agent("minimax:depth=1,ties=first", GAMES[1]), tmp_path / "walk"
    with Walk(player, folder=folder) as walk:
        walk.run()
        found = walk.digest
        with pytest.raises(StorageError, match="another program is at work"):
            certify(player, player.rules, folder=folder)
        remove(folder)
        assert walk.digest == found
    remove(folder)
    assert not folder.exists()


@pytest.mark.parametrize("level", [1, 2, 0])
def test_a_walk_that_takes_the_place_of_another_is_not_told_as_that(
    tmp_path: Path, level: int
) -> None:
    player, folder, other = (
        agent("minimax:depth=1,ties=first", GAMES[1]),
        *(tmp_path / name for name in ("walk", "other")),
    )
    with Walk(player, 1, folder=other) as walk:
        walk.run()
    before = {file.name: file.read_bytes() for file in other.iterdir()}
    plies: set[int] = set()

    def replace_at(ply: int) -> None:
        plies.add(ply)
        if len(plies) == level and other.exists():
            folder.rename(tmp_path / "moved")
            other.rename(folder)

    def walk_there() -> None:
        with Walk(player, folder=folder) as walk:
            walk.run(watch=lambda progress: replace_at(progress.ply))
            if not level:  # while it is judged
                folder.rename(tmp_path / "moved")
                other.rename(folder)

    with pytest.raises(StorageError, match="walk was deleted, moved or replaced"):
        walk_there()
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


LARGE = "mnk:columns=4,rows=5,k=4"  # where a move of depth 14 takes minutes


@pytest.mark.parametrize("seconds", [0.0, 0.2])
def test_a_certificate_for_which_there_is_no_time_is_none(tmp_path: Path, seconds: float) -> None:
    with pytest.raises(CalledOffError):
        certify("minimax:depth=14,ties=first", LARGE, strict=True, limit=Limit(seconds=seconds))
    walk = Walk(agent("minimax:depth=2,ties=first", GAMES[1]), folder=tmp_path)
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    with pytest.raises(CalledOffError):
        walk.run(limit=Limit(stop=stop))
    walk.run(resume=True)
    with Walk(walk.agent) as whole:
        whole.run()
        assert walk.digest == whole.digest  # what was not the agent's move was not kept


def test_holes_for_which_there_is_no_time_are_not_told() -> None:
    with Walk(agent("minimax:depth=1,ties=first", GAMES[1])) as walk:
        walk.run()
        assert sum(len(keys) for keys in given_away(walk, (1, 0)).values())
        with pytest.raises(CalledOffError):
            given_away(walk, (1, 0), Limit(seconds=0))


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("name", GAMES)
def test_a_good_agent_is_certified_and_a_spoilt_one_is_found(name: str, side: int) -> None:
    compare(Strategy(game(name)), side)
    for player in spoilt(name, side, 2):
        compare(player, side)


def test_every_wrong_move_of_a_table_is_found() -> None:
    rules = game("tictactoe")
    changes = losing_changes(Strategy(rules), 1, rules.start())
    assert len(changes) > 300
    for key, move in changes[::11]:
        found = certify(Strategy(rules, {key: move}), rules, "second", strict=True, starts="holes")
        assert not found.certified
        assert [position_of(rules, line).key for line in found.starts] == [key]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("start", ["12", "123"])
def test_a_walk_may_begin_after_some_moves(start: str, side: int) -> None:
    compare(Strategy(game(FOURS)), side, start)
    for player in spoilt(FOURS, side, 2, start):
        compare(player, side, start)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("name", GAMES)
def test_mirror_images_as_one_give_the_same_verdict(name: str, side: int) -> None:
    rules = game(name)
    changes = losing_changes(Strategy(rules, alike=True), side, rules.start())
    for key, move in [(0, 0), *changes[:: max(len(changes) // 3, 1)]]:
        player = Strategy(rules, {key: move}, alike=True)
        one = certify(player, rules, SIDES[side], strict=True, starts="holes")
        two = certify(player, rules, SIDES[side], strict=True, starts="holes", mirrors=False)
        assert (one.mirrors, two.mirrors) == (True, False)
        assert one.certified == two.certified == (key == 0)
        assert one.positions < two.positions + (side == 0)  # an off-centre stone tells them apart
        keys = [{position_of(rules, line).shared_key for line in c.starts} for c in (one, two)]
        assert keys[0] == keys[1]
        for moves in one.refutations:  # on boards as they lie, not as they are kept
            *before, last = position_of(rules, moves).moves
            position = position_of(rules, before)
            assert player.decide(position, np.random.default_rng(1)).move == last
            assert -outcome(position.play(last)) < outcome(position)


@pytest.mark.parametrize(("name", "start"), [("tictactoe", "6"), (FOURS, "43")])
def test_refuting_games_are_told_on_boards_as_they_lie(name: str, start: str) -> None:
    rules, rng = game(name), np.random.default_rng(1)
    begin = position_of(rules, start)
    side = 1 - begin.to_move
    assert begin.mirror().key < begin.key
    changes = losing_changes(Strategy(rules, alike=True), side, begin)
    for key, move in changes[:: len(changes) // 3]:
        player = Strategy(rules, {key: move}, alike=True)
        found = certify(player, rules, SIDES[side], strict=True, start=start)
        assert not found.certified
        for moves in found.refutations:
            position = begin
            for played in position_of(rules, moves).moves[begin.ply :]:
                if position.to_move == side:
                    assert player.decide(position, rng).move == played
                position = position.play(played)


def test_all_positions_on_refuting_games_are_told_without_a_solver() -> None:
    rules = game(FOURS)
    changes = losing_changes(Strategy(rules), 0, rules.start())
    spoilings = (Strategy(rules, dict([change])) for change in changes[::-1])
    player = next(player for player in spoilings if every_reply(player, 0, rules.start()).lost)
    with Walk(player) as walk:
        walk.run()
        places = below(walk, 0)
    found = certify(player, player.rules, starts="refuted", explain=False)
    keys = {position_of(player.rules, line).key for line in found.starts}
    assert keys == {key for row in places.values() for key in row.tolist()}
    assert not any(found.turns)
    held = {
        position_of(player.rules, line).key
        for line in certify(player, player.rules, starts="holes").starts
    }
    assert held < keys
    for line in found.starts[::3]:
        part = certify(player, player.rules, start=line)
        assert part.results["lost"] > 0


def test_what_cannot_be_certified_is_refused(tmp_path: Path) -> None:
    for spec in ("random", "human", "mcts:time=0.1"):  # lots, a person, a clock
        with pytest.raises(SpecError, match=f"{spec} need not play the same twice.*a network"):
            certify(spec, "tictactoe")
    with pytest.raises(SpecError, match="no side 'third'"):
        certify("minimax:ties=first", "tictactoe", "third")
    with pytest.raises(FourlabError, match="more than 100 positions by ply"):
        certify("minimax:ties=first", FOURS, most=100)
    with pytest.raises(FourlabError, match="the game is over"):
        certify("minimax:ties=first", "tictactoe", start="14253")
    with pytest.raises(GeometryError, match="no table of positions"):
        certify("minimax:ties=first,depth=1", "mnk:columns=6,rows=6,k=4")
    with pytest.raises(FourlabError, match="cell 10 does not exist in tictactoe ''"):
        certify(Strategy(game("tictactoe"), {game("tictactoe").start().key: 9}), "tictactoe")


@pytest.mark.parametrize("batches", [1, 5, 9])
def test_a_killed_walk_goes_on_as_if_it_never_stopped(tmp_path: Path, batches: int) -> None:
    command = (
        "import sys; from pathlib import Path; from every_reply import *; "
        "from fourlab import certify, game; player = Killed(game(sys.argv[3])); "
        "player.batches = int(sys.argv[2]); "
        "certify(player, sys.argv[3], 'second', folder=Path(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", command, str(tmp_path), str(batches), FOURS],
        env={
            **os.environ,
            "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{TESTS}:{TESTS}/arena",
        },
        check=False,
        capture_output=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    rest, whole = Strategy(game(FOURS)), Strategy(game(FOURS))
    resumed = certify(rest, FOURS, "second", folder=tmp_path, resume=True)
    assert differences(certify(whole, FOURS, "second"), resumed) == []
    assert rest.asked < whole.asked or batches == 1


def test_a_begun_walk_is_not_thrown_away_unasked(tmp_path: Path) -> None:
    spec = "minimax:depth=1,ties=first"
    begun = certify(spec, GAMES[1], folder=tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    named = f"{re.escape(str(tmp_path))} holds a walk of {spec} as first in {GAMES[1]}, not a walk"
    for other in ((spec, GAMES[1], "second"), ("minimax:ties=first", GAMES[1]), (spec, FOURS)):
        for resume in (False, True):
            with pytest.raises(StorageError, match=named):
                certify(*other, folder=tmp_path, resume=resume)
    with pytest.raises(StorageError, match="this walk was begun before; go on with --resume, or"):
        certify(spec, GAMES[1], folder=tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    again = certify(spec, GAMES[1], folder=tmp_path, resume=True)
    assert differences(begun, again) == []


def test_the_walk_of_a_file_that_was_edited_begins_anew(tmp_path: Path) -> None:
    """What was asked before is of nobody's any more."""
    mine, folder = tmp_path / "mine.py", tmp_path / "walk"
    for row in (0, -1):
        mine.write_text(
            "from fourlab.agents.base import Agent, Decision\n"
            "class Mine(Agent):\n"
            "    name = 'mine'\n"
            "    is_deterministic = True\n"
            "    def decide(self, position, rng, limit=None):\n"
            f"        return Decision(position.legal_moves()[{row}])\n"
        )
        if row:
            with pytest.raises(StorageError, match="has changed since then; begin anew without"):
                certify(str(mine), GAMES[1], folder=folder, resume=True)
        assert certify(str(mine), GAMES[1], folder=folder).positions


@pytest.mark.parametrize("resume", [False, True])
def test_a_folder_of_something_else_is_not_walked_in(tmp_path: Path, resume: bool) -> None:
    """The files of an earlier walk are removed there by their endings."""
    for name in ("house.keys", "chess.moves"):
        (tmp_path / name).write_text("mine")
    with pytest.raises(
        StorageError, match="holds something else than a walk; name another, or remove it"
    ):
        certify("minimax:ties=first", "tictactoe", folder=tmp_path, resume=resume)
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {
        "house.keys": "mine",
        "chess.moves": "mine",
    }


def test_workers_find_the_same() -> None:
    spec = "minimax:depth=3,ties=first"
    alone = certify(spec, FOURS)
    with Workers(2, "processes") as pool:
        assert differences(alone, certify(spec, FOURS, workers=pool)) == []


def test_a_certificate_is_kept_and_repeated(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    made = fourlab.certify("perfect:ties=first", FOURS, "second", strict=True)
    made.save(path)
    read = Certificate.load(path)
    assert read == made
    assert read.certified
    told = json.loads(path.read_text())
    asked = {"agent", "game", "side", "strict", "certified", "positions", "by_ply"}
    assert asked | {"refutations", "digest", "seconds"} <= set(told)
    assert {"ply", "positions", "won", "drawn", "lost"} <= set(told["by_ply"][0])
    assert told["positions"] == sum(row["positions"] for row in told["by_ply"])
    path.write_text(path.read_text().replace('"strict": true', '"strict": false'))
    with pytest.raises(StorageError, match="checksum"):
        Certificate.load(path)
    path.write_text(path.read_text()[:-40])
    with pytest.raises(StorageError, match="no fourlab certificate"):
        Certificate.load(path)
    with pytest.raises(StorageError, match="cannot read"):
        Certificate.load(tmp_path / "none.json")


@pytest.mark.parametrize(
    "edited",
    [
        *({"won": 10**6}, {"positions": 1}, {"turns": ["x"]}, {"refutations": ["1"]}),
        *({"side": []}, {"start": 5}, {"mirrors": {}}, {"strict": "x"}, {"versions": 5}),
    ],
)
def test_a_certificate_that_contradicts_itself_is_refused(
    edited: dict[str, Any], tmp_path: Path
) -> None:
    told = fourlab.certify("perfect:ties=first", FOURS, "second").to_json() | edited
    del told["checksum"]
    sealed = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
    (tmp_path / "edited.json").write_text(json.dumps({**told, "checksum": sealed}))
    with pytest.raises(StorageError, match="contradicts itself"):
        Certificate.load(tmp_path / "edited.json")


def test_those_that_ship_are_of_the_networks_that_ship() -> None:
    assert shipped_names() == ["own-first", "small-first", "taught-first", "zero-first"]
    for name in shipped_names():
        found = Certificate.load(find_file(Path(name)))
        assert found.certified
        assert checksum(agent(found.agent, found.game)) == found.sources


def test_a_file_comes_before_one_that_ships_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_file(Path("zero-first")).is_absolute()
    Path("zero-first").write_text("mine")
    assert find_file(Path("zero-first")) == Path("zero-first")
    for other in ("zero-frist", "../zero-first", "zero-first.json"):
        with pytest.raises(StorageError, match=f"with fourlab come {', '.join(shipped_names())}"):
            find_file(Path(other))


def test_a_changed_agent_does_not_repeat_a_certificate() -> None:
    rules = game("tictactoe")
    good = certify(Strategy(rules), rules, "second")
    [player] = spoilt("tictactoe", 1, 1)
    assert {"digest", "by_ply"} <= set(differences(good, certify(player, rules, "second")))
    start = position_of(rules, "1")
    other = next(m for m in start.legal_moves() if m != Strategy(rules).move(start))
    equal = certify(Strategy(rules, {start.key: other}), rules, "second")
    assert "digest" in differences(good, equal)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", [FOURS, "connect:columns=5,rows=4,k=4", "tictactoe"])
def test_perfect_is_certified(name: str, side: str) -> None:
    player: Agent = agent("perfect:ties=first", name)
    found = certify(player, name, side, strict=True)
    assert found.certified
    assert found.mirrors


CHECKER = TESTS.parent / "docs" / "deep" / "check.py"


def checked(*files: Path) -> subprocess.CompletedProcess[str]:
    """Run the checker by itself: isolated, it cannot find fourlab or any other package."""
    told = [str(file) for file in files]
    command = [sys.executable, "-I", "-S", str(CHECKER), *told]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("name", "side", "start", "alike"),
    [
        ("tictactoe", 1, "", True),
        ("tictactoe", 0, "159", False),
        (FOURS, 0, "", True),
        (FOURS, 1, "12", False),
        ("connect:columns=4,rows=4,k=3", 0, "", False),
    ],
)
def test_a_checker_of_its_own_rules_repeats_it(
    name: str, side: int, start: str, alike: bool, tmp_path: Path
) -> None:
    rules = game(name)
    moves, path = tmp_path / "moves.gz", tmp_path / "certificate.json"
    good = certify(Strategy(rules, alike=alike), rules, SIDES[side], start=start, moves=moves)
    good.save(path)
    done = checked(moves, path)
    assert done.returncode == 0, done.stderr
    assert good.digest in done.stdout
    [bad] = spoilt(name, side, 1, start)
    found = certify(bad, rules, SIDES[side], start=start, moves=moves, mirrors=False)
    found.save(path)
    assert checked(moves).returncode == (0 if found.certified else 1)
    assert "says the same: True" in checked(moves, path).stdout
    good.save(path)
    done = checked(moves, path)
    assert done.returncode == 1
    assert "says the same: False" in done.stdout


def test_the_checker_needs_every_move(tmp_path: Path) -> None:
    moves = tmp_path / "moves.gz"
    certify(Strategy(game("tictactoe")), "tictactoe", "second", moves=moves)
    data = gzip.decompress(moves.read_bytes())
    for other in (data[:-1], data + b"\0"):
        moves.write_bytes(gzip.compress(other))
        done = checked(moves)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert len(CHECKER.read_text().splitlines()) <= 150


def test_the_checker_says_in_a_line_which_file_is_damaged(tmp_path: Path) -> None:
    moves, path = tmp_path / "moves.gz", tmp_path / "certificate.json"
    good = certify(Strategy(game("tictactoe")), "tictactoe", "second", moves=moves)
    good.save(path)
    data, text = moves.read_bytes(), path.read_text()
    line, _, played = gzip.decompress(data).partition(b"\n")
    header = json.loads(line)
    nameless = {name: value for name, value in header.items() if name != "agent"}
    boards = ({**header, **size} for size in ({"columns": 10**9}, {"rows": 0}, {"connect": 10**9}))
    packed = [
        gzip.compress(json.dumps(one).encode() + b"\n" + played)
        for one in (nameless, *boards, {**header, "value": 7}, [header], {**header, "start": [9]})
    ]
    damaged = {
        moves: [b"", data[:40], data[:-4], b"moves", gzip.compress(b"no JSON"), *packed],
        path: [b"", text[:-99].encode(), b"\xff", b"[]", b"{}", b'{"digest": 1, "by_ply": [7]}'],
    }
    for file, others in damaged.items():
        whole = file.read_bytes()
        for other in others:
            file.write_bytes(other)
            done = checked(moves, path)
            assert done.returncode == 2, (file, other[:40], done.stderr)
            assert done.stderr.startswith(f"cannot check {file}: "), done.stderr
            assert done.stderr.count("\n") == 1
        file.write_bytes(whole)
    assert checked(moves, path).returncode == 0
    for missing in ((), (tmp_path / "none",), (moves, tmp_path / "none")):
        done = checked(*missing)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


def test_a_learned_table_is_certified_as_both_sides(tmp_path: Path) -> None:
    """What docs/learners/q.md shows."""
    made = learner("q:opponent=self,alpha=1,epsilon=0.5,games=200000", "tictactoe", 1)
    for _ in made.steps():
        pass
    made.save(tmp_path / "values.npz")
    spec = f"q:{tmp_path / 'values.npz'},ties=first"
    page = (TESTS.parent / "docs" / "learners" / "q.md").read_text()
    for side, positions in (("first", 92), ("second", 286)):
        found = certify(spec, "tictactoe", side, strict=True)
        assert found.certified
        assert found.positions == positions
        assert found.sources
        assert f"| {side} | {positions} |" in page
    with pytest.raises(SpecError, match="need not play the same twice"):
        certify(spec.removesuffix(",ties=first"), "tictactoe")


def test_a_damaged_walk_is_refused_or_what_is_damaged_asked_again(tmp_path: Path) -> None:
    spec, rules = "perfect:ties=first", "connect:columns=3,rows=3,k=3"
    whole = certify(spec, rules, "second", folder=tmp_path)
    files = {path: path.read_bytes() for path in sorted(tmp_path.iterdir())}
    assert {path.suffix for path in files} == {".json", ".keys", ".moves", ".sums"}
    refused = 0
    for path, data in files.items():
        for bit in {4 * len(data), 8 * len(data) - 8} if data else ():
            for other, contents in files.items():
                other.write_bytes(contents)
            changed = bytearray(data)
            changed[bit // 8] ^= 1 << bit % 8
            path.write_bytes(changed)
            try:
                again = certify(spec, rules, "second", folder=tmp_path, resume=True)
                assert differences(whole, again) == [], (path.name, bit)
            except StorageError:
                refused += 1
    assert refused > 0


@pytest.mark.parametrize("move", [-1, 256, 1 << 40])
def test_a_move_that_does_not_fit_into_a_byte_is_no_other_move(move: int) -> None:
    class Far(Agent):
        """Plays far beyond the board."""

        name = "far"
        is_deterministic = True

        def decide(self, position: Position, rng: object, limit: object = None) -> Decision:
            return Decision(move)

    with Walk(Far(game("tictactoe"))) as walk, pytest.raises(IllegalMoveError, match="far: cell"):
        walk.run()
