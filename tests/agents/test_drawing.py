"""A decision as values over the moves."""

import re
from pathlib import Path

import fourlab
from fourlab.adapters.serving import information
from fourlab.agents.base import Decision
from fourlab.cli.console import thoughts
from fourlab.rules.catalog import game

DECISION = Decision(1, values=(-0.5, 1.0, None), visits=(3, 20, 0), line=(1, 0), effort=1200)


def test_text_names_every_move_and_marks_the_chosen_one() -> None:
    assert str(DECISION).splitlines() == [
        "move 2",
        "            1     2*  3",
        "values  -0.50  +1.00  ·",
        "visits      3     20  0",
        "expects 2 1",
        "looked at 1,200",
    ]
    assert str(Decision(2)) == "move 3"


def test_nothing_is_a_minus_zero() -> None:
    almost = Decision(1, values=(-4e-17, -0.0, -0.001), raw=(-0.0, -0.0, -1.0))
    values, raw = (line.split() for line in str(almost).splitlines()[2:4])
    assert (values[1:], raw[1:]) == (["+0.00"] * 3, ["0", "0", "-1"])
    board = game("connect:columns=3,rows=3,k=3").start()
    assert [thoughts(board, almost)[move][0] for move in range(3)] == ["+0.00"] * 3
    assert information(board, almost).split("values ")[1] == "-4e-17 0 -0.001"
    assert "−0.00" not in almost._repr_html_()
    sources = Path(fourlab.__file__).parent.rglob("*.py")
    signed = [path.name for path in sources if re.search(r":\+[.,]\d", path.read_text("utf-8"))]
    assert not signed, "write :+z.2f, which has no minus zero"


def bars(text: str) -> list[tuple[str, float, float]]:
    """Return the colour, top and height of every bar."""
    found = re.findall(
        r'<rect x="[^"]+" y="([\d.]+)"[^>]*height="([\d.]+)"[^>]*fl-(win|loss|draw|accent)"', text
    )
    return [(name, float(y), float(height)) for y, height, name in found]


def test_bars_go_up_for_wins_and_down_for_losses_in_proportion() -> None:
    loss, win = bars(DECISION._repr_html_())
    assert (loss[0], win[0]) == ("loss", "win")
    assert win[2] == 2 * loss[2]
    assert win[1] + win[2] == loss[1]  # both begin at a draw


def test_without_values_bars_show_how_it_leans() -> None:
    leaning = bars(Decision(0, policy=(0.75, 0.25))._repr_html_())
    assert [name for name, *_ in leaning] == ["accent", "accent"]
    assert leaning[0][2] == 3 * leaning[1][2]
    assert not bars(Decision(0)._repr_html_())
    assert len(bars(Decision(0, visits=(9, 1))._repr_html_())) == 2
