"""Arena: agents against each other, and what the games prove."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from fourlab.arena.events import Event
from fourlab.core.errors import FourlabError
from fourlab.core.limit import CalledOffError
from fourlab.rules.catalog import game as find_game
from fourlab.web.events import Events, LiveEvent, check_time, measure
from fourlab.web.keep.shelf import Shelf
from fourlab.web.limits import read_game
from fourlab.web.sessions.arena_games import PAGE, PairGames, games_between
from fourlab.web.sessions.arena_players import check_total, own_runs
from fourlab.web.sessions.arena_setting import MOST_GAMES, ArenaSetting
from fourlab.web.sessions.arena_view import arena_view, title_of
from fourlab.web.sessions.base import View, number, whole
from fourlab.web.workbench import ARENA, Job


class ArenaSession(ArenaSetting):
    """An event: its setting, and once it has begun the one at the server."""

    actions = frozenset(
        {"add", "remove", "replace", "game", "games", "seed", "begins", "run", "between", "dismiss"}
    )
    kept_kind = "event"

    def __init__(
        self,
        bench: Any,
        query: Mapping[str, str],
        shelf: Shelf | None = None,
        events: Events | None = None,
    ) -> None:
        super().__init__(bench, shelf)
        self.events = events or Events()
        self.event: LiveEvent | None = None
        self.pair: PairGames | None = None  # whose games are shown
        self.measured: float | None = None
        self.measuring: tuple[int, int] | None = None  # pairs, and of how many
        if shelf is not None and "event" in query:
            self._open_event(self.events.of(bench, query["event"], shelf))
        else:
            self._read(query)
        self.runs = own_runs(self.rules)

    def _open_event(self, event: LiveEvent) -> None:
        setting = event.settings
        self.rules = find_game(setting["game"])
        self.players = list(setting["agents"])
        self.per_pair, self.number, self.plies = (setting[n] for n in ("games", "seed", "plies"))
        self._follow(event)

    # What is so

    @property
    def running(self) -> bool:
        """Whether games are being played."""
        return self.event is not None and self.event.running

    @property
    def report(self) -> dict[str, Any] | None:
        """The standing, None before the first game."""
        return None if self.event is None else self.event.report

    @property
    def now(self) -> dict[str, Any] | None:
        """The game that is going on."""
        return None if self.event is None else self.event.now

    @property
    def began(self) -> tuple[float, int] | None:
        """When the event was begun, and with how many games."""
        return None if self.event is None else self.event.began

    @property
    def estimate(self) -> float | None:
        """How many seconds all games will take, None while that is measured."""
        known = None if self.event is None else self.event.estimate
        return self.measured if known is None else known

    @property
    def is_owner(self) -> bool:
        """Whether this visitor may stop the event and go on with it."""
        if self.event is None or self.shelf is None:
            return True
        return self.events.is_of(self.event, self.shelf)

    @property
    def url(self) -> str:
        """The address of this event, or of its setting."""
        if self.event is not None and self.event.item:
            return f"/event/{self.event.item}"
        return self.address

    def view(self) -> View:
        return arena_view(self)

    # What a visitor does

    def add(self, spec: str) -> None:
        """Let another agent take part."""
        self._set(players=self._players([*self.players, spec.strip()]))

    def remove(self, index: int) -> None:
        """Leave an agent out."""
        whole(index, 0, len(self.players) - 1, "player")
        left = [spec for at, spec in enumerate(self.players) if at != index]
        self._set(players=self._players(left))

    def replace(self, index: int, spec: str) -> None:
        """Put another agent in one's place."""
        whole(index, 0, len(self.players) - 1, "player")
        players = [spec if at == index else old for at, old in enumerate(self.players)]
        self._set(players=self._players(players))

    def game(self, spec: str) -> None:
        """Play another game."""
        rules = read_game(spec)
        self._set(rules=rules, players=self._players(self.players, rules), plies=None)
        self.runs = own_runs(rules)

    def games(self, text: str) -> None:
        """Play another number of games for each pair: an even one, each opening twice."""
        wanted = number(text, 2, MOST_GAMES, "games")
        self._set(per_pair=wanted + wanted % 2, was_odd=bool(wanted % 2))

    def seed(self, text: str) -> None:
        """Play other games."""
        self._set(number=number(text, 0, 2**31, "seed"))

    def begins(self, text: str) -> None:
        """Begin games on the empty board, or after random plies."""
        self._set(plies=number(text, 0, self.rules.cells - 1, "plies"))

    def run(self) -> None:
        """Start or go on; or stop and keep what was played."""
        if not self.is_owner:
            raise FourlabError("only the browser that began this event can stop it or go on")
        if self.event is not None and self.event.running:
            self.event.stop()
            return
        if self.estimate is not None:
            check_time(self.estimate)
        self.stop("estimate")
        if self.event is not None:
            self.events.run(self.event, self.estimate, self.shelf)
            return
        make = self._event()
        self.start("begin", lambda job: job.report(self._begin, make()))

    def between(self, row: int, column: int, page: int = 0) -> None:
        """Show the games of two players, a page of them; those that are shown go."""
        for index in (row, column):
            whole(index, 0, len(self.players) - 1, "player")
        whole(page, 0, self.per_pair // PAGE, "page")
        if self.event is None or row == column:
            raise FourlabError("these two have no games yet")
        same = self.pair is not None and (row, column, page) == self.pair.place
        self.pair = None if same else PairGames(row, column, page)
        self._read_games()

    def _read_games(self) -> None:
        """Read the games of the pair that is shown."""
        pair, event = self.pair, self.event
        if pair is None or event is None:
            return
        players = (self.players[pair.row], self.players[pair.column])

        def work(job: Job) -> None:
            job.report(show, games_between(event, *players, pair.page))

        def show(games: list[dict[str, Any]]) -> None:
            pair.games = games
            self.changed()

        self.start("games", work)

    def dismiss(self) -> None:
        """Take the notice away."""
        self.notice = ""

    # What follows from it

    def _begin(self, event: Event) -> None:
        """Keep an event that was just made, and play it."""
        try:
            if self.shelf is None:
                begun = LiveEvent(self.bench, event.to_json(), None, "")
            else:
                begun = self.events.begin(self.bench, event, self.shelf, title_of(self))
            self._follow(begun)
            begun.run(self.estimate)
        except FourlabError as error:
            self.error = {"field": "run", "text": str(error)}
        self.changed()

    def _follow(self, event: LiveEvent | None) -> None:
        """Show an event from now on, or none."""
        if self.event is not None and self._heard in self.event.listeners:
            self.event.listeners.remove(self._heard)
        self.event, self.pair = event, None
        if event is not None and self.is_open:
            event.listeners.append(self._heard)

    def _heard(self) -> None:
        assert self.event is not None  # noqa: S101  # only a followed one is heard
        self.failure = self.event.failure
        if self.failure and "would take" in self.failure:
            self.error, self.failure = {"field": "run", "text": self.failure}, ""
        if self.pair is not None and self.pair.games is not None and len(self.pair.games) < PAGE:
            self._read_games()
        self.changed()

    def _set(self, **changes: Any) -> None:
        if self.running:
            raise FourlabError("stop the event first; its setting stays as it is")
        wanted = {"players": self.players, "per_pair": self.per_pair, **changes}
        check_total(len(wanted["players"]), wanted["per_pair"])
        for name, value in {"was_odd": False, **changes}.items():
            setattr(self, name, value)
        self.stop("estimate")
        self.stop("begin")
        self.measured = None
        self._follow(None)
        self.refresh()

    def open(self) -> None:
        if self.event is not None and self._heard not in self.event.listeners:
            self.event.listeners.append(self._heard)
            self.failure = self.event.failure  # it may have been found before somebody connected
        super().open()

    def close(self) -> None:
        if self.event is not None and self._heard in self.event.listeners:
            self.event.listeners.remove(self._heard)
        super().close()

    def refresh(self) -> None:
        if self.is_open and self.estimate is None and self.event is None:
            try:
                make = self._event()
            except FourlabError as error:  # a player is gone
                self.failure = str(error)
                return

            def work(job: Job) -> None:
                with contextlib.suppress(CalledOffError):
                    job.report(self._estimated, measure(job, make(), self._measures))

            self.start("estimate", work, ARENA, needs="arena@any")

    def _measures(self, pairs: int, of: int) -> None:
        self.measuring = (pairs, of)
        self.changed()

    def _estimated(self, seconds: float) -> None:
        self.measured = seconds
        self.changed()
