"""A turn as an OpenAI-compatible endpoint sends it: one completion, or a stream of small chunks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from loopwatch.engine.rehearsal.scenario import Turn

CHARACTERS_A_TOKEN = 4
"""The usual rule of thumb for English and code; what the rehearsal model counts with."""
TEXT_PIECE = 12
"""Characters of text in one delta."""
ARGUMENT_PIECE = 7
"""Characters of a call's arguments in one delta, so that every call comes in several."""


def tokens_in(text: str) -> int:
    """Tokens of a text, estimated."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


@dataclass(frozen=True, slots=True)
class WireCall:
    """A call as it goes out."""

    id: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer, ready to be sent."""

    id: str
    model: str
    created: int
    text: str
    reasoning: str
    calls: tuple[WireCall, ...]
    finish_reason: str
    usage: Mapping[str, Any]


def complete(  # noqa: PLR0913 - an answer has that many sources
    turn: Turn, body: Mapping[str, Any], *, number: int, created: int, cap: int | None, cached: int
) -> Completion:
    """Put a turn into its wire form: ids, usage, and the cut where it is longer than the output cap.

    Args:
        turn: what to say.
        body: the request, for the model's name, its own cap and the prompt's size.
        number: of the request, from 1; ids are made from it.
        created: Unix time in seconds.
        cap: the model's output limit in tokens; the request can only lower it.
        cached: tokens of the prompt that were sent before.
    """
    limits = [limit for limit in (cap, body.get("max_completion_tokens"), body.get("max_tokens")) if limit]
    room = min(limits) * CHARACTERS_A_TOKEN if limits else None
    asked = [call.raw if call.raw is not None else _json(call.arguments) for call in turn.calls]
    reasoning, text, *sent = _cut([turn.reasoning, turn.text, *asked], room)
    whole = [turn.reasoning, turn.text, *asked]
    was_cut = [reasoning, text, *sent] != whole
    calls = tuple(
        WireCall(f"call_{number}_{at}", call.tool, arguments)
        for at, (call, arguments) in enumerate(zip(turn.calls, sent, strict=False), start=1)
    )
    finish = "length" if was_cut else turn.finish_reason or ("tool_calls" if turn.calls else "stop")
    prompt = turn.usage.input if turn.usage.input is not None else prompt_tokens(body)
    thought = tokens_in(reasoning)
    said = tokens_in(text) + sum(tokens_in(call.arguments) + tokens_in(call.tool) for call in calls)
    output = turn.usage.output if turn.usage.output is not None else thought + said
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": {"cached_tokens": min(cached, prompt)},
        "completion_tokens_details": {"reasoning_tokens": min(thought, output)},
    }
    model = str(body.get("model") or "rehearsal")
    return Completion(f"chatcmpl-{number}", model, created, text, reasoning, calls, finish, usage)


def prompt_tokens(body: Mapping[str, Any]) -> int:
    """Tokens of a request's messages and tools, estimated."""
    return tokens_in(_json(body.get("messages", []))) + tokens_in(_json(body.get("tools") or ""))


def as_object(completion: Completion) -> dict[str, Any]:
    """The answer in one piece, for a request that does not stream."""
    message: dict[str, Any] = {"role": "assistant", "content": completion.text or None}
    if completion.reasoning:
        message["reasoning_content"] = completion.reasoning
    if completion.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": call.arguments}}
            for call in completion.calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": completion.finish_reason, "logprobs": None}
    return {**_head(completion, "chat.completion"), "choices": [choice], "usage": dict(completion.usage)}


def as_chunks(completion: Completion, *, with_usage: bool) -> Iterator[dict[str, Any]]:
    """The answer as a stream's chunks; usage comes in a last one of its own where the request asks for it."""
    head = _head(completion, "chat.completion.chunk")

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    for piece in _pieces(completion.reasoning, TEXT_PIECE):
        yield chunk({"reasoning_content": piece})
    for piece in _pieces(completion.text, TEXT_PIECE):
        yield chunk({"content": piece})
    for index, call in enumerate(completion.calls):
        named = {"index": index, "id": call.id, "type": "function", "function": {"name": call.tool, "arguments": ""}}
        yield chunk({"tool_calls": [named]})
        for piece in _pieces(call.arguments, ARGUMENT_PIECE):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, completion.finish_reason)
    if with_usage:
        yield {**head, "choices": [], "usage": dict(completion.usage)}


def _head(completion: Completion, kind: str) -> dict[str, Any]:
    return {"id": completion.id, "object": kind, "created": completion.created, "model": completion.model}


def _cut(parts: list[str], room: int | None) -> list[str]:
    """The parts up to the output cap: reasoning and text always, calls only as far as they were begun."""
    if room is None:
        return parts
    kept: list[str] = []
    for at, part in enumerate(parts):
        if room <= 0 and at > 1:
            break
        kept.append(part[: max(room, 0)])
        room -= len(part)
    return kept


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
