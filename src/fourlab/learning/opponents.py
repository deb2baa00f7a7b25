"""Who a learner plays against.

baseline                                  one agent
4 baseline and 1 minimax                  a mixture: 4 parts and 1 part of the games
random then baseline then perfect         a curriculum: equal shares of the run, in turn
mcts:sims={0..25}                         the same for a range, {0,5,10} for a list
frozen:every=10000                        itself as it was, brought up to date every so often
self                                      nobody: the learner moves for both sides
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from fourlab.agents.apart import apart
from fourlab.agents.base import Agent
from fourlab.agents.human import Human
from fourlab.agents.instant import instant_form
from fourlab.agents.registry import agent as find_agent
from fourlab.core.brackets import unwrapped
from fourlab.core.dice import below, seeded
from fourlab.core.errors import SpecError, quoted
from fourlab.core.spec import LONGEST, configure, option, parse
from fourlab.rules.geometry import Rules
from fourlab.values.knowledge import SELF

FROZEN = "frozen"
BLOCK = 50  # games against one member of a mixture before the next is drawn
MOST_STAGES = 1000
MOST_BRACES = 100
WEIGHTS = 1 << 20  # steps into which the weights of a mixture are divided


@dataclass(frozen=True)
class Frozen:
    """Options of `frozen`."""

    every: int = option(10_000, "games between two updates", low=1)


@dataclass(frozen=True)
class Member:
    """One opponent of a mixture: an agent, or None for the learner's earlier self."""

    weight: float
    agent: Agent | None
    every: int = 0  # games between two updates of the earlier self


@dataclass(frozen=True)
class Opponents:
    """The stages of a curriculum, each a mixture."""

    stages: tuple[tuple[Member, ...], ...]
    games: int

    def block(self, game: int, seed: int) -> tuple[Member, int]:
        """Return the opponent in a game, and the number of the first game that has another.

        It depends on nothing but the seed and the game's number.
        """
        count, stage = len(self.stages), self._stage(game)
        stop = self.games if stage == count - 1 else -(-(stage + 1) * self.games // count)
        members = self.stages[stage]
        member = members[0]
        if len(members) > 1:
            number = game // BLOCK
            stop = min(stop, (number + 1) * BLOCK)
            member = _draw(members, below(seeded(seed + number), WEIGHTS) / WEIGHTS)
        if stage <= self._last_frozen:
            stop = min(stop, (game // self.frozen_every + 1) * self.frozen_every)
        return member, stop

    def renews(self, game: int) -> bool:
        """Return whether the earlier self is brought up to date before a game."""
        return self._stage(game) <= self._last_frozen and game % self.frozen_every == 0

    def _stage(self, game: int) -> int:
        return min(game * len(self.stages) // self.games, len(self.stages) - 1)

    @functools.cached_property
    def _last_frozen(self) -> int:
        """The last stage in which the earlier self plays; -1 if there is none."""
        found = [number for number, stage in enumerate(self.stages) if any(m.every for m in stage)]
        return max(found, default=-1)

    @property
    def meaning(self) -> tuple[tuple[tuple[float, str, int], ...], ...]:
        """What tells opponents from others: the share, agent and `every` of each member."""
        return tuple(
            tuple(
                (member.weight / sum(m.weight for m in stage), _name(member), member.every)
                for member in stage
            )
            for stage in self.stages
        )

    def prepare(self) -> None:
        """Have all who think get ready; raises what they raise where they cannot play."""
        for member in itertools.chain(*self.stages):
            if member.agent is not None and instant_form(member.agent) is None:
                member.agent.prepare()

    @functools.cached_property
    def frozen_every(self) -> int:
        """Games between two updates of the earlier self; 0 if there is none."""
        return max(member.every for stage in self.stages for member in stage)


def _name(member: Member) -> str:
    return FROZEN if member.agent is None else member.agent.spec


def _draw(members: tuple[Member, ...], chance: float) -> Member:
    total = sum(member.weight for member in members)
    for member in members:
        chance -= member.weight / total
        if chance < 0:
            return member
    return members[-1]


def opponents(text: str, rules: Rules, games: int) -> Opponents:
    """Return the opponents that a text describes; raises SpecError if it is none."""
    stages = _stages(text)
    found = Opponents(tuple(_mixture(stage, rules) for stage in stages), games)
    cycles = {member.every for stage in found.stages for member in stage if member.every}
    if len(cycles) > 1:
        raise SpecError(f"opponent {text!r}: all earlier selves must have the same every")
    return found


def named_in(text: str) -> Iterator[str]:
    """Yield the agents that a text names, spelled out; not the learner itself."""
    for stage in _stages(text):
        for _, name in map(_weighted, re.split(r"\s+and\s+", stage.strip())):
            if parse(name).name not in (FROZEN, SELF):
                yield name


def _stages(text: str) -> list[str]:
    """Return the stages of a curriculum, ranges spelled out; raises SpecError if they are many."""
    if len(text) > LONGEST or text.count("{") > MOST_BRACES:
        raise SpecError(f"opponent {quoted(text)} is too long; name fewer")
    parts = re.split(r"\s+then\s+", unwrapped(text.strip()))
    every = (stage for part in parts for stage in _spell_out(unwrapped(part.strip())))
    stages = list(itertools.islice(every, MOST_STAGES + 1))
    if len(stages) > MOST_STAGES:
        raise SpecError(f"opponent {quoted(text)} has more than {MOST_STAGES:,} stages; name fewer")
    return stages


def _weighted(part: str) -> tuple[float, str]:
    """Return a member's weight and name."""
    part = unwrapped(part.strip())
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]+)?)\s+(.+)", part)
    return (float(found[1]), unwrapped(found[2])) if found else (1.0, part)


def _spell_out(part: str) -> Iterator[str]:
    """Yield a stage for each value in the first {braces}, or the stage itself."""
    match = re.search(r"\{([^{}]*)\}", part)
    if match is None:
        yield part
        return
    listed = re.fullmatch(r"\s*([0-9]{1,18})\s*\.\.\s*([0-9]{1,18})\s*", match[1])
    values = range(int(listed[1]), int(listed[2]) + 1) if listed else match[1].split(",")
    if not values:
        raise SpecError(f"{{{match[1]}}} in {part!r} is empty; write {{0..25}} or {{0,5,10}}")
    for value in values:
        yield from _spell_out(part[: match.start()] + str(value).strip() + part[match.end() :])


def _mixture(stage: str, rules: Rules) -> tuple[Member, ...]:
    members = []
    for part in re.split(r"\s+and\s+", stage.strip()):
        weight, name = _weighted(part)
        if weight <= 0:
            raise SpecError(f"{part!r} has no weight; write for example 4 baseline and 1 minimax")
        members.append(_member(weight, name, rules))
    return tuple(members)


def _member(weight: float, text: str, rules: Rules) -> Member:
    spec = parse(text)
    if spec.name == FROZEN:
        return Member(weight, None, configure(Frozen, spec, "opponent").every)
    if spec.name == SELF:
        raise SpecError(f"opponent {SELF!r} stands alone; in a mixture use {FROZEN}")
    return Member(weight, opponent(text, rules))


def opponent(text: str, rules: Rules) -> Agent:
    """Return an agent that a learner can meet; raises SpecError for a person."""
    found = find_agent(text, rules)
    if isinstance(found, Human):
        raise SpecError("agent 'human' cannot play in a training run; every other agent can")
    return apart(found)
