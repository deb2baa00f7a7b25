"""The studies by name. A new study is one file and one line here, or a user's own file."""

from fourlab.core.registry import Registry
from fourlab.studies.base import Study

STUDIES: Registry[Study] = Registry(
    "study",
    {
        "deep-q": "fourlab.studies.deep_q:STUDY",
        "learners": "fourlab.studies.learners:STUDY",
        "minimax-q": "fourlab.studies.minimax_q:STUDY",
    },
    group="fourlab.studies",
    attribute="STUDY",
)
