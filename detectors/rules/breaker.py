"""The last fuse: calls that bring nothing, all together."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Any

from pydantic import Field

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import EVIDENCE_LIMIT, Rule, RuleSettings, knob
from loopwatch.detectors.rules.rows import put

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

MEMORY = 1024
"""Different calls whose last result is remembered; the oldest are forgotten first."""


class BreakerSettings(RuleSettings):
    """Threshold of ``breaker``."""

    limit: int = knob(
        30, title="Stop at", minimum=5, maximum=500, unit="calls", help="No-progress calls that end the run (B5)."
    )
    forgive: int = knob(
        0, title="Forgive", minimum=0, maximum=10, unit="calls", help="Taken off the count by each call with news."
    )
    exact: bool = Field(default=False, title="Exact", description="Compare raw arguments and results (B1).")


class Breaker(Rule):
    """Calls without progress, whichever they are, added up; at the limit the run is stopped.

    Sees: a call that returns what it returned the last time it was made (B1), counted over all calls.
    Source: B5 (30, all in all); OpenClaw's global circuit breaker (30).
    Limits: what counts as the same result is only as good as the masks.
    Quiet: with ``forgive`` each call that brings something new takes points off, so a long honest run never gets there.
    """

    id = "breaker"
    title = "Global breaker"
    Settings = BreakerSettings
    settings: BreakerSettings

    def __init__(self, settings: BreakerSettings) -> None:
        super().__init__(settings)
        self.count = 0
        """Calls without progress so far."""
        self._results: OrderedDict[str, str] = OrderedDict()
        """Raw call to its last raw result, where they are compared as they came."""
        self._steps: deque[int] = deque(maxlen=EVIDENCE_LIMIT)
        self._turn: tuple[int, set[str]] = (-1, set())

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Calls that were answered."""
        return bool(facts.result)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:  # noqa: ARG002
        """Count the call if it brought what it brought before."""
        if not facts.call or not facts.result:
            return ()
        call = facts.raw_call if self.settings.exact else facts.call
        if not self._is_known(facts):
            if self.count and self.settings.forgive:
                self.count = max(0, self.count - self.settings.forgive)
            return ()
        if self._turn[0] != facts.turn:
            self._turn = (facts.turn, set())
        if call in self._turn[1]:
            return ()
        self._turn[1].add(call)
        self.count += 1
        self._steps.append(facts.index)
        if self.count < self.settings.limit:
            return ()
        return (
            self.found(
                facts,
                level=Level.CRITICAL,
                steps=self._steps,
                count=self.count,
                threshold=self.settings.limit,
                message=f"{self.count} calls returned exactly what they had returned before; the breaker is set to "
                f"{self.settings.limit}.",
                key="run",
                resets_when="a person speaks",
                final=self.count == self.settings.limit,
            ),
        )

    def _is_known(self, facts: Facts) -> bool:
        """Whether the call brought what it brought the last time."""
        if not self.settings.exact:
            earlier = self.past.earlier
            return earlier is not None and earlier.result == facts.result
        known = self._results.get(facts.raw_call)
        if known == facts.raw_result:
            return True
        put(self._results, facts.raw_call, facts.raw_result, MEMORY)
        return False

    def reset(self) -> None:
        """Start counting afresh."""
        self.count = 0
        self._results.clear()
        self._steps.clear()

    def save(self) -> Any:
        """State as plain JSON."""
        return {
            "count": self.count,
            "results": list(self._results.items()),
            "steps": list(self._steps),
            "turn": [self._turn[0], sorted(self._turn[1])],
        }

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self.count = state["count"]
        self._results = OrderedDict((call, result) for call, result in state["results"])
        self._steps = deque(state["steps"], maxlen=EVIDENCE_LIMIT)
        self._turn = (state["turn"][0], set(state["turn"][1]))
