"""A measured figure and its goal."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median, quantiles
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of ``make bench``; smaller is better."""

    name: str
    value: float
    unit: str
    goal: float
    """The value may be as large as this."""

    def __str__(self) -> str:
        """``BENCH <name> <value> <unit> <goal> ok|short``."""
        verdict = "ok" if self.value <= self.goal else "short"
        return f"BENCH {self.name} {self.value:.4g} {self.unit} <={self.goal:g} {verdict}"


def seconds(work: Callable[[], object]) -> float:
    """How long the work takes once."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def median_of(values: Iterable[float]) -> float:
    """The middle value."""
    return median(values)


def percentile(values: list[float], percent: int) -> float:
    """The value that so many percent stay below."""
    return quantiles(values, n=100)[percent - 1]
