"""Counters of other systems, exactly as published: nothing normalised, calls of one turn taken one after another."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import EVIDENCE_LIMIT, Rule, RuleSettings, knob
from loopwatch.detectors.rules.rows import Row, begin, grow
from loopwatch.detectors.rules.wording import quoted, times, what

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

MEMORY = 1024
"""Different fingerprints remembered at a time; the oldest are forgotten first."""


class FailureCounterSettings(RuleSettings):
    """Threshold of ``failure_counter``."""

    warn: int = knob(3, title="Warn", minimum=1, maximum=20, unit="failures", help="Failures of one fingerprint (A2).")


class FailureCounter(Rule):
    """Failures of one raw fingerprint, cleared by any success (A1, A2).

    Sees: failures of one tool with the very same argument text.
    Source: A1, A2: warns at 3 and, with ``insist``, again at 4, 5, …
    Limits: one changed byte of the arguments is another call; one success of anything hides everything.
    Quiet: any successful call.
    """

    id = "failure_counter"
    title = "Same arguments failed"
    Settings = FailureCounterSettings
    canonical = False
    settings: FailureCounterSettings

    def __init__(self, settings: FailureCounterSettings) -> None:
        super().__init__(settings)
        self._failures: OrderedDict[str, list[int]] = OrderedDict()
        """Fingerprint to ``[count, *newest steps]``."""

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Count a failure, or forget all of them on a success."""
        if step.call is None or step.result is None:
            return ()
        if not facts.failed:
            if self._failures:
                self._failures.clear()
            return ()
        entry = self._failures.setdefault(facts.raw_call, [0])
        if len(self._failures) > MEMORY:
            self._failures.popitem(last=False)
        entry[0] += 1
        entry.append(facts.index)
        if len(entry) > EVIDENCE_LIMIT + 1:
            del entry[1]
        if entry[0] < self.settings.warn:
            return ()
        return (
            self.found(
                facts,
                level=Level.WARN,
                steps=entry[1:],
                count=entry[0],
                threshold=self.settings.warn,
                message=f"{what(facts)} was called {times(entry[0])} with identical arguments and failed each time, "
                f"last: {quoted(facts.error_text)}.",
                key=facts.raw_call,
                resets_when="any call succeeds",
            ),
        )

    def reset(self) -> None:
        """Forget all failures."""
        self._failures.clear()

    def save(self) -> Any:
        """``[[fingerprint, entry], …]``, oldest first."""
        return [[call, list(entry)] for call, entry in self._failures.items()]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._failures = OrderedDict((call, list(entry)) for call, entry in state)


class CallRowSettings(RuleSettings):
    """Thresholds of ``call_row``."""

    warn: int = knob(3, title="Warn", minimum=2, maximum=50, unit="calls", help="Equal calls in a row (Roo, Cline: 3).")
    strong: int = knob(5, title="Strong", minimum=2, maximum=100, unit="calls", help="Before the next one is refused.")


class CallRow(Rule):
    """Equal calls in a row, results not looked at.

    Sees: calls of one tool with the very same argument text and no other call between.
    Source: Gemini CLI and Qwen Code (5), opencode, Roo Code and Kimi CLI (3), Cline (3 and 5).
    Limits: an honest poll is the same to this rule; a single other call between hides the row.
    Quiet: any other call.
    """

    id = "call_row"
    title = "Equal calls in a row"
    Settings = CallRowSettings
    canonical = False
    settings: CallRowSettings

    def __init__(self, settings: CallRowSettings) -> None:
        super().__init__(settings)
        self._call = ""
        self._row: Row = []

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:  # noqa: ARG002
        """Continue the row, or begin one."""
        if not facts.raw_call:
            return ()
        if facts.raw_call != self._call:
            self._call, self._row = facts.raw_call, begin(facts)
            return ()
        count, settings = grow(self._row, facts), self.settings
        if count < min(settings.warn, settings.strong):
            return ()
        strong = count >= settings.strong
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=self._row[2:],
                count=count,
                threshold=settings.strong if strong else settings.warn,
                message=f"{what(facts)} was called {times(count)} in a row with identical arguments.",
                key=facts.raw_call,
                resets_when="another call comes",
            ),
        )

    def reset(self) -> None:
        """Forget the row."""
        self._call, self._row = "", []

    def save(self) -> Any:
        """``[call, row]``."""
        return [self._call, list(self._row)]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._call, row = state
        self._row = list(row)


class ErrorStreakSettings(RuleSettings):
    """Threshold of ``error_streak``."""

    limit: int = knob(
        3, title="Stop at", minimum=2, maximum=50, unit="errors", help="Tool errors in a row (C3: 3; D6: 10)."
    )


class ErrorStreak(Rule):
    """Tool errors in a row, whatever failed (C3, D6).

    Sees: failing calls without one success between them.
    Source: C3 stops after 3, D6 ends the turn after 10.
    Limits: knows nothing of what the errors say; honest search through failing commands looks the same.
    Quiet: any successful call.
    """

    id = "error_streak"
    title = "Errors in a row"
    Settings = ErrorStreakSettings
    canonical = False
    settings: ErrorStreakSettings

    def __init__(self, settings: ErrorStreakSettings) -> None:
        super().__init__(settings)
        self._count = 0
        self._steps: list[int] = []

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Count an error, or start afresh on a success."""
        if step.call is None or step.result is None:
            return ()
        if not facts.failed:
            if self._count:
                self.reset()
            return ()
        self._count += 1
        self._steps.append(facts.index)
        del self._steps[:-EVIDENCE_LIMIT]
        if self._count < self.settings.limit:
            return ()
        return (
            self.found(
                facts,
                level=Level.CRITICAL,
                steps=self._steps,
                count=self._count,
                threshold=self.settings.limit,
                message=f"{self._count} tool calls in a row failed, last {what(facts)}: {quoted(facts.error_text)}.",
                key="run",
                resets_when="any call succeeds",
            ),
        )

    def reset(self) -> None:
        """Start afresh."""
        self._count = 0
        self._steps = []

    def save(self) -> Any:
        """``[count, steps]``."""
        return [self._count, list(self._steps)]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._count, steps = state
        self._steps = list(steps)
