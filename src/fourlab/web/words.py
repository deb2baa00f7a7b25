"""What the pages say: names of games, opponents and strengths, numbers as people write them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourlab.core.errors import FourlabError
from fourlab.core.spec import POSITIONAL, parse
from fourlab.rules.catalog import GAMES, name_of
from fourlab.rules.geometry import Rules
from fourlab.search.scores import words

COLOURS = ("Yellow", "Red")
STRENGTHS = ("Beginner", "Casual", "Steady", "Strong", "Expert", "Master")
HUMAN = "human"
DEFAULT_GAME = "connect4"
DEFAULT_OPPONENT = "mcts:sims=200"
OFFERED_GAMES = (
    "connect4",
    "connect:columns=5,rows=4,k=4",
    "connect:columns=6,rows=5,k=4",
    "connect:columns=5,rows=6,k=4",
    "connect:columns=8,rows=6,k=4",
    "connect:columns=9,rows=6,k=5",
    "connect:columns=4,rows=4,k=3",
    "tictactoe",
    "mnk:columns=4,rows=4,k=4",
    "mnk:columns=5,rows=5,k=4",
)


@dataclass(frozen=True)
class Family:
    """A kind of opponent: one spec, or one for each strength."""

    name: str
    title: str
    specs: tuple[str, ...]
    details: tuple[str, ...]
    games: tuple[str, ...] = ()  # that it can play; nothing: all

    def to_json(self) -> dict[str, Any]:
        """Return what the page needs to offer it."""
        return {
            "name": self.name,
            "title": self.title,
            "specs": list(self.specs),
            "details": list(self.details),
        }


def _ladder(name: str, title: str, form: str, detail: str, amounts: tuple[Any, ...]) -> Family:
    return Family(
        name,
        title,
        tuple(form.format(amount) for amount in amounts),
        tuple(_plural(detail.format(_scaled(form, amount))) for amount in amounts),
    )


def _plural(detail: str) -> str:
    return detail.replace(" 1 plies", " 1 ply")


def _scaled(form: str, amount: Any) -> Any:
    return round(amount * 100) if "blunder" in form else amount


FAMILIES = [
    _ladder(
        "mcts",
        "Monte Carlo tree search",
        "mcts:sims={}",
        "{:,} simulations a move",
        (10, 40, 100, 200, 1000, 5000),
    ),
    _ladder(
        "minimax",
        "Minimax",
        "minimax:depth={}",
        "looks {} plies ahead",
        (1, 2, 3, 4, 6, 8),
    ),
    _ladder(
        "slips",
        "Perfect, with slips",
        "perfect:blunder={}",
        "slips in {}% of its moves",
        (0.6, 0.4, 0.2, 0.1, 0.05, 0.02),
    ),
    Family("perfect", "Perfect play", ("perfect",), ("exact, no mistakes",)),
    _ladder(
        "flat",
        "Flat Monte Carlo",
        "flat:playouts={}",
        "{:,} games played out for each move",
        (2, 5, 20, 100, 500, 2000),
    ),
    Family(
        "self-taught",
        "Self-taught",
        ("net", "net:rule=yes", *(f"zero:sims={sims}" for sims in (25, 100, 400, 1600))),
        (
            "a network’s first thought",
            "first thought, wins and blocks",
            *(f"network, {sims:,} simulations" for sims in (25, 100, 400, 1600)),
        ),
        games=("connect4",),
    ),
    Family("baseline", "Baseline", ("baseline",), ("wins or blocks, else at random",)),
    Family("random", "Random", ("random",), ("any legal move",)),
]


# What an agent that plays a file is called.
KINDS = {
    "run": "a run on the shelf",
    "q": "Q-learning",
    "afterstates": "Q-learning of afterstates",
    "double-q": "double Q-learning",
    "td-lambda": "TD(λ)",
    "monte-carlo": "Monte Carlo learning",
    "n-tuple": "n-tuple network",
    "deep-q": "deep Q-learning",
    "learned": "learned values",
    "net": "a network’s first thought",
    "zero": "search with a network",
}


# Networks that come with fourlab, as people would call them.
SHIPPED_NETWORKS = {
    "own": "Self-taught",
    "taught": "Taught by the solver",
    "small": "Taught by the solver, small",
}


def families(rules: Rules) -> list[Family]:
    """Return the kinds of opponents that can play a game."""
    name = name_of(rules)
    return [family for family in FAMILIES if not family.games or name in family.games]


def title_of(rules: Rules) -> str:
    """Name a game for people: 'Connect Four 7 × 6', '5 × 4, connect 4'."""
    name = name_of(rules)
    size = f"{rules.columns} × {rules.rows}"
    if name in GAMES:
        return f"{GAMES[name][1]} {size}"
    verb = "connect" if rules.gravity else "line of"
    return f"{size}, {verb} {rules.connect}"


def opponent_of(spec: str) -> dict[str, Any]:
    """Say who a spec is: its family, its strength as a word, and what that means."""
    for family in FAMILIES:
        if spec in family.specs:
            level = family.specs.index(spec)
            word = STRENGTHS[level] if len(family.specs) > 1 else ""
            return {
                "family": family.name,
                "title": family.title,
                "level": level,
                "strength": word,
                "detail": family.details[level],
                "spec": spec,
            }
    title, detail = _in_words(spec)
    return {
        "family": "custom",
        "title": title,
        "level": None,
        "strength": "Custom",
        "detail": detail,
        "spec": spec,
    }


def _same(name: str) -> str:
    return name


_title_of: Callable[[str], str] = _same  # agents are named in many places, of one laboratory


def name_runs(title_of: Callable[[str], str]) -> None:
    """Call kept runs by their titles; `title_of` returns every other name as it is."""
    global _title_of
    _title_of = title_of


def _in_words(spec: str) -> tuple[str, str]:
    """Name an agent outside the families: a file by its name alone, with its kind as detail."""
    try:
        read = parse(spec)
    except FourlabError:
        return spec, ""
    path = Path(read.options.get(POSITIONAL, ""))
    if not path.name or read.name not in KINDS:
        return spec, ""
    name = path.parent.name if path.stem == "checkpoint" else path.stem
    if read.name in ("net", "zero"):
        name = SHIPPED_NETWORKS.get(str(path), name)
    return _title_of(name), KINDS[read.name]


def flipped(text: str) -> str:
    """Say the same for the other side: 'Win in 9' is 'Loss in 9'."""
    swap = {"Win": "Loss", "Loss": "Win"}
    first, _, rest = text.partition(" ")
    return f"{swap.get(first, first)} {rest}".strip()


def verdict(rules: Rules, stones: int, score: int, by_mover: bool = True) -> str:
    """Say a position's score, seen by the side to move or by the other."""
    said = words(rules, stones, score)
    return said if by_mover else flipped(said)


def signed(number: int) -> str:
    """Write a score with its sign, and a true minus."""
    return f"+{number}" if number > 0 else str(number).replace("-", "−")


def count(number: int) -> str:
    """Write a count: commas, and from 100,000 as 195k."""
    if number >= 10_000_000:
        return f"{number / 1e6:,.0f}M"
    return f"{number / 1000:,.0f}k" if number >= 100_000 else f"{number:,}"


def seconds(time: float) -> str:
    """Write a time: 0.08 s, 12 s."""
    if time < 0.01:
        return "less than 0.01 s"
    return f"{time:.2f} s" if time < 10 else f"{time:.0f} s"


# Words of the trade that the pages use; pressed, each says this.
GLOSSARY = {
    "baseline": "A simple player: it wins if it can, blocks if it must, and otherwise moves at "
    "random. Others are measured against it.",
    "self-play": "The learner plays both sides, and learns from every game who won.",
    "Q(s, a)": "What the learner thinks a move is worth: the result that it expects if it plays "
    "move a in position s. 1 is a sure win, −1 a sure loss.",
    "spec": "A player written in one line: its name, then its options, such as mcts:sims=200 or "
    "minimax:depth=4.",
    "simulation": "One game that a search tries out in its head before it moves.",
    "MCTS": "Monte Carlo tree search: it tries out many games and looks more often where they "
    "went well.",
    "minimax": "It looks so many moves ahead and takes what is best against the best reply.",
    "explore": "Epsilon: the share of moves that the learner makes at random, to find out more.",
    "rate": "Alpha: how far a value moves toward what just happened.",
    "discount": "Gamma: what a reward is worth one turn later.",
    "Elo": "A rating, 1500 in the mean: 400 points more mean that ten games of eleven are won.",
    "95% interval": "If everything were repeated many times, the truth would lie inside such an "
    "interval 19 times of 20.",
    "opening": "The first moves of a game, drawn by lot before the players begin; each opening is "
    "played twice, with sides changed.",
    "exact": "Known for certain: the solver has looked at everything that can follow.",
    "weak": "Proven from the start: whatever is replied, it reaches the value of the game.",
    "strict": "Proven in every position that it can be led to: no mistake goes unpunished.",
    "ply": "One stone; a game of 24 plies has 24 stones on the board.",
    "digest": "A fingerprint of all positions and moves: another walk must find the same.",
}
