"""What a scenario can ask about a request: the eyes of the rehearsal model."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from loopwatch.engine.agent.conversation import TAG

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REFUSAL = re.compile(r"\bcall was (?:not run|refused|blocked)\b|调用没有执行", re.IGNORECASE)
"""How the results of refused calls begin, in the languages the reminders ship in."""
TAGGED = re.compile(rf"<{TAG}>\s*(?P<text>.*?)\s*</{TAG}>", re.DOTALL)
"""A reminder inside a tool result, in the tag that the system prompt declares."""


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"no valid pattern: {error}") from None
    return text


Pattern = Annotated[str, AfterValidator(_pattern)]
"""A regular expression, searched without regard to case; the dot matches line ends."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a request tells the model that the request before did not."""

    told: tuple[str, ...]
    """Texts addressed to the agent since its last answer: reminders and persons, without their tags, oldest first."""
    results: tuple[str, ...]
    """Tool results since the agent's last answer, in order."""
    reminders: int
    """Texts addressed to the agent since the run began."""
    body: Mapping[str, Any]
    """The whole request."""

    @property
    def refused(self) -> bool:
        """Whether one of the newest calls was answered with a refusal."""
        return any(REFUSAL.search(result) for result in self.results)


def see(body: Mapping[str, Any], *, task: str, reminders_before: int = 0) -> Seen:
    """Read a request. ``task`` tells the task's own message from what was said later."""
    told: list[str] = []
    results: list[str] = []
    for message in _since_last_answer(body.get("messages", ())):
        text = content_text(message.get("content"))
        if message.get("role") == "tool":
            told += [match["text"] for match in TAGGED.finditer(text)]
            results.append(TAGGED.sub("", text).strip())
        elif message.get("role") == "user" and text != task:
            told.append(text)
    return Seen(tuple(told), tuple(results), reminders_before + len(told), body)


def content_text(content: Any) -> str:
    """The text of a message's content: a string, or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return ""


class Condition(BaseModel):
    """A question about a request; all that it names must hold, and one that names nothing always holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    intervened: bool | None = None
    """Something was said to the agent, or a call of its was refused, since its last answer."""
    refused: bool | None = None
    """One of its newest calls was refused."""
    reminders: int | None = Field(default=None, ge=1)
    """At least so many texts were addressed to it since the run began."""
    said: Pattern | None = None
    """The newest of what was said since its last answer matches."""
    result: Pattern | None = None
    """One of its newest results matches."""
    request: Pattern | None = None
    """Anything in the request matches; searched in its JSON."""
    any_: tuple[Condition, ...] | None = Field(default=None, alias="any")
    """At least one of these holds."""
    not_: Condition | None = Field(default=None, alias="not")
    """This does not hold."""

    def holds(self, seen: Seen) -> bool:
        """Whether a request answers the question with yes."""
        checks = (
            self.intervened is None or self.intervened == bool(seen.told or seen.refused),
            self.refused is None or self.refused == seen.refused,
            self.reminders is None or seen.reminders >= self.reminders,
            self.said is None or any(_found(self.said, text) for text in seen.told[-1:]),
            self.result is None or any(_found(self.result, text) for text in seen.results),
            self.request is None or _found(self.request, json.dumps(seen.body, ensure_ascii=False)),
            self.any_ is None or any(part.holds(seen) for part in self.any_),
            self.not_ is None or not self.not_.holds(seen),
        )
        return all(checks)


def _found(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE | re.DOTALL) is not None


def _since_last_answer(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].get("role") == "assistant":
            return messages[at + 1 :]
    return messages
