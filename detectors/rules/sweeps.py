"""Reading through ranges that were read already."""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.memory import keep, note
from loopwatch.detectors.rules.wording import quoted
from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

TARGETS = 64
"""Files whose ranges are remembered at a time."""
PARTS = 256
"""Separate ranges remembered of one file; neighbours are joined beyond that."""
WINDOW = 10
"""Newest ranged reads of a file that are weighed."""
LONGEST = 100_000
"""An open-ended range counts as so many lines."""
DIFFERENT = 3
"""Different ranges that make it a sweep; fewer are repeats and left to the rules about those."""
CHANGES = Effect.WRITE | Effect.VERIFY

Span = tuple[int, int]


class SweepSettings(RuleSettings):
    """Thresholds of ``sweep``."""

    warn: int = knob(
        6,
        title="Warn",
        minimum=2,
        maximum=50,
        unit="reads",
        help="Reads of ranges known already before a reminder (stella#4034).",
    )
    strong: int = knob(
        16, title="Strong", minimum=3, maximum=200, unit="reads", help="Reads before a last chance is offered."
    )
    share: int = knob(
        50, title="Read before", minimum=20, maximum=100, step=5, unit="%", help="Share of lines that were read before."
    )


@dataclass(slots=True)
class _Coverage:
    """What has been read of one file."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    fresh: list[Span] = field(default_factory=list)
    """Ranges of the present turn, not yet counted as known."""
    window: list[list[int]] = field(default_factory=list)
    """``[first, last, lines known before]`` of the newest reads."""
    steps: list[int] = field(default_factory=list)
    count: int = 0

    def known(self, span: Span) -> int:
        """How many lines of the range were read before this turn."""
        first, last = span
        at = max(bisect_left(self.starts, first) - 1, 0)
        lines = 0
        while at < len(self.starts) and self.starts[at] <= last:
            lines += max(0, min(last, self.ends[at]) - max(first, self.starts[at]) + 1)
            at += 1
        return lines

    def settle(self) -> None:
        """Count the turn's ranges as known."""
        for first, last in self.fresh:
            low = bisect_left(self.starts, first)
            if low and self.ends[low - 1] >= first - 1:
                low -= 1
            high = low
            while high < len(self.starts) and self.starts[high] <= last + 1:
                first, last = min(first, self.starts[high]), max(last, self.ends[high])  # noqa: PLW2901 - the joined range
                high += 1
            self.starts[low:high], self.ends[low:high] = [first], [last]
        self.fresh.clear()
        if len(self.starts) > PARTS:
            del self.starts[1], self.ends[0]


class Sweep(Rule):
    """A file is paged through although its pages were read before.

    Sees: reads of line or byte ranges (``offset``, ``sed -n a,bp``, ``head``, ``tail``), kept as a map of what is known
    of each file, so that windows of another size or offset are recognised.
    Source: stella#4034, #4042 (double sweep, 18.8 million tokens); everruns PR#2295 (alternating ranges).
    Limits: byte and line ranges of one file are not told apart; a whole read counts for nothing, since it may have
    been cut.
    Quiet: the first pass; ranges less than half known; one or two ranges read over and over (other rules see those); a
    file forgets its map when it is written or the conversation is compacted, and counts start anew after any change
    or test.
    """

    id = "sweep"
    title = "Reads the same ranges again"
    Settings = SweepSettings
    settings: SweepSettings

    def __init__(self, settings: SweepSettings) -> None:
        super().__init__(settings)
        self._files: OrderedDict[str, _Coverage] = OrderedDict()
        self._unsettled: set[str] = set()
        self._written: set[str] = set()
        self._changed = False

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Reads, and what may change a file."""
        return facts.effect.has(CHANGES) or facts.effect.has(Effect.READ)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Lay a ranged read over the map of its file."""
        if step.compacted:
            self.reset()
        if facts.effect.has(CHANGES) and not facts.failed:
            self._changed = True
            if facts.effect.has(Effect.WRITE):
                self._written.update(edit.path for edit in facts.edits)
                self._written.add(facts.target)
        span = facts.span
        if span is None or not facts.target or facts.failed or not facts.result or not facts.effect.has(Effect.READ):
            return ()
        first, last = span[0], min(span[1], span[0] + LONGEST)
        if last < first:
            return ()
        file = self._files.get(facts.target) or _Coverage()
        keep(self._files, facts.target, file, TARGETS)
        known = file.known((first, last))
        if len(file.fresh) < PARTS:
            file.fresh.append((first, last))
        self._unsettled.add(facts.target)
        file.window.append([first, last, known])
        del file.window[:-WINDOW]
        share = self.settings.share / 100
        if known < share * (last - first + 1):
            return ()
        file.count += 1
        note(file.steps, facts.index)
        return self._judge(facts, file, share)

    def _judge(self, facts: Facts, file: _Coverage, share: float) -> Iterable[Finding]:
        if file.count < self.settings.warn:
            return ()
        lines = sum(last - first + 1 for first, last, _ in file.window)
        known = sum(entry[2] for entry in file.window)
        different = {(first, last) for first, last, lines_known in file.window if lines_known}
        if known < share * lines or len(different) < DIFFERENT:
            return ()
        strong = file.count >= self.settings.strong
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=file.steps,
                count=file.count,
                threshold=self.settings.strong if strong else self.settings.warn,
                message=(
                    f"{file.count} reads of {quoted(facts.target, 60)} went over ranges read before: "
                    f"{100 * known // lines} % of the newest {len(file.window)} reads was known."
                ),
                key=facts.target,
                resets_when="the file is written, or anything is changed or tested",
                equal_because=("ranges overlap",),
            ),
        )

    def turn_ended(self) -> None:
        """Count what the turn read as known; let go of what it wrote."""
        if self._unsettled:
            for target in self._unsettled:
                file = self._files.get(target)
                if file is not None:
                    file.settle()
            self._unsettled.clear()
        if self._changed:
            for target in self._written:
                self._files.pop(target, None)
            for file in self._files.values():
                file.window.clear()
                file.steps.clear()
                file.count = 0
            self._written.clear()
            self._changed = False

    def reset(self) -> None:
        """Forget all maps."""
        self._files.clear()
        self._unsettled.clear()
        self._written.clear()
        self._changed = False

    def save(self) -> Any:
        """Maps by file, and what the present turn has done so far."""
        return {
            "files": [
                [
                    target,
                    f.starts[:],
                    f.ends[:],
                    list(map(list, f.fresh)),
                    [w[:] for w in f.window],
                    f.steps[:],
                    f.count,
                ]
                for target, f in self._files.items()
            ],
            "unsettled": sorted(self._unsettled),
            "written": sorted(self._written),
            "changed": self._changed,
        }

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._files = OrderedDict(
            (
                target,
                _Coverage(
                    list(starts), list(ends), [(a, b) for a, b in fresh], [list(w) for w in window], list(steps), count
                ),
            )
            for target, starts, ends, fresh, window, steps, count in state["files"]
        )
        self._unsettled = set(state["unsettled"])
        self._written = set(state["written"])
        self._changed = state["changed"]
