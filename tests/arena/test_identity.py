"""Agents are known by their spec and their files."""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import command
from fourlab.agents.registry import agent
from fourlab.arena.events import Event
from fourlab.arena.games import Games
from fourlab.arena.identity import checksum, identity, known_agent, labels
from fourlab.arena.match import play
from fourlab.arena.pairing import Pairing, Stretch
from fourlab.arena.records import Records
from fourlab.arena.tournament import Tournament
from fourlab.core.errors import FourlabError, SpecError
from fourlab.core.workers import Workers
from fourlab.learning.runs import METRICS, Run, RunConfig
from fourlab.values.knowledge import CHECKPOINT

GAME = "tictactoe"


def trained(folder: Path, games: int = 200) -> str:
    """Train a run; return the agent's spec."""
    list(Run.start(folder, RunConfig(f"q:games={games}", GAME)).reports())
    return f"q:{folder}"


def test_a_run_is_known_by_what_it_learned_alone(tmp_path: Path) -> None:
    one, same = (trained(tmp_path / name) for name in ("one", "same"))
    other = trained(tmp_path / "other", 300)
    digests = [checksum(agent(spec, GAME)) for spec in (one, same, other)]
    assert digests[0] == digests[1] != digests[2]
    with (tmp_path / "one" / METRICS).open("a") as file:
        file.write("{}")
    assert checksum(agent(one, GAME)) == digests[0]
    first, again = (one, digests[0]), (one, digests[2])
    assert labels([first]) == {first: one}
    told = {first: f"{one}@{digests[0][:6]}", again: f"{one}@{digests[2][:6]}"}
    assert labels([first, again]) == told


def test_a_copy_under_another_name_is_the_same_agent(tmp_path: Path) -> None:
    spec = trained(tmp_path / "run")
    copy = shutil.copy(tmp_path / "run" / CHECKPOINT, tmp_path / "best.npz")
    one, same = ((spec, checksum(agent(spec, GAME))) for spec in (spec, f"q:{copy}"))
    assert labels([one, same]) == dict.fromkeys((one, same), spec)
    games = [
        play(Stretch(Event(GAME, (who, "random")).pairings()[0], 0, 9)) for who in (spec, same[0])
    ]
    assert (games[0].keys() == games[1].keys()).all()
    with pytest.raises(SpecError, match="is given twice, also as"):
        Event(GAME, (spec, same[0], "random"))
    kept = hashlib.sha256(CHECKPOINT.encode() + Path(copy).read_bytes()).hexdigest()
    assert one[1] == kept[:16]  # what records have known a run by


def test_whatever_path_leads_to_a_run_it_is_one_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a record, in its ladder, and in an event."""
    trained(tmp_path / "run")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    specs = ["q:run", "q:./run", f"q:{tmp_path}/run", "learned:run", "q:run/checkpoint.npz"]
    for spec in specs:
        played_in(tmp_path / "games.db", spec)
    monkeypatch.chdir(tmp_path / "below")
    played_in(tmp_path / "games.db", "q:../run")
    played_in(tmp_path / "games.db", "q:../run,visits=2")
    with Records(tmp_path / "games.db") as records:
        assert records.count() == 8
        summary = records.summary()[GAME]
        assert {name for pair in summary for name in pair} == {
            "q:run",
            "q:../run,visits=2",
            "baseline",
        }
    with pytest.raises(
        SpecError, match=r"'q:\.\./below/\.\./run' is given twice, also as 'q:\.\./run'"
    ):
        Event(GAME, ("q:../run", "random", "q:../below/../run"))
    assert len(Event(GAME, ("q:../run", "random", "q:../run,visits=2")).pairings()) == 3
    assert Event(GAME, ("q:../run", "random"), anchor="learned:./../run").anchor == "q:../run"


def test_a_filter_means_one_agent_by_whatever_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it lies, also when it has learned more since, or wherever its contents lie."""
    trained(tmp_path / "run")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    played_in(tmp_path / "games.db", "q:run")
    paths = [
        "q:./run",
        f"q:{tmp_path}/run",
        "q:run/checkpoint.npz",
        "learned:run",
        "q:run,visits=1",
    ]
    (tmp_path / "q.py").touch()
    for others in ("q:nowhere", "q:run,visits=2", "random", "q.py", "", "q:(", "q:"):
        assert asked(others, tmp_path) == ("", 0)
    for path in ("q:run", *paths):
        assert asked(path, tmp_path) == ("q:run", 4)
    assert asked("q:../run", tmp_path / "below") == ("q:run", 4)
    list(Run.start(tmp_path / "more", RunConfig("q:games=300", GAME)).reports())
    (tmp_path / "more" / "checkpoint.npz").replace(tmp_path / "run" / "checkpoint.npz")
    for path in ("q:run", *paths):
        assert asked(path, tmp_path) == ("q:run", 4)


def asked(spec: str, folder: Path) -> tuple[str, int]:
    """Return the anchor of a ladder that a spec means, and how many games an agent has."""
    here = folder if (folder / "games.db").exists() else folder.parent
    file = ["--record", str(here / "games.db")]
    found = command.run("games", "--agent", spec, "--json", *file, folder=folder)
    assert found.returncode == 0, found.stderr
    ladder = command.run("ladder", f"--anchor={spec}", "--json", *file, folder=folder)
    anchor = json.loads(ladder.stdout)[0]["anchor"] if not ladder.returncode else ""
    worst = command.run("games", "--agent", spec, "--worst", *file, folder=folder)
    assert worst.returncode == (0 if found.stdout else 2)
    return anchor, found.stdout.count("\n")


def test_who_learned_it_need_not_be_said() -> None:
    """In older records `learned` is an agent beside the one that it stands for."""
    digest = "a" * 16
    named = [("learned:a", digest), ("n-tuple:a", digest), ("learned:a,visits=2", digest)]
    assert list(labels(named).values()) == ["n-tuple:a", "n-tuple:a", "learned:a,visits=2"]
    apart = [("zero:a", digest), ("net:a", digest), ("deep-q:a", digest), ("learned:b", "b" * 16)]
    assert len(set(labels(apart).values())) == 4


def played_in(path: Path, spec: str) -> None:
    """Play four games against baseline, as `fourlab arena` does."""
    with Records(path) as records, Workers(1) as pool:
        event = Event(GAME, (spec, "baseline"), games=4, seed=1)
        list(Tournament(event, records, resume=True).run(pool))


def test_games_that_a_record_has_for_several_paths_count_once(tmp_path: Path) -> None:
    """As those of fourlab had until they were known by their contents."""
    digest, moves = "a" * 16, "142596"
    game = Games(*np.array([[0], [-1], [6]]), np.zeros((1, 9), np.int8), np.zeros((1, 2)))
    with Records(tmp_path / "games.db") as records:
        run = records._connection.execute
        for spec in ("net:./a", "net:a", "net:/b/a", "net:a,rule=yes"):
            run("INSERT INTO agents (spec, checksum) VALUES (?, ?)", (spec, digest))
            pairing = Pairing(GAME, spec, "random", 1, 0, checksums=(digest, ""))
            records.add(records.pairing(pairing), game, [moves])
        found = records.summary()[GAME]
        assert found["net:a", "random"] == (0, 0, 1)
        assert found["net:a,rule=yes", "random"] == (0, 0, 1)
        assert len({name for pair in found for name in pair}) == 3
        assert {entry.first for entry in records.listing()} == {"net:a", "net:a,rule=yes"}


def test_games_that_three_pairings_have_count_once(tmp_path: Path) -> None:
    """Each of them may hold some that the first does not; other games of `learned` are others."""
    with Records(tmp_path / "games.db") as records:
        for spec, numbers in {
            "q:a": [0],
            "q:./a": [0, 2],
            "q:/a": [2, 4],
            "learned:a": [0, 2],
        }.items():
            recorded(records, spec, numbers)
        assert records.summary()[GAME]["q:a", "random"] == (0, 0, 5)


def test_however_many_pairings_are_the_same_they_are_rated(tmp_path: Path) -> None:
    with Records(tmp_path / "games.db") as records:
        with records.at_once():
            for number in range(1500):
                recorded(records, f"q:{'./' * number}a", [0])
        assert records.summary()[GAME]["q:a", "random"] == (0, 0, 1)


def recorded(records: Records, spec: str, numbers: list[int]) -> None:
    """Record lost games of an agent as fourlab did that knew it by its path."""
    count = len(numbers)
    columns = np.array([numbers, [-1] * count, [6] * count])
    game = Games(*columns, np.zeros((count, 9), np.int8), np.zeros((count, 2)))
    run = records._connection.execute
    run("INSERT INTO agents (spec, checksum) VALUES (?, ?)", (spec, "a" * 16))
    pairing = Pairing(GAME, spec, "random", 1, 0, checksums=("a" * 16, ""))
    records.add(records.pairing(pairing), game, ["142596"] * count)


def test_what_has_no_path_is_known_by_its_spec() -> None:
    """A program may be called with other words, and one's own file is not run."""
    for spec in ("engine:./ce", "engine:(./ce --strong)", "nowhere.mine:A", "zzz:x", "a,b=(", ""):
        assert identity(spec, "a" * 16) == spec
    assert identity("q:./run,visits=2", "a" * 16) == identity("q:run,visits=2", "a" * 16)
    assert identity("zero:run", "a" * 16) != identity("net:run", "a" * 16)


def test_a_run_that_moves_plays_the_same_games(tmp_path: Path) -> None:
    spec = trained(tmp_path / "run")
    before = play(Stretch(Event(GAME, (spec, "random"), seed=3).pairings()[0], 0, 20))
    (tmp_path / "run").rename(tmp_path / "moved")
    moved = Event(GAME, (f"q:{tmp_path / 'moved'}", "random"), seed=3)
    after = play(Stretch(moved.pairings()[0], 0, 20))
    assert (before.keys() == after.keys()).all()
    own = Event(GAME, (f"q:{tmp_path / 'moved'},unseen=baseline", "random"), seed=3)
    other = play(Stretch(own.pairings()[0], 0, 20))
    assert (before.keys() != other.keys()).any()  # options still make another player


def test_what_was_trained_from_the_empty_board_meets_others_there(tmp_path: Path) -> None:
    spec = trained(tmp_path / "run")
    run = RunConfig("n-tuple:games=20,tuples=2,length=2", GAME)
    list(Run.start(tmp_path / "net", run).reports())
    run = RunConfig("q:games=20,start=(random:plies=2)", GAME)
    list(Run.start(tmp_path / "anywhere", run).reports())
    home = Event(GAME, ("baseline", spec))
    assert home.plies == 0
    assert f"where {spec} was trained; --plies 2 for openings" in home.remark()
    assert Event(GAME, ("baseline",), against=(spec,)).plies == 0
    away = Event(GAME, ("baseline", spec), plies=2)
    assert away.plies == 2
    assert "not from these openings; --plies 0 begins there" in away.remark()
    for general in (f"n-tuple:{tmp_path / 'net'}", f"q:{tmp_path / 'anywhere'}", "random"):
        usual = Event(GAME, ("baseline", general))
        assert (usual.plies, usual.remark()) == (2, "")


def test_of_many_that_were_trained_a_few_are_named(tmp_path: Path) -> None:
    """A trained sweep has up to a thousand."""
    base = trained(tmp_path / "run")
    specs = tuple(f"{base},visits={visits}" for visits in (2, 3, 4, 5))
    few, many = (Event(GAME, specs[:n], against=("random",)).remark() for n in (3, 4))
    assert f"where {' and '.join(specs[:3])} were trained;" in few
    assert f"where {specs[0]} and {specs[1]} and 2 more were trained;" in many


@pytest.mark.usefixtures("troublemakers")
def test_an_agent_without_a_path_has_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bystander").write_text("x")
    monkeypatch.chdir(tmp_path)
    assert checksum(agent("filed")) == checksum(agent("random")) == ""


def test_an_agent_is_kept_by_side_and_checksum(tmp_path: Path) -> None:
    spec = trained(tmp_path / "run")
    digest = checksum(agent(spec, GAME))
    kept = known_agent(spec, GAME, digest)
    assert known_agent(spec, GAME, digest) is kept
    assert known_agent(spec, GAME, digest, side=1) is not kept


def test_a_file_that_changes_under_a_match_is_no_part_of_it(tmp_path: Path) -> None:
    spec = trained(tmp_path / "run")
    [pairing] = Event(GAME, (spec, "random"), games=2).pairings()
    trained(tmp_path / "other", 300)
    (tmp_path / "other" / "checkpoint.npz").replace(tmp_path / "run" / "checkpoint.npz")
    with pytest.raises(FourlabError, match=r"the file of q:.*run has changed since this began"):
        play(Stretch(pairing, 0, 2))
