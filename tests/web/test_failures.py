"""Work that cannot be done is said on the page, and the page can be used again."""

import asyncio
import contextlib
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from fourlab.core.storage import StorageError
from fourlab.rules.position import Position
from fourlab.web import events
from fourlab.web.api import think
from fourlab.web.keep.shelf import Shelf
from fourlab.web.keep.store import Keep
from fourlab.web.laboratory import Laboratory
from fourlab.web.runs import room as room_module
from fourlab.web.runs.kept import KeptTraining
from fourlab.web.runs.room import Room
from fourlab.web.sessions.arena import ArenaSession
from fourlab.web.sessions.learn import LearnSession
from fourlab.web.sessions.play import PlaySession
from fourlab.web.workbench import FAULT, TRAINING, BusyError, Job
from web.bench import PATIENCE, TestBench, on_a_loop, opened


def fail(*_: object, **__: object) -> NoReturn:
    raise StorageError("cannot write runs: No space left on device")


def learner(bench: TestBench, folder: Path) -> LearnSession:
    room = Room(bench, Keep(folder))
    query = {"game": "tictactoe"}
    return LearnSession(bench, query, shelf=Shelf(room.keep, "ann"), room=room)


def test_of_work_that_was_called_off_nothing_is_said_to_a_server_that_has_ended() -> None:
    job = Job(fail)  # as an event loop that is closed
    job.cancel()
    job.report(fail)


def test_a_full_disk_is_told_and_the_learner_goes_on(
    bench: TestBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = learner(bench, tmp_path)
    opened(session)
    monkeypatch.setattr(KeptTraining, "write", fail)
    assert session.act("run", [])
    bench.until(lambda: session.training.done > 0)
    assert session.act("run", [])  # pauses, and saves
    bench.until(lambda: session.failure)
    assert session.act("find", [""])  # as the page does by itself when a learner pauses
    assert "No space left" in session.failure
    monkeypatch.undo()
    done = session.training.done
    assert session.act("run", [])
    bench.until(lambda: session.training.done > done)
    assert session.act("run", [])
    bench.until(lambda: not session.training.busy and not session.failure)


def test_a_run_goes_on_where_it_can_leave_no_sign_of_life(bench: TestBench, tmp_path: Path) -> None:
    keep = Keep(tmp_path)
    shelf, room = Shelf(keep, "ann"), Room(bench, keep)
    query = {"game": "tictactoe", "opponent": "random"}
    session = LearnSession(bench, query, shelf=shelf, room=room)
    session.open()
    assert session.act("run", [])
    assert session.kept is not None
    alive = session.kept.folder / "alive"
    bench.until(alive.exists)
    alive.unlink()
    alive.symlink_to("nowhere/alive")
    session.kept._alive_at = 0.0
    done = session.training.done
    bench.until(lambda: session.training.done > done + 10_000)
    assert session.act("run", [])


def test_a_full_disk_keeps_no_run_from_pausing_nor_the_server_from_its_other_work(
    bench: TestBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = learner(bench, tmp_path)
    opened(session)
    assert session.act("run", [])
    bench.until(lambda: session.training.done > 0)
    monkeypatch.setattr(Keep, "put", fail)
    monkeypatch.setattr(room_module, "ALONE_SECONDS", -1.0)
    session.away()
    session.room.tick()
    assert not session.training.running
    bench.until(lambda: not session.training.busy)
    assert "No space left" in session.failure


def test_a_full_disk_does_not_keep_the_server_from_its_end(
    bench: TestBench,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    session = learner(bench, tmp_path)
    opened(session)
    assert session.act("run", [])
    bench.until(lambda: session.training.done > 0)
    monkeypatch.setattr(KeptTraining, "write", fail)
    session.room.close()
    [record] = caplog.records
    assert "No space left" in record.message
    assert record.exc_info is None


def test_nothing_begins_on_a_workbench_that_is_closed() -> None:
    bench, done = TestBench(), list[str]()
    bench.after(0.0, lambda: done.append("after"))
    bench.close()
    assert bench.start(lambda job: done.append("job")).cancelled()
    bench.posts.get(timeout=PATIENCE)()
    assert not done


def test_records_that_cannot_be_written_stop_an_arena(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = ArenaSession(bench, {"agents": "random;baseline", "games": "4"})
    opened(session)
    monkeypatch.setattr(events, "Records", fail)
    assert session.act("run", [])
    bench.until(lambda: session.failure)
    assert not session.running


def test_a_fault_of_an_opponent_is_told_and_a_new_game_begins(
    bench: TestBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = PlaySession(bench, {"game": "tictactoe"})
    opened(session)
    opponent = session.agents[1]
    assert opponent is not None

    def confused(position: Position, rng: object) -> NoReturn:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(opponent, "decide", confused)
        assert session.act("play", [0, 4])
        bench.until(lambda: session.failure)
    assert session.failure == FAULT
    assert "thinking" not in session.view()["status"]["title"]
    assert session.act("new", [])
    assert session.act("play", [0, 4])
    bench.until(lambda: session.line.length == 2)


def test_a_busy_laboratory_says_so(bench: TestBench, tmp_path: Path) -> None:
    session = learner(bench, tmp_path)
    gate, begun = threading.Event(), threading.Barrier(3)

    def hold(job: Job) -> None:
        begun.wait(PATIENCE)
        gate.wait(PATIENCE)

    jobs = [bench.start(hold, TRAINING) for _ in range(2)]
    begun.wait(PATIENCE)  # both threads are held: none takes anything out of the line any more
    with contextlib.suppress(BusyError):
        while True:
            jobs.append(bench.start(lambda job: None, TRAINING))
    opened(session)
    session.act("step", ["game"])
    assert "busy" in session.failure
    for job in jobs:
        job.cancel()
    gate.set()
    session.act("step", ["game"])
    bench.until(lambda: session.training.sample)


def test_whoever_asks_the_api_hears_of_a_fault() -> None:
    def confused(job: Job) -> NoReturn:
        raise ZeroDivisionError

    async def waits() -> bool:
        return False

    async def ask() -> None:
        laboratory = Laboratory()
        laboratory.open(asyncio.get_running_loop())
        state = SimpleNamespace(laboratory=laboratory)
        request: Any = SimpleNamespace(app=SimpleNamespace(state=state), is_disconnected=waits)
        with pytest.raises(ZeroDivisionError):
            await asyncio.wait_for(think(request, confused), PATIENCE)
        laboratory.close()

    on_a_loop(ask())
