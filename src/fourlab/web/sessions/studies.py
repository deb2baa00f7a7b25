"""Studies: the cards of all, and the report of one, with quick reruns that outlive the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fourlab.core.errors import FourlabError
from fourlab.web.sessions.base import Session, View
from fourlab.web.studies.library import FULL, QUICK
from fourlab.web.studies.reruns import Rerun, Reruns
from fourlab.web.workbench import DRAWING, Job

SOON = 3  # seconds below which they are not counted
RUNS = {FULL: "Full run", QUICK: "Quick rerun"}


class StudySession(Session):
    """What both pages do: they follow reruns, which are the server's and not theirs."""

    actions = frozenset({"rerun", "go_on", "stop_rerun"})

    def __init__(self, bench: Any, reruns: Reruns, who: str, names: list[str]) -> None:
        super().__init__(bench)
        self.reruns = reruns
        self.who = who
        self.names = names
        library = reruns.library
        self.cards = {name: card for name in names if (card := library.known_card(name))}
        self.announce = ""

    def open(self) -> None:
        if self._told not in self.reruns.listeners:
            self.reruns.listeners.append(self._told)
        super().open()

    def close(self) -> None:
        if self._told in self.reruns.listeners:
            self.reruns.listeners.remove(self._told)
        super().close()

    # What a visitor does

    def rerun(self, name: str) -> None:
        """Rerun a study quickly, from its start."""
        self.reruns.ask(self._named(name), self.who)

    def go_on(self, name: str) -> None:
        """Go on with a rerun that was stopped or failed."""
        self.reruns.ask(self._named(name), self.who, go_on=True)

    def stop_rerun(self, name: str) -> None:
        """Stop a rerun, or take it out of the line."""
        self.reruns.stop(self._named(name), self.who)

    def _named(self, name: Any) -> str:
        if name not in self.names:
            raise FourlabError(f"{str(name)[:40]!r} is no study of this page")
        return str(name)

    # What follows from it

    def refresh(self) -> None:
        if self.is_open:
            self._read(self.names)

    def _read(self, names: list[str]) -> None:
        """Find out what is known of studies, off the loop."""
        library = self.reruns.library

        def work(job: Job) -> None:
            for name in names:
                if job.cancelled():
                    return
                job.report(self._carded, name, library.card(name))

        self.start(f"cards {','.join(names)}", work, DRAWING)

    def _carded(self, name: str, card: dict[str, Any]) -> None:
        self.cards[name] = card
        self.changed()

    def _told(self, name: str) -> None:
        """Hear that a rerun is further."""
        if name not in self.names:
            return
        rerun = self.reruns.of(name)
        if rerun is not None and rerun.state == "finished":
            self._read([name])
        said = _spoken(rerun) if rerun else ""
        self.announce = said or self.announce
        self.changed()

    def rerun_views(self) -> dict[str, Any]:
        """Return the reruns of the page's studies."""
        found = {name: self.reruns.of(name) for name in self.names}
        return {
            name: rerun_view(rerun, self.reruns.ahead(name), self.who)
            for name, rerun in found.items()
            if rerun is not None
        }


class StudiesSession(StudySession):
    """All studies as cards."""

    actions = StudySession.actions | {"rerun_all"}

    def __init__(self, bench: Any, query: Mapping[str, str], reruns: Reruns, who: str = "") -> None:
        super().__init__(bench, reruns, who, reruns.library.names)

    def rerun_all(self) -> None:
        """Put all studies in line."""
        for name in self.names:
            self.reruns.ask(name, self.who)

    def view(self) -> View:
        return {
            "cards": [self.cards.get(name, {"name": name}) for name in self.names],
            "reruns": self.rerun_views(),
            "announce": self.announce,
            "error": self.error,
            "url": "",
        }


class ReportSession(StudySession):
    """The report of one study: of the full run, or of the last quick rerun."""

    actions = StudySession.actions | {"choose"}

    def __init__(
        self, bench: Any, query: Mapping[str, str], reruns: Reruns, who: str, name: str
    ) -> None:
        self.missing = name if name not in reruns.library.names else ""
        self.name = name[:40]
        super().__init__(bench, reruns, who, [] if self.missing else [name])
        self.chosen = query.get("run", "") if query.get("run") in RUNS else ""

    def choose(self, run: str) -> None:
        """Show another run."""
        if run not in RUNS:
            raise FourlabError(f"there is no run {str(run)[:20]!r}; {', '.join(RUNS)}")
        self.chosen = run

    @property
    def run(self) -> str:
        """The run that is shown: the one chosen if it is there; '' if there is none."""
        runs = self.cards.get(self.name, {}).get("runs", {})
        return self.chosen if self.chosen in runs else next(iter(runs), "")

    def view(self) -> View:
        card = self.cards.get(self.name)
        run = self.run
        runs = card["runs"] if card else {}
        base, query = f"/studies/{self.name}", f"?run={run}" if run else ""
        return {
            "name": self.name,
            "missing": bool(self.missing),
            "studies": self.reruns.library.names if self.missing else [],
            "card": card,
            "run": run,
            "runs": [{"value": one, "label": RUNS[one]} for one in RUNS if one in runs],
            "source": f"{base}/report{query}&of={runs[run]}" if run else "",
            "downloads": {f: f"{base}/report.{f}{query}" for f in ("html", "zip")} if run else {},
            "reruns": self.rerun_views(),
            "announce": self.announce,
            "error": self.error,
            "url": "" if self.missing else base + (query if self.chosen and run else ""),
        }


def rerun_view(rerun: Rerun, ahead: list[str], who: str) -> dict[str, Any]:
    """Return how far a rerun is, in words."""
    return {
        "state": rerun.state,
        "head": _head(rerun),
        "note": _note(rerun, ahead),
        "share": rerun.share,
        "goOn": f"Go on from experiment {rerun.experiment}",
        "first": rerun.experiment == 1,
        "reason": rerun.reason if rerun.state == "failed" else "",
        "others": bool(rerun.who and who and rerun.who != who),
    }


def _head(rerun: Rerun) -> str:
    if rerun.state == "waiting":
        return "In line"
    if rerun.state == "finished":
        return "Rerun finished"
    where = f"xperiment {rerun.experiment} of {rerun.of}"
    return {"running": "E", "stopped": "Stopped at e", "failed": "Failed at e"}[rerun.state] + where


def _note(rerun: Rerun, ahead: list[str]) -> str:
    """Say what comes next."""
    if rerun.state == "waiting":
        return f"after {', '.join(ahead)}" if ahead else "starting"
    if rerun.state != "running":
        return ""
    if rerun.compiling:
        return "compiling, once on this machine"
    left = rerun.left or 0
    if left >= SOON:
        return f"about {left:.0f} s left" if left < 90 else f"about {left / 60:.0f} minutes left"
    return "a few seconds left"


def _spoken(rerun: Rerun) -> str:
    """Return what is said aloud: states, not progress."""
    if rerun.state == "running":
        return f"Rerun of {rerun.name} began" if rerun.experiment == 1 else ""
    words = {"waiting": "is in line", "stopped": "stopped", "failed": "failed"}
    return f"Rerun of {rerun.name} {words.get(rerun.state, 'finished')}"
