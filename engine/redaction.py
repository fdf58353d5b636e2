"""Keeps secrets out of whatever is written: journals, exports, headless output."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REDACTED = "[redacted]"
SHORTEST = 8
"""Characters; anything shorter is no key and would blot out ordinary words."""

# The patterns run over JSON text as well: they never match a quote or a backslash, so what they replace leaves the JSON
# whole, and a letter that belongs to an escape (\n, \u001b) does not count as part of the word before the key.
_WORD_START = r"(?:(?<=\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4})|(?<![A-Za-z0-9]))"
_TOKEN = r"[A-Za-z0-9._~+/=-]"  # noqa: S105 - a character class
_AUTHORIZATION = re.compile(
    rf"(authorization\\*[\"']?\s*[:=]\s*\\*[\"']?\s*(?:(?:bearer|basic|token|digest)\s+)?){_TOKEN}{{6,}}", re.IGNORECASE
)
_BEARER = re.compile(rf"({_WORD_START}bearer\s+){_TOKEN}{{16,}}", re.IGNORECASE)
_KEY = re.compile(rf"{_WORD_START}sk-[A-Za-z0-9_-]{{16,}}")


def known_secrets(environment: Mapping[str, str] | None = None) -> frozenset[str]:
    """Values of all ``*_API_KEY`` variables that are long enough to be keys."""
    source = os.environ if environment is None else environment
    return frozenset(
        value for name, value in source.items() if name.upper().endswith("_API_KEY") and len(value) >= SHORTEST
    )


def redacted_endpoint(url: str) -> str:
    """``url`` without user info, query and fragment, fit for the journal."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit((parts.scheme, host + port, parts.path, "", ""))


class Redactor:
    """Blots out known key values, authorization headers and what looks like an OpenAI key."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        values = {secret for secret in secrets if len(secret) >= SHORTEST}
        # Both as they are and as JSON writes them, where that differs; the longest first, one may contain another.
        forms = values | {
            json.dumps(value, ensure_ascii=escaped)[1:-1] for value in values for escaped in (False, True)
        }
        self._secrets = tuple(sorted(forms, key=len, reverse=True))

    def __call__(self, text: str) -> str:
        """``text`` without secrets. Works on plain text and on JSON text, which stays JSON."""
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, REDACTED)
        # Most lines hold nothing of the kind, and looking for a plain substring is many times cheaper than a pattern.
        lowered = text.lower()
        if "authorization" in lowered:
            text = _AUTHORIZATION.sub(rf"\1{REDACTED}", text)
        if "bearer" in lowered:
            text = _BEARER.sub(rf"\1{REDACTED}", text)
        if "sk-" in text:
            text = _KEY.sub(REDACTED, text)
        return text
