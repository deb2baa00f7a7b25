"""What Play shows of a finished game: how both sides did, its turning points, one of them told."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fourlab.web.sessions.review import Told
from fourlab.web.sessions.review_words import Reason, marked, reason_of, sentence
from fourlab.web.sessions.truth import Blunder
from fourlab.web.words import COLOURS

if TYPE_CHECKING:
    from fourlab.web.sessions.play import PlaySession

NameSide = Callable[["PlaySession", int], str]


def review_view(session: PlaySession, name: NameSide) -> dict[str, Any] | None:
    """Return the review of the game, None while it is not over."""
    line, told = session.line, session.told
    if not line.last.is_over:
        return None
    points = told.points(line.positions)
    own = [one for one in points if one.side == session.reader]
    missing = len(session.values.missing(line.positions))
    return {
        "title": ending(session, name),
        "asks": asks(session),
        "sides": [tally(session, side, name) for side in (0, 1)],
        "points": [point(session, one, name) for one in points],
        "counts": counts(session, points, len(own)) + (" so far" if unsolved(session) else ""),
        "selected": told.selected,
        "waiting": f"solving {line.length + 1 - missing} of {line.length + 1}" if missing else "",
        "unsolved": unsolved(session),
        "shown": shown(session, points, name),
    }


def ending(session: PlaySession, name: NameSide) -> str:
    """Say how the game ended: 'Opponent won with move 24'."""
    winner = session.line.last.outcome.winner
    if winner is None:
        return f"Draw after {session.line.length} moves"
    return f"{name(session, winner)} won with move {session.line.length}"


def asks(session: PlaySession) -> str:
    """Return what the button into the review says: only those who lost are asked what it was."""
    winner = session.line.last.outcome.winner
    lost = winner is not None and session.reader == 1 - winner
    return "What went wrong?" if lost else "Turning points"


def counts(session: PlaySession, points: list[Blunder], own: int) -> str:
    """Say whose the turning points were."""
    if session.reader is not None:
        return f"{own} yours, {len(points) - own} of the opponent"
    first = sum(one.side == 0 for one in points)
    return f"{first} of {COLOURS[0].lower()}, {len(points) - first} of {COLOURS[1].lower()}"


def unsolved(session: PlaySession) -> str:
    """Say what was not solved in time, nothing where all was."""
    scores = [session.values.scores.get(p, 0) for p in session.line.positions]
    told = [session.told.told.get(p, ...) for p in session.line.positions]
    if None in scores or None in told:
        return f"Not solved in {session.told.seconds:.0f} s"
    return ""


def tally(session: PlaySession, side: int, name: NameSide) -> dict[str, Any]:
    """Return how a side played: the share of its moves that kept the outcome."""
    found = session.told.tallies(session.line.positions)[side]
    return {
        "side": side,
        "who": name(session, side),
        "share": round(found.kept / found.judged, 4) if found.judged else None,
        "kept": found.kept,
        "of": found.judged,
        "best": found.best,
        "unjudged": found.moves - found.judged,
    }


def point(session: PlaySession, one: Blunder, name: NameSide) -> dict[str, Any]:
    """Return a turning point as the list shows it."""
    positions = session.line.positions
    told = session.told.told.get(positions[one.move])
    move = positions[one.move].moves[-1]
    who = name(session, one.side)
    said = f"{who} played {move + 1}"
    if told is not None:
        said = sentence(who, positions[one.move - 1], move, told.scores)
    return {
        "move": one.move,
        "side": one.side,
        "own": one.side == session.setting.you,
        "sentence": said,
        "change": f"{one.before} became {one.after}",
    }


def shown(session: PlaySession, points: list[Blunder], name: NameSide) -> dict[str, Any] | None:
    """Return the turning point that is shown, with its refuting line; None if none is."""
    move = session.told.selected
    if move is None:
        return None
    positions = session.line.positions
    numbers = [one.move for one in points]
    if move not in numbers:
        return {"number": 0, "title": none_found(session, points), "reason": "", "line": []}
    one = points[numbers.index(move)]
    before, after = positions[move - 1], positions[move]
    told = session.told.told.get(after)
    reason = why(session, one, told)
    end = after.play_all(told.line) if told else after
    return {
        **point(session, one, name),
        "number": numbers.index(move) + 1,
        "title": point(session, one, name)["sentence"],
        "reason": reason.text,
        "marks": marked(before.rules, reason.cells),
        "played": after.moves[-1],
        "chips": told.overlay["chips"] if told else None,
        "line": list(told.line) if told else [],
        "isWhole": told is not None and told.is_whole,
        "four": marked(before.rules, end.line),
        "isTold": after in session.told.told,
    }


def none_found(session: PlaySession, points: list[Blunder]) -> str:
    """Say that there is nothing to show here, or not yet."""
    if session.values.missing(session.line.positions):
        return "Looking for the turning points"
    if points:
        return "This move did not change the outcome"
    return "No turning point so far" if unsolved(session) else "No move changed the outcome"


def why(session: PlaySession, one: Blunder, told: Told | None) -> Reason:
    """Return the reason of a turning point, empty where none is sure."""
    if told is None:
        return Reason()
    positions, reader = session.line.positions, session.reader

    def called(side: int) -> str:
        return "You" if side == reader else COLOURS[side]

    line = told.line if told.is_whole else ()
    before, after = positions[one.move - 1], positions[one.move]
    return reason_of(before, after.moves[-1], line, called)


def spoken_review(session: PlaySession, name: NameSide) -> str:
    """Say the turning point that is shown, for those who listen."""
    found = shown(session, session.told.points(session.line.positions), name)
    if found is None or not found["number"]:
        return "" if found is None else f"{found['title']}."
    return " ".join(filter(None, (f"{found['title']}.", f"{found['change']}.", found["reason"])))
