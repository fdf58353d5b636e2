"""The same call again: with the same result, turn after turn, or whatever it returns."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from pydantic import Field

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.rows import Row, begin, grow, put
from loopwatch.detectors.rules.wording import times, what
from loopwatch.detectors.sameness.facts import Effect
from loopwatch.detectors.sameness.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

MEMORY = 1024
"""Different calls remembered at a time; the oldest are forgotten first."""

LONG = 120
"""Characters; a call so long is no routine check, so that even an empty result is evidence."""

POLL = Effect.POLL


class SameResultSettings(RuleSettings):
    """Thresholds of ``same_result``."""

    warn: int = knob(
        3, title="Warn", minimum=2, maximum=50, unit="calls", help="Equal calls with equal results (Hermes, stella: 3)."
    )
    strong: int = knob(
        6, title="Strong", minimum=2, maximum=100, unit="calls", help="Equal calls before a block is offered."
    )
    weak_extra: int = knob(
        1, title="Weak extra", minimum=0, maximum=20, unit="calls", help="Added where the result is a mere “ok”."
    )
    exact: bool = Field(default=False, title="Exact", description="Compare raw arguments and results (B1).")
    polls: bool = Field(default=False, title="Polls too", description="Count calls that ask whether something is done.")
    thoughts: bool = Field(
        default=False, title="Thoughts too", description="What the model said with the call must be equal (OpenHands)."
    )


class SameResult(Rule):
    """The same call with the same result, turn after turn.

    Sees: one canonical call whose canonical result does not change, with no other call between; messages do not break
    the row. A batch of parallel calls repeated as a whole is a row as well.
    Source: B1, B3; Hermes and stella (3).
    Limits: interleaved repeats are another rule's.
    Quiet: a new result or another call between; transient failures neither count nor reset; polls unless ``polls``.
    """

    id = "same_result"
    title = "Same call, same result"
    Settings = SameResultSettings
    settings: SameResultSettings

    def __init__(self, settings: SameResultSettings) -> None:
        super().__init__(settings)
        self._last: dict[str, tuple[str, Row]] = {}
        """Calls of the turn before: result and row."""
        self._now: dict[str, tuple[str, Row]] = {}
        """Calls of the turn under way."""

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Calls."""
        return bool(facts.family)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Continue the row of this call, or begin one."""
        settings = self.settings
        call, result = (facts.raw_call, facts.raw_result) if settings.exact else (facts.call, facts.result)
        if settings.thoughts and call:
            call = fingerprint(f"{call} {step.text}")
        if not call or call in self._now or (facts.transient and not settings.exact):
            return ()
        before = self._last.get(call)
        if before is None or not result or before[0] != result or (not settings.polls and facts.effect.has(POLL)):
            self._now[call] = (result, begin(facts))
            return ()
        row = before[1]
        count = grow(row, facts)
        self._now[call] = (result, row)
        extra = settings.weak_extra if facts.weak else 0
        if count < settings.warn + extra:
            return ()
        strong = count >= settings.strong + extra
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=row[2:],
                count=count,
                threshold=(settings.strong if strong else settings.warn) + extra,
                message=f"{what(facts)} was called {times(count)} in a row and returned the same each time.",
                key=call,
                resets_when="the result changes or another call comes",
            ),
        )

    def turn_ended(self) -> None:
        """The turn's calls are what the next one is compared with; a turn without calls changes nothing."""
        if self._now:
            self._last, self._now = self._now, {}

    def reset(self) -> None:
        """Forget the rows."""
        self._last, self._now = {}, {}

    def save(self) -> Any:
        """State as plain JSON."""
        return [[[call, *entry] for call, entry in rows.items()] for rows in (self._last, self._now)]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._last, self._now = ({call: (result, list(row)) for call, result, row in rows} for rows in state)


class RepeatedCallSettings(RuleSettings):
    """Thresholds of ``repeated_call``."""

    warn: int = knob(
        10, title="Say at", minimum=2, maximum=100, unit="calls", help="Equal calls, whatever they return (B2)."
    )
    window: int = knob(
        0, title="Window", minimum=0, maximum=500, unit="steps", help="Only so many newest steps count; 0 is all."
    )
    mild: bool = Field(default=False, title="Mild", description="Only a notice: nothing is proposed.")
    news: bool = Field(default=False, title="News excuse", description="Forget the count when the result is a new one.")
    exact: bool = Field(default=False, title="Exact", description="Compare raw arguments (B1).")
    polls: bool = Field(default=True, title="Polls too", description="Count calls that ask whether something is done.")


class RepeatedCall(Rule):
    """The same call many times, whatever it returns.

    Sees: how often one call was made.
    Source: B2 (10, warns and never blocks); OpenClaw's generic repeat (10 of 30).
    Limits: an honest poll whose output moves looks the same, so it is advice, late.
    Quiet: with ``news`` a result this call has not returned before starts the count afresh.
    """

    id = "repeated_call"
    title = "Same call, any result"
    Settings = RepeatedCallSettings
    settings: RepeatedCallSettings

    def __init__(self, settings: RepeatedCallSettings) -> None:
        super().__init__(settings)
        self._calls: OrderedDict[str, tuple[Row, list[str]]] = OrderedDict()
        """Call to its row and its newest results."""

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Calls."""
        return bool(facts.family)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:  # noqa: ARG002
        """Count the call."""
        settings = self.settings
        call = facts.raw_call if settings.exact else facts.call
        if not call or (settings.news and not facts.result) or (not settings.polls and facts.effect.has(POLL)):
            return ()
        entry = self._calls.get(call) or self._second(facts, call)
        if entry is None:
            return ()
        row, results = entry
        if row[0] == facts.turn:
            return ()
        if settings.news and facts.result not in results:
            results.append(facts.result)
            del results[:-8]
            row[:] = begin(facts)
            return ()
        grow(row, facts)
        if settings.window:
            while facts.index - row[2] >= settings.window:
                del row[2]
                row[1] -= 1
        if row[1] < settings.warn:
            return ()
        return (
            self.found(
                facts,
                level=Level.NOTICE if settings.mild else Level.WARN,
                steps=row[2:],
                count=row[1],
                threshold=settings.warn,
                message=f"{what(facts)} was called {times(row[1])} with equal arguments.",
                key=call,
                resets_when="a new result comes" if settings.news else "a person speaks",
            ),
        )

    def _second(self, facts: Facts, call: str) -> tuple[Row, list[str]] | None:
        """The entry of a call that is not counted yet: begun now, or where it is new, with the next one."""
        if not self.settings.news or self.settings.exact:
            put(self._calls, call, (begin(facts), []), MEMORY)
            return None
        earlier = self.past.earlier
        if earlier is None:
            return None
        put(self._calls, call, ([earlier.turn, 1, earlier.step], [earlier.result]), MEMORY)
        return self._calls[call]

    def reset(self) -> None:
        """Forget all counts."""
        self._calls.clear()

    def save(self) -> Any:
        """State as plain JSON."""
        return [[call, list(row), list(results)] for call, (row, results) in self._calls.items()]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._calls = OrderedDict((call, (list(row), list(results))) for call, row, results in state)


class InterleavedSettings(RuleSettings):
    """Thresholds of ``interleaved``."""

    warn: int = knob(
        4, title="Warn", minimum=2, maximum=50, unit="calls", help="Equal calls with equal results (stella: 3)."
    )
    strong: int = knob(8, title="Strong", minimum=2, maximum=100, unit="calls", help="Before a block is offered.")
    gap: int = knob(
        4, title="Gap", minimum=1, maximum=500, unit="steps", help="Farther apart than this it is no repeat any more."
    )
    reads: bool = Field(default=False, title="Reads only", description="Count calls that only look, and no others.")
    through_changes: bool = Field(
        default=False, title="Through changes", description="A real change between does not end the count."
    )


class Interleaved(Rule):
    """The same call with the same result, other calls between.

    Sees: one canonical call coming back with its canonical result while nothing was really changed.
    Source: stella's interleaved repeat (3); stella#1851, zeroclaw#7143.
    Limits: a status looked at between pieces of work that change nothing looks the same.
    Quiet: a real change, a new result, an obeyed reminder, a long gap, polls, transient failures, mere
    acknowledgements.
    """

    id = "interleaved"
    title = "Same result again and again"
    Settings = InterleavedSettings
    settings: InterleavedSettings

    def __init__(self, settings: InterleavedSettings) -> None:
        super().__init__(settings)
        self._calls: OrderedDict[str, tuple[str, int, Row]] = OrderedDict()
        """Call to its result, era and row."""

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Calls that were answered, polls and transient failures excepted."""
        return bool(facts.result) and not facts.transient and not facts.effect.has(POLL)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:  # noqa: ARG002
        """Count a call that returned what it returned before."""
        call, result, settings = facts.call, facts.result, self.settings
        if (
            not call
            or not result
            or facts.transient
            or facts.effect.has(POLL)
            or (settings.reads and facts.effect != Effect.READ)
        ):
            return ()
        earlier = self.past.earlier
        if earlier is None:
            return ()
        era = 0 if settings.through_changes else self.past.era
        entry = self._calls.get(call)
        if entry is None:
            then = 0 if settings.through_changes else earlier.era
            entry = (earlier.result, then, [earlier.turn, 1, earlier.step])
            put(self._calls, call, entry, MEMORY)
        known, then, row = entry
        if row[0] == facts.turn:
            return ()
        if known != result or then != era or facts.index - row[-1] > settings.gap:
            self._calls[call] = (result, era, begin(facts))
            return ()
        count = grow(row, facts)
        if count < settings.warn or (facts.weak and len(facts.canonical_call) < LONG):
            return ()
        strong = count >= settings.strong
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=row[2:],
                count=count,
                threshold=settings.strong if strong else settings.warn,
                message=f"{what(facts)} came back {times(count)} with the same result, other calls between, while "
                "nothing was changed.",
                key=call,
                resets_when="the result changes or something is really changed",
            ),
        )

    def reset(self) -> None:
        """Forget all counts."""
        self._calls.clear()

    def save(self) -> Any:
        """State as plain JSON."""
        return [[call, result, era, list(row)] for call, (result, era, row) in self._calls.items()]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._calls = OrderedDict((call, (result, era, list(row))) for call, result, era, row in state)
