"""A submission under Kaggle's own runner, before it counts."""

import itertools
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourlab.adapters.kaggle import check_gravity
from fourlab.core.errors import IllegalMoveError, missing_extra
from fourlab.core.spec import unknown
from fourlab.rules.geometry import Rules
from fourlab.rules.record import GameRecord

OPPONENTS = ("negamax", "random")
LATE = "late: "  # how a submission begins to say that
DONE = "DONE"  # the status of a player whose game ended as games do


@dataclass(frozen=True)
class RehearsedGame:
    """One game of a submission, as the runner recorded it."""

    opponent: str
    side: int  # 0 if the submission began
    result: int | None  # 1 won, 0 drawn, -1 lost, None broken off
    status: str
    seconds: tuple[float, ...]  # of each own move
    overage: float  # seconds left on the account at the end
    late: int  # moves at which the agent was not waited for
    errors: tuple[str, ...]  # what else the submission wrote to standard error
    record: GameRecord  # the game itself, as everywhere

    @property
    def is_clean(self) -> bool:
        """Whether it ended as games do and nothing failed on the way; late moves are no failure."""
        return self.status == DONE and not self.errors


def rehearse(
    path: Path,
    games: int,
    rules: Rules,
    opponents: Sequence[str] = OPPONENTS,
    **configuration: Any,
) -> Iterator[RehearsedGame]:
    """Play a submission against the runner's own players, on both sides by turns.

    `configuration` goes to the runner. The first game pays for compiling, as every game on Kaggle
    does; those after it find the work done. Raises MissingExtraError without kaggle-environments.
    """
    make = runner()
    board = {"columns": rules.columns, "rows": rules.rows, "inarow": rules.connect}
    pairings = itertools.cycle(itertools.product((0, 1), opponents))
    for side, opponent in itertools.islice(pairings, games):
        environment = make("connectx", configuration={**board, **configuration}, debug=False)
        players = [str(path), opponent]
        environment.run(players if side == 0 else players[::-1])
        yield _read(environment, opponent, side, rules, path.name)


def ready_for(rules: Rules, opponents: Sequence[str]) -> None:
    """Raise if the runner is not installed, or has no such board or players."""
    runner()
    check_gravity(rules)
    for name in opponents:
        if name not in OPPONENTS:
            raise unknown("opponent", name, OPPONENTS)


def runner() -> Any:
    """Return what makes Kaggle's environments; raises MissingExtraError if it is not installed."""
    logging.getLogger("kaggle_environments").setLevel(logging.ERROR)  # it tells what it can load
    logging.getLogger("fourlab").setLevel(logging.WARNING)  # as on Kaggle: nobody asks for more
    try:
        from kaggle_environments import make
    except ImportError:
        raise missing_extra("a rehearsal needs Kaggle's runner", "kaggle") from None
    return make


def _read(
    environment: Any, opponent: str, side: int, rules: Rules, submission: str
) -> RehearsedGame:
    """Read a finished game from the runner's own record."""
    end = environment.steps[-1][side]
    logs = [step[side] for step in environment.logs if len(step) > side and step[side]]
    own = [log for log in logs if log.get("duration")]
    said = [str(log["stderr"]) for log in own if log["stderr"].strip()]
    return RehearsedGame(
        opponent=opponent,
        side=side,
        result=end.reward if end.status == DONE else None,
        status=str(end.status),
        seconds=tuple(float(log["duration"]) for log in own),
        overage=float(end.observation.remainingOverageTime),
        late=sum(text.startswith(LATE) for text in said),
        errors=tuple(text for text in said if not text.startswith(LATE) or "Traceback" in text),
        record=_record(environment, opponent, side, rules, submission),
    )


def _record(
    environment: Any, opponent: str, side: int, rules: Rules, submission: str
) -> GameRecord:
    """Return the game; a move that the runner refused is not part of it."""
    position = rules.start()
    for number, step in enumerate(environment.steps[1:]):
        try:
            position = position.play(int(step[number % 2].action))
        except (IllegalMoveError, TypeError, ValueError):
            break
    names = [submission, opponent][:: 1 if side == 0 else -1]
    statuses = [str(player.status) for player in environment.steps[-1] if player is not None]
    broken = [status for status in statuses if status != DONE]
    return GameRecord(
        game=str(rules),
        first=names[0],
        second=names[1],
        seed=0,
        moves=position.notation,
        outcome=position.outcome.value,
        forfeit=", ".join(broken) or None,
    )
