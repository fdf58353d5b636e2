"""Puts tool calls together from streamed deltas.

Endpoints differ: some leave the index out, some send a whole call in one chunk, some repeat id and name on every
delta, some send no id at all. All of that is understood here and nowhere else.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """A call the model asked for."""

    id: str
    tool: str
    arguments: Any
    """Decoded JSON; the text as it came where it could not be decoded."""
    raw: str
    """The argument text exactly as the model wrote it; what goes back into the conversation."""
    malformed: bool = False

    @classmethod
    def from_text(cls, *, call_id: str, tool: str, raw: str) -> RequestedCall:
        """Decode the argument text. No text at all means no arguments."""
        if not raw.strip():
            return cls(id=call_id, tool=tool, arguments={}, raw="{}")
        try:
            return cls(id=call_id, tool=tool, arguments=json.loads(raw), raw=raw)
        except (ValueError, RecursionError):
            return cls(id=call_id, tool=tool, arguments=raw, raw=raw, malformed=True)


@dataclass(slots=True)
class _Partial:
    id: str = ""
    tool: str = ""
    parts: list[str] = field(default_factory=list)


def new_call_id() -> str:
    """An id for a call whose endpoint gave it none."""
    return f"call_{uuid4().hex[:12]}"


class CallAssembler:
    """Collects the ``tool_calls`` deltas of one answer."""

    def __init__(self) -> None:
        self._partials: list[_Partial] = []
        self._by_index: dict[int, _Partial] = {}

    def feed(self, deltas: Iterable[Any]) -> None:
        """Take in the ``tool_calls`` list of one chunk (objects of the openai client, or alike)."""
        for delta in deltas:
            function = getattr(delta, "function", None)
            call_id = getattr(delta, "id", None) or ""
            name = getattr(function, "name", None) or ""
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
            {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": _valid(call)}}
            for call in calls
        ]
    elif not text:
        message["content"] = ""
    return message


def _valid(call: RequestedCall) -> str:
    """Endpoints refuse a history with broken argument JSON, so what was broken goes back quoted."""
    return json.dumps({"_raw": call.raw}) if call.malformed else call.raw
