"""What a report says, before it is said in HTML, Markdown or a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fourlab.arena.statistics import interquartile_mean
from fourlab.studies.archive import Archive, Finished
from fourlab.studies.base import Experiment, Verdict
from fourlab.studies.findings import Findings
from fourlab.studies.report.tables import Table, agreement, table
from fourlab.studies.wording import chance, count, span, spell


def facts(archive: Archive) -> list[tuple[str, str]]:
    """Return what stands on top of a report: names and values."""
    study, every = archive.study, list(archive.finished.values())
    found = [
        ("Board", study.game),
        ("With perfect play", study.value),
        ("Seeds", _seeds(archive)),
        ("Time then", study.took),
        ("Time now", spell(sum(done.seconds for done in every)) if every else ""),
        ("Machine", _all_of(every, machine)),
        ("Commit", _all_of(every, lambda done: str(done.made.get("commit", "")))),
    ]
    return [(name, value) for name, value in found if value]


def machine(done: Finished) -> str:
    """Return where an experiment was run."""
    made = done.made
    parts = [f"{made['cores']} cores"] if "cores" in made else []
    parts += [
        f"{title} {made[name]}"
        for name, title in (("python", "Python"), ("numba", "numba"))
        if made.get(name)
    ]
    return ", ".join(parts)


def _all_of(every: list[Finished], say: Any) -> str:
    return "; ".join(dict.fromkeys(said for done in every if (said := say(done))))


def _seeds(archive: Archive) -> str:
    sizes = [
        len(entry["seeds"])
        for done in archive.finished.values()
        for entry in done.log
        if entry["kind"] == "training"
    ]
    if not sizes:
        return f"seed {archive.seed}"
    few, many = min(sizes), max(sizes)
    return f"{few if few == many else f'{few} to {many}'} for each training"


def banners(archive: Archive) -> list[str]:
    """Return what a reader must know first: a small run, an old one, one that is not finished."""
    said = []
    if archive.quick:
        said.append(f"Small samples: a quick run. The full one: {archive.study.command}")
    if old := archive.outdated:
        file = archive.study.spec.partition("@")[0]
        said.append(f"{file} was changed after this was run: {', '.join(old)}. Name another --out.")
    left = len(archive.left)
    if left:
        total = len(archive.study.experiments)
        said.append(f"{total - left} of {total} experiments are finished.")
    return said


# ---- claims -------------------------------------------------------------------------------------


def corrected(verdicts: list[Verdict]) -> str:
    """Return how claims were judged."""
    tested = sum(verdict.ruling != "not run" for verdict in verdicts)
    return f"at 95%, corrected for {count(tested, 'claim')} (Holm)"


def tally(verdicts: list[Verdict]) -> list[tuple[str, int]]:
    """Return how many claims had which verdict; those not run only where there are any."""
    rulings = [verdict.ruling for verdict in verdicts]
    every = [(name, rulings.count(name)) for name in ("confirmed", "refuted", "undecided")]
    missing = rulings.count("not run")
    return [*every, ("not run", missing)] if missing else every


def weight(verdict: Verdict) -> str:
    """Return what a verdict rests on: games, and the p-value."""
    if verdict.ruling == "not run":
        return ""
    games = verdict.evidence.games
    return ", ".join([f"{games:,} games"] * bool(games) + [chance(verdict.p_value)])


# ---- experiments --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chapter:
    """An experiment of a report; `done` is None where it was not run."""

    experiment: Experiment
    done: Finished | None
    number: int
    total: int

    @property
    def findings(self) -> Findings | None:
        """What was found."""
        return self.done.findings if self.done else None

    @property
    def table(self) -> Table | None:
        """Ours beside what was published."""
        return table(self.findings, self.experiment.published) if self.findings else None

    @property
    def differences(self) -> list[str]:
        """How ours differ from what was published, and why, in sentences."""
        made = self.table
        said = [agreement(made) if made else "", self.experiment.remarks]
        return [sentence for sentence in said if sentence]

    @property
    def origin(self) -> str:
        """What was published where, and time then and now."""
        told = self.experiment.published
        words = ""
        if told and (told.said or told.source):
            words = f"Published in {told.source}" if told.source else "Published"
            words = f"{words}: {told.said}" if told.said else f"{words}."
        return f"{words} {self.times}".strip()

    @property
    def times(self) -> str:
        """Time then and now."""
        then = self.experiment.published.took if self.experiment.published else ""
        if not self.done:
            return f"It took {then}." if then else ""
        now = f"{spell(self.done.seconds)} now"
        return f"{then[0].upper()}{then[1:]} then, {now}." if then else f"{now}."

    @property
    def alt(self) -> str:
        """What its figure shows, in a sentence."""
        found = self.findings
        if found is None:
            return ""
        if found.curves:
            ends = [
                f"{curve.name} ends at {interquartile_mean([s[-1] for s in curve.series]):.3g}"
                for curve in found.curves[:6]
            ]
            return f"{self.experiment.ask} Curves: {', '.join(ends)}."
        labels = [str(row[found.columns[0].name]) for row in found.rows]
        shown = ", ".join(labels[:6]) + (" and more" if len(labels) > 6 else "")
        return f"{self.experiment.ask} Drawn for {shown}; the table has the figures."


def chapters(archive: Archive) -> list[Chapter]:
    """Return the experiments in their order."""
    every = archive.study.experiments
    return [
        Chapter(experiment, archive.finished.get(experiment.name), place, len(every))
        for place, experiment in enumerate(every, start=1)
    ]


def in_short(done: Finished, seed: int) -> str:
    """Return how an experiment was run, in a line."""
    kinds = [entry["kind"] for entry in done.log]
    parts = [
        count(kinds.count(kind), word)
        for kind, word in (("match", "pairing"), ("grade", "grading"))
        if kind in kinds
    ]
    runs = sum(len(entry["seeds"]) for entry in done.log if entry["kind"] == "training")
    parts += [count(runs, "training run")] * bool(runs)
    parts += [f"{done.games:,} games"] * bool(done.games)
    if done.distinct is not None:
        parts.append(f"{done.distinct:.1%} of those in matches distinct")
    return ", ".join([*parts, f"seed {seed}", spell(done.seconds)])


def settings(entry: dict[str, Any]) -> tuple[list[str], str]:
    """Return an entry of the log: exact specs, and the rest in words."""
    rest = dict(entry)
    kind, game = rest.pop("kind"), rest.pop("game", "")
    if kind == "match":
        specs = [rest.pop("a"), rest.pop("b")]
        words = [f"{rest.pop('games'):,} games, {rest.pop('distinct'):,} distinct"]
        plies = rest.pop("plies", None)
        words += [_openings(plies)] if plies is not None else []
        words.append(f"seed {rest.pop('seed')}")
    elif kind == "training":
        specs = [rest.pop("learner")]
        words = [f"{rest.pop('games'):,} games", f"seeds {span(rest.pop('seeds'))}"]
        words += list(_exams(rest.pop("exams", ())))
    elif kind == "grade":
        specs = [rest.pop("agent")]
        words = [f"{rest.pop('positions'):,} positions of suite {rest.pop('suite')}"]
        worst = rest.pop("worst", "")
        words += [f"the costliest move after {worst}"] * bool(worst)
    else:
        specs, words = [], [str(kind)]
    words += [f"{name} {value}" for name, value in rest.items()]
    return [*specs, *([game] if game else [])], ", ".join(words)


def _openings(plies: int) -> str:
    return f"openings of {plies} plies" if plies else "from the empty board"


def _exams(exams: list[dict[str, Any]]) -> Iterator[str]:
    for exam in exams:
        side = f", {exam['side']}" if exam.get("side") else ""
        start = f", from {exam['start']}" if exam.get("start") else ""
        yield f"examined in {exam['games']:,} games against {exam['opponent']}{side}{start}"


def made_with(done: Finished) -> str:
    """Return versions, machine, commit and time."""
    made = done.made
    names = {"fourlab": "fourlab", "python": "Python", "numpy": "numpy", "numba": "numba"}
    parts = [f"{title} {made[name]}" for name, title in names.items() if made.get(name)]
    parts += [f"{made['cores']} cores"] if made.get("cores") else []
    parts += [str(made[name]) for name in ("cpu", "system") if made.get(name)]
    parts += [f"commit {made['commit']}"] if made.get("commit") else []
    parts += [f"finished {made['finished']}"] if made.get("finished") else []
    return ", ".join(parts)
