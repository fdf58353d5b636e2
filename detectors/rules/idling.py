"""Turns in which nothing is done: empty, or talk alone."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.memory import note
from loopwatch.detectors.rules.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

WORDS = 300
"""Words of a message that are compared."""
GRAM = 2


class IdlingSettings(RuleSettings):
    """Thresholds of ``idling``."""

    warn: int = knob(
        3, title="Warn", minimum=2, maximum=20, unit="messages", help="Messages alike in a row, no call (OpenHands: 3)."
    )
    empty: int = knob(
        4,
        title="Empty",
        minimum=2,
        maximum=20,
        unit="turns",
        help="Turns in a row with neither text, thought nor call.",
    )
    talk: int = knob(
        8,
        title="Any talk",
        minimum=3,
        maximum=50,
        unit="messages",
        help="Messages in a row without a call, however new.",
    )
    alike: int = knob(
        50,
        title="Alike",
        minimum=20,
        maximum=100,
        step=5,
        unit="%",
        help="Shared word pairs that make two messages alike.",
    )
    strong: int = knob(
        6,
        title="Strong",
        minimum=3,
        maximum=50,
        unit="messages",
        help="Messages alike before a last chance is offered.",
    )


class Idling(Rule):
    """The agent talks to itself, or says nothing, and calls no tool.

    Sees: messages without a call, one after the other, with nobody answering; how many word pairs they share.
    Source: OpenHands (monologue: 3), Roo (second reply without a tool), L12 of texts: "reworded monologue".
    Limits: a source that does not mark a person's messages makes a conversation look like a monologue, so talk that
    is new each time needs many messages.
    Quiet: any call or word of a person starts the count anew; replies of thought alone are not empty (SDK PR#2505);
    a text continued after a cut is new text.
    """

    id = "idling"
    title = "Talks or idles without acting"
    Settings = IdlingSettings
    settings: IdlingSettings

    def __init__(self, settings: IdlingSettings) -> None:
        super().__init__(settings)
        self._talk: list[int] = []
        self._alike: list[int] = []
        self._empty: list[int] = []
        self._pairs: set[str] = set()

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Count a message without a call, or take a call as the end."""
        if step.call is not None or step.person:
            if self._talk or self._empty:
                self.reset()
            if step.call is not None:
                return ()
        if not step.text.strip():
            if step.reasoning.strip():
                return ()
            note(self._empty, facts.index)
            count, threshold = len(self._empty), self.settings.empty
            return self._say(
                facts, self._empty, threshold, f"{count} turns in a row were empty: no text, no call.", "empty"
            )
        self._empty.clear()
        note(self._talk, facts.index)
        pairs = _pairs(step.text)
        shared = len(pairs & self._pairs) / max(1, min(len(pairs), len(self._pairs)))
        if not self._alike or shared * 100 < self.settings.alike:
            self._alike.clear()
        note(self._alike, facts.index)
        self._pairs = pairs
        alike = len(self._alike)
        if alike >= self.settings.warn:
            said = f"{alike} messages in a row say much the same and call no tool: {quoted(step.text)}."
            return self._say(facts, self._alike, self.settings.warn, said, "alike")
        said = f"{len(self._talk)} messages in a row with no call and nobody answering, last: {quoted(step.text)}."
        return self._say(facts, self._talk, self.settings.talk, said, "talk")

    def _say(self, facts: Facts, steps: list[int], threshold: int, message: str, key: str) -> Iterable[Finding]:
        count = len(steps)
        if count < threshold:
            return ()
        strong = key != "talk" and count >= self.settings.strong
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=steps,
                count=count,
                threshold=self.settings.strong if strong else threshold,
                message=message,
                key=key,
                resets_when="a tool is called or a person speaks",
                equal_because=("word pairs compared",) if key == "alike" else (),
            ),
        )

    def reset(self) -> None:
        """Forget all messages."""
        self._talk.clear()
        self._alike.clear()
        self._empty.clear()
        self._pairs = set()

    def save(self) -> Any:
        """The rows of messages and the last one's word pairs."""
        return [self._talk[:], self._alike[:], self._empty[:], sorted(self._pairs)]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        talk, alike, empty, pairs = state
        self._talk, self._alike, self._empty, self._pairs = list(talk), list(alike), list(empty), set(pairs)


def _pairs(text: str) -> set[str]:
    words = text[: 12 * WORDS].lower().split()[:WORDS]
    if len(words) < GRAM:
        return set(words)
    return {f"{first} {second}" for first, second in pairwise(words)}
