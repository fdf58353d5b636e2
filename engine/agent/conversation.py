"""The messages that go to the model.

Only the tail grows; what was sent once is never changed (injection rule 3). Every call id gets exactly one result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loopwatch.engine.agent.assembly import as_message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopwatch.engine.agent.assembly import RequestedCall
    from loopwatch.engine.supervision import Injection

TAG = "loopwatch-reminder"
"""Declared in the system prompt; text inside it comes from the operator."""

_TAG_LIKE = re.compile(rf"<(\s*/?\s*{TAG})", re.IGNORECASE)


def neutralised(text: str) -> str:
    """``text`` with our own tag made harmless: tool output must not speak with the operator's voice."""
    return _TAG_LIKE.sub("<\u200b\\1", text)


def tagged(text: str) -> str:
    """A reminder in its declared tag."""
    return f"<{TAG}>\n{text}\n</{TAG}>"


@dataclass(frozen=True, slots=True)
class Answered:
    """A call and the text that answers it."""

    call: RequestedCall
    text: str
    remark: str = ""
    """loopwatch's own words about the result, for the model alone."""


class Conversation:
    """One run's messages in chat-completions form."""

    def __init__(self, *, system: str, task: str, text_results: bool = False) -> None:
        self._messages: list[dict[str, Any]] = [
            {"role": "system", "content": system},
            {"role": "user", "content": task},
        ]
        self.text_results = text_results
        """The results of this turn go back in a user message (the model wrote its calls into the text)."""

    def messages(self) -> list[dict[str, Any]]:
        """What the next request carries; a copy that later growth does not touch."""
        return [dict(message) for message in self._messages]

    def add_answer(self, text: str, calls: Sequence[RequestedCall]) -> None:
        """The model's answer."""
        self._messages.append(as_message(text, () if self.text_results else calls))

    def add_results(self, results: Sequence[Answered], inject: Sequence[Injection] = ()) -> None:
        """All results of a turn, in call order, then what is to be injected (injection rules 1 and 2)."""
        texts = [f"{one.text}\n\n{tagged(one.remark)}" if one.remark else one.text for one in results]
        inside = [tagged(injection.text) for injection in inject if injection.channel == "tool_result"]
        beside = [injection.text for injection in inject if injection.channel == "user_message"]
        if texts:
            texts[-1] = "\n\n".join([texts[-1], *inside])
        else:
            beside = inside + beside
        if self.text_results and texts:
            self._add_as_user(results, texts, beside)
            return
        self._messages += [
            {"role": "tool", "tool_call_id": one.call.id, "content": text}
            for one, text in zip(results, texts, strict=True)
        ]
        self._messages += [{"role": "user", "content": text} for text in beside]

    def _add_as_user(self, results: Sequence[Answered], texts: Sequence[str], beside: Sequence[str]) -> None:
        """Results and reminders in one user message: such endpoints insist on alternating roles."""
        parts = [f"Result of {one.call.tool}:\n{text}" for one, text in zip(results, texts, strict=True)]
        self._messages.append({"role": "user", "content": "\n\n".join([*parts, *map(tagged, beside)])})
