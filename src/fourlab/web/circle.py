"""`Circle`: a run trains on from the holes of its certificate, and is then certified again.

It belongs to the server: it goes on when the page is left, and every tab shows the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fourlab.arena.certify.certificate import Certificate
from fourlab.core.errors import FourlabError
from fourlab.positions.suites import read_positions
from fourlab.rules.catalog import game as find_game
from fourlab.web.certificates import Certificates
from fourlab.web.limits import KEPT
from fourlab.web.runs.kept import KeptTraining
from fourlab.web.runs.setup import OPPONENTS
from fourlab.web.telling import told
from fourlab.web.workbench import Workbench

SECONDS = 10.0  # of training
LOOK_SECONDS = 0.3  # between two looks at how far it is
TRAINING, CERTIFYING, DONE, STOPPED = "training", "certifying", "done", "stopped"


class Circle:
    """One round of a visitor's run: from a certificate that refutes it to the next."""

    def __init__(self, bench: Workbench, certificates: Certificates, who: str, before: str) -> None:
        self.bench, self.certificates, self.who, self.before = bench, certificates, who, before
        self.found = certificates.load(before)
        self.state, self.after, self.why = TRAINING, "", ""

    def begin(self, training: KeptTraining, changed: Callable[[], None]) -> None:
        """Train; raises FourlabError if the run cannot."""
        self.training, self._changed = training, changed
        path = self.certificates.path(self.before, ".holes")
        holes = read_positions(find_game(self.found.game), path)
        training.begin_at(holes)
        training.learn(SECONDS)
        self.holes, self._games = len(holes), training.done
        self._look()

    @property
    def is_going_on(self) -> bool:
        """Whether it is neither done nor stopped."""
        return self.state in (TRAINING, CERTIFYING)

    @property
    def games(self) -> int:
        """Training games of this round."""
        return self.training.done - self._games

    def _look(self) -> None:
        """See how far it is, and do what is next."""
        training = self.training
        if self.state == TRAINING and training.failure:
            self._end(training.failure)
        elif self.state == TRAINING and not training.is_kept:
            self._end("The run was deleted.")
        elif self.state == TRAINING:
            if not (training.running or training.busy or training.is_dirty):
                self._certify()
        elif not self.certificates.is_running(self.who):
            walk = self.certificates.walks[self.who]
            self.after = walk.name
            self._end("" if walk.name else walk.failure or "The walk over all replies was stopped.")
        if self.is_going_on:
            self.bench.after(LOOK_SECONDS, self._look)
        self._changed()

    def _certify(self) -> None:
        rules, found = self.training.settings.rules, self.found
        self.state = CERTIFYING
        try:
            spec = f"{KEPT}{self.training.name}"
            self.certificates.ask(self.bench, self.who, spec, rules, found.side, found.strict)
        except FourlabError as error:
            self._end(str(error))

    def _end(self, why: str) -> None:
        self.why = why
        self.state = STOPPED if why else DONE

    def view(self) -> dict[str, Any]:
        """Return what the page shows of it."""
        sprint = self.training.pace.is_sprinting and self.state == TRAINING
        return {
            "state": self.state,
            "before": self.before,
            "after": self.after,
            "run": f"/run/{self.training.name}",
            "said": self._said(),
            "share": self.training.pace.sprinted(SECONDS) if sprint else 1.0,
            "better": self._better(),
        }

    def _now(self) -> Certificate | None:
        return self.certificates.load(self.after) if self.after else None

    def _better(self) -> bool:
        now = self._now()
        return now is not None and now.refuted < self.found.refuted

    def _said(self) -> str:
        """Say how far it is, or what came of it and, if nothing, why."""
        now, before = self._now(), f"{self.found.refuted:,}"
        if self.state == TRAINING:
            return f"Training on from {self.holes:,} holes, {self.games:,} games so far."
        if self.state == CERTIFYING:
            return "Certifying it again, against every reply."
        if now is None:
            return told(self.why)
        learned = f"after {self.games:,} more games"
        if now.certified:
            return f"Proven {learned}: {before} refutations before, none now."
        if self._better():
            return f"Better {learned}: {before} refutations before, {now.refuted:,} now."
        return (
            f"No better {learned}: {before} refutations before, {now.refuted:,} now. {self._hint()}"
        )

    def _hint(self) -> str:
        """Say what is in its way."""
        settings = self.training.settings
        if "opponent" in settings.spec and settings.opponent != "self":
            whom = OPPONENTS.get(settings.opponent, settings.opponent)
            return (
                f"It trains against {whom}, which may not play the replies that refute it; a run "
                "against itself looks for them."
            )
        return "What it met was too little; train on from the holes that are left."
