"""Who is let in, how many, and what the workbench takes on."""

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from nicegui import Client
from nicegui.page import page

from fourlab.core.errors import FourlabError
from fourlab.web.app import create_app
from fourlab.web.frame import show
from fourlab.web.laboratory import Laboratory
from fourlab.web.limits import MOST_PAGES, Doorkeeper
from fourlab.web.pages import page_of
from fourlab.web.sessions.play import PlaySession
from fourlab.web.workbench import MOST_WAITING, BusyError, Job
from web.bench import TestBench, on_a_loop


def test_pages_are_counted_by_address_and_in_all() -> None:
    door = Doorkeeper(each=3)
    for _ in range(3):
        door.enter("one")
    with pytest.raises(FourlabError, match="3 pages are open from here"):
        door.enter("one")
    door.leave("one")
    door.enter("one")
    wide = Doorkeeper(each=MOST_PAGES)
    for number in range(MOST_PAGES):
        wide.enter(str(number))
    with pytest.raises(FourlabError, match="too many pages"):
        wide.enter("another")


def test_a_page_too_many_is_refused_until_another_is_left() -> None:
    async def visit() -> None:
        laboratory = Laboratory(pages_each=2)
        laboratory.open(asyncio.get_running_loop())
        request: Any = SimpleNamespace(client=SimpleNamespace(host="here"), query_params={})

        def code() -> int:
            """Open a page; return its status."""
            with Client(page("/play"), request=None) as client:
                bench = laboratory.bench
                show(laboratory, request, page_of("play"), lambda query: PlaySession(bench, query))
            opened.append(client)
            return client.status_code

        opened: list[Client] = []
        assert [code() for _ in range(4)] == [200, 200, 503, 503]
        opened.pop(0).delete()
        assert [code() for _ in range(2)] == [200, 503]
        for client in opened:
            client.delete()
        laboratory.close()

    on_a_loop(visit())


def test_too_much_work_is_refused_and_taken_again_once_there_is_room(bench: TestBench) -> None:
    gate = threading.Event()
    jobs = [bench.start(lambda job: gate.wait(60) and None) for _ in range(MOST_WAITING)]
    with pytest.raises(BusyError, match="busy"):
        bench.start(lambda job: None)
    gate.set()
    done = threading.Event()
    while True:  # as soon as one has ended there is room for another
        try:
            bench.start(lambda job: done.set())
            break
        except BusyError:
            continue
    assert done.wait(60)
    assert len(jobs) == MOST_WAITING


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


def test_an_application_can_be_made_twice() -> None:
    assert create_app() is not create_app()
