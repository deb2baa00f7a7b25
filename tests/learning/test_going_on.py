"""Runs that are taken up again: contradictions are refused, longer ones are the same run."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fourlab.core.errors import DivergedError, SpecError
from fourlab.core.held import alone
from fourlab.core.limit import NO_LIMIT, CalledOffError, Limit
from fourlab.core.storage import StorageError, load_arrays
from fourlab.learning.base import Learner, Progress
from fourlab.learning.registry import learner
from fourlab.learning.runs import (
    CONFIG,
    METRICS,
    Run,
    RunConfig,
    agreed_length,
    read_metrics,
)
from fourlab.values.knowledge import CHECKPOINT

GAME = "tictactoe"


def begun(folder: Path, spec: str = "q:games=600,chunk=100", **more: Any) -> Run:
    run = Run.start(folder, RunConfig(spec, GAME, 5, **more))
    list(run.reports())
    return run


def checksum(folder: Path) -> str:
    found: str = load_arrays(folder / CHECKPOINT, "values", 1)[0]["checksum"]
    return found


@pytest.mark.parametrize("spec", ["q:games={},chunk=100", "n-tuple:games={},chunk=64,tuples=3"])
def test_a_run_made_longer_is_the_long_run(tmp_path: Path, spec: str) -> None:
    begun(tmp_path / "long", spec.format(900), every=300)
    begun(tmp_path / "short", spec.format(600), every=300)
    run = Run.resume(tmp_path / "short", 900)
    assert run.learner.follows_length == ()
    list(run.reports())
    assert checksum(tmp_path / "short") == checksum(tmp_path / "long")
    lines = [
        [line["games"] for line in read_metrics(tmp_path / name)] for name in ("short", "long")
    ]
    assert lines[0] == lines[1] == [300, 600, 900]
    assert RunConfig.load(tmp_path / "short") == RunConfig.load(tmp_path / "long")
    with pytest.raises(SpecError, match="has played 900 games already; ask for more"):
        Run.resume(tmp_path / "short", 700)


def test_a_run_goes_on_in_other_words_that_mean_the_same(tmp_path: Path) -> None:
    spec = "q:games=600,alpha=0.1,opponent=(2 random and minimax:depth=1)"
    run = begun(tmp_path, spec, against=("minimax:depth=1",))
    words = "q:opponent=(4 random and 2 (minimax:depth=1.0)),alpha=(const:.10),games=600"
    again = RunConfig(words, GAME, 5, against=("(minimax:depth=1)",))
    assert Run.again(tmp_path, again).config == run.config
    for other in ({"learner": words.replace(".10", ".11")}, {"seed": 6}, {"against": ()}):
        with pytest.raises(SpecError, match="holds a run"):
            Run.again(tmp_path, replace(again, **other))


def test_what_goes_by_the_length_is_named(tmp_path: Path) -> None:
    made = learner("q:alpha=(linear:1,end=0.1),epsilon=(linear:1,end=0,games=50)", GAME)
    assert made.follows_length == ("alpha",)
    assert learner("q:opponent=(random then baseline)", GAME).follows_length == ("opponent",)
    begun(tmp_path / "cut", "q:games=100,opponent=(mcts:sims=2)")
    cut = Run.resume(tmp_path / "cut", 200).learner
    assert cut.follows_length == ("the last round of 64 games",)
    begun(tmp_path / "whole", "q:games=128,opponent=(mcts:sims=2)")
    assert Run.resume(tmp_path / "whole", 200).learner.follows_length == ()


def test_lanes_that_ran_dry_are_named(tmp_path: Path) -> None:
    """A longer `deep-q` is the long run only where no lane stood empty at the old end."""
    pytest.importorskip("torch")
    spec = "deep-q:games={},width=2,network=residual,blocks=0,batch=8,lanes=8,chunk=8"
    begun(tmp_path / "dry", spec.format(40))
    dry = Run.resume(tmp_path / "dry", 80).learner
    assert dry.follows_length == ("the last games side by side",)
    assert Run.resume(tmp_path / "dry").learner.follows_length == ()
    early = Run.start(tmp_path / "early", RunConfig(spec.format(40), GAME, 5))
    next(iter(early.reports(stop=lambda: early.learner.done > 0)), None)
    assert 0 < early.learner.done < 40 - 8 * 2
    longer = Run.resume(tmp_path / "early", 80)
    assert longer.learner.follows_length == ()
    list(longer.reports())
    long = begun(tmp_path / "long", spec.format(80))
    told = [[line["loss"] for line in read_metrics(run.folder)][-1] for run in (longer, long)]
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("text", "game", "seed", "said"),
    [
        ("afterstates", None, None, "learner 'afterstates': the run in .* is of 'q'"),
        ("q:alpha=0.3", None, None, "alpha=0.3: the run in .* was begun with alpha=0.1"),
        (":opponent=(baseline),games=9", None, None, "opponent=baseline: .* opponent=random"),
        ("", "connect4", None, "--game connect4: the run in .* is of tictactoe"),
        ("", None, 6, "--seed 6: the run in .* has seed 5"),
        ("q:beta=1", None, None, "has no option 'beta'"),
    ],
)
def test_contradictions_are_refused(
    tmp_path: Path, text: str, game: str | None, seed: int | None, said: str
) -> None:
    Run.start(tmp_path, RunConfig("q:games=600", GAME, 5))
    with pytest.raises(SpecError, match=said):
        agreed_length(tmp_path, text, game, seed)


def test_what_is_said_again_is_no_contradiction(tmp_path: Path) -> None:
    Run.start(tmp_path, RunConfig("q:games=600,chunk=100", GAME, 5))
    assert agreed_length(tmp_path, "q:chunk=100,alpha=0.1", GAME, 5) is None
    assert agreed_length(tmp_path, ":games=(800)", None, None) == 800
    assert agreed_length(tmp_path, "(q:alpha=const:.1,games=(800))", None, None) == 800


@pytest.mark.parametrize(
    "text",
    [
        "(2 random) then (minimax:depth=2,ties=first)",
        "4 (random) then (minimax:ties=first,depth=2)",
        "((random) then 1 (minimax:depth=2.0,ties=first))",
    ],
)
def test_opponents_said_in_other_words_are_no_contradiction(tmp_path: Path, text: str) -> None:
    opponent = "random then minimax:depth=2,ties=first"
    Run.start(tmp_path, RunConfig(f"q:games=600,opponent=({opponent})", GAME, 5))
    assert agreed_length(tmp_path, f":opponent=({text})", GAME, 5) is None
    with pytest.raises(SpecError, match=r"the run in .* was begun with opponent"):
        agreed_length(tmp_path, f":opponent=({text.replace('first', 'central')})", GAME, 5)


def test_reports_come_as_often_as_asked_for(tmp_path: Path) -> None:
    begun(tmp_path / "run", "q:games=900", every=250)  # a chunk is 1,000 games
    assert [line["games"] for line in read_metrics(tmp_path / "run")] == [250, 500, 750, 900]
    begun(tmp_path / "rare", "q:games=900")
    assert checksum(tmp_path / "run") == checksum(tmp_path / "rare")
    thinking = RunConfig("q:opponent=(mcts:sims=5)", GAME, every=10)
    for games in (0, 1 << 62):
        with pytest.raises(SpecError, match="evaluation_games="):
            Run.start(tmp_path / "other", RunConfig("q", GAME, evaluation_games=games))
    with pytest.raises(SpecError, match=r"--every 10: q plays up to 64 games between .* 64"):
        Run.start(tmp_path / "other", thinking)


@pytest.mark.parametrize(
    ("spec", "every", "said"),
    [
        ("q", 7, ""),
        ("q:opponent=(mcts:sims=5)", 128, ""),
        ("q:opponent=(mcts:sims=5)", 100, "after every 64 games"),
        ("distil:batch=50", 100, ""),
        ("distil:batch=50", 120, "after every 50 positions"),
        ("deep-q:lanes=1", 7, ""),
        ("deep-q", 128, "where games end, up to 64 together"),
        ("zero", 400, "after every 200 games or some more, on a GPU after every second"),
    ],
)
def test_when_a_learner_is_looked_at_is_told(spec: str, every: int, said: str) -> None:
    if spec.startswith(("deep-q", "zero", "distil")):
        pytest.importorskip("torch")
    assert learner(spec, GAME).looks(every) == said


def test_lanes_that_end_together_set_how_often_reports_come(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    spec = "deep-q:games=60,width=2,network=residual,blocks=0,batch=8,lanes=8"
    with pytest.raises(SpecError, match=r"--every 7: deep-q plays up to 8 games between .* 8"):
        Run.start(tmp_path, RunConfig(spec, GAME, every=7))
    begun(tmp_path, spec, every=8)
    seen = [line["games"] // 8 for line in read_metrics(tmp_path)]
    assert seen == [1, 2, 3, 4, 5, 6, 7, 7]  # each as soon as may be, and the end


@pytest.mark.parametrize(
    "spec",
    [
        "q:alpha=-1",
        "q:alpha=3",
        "q:epsilon=5",
        "q:alpha=(linear:1,end=-0.5)",
        "q:epsilon=(steps:0.5/1.5)",
        "monte-carlo:alpha=-0.5",
        "q:win=1e300",
        "deep-q:rate=7",
        "deep-q:reuse=1e300",
        "zero:full=0",
        "zero:reuse=1001",
        "zero:rate=1e9",
        "distil:rate=7",
        "zero:decay=2",
        *(f"zero:{name}={1 << 62}" for name in ("window", "lanes", "batch", "prefill", "threads")),
        f"distil:batch={1 << 62}",
        "n-tuple:symmetric=no",
        "n-tuple:memory-mb=5",
        "monte-carlo:epsilon=0.5",
    ],
)
def test_what_cannot_be_learned_with_or_does_nothing_is_refused(spec: str) -> None:
    if spec.startswith(("deep-q", "zero", "distil")):
        pytest.importorskip("torch")
    with pytest.raises(SpecError, match=r"not allowed|has no option"):
        learner(spec, GAME)
    learner("monte-carlo:alpha=-1", GAME)


def test_what_diverges_stops_and_is_neither_stored_nor_saved(tmp_path: Path) -> None:
    run = Run.start(tmp_path, RunConfig("q:games=3000,chunk=100", GAME))
    run.learner._alpha = type(run.learner._alpha)(3.0)  # type: ignore[attr-defined]
    with pytest.raises(DivergedError, match=r"diverged within .* games"):
        list(run.reports())
    known = run.learner.knowledge  # type: ignore[attr-defined]
    assert abs(known.values.table.values).max() < float("inf")
    with pytest.raises(DivergedError, match="not saved"):
        run.learner.save(tmp_path / CHECKPOINT)
    assert not any(value != value for value in known.values.table.values.ravel().tolist())


def test_a_loss_that_is_no_number_ends_every_learner() -> None:
    with pytest.raises(DivergedError, match="its loss is nan"):
        Progress(10, 1, 0, 0, {"loss": float("nan")})


def test_two_at_once_are_refused_and_leftovers_cleared(tmp_path: Path) -> None:
    begun(tmp_path / "run")
    left = tmp_path / "run" / f".{CHECKPOINT}.0123abcd.tmp"
    left.write_bytes(b"half a checkpoint")
    with alone(tmp_path / "run"):
        with pytest.raises(StorageError, match="another program is at work in"):
            list(Run.resume(tmp_path / "run", 700).reports())
        assert not left.exists()
    late = Run.resume(tmp_path / "run", 700)
    list(Run.resume(tmp_path / "run", 650).reports())
    with pytest.raises(StorageError, match="has gone on meanwhile"):
        list(late.reports())


@pytest.mark.parametrize("replaced", [True, False])
def test_a_run_that_takes_the_place_of_another_is_not_written_into(
    tmp_path: Path, replaced: bool
) -> None:
    run, other = tmp_path / "run", tmp_path / "other"
    list(Run.start(other, RunConfig("q:games=300,chunk=50", GAME, seed=5)).reports())
    before = {file.name: file.read_bytes() for file in other.iterdir() if file.is_file()}
    playing = Run.start(run, RunConfig("q:games=900,chunk=50", GAME, every=100)).reports()
    next(playing)
    run.rename(tmp_path / "moved")
    if replaced:
        other.rename(run)
    with pytest.raises(StorageError, match=r"run was deleted, moved or replaced .* go on where"):
        list(playing)
    if replaced:
        after = {file.name: file.read_bytes() for file in run.iterdir() if file.is_file()}
        assert after == before
    else:
        assert not run.exists()
    assert [line["games"] for line in read_metrics(tmp_path / "moved")] == [100]
    list(Run.resume(tmp_path / "moved").reports())


def test_checkpoints_take_a_share_of_the_time_at_most(tmp_path: Path) -> None:
    run = Run.start(tmp_path, RunConfig("q:games=3000,chunk=100", GAME, every=100))
    save, saved = run.learner.save, []

    def counted(path: Path) -> None:
        saved.append(run.learner.done)
        save(path)

    run.learner.save = counted  # type: ignore[method-assign]
    clock = iter(range(10**9))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fourlab.learning.runs.time.perf_counter", lambda: float(next(clock)))
        list(run.reports())
    assert saved[-1] == 3000
    assert 1 < len(saved) < 30  # of 30 reports
    assert len(read_metrics(tmp_path)) == 30


def test_a_damaged_line_of_metrics_costs_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    begun(tmp_path, every=100)
    path = tmp_path / METRICS
    lines = path.read_text().splitlines()
    assert len(lines) == 6
    for damage in (lines[2].replace('"wins": ', '"wins": 1'), "{{", '{"games": 300}', "\x00"):
        path.write_text("\n".join([*lines[:2], damage, *lines[3:]]) + "\n")
        assert [line["games"] for line in read_metrics(tmp_path)] == [100, 200, 400, 500, 600]
        assert "line 3 is damaged" in caplog.text
        caplog.clear()


def test_lines_of_metrics_that_were_moved_or_doubled_tell_what_they_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    begun(tmp_path, every=100)
    path, told = tmp_path / METRICS, read_metrics(tmp_path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[3:], *lines[:3], lines[1]]) + "\n")
    assert read_metrics(tmp_path) == told
    assert "line 7 is damaged" in caplog.text


def test_a_changed_config_is_noticed(tmp_path: Path) -> None:
    begun(tmp_path)
    path = tmp_path / CONFIG
    text = path.read_text()
    for change in (('"seed": 5', '"seed": 7'), ("q:games=600", "q:games=900"), ("{", "[")):
        path.write_text(text.replace(*change, 1))
        with pytest.raises(StorageError, match=r"config.json is damaged"):
            Run.resume(tmp_path)
    fields = json.loads(text)
    del fields["checksum"]  # as the first fourlab wrote it
    path.write_text(json.dumps(fields))
    assert Run.resume(tmp_path).learner.done == 600


def to_the_end(made: Learner, limit: Limit) -> None:
    while made.advance(64, limit) is not None:
        pass


def test_a_round_that_is_called_off_never_began(tmp_path: Path) -> None:
    """Against opponents that think, whenever it is called off: the games come anew, the same."""
    told = []
    for looks in (None, 1, 5, 11):
        made, left = learner("q:games=256,opponent=flat:playouts=1", GAME, 2), [looks]

        def stop(left: list[int | None] = left) -> bool:
            if left[0] is not None:
                left[0] -= 1
            return left[0] is not None and left[0] <= 0

        if looks is not None:
            with pytest.raises(CalledOffError):
                to_the_end(made, Limit(stop=stop))
        to_the_end(made, NO_LIMIT)
        made.save(tmp_path / "end.npz")
        told.append(load_arrays(tmp_path / "end.npz", "values", 1)[0]["checksum"])
    assert told == told[:1] * 4
