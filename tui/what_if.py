"""What other settings would have made of the steps already seen: the suite is pure, so it is simply run again."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from loopwatch.detectors.finding import Level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopwatch.detectors.preset import Preset
    from loopwatch.detectors.step import Step

STEPS_AT_MOST = 5_000
"""Newest steps that are looked at; more would take longer than a person waits."""


def alarms(preset: Preset, steps: Sequence[Step], *, workspace: str) -> Counter[str]:
    """How often each rule would have proposed something (``warn`` and above) over ``steps``."""
    from loopwatch.detectors.suite import Suite

    suite = Suite(preset, workspace=workspace)
    counts: Counter[str] = Counter()
    for step in steps:
        for finding in suite.feed(step):
            counts[finding.rule] += finding.level >= Level.WARN
    return counts
