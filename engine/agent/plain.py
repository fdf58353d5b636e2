"""Text from outside made fit for JSON, UTF-8 and the wire."""

from __future__ import annotations

from typing import Any

LINE = 300
"""Characters of one line for a reader."""


def whole(text: str) -> str:
    """``text`` without half surrogate pairs, which UTF-8 cannot carry; file names and JSON escapes may hold them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def string(value: Any) -> str:
    """``value`` where it is a string, else nothing: an endpoint may put anything into a field."""
    return value if isinstance(value, str) else ""


def whole_json(value: Any) -> Any:
    """``whole`` for every string inside decoded JSON."""
    match value:
        case str():
            return whole(value)
        case list():
            return [whole_json(part) for part in value]
        case dict():
            return {whole(str(key)): whole_json(part) for key, part in value.items()}
        case _:
            return value


def one_line(text: str, limit: int = LINE) -> str:
    """``text`` as a single line of at most ``limit`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
