"""Names of temporary files: where they lie is kept, the random part of the name is not."""

from __future__ import annotations

import re
from typing import Final

TEMPORARY: Final = re.compile(
    r"(?:/private)?(?:/var/folders/\w+/\w+/T|/var/tmp|/tmp)/[\w.+@/-]+|\btmp(?=\w*\d)\w{6,12}\b"
)
_RANDOM_PART: Final = re.compile(
    r"(?<![a-zA-Z0-9])(?=[a-zA-Z_]*\d)[a-zA-Z0-9_]{6,}|\d{5,}|(?<=/tmp)[a-z0-9_]{8}(?![a-z0-9_])|(?<=tmp\.)\w{6,}"
)


def mask_temporary(text: str) -> str:
    """The text with ``<id>`` for what looks random in names below ``/tmp``."""
    return TEMPORARY.sub(_mask, text) if "tmp" in text or "/var/folders" in text else text


def _mask(match: re.Match[str]) -> str:
    return _RANDOM_PART.sub("<id>", match[0])
