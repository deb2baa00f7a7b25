"""Agents that ask a network: what they play follows from it, by rule and some plies ahead."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fourlab.agents.net import Net, NetConfig
from fourlab.agents.registry import agent
from fourlab.core.arrays import Floats
from fourlab.core.errors import SpecError
from fourlab.core.limit import Limit
from fourlab.core.storage import StorageError
from fourlab.rules.boards import Boards, boards_of
from fourlab.rules.catalog import game
from fourlab.rules.position import Position, position_of
from fourlab.values.layers import Shape
from fourlab.values.network import Network
from nets import random_network
from strategies import random_positions

RULES = game("connect:columns=4,rows=4,k=3")
NETWORK = random_network(RULES)
RNG = np.random.default_rng(1)


def net(network: Network = NETWORK, **options: object) -> Net:
    return Net(network.rules, NetConfig(**options), network)  # type: ignore[arg-type]


def seen(position: Position) -> Position:
    """The one of two mirror images that a network sees."""
    return min(position, position.mirror(), key=lambda p: p.key)


def minimax(network: Network, position: Position, plies: int) -> float:
    """By definition, one board after the other; seen by the side to move."""
    if position.is_over:
        return -1.0 if position.line else 0.0
    if plies == 0:
        return float(network.values(boards_of([position]))[0])
    return max(-minimax(network, position.play(m), plies - 1) for m in position.legal_moves())


def test_the_bare_network_plays_what_its_policy_likes_best() -> None:
    for position in random_positions(RULES, 60):
        shown = seen(position)
        priors = NETWORK.evaluate(boards_of([shown]))[0][0]
        decision = net().decide(position, RNG)
        played = position.play(decision.move)
        assert shown.play(int(priors.argmax())) in (played, played.mirror())
        assert decision.policy is not None
        assert sorted(decision.policy) == pytest.approx(sorted(priors.tolist()))
        assert decision.effort == 1


@pytest.mark.parametrize("plies", [1, 2, 3])
@pytest.mark.parametrize("shape", ["residual", "study"])
def test_looking_ahead_is_minimax(plies: int, shape: str) -> None:
    network = random_network(RULES, Shape(shape, width=4, blocks=1))
    for position in random_positions(RULES, 25):
        decision = net(network, plies=plies).decide(position, RNG)
        shown = seen(position)
        wanted = {m: -minimax(network, shown.play(m), plies - 1) for m in shown.legal_moves()}
        found = [value for value in decision.values or () if value is not None]
        assert sorted(found) == pytest.approx(sorted(wanted.values()))
        assert (decision.values or ())[decision.move] == max(found)


def test_what_was_taught_moves_alone_says_no_values() -> None:
    network = NETWORK.without_values()
    assert NETWORK.has_values
    assert not network.has_values
    for position in random_positions(RULES, 20):
        knows, mute = (net(one).decide(position, RNG) for one in (NETWORK, network))
        assert (mute.move, mute.policy, mute.line) == (knows.move, knows.policy, knows.line)
        assert mute.values is mute.raw is None
        assert np.isnan(network.worths(boards_of([position]))).all()
    with pytest.raises(SpecError, match="moves alone"):
        net(network, plies=1)


def test_a_network_without_a_policy_compares_boards() -> None:
    network = random_network(RULES, Shape("study", width=4))
    for position in random_positions(RULES, 25):
        one = net(network, plies=1).decide(position, RNG)
        assert net(network).decide(position, RNG).move == one.move


def test_the_network_is_asked_only_where_the_rule_leaves_a_choice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = game("connect4")
    by_rule = net(random_network(rules), rule=True)
    positions = random_positions(rules, 200)
    wanted = [by_rule.decide(position, RNG).move for position in positions]
    evaluate, asked = by_rule.evaluate, [0]

    def counted(boards: Boards) -> tuple[Floats, Floats]:
        asked[0] += len(boards.movers)
        return evaluate(boards)

    monkeypatch.setattr(by_rule, "evaluate", counted)
    found = by_rule.choose(boards_of(positions), np.zeros(len(positions), np.int64))
    assert found.tolist() == wanted
    decided = [position for position in positions if position.winning_moves()]
    assert len(decided) > 10
    assert 10 < asked[0] <= len(positions) - len(decided)


def test_the_rule_takes_a_win_blocks_and_plays_under_no_threat() -> None:
    rules = game("connect4")
    network = random_network(rules)
    by_rule = net(network, rule=True)
    for position in random_positions(rules, 400):
        move = by_rule.decide(position, RNG).move
        if position.winning_moves():
            assert move in position.winning_moves()
            continue
        safe = [m for m in position.legal_moves() if not position.play(m).winning_moves()]
        if safe:
            assert move in safe
    free = position_of(rules, "")
    assert by_rule.decide(free, RNG).move == net(network).decide(free, RNG).move


def test_what_is_called_off_plays_the_policy() -> None:
    for position in random_positions(RULES, 10):
        called_off = net(plies=4).decide(position, RNG, Limit(stop=lambda: True))
        assert called_off == net().decide(position, RNG)  # with its values, that are no shares


def test_the_line_goes_on_by_the_policy() -> None:
    decision = net().decide(RULES.start(), RNG)
    position = RULES.start()
    for move in decision.line:
        assert net().decide(position, RNG).move == move
        position = position.play(move)
    assert len(decision.line) > 1


def test_networks_come_from_files_and_folders(tmp_path: Path) -> None:
    NETWORK.save(tmp_path / "checkpoint.safetensors")
    for path in (tmp_path, tmp_path / "checkpoint.safetensors"):
        made = agent(f"net:{path},rule=yes", RULES)
        assert made.spec == f"net:{path},rule=yes"
        assert made.sources() == (tmp_path / "checkpoint.safetensors",)
    assert net().sources() == ()  # it was given its network
    positions = random_positions(RULES, 20)
    dice = np.zeros(20, np.int64)
    before = agent(f"net:{tmp_path}", RULES).choose(boards_of(positions), dice)
    replace(NETWORK, layers=random_network(RULES, seed=2).layers).save(
        tmp_path / "checkpoint.safetensors"
    )
    after = agent(f"net:{tmp_path}", RULES).choose(boards_of(positions), dice)
    assert before.tolist() != after.tolist()


@pytest.mark.parametrize("name", ["taught", "small"])
def test_a_taught_network_wins_whatever_is_replied(name: str) -> None:
    """A sample of what its certificate says of every reply."""
    rules, games = game("connect4"), 30
    positions = [rules.start()] * games
    first = agent(f"net:{name}", rules)
    while positions:
        moves = first.choose(boards_of(positions), np.zeros(len(positions), np.int64)).tolist()
        after = [one.play(move) for one, move in zip(positions, moves, strict=True)]
        assert not any(one.is_over and not one.line for one in after)
        replied = [one.play(int(RNG.choice(one.legal_moves()))) for one in after if not one.is_over]
        assert not any(one.is_over for one in replied)
        positions = replied


def test_what_lies_on_the_disk_comes_before_what_ships(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = game("connect4")
    monkeypatch.chdir(tmp_path)
    shipped = agent("net:taught", rules).sources()[0]
    assert shipped.name == "connect4-taught.safetensors"
    random_network(rules).save(Path("taught"))
    assert agent("net:taught", rules).sources() == (Path("taught"),)
    Path("taught").unlink()
    with pytest.raises(StorageError, match="taught"):
        agent("net:taught", RULES)  # of this board none ships under that name


def test_what_is_missing_or_of_another_game_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"no network of mnk:.* fourlab train zero .* zero:PATH"):
        agent("zero", "mnk:columns=4,rows=4,k=3")
    with pytest.raises(StorageError, match=r"cannot read nowhere: No such file"):
        agent("net:nowhere", RULES)
    with pytest.raises(StorageError, match="cannot read"):
        agent(f"zero:{'x' * 300}", RULES)
    NETWORK.save(tmp_path / "x.safetensors")
    with pytest.raises(StorageError, match=r"x.safetensors is of a network; write net:/"):
        agent(f"learned:{tmp_path / 'x.safetensors'}", RULES)
    with pytest.raises(StorageError, match=r"play --game connect:columns=4"):
        agent(f"net:{tmp_path / 'x.safetensors'}", "connect4")


def test_boards_without_keys_have_one_orientation_too() -> None:
    rules = game("mnk:columns=7,rows=7,k=4")
    player = net(random_network(rules))
    for position in random_positions(rules, 12)[1:]:
        image = player.decide(position.mirror(), RNG).move
        assert position.mirror().play(image).mirror() == position.play(
            player.decide(position, RNG).move
        )


def test_the_mean_is_taken_over_a_board_and_its_mirror_image() -> None:
    positions = random_positions(RULES, 60)
    one, two, ahead = net(), net(both=True), net(both=True, plies=1)
    other = 0
    for position in positions:
        priors, values = NETWORK.evaluate(boards_of([position, position.mirror()]))
        found, worths = two.evaluate(boards_of([position]))
        wanted = (priors[0] + priors[1][::-1]) / 2
        assert found[0] == pytest.approx(wanted)
        assert worths[0] == ahead.evaluate(boards_of([position]))[1][0] == values.mean()
        decision, mirrored = (two.decide(p, RNG) for p in (position, position.mirror()))
        assert wanted[decision.move] == pytest.approx(wanted.max())
        assert decision.policy == pytest.approx((mirrored.policy or ())[::-1])
        other += decision.move != one.decide(position, RNG).move
    assert other > 0
    moves = [two.decide(position, RNG).move for position in positions]
    assert two.choose(boards_of(positions), np.zeros(60, np.int64)).tolist() == moves


def test_a_network_that_sees_mirror_images_alike_is_asked_once() -> None:
    paired = random_network(RULES, Shape(width=4, blocks=1, paired=1))
    with pytest.raises(SpecError, match="alike by itself"):
        net(paired, both=True)
