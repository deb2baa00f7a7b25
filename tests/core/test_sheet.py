"""Tables as text and as HTML; colours are the laboratory's."""

import re
from pathlib import Path

import fourlab
from fourlab.core.notebook import COLOURS, curves, frame, painted
from fourlab.core.sheet import SPAN_WIDTH, Sheet

SHEET = Sheet(
    "a <title>",
    ("who", "points"),
    [("<b>", "5"), ("other & one", "1,000")],
    notes=("a note",),
    spans=[(-10.0, 0.0, 10.0), (20.0, 30.0, 90.0)],
    zero=0.0,
    strong=frozenset([1]),
)


def test_text_is_aligned() -> None:
    assert str(SHEET).splitlines() == [
        "a <title>",
        "who          points",
        "<b>               5",
        "other & one   1,000",
        "a note",
    ]


def test_html_takes_nothing_for_markup() -> None:
    text = SHEET._repr_html_()
    assert "<b>a &lt;title&gt;</b>" in text
    assert '<td class="text">&lt;b&gt;</td>' in text
    assert '<tr class="strong"><td class="text">other &amp; one</td>' in text


def test_intervals_share_one_scale_and_stay_inside() -> None:
    text = SHEET._repr_html_()
    lines = re.findall(r'd="M([\d.]+) 9.0H([\d.]+)"', text)
    (low, high), (low2, high2) = [(float(a), float(b)) for a, b in lines]
    assert 0 < low < high < low2 < high2 < SPAN_WIDTH
    assert round((high2 - low2) / (high - low), 2) == 3.5
    zero = re.findall(r'd="M([\d.]+) 0V', text)
    assert zero[0] == zero[1]
    assert float(zero[0]) == (low + high) / 2


def test_curves_are_named_escaped_and_on_scale() -> None:
    text = frame(
        curves({"<won>": [(0.0, 0.0), (50.0, 1.0), (100.0, 0.5)], "none yet": []}, 100, "games")
    )
    assert "<won>" not in text
    assert "&lt;won&gt; 50%" in text
    points = re.findall(r'points="([^"]*)"', text)
    first = [tuple(map(float, point.split(","))) for point in points[0].split()]
    assert first[1][1] < first[2][1] < first[0][1]
    assert first[1][0] - first[0][0] == first[2][0] - first[1][0]
    assert points[1] == ""


def test_colours_are_those_of_the_laboratory() -> None:
    css = (Path(fourlab.__file__).parent / "web" / "static" / "fourlab.css").read_text()
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#\w+);", part)) for part in css.split("[data-theme", 2)[:2]
    )
    for name, (in_light, in_dark) in COLOURS.items():
        assert light[name] == in_light, name
        assert dark.get(name, in_light) == in_dark, name
    assert not re.search(
        r"[A-Z]{4}", painted("a { color: TEXT-3; fill: LINE-STRONG; stroke: LINE }")
    )
