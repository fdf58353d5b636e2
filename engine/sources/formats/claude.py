"""Claude Code: session files and what ``--output-format stream-json`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopwatch.detectors.step import MAIN_AGENT, Call, Result, Usage
from loopwatch.engine.sources.formats.assembly import Assembly
from loopwatch.engine.sources.formats.content import text_of, timestamp
from loopwatch.engine.sources.formats.kind import LineFormat
from loopwatch.engine.sources.formats.messages import flat
from loopwatch.engine.sources.formats.speech import speaker

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.step import Step
    from loopwatch.engine.sources.formats.content import Numbered
    from loopwatch.engine.sources.formats.recording import Notes

_SESSION_ONLY = frozenset({"file-history-snapshot", "queue-operation", "last-prompt", "permission-mode", "cost-state"})
_SAYS_NOTHING = _SESSION_ONLY | {
    "summary",
    "mode",
    "tools-used",
    "api-request",
    "progress",
    "stream_event",
    "tool_progress",
    "rate_limit_event",
    "result",
    "control_request",
    "control_response",
}
"""Records that are understood and tell nothing about steps."""
_HARNESS_ATTACHMENTS = frozenset({"hook_additional_context", "hook_blocking_error"})


class _Reader:
    """Reads the records of both forms; they share their messages."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._assembly = Assembly(notes, ids_are_unique=True)
        self._told: set[str] = set()

    def read(self, records: Iterable[Numbered]) -> tuple[Step, ...]:
        for at, record in records:
            if not isinstance(record, dict):
                self._notes.strange("record that is no object", at)
                continue
            self._record(at, record)
        return self._assembly.steps()

    def _record(self, at: int, record: dict[str, Any]) -> None:
        notes, kind = self._notes, text_of(record.get("type"))
        if (told := text_of(record.get("uuid"))) and told in self._told:
            notes.skipped["record told again"] += 1  # resumed and forked sessions copy what they start from
            return
        self._told.add(told)
        notes.workspace = notes.workspace or text_of(record.get("cwd"))
        match kind:
            case "assistant" if isinstance(record.get("message"), dict):
                if record["message"].get("model") == "<synthetic>":
                    notes.skipped["message of the harness in the model's place"] += 1
                else:
                    self._assistant(at, record, record["message"])
            case "user" if isinstance(record.get("message"), dict):
                self._user(at, record, record["message"])
            case "system":
                self._system(record)
            case "attachment":
                self._attachment(record)
            case _ if kind in _SAYS_NOTHING or kind.startswith("api-request"):
                notes.skipped[kind] += 1
            case _:
                notes.strange(f"record of type {kind or 'none'}", at)

    def _assistant(self, at: int, record: dict[str, Any], message: dict[str, Any]) -> None:
        agent, assembly = _agent(record), self._assembly
        time = timestamp(record.get("timestamp"))
        self._notes.model = self._notes.model or text_of(message.get("model"))
        # One response is written block by block, each with the response's id.
        assembly.turn(text_of(message.get("id")) or f"line {at}", at=at, time=time, agent=agent)
        assembly.use(_usage(message.get("usage")), finish_reason=text_of(message.get("stop_reason")), agent=agent)
        for block in _blocks(message.get("content")):
            match block.get("type"):
                case "text":
                    assembly.say(text_of(block.get("text")), agent=agent)
                case "thinking":
                    assembly.think(text_of(block.get("thinking")), agent=agent)
                case "tool_use":
                    call = Call(text_of(block.get("name")), block.get("input"), text_of(block.get("id")))
                    assembly.call(call, at=at, time=time, agent=agent)
                case "redacted_thinking" | "server_tool_use" | "web_search_tool_result" | "fallback":
                    self._notes.skipped[f"block of type {block['type']}"] += 1
                case kind:
                    self._notes.strange(f"block of type {kind}", at)

    def _user(self, at: int, record: dict[str, Any], message: dict[str, Any]) -> None:
        agent = _agent(record)
        words: list[str] = []
        for block in _blocks(message.get("content")):
            match block.get("type"):
                case "tool_result":
                    flag = block.get("is_error")
                    answer = Result(flat(block.get("content")), is_error=flag if isinstance(flag, bool) else None)
                    self._assembly.result(text_of(block.get("tool_use_id")), answer)
                case "text":
                    words.append(text_of(block.get("text")))
                case "image" | "document":
                    words.append(f"[{block['type']}]")
                case kind:
                    self._notes.strange(f"block of type {kind}", at)
        if words:
            self._words("\n".join(words), record, agent)

    def _words(self, text: str, record: dict[str, Any], agent: str) -> None:
        if agent != MAIN_AGENT:
            return  # a subagent's task comes from its parent
        if record.get("isCompactSummary") or speaker(text) == "compaction":
            self._assembly.compacted()
        elif record.get("isMeta") or speaker(text) == "nudge":
            self._assembly.nudge()
        else:
            self._assembly.person(text)

    def _system(self, record: dict[str, Any]) -> None:
        inner = record.get("message")
        told = inner if isinstance(inner, dict) and "subtype" in inner else record
        subtype = text_of(told.get("subtype"))
        if subtype in ("compact_boundary", "microcompact_boundary"):
            self._assembly.compacted(agent=_agent(record))
        if subtype == "init":
            self._notes.model = text_of(told.get("model"))
            self._notes.workspace = text_of(told.get("cwd"))
        self._notes.skipped[f"system {subtype}".strip()] += 1

    def _attachment(self, record: dict[str, Any]) -> None:
        inner = record.get("attachment")
        kind = text_of(inner.get("type")) if isinstance(inner, dict) else ""
        if kind in _HARNESS_ATTACHMENTS:
            self._assembly.nudge(agent=_agent(record))
        elif kind == "queued_command" and isinstance(inner, dict):
            self._words(flat(inner.get("prompt")), record, _agent(record))
        self._notes.skipped[f"attachment {kind}".strip()] += 1


def _agent(record: dict[str, Any]) -> str:
    """Who acts: a subagent's records carry its id, in the stream the id of the call that began it."""
    if parent := record.get("parent_tool_use_id"):
        return text_of(parent)
    if not record.get("isSidechain"):
        return MAIN_AGENT
    return text_of(record.get("agentId")) or "sidechain"


def _blocks(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _usage(given: Any) -> Usage | None:
    if not isinstance(given, dict):
        return None

    def count(name: str) -> int:
        value = given.get(name)
        return value if isinstance(value, int) else 0

    cached = count("cache_read_input_tokens")
    return Usage(
        input=count("input_tokens") + count("cache_creation_input_tokens") + cached,
        output=count("output_tokens"),
        cached=cached,
    )


def _is_session(sample: list[Any]) -> bool:
    return any(
        isinstance(record, dict)
        and (
            text_of(record.get("type")) in _SESSION_ONLY
            or (record.get("type") in ("user", "assistant") and "sessionId" in record and "message" in record)
        )
        for record in sample
    )


def _is_stream(sample: list[Any]) -> bool:
    return any(
        isinstance(record, dict)
        and (
            _is_init(record)
            or (
                record.get("type") == "assistant"
                and isinstance(record.get("message"), dict)
                and record["message"].get("type") == "message"
            )
        )
        for record in sample
    )


def _is_init(record: dict[str, Any]) -> bool:
    inner = record.get("message")
    told = inner if isinstance(inner, dict) else record
    return record.get("type") == "system" and told.get("subtype") == "init" and "tools" in told


def _steps(records: Iterable[Numbered], notes: Notes) -> Iterable[Step]:
    return _Reader(notes).read(records)


SESSION = LineFormat("claude-code", "claude-code", _is_session, _steps)
STREAM = LineFormat("claude-stream-json", "claude-code", _is_stream, _steps)
