"""Positions to learn from, by a text, and their labels.

walk:first            all that a side is asked when it plays the solver's fastest win, or latest
walk:second           loss, against every reply
games:of=SPEC         all of games that an agent plays against itself, every so many moves at random
suite:middle          of a suite: opening, middle, end, uci
uci                   the whole UCI data set (connect4): scores of positions, not of moves
file:PATH             of a file with a move string a line

Several are joined by `and`: `walk:first and games:of=(mcts:sims=100),count=500`. A name that holds
it stands in brackets: `file:(this and that)`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.agents.apart import apart
from fourlab.agents.registry import agent as find_agent
from fourlab.core.arrays import Ints
from fourlab.core.brackets import split_items, unwrapped
from fourlab.core.errors import IllegalMoveError, SpecError
from fourlab.core.limit import NO_LIMIT
from fourlab.core.spec import configure, option, parse, unknown
from fourlab.core.storage import checksum
from fourlab.learning.networks.replies import SIDES, asked, at_once
from fourlab.positions.labels import (
    UNPLAYABLE,
    Labeller,
    Labels,
    begun,
    joined,
    packed,
    unpacked,
)
from fourlab.positions.starts import draw_boards, starts
from fourlab.positions.suites import NAMES, Scored, load_suites, make_suite, read_positions
from fourlab.positions.uci import PLIES, uci
from fourlab.rules.boards import Boards, refusal
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import has_line, legal_cells, move_cell, play
from fourlab.rules.keys import check_size, is_reflected
from fourlab.search.book import shipped_book

AND = " and "
Watch = Callable[[int, int, int], None]  # ply, positions of the ply, how many are labelled


@dataclass(frozen=True)
class Walk:
    """Options of `walk`."""

    side: str = option("first", "whose moves", choices=SIDES, positional=True)


@dataclass(frozen=True)
class Games:
    """Options of `games`."""

    of: str = option("mcts:sims=100", "the agent")
    count: int = option(1000, "games", low=1, high=10_000_000)
    random: float = option(0.1, "share of moves at random", low=0, high=1)
    plies: int = option(8, "random moves before the first, at most", low=0, high=62)
    seed: int = option(0, "repeats the games", low=0)


@dataclass(frozen=True)
class Suite:
    """Options of `suite`."""

    name: str = option("middle", "which suite", choices=NAMES, positional=True)


@dataclass(frozen=True)
class Uci:
    """`uci` has nothing to set."""


@dataclass(frozen=True)
class File:
    """Options of `file`."""

    path: str = option("", "a file with a move string a line", positional=True)


KINDS: dict[str, type[Any]] = {
    "walk": Walk,
    "games": Games,
    "suite": Suite,
    "uci": Uci,
    "file": File,
}


def parts_of(text: str) -> list[str]:
    """Return the sources that a text joins, each as its own text; raises SpecError."""
    return split_items(unwrapped(text.strip()), text, AND)


def sources(text: str, rules: Rules) -> list[Any]:
    """Return what a text of sources names, as config objects; raises FourlabError.

    That is also raised where a board has no such positions, or is too large for their keys.
    """
    check_size(rules)
    found = []
    for part in parts_of(text):
        spec = parse(part)
        if spec.name not in KINDS:
            raise unknown("source of positions", spec.name, KINDS)
        source = configure(KINDS[spec.name], spec, "source")
        if source in (Uci(), Suite("uci")) and str(rules) != "connect4":
            raise SpecError(f"positions={part}: the UCI data is of connect4, not of {rules}")
        found.append(source)
    return found


def lessons(
    text: str, rules: Rules, folder: Path | None = None, watch: Watch = lambda *_: None
) -> Labels:
    """Return the positions of all sources with their labels, each position once.

    `folder` keeps what is labelled, in files that are gone on with and never made twice.
    """
    named, parts = sources(text, rules), []
    with Labeller(rules) as labeller:
        for source in named:
            parts += _labelled(labeller, source, folder, watch)
    return distinct(joined(parts))


def _labelled(labeller: Labeller, source: Any, folder: Path | None, watch: Watch) -> list[Labels]:
    rules = labeller.rules
    if isinstance(source, Uci):
        return [uci_scores(rules)]
    if isinstance(source, Walk):
        home = folder / f"walk-{source.side}" if folder else None
        levels = asked(labeller, source.side, home, watch)
        return [part for level in levels for part in level]
    if isinstance(source, Suite) and folder is None and source.name in load_suites(rules):
        return [scored(rules, load_suites(rules)[source.name])]
    keys = np.unique(_keys(rules, source))
    plies = np.bitwise_count(unpacked(rules, keys)[1])
    by_ply = {ply: keys[plies == ply] for ply in np.unique(plies).tolist()}
    home = _home(rules, folder, type(source).__name__.lower(), by_ply) if folder else None
    found = []
    for ply, here in by_ply.items():
        path = home / _file(ply) if home else None
        found.append(labeller.label(here, path, functools.partial(watch, ply, len(here))))
    return found


def _home(rules: Rules, folder: Path, kind: str, by_ply: dict[int, Ints]) -> Path:
    """Return where the labels of a source are kept: by its positions, whatever now names them."""
    plain = folder / kind  # of folders made when they held one source of a kind
    if plain.is_dir() and all(
        begun(plain / _file(ply), rules, keys) is not None for ply, keys in by_ply.items()
    ):
        return plain
    return folder / f"{kind}-{checksum({str(ply): keys for ply, keys in by_ply.items()})[:8]}"


def _file(ply: int) -> str:
    return f"ply-{ply:02}.npz"


def _keys(rules: Rules, source: Any) -> Ints:
    if isinstance(source, Games):
        return played(rules, source)
    positions = (
        read_positions(rules, Path(source.path))
        if isinstance(source, File)
        else make_suite(rules, source.name)
    )
    going_on = [position for position in positions if not position.is_over]
    if not going_on:
        raise SpecError(f"{source}: no position in which the game goes on")
    return packed(
        rules,
        np.array([position.mover for position in going_on]),
        np.array([position.occupied for position in going_on]),
    )


def played(rules: Rules, games: Games) -> Ints:
    """Return the keys of all positions of games that an agent plays against itself."""
    player = apart(find_agent(games.of, rules))
    player.prepare()
    rng = np.random.default_rng(games.seed)
    begun = starts(f"random:plies={games.plies}", rules)
    boards = draw_boards(rules, begun, rng.integers(1 << 62, size=games.count))
    found = []
    while len(boards.movers):
        found.append(packed(rules, *boards[:2]))
        dice = rng.integers(1 << 62, size=len(boards.movers))
        moves = player.choose(boards, dice, NO_LIMIT.heard)
        if any(not _is_legal(rules, *row) for row in zip(boards.occupied, moves, strict=True)):
            raise IllegalMoveError(f"{player.spec}: {refusal(rules, boards, moves)}")
        slips = rng.random(len(moves)) < games.random
        moves[slips] = _drawn(rules, boards.occupied[slips], rng)
        boards = _moved(rules, boards, moves)
    return np.concatenate(found)


def _is_legal(rules: Rules, occupied: int, move: int) -> bool:
    return 0 <= move < rules.move_count and move_cell(rules, occupied, move) != 0


def _drawn(rules: Rules, occupied: Ints, rng: np.random.Generator) -> Ints:
    moves = range(rules.move_count)
    drawn = [
        rng.choice([move for move in moves if move_cell(rules, board, move)])
        for board in occupied.tolist()
    ]
    return np.array(drawn, np.int64)


def _moved(rules: Rules, boards: Boards, moves: Ints) -> Boards:
    """Return the boards after a move each, those that go on."""
    after = []
    for mover, occupied, move in zip(*boards[:2], moves, strict=True):
        cell = move_cell(rules, occupied, move)
        board = play(mover, occupied, cell)
        if not has_line(rules, mover | cell) and legal_cells(rules, board[1]):
            after.append(board)
    movers, occupied = np.array(after, np.int64).reshape(-1, 2).T.copy()
    return Boards(movers, occupied, np.zeros((len(after), 0), np.uint8))


def uci_scores(rules: Rules) -> Labels:
    """Return the UCI data set: the scores of its positions by the book, none of their moves."""
    data, book = uci(), shipped_book(rules)
    quick = at_once(rules, packed(rules, data.movers, data.occupied))
    values = data.outcomes.astype(np.int8)
    if book is not None:
        values = book.scores[PLIES][np.searchsorted(book.shelves[PLIES].keys, quick.keys)]
    return Labels(rules, quick.keys, values, quick.scores)


def scored(rules: Rules, entries: Sequence[Scored]) -> Labels:
    """Return positions whose scores are known as labels: of mirror images the one of its key."""
    keys, scores = [], []
    across = [
        move - 2 * (move % rules.columns) + rules.columns - 1 for move in range(rules.move_count)
    ]
    for position, known in ((entry.position, entry.scores) for entry in entries):
        row = [UNPLAYABLE if score is None else score for score in known]
        is_image = is_reflected(rules, position.mover, position.occupied)
        keys.append(position.shared_key)
        scores.append([row[move] for move in across] if is_image else row)
    rows = np.array(scores, np.int8)
    return Labels(rules, np.array(keys, np.int64), rows.max(axis=1), rows)


def distinct(labels: Labels) -> Labels:
    """Return each position once, by key; where it stood twice, the first time counts."""
    return labels.take(np.unique(labels.keys, return_index=True)[1])
