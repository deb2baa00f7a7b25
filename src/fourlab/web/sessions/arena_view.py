"""What the Arena page shows of its session."""

from __future__ import annotations

import itertools
import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fourlab.arena.ratings import CENTRE
from fourlab.positions.openings import default_plies
from fourlab.rules.catalog import game as find_game
from fourlab.rules.position import read_moves, write_moves
from fourlab.web import words
from fourlab.web.limits import MOVE_SECONDS
from fourlab.web.sessions.arena_games import PAGE
from fourlab.web.sessions.play_view import game_view, offered_games

if TYPE_CHECKING:
    from fourlab.web.sessions.arena import ArenaSession

MOST_NAME = 23  # characters of a spec as a name
MOST_NEEDED = 10_000  # games; beyond that more is all there is to say


def arena_view(session: ArenaSession) -> dict[str, Any]:
    """Return everything that the page shows."""
    report = session.report
    return {
        "game": game_view(session.rules),
        "games": offered_games(session.rules),
        "players": [
            {
                **words.opponent_of(plain(session.written(spec))),
                "short": called(session, spec),
            }
            for spec in session.players
        ],
        "families": [family.to_json() for family in words.families(session.rules)],
        "perPair": session.per_pair,
        "seed": session.number,
        "wasOdd": session.was_odd,
        "runs": [{"spec": spec, "title": title} for spec, title in session.offered().items()],
        "openings": _openings(session),
        "begins": _begins(session),
        "running": session.running,
        "estimate": _estimate(session),
        "played": 0 if report is None else report["played"],
        "total": session.total,
        "left": _left(session),
        "cross": _cross(session),
        "underWay": _under_way(session),
        "ratings": [] if report is None else [_rating(session, one) for one in report["ratings"]],
        "centre": round(CENTRE),
        "unrated": _unrated(session),
        "kept": session.event is not None and bool(session.event.item),
        "owner": session.is_owner,
        "remarks": _remarks(session),
        "now": _now(session),
        "latest": [] if report is None else [_latest(session, one) for one in report["latest"]],
        "pair": _pair(session),
        "export": _export(session),
        "announce": _announce(session),
        "notice": session.notice,
        "error": session.error,
        "url": session.url,
        **_apart(session),
    }


def _apart(session: ArenaSession) -> dict[str, str | None]:
    """Say what an event does while the connection is lost, and what became of it after."""
    if session.running:
        offline = "While the server is up, the event goes on there."
        return {"offline": offline, "regained": "Nothing was lost."}
    cut_off = session.report is not None and session.report["played"] < session.total
    kept = "Every finished game is kept; Go on plays the rest." if cut_off else None
    return {"offline": "The table stays as it is.", "regained": kept}


def _openings(session: ArenaSession) -> str:
    """Say where games begin, why, and what follows from it."""
    plies = session.begin_plies
    lacks = "" if session.report is None else session.report["lacks"]
    if plies:
        return (
            f"Games begin after {plies} random plies to an even position; each opening is played "
            f"twice, with sides changed.{f' Here: {lacks}.' if lacks else ''}"
        )
    said = "Every game begins on the empty board"
    if session.plies is None:
        said += ", where the learned player has learned"
    fixed = [
        called(session, spec) for spec in session.players if session.fact(spec).is_deterministic
    ]
    if len(fixed) > 1:
        said += f". {' and '.join(fixed)} draw no lots, so that they repeat the same two games"
    return said + "."


def _begins(session: ArenaSession) -> dict[str, Any]:
    """Return where games can begin."""
    usual = default_plies(session.rules)
    lengths = sorted({0, usual, session.begin_plies})
    options = [
        {"value": str(n), "label": f"{n} random plies" if n else "Empty board"} for n in lengths
    ]
    return {"value": str(session.begin_plies), "options": options}


def title_of(session: ArenaSession) -> str:
    """Name an event: 'Five agents, 7 × 6', 'MCTS 200 against Random, 5 × 4'."""
    rules = session.rules
    size = f"{rules.columns} × {rules.rows}"
    if len(session.players) == 2:
        first, second = (called(session, spec) for spec in session.players)
        return f"{first} against {second}, {size}"
    counts = ("Three", "Four", "Five", "Six", "Seven", "Eight")
    return f"{counts[len(session.players) - 3]} agents, {size}"


def plain(spec: str) -> str:
    """Return an agent's spec without the limit on time that the web put in."""
    return spec.removesuffix(f"time={MOVE_SECONDS:g}").rstrip(",:")


def short(spec: str) -> str:
    """Name an agent in a table: 'MCTS 200', 'Minimax 4'."""
    spec = plain(spec)
    who = words.opponent_of(spec)
    name, _, options = spec.partition(":")
    titles = {"mcts": "MCTS", "flat": "Flat", "minimax": "Minimax", "perfect": "Perfect"}
    title = titles.get(name, name.capitalize())
    amount = options.rpartition("=")[2]
    if options.count("=") == 1 and amount.isdigit():
        return f"{title} {int(amount):,}"
    if who["family"] == "custom" and who["title"] != spec:
        return str(who["title"])  # of a file
    if who["family"] == "custom":
        return f"{title} {options}".strip() if len(spec) <= MOST_NAME else spec[:MOST_NAME] + "…"
    if who["family"] == "slips":
        return f"Perfect, {who['detail'].split()[2]} slips"
    return title


def called(session: ArenaSession, spec: str) -> str:
    """Name a player; one that would be called like another, by where their specs differ."""
    same = [session.written(one) for one in session.players if short(one) == short(spec)]
    if spec not in session.players or len(same) == 1:
        return short(spec)
    own, *parts = (re.split("[:,]", one) for one in (session.written(spec), *same))
    rows = zip(*parts, strict=False)
    shared = sum(1 for _ in itertools.takewhile(lambda row: len(set(row)) == 1, rows))
    rest = ",".join(own[shared:])
    return f"{own[0]}:…{rest}"[:MOST_NAME] if shared and rest else session.written(spec)[:MOST_NAME]


def _estimate(session: ArenaSession) -> str:
    if session.estimate is None:
        done = session.measuring
        return f"timing a game of pair {done[0] + 1} of {done[1]}" if done else "timing a game"
    return f"about {duration(session.estimate)} for {session.total:,} games"


def duration(seconds: float) -> str:
    """Write a time that need not be exact."""
    if seconds < 1:
        return "a second"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes"


def _left(session: ArenaSession) -> str:
    report = session.report
    if report is None:
        return "getting ready, or waiting for a free place" if session.running else ""
    if report["played"] >= report["total"]:
        return "done"
    if not session.running:
        return "stopped; all games are kept"
    if session.began is None or report["played"] <= session.began[1]:
        return ""
    spent = time.monotonic() - session.began[0]
    rate = (report["played"] - session.began[1]) / max(spent, 1e-3)
    return f"about {duration((report['total'] - report['played']) / rate)} left"


def _cross(session: ArenaSession) -> list[list[dict[str, Any] | None]]:
    """Return the table row by row; None on the diagonal."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for pair in (session.report or {}).get("pairs", []):
        a, b = pair["a"], pair["b"]
        games = pair["wins"] + pair["draws"] + pair["losses"]
        found[a, b] = _cell(pair["score"], games, (pair["wins"], pair["draws"], pair["losses"]))
        found[b, a] = _cell(1 - pair["score"], games, (pair["losses"], pair["draws"], pair["wins"]))
    empty = _cell(0.5, 0, (0, 0, 0))
    return [
        [None if row == column else found.get((row, column), empty) for column in session.players]
        for row in session.players
    ]


def _cell(score: float, games: int, counts: tuple[int, int, int]) -> dict[str, Any]:
    return {"score": round(score, 4), "games": games, "counts": list(counts)}


def _under_way(session: ArenaSession) -> int:
    """Return how many games are being played side by side."""
    return 0 if session.now is None else int(session.now["count"])


def _unrated(session: ArenaSession) -> list[str]:
    """Name those who have not played yet: nothing is known of them."""
    if not session.report or not session.report["ratings"]:
        return []
    rated = {one["agent"] for one in session.report["ratings"]}
    return [called(session, spec) for spec in session.players if spec not in rated]


def _rating(session: ArenaSession, one: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": called(session, one["agent"]),
        "elo": round(one["elo"]),
        "half": round(one["half"]),
        "close": one["close"] is not None,
    }


def _remarks(session: ArenaSession) -> list[str]:
    """Say which neighbours are not separated yet, and what it would take."""
    report = session.report
    if report is None:
        return []
    remarks = []
    for one in report["ratings"]:
        if one["close"] is None:
            continue
        other, (gap, low, _) = one["close"]
        pair = next(p for p in report["pairs"] if {p["a"], p["b"]} == {one["agent"], other})
        wins, draws, losses = pair["wins"], pair["draws"], pair["losses"]
        if pair["a"] != one["agent"]:
            wins, losses = losses, wins
        half, games = gap - low, wins + draws + losses
        needed = games * (half / max(gap, 1e-6)) ** 2 - games
        more = f"About {_rounded(needed)} more games a pair would settle it."
        if needed > MOST_NEEDED:
            more = "They are too close for games to settle it soon."
        remarks.append(
            f"{called(session, one['agent'])} and {called(session, other)} overlap: {wins} won, "
            f"{draws} drawn, {losses} lost. {more}"
        )
    return remarks


def _rounded(number: float) -> str:
    step = 10 if number < 200 else 100
    return f"{max(step, round(number / step) * step):,}"


def _pair(session: ArenaSession) -> dict[str, Any] | None:
    """Return the games of the pair that a visitor looks at."""
    pair = session.pair
    if pair is None:
        return None
    row, column = (called(session, session.players[index]) for index in (pair.row, pair.column))
    cell = _cross(session)[pair.row][pair.column]
    return {
        "row": pair.row,
        "column": pair.column,
        "title": f"{row} against {column}",
        "page": pair.page,
        "from": pair.page * PAGE + 1,
        "total": 0 if cell is None else cell["games"],
        "more": 0 if cell is None else max(0, cell["games"] - (pair.page + 1) * PAGE),
        "games": None if pair.games is None else [_latest(session, game) for game in pair.games],
    }


def _latest(session: ArenaSession, game: dict[str, Any]) -> dict[str, Any]:
    rules = find_game(game["game"])
    query = urlencode({"game": game["game"], "moves": game["moves"]}, safe=":=,")
    return {
        "first": called(session, game["first"]),
        "second": called(session, game["second"]),
        "result": {"first": "1–0", "second": "0–1", "draw": "½–½"}[game["outcome"]],
        "moves": read_moves(rules, game["moves"]),
        "notation": game["moves"],
        "href": f"/analyse?{query}",
    }


def _now(session: ArenaSession) -> dict[str, Any] | None:
    """Return the game that is going on; of many that go on side by side, the first."""
    now = session.now
    if now is None:
        return None
    number, count = now["first"] + 1, now["count"]
    which = f"game {number:,} of {session.per_pair:,}"
    if count > 1:
        which = f"game {number:,}, one of {count:,} side by side"
    first, second = now["players"]
    return {
        "caption": f"Now playing, {which}",
        "first": called(session, first),
        "second": called(session, second),
        "pair": [session.players.index(first), session.players.index(second)],
        "moves": now["moves"],
        "notation": write_moves(session.rules, now["moves"]),
    }


def _export(session: ArenaSession) -> dict[str, Any] | None:
    if session.report is None:
        return None
    written = {spec: session.written(spec) for spec in session.players}
    ratings = [
        {"agent": written[one["agent"]], "elo": round(one["elo"], 1), "half": round(one["half"], 1)}
        for one in session.report["ratings"]
    ]
    pairs = session.report["pairs"]
    return {
        "game": str(session.rules),
        "games": session.report["played"],
        "seed": session.number,
        "pairs": [{**one, "a": written[one["a"]], "b": written[one["b"]]} for one in pairs],
        "ratings": ratings,
    }


def _announce(session: ArenaSession) -> str:
    report = session.report
    if report is None or session.running:
        return ""
    top = list(itertools.islice(report["ratings"], 1))
    leader = f" {called(session, top[0]['agent'])} leads." if top else ""
    return f"{report['played']} of {report['total']} games played.{leader}"
