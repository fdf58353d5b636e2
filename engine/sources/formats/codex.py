"""Codex CLI rollout files, with the envelope (``payload``) and without, as before 0.3x."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopwatch.detectors.step import Call, Result, Usage
from loopwatch.engine.sources.formats.assembly import Assembly
from loopwatch.engine.sources.formats.content import decode, text_of, timestamp
from loopwatch.engine.sources.formats.kind import LineFormat
from loopwatch.engine.sources.formats.messages import arguments, flat

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.step import Step
    from loopwatch.engine.sources.formats.content import Numbered
    from loopwatch.engine.sources.formats.recording import Notes

NAME = "codex-rollout"

_ENVELOPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_BARE_ITEMS = frozenset({"message", "function_call", "function_call_output", "reasoning", "local_shell_call"})
_SAYS_NOTHING = frozenset({"token_usage_record", "world_state", "ghost_snapshot"})
_TELLING_EVENTS = frozenset({"user_message", "token_count", "turn_aborted", "context_compacted"})


class _Reader:
    """Codex tells no response ids: a response is what stands between two things that were sent to the model."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._assembly = Assembly(notes, ids_are_unique=True)
        self._response = 0
        self._sent = True
        """Something was sent to the model since its last word: what it says next is a new response."""
        self._early_usage: Usage | None = None
        self._has_usage = True
        self._total: Any = None

    def read(self, records: Iterable[Numbered]) -> tuple[Step, ...]:
        for at, record in records:
            if not isinstance(record, dict):
                self._notes.strange("record that is no object", at)
                continue
            payload = record.get("payload")
            inner = payload if isinstance(payload, dict) else record
            self._record(at, text_of(record.get("type")), inner, timestamp(record.get("timestamp")))
        return self._assembly.steps()

    def _record(self, at: int, kind: str, inner: dict[str, Any], time: float | None) -> None:
        notes = self._notes
        if kind in _ENVELOPES - {"response_item", "event_msg"} or (not kind and "id" in inner):
            notes.workspace = notes.workspace or text_of(inner.get("cwd"))
            notes.model = notes.model or text_of(inner.get("model"))
            notes.skipped[kind or "header"] += 1
            if kind == "compacted":
                self._assembly.compacted()
                self._sent = True
        elif kind == "event_msg":
            self._event(inner)
        elif kind == "response_item" or kind in _BARE_ITEMS:
            self._item(at, inner, time)
        elif kind in _SAYS_NOTHING or "record_type" in inner:
            notes.skipped[kind or "state"] += 1
        else:
            notes.strange(f"record of type {kind or 'none'}", at)

    def _event(self, event: dict[str, Any]) -> None:
        """What the program told its screen; most of it is in the items too."""
        kind = text_of(event.get("type"))
        self._sent = self._sent or kind in ("user_message", "turn_aborted", "context_compacted")
        match kind:
            case "user_message":
                self._assembly.person(text_of(event.get("message")))
            case "turn_aborted":
                self._assembly.person()
            case "context_compacted":
                self._assembly.compacted()
            case "token_count":
                self._tokens(event.get("info"))
        if kind not in _TELLING_EVENTS:
            self._notes.skipped[f"event {kind}"] += 1

    def _tokens(self, info: Any) -> None:
        """Usage comes before the items of its response in old versions and after them in new ones, and may repeat."""
        if not isinstance(info, dict) or info.get("total_token_usage") == self._total:
            return
        self._total = info.get("total_token_usage")
        usage = _usage(info.get("last_token_usage"))
        if self._has_usage:
            self._early_usage = usage
        else:
            self._assembly.use(usage)
            self._has_usage = True

    def _item(self, at: int, item: dict[str, Any], time: float | None) -> None:
        kind = text_of(item.get("type"))
        match kind:
            case "message":
                self._message(at, item, time)
            case "reasoning":
                self._respond(at, time)
                summary = item.get("summary")
                self._assembly.think(flat(summary if isinstance(summary, list) else []))
            case "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call":
                self._respond(at, time)
                self._assembly.call(_call(kind, item), at=at, time=time)
            case "function_call_output" | "custom_tool_call_output":
                self._assembly.result(text_of(item.get("call_id")), _result(item.get("output")))
                self._sent = True
            case _ if kind in _SAYS_NOTHING:
                self._notes.skipped[kind] += 1
            case _:
                self._notes.strange(f"item of type {kind}", at)

    def _message(self, at: int, item: dict[str, Any], time: float | None) -> None:
        if item.get("role") == "assistant":
            self._respond(at, time)
            self._assembly.say(flat(item.get("content")))
            return
        self._sent = True
        text = flat(item.get("content")).lstrip()
        # Environment, instructions and hook notes come tagged, or in the developer's role; a person's words do not.
        if item.get("role") != "user" or text.startswith(("<", "# AGENTS.md")):
            self._assembly.nudge()
        else:
            self._assembly.person(text)

    def _respond(self, at: int, time: float | None) -> None:
        if self._sent:
            self._response += 1
            self._sent = False
            self._has_usage = self._early_usage is not None
            self._assembly.turn(str(self._response), at=at, time=time)
            self._assembly.use(self._early_usage)
            self._early_usage = None


def _call(kind: str, item: dict[str, Any]) -> Call:
    call_id = text_of(item.get("call_id") or item.get("id"))
    match kind:
        case "function_call":
            given, malformed = arguments(item.get("arguments"))
            return Call(text_of(item.get("name")), given, call_id, malformed)
        case "custom_tool_call":
            return Call(text_of(item.get("name")), item.get("input"), call_id)
        case "local_shell_call":
            return Call("local_shell", item.get("action"), call_id)
        case _:
            return Call("web_search", item.get("action"), call_id)


def _result(output: Any) -> Result:
    """An output is a text, a JSON text around one, an object, or a list of parts."""
    if isinstance(output, str) and output.startswith('{"output":'):
        try:
            output = decode(output)
        except ValueError:
            return Result(text=output)
    if not isinstance(output, dict):
        return Result(text=flat(output))
    metadata = output.get("metadata")
    told = metadata if isinstance(metadata, dict) else {}
    code, seconds, success = told.get("exit_code"), told.get("duration_seconds"), output.get("success")
    return Result(
        text=flat(output.get("output") if "output" in output else output.get("content")),
        is_error=not success if isinstance(success, bool) else None,
        exit_code=code if isinstance(code, int) else None,
        seconds=float(seconds) if isinstance(seconds, int | float) else None,
    )


def _usage(given: Any) -> Usage | None:
    if not isinstance(given, dict):
        return None
    names = ("input_tokens", "output_tokens", "cached_input_tokens", "reasoning_output_tokens")
    counts = [given.get(name) for name in names]
    known = [count if isinstance(count, int) else 0 for count in counts]
    return Usage(input=known[0], output=known[1], cached=known[2], reasoning=known[3])


def _recognises(sample: list[Any]) -> bool:
    records = [record for record in sample if isinstance(record, dict)]
    if any(text_of(record.get("type")) in _ENVELOPES and isinstance(record.get("payload"), dict) for record in records):
        return True
    return any(
        record.get("type") in ("function_call", "function_call_output", "local_shell_call") for record in records
    )


def _steps(records: Iterable[Numbered], notes: Notes) -> Iterable[Step]:
    return _Reader(notes).read(records)


ROLLOUT = LineFormat(NAME, "codex", _recognises, _steps)
