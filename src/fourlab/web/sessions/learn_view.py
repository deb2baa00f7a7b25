"""What the Learn page shows of its session."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from fourlab.learning.episodes import AVERAGES
from fourlab.rules.catalog import game
from fourlab.rules.position import Position
from fourlab.web import words
from fourlab.web.sessions.learn_setup import LEARNER_TITLES, NUMBERS, OPPONENTS, SMALL_GAMES
from fourlab.web.sessions.live_learner import Row, Sample
from fourlab.web.sessions.play_view import board_view, game_view

if TYPE_CHECKING:
    from fourlab.web.sessions.learn import LearnSession

Z95 = 1.96
SMOOTHING = 0.25


def learn_view(session: LearnSession) -> dict[str, Any]:
    """Return everything that the page shows."""
    settings = session.settings
    sample = session.sample
    stones, learned, phase = sample.frames[session.frame] if sample else (0, 0, "")
    position = _position(session, stones)
    progress = session.progress
    return {
        "game": game_view(settings.rules),
        "board": board_view(position),
        "choices": _choices(session),
        "numbers": {name: settings.number(name) for name in NUMBERS},
        "td": settings.instinct,
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
        "scale": max(abs(settings.number("win")), abs(settings.number("loss")), 1e-9),
        "size": 0 if progress is None else progress.size,
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
    return session.sample.position(stones)


GAME_TITLES = {spec: words.title_of(game(spec)) for spec in SMALL_GAMES}


def _choices(session: LearnSession) -> dict[str, Any]:
    settings = session.settings
    return {
        "learner": _choice(settings.learner, LEARNER_TITLES),
        "game": _choice(str(settings.rules), GAME_TITLES),
        "opponent": _choice(settings.opponent, OPPONENTS),
    }


def _choice(value: str, titles: dict[str, str]) -> dict[str, Any]:
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
    own = sample.side is None or side == sample.side
    who = "The learner" if own else OPPONENTS[session.settings.opponent]
    text = f"{who} chose {session.settings.rules.unit} {position.moves[-1] + 1}"
    if position.is_over:
        text += {1: " and won", 0: "; a draw", -1: ""}[1 if position.line else 0]
    return {"side": side, "text": text}


def _rows(sample: Sample | None, stones: int, learned: int) -> list[dict[str, Any]]:
    """Return the learner's turns of this game, as far as it is shown."""
    if sample is None:
        return []
    rows = []
    for index, row in enumerate(sample.rows):
        if row.position.ply > stones:
            break
        values = list(row.values)
        trials = list(row.trials)
        if index >= learned:  # not learned from yet: as it was before this game
            values[row.move] = row.old
            trials[row.move] = max(0, (trials[row.move] or 1) - 1)
        rows.append(
            {
                "stones": row.position.ply,
                "moves": list(row.position.moves),
                "move": row.move if row.position.ply < stones else None,
                "values": [None if v is None else round(v, 4) for v in values],
                "trials": trials,
                "best": row.best,
            }
        )
    return rows


def _changed(sample: Sample | None, learned: int) -> dict[str, Any] | None:
    if sample is None or learned == 0:
        return None
    row = sample.rows[learned - 1]
    return {"row": learned - 1, "move": row.move, "difference": round(row.new - row.old, 4)}


def _update(session: LearnSession, sample: Sample | None, learned: int) -> dict[str, Any] | None:
    """Write the last update out as a sum."""
    if sample is None or learned == 0 or session.progress is None:
        return None
    row = sample.rows[learned - 1]
    unit = session.settings.rules.unit
    return {
        "title": f"Move {row.position.ply + 1}, {unit} {row.move + 1}",
        "old": round(row.old, 4),
        "new": round(row.new, 4),
        "formula": _formula(session, row),
    }


def _formula(session: LearnSession, row: Row) -> str:
    old, alpha = _number(row.old), session.progress.alpha if session.progress else 0.0
    learner = session.learner
    if learner is not None and learner.lesson.method == AVERAGES and alpha < 0:
        trials = row.trials[row.move] or 1
        return f"{old} + ({_number(row.target)} − {old}) / {trials}, the mean of {trials} returns"
    gamma = session.settings.number("gamma")
    rest = (row.target - row.reward) / gamma if gamma else 0.0
    return f"{old} + {alpha:.2f} × ({_number(row.reward)} + {gamma:.2f} × {_number(rest)} − {old})"


def _number(value: float) -> str:
    text = f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"
    return text.replace("-", "−")


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
