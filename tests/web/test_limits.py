"""Who is let in, how many, and what the workbench takes on."""

import asyncio
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nicegui import Client
from nicegui.page import page

from fourlab.agents.registry import agent as find_agent
from fourlab.core.errors import FourlabError, SpecError
from fourlab.rules.catalog import game
from fourlab.web.app import create_app
from fourlab.web.frame import show
from fourlab.web.laboratory import Laboratory
from fourlab.web.limits import MOST_PAGES, Doorkeeper, Guest, read_agent
from fourlab.web.pages import page_of
from fourlab.web.sessions.play import PlaySession
from fourlab.web.workbench import MOST_WAITING, MOVES, BusyError, Job
from nets import random_network
from web.bench import THREADS, TestBench, on_a_loop


def test_pages_are_counted_by_address_and_in_all() -> None:
    door = Doorkeeper(each=3)
    guests = [arrived(door, "one") for _ in range(3)]
    with pytest.raises(FourlabError, match="3 pages are open from here"):
        door.enter("one", forbidden)
    door.leave(guests[0])
    arrived(door, "one")
    wide = Doorkeeper(each=MOST_PAGES)
    for number in range(MOST_PAGES):
        arrived(wide, str(number))
    with pytest.raises(FourlabError, match="too many pages"):
        wide.enter("another", forbidden)


def arrived(door: Doorkeeper, address: str) -> Guest:
    """Let in a page with which a browser has connected."""
    guest = door.enter(address, forbidden)
    guest.arrive()
    return guest


def forbidden() -> None:
    raise AssertionError("a page that somebody sees was put out")


@pytest.mark.parametrize("each", [2, MOST_PAGES])
def test_pages_that_nobody_connects_with_keep_nobody_out(each: int) -> None:
    door, gone = Doorkeeper(each), list[int]()
    arrived(door, "one")
    for number in range(each + 2):  # whoever only asks for pages
        door.enter("one", lambda number=number: gone.append(number))
    assert gone == [0, 1, 2]
    for _ in range(each - 1):
        arrived(door, "one")
    assert gone == list(range(each + 2))
    with pytest.raises(FourlabError):
        door.enter("one", forbidden)


@pytest.mark.parametrize("connects", [True, False])
def test_a_page_too_many_is_refused_until_another_is_left_or_where_nobody_connected(
    connects: bool,
) -> None:
    async def visit() -> None:
        laboratory = Laboratory(pages_each=2)
        laboratory.open(asyncio.get_running_loop())
        request: Any = SimpleNamespace(client=SimpleNamespace(host="here"), query_params={})

        def code() -> int:
            """Open a page; return its status."""
            with Client(page("/play"), request=None) as client:
                bench = laboratory.bench
                show(laboratory, request, page_of("play"), lambda query: PlaySession(bench, query))
            for handler in client.connect_handlers if connects else []:
                client.safe_invoke(handler)
            opened.append(client)
            return client.status_code

        opened: list[Client] = []
        if connects:
            assert [code() for _ in range(4)] == [200, 200, 503, 503]
            opened.pop(0).delete()
            assert [code() for _ in range(2)] == [200, 503]
        else:
            assert [code() for _ in range(4)] == [200] * 4
            assert [client.is_deleted for client in opened] == [True, True, False, False]
        for client in opened:
            if not client.is_deleted:
                client.delete()
        laboratory.close()

    on_a_loop(visit())


def test_too_much_work_is_refused_and_taken_again_once_there_is_room(bench: TestBench) -> None:
    gate = threading.Event()
    jobs = fill(bench, gate)
    with pytest.raises(BusyError, match="busy"):
        bench.start(lambda job: None)
    moved = threading.Event()
    bench.start(lambda job: moved.set(), MOVES)  # of another kind
    assert moved.wait(60)
    gate.set()
    done = threading.Event()
    while True:  # as soon as one has ended there is room for another
        try:
            bench.start(lambda job: done.set())
            break
        except BusyError:
            continue
    assert done.wait(60)
    assert len(jobs) >= MOST_WAITING


def fill(bench: TestBench, gate: threading.Event) -> list[Job]:
    """Start jobs that wait for a gate, on every thread of a kind and in the line behind them."""
    begun = threading.Semaphore(0)

    def wait(job: Job) -> None:
        begun.release()
        gate.wait(60)

    jobs = [bench.start(wait) for _ in range(THREADS)]
    assert all(begun.acquire(timeout=60) for _ in jobs)
    return jobs + [bench.start(wait) for _ in range(MOST_WAITING)]


def test_what_was_called_off_while_it_waited_keeps_nobody_out(bench: TestBench) -> None:
    gate, done = threading.Event(), threading.Event()
    jobs = fill(bench, gate)
    for job in jobs:
        job.cancel()
    for _ in range(2 * MOST_WAITING):
        bench.start(lambda job: None).cancel()
    bench.start(lambda job: done.set())
    gate.set()
    assert done.wait(60)


def test_nothing_is_heard_of_a_job_that_was_called_off(bench: TestBench) -> None:
    heard: list[str] = []
    reached, go_on = threading.Event(), threading.Event()

    def work(job: Job) -> None:
        reached.set()
        go_on.wait(60)
        job.report(heard.append, "late")

    job = bench.start(work)
    assert reached.wait(60)
    job.cancel()
    go_on.set()
    bench.start(lambda job: job.report(heard.append, "next"))
    bench.until(lambda: "next" in heard)
    assert heard == ["next"]


def test_a_fault_in_one_job_leaves_the_thread_to_the_others(bench: TestBench) -> None:
    heard: list[int] = []
    for _ in range(8):
        bench.start(lambda job: 1 / 0 and None)  # type: ignore[arg-type, return-value]
    bench.start(lambda job: job.report(heard.append, 1))
    bench.until(lambda: heard)


def test_an_application_can_be_made_twice(tmp_path: Path) -> None:
    assert create_app(keep=tmp_path) is not create_app(keep=tmp_path)


def test_visitors_name_networks_of_the_runs_folder_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rules = game("connect:columns=4,rows=4,k=3")
    network = random_network(rules)
    network.save(tmp_path / "runs" / "mine" / "checkpoint.safetensors")
    network.save(tmp_path / "elsewhere.safetensors")
    assert read_agent("zero:runs/mine,sims=50", rules).spec == "zero:runs/mine,sims=50"
    for spec in ("net:elsewhere.safetensors", f"zero:{tmp_path}", "net:runs/../elsewhere"):
        with pytest.raises(SpecError, match=r"is not in the folder runs"):
            read_agent(spec, rules)
    with pytest.raises(SpecError, match=r"sims=20000 is too much for the web"):
        read_agent("zero:runs/mine,sims=20000", rules)
    with pytest.raises(SpecError, match=r"plies=4 is too much for the web"):
        read_agent("net:runs/mine,plies=4", rules)
    with pytest.raises(SpecError, match=r"no network of connect:.* comes with fourlab"):
        read_agent("net", rules)


@pytest.mark.parametrize("text", ["minimax", "minimax:eval=none", "flat", "baseline"])
@pytest.mark.parametrize("board", ["connect4", "tictactoe"])
def test_who_needs_no_limit_plays_as_in_the_terminal(text: str, board: str) -> None:
    assert read_agent(text, game(board)).spec == find_agent(text, board).spec


def test_who_looks_far_ahead_is_given_a_limit() -> None:
    assert read_agent("minimax:depth=7", game("connect4")).spec == "minimax:depth=7,time=5"
    assert read_agent("minimax:time=2", game("connect4")).spec == "minimax:time=2"


def test_a_network_that_ships_goes_by_its_name_for_its_board_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_agent("net:taught", game("connect4")).spec == "net:taught"
    for spec, board in (("net:taught", "tictactoe"), ("q:taught", "connect4")):
        with pytest.raises(SpecError, match=r"is not in the folder runs"):
            read_agent(spec, game(board))
    (tmp_path / "taught").mkdir()
    with pytest.raises(SpecError, match=r"is not in the folder runs"):
        read_agent("net:taught", game("connect4"))
