"""Loops that a compaction of the conversation does not end."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.memory import keep, note
from loopwatch.detectors.rules.wording import times, what
from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

PAIRS = 512


class AfterCompactionSettings(RuleSettings):
    """Thresholds of ``after_compaction``."""

    warn: int = knob(
        3,
        title="Warn",
        minimum=2,
        maximum=20,
        unit="calls",
        help="Equal calls and results after compaction (OpenClaw: 3).",
    )
    resumed: int = knob(
        2,
        title="Resumed",
        minimum=1,
        maximum=20,
        unit="calls",
        help="The same, if it had come so often before as well.",
    )
    strong: int = knob(
        5, title="Strong", minimum=3, maximum=50, unit="calls", help="Such calls before a last chance is offered."
    )
    window: int = knob(
        24,
        title="Window",
        minimum=3,
        maximum=200,
        unit="steps",
        help="The rule looks at so many steps after a compaction.",
    )


class AfterCompaction(Rule):
    """The conversation was compacted, and the same calls bring the same results as before.

    Sees: equal pairs of call and result in the steps after a compaction, and how often they had come before it.
    Source: OpenClaw post-compaction guard (3 identical → abort); OpenClaw#77474 (a loop that outlived 50 compactions).
    Limits: needs the source to say that it compacted.
    Quiet: looking again at what the summary left out, once each; polls; anything changed starts the count anew.
    """

    id = "after_compaction"
    title = "Loop outlives compaction"
    Settings = AfterCompactionSettings
    settings: AfterCompactionSettings

    def __init__(self, settings: AfterCompactionSettings) -> None:
        super().__init__(settings)
        self._pairs: OrderedDict[str, list[Any]] = OrderedDict()
        """Call and result to ``[before, after, turn, *steps after]``."""
        self._since: int | None = None
        self._changed = -1
        """Step of the last change; what came before it is not counted."""

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Count the pair, on its side of the compaction."""
        if step.compacted:
            self._since = facts.index
            for known in self._pairs.values():
                known[0], known[1] = known[0] + known[1], 0
                del known[3:]
        if not facts.tool or not facts.result or facts.effect.has(Effect.POLL):
            return ()
        if facts.effect.has(Effect.WRITE) and not facts.failed:
            self._pairs.clear()
            self._changed = facts.index
            return ()
        watching = self._since is not None and facts.index - self._since < self.settings.window
        pair = facts.call + facts.result
        entry = self._pairs.get(pair) or self._begin(facts)
        if entry is None:
            if not watching:
                return ()
            entry = [0, 0, -1]
        keep(self._pairs, pair, entry, PAIRS)
        if entry[2] == facts.turn:
            return ()
        entry[2] = facts.turn
        entry[1] += 1
        if not watching:
            return ()
        steps: list[int] = entry[3:]
        note(steps, facts.index)
        entry[3:] = steps
        return self._judge(facts, entry)

    def _begin(self, facts: Facts) -> list[Any] | None:
        """The entry of a pair that came once before, or none; most pairs never come again and are not kept."""
        earlier = self.past.earlier
        if earlier is None or earlier.result != facts.result or earlier.step <= self._changed:
            return None
        before = self._since is not None and earlier.step < self._since
        return [1, 0, earlier.turn] if before else [0, 1, earlier.turn]

    def _judge(self, facts: Facts, entry: list[Any]) -> Iterable[Finding]:
        before, after, settings = entry[0], entry[1], self.settings
        resumed = before >= settings.resumed and after >= settings.resumed
        if not resumed and after < settings.warn:
            return ()
        strong = after >= settings.strong
        threshold = settings.strong if strong else settings.resumed if resumed else settings.warn
        earlier = f" and {times(before)} before it" if before else ""
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=entry[3:],
                count=after,
                threshold=threshold,
                message=f"{what(facts)} brought the same result {times(after)} after the compaction{earlier}.",
                key=facts.call,
                resets_when="something is changed",
            ),
        )

    def reset(self) -> None:
        """Forget all pairs."""
        self._pairs.clear()
        self._since = None
        self._changed = -1

    def save(self) -> Any:
        """Pairs, oldest first, and the step of the last compaction."""
        return [self._since, self._changed, [[pair, list(entry)] for pair, entry in self._pairs.items()]]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._since, self._changed, pairs = state
        self._pairs = OrderedDict((pair, list(entry)) for pair, entry in pairs)
