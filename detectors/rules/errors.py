"""One root cause in many dresses: a tool that only fails, an error that comes back whatever is tried."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from pydantic import Field

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.rows import Row, begin, grow, put, seen
from loopwatch.detectors.rules.wording import quoted, times

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

REFUSED = re.compile(
    r"\b(?:invalid|unrecogni[sz]ed|illegal|unknown|unsupported|malformed|bad)(?: \w+){0,2}"
    r" (?:argument|option|value|flag|input|parameter|format|number|date|range)s?\b|\bout of range\b|\busage:",
    re.IGNORECASE,
)
"""A program that refuses its arguments speaks of those arguments: equal words are no one root cause."""

MEMORY = 512
"""Different tools or errors remembered at a time; the oldest are forgotten first."""


class FailingToolSettings(RuleSettings):
    """Thresholds of ``failing_tool``."""

    warn: int = knob(5, title="Warn", minimum=2, maximum=50, unit="failures", help="Failures in a row (Hermes: 3).")
    shell: int = knob(
        6, title="Warn: shell", minimum=2, maximum=50, unit="failures", help="The same where the tool runs commands."
    )
    strong: int = knob(
        10, title="Strong", minimum=2, maximum=100, unit="failures", help="Failures in a row (Hermes: 8)."
    )
    through_changes: bool = Field(
        default=False, title="Through changes", description="A real change between does not end the count."
    )


class FailingTool(Rule):
    """One tool fails every time, whatever its arguments.

    Sees: failures of one tool without a success of it between.
    Source: Hermes (warn 3, halt 8, never for failure-tolerant tools).
    Limits: a shell is one tool, so it is given more time.
    Quiet: one success of the tool, a real change; transient failures neither count nor reset.
    """

    id = "failing_tool"
    title = "Tool keeps failing"
    Settings = FailingToolSettings
    settings: FailingToolSettings

    def __init__(self, settings: FailingToolSettings) -> None:
        super().__init__(settings)
        self._tools: OrderedDict[str, tuple[Row, int]] = OrderedDict()
        """Tool to its row of failures and their era."""
        self._fine: set[str] = set()

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Calls."""
        return bool(facts.family)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Count a failure of the tool."""
        if not facts.failed:
            if self._tools and step.result is not None:
                self._fine.add(facts.tool)
            return ()
        if facts.transient or not facts.tool:
            return ()
        era = 0 if self.settings.through_changes else self.past.era
        entry = self._tools.get(facts.tool)
        if entry is None or entry[1] != era:
            put(self._tools, facts.tool, (begin(facts), era), MEMORY)
            return ()
        row, settings = entry[0], self.settings
        count = row[1] if row[0] == facts.turn else grow(row, facts)
        warn = settings.warn
        if facts.family == "shell":
            warn = settings.shell * (2 if REFUSED.search(facts.error_text) else 1)
        if count < warn:
            return ()
        strong = count >= max(settings.strong, warn)
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=seen(row, facts),
                count=count,
                threshold=settings.strong if strong else warn,
                message=f"{facts.tool} failed {times(count)} in a row with different arguments, last: "
                f"{quoted(facts.error_text)}.",
                key=facts.tool,
                resets_when=f"{facts.tool} succeeds once",
            ),
        )

    def turn_ended(self) -> None:
        """A success ends the tool's row, wherever in the turn it stood."""
        if self._fine:
            for tool in self._fine:
                self._tools.pop(tool, None)
            self._fine.clear()

    def reset(self) -> None:
        """Forget all failures."""
        self._tools.clear()
        self._fine.clear()

    def save(self) -> Any:
        """State as plain JSON."""
        return {
            "tools": [[tool, list(row), era] for tool, (row, era) in self._tools.items()],
            "fine": sorted(self._fine),
        }

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._tools = OrderedDict((tool, (list(row), era)) for tool, row, era in state["tools"])
        self._fine = set(state["fine"])


class SameErrorSettings(RuleSettings):
    """Thresholds of ``same_error``."""

    warn: int = knob(
        5,
        title="Warn",
        minimum=2,
        maximum=50,
        unit="errors",
        help="Equal errors from different calls (goose 3, OpenClaw).",
    )
    tools: int = knob(
        6,
        title="Warn: tools",
        minimum=2,
        maximum=50,
        unit="errors",
        help="The same where several tools are involved (openclaw#75923; A13: six ways).",
    )
    transient: int = knob(
        10,
        title="Warn: transient",
        minimum=2,
        maximum=50,
        unit="errors",
        help="The same where waiting may mend it and no call waits: it has persisted then.",
    )
    strong: int = knob(10, title="Strong", minimum=2, maximum=100, unit="errors", help="Before a block is offered.")
    window: int = knob(
        8, title="Window", minimum=2, maximum=100, unit="steps", help="Between two of them lie fewer steps than this."
    )


class SameError(Rule):
    """One error comes back, whatever the arguments and whichever the tool.

    Sees: the masked error of failing calls: clocks, ids, paths and the arguments themselves do not make another error.
    Source: goose (3, one tool), OpenClaw's failure identity, openclaw#75923 (cascade over tools), hermes#84601.
    Limits: errors that say nothing ("exit code 1") are equal to each other only within one tool.
    Quiet: a real change, an obeyed reminder, many other steps between; transient errors neither count nor reset while
    a call waits, and are given twice the time where none does; so is a program that refuses what it is given, since
    one refused value says nothing of the next (H60).
    """

    id = "same_error"
    title = "Same error, other calls"
    Settings = SameErrorSettings
    settings: SameErrorSettings

    def __init__(self, settings: SameErrorSettings) -> None:
        super().__init__(settings)
        self._errors: OrderedDict[str, tuple[Row, int, set[str], set[str]]] = OrderedDict()
        """Error to its row, era, calls and tools."""

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Failures."""
        return facts.failed

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:  # noqa: ARG002
        """Count the error."""
        if not facts.failed or not facts.error or (facts.transient and facts.declared_wait):
            return ()
        era = self.past.era
        entry = self._errors.get(facts.error)
        if entry is None or entry[1] != era or facts.index - entry[0][-1] >= self.settings.window:
            put(self._errors, facts.error, (begin(facts), era, {facts.call}, {facts.tool}), MEMORY)
            return ()
        row, _, calls, tools = entry
        if len(calls) < MEMORY:
            calls.add(facts.call)
        tools.add(facts.tool)
        count, settings = row[1] if row[0] == facts.turn else grow(row, facts), self.settings
        warn, strong_at = settings.tools if len(tools) > 1 else settings.warn, settings.strong
        if facts.family == "shell" and REFUSED.search(facts.error_text):
            warn, strong_at = warn * 2, strong_at * 2
        if facts.transient:
            warn, strong_at = settings.transient, 0
        if count < warn:
            return ()
        strong = 0 < strong_at <= count
        dress = f"{len(tools)} tools" if len(tools) > 1 else f"{len(calls)} different calls of {facts.tool}"
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=seen(row, facts),
                count=count,
                threshold=strong_at if strong else warn,
                message=f"{dress[0].upper()}{dress[1:]} failed {times(count)} with one and the same error: "
                f"{quoted(facts.error_text)}.",
                key=facts.error,
                resets_when="the error is another one or something is really changed",
            ),
        )

    def reset(self) -> None:
        """Forget all errors."""
        self._errors.clear()

    def save(self) -> Any:
        """State as plain JSON."""
        return [
            [error, list(row), era, sorted(calls), sorted(tools)]
            for error, (row, era, calls, tools) in self._errors.items()
        ]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._errors = OrderedDict(
            (error, (list(row), era, set(calls), set(tools))) for error, row, era, calls, tools in state
        )
