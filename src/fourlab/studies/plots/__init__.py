"""Figures of studies, with what was published as a line beside ours.

Each is called as `Experiment.figure` is: with findings and what was published. `functools.partial`
fixes the rest.
"""

from fourlab.studies.plots.boards import columns_on_board, trajectories
from fourlab.studies.plots.grids import board_sizes, cross_table, heat
from fourlab.studies.plots.lines import curves, outcome_areas
from fourlab.studies.plots.rows import intervals, outcome_bars

__all__ = [
    "board_sizes",
    "columns_on_board",
    "cross_table",
    "curves",
    "heat",
    "intervals",
    "outcome_areas",
    "outcome_bars",
    "trajectories",
]
