"""The same act once more: a block pasted again, a button clicked again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.rows import Row, begin, grow
from loopwatch.detectors.rules.wording import times, what
from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

COMPARED = 2000
"""Characters of a page that are compared."""
WRITERS = frozenset({"edit", "write"})
PASSED_OVER = Effect.READ | Effect.POLL | Effect.TALK | Effect.PLAN
GESTURE = re.compile(r"(?:^|[_\W])(?:click|tap|press|type|fill|select|submit|drag|hover)(?:$|[_\W])", re.IGNORECASE)


class SameActionSettings(RuleSettings):
    """Thresholds of ``same_action``."""

    warn: int = knob(4, title="Warn", minimum=2, maximum=50, unit="calls", help="Equal acts in a row.")
    strong: int = knob(8, title="Strong", minimum=3, maximum=100, unit="calls", help="Before a block is offered.")
    alike: int = knob(
        75,
        title="Pages alike",
        minimum=30,
        maximum=100,
        step=5,
        unit="%",
        help="How much of a page's words must stay for a gesture to count as without effect.",
    )


class SameAction(Rule):
    """One and the same act in a row, although each leaves another result behind.

    Sees: an edit or a write with the very same arguments (the file grows by one more copy each time), and a click, key
    or input on the same element after which the page is much the same. Looking between the acts does not break the row.
    Source: agents that paste one block at line 1 until the budget ends; browser agents whose click has no effect.
    Limits: a shell command is not an act to this rule: what it does is not known.
    Quiet: any other act between; a failed act, which other rules count; a page that really changes (paging).
    """

    id = "same_action"
    title = "Same act again"
    Settings = SameActionSettings
    settings: SameActionSettings

    def __init__(self, settings: SameActionSettings) -> None:
        super().__init__(settings)
        self._call = ""
        self._page = ""
        self._row: Row = []

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Continue the row, or begin one."""
        if step.result is None or not facts.call:
            return ()
        gesture = facts.family == "other" and GESTURE.search(facts.tool) is not None
        if not gesture and facts.family not in WRITERS:
            if self._call and not PASSED_OVER & facts.effect:
                self.reset()
            return ()
        page = step.result.text[:COMPARED] if gesture else ""
        if facts.failed or facts.call != self._call or (gesture and not self._is_like(page)):
            self._call = "" if facts.failed else facts.call
            self._page, self._row = page, begin(facts)
            return ()
        self._page = page
        if self._row[0] == facts.turn:
            return ()
        count, settings = grow(self._row, facts), self.settings
        if count < settings.warn:
            return ()
        strong = count >= settings.strong
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=self._row[2:],
                count=count,
                threshold=settings.strong if strong else settings.warn,
                message=f"{what(facts)} was done {times(count)} in a row with equal arguments"
                f"{' and the page stayed much the same' if gesture else ''}.",
                key=facts.call,
                resets_when="something else is done",
            ),
        )

    def reset(self) -> None:
        """Forget the row."""
        self._call, self._page, self._row = "", "", []

    def save(self) -> Any:
        """State as plain JSON."""
        return [self._call, self._page, list(self._row)]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._call, self._page, row = state
        self._row = list(row)

    def _is_like(self, page: str) -> bool:
        if page == self._page:
            return True
        from rapidfuzz.fuzz import token_set_ratio

        return token_set_ratio(self._page, page, score_cutoff=self.settings.alike) > 0
