"""Agents are known by their spec and their files."""

from pathlib import Path

import pytest

from fourlab.agents.registry import agent
from fourlab.arena.events import Event
from fourlab.arena.identity import checksum, known_agent, label
from fourlab.arena.match import play
from fourlab.arena.pairing import Stretch
from fourlab.core.errors import FourlabError
from fourlab.learning.runs import METRICS, Run, RunConfig

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
    assert label(one, digests[0], set()) == one
    assert label(one, digests[0], {one}) == f"{one}@{digests[0][:6]}"


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
