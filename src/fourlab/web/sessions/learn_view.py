"""What the Learn page shows of its session."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fourlab.core.spec import Option
from fourlab.rules.catalog import game
from fourlab.web import words
from fourlab.web.runs.curves import smoothed
from fourlab.web.runs.inside import counted, inside, tells
from fourlab.web.runs.kept import lost_words
from fourlab.web.runs.room import ALONE_SECONDS
from fourlab.web.runs.setup import MEAN, OPPONENTS, SMALL_GAMES, dials, range_of, titles
from fourlab.web.sessions.learn_game import told_game
from fourlab.web.sessions.play_view import game_view

if TYPE_CHECKING:
    from fourlab.web.runs.training import Training
    from fourlab.web.sessions.learn import LearnSession

FEW_GAMES = 10  # before which columns say nothing
BY_SECONDS = ("zero", "deep-q", "distil")  # whose games take so long that seconds say more


def learn_view(session: LearnSession) -> dict[str, Any]:
    """Return everything that the page shows."""
    training = session.training
    settings = training.settings
    return {
        "game": game_view(settings.rules),
        **told_game(training),
        "choices": _choices(training),
        "against": OPPONENTS.get(settings.yardstick, settings.yardstick),
        "dials": _dials(training),
        "fixed": _fixed(training),
        "ended": training.is_over,
        "running": training.running,
        "preparing": training.learner is None and (training.busy or not training.is_open),
        "pace": training.pace.moves,
        "reached": _reached(training),
        "scale": _scale(training),
        "size": training.size,
        "sizeLabel": settings.kind.size_label,
        "told": tells(settings.kind),
        "counted": counted(settings.kind, settings.config),
        "inside": inside(training.inside),
        "record": {"wins": training.won.wins, "games": training.won.games},
        "tested": training.tested,
        "wins": smoothed(training.curves.wins),
        "truth": smoothed(training.curves.truth),
        "own": smoothed(training.curves.own),
        "bySeconds": settings.learner in BY_SECONDS,
        "reference": training.reference,
        "columns": _columns(training),
        "policy": session.policy,
        "run": _run(session),
        "compared": _compared(session),
        "others": _others(session),
        "challenged": session.challenged,
        "again": "/learn?" + urlencode(settings.to_query(), safe=":=,"),
        "atWork": session.room.running(session.shelf.owner),
        "announce": "Training" if training.running else "Paused",
        "offline": _offline(session),
        "regained": _regained(session),
        "notice": session.notice,
        "error": session.error,
        "url": session.url,
    }


def _run(session: LearnSession) -> dict[str, Any] | None:
    """Return what is said of a run that has begun."""
    kept = session.kept
    if kept is None:
        return None
    item = session.shelf.keep.get(kept.name) if kept.is_kept else None
    return {
        "name": kept.name,
        "title": item.title if item else kept.name,
        "gone": item is None,
        "own": item is not None and session.shelf.owns(item),
        "state": kept.state,
        "why": kept.why,
        "saved": round(time.time() - kept.saved_at) if kept.agent else None,
        "watchers": len(kept.watchers),
        "minutes": round(ALONE_SECONDS / 60),
    }


def _compared(session: LearnSession) -> list[dict[str, Any]]:
    """Return the curves of the other runs on the chart, as far as they are still kept."""
    keep, found = session.shelf.keep, []
    for name in session.compared:
        if keep.has(name) and keep.get(name).kind == "run":
            points = session.room.state(keep.get(name))["wins"]
            named = ("games", "share", "seconds", "of")
            marks = [dict(zip(named, row, strict=True)) for row in points]
            found.append({"name": name, "title": keep.get(name).title, "points": smoothed(marks)})
    return found


def _others(session: LearnSession) -> list[dict[str, str]]:
    """Return the visitor's other runs, which may be shown on the same chart."""
    own = session.kept.name if session.kept else ""
    items = session.shelf.items("run")
    return [{"value": item.name, "label": item.title} for item in items if item.name != own]


def _offline(session: LearnSession) -> str:
    """Say what a run does while the connection is lost."""
    if session.kept is None or not session.training.running:
        return "The page stays as it is."
    return "While the server is up, the run goes on there."


def _regained(session: LearnSession) -> str:
    """Say what was lost when the connection is there again: nothing, only if so."""
    kept = session.kept
    if kept is None:
        return "The draft begins anew; nothing was learned yet."
    lost = lost_words(max(kept.lost, 0.0))
    return "Nothing was lost." if kept.lost < 0 else f"The server was restarted: {lost}."


def _reached(training: Training) -> dict[str, float] | None:
    reached = training.pace.reached if training.running else None
    return None if reached is None else {"moves": round(reached[0]), "games": round(reached[1], 1)}


GAME_TITLES = {spec: words.title_of(game(spec)) for spec in SMALL_GAMES}


def _choices(training: Training) -> dict[str, Any]:
    settings = training.settings
    return {
        "learner": _choice(settings.learner, titles()),
        "game": _choice(str(settings.rules), GAME_TITLES, words.title_of(settings.rules)),
        "opponent": _choice(settings.opponent, OPPONENTS),
    }


def _choice(value: str, titles: dict[str, str], title: str = "") -> dict[str, Any]:
    """Return what can be chosen, and what an address chose beside it."""
    titles = {**titles, value: titles.get(value) or title or value}
    options = [{"value": one, "label": title} for one, title in titles.items()]
    return {"value": value, "title": titles[value], "options": options}


def _dials(training: Training) -> list[dict[str, Any]]:
    """Return what can be turned while it learns."""
    return [
        {
            "name": dial.name,
            "label": dial.label,
            "help": dial.help,
            "value": _dial_value(training.settings.shown(dial), dial.name),
            "switch": dial.kind is bool,
            **_dial_range(dial),
        }
        for dial in dials(training.settings.learner)
    ]


def _dial_value(value: float | bool | str, name: str) -> float | bool | str:
    """Return what a dial shows: a rate below zero is none, but the mean of what was seen."""
    return MEAN if name == "alpha" and isinstance(value, float) and value < 0 else value


def _dial_range(dial: Option) -> dict[str, float]:
    low, high = range_of(dial)
    return {"low": low, "high": high, "step": 0.01 if high <= 1 else 1.0}


def _fixed(training: Training) -> list[str]:
    """Return what came with an address and has no field, or one that is too small for it."""
    settings = training.settings
    options = [f"{name}={text}" for name, text in settings.fixed.items()]
    if settings.opponent not in OPPONENTS:
        options.append(f"opponent={settings.opponent}")
    more = [f"seed {settings.seed}" if settings.seed else "", training.begins]
    return [*options, *filter(None, more)]


def _scale(training: Training) -> float:
    """Return the value that is drawn in the strongest colour: of a win or a loss."""
    settings = training.settings
    known = {dial.name: abs(settings.value(dial)) for dial in dials(settings.learner)}
    loss = 0.0 if settings.opponent == "self" else known.get("loss", 1.0)  # it is minus a win
    return max(known.get("win", 1.0), loss, 1e-9)


def _columns(training: Training) -> dict[str, Any] | None:
    """Return which moves it chooses, over all games, and where its best values lie."""
    tested = sum(training.tested_columns)
    if not tested or training.done < FEW_GAMES:
        return None
    shares = [round(count / tested, 4) for count in training.tested_columns]
    whole = training.columns or {"chosen": None, "best": None, "mirrored": False}
    counted = whole["chosen"] is not None
    return {
        "chosen": whole["chosen"] if counted else shares,
        "best": whole["best"],
        "note": "in all games" if counted else "in all test games",
        "states": "" if counted else "; each state of the last test games counts once",
        "mirrored": whole["mirrored"],
    }
