"""Nearly the same: reworded calls that bring back what the last one brought."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.rows import Row, begin, grow, put
from loopwatch.detectors.rules.wording import times
from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

MEMORY = 256
"""Different tools remembered at a time; the oldest are forgotten first."""

SHORT = 80
"""Characters; a shorter result says so little that it is weak evidence."""

COMPARED = 1000
"""Characters of a result that are compared."""

HITS = 3
"""Hits that two lists must have in common."""
SAME_HITS = 0.75
"""Share of the shorter list."""
_NUMBERS = re.compile(r"\d+(?:\.\d+)?")

SKIPPED = Effect.POLL | Effect.TALK | Effect.PLAN
SILENT = SKIPPED | Effect.WRITE
WRITE = Effect.WRITE
ACTS = Effect.WRITE | Effect.EXECUTE | Effect.VERIFY


class SimilarCallsSettings(RuleSettings):
    """Thresholds of ``similar_calls``."""

    warn: int = knob(6, title="Warn", minimum=3, maximum=50, unit="calls", help="Similar calls in a row (senpi: 5).")
    strong: int = knob(15, title="Strong", minimum=4, maximum=100, unit="calls", help="Before a block is offered.")
    calls: float = knob(
        0.6,
        title="Calls alike",
        minimum=0.3,
        maximum=1,
        step=0.05,
        help="How alike two calls in a row must be (senpi 0.85 without looking at results, agentbelt 0.92).",
    )
    results: float = knob(
        0.9, title="Results alike", minimum=0.5, maximum=1, step=0.05, help="How alike their results must be."
    )


class SimilarCalls(Rule):
    """One tool, slightly other arguments, nearly the same result.

    Sees: calls of one tool in a row, each like the one before, whose results are nearly equal.
    Source: senpi (5 calls, Dice 0.85), agentbelt (0.92), stella#2543 (reworded queries).
    Searches are compared without regard to the order of words, their results hit by hit and without figures; programs
    must print the same, since figures that differ are what a measurement is made for.
    Limits: only the first 1,000 characters of a result are compared.
    Quiet: results that differ, whatever the arguments; distinct targets, since sibling files look alike; mere
    acknowledgements; failures, which other rules count; a real change between.
    """

    id = "similar_calls"
    title = "Reworded call, same outcome"
    Settings = SimilarCallsSettings
    settings: SimilarCallsSettings

    def __init__(self, settings: SimilarCallsSettings) -> None:
        super().__init__(settings)
        self._tools: OrderedDict[str, tuple[str, str, str, str, int, Row]] = OrderedDict()
        """Tool to canonical call, target, result fingerprint, beginning of the result, era and row."""

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Looks that brought something to compare."""
        return not (facts.failed or facts.weak or facts.effect.has(SILENT)) and bool(facts.result)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Compare the call with the tool's last one."""
        if step.result is None or facts.failed or not facts.call or facts.effect.has(SILENT):
            return ()
        if facts.weak or len(step.result.text) < SHORT:
            return ()
        before = self._tools.get(facts.tool)
        text, era = step.result.text[:COMPARED], self.past.era
        if before is not None and before[5][0] == facts.turn:
            return ()
        if before is None or before[4] != era or not self._is_like(before, facts, text):
            put(
                self._tools,
                facts.tool,
                (facts.canonical_call, facts.target, facts.result, text, era, begin(facts)),
                MEMORY,
            )
            return ()
        row = before[5]
        count, settings = grow(row, facts), self.settings
        self._tools[facts.tool] = (facts.canonical_call, facts.target, facts.result, text, era, row)
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
                message=f"{facts.tool} was called {times(count)} in slightly different words and returned nearly the "
                "same.",
                key=facts.tool,
                equal_because=(
                    f"calls at least {settings.calls:.0%} alike",
                    f"results at least {settings.results:.0%} alike",
                ),
                resets_when="the tool returns something else",
            ),
        )

    def reset(self) -> None:
        """Forget all calls."""
        self._tools.clear()

    def save(self) -> Any:
        """State as plain JSON."""
        return [[tool, *entry] for tool, entry in self._tools.items()]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._tools = OrderedDict(
            (tool, (call, target, result, text, era, list(row))) for tool, call, target, result, text, era, row in state
        )

    def _is_like(self, before: tuple[str, str, str, str, int, Row], facts: Facts, text: str) -> bool:
        call, target, result, known, _, _ = before
        settings = self.settings
        if call == facts.canonical_call or target != facts.target:
            return False
        far = abs(len(known) - len(text)) > (1 - settings.results) * max(len(known), len(text))
        if result != facts.result and far and facts.family != "search":
            return False
        from rapidfuzz.fuzz import ratio, token_sort_ratio

        if facts.family == "search":
            likeness = token_sort_ratio(call.replace("'", " "), facts.canonical_call.replace("'", " "))
        else:
            likeness = ratio(call, facts.canonical_call)
        if likeness < 100 * settings.calls:
            return False
        if facts.family == "shell":
            return result == facts.result and not _measures(facts)
        if result == facts.result or ratio(known, text, score_cutoff=100 * settings.results) > 0:
            return True
        return facts.family == "search" and _same_hits(known, text)


def _same_hits(known: str, text: str) -> bool:
    """Whether two lists of hits, one a line, hardly differ but for their numbers and order (M23)."""
    one, other = (
        {" ".join(_NUMBERS.sub("", line).split()) for line in hits.splitlines() if line.strip()}
        for hits in (known, text)
    )
    return len(one & other) >= max(HITS, SAME_HITS * min(len(one), len(other)))


def _measures(facts: Facts) -> bool:
    """Whether a program's results are equal only because times were masked: under other settings they are the point."""
    return facts.family == "shell" and "duration masked" in facts.equal_because


class SameAnswerSettings(RuleSettings):
    """Thresholds of ``same_answer``."""

    warn: int = knob(
        6,
        title="Warn",
        minimum=3,
        maximum=60,
        unit="calls",
        help="Different calls, equal results (stella 6, zeroclaw 5).",
    )
    weak: int = knob(
        20,
        title="Weak",
        minimum=3,
        maximum=100,
        unit="calls",
        help="The same where the result is empty or a mere “ok”: a list of names checked one by one looks like this.",
    )


class SameAnswer(Rule):
    """One tool returns the same whatever it is asked.

    Sees: calls of one tool with different arguments and equal results, no other result of that tool between.
    Source: stella's stagnation (6), zeroclaw (5), openclaw#112479 (alias paths), gemini-cli#16954.
    Limits: checks that all come out the same way look like this, so it never goes beyond a reminder.
    Quiet: mere acknowledgements count late (``weak``), and not at all where the call changes something.
    """

    id = "same_answer"
    title = "Same answer to every question"
    Settings = SameAnswerSettings
    settings: SameAnswerSettings

    def __init__(self, settings: SameAnswerSettings) -> None:
        super().__init__(settings)
        self._tools: OrderedDict[str, tuple[str, int, Row, list[str]]] = OrderedDict()
        """Tool to its last result, era, row and newest calls."""

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Calls that were answered."""
        return bool(facts.result) and not facts.failed and not facts.effect.has(SKIPPED)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Compare the result with the tool's last one."""
        result = facts.result
        if not result or not facts.call or facts.failed or facts.effect.has(SKIPPED):
            return ()
        weak = facts.weak or step.result is None or len(step.result.text) < SHORT
        if (weak and facts.effect.has(ACTS)) or _measures(facts):
            return ()
        entry, era = self._tools.get(facts.tool), self.past.era
        if entry is None or entry[0] != result or entry[1] != era or facts.effect.has(WRITE):
            put(self._tools, facts.tool, (result, era, begin(facts), [facts.call]), MEMORY)
            return ()
        _, _, row, calls = entry
        if facts.call in calls or row[0] == facts.turn:
            return ()
        calls.append(facts.call)
        del calls[:-16]
        count = grow(row, facts)
        threshold = self.settings.weak if weak else self.settings.warn
        if count < threshold:
            return ()
        return (
            self.found(
                facts,
                level=Level.WARN,
                steps=row[2:],
                count=count,
                threshold=threshold,
                message=f"{facts.tool} was asked {times(count)} in different ways and returned the same each time.",
                key=facts.tool,
                resets_when=f"{facts.tool} returns something else",
            ),
        )

    def reset(self) -> None:
        """Forget all results."""
        self._tools.clear()

    def save(self) -> Any:
        """State as plain JSON."""
        return [[tool, result, era, list(row), list(calls)] for tool, (result, era, row, calls) in self._tools.items()]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._tools = OrderedDict(
            (tool, (result, era, list(row), list(calls))) for tool, result, era, row, calls in state
        )
