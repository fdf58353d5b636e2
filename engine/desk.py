"""Who decides: a person at a screen, or a policy.

Decisions are a registry of futures owned by the engine. A screen only shows what is pending and resolves it; when the
asking task is cancelled the entry is withdrawn and a late key press is harmless.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopwatch.engine.events import Action, FindingMade, SuggestionMade


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to a suggestion."""

    action: Action
    text: str = ""
    """For ``edit`` and ``override``: the text that goes out instead of the suggested one."""
    steps: int = 0
    """For ``snooze``: how many steps to be quiet about this."""
    always: bool = False
    """The same answer for this rule for the rest of the run."""


@dataclass(frozen=True, slots=True)
class Question:
    """A suggestion that waits, with the proof it rests on."""

    suggestion: SuggestionMade
    finding: FindingMade
    asked_at: float
    """Unix time in seconds."""
    expires_at: float | None = None
    """When the policy for unanswered questions takes over; ``None`` means never."""


class Desk(Protocol):
    """Whoever answers suggestions."""

    async def decide(self, question: Question) -> Decision:
        """Answer, however long it takes. Cancelling the call withdraws the question."""
        ...


class PolicyDesk:
    """Answers every question alike, at once."""

    def __init__(self, action: Action, *, snooze_steps: int = 0) -> None:
        self._decision = Decision(action=action, steps=snooze_steps)

    async def decide(self, question: Question) -> Decision:  # noqa: ARG002
        """Give the policy's answer."""
        return self._decision


class OperatorDesk:
    """Holds questions for a person, oldest first."""

    def __init__(self) -> None:
        self._pending: dict[str, tuple[Question, asyncio.Future[Decision]]] = {}
        self._listeners: list[Callable[[], None]] = []

    @property
    def pending(self) -> tuple[Question, ...]:
        """What waits for an answer, oldest first."""
        return tuple(question for question, _ in self._pending.values())

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` whenever ``pending`` changes. Returns the way to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def decide(self, question: Question) -> Decision:
        """Wait for the person."""
        answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._pending[question.suggestion.id] = (question, answer)
        self._changed()
        try:
            return await answer
        finally:
            del self._pending[question.suggestion.id]
            self._changed()

    def resolve(self, suggestion_id: str, decision: Decision) -> bool:
        """Answer a pending question. False when it is gone or answered already."""
        entry = self._pending.get(suggestion_id)
        if entry is None or entry[1].done():
            return False
        entry[1].set_result(decision)
        return True

    def _changed(self) -> None:
        for listener in tuple(self._listeners):
            listener()
