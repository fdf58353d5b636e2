"""The same gesture once more: a button clicked again, and the page stays as it was."""

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
PASSED_OVER = Effect.READ | Effect.POLL | Effect.TALK | Effect.PLAN
WORD = re.compile(r"\w+")
GESTURE = re.compile(r"(?:^|[_\W])(?:click|tap|press|type|fill|select|submit|drag|hover)(?:$|[_\W])", re.IGNORECASE)


class SameGestureSettings(RuleSettings):
    """Thresholds of ``same_gesture``."""

    warn: int = knob(4, title="Warn", minimum=2, maximum=50, unit="calls", help="Equal gestures in a row.")
    strong: int = knob(8, title="Strong", minimum=3, maximum=100, unit="calls", help="Before a block is offered.")
    alike: int = knob(
        70,
        title="Pages alike",
        minimum=30,
        maximum=100,
        step=5,
        unit="%",
        help="How much of a page's words must stay for a gesture to count as without effect.",
    )


class SameGesture(Rule):
    """One and the same gesture in a row, although each is answered a little differently.

    Sees: a click, key or input on the same element after which the page is much the same; a page read off a screenshot
    is never quite equal, so ``same_result`` does not see it. Looking between the gestures does not break the row.
    Source: browser agents that click a heading seven times without effect.
    Limits: gestures are known by the tool's name.
    Quiet: any other act between; a failed one, which other rules count; a page that really changes (paging).
    """

    id = "same_gesture"
    title = "Same gesture again"
    Settings = SameGestureSettings
    settings: SameGestureSettings

    def __init__(self, settings: SameGestureSettings) -> None:
        super().__init__(settings)
        self._call = ""
        self._page = ""
        self._row: Row = []

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Gestures, and whatever may end a row of them."""
        return facts.family == "other" or not facts.effect.has(PASSED_OVER)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Continue the row, or begin one."""
        if step.result is None or not facts.call:
            return ()
        if facts.family != "other" or GESTURE.search(facts.tool) is None:
            if self._call and not facts.effect.has(PASSED_OVER):
                self.reset()
            return ()
        page = step.result.text[:COMPARED]
        if facts.failed or facts.call != self._call or not self._is_like(page):
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
                message=f"{what(facts)} was done {times(count)} in a row and the page stayed much the same.",
                equal_because=(f"pages at least {settings.alike} % alike",),
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
        before, now = set(WORD.findall(self._page.lower())), set(WORD.findall(page.lower()))
        return 100 * len(before & now) >= self.settings.alike * max(len(before), len(now), 1)
