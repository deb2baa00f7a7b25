"""`Laboratory`: what all pages of one running server share."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from fourlab.core.storage import StorageError
from fourlab.web.certificates import Certificates
from fourlab.web.events import Events
from fourlab.web.keep.bounds import default_folder
from fourlab.web.keep.findings import Findings
from fourlab.web.keep.store import Keep
from fourlab.web.limits import MOST_PAGES, RERUNS, Doorkeeper, offer_runs
from fourlab.web.runs.room import Room
from fourlab.web.sessions.home_story import Stories
from fourlab.web.studies.library import Library
from fourlab.web.studies.reruns import Reruns
from fourlab.web.warm import Warming
from fourlab.web.words import name_runs
from fourlab.web.workbench import Workbench

TICK_SECONDS = 2.0


class Laboratory:
    """The threads and the door of one server, from its start to its end."""

    def __init__(
        self, threads: int = 0, pages_each: int = MOST_PAGES, keep: Path | None = None
    ) -> None:
        self.threads = threads
        self.keep = Keep((keep or default_folder()).absolute())  # what names it is told from
        self.door = Doorkeeper(pages_each)
        self.warming = Warming()
        self.library = Library(RERUNS)
        self.stories = Stories(self.keep)
        self.events = Events(self.keep)
        self.findings = Findings(self.keep.root / "findings.json")
        self.certificates = Certificates()
        self._bench: Workbench | None = None
        self._reruns: Reruns | None = None
        self._room: Room | None = None

    @property
    def bench(self) -> Workbench:
        """The workbench; there is one while the server runs."""
        if self._bench is None:
            raise RuntimeError("the laboratory is not open")
        return self._bench

    @property
    def reruns(self) -> Reruns:
        """The quick reruns of studies."""
        if self._reruns is None:
            raise RuntimeError("the laboratory is not open")
        return self._reruns

    @property
    def room(self) -> Room:
        """The runs at work."""
        if self._room is None:
            raise RuntimeError("the laboratory is not open")
        return self._room

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start the threads; sessions live on this loop."""
        self.warming.start()
        self._bench = Workbench(
            loop.call_soon_threadsafe, loop.call_later, self.threads, self.warming
        )
        self._reruns = Reruns(self._bench, self.library, self.threads)
        self._room = Room(self._bench, self.keep)
        offer_runs(self._room.player)
        name_runs(self._room.title)
        self._tick()

    def _tick(self) -> None:
        """Once in a while see to what is kept."""
        if self._room is not None:
            self._room.tick()
            self.keep.sweep()
            self._save_findings()
            self.bench.after(TICK_SECONDS, self._tick)

    def _save_findings(self) -> None:
        with suppress(StorageError):
            self.keep.check()
            self.findings.save()

    def close(self) -> None:
        """Stop them."""
        self.room.close()
        self._save_findings()
        self.warming.close()
        self.reruns.close()
        self.bench.close()
        self._bench = self._reruns = self._room = None
