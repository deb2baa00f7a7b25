from typing import Any

import pytest

from fourlab.studies.base import Published
from fourlab.studies.findings import Column, Findings, Measure, over_seeds, share
from fourlab.studies.report.tables import agreement, difference, table
from fourlab.studies.wording import chance, count, digits, figure, interval, span, spell
from studies.demo import EXPERIMENTS, rewards

WIN = Column("wins", "won", "percent")
NAME = Column("name", "who", "text")


def found(**cells: Any) -> Findings:
    return Findings((NAME, WIN), tuple({"name": name, "wins": c} for name, c in cells.items()))


# ---- how ours differ ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "told", "games", "is_within"),
    [
        (share(500, 1000), 0.53, 0, True),
        (share(500, 1000), 0.54, 0, False),
        (share(500, 1000), 0.54, 1000, True),  # its own games widen what counts as within
        (share(500, 1000), 0.46, 1000, True),
        (share(500, 1000), 0.60, 1000, False),
        (over_seeds([0.5, 0.6, 0.55, 0.52]), 0.54, 0, True),
        (over_seeds([0.5, 0.6, 0.55, 0.52]), 0.7, 0, False),
        (Measure(0.5), 0.5, 1000, None),
        (0.5, 0.9, 0, None),
    ],
)
def test_a_published_figure_lies_within_or_not(
    cell: Any, told: float, games: int, is_within: bool | None
) -> None:
    assert difference(cell, told, games).is_within is is_within


def test_the_words_say_on_which_side_ours_lie() -> None:
    ours = found(a=share(736, 1000), b=share(500, 1000), c=share(200, 1000), d=0.3)
    told = {"a": 0.8, "b": 0.51, "c": 0.1, "d": 0.3}
    published = Published({name: {"wins": value} for name, value in told.items()})
    made = table(ours, published)
    assert made.verdicts == (("6.4 below",), ("within",), ("10.0 above",), ())
    assert [line[1].published for line in made.rows] == ["80.0", "51.0", "10.0", "30.0"]
    assert agreement(made) == (
        "One of three published figures lies within our intervals. "
        "The largest difference: won for c, 20.0% here, 10.0% published."
    )


def test_agreement_in_words_for_one_for_all_and_for_none() -> None:
    def words(**told: float) -> str:
        ours = found(a=share(500, 1000), b=share(500, 1000))
        return agreement(
            table(ours, Published({name: {"wins": value} for name, value in told.items()}))
        )

    assert words(a=0.51).startswith("The published figure lies within our interval: won for a")
    assert words(a=0.9).startswith("The published figure lies outside our interval")
    assert words(a=0.5, b=0.5) == "Both published figures lie within our intervals."
    assert words(a=0.1, b=0.9).startswith("None of two published figures lies within")
    assert agreement(table(found(a=0.5), Published({"a": {"wins": 0.5}}))) == ""
    assert agreement(table(found(a=0.5))) == ""


def test_figures_that_look_the_same_do_not_differ() -> None:
    ours = found(a=share(333_333, 1_000_000), b=Measure(0.9999, 0.9999, 0.9999))
    made = table(ours, Published({"a": {"wins": 0.3}, "b": {"wins": 1.0}}))
    assert [line[1].verdict for line in made.rows] == ["3.3 above", "within"]


def test_rows_and_cells_that_only_one_side_has_stay_visible() -> None:
    made = table(found(a=share(1, 2), b=None), Published({"z": {"wins": 0.25}, "a": {"wins": 0.5}}))
    assert [line[0].ours for line in made.rows] == ["a", "b", "z"]
    assert [line[1].ours for line in made.rows] == ["50.0", "–", "–"]
    assert [line[1].published for line in made.rows] == ["50.0", "", "25.0"]


def test_with_several_columns_a_verdict_names_the_one_that_differs_most() -> None:
    made = table(rewards(), EXPERIMENTS[0].published)
    assert made.verdicts[0] == ("won 1.4 above", "drawn 1.4 below")
    assert made.in_short(0) == "won 1.4 above +1"
    assert made.in_short(2) == "within"


# ---- figures in words ---------------------------------------------------------------------------


def test_figures_have_the_digits_that_their_interval_gives_them() -> None:
    cells = [share(736, 1000), share(800, 1000)]
    assert digits("percent", cells) == 1
    assert digits("percent", [share(500_000, 1_000_000)] * 3) == 2
    assert digits("number", [Measure(1234.5, 1200, 1270)]) == 0
    assert digits("number", [21.4, 22.0], [20.75]) == 2
    assert digits("number", [1 / 3]) == 4
    assert digits("number", []) == 0
    assert figure(0.7361, "percent", 1) == "73.6"
    assert figure(1_234_567.0, "whole") == "1,234,567"
    assert figure(-0.25, "number", 2) == "−0.25"
    assert figure(-0.0004, "percent", 1) == "0.0"


def test_an_interval_is_a_half_width_unless_it_is_skewed() -> None:
    assert interval(share(736, 1000), "percent", 1) == "± 2.7"
    assert interval(share(0, 1000), "percent", 1) == "(0.0 to 0.4)"
    assert interval(Measure(0.5), "percent", 1) == ""


def test_times_counts_and_chances_in_words() -> None:
    assert [spell(t) for t in (8.9e-6, 0.0017, 0.083, 1.26, 42.4, 245, 3600 * 2, 86_400)] == [
        "8.9 µs", "1.7 ms", "0.083 s", "1.3 s", "42 s", "4.1 min", "2 h", "24 h",
    ]  # fmt: skip
    assert count(1, "game") == "one game"
    assert count(20_000, "game") == "20,000 games"
    assert span([3, 1, 2, 4]) == "1 to 4"
    assert span([1, 5]) == "1, 5"
    assert chance(1e-9) == "p < 0.001"
    assert chance(0.034) == "p = 0.034"
