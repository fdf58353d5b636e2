"""Arguments in canonical form: absent is null, 1.0 is 1, key order, stray white space, hex case, URLs and paths."""

from __future__ import annotations

import json
import re
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from loopwatch.detectors.sameness.paths import canonical_url, is_url

if TYPE_CHECKING:
    from loopwatch.detectors.sameness.paths import Places

PATH_KEYS: Final = (
    "file_path", "filePath", "filepath", "absolute_path", "AbsolutePath", "abs_path", "path", "filename", "file_name",
    "file", "target_file", "TargetFile", "notebook_path", "relative_workspace_path", "dir_path", "directory",
    "DirectoryPath", "dir", "folder",
)  # fmt: skip
COMMAND_KEYS: Final = (
    "command", "cmd", "script", "code", "shell_command", "commandline", "CommandLine", "query", "input", "chars", "sql",
)  # fmt: skip
OLD_KEYS: Final = (
    "old_string",
    "old_str",
    "oldString",
    "oldText",
    "old_text",
    "old",
    "search",
    "target",
    "insert_line",
)
NEW_KEYS: Final = ("new_string", "new_str", "newString", "newText", "new_text", "new", "replace", "replacement")
CONTENT_KEYS: Final = ("content", "contents", "file_text", "text", "data", "body")
PATTERN_KEYS: Final = ("pattern", "query", "regex", "q", "search", "search_term", "term", "Query", "keyword")
URL_KEYS: Final = ("url", "uri", "URL", "urls", "link", "Url")
WAIT_KEYS: Final = (
    "yield_time_ms",
    "wait_ms",
    "wait_seconds",
    "wait",
    "seconds",
    "delay",
    "block_until_ms",
    "timeout_ms",
    "timeout",
    "sleep",
)

# Said to the reader or the harness, not to the tool: never part of what is done.
COSMETIC_KEYS: Final = frozenset(
    {
        "description",
        "explanation",
        "instruction",
        "justification",
        "thought",
        "security_risk",
        "timeout",
        "timeout_ms",
        "yield_time_ms",
    }
    | {
        "max_output_tokens",
        "with_escalated_permissions",
        "sandbox_permissions",
        "requires_approval",
        "task_progress",
        "toolSummary",
    }
    | {"toolAction", "is_background", "summary"}
)
_HEX: Final = re.compile(r"(?=.*[0-9])[0-9a-fA-F]{7,}\Z")
_DEEP: Final = 60
_EXACT: Final = 2.0**53
"""Floats below it hold whole numbers exactly."""


def first_of(arguments: dict[str, Any], keys: tuple[str, ...]) -> Any:
    """The first of these arguments that is there and not null."""
    for key in keys:
        value = arguments.get(key)
        if value is not None:
            return value
    return None


def text_of(value: object) -> str:
    """A string as it is, a number or list as JSON, nothing as empty."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return json.dumps(value, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return str(type(value))


def canonical_json(value: object, places: Places, key: str = "", depth: int = 0) -> str:
    """One line of JSON in which equal meanings are spelled equally.

    Args:
        value: Any JSON.
        places: Names paths.
        key: Which argument it is the value of.
        depth: How deep it lies; what lies deeper than sixty levels is only named by its kind.
    """
    if isinstance(value, str):
        return json.dumps(canonical_text(value, places, key))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number(value)
    if isinstance(value, dict | list | tuple):
        return _nested(value, places, key, depth + 1)
    return json.dumps(value, default=str)


def _nested(value: dict[str, Any] | list[Any] | tuple[Any, ...], places: Places, key: str, depth: int) -> str:
    if depth > _DEEP:
        return f'"<{type(value).__name__}>"'
    if isinstance(value, dict):
        pairs = sorted(((str(name), item) for name, item in value.items() if item is not None), key=itemgetter(0))
        inner = (f"{json.dumps(name)}:{canonical_json(item, places, name, depth)}" for name, item in pairs)
        return "{" + ",".join(inner) + "}"
    return "[" + ",".join(canonical_json(item, places, key, depth) for item in value) + "]"


def canonical_text(text: str, places: Places, key: str = "") -> str:
    """A string argument without stray white space; a URL, a path or a hex digest in its canonical spelling."""
    stripped = text.strip()
    if is_url(stripped):
        return canonical_url(stripped)
    if key in PATH_KEYS or (stripped[:2] in ("./", "..") and " " not in stripped):
        return places.canonical(stripped)
    if _HEX.match(stripped):
        return stripped.lower()
    return stripped


def _number(value: float) -> str:
    if isinstance(value, int):
        try:
            return str(value)
        except ValueError:  # more digits than Python is willing to print
            return hex(value)
    if value == value and abs(value) < _EXACT and value == int(value):  # noqa: PLR0124 - NaN is not itself
        return str(int(value))
    return repr(value)
