"""Inspect logs: ``.eval`` archives and ``.json`` logs, one run a sample."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.step import Result, Usage
from loopwatch.engine.sources.formats.assembly import Assembly
from loopwatch.engine.sources.formats.content import decode, text_of, timestamp
from loopwatch.engine.sources.formats.kind import DocumentFormat
from loopwatch.engine.sources.formats.messages import are_messages, call_tools, flat
from loopwatch.engine.sources.formats.recording import UnreadableError
from loopwatch.engine.sources.formats.speech import speaker

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from loopwatch.detectors.step import Step
    from loopwatch.engine.sources.formats.kind import Part
    from loopwatch.engine.sources.formats.recording import Notes

_ATTACHMENT = "attachment://"
MEMBER_LIMIT = 512 * 1024 * 1024
"""Bytes of one file in an archive, unpacked; more is refused."""


def open_archive(path: Path) -> dict[str, Any]:
    """An ``.eval`` archive as the document that a ``.json`` log would be.

    Raises:
        UnreadableError: the archive holds no samples, or is damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            head = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
            samples = [name for name in names if name.startswith("samples/") and name.endswith(".json")]
            if head is None or not samples:
                raise UnreadableError(f"{path}: an archive, but no Inspect log (no header or no samples in it)")
            header = _member(archive, head)
            return {
                **(header if isinstance(header, dict) else {}),
                "samples": [_member(archive, one) for one in samples],
            }
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, ValueError) as error:
        if isinstance(error, UnreadableError):
            raise
        raise UnreadableError(f"{path}: a damaged Inspect archive: {error}") from None


def _member(archive: zipfile.ZipFile, name: str) -> Any:
    if archive.getinfo(name).file_size > MEMBER_LIMIT:
        raise ValueError(f"{name} is larger than {MEMBER_LIMIT:,} bytes")
    return decode(archive.read(name).decode("utf-8", "replace"))


def _recognises(document: Any) -> bool:
    return (
        isinstance(document, dict)
        and isinstance(document.get("eval"), dict)
        and isinstance(document.get("samples"), list)
        and any(isinstance(sample, dict) for sample in document["samples"])
    )


def _runs(document: Any) -> Iterable[Part]:
    for sample in document["samples"]:
        if not isinstance(sample, dict):
            continue
        part = f"sample-{text_of(sample.get('id'))}-epoch-{text_of(sample.get('epoch', 1))}"
        yield part, {"sample": sample, "eval": document["eval"]}


def _steps(run: Any, notes: Notes) -> Iterable[Step]:
    sample, about = run["sample"], run["eval"]
    notes.model = text_of(about.get("model"))
    notes.header = {"task": about.get("task"), "id": sample.get("id"), "scores": sample.get("scores")}
    attachments = sample.get("attachments")
    messages = sample.get("messages")
    if not are_messages(messages):
        notes.strange("sample without messages", 0)
        return ()
    whole = _restored(messages, attachments if isinstance(attachments, dict) else {})
    events = sample.get("events")
    return _read(whole, _responses(events if isinstance(events, list) else []), notes)


def _read(messages: list[Any], responses: dict[str, dict[str, Any]], notes: Notes) -> tuple[Step, ...]:
    assembly = Assembly(notes)
    for at, message in enumerate(messages):
        match message.get("role") if isinstance(message, dict) else None:
            case "system":
                notes.skipped["system message"] += 1
            case "user":
                _hear(message, assembly)
            case "assistant":
                _respond(at, message, responses, assembly)
            case "tool":
                assembly.result(text_of(message.get("tool_call_id")), _result(message))
            case role:
                notes.strange(f"message of role {role}", at)
    return assembly.steps()


def _hear(message: dict[str, Any], assembly: Assembly) -> None:
    """The task is a person's; what a solver says afterwards is not, though it has the same role."""
    text = flat(message.get("content"))
    if speaker(text) == "compaction":
        assembly.compacted()
    elif assembly.has_begun:
        assembly.nudge()
    else:
        assembly.person(text)


def _respond(at: int, message: dict[str, Any], responses: dict[str, dict[str, Any]], assembly: Assembly) -> None:
    event = responses.get(_key(message), {})
    time = timestamp(event.get("timestamp"))
    assembly.turn(str(at), at=at, time=time)
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    thoughts = [part for part in parts if isinstance(part, dict) and part.get("type") == "reasoning"]
    assembly.say(flat([part for part in parts if part not in thoughts] if parts else content))
    assembly.think("\n".join(text_of(part.get("reasoning")) for part in thoughts))
    output = event.get("output")
    if isinstance(output, dict):
        choice = output["choices"][0]
        assembly.use(_usage(output.get("usage")), finish_reason=text_of(choice.get("stop_reason")))
    call_tools(message, assembly, at=at, time=time)


def _result(message: dict[str, Any]) -> Result:
    error = message.get("error")
    if isinstance(error, dict):
        return Result(flat(message.get("content")) or text_of(error.get("message")), is_error=True)
    return Result(flat(message.get("content")))


def _responses(events: list[Any]) -> dict[str, dict[str, Any]]:
    """Model events by what identifies the message they gave."""
    found: dict[str, dict[str, Any]] = {}
    for event in events:
        output = event.get("output") if isinstance(event, dict) and event.get("event") == "model" else None
        choices = output.get("choices") if isinstance(output, dict) else None
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            message = choices[0].get("message")
            if isinstance(message, dict) and (key := _key(message)):
                found[key] = event
    return found


def _key(message: dict[str, Any]) -> str:
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls and isinstance(calls[0], dict):
        return text_of(calls[0].get("id"))
    return text_of(message.get("id"))


def _usage(given: Any) -> Usage | None:
    if not isinstance(given, dict):
        return None
    names = ("input_tokens", "output_tokens", "input_tokens_cache_read", "reasoning_tokens")
    known = [count if isinstance(count := given.get(name), int) else 0 for name in names]
    return Usage(input=known[0], output=known[1], cached=known[2], reasoning=known[3])


def _restored(value: Any, attachments: dict[str, Any]) -> Any:
    """``value`` with references to attachments replaced by what they refer to."""
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        return attachments.get(value.removeprefix(_ATTACHMENT), value)
    if isinstance(value, list):
        return [_restored(one, attachments) for one in value]
    if isinstance(value, dict):
        return {name: _restored(one, attachments) for name, one in value.items()}
    return value


INSPECT = DocumentFormat("inspect", "inspect", _recognises, _steps, _runs)
