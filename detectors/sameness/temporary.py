"""Names of temporary files: where they lie is kept, the random part of the name is not."""

from __future__ import annotations

import re
from typing import Final

_TEMPORARY: Final = re.compile(
    r"(?:/private)?(?:/var/folders/\w+/\w+/T|/var/tmp|/tmp)/[\w.+@/-]+"
    r"|\btmp[\w.]{6,12}\b"
)
# Random: five digits or more; hexadecimal with both digits and letters; letters and digits that change over more than
# once; what mktemp puts behind "tmp".
_RANDOM_PART: Final = re.compile(
    r"tmp(?:[a-z0-9_]{8}|\.[a-zA-Z0-9]{6,12})(?![a-zA-Z0-9_])"
    r"|(?<![a-zA-Z0-9])(?:(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{6,}"
    r"|(?=[a-zA-Z]*[0-9]+[a-zA-Z]+[0-9])[a-zA-Z0-9]{6,})(?![a-zA-Z0-9])"
    r"|[0-9]{5,}"
)


def mask_temporary(text: str) -> str:
    """The text with ``<id>`` for what looks random in the names of temporary files."""
    return _TEMPORARY.sub(_mask, text) if "tmp" in text or "/var/folders" in text else text


def _mask(match: re.Match[str]) -> str:
    return _RANDOM_PART.sub("<id>", match[0])
