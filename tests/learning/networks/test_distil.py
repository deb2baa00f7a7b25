"""A network is taught what the solver says, and a toy board is learned to certified play."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourlab.arena.certify.certificate import certify
from fourlab.core.errors import IllegalMoveError, SpecError
from fourlab.core.limit import CalledOffError
from fourlab.core.storage import StorageError
from fourlab.learning.networks.replies import asked, strategy
from fourlab.learning.networks.sources import (
    File,
    Games,
    Walk,
    distinct,
    lessons,
    played,
    scored,
    sources,
)
from fourlab.learning.registry import learner, load_learner
from fourlab.positions.labels import UNKNOWN, Labeller, save_labels
from fourlab.positions.suites import phase_positions, score_positions
from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules
from fourlab.rules.position import Position
from fourlab.search.solver import solve
from fourlab.values.network import Network

torch = pytest.importorskip("torch")

from fourlab.learning.networks.pupil import (  # noqa: E402
    Lesson,
    Pupil,
    course_of,
    lesson_of,
    move_loss,
)
from fourlab.learning.networks.twin import planes  # noqa: E402
from fourlab.values.layers import Shape  # noqa: E402

RULES = Rules(4, 4, 3)
TINY = "width=8,blocks=1,head=4,hidden=8,bins=9,batch=64"
CPU = torch.device("cpu")


def walked_by_hand(side: int) -> tuple[set[int], set[int]]:
    """The strategy's positions, found game by game: those it solves, and those it wins at once."""
    solved: set[int] = set()
    won: set[int] = set()
    middle = (RULES.columns - 1) / 2

    def answer(position: Position) -> None:
        if position.shared_key in solved | won:
            return
        if position.winning_moves():
            won.add(position.shared_key)
            return
        solved.add(position.shared_key)
        if position.key != position.shared_key:
            position = position.mirror()
        scores = solve(position)
        best = max(score for score in scores if score is not None)
        moves = [move for move, score in enumerate(scores) if score == best]
        reply_all(position.play(min(moves, key=lambda move: abs(move - middle))))

    def reply_all(position: Position) -> None:
        for move in position.legal_moves():
            if not position.play(move).is_over:
                answer(position.play(move))

    answer(RULES.start()) if side == 0 else reply_all(RULES.start())
    return solved, won


@pytest.mark.parametrize("side", ["first", "second"])
def test_the_walk_meets_what_every_reply_leads_to(side: str, tmp_path: Path) -> None:
    with Labeller(RULES, 1) as labeller:
        levels = list(asked(labeller, side, tmp_path))
        again = list(asked(labeller, side, tmp_path))
    solved = {key for level, _ in levels for key in level.keys.tolist()}
    won = {key for _, level in levels for key in level.keys.tolist()}
    assert (solved, won) == walked_by_hand(["first", "second"].index(side))
    for (one, _), (other, _) in zip(levels, again, strict=True):
        assert (one.scores == other.scores).all()


def test_sources_are_read_or_refused(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("12\n1234 passed over\n")
    assert len(lessons(f"file:{tmp_path / 'lines'}", RULES)) == 2
    text = "games:of=random,count=5,seed=3"
    found = lessons(text, RULES)
    assert (found.keys == lessons(text, RULES).keys).all()
    both = lessons(f"{text} and walk:first", RULES)
    assert set(found.keys.tolist()) < set(both.keys.tolist())
    assert len(np.unique(both.keys)) == len(both)
    with pytest.raises(SpecError, match="unknown source of positions 'walks'; did you mean 'walk'"):
        sources("walks:first", RULES)
    for uci in ("uci", "walk:first and suite:uci"):
        with pytest.raises(SpecError, match="the UCI data is of connect4"):
            learner("distil", RULES, positions=uci)  # before anything is asked
    (tmp_path / "lines").write_text("12121\n")
    with pytest.raises(SpecError, match="no position in which the game goes on"):
        lessons(f"file:{tmp_path / 'lines'}", RULES)


def test_names_with_the_word_between_sources_stand_in_brackets(tmp_path: Path) -> None:
    path = tmp_path / "this and that"
    path.write_text("12\n")
    assert sources(f"file:({path})", RULES) == [File(str(path))]
    both = [File(str(path)), Walk("first")]
    for text in (f"file:({path}) and walk:first", f"(file:({path}) and walk)"):
        assert sources(text, RULES) == both
    with pytest.raises(SpecError, match=r"brackets in 'walk and file:.* do not match"):
        sources(f"walk and file:({path}", RULES)


def test_a_folder_keeps_sources_of_one_kind_beside_each_other(tmp_path: Path) -> None:
    files = tmp_path / "a", tmp_path / "b"
    for path, lines in zip(files, ("1\n12\n", "2\n1122\n"), strict=True):
        path.write_text(lines)
    text = " and ".join(f"file:{path}" for path in files)
    text += " and games:of=random,count=2 and games:of=random,count=3"
    folder, plain = tmp_path / "data", lessons(text, RULES)
    assert (lessons(text, RULES, folder).keys == plain.keys).all()
    assert len([*folder.iterdir()]) == 4
    with pytest.MonkeyPatch.context() as patch:  # nothing is labelled twice
        patch.setattr(Labeller, "_chunk", None)
        files[0].rename(tmp_path / "c")
        again = lessons(text.replace(str(files[0]), str(tmp_path / "c")), RULES, folder)
        assert (again.scores == plain.scores).all()


def test_a_folder_with_one_source_of_a_kind_is_taken_up(tmp_path: Path) -> None:
    first, second, data = tmp_path / "a", tmp_path / "b", tmp_path / "data"
    first.write_text("1\n12\n")
    second.write_text("2\n1122\n")
    lessons(f"file:{first}", RULES, data)
    [home] = data.iterdir()
    home.rename(data / "file")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Labeller, "_chunk", None)
        lessons(f"file:{first}", RULES, data)
    assert len(lessons(f"file:{second} and file:{first}", RULES, data)) == 4
    assert len([*data.iterdir()]) == 2


@pytest.mark.parametrize("values", ["value=none", "weight=0"])
def test_what_would_be_taught_nothing_is_refused(values: str) -> None:
    assert learner(f"distil:{values}", RULES).config.moves == "one"
    with pytest.raises(SpecError, match="teaches neither moves nor values"):
        learner(f"distil:moves=none,{values}", RULES)


def test_scores_that_are_known_are_labels_like_others() -> None:
    entries = list(score_positions(phase_positions(RULES, "middle", 40)))
    known = distinct(scored(RULES, entries))
    with Labeller(RULES, 1) as labeller:
        solved = labeller.label(known.keys)
    assert len(known) == len(entries)
    assert (known.scores == solved.scores).all()
    assert (known.values == solved.values).all()
    with pytest.MonkeyPatch.context() as patch:  # what ships is not solved again
        patch.setattr(Labeller, "label", None)
        assert len(lessons("suite:middle and suite:end", game("connect4"))) == 2000


def test_asking_the_solver_is_told_and_called_off() -> None:
    made = learner(f"distil:{TINY}", RULES)
    said: list[str] = []

    def tell(words: str) -> None:
        said.append(words)
        if len(said) == 2:
            raise CalledOffError

    made.tell = tell
    with pytest.raises(CalledOffError):
        made.prepare()
    assert said[0] == "asking the solver about positions with 0 stones: 1 of 1"
    assert said[1].startswith("asking the solver about positions with 2 stones")
    made.prepare()  # asked anew when somebody waits for it again
    assert said[2] == said[0]
    assert "with 4 stones" in said[4]


def test_wanted_moves_and_their_loss_by_hand() -> None:
    labels = lessons("walk:first", RULES)
    row = int(np.flatnonzero(labels.keeping().sum(axis=1) == 2)[0])
    keep = lesson_of(labels.take(slice(row, row + 1)), "keep", True, CPU)
    logits = torch.tensor([[0.3, -1.0, 2.0, 0.5]])
    policy = logits.masked_fill(~keep.legal, -math.inf).log_softmax(1)
    shares = policy.exp()[0].tolist()
    right = [share for share, is_right in zip(shares, keep.keeping[0], strict=True) if is_right]
    assert move_loss(policy, keep)[0].item() == pytest.approx(-math.log(sum(right)))
    one = int(strategy(labels)[row])
    mixed = -0.75 * math.log(sum(right)) - 0.25 * math.log(shares[one])
    assert move_loss(policy, keep, 0.25)[0].item() == pytest.approx(mixed)
    single = lesson_of(labels.take(slice(row, row + 1)), "one", True, CPU)
    assert move_loss(policy, single)[0].item() == pytest.approx(-math.log(shares[one]))


def test_values_are_shared_out_between_bins_and_none_teaches_nothing() -> None:
    pupil = Pupil(RULES, Shape("residual", 4, 0, 2, 4, 5), 1, CPU, 0.0)
    bins = torch.log(torch.tensor([[0.1, 0.2, 0.3, 0.15, 0.25]]))  # at -1, -0.5, 0, 0.5, 1
    loss = pupil.value_loss(bins, torch.tensor([0.6])).item()
    assert loss == pytest.approx(-0.8 * math.log(0.15) - 0.2 * math.log(0.25))
    assert pupil.value_loss(bins, torch.tensor([math.nan])).item() == 0
    labels = lessons("walk:first", RULES)
    labels.values[:] = UNKNOWN
    before = pupil.arrays()
    pupil.learn(lesson_of(labels, "none", True, CPU), 0.1, 1.0)
    learned = [name for name in before if (pupil.arrays()[name] != before[name]).any()]
    assert not [name for name in learned if "running" not in name and "num_batches" not in name]


@pytest.mark.parametrize("value", [-1.0, -0.5, -0.2, 0.0, 0.3, 0.5, 1.0])
def test_an_answer_is_the_nearest_of_win_draw_and_loss(value: float) -> None:
    """However sure it is: where only values are known, they are what is right or wrong."""
    labels = lessons("walk:first", RULES).take(slice(0, 3))
    labels.values[:], labels.scores[labels.scores > UNKNOWN] = (-1, 0, 1), UNKNOWN
    rows = lesson_of(labels, "none", False, CPU)
    pupil = Pupil(RULES, Shape("residual", 4, 0, 2, 4, 2), 1, CPU, 0.0)
    bins = torch.log(torch.tensor([[(1 - value) / 2, (1 + value) / 2]] * 3))  # at -1 and 1
    is_best, _ = pupil.answers(rows, torch.zeros(3, 4), bins)
    assert is_best.tolist() == [value <= -0.5, abs(value) < 0.5, value >= 0.5]


def test_mirrored_rows_are_rows_of_mirrored_boards() -> None:
    labels = lessons("walk:first", RULES)
    lesson = lesson_of(labels, "one", True, CPU)
    flip = torch.ones(len(labels), dtype=torch.bool)
    turned = lesson.mirrored(RULES, flip)
    seen = planes(RULES, lesson.movers, lesson.occupied, flip)
    assert (seen == planes(RULES, lesson.movers, lesson.occupied).flip(3)).all()
    for side in ("legal", "wanted", "best", "keeping"):
        assert (getattr(turned, side) == getattr(lesson, side).flip(1)).all()
    none = lesson.mirrored(RULES, ~flip)
    assert (none.wanted == lesson.wanted).all()


def test_a_round_shows_every_position_once() -> None:
    course = course_of(lessons("walk:first", RULES), 0.25, "one", True, 10, 3, CPU)
    assert len(course.held.movers) == round(0.25 * (course.count + len(course.held.movers)))
    learned = {*zip(course.learned.movers.tolist(), course.learned.occupied.tolist(), strict=True)}
    held = {*zip(course.held.movers.tolist(), course.held.occupied.tolist(), strict=True)}
    assert not learned & held
    rounds: list[Lesson] = [course.rows(step) for step in range(course.count // 10)]
    seen = [board for rows in rounds for board in zip(rows.movers, rows.occupied, strict=True)]
    boards = {(int(mover), int(occupied)) for mover, occupied in seen}
    assert len(boards) == len(seen)
    assert boards <= learned
    assert (
        course.rows(7).movers
        == course_of(lessons("walk:first", RULES), 0.25, "one", True, 10, 3, CPU).rows(7).movers
    ).all()


def test_what_is_hard_is_half_of_a_batch_and_drawn_by_the_seed() -> None:
    found = []
    for _ in range(2):
        course = course_of(lessons("walk:first", RULES), 0.0, "one", True, 10, 3, CPU)
        course.hard = torch.tensor([2, 5, 7])
        found.append(course.rows(4))
    assert (found[0].movers == found[1].movers).all()
    assert (found[0].occupied == found[1].occupied).all()
    hard = {int(course.learned.occupied[row]) for row in (2, 5, 7)}
    assert {int(board) for board in found[0].occupied[5:]} <= hard


@pytest.mark.parametrize("paired", ["no", "yes"])
def test_a_toy_board_is_learned_to_certified_play(paired: str, tmp_path: Path) -> None:
    made = learner(f"distil:{TINY},games=30000,rate=0.02,value=none,paired={paired}", RULES, 1)
    last = list(made.steps())[-1]
    assert last.losses == 0
    path = tmp_path / "net.safetensors"
    made.save(path)
    assert not Network.load(path).has_values
    certificate = certify(f"net:{path}", RULES, "first", strict=True)
    assert certificate.certified
    with Labeller(RULES, 1) as labeller:
        levels = list(asked(labeller, "first"))
    assert certificate.to_json()["asked"] == sum(len(a) + len(b) for a, b in levels)


def trained(spec: str, stops: int, path: Path) -> dict[str, Any]:
    made = learner(spec, RULES, 5)
    for _ in range(stops):
        for _, _ in zip(range(2), made.steps(), strict=False):
            pass
        made.save(path)
        made = load_learner(path)
    for _ in made.steps():
        pass
    made.save(path)
    return made.network().layers | made.pupil.arrays()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "more", ["", ",moves=keep,prefer=0.1,mirror=yes,held=0.2", ",paired=yes,turn=5"]
)
def test_a_run_taken_up_again_equals_one_that_was_not(more: str, tmp_path: Path) -> None:
    spec = f"distil:{TINY},games=1500,chunk=130{more}"
    straight = trained(spec, 0, tmp_path / "straight.safetensors")
    broken = trained(spec, 3, tmp_path / "broken.safetensors")
    assert straight.keys() == broken.keys()
    assert all((straight[name] == broken[name]).all() for name in straight)


def test_weights_that_do_not_fit_are_named_with_their_file_each_time(tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    made = learner(f"distil:{TINY},games=1000", RULES)
    made.advance(64)
    made.save(path)
    about, kept = Network.load_all(path)
    name = next(name for name in kept if name.startswith("network."))
    about.save(path, extra={**kept, name: np.zeros(1, np.float32)})
    taken_up = load_learner(path)
    for _ in range(2):
        with pytest.raises(StorageError, match=r"mine\.safetensors is damaged: the weights are of"):
            taken_up.prepare()


def test_data_is_kept_and_data_of_another_game_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    made = learner(f"distil:{TINY},games=10,data={folder}", RULES, 1)
    made.prepare()
    files = sorted(folder.rglob("*.npz"))
    before = {path: path.stat().st_mtime_ns for path in files}
    assert files
    learner(f"distil:{TINY},games=10,data={folder}", RULES, 1).prepare()
    assert before == {path: path.stat().st_mtime_ns for path in files}
    save_labels(tmp_path / "other.npz", lessons("walk:first", Rules(4, 3, 3)))
    with pytest.raises(StorageError, match=r"has labels of connect:columns=4,rows=3,k=3, not of"):
        learner(f"distil:{TINY},games=10,data={tmp_path / 'other.npz'}", RULES, 1).prepare()


def test_games_of_an_agent_that_moves_nowhere_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def choose(position, rng):\n    return 99\n")
    games = Games(of=str(tmp_path / "mine.py"), count=2)
    with pytest.raises(IllegalMoveError, match=r"^mine.py@\w+: cell 100 does not exist"):
        played(game("tictactoe"), games)
