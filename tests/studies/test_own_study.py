"""Studies of one's own: what could not be run or kept is refused."""

import re
from dataclasses import replace

import pytest

from fourlab.core.errors import SpecError
from fourlab.studies.base import Claim, Evidence, Experiment, Study
from fourlab.studies.findings import Findings

TRUE = Claim("It is so.", lambda results: Evidence("as it is", 0.01))
ONE = Experiment("one", "What is there?", lambda bench: Findings((), ()))
WRONG_STUDIES = {
    "experiments=(Experiment(...), ), with a comma": {"experiments": ONE},
    "claims=(Claim(...), ), with a comma": {"claims": (TRUE, 5)},
    "give each a name of its own": {"experiments": (ONE, ONE)},
    "'../one' is no name": {"experiments": (replace(ONE, name="../one"),)},
    "'..' is no name": {"name": ".."},
    "'a/b' is no name": {"name": "a/b"},
    "'-q' is no name": {"name": "-q"},
    "'a\\nb' is no name": {"name": "a\nb"},
    "'' is no name": {"name": ""},
    "'5' is no name": {"name": 5},
}


@pytest.mark.parametrize("words", WRONG_STUDIES)
def test_what_could_not_be_run_or_kept_is_no_study(words: str) -> None:
    options = {"name": "mine", "title": "Mine", "game": "", "experiments": (ONE,)}
    Study(**options, claims=[TRUE])  # type: ignore[arg-type]
    with pytest.raises(SpecError, match=re.escape(words)):
        Study(**{**options, **WRONG_STUDIES[words]})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["My study (2)", "depth=4, fast", "100 %", "(a) first: über"])
def test_whatever_a_file_may_be_called_is_a_name(name: str) -> None:
    Study(name=name, title="", game="", experiments=(replace(ONE, name=name),))
