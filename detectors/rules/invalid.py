"""Calls that no tool can take: a name that does not exist, arguments that do not fit or were cut off."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.rows import Row, begin, grow
from loopwatch.detectors.rules.wording import quoted, times

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

REFUSED = re.compile(
    r"(unknown|no such|not a known|nonexistent|unrecognized|invalid) (tool|function)\b"
    r"|(tool|function) \S{1,80} (is )?(not found|not available|does not exist|unknown)"
    r"|no (tool|function) (named|called)"
    r"|InputValidationError|(invalid|malformed|missing|unparsable|truncated|incomplete)\b.{0,30}\b(argument|parameter|json)"
    r"|(argument|parameter)s?\b.{0,60}\b(is|are) (missing|required|invalid)"
    r"|(unterminated string|unexpected end of (json|input|data|file))"
    r"|could not parse .{0,40}json|json.{0,20}(parse|decode)",
    re.IGNORECASE,
)
"""How harnesses say that a call never reached a tool."""


HINTS = ("tool", "function", "argument", "parameter", "json", "inputvalidation", "unterminated", "unexpected end")
"""One of these is in every such wording; looking for them is cheap."""


class InvalidCallSettings(RuleSettings):
    """Thresholds of ``invalid_call``."""

    warn: int = knob(3, title="Warn", minimum=2, maximum=50, unit="calls", help="Refused calls in a row (Hermes: 3).")
    strong: int = knob(
        8, title="Strong", minimum=3, maximum=100, unit="calls", help="In a row (OpenClaw blocks at 10)."
    )


class InvalidCall(Rule):
    """Calls that never reach a tool: unknown name, invalid or cut-off arguments.

    Sees: such calls of one tool name in a row, whatever the arguments.
    Source: OpenClaw (10), Hermes (3), opencode#18108 (cut-off JSON sent again and again).
    Limits: knows the common wordings of refusals; others are ``failing_tool``'s. What a shell prints is the program's
    word, not the harness's.
    Quiet: any call that reaches its tool.
    """

    id = "invalid_call"
    title = "Calls that no tool can take"
    Settings = InvalidCallSettings
    settings: InvalidCallSettings

    def __init__(self, settings: InvalidCallSettings) -> None:
        super().__init__(settings)
        self._tools: dict[str, Row] = {}
        self._reached = False

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Count a refused call."""
        call = step.call
        if call is None:
            return ()
        refused = facts.failed and facts.family != "shell" and _speaks_of_refusal(facts.error_text)
        if not call.malformed and not refused:
            if self._tools and step.result is not None:
                self._reached = True
            return ()
        row = self._tools.get(facts.tool)
        if row is None:
            self._tools[facts.tool] = begin(facts)
            return ()
        if row[0] == facts.turn:
            return ()
        count, settings = grow(row, facts), self.settings
        if count < settings.warn:
            return ()
        strong = count >= settings.strong
        why = "arguments were cut off or are no valid JSON" if call.malformed else quoted(facts.error_text)
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=row[2:],
                count=count,
                threshold=settings.strong if strong else settings.warn,
                message=f"{times(count).capitalize()} in a row a call of {facts.tool} could not be carried out: {why}.",
                key=facts.tool,
                resets_when="a call reaches its tool",
            ),
        )

    def turn_ended(self) -> None:
        """A call that reached its tool ends the row, wherever in the turn it stood."""
        if self._reached:
            self.reset()

    def reset(self) -> None:
        """Forget all refusals."""
        self._tools.clear()
        self._reached = False

    def save(self) -> Any:
        """State as plain JSON."""
        return {"tools": {tool: list(row) for tool, row in self._tools.items()}, "reached": self._reached}

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._tools = {tool: list(row) for tool, row in state["tools"].items()}
        self._reached = state["reached"]


def _speaks_of_refusal(text: str) -> bool:
    small = text.lower()
    return any(hint in small for hint in HINTS) and REFUSED.search(text) is not None
