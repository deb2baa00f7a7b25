"""Networks of several sizes taught by the solver's strategy, each then played against every reply.

    PYTHONPATH=src python -m benchmarks.distil --data FOLDER --out OUT --seconds 300 \
        --shape width=96,blocks=6 --shape width=32,blocks=4,head=8

For a machine with a GPU; numpy, numba and torch are enough. A network is trained for so many
seconds, rounded to 16 bits, and walked: the games that end below the value of the game are its
holes. With `--rounds` what it was asked and was never taught is labelled by the solver, and it
learns on: the way to a strategy of its own (`--moves keep`). `--strategy` teaches one that meets
few positions instead (benchmarks/compact.py), and any move that wins at once; `--free` all winning
moves of all positions that were looked at for one, so that a network shows which it finds easy
(`benchmarks.compact --like`). With `--rule` only
what `net:PATH,rule=yes` leaves open. A line of JSON for
each round stands in OUT/results.jsonl, the networks beside it.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.compact import free, freed, taught
from fourlab.agents import net
from fourlab.agents.registry import agent
from fourlab.arena.certify.certificate import value_for
from fourlab.arena.certify.refuting import ends_below
from fourlab.arena.certify.walk import Walk
from fourlab.core.arrays import Ints
from fourlab.learning.networks.pupil import Course, Pupil, course_of, rate_at
from fourlab.learning.networks.replies import SIDES, at_once
from fourlab.learning.networks.sources import distinct, lessons
from fourlab.learning.networks.twin import find_device
from fourlab.positions.labels import UNKNOWN, UNPLAYABLE, Labeller, Labels, joined, unpacked
from fourlab.rules.catalog import game
from fourlab.rules.geometry import Rules
from fourlab.values import on_torch
from fourlab.values.layers import Shape
from fourlab.values.network import Network

LOOK = 10.0  # seconds between two lines
UNSURE = 0.1  # a loss of moves from which on a position counts as hard
FEW = 20_000  # positions that count as hard at least
OFTEN = 8.0  # seconds between two looks for them, at most
PORTION = 1 << 15  # boards a network is asked about at once


def shape_of(text: str) -> Shape:
    """Return the shape of a text such as width=32,blocks=4,head=8; small value heads by default."""
    given = dict(part.split("=") for part in text.split(","))
    sizes = {"head": 8, "hidden": 8, "bins": 3} | {name: int(size) for name, size in given.items()}
    return Shape("residual", **sizes)


class Runner(Pupil):
    """A pupil whose training steps are compiled, if it is asked for."""

    def __init__(self, rules: Rules, shape: Shape, options: argparse.Namespace) -> None:
        device = find_device("auto")
        how = (options.decay, options.prefer, options.turn)
        super().__init__(rules, shape, options.seed, device, *how)
        self._compiled: Any = torch.compile(self.module) if options.compile else self.module

    def run(self, both: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
        plain = self.module
        if plain.training:
            self.module = self._compiled
        found = super().run(both, legal)
        self.module = plain
        return found


def train(
    pupil: Pupil, course: Course, seconds: float, options: argparse.Namespace
) -> dict[str, Any]:
    """Train for so many seconds; now and then, look for what is hard."""
    pupil.learn(course.rows(0), 0.0, options.weight)  # compiled, recorded, off the clock
    began = looked = focused = time.perf_counter()
    sums, steps = torch.zeros(5, device=pupil.device), 0
    dice = torch.Generator(pupil.device).manual_seed(course.seed)
    while (spent := time.perf_counter() - began) < seconds:
        rate = rate_at(options.rate, steps, spent / seconds)
        rows, flip = course.rows(steps), None
        if pupil.shape.paired:  # what is measured of both of a pair is then alike
            flip = torch.rand(len(rows.movers), generator=dice, device=pupil.device) < 0.5
            rows = rows.mirrored(pupil.rules, flip)
        sums += pupil.learn(rows, rate, options.weight, flip)
        steps += 1
        if steps % 20 == 0 and pupil.is_cuda:
            torch.cuda.synchronize()  # the clock is to see what is done, not what is asked for
        if options.focus and time.perf_counter() - focused > min(seconds / 10, OFTEN):
            _, losses = pupil.examine(course.learned, PORTION)
            count = max(int((losses > UNSURE).sum()), min(FEW, len(losses)))
            course.hard = losses.topk(count).indices
            focused = time.perf_counter()
        if time.perf_counter() - looked > LOOK:
            count = max(float(sums[2:].sum()), 1.0)
            speed = count / (time.perf_counter() - looked)
            shares = [round(float(part) / count, 6) for part in sums[2:]]
            say(seconds=round(spent), rate=rate, shares=shares, speed=round(speed))
            sums.zero_()
            looked = time.perf_counter()
    return {"steps": steps, "batch": course.batch, "trained_s": round(time.perf_counter() - began)}


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def walked(spec: str, rules: Rules, side: str) -> tuple[dict[str, Any], Ints]:
    """Return what every reply comes to, and the keys of all positions that were asked."""
    torch.backends.cudnn.allow_tf32 = False
    net.PORTION = on_torch.BATCH = PORTION  # a walk asks for many
    began = time.perf_counter()
    with Walk(agent(spec, rules), SIDES[side]) as walk:
        walk.run()
        refuting = ends_below(walk, value_for(rules.start(), SIDES[side]))
        keys = np.concatenate([walk.asked(ply)[0] for ply in walk.plies])
        sums = {
            name: sum(getattr(tally, name) for tally in walk.tallies)
            for name in ("positions", "asked", "won", "drawn", "lost")
        }
    torch.backends.cudnn.allow_tf32 = True
    refuted = sum(len(found) for found in refuting.values())
    return {**sums, "refuted": refuted, "walk_s": round(time.perf_counter() - began, 1)}, keys


def labelled(labeller: Labeller, keys: Ints, value: int) -> Labels:
    """Return positions labelled, those in which the value of the game is still to be had."""
    quick = at_once(labeller.rules, keys)
    is_won = quick.values != UNKNOWN
    plies = np.bitwise_count(unpacked(labeller.rules, keys)[1])
    parts = [quick.take(np.flatnonzero(is_won))]
    for ply in np.unique(plies):
        found = labeller.label(keys[(plies == ply) & ~is_won])
        parts.append(found.take(np.flatnonzero(np.sign(found.values) >= value)))
    return joined(parts)


def ruled(labels: Labels) -> Labels:
    """Return what is left to learn where the rule comes first: no win at hand, and a choice."""
    allowed = np.zeros(labels.scores.shape, np.bool_)
    net.mark_allowed(labels.rules, net.PUCT, True, *labels.boards(), allowed)
    labels.scores[~allowed] = UNPLAYABLE
    is_open = at_once(labels.rules, labels.keys).values == UNKNOWN
    return labels.take(np.flatnonzero(is_open & (allowed.sum(1) > 1)))


def teach(shape: Shape, labels: Labels, options: argparse.Namespace, out: Path) -> Labels:
    """Train and walk one network, round by round; return all labels there are then."""
    pupil = Runner(labels.rules, shape, options)
    device = pupil.device
    small = f"of{shape.distinct or shape.blocks}-{shape.bits}bits-" if shape.bits else ""
    size = f"{shape.width}x{shape.blocks}{'-paired' * shape.paired}"
    name = f"{size}-{small}{options.moves}-{options.seed}"
    if options.begin:
        pupil.restore(Network.load_all(Path(options.begin), labels.rules)[1])
    for number in range(options.rounds + 1):
        course = course_of(
            labels, 0.0, options.moves, options.graded, options.batch, options.seed + number, device
        )
        seconds = options.seconds if number == 0 else options.round_seconds
        found: dict[str, Any] = {"name": name, "round": number, "labels": len(labels)}
        found |= train(pupil, course, seconds, options)
        counts, losses = pupil.examine(course.learned, PORTION)
        best, kept, lost = counts.tolist()
        found |= {"taught_best": best, "taught_kept": kept, "taught_lost": lost}
        found["hard"] = int((losses > UNSURE).sum())
        about = {"learner": "distil", "by": vars(options), "round": number}
        network = pupil.folded(about)
        network = network if options.weight else network.without_values()
        network.save(out / f"{name}.state.safetensors", extra=pupil.arrays(memory=False))
        network.save(out / f"{name}.safetensors", half=True)
        found["bytes"] = (out / f"{name}.safetensors").stat().st_size
        if lost > options.most_wrong:
            say(**found)
            break
        spec = f"net:{out / name}.safetensors,device={device.type}{',rule=yes' * options.rule}"
        result, asked = walked(spec, labels.rules, options.side)
        found |= result
        del course
        fresh = asked[~np.isin(asked, labels.keys)]
        found["fresh"] = len(fresh)
        if len(fresh) > options.most:
            fresh = np.sort(np.random.default_rng(number).choice(fresh, options.most, False))
        say(**found)
        with (out / "results.jsonl").open("a") as file:
            file.write(json.dumps(found) + "\n")
        if not result["refuted"] or number == options.rounds:
            break
        with Labeller(labels.rules, options.threads) as labeller:
            value = value_for(labels.rules.start(), SIDES[options.side])
            more = labelled(labeller, fresh, value)
        labels = distinct(joined([labels, freed(more, options.slower) if options.free else more]))
    return labels


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--side", default="first", choices=SIDES)
    parser.add_argument("--data", type=Path, help="keeps the labels; made where they are missing")
    parser.add_argument("--strategy", type=Path, help="of benchmarks/compact.py; with --moves best")
    parser.add_argument("--free", type=Path, help="the --data of benchmarks/compact.py")
    parser.add_argument("--slower", type=int, default=2, help="of --free: moves after the fastest")
    parser.add_argument("--most-wrong", type=int, default=10**9, help="with more it is not walked")
    parser.add_argument("--rule", action="store_true", help="a win, a block and safety by rule")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--shape", action="append", default=[], help="width=32,blocks=4,head=8")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--rounds", type=int, default=0, help="more rounds, with what was asked")
    parser.add_argument("--round-seconds", type=float, default=120)
    parser.add_argument("--most", type=int, default=2_000_000, help="to be labelled in a round")
    parser.add_argument("--moves", default="one", choices=("one", "best", "keep"))
    parser.add_argument("--prefer", type=float, default=0.0, help="share for the strategy's move")
    parser.add_argument("--graded", action="store_true")
    parser.add_argument("--weight", type=float, default=0.0, help="of values beside moves")
    parser.add_argument("--batch", type=int, default=16384)
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--decay", type=float, default=1e-4)
    parser.add_argument(
        "--turn", type=float, default=0.0, help="of blocks' weights, times the rate"
    )
    parser.add_argument("--compile", action="store_true", help="training steps, by torch")
    parser.add_argument("--focus", action="store_true", help="half of each batch is what is hard")
    parser.add_argument("--begin", default="", help="a .state.safetensors to go on with")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=None)
    options = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    began = time.perf_counter()
    if options.strategy:
        labels = taught(options.strategy)
        labels = ruled(labels) if options.rule else labels
    elif options.free:
        labels = free(options.free, options.slower)
    else:
        labels = lessons(f"walk:{options.side}", game(options.game), options.data)
    say(labels=len(labels), made_s=round(time.perf_counter() - began, 1))
    options.out.mkdir(parents=True, exist_ok=True)
    out = options.out
    for name in ("data", "strategy", "free", "out"):
        setattr(options, name, str(getattr(options, name) or ""))
    for text in options.shape or ["width=64,blocks=6,head=32"]:
        labels = teach(shape_of(text), labels, options, out)


if __name__ == "__main__":
    main()
