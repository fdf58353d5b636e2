"""Takes out of a result what changes by itself (A12), and leaves in what carries progress.

Out: clocks (a date with a time, a time with seconds, an epoch), durations, process ids, ports, UUIDs, memory addresses,
names of temporary files, counters of progress bars, terminal colours, request ids, element references of browser
snapshots, the shell's own line counter. In: test counts, line numbers of code, sizes, versions, exit codes, calendar
dates alone, percentages, bare commit hashes, benchmark figures (``ns/op``).

Contents of files are masked for clocks and ids only: a configured ``30s`` that became ``60s`` is a change.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from loopwatch.detectors.sameness.temporary import TEMPORARY, mask_temporary

if TYPE_CHECKING:
    from collections.abc import Callable

_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)|[@-Z\\^_])")
_OVERWRITTEN: Final = re.compile(r"[^\n\r]*\r(?=[^\n\r])")

# Every alternative begins with a digit, so that the search can skip to digits; the look-behind then makes sure that
# the digit begins a word.
_CLOCK: Final = re.compile(
    r"\d(?<![\w.]\d)(?:"
    r"\d{3}[-/]\d\d[-/]\d\d[T _]\d\d:?\d\d(?::?\d\d)?(?:[.,]\d+)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?"
    r"|\d?:\d\d:\d\d(?:[.,]\d+)?(?: ?[AP]M)?"
    r"|(?<=1)[5-9]\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.[0-9a-f]+)?(?![\w.])"
    r")"
)
_DURATION: Final = re.compile(
    r"\d(?<![\w.:/-]\d)\d*(?:[.,]\d+)? ?"
    r"(?:(?:h|m|s|d)(?:\d+(?:\.\d+)?(?:m|s|h|ms))*"
    r"|ns|us|µs|μs|ms|msecs?|secs?|seconds?|minutes?|mins?|hours?|hrs?|milliseconds?|microseconds?)"
    r"(?![\w/])"
)
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")
_PID: Final = re.compile(
    r"(?i)\b(pid|pgid|ppid|process(?: group)?(?: id)?|tid|thread(?: id)?)(\W{1,3})\d{2,10}\b|(?<=\w)\[\d{2,7}\](?=:| )"
)
_PORT: Final = re.compile(r"(?i)\b(port[ =:]{1,2}|localhost:|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}:|\]:)\d{2,5}\b")
_REQUEST: Final = re.compile(
    r"(?i)\b((?:request|req|trace|correlation|message|msg|event|span|run|session|operation|transaction|log|error)"
    r"(?:[ _-]?id)?s?\"?[ :=#]{1,3}\"?)(?=[\w-]{0,40}\d)[0-9a-z][\w.-]{5,63}"
)
_STAMP_KEY: Final = re.compile(
    r"(?i)(\"(?:ts|timestamp|time|elapsed|duration|took|latency|nonce|etag)\w*\": ?)\"?[\d.:a-f+-]+\"?"
)
_SHELL_LINE: Final = re.compile(r"(?m)^((?:/\S*/)?\w*sh: (?:-c: )?line )\d+(?=:)|(?<=: -c: line )\d+(?=:)")
_REF: Final = re.compile(r"\[ref=\w+\]")
_BAR: Final = re.compile(
    r"[^\n]*(?:[█▉▊▋▌▍▎▏━╸╺]{2}|\|[█ ▏▎▍▌▋▊▉#=>.-]{4,}\||\[[#=>.-]{3,}[ #=>.-]*\])[^\n]*|\d+/\d+ \[\d\d:\d\d<[^\]\n]*\]"
)
_BAR_COUNTER: Final = re.compile(r"[█▉▊▋▌▍▎▏━╸╺#=> ]{2,}|\d+(?:\.\d+)?")


def _mask_bar(match: re.Match[str]) -> str:
    return _BAR_COUNTER.sub("<n>", match[0])


def _keep_first(mask: str) -> Callable[[re.Match[str]], str]:
    def replace(match: re.Match[str]) -> str:
        return f"{match[1] or ''}{mask}"

    return replace


_Gate = tuple[str, ...]
_Mask = tuple[str, _Gate, re.Pattern[str], "str | Callable[[re.Match[str]], str]"]

_CLOCKS: Final[tuple[_Mask, ...]] = (
    ("colours removed", ("\x1b",), _ANSI, ""),
    ("id masked", ("-",), _UUID, "<uuid>"),
    ("clock masked", (":", "1"), _CLOCK, "<clock>"),
    (
        "clock masked",
        ('"ts', '"time', '"elapsed', '"duration', '"took', '"latency', '"nonce', '"etag'),
        _STAMP_KEY,
        r"\1<clock>",
    ),
)
_REST: Final[tuple[_Mask, ...]] = (
    ("overwritten lines removed", ("\r",), _OVERWRITTEN, ""),
    ("progress bar masked", ("█", "━", "|#", "[#", "[=", "[>", "it/s", "|", "[."), _BAR, _mask_bar),
    ("duration masked", ("s", "m", "h", "d"), _DURATION, "<duration>"),
    ("address masked", ("0x",), _ADDRESS, "<address>"),
    ("temporary name masked", ("tmp", "/var/folders"), TEMPORARY, lambda match: mask_temporary(match[0])),
    (
        "process id masked",
        ("id", "ID", "rocess", "]:", "] ", "hread"),
        _PID,
        lambda m: f"{m[1]}{m[2]}<pid>" if m[1] else "[<pid>]",
    ),
    ("port masked", ("ort", "localhost:", ".", "]:"), _PORT, _keep_first("<port>")),
    ("id masked", ("re", "tr", "run", "id", "Id", "ID", "RE"), _REQUEST, _keep_first("<id>")),
    ("shell line counter masked", ("sh: line ", "-c: line "), _SHELL_LINE, _keep_first("<n>")),
    ("element reference masked", ("[ref=",), _REF, "[ref]"),
)


def mask(text: str, *, contents: bool = False) -> tuple[str, tuple[str, ...]]:
    """The text without what changes by itself, and which masks found something.

    Args:
        text: One result, at most some tens of thousands of characters.
        contents: The text is what a file holds, not what a program says: clocks and ids only.
    """
    because: list[str] = []
    for reason, gates, pattern, replacement in _CLOCKS if contents else (*_CLOCKS, *_REST):
        for gate in gates:
            if gate in text:
                break
        else:
            continue
        text, count = pattern.subn(replacement, text)
        if count and reason not in because:
            because.append(reason)
    return text, tuple(because)
