"""The studies by name. A new study is one file and one line here, or a user's own file."""

from fourlab.core.registry import Registry, attribute
from fourlab.studies.base import Study

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
    pick=attribute("study", "STUDY"),
)
