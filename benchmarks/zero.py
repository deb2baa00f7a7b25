"""The learner `zero` on a GPU, in portions: trains, grades itself against exact scores, saves.

    PYTHONPATH=src python -m benchmarks.zero --seconds 420 --whole 1500 --out OUT --seed 0
    PYTHONPATH=src python -m benchmarks.zero --seconds 420 --whole 1500 --resume IN --out OUT
    PYTHONPATH=src python -m benchmarks.zero --ablate base,graded,weak --seeds 0 1 --out OUT
    PYTHONPATH=src python -m benchmarks.zero --trials FILE --resume IN --seconds 120 --out OUT
    PYTHONPATH=src python -m benchmarks.zero --speed --out OUT
    PYTHONPATH=src python -m benchmarks.zero --certify first --resume NETWORK --sims 400 --out OUT
    PYTHONPATH=src python -m benchmarks.zero --values --begin NETWORK --sims 600 2000

Needs numpy, numba and torch alone. OUT receives network.safetensors, checkpoint.safetensors (at
most 16 MB) and metrics.jsonl. The clock starts when all is compiled, and stops while it grades.
`--positions` names files of benchmarks/scored.py, or of lines with a move string and a score for
every column; the suites that ship are always graded. `--begin` starts a new run with the weights
of a network that plays, whose batch normalisation was folded away; `--values` asks such a network
for UCI classes and values of openings, and trains nothing.

A file of `--trials` has a name and options a line, such as `wide width=128 lanes=8192`; `seed=`,
`resume=` and `whole=` in a line take the place of the arguments. Trials run one after the other in
one process, which compiles once; each has a folder of its own, and OUT/trials.json the last line
of each. None is begun that would not end within `--limit` seconds of the whole.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.exams import Exam, examine, examine_values, exams
from benchmarks.unfold import unfold
from fourlab.learning.networks.zero import Zero
from fourlab.learning.networks.zero_options import ZeroConfig
from fourlab.learning.registry import learner as new_learner
from fourlab.rules.catalog import game as find_game
from fourlab.rules.geometry import Rules
from fourlab.values.network import Network

LOOKED_AT = ("middle", "strong")  # while training goes on
LOOK = 500  # positions of each of them
FIRST_OVERHEAD = 60.0  # seconds that a trial takes beside training, until one has shown it
ABLATIONS = {
    "base": "",
    "graded": "graded=0",
    "rule": "rule=no forced=no",
    "forced": "forced=no",
    "weak": "weak=0",
    "noise": "noise=0",
    "cap": "full=1 sims=32",
    "result": "mix=1",
    "search": "mix=0",
    "asides": "asides=0",
    "recent": "recent=1",
    "random": "random=0",
    "hot": "hot=0",
    "turn": "turn=5",
}


def train(args: argparse.Namespace, learner: Zero, found: list[Exam]) -> dict[str, Any]:
    """Train one portion and return its last line."""
    out, began = Path(args.out), time.perf_counter()
    out.mkdir(parents=True, exist_ok=True)
    prepare(args, learner)
    say = {"prepared_s": round(time.perf_counter() - began, 1), "spec": learner.spec}
    print(json.dumps(say), flush=True)
    few = [exam.part(LOOK) for exam in found if exam.name in LOOKED_AT]
    start, looked = learner.clock, learner.clock
    line: dict[str, Any] = {}
    evaluations, since, samples = 0.0, 0.0, 0.0
    with (out / "metrics.jsonl").open("a") as log:
        for progress in learner.steps():
            metrics = progress.metrics
            passed = learner.clock - looked - since
            since += passed
            evaluations += metrics["evaluations_per_s"] * passed
            samples += metrics["lessons_per_s"] * passed
            over = learner.clock - start >= args.seconds or learner.done >= learner.total
            if since < args.every and not over:
                continue
            line = {
                "t": round(learner.clock, 1),
                "games": progress.done,
                "evals_s": round(evaluations / since),
                "samples_s": round(samples / since),
                "lessons": learner.lessons,
                "steps": learner.taken_steps,
                "wins": round(progress.wins / max(progress.played, 1), 3),
                "draws": round(progress.draws / max(progress.played, 1), 3),
                **{
                    name: round(value, 5)
                    for name, value in metrics.items()
                    if name.endswith(("_share", "_loss", "_error")) or name == "rate"
                },
            }
            if not args.bare:  # before it is examined: a machine may be taken back any moment
                learner.save(out / "checkpoint.safetensors")
            if over or not args.bare:
                learner.network().save(out / "network.safetensors")
            if not over:
                line["grades"] = examine(learner, few, (100,))
            else:
                line["grades"] = examine(learner, found, (0, 100, *args.sims))
                line["values"] = examine_values(learner, (100, *args.sims))
            print(json.dumps(line), file=log, flush=True)
            print(json.dumps(line), flush=True)
            looked, evaluations, samples, since = learner.clock, 0.0, 0.0, 0.0
            if over:
                break
    return line


def prepare(args: argparse.Namespace, learner: Zero) -> None:
    """Compile, and begin with other weights where the arguments say so."""
    learner.prepare()
    if args.begin:
        network = Network.load(Path(args.begin), learner.rules)
        unfold(learner.workshop.trainer.module, network)
        learner.workshop.settle()


def tell_values(args: argparse.Namespace, learner: Zero) -> None:
    """Print how right the values are of a network that is not trained."""
    prepare(args, learner)
    print(json.dumps(examine_values(learner, (100, *args.sims))), flush=True)


def made(args: argparse.Namespace, **options: Any) -> Zero:
    """Return the learner that the arguments describe, new or taken up."""
    text = ",".join(args.set)
    fresh = new_learner(f"zero:{text}" if text else "zero", args.game, args.seed or 0)
    assert isinstance(fresh, Zero)
    config: ZeroConfig = dataclasses.replace(fresh.config, **options)
    if args.resume:
        fresh = Zero.load(Path(args.resume))
        fresh.seed = fresh.seed if args.seed is None else args.seed
        if args.starts:  # others than those that it began at
            fresh._saved.pop("starts", None)
        given = {part.partition("=")[0].replace("-", "_") for part in args.set}
        config = dataclasses.replace(
            fresh.config, **{name: getattr(config, name) for name in (*given, *options)}
        )
    fresh.config = dataclasses.replace(
        config,
        seconds=args.whole or fresh.clock + args.seconds,
        games=config.games if "games" in text else 1 << 40,
        starts=args.starts or config.starts,
    )
    return fresh


def trials_of(args: argparse.Namespace) -> list[argparse.Namespace]:
    """Return the arguments of each trial, of a file or of ablations with every seed."""
    lines = Path(args.trials).read_text().splitlines() if args.trials else []
    lines += [f"{name} {ABLATIONS[name]}" for name in args.ablate.split(",") if name]
    found = []
    for line in lines:
        name, *options = line.partition("#")[0].split() or [""]
        if not name:
            continue
        own = dict(part.split("=", 1) for part in options)
        told = {key: own.pop(key) for key in ("seed", "resume", "whole") if key in own}
        for seed in [int(told["seed"])] if "seed" in told else args.seeds or [args.seed]:
            one = argparse.Namespace(**vars(args))
            one.name, one.seed, one.bare = name, seed, not args.keep
            one.folder = name if seed is None else f"{name}-seed{seed}"
            one.out = f"{args.out}/{one.folder}"
            one.set = args.set + [f"{key}={value}" for key, value in own.items()]
            one.resume = told.get("resume", args.resume)
            one.whole = float(told.get("whole", args.whole))
            found.append(one)
    return found


def run_trials(args: argparse.Namespace, found: list[Exam]) -> None:
    """Train trials one after the other as far as the time goes; what is left is said."""
    began, overhead, done = time.perf_counter(), FIRST_OVERHEAD, []
    counts = {exam.name: len(exam.scores) for exam in found}
    Path(args.out).mkdir(parents=True, exist_ok=True)
    trials = trials_of(args)
    for number, trial in enumerate(trials):
        passed = time.perf_counter() - began
        if passed + trial.seconds + overhead > args.limit:
            left = [one.folder for one in trials[number:]]
            print(json.dumps({"passed_s": round(passed), "left": left}), flush=True)
            break
        learner = made(trial)
        line = train(trial, learner, found)
        learner.workshop.team.close()
        del learner
        gc.collect()  # its games and its window, before the next has its own
        overhead = time.perf_counter() - began - passed - trial.seconds
        told = {"name": trial.name, "seed": trial.seed, "set": trial.set, "positions": counts}
        done.append({**told, "overhead_s": round(overhead, 1), **line})
        Path(args.out, "trials.json").write_text(json.dumps(done, indent=1))


def speed(args: argparse.Namespace) -> None:
    """Print the throughput of group sizes, with and without training, and of the parts alone."""
    args.bare, args.seconds, rows = True, min(args.seconds, 10.0), []
    for lanes, threads, reuse in (
        (8192, None, 8.0),
        (16384, None, 8.0),
        (4096, None, 8.0),
        (8192, None, 0.0),
        (16384, None, 0.0),
        (8192, 12, 8.0),
    ):
        learner = made(args, lanes=lanes, threads=threads, reuse=reuse, prefill=1)
        learner.prepare()
        shop, clock, lessons = learner.workshop, 0.0, 0
        for progress in learner.steps():
            lessons = round(progress.metrics["lessons_per_s"])
            if clock == 0.0 and learner.clock > args.seconds / 2:  # warm by now
                clock, before, turns = learner.clock, shop.evaluations, shop.turns
                shop.clock = type(shop.clock)()
            if learner.clock > args.seconds:
                break
        seconds = learner.clock - clock
        row = {"lanes": lanes, "threads": shop.team.threads, "reuse": reuse}
        row["evals_s"] = round((shop.evaluations - before) / seconds)
        row["turn_ms"] = round(1000 * seconds / (shop.turns - turns), 2)
        row |= {name: round(value, 3) for name, value in shop.clock.shares().items()}
        row["samples_s"] = lessons
        row |= _parts(learner)
        rows.append(row)
        print(json.dumps(row), flush=True)
        shop.team.close()
        del learner, shop
    Path(args.out).mkdir(parents=True, exist_ok=True)
    Path(args.out, "speed.json").write_text(json.dumps(rows, indent=1))


def _parts(learner: Zero, rounds: int = 100) -> dict[str, float]:
    """Return the milliseconds of one batch of the network, one pass of the kernels, one step."""
    shop = learner.workshop
    desk = shop.groups[0].desk
    for group in shop.groups:
        group.desk.wait()
    began = time.perf_counter()
    for _ in range(rounds):
        desk.launch()
    desk.wait()
    network = time.perf_counter()
    for _ in range(rounds):
        shop.begin_kernels(shop.groups[0])
        shop.team.end()
    kernels = time.perf_counter()
    for _ in range(rounds // 4):
        shop.trainer.step(0.0)
    shop.trainer.losses.tolist()
    steps = time.perf_counter()
    return {
        "network_ms": round(1000 * (network - began) / rounds, 3),
        "kernels_ms": round(1000 * (kernels - network) / rounds, 3),
        "step_ms": round(1000 * (steps - kernels) / (rounds // 4), 3),
    }


def certify(args: argparse.Namespace, rules: Rules) -> int:
    """Play a network with a fixed number of simulations against every reply, on the GPU."""
    import torch

    from fourlab.agents.zero import ZeroConfig as PlayerConfig
    from fourlab.arena.certify.certificate import certify as play_all
    from fourlab.learning.networks.chooser import Chooser

    out, sims = Path(args.out), args.sims[0]
    out.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    player = Chooser(rules, PlayerConfig(args.resume, sims=sims)).use(device, args.trees)
    began = last = time.perf_counter()

    def watch(walk: Any) -> None:
        nonlocal last
        if time.perf_counter() - last > args.every:
            last = time.perf_counter()
            print(json.dumps({"s": round(last - began), **walk._asdict()}), flush=True)

    found = play_all(
        player,
        rules,
        args.certify,
        start=args.start,
        starts="refuted",
        explain=False,
        moves=out / "moves",
        watch=watch,
    )
    arithmetic = "bfloat16, a captured graph" if device == "cuda" else "float32"
    found = dataclasses.replace(found, versions={**found.versions, "arithmetic": arithmetic})
    found.save(out / "certificate.json")
    (out / "holes.txt").write_text("".join(f"{moves}\n" for moves in found.starts))
    told = {"certified": found.certified, "positions": found.positions, **found.results}
    told |= {"refuted": found.refuted, "starts": len(found.starts)}
    print(json.dumps({**told, "seconds": round(time.perf_counter() - began, 1)}), flush=True)
    return 0 if found.certified else 1


def main() -> int:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--seconds", type=float, default=420.0)
    parser.add_argument("--whole", type=float, default=0.0, help="seconds of all portions together")
    parser.add_argument("--resume", default="")
    parser.add_argument("--begin", default="", help="a network whose weights are taken over")
    parser.add_argument("--values", action="store_true", help="no training")
    parser.add_argument("--out", default="out")
    parser.add_argument("--seed", type=int, help="0, or that of the run that is resumed")
    parser.add_argument("--set", nargs="*", default=[])
    parser.add_argument("--positions", nargs="*", default=[])
    parser.add_argument("--starts", default="", help="positions where games begin too")
    parser.add_argument("--sims", nargs="*", type=int, default=[600])
    parser.add_argument("--every", type=float, default=20.0)
    parser.add_argument("--ablate", default="", help=f"trials, of: {', '.join(ABLATIONS)}")
    parser.add_argument("--trials", default="", help="a file with a trial a line")
    parser.add_argument("--seeds", nargs="*", type=int, default=[], help="of each trial")
    parser.add_argument("--limit", type=float, default=540.0, help="seconds of all trials")
    parser.add_argument("--keep", action="store_true", help="checkpoints of trials too")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--certify", default="", help="a side; --resume names the network")
    parser.add_argument("--start", default="", help="moves that are made before, to --certify")
    parser.add_argument("--trees", type=int, default=8192, help="of each group, to --certify")
    args = parser.parse_args()
    args.bare = False
    rules = find_game(args.game)
    if args.certify:
        return certify(args, rules)
    if args.speed:
        speed(args)
    elif args.ablate or args.trials:
        run_trials(args, exams(rules, args.positions))
    elif args.values:
        tell_values(args, made(args))
    else:
        train(args, made(args), exams(rules, args.positions))
    return 0


if __name__ == "__main__":
    sys.exit(main())
