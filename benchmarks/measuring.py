"""Measuring things against each other: rounds that take turns, CPU time of this process, medians."""

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

type Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds for one piece of work, of every contender in every round."""

    rounds: dict[str, list[float]]

    def median(self, name: str) -> float:
        """Return a contender's median seconds."""
        return statistics.median(self.rounds[name])

    def least(self, name: str) -> float:
        """Return a contender's fewest seconds, from its fastest round."""
        return min(self.rounds[name])

    def ratio(self, name: str, base: str) -> float:
        """Return how many times as long as `base` it took: the median over rounds of their quotients.

        Both sides of a quotient ran one after the other, so what slowed the machine down for a while slowed both.
        """
        pairs = zip(self.rounds[name], self.rounds[base], strict=True)
        return statistics.median(mine / other for mine, other in pairs)

    def least_ratio(self, name: str, base: str) -> float:
        """Return the same of the rounds that were disturbed least."""
        return self.least(name) / self.least(base)


def take_turns(
    contenders: Mapping[str, Work],
    *,
    rounds: int,
    repeats: int,
    clock: Callable[[], float] = time.process_time,
) -> Timings:
    """Run every contender `repeats` times in each round, one contender after the other; the first round is not counted.

    `clock` gives seconds; by default the CPU time of this process with all its threads.
    """
    measured: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(rounds + 1):
        for name, work in contenders.items():
            gc.collect()  # no contender pays for another's garbage
            started = clock()
            for _ in range(repeats):
                work()
            seconds = (clock() - started) / repeats
            if number:
                measured[name].append(seconds)
    return Timings(measured)
