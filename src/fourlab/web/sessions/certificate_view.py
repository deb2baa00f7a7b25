"""What the Certificate page says of a certificate, and of a walk that is going on."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fourlab.agents.net import NetworkAgent
from fourlab.agents.registry import agent as find_agent
from fourlab.arena.certify.certificate import Certificate, analyse_address, verdict
from fourlab.core.spec import POSITIONAL, parse
from fourlab.core.storage import is_there
from fourlab.learning.registry import LEARNERS
from fourlab.rules.catalog import game as find_game
from fourlab.rules.position import read_moves
from fourlab.web import words
from fourlab.web.certificates import Walking
from fourlab.web.keep.store import Keep
from fourlab.web.sessions.arena_view import short
from fourlab.web.sessions.play_view import game_view
from fourlab.web.telling import told

TURN = re.compile(r"move (\d+): (.*)")


def title_of(found: Certificate) -> str:
    """Say the verdict in a few words."""
    if found.certified:
        return verdict(found)[0]
    what = "hole" if found.strict else "losing end" if found.value == 0 else "end short of a win"
    many = what.replace("end", "ends") if "end" in what else f"{what}s"
    return f"Not proven: {found.refuted:,} {what if found.refuted == 1 else many}"


def sentence(found: Certificate) -> str:
    """Say what that means, with side and weak or strict."""
    start = "From the empty board" if not found.start else f"After {found.start}"
    if found.certified:
        said = verdict(found)[1]
        return f"{start} {said[0].lower()}{said[1:]}"
    how = f"{found.side.capitalize()} player, {'strict' if found.strict else 'weak'}."
    if found.strict:
        return f"{how} So many positions give a win or a draw away."
    below = [
        (count, what)
        for count, what in ((_lost(found), "a loss"), (_drawn(found), "a draw"))
        if count
    ]
    return f"{how} {' and '.join(f'{n:,} ends in {what}' for n, what in below)}."


def _lost(found: Certificate) -> int:
    return found.results["lost"] if found.value > -1 else 0


def _drawn(found: Certificate) -> int:
    return found.results["drawn"] if found.value > 0 else 0


def name_of(agent: str) -> str:
    """Name a player that draws no lots."""
    return short(agent.removesuffix("ties=first").rstrip(",:"))


def run_of(found: Certificate, keep: Keep) -> str:
    """Return the kept run that a certificate is of, nothing if its player is none, or is gone."""
    path = Path(parse(found.agent).options.get(POSITIONAL, ""))
    if not path.name or not keep.has(path.name):
        return ""
    return path.name if keep.folder(path.name).resolve() == path.resolve() else ""


def made_by(found: Certificate) -> str:
    """Say with what a certificate was made."""
    about = found.versions
    processor = re.sub(r"\((R|TM)\)", "", str(about.get("cpu") or "a machine"))
    cores = f", {about['cores']} cores" if "cores" in about else ""
    gpu = " and a GPU" if _on_gpu(found) else ""
    return f"fourlab {about.get('fourlab', '')} on {processor}{cores}{gpu}"


def _on_gpu(found: Certificate) -> bool:
    return "graph" in str(found.versions.get("arithmetic", ""))  # only there are any captured


def caveat(found: Certificate) -> str:
    """Say what stands in the way of repeating it elsewhere, nothing if nothing does."""
    if not _on_gpu(found):
        return ""
    arithmetic = str(found.versions["arithmetic"]).partition(",")[0]
    return (
        f"Its moves were found in {arithmetic} on a GPU. Without one, repeating them takes hours, "
        "and a few of a thousand are others: then it says so."
    )


@functools.cache
def learned_by(agent: str, game: str) -> str:
    """Name the learner of a network that comes with fourlab, and the size of its file.

    Nothing where something of the same name lies here, which comes before it.
    """
    name = parse(agent).options.get(POSITIONAL, "")
    if name and is_there(Path(name)):
        return ""
    player = find_agent(agent, game)
    about = player.network.about if isinstance(player, NetworkAgent) else {}
    if "learner" not in about:
        return ""
    size = sum(path.stat().st_size for path in player.sources())
    return f"{LEARNERS[about['learner']].title}, {size / 1000:,.0f} kB"


def shipped(name: str, found: Certificate) -> dict[str, Any]:
    """Return what the page says of a certificate that comes with fourlab, beside the rest.

    Its moves lie in the repository alone.
    """
    check = f"python docs/deep/check.py docs/deep/{name}.moves"
    side = "second" if found.side == "first" else "first"
    query = urlencode({"game": found.game, "opponent": found.agent, "you": side}, safe=":=,")
    return {
        "learner": learned_by(found.agent, found.game),
        "play": f"/play?{query}",
        "commands": [
            {"line": f"fourlab certify --check {name}", "what": "repeats every reply"},
            {"line": check, "what": "standard library, in a checkout"},
        ],
    }


def card(name: str, found: Certificate, files: list[str]) -> dict[str, Any]:
    """Return everything that the page shows of a certificate."""
    rules = find_game(found.game)
    return {
        "name": name,
        "game": game_view(rules),
        "certified": found.certified,
        "title": title_of(found),
        "sentence": sentence(found),
        "side": found.side,
        "strict": found.strict,
        "totals": [
            {"label": "Positions", "value": f"{found.positions:,}"},
            {"label": "Moves asked", "value": f"{sum(t.asked for t in found.by_ply):,}"},
            {"label": "Time", "value": words.seconds(found.seconds)},
            {"label": "Drawn", "value": f"{found.results['drawn']:,}", "kind": _kind(found, 0)},
            {"label": "Lost", "value": f"{found.results['lost']:,}", "kind": _kind(found, -1)},
        ],
        "player": found.agent,
        "title_of_game": words.title_of(rules),
        "digest": found.digest,
        "made": made_by(found),
        "caveat": caveat(found),
        "mirrors": found.mirrors,
        "value": {1: "a win", 0: "a draw", -1: "a loss"}[found.value],
        "plies": [{"ply": tally.ply, "positions": tally.positions} for tally in found.by_ply],
        "holes": holes_by_ply(found),
        "refuted": found.refuted,
        "games": [
            {
                "moves": read_moves(rules, moves),
                "notation": moves,
                "turn": turn_of(turn, moves),
                "href": analyse_address(found.game, moves),
            }
            for moves, turn in zip(found.refutations, found.turns, strict=True)
        ],
        "files": files,
        "commands": commands(name, files),
    }


def _kind(found: Certificate, result: int) -> str:
    """Return the colour of a total: bad if it is below the value and there are any."""
    count = found.results["drawn" if result == 0 else "lost"]
    if result >= found.value:
        return ""
    return "loss" if count else "win"


def turn_of(turn: str, moves: str) -> str:
    """Say where a refuting game turned."""
    found = TURN.fullmatch(turn)
    return f"Move {found[1]}: {found[2]}" if found else f"Refuted after {len(moves)} stones"


def holes_by_ply(found: Certificate) -> list[dict[str, int]]:
    """Count the turning points of the refuting games by ply, as far as they are known."""
    counts: dict[int, int] = {}
    for turn in found.turns:
        known = TURN.fullmatch(turn)
        if known:
            ply = int(known[1]) - 1
            counts[ply] = counts.get(ply, 0) + 1
    return [{"ply": ply, "count": count} for ply, count in sorted(counts.items())]


def commands(name: str, files: list[str]) -> list[dict[str, str]]:
    """Return how a certificate is repeated."""
    found = [{"line": f"fourlab certify --check {name}.json", "what": "repeats every reply"}]
    if "moves" in files:
        line = f"python check.py {name}.moves {name}.json"
        found.append({"line": line, "what": "standard library alone"})
    return found


def row(name: str, found: Certificate) -> dict[str, Any]:
    """Return a certificate as one line of the list."""
    return {
        "name": name,
        "certified": found.certified,
        "title": title_of(found),
        "player": name_of(found.agent),
        "about": f"{words.title_of(find_game(found.game))}, {found.side} player, "
        f"{'strict' if found.strict else 'weak'}; {found.positions:,} positions",
    }


def walking(walk: Walking) -> dict[str, Any]:
    """Return how far a walk is."""
    progress = walk.progress
    cells = find_game(walk.game).cells
    return {
        "state": walk.state,
        "player": name_of(walk.agent),
        "about": f"{words.title_of(find_game(walk.game))}, {walk.side} player, "
        f"{'strict' if walk.strict else 'weak'}",
        "said": f"ply {progress.ply}, {progress.positions:,} positions" if progress else "starting",
        "share": min(1.0, progress.ply / cells) if progress else 0.0,
        "failure": told(walk.failure),
        "name": walk.name,
    }
