"""Runs belong to the server: whoever looks sees the same, and what was learned stays."""

import gc
import shutil
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fourlab.learning.registry import learner
from fourlab.learning.runs import Run, RunConfig
from fourlab.web.keep.bounds import UNDO_SECONDS
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import FullError, Keep, NotYoursError
from fourlab.web.runs import kept as kept_module
from fourlab.web.runs import room as room_module
from fourlab.web.runs.kept import KeptTraining, lost_words, until_saved
from fourlab.web.runs.room import ALONE_SECONDS, IDLE_SECONDS, Room
from fourlab.web.sessions import learn as learn_module
from fourlab.web.sessions.learn import LearnSession
from web.bench import TestBench


class House:
    """A laboratory without pages: it can be killed and started again."""

    def __init__(self, folder: Path, bench: TestBench) -> None:
        self.folder, self.bench, self.now = folder, bench, 0.0
        self.start()

    def start(self) -> None:
        self.keep = Keep(self.folder)
        self.room = Room(self.bench, self.keep, lambda: self.now)

    def kill(self) -> None:
        """End as after kill -9: nothing is written, and what is at work is heard of no more."""
        for seat in self.room._seats.values():
            seat.training.close()
            with seat.training.lock:
                seat.training.learner = None
        self.start()

    def visit(self, who: str = "ann", **query: str) -> LearnSession:
        board = {"game": "tictactoe", "opponent": "random", "seed": "3"}
        address = query or board
        made = LearnSession(self.bench, address, shelf=Shelf(self.keep, who), room=self.room)
        made.open()
        return made

    def run(self, until: int = 3000) -> LearnSession:
        """Return a visit to a run that has learned from some games and is paused."""
        session = self.visit()
        assert session.act("speed", [1e9])
        assert session.act("run", [])
        self.bench.until(lambda: session.training.done > until)
        assert session.act("run", [])
        self.settle(session)
        return session

    def settle(self, session: LearnSession) -> None:
        kept = session.kept
        assert kept is not None
        self.bench.until(lambda: not kept.busy and not kept._wishes and not kept.is_dirty)


@pytest.fixture
def house(tmp_path: Path, bench: TestBench) -> House:
    return House(tmp_path / "kept", bench)


def test_the_first_thing_done_to_a_draft_makes_it_a_run_with_an_address(house: House) -> None:
    session = house.visit()
    assert session.url.startswith("/learn?")
    assert house.keep.items() == []
    assert session.act("tune", ["epsilon", "0.35"])
    assert house.keep.items() == []
    assert session.act("run", [])
    [item] = house.keep.items("run", "ann")
    assert session.url == f"/run/{item.name}"
    assert item.body["query"]["epsilon"] == "0.35"
    assert session.view()["run"]["state"] == "running"


def test_a_step_of_a_draft_that_is_at_work_is_a_step_of_the_game_that_is_shown(
    house: House,
) -> None:
    session = house.visit()
    house.bench.until(lambda: session.training.sample)
    sample, draft = session.training.sample, session.training
    assert sample is not None
    draft.busy = True  # as while it is tested or asked
    assert session.act("step", ["move"])
    assert session.training.sample is sample
    assert session.training.frame == 1
    house.settle(session)
    assert session.training.learner is not draft.learner
    assert session.training.done == sample.number


def test_two_tabs_see_the_same_and_what_one_does_the_other_shows(house: House) -> None:
    one = house.run()
    assert one.kept is not None
    other = house.visit("bob", run=one.kept.name)
    assert other.training is one.training
    told: list[str] = []
    other.changed = lambda: told.append("changed")
    assert one.act("tune", ["alpha", "0.3"])
    assert told
    mine, theirs = one.view(), other.view()
    differs = {key for key in mine if mine[key] != theirs[key]}
    assert differs <= {"run", "others"}
    assert mine["run"]["own"]
    assert not theirs["run"]["own"]
    assert mine["run"]["watchers"] == 2
    other.away()
    assert one.view()["run"]["watchers"] == 1
    other.open()
    assert one.view()["run"]["watchers"] == 2
    other.close()
    assert one.view()["run"]["watchers"] == 1


def test_a_draft_waits_for_a_visitor_whose_connection_is_lost(house: House) -> None:
    session = house.visit()
    house.bench.until(lambda: session.training.sample is not None)
    session.away()
    assert session.training.is_open
    session.open()
    assert session.act("step", ["move"])
    session.close()


def test_a_run_goes_on_when_nobody_looks_then_pauses_and_leaves_the_memory(house: House) -> None:
    session = house.visit()
    session.act("speed", [1e9])
    session.act("run", [])
    kept = session.kept
    assert kept is not None
    session.close()
    before = kept.done
    house.bench.until(lambda: kept.done > before + 2000)
    house.now += ALONE_SECONDS - 60
    house.room.tick()
    assert kept.running
    house.now += 120
    house.room.tick()
    assert not kept.running
    assert kept.why == "nobody looked for 30 minutes"
    house.settle(session)
    house.now += IDLE_SECONDS + 1
    house.room.tick()
    assert house.room._seats == {}
    again = house.visit(run=kept.name)
    house.bench.until(lambda: again.training.learner)
    assert again.training.done == kept.done
    assert again.training.learner is not kept.learner
    assert again.view()["wins"] == session.view()["wins"]


@pytest.mark.parametrize(
    ("done", "seen"), [(("tune", "epsilon", "0.35"), 0.35), (("speed", 40.0), 40.0)]
)
def test_what_is_set_while_a_run_is_paused_stays_set(
    house: House, done: tuple[str, *tuple[object, ...]], seen: object
) -> None:
    session = house.run()
    assert session.kept is not None
    assert session.act(done[0], list(done[1:]))
    house.settle(session)
    session.close()
    house.now += IDLE_SECONDS + 1
    house.room.tick()
    assert house.room._seats == {}
    view = house.visit(run=session.kept.name).view()
    dials = {dial["name"]: dial["value"] for dial in view["dials"]}
    assert seen in (view["pace"], dials["epsilon"])


def left(house: House, begun: str) -> weakref.ref[object]:
    """Return what was learned, of a visit that is over."""
    session = getattr(house, begun)()
    house.bench.until(lambda: session.training.learner)
    table = weakref.ref(session.training.learner.knowledge.values.table.keys)
    session.close()
    return table


@pytest.mark.parametrize("begun", ["visit", "run"])
def test_the_memory_of_what_a_visitor_has_left_is_free_again(house: House, begun: str) -> None:
    """Of a draft at once, of a run that is paused and kept soon after.

    Nobody waits for the collector, which comes rarely to a server that has loaded much.
    """
    gc.collect()
    gc.disable()
    try:
        assert memory_of_what_was_left(house, begun) is None
    finally:
        gc.enable()


def memory_of_what_was_left(house: House, begun: str) -> object:
    """The table of a learner after its visitor has left, None if it is free."""
    table = left(house, begun)
    house.bench.close()
    for pool in house.bench._pools.values():
        pool.shutdown()  # whoever is at work holds what it works with
    while not house.bench.posts.empty():
        house.bench.posts.get()()
    house.now += IDLE_SECONDS + 1
    house.room.tick()
    return table()


def test_a_killed_server_goes_on_from_the_last_save_and_says_what_is_lost(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = house.run()
    kept = session.kept
    assert kept is not None
    saved, curve = kept.done, session.view()["wins"]
    monkeypatch.setattr(kept_module, "SAVE_SECONDS", 1e9)
    kept._save_due = 1e18
    session.act("run", [])
    house.bench.until(lambda: kept.done > saved + 2000)
    kept._alive_at = 0.0
    kept.worked()
    house.kill()
    again = house.visit(run=kept.name)
    assert not again.training.running
    assert again.kept is not None
    assert again.kept.why.startswith("restart, ")
    assert again.kept.why.endswith(" s lost")
    assert "Nothing was lost" not in again.view()["regained"]
    house.bench.until(lambda: again.training.learner)
    assert again.training.done == saved  # looking plays nothing
    assert again.view()["wins"] == curve
    assert again.act("run", [])
    house.bench.until(lambda: again.training.done > saved + 1000)


def test_a_run_killed_before_it_was_saved_begins_anew_and_says_so(house: House) -> None:
    session = house.visit()
    session.act("run", [])
    kept = session.kept
    assert kept is not None
    kept._save_due = 1e18
    house.bench.until(lambda: kept.done > 1000)
    house.kill()
    again = house.visit(run=kept.name)
    assert again.kept is not None
    assert 0 < again.kept.lost < 600
    house.bench.until(lambda: again.training.learner)
    assert again.training.done <= 1
    assert again.view()["run"]["saved"] is None


def test_a_paused_run_loses_nothing_by_a_kill_and_says_so(house: House) -> None:
    session = house.run()
    house.kill()
    assert session.kept is not None
    again = house.visit(run=session.kept.name)
    house.bench.until(lambda: again.training.learner)
    assert again.training.done == session.kept.done
    assert again.view()["regained"] == "Nothing was lost."


def test_a_run_killed_between_its_pause_and_its_save_says_what_is_lost(house: House) -> None:
    session = house.run()
    kept = session.kept
    assert kept is not None
    saved = kept.done
    kept._save_due = kept._alive_at = 1e18  # neither is due before the pause
    session.act("run", [])
    house.bench.until(lambda: kept.done > saved + 2000)
    session.act("run", [])
    house.kill()
    again = house.visit(run=kept.name)
    assert again.view()["regained"] == "The server was restarted: 1 s lost."


def test_a_step_of_a_paused_run_is_saved_too(house: House) -> None:
    session = house.run()
    before = session.training.done
    session.act("step", ["game"])
    session.act("step", ["game"])
    house.bench.until(lambda: session.training.done > before)
    house.settle(session)
    done = session.training.done
    house.kill()
    assert session.kept is not None
    again = house.visit(run=session.kept.name)
    house.bench.until(lambda: again.training.learner)
    assert again.training.done == done


def test_a_run_taken_up_again_learns_what_an_uninterrupted_one_learns(house: House) -> None:
    session = house.run(until=500)
    assert session.kept is not None
    house.kill()
    again = house.visit(run=session.kept.name)
    house.bench.until(lambda: again.training.learner)
    learner = again.training.learner
    assert learner is not None
    fresh = again.training.settings.kind(
        again.training.settings.rules, learner.config, learner.seed
    )
    fresh.advance(learner.done)
    start = fresh.rules.start()
    assert fresh.done == learner.done
    assert fresh.knowledge.move_values(start) == learner.knowledge.move_values(start)  # type: ignore[attr-defined]


def test_the_end_of_the_server_saves_what_runs(house: House) -> None:
    session = house.visit()
    session.act("speed", [1e9])
    session.act("run", [])
    house.bench.until(lambda: session.training.done > 2000)
    house.room.close()
    learner = session.training.learner
    assert learner is not None
    house.start()
    assert session.kept is not None
    again = house.visit(run=session.kept.name)
    assert again.view()["run"]["why"] == "the server was stopped"
    assert again.view()["regained"] == "Nothing was lost."
    house.bench.until(lambda: again.training.learner)
    assert again.training.done == learner.done


def test_a_damaged_checkpoint_is_told_and_breaks_nothing(house: House) -> None:
    session = house.run()
    kept = session.kept
    assert kept is not None
    path = kept.folder / "checkpoint.npz"
    path.write_bytes(path.read_bytes()[:-100])
    house.kill()
    again = house.visit(run=kept.name)
    house.bench.until(lambda: again.failure)
    assert "damaged" in again.failure
    assert again.view()["run"]["state"] == "failed"


@pytest.mark.parametrize(
    ("spec", "game", "seed"),
    [
        ("q", "connect:columns=4,rows=3,k=3", 3),
        ("afterstates", "tictactoe", 3),
        ("q", "tictactoe", 4),
    ],
)
def test_a_checkpoint_of_another_run_is_not_believed(
    house: House, spec: str, game: str, seed: int
) -> None:
    session = house.run()
    kept = session.kept
    assert kept is not None
    learner(spec, game, seed).save(kept.folder / "checkpoint.npz")
    house.kill()
    again = house.visit(run=kept.name)
    house.bench.until(lambda: again.failure or again.training.learner)
    assert f"is of {spec} on {game}, seed {seed}, not of q on tictactoe, seed 3" in again.failure


@pytest.mark.parametrize(
    ("options", "is_own"),
    [
        ({"alpha": 0.5, "epsilon": 0.3}, True),  # dials
        ({"side": "second"}, False),
        ({"opponent": "self"}, False),
        ({"games": 500}, False),
    ],
)
def test_a_checkpoint_of_other_options_is_not_believed_unless_they_are_dials(
    house: House, options: dict[str, Any], is_own: bool
) -> None:
    session = house.run()
    kept = session.kept
    assert kept is not None
    spec = RunConfig.load(kept.folder).learner
    learner(spec, "tictactoe", 3, **options).save(kept.folder / "checkpoint.npz")
    house.kill()
    again = house.visit(run=kept.name)
    house.bench.until(lambda: again.failure or again.training.learner)
    assert ("checkpoint.npz is of q:" in again.failure) is not is_own
    assert bool(again.failure) is not is_own


def test_what_is_deleted_comes_back_with_all_that_was_learned(house: House) -> None:
    session = house.run()
    kept = session.kept
    assert kept is not None
    with pytest.raises(NotYoursError):
        house.room.delete(kept.name, Shelf(house.keep, "bob"))
    session.act("run", [])
    house.bench.until(lambda: kept.done > 6000)
    house.room.delete(kept.name, Shelf(house.keep, "ann"))
    assert session.view()["run"]["gone"]
    assert not kept.folder.exists()
    house.room.restore(kept.name, Shelf(house.keep, "ann"))
    house.settle(session)
    done = kept.learner.done  # type: ignore[union-attr]  # with the last slice, which nobody waited for
    assert done > 6000
    house.kill()
    again = house.visit(run=kept.name)
    house.bench.until(lambda: again.training.learner)
    assert again.training.done == done


@pytest.mark.parametrize("is_over", [False, True])
def test_a_deleted_run_is_begun_by_nobody_until_it_is_brought_back(
    house: House, is_over: bool
) -> None:
    session = house.run()
    kept, shelf = session.kept, Shelf(house.keep, "ann")
    assert kept is not None
    done = kept.done
    house.room.delete(kept.name, shelf)
    if is_over:  # for Undo
        house.now += UNDO_SECONDS + 2
        house.room.tick()
    for action in ("run", "learn", "step", "test", "challenge", "speed", "tune", "fork", "rename"):
        args = {"learn": [10], "step": ["game"], "speed": [5], "tune": ["epsilon", "0.5"]}
        assert not session.act(action, args.get(action, ["x"] if action == "rename" else [])), (
            action
        )
        assert session.error is not None
        assert "this run was deleted" in session.error["text"]
    session.close()
    session.open()
    assert not kept.running
    assert not kept.busy
    assert kept.done == done
    assert (kept.learner is None) is is_over
    if not is_over:
        house.room.restore(kept.name, shelf)
        house.settle(session)
        assert session.act("run", [])
        assert house.room.running("ann") == 1


def test_a_run_that_left_the_memory_before_somebody_connected_is_taken_back_to_it(
    house: House,
) -> None:
    kept = house.run().kept
    assert kept is not None
    address = {"run": kept.name}
    house.room.leave(kept.watchers[0], kept)
    late = LearnSession(house.bench, address, shelf=Shelf(house.keep, "ann"), room=house.room)
    house.now += IDLE_SECONDS + 1
    house.room.tick()
    late.open()
    assert late.act("run", [])
    assert house.room.running("ann") == 1  # it can be paused and saved
    assert late.training is house.room.enter(kept.name)


def test_others_copy_a_run_into_one_of_their_own(house: House) -> None:
    session = house.run()
    assert session.kept is not None
    guest = house.visit("bob", run=session.kept.name)
    assert not guest.act("rename", ["mine"])
    assert guest.act("fork", [])
    house.bench.until(lambda: guest.training is not session.training)
    house.bench.until(lambda: guest.training.learner)
    assert guest.training.done == session.training.done
    assert guest.act("rename", ["mine"])
    assert guest.view()["run"]["title"] == "mine"
    assert guest.view()["wins"] == session.view()["wins"]


class Held:
    """The lock of a learner that is at work, for as long as anybody would wait."""

    def __init__(self, waited: Callable[[float], None]) -> None:
        self.waited = waited

    def acquire(self, timeout: float) -> bool:
        self.waited(timeout)
        return False

    def __enter__(self) -> None:
        raise AssertionError("all pages would wait for a learner")

    def __exit__(self, *_: object) -> None:
        pass


def test_a_run_is_deleted_whatever_its_learner_is_at(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = house.run().kept
    assert kept is not None
    monkeypatch.setattr(kept, "lock", Held(lambda seconds: None))
    house.room.delete(kept.name, Shelf(house.keep, "ann"))
    assert not kept.folder.exists()
    kept.write(kept.learner)  # type: ignore[arg-type]
    assert not kept.folder.exists()


def test_the_end_waits_for_all_learners_together_and_saves_those_that_stop(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainings: list[KeptTraining] = []
    for _ in range(3):
        session = house.run(500)
        assert session.act("run", [])
        house.bench.until(lambda session=session: session.training.done > 1000)
        trainings.append(session.kept)  # type: ignore[arg-type]

    def wait(seconds: float) -> None:
        assert all(one.halt.is_set() for one in trainings)
        with trainings[2].lock:  # meanwhile the one that is not stuck stops
            house.now += seconds

    began = house.now
    for stuck in trainings[:2]:
        monkeypatch.setattr(stuck, "lock", Held(wait))
    house.room.close()
    assert house.now - began <= room_module.LOCK_SECONDS
    assert house.keep.get(trainings[2].name).body["why"] == "the server was stopped"


def refuse(*_: object) -> None:
    raise FullError("full")


@pytest.mark.parametrize(
    ("where", "name"),
    [(Room, "enter"), (Keep, "add"), (learn_module, "write_run")],
)
def test_a_copy_that_cannot_be_made_stops_nobodys_run(
    house: House,
    monkeypatch: pytest.MonkeyPatch,
    where: object,
    name: str,
) -> None:
    session = house.visit()
    assert session.act("speed", [1e9])
    assert session.act("run", [])
    house.bench.until(lambda: session.training.done > 500)
    guest = house.visit("bob", run=session.kept.name)  # type: ignore[union-attr]
    with monkeypatch.context() as patch:
        patch.setattr(where, name, refuse)
        assert guest.act("fork", [])
        house.bench.until(lambda: guest.error)
    assert guest.view()["error"]["text"] == "full"
    done = session.training.done
    house.bench.until(lambda: session.training.done > done + 500)
    assert guest.act("fork", [])
    house.bench.until(lambda: guest.training is not session.training)


def test_a_copy_is_on_the_shelf_once_it_is_whole(house: House) -> None:
    session = house.run()
    shelf = Shelf(house.keep, "bob")
    guest = house.visit("bob", run=session.kept.name)  # type: ignore[union-attr]
    assert guest.act("fork", [])
    assert shelf.items("run") == []  # so that nobody can open, or delete, the half of it
    house.bench.until(lambda: guest.training is not session.training)
    [copy] = shelf.items("run")
    saved = Run.resume(house.keep.folder(copy.name))  # as commands read it
    assert saved.learner.done == session.training.done
    assert house.keep.space("bob") > 1000
    assert not list((house.folder / "deleted").glob("*"))


def test_a_copy_takes_space_as_anything_does(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    session = house.run()
    guest = house.visit("bob", run=session.kept.name)  # type: ignore[union-attr]
    monkeypatch.setattr(house.keep, "has_space", lambda owner: owner != "bob")
    assert not guest.act("fork", [])
    assert guest.error is not None
    assert "no space" in guest.error["text"]


def test_the_memory_holds_so_many_runs_and_no_more(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_module, "MOST_LIVE", 2)
    first, second = house.run(500), house.visit("bob")
    second.act("run", [])
    third = house.visit("cid")
    assert not third.act("run", [])
    assert third.error is not None
    assert "2 runs are at work" in third.error["text"]
    first.close()
    assert third.act("run", [])  # the first does nothing, and nobody looks
    assert len(house.room._seats) == 2


def test_no_space_pauses_and_says_so(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    session = house.run(500)
    kept = session.kept
    assert kept is not None
    monkeypatch.setattr(house.keep, "has_space", lambda owner: False)
    kept._save_due = 0.0
    session.act("run", [])
    house.bench.until(lambda: not kept.running)
    assert "no space" in session.view()["run"]["why"]


def test_a_run_is_not_saved_into_a_folder_that_took_the_place_of_its_own(house: House) -> None:
    session = house.run()
    kept = session.kept
    assert kept is not None
    moved = house.folder.rename(house.folder.with_name("moved"))
    shutil.copytree(moved, house.folder)
    path = house.folder / "items" / kept.name / "checkpoint.npz"
    before = path.read_bytes()
    assert session.act("step", ["game"])
    assert session.act("challenge", [])
    house.bench.until(lambda: kept.failure)
    assert "deleted, moved or replaced" in kept.failure
    assert path.read_bytes() == before


def test_learn_without_an_address_is_the_run_one_had_last(house: House) -> None:
    session = house.run(500)
    again = LearnSession(house.bench, {}, shelf=Shelf(house.keep, "ann"), room=house.room)
    assert again.training is session.training
    other = LearnSession(house.bench, {}, shelf=Shelf(house.keep, "bob"), room=house.room)
    assert not isinstance(other.training, KeptTraining)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.0, "nothing lost"), (0.2, "1 s lost"), (3.6, "4 s lost")]
)
def test_nothing_lost_is_said_only_if_so(seconds: float, words: str) -> None:
    assert lost_words(seconds) == words


@pytest.mark.parametrize("took", [0.0, 0.2, 1.0, 1.6])  # a full table of 64 MB takes 1.2
def test_a_kill_loses_ten_seconds_or_so_however_large_the_table(took: float) -> None:
    assert until_saved(took) + took < 10  # until the next save is written
    assert took / until_saved(took) <= 1 / 5  # of the time is all that saving may take


def test_ten_seconds_of_learning_end_by_themselves(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = house.visit()
    assert not session.act("learn", [10**9])
    assert session.act("learn", [1])
    kept: Callable[[], bool] = lambda: session.training.running  # noqa: E731
    assert kept()
    house.bench.until(lambda: not session.training.running)
    assert session.training.done > 1000
