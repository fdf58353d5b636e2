"""Takes a harness's wrapping off a result: exit status, wall time, reminders, counters of its own.

What a harness writes around a tool's output says when and how the call ran, not what came of it. The exit status in
it is read (many harnesses leave the error flag false and tell the status in words only) and kept in what is compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_HEAD: Final = 400
_TAIL: Final = 400

_EXIT_HEAD: Final = re.compile(
    r"\s*(?:exit ?code:?|exited with code|exit status|exitcode:|process exited with code|command failed with exit code)"
    r"[ :]{0,2}(-?\d{1,4})\b[^\n]*\n?",
    re.IGNORECASE,
)
_EXIT_ANY: Final = re.compile(
    r"(?:^|\n)[\[(<]?(?:process |command |the command )?"
    r"(?:exited with (?:exit )?(?:code|status)|exit(?: ?code| status)|finished with exit code|completed with exit code"
    r"|failed with exit code|returncode|exitcode)"
    r"[ :>=]{0,3}(-?\d{1,4})\b[^\n]{0,60}",
    re.IGNORECASE,
)
_EXIT_SHORT: Final = re.compile(r"\n?\[exit (?:status )?(-?\d{1,4})\]\s*\Z")
_EXIT_JSON: Final = re.compile(r"\"(?:exit_?code|return_?code|exit_?status)\": ?(-?\d{1,4})", re.IGNORECASE)
_FOOTERS: Final = re.compile(
    r"(?:^|\n)(?:Chunk ID: [^\n]*|Wall time: [^\n]*|Original token count: [^\n]*|Total output lines: [^\n]*"
    r"|Process Group PGID: [^\n]*|Background PIDs: [^\n]*|Process running with session ID [^\n]*"
    r"|\[(?:Command|Python|The command)[^\n]*interpreter[^\n]*\]|\[Current working directory: [^\n]*\]"
    r"|\(?(?:read|seen|called|viewed) \d+ ?(?:\u00d7|x|times)[^\n]*)",
    re.IGNORECASE,
)
_REMINDER: Final = re.compile(r"\s*<(system-reminder|loopwatch-reminder|loopwatch)\b[^>]*>.*?</\1>\s*", re.DOTALL)
_READ_COUNT: Final = re.compile(
    r"\s*[\[(]?\b(?:read|seen|called|viewed) \d+ ?(?:\u00d7|x|times)\b[^\n]{0,40}\Z", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """A result as the tool gave it."""

    text: str
    exit_code: int | None
    because: tuple[str, ...]


def unwrap(text: str) -> Unwrapped:
    """Take the wrapping off. Only the first and the last few hundred characters are searched for it."""
    because: list[str] = []
    if "</" in text and ("<system-reminder" in text or "<loopwatch" in text):
        text, count = _REMINDER.subn("\n", text)
        if count:
            because.append("reminder removed")
    short = len(text) <= _HEAD + _TAIL
    head, middle, tail = (text, "", "") if short else (text[:_HEAD], text[_HEAD:-_TAIL], text[-_TAIL:])
    code: int | None = None
    found = _EXIT_HEAD.match(head)
    if found:
        code = int(found[1])
        head = head[found.end() :]
    for part in (tail, head):
        if code is not None or not part:
            continue
        match = (
            _EXIT_SHORT.search(part) or _EXIT_ANY.search(part) or (_EXIT_JSON.search(part) if text[:1] == "{" else None)
        )
        if match:
            code = int(match[1])
    if ":" in head or ":" in tail or "read" in tail or "]" in tail:
        before = len(head) + len(tail)
        head = _FOOTERS.sub("", head)
        tail = _READ_COUNT.sub("", _FOOTERS.sub("", tail)) if tail else tail
        head = _READ_COUNT.sub("", head) if short else head
        if len(head) + len(tail) != before:
            because.append("harness footer removed")
    return Unwrapped(head + middle + tail, code, tuple(because))
