"""Lists of chat messages, the common ground of many formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopwatch.detectors.step import Call, Result
from loopwatch.engine.sources.formats.assembly import Assembly
from loopwatch.engine.sources.formats.content import decode, text_of
from loopwatch.engine.sources.formats.kind import DocumentFormat
from loopwatch.engine.sources.formats.speech import speaker

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.step import Json, Step
    from loopwatch.engine.sources.formats.recording import Notes

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def flat(content: Any) -> str:
    """The text of a message's content, which may be a string or a list of parts; other parts are named."""
    if isinstance(content, list):
        return "\n".join(_part(part) for part in content)
    return text_of(content)


def arguments(given: Any) -> tuple[Json, bool]:
    """Arguments as they were given, and whether they were no whole JSON object."""
    if not isinstance(given, str):
        return given, False
    if not given.strip():
        return {}, False
    try:
        decoded: Json = decode(given)
    except ValueError:
        return given, True
    return (decoded, False) if isinstance(decoded, dict) else (given, True)


def are_messages(value: Any) -> bool:
    """Whether this is a list of chat messages."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(message, dict) and text_of(message.get("role")) in ROLES for message in value[:20])
    )


def hear(text: str, assembly: Assembly) -> None:
    """Take in a message of the role ``user``, whoever wrote it."""
    match speaker(text):
        case "compaction":
            assembly.compacted()
        case "nudge":
            assembly.nudge()
        case _:
            assembly.person(text)


def call_tools(message: dict[str, Any], assembly: Assembly, *, at: int, time: float | None = None) -> None:
    """Take in the calls of an assistant's message."""
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if not isinstance(call, dict):
            continue
        function = call.get("function")
        # The chat API nests name and arguments in "function"; Inspect puts the name there and the arguments beside it.
        inner = function if isinstance(function, dict) else {"name": function, "arguments": call.get("arguments")}
        given, malformed = arguments(inner.get("arguments"))
        assembly.call(
            Call(tool=text_of(inner.get("name")), arguments=given, id=text_of(call.get("id")), malformed=malformed),
            at=at,
            time=time,
        )


def take(messages: Iterable[Any], notes: Notes) -> Assembly:
    """Read chat messages; positions are their places in the list."""
    assembly = Assembly(notes)
    for at, message in enumerate(messages):
        if not isinstance(message, dict):
            notes.strange("message that is no object", at)
            continue
        match message.get("role"):
            case "system" | "developer":
                notes.skipped["system message"] += 1
            case "user":
                hear(flat(message.get("content")), assembly)
            case "assistant":
                assembly.turn(str(at), at=at)
                assembly.say(flat(message.get("content")))
                assembly.think(text_of(message.get("reasoning_content")))
                call_tools(message, assembly, at=at)
            case "tool":
                answer = Result(text=flat(message.get("content")))
                if message.get("tool_call_id"):
                    assembly.result(text_of(message["tool_call_id"]), answer)
                else:
                    assembly.answer(answer)
            case role:
                notes.strange(f"message of role {role}", at)
    return assembly


def _recognises(document: Any) -> bool:
    return are_messages(_list(document)) and any(
        isinstance(message, dict) and message.get("role") == "assistant" for message in _list(document)
    )


def _steps(document: Any, notes: Notes) -> Iterable[Step]:
    if isinstance(document, dict):
        notes.model = text_of(document.get("model"))
    return take(_list(document), notes).steps()


def _list(document: Any) -> Any:
    return document.get("messages") if isinstance(document, dict) else document


def _part(part: Any) -> str:
    if not isinstance(part, dict):
        return text_of(part)
    for name in ("text", "content", "refusal"):
        if isinstance(part.get(name), str):
            return str(part[name])
    return f"[{part.get('type') or 'part'}]"


CHAT_MESSAGES = DocumentFormat("chat-messages", "unknown agent", _recognises, _steps)
"""A plain list of chat messages, or an object that holds one."""
