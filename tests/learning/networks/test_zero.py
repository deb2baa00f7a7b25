"""The learner `zero`: a toy board is learned, and what it is made of keeps its promises."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tests.strategies import random_positions  # noqa: E402

from fourlab.arena.certify.certificate import certify  # noqa: E402
from fourlab.core.errors import SpecError  # noqa: E402
from fourlab.core.limit import Limit  # noqa: E402
from fourlab.core.storage import StorageError  # noqa: E402
from fourlab.learning.networks.oracle import Eyes, Oracle  # noqa: E402
from fourlab.learning.networks.trainer import Teaching, Trainer  # noqa: E402
from fourlab.learning.networks.twin import build, fold, folded, planes  # noqa: E402
from fourlab.learning.networks.zero import Zero  # noqa: E402
from fourlab.learning.registry import learner, load_learner  # noqa: E402
from fourlab.learning.runs import Run, RunConfig  # noqa: E402
from fourlab.positions.suites import suite  # noqa: E402
from fourlab.rules.boards import boards_of  # noqa: E402
from fourlab.rules.geometry import Rules  # noqa: E402
from fourlab.rules.kernels import mirror, mirror_move  # noqa: E402
from fourlab.search.scores import sign  # noqa: E402
from fourlab.values.layers import Shape  # noqa: E402
from fourlab.values.network import Network  # noqa: E402

TOY = "connect:columns=4,rows=4,k=3"
NETWORK = "width=16,blocks=1,head=8,hidden=16,bins=17"
SEARCH = "sims=24,fast-sims=8,random-plies=8,batch=128,rate=0.005"
QUICK = f"zero:{NETWORK},{SEARCH},lanes=128"
FEW = f"zero:{NETWORK},{SEARCH},lanes=32"
CPU = torch.device("cpu")
SHAPE = Shape("residual", 8, 1, 4, 8, 9)


def run(made: Zero) -> Zero:
    for _ in made.steps():
        pass
    return made


def weights(made: Zero) -> np.ndarray:
    return np.concatenate([layer.ravel() for layer in made.network().layers.values()])


@pytest.fixture(scope="module")
def taught() -> Zero:
    """Some seconds of learning."""
    made = learner(f"{QUICK},games=6000,full=0.5", TOY, 1)
    assert isinstance(made, Zero)
    return run(made)


def test_a_toy_board_is_learned(taught: Zero) -> None:
    """The bare network, which at first plays one good move in two, hardly ever errs."""
    scored = suite(taught.rules, "middle")
    boards = boards_of([one.position for one in scored])

    def good(network: Network) -> float:
        legal = np.array([[s is not None for s in one.scores] for one in scored])
        moves = np.where(legal, network.evaluate(boards)[0], -1).argmax(1)
        right = [
            sign(one.scores[move] or 0) == sign(one.best)
            for one, move in zip(scored, moves.tolist(), strict=True)
        ]
        return float(np.mean(right))

    fresh = learner(QUICK, TOY, 1)
    assert isinstance(fresh, Zero)
    assert good(fresh.network()) < 0.75
    assert good(taught.network()) > 0.9


def test_what_was_learned_is_proven_with_a_little_search(taught: Zero, tmp_path: Path) -> None:
    taught.save(tmp_path / taught.file)
    assert certify(f"zero:{tmp_path},sims=16", TOY, "first").certified


def test_one_seed_is_one_network_whatever_the_threads() -> None:
    short = f"{QUICK},games=600,prefill=128"
    one = run(learner(short, TOY, 3))
    same = run(learner(f"{short},threads=3", TOY, 3))
    other = run(learner(short, TOY, 4))
    assert one.taken_steps > 10
    np.testing.assert_array_equal(weights(one), weights(same))
    assert not np.array_equal(weights(one), weights(other))


def test_turned_and_paired_it_goes_on_as_if_never_stopped(tmp_path: Path) -> None:
    spec = f"{QUICK},games=600,prefill=128,paired=yes,turn=5"
    straight = run(learner(spec, TOY, 3))
    made = learner(spec, TOY, 3)
    for _, _ in zip(range(2), made.steps(), strict=False):
        pass
    made.save(tmp_path / made.file)
    assert straight.taken_steps > made.taken_steps > 5
    again = run(load_learner(tmp_path / made.file))
    np.testing.assert_array_equal(weights(again), weights(straight))


def test_a_run_too_large_for_its_file_begins_other_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = learner(f"{FEW},games=900,prefill=128", TOY, 3)
    next(made.steps())
    path = tmp_path / made.file
    made.save(path)
    whole = path.stat().st_size
    monkeypatch.setattr("fourlab.learning.networks.zero.FILE_BYTES", whole // 2)
    made.save(path)
    assert path.stat().st_size < whole // 2
    again = load_learner(path)
    assert isinstance(again, Zero)
    assert again.taken_steps == made.taken_steps > 0
    np.testing.assert_array_equal(weights(again), weights(made))
    run(again)
    assert again.done == again.total == 900
    assert again.base == made.done
    assert again.taken_steps > made.taken_steps


def test_a_run_that_taught_nothing_keeps_its_lessons_when_made_longer(tmp_path: Path) -> None:
    """It waited for the whole prefill again, and the games that it asked for were too few again."""
    short = run(learner(f"{FEW},games=40,prefill=600", TOY, 3))  # type: ignore[arg-type]
    lacking = short.workshop.lacking
    assert 0 < lacking < 600
    assert short.untaught
    path = tmp_path / short.file
    short.save(path)
    longer = load_learner(path, 300)
    assert isinstance(longer, Zero)
    assert longer.untaught == short.untaught
    assert longer.workshop.lacking == lacking
    run(longer)
    assert (longer.done, longer.base, longer.untaught) == (300, 40, "")


def test_a_budget_of_seconds_ends_a_run() -> None:
    made = learner(f"{FEW},games=100000,seconds=0.01,chunk=1", TOY, 3)
    run(made)
    assert 0 < made.done == made.total < 100


def test_whoever_watches_need_not_wait_for_a_chunk() -> None:
    made = learner(f"{FEW},games=100000,chunk=100000", TOY, 3)
    turns = iter(range(30))
    progress = made.advance(100_000, Limit(stop=lambda: next(turns, None) is None))
    assert progress is not None
    assert 0 < made.workshop.turns <= 31  # and it goes on from there
    while made.done < 5:
        assert made.advance(5) is not None
    assert made.done < 1000


LOSSES = {"policy_loss", "value_loss", "value_error"}


def test_a_run_says_as_long_as_nothing_was_learned(tmp_path: Path) -> None:
    """Losses are told once there are some, also where a run is taken up."""
    few = learner(f"{FEW},games=100000,chunk=50,prefill=300", TOY, 1)
    before, steps, lacking = weights(few), 0, []
    for progress in few.steps():
        steps = int(progress.metrics["steps"])
        assert progress.metrics.keys() & LOSSES == (LOSSES if steps else set())
        if steps:
            break
        lacking.append(progress.metrics["lessons_lacking"])
        assert lacking[-1] == 300 - progress.metrics["lessons"]
        assert few.untaught == f"{lacking[-1]:,} lessons too few"
        assert (weights(few) == before).all()
    assert lacking
    assert "lessons_lacking" not in progress.metrics
    assert few.untaught == ""
    few.save(tmp_path / few.file)
    again = load_learner(tmp_path / few.file)
    again.prepare()
    assert again.workshop.losses() == {}  # type: ignore[attr-defined]
    assert few.workshop.losses().keys() == LOSSES  # type: ignore[attr-defined]


@pytest.mark.parametrize(("reuse", "why"), [("0", "reuse=0"), ("1e-320", r"[\d,]{20,} lessons .*")])
def test_a_network_that_is_never_taught_says_so(reuse: str, why: str) -> None:
    made = run(learner(f"{FEW},games=60,prefill=1,reuse={reuse}", TOY))  # type: ignore[arg-type]
    assert re.fullmatch(why, made.untaught)
    assert made.workshop.losses() == {}


def test_reports_hold_it_against_its_past(tmp_path: Path) -> None:
    spec = learner(f"{FEW},games=300,prefill=128,look=2,past-games=10,chunk=50", TOY).spec
    lines = list(Run.start(tmp_path, RunConfig(spec, TOY, 1, every=100)).reports())
    assert "against" not in lines[0]
    for line in lines[1:]:
        score = line["against"]["past"]
        assert score["wins"] + score["draws"] + score["losses"] == 10


def test_a_run_that_goes_on_meets_the_past_that_it_would_have_met(tmp_path: Path) -> None:
    spec = learner(f"{FEW},games=300,prefill=128,look=2,past-games=10,chunk=50", TOY).spec
    config = RunConfig(spec, TOY, 1, every=100)
    whole = [line.get("against") for line in Run.start(tmp_path / "whole", config).reports()]
    for line in Run.start(tmp_path / "cut", config).reports():  # stopped after every report
        found = [line.get("against")]
        break
    while len(found) < len(whole):
        found.append(next(Run.resume(tmp_path / "cut").reports()).get("against"))
    assert found == whole


@pytest.mark.parametrize("spoil", [np.ravel, lambda layer: layer + np.inf])
def test_a_past_that_fits_no_network_is_damage(tmp_path: Path, spoil: Any) -> None:
    made = learner(f"{FEW},games=200,prefill=128,look=2,past-games=10", TOY)
    made.past()
    network = made.network()  # type: ignore[attr-defined]
    layers = {f"past.{name}": spoil(layer) for name, layer in network.layers.items()}
    network.save(tmp_path / made.file, extra=layers)
    with pytest.raises(StorageError, match="is damaged"):
        load_learner(tmp_path / made.file)


def test_training_can_be_taken_from_positions(tmp_path: Path) -> None:
    file = tmp_path / "holes.txt"
    file.write_text("1122\n2233\n")
    made = learner(f"{QUICK},starts={file},games=50", TOY, 3)
    assert made.starts.shape == (2, 2)
    assert run(made).done == 50
    file.write_text("12121\n")  # over by then
    with pytest.raises(SpecError, match="no game goes on there"):
        learner(f"{QUICK},starts={file}", TOY, 3).prepare()


@pytest.mark.parametrize("paired", [0, 1])
def test_the_network_of_self_play_is_the_one_that_is_saved(paired: int) -> None:
    shape = replace(SHAPE, paired=paired)
    rules = Rules(5, 4, 4)
    module = build(rules, shape, 3)
    with torch.no_grad():
        for _ in range(5):  # running means that are not 0
            module(torch.rand(32, 2, 4, 5))
    module.eval()
    boards = boards_of(random_positions(rules, 50))
    both = torch.from_numpy(np.stack(boards[:2], 1))
    np.testing.assert_array_equal(
        Eyes(rules, CPU)(both, torch.float32), planes(rules, both[:, 0], both[:, 1])
    )
    network = folded(module, rules, shape)
    for name, layer in fold(module, rules, shape).items():
        np.testing.assert_allclose(layer.numpy(), network.layers[name], atol=1e-5)
    oracle = Oracle(rules, shape, CPU)
    oracle.take(module)
    oracle.thread.submit(lambda: None).result()
    priors, values = oracle.evaluate(boards)
    wanted, worths = network.evaluate(boards)
    legal = wanted > 0
    masked = np.where(legal, priors, 0)
    np.testing.assert_allclose(masked / masked.sum(1, keepdims=True), wanted, atol=1e-4)
    np.testing.assert_allclose(values, worths, atol=1e-4)


def trainer(rules: Rules, batch: int = 32, window: int = 100, recent: float = 1.0) -> Trainer:
    return Trainer(rules, SHAPE, Teaching(window, recent, batch, 0.0, 200, 7), CPU)


def lessons(rules: Rules, count: int) -> list:
    positions = random_positions(rules, count)
    boards = torch.tensor([[one.mover, one.occupied] for one in positions])
    policies = torch.zeros(count, rules.move_count)
    for row, position in enumerate(positions):
        policies[row, position.legal_moves()[0]] = 1.0
    return [boards, policies, torch.linspace(-0.9, 0.9, count)]


def test_one_batch_is_learned_by_heart() -> None:
    rules = Rules(5, 4, 4)
    made = trainer(rules)
    made.window.add(lessons(rules, 12))
    made.step(0.0)
    before = made.losses.tolist()
    for _ in range(300):
        made.step(0.01)
    policy, value, error = made.losses.tolist()
    assert policy < before[0] / 5
    assert value < before[1]
    assert error < 0.05
    made.module.eval()
    boards, policies, _ = lessons(rules, 12)
    for flip, wanted in ((False, policies), (True, policies[:, made.mirrored])):
        seen = made.eyes(boards, torch.float32, torch.full((12,), flip))
        logits, _ = made.module(seen)
        assert (logits.argmax(1) == wanted.argmax(1)).float().mean() > 0.9


@pytest.mark.parametrize("rules", [Rules(5, 4, 4), Rules(4, 3, 3, gravity=False)], ids=str)
def test_lessons_are_mirrored_one_by_one(rules: Rules) -> None:
    """What is learned from a mirrored lesson is the mirror of the lesson."""
    made = trainer(rules, batch=10)
    boards = lessons(rules, 10)[0]
    reflected = torch.tensor([[mirror(rules, int(s)) for s in board] for board in boards])
    eyes, flip = made.eyes, torch.arange(10) % 2 == 0
    seen = eyes(boards, torch.float32, flip)
    np.testing.assert_array_equal(seen[flip], eyes(reflected[flip], torch.float32))
    np.testing.assert_array_equal(seen[~flip], eyes(boards[~flip], torch.float32))
    moves = [mirror_move(rules, move) for move in range(rules.move_count)]
    assert made.mirrored.tolist() == moves


def test_the_window_keeps_the_latest_and_draws_from_recent_ones() -> None:
    rules = Rules(5, 4, 4)
    made = trainer(rules, batch=1, window=50, recent=0.5)
    boards, policies, _ = lessons(rules, 30)
    for first in range(0, 120, 30):
        made.window.add([boards, policies, torch.arange(first, first + 30.0)])
    kept = made.window.kept()["values"]
    assert kept.tolist() == list(range(70, 120))
    assert made.drawn_from == 50
    again = trainer(rules, window=50)
    again.window.restore(made.window.kept(), 120)
    for one, other in zip(made.window.parts, again.window.parts, strict=True):
        np.testing.assert_array_equal(one, other)
    tiny = trainer(rules, window=20)
    tiny.window.add([boards, policies, torch.arange(30.0)])
    assert tiny.window.kept()["values"].tolist() == list(range(10, 30))
    few = trainer(rules, batch=1, window=1000, recent=0.5)
    few.window.made = 100
    assert few.drawn_from == 50


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize("spec", [f"{FEW},device=cuda", "distil:device=cuda"])
def test_a_gpu_that_is_not_there_is_said_with_the_remedy(spec: str) -> None:
    with pytest.raises(SpecError, match=r"no GPU here; write device=cpu"):
        learner(spec, TOY, 0).prepare()
