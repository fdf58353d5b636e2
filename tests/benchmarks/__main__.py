"""Measures what the design promises: ``python -m tests.benchmarks [part of a name …]``.

Every figure is a line ``BENCH <name> <value> <unit> <goal> ok|short``.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from tests.benchmarks import long_run, start_up, suite_cost, whole_path
from tests.benchmarks.figure import seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.benchmarks.figure import Figure

GROUPS: Mapping[str, Callable[[], Iterator[Figure]]] = {
    "start": start_up.figures,
    "path": whole_path.figures,
    "suite": suite_cost.figures,
    "long": long_run.figures,
}


def main(wanted: list[str]) -> None:
    """Measure all groups, or those that are named."""
    for name in wanted:
        if name not in GROUPS:
            raise SystemExit(f"no group of figures {name!r}; there are: {', '.join(GROUPS)}")
    print(_machine(), file=sys.stderr)  # noqa: T201
    for name in wanted or GROUPS:
        for figure in GROUPS[name]():
            print(figure, flush=True)  # noqa: T201 - printing is what it is for


def _machine() -> str:
    """How fast the machine is just now, to judge the figures by."""
    took = min(seconds(lambda: sum(range(1_000_000))) for _ in range(5))
    adding = f"adding up a million numbers takes {took * 1e3:.1f} ms"
    return f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {adding}"


if __name__ == "__main__":
    main(sys.argv[1:])
