"""Takes a harness's wrapping off a result: exit status, wall time, reminders, counters of its own.

What a harness writes around a tool's output says when and how the call ran, not what came of it. The exit status in
it is read (many harnesses leave the error flag false and tell the status in words only).

Sources: Claude Code (``Exit code 1``, ``<system-reminder>``), Codex (``Chunk ID``, ``Wall time``, ``Process exited with
code``), Gemini CLI (``Stdout``, ``Process Group PGID``), OpenHands (``[The command completed with exit code 1.]``),
mini-swe-agent (``<returncode>``), pi (``Command exited with code 1``), AutoGen (``exitcode: 1``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_EDGE: Final = 800
"""Characters at either end in which wrapping is looked for."""
_LINES: Final = 8
_MAX_FOOTER: Final = 250

_EXIT_LINE: Final = re.compile(
    r"\s*[\[(<]?(?:process |command |the command )?"
    r"(?:exited with (?:exit )?(?:code|status)|exit ?code|exit status|finished with exit code|completed with exit code"
    r"|failed with exit code|returncode|exitcode)[ :>=]{0,3}(-?[0-9]{1,4})\b[^\n]{0,80}\Z"
    r"|\s*\[exit (-?[0-9]{1,4})\]\s*\Z",
    re.IGNORECASE,
)
_EXIT_JSON: Final = re.compile(r"\"(?:exit_?code|return_?code|exit_?status)\": ?(-?[0-9]{1,4})\b", re.IGNORECASE)
_NOISE_LINE: Final = re.compile(
    r"(?:chunk id: .*|wall time: .*|original token count: .*|total output lines: .*|output:|command: .*|directory: .*"
    r"|(?:stderr|error|signal|stdout|output): \((?:empty|none)\)|process group pgid: .*|background pids: .*"
    r"|process running with session id .*|\[current working directory: .*\]|\[(?:command|python)[^\n]*interpreter.*\]"
    r"|[\[(]?(?:this |the )?(?:file|page|resource|result|output|command|tool)(?: was| has been)? (?:read|called|seen"
    r"|viewed|opened|fetched|shown|accessed) (?:[0-9]+ ?(?:\u00d7|x|times)|for the [0-9]+(?:st|nd|rd|th) time)\b"
    r"[\w ,.-]*[\])]?"
    r"|</?output>|[\[(]?(?:read|seen|called|viewed) [0-9]+ ?(?:\u00d7|x|times)[\w ,.-]*[\])]?|\(no output\))\s*\Z",
    re.IGNORECASE,
)
_FOOTER: Final = re.compile(
    r"\n[ \t]*(?:[-=_*]{3,}[ \t]*\n[^\n]{0,200}|[\[(][^\n]{0,200}[\])])\s*\Z",
)
_ACCOUNTS: Final = re.compile(
    r"\b(?:views?|requests?|quota|rate[ -]limit|credits?|api calls?|(?:calls|tokens) (?:used|left|remaining|made))\b",
    re.IGNORECASE,
)
_DIGIT: Final = re.compile(r"[0-9]")
_RULES: Final = frozenset({"---", "===", "___", "***"})
_STREAM: Final = re.compile(r"(?:Stdout|Stderr): ")
_BEGINNINGS: Final = frozenset(
    {
        "exit",
        "proc",
        "comm",
        "the ",
        "retu",
        "fini",
        "chun",
        "wall",
        "orig",
        "tota",
        "outp",
        "dire",
        "stde",
        "stdo",
        "erro",
    }
    | {
        "sign",
        "back",
        "curr",
        "pyth",
        "read",
        "seen",
        "call",
        "view",
        "no o",
        "/out",
        "this",
        "file",
        "page",
        "reso",
        "resu",
        "tool",
    }
)
"""First four letters of all wrapping lines, so that most lines are told apart without a search."""
_REMINDER: Final = re.compile(r"\s*<(system-reminder|loopwatch-reminder|loopwatch)\b[^>]{0,200}>.*?</\1>\s*", re.DOTALL)
_WRAPPED_ERROR: Final = re.compile(r"\s*<(tool_use_error|error)>(.*)</\1>\s*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """A result as the tool gave it."""

    text: str
    exit_code: int | None
    because: tuple[str, ...]
    says_error: bool = False
    """The harness wrapped it as an error."""


def unwrap(text: str) -> Unwrapped:
    """Take the wrapping off.

    Reminders are looked for everywhere in results of ordinary size; the rest only in the first and last eight lines.
    """
    because: list[str] = []
    if "<" in text:
        if "</system-reminder" in text or "</loopwatch" in text:
            text, count = _REMINDER.subn("\n", text)
            if count:
                because.append("reminder removed")
        wrapped = _WRAPPED_ERROR.match(text)
        if wrapped:
            return Unwrapped(wrapped[2], None, tuple(because), says_error=True)
    short = len(text) <= 2 * _EDGE
    head, middle, tail = (text, "", "") if short else (text[:_EDGE], text[_EDGE:-_EDGE], text[-_EDGE:])
    status: list[int] = []
    before = head.strip(), tail.strip()
    head = _without_first(head, status)
    if short:
        head = _without_last(head, status)
    else:
        tail = _without_last(tail, status)
    if not status and text[:1] == "{":
        status += [int(found[1]) for part in (head, tail) if (found := _EXIT_JSON.search(part))]
    if short:
        head = _without_accounts(head)
    else:
        tail = _without_accounts(tail)
    if (head.strip(), tail.strip()) != before:
        because.append("harness wrapping removed")
    return Unwrapped(head + middle + tail, status[0] if status else None, tuple(because))


def _without_accounts(text: str) -> str:
    """Without a last line, set apart by a rule or brackets, in which the server counts what is asked of it."""
    body = text.rstrip()
    at = body.rfind("\n")
    if at < 0:
        return text
    above = body.rfind("\n", 0, at)
    # Most last lines are no footer: told by their shape before anything is searched.
    if body[-1] not in "])" and body[above + 1 : at].strip(" \t")[:3] not in _RULES:
        return text
    line = body[at : at + _MAX_FOOTER]
    if not (_DIGIT.search(line) and _ACCOUNTS.search(line)):
        return text
    footer = _FOOTER.search(text, max(0, above))
    return text[: footer.start()] if footer else text


def _without_first(text: str, status: list[int]) -> str:
    for _ in range(_LINES):
        line, newline, rest = text.partition("\n")
        if not _is_wrapping(line, status):
            stream = _STREAM.match(line)
            return text[stream.end() :] if stream else text
        if not newline:
            return ""
        text = rest
    return text


def _without_last(text: str, status: list[int]) -> str:
    for _ in range(_LINES):
        rest, newline, line = text.rpartition("\n")
        if line.strip() and not _is_wrapping(line, status):
            return text
        if not newline:
            return ""
        text = rest
    return text


def _is_wrapping(line: str, status: list[int]) -> bool:
    if line.lstrip(" \t[(<")[:4].lower() not in _BEGINNINGS:
        return False
    found = _EXIT_LINE.match(line)
    if found:
        status.append(int(found[1] or found[2]))
        return True
    return _NOISE_LINE.match(line) is not None
