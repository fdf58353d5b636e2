"""Proof that a request carried what was to be said: looked up in the messages handed to the wire, not assumed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopwatch.engine.supervision import Injection


@dataclass(frozen=True, slots=True)
class Awaited:
    """An injection whose receipt is due with the next request."""

    injection: Injection
    call_id: str = ""
    """The refused call that the text answers; empty for reminders."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a request carries a text, or why it does not count as carried."""

    position: int = -1
    """Index of the message; -1 when it is not there."""
    reason: str = ""


def sighting(awaited: Awaited, messages: Sequence[dict[str, Any]]) -> Sighting:
    """Look for an injection where it belongs: at the end of the request, after all results of the turn (rules 1, 2)."""
    text = awaited.injection.text
    tail = _tail(messages)
    if awaited.injection.channel == "user_message":
        for position in range(len(messages) - 1, tail - 1, -1):
            if text in _content(messages[position]):
                return Sighting(position)
        earlier = any(text in _content(message) for message in messages)
        return Sighting(reason="not among the last messages" if earlier else "the request does not carry the text")
    results = [place for place in range(len(messages)) if messages[place].get("role") == "tool"]
    if awaited.call_id:
        # Providers that reuse ids: the newest result of that id is the one in question.
        results = [place for place in results if messages[place].get("tool_call_id") == awaited.call_id]
    # Where calls are written into the text, results travel in the user messages at the end.
    places = results[-1:] or range(len(messages) - 1, tail - 1, -1)
    for position in places:
        if text in _content(messages[position]):
            return Sighting(position)
    return Sighting(reason="the result does not carry the text")


def _tail(messages: Sequence[dict[str, Any]]) -> int:
    """Index of the first of the user messages that the request ends in."""
    place = len(messages)
    while place and messages[place - 1].get("role") == "user":
        place -= 1
    return place


def _content(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return ""
