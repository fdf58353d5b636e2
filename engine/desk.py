"""Who decides: a person at a screen, or a policy.

Decisions are a registry of futures owned by the engine. A screen only shows what is pending and resolves it; when the
asking task is cancelled the entry is withdrawn and a late key press is harmless.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from loopwatch.engine.events import Action

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopwatch.engine.events import FindingMade, SuggestionMade


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
    """When the policy for unanswered questions takes over; ``None`` means never, or not while others are before it."""


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


@dataclass(slots=True)
class _Waiting:
    """A question on the desk."""

    question: Question
    answer: asyncio.Future[Decision]
    patience: float | None
    """Seconds the question may lie on top; ``None`` means for ever."""
    timer: asyncio.TimerHandle | None = None


class OperatorDesk:
    """Holds questions for a person, oldest first.

    Only the question on top runs out of time: the ones below it begin their countdown when they come up.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._pending: dict[str, _Waiting] = {}
        self._listeners: list[Callable[[], None]] = []
        self._clock = clock

    @property
    def pending(self) -> tuple[Question, ...]:
        """What waits for an answer, oldest first."""
        return tuple(waiting.question for waiting in self._pending.values())

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` whenever ``pending`` changes. Returns the way to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def decide(self, question: Question) -> Decision:
        """Wait for the person; ``EXPIRED`` when ``question.expires_at`` passes first."""
        patience = None if question.expires_at is None else max(0.0, question.expires_at - question.asked_at)
        waiting = _Waiting(
            question=replace(question, expires_at=None),
            answer=asyncio.get_running_loop().create_future(),
            patience=patience,
        )
        self._pending[question.suggestion.id] = waiting
        self._turn_up()
        self._changed()
        try:
            return await waiting.answer
        finally:
            if waiting.timer is not None:
                waiting.timer.cancel()
            del self._pending[question.suggestion.id]
            self._turn_up()
            self._changed()

    def resolve(self, suggestion_id: str, decision: Decision) -> bool:
        """Answer a pending question. False when it is gone or answered already."""
        waiting = self._pending.get(suggestion_id)
        if waiting is None or waiting.answer.done():
            return False
        waiting.answer.set_result(decision)
        return True

    def keep(self, suggestion_id: str) -> bool:
        """The person is at it (has begun to edit): its countdown ends. False when it is gone."""
        waiting = self._pending.get(suggestion_id)
        if waiting is None or waiting.answer.done():
            return False
        waiting.patience = None
        waiting.question = replace(waiting.question, expires_at=None)
        if waiting.timer is not None:
            waiting.timer.cancel()
            waiting.timer = None
        self._changed()
        return True

    def _turn_up(self) -> None:
        """Start the countdown of the question on top, once."""
        for waiting in self._pending.values():
            if waiting.answer.done():
                continue
            if waiting.patience is not None and waiting.timer is None:
                waiting.question = replace(waiting.question, expires_at=self._clock() + waiting.patience)
                waiting.timer = asyncio.get_running_loop().call_later(
                    waiting.patience, self.resolve, waiting.question.suggestion.id, Decision(action=Action.EXPIRED)
                )
            return

    def _changed(self) -> None:
        for listener in tuple(self._listeners):
            listener()
