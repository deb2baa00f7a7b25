"""The studies by name. A new study is one file and one line here, or a user's own file."""

from dataclasses import replace
from types import ModuleType

from fourlab.core.errors import SpecError
from fourlab.core.registry import Registry, attribute
from fourlab.studies.base import Study


def _checked(thing: object, spec: str) -> Study:
    """Return somebody's own study with what it is found by; raises SpecError if it is none."""
    if not isinstance(thing, Study):
        raise SpecError(f"{spec} holds no study but {thing!r:.60}; write STUDY = Study(...)")
    return replace(thing, spec=spec)


def _picked(module: ModuleType, place: str, part: str) -> Study:
    return _checked(attribute("study", "STUDY")(module, place, part), place)


STUDIES: Registry[Study] = Registry(
    "study",
    {
        "mcts-q": "fourlab.studies.mcts_q.study:STUDY",
        "monte-carlo": "fourlab.studies.monte_carlo.study:STUDY",
        "connectx": "fourlab.studies.connectx.study:STUDY",
        "minimax-q": "fourlab.studies.minimax_q.study:STUDY",
        "deep-q": "fourlab.studies.deep_q.study:STUDY",
        "strength": "fourlab.studies.strength:STUDY",
        "learners": "fourlab.studies.learners:STUDY",
        "sizes": "fourlab.studies.sizes.study:STUDY",
    },
    group="fourlab.studies",
    pick=_picked,
    adapt=_checked,
)
