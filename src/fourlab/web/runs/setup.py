"""What can be set on Learn, read from an address and written into one.

Which learners there are, what they are called and what can be changed while they learn, all that
is theirs to say: `LEARNERS` and the options of their configs.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fourlab.agents.by_heart import is_small
from fourlab.core.errors import FourlabError
from fourlab.core.spec import YES_NO, Option, configure, options_of, parse, show_value
from fourlab.learning.base import Learner
from fourlab.learning.networks.sources import parts_of
from fourlab.learning.opponents import named_in
from fourlab.learning.registry import LEARNERS
from fourlab.rules.catalog import name_of
from fourlab.rules.geometry import Rules
from fourlab.web.limits import KEPT, read_agent, read_game
from fourlab.web.sessions.base import number

ENDLESS = 1_000_000_000  # games: a page learns until it is paused
# What a page sets, where there is it.
HELD = {"games": ENDLESS, "memory-mb": 64, "chunk": 500, "window": 200_000, "threads": 1}
# What it sets where an address does not: something is learned within seconds.
SOON: dict[str, dict[str, float]] = {
    "zero": {
        **{"width": 16, "blocks": 1, "lanes": 32, "batch": 64, "prefill": 512},
        "start-share": 0.5,
    },
    "deep-q": {"width": 16, "lanes": 64, "batch": 128},
    "distil": {"width": 16, "blocks": 2, "batch": 128},
}
# And only where an address sets nothing else: others would not go together with it.
ALONE = {"deep-q": {"target": "returns"}}
WALKED = 30  # cells up to which the solver's strategy is walked through within seconds
OFFERED = ("game", "learner", "opponent")
SMALL_GAMES = (
    "connect:columns=5,rows=4,k=4",
    "tictactoe",
    "connect:columns=4,rows=4,k=3",
    "connect:columns=6,rows=5,k=4",
    "connect4",
)
OPPONENTS = {
    "baseline": "Baseline",
    "random": "Random",
    "mcts:sims=20": "MCTS 20",
    "minimax:depth=2": "Minimax 2",
    "perfect": "Perfect",
    "self": "Itself",
}
MOST_CELLS = 42  # of a board that is not offered
MOST_OPPONENTS = 64  # in one text
LIGHT = {"mcts": ("sims", 500), "flat": ("playouts", 100), "minimax": ("depth", 6)}
EXHAUSTIVE = ("perfect", "minimax")  # on boards small enough
RATES = ("alpha", "epsilon")  # that may be schedules
MOST_SPEC = 400  # characters
MOST_SEED = 2**31
RANGES = {"epsilon": (0.0, 1.0), "alpha": (0.0, 1.0)}
WIDEST = (-1000.0, 1000.0)
FILES = ("starts", "data")  # options that name files, which are not a visitor's to name
POSITIONS = ("walk", "suite", "uci")  # that may be learned from: no files, no other player's games
MEAN = "mean"  # of a rate: values are the means of what they were taught


@functools.cache
def dials(learner: str) -> tuple[Option, ...]:
    """Return the options of a learner that a visitor may turn while it learns."""
    return tuple(option for option in options_of(LEARNERS[learner].Config) if option.live)


def titles() -> dict[str, str]:
    """Return the learners and what people call them."""
    return {name: LEARNERS[name].title for name in LEARNERS}


@dataclass(frozen=True)
class LearnSetup:
    """A learner, a board, an opponent, and what differs from the learner's own settings.

    Dials are turned while it learns; what is fixed came with the address, as the text of options.
    """

    learner: str = "q"
    rules: Rules = field(default_factory=lambda: read_game(SMALL_GAMES[0]))
    opponent: str = "baseline"
    turned: Mapping[str, float | bool] = field(default_factory=dict)  # by option name
    fixed: Mapping[str, str] = field(default_factory=dict)  # by option name
    seed: int = 0

    @property
    def kind(self) -> type[Learner]:
        """The learner."""
        return LEARNERS[self.learner]

    @property
    def spec(self) -> str:
        """The learner as a spec string."""
        there = {option.name for option in options_of(self.kind.Config)}
        options: dict[str, Any] = {}
        if "opponent" in there:
            options["opponent"] = f"({self.opponent})"
        options |= {name: value for name, value in HELD.items() if name in there}
        options |= SOON.get(self.learner, {})
        options |= {} if self.fixed else ALONE.get(self.learner, {})
        if "positions" in there and self.rules.cells > WALKED:
            options["positions"] = "(suite:middle and suite:end)"
        options |= {name: f"({value})" for name, value in self.fixed.items()}
        options |= {name: _written(value) for name, value in self.turned.items()}
        return f"{self.learner}:" + ",".join(f"{name}={value}" for name, value in options.items())

    @property
    def config(self) -> Any:
        """The config of the learner."""
        return configure(self.kind.Config, parse(self.spec), "learner")

    @property
    def games(self) -> int:
        """The games after which it ends."""
        return int(self.fixed.get("games", ENDLESS))

    @property
    def yardstick(self) -> str:
        """The agent that it is tested against: its opponent, of several the last."""
        return ["random", *named_in(self.opponent)][-1]

    def value(self, dial: Option) -> float | bool:
        """Return a dial as it is set, or the learner's own."""
        own = dial.default if dial.kind is bool else float(dial.default)
        return self.turned.get(dial.name, own)

    def shown(self, dial: Option) -> float | bool | str:
        """Return a dial as a page shows it: a schedule as its text."""
        return self.fixed.get(dial.name) or self.value(dial)

    def changes(self) -> dict[str, Any]:
        """Return the dials as fields of the learner's config."""
        return {
            dial.field: _written(self.turned[dial.name]) if dial.kind is str else self.value(dial)
            for dial in dials(self.learner)
            if dial.name in self.turned
        }

    def with_choice(self, name: str, value: str) -> LearnSetup:
        """Return the settings with another learner, board or opponent."""
        if name == "game":
            return replace(self, rules=_board(value))._checked()
        if name == "learner":
            return self._with_learner(value)
        return replace(self, opponent=str(value))._checked()

    def _with_learner(self, text: str) -> LearnSetup:
        """Return the settings with another learner, named alone or as a spec with its options."""
        spec = parse(str(text)[:MOST_SPEC])
        if spec.name not in LEARNERS:
            raise FourlabError(f"learner {str(text)[:40]!r} is not offered; {', '.join(titles())}")
        setup = replace(self, learner=spec.name, turned={}, fixed={})
        if not spec.options:
            return setup._checked()
        config = configure(LEARNERS[spec.name].Config, spec, "learner")
        setup = replace(setup, opponent=str(getattr(config, "opponent", setup.opponent)))
        known = {option.name: option for option in options_of(type(config))}
        for name, value in spec.options.items():
            setup = setup._with_option(known[name], value, getattr(config, known[name].field))
        return setup._checked()

    def _with_option(self, option: Option, text: str, value: Any) -> LearnSetup:
        """Return the settings with an option of a spec, which the learner's config takes."""
        name = option.name
        if name == "opponent" or (name in HELD and name != "games"):
            return self
        if option.public is not None and value is not None and value > option.public:
            raise FourlabError(f"{name} {text} is too much for a page; at most {option.public:g}")
        if name in FILES and text:
            raise FourlabError(f"{name} names a file, which a page cannot; use fourlab train")
        if name == "positions":
            _check_positions(text)
        if option in dials(self.learner) and not (name in RATES and ":" in text):
            return self.with_dial(name, text)
        written = show_value(value) if option.kind is int else text  # 1e5 games are 100000
        return replace(self, fixed={**self.fixed, name: written})

    def _checked(self) -> LearnSetup:
        """Return the settings if the learner takes them and a round of games ends soon."""
        self.kind.check(self.rules, self.config)
        if self.opponent not in OPPONENTS:
            _check_opponents(self.opponent, self.rules)
        if self.opponent == "perfect" and not is_small(self.rules):
            raise FourlabError(
                "a page trains against perfect play on boards such as tictactoe and 5 x 4, of "
                "which it knows every position; choose a smaller board or another opponent"
            )
        return self

    def with_dial(self, name: str, text: Any) -> LearnSetup:
        """Return the settings with a dial turned; raises FourlabError if it cannot be."""
        known = {dial.name: dial for dial in dials(self.learner)}
        if name not in known:
            raise FourlabError(f"{str(name)[:20]!r} cannot be set; {', '.join(known)}")
        fixed = {other: value for other, value in self.fixed.items() if other != name}
        value = self._mean(name, text)
        turned = {**self.turned, name: _read(known[name], text) if value is None else value}
        return replace(self, turned=turned, fixed=fixed)._checked()

    def _mean(self, name: str, text: Any) -> float | None:
        """Return the rate that stands for the mean of all targets, if a text says it."""
        means: tuple[str, ...] = getattr(self.kind.Config, "means", ())
        is_mean = name == "alpha" and str(text).strip().lower() in (MEAN, *means)
        return float(means[0]) if means and is_mean else None

    def to_query(self) -> dict[str, str]:
        """Return the settings as they stand in an address."""
        options = ",".join(f"{name}={_bracketed(text)}" for name, text in self.fixed.items())
        learner = f"{self.learner}:{options}" if options else self.learner
        query = {"learner": learner, "game": name_of(self.rules), "opponent": self.opponent}
        query |= {"seed": str(self.seed)} if self.seed else {}
        return query | {name: _written(value) for name, value in self.turned.items()}


def _bracketed(text: str) -> str:
    return f"({text})" if "," in text or ":" in text else text


def _board(spec: str) -> Rules:
    """Return a board to learn on; raises FourlabError if it is too large."""
    rules = read_game(str(spec))
    if spec not in SMALL_GAMES and rules.cells > MOST_CELLS:
        raise FourlabError(
            f"game {str(spec)[:40]!r} has {rules.cells} cells; a page learns on up to {MOST_CELLS}"
        )
    return rules


def _check_positions(text: str) -> None:
    """Raise FourlabError if a page cannot learn from such positions."""
    for one in parts_of(text):
        if parse(one).name not in POSITIONS:
            raise FourlabError(
                f"positions {one[:40]!r} cannot be learned from on a page; walk:first, "
                "walk:second, suite:middle or uci; others with fourlab train"
            )


def _check_opponents(text: str, rules: Rules) -> None:
    """Raise FourlabError if a page cannot train against them: their moves must come soon."""
    names = list(itertools.islice(named_in(text[:MOST_SPEC]), MOST_OPPONENTS + 1))
    if len(names) > MOST_OPPONENTS:
        raise FourlabError(f"opponent {text[:40]!r} names more than {MOST_OPPONENTS} agents")
    for name in names:
        if name.startswith(KEPT):
            raise FourlabError(
                f"opponent {name!r} is a run, against which no page trains; in the terminal: "
                "fourlab train --opponent, with the folder of a run"
            )
        agent = read_agent(name, rules)
        option, most = LIGHT.get(agent.name, ("", 0))
        asked = getattr(agent.config, option) if option else 0
        knows_all = agent.name in EXHAUSTIVE and asked in (None, 0)  # looks to the end of the game
        if knows_all and not is_small(rules):
            raise FourlabError(f"opponent {name!r} is too slow for a page on this board")
        if not knows_all and (asked is None or asked > most):
            raise FourlabError(f"opponent {name!r} is too slow for a page; at most {option}={most}")


def range_of(dial: Option) -> tuple[float, float]:
    """Return between which numbers a dial can be turned."""
    low, high = RANGES.get(dial.name, (dial.low, dial.high))
    return WIDEST[0] if low is None else low, WIDEST[1] if high is None else high


def _read(dial: Option, text: Any) -> float | bool:
    """Return what a visitor typed for a dial; raises FourlabError with what is allowed."""
    if dial.kind is bool:
        if str(text).lower() not in YES_NO:
            raise FourlabError(f"{dial.name} {str(text)[:20]!r} is neither yes nor no")
        return YES_NO[str(text).lower()]
    low, high = range_of(dial)
    try:
        value = float(text)
    except (TypeError, ValueError):
        raise FourlabError(
            f"{dial.name} {str(text)[:20]!r} is no number; {low:g} to {high:g}"
        ) from None
    if not low <= value <= high:
        raise FourlabError(f"{dial.name} {value:g} is out of range; {low:g} to {high:g}")
    return value


def _written(value: float | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}"


def read_setup(query: Mapping[str, str]) -> tuple[LearnSetup, str]:
    """Return the settings of an address, and what in it could not be taken."""
    own, problems = LearnSetup(), list[str]()
    setup = own
    try:  # whether a learner takes the board is known once it is chosen
        setup = replace(own, rules=_board(query.get("game", SMALL_GAMES[0])))
    except FourlabError as error:
        problems.append(str(error))
    for name in ("learner", "opponent"):
        if name in query:
            try:
                setup = setup.with_choice(name, query[name])
            except FourlabError as error:
                problems.append(str(error))
    try:
        setup._checked()
    except FourlabError as error:
        problems.append(str(error))
        setup = replace(setup, rules=own.rules)
    try:
        setup = replace(setup, seed=number(query.get("seed", "0"), 0, MOST_SEED, "seed"))
    except FourlabError as error:
        problems.append(str(error))
    for dial in dials(setup.learner):
        if dial.name in query:
            try:
                setup = setup.with_dial(dial.name, query[dial.name])
            except FourlabError as error:
                problems.append(str(error))
    return setup, "; ".join(dict.fromkeys(problems))
