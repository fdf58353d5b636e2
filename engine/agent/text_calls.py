"""Tool calls that a model writes into its text, as small local models do whatever they are told.

Understood: ``<tool_call>`` tags, fenced JSON, JSON on a line of its own; one object, several, or lists; the usual names
for name and arguments. JSON that merely looks like data (a package.json, an example of something else) is left alone.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from loopwatch.engine.agent.assembly import RequestedCall, new_call_id
from loopwatch.engine.agent.plain import whole_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_NAMES = ("name", "tool", "tool_name", "function", "function_name", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "params", "kwargs", "input", "tool_input", "action_input")
_WRAPPERS = ("function", "tool_call", "tool_calls", "function_call", "calls")
_LABELS = frozenset({"id", "type", "index"})

_START = re.compile(
    r"<(?P<tag>tool_calls?|function_calls?|tool_use|tools?)>"
    r"|^[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[\w+-]*)[^\n]*$"
    r"|^[ \t]*(?P<bare>[\[{])"
    # Thoughts, and results that a model makes up for itself: what stands in them was not asked for.
    r"|<(?P<aside>think|thinking|output|tool_output|tool_response|tool_result)>",
    re.MULTILINE,
)
_LANGUAGES = frozenset(
    {"", "json", "jsonc", "json5", "tool_call", "tool_calls", "tool_code", "tool", "function_call", "xml"}
)
_NAME = re.compile(r"[\"'](?:name|tool|tool_name|function|action)[\"']\s*:\s*[\"']([\w.-]+)[\"']")
_DECODER = json.JSONDecoder(strict=False)

Found: TypeAlias = "tuple[str, Any]"
"""A name and its arguments, as written."""


@dataclass(frozen=True, slots=True)
class _Broken:
    """Something that was to be a call of this tool and is no JSON."""

    name: str
    text: str


def find_calls(text: str, tools: Collection[str]) -> tuple[RequestedCall, ...]:
    """The calls written into an answer, in order; one that is written twice counts once.

    ``tools`` are the names a call may have without further proof.
    """
    calls: dict[tuple[str, str], RequestedCall] = {}
    for found in _scan(text, tools):
        call = _requested(found)
        calls.setdefault((call.tool, json.dumps(call.arguments, sort_keys=True)), call)
    return tuple(calls.values())


def describe(schemas: Sequence[dict[str, Any]]) -> str:
    """How to call tools in text, for the system prompt of a model without native calls."""
    lines = [
        "You have tools. To call one, answer with exactly one JSON object in a code fence and nothing after it:",
        "```json",
        '{"name": "TOOL", "arguments": {"ARGUMENT": "VALUE"}}',
        "```",
        "You then get its result and can go on. When the task is done, answer in plain words without such an object.",
        "The tools:",
    ]
    for schema in schemas:
        function = schema["function"]
        properties = function["parameters"].get("properties", {})
        required = set(function["parameters"].get("required", ()))
        arguments = ", ".join(name if name in required else f"{name}?" for name in properties)
        lines.append(f"- {function['name']}({arguments}): {function['description']}")
    return "\n".join(lines)


def _requested(found: Found | _Broken) -> RequestedCall:
    if isinstance(found, _Broken):
        return RequestedCall.from_text(call_id=new_call_id(), tool=found.name, raw=found.text)
    name, arguments = found
    raw = arguments if isinstance(arguments, str) else json.dumps(whole_json(arguments), ensure_ascii=False)
    return RequestedCall.from_text(call_id=new_call_id(), tool=name, raw=raw)


def _scan(text: str, tools: Collection[str]) -> Iterator[Found | _Broken]:
    at = 0
    while (start := _START.search(text, at)) is not None:
        at = start.end()
        if start["bare"]:
            value, end = _json(text, start.start("bare"))
            if end:
                at = end
                yield from _calls(value, tools)
            continue
        end = _close(text, start)
        if start["aside"]:
            at = end
            continue
        if start["fence"] and start["language"].lower() not in _LANGUAGES:
            at = end  # code of another language is not looked into
            continue
        found, at = _block(text, at, end, tools, sure=start["tag"] is not None)
        yield from found


def _close(text: str, start: re.Match[str]) -> int:
    """Where a tag or a fence that opened at ``start`` closes; the end of the text where it does not."""
    if tag := start["tag"] or start["aside"]:
        at = text.find(f"</{tag}>", start.end())
    else:
        closing = re.compile(rf"^[ \t]*{re.escape(start['fence'])}", re.MULTILINE).search(text, start.end() + 1)
        at = closing.end() if closing else -1
    return at if at >= 0 else len(text)


def _block(text: str, at: int, end: int, tools: Collection[str], *, sure: bool) -> tuple[list[Found | _Broken], int]:
    """The calls in a block, and where to look on. A string inside the JSON may hold what looks like the block's end."""
    found: list[Found | _Broken] = []
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if at >= end or text[at] not in "[{":
            break
        value, after = _json(text, at)
        if not after:
            broken = _mended(text[at:end].rstrip("`~ \t\r\n"), tools, sure=sure)
            return [*found, *broken], end
        found += _calls(value, tools, sure=sure)
        at = after
        end = max(end, at)
    # The JSON may have reached past what looked like the closing fence; then the real one is still to come.
    closing = re.compile(r"\s*(?:`{3,}|~{3,}|</\w+>)").match(text, at)
    return found, closing.end() if closing else max(at, min(end, len(text)))


def _json(text: str, at: int) -> tuple[Any, int]:
    """The value that begins there and where it ends; 0 where there is none."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, 0


def _mended(block: str, tools: Collection[str], *, sure: bool) -> list[Found | _Broken]:
    """A block that is no JSON: perhaps a Python literal, else a call that must be told that it is broken."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a string is the model's, and no terminal should see it
            value = ast.literal_eval(block)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        name = _NAME.search(block)
        if name is None or not (sure or name[1] in tools):
            return []
        return [_Broken(name[1], block)]
    return list(_calls(value, tools, sure=sure))


def _calls(value: Any, tools: Collection[str], *, sure: bool = False) -> Iterator[Found]:
    if isinstance(value, list):
        for part in value:
            yield from _calls(part, tools, sure=sure)
        return
    if not isinstance(value, dict):
        return
    for wrapper in _WRAPPERS:
        inner = value.get(wrapper)
        if isinstance(inner, dict | list):
            yield from _calls(inner, tools, sure=sure)
            return
    call = _call(value, tools, sure=sure)
    if call is not None:
        yield call


def _call(value: dict[str, Any], tools: Collection[str], *, sure: bool) -> Found | None:
    key = next((one for one in _NAMES if isinstance(value.get(one), str)), None)
    if key is None:
        # The tool's name may be the only key, and its arguments the value.
        name, arguments = next(iter(value.items())) if len(value) == 1 else ("", None)
        return (name, arguments) if name in tools and isinstance(arguments, dict) else None
    name = value[key]
    given = next((one for one in _ARGUMENTS if one in value and one != key), None)
    if given is not None:
        arguments = value[given]
        if arguments and isinstance(arguments, dict) and set(value) <= {key, given, *_LABELS}:
            return name, arguments  # nothing else has this shape: a call even where there is no such tool
        return (name, arguments) if sure or name in tools else None
    if name not in tools:
        return (name, {}) if sure else None
    return name, {field: part for field, part in value.items() if field != key and field not in _LABELS}
