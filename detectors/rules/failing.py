"""Calls that fail again and again."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from pydantic import Field

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.rows import Row, begin, grow, put
from loopwatch.detectors.rules.wording import quoted, times, what

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

MEMORY = 512
"""Different calls remembered at a time; the oldest are forgotten first."""


class FailingCallSettings(RuleSettings):
    """Thresholds of ``failing_call``."""

    warn: int = knob(
        3, title="Warn", minimum=2, maximum=20, unit="failures", help="Failures of one call before a reminder (A2)."
    )
    transient: int = knob(
        6,
        title="Warn: transient",
        minimum=2,
        maximum=50,
        unit="failures",
        help="The same where waiting may mend it (429, 5xx, time-out, lock): it has persisted then.",
    )
    strong: int = knob(
        5, title="Strong", minimum=2, maximum=50, unit="failures", help="Failures before a block is offered (Hermes)."
    )
    through_changes: bool = Field(
        default=False, title="Through changes", description="A real change between does not end the count."
    )


class FailingCall(Rule):
    """The same call fails again and again.

    Sees: failures of one canonical call, whatever comes between them.
    Source: A1, A2; Hermes 0.19 (warn 2, block 5).
    Limits: a call that fails for another reason each time counts as well.
    Quiet: a success of that call or a real change ends its count; so does a reminder after which something else was
    tried; transient failures neither count nor reset until they have persisted.
    """

    id = "failing_call"
    title = "Same call keeps failing"
    Settings = FailingCallSettings
    settings: FailingCallSettings

    def __init__(self, settings: FailingCallSettings) -> None:
        super().__init__(settings)
        self._failures: OrderedDict[str, tuple[Row, int]] = OrderedDict()
        """Canonical call to its row and the era it belongs to."""
        self._fine: set[str] = set()
        self._waiting: OrderedDict[str, Row] = OrderedDict()
        """The same of transient failures, which count apart and over longer."""

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Count a failure of the call, or note that it succeeded."""
        if not facts.failed:
            if step.result is not None and (facts.call in self._failures or facts.call in self._waiting):
                self._fine.add(facts.call)
            return ()
        if facts.transient:
            return self._persisting(facts)
        entry = self._failures.get(facts.call)
        era = 0 if self.settings.through_changes else self.past.era
        if entry is None or entry[1] != era:
            put(self._failures, facts.call, (begin(facts), era), MEMORY)
            return ()
        row = entry[0]
        if row[0] == facts.turn:
            return ()
        count, settings = grow(row, facts), self.settings
        if count < settings.warn:
            return ()
        strong = count >= settings.strong
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=row[2:],
                count=count,
                threshold=settings.strong if strong else settings.warn,
                message=f"{what(facts)} failed {times(count)} with equal arguments, last: {quoted(facts.error_text)}.",
                key=facts.call,
                resets_when="the call succeeds or something is really changed",
            ),
        )

    def _persisting(self, facts: Facts) -> Iterable[Finding]:
        row = self._waiting.get(facts.call)
        if row is None:
            put(self._waiting, facts.call, begin(facts), MEMORY)
            return ()
        if row[0] == facts.turn:
            return ()
        count = grow(row, facts)
        if count < self.settings.transient:
            return ()
        return (
            self.found(
                facts,
                level=Level.WARN,
                steps=row[2:],
                count=count,
                threshold=self.settings.transient,
                message=f"{what(facts)} failed {times(count)}, so it does not seem to pass by itself, last: "
                f"{quoted(facts.error_text)}.",
                key=facts.call,
                resets_when="the call succeeds",
            ),
        )

    def turn_ended(self) -> None:
        """A success ends the count, wherever in the turn it stood."""
        if self._fine:
            for call in self._fine:
                self._failures.pop(call, None)
                self._waiting.pop(call, None)
            self._fine.clear()

    def reset(self) -> None:
        """Forget all failures."""
        self._failures.clear()
        self._waiting.clear()
        self._fine.clear()

    def save(self) -> Any:
        """State as plain JSON."""
        return {
            "failures": [[call, list(row), era] for call, (row, era) in self._failures.items()],
            "waiting": [[call, list(row)] for call, row in self._waiting.items()],
            "fine": sorted(self._fine),
        }

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._failures = OrderedDict((call, (list(row), era)) for call, row, era in state["failures"])
        self._waiting = OrderedDict((call, list(row)) for call, row in state["waiting"])
        self._fine = set(state["fine"])
