"""What judging one step costs."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from loopwatch.detectors.preset import bundled
from loopwatch.detectors.step import Call, Result, Step
from loopwatch.detectors.suite import Suite
from tests.benchmarks.figure import Figure, median_of, percentile
from tests.benchmarks.workload import steps, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MICROSECOND = 1e-6
MILLISECOND = 1e-3
MEGABYTE = 1_000_000


def figures() -> Iterator[Figure]:
    """The suite alone, preset ``balanced``. Seconds are the thread's own, so that a busy machine changes little."""
    cost = costs(suite(), steps(10_000, size=1_000))
    yield Figure("suite.step_1kB.median", median_of(cost) / MICROSECOND, "us", 60)
    yield Figure("suite.step_1kB.p99", percentile(cost, 99) / MICROSECOND, "us", 500)
    cost = costs(suite(), steps(3_000, size=2_000))
    yield Figure("suite.step_2kB.median", median_of(cost) / MICROSECOND, "us", 100)
    yield Figure("suite.step_1MB.median", median_of(costs(suite(), _long_results(25))) / MILLISECOND, "ms", 2)


def suite() -> Suite:
    """A fresh one."""
    return Suite(bundled("balanced"), workspace="/home/me/shop")


def costs(judge: Suite, run: Iterable[Step]) -> list[float]:
    """Seconds of each step."""
    cost: list[float] = []
    for step in run:
        begin = time.thread_time()
        judge.observe(step)
        cost.append(time.thread_time() - begin)
    return cost


def _long_results(count: int) -> Iterator[Step]:
    chance = random.Random(3)
    for index in range(count):
        result = Result(text=text(MEGABYTE, chance))
        yield Step(
            index=index, call=Call("run_command", {"command": f"cat big-{index}.log"}), result=result, turn=index
        )
