"""Numbers in arguments: which lines a read asks for, how long a call says that it waits."""

from __future__ import annotations

from typing import Any, Final

from loopwatch.detectors.sameness.arguments import WAIT_KEYS, first_of
from loopwatch.detectors.sameness.operands import OPEN_END

_FIRST: Final = ("offset", "start_line", "startLine", "line_start", "start", "StartLine")
_LAST: Final = ("end_line", "endLine", "line_end", "end", "EndLine")
_COUNT: Final = ("limit", "num_lines", "lines", "line_count")
_LONGEST: Final = 1e9
_MILLISECONDS: Final = 1_000
"""A bare ``timeout`` of that much or more counts in milliseconds: nobody waits seventeen minutes for one call."""


def span_of(arguments: dict[str, Any]) -> tuple[int, int] | None:
    """First and last line of a ranged read, inclusive and from 1; ``None`` for the whole file.

    An open end is ``OPEN_END``. Tools that count from 0 come out one line early, which no overlap minds.
    """
    view = arguments.get("view_range")
    if isinstance(view, list) and len(view) == 2:  # noqa: PLR2004 - first and last
        first, last = _whole(view[0]), _whole(view[1])
    else:
        first = _whole(first_of(arguments, _FIRST))
        last = _whole(first_of(arguments, _LAST))
    count = _whole(first_of(arguments, _COUNT))
    begin = max(1, first or 1)
    if last is not None and last >= begin:
        return begin, last
    if count is not None and count > 0:
        return begin, min(begin + count - 1, OPEN_END)
    return (begin, OPEN_END) if begin > 1 else None


def declared_wait(arguments: dict[str, Any]) -> float:
    """Seconds that a polling call says it waits at most; 0 where it says nothing."""
    for key in WAIT_KEYS:
        value = arguments.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < _LONGEST:
            continue
        in_milliseconds = key.endswith("_ms") or (key == "timeout" and value >= _MILLISECONDS)
        return value / 1_000 if in_milliseconds else float(value)
    return 0.0


def _whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return min(int(value), OPEN_END)
    except (ValueError, OverflowError):
        return None
