"""Reading TOML that a person wrote: whatever is wrong in it is one kind of error, with the line.

The standard library's reader leaves two faults to Python itself: values nested too deep, and numbers with more digits
than an integer may have.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

_MOST_DIGITS = 4_300
"""Python's own limit."""
_NUMBER = re.compile(rf"[0-9_]{{{_MOST_DIGITS},}}")


def loads(text: str) -> dict[str, Any]:
    """The tables of ``text``.

    Raises:
        TOMLDecodeError: it is no TOML, or more than can be read; the message ends with the place.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        lines = text.split("\n")
        deepest = max(range(len(lines)), key=lambda number: lines[number].count("[") + lines[number].count("{"))
        raise tomllib.TOMLDecodeError(f"Values are nested too deep (at line {deepest + 1}, column 1)") from None
    except ValueError:
        found = _NUMBER.search(text)
        number = text.count("\n", 0, found.start()) + 1 if found else 1
        raise tomllib.TOMLDecodeError(f"A number has too many digits (at line {number}, column 1)") from None
