"""Boards and games as notebooks draw them: stones where they lie, nothing from elsewhere."""

import re
from xml.etree import ElementTree

import pytest

from fourlab.rules.catalog import game
from fourlab.rules.drawing import PAD, PITCH, STRIP
from fourlab.rules.position import Position, position_of
from fourlab.rules.record import GameRecord

SVG = "{http://www.w3.org/2000/svg}"
WON = "4455362"  # four in the bottom row


def drawn(position: Position) -> ElementTree.Element:
    return ElementTree.fromstring(position._repr_svg_())


def discs(picture: ElementTree.Element) -> list[tuple[int, int]]:
    """Return column and row from the top of every disc, in the order of the moves."""
    found = picture.findall(f".//{SVG}g[@class='fl-disc']")
    places = [re.findall(r"[\d.]+", disc.attrib["transform"]) for disc in found]
    return [(int((float(x) - PAD) // PITCH), int((float(y) - PAD) // PITCH)) for x, y in places]


def test_stones_lie_where_they_fell() -> None:
    position = position_of(game("connect4"), "4471")
    assert discs(drawn(position)) == [(3, 5), (3, 4), (6, 5), (0, 5)]
    assert discs(drawn(position_of(game("tictactoe"), "159"))) == [(0, 0), (1, 1), (2, 2)]
    assert discs(drawn(position.mirror())) == [(3, 5), (3, 4), (0, 5), (6, 5)]


def test_the_last_move_alone_is_ringed() -> None:
    picture = drawn(position_of(game("connect4"), "4471"))
    stones = picture.findall(f".//{SVG}g[@class='fl-disc']")
    ringed = [bool(stone.findall(f"{SVG}circle[@class='fl-last']")) for stone in stones]
    assert ringed == [False, False, False, True]
    assert "fl-last" not in game("connect4").start()._repr_svg_()


@pytest.mark.parametrize(
    ("name", "moves", "lines"),
    [
        ("connect4", "445536", []),
        ("connect4", WON, [((1, 5), (4, 5))]),
        ("connect4", "1213141", [((0, 5), (0, 2))]),
        ("connect4", "112244553", [((0, 5), (4, 5))]),  # longer than it need be
        ("tictactoe", "12539", [((0, 0), (2, 2))]),
        ("tictactoe", "31527", [((2, 0), (0, 2))]),
        ("tictactoe", "142567983", [((0, 0), (2, 0)), ((2, 0), (2, 2))]),
    ],
)
def test_winning_lines_are_drawn_through_their_stones(
    name: str, moves: str, lines: list[tuple[tuple[int, int], tuple[int, int]]]
) -> None:
    paths = drawn(position_of(game(name), moves)).findall(f".//{SVG}g[@class='fl-line']/{SVG}path")
    found = set()
    for path in paths:
        x1, y1, x2, y2 = (
            int((float(n) - PAD) // PITCH) for n in re.findall(r"[\d.]+", path.attrib["d"])
        )
        found.add(frozenset([(x1, y1), (x2, y2)]))
    assert found == {frozenset(line) for line in lines}


def test_coordinates_are_those_of_the_notation() -> None:
    falling = drawn(game("connect4").start())
    assert [text.text for text in falling.iter(f"{SVG}text")] == list("1234567")
    assert all(float(text.attrib["y"]) > 6 * PITCH + PAD for text in falling.iter(f"{SVG}text"))
    assert float(falling.attrib["height"]) == 6 * PITCH + 2 * PAD + STRIP
    placed = drawn(game("tictactoe").start())
    assert [text.text for text in placed.iter(f"{SVG}text")] == list("123456789")


def test_a_position_is_one_line_of_text_and_a_board_when_printed() -> None:
    position = position_of(game("connect4"), WON)
    assert repr(position) == "<Position connect4 '4455362', the first player wins>"
    assert str(position).splitlines()[-2] == ". X X X X O ."


def test_a_game_has_a_step_for_every_move_and_its_end_is_shown() -> None:
    text = GameRecord("connect4", "mcts", "random", 1, WON, "first")._repr_html_()
    steps = re.findall(r'name="move"( checked)?>(\w+)</label>', text)
    assert [word for _, word in steps] == ["start", *WON]
    assert [bool(chosen) for chosen, _ in steps] == [False] * 7 + [True]
    hidden = re.findall(r"nth-of-type\((\d+)\) :checked\) \.fl-disc:nth-of-type\(n\+(\d+)\)", text)
    assert hidden == [(str(n), str(n)) for n in range(1, 9)]


def test_nothing_in_a_game_is_taken_for_markup_or_comes_from_elsewhere() -> None:
    nasty = "<script>alert('x')</script>&\""
    record = GameRecord("connect4", nasty, "random", 1, "44", "second", forfeit=nasty)
    text = record._repr_html_()
    assert "<script" not in text
    assert text.count("&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;&amp;&quot;") == 2
    assert not re.search(r"\bid=|\bon\w+=|@import|url\(", text)
    assert set(re.findall(r"https?://[^\"' ]+", text)) == {"http://www.w3.org/2000/svg"}
    assert text == record._repr_html_()


def test_a_board_in_the_midst_of_a_page_leaves_the_page_s_own_colours_alone() -> None:
    [style] = re.findall("<style>(.*?)</style>", game("connect4").start()._repr_svg_(), re.S)
    selectors = [one for rule in re.findall(r"([^{}]+)\{", style) for one in rule.split(",")]
    assert all(re.search(r"\.(fourlab|fl-\w+)$", one.strip()) for one in selectors), selectors
