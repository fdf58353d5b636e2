"""The canonical form of a result (A12)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from hashlib import blake2b
from importlib.resources import files
from typing import Final

from loopwatch.detectors.sameness.fingerprint import fingerprint
from loopwatch.detectors.sameness.masks import mask
from loopwatch.detectors.sameness.wrappers import unwrap

_LONG: Final = 32_768
_EDGE: Final = 8_192
_MAX_TABLE: Final = tomllib.loads(files(__package__).joinpath("acknowledgements.toml").read_text("utf-8"))
_MAX_ACK: Final = 200
_TABLE: Final = tomllib.loads(files(__package__).joinpath("acknowledgements.toml").read_text("utf-8"))
_ACK: Final = re.compile(r"\s*(?:" + "|".join(_TABLE["whole"]) + r")[.!]?\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ResultForm:
    """A result, taken apart."""

    text: str
    """Without the harness's wrapping; long ones are kept for a moment only."""
    fingerprint: str
    exit_code: int | None
    weak: bool
    because: tuple[str, ...]


def result_form(text: str, digest: str, *, contents: bool) -> ResultForm:
    """Take a result apart.

    A result of more than 32,768 characters is masked in its first and last 8,192; what lies between is hashed as it
    is, clocks and all.

    Args:
        text: As it came, perhaps cut for keeping.
        digest: Hash of the whole where it was cut: then the whole decides, masks or not.
        contents: It shows what a file holds.
    """
    unwrapped = unwrap(text)
    exit_code = unwrapped.exit_code
    canonical, because = canonical_result(unwrapped.text, contents=contents)
    body = f"{exit_code or ''}\n{canonical}"
    if digest:
        body += f"\n{digest}"
    return ResultForm(
        text=unwrapped.text,
        fingerprint=fingerprint(body),
        exit_code=exit_code,
        weak=len(canonical) <= _MAX_ACK and _ACK.match(canonical) is not None,
        because=(*unwrapped.because, *because),
    )


def canonical_result(text: str, *, contents: bool) -> tuple[str, tuple[str, ...]]:
    """The unwrapped text with everything volatile masked, and what was masked."""
    text = text.strip()
    if len(text) <= _LONG:
        return mask(text, contents=contents)
    head, why = mask(text[:_EDGE], contents=contents)
    tail, also = mask(text[-_EDGE:], contents=contents)
    middle = blake2b(text[_EDGE:-_EDGE].encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{head}\n<{len(text) - 2 * _EDGE} characters {middle}>\n{tail}", tuple(dict.fromkeys((*why, *also)))
