"""Tool calls that a model wrote into its text.

Small local models often answer with a fenced JSON object or ``<tool_call>`` tags instead of native calls. Only whole
objects that name a known tool count; prose and example code that merely looks alike is left alone.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from loopwatch.engine.agent.assembly import RequestedCall, new_call_id

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_TAGGED = re.compile(r"<(tool_call|function_call|tools?)>\s*(.*?)\s*(?:</\1>|\Z)", re.DOTALL)
_FENCED = re.compile(r"```[\w-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_NAMES = ("name", "tool", "tool_name", "function", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "action_input", "params")
_MOST_OBJECTS = 16

_DECODER = json.JSONDecoder()


def find_calls(text: str, tools: Collection[str]) -> tuple[RequestedCall, ...]:
    """Calls of known tools written into ``text``, in order.

    Looked for in ``<tool_call>`` tags first, then in code fences, then as bare objects that begin a line.
    """
    for candidates in (_tagged(text), _fenced(text), _bare(text)):
        found = [call for candidate in candidates for call in _calls_in(candidate, tools)]
        if found:
            return tuple(found)
    return ()


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


def _tagged(text: str) -> Iterator[str]:
    return (match[2] for match in _TAGGED.finditer(text))


def _fenced(text: str) -> Iterator[str]:
    return (match[1] for match in _FENCED.finditer(text))


def _bare(text: str) -> Iterator[str]:
    """From each line that begins with an object or list, as far as it goes."""
    position = 0
    for _ in range(_MOST_OBJECTS):
        match = re.compile(r"^[ \t]*[\[{]", re.MULTILINE).search(text, position)
        if match is None:
            return
        start = match.end() - 1
        try:
            _, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            position = match.end()
            continue
        yield text[start:end]
        position = end


def _calls_in(candidate: str, tools: Collection[str]) -> Iterator[RequestedCall]:
    """Every object in ``candidate``, one after another or in a list."""
    position = 0
    for _ in range(_MOST_OBJECTS):
        while position < len(candidate) and candidate[position] in " \t\r\n,;":
            position += 1
        try:
            value, position = _DECODER.raw_decode(candidate, position)
        except (ValueError, RecursionError):
            return
        for item in value if isinstance(value, list) else [value]:
            if (call := _as_call(item, tools)) is not None:
                yield call


def _as_call(value: Any, tools: Collection[str]) -> RequestedCall | None:
    if not isinstance(value, dict):
        return None
    function = value.get("function")
    if isinstance(function, dict):
        return _as_call(function, tools)
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    if name not in tools:
        return None
    arguments = next((value[key] for key in _ARGUMENTS if key in value), None)
    if arguments is None:
        arguments = {key: item for key, item in value.items() if key not in _NAMES and key not in {"id", "type"}}
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return RequestedCall.from_text(call_id=new_call_id(), tool=str(name), raw=raw)
