from pathlib import Path

import pytest

from fourlab.core.errors import FourlabError, SpecError
from fourlab.core.workers import Workers
from fourlab.studies.canvas import save
from fourlab.studies.figures import sweep_figure, tournament_figure
from fourlab.studies.sweep import Sweep, expand

SMALL = "connect:columns=5,rows=4,k=4"


def test_braces_span_a_grid() -> None:
    grid = expand("mcts:sims={10,20},c=1,final={visits,score}")
    assert grid.options == {"sims": ("10", "20"), "final": ("visits", "score")}
    assert grid.specs == (
        "mcts:sims=10,c=1,final=visits",
        "mcts:sims=10,c=1,final=score",
        "mcts:sims=20,c=1,final=visits",
        "mcts:sims=20,c=1,final=score",
    )
    assert grid.points()[2] == {"sims": "20", "final": "visits"}


@pytest.mark.parametrize(
    "text",
    ["mcts", "mcts:c={}", "mcts:c={1,1}", "mcts:c={1,,2}", "mcts:c={1", "mcts:c={{1}}"],
)
def test_what_spans_no_grid_is_refused(text: str) -> None:
    with pytest.raises(SpecError, match=r"spans no grid|different values"):
        expand(text)


@pytest.mark.parametrize(
    "values", ["c={1,1.0}", "sims={10,1e1}", "c={.5,2,(0.5)}", "solver={on,1}"]
)
def test_equal_values_are_refused_however_they_are_written(values: str) -> None:
    with pytest.raises(SpecError, match=r"are one agent; give it once|is given twice"):
        Sweep(f"mcts:{values}", ("random",), SMALL)


def test_a_grid_is_bounded() -> None:
    with pytest.raises(SpecError, match=r"spans 1,024 points; at most 1,000"):
        expand("mcts:" + ",".join(f"o{n}={{1,2}}" for n in range(10)))


def test_every_point_meets_every_opponent_and_is_drawn(tmp_path: Path) -> None:
    text = "perfect:blunder={0,1},prefer={fastest,any}"
    sweep = Sweep(text, ("random", "baseline"), SMALL, games=10, seed=2)
    with Workers(2) as workers:
        for _ in sweep.tournament.run(workers):
            pass
    points = sweep.to_json()["points"]
    assert len(points) == 8
    for number, options in enumerate(sweep.grid.points()):
        for opponent, against in enumerate(sweep.against):
            point = points[number * 2 + opponent]
            assert (point["options"], point["against"]) == (options, against)
            assert point["score"] == sweep.tally(number, opponent).score
            assert sweep.tally(number, opponent).pairing.b == against
    best = [p["score"] for p in points if p["options"]["blunder"] == "0"]
    worst = [p["score"] for p in points if p["options"]["blunder"] == "1"]
    assert min(best) > max(worst)
    save(sweep_figure(sweep), tmp_path / "grid.png")
    save(tournament_figure(sweep.tournament), tmp_path / "all.svg")
    assert {path.name for path in tmp_path.iterdir()} == {"grid.png", "all.svg"}


def test_only_two_options_are_drawn_and_only_as_pictures(tmp_path: Path) -> None:
    deep = Sweep("mcts:sims={1,2},c={1,2},draw={0,1}", ("random",), SMALL)
    with pytest.raises(FourlabError, match="a sweep over 3 options is not drawn"):
        sweep_figure(deep)
    flat = Sweep("mcts:sims={1,2}", ("random",), SMALL)
    with pytest.raises(FourlabError, match=r"ends in .png or .svg"):
        save(sweep_figure(flat), tmp_path / "x.doc")
