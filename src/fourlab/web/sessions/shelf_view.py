"""What the shelf shows."""

from __future__ import annotations

import datetime
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fourlab.core.errors import FourlabError
from fourlab.rules.catalog import game as find_game
from fourlab.rules.position import read_moves
from fourlab.web import words
from fourlab.web.keep.bounds import KINDS, WARNING_DAYS
from fourlab.web.keep.item import Item
from fourlab.web.runs.kept import SAVE_SECONDS
from fourlab.web.runs.room import ALONE_SECONDS, MOST_LIVE
from fourlab.web.runs.setup import HELD, OPPONENTS
from fourlab.web.sessions.play_view import game_view

if TYPE_CHECKING:
    from fourlab.web.sessions.shelf import ShelfSession

TITLES = {"run": "Runs", "game": "Games", "event": "Events", "space": "Space"}
MOST_MARKS = 40  # of a small curve
HUMAN = "human"
# States of events, in the words of runs.
STATES = {"stopped": "paused", "running": "running", "finished": "finished"}


def shelf_view(session: ShelfSession) -> dict[str, Any]:
    """Return everything that the page shows."""
    shelf = session.shelf
    games = shelf.items("game")
    return {
        "meters": [_meter(one) for one in shelf.keep.meters(shelf.owner) if one["kind"] in TITLES],
        "runs": [_run(session, item) for item in shelf.items("run")],
        "games": [_game(session, item) for item in games[: session.games_shown]],
        "gameCount": len(games),
        "events": [_event(session, item) for item in shelf.items("event")],
        "rules": _rules(),
        "problems": len(shelf.keep.problems),
        "deleted": session.deleted,
        "atWork": session.room.running(shelf.owner),
        "error": session.error,
        "announce": f"{session.deleted['title']} deleted; Undo for ten seconds"
        if session.deleted
        else "",
        "offline": "Actions wait for the connection.",
        "regained": "The shelf is as the server has it.",
        "url": "/shelf?games=all" if session.games_shown > len(games) > 5 else "/shelf",
    }


def _meter(meter: dict[str, Any]) -> dict[str, Any]:
    kind, used, most = meter["kind"], meter["used"], meter["most"]
    if kind == "space":
        used, most = round(used / 2**20), most >> 20
    unit = "MB" if kind == "space" else ""
    return {"title": TITLES[kind], "used": used, "most": most, "unit": unit}


def _run(session: ShelfSession, item: Item) -> dict[str, Any]:
    told = session.room.state(item)
    query = item.body.get("query", {})
    rules = find_game(query.get("game", "connect4"))
    board = {"game": query.get("game", "connect4")}
    against = query.get("opponent", "baseline")
    player = f"run:{item.name}"
    points = told["wins"]
    step = max(1, len(points) // MOST_MARKS)
    last = points[-1] if points else None
    return {
        **_common(session, item),
        "about": f"{item.body.get('learner', '')}, {words.title_of(rules)}, "
        f"against {OPPONENTS.get(against, against)}",
        "state": told["state"],
        "next": _next(told),
        "marks": [[row[0], row[1]] for row in [*points[:-1:step], *points[-1:]]],
        "share": last[1] if last else None,
        "of": last[3] if last else 0,
        "href": f"/run/{item.name}",
        "play": _address("/play", {**board, "opponent": player}) if _can_play(item) else "",
        "arena": _address("/arena", {**board, "agents": f"{player};baseline;random"}),
        "analyse": _address("/analyse", {**board, "tab": "compare", "a": player}),
    }


def _can_play(item: Item) -> bool:
    return "agent" in item.body


def _next(told: dict[str, Any]) -> str:
    """Say what happens next with a run, or why it does not run."""
    if told["state"] == "running":
        if told["watchers"]:
            return "1 tab watches" if told["watchers"] == 1 else f"{told['watchers']} tabs watch"
        return f"pauses in {told['minutes']} min"
    return str(told["why"]) or f"at {told['games']:,} games"


def _game(session: ShelfSession, item: Item) -> dict[str, Any]:
    body = item.body
    first, second = body.get("first", HUMAN), body.get("second", HUMAN)
    rules, moves = find_game("connect4"), list[int]()
    with suppress(FourlabError, KeyError):
        rules = find_game(body["game"])
        moves = list(read_moves(rules, body["moves"]))
    variations = len(body.get("variations", []))
    also = f" · {counted(variations, 'variation')}" if variations else ""
    return {
        **_common(session, item),
        "game": game_view(rules),
        "moves": moves,
        "about": f"{_when(item.changed)} · {counted(len(moves), 'move')}{also}",
        "tag": _tag(body.get("outcome", ""), first == HUMAN, second == HUMAN),
        "href": f"/game/{item.name}",
    }


def _tag(outcome: str, first_is_you: bool, second_is_you: bool) -> dict[str, str]:
    """Say how a game stands; won or lost where one side alone is the visitor's."""
    if outcome not in ("first", "second"):
        text, kind = ("Draw", "draw") if outcome == "draw" else ("Going on", "going")
    elif first_is_you == second_is_you:
        text, kind = ("Yellow won" if outcome == "first" else "Red won"), "draw"
    else:
        won = (outcome == "first") == first_is_you
        text, kind = ("Won", "win") if won else ("Lost", "loss")
    return {"text": text, "kind": kind}


def _event(session: ShelfSession, item: Item) -> dict[str, Any]:
    body = item.body
    played, total = body.get("played", 0), body.get("total", 0)
    done = f"{played:,} of {total:,} games" if total else "not begun"
    return {
        **_common(session, item),
        "about": f"{_when(item.changed)} · {done}",
        "state": STATES.get(body.get("state", ""), "paused"),
        "href": f"/event/{item.name}",
    }


def counted(number: int, what: str) -> str:
    """Write how many of something there are."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _common(session: ShelfSession, item: Item) -> dict[str, Any]:
    left = session.shelf.keep.days_left(item)
    days = counted(max(1, round(left)), "day")
    soon = f"goes in {days} unless opened" if left < WARNING_DAYS else ""
    return {"name": item.name, "title": item.title, "soon": soon}


def _when(at: float) -> str:
    """Say a time as people do: today 14:02, yesterday, Friday, 3 May."""
    then, now = datetime.datetime.fromtimestamp(at), datetime.datetime.now()
    days = (now.date() - then.date()).days
    if days == 0:
        return f"today {then:%H:%M}"
    if days == 1:
        return "yesterday"
    return f"{then:%A}" if days < 7 else f"{then.day} {then:%B}"


def _address(path: str, query: dict[str, str]) -> str:
    return f"{path}?{urlencode(query, safe=':=,;')}"


def _rules() -> list[str]:
    """Say what stays, and how long."""
    run, game, event = KINDS["run"], KINDS["game"], KINDS["event"]
    return [
        f"A run goes on for {ALONE_SECONDS / 60:.0f} minutes when nobody looks, then it pauses.",
        f"It is saved about every {SAVE_SECONDS:.0f} s, a large table less often. After a restart "
        "it waits here from its last save.",
        f"Runs and events that nobody opened for {run.days:.0f} days are deleted, games after "
        f"{game.days:.0f}; seven days before, it says so here.",
        f"{run.each} runs, {event.each} events and the latest {game.each} games are kept for you. "
        f"A run’s table grows to {HELD['memory-mb']} MB; {MOST_LIVE} runs are at work at once.",
        "Links need no account: who has one can open it. Only this browser can rename or delete.",
    ]
