"""The canonical form of a result (A12)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from loopwatch.detectors.sameness.fingerprint import fingerprint
from loopwatch.detectors.sameness.masks import comparable, mask
from loopwatch.detectors.sameness.tables import table
from loopwatch.detectors.sameness.wrappers import unwrap

_LONG: Final = 32_768
_EDGE: Final = 8_192
_MAX_ACK: Final = 200
_SAYS_LITTLE: Final = 40
_TABLE: Final = table("acknowledgements")
_ACK: Final = re.compile(r"\s*(?:" + "|".join(_TABLE["whole"]) + r")[.!]?\s*\Z", re.IGNORECASE)


_STATE_WORD: Final = (
    r"(?:\w+_)?in[_ -]?progress|running|pending|queued|waiting|processing|building|starting|scheduled|provisioning"
    r"|not[_ -]?ready|creating|deploying|uploading"
)
_GOING_ON: Final = re.compile(
    rf"\A\s*\"?(?:{_STATE_WORD})\"?[.!]?\s*\Z|(?:\A|[\"\s])(?:state|status|phase|job_?status|conclusion)\"?\s*[:=]\s*\"?"
    rf"(?:{_STATE_WORD})\b",
    re.IGNORECASE,
)


def tells_going(text: str) -> bool:
    """Whether a short result tells the state of something that is not done yet, and hardly more."""
    return len(text) <= _MAX_ACK and _GOING_ON.search(text) is not None


@dataclass(frozen=True, slots=True)
class ResultForm:
    """A result, taken apart."""

    text: str
    """Without the harness's wrapping; of long ones the first and last 8,192 characters."""
    fingerprint: str
    exit_code: int | None
    """As the text tells it; ``None`` where it does not."""
    says_error: bool
    """The harness wrapped it as an error."""
    weak: bool
    because: tuple[str, ...]


def middle_fingerprint(text: str) -> str:
    """Over what lies between the edges of a long result, which is read but this once; empty for others."""
    return fingerprint(text[_EDGE:-_EDGE]) if len(text) > _LONG else ""


def raw_fingerprint(text: str, digest: str, middle: str) -> str:
    """Over a result as it came (B1).

    Args:
        text: Perhaps cut for keeping.
        digest: Of the whole, where it was cut.
        middle: Its middle fingerprint.
    """
    if middle:
        text = f"{text[:_EDGE]}\n{middle}\n{text[-_EDGE:]}"
    return fingerprint(f"{text}\n{digest}" if digest else text)


def result_form(text: str, digest: str, middle: str, *, contents: bool) -> ResultForm:
    """Take a result apart.

    A result of more than 32,768 characters is masked in its first and last 8,192 only; what lies between counts as it
    came, clocks and all. Where a source gave a digest of the whole, the digest decides in the same way. The exit status
    counts where the text says little: forty lines of errors are the same with and without ``|| true``.

    Args:
        text: As it came, perhaps cut for keeping.
        digest: Of the whole, where it was cut.
        middle: Its middle fingerprint.
        contents: It shows what a file holds.
    """
    unwrapped = unwrap(_shortened(text))
    canonical, because = comparable(unwrapped.text.strip(), contents=contents)
    status = (unwrapped.exit_code or "") if len(canonical) < _SAYS_LITTLE else ""
    return ResultForm(
        text=unwrapped.text,
        fingerprint=fingerprint(f"{canonical}\n{status}{middle}{digest}"),
        exit_code=unwrapped.exit_code,
        says_error=unwrapped.says_error,
        weak=len(canonical) <= _MAX_ACK and _ACK.match(canonical) is not None,
        because=(*unwrapped.because, *because),
    )


def canonical_result(text: str, *, contents: bool) -> tuple[str, tuple[str, ...]]:
    """The canonical result for reading, and all that was done to get there."""
    unwrapped = unwrap(_shortened(text))
    canonical, because = mask(unwrapped.text.strip(), contents=contents)
    return canonical, (*unwrapped.because, *because)


def _shortened(text: str) -> str:
    if len(text) <= _LONG:
        return text
    return f"{text[:_EDGE]}\n<{len(text) - 2 * _EDGE} characters>\n{text[-_EDGE:]}"
