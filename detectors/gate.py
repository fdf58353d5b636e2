"""When a finding is worth saying again.

A rule reports at every step that adds evidence. The gate lets through the first report of a loop, a rise of its level,
and the report at which the evidence has doubled since it last spoke (senpi: 3, 6, 12, 24 …). Evidence is the rule's
own count, or the number of reports where that count has hit the end of a window, so the gate never goes mute.

Several rules see one loop. At one step the strongest, most specific one speaks for all; later, a finding that rests for
the most part on steps that were reported before keeps quiet unless it is stronger or its own evidence has doubled.
Parallel calls of one turn are one occasion: after the first
word only a stronger one is heard, so that a batch sent again and again is reported once and not call by call.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from loopwatch.detectors.finding import Finding

MEMORY = 512
"""Loops remembered at a time; the ones heard of least recently are forgotten first."""

REPORTED = 512
"""Steps of reported evidence remembered at a time."""

PAUSE = 12
"""After so many steps without a report, a lower count is a new loop."""


class Gate:
    """Which findings of one agent are said aloud."""

    def __init__(self, *, rank: Callable[[str], int], insists: Callable[[str], bool]) -> None:
        """``rank`` orders rules, most specific first; ``insists`` tells which speak every time."""
        self._rank = rank
        self._insists = insists
        self._spoken: OrderedDict[tuple[str, str], list[int]] = OrderedDict()
        """Rule and key to ``[level, count when spoken, evidence since, highest count, last step]``."""
        self._reported: OrderedDict[int, int] = OrderedDict()
        """Step to the strongest level at which it was part of the evidence."""
        self._heard = 0
        """Strongest level said aloud in the turn under way; 0 for none."""

    def sift(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """The one finding of a step to say aloud, or none. All ``findings`` are about the same step."""
        worth = [finding for finding in findings if self._is_worth_it(finding)]
        chosen = min(worth, key=self._order, default=None)
        for finding in findings:
            self._note(finding, heard=chosen is not None)
        if chosen is None:
            return ()
        self._heard = max(self._heard, int(chosen.level))
        return (chosen,)

    def turn_ended(self) -> None:
        """The next findings belong to another turn."""
        self._heard = 0

    def reset(self) -> None:
        """Forget what was said: a person spoke."""
        self._spoken.clear()
        self._reported.clear()
        self._heard = 0

    def save(self) -> Any:
        """State as plain JSON."""
        spoken = [[rule, key, list(record)] for (rule, key), record in self._spoken.items()]
        return {"heard": self._heard, "reported": list(self._reported.items()), "spoken": spoken}

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._heard = state["heard"]
        self._reported = OrderedDict((step, level) for step, level in state["reported"])
        self._spoken = OrderedDict(((rule, key), list(record)) for rule, key, record in state["spoken"])

    def _order(self, finding: Finding) -> tuple[int, int, int]:
        return -finding.level, self._rank(finding.rule), -finding.count

    def _is_worth_it(self, finding: Finding) -> bool:
        if finding.final or self._insists(finding.rule):
            return True
        if finding.level <= self._heard:
            return False
        record = self._spoken.get((finding.rule, finding.key))
        if record is not None and not self._is_over(finding, record) and finding.level <= record[0]:
            highest, since = max(record[3], finding.count), record[2] + 1
            return highest >= 2 * record[1] or since >= record[1]
        known = sum(self._reported.get(step, 0) >= finding.level for step in finding.steps)
        return 2 * known < len(finding.steps)

    def _report(self, steps: Sequence[int], level: int) -> None:
        for step in steps:
            if self._reported.get(step, 0) < level:
                self._reported[step] = level
        while len(self._reported) > REPORTED:
            self._reported.popitem(last=False)

    @staticmethod
    def _is_over(finding: Finding, record: list[int]) -> bool:
        return finding.step - record[4] > PAUSE and finding.count < record[3]

    def _note(self, finding: Finding, *, heard: bool) -> None:
        """Take the finding down: what was said of one loop at this step was said for all that see it."""
        name = (finding.rule, finding.key)
        record = self._spoken.get(name)
        if record is None or self._is_over(finding, record):
            self._spoken[name] = record = [int(finding.level), finding.count, 0, finding.count, finding.step]
            if len(self._spoken) > MEMORY:
                self._spoken.popitem(last=False)
        elif heard:
            record[0] = max(record[0], int(finding.level))
            record[1] = max(record[1] + record[2] + 1, finding.count)
            record[2] = 0
        else:
            record[2] += 1
        record[3] = max(record[3], finding.count)
        record[4] = finding.step
        self._spoken.move_to_end(name)
        self._report(finding.steps, record[0])
