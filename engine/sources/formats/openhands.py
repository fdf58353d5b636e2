"""OpenHands: the event lists of version 0, and the typed events of the SDK (version 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopwatch.detectors.step import Call, Result, Usage
from loopwatch.engine.sources.formats.assembly import Assembly
from loopwatch.engine.sources.formats.content import text_of, timestamp
from loopwatch.engine.sources.formats.kind import DocumentFormat, LineFormat
from loopwatch.engine.sources.formats.messages import arguments, flat, hear

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.step import Json, Step
    from loopwatch.engine.sources.formats.content import Numbered
    from loopwatch.engine.sources.formats.recording import Notes

_NO_CALLS = frozenset(
    {"message", "change_agent_state", "system", "null", "recall", "condensation", "start_hook_action"}
)
"""Version 0 actions that are no tool calls."""
_OWN_FIELDS = frozenset(
    {"thought", "hidden", "confirmation_state", "blocking", "impl_source", "translated_ipython_code"}
)
"""Arguments that OpenHands adds to what the model asked for."""


class _Events:
    """Version 0: actions and observations; an observation names the action that caused it."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._assembly = Assembly(notes)
        self._calls: dict[int, str] = {}
        """Event id of an action to the id of its call."""

    def read(self, events: Iterable[Any]) -> tuple[Step, ...]:
        for at, event in enumerate(events):
            if not isinstance(event, dict):
                self._notes.strange("event that is no object", at)
            elif "action" in event:
                self._action(at, event)
            elif "observation" in event:
                self._observation(event)
            else:
                self._notes.strange("event without action or observation", at)
        return self._assembly.steps()

    def _action(self, at: int, event: dict[str, Any]) -> None:
        kind, given = text_of(event["action"]), _dict(event.get("args"))
        if kind == "message" and event.get("source") == "user":
            hear(text_of(given.get("content")), self._assembly)
        elif kind == "condensation":
            self._assembly.compacted()
        elif kind in _NO_CALLS - {"message"} or event.get("source") == "environment":
            self._notes.skipped[f"action {kind}"] += 1
        else:
            self._act(at, kind, event, given)

    def _act(self, at: int, kind: str, event: dict[str, Any], given: dict[str, Any]) -> None:
        metadata = _dict(event.get("tool_call_metadata"))
        response = _dict(metadata.get("model_response"))
        time = timestamp(event.get("timestamp"))
        key = text_of(response.get("id"))
        is_new = self._assembly.turn(key or f"event {at}", at=at, time=time)
        self._notes.model = self._notes.model or text_of(response.get("model"))
        if is_new:
            self._assembly.use(_usage(_dict(response.get("usage"))))
            self._assembly.say(text_of(given.get("content" if kind == "message" else "thought")))
        if kind == "message":
            return
        call = _asked(metadata, response) or Call(
            kind, {name: value for name, value in given.items() if name not in _OWN_FIELDS}, f"event {at}"
        )
        self._calls[_int(event.get("id"), at)] = call.id
        self._assembly.call(call, at=at, time=time)

    def _observation(self, event: dict[str, Any]) -> None:
        call_id = self._calls.get(_int(event.get("cause"), -1))
        kind = text_of(event["observation"])
        if call_id is None:
            self._notes.skipped[f"observation {kind}"] += 1
            return
        extras = _dict(event.get("extras"))
        code = _exit_code(extras.get("exit_code", _dict(extras.get("metadata")).get("exit_code")))
        failed = True if kind == "error" else None
        self._assembly.result(call_id, Result(text_of(event.get("content")), is_error=failed, exit_code=code))


def _asked(metadata: dict[str, Any], response: dict[str, Any]) -> Call | None:
    """The call as the model made it, from the response that is kept with the action."""
    call_id = text_of(metadata.get("tool_call_id"))
    for choice in _list(response.get("choices")):
        for call in _list(_dict(_dict(choice).get("message")).get("tool_calls")):
            if _dict(call).get("id") == call_id:
                function = _dict(call["function"])
                given, malformed = arguments(function.get("arguments"))
                return Call(text_of(function.get("name")), given, call_id, malformed)
    return None


class _Sdk:
    """Version 1: one kind of event a line, calls and results joined by the call's id."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._assembly = Assembly(notes)

    def read(self, events: Iterable[Numbered]) -> tuple[Step, ...]:
        for at, event in events:
            if isinstance(event, dict):
                self._event(at, event, text_of(event.get("kind")))
            else:
                self._notes.strange("event that is no object", at)
        return self._assembly.steps()

    def _event(self, at: int, event: dict[str, Any], kind: str) -> None:
        call_id = text_of(event.get("tool_call_id"))
        match kind:
            case "ActionEvent":
                self._action(at, event)
            case "ObservationEvent":
                self._assembly.result(call_id, _observed(_dict(event.get("observation"))))
            case "AgentErrorEvent":
                self._assembly.result(call_id, Result(text_of(event.get("error")), is_error=True))
            case "UserRejectObservation":
                self._assembly.result(call_id, Result(text_of(event.get("rejection_reason")), is_error=True))
                self._assembly.person()
            case "MessageEvent":
                self._message(at, event)
            case "Condensation":
                self._assembly.compacted()
            case "ConversationStateUpdateEvent":
                self._state(event)
            case _ if kind.endswith("Event") or kind == "CondensationRequest":
                self._notes.skipped[kind] += 1
            case _:
                self._notes.strange(f"event of kind {kind or 'none'}", at)

    def _action(self, at: int, event: dict[str, Any]) -> None:
        time = timestamp(event.get("timestamp"))
        if self._assembly.turn(text_of(event.get("llm_response_id")) or f"line {at}", at=at, time=time):
            self._assembly.say(flat(event.get("thought")))
            self._assembly.think(text_of(event.get("reasoning_content")))
        asked = _dict(event.get("tool_call"))
        given, malformed = arguments(asked.get("arguments")) if "arguments" in asked else (event.get("action"), False)
        call = Call(
            text_of(event.get("tool_name")), _without_own_words(given), text_of(event.get("tool_call_id")), malformed
        )
        self._assembly.call(call, at=at, time=time)

    def _message(self, at: int, event: dict[str, Any]) -> None:
        message = _dict(event.get("llm_message"))
        text = flat(message.get("content"))
        if message.get("role") == "assistant":
            self._assembly.turn(text_of(event.get("llm_response_id")) or f"line {at}", at=at)
            self._assembly.say(text)
            self._assembly.think(text_of(message.get("reasoning_content")))
        elif event.get("source") == "user":
            hear(text, self._assembly)
        else:
            self._assembly.nudge()

    def _state(self, event: dict[str, Any]) -> None:
        usage = _dict(_dict(event.get("value")).get("usage_to_metrics")) if event.get("key") == "stats" else {}
        self._notes.model = self._notes.model or text_of(_dict(usage.get("default")).get("model_name"))
        self._notes.skipped["ConversationStateUpdateEvent"] += 1


def _observed(observation: dict[str, Any]) -> Result:
    flag = observation.get("is_error")
    code = observation.get("exit_code", _dict(observation.get("metadata")).get("exit_code"))
    return Result(
        flat(observation.get("content") or observation.get("output")),
        is_error=flag if isinstance(flag, bool) else None,
        exit_code=_exit_code(code),
    )


def _without_own_words(given: Json) -> Json:
    """Arguments without the summary and risk that the SDK has the model say anew with every call."""
    if not isinstance(given, dict):
        return given
    return {name: value for name, value in given.items() if name not in ("security_risk", "summary", "kind")}


def _exit_code(value: Any) -> int | None:
    """OpenHands says -1 where a command has not ended."""
    return value if isinstance(value, int) and value >= 0 else None


def _usage(given: dict[str, Any]) -> Usage | None:
    if not given:
        return None
    cached = _dict(given.get("prompt_tokens_details")).get("cached_tokens")
    return Usage(
        input=_int(given.get("prompt_tokens"), 0),
        output=_int(given.get("completion_tokens"), 0),
        cached=_int(cached, 0),
    )


def _is_v0(document: Any) -> bool:
    events = _list(document.get("history")) if isinstance(document, dict) else _list(document)
    told = [event for event in events[:20] if isinstance(event, dict) and "source" in event]
    return 2 * sum("action" in event or "observation" in event for event in told) > len(events[:20])


def _v0_steps(document: Any, notes: Notes) -> Iterable[Step]:
    return _Events(notes).read(document["history"] if isinstance(document, dict) else document)


def _is_v1(sample: list[Any]) -> bool:
    return any(
        isinstance(event, dict) and "source" in event and text_of(event.get("kind")).endswith("Event")
        for event in sample
    )


def _v1_steps(records: Iterable[Numbered], notes: Notes) -> Iterable[Step]:
    return _Sdk(notes).read(records)


def _is_v1_list(document: Any) -> bool:
    return isinstance(document, list) and _is_v1(document[:20])


def _v1_list_steps(document: Any, notes: Notes) -> Iterable[Step]:
    return _Sdk(notes).read(enumerate(document))


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _int(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise


V0 = DocumentFormat("openhands-v0", "openhands", _is_v0, _v0_steps)
V1 = LineFormat("openhands-v1", "openhands", _is_v1, _v1_steps)
V1_LIST = DocumentFormat("openhands-v1", "openhands", _is_v1_list, _v1_list_steps)
