"""Files of games: what others read in them is what was played."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourlab.core.errors import NotationError
from fourlab.rules.catalog import game
from fourlab.rules.game_files import (
    COLUMNS,
    FORMATS,
    csv_line,
    json_line,
    pgn,
    read_games,
    read_pgn,
)
from fourlab.rules.position import write_moves
from fourlab.rules.record import GameRecord

TAGS = ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
LARGEST = 2**63 - 1


@st.composite
def records(draw: st.DrawFn) -> GameRecord:
    name = draw(st.sampled_from(["connect4", "tictactoe", "mnk:columns=4,rows=4,k=3"]))
    position = game(name).start()
    while not position.is_over and draw(st.integers(0, 9)):
        position = position.play(draw(st.sampled_from(position.legal_moves())))
    return GameRecord(
        game=name,
        first="mcts:sims=5,c=1",
        second=draw(st.sampled_from(["baseline", 'mine.py@12ab34cd:text="a,  b"'])),
        seed=draw(st.integers(0, LARGEST)),
        moves=position.notation,
        outcome=position.outcome.value,
        seconds=(0.25, 1e-6),
        plies=draw(st.integers(0, position.ply)),
        forfeit=draw(st.sampled_from([None, 'x.py at move 3: "no"; \\ {or}'])),
        id=f"{draw(st.integers(1, 99))}.{draw(st.integers(0, 99))}",
        started="2026-11-16T12:00:00Z",
    )


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@given(records())
def test_lines_are_read_back_and_hold_no_text_that_looks_like_a_number(record: GameRecord) -> None:
    assert GameRecord.from_line(json_line(record)) == record
    [row] = csv.DictReader(io.StringIO(FORMATS[".csv"].head + csv_line(record)))
    assert tuple(row) == COLUMNS
    assert int(row["seed"]) == record.seed
    assert (row["first"], row["second"]) == (record.first, record.second)
    assert row["id"] == f"#{record.id}"
    assert not is_number(row["id"])
    moves = [int(move) - 1 for move in row["moves"].split()]
    assert write_moves(game(record.game), moves) == record.moves
    assert len(moves) < 2 or not is_number(row["moves"])


GAME = GameRecord("tictactoe", "random", "baseline", 1, "5", "in progress")


@pytest.mark.parametrize("text", ["\ud800", "\x1b[31m", "a\nb", "a\0b", 7, None, [], {}, ["x"]])
@pytest.mark.parametrize("field", ["first", "second", "started"])
def test_a_name_that_cannot_be_shown_or_written_is_refused(field: str, text: object) -> None:
    with pytest.raises(NotationError, match="is no game record"):
        GameRecord.from_line(json.dumps({**json.loads(GAME.to_line()), field: text}))


@pytest.mark.parametrize("text", [7, 2**70, [], {}, ["x"], False])
def test_a_reason_to_break_off_is_a_text(text: object) -> None:
    with pytest.raises(NotationError, match="is no game record"):
        GameRecord.from_line(json.dumps({**json.loads(GAME.to_line()), "forfeit": text}))


@pytest.mark.parametrize("plies", [2, 9, -1])
def test_an_opening_is_a_part_of_its_game(plies: int) -> None:
    wrong = replace(GAME, plies=plies)
    with pytest.raises(NotationError, match="its opening or its times cannot be"):
        GameRecord.from_line(wrong.to_line())
    with pytest.raises(NotationError, match="its opening or its times cannot be"):
        list(read_pgn(pgn(wrong)))


@pytest.mark.parametrize("name", ["move_seconds", "decisions"])
def test_what_agents_thought_is_told_in_numbers(name: str) -> None:
    with pytest.raises(NotationError, match="is no game record"):
        GameRecord.from_line(json.dumps({**json.loads(GAME.to_line()), name: [float("nan")]}))


def test_words_of_others_do_not_steer_the_terminal() -> None:
    line = replace(GAME, forfeit="\x1b[31mno\ud800", said=("\x9b2J\ttold\nme", "")).to_line()
    read = GameRecord.from_line(line)
    assert read.forfeit == "\ufffd[31mno\ufffd"
    assert read.said == ("\ufffd2J\ttold\nme", "")


@given(records())
def test_pgn_has_its_tags_in_order_and_short_lines(record: GameRecord) -> None:
    text = pgn(record)
    head, moves, rest = text.split("\n\n")
    assert re.findall(r"^\[(\w+) ", head, re.MULTILINE)[: len(TAGS)] == TAGS
    assert all(len(line) < 80 for line in moves.splitlines())
    told = [word for word in moves.split() if not word.endswith(".")]
    assert told.pop() == {"first": "1-0", "second": "0-1", "draw": "1/2-1/2"}.get(
        record.outcome, "*"
    )
    assert write_moves(game(record.game), [int(move) - 1 for move in told]) == record.moves
    assert rest == ""


@given(st.lists(records(), max_size=4))
def test_pgn_is_read_back(written: list[GameRecord]) -> None:
    assert list(read_pgn("".join(map(pgn, written)))) == written


@given(records(), st.sampled_from(["{ said }", "; said 4\n", "$14", "(4. 1 (2) 3 1-0)", "%x\n"]))
def test_remarks_of_others_are_passed_over(record: GameRecord, remark: str) -> None:
    head, moves, _ = pgn(record).split("\n\n")
    assert list(read_pgn(f"{head}\n\n" + moves.replace(" ", f" {remark} "))) == [record]


def test_pgn_of_others_is_read_as_far_as_it_is_known() -> None:
    text = '[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1.1 2! 2. 1 2?? 3. 1 2 4. 1 1-0\n\n1. 4'
    one, other = read_pgn(text)
    assert (one.first, one.second, one.game, one.moves) == ("Ann", "Bob", "connect4", "1212121")
    assert (other.first, other.moves, other.outcome) == ("?", "4", "in progress")
    [late] = read_pgn('[Result "0-1"]\n[Termination "time forfeit"]\n1. 4 4 0-1')
    assert (late.outcome, late.forfeit) == ("second", "time forfeit")
    assert list(read_pgn(" \n")) == []


@pytest.mark.parametrize(
    "said", ['\n[note "hi"] here', '[a "b"]\n', '\n\n[see "there"] for more', "\n\n[%eval 3]\n"]
)
def test_a_comment_may_hold_what_looks_like_a_tag(said: str) -> None:
    [found] = read_pgn(f'[Event "x"]\n[White "Ann"]\n\n1. 1 2 {{see{said}}} 2. 1 2 3. 1 2 4. 1 1-0')
    assert (found.first, found.moves) == ("Ann", "1212121")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.jsonl", f"{GAME.to_line()}\n\n{{}}\n", r"line 3: '\{\}' is no game record \(it lacks"),
        ("a.jsonl", f"{GAME.to_line()}\nno\n", r"line 2: 'no' is no game record \(Expecting"),
        ("a.pgn", "1. 4 *\n\n1. e4 e5 *", "game 2: move 1"),
    ],
)
def test_a_file_of_games_that_is_wrong_is_named_with_the_place(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(NotationError, match=f"^{re.escape(str(path))}, {said}"):
        read_games(path)


WRONG = {
    "1. 4 *\n\n1. e4 e5 *": "game 2: move 1: 'e' in",
    "1. 4 4 1-0": "game 1: its moves do not end in 'first'",
    "1. 4 44 *": "game 1: '4 44' holds a move of two columns",
    "1. 1 1 2. 1 1 3. 1 1 4. 1 *": "game 1: move 7: column 1 is full",
    '[Variant "chess"]\n1. 4 *': "game 1: unknown game 'chess'",
    '[Seed "x"]\n*': "game 1: invalid literal",
    '[Result "2-0"]\n1. 4': "game 1: '2-0' is no result of PGN",
    "[White\n1. 4": "game 1: '[White",
    "1. 4 *\n1. 4 (1. 3 3 4 *": "game 2: its variations do not match; each ( needs a )",
    '1. 4 (1. 3 4 *\n\n[White "Ann"]\n1. 3 *': "game 1: its variations do not match",
    "1. 4 (1. 3 (2) 4 *\n\n1. 3 (4) *": "game 1: its variations do not match",
    "1. 4 3) 4 *": "game 1: its variations do not match",
    '1. 4 { well *\n\n[White "Ann"]\n1. 3 { said } *': "game 1: ' { well",
    '1. 4 { well *\n \n[ White "[A\\"n" ] \n1. 3 { said } *': "game 1: ' { well",
    '1. 4 { well *\n[Event "x"]\n1. 3 { said } *': "game 1: ' { well",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_pgn_is_named(text: str) -> None:
    with pytest.raises(NotationError, match=re.escape(WRONG[text])):
        list(read_pgn(text))


def test_a_tag_stays_on_one_line() -> None:
    record = GameRecord("connect4", 'a"b\\', "b", 1, "4", "in progress", forfeit="late:\n  x")
    text = pgn(record)
    assert '[White "a\\"b\\\\"]\n' in text
    assert '[Termination "late: x"]\n' in text
    assert '[Date "????.??.??"]\n[Round "-"]\n' in text


def test_pandas_reads_what_was_written() -> None:
    pandas = pytest.importorskip("pandas")
    base = GameRecord("connect4", "random", "baseline", LARGEST, "4453", "in progress")
    base = replace(base, outcome="first", moves="1212121")
    written = [replace(base, id=f"3.{number}", seed=LARGEST - number) for number in (1, 10, 100)]
    for suffix, read in (
        (".csv", pandas.read_csv),
        (".jsonl", lambda file: pandas.read_json(file, lines=True)),
    ):
        head, text = FORMATS[suffix]
        frame = read(io.StringIO(head + "".join(map(text, written))))
        assert frame["id"].tolist() == ["#3.1", "#3.10", "#3.100"]
        assert frame["moves"].tolist() == ["1 2 1 2 1 2 1"] * 3
        assert frame["seed"].tolist() == [record.seed for record in written]
