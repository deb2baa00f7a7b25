"""What the Play page shows of its session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fourlab.rules.catalog import game, name_of
from fourlab.rules.formats import row_cells
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Outcome, Position
from fourlab.web import words
from fourlab.web.limits import MOVE_SECONDS
from fourlab.web.sessions.overlays import spoken
from fourlab.web.sessions.review_view import review_view, spoken_review
from fourlab.web.sessions.truth import is_solved_in_time
from fourlab.web.words import COLOURS, HUMAN

if TYPE_CHECKING:
    from fourlab.web.sessions.play import PlaySession

GAME_TITLES = {spec: words.title_of(game(spec)) for spec in words.OFFERED_GAMES}


def board_view(position: Position) -> dict[str, Any]:
    """Return what a board needs to be drawn; moves and cells count from 0, cells from the top."""
    rules = position.rules
    line = position.line
    return {
        "moves": list(position.moves),
        "legal": list(position.legal_moves()),
        "line": [index for index, cell in enumerate(row_cells(rules)) if line & cell],
        "toMove": position.to_move,
        "over": position.is_over,
    }


def game_view(rules: Rules) -> dict[str, Any]:
    """Return a game as the pages know it."""
    return {
        "spec": name_of(rules),
        "title": words.title_of(rules),
        "columns": rules.columns,
        "rows": rules.rows,
        "connect": rules.connect,
        "gravity": rules.gravity,
        "unit": rules.unit,
    }


def offered_games(rules: Rules) -> list[dict[str, str]]:
    """Return the games to choose from, the present one among them."""
    found = [{"spec": spec, "title": title} for spec, title in GAME_TITLES.items()]
    if name_of(rules) not in GAME_TITLES:
        found.append({"spec": name_of(rules), "title": words.title_of(rules)})
    return found


def play_view(session: PlaySession) -> dict[str, Any]:
    """Return everything that the page shows."""
    setting = session.setting
    return {
        "game": game_view(session.rules),
        "games": offered_games(session.rules),
        "board": board_view(session.position),
        "moves": list(session.line.last.moves),
        "notation": session.line.last.notation,
        "at": session.line.at,
        "canPlay": session.human_to_move,
        "canUndo": _can_undo(session),
        "canRedo": not session.line.is_at_end,
        "status": status(session),
        "players": [_player(spec) for spec in setting.players],
        "you": setting.you if setting.people == 1 else None,
        "people": setting.people,
        "running": session.running,
        "starts": setting.starts,
        "families": [family.to_json() for family in words.families(session.rules)],
        "strengths": list(words.STRENGTHS),
        "overlay": setting.overlay,
        "hasValues": session.thinker is not None,
        "chips": None if session.overlay_data is None else session.overlay_data["chips"],
        "hint": session.hinted,
        "graph": graph(session),
        "review": review_view(session, name_side),
        "variations": variations(session),
        "kept": session.games.name,
        "games_kept": session.games.recent,
        "runs": [one for one in session.games.runs if game(one["game"]) == session.rules],
        "doubt": doubt(session),
        "announce": announce(session),
        "notice": session.notice,
        "error": session.error,
        "url": session.url,
    }


def _player(spec: str) -> dict[str, Any]:
    if spec == HUMAN:
        return {"family": HUMAN, "title": "A person", "spec": HUMAN, "level": None}
    return words.opponent_of(spec)


def variations(session: PlaySession) -> list[dict[str, Any]]:
    """Return the other lines of the game: where each leaves it, and how it goes on."""
    main = session.line.last.moves
    found = []
    for moves in session.line.variations:
        pairs = enumerate(zip(moves, main, strict=False))
        fork = next((i for i, (one, other) in pairs if one != other), min(len(moves), len(main)))
        found.append({"from": fork + 1, "moves": list(moves[fork:])})
    return found


def doubt(session: PlaySession) -> str:
    """Say where a perfect player cannot know, before it matters and when it did."""
    if not any(agent is not None and agent.name == "perfect" for agent in session.agents):
        return ""
    if session.guessed:
        return f"This position was not solved in {MOVE_SECONDS:.0f} s: the last answer was a guess."
    if is_solved_in_time(session.rules):
        return ""
    title = words.title_of(session.rules)
    return (
        f"{title} is too large to be solved in {MOVE_SECONDS:.0f} s a move: it guesses at first, "
        "and is perfect once the board has filled."
    )


def _can_undo(session: PlaySession) -> bool:
    if session.setting.people == 1:
        return session.line.at > session.setting.you
    return session.line.at > 0


def name_side(session: PlaySession, side: int) -> str:
    """Say who a side is: You, Opponent, or its colour."""
    if session.reader is None:
        return COLOURS[side]
    return "You" if side == session.reader else "Opponent"


def status(session: PlaySession) -> dict[str, Any]:
    """Return the headline, the disc beside it, and the line to its right."""
    position = session.position
    outcome = position.outcome
    if outcome is Outcome.DRAW:
        return {"side": None, "title": "Draw", "caption": end_caption(session)}
    if outcome.winner is not None:
        who = name_side(session, outcome.winner)
        title = "You win" if who == "You" else f"{who} wins"
        return {"side": outcome.winner, "title": title, "caption": end_caption(session)}
    return {
        "side": position.to_move,
        "title": _headline(session),
        "caption": caption(session),
        "busy": _is_thinking(session),
    }


def _is_thinking(session: PlaySession) -> bool:
    is_asked = session.setting.people > 0 or session.running
    return session.agent_to_move and is_asked and not session.failure


def _headline(session: PlaySession) -> str:
    side = session.position.to_move
    who = name_side(session, side)
    if not session.line.is_at_end and not session.human_to_move:
        return f"{'Your' if who == 'You' else who + chr(8217) + 's'} move {session.line.at + 1}"
    if _is_thinking(session):
        return f"{who} is thinking"
    return "Your move" if who == "You" else f"{who} to move"


def end_caption(session: PlaySession) -> str:
    """Say how long the game was and which move lost it, once that is known."""
    stones = session.line.length
    text = f"{stones} moves"
    outcome = session.line.last.outcome
    blunders = session.values.blunders(session.line.positions)
    if outcome.winner is not None:
        lost = [blunder.move for blunder in blunders if blunder.side != outcome.winner]
        after = session.line.positions[lost[-1] :] if lost else []
        if lost and None not in map(session.values.scores.get, after):  # it may be given back there
            return f"{text}; move {lost[-1]} lost the game"
    if session.values.missing(session.line.positions):
        return f"{text}; looking for the move that decided it"
    if outcome.winner is not None and None not in session.values.scores.values():
        return f"{text}; the win was there from the start"
    return text


def caption(session: PlaySession) -> str:
    """Return the line beside the headline: an instruction, or what the overlay took."""
    if session.hinted is not None:
        return str(session.hinted["text"])
    number = f"Move {session.line.at + 1}"
    if not session.line.is_at_end:
        number = f"Move {session.line.at + 1} of {session.line.length}"
    data = session.overlay_data
    if data is None:
        if session.line.length == 0 and session.setting.people > 0:
            return instruction(session.rules)
        return number
    if "says" in data:
        return f"{number} · {data['says']}"
    if not data["done"]:
        return f"{number} · solving, {data['solved']} of {data['of']}"
    if data["solved"] < data["of"]:
        return f"{number} · not solved in the time given"
    solved = f"solved in {words.seconds(data['seconds'])}"
    return f"{number} · exact scores, {'from the book' if data['source'] == 'book' else solved}"


def instruction(rules: Rules) -> str:
    """Say in one line how to play."""
    line = {3: "Three", 4: "Four", 5: "Five"}.get(rules.connect, str(rules.connect))
    return f"{line} in a row wins. Pick a {rules.unit}."


def graph(session: PlaySession) -> dict[str, Any]:
    """Return the value of the game move by move, its blunders, and what is missing."""
    positions = session.line.positions
    if not session.shows_graph:
        return {"shown": False}
    side = session.setting.you
    blunders = session.values.blunders(positions)
    missing = len(session.values.missing(positions))
    points = session.values.points(positions, side)
    unsolved = sum(point is None for point in points) - missing
    owner = f"{COLOURS[side].lower()}’s side" if session.reader is None else "your side"
    return {
        "shown": True,
        "owner": owner,
        "points": points,
        "at": session.line.at,
        "waiting": missing,
        "unsolved": unsolved,
        "blunders": [
            {
                "move": blunder.move,
                "own": blunder.side == side,
                "who": name_side(session, blunder.side),
                "text": f"{blunder.before} became {blunder.after}",
            }
            for blunder in blunders
        ],
    }


def announce(session: PlaySession) -> str:
    """Say the last move, how the game stands, and what was asked for, for those who listen."""
    position = session.position
    if session.is_reviewing:
        return spoken_review(session, name_side)
    if not position.moves:
        said = f"New game of {words.title_of(session.rules)}."
    else:
        who = name_side(session, 1 - position.to_move)
        said = f"{who}: {session.rules.unit} {position.moves[-1] + 1}."
    if position.is_over:
        return f"{said} {status(session)['title']}."
    if session.hinted is not None:
        return f"{said} {session.hinted['text']}."
    data = session.overlay_data
    return said if data is None or not data["done"] else f"{said} {spoken(session.rules, data)}"
