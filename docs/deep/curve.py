"""Draw errors against seconds of self-play and holes against bytes, and write tables of trials.

python docs/deep/curve.py                          errors.svg, from zero-seed*.jsonl beside it
python docs/deep/curve.py --runs A B --out X.svg   from the metrics of other runs, one a seed
python docs/deep/curve.py --trials A.json B.json   a table of what benchmarks.zero --ablate left,
                                                   and trials.svg
python docs/deep/curve.py --sizes                  sizes.svg, from sizes.jsonl beside it: lines of
                                                   benchmarks.distil, with what was begun with
"""

import argparse
import json
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from fourlab.arena.statistics import compare_shares, share_interval

HERE = Path(__file__).parent
TITLES = ("not perfect, %", "win, draw or loss given away, %")
COLOURS = ("0.2", "#0072b2", "#d55e00")  # of runs, apart for every eye
LINES = (("bare", "the bare network", "--"), ("100", "100 simulations", "-"))
PERFECT, GOOD = range(2)
BASE = "base"
ASIDE = {
    "above": ((0, 5), "center"),
    "below": ((0, -10), "center"),
    "right": ((5, -2), "left"),
    "left": ((-5, -2), "right"),
}
KILOBYTES = (20, 50, 100, 200, 500, 1000)
Run = list[dict[str, Any]]  # lines of metrics, one after the other


def errors(run: Run, exam: str, key: str, which: int) -> tuple[list[float], list[float]]:
    """Return the seconds at which a run was examined, and its errors in percent."""
    rows = [row for row in run if key in row.get("grades", {}).get(exam, {})]
    return [row["t"] for row in rows], [100 * (1 - row["grades"][exam][key][which]) for row in rows]


def shared(runs: list[Run]) -> tuple[float, float]:
    """Return the seconds between which all runs were under way."""
    return max(run[0]["t"] for run in runs), min(run[-1]["t"] for run in runs)


def band(runs: list[Run], exam: str, key: str, which: int) -> tuple[Any, Any, Any]:
    """Return seconds, and the least and largest error of the runs while all were under way.

    Runs are examined at seconds of their own: between two exams lies a straight line.
    """
    curves = [errors(run, exam, key, which) for run in runs]
    first, last = shared(runs)
    times = np.unique(np.concatenate([[first, last], *(seconds for seconds, _ in curves)]))
    times = times[(first <= times) & (times <= last)]
    rows = np.array([np.interp(times, *curve) for curve in curves])
    return times, rows.min(axis=0), rows.max(axis=0)


def draw(runs: dict[str, Run], exam: str, out: Path) -> None:
    """Draw a line a run for each way to play, and how far the runs lie apart.

    Where one goes on for much longer, the time of all has a row of its own.
    """
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "fourlab"  # the same file from the same figures
    every = list(runs.values())
    last, longest = shared(every)[1], max(run[-1]["t"] for run in every)
    ends = [last, longest] if longest > 1.5 * last else [longest]
    figure, rows = plt.subplots(
        len(ends), 2, figsize=(8, 0.5 + 2.6 * len(ends)), sharey="col", squeeze=False
    )
    for end, sides in zip(ends, rows, strict=True):
        for which, axes in enumerate(sides):
            _draw_errors(axes, runs, exam, which, end)
            axes.set_xlim(0, 1.02 * end)
            axes.set_ylim(bottom=0)
            axes.locator_params("y", nbins=6, integer=True)
            axes.spines[["top", "right"]].set_visible(False)
            axes.tick_params(labelsize=8)
    for axes, title in zip(rows[0], TITLES, strict=True):
        axes.set_title(title, loc="left", fontsize=10)
    for axes in rows[-1]:
        axes.set_xlabel("seconds of self-play on one H200", fontsize=9)
    handles = _legend(list(runs))
    figure.legend(handles=handles, loc="lower center", ncols=6, frameon=False, fontsize=8)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(out, metadata={"Date": None})


def _draw_errors(axes: Any, runs: dict[str, Run], exam: str, which: int, end: float) -> None:
    marker = "o" if end < 600 else None  # an exam each; more would hide the line
    for key, _, style in LINES:
        for run, colour in zip(runs.values(), cycle(COLOURS)):
            seconds, found = errors(run, exam, key, which)
            axes.plot(seconds, found, style, color=colour, lw=1, marker=marker, ms=2.5)
        if len(runs) > 1:
            apart = band(list(runs.values()), exam, key, which)
            axes.fill_between(*apart, color="0.2", alpha=0.15, lw=0)


def _legend(names: list[str]) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Line2D([], [], ls=style, color="0.2", label=label) for _, label, style in LINES
    ]
    if len(names) > 1:
        colours = cycle(COLOURS)
        handles += [Line2D([], [], color=next(colours), lw=3, label=name) for name in names]
        handles.append(Patch(color="0.2", alpha=0.15, lw=0, label="between them"))
    return handles


def draw_sizes(networks: Run, out: Path) -> None:
    """Draw the holes and the wrong answers of taught networks against the bytes of their files."""
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "fourlab"
    networks = sorted(networks, key=lambda one: (one["bytes"], one["refuted"] == 0))
    figure, sides = plt.subplots(1, 2, figsize=(11, 4.2))
    titles = ("ends of games that slip", "positions answered wrongly")
    for axes, title, key in zip(sides, titles, ("refuted", "taught_lost"), strict=True):
        for one in (one for one in networks if one[key] is not None):
            place = one["bytes"] / 1000, one[key]
            colour = COLOURS[1] if one["refuted"] == 0 else COLOURS[2]
            axes.plot(*place, "o", color=colour, ms=5)
            aside, ha = ASIDE[one.get("aside", "above")]
            axes.annotate(one["told"], place, aside, textcoords="offset points", fontsize=6, ha=ha)
        axes.set_xscale("log")
        axes.set_xlim(18, 1500)
        axes.set_xticks(KILOBYTES, [f"{size:,}" for size in KILOBYTES])
        axes.minorticks_off()
        axes.set_yscale("symlog", linthresh=1)
        axes.set_ylim(-0.8, 5e7)
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_xlabel("kilobytes of the file", fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8)
    figure.tight_layout()
    figure.savefig(out, metadata={"Date": None})


def table(trials: Run, exam: str) -> str:
    """Return a Markdown table of variants: means over seeds, 95% intervals, and against `base`.

    A seed's moves count as trials of their own: the intervals say nothing of other positions, and
    the spread between seeds stands beside them.
    """
    by_name: dict[str, Run] = {}
    for trial in trials:
        by_name.setdefault(trial["name"], []).append(trial)
    base = by_name.get(BASE)
    rows = ["| variant | seeds | bare | 100 simulations | seeds apart | good, less `base` |"]
    rows.append("|---|---|---|---|---|---|")
    for name, seeds in by_name.items():
        bare, searched = (
            " / ".join(_told(seeds, exam, key, which) for which in (PERFECT, GOOD))
            for key, _, _ in LINES
        )
        found = [trial["grades"][exam]["100"][GOOD] for trial in seeds]
        apart = f"{100 * (max(found) - min(found)):.1f}"
        less = ""
        if base and name != BASE:
            other = compare_shares(
                *_hits(seeds, exam, "100", GOOD), *_hits(base, exam, "100", GOOD)
            )
            points = [100 * part for part in (other.difference, other.low, other.high)]
            less = "{:+.1f} ({:+.1f} to {:+.1f})".format(*points)
        rows.append(f"| {name} | {len(seeds)} | {bare} | {searched} | {apart} | {less} |")
    return "\n".join(rows)


def draw_trials(trials: Run, exam: str, out: Path) -> None:
    """Draw the errors of variants with 95% intervals, bare and with search."""
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "fourlab"
    names = list(dict.fromkeys(trial["name"] for trial in trials))
    usual = set(next(trial["set"] for trial in trials if trial["name"] == BASE))
    told = [
        ", ".join(
            next(
                [*(part for part in one["set"] if part not in usual)] or [BASE]
                for one in trials
                if one["name"] == name
            )
        )
        for name in names
    ]
    figure, sides = plt.subplots(1, 2, figsize=(8, 0.9 + 0.32 * len(names)), sharey=True)
    for which, (axes, title) in enumerate(zip(sides, TITLES, strict=True)):
        for (key, label, _), colour, aside in zip(LINES, COLOURS[1:], (-0.12, 0.12), strict=True):
            for row, name in enumerate(names):
                hits, count = _hits(
                    [one for one in trials if one["name"] == name], exam, key, which
                )
                low, high = share_interval(count - hits, count)
                axes.plot([100 * low, 100 * high], [row + aside] * 2, color=colour, lw=1.2)
                axes.plot(
                    100 * (1 - hits / count),
                    row + aside,
                    "o",
                    color=colour,
                    ms=4,
                    label=None if row else label,
                )
        axes.set_title(title, loc="left", fontsize=10)
        axes.set_yticks(range(len(names)), told, fontsize=8)
        axes.grid(axis="x", lw=0.3)
        axes.set_xlim(left=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8)
    sides[0].invert_yaxis()
    figure.legend(
        *sides[0].get_legend_handles_labels(),
        loc="lower center",
        ncols=2,
        frameon=False,
        fontsize=8,
    )
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(out, metadata={"Date": None})


def _hits(seeds: Run, exam: str, key: str, which: int) -> tuple[float, int]:
    """Return the right moves of all seeds, and all of their moves."""
    count = seeds[0]["positions"][exam]
    return sum(round(one["grades"][exam][key][which] * count) for one in seeds), count * len(seeds)


def _told(seeds: Run, exam: str, key: str, which: int) -> str:
    hits, count = _hits(seeds, exam, key, which)
    low, high = share_interval(hits, count)
    return f"{100 * hits / count:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def main() -> None:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--runs", nargs="*", type=Path, default=sorted(HERE.glob("zero-seed*.jsonl"))
    )
    parser.add_argument("--out", type=Path)
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("--trials", nargs="*", type=Path)
    parser.add_argument("--exam", default="strong", help="the positions")
    args = parser.parse_args()
    if args.trials:
        trials = [one for file in args.trials for one in json.loads(file.read_text())]
        print(table(trials, args.exam))  # noqa: T201
        draw_trials(trials, args.exam, args.out or HERE / "trials.svg")
        return
    if args.sizes:
        lines = (HERE / "sizes.jsonl").read_text().splitlines()
        draw_sizes([json.loads(line) for line in lines], args.out or HERE / "sizes.svg")
        return
    files = [run / "metrics.jsonl" if run.is_dir() else run for run in args.runs]
    runs = {
        run.stem.replace("zero-seed", "seed "): [json.loads(line) for line in file.open()]
        for run, file in zip(args.runs, files, strict=True)
    }
    draw(runs, args.exam, args.out or HERE / "errors.svg")


if __name__ == "__main__":
    main()
