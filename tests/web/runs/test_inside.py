"""What Learn shows of a learner whose games are not told."""

from fourlab.learning.registry import LEARNERS
from fourlab.web.runs.inside import inside, tells
from fourlab.web.runs.setup import read_setup


def test_tables_tell_their_games_and_networks_do_not() -> None:
    silent = {name for name in LEARNERS if not tells(LEARNERS[name])}
    assert silent == {"zero", "deep-q", "distil"}


def test_figures_come_with_their_names_and_losses_once_it_has_trained() -> None:
    said = {"evaluations_per_s": 22756.4, "steps": 0, "policy_loss": 0.0, "network_share": 0.28}
    assert inside(said) == [
        ["Boards evaluated a second", "22,756"],
        ["Steps of training", "0"],
        ["Time for the network", "28%"],
    ]
    assert ["Policy, away from what search found", "0.14"] in inside(
        {**said, "steps": 9, "policy_loss": 0.14}
    )


def test_a_page_makes_networks_small_unless_the_address_says_otherwise() -> None:
    small, _ = read_setup({"learner": "zero"})
    assert "width=16" in small.spec
    wider, _ = read_setup({"learner": "zero:width=32"})
    assert "width=(32)" in wider.spec
    assert "width=16" not in wider.spec
    assert read_setup({"learner": "zero:width=512"})[1] != ""
