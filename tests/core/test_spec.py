from dataclasses import dataclass, make_dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourlab.agents.mcts_options import MctsConfig
from fourlab.core.errors import SpecError
from fourlab.core.spec import POSITIONAL, configure, on_path, option, options_of, parse, write


@dataclass(frozen=True)
class Config:
    path: str = option("", "a file", positional=True)
    simulations: int = option(200, "simulations a move", name="sims", low=1, high=1_000_000)
    exploration: float = option(1.4, "how curious", name="c", low=0)
    time: float | None = option(None, "seconds a move", low=0)
    reuse: bool = option(False, "keep the tree")
    formula: str = option("uct", "which formula", choices=("uct", "ucb1"))
    opponent: str = option("random", "whom to play")


def build(text: str) -> Config:
    return configure(Config, parse(text), "agent")


def test_options_become_fields_of_their_type() -> None:
    config = build("x:sims=1e3,c=2,time=0.5,reuse=yes,formula=ucb1")
    assert config == Config("", 1000, 2.0, 0.5, True, "ucb1")
    assert isinstance(config.simulations, int)
    assert isinstance(config.exploration, float)
    assert build("x:time=none").time is None
    assert build("x") == Config()


def test_an_option_without_a_word_about_it_says_what_it_takes() -> None:
    plain = make_dataclass("Plain", [("depth", int, 3)])
    with pytest.raises(SpecError, match=r"not allowed; it takes: depth=3 \(whole number\)$"):
        configure(plain, parse("mine.py:depth=x"), "agent")


def test_bounds_are_written_as_people_write_numbers() -> None:
    kind = make_dataclass(
        "Large",
        [
            ("nodes", int, option(7, "", low=1000, high=1e9)),
            ("c", float, option(7.0, "", low=0.5)),
            ("win", float, option(7.0, "", low=-1e6, high=1e6)),
        ],
    )
    assert [found.allowed for found in options_of(kind)] == [
        "whole number 1,000 to 1,000,000,000",
        "number from 0.5",
        "number -1,000,000 to 1,000,000",
    ]


def test_a_leading_value_is_the_positional_option() -> None:
    assert build("x:runs/mine,sims=5") == Config("runs/mine", 5)


def test_brackets_hold_specs_inside_specs() -> None:
    inner = "mcts:sims=5,c=1"
    config = build(f"x:opponent=({inner}),sims=7")
    assert config.opponent == inner
    assert config.simulations == 7
    assert build(write("x", config)) == config


@pytest.mark.parametrize("text", ["(x:sims=7,c=2)", "(x:sims=(7),c=(2))", " ( x:c=2,sims=7 ) "])
def test_brackets_around_a_whole_mean_nothing(text: str) -> None:
    assert build(text) == Config(simulations=7, exploration=2.0)


def test_brackets_side_by_side_belong_to_a_value() -> None:
    assert build("x:(a)(b),opponent=(c)(d)") == Config("(a)(b)", opponent="(c)(d)")
    assert parse("(x)(y)").name == "(x)(y)"
    for text in ("((x:sims=2)", "(x:opponent=((a)", "x:opponent=(a))"):
        with pytest.raises(SpecError, match="do not match"):
            parse(text)


@pytest.mark.parametrize(
    "text", ["x", "x:sims=7", "x:runs/mine,c=0.1", "x:time=2,reuse=yes", "x:formula=ucb1"]
)
def test_the_shortest_spec_is_written(text: str) -> None:
    assert write("x", build(text)) == text


@given(st.text("ab ,=:{}'é", max_size=8), st.text("c ,=:", max_size=4))
def test_paths_read_back_whatever_signs_they_hold(outside: str, inside: str) -> None:
    path = f"{outside}({inside}){outside}"
    assert parse(on_path("x", path)).options == {POSITIONAL: path}
    assert build(write("x", Config(path, opponent=path))) == Config(path, opponent=path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x:sims=0", r"sims='0' is not allowed; simulations a move: sims=200 \(whole number 1 to"),
        ("x:sims=2000000", "not allowed"),
        ("x:sims=1.5", "not allowed"),
        ("x:sims=nan", "not allowed"),
        ("x:sims=inf", "not allowed"),
        ("x:c=-1", r"c=1.4 \(number from 0\)"),
        ("x:reuse=maybe", r"reuse=no \(yes\|no\)"),
        ("x:formula=puct", r"\(uct\|ucb1\)"),
        ("x:run\udcff", "bytes that are no text; rename"),  # a record could not hold it
        ("x:depth=3", "has no option 'depth'; options: path= .*, sims=200"),
    ],
)
def test_bad_options_are_answered_with_what_is_allowed(text: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        build(text)


def test_options_are_listed_in_order_with_defaults() -> None:
    names = [found.name for found in options_of(Config)]
    assert names == ["path", "sims", "c", "time", "reuse", "formula", "opponent"]


def test_what_a_config_declares_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    options_of(MctsConfig).clear()  # nobody's list is another's

    def look_up(_: object) -> None:
        raise AssertionError("looked up again: that is slow")

    monkeypatch.setattr("typing.get_type_hints", look_up)
    assert options_of(MctsConfig)
