"""Fingerprints: short hashes that stand for a call, a result or an error."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from loopwatch.detectors.step import Json

Kept = TypeVar("Kept")

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def fingerprint(text: str) -> str:
    """First 16 hex digits of the SHA-256 of any text, lone surrogates included (B1)."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def spelled(arguments: Json) -> str:
    """Arguments exactly as they are, for hashing: quicker than JSON, in ASCII, the same in every Python."""
    if isinstance(arguments, str):
        return arguments
    try:
        return ascii(arguments)
    except (ValueError, RecursionError):  # too many digits, too deep
        return _shallow(arguments)


def raw_json(arguments: Json) -> str:
    """Arguments as one line of JSON, key order and number spelling kept."""
    if isinstance(arguments, str):
        return arguments
    try:
        return _encode(arguments)
    except (ValueError, TypeError, RecursionError):  # too deep, too many digits, or no JSON at all
        return _shallow(arguments)


def _shallow(value: Any) -> str:
    """Every leaf in order, without the nesting: for values too deep for recursion."""
    parts: list[str] = []
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            parts.append("{")
            pending.extend(part for pair in item.items() for part in pair)
        elif isinstance(item, list | tuple):
            parts.append("[")
            pending.extend(item)
        else:
            parts.append(hex(item) if isinstance(item, int) else ascii(item))
    return "".join(parts)


class Recent(Generic[Kept]):
    """A bounded memory of what was worked out lately, oldest use dropped first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: dict[Any, Kept] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: object) -> Kept | None:
        """What is remembered under the key, now the freshest."""
        found = self._kept.get(key)
        if found is not None:
            del self._kept[key]
            self._kept[key] = found
        return found

    def put(self, key: object, value: Kept) -> Kept:
        """Remember the value, and give it back."""
        if len(self._kept) >= self._size:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = value
        return value
