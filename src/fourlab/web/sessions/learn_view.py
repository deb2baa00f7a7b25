"""What the Learn page shows of its session."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from fourlab.arena.statistics import Z95
from fourlab.rules.catalog import game
from fourlab.rules.position import Position
from fourlab.web import words
from fourlab.web.sessions.learn_setup import OPPONENTS, SMALL_GAMES, dials, titles
from fourlab.web.sessions.play_view import board_view, game_view
from fourlab.web.sessions.sample import Sample

if TYPE_CHECKING:
    from fourlab.web.sessions.learn import LearnSession

SMOOTHING = 0.25


def learn_view(session: LearnSession) -> dict[str, Any]:
    """Return everything that the page shows."""
    settings = session.settings
    sample = session.sample
    stones, learned, phase = sample.game.phases[session.frame] if sample else (0, 0, "")
    position = _position(session, stones)
    return {
        "game": game_view(settings.rules),
        "board": board_view(position),
        "choices": _choices(session),
        "against": OPPONENTS.get(settings.yardstick, settings.yardstick),
        "dials": _dials(session),
        "fixed": _fixed(session),
        "ended": session.is_over,
        "late": sample is not None and sample.is_late,
        "running": session.running,
        "preparing": session.learner is None,
        "pace": session.pace,
        "phase": phase,
        "number": sample.number if sample else 0,
        "caption": _caption(session, stones),
        "said": _said(session, sample, position),
        "rows": _rows(sample, stones, learned),
        "changed": _changed(sample, learned),
        "update": _update(session, sample, learned),
        "scale": _scale(session),
        "size": session.size,
        "sizeLabel": settings.kind.size_label,
        "record": {"wins": session.won[0], "games": sum(session.won)},
        "rate": session.rate,
        "tested": session.tested,
        "wins": _smoothed(session.curves.wins),
        "truth": _smoothed(session.curves.truth),
        "reference": session.reference,
        "columns": _columns(session),
        "saved": session.saved,
        "announce": "Training" if session.running else "Paused",
        "notice": session.notice,
        "error": session.error,
        "url": session.url,
    }


def _position(session: LearnSession, stones: int) -> Position:
    if session.sample is None:
        return session.settings.rules.start()
    return session.sample.positions[stones]


GAME_TITLES = {spec: words.title_of(game(spec)) for spec in SMALL_GAMES}


def _choices(session: LearnSession) -> dict[str, Any]:
    settings = session.settings
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


def _caption(session: LearnSession, stones: int) -> str:
    if session.sample is None:
        return "nothing learned yet"
    if not session.is_slow and session.running:
        return f"showing 1 game in {session.rate:,}"
    return f"move {stones}"


def _said(
    session: LearnSession, sample: Sample | None, position: Position
) -> dict[str, Any] | None:
    """Say the last move and who made it."""
    if sample is None or not position.moves:
        return None
    side = 1 - position.to_move
    own = sample.game.side is None or side == sample.game.side
    who = (
        "The learner"
        if own
        else OPPONENTS.get(session.settings.opponent, session.settings.opponent)
    )
    text = f"{who} chose {session.settings.rules.unit} {position.moves[-1] + 1}"
    if position.is_over:
        text += {1: " and won", 0: "; a draw", -1: ""}[1 if position.line else 0]
    return {"side": side, "text": text}


def _dials(session: LearnSession) -> list[dict[str, Any]]:
    """Return what can be turned while it learns."""
    return [
        {
            "name": dial.name,
            "label": dial.label,
            "help": dial.help,
            "value": session.settings.shown(dial),
            "switch": dial.kind is bool,
        }
        for dial in dials(session.settings.learner)
    ]


def _fixed(session: LearnSession) -> list[str]:
    """Return what came with an address and has no field, or one that is too small for it."""
    settings = session.settings
    options = [f"{name}={text}" for name, text in settings.fixed.items()]
    if settings.opponent not in OPPONENTS:
        options.append(f"opponent={settings.opponent}")
    return [*options, *([f"seed {settings.seed}"] if settings.seed else [])]


def _scale(session: LearnSession) -> float:
    """Return the value that is drawn in the strongest colour: of a win or a loss."""
    known = {dial.name: session.settings.value(dial) for dial in dials(session.settings.learner)}
    return max(abs(known.get("win", 1.0)), abs(known.get("loss", 1.0)), 1e-9)


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
    old, new = turn.before[turn.move] or 0.0, turn.after[turn.move] or 0.0
    return {"row": learned - 1, "move": turn.move, "difference": round(new - old, 4)}


def _update(session: LearnSession, sample: Sample | None, learned: int) -> dict[str, Any] | None:
    """Return the last update, written out."""
    if sample is None or learned == 0:
        return None
    turn = sample.game.turns[learned - 1]
    unit = session.settings.rules.unit
    return {
        "title": f"Move {turn.ply + 1}, {unit} {turn.move + 1}",
        "old": round(turn.before[turn.move] or 0.0, 4),
        "new": round(turn.after[turn.move] or 0.0, 4),
        "formula": turn.update,
    }


def _smoothed(points: list[dict[str, float]]) -> list[list[float]]:
    """Return games, share, smoothed share and half of its 95% interval for each point."""
    found: list[list[float]] = []
    level, weight = 0.0, 0.0
    for point in points:
        keep = 1.0 if not found else SMOOTHING
        level += keep * (point["share"] - level)
        weight = keep**2 + (1 - keep) ** 2 * weight
        count = point.get("of", 0.0)
        half = Z95 * (max(level * (1 - level), 1e-4) * weight / count) ** 0.5 if count else 0.0
        found.append([point["games"], round(point["share"], 4), round(level, 4), round(half, 4)])
    return found


def _columns(session: LearnSession) -> dict[str, Any]:
    counts = Counter(move for game_moves in session.columns for move in game_moves)
    total = max(1, sum(counts.values()))
    moves = range(session.settings.rules.move_count)
    return {
        "shares": [round(counts[move] / total, 4) for move in moves],
        "games": len(session.columns),
    }
