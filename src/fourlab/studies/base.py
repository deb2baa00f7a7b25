"""What a study is: experiments beside what was published, and claims that could be false."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from fourlab.arena.statistics import holm
from fourlab.core import own
from fourlab.core.errors import SpecError
from fourlab.studies.bench import Bench
from fourlab.studies.findings import Findings

LEVEL = 0.05  # of a verdict: 95%, one half to either side
NAME = re.compile(r"(?![\s.-])[^/\\\x00-\x1f]+")  # folders and files are called so
Ruling = Literal["confirmed", "refuted", "undecided", "not run"]


@dataclass(frozen=True)
class Published:
    """What a document printed of an experiment.

    `rows` has the label of a row, then the column, as in the findings beside it; shares are 0 to 1.
    Where a figure was only drawn there are no rows, and `said` is what the text says of it.
    """

    rows: dict[str, dict[str, float]] = field(default_factory=dict)
    source: str = ""  # "table 2", "figure 10"
    said: str = ""
    games: int = 0  # that its shares rest on, where known
    took: str = ""  # "about 12 hours"


@dataclass(frozen=True)
class Experiment:
    """A question and how it is answered.

    `figure` draws findings with matplotlib; `takes` are seconds on two cores, in full and quick,
    and `remarks` says why ours differ from the published figures, as far as it is known.
    """

    name: str
    ask: str
    run: Callable[[Bench], Findings]
    published: Published | None = None
    figure: Callable[[Findings, Published | None], Any] | None = None
    takes: tuple[float, float] = (60, 5)
    remarks: str = ""


@dataclass(frozen=True)
class Evidence:
    """What speaks for a claim and against it.

    `p_for` is the p-value of "the claim is false", small where it is true; `p_against` of "the
    claim is true". A claim of which neither can be told keeps 1 and 1.
    """

    says: str  # the figures, in words
    p_for: float = 1.0
    p_against: float = 1.0
    games: int = 0


@dataclass(frozen=True)
class Claim:
    """A sentence of a document that could be false, and its test.

    The test raises KeyError where an experiment that it needs was not run.
    """

    text: str
    test: Callable[[Results], Evidence]
    where: str = ""  # in the document


@dataclass(frozen=True)
class Verdict:
    """A claim, what was found, and what follows at 95% over all claims of the study."""

    claim: Claim
    evidence: Evidence
    ruling: Ruling
    p_value: float  # adjusted by Holm's method


@dataclass(frozen=True)
class Study:
    """A document rerun. A file that holds one as STUDY is all that a study needs."""

    name: str
    title: str
    game: str  # the board, in words: "5 x 6, connect 4"
    experiments: tuple[Experiment, ...]
    claims: tuple[Claim, ...] = ()
    about: str = ""  # what it is about, in a sentence or two
    source: str = ""  # author, title, year
    took: str = ""  # in its time
    value: str = ""  # "a draw": its game with perfect play
    telling: str = ""  # the experiment whose figure stands for the study; default the first
    spec: str = ""  # what it is found by where that is not its name: budget.py@3f2a1c9d

    def __post_init__(self) -> None:
        """Raise SpecError for what could neither be run nor kept."""
        for what, kind in (("experiments", Experiment), ("claims", Claim)):
            parts = getattr(self, what)
            if not isinstance(parts, tuple | list) or not all(isinstance(p, kind) for p in parts):
                like = f"{what}=({kind.__name__}(...), ), with a comma behind each"
                raise SpecError(f"study {self.name}: write {like}")
        names = [experiment.name for experiment in self.experiments]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise SpecError(f"two experiments are called {twice!r}; give each a name of its own")
        for name in (self.name, *names):
            if not isinstance(name, str) or not NAME.fullmatch(name):
                raise SpecError(f"{str(name)!r:.60} is no name: begin with a letter, without /")

    @property
    def command(self) -> str:
        """What to type to run it in full, from the folder one is in."""
        typed = self.spec or self.name
        if own.is_file(typed):
            path, here = Path(own.parcel(typed).path), Path.cwd()
            typed = str(path.relative_to(here) if path.is_relative_to(here) else path)
        return f"fourlab study {shlex.quote(typed)}"

    def experiment(self, name: str) -> Experiment:
        """Return an experiment by its name; raises KeyError."""
        return {experiment.name: experiment for experiment in self.experiments}[name]

    def judge(self, results: Results) -> list[Verdict]:
        """Return the verdict on every claim, corrected for the number of claims (Holm)."""
        found: list[Evidence | str] = []  # or why there is none
        whole = all(experiment.name in results for experiment in self.experiments)
        for claim in self.claims:
            try:
                evidence = claim.test(results)
            except KeyError as error:
                found.append(f"its test asks for {error}, which is not there" if whole else "")
                continue
            if not isinstance(evidence, Evidence):
                raise SpecError(
                    f"claim {claim.text!r:.60}: its test returned {evidence!r:.60}; "
                    "return Evidence(...)"
                )
            found.append(evidence)
        told = [evidence for evidence in found if isinstance(evidence, Evidence)]
        # A claim may be confirmed or refuted: two tests, so that each p-value counts twice.
        doubled = [min(1.0, 2 * min(e.p_for, e.p_against)) for e in told]
        adjusted = iter(holm(doubled))
        verdicts = []
        for claim, result in zip(self.claims, found, strict=True):
            if isinstance(result, str):
                verdicts.append(Verdict(claim, Evidence(result), "not run", 1.0))
                continue
            p_value = next(adjusted)
            is_true = result.p_for < result.p_against
            ruling: Ruling = "confirmed" if is_true else "refuted"
            verdicts.append(
                Verdict(claim, result, ruling if p_value < LEVEL else "undecided", p_value)
            )
        return verdicts


class Results(Mapping[str, Findings]):
    """The findings of a study by experiment, with what was published beside them."""

    def __init__(self, study: Study, found: Mapping[str, Findings]) -> None:
        self.study = study
        self._found = dict(found)

    def __getitem__(self, name: str) -> Findings:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def published(self, experiment: str, row: str, column: str) -> float:
        """Return a published figure; raises KeyError."""
        printed = self.study.experiment(experiment).published
        if printed is None:
            raise KeyError(experiment)
        return printed.rows[row][column]
