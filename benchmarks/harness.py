"""Side by side: contestants take turns, several times, so that a noisy machine is noisy to all."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Contestant:
    """Something that does `amount` units of work in one call, and is as fast as it is."""

    name: str
    run: Callable[[], object]
    amount: float


@dataclass
class Result:
    """Units of work a second, over all repetitions."""

    name: str
    rates: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.rates)

    @property
    def spread(self) -> float:
        """Half of the range, as a share of the median."""
        return (max(self.rates) - min(self.rates)) / 2 / self.median


def measure(contestants: list[Contestant], repeats: int = 7) -> list[Result]:
    """Let contestants take turns `repeats` times, after one untimed round each."""
    for contestant in contestants:
        contestant.run()
    rates: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
    for _ in range(repeats):
        for contestant in contestants:
            began = time.perf_counter()
            contestant.run()
            rates[contestant.name].append(contestant.amount / (time.perf_counter() - began))
    return [Result(name, rates[name]) for name in rates]


def report(title: str, unit: str, results: list[Result]) -> None:
    """Print a table; the last column is each contestant's rate over the last one's."""
    print(f"\n{title}\n")
    print(f"| | {unit} | spread | ratio to {results[-1].name} |\n|---|---|---|---|")
    for result in results:
        ratio = result.median / results[-1].median
        print(f"| {result.name} | {result.median:,.0f} | ±{result.spread:.0%} | {ratio:.2f} |")
