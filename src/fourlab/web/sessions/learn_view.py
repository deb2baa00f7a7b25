"""What the Learn page shows of its session."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fourlab.core.spec import Option
from fourlab.rules.catalog import game
from fourlab.rules.position import Position
from fourlab.web import words
from fourlab.web.runs.curves import smoothed
from fourlab.web.runs.inside import counted, inside, tells
from fourlab.web.runs.kept import lost_words
from fourlab.web.runs.room import ALONE_SECONDS
from fourlab.web.runs.sample import Sample
from fourlab.web.runs.setup import MEAN, OPPONENTS, SMALL_GAMES, dials, range_of, titles
from fourlab.web.sessions.play_view import board_view, game_view

if TYPE_CHECKING:
    from fourlab.learning.base import Turn
    from fourlab.web.runs.training import Training
    from fourlab.web.sessions.learn import LearnSession

FEW_GAMES = 10  # before which columns say nothing
BY_SECONDS = ("zero", "deep-q", "distil")  # whose games take so long that seconds say more
PHASES = {
    "episode generation": "It plays the move of the best value, or explores.",
    "episode evaluation": "Each move is taught the return that followed it.",
    "policy improvement": "From now on it prefers what is now worth most.",
}
STORED_PHASES = {  # of a learner that stores its policy
    "episode generation": "It plays by its stored policy; in a state it has not seen, at random.",
    "episode evaluation": "The return of each move, r + γ × what followed, enters its mean.",
    "policy improvement": "For each state of the game the policy stores the best move, "
    "with a chance of {keep}, else a random one.",
}

FULL = "The table is full: this position finds no place in it, and nothing is learned of it."


def learn_view(session: LearnSession) -> dict[str, Any]:
    """Return everything that the page shows."""
    training = session.training
    settings = training.settings
    sample = training.sample
    stones, learned, phase = sample.game.phases[training.frame] if sample else (0, 0, "")
    position = _position(training, stones)
    return {
        "game": game_view(settings.rules),
        "board": board_view(position),
        "choices": _choices(training),
        "against": OPPONENTS.get(settings.yardstick, settings.yardstick),
        "dials": _dials(training),
        "fixed": _fixed(training),
        "ended": training.is_over,
        "late": sample is not None and sample.is_late,
        "running": training.running,
        "preparing": training.learner is None and (training.busy or not training.is_open),
        "pace": training.pace.moves,
        "reached": _reached(training),
        "phase": _phase(training, phase),
        "number": sample.number if sample else 0,
        "ahead": _is_ahead(training, sample),
        "caption": _caption(training, stones),
        "said": _said(training, sample, position),
        "rows": _rows(sample, stones, learned),
        "changed": _changed(sample, learned),
        "update": _update(training, sample, learned),
        "scale": _scale(training),
        "size": training.size,
        "sizeLabel": settings.kind.size_label,
        "told": tells(settings.kind),
        "counted": counted(settings.kind),
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


def _phase(training: Training, phase: str) -> dict[str, str]:
    config = training.learner.config if training.learner else None
    keep = getattr(config, "keep", 1.0)
    known = STORED_PHASES if training.settings.learner == "monte-carlo" else PHASES
    return {"name": phase, "does": known.get(phase, "").format(keep=f"{keep:.0%}")}


def _position(training: Training, stones: int) -> Position:
    if training.sample is None:
        return training.settings.rules.start()
    return training.sample.positions[stones]


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


def _caption(training: Training, stones: int) -> str:
    if training.sample is None:
        return "" if training.done else "nothing learned yet"
    if not training.pace.is_slow and training.running:
        return f"1 shown in {training.rate:,}"
    return f"move {stones}"


def _is_ahead(training: Training, sample: Sample | None) -> bool:
    """Return whether the learner has learned from more of this game than is shown."""
    if sample is None or sample.number > training.done:
        return False
    return training.frame + 1 < len(sample.game.phases)


def _said(training: Training, sample: Sample | None, position: Position) -> dict[str, Any] | None:
    """Say the last move and who made it."""
    if sample is None or not position.moves:
        return None
    side = 1 - position.to_move
    own = sample.game.side is None or side == sample.game.side
    who = (
        "The learner"
        if own
        else OPPONENTS.get(training.settings.opponent, training.settings.opponent)
    )
    text = f"{who} chose {training.settings.rules.unit} {position.moves[-1] + 1}"
    if position.is_over:
        text += " and won" if position.line else "; a draw"
    turn = next((one for one in sample.game.turns if one.ply == position.ply - 1), None)
    return {"side": side, "text": text, "why": _why(training, turn) if turn and own else None}


def _why(training: Training, turn: Turn) -> dict[str, Any]:
    """Say what a move was worth when it was made, and why it was chosen."""
    value = turn.before[turn.move]
    known = [one for one in turn.before if one is not None]
    earlier = sum(count or 0 for count in turn.trials) - 1  # this time is counted too
    counted = turn.trials[turn.move] is not None
    best = value is not None and value >= max(known)
    if counted and earlier <= 0:
        word = "random: nothing was known of this state"
    elif training.settings.learner == "monte-carlo":
        word = "policy: the best value" if best else "policy: a random move that it stored"
    else:
        word = "greedy: the best value" if best else "random: it explored"
    return {"value": round(value or 0.0, 4), "word": word}


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


def _rows(sample: Sample | None, stones: int, learned: int) -> list[dict[str, Any]]:
    """Return the learner's turns of this game, as far as it is shown."""
    if sample is None:
        return []
    rows = []
    for index, turn in enumerate(sample.game.turns):
        if turn.ply > stones:
            break
        values, trials = turn.after, list(turn.trials)
        if index >= learned:  # not learned from yet: as it was before this game
            values = turn.before
            count = trials[turn.move]
            trials[turn.move] = None if count is None else max(0, count - 1)
        rows.append(
            {
                "stones": turn.ply,
                "moves": list(sample.position_of(turn).moves),
                "move": turn.move if turn.ply < stones else None,
                "values": [None if v is None else round(v, 4) for v in values],
                "trials": trials,
                "best": sample.best[index],
            }
        )
    return rows


def _changed(sample: Sample | None, learned: int) -> dict[str, Any] | None:
    if sample is None or learned == 0:
        return None
    turn = sample.game.turns[learned - 1]
    if turn.trials[turn.move] == 0:
        return None
    old, new = turn.before[turn.move] or 0.0, turn.after[turn.move] or 0.0
    return {"row": learned - 1, "move": turn.move, "difference": round(new - old, 4)}


def _update(training: Training, sample: Sample | None, learned: int) -> dict[str, Any] | None:
    """Return the last update, written out."""
    if sample is None or learned == 0:
        return None
    turn = sample.game.turns[learned - 1]
    unit = training.settings.rules.unit
    return {
        "title": f"Move {turn.ply + 1}, {unit} {turn.move + 1}",
        "old": round(turn.before[turn.move] or 0.0, 4),
        "new": round(turn.after[turn.move] or 0.0, 4),
        "formula": FULL if turn.trials[turn.move] == 0 else turn.update,
    }


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
