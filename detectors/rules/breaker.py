"""The last fuse: calls that bring nothing, all together."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Any

from pydantic import Field

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import EVIDENCE_LIMIT, Rule, RuleSettings, knob

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
        self._steps: deque[int] = deque(maxlen=EVIDENCE_LIMIT)
        self._turn: tuple[int, set[str]] = (-1, set())

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:  # noqa: ARG002
        """Count the call if it brought what it brought before."""
        call, result = (facts.raw_call, facts.raw_result) if self.settings.exact else (facts.call, facts.result)
        if not call or not result:
            return ()
        known = self._results.get(call)
        if known != result:
            self._results[call] = result
            if known is None and len(self._results) > MEMORY:
                self._results.popitem(last=False)
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
