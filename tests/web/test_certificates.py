"""Certificates on the page: what is shown of a file, and bounded walks that make another."""

import json
import threading
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from fourlab.arena.certify.certificate import Certificate, certify
from fourlab.core.errors import FourlabError
from fourlab.core.limit import CalledOffError
from fourlab.learning.registry import learner
from fourlab.learning.runs import RunConfig
from fourlab.rules.catalog import game
from fourlab.rules.position import SECOND
from fourlab.web import certificates as module
from fourlab.web import circle
from fourlab.web.certificates import Certificates, without_dice
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import Keep
from fourlab.web.limits import offer_runs
from fourlab.web.runs.kept import KeptTraining
from fourlab.web.runs.room import Room
from fourlab.web.sessions.certificate import CertificateSession
from fourlab.web.sessions.certificate_view import learned_by
from fourlab.web.sessions.learn import LearnSession
from fourlab.web.sessions.play_setup import read_setup
from nets import random_network
from web.bench import PATIENCE, TestBench

SMALL = "connect:columns=4,rows=4,k=3"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def page(
    bench: TestBench, shelf: Certificates, who: str = "me", name: str = ""
) -> CertificateSession:
    keep = Keep(Path("kept"))
    own = Shelf(keep, who)
    session = CertificateSession(bench, {"game": SMALL}, shelf, own, Room(bench, keep), name)
    session.open()
    return session


def test_a_board_is_one_however_it_is_written(bench: TestBench, run: str) -> None:
    session = page(bench, Certificates(Path("runs")))
    assert session.act("board", ["connect:k=3,rows=4,columns=4"])
    assert session.game == SMALL
    assert f"run:{run}" in {one["value"] for one in session.view()["players"]}


@pytest.fixture
def run(bench: TestBench) -> str:
    """A run of mine that has learned a little, and is saved."""
    keep = Keep(Path("kept"))
    room = Room(bench, keep)
    learning = LearnSession(
        bench, {"game": SMALL, "opponent": "self"}, 1, shelf=Shelf(keep, "me"), room=room
    )
    learning.open()
    assert learning.act("step", ["game"])
    bench.until(lambda: learning.kept and learning.kept.done and not learning.training.busy)
    room.close()
    assert learning.kept is not None
    return learning.kept.name


def walked(
    session: CertificateSession, spec: str, side: str = "first", strict: bool = False
) -> str:
    """Certify a player and return the certificate's name."""
    assert session.act("certify", [spec, side, strict]), session.error
    session.bench.until(lambda: not session.certificates.is_running(session.who))
    walk = session.certificates.walks[session.who]
    assert walk.name, walk.failure
    return walk.name


def test_a_player_is_certified_and_the_page_says_what_the_file_says(bench: TestBench) -> None:
    shelf = Certificates()
    session = page(bench, shelf)
    name = walked(session, "perfect")
    found = Certificate.load(Path("runs/web/certificates") / f"{name}.json")
    same = certify("perfect:ties=first", SMALL, "first")
    assert found.claim == same.claim
    [card] = session.view()["cards"]
    assert card["title"] == "Proven as first player, weak"
    assert card["sentence"] == "From the empty board it wins, whatever is replied."
    assert card["totals"][0]["value"] == f"{same.positions:,}"
    assert sum(row["positions"] for row in card["plies"]) == same.positions
    assert card["files"] == ["json", "moves"]
    assert session.view()["walk"]["name"] == name


def test_a_player_that_fails_is_shown_with_its_holes_and_games(bench: TestBench) -> None:
    shelf = Certificates()
    session = page(bench, shelf)
    name = walked(session, "minimax:depth=1", "second", strict=True)
    [card] = session.view()["cards"]
    found = shelf.load(name)
    assert not card["certified"]
    assert card["title"] == f"Not proven: {found.refuted:,} holes"
    assert card["games"][0]["href"].startswith("/analyse?game=connect:columns=4,rows=4,k=3&moves=")
    lengths = [len(one["moves"]) for one in card["games"]]
    assert lengths == sorted(lengths)
    assert sum(one["count"] for one in card["holes"]) <= len(card["games"])
    assert all("became" in one["turn"] for one in card["games"])
    holes = (Path("runs/web/certificates") / f"{name}.holes").read_text().splitlines()
    assert len(holes) == found.refuted


def test_one_that_was_proven_and_one_that_was_not_stand_side_by_side(bench: TestBench) -> None:
    session = page(bench, Certificates())
    names = [walked(session, spec) for spec in ("perfect", "minimax:depth=1", "minimax:depth=2")]
    view = session.view()
    assert [card["certified"] for card in view["cards"]] == [True, False]
    assert [row["name"] for row in view["list"]] == names[::-1]
    alone = page(bench, session.certificates, name=names[1])
    assert [card["name"] for card in alone.view()["cards"]] == [names[1]]
    assert alone.view()["url"] == f"/certificate/{names[1]}"


def test_a_certificate_of_the_command_line_is_shown_and_a_damaged_one_says_so(
    bench: TestBench,
) -> None:
    folder = Path("runs/certificates")
    folder.mkdir(parents=True)
    certify("perfect:ties=first", "tictactoe", "second").save(folder / "mine.json")
    told = json.loads((folder / "mine.json").read_text())
    (folder / "bad.json").write_text(json.dumps({**told, "certified": False}))
    view = page(bench, Certificates()).view()
    assert {row["name"]: row.get("certified") for row in view["list"]} == {
        "mine": True,
        "bad": None,
    }
    [damaged] = [row for row in view["list"] if row["name"] == "bad"]
    assert "checksum" in damaged["damaged"]
    with pytest.raises(FourlabError):
        Certificates().path("../../certificates/mine")


def test_those_that_come_with_fourlab_stand_below_ones_own(bench: TestBench) -> None:
    session = page(bench, Certificates())
    view = session.view()
    assert (view["cards"], view["list"]) == ([], [])
    cards = {card["name"]: card for card in view["shipped"]}
    assert list(cards) == ["own-first", "small-first", "taught-first", "zero-first"]
    assert cards["zero-first"]["totals"][0]["value"] == "7,114,840"
    assert cards["zero-first"]["learner"] == "Self-play with search, 2,393 kB"
    assert cards["small-first"]["learner"] == "Taught by the solver, 92 kB"
    assert cards["own-first"]["learner"].startswith("Self-play with search, ")
    assert "bfloat16 on a GPU" in cards["zero-first"]["caveat"]
    assert not cards["taught-first"]["caveat"]
    assert cards["taught-first"]["commands"][0]["line"] == "fourlab certify --check taught-first"
    for card in cards.values():
        query = dict(parse_qsl(urlsplit(card["play"]).query))
        setup, problems = read_setup(query)
        assert (setup.opponent, setup.you, problems) == (card["player"], SECOND, [])
    alone = page(bench, session.certificates, name="zero-first").view()
    assert [card["digest"] for card in alone["cards"]] == [cards["zero-first"]["digest"]]
    assert alone["shipped"] == []
    folder = Path("runs/certificates")
    folder.mkdir(parents=True)
    certify("perfect:ties=first", "tictactoe", "second").save(folder / "zero-first.json")
    view = session.view()
    assert [card["player"] for card in view["cards"]] == ["perfect:ties=first"]
    assert [card["name"] for card in view["shipped"]] == [
        "own-first",
        "small-first",
        "taught-first",
    ]


@pytest.mark.parametrize("is_network", [False, True])
def test_what_lies_here_under_the_name_of_a_shipped_network_is_not_taken_for_it(
    bench: TestBench, is_network: bool
) -> None:
    if is_network:
        random_network(game("connect4")).save(Path("small"))
    else:
        Path("small").mkdir()
    learned_by.cache_clear()
    cards = {card["name"]: card for card in page(bench, Certificates()).view()["shipped"]}
    learned_by.cache_clear()
    assert cards["small-first"]["learner"] == ""
    assert cards["zero-first"]["learner"]


def test_a_run_of_the_server_is_certified_without_its_dice(bench: TestBench) -> None:
    made = learner("q:games=10", SMALL, 0)
    folder = Path("runs") / "mine"
    RunConfig(made.spec, str(made.rules), 0).save(folder)
    made.save(folder / made.file)
    session = page(bench, Certificates())
    assert f"q:{folder}" in [one["value"] for one in session.view()["players"]]
    agent = without_dice(f"q:{folder}", game(SMALL))
    assert agent.is_deterministic
    assert not session.certificates.load(walked(session, f"q:{folder}")).certified


def test_a_run_goes_on_from_the_holes_and_is_certified_again(
    bench: TestBench, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = page(bench, Certificates())
    offer_runs(session.room.player)
    assert f"run:{run}" in [one["value"] for one in session.view()["players"]]
    name = walked(session, f"run:{run}")
    [card] = session.view()["cards"]
    assert (card["whyNot"], card["player"]) == ("", session.shelf.keep.get(run).title)
    monkeypatch.setattr(circle, "SECONDS", 1.0)
    assert session.act("train_on", [name]), session.error
    assert not session.act("train_on", [name])
    assert "wait for that" in session.error["text"]
    training = session.room.enter(run)
    holes = session.certificates.path(name, ".holes").read_text().split()
    bench.until(lambda: session.view()["circle"]["state"] != "training")
    assert training.learner is not None
    assert training.learner.knowledge.about["starts"] == holes  # type: ignore[attr-defined]
    assert f"{len(holes):,} holes" in training.begins
    bench.until(lambda: session.view()["circle"]["state"] == "done")
    shown = session.view()["circle"]
    before, after = (session.certificates.load(one) for one in (name, shown["after"]))
    assert shown["better"] == (after.refuted < before.refuted)
    assert after.agent == before.agent
    assert f"{before.refuted:,} refutations before" in shown["said"]
    assert KeptTraining(bench, session.shelf.keep, session.shelf.keep.get(run)).begins


def test_where_none_can_go_on_it_says_why(bench: TestBench, run: str) -> None:
    session = page(bench, Certificates())
    offer_runs(session.room.player)
    of_run = walked(session, f"run:{run}")
    of_none = walked(session, "minimax:depth=1")
    guest = page(bench, session.certificates, "you")
    for who, name, why in (
        (guest, of_run, "another visitor’s"),
        (session, of_none, "Only a run on your shelf"),
    ):
        assert not who.act("train_on", [name])
        assert why in who.error["text"]
        told = page(bench, session.certificates, who.who, name).view()["cards"][0]["whyNot"]
        assert why in told
    session.certificates.path(of_run, ".holes").unlink()
    assert not session.act("train_on", [of_run])
    assert "not kept" in session.error["text"]


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (["mcts:sims=20", "first", False], "need not play the same twice"),
        (["q:/etc/passwd", "first", False], "not in the folder"),
        (["perfect", "third", False], "no side"),
        (["nobody", "first", False], "unknown agent"),
    ],
)
def test_bad_input_is_refused(bench: TestBench, args: list[object], part: str) -> None:
    session = page(bench, Certificates())
    assert not session.act("certify", args)
    assert part in session.error["text"]
    assert not session.act("board", ["connect4"])
    assert "at most" in session.error["text"]


def test_work_is_bounded_in_positions_time_and_number(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Certificates()
    session = page(bench, shelf)
    monkeypatch.setattr(module, "MOST_POSITIONS", 3)
    assert session.act("certify", ["perfect", "first", False])
    assert not session.act("certify", ["perfect", "first", False])
    assert "stop that first" in session.error["text"]
    bench.until(lambda: not shelf.is_running("me"))
    assert "more than 3 positions" in session.view()["walk"]["failure"]
    monkeypatch.setattr(module, "MOST_POSITIONS", 10**6)
    monkeypatch.setattr(module, "MOST_SECONDS", -1.0)
    assert session.act("certify", ["perfect", "first", False])
    bench.until(lambda: not shelf.is_running("me"))
    assert "not done in" in session.view()["walk"]["failure"]
    assert list(Path("runs/web/certificates").iterdir()) == []


def test_a_claim_that_says_nothing_is_not_made(bench: TestBench) -> None:
    shelf = Certificates()
    session = page(bench, shelf)
    assert session.act("certify", ["minimax:depth=1", "second", False])
    bench.until(lambda: not shelf.is_running("me"))
    assert "weak says nothing of it" in session.view()["walk"]["failure"]


def test_a_walk_outlives_the_page_and_can_be_stopped(bench: TestBench) -> None:
    shelf = Certificates()
    session = page(bench, shelf)
    assert session.act("certify", ["perfect", "first", False])
    session.close()
    bench.until(lambda: not shelf.is_running("me"))
    assert page(bench, shelf).view()["walk"]["name"]
    again = page(bench, shelf, "you")
    assert again.act("certify", ["minimax:depth=4", "second", True])
    assert again.act("stop_walk", [])
    assert again.view()["walk"]["state"] == "stopped"


def test_a_walk_that_was_stopped_takes_nothing_from_the_next(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    class Walks(Certificates):
        def _walk(self, *args: Any) -> None:
            try:
                super()._walk(*args)
            finally:
                ended.set()

    def stopped_late(*args: Any, moves: Path, **options: Any) -> Certificate:
        began.set()
        go_on.wait(PATIENCE)
        raise CalledOffError

    def outlives_it(*args: Any, **options: Any) -> Certificate:
        found = certify(*args, **options)
        go_on.set()
        assert ended.wait(PATIENCE)
        return found

    session = page(bench, Walks())
    monkeypatch.setattr(module, "certify", stopped_late)
    assert session.act("certify", ["minimax:depth=2", "first", True])
    assert began.wait(PATIENCE)
    assert session.act("stop_walk", [])
    monkeypatch.setattr(module, "certify", outlives_it)
    assert walked(session, "perfect")


@pytest.mark.parametrize("seconds", [module.MOST_SECONDS, 1.0], ids=["stopped", "too long"])
def test_a_player_that_thinks_for_hours_is_called_off_in_the_middle_of_a_move(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    ended = threading.Event()

    class Walks(Certificates):
        def _walk(self, *args: Any) -> None:
            try:
                super()._walk(*args)
            finally:
                ended.set()

    monkeypatch.setattr(module, "MOST_SECONDS", seconds)
    session = page(bench, Walks())
    assert session.act("board", ["mnk:columns=4,rows=5,k=4"])
    assert session.act("certify", ["minimax:depth=14", "first", True])
    bench.until(lambda: session.view()["walk"]["said"].startswith("ply 0"))
    if seconds > 1:
        assert session.act("stop_walk", [])
    assert ended.wait(PATIENCE)
    bench.until(lambda: not session.certificates.is_running("me"))
    failure = session.view()["walk"]["failure"]
    assert failure == "" if seconds > 1 else "not done in 1 s, at ply 0" in failure


def test_files_that_are_gone_while_they_are_looked_at_are_passed_over(bench: TestBench) -> None:
    folder = Path("runs/certificates")
    folder.mkdir(parents=True)
    (folder / "gone.json").symlink_to("nowhere")
    session = page(bench, Certificates())
    assert session.view()["list"] == []
    name = walked(session, "perfect")
    assert [row["name"] for row in session.view()["list"]] == [name]


def test_a_run_that_is_deleted_while_it_trains_on_keeps_nobody_waiting(
    bench: TestBench, run: str
) -> None:
    session = page(bench, Certificates())
    offer_runs(session.room.player)
    name = walked(session, f"run:{run}")
    assert session.act("train_on", [name]), session.error
    training = session.room.enter(run)
    bench.until(lambda: training.is_dirty)
    session.room.delete(run, session.shelf)
    looks: list[bool] = []
    session.certificates.listeners.append(lambda: looks.append(True))
    going = session.certificates.circles["me"]
    bench.until(lambda: len(looks) > 2 or not going.is_going_on)
    assert not going.is_going_on
    assert "deleted" in session.view()["circle"]["said"]
    going._end("cannot read /home/ann/kept/items/q-4x3-abcd/checkpoint.npz: Permission denied")
    assert session.view()["circle"]["said"] == "cannot read q-4x3-abcd: Permission denied"


def test_the_oldest_make_room(bench: TestBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 1)
    session = page(bench, Certificates())
    walked(session, "minimax:depth=1")
    name = walked(session, "perfect")
    assert {path.stem for path in Path("runs/web/certificates").iterdir()} == {name}
