"""Arguments in canonical form: absent is null, 1.0 is 1, key order, stray white space, hex case, URLs and paths."""

from __future__ import annotations

import json
import re
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from loopwatch.detectors.sameness.paths import canonical_url, is_url
from loopwatch.detectors.sameness.tables import table

if TYPE_CHECKING:
    from loopwatch.detectors.sameness.paths import Places

_TABLE: Final[dict[str, Any]] = table("arguments")


def _role(name: str) -> tuple[str, ...]:
    return tuple(_TABLE["roles"][name].split())


PATH_KEYS: Final = _role("path")
DIRECTORY_KEYS: Final = _role("directory")
COMMAND_KEYS: Final = _role("command")
CODE_KEYS: Final = _role("code")
OLD_KEYS: Final = _role("old")
NEW_KEYS: Final = _role("new")
CONTENT_KEYS: Final = _role("content")
PATTERN_KEYS: Final = _role("pattern")
URL_KEYS: Final = _role("url")
HANDLE_KEYS: Final = _role("handle")
WAIT_KEYS: Final = _role("wait")
RANGE_KEYS: Final = _role("range")
COSMETIC_KEYS: Final = frozenset(_role("cosmetic"))
DEFAULTS: Final[dict[str, object]] = _TABLE["defaults"]
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
