"""Calls that fail again and again."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import EVIDENCE_LIMIT, Rule, RuleSettings, knob
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
    strong: int = knob(
        5, title="Strong", minimum=2, maximum=50, unit="failures", help="Failures before a block is offered (Hermes)."
    )


class FailingCall(Rule):
    """The same call fails again and again.

    Sees: failures of one canonical call, whatever comes between them.
    Source: A1, A2; Hermes 0.19 (warn 2, block 5).
    Limits: a call that fails for another reason each time counts as well.
    Quiet: a success of that call ends its count; transient failures neither count nor reset.
    """

    id = "failing_call"
    title = "Same call keeps failing"
    Settings = FailingCallSettings
    settings: FailingCallSettings

    def __init__(self, settings: FailingCallSettings) -> None:
        super().__init__(settings)
        self._failures: OrderedDict[str, list[int]] = OrderedDict()
        """Canonical call to ``[count, last turn, *newest steps]``."""

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:  # noqa: ARG002
        """Count a failure of the call, or forget the call when it succeeds."""
        if not facts.failed:
            if self._failures and facts.result:
                self._failures.pop(facts.call, None)
            return ()
        if facts.transient:
            return ()
        entry = self._failures.get(facts.call)
        if entry is None:
            self._failures[facts.call] = [1, facts.turn, facts.index]
            if len(self._failures) > MEMORY:
                self._failures.popitem(last=False)
            return ()
        if entry[1] == facts.turn:
            return ()
        entry[0] += 1
        entry[1] = facts.turn
        entry.append(facts.index)
        if len(entry) > EVIDENCE_LIMIT + 2:
            del entry[2]
        count, settings = entry[0], self.settings
        if count < settings.warn:
            return ()
        strong = count >= settings.strong
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=entry[2:],
                count=count,
                threshold=settings.strong if strong else settings.warn,
                message=f"{what(facts)} failed {times(count)} with equal arguments, last: {quoted(facts.error_text)}.",
                key=facts.call,
                resets_when="the call succeeds",
            ),
        )

    def reset(self) -> None:
        """Forget all failures."""
        self._failures.clear()

    def save(self) -> Any:
        """``[[call, entry], …]``, oldest first."""
        return [[call, list(entry)] for call, entry in self._failures.items()]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._failures = OrderedDict((call, list(entry)) for call, entry in state)
