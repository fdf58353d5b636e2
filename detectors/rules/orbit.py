"""Circling without a path: nearly nothing of what comes back is new."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import EVIDENCE_LIMIT, Rule, RuleSettings, knob
from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

SKIPPED = Effect.POLL | Effect.TALK | Effect.PLAN


class OrbitSettings(RuleSettings):
    """Thresholds of ``orbit``."""

    warn: int = knob(
        6,
        title="Warn",
        minimum=3,
        maximum=60,
        unit="calls",
        help="Old results on balance before a reminder (egg#3595).",
    )
    strong: int = knob(
        14,
        title="Strong",
        minimum=4,
        maximum=100,
        unit="calls",
        help="Old results on balance before a block is offered.",
    )
    forgive: int = knob(
        1, title="Forgive", minimum=1, maximum=10, unit="calls", help="Taken off the balance by each call with news."
    )


class Orbit(Rule):
    """Calls that bring back what is known, more than calls that bring something new.

    Sees: a balance: plus one for a call that was made before with the same result and nothing changed since, minus
    ``forgive`` for one with something new; never below nothing.
    Source: share of new calls over a window (egg#3595, openclaw#64426); the balance needs no window.
    Limits: says that it circles, not how; says nothing where half of the calls are new.
    Quiet: a real change, an obeyed reminder, a compaction; polls, plans and messages are passed over.
    """

    id = "orbit"
    title = "Circling over known ground"
    Settings = OrbitSettings
    settings: OrbitSettings

    def __init__(self, settings: OrbitSettings) -> None:
        super().__init__(settings)
        self._since = 0
        """What was called before this step is not known any more."""
        self._balance = 0
        self._news = 0
        """Calls of the turn under way that brought something new; taken off when it ends, whatever their order."""
        self._era = 0
        self._steps: deque[int] = deque(maxlen=EVIDENCE_LIMIT)

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Polls, plans, messages and transient failures are passed over."""
        return bool(facts.result) and not facts.transient and not facts.effect.has(SKIPPED)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Put the call on the balance."""
        if step.compacted:
            self.reset()
            self._since = facts.index
        if not facts.call or not self.concerns(facts):
            return ()
        era = self.past.era
        if era != self._era:
            self._era = era
            self._balance = 0
            self._steps.clear()
        earlier = self.past.earlier
        if earlier is None or earlier.result != facts.result or earlier.era != era or earlier.step < self._since:
            self._news += 1
            return ()
        if earlier.turn == facts.turn:
            return ()
        self._balance += 1
        self._steps.append(facts.index)
        settings, balance = self.settings, self._balance
        if balance < settings.warn:
            return ()
        strong = balance >= settings.strong
        steps = [index for index in self._steps if index > facts.index - 4 * balance]
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=steps,
                count=balance,
                threshold=settings.strong if strong else settings.warn,
                message=f"Of the last {facts.index - steps[0] + 1} steps {len(steps)} returned what was already known, "
                "and nothing was changed.",
                key="run",
                resets_when="calls bring something new or something is really changed",
            ),
        )

    def turn_ended(self) -> None:
        """Take the turn's news off the balance."""
        if self._news:
            if self._balance:
                self._balance = max(0, self._balance - self._news * self.settings.forgive)
            self._news = 0

    def reset(self) -> None:
        """Know nothing."""
        self._since = 0
        self._balance = self._news = 0
        self._steps.clear()

    def save(self) -> Any:
        """State as plain JSON."""
        return {
            "since": self._since,
            "balance": self._balance,
            "news": self._news,
            "era": self._era,
            "steps": list(self._steps),
        }

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._since = state["since"]
        self._balance, self._news, self._era = state["balance"], state["news"], state["era"]
        self._steps = deque(state["steps"], maxlen=EVIDENCE_LIMIT)
