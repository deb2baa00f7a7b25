"""What every registered agent must do; a new agent is tested by being in the registry.

`own` is an agent of this file: what a user would write, known through the contract alone. `lefty`
is that of an installed package.
"""

import atexit
import copy
import functools
import pickle
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import installed
from fourlab.agents.base import Agent, Decision, kernel_seed
from fourlab.agents.play import play_game
from fourlab.agents.registry import AGENTS, agent
from fourlab.cli.new import TEMPLATES
from fourlab.core.errors import FourlabError
from fourlab.core.limit import NO_LIMIT, Limit
from fourlab.core.registry import offered
from fourlab.core.spec import option, options_of
from fourlab.learning.registry import LEARNERS, learner
from fourlab.rules.boards import boards_of
from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules
from fourlab.rules.kernels import mirror_move
from fourlab.rules.position import Outcome, Position
from nets import random_network
from strategies import random_positions


@dataclass(frozen=True)
class OwnConfig:
    """Options of `own`."""

    luck: float = option(0.5, "how often it plays at random", low=0, high=1)


class Own(Agent):
    """Leans to the left, unless it feels lucky."""

    name = "own"
    Config = OwnConfig

    def decide(
        self, position: Position, rng: np.random.Generator, limit: Limit = NO_LIMIT
    ) -> Decision:
        legal = position.legal_moves()
        is_lucky = rng.random() < self.config.luck
        return Decision(int(rng.choice(legal)) if is_lucky else legal[0])


KINDS = [*AGENTS, Own.name, installed.NAME]


@pytest.fixture(autouse=True, scope="module")
def _package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    place = str(installed.install(tmp_path_factory.mktemp("package")))
    sys.path.append(place)
    offered.cache_clear()
    yield
    sys.path.remove(place)
    offered.cache_clear()
    del AGENTS[installed.NAME]


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    AGENTS[Own.name] = Own
    yield
    del AGENTS[Own.name]


# Variants that take other ways than the defaults.
SPECS = {
    "mcts": ("mcts:sims=60", "mcts:sims=40,minimax=4,expand=all", "mcts:sims=0"),
    "minimax": ("minimax:depth=3", "minimax:depth=2,ties=central", "minimax:depth=2,plain=yes"),
    "flat": ("flat:playouts=20", "flat:playouts=300,heavy=yes"),
    "perfect": (
        "perfect",
        "perfect:ties=first",
        "perfect:blunder=0.5,ties=first",
        "perfect:blunder=0.2,prefer=any",
    ),
    "q": ("q", "q,ties=first"),
    "n-tuple": ("n-tuple", "n-tuple,ties=first"),
    "net": ("net", "net:rule=yes", "net:plies=2"),
    "zero": ("zero:sims=20", "zero:sims=0"),
    "engine": (f"engine:{sys.executable},args=(-m fourlab.cli.main engine baseline)",),
}
NETWORKS = ("net", "zero", "deep-q")  # play by a network
FILES = [f"{TEMPLATES / name}" for name in ("agent.py", "function.py")]  # what a user begins with
PLAYERS = [spec for name in KINDS if name != "human" for spec in SPECS.get(name, (name,))] + FILES
GAMES = [
    "connect4",
    "tictactoe",
    "connect:columns=5,rows=4,k=3",
    "connect:columns=1,rows=4,k=2",
    "mnk:columns=4,rows=3,k=3",
]


@pytest.fixture(params=GAMES)
def rules(request: pytest.FixtureRequest) -> Rules:
    return game(request.param)


@functools.cache
def spec_of(name: str, rules: Rules) -> str:
    """The agent's spec, with a little something learned where it needs that."""
    kind = re.split("[:,]", name)[0]
    options = name[len(kind) + 1 :]
    if kind not in LEARNERS and kind not in ("learned", *NETWORKS):
        return name
    folder = Path(tempfile.mkdtemp(prefix="fourlab-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if kind in NETWORKS:
        random_network(rules).save(folder / "net.safetensors")
        return ",".join([f"{kind}:{folder / 'net.safetensors'}", options]).rstrip(",")
    small = {"n-tuple": "n-tuple:tuples=4,length=3", "learned": "q:spread=0.3"}.get(kind, kind)
    made = learner(small, rules, 1, games=200)
    for _ in made.steps():
        pass
    made.save(folder / "values.npz")
    return f"{kind}:{folder / 'values.npz'}{options and ','}{options}"


@pytest.fixture(params=PLAYERS)
def player(request: pytest.FixtureRequest, rules: Rules) -> Agent:
    return agent(spec_of(request.param, rules), rules)


def test_decisions_are_legal_repeatable_and_leave_the_position_alone(
    player: Agent, rules: Rules
) -> None:
    config = copy.deepcopy(player.config)
    for number, position in enumerate(random_positions(rules, 40)):
        before = copy.deepcopy(position)
        decision = player.decide(position, np.random.default_rng(number))
        assert decision.move in position.legal_moves()
        assert position == before
        assert position.moves == before.moves
        fresh = agent(player.spec, rules)
        assert fresh.decide(position, np.random.default_rng(number)) == decision
        watched = player.decide(position, np.random.default_rng(number), Limit(stop=lambda: False))
        assert watched == decision
    assert player.config == config


def test_nothing_is_decided_where_there_is_nothing_to_decide(player: Agent, rules: Rules) -> None:
    """The stones of another game are none of this one, and after the end there are no moves."""
    if player.name == "engine" or not type(player).__module__.startswith("fourlab."):
        pytest.skip("what it is asked is its own affair")
    over = rules.start()
    while not over.is_over:
        over = over.play(over.legal_moves()[0])
    other = game("connect:columns=6,rows=2,k=3").start().play(1)
    for position in (over, other):
        with pytest.raises(FourlabError, match=f"over in {rules} |{other.rules} is not the game"):
            player.decide(position, np.random.default_rng(1))


def test_copies_and_parcels_decide_alike(player: Agent, rules: Rules) -> None:
    """As tools for learning, and executors, make them of whatever holds an agent."""
    decided = player.decide(rules.start(), np.random.default_rng(5))
    for other in (copy.deepcopy(player), pickle.loads(pickle.dumps(player))):
        assert other.decide(rules.start(), np.random.default_rng(5)) == decided


def test_policies_and_values_speak_of_every_move(player: Agent, rules: Rules) -> None:
    for position in random_positions(rules, 30):
        decision = player.decide(position, np.random.default_rng(3))
        legal = position.legal_moves()
        if decision.policy is not None:
            assert len(decision.policy) == rules.move_count
            assert sum(decision.policy) == pytest.approx(1)
            assert decision.policy[decision.move] > 0
            assert all(share == 0 for m, share in enumerate(decision.policy) if m not in legal)
        for numbers in (decision.values, decision.raw):
            if numbers is not None:
                assert len(numbers) == rules.move_count
                assert all(value is None for m, value in enumerate(numbers) if m not in legal)
        assert all(-1 <= value <= 1 for value in decision.values or () if value is not None)


# These sample, or do not say how they choose.
UNKNOWN_POLICIES = ("engine", "flat", "mcts", "own", "lefty", "agent.py", "function.py")
LEANING = ("net", "zero")  # always play what they lean to most


def test_moves_come_as_often_as_the_policy_says(player: Agent, rules: Rules) -> None:
    positions = random_positions(rules, 40)[::5]
    policies = player.policies(boards_of(positions))
    assert (policies is None) == (player.name.partition("@")[0] in UNKNOWN_POLICIES)
    if policies is None:
        return
    draws = 400 if player.chooses_many else 40
    for position, policy in zip(positions, policies, strict=True):
        dice = np.array([kernel_seed(np.random.default_rng(n)) for n in range(draws)])
        moves = player.choose(boards_of([position] * draws), dice)
        counts = np.bincount(moves, minlength=rules.move_count)
        assert policy.sum() == pytest.approx(1)
        assert (counts[policy == 0] == 0).all()
        assert (abs(counts - draws * policy) <= 4 * np.sqrt(draws * policy * (1 - policy))).all()
        told = player.decide(position, np.random.default_rng(1)).policy
        assert told is not None
        if player.name in LEANING:
            assert told[int(policy.argmax())] == max(told)
        else:
            assert told == pytest.approx(policy.tolist())


def test_values_are_on_one_scale(player: Agent, rules: Rules) -> None:
    """A move that wins at once is worth 1 to whoever looks at it and says so."""
    if player.name not in ("mcts", "minimax", "perfect", "flat") or rules.columns == 1:
        return
    winning = [p for p in random_positions(rules, 300) if p.winning_moves()]
    for position in winning[:10]:
        decision = player.decide(position, np.random.default_rng(3))
        if decision.values is not None and decision.raw is not None:
            assert [decision.values[move] for move in position.winning_moves()] == [1.0] * len(
                position.winning_moves()
            )


def test_one_seed_is_one_game(player: Agent, rules: Rules) -> None:
    def moves(seed: int) -> str:
        record = play_game(rules, player, agent("random", rules), seed)
        assert record.outcome != Outcome.IN_PROGRESS.value
        return record.moves

    games = [moves(seed) for seed in range(5)]
    assert games == [moves(seed) for seed in range(5)]
    if rules.columns > 1:
        assert len(set(games)) > 1


@pytest.mark.parametrize("count", [1, 7, 64])
def test_a_row_of_a_batch_is_decided_as_if_it_were_alone(
    player: Agent, rules: Rules, count: int
) -> None:
    positions = random_positions(rules, count)
    dice = np.array([kernel_seed(np.random.default_rng(n)) for n in range(len(positions))])
    chosen = player.choose(boards_of(positions), dice)
    order = np.random.default_rng(count).permutation(len(positions))
    shuffled = player.choose(boards_of([positions[i] for i in order]), dice[order])
    assert shuffled.tolist() == chosen[order].tolist()
    if player.chooses_many:
        decided = [player.decide(p, np.random.default_rng(n)).move for n, p in enumerate(positions)]
        assert chosen.tolist() == decided


def test_who_says_so_draws_no_lots_and_treats_mirror_images_alike(
    player: Agent, rules: Rules
) -> None:
    positions = random_positions(rules, 60)
    dice = np.arange(len(positions))
    chosen = player.choose(boards_of(positions), dice).tolist()
    if player.is_deterministic:
        for shift in range(1, 4):
            assert player.choose(boards_of(positions), dice + shift).tolist() == chosen
    if player.mirrors_alike:
        mirrored = player.choose(boards_of([p.mirror() for p in positions]), dice).tolist()
        for position, move, other in zip(positions, chosen, mirrored, strict=True):
            if position != position.mirror():
                assert mirror_move(rules, move) == other


def test_several_threads_decide_as_one(player: Agent, rules: Rules) -> None:
    positions = random_positions(rules, 12) * 4
    numbers = range(len(positions))
    alone = [player.decide(p, np.random.default_rng(n)) for n, p in enumerate(positions)]

    def decide(number: int) -> Decision:
        return player.decide(positions[number], np.random.default_rng(number))

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(decide, numbers)) == alone


def test_a_decision_that_is_called_off_ends(player: Agent, rules: Rules) -> None:
    position = rules.start()
    called_off = Limit(stop=lambda: True)
    assert player.decide(position, np.random.default_rng(1), called_off).move in range(
        rules.move_count
    )


# What takes longest of every agent that thinks; the others move at once.
ENDLESS = (
    "mcts:sims=1000000000",
    "mcts:sims=1000000000,minimax=8,expand=all,playouts=heavy",
    "mcts:sims=1000000000,reuse=yes,minimax=4",
    "minimax:depth=62",
    "minimax:depth=62,plain=yes",
    "flat:playouts=100000000,heavy=yes",
    "perfect",
    "perfect:time=86400,prefer=any",
    "net:plies=4",
    "zero:sims=100000",
)
LARGE = ("mnk:columns=9,rows=6,k=4", "connect:columns=9,rows=6,k=4")


@pytest.mark.parametrize("large", LARGE)
@pytest.mark.parametrize("spec", ENDLESS)
def test_endless_thinking_can_be_called_off(spec: str, large: str) -> None:
    """After a few looks at the clock it ends, with little done and a legal move."""
    rules = game(large)
    looks = iter(range(3))
    limit = Limit(stop=lambda: next(looks, None) is None)
    player = agent(spec_of(spec, rules), rules)
    decision = player.decide(rules.start(), np.random.default_rng(1), limit)
    assert decision.move in rules.start().legal_moves()
    assert decision.effort < 1_000_000
    assert next(looks, None) is None


@pytest.mark.parametrize("spec", ENDLESS)
def test_choosing_for_many_boards_can_be_called_off(spec: str) -> None:
    """Whoever is called off looks no more than a few times at the clock, however many boards."""
    rules = game(LARGE[0])
    positions = random_positions(rules, 30) * 100
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    player = agent(spec_of(spec, rules), rules)
    moves = player.choose(boards_of(positions), np.arange(len(positions)), Limit(stop=stop))
    assert all(m in p.legal_moves() for m, p in zip(moves.tolist(), positions, strict=True))
    assert 3 < asked < 200


def test_boards_that_are_chosen_for_in_time_are_chosen_for_as_without_a_limit(
    player: Agent, rules: Rules
) -> None:
    boards = boards_of(random_positions(rules, 20))
    dice = np.arange(len(boards.movers))
    watched = player.choose(boards, dice, Limit(stop=lambda: False))
    assert watched.tolist() == player.choose(boards, dice).tolist()


@pytest.mark.parametrize("name", KINDS)
def test_agents_are_described(name: str) -> None:
    kind = AGENTS[name]
    assert kind.name == name
    assert (kind.__doc__ or "").splitlines()[0].endswith(".")
    for described in options_of(kind.Config):
        assert described.help
        assert described.allowed


@pytest.mark.parametrize("name", PLAYERS)
def test_the_spec_of_an_agent_gives_the_same_agent(name: str) -> None:
    built = agent(spec_of(name, game("connect4")))
    assert agent(built.spec).config == built.config
    assert agent(built.spec).spec == built.spec
