"""What a run of 100,000 steps does to the cost of a step and to memory; played in a process of its own."""

from __future__ import annotations

import gc
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.figure import Figure, median_of
from tests.benchmarks.suite_cost import costs, suite
from tests.benchmarks.workload import steps

if TYPE_CHECKING:
    from collections.abc import Iterator

LENGTH = 100_000
WARM = 100
"""Steps after which everything that is loaded once is there."""
WINDOW = 1_000
MEGABYTE = 1_000_000


def figures() -> Iterator[Figure]:
    """Step 100,000 against step 1,000, and the memory taken on the way."""
    here = Path(__file__).resolve().parents[2]
    played = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.long_run"], cwd=here, check=True, capture_output=True, text=True
    )
    measured = json.loads(played.stdout)
    yield Figure("suite.step_100000_to_step_1000", measured["late"] / measured["early"], "x", 1.2)
    yield Figure("suite.state_after_100000_steps", measured["grown"] / MEGABYTE, "MB", 30)


def play() -> dict[str, float]:
    """Seconds of a step early and late, and bytes the process has grown by."""
    judge = suite()
    run = steps(LENGTH + WINDOW // 2, size=1_000)
    costs(judge, (next(run) for _ in range(WARM)))
    before = _resident()
    early = costs(judge, (next(run) for _ in range(WARM, 1_000 + WINDOW // 2)))
    late = costs(judge, run)
    gc.collect()
    return {"early": median_of(early[-WINDOW:]), "late": median_of(late[-WINDOW:]), "grown": _resident() - before}


def _resident() -> int:
    """Bytes of memory this process has; where the system tells no more, the most it ever had."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return pages * resource.getpagesize()


if __name__ == "__main__":
    print(json.dumps(play()))  # noqa: T201 - the parent process reads it
