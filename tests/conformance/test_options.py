"""Every option of every learner does something, or is refused where it does not."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from fourlab.core.errors import SpecError
from fourlab.core.spec import Option, configure, options_of, parse
from fourlab.learning.registry import LEARNERS, learner
from fourlab.rules.catalog import game
from fourlab.values.base import load_values
from fourlab.values.network import Network

RULES = game("connect:columns=3,rows=3,k=3")
NETWORKS = ("deep-q", "distil", "zero")  # need torch
SMALL = {
    "n-tuple": "tuples=4,length=3",
    "distil": "width=4,blocks=1,head=2,hidden=4,bins=5,batch=6",
    "zero": "width=4,blocks=1,head=2,hidden=4,bins=5,lanes=4,sims=4,look=0,batch=2,"
    "prefill=8,reuse=1,window=500,refresh=1",
    "deep-q": "width=2,batch=8,reuse=1,memory=20,sync=8,lanes=8,rate=0.05",
}
GAMES = {"zero": 80, "deep-q": 24, "distil": 120}
# What is no number has another value here; so has what would be too near.
OTHERS = {
    "opponent": "baseline", "start": "random:plies=3", "alpha": "0.3", "epsilon": "0.5",
    "memory-mb": 0.001, "decay": 0.5, "rate": "0.02", "positions": "walk:second",
    "starts": "starts.txt", "urgency": 2.0, "prefill": 60, "window": 9, "hot": 0, "c": 9.0,
    "recent": 0.1, "bits": 4,
}  # fmt: skip
# Options that are to change nothing of what is learned.
APART = {
    "chunk": "says when somebody looks",
    "data": "keeps labels, or names a file of them",
    "device": "says where it is computed",
    "threads": "says where it is computed",
    "seconds": "ends by the clock",
    "look": "is for examinations",
    "past-games": "is for examinations",
    "start-share": "is for `starts`, and for what is found on the way (train --until-certified)",
}


def other(option: Option, now: Any) -> Any:
    """Return another value of an option than the one it has."""
    if option.name in OTHERS:
        return (
            OTHERS[option.name] if option.kind in (int, float) else type(now)(OTHERS[option.name])
        )
    if option.choices:
        return next(choice for choice in option.choices if choice != now)
    if option.kind is bool:
        return not now
    if option.kind is int:
        return (now or 0) + 1
    return now / 2 if now else 0.5


def learned(spec: str, folder: Path, **options: Any) -> str:
    """Return a digest of what a short training comes to."""
    name = spec.partition(":")[0]
    made = learner(spec, RULES, 1, **{"games": GAMES.get(name, 200), **options})
    assert made.total < 1000
    for _ in made.steps():
        pass
    made.save(folder / made.file)
    found: Any = load_values(folder / made.file)
    arrays = found.layers if isinstance(found, Network) else found.arrays()
    return hashlib.sha256(b"".join(arrays[name].tobytes() for name in sorted(arrays))).hexdigest()


# As they are, and with options without which others do nothing.
SETTINGS = [
    *(name for name in LEARNERS if name != "zero"),
    pytest.param("zero", marks=pytest.mark.slow),  # nearly a second for each of its options
    "q:opponent=self",
    "n-tuple:opponent=random",
    "deep-q:network=residual,priority=1",
    "distil:moves=best",
]


@pytest.mark.parametrize(
    ("spec", "idle"),
    [
        ("q:opponent=self,loss=-5", "loss=-5 does nothing in self-play"),
        ("monte-carlo:opponent=self,loss=-1", "loss=-1 does nothing in self-play"),
        ("n-tuple:loss=-2", "loss=-2 does nothing in self-play"),
        ("deep-q:blocks=2", "blocks=2 does nothing without network=residual"),
        ("deep-q:correct=1", "correct=1 does nothing without priorities"),
        ("deep-q:sync=0,soft=0.5", "soft=0.5 does nothing without a target network"),
        ("deep-q:sync=0,double=yes", "double=yes does nothing without a target network"),
        ("deep-q:target=study,sync=9", "sync=9 does nothing with target=study"),
        ("distil:prefer=0.5", "prefer=0.5 does nothing without moves=best"),
        ("distil:blocks=3,distinct=2", "distinct=2 does nothing without bits"),
        ("distil:value=none,weight=2", "weight=2 does nothing with value=none"),
        ("distil:paired=yes,mirror=yes", "mirror=yes does nothing with paired=yes"),
        ("distil:data=labels.npz,positions=uci", "positions=uci does nothing where data is a file"),
        ("zero:full=1,fast-sims=8", "fast-sims=8 does nothing with full=1"),
        ("zero:random=0,random-plies=3", "random-plies=3 does nothing with random=0"),
        ("zero:weak=0,weak-first=0.5", "weak-first=0.5 does nothing with weak=0"),
        ("zero:weak=0,weak-rate=0.1", "weak-rate=0.1 does nothing with weak=0"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(spec: str, idle: str) -> None:
    with pytest.raises(SpecError, match=f"^{idle}.*; leave it out$"):
        learner(spec, RULES)


@pytest.mark.parametrize(
    "spec", ["q:opponent=self,loss=-1", "monte-carlo:opponent=self,win=3,loss=-3", "zero:weak=0"]
)
def test_what_is_said_though_it_goes_without_saying_is_accepted(spec: str) -> None:
    assert configure(LEARNERS[spec.partition(":")[0]].Config, parse(spec), "learner")


@pytest.mark.parametrize("spec", SETTINGS)
def test_every_option_changes_what_is_learned_or_is_refused(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, _, more = spec.partition(":")
    if name in NETWORKS:
        pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    Path("starts.txt").write_text("11\n12\n")
    given = {part.partition("=")[0] for part in more.split(",")}
    small = [part for part in SMALL.get(name, "").split(",") if part.partition("=")[0] not in given]
    spec = f"{name}:{','.join(filter(None, [*small, more]))}".removesuffix(":")
    first = learned(spec, tmp_path)
    idle = []
    for option in options_of(LEARNERS[name].Config):
        if option.name in APART or option.name in given:
            continue
        config = learner(spec, RULES, games=GAMES.get(name, 200)).config
        if option.name == "side" and getattr(config, "opponent", "") == "self":
            continue  # in self-play it is for examinations
        try:
            value = other(option, getattr(config, option.field))
            if learned(spec, tmp_path, **{option.field: value}) == first:
                idle.append(f"{option.name}={value}")
        except SpecError as error:
            if "does nothing" not in str(error):
                raise
    assert idle == []
