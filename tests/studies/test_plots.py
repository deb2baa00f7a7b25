import dataclasses
import itertools
import re
from functools import partial
from pathlib import Path

import pytest

from fourlab.studies import plots
from fourlab.studies.base import Experiment, Published
from fourlab.studies.canvas import (
    CARD,
    NARROW,
    PALETTE,
    WIDE,
    drawn_for,
    save,
    scale_of,
    sheet,
    svg_text,
)
from fourlab.studies.findings import Column, Curve, Findings, Measure, share
from fourlab.studies.plots.boards import together
from fourlab.studies.plots.parts import short, spread
from studies.demo import EXPERIMENTS, MAKERS, learning, opponents, rewards, steps

DRAWN = list(zip(EXPERIMENTS, (make() for make in MAKERS), strict=False))


def drawn(experiment: Experiment, found: Findings, published: Published | None) -> str:
    assert experiment.figure is not None
    return svg_text(experiment.figure(found, published))


@pytest.mark.parametrize(("experiment", "found"), DRAWN, ids=lambda one: getattr(one, "name", ""))
def test_every_kind_is_drawn_in_the_colours_of_the_page(
    experiment: Experiment, found: Findings
) -> None:
    wide = drawn(experiment, found, experiment.published)
    with drawn_for(NARROW):
        narrow = drawn(experiment, found, None)
    for text, pixels in ((wide, 736), (narrow, NARROW)):
        assert re.match(r'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 (\d+)', text)
        assert f'viewBox="0 0 {pixels} ' in text
        bare = re.sub(r"var\(--[a-z0-9-]+, #[0-9a-f]{6}\)", "", text)
        assert not re.search(r"#[0-9a-f]{6}[;\"]", bare)
        assert "<text" in text
        assert "metadata" not in text


@pytest.mark.parametrize(("experiment", "found"), DRAWN, ids=lambda one: getattr(one, "name", ""))
def test_every_kind_is_low_on_a_card(experiment: Experiment, found: Findings) -> None:
    many = dataclasses.replace(found, rows=found.rows * 4) if not found.extra else found
    with drawn_for(CARD):
        text = drawn(experiment, many, experiment.published)
    size = re.search(r'viewBox="0 0 (\d+) (\d+)', text)
    assert size is not None
    assert int(size[1]) == CARD
    assert int(size[2]) <= 0.7 * CARD
    assert "± " not in text  # intervals are for the report


def test_no_figure_has_a_style_sheet_that_reaches_the_page_around_it() -> None:
    for experiment, found in DRAWN:
        text = drawn(experiment, found, experiment.published)
        assert "<style" not in text
        assert "stroke-linejoin: round; stroke-linecap: butt" in text[: text.index(">")]


def test_no_identifier_is_in_two_figures() -> None:
    seen: set[str] = set()
    for experiment, found in DRAWN:
        text = drawn(experiment, found, experiment.published)
        own = re.findall(r'\bid="([^"]*)"', text)
        assert len(own) == len(set(own))
        assert not seen & set(own)
        assert set(re.findall(r'(?:href="#|url\(#)([^")]*)', text)) <= set(own)
        seen |= set(own)
    assert seen
    figure = plots.intervals(steps(), None, "score")
    named = [set(re.findall(r'\bid="([^"]*)"', svg_text(figure, name))) for name in ("a", "b")]
    assert not named[0] & named[1]


def test_a_figure_is_the_same_every_time() -> None:
    experiment, found = DRAWN[1]
    again = learning()
    assert drawn(experiment, found, None) == drawn(experiment, again, None)


def test_every_colour_tells_its_variable() -> None:
    assert len(set(PALETTE.values())) == len(PALETTE)


def test_files_are_light_and_need_no_variables(tmp_path: Path) -> None:
    figure = plots.outcome_bars(rewards(), None)
    save(figure, tmp_path / "bars.svg")
    save(figure, tmp_path / "bars.png")
    text = (tmp_path / "bars.svg").read_text()
    assert PALETTE["heat-high"] in text
    assert "var(" not in text
    assert (tmp_path / "bars.png").read_bytes().startswith(b"\x89PNG")


def test_what_was_published_is_on_the_bars() -> None:
    found = rewards()
    published = Published({"0, 0": {"wins": 0.5}})
    assert ">published<" in svg_text(plots.outcome_bars(found, published))
    assert "published<" not in svg_text(plots.outcome_bars(found, None))
    assert "published<" not in svg_text(plots.outcome_bars(found, Published(said="more")))
    assert "published<" in svg_text(
        plots.outcome_areas(opponents(), Published({"MC 5": {"wins": 1}}))
    )


def test_one_seed_has_no_band_and_no_interval() -> None:
    found = learning()
    alone = Curve("Alone", (0.0, 10.0), ((0.25, 0.5),))
    text = svg_text(plots.curves(dataclasses.replace(found, curves=(alone,))))
    assert ">50%<" in text
    assert "±" not in text
    assert "±" in svg_text(plots.curves(found, names=("Vanilla",)))
    assert "Afterstates" not in svg_text(plots.curves(found, names=("Vanilla",)))
    point = Curve("cell 9", (5.0,), ((1.0,),))
    plots.trajectories(dataclasses.replace(found, curves=(point,)), moves="7385")


def test_smoothing_keeps_the_past() -> None:
    line = Curve("line", (0.0, 1.0, 2.0), ((0.0, 1.0, 1.0),))
    found = dataclasses.replace(learning(), curves=(line,))
    assert ">100%<" in svg_text(plots.curves(found))
    assert ">75%<" in svg_text(plots.curves(found, smooth=0.5))


def test_rows_without_figures_and_intervals_are_drawn() -> None:
    columns = (Column("who", "who", "text"), Column("wins", "won", "percent"))
    rows = (
        {"who": "a", "wins": None},
        {"who": "b", "wins": 0.5},
        {"who": "c", "wins": Measure(1, 0.9, 0.99)},
    )
    found = Findings(columns, rows)
    for figure in (plots.outcome_bars, partial(plots.intervals, column="wins")):
        text = svg_text(figure(found, None))  # type: ignore[operator]
        assert [f">{label}<" in text for label in "abc"] == [True] * 3
        assert ">50.0%<" in text


def test_the_best_cell_of_a_heat_map_is_in_its_place() -> None:
    columns = tuple(Column(name, name) for name in ("name", "down", "across", "wins"))
    rows = tuple(
        {"name": f"{a}{b}", "down": a, "across": b, "wins": share(10 * a + b, 100)}
        for a in (1, 2)
        for b in (3, 4, 5)
    )
    found = Findings(columns, rows[:-1])  # a hole stays a hole
    axes = plots.heat(found, "down", "across", "wins").axes[0]
    placed = {text.get_position(): text.get_text() for text in axes.texts}
    assert placed[(0, 0)].startswith("13")
    assert placed[(1, 1)].startswith("24")
    assert (2, 1) not in placed


@pytest.mark.parametrize("width", [WIDE, NARROW, CARD])
def test_who_wins_on_a_board_has_room_in_its_cell(width: int) -> None:
    boards = {(columns, 4): -1 for columns in range(4, 12)}
    with drawn_for(width):
        figure = plots.board_sizes(boards, {(4, 4): -1.0})
        figure.canvas.draw()
    axes = figure.axes[0]
    cell = axes.get_window_extent().width / len(boards)
    wide = [text.get_window_extent().width for text in axes.texts]
    assert len(wide) == len(boards)
    assert max(wide) < cell


def test_names_that_end_together_are_named_together() -> None:
    assert together(["cell 4", "cell 1", "cell 12"]) == "cell 1, 4, 12"
    assert together(["cell 4", "column 1"]) == "cell 4, column 1"
    assert together(["9"]) == "9"


def test_labels_do_not_collide_and_stay_near() -> None:
    assert spread([0.0, 10.0], 1.0) == [0.0, 10.0]
    assert spread([5.0, 5.0, 5.0], 2.0) == pytest.approx([3.0, 5.0, 7.0])
    assert spread([], 1.0) == []
    placed = sorted(spread([1.0, 1.1, 4.0, 4.1, 4.2, 9.0], 0.5))
    assert all(b - a >= 0.5 - 1e-9 for a, b in itertools.pairwise(placed))


def test_axes_are_logarithmic_where_steps_are_not_even() -> None:
    assert scale_of([1, 10, 100]) == "log"
    assert scale_of([1, 2, 3, 4]) == "linear"
    assert scale_of(range(1000, 100_001, 1000)) == "linear"
    assert scale_of([0, 10, 100]) == "linear"
    assert [short(n) for n in (0, 500, 4000, 50_000, 2_500_000)] == [
        "0",
        "500",
        "4,000",
        "50k",
        "2.5M",
    ]


def test_a_sheet_is_as_wide_as_the_page() -> None:
    with drawn_for(300):
        assert sheet(72).get_size_inches() == pytest.approx((300 / 72, 1))
    assert sheet(72).get_size_inches() == pytest.approx((736 / 72, 1))
