"""Agents that hand the same task back and forth."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

HISTORY = 50
LENGTH = 1_000
"""Characters of a call whose words are compared."""
LIKE = 0.7
"""Share of common words that makes two hand-offs alike."""
_WORD = re.compile(r"\w+")


class HandoffSettings(RuleSettings):
    """Thresholds of ``handoff``."""

    warn: int = knob(
        5, title="Warn", minimum=3, maximum=30, unit="hand-offs", help="Hand-offs in a row with no work (OpenClaw: 5)."
    )
    strong: int = knob(
        8, title="Strong", minimum=4, maximum=60, unit="hand-offs", help="Hand-offs before a last chance is offered."
    )


class Handoff(Rule):
    """A task is handed to and fro, or handed out again and again, and nobody works on it.

    Sees: delegating calls one after the other; whether they come again: the same call, a call in much the same words,
    or hand-over tools in turn, whatever the words.
    Source: OpenClaw (agent to agent: 5), Strands (repetitive hand-offs), S-shape "planner and coder".
    Limits: what a sub-agent did is not seen here.
    Quiet: different tasks handed out, also many at once; any other call between starts the count anew.
    """

    id = "handoff"
    title = "Hands the task back and forth"
    Settings = HandoffSettings
    settings: HandoffSettings

    def __init__(self, settings: HandoffSettings) -> None:
        super().__init__(settings)
        self._row: list[list[Any]] = []
        """``[step, tool, call, words, like one of the two before]``."""
        self._turn = -1

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:  # noqa: ARG002
        """Count a hand-off, or take another call as the end of the row."""
        if not facts.tool:
            return ()
        if not facts.effect.has(Effect.DELEGATE):
            if self._row:
                self._row.clear()
            return ()
        if facts.turn == self._turn:
            return ()
        self._turn = facts.turn
        words = sorted(set(_WORD.findall(facts.canonical_call[:LENGTH].lower())))
        like = any(_alike(words, former[3]) for former in self._row[-2:])
        self._row.append([facts.index, facts.tool, facts.call, words, like])
        del self._row[:-HISTORY]
        count, settings = len(self._row), self.settings
        if count < settings.warn:
            return ()
        tools = {entry[1] for entry in self._row}
        calls = {entry[2] for entry in self._row}
        likes = sum(entry[4] for entry in self._row[-settings.warn + 1 :])
        few = len(tools) if len(tools) > 1 else len(calls)
        if 2 * few > count and likes < settings.warn - 1:
            return ()
        strong = count >= settings.strong
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=[entry[0] for entry in self._row],
                count=count,
                threshold=settings.strong if strong else settings.warn,
                message=f"{count} hand-offs in a row between {', '.join(sorted(tools)[:4])}, and no work by anyone.",
                key=" ".join(sorted(tools))[:200],
                resets_when="any other tool is called",
            ),
        )

    def reset(self) -> None:
        """Forget the row."""
        self._row.clear()
        self._turn = -1

    def save(self) -> Any:
        """The row of hand-offs."""
        return [[list(entry) for entry in self._row], self._turn]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        row, self._turn = state
        self._row = [list(entry) for entry in row]


def _alike(words: list[str], others: list[str]) -> bool:
    common = len(set(words).intersection(others))
    return common >= LIKE * (len(words) + len(others) - common)
