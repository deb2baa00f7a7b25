"""What Learn shows of a learner whose games are not told."""

import pytest

from fourlab.core.errors import GeometryError
from fourlab.core.spec import configure, parse
from fourlab.learning.registry import LEARNERS, learner
from fourlab.web.runs.inside import counted, inside, tells
from fourlab.web.runs.setup import read_setup
from fourlab.web.telling import told

DEEP_Q = ["Decisions in its last games", "Squared error of its values", "Random moves", "Step size"]
DISTIL = [
    "Moves, away from the solver’s",
    "Values, away from the solver’s",
    "Best moves where it was not taught",
    "Outcomes kept where it was not taught",
]


def test_tables_tell_their_games_and_networks_do_not() -> None:
    silent = {name for name in LEARNERS if not tells(LEARNERS[name])}
    assert silent == {"zero", "deep-q", "distil"}


def test_figures_come_with_their_names() -> None:
    said = {"evaluations_per_s": 22756.4, "lessons_lacking": 512, "steps": 0, "network_share": 0.28}
    assert inside(said) == [
        ["Boards evaluated a second", "22,756"],
        ["Lessons until it begins to learn", "512"],
        ["Steps of training", "0"],
        ["Time for the network", "28%"],
    ]
    assert ["Policy, away from what search found", "0.14"] in inside(
        {**said, "steps": 9, "policy_loss": 0.14}
    )


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ("deep-q:games=40,chunk=40,width=2,network=residual,blocks=0,batch=8", DEEP_Q),
        ("distil:games=40,chunk=40,width=2,blocks=0,batch=8,held=0.5", DISTIL),
    ],
)
def test_every_silent_learner_says_what_goes_on_in_it(spec: str, names: list[str]) -> None:
    pytest.importorskip("torch")
    made = learner(spec, "connect:columns=3,rows=3,k=3", 0)
    said = list(made.steps())[-1].metrics
    assert [name for name, _ in inside(said)] == names


def test_what_is_counted_goes_by_its_name() -> None:
    specs = "deep-q:opponent=random", "deep-q", "zero", "distil"
    games, alone, zero, positions = (_counted(spec) for spec in specs)
    assert (games["unit"], games["result"]) == ("games", "Won in training")
    assert alone["result"] == zero["result"] == "Won by the first player"
    assert (positions["unit"], positions["result"]) == ("positions", "Best move chosen")
    assert "plays no games" in positions["untold"]


def _counted(text: str) -> dict[str, str]:
    spec = parse(text)
    kind = LEARNERS[spec.name]
    return counted(kind, configure(kind.Config, spec, "learner"))


def test_a_page_makes_networks_small_unless_the_address_says_otherwise() -> None:
    small, _ = read_setup({"learner": "zero"})
    assert "width=16" in small.spec
    wider, _ = read_setup({"learner": "zero:width=32"})
    assert "width=(32)" in wider.spec
    assert "width=16" not in wider.spec
    assert read_setup({"learner": "zero:width=512"})[1] != ""
    assert "lanes" in read_setup({"learner": "zero:lanes=none"})[0].fixed


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("zero:starts=/etc/passwd", "starts names a file"),
        ("distil:data=elsewhere", "data names a file"),
        ("distil:positions=(file:/etc/passwd)", "cannot be learned from on a page"),
        ("distil:positions=(walk:first and games:of=perfect)", "'games:of=perfect' cannot be"),
        ("distil:positions=(file:(walk and suite))", "'file:(walk and suite)' cannot be"),
        ("distil:positions=nonsense", "'nonsense' cannot be"),
        ("distil:width=512", "width 512 is too much for a page; at most 64"),
        ("deep-q:network=residual,blocks=60", "blocks 60 is too much for a page; at most 6"),
        ("deep-q:memory=10000000", "memory 10,000,000 is too much for a page; at most 200,000"),
        ("q:start=nonsense", "unknown start 'nonsense'; known: empty"),
        ("deep-q:start=uci", "start uci: the UCI data is of connect4, not of 5 × 4"),
        ("td-lambda:start=(moves:9)", "is no column of 5 × 4; write 1 to 5"),
        ("distil:positions=(walk:third)", "'third' is not allowed; whose moves: first or second"),
        ("distil:positions=(walk:first and suite:uci)", "positions suite:uci: the UCI data is"),
    ],
)
def test_visitors_name_no_files_and_no_more_than_a_page_can_bear(spec: str, said: str) -> None:
    setup, problem = read_setup({"learner": spec})
    assert said in told(problem)
    assert setup.learner == "q"  # what a page has by itself


def test_a_board_is_refused_only_to_who_cannot_learn_on_it() -> None:
    board = "mnk:columns=6,rows=6,k=4"
    taken, problem = read_setup({"game": board, "learner": "n-tuple"})
    assert (str(taken.rules), problem) == (board, "")
    kept, problem = read_setup({"game": board, "learner": "afterstates"})
    assert str(kept.rules) != board
    assert told(problem).startswith(
        "no table of positions for 6 × 6 without gravity: columns times"
    )
    with pytest.raises(GeometryError):
        taken.with_choice("learner", "q")


def test_positions_that_are_learned_from_are_labelled_within_seconds() -> None:
    def positions(game: str, learner: str = "distil") -> str:
        setup, _ = read_setup({"game": game, "learner": learner})
        config = configure(setup.kind.Config, parse(setup.spec), "learner")
        return str(config.positions)

    assert positions("connect:columns=6,rows=5,k=4") == "walk:first"
    assert positions("connect4") == "suite:middle and suite:end"
    assert positions("connect4", "distil:positions=(walk:second)") == "walk:second"


@pytest.mark.parametrize("own", ["", ":steps=3", ":double=yes,sync=100", ":target=best"])
def test_a_page_lets_deep_q_learn_within_seconds_unless_an_address_says_how(own: str) -> None:
    setup, problems = read_setup({"learner": f"deep-q{own}", "opponent": "baseline"})
    assert not problems
    assert ("target=returns" in setup.spec) == (not own)
