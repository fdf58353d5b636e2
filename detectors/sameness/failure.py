"""Whether a step failed, whether waiting may mend it, and which error it is.

Order of belief: the harness's flag when it says yes, the exit status, a result that consists of nothing but an error.
Error words inside a successful result (a log that was read) are no failure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from loopwatch.detectors.sameness.masks import mask
from loopwatch.detectors.sameness.tables import table

_NOTHING_FOUND_PROGRAMS: Final = frozenset(
    {"grep", "egrep", "fgrep", "rg", "ag", "ack", "pgrep", "git-grep", "diff", "cmp"}
)
_EMPTY: Final = re.compile(
    r"\s*(?:\(?(?:no output|empty|command (?:ran|produced) [^\n]{0,40})\)?)?\s*(?:command exited with code \d+)?\s*\Z",
    re.IGNORECASE,
)
_SHORT: Final = 600
"""Characters; a result that is nothing but an error is no longer."""
_FEW_LINES: Final = 12


def _any_of(patterns: list[str], before: str = "") -> re.Pattern[str]:
    """Over text in small letters: much faster than a search that does not mind the case."""
    return re.compile(before + "(?:" + "|".join(patterns) + ")")


_TABLE: Final[dict[str, Any]] = table("errors")
_START: Final = _any_of(_TABLE["start"], r"\s*")
_JSON_START: Final = _any_of(_TABLE["json_start"], r"\s*\{\s*")
_SHELL_LINE: Final = _any_of(_TABLE["shell_line"])
_SHELL_COUNTER: Final = re.compile(r"(?:(?:/\S{1,80}/|\./)?[\w.-]{0,40}sh|[^\n]{1,200}: -c): line \d+: ")
_LAST_WORD: Final = re.compile(r"e: |fatal: |error: |sudo: .{1,80}: command not found")
_TELLING: Final = _any_of(_TABLE["telling"])
_TRANSIENT: Final = _any_of(_TABLE["transient"])
_TIMEOUT: Final = _any_of(_TABLE["timeout"])
_CAUSES: Final = tuple((cause["name"], cause["everywhere"], _any_of(cause["says"])) for cause in _TABLE["cause"])
_QUOTED: Final = re.compile(r"\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|`[^`\n]{0,200}`|\[[^\]\n]{0,200}\]")
_PATHLIKE: Final = re.compile(
    r"(?:[a-z]+://)?[\w.@~+-]*(?:/[\w.@~+:-]*)+|\b[\w-]+(?:\.[\w-]+)+\b(?::\d+)*|\b[\w.+-]+@[\w.-]+"
)
_NUMBER: Final = re.compile(r"\b\w*\d[\w.]*")
_WORD: Final = re.compile(r"[a-z_]\w{2,40}")
_LISTED: Final = re.compile(r"- [A-Z]+\d+ ")
"""A finding of a linter that a harness lists below its refusal."""
_HEADING: Final = re.compile(r"[\w ]{1,30}:\Z")
_DECORATION: Final = re.compile(r"[=_*~-]{3,}")
_NAMES_ERROR: Final = re.compile(
    r"\b(?:error|fatal|exception|panic|e)\b ?[:\[]|error:|exception:|\w(?:Error|Exception)\b|^E  "
    r"|--- FAIL|not found|denied|refused|cannot|could not|undefined|failed"
)
_LOOK: Final = 1_000
"""Characters of one line that are looked at."""
_FIRST_TELLING: Final = 3
_MAX_TELLING: Final = 20
_SPACE: Final = re.compile(r"\s+")
_MAX_LINE: Final = 200
_EDGE: Final = 2_000


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong with one step."""

    identity: str
    """Equal text means the same trouble, across arguments and tools."""
    line: str
    """Most telling line, masked, at most 200 characters."""
    transient: bool


def nothing_found(program: str, text: str, exit_code: int | None) -> bool:
    """A search that ended with 1 and printed nothing: an answer, not a failure."""
    if program not in _NOTHING_FOUND_PROGRAMS or exit_code not in (None, 1):
        return False
    return len(text) < _SHORT and _EMPTY.match(text) is not None


def speaks_of_failure(text: str, *, shell: bool, trusted: bool) -> bool:
    """Whether a result says by itself that the call failed.

    Args:
        text: The unwrapped result.
        shell: It is the output of a shell.
        trusted: The harness says it succeeded; then only a result that is nothing but an error counts.
    """
    head = text[:_SHORT].lower()
    if (shell or not trusted) and len(text) < _SHORT:
        lines = [line for line in text.splitlines() if line.strip()]
        says = _SHELL_LINE if shell else _SHELL_COUNTER
        if lines and all(says.match(line.lower()) for line in lines[:6]):
            return True
    if not trusted:
        stripped = text.rstrip()
        last = stripped[stripped.rfind("\n") + 1 :][:_MAX_LINE].lower()
        if _SHELL_COUNTER.match(head) or _SHELL_COUNTER.match(last) or (shell and _LAST_WORD.match(last)):
            return True
    if trusted and (shell or text.count("\n", 0, 2_000) > _FEW_LINES):
        return False
    return _START.match(head) is not None or _JSON_START.match(head) is not None


def describe(text: str, *, shell: bool, verifying: bool, operands: frozenset[str] = frozenset()) -> Failure:
    """Name the error in a failed result.

    Args:
        text: The unwrapped result.
        shell: It is the output of programs, with the error somewhere in it; other tools begin with what went wrong.
        verifying: A test, build or lint: its counts and names are progress, so they stay part of the identity, and a
            time-out inside it is no reason to wait.
        operands: Words of the call, in small letters, that its error may repeat without being another error.
    """
    sample = text if len(text) <= 2 * _EDGE else text[:_EDGE] + "\n" + text[-_EDGE:]
    lines = [line.strip()[:_LOOK] for line in sample.splitlines() if line.strip()]
    telling = _telling(lines, shell=shell)
    line = _most_telling(telling) if telling else (lines[-1] if lines else "")
    masked = mask(line)[0][:_MAX_LINE]
    told = "\n".join((line, *telling[:_FIRST_TELLING])).lower()
    mendable = told if len(telling) <= _FIRST_TELLING else line.lower()
    transient = _TRANSIENT.search(mendable) is not None or (not verifying and _TIMEOUT.search(mendable) is not None)
    for name, everywhere, pattern in _CAUSES:
        if (everywhere or not verifying) and pattern.search(told):
            return Failure(name, masked, transient)
    if verifying:
        return Failure(mask("\n".join(telling[:_MAX_TELLING]) or sample)[0], masked, transient)
    return Failure(_bare(masked, operands), masked, transient)


def _telling(lines: list[str], *, shell: bool) -> list[str]:
    if shell or not lines or lines[0].startswith("Traceback"):
        return [line for line in lines if _TELLING.search(line.lower())]
    first = lines[1:2] if _HEADING.match(lines[0]) and len(lines) > 1 else lines[:1]
    listed = [line for line in lines[1:_MAX_TELLING] if _LISTED.match(line)]
    return [*listed[:1], *first]


def _most_telling(lines: list[str]) -> str:
    """A Python traceback tells at its end, most others at the first line that names an error."""
    if any(line.startswith("Traceback (most recent") for line in lines):
        return lines[-1]
    plain = [line for line in lines if not _DECORATION.match(line)] or lines
    return next((line for line in plain if _NAMES_ERROR.search(line)), plain[0])


def _bare(line: str, operands: frozenset[str]) -> str:
    """An error line without its arguments: quoted text, paths, names with dots, numbers, words of the call."""
    line = _PATHLIKE.sub("<>", _QUOTED.sub("<>", line)).lower()
    if operands:
        line = _WORD.sub(lambda word: "<>" if word[0] in operands else word[0], line)
    return _SPACE.sub(" ", _NUMBER.sub("<>", line)).strip()
