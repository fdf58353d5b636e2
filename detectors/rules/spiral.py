"""Looking around without end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.memory import note
from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

RESULTS = 1_024
"""Results remembered, to know a new one."""
ALL = 100
ACTING = Effect.WRITE | Effect.EXECUTE | Effect.VERIFY | Effect.DELEGATE | Effect.ASK


class SpiralSettings(RuleSettings):
    """Thresholds of ``spiral``."""

    warn: int = knob(
        14,
        title="Warn",
        minimum=3,
        maximum=100,
        unit="calls",
        help="Read-only calls in a row (A14: 10; kimchi: 5 and 8).",
    )
    new: int = knob(
        30,
        title="New at most",
        minimum=0,
        maximum=100,
        step=5,
        unit="%",
        help="Speak only if so few of them showed anything new; 100 counts calls alone (A14).",
    )
    opening: int = knob(
        0,
        title="Opening",
        minimum=0,
        maximum=200,
        unit="calls",
        help="Calls before the first change or run that are a survey and do not count.",
    )


class Spiral(Rule):
    """Nothing but reads, listings and searches, and little of it new.

    Sees: read-only calls in a row, shell commands that only read among them; of the newest before this turn, how many
    brought a result not seen before that is no error. Empty answers count neither way: a list of names that are
    checked one by one brings nothing else, and searches in vain are ``hunt``'s.
    Source: A14; kimchi; Foreman; OpenClaw#64426 (27 reads over 7 files).
    Limits: a soft signal: it warns and never does more. prime-radiant-inc/evener removed a bare count as harmful and
    stella#3292 found no cut-off that separates, which is why novelty is asked for.
    Quiet: any change, run, test, delegation or question starts the count anew; reading new places is never a spiral
    while ``new`` is below 100; polls are left to ``poll``.
    """

    id = "spiral"
    title = "Looks around without end"
    Settings = SpiralSettings
    settings: SpiralSettings

    def __init__(self, settings: SpiralSettings) -> None:
        super().__init__(settings)
        self._calls = 0
        self._acted = False
        self._acts = False
        self._steps: list[int] = []
        self._new: list[bool] = []
        self._now: list[bool] = []
        """The same of the turn under way: weighed when it has ended, since its calls may stand in any order."""
        self._results: dict[str, None] = {}

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Looks, and actions that end a row of them."""
        return facts.effect.has(ACTING) or facts.effect.has(Effect.READ)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:  # noqa: ARG002
        """Count a read-only call, or take an action as the end of the row."""
        if facts.effect.has(ACTING):
            self._acts = True
            return ()
        if not facts.effect.has(Effect.READ) or facts.effect.has(Effect.POLL) or not facts.result or facts.weak:
            return ()
        if not self._acted and len(self._results) < self.settings.opening:
            self._remember(facts.result)
            return ()
        fresh = facts.result not in self._results and not facts.failed
        self._remember(facts.result)
        self._calls += 1
        note(self._steps, facts.index)
        self._now.append(fresh)
        if len(self._now) > 1 or self._calls < self.settings.warn:
            return ()
        share = 100 * sum(self._new) // max(1, len(self._new))
        if share > self.settings.new:
            return ()
        shown = f", and {share} % of the newest {len(self._new)} showed anything new" if self.settings.new < ALL else ""
        return (
            self.found(
                facts,
                level=Level.WARN,
                steps=self._steps,
                count=self._calls,
                threshold=self.settings.warn,
                message=f"{self._calls} calls in a row only looked around{shown}.",
                key="spiral",
                resets_when="something is changed, run or tested",
                equal_because=("any read-only call counts",),
            ),
        )

    def _remember(self, result: str) -> None:
        self._results[result] = None
        if len(self._results) > RESULTS:
            del self._results[next(iter(self._results))]

    def turn_ended(self) -> None:
        """Let an action of the turn end the row."""
        if self._acts:
            self._acts, self._acted = False, True
            self._begin()
        elif self._now:
            self._new.extend(self._now)
            del self._new[: -self.settings.warn]
            self._now.clear()

    def _begin(self) -> None:
        self._calls = 0
        self._steps.clear()
        self._new.clear()
        self._now.clear()

    def reset(self) -> None:
        """Forget the row and what was seen."""
        self._begin()
        self._acted = self._acts = False
        self._results.clear()

    def save(self) -> Any:
        """The row and what was seen."""
        return [self._calls, self._acted, self._acts, self._steps[:], self._new[:], self._now[:], list(self._results)]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._calls, self._acted, self._acts, steps, new, now, results = state
        self._steps, self._new, self._now = list(steps), list(new), list(now)
        self._results = dict.fromkeys(results)
