"""The studies by name. A new study is one file and one line here, or a user's own file."""

from fourlab.core.registry import Registry
from fourlab.studies.base import Study

STUDIES: Registry[Study] = Registry(
    "study",
    {
        "mcts-q": "fourlab.studies.mcts_q:STUDY",
        "monte-carlo": "fourlab.studies.monte_carlo:STUDY",
        "connectx": "fourlab.studies.connectx:STUDY",
        "minimax-q": "fourlab.studies.minimax_q:STUDY",
        "deep-q": "fourlab.studies.deep_q:STUDY",
        "strength": "fourlab.studies.strength:STUDY",
        "learners": "fourlab.studies.learners:STUDY",
        "sizes": "fourlab.studies.sizes:STUDY",
    },
    group="fourlab.studies",
    attribute="STUDY",
)
