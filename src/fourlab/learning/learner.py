"""`Learner`: training as an iterator, chunk by chunk, that can be put away and taken up."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.agents.base import kernel_seed
from fourlab.agents.learned import LEARNED_AGENTS, Learned, LearnedConfig
from fourlab.agents.players import RANDOM, Player, learned_player, simple_player, thinks
from fourlab.learning.config import Training
from fourlab.learning.episodes import new_episode
from fourlab.learning.opponents import SELF, opponents
from fourlab.learning.schedules import schedule
from fourlab.learning.starts import starts
from fourlab.learning.training import DECISIONS, DRAWS, LOSSES, WINS, Plan, trainer
from fourlab.rules.errors import SpecError
from fourlab.rules.geometry import Rules
from fourlab.rules.position import FIRST, SECOND
from fourlab.rules.spec import write
from fourlab.rules.storage import StorageError
from fourlab.values.knowledge import Arrays, Knowledge

FROZEN_PREFIX = "frozen_"


@dataclass(frozen=True)
class Progress:
    """What a chunk of games came to, for the learner; in self-play, for the first player."""

    games: int  # played since the beginning of the run
    wins: int
    draws: int
    losses: int
    decisions: int
    size: int  # rows of the table, or weights of the network
    left_out: int
    alpha: float  # in the last game
    epsilon: float


class Learner:
    """Learns one game; `steps` yields after each chunk of games.

    All that is random comes from the generator given to the first `steps` and from the games
    played, so that a learner saved after any chunk and loaded again goes on as if nothing had
    happened, bit for bit.
    """

    def __init__(self, rules: Rules, config: Training, seed: int = 0) -> None:
        self.rules = rules
        self.config = config
        self.seed = seed
        about = {"learner": config.name, "config": dataclasses.asdict(config), "seed": seed}
        self.knowledge = Knowledge.new(rules, config.shape(seed), about)
        self.games = 0
        self.notes: dict[str, Any] = {}  # kept with the learner for whoever runs it
        self._dice: int | None = None
        self._frozen: Knowledge | None = None
        self._episode = new_episode(rules)
        self._alpha = schedule(config.alpha, "alpha")
        self._epsilon = schedule(config.epsilon, "epsilon")
        self.lesson = config.lesson(starts(config.start, rules))
        self._opponents = (
            None if config.opponent == SELF else opponents(config.opponent, rules, config.games)
        )
        self._nobody = simple_player(rules, RANDOM)  # never asked where the learner is alone
        self._players: dict[str, Player] = {}

    @property
    def spec(self) -> str:
        """The spec string of the learner and its options."""
        return write(self.config.name, self.config)

    def agent(self, unseen: str = "random") -> Learned:
        """Return the agent that plays what is known by now; it goes on learning with the run."""
        kind = LEARNED_AGENTS[self.config.name]
        return kind(self.rules, LearnedConfig(unseen=unseen), self.knowledge)

    def steps(self, rng: np.random.Generator) -> Iterator[Progress]:
        """Play and learn until all games are played; `rng` is used at the very beginning only."""
        if self._dice is None:
            self._dice = kernel_seed(rng)
        while self.games < self.config.games:
            yield self._chunk(min(self.games + self.config.chunk, self.config.games))

    def _chunk(self, stop: int) -> Progress:
        """Play up to game number `stop`."""
        tally = np.zeros(4, np.int64)
        plan = self._plan(np.arange(self.games, stop))
        while self.games < stop:
            self._play_block(stop, tally)
        return Progress(
            games=self.games,
            wins=int(tally[WINS]),
            draws=int(tally[DRAWS]),
            losses=int(tally[LOSSES]),
            decisions=int(tally[DECISIONS]),
            size=len(self.knowledge),
            left_out=self.knowledge.left_out,
            alpha=float(plan.alphas[-1]),
            epsilon=float(plan.epsilons[-1]),
        )

    def _play_block(self, stop: int, tally: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
        """Play against one opponent, at most up to game number `stop`."""
        player, until = self._opponent(stop)
        plan = self._plan(np.arange(self.games, until))
        done = 0
        assert self._dice is not None  # noqa: S101  # set when the steps begin
        train = trainer(self.knowledge.values.kind, self.config.method, thinks(player))
        while done < len(plan.sides):
            self.knowledge.make_room(self.rules.cells)
            done, self._dice = train(
                self.rules,
                self.knowledge.values,
                player,
                self.lesson,
                plan,
                done,
                self._episode,
                tally,
                self._dice,
            )
        self.games = until

    def _plan(self, games: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Plan:
        sides = {"first": FIRST, "second": SECOND}
        return Plan(
            self._alpha.at(games, self.config.games),
            self._epsilon.at(games, self.config.games),
            np.full(len(games), sides[self.config.side])
            if self.config.side in sides
            else games % 2,
        )

    def _opponent(self, stop: int) -> tuple[Player, int]:
        """Return who plays the next games, and up to which game number."""
        if self._opponents is None:
            return self._nobody, stop
        member, until = self._opponents.block(self.games, self.seed)
        every = self._opponents.frozen_every
        if every and self.games % every == 0:
            self._frozen = self.knowledge.copy()
        if member.agent is None:
            assert self._frozen is not None  # noqa: S101  # taken in the first game
            return learned_player(self.rules, self._frozen.values), min(until, stop)
        spec = member.agent.spec
        if spec not in self._players:
            player = member.agent.player()
            assert player is not None  # noqa: S101  # looked at when the opponents were read
            self._players[spec] = player
        return self._players[spec], min(until, stop)

    def save(self, path: Path) -> None:
        """Write all that is needed to go on; an old file stays until this one is complete."""
        self.knowledge.about |= {"games": self.games, "dice": self._dice, "notes": self.notes}
        extra: Arrays = {}
        if self._frozen is not None:
            extra = {FROZEN_PREFIX + name: a for name, a in self._frozen.arrays().items()}
        self.knowledge.save(path, extra)

    @classmethod
    def load(cls, path: Path) -> Learner:
        """Return the learner that was saved; raises StorageError if the file is none."""
        from fourlab.learning.registry import LEARNERS  # it lists the learners' configs

        knowledge, extra = Knowledge.load(path)
        about = knowledge.about
        try:
            config = LEARNERS[about["learner"]](**about["config"])
            learner = cls(knowledge.rules, config, about["seed"])
            learner.games, learner._dice = int(about["games"]), about["dice"]
            learner.notes = dict(about["notes"])
        except (KeyError, TypeError, SpecError) as error:
            raise StorageError(f"{path} is damaged: nothing to go on with ({error})") from None
        learner.knowledge = knowledge
        if extra:
            frozen = {name.removeprefix(FROZEN_PREFIX): array for name, array in extra.items()}
            learner._frozen = Knowledge.new(knowledge.rules, knowledge.shape)
            learner._frozen.take(path, frozen)
        return learner
