"""Answers that end at the output limit, and continuations that dwindle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.memory import note
from loopwatch.detectors.sameness.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

CUT = frozenset({"length", "max_tokens", "max_output_tokens", "MAX_TOKENS", "model_length", "incomplete"})
BEGINNING = 200
"""Characters that tell a fresh start from a continuation."""


class CutOffSettings(RuleSettings):
    """Thresholds of ``cut_off``."""

    warn: int = knob(
        2,
        title="Warn",
        minimum=1,
        maximum=20,
        unit="answers",
        help="Answers cut off in a row that began alike (Hermes: 3).",
    )
    strong: int = knob(
        4, title="Strong", minimum=2, maximum=20, unit="answers", help="Such answers before a last chance is offered."
    )
    any_answer: int = knob(
        5, title="Continued", minimum=2, maximum=50, unit="answers", help="Answers cut off in a row that do go on."
    )


class CutOff(Rule):
    """Answers end at the output limit one after the other.

    Sees: the finish reason; whether the answer began as the one before it did, which means that it was begun anew and
    will be cut at the same place.
    Source: B8; opencode#18108 (truncated call, parse error, the same call); Hermes (2 advice, 3 strong).
    Limits: sources without a finish reason are not seen; cut-off arguments alone are another rule's.
    Quiet: one cut; a text that goes on where it was cut; an answer that ends by itself ends the row.
    """

    id = "cut_off"
    title = "Answers cut off"
    Settings = CutOffSettings
    settings: CutOffSettings

    def __init__(self, settings: CutOffSettings) -> None:
        super().__init__(settings)
        self._alike: list[int] = []
        self._all: list[int] = []
        self._turn = -1
        self._beginning = ""

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Count an answer that was cut, or take another as the end of the row."""
        if not step.finish_reason:
            return ()
        if step.finish_reason not in CUT:
            if self._all and facts.turn != self._turn:
                self.reset()
            return ()
        if facts.turn == self._turn:
            return ()
        self._turn = facts.turn
        beginning = _beginning(step)
        if beginning != self._beginning:
            self._alike.clear()
        self._beginning = beginning
        note(self._alike, facts.index)
        note(self._all, facts.index)
        settings, alike = self.settings, len(self._alike)
        if alike >= settings.warn:
            strong = alike >= settings.strong
            return self._say(
                facts,
                Level.STRONG if strong else Level.WARN,
                self._alike,
                settings.strong if strong else settings.warn,
                f"{alike} answers in a row began alike and were cut off at the output limit.",
            )
        if len(self._all) >= settings.any_answer:
            said = f"{len(self._all)} answers in a row were cut off at the output limit."
            return self._say(facts, Level.WARN, self._all, settings.any_answer, said)
        return ()

    def _say(self, facts: Facts, level: Level, steps: list[int], threshold: int, message: str) -> Iterable[Finding]:
        return (
            self.found(
                facts,
                level=level,
                steps=steps,
                count=len(steps),
                threshold=threshold,
                message=message,
                key="alike" if steps is self._alike else "continued",
                resets_when="an answer ends by itself",
                equal_because=("beginnings compared",) if steps is self._alike else (),
            ),
        )

    def reset(self) -> None:
        """Forget the row."""
        self._alike.clear()
        self._all.clear()
        self._turn, self._beginning = -1, ""

    def save(self) -> Any:
        """The rows of cut answers."""
        return [self._alike[:], self._all[:], self._turn, self._beginning]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        alike, every, self._turn, self._beginning = state
        self._alike, self._all = list(alike), list(every)


def _beginning(step: Step) -> str:
    """The beginning of what the answer was about: its call, else its text, else its thoughts."""
    if step.call is not None:
        arguments = step.call.arguments
        said = arguments if isinstance(arguments, str) else " ".join(str(arguments)[: 2 * BEGINNING].split())
        return fingerprint(f"{step.call.tool}\n{said[:BEGINNING]}")
    return fingerprint((step.text.strip() or step.reasoning.strip())[:BEGINNING])


class DwindlingSettings(RuleSettings):
    """Thresholds of ``dwindling``."""

    continuations: int = knob(
        3,
        title="Continuations",
        minimum=2,
        maximum=20,
        unit="answers",
        help="Answers without a call before it speaks (B7).",
    )
    small: int = knob(
        500, title="Small", minimum=50, maximum=5_000, step=50, unit="tokens", help="Output that counts as little (B7)."
    )
    row: int = knob(
        2,
        title="Small ones in a row",
        minimum=1,
        maximum=10,
        unit="answers",
        help="Small answers, each shorter than before.",
    )
    stop: bool = Field(default=False, title="Stop", description="Propose to stop the run rather than to remind (B7).")


class Dwindling(Rule):
    """Each continuation adds less than the one before.

    Sees: the output tokens of answers without a call, one after the other.
    Source: B7 (+3000, +2000, +400, +200: two small shrinking steps in a row); clawcodex PR#101 (< 500 twice after 3).
    Limits: needs token counts.
    Quiet: any call or word of a person starts the count anew.
    """

    id = "dwindling"
    title = "Continuations dwindle"
    Settings = DwindlingSettings
    settings: DwindlingSettings

    def __init__(self, settings: DwindlingSettings) -> None:
        super().__init__(settings)
        self._tokens: list[list[int]] = []
        """``[step, output tokens]`` of the answers."""
        self._small = 0

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Weigh a continuation against the one before."""
        if step.call is not None or step.person:
            if self._tokens:
                self.reset()
            if step.call is not None:
                return ()
        if step.usage is None:
            return ()
        tokens, settings = step.usage.output, self.settings
        shrinks = bool(self._tokens) and tokens < min(self._tokens[-1][1], settings.small)
        self._small = self._small + 1 if shrinks else 0
        self._tokens.append([facts.index, tokens])
        del self._tokens[:-20]
        if self._small < settings.row or len(self._tokens) < settings.continuations + 1:
            return ()
        newest = self._tokens[-4:]
        return (
            self.found(
                facts,
                level=Level.CRITICAL if settings.stop else Level.WARN,
                steps=[index for index, _ in newest],
                count=self._small,
                threshold=settings.row,
                message=f"Continuations add less and less: {', '.join(f'+{added}' for _, added in newest)} tokens.",
                key="dwindling",
                resets_when="a tool is called or an answer is longer than the one before",
                equal_because=(),
            ),
        )

    def reset(self) -> None:
        """Forget the answers."""
        self._tokens.clear()
        self._small = 0

    def save(self) -> Any:
        """The answers' tokens."""
        return [[list(entry) for entry in self._tokens], self._small]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        tokens, self._small = state
        self._tokens = [list(entry) for entry in tokens]
