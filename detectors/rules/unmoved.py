"""Changes that do not show: the program says what it said before."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.rows import Row, begin, grow, put
from loopwatch.detectors.rules.wording import times, what
from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

PROGRAMS = 64
RUNS = Effect.EXECUTE | Effect.VERIFY
END = 2_000
"""Characters at a result's end in which a check would give its verdict."""
INTERPRETERS = frozenset(
    {"python", "python3", "node", "ruby", "java", "php", "perl", "bash", "sh", "deno", "bun", "Rscript"}
)
_VERDICT = re.compile(
    r"(?i)\b(?:pass(?:ed|ing)?|ok|success\w*|succeed\w*|done|complete\w*|\d+ (?:tests?|errors?|failures?))\b|[✓✔]"
)


class UnmovedSettings(RuleSettings):
    """Thresholds of ``unmoved``."""

    warn: int = knob(
        6, title="Warn", minimum=3, maximum=50, unit="rounds", help="Rounds of change and run with the same output."
    )
    strong: int = knob(
        12, title="Strong", minimum=4, maximum=100, unit="rounds", help="Rounds before a last chance is offered."
    )
    gap: int = knob(
        10, title="Gap", minimum=2, maximum=100, unit="steps", help="Rounds farther apart than this are no row."
    )


class Unmoved(Rule):
    """Change, run, change, run, and the program's output never moves.

    Sees: a program run by the shell that succeeds with equal output although files were changed since it last ran; a
    test script run bare by an interpreter as well, where it prints something and gives no verdict.
    Source: A13 (a run of writes none of which had an effect); agents that edit one file and run another.
    Limits: a program whose output is meant to stay looks like this, so it begins late.
    Quiet: tests, builds and lints that pass, which is what they are for; failures, which ``fixes_without_effect``
    counts; any other output.
    """

    id = "unmoved"
    title = "Output never moves"
    Settings = UnmovedSettings
    settings: UnmovedSettings

    def __init__(self, settings: UnmovedSettings) -> None:
        super().__init__(settings)
        self._programs: OrderedDict[str, tuple[str, int, Row]] = OrderedDict()
        """Call to its output, changes at its last run, and its row of rounds."""

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Programs run by a shell."""
        return facts.effect.has(RUNS) and facts.family == "shell" and bool(facts.result)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Compare a run with the one before the last change."""
        if not facts.effect.has(RUNS) or facts.family != "shell" or not facts.result:
            return ()
        check = facts.effect.has(Effect.VERIFY)
        if facts.failed or facts.effect.has(Effect.WRITE) or (check and facts.target not in INTERPRETERS):
            self._programs.pop(facts.call, None)
            return ()
        changes = self.past.changes
        known = self._programs.get(facts.call)
        if known is None or known[0] != facts.result or facts.index - known[2][-1] > self.settings.gap:
            put(self._programs, facts.call, (facts.result, changes, begin(facts)), PROGRAMS)
            return ()
        if known[1] == changes:
            return ()
        row = known[2]
        self._programs[facts.call] = (facts.result, changes, row)
        rounds, settings = grow(row, facts), self.settings
        if rounds < settings.warn or (check and not _shows(facts, step)):
            return ()
        strong = rounds >= settings.strong
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=row[2:],
                count=rounds,
                threshold=settings.strong if strong else settings.warn,
                message=f"{what(facts)} was run {times(rounds)} with changes between and printed the same each time.",
                key=facts.call,
                resets_when="it prints something else",
            ),
        )

    def reset(self) -> None:
        """Forget all programs."""
        self._programs.clear()

    def save(self) -> Any:
        """State as plain JSON."""
        return [[call, output, changes, list(row)] for call, (output, changes, row) in self._programs.items()]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._programs = OrderedDict((call, (output, changes, list(row))) for call, output, changes, row in state)


def _shows(facts: Facts, step: Step) -> bool:
    """Whether a test script prints what it computed, rather than how the test went."""
    return not facts.weak and step.result is not None and _VERDICT.search(step.result.text[-END:]) is None
