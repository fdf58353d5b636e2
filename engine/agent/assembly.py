"""Puts tool calls together from streamed deltas.

Endpoints differ: some leave the index out, some send a whole call in one chunk, some repeat id and name on every
delta, some send no id at all. All of that is understood here and nowhere else.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from loopwatch.engine.agent.plain import string, whole, whole_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NO_NAME = re.compile(r"[^A-Za-z0-9_-]")
"""What no endpoint takes back in a tool's name."""


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """A call the model asked for."""

    id: str
    tool: str
    arguments: Any
    """Decoded JSON; the text as it came where it could not be decoded."""
    raw: str
    """The argument text as the model wrote it; what goes back into the conversation."""
    malformed: bool = False
    problem: str = ""
    """Why ``raw`` is no JSON, and where."""

    @classmethod
    def from_text(cls, *, call_id: str, tool: str, raw: str) -> RequestedCall:
        """Decode the argument text. No text at all means no arguments."""
        tool, raw = whole(tool).strip(), whole(raw)
        if not raw.strip():
            return cls(id=call_id, tool=tool, arguments={}, raw="{}")
        try:
            # Weak models put real line ends into strings; there is no doubt what they mean.
            value = json.loads(raw, strict=False)
            if isinstance(value, str) and value.lstrip()[:1] == "{":
                value = json.loads(value, strict=False)  # encoded twice
        except ValueError as error:
            problem = _problem(error, raw)
        except RecursionError:
            problem = "nested too deeply"
        else:
            return cls(id=call_id, tool=tool, arguments=whole_json(value), raw=raw)
        return cls(id=call_id, tool=tool, arguments=raw, raw=raw, malformed=True, problem=problem)


@dataclass(slots=True)
class _Partial:
    id: str = ""
    tool: str = ""
    parts: list[str] = field(default_factory=list)


def new_call_id() -> str:
    """An id for a call whose endpoint gave it none: nine letters and digits, which every provider takes back."""
    return uuid4().hex[:9]


class CallAssembler:
    """Collects the ``tool_calls`` deltas of one answer."""

    def __init__(self) -> None:
        self._partials: list[_Partial] = []
        self._by_index: dict[int, _Partial] = {}

    def feed(self, deltas: Iterable[Any]) -> None:
        """Take in the ``tool_calls`` list of one chunk (objects of the openai client, or alike)."""
        for delta in deltas:
            function = getattr(delta, "function", None)
            call_id = string(getattr(delta, "id", None))
            name = string(getattr(function, "name", None))
            partial = self._place(getattr(delta, "index", None), call_id=call_id, name=name)
            partial.id = partial.id or call_id
            partial.tool = partial.tool or name
            if arguments := getattr(function, "arguments", None):
                partial.parts.append(arguments if isinstance(arguments, str) else json.dumps(arguments))

    def calls(self) -> tuple[RequestedCall, ...]:
        """The calls so far, in the order the model began them, each with an id of its own."""
        seen: set[str] = set()
        found: list[RequestedCall] = []
        for partial in self._partials:
            call_id = partial.id if partial.id and partial.id not in seen else new_call_id()
            seen.add(call_id)
            found.append(RequestedCall.from_text(call_id=call_id, tool=partial.tool, raw="".join(partial.parts)))
        return tuple(found)

    def _place(self, index: int | None, *, call_id: str, name: str) -> _Partial:
        """The partial call a delta belongs to; a new one where it begins one."""
        if index is not None:
            known = self._by_index.get(index)
            # Some endpoints number every call 0: another id together with a name begins another call.
            if known is not None and not (call_id and name and known.id and call_id != known.id):
                return known
            return self._begin(index)
        begins = bool(name) and not (self._partials and call_id and self._partials[-1].id == call_id)
        if begins or not self._partials:
            return self._begin(None)
        return self._partials[-1]

    def _begin(self, index: int | None) -> _Partial:
        partial = _Partial()
        self._partials.append(partial)
        if index is not None:
            self._by_index[index] = partial
        return partial


def as_message(text: str, calls: Sequence[RequestedCall]) -> dict[str, Any]:
    """The assistant message that goes back into the conversation."""
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": _NO_NAME.sub("_", call.tool)[:64] or "unnamed", "arguments": _valid(call)},
            }
            for call in calls
        ]
    elif not text:
        message["content"] = ""
    return message


def _valid(call: RequestedCall) -> str:
    """The arguments as every endpoint takes them back: an object in strict JSON, since chat templates decode it.

    What the model wrote goes back as it was, so that prompt caches stay valid. What is broken cannot; the error result
    quotes it. (Any object made up to hold it would be imitated.)
    """
    if not isinstance(call.arguments, dict):
        return "{}"
    try:
        as_it_was = isinstance(json.loads(call.raw), dict)
    except ValueError:
        as_it_was = False
    return call.raw if as_it_was else json.dumps(call.arguments, ensure_ascii=False)


def _problem(error: ValueError, raw: str) -> str:
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    if error.pos >= len(raw.rstrip()):
        return f"{error.msg} at character {error.pos + 1}, where the text ends"
    return f"{error.msg} at character {error.pos + 1}, near {raw[max(0, error.pos - 20) : error.pos + 20]!r}"
