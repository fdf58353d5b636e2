"""Takes out of a result what changes by itself (A12), and leaves in what carries progress.

Out: clocks (a date with a time, a time with seconds, an epoch), durations, process ids, ports, UUIDs, memory addresses,
names of temporary files, seeds of random order, workers of a parallel test run, counters of progress bars, terminal
colours, request ids, element references of browser snapshots, the shell's own line counter. In: test
counts, line numbers of code, sizes, versions, exit codes, calendar dates alone, percentages, bare commit hashes,
benchmark figures (``ns/op``).

Contents of files are masked for clocks and UUIDs only: a configured ``30s`` that became ``60s`` is a change.

How it is fast: nearly everything volatile begins with a digit, so one pass over the digits finds it; the rest stands
behind searches that begin with one fixed rare character, which the C library finds at memory speed.
"""

from __future__ import annotations

import re
from typing import Final

from loopwatch.detectors.sameness.temporary import mask_temporary

_TIME: Final = (
    r"(?P<clock>[0-9]{3}[-/][01][0-9][-/][0-3][0-9][T _][0-2][0-9](?:[:_]?[0-5][0-9]){1,2}(?:[.,_][0-9]{1,9})?"
    r"(?: ?(?:Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}\b))?"
    r"|[0-9]?:[0-5][0-9]:[0-5][0-9](?:[.,][0-9]{1,9})?(?: ?[AP]M\b)?|[0-9]:[0-5][0-9]\.[0-9]{3}\b"
    r"|(?<=1)[5-9][0-9]{8}(?:[0-9]{3}|[0-9]{6}|[0-9]{9})?(?:\.[0-9a-f]{1,9})?(?!\w|\.\w))"
)
# The pattern begins with a digit, so that the search skips to digits; the look-behind then makes sure a word begins.
_CLOCK: Final = re.compile(rf"[0-9](?<![\w.][0-9]){_TIME}")
_DIGITS: Final = re.compile(
    rf"[0-9](?<![\w.][0-9])(?:{_TIME}"
    r"|(?P<duration>[0-9]*(?:[.,][0-9]+)?(?=[ a-zµμ])(?:[smhd](?:[0-9]{1,2}(?:\.[0-9]+)?(?:ms|[smh]))*"
    r"| ?(?:[nuµμm]s|m?secs?|seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|milliseconds?|microseconds?)"
    r"| s)(?![\w/]))"
    r"|(?P<address>(?<=0)x[0-9a-fA-F]{6,16}(?![0-9a-zA-Z]))"
    # What is a number of something only because of the word before it: first a look at the last letters, to be quick.
    r"|(?:(?<=[dDst.\]0-9][ =:][0-9])|(?<=[dDst\"]: [0-9])|(?<=\":[0-9])|(?<=e [0-9]))(?:"
    r"(?P<pid>(?:(?<=[pP][iI][dD][ =:][0-9])|(?<=[gG][iI][dD][ =:][0-9])|(?<=[pgPG][iI][dD]: [0-9])"
    r"|(?<=[pPgG][iI][dD]\":[0-9])|(?<=[pPgG][iI][dD]\": [0-9])|(?<=rocess [0-9])|(?<=rocess: [0-9])"
    r"|(?<=rocess [iI][dD] [0-9])|(?<=hread [0-9]))[0-9]{1,9}\b)"
    r"|(?P<port>(?:(?<=ocalhost:[0-9])|(?<=\.[0-9]:[0-9])|(?<=\.[0-9]{2}:[0-9])|(?<=\.[0-9]{3}:[0-9])"
    r"|(?<=[:0-9a-f]\]:[0-9])|(?<=[pP]ort[ =:][0-9])|(?<=[pP]ort: [0-9])|(?<=[pP]ort\":[0-9])|(?<=[pP]ort\": [0-9]))"
    r"[0-9]{3,4}(?![\w:]))"
    r"|(?P<line>(?:(?<=sh: line [0-9])|(?<=-c: line [0-9]))[0-9]*(?=:))"
    r"))"
)
_REASONS: Final = {
    "clock": "clock masked",
    "duration": "duration masked",
    "address": "address masked",
    "pid": "process id masked",
    "port": "port masked",
    "line": "shell line counter masked",
}

_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)|[@-Z\\^_])")
_UUID_TAIL: Final = re.compile(r"-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_BRACKET: Final = re.compile(
    r"\[(?:[0-9]{3,7}\][: ]|[0-9]{1,2}\] [0-9]{3,7}(?![^\n])|ref=\w|[#=>-]{3,}[ #=>.-]*\]|[0-9][0-9]:[0-9][0-9]<)"
)
_NAME_PID: Final = re.compile(r"(?<=\w)\[[0-9]{3,7}\](?=[: ])")
_JOB: Final = re.compile(r"(?m)^(\[[0-9]{1,2}\]) [0-9]{3,7}$")
_REF: Final = re.compile(r"\[ref=\w+\]")
_BLOCKS: Final = "█▉▊▋▌▍▎▏━╸╺"
_BAR: Final = re.compile(
    rf"[{_BLOCKS}]{{3}}|\|[#=> .-]{{6,}}\||\[[#=>-]{{3,}}[ #=>.-]*\]|\[[0-9][0-9]:[0-9][0-9]<[^\]\n]{{0,60}}\]"
)
_PIPE_BAR: Final = re.compile(r"\|[#=> .-]{6,}\|")
_BAR_COUNTER: Final = re.compile(rf"[{_BLOCKS}#=> ]{{2,}}|[0-9]+(?:\.[0-9]+)?")

_ID: Final = r"(?=[\w.-]{0,40}[0-9])[0-9a-zA-Z][\w.-]{5,63}"
_HEX: Final = r"(?:(?=[0-9-]*[a-f])(?=[a-f-]*[0-9])[0-9a-f-]{6,64}|[0-9]{7,20})(?![\w.])"
_STAMP_KEY: Final = re.compile(
    r"(\"(?:ts|timestamp|time|elapsed|duration|took|latency|uptime|nonce|etag)(?:_\w{1,12})?\": ?)"
    r"\"?[0-9][0-9.:a-f+-]*\"?"
)
_ID_KEY: Final = re.compile(
    r"(\"(?:message|msg|event|trace|span|correlation|transaction|operation|invocation|upload|run|session)_?[iI][dD]"
    r"\": ?\"?)" + _ID
)
_REQUEST: Final = re.compile(
    rf"(q(?<=[rR]eq)(?:uest)?(?:[ _-]?[iI][dD]\"?[:= #]{{1,2}}\"?){_ID}|q(?<=[rR]eq)(?:uest)? {_HEX})"
)
_SEED: Final = re.compile(r"(eed(?<=[sS]eed)[=: ]{1,2})[0-9]{3,20}\b")
_WORKER: Final = re.compile(r"\[gw[0-9]{1,3}\]")
_NAMED: Final = tuple(
    (name, re.compile(rf"{name}(?:[ _-]?[iI][dD]\"?[:= #]{{1,2}}\"?{_ID}| {_HEX})")) for name in ("race", "run")
)


def mask(text: str, *, contents: bool = False) -> tuple[str, tuple[str, ...]]:
    """The text without what changes by itself, for reading, and which masks found something.

    Args:
        text: One result, at most some tens of thousands of characters.
        contents: The text is what a file holds, not what a program says: clocks and UUIDs only.
    """
    because: dict[str, None] = {}
    text = _prepared(text, because, contents=contents)

    def named(match: re.Match[str]) -> str:
        kind = match.lastgroup or ""
        because[_REASONS[kind]] = None
        return f"<{kind}>"

    return (_CLOCK if contents else _DIGITS).sub(named, text), tuple(because)


def comparable(text: str, *, contents: bool = False) -> tuple[str, tuple[str, ...]]:
    """The same for hashing, and faster: one mask for all digits, and the first reason told."""
    because: dict[str, None] = {}
    text = _prepared(text, because, contents=contents)
    pattern = _CLOCK if contents else _DIGITS
    masked, count = pattern.subn("<>", text)
    first = pattern.search(text) if count else None
    if first:
        because[_REASONS[first.lastgroup or ""]] = None
    return masked, tuple(because)


def _prepared(text: str, because: dict[str, None], *, contents: bool) -> str:
    """The text without all that does not begin with a digit."""
    if "\x1b" in text:
        text = _masked(text, _ANSI.sub("", text), "colours removed", because)
    if not contents:
        text = _bars(text, because)
    if _UUID_TAIL.search(text):
        text = _masked(text, _UUID.sub("<uuid>", text), "id masked", because)
    return text if contents else _brackets(_names(text, because), because)


def _masked(before: str, after: str, reason: str, because: dict[str, None]) -> str:
    if after != before:
        because[reason] = None
    return after


def _bars(text: str, because: dict[str, None]) -> str:
    """What a terminal would show in the end, without the counters of progress bars."""
    if "\r" in text:
        lines = text.replace("\r\n", "\n").split("\n")
        shown = "\n".join(line.rstrip("\r").rsplit("\r", 1)[-1] for line in lines)
        text = _masked(text, shown, "overwritten lines removed", because)
    blocks = not text.isascii() and ("█" in text or "━" in text or "▏" in text or "╸" in text)
    if blocks or ("|" in text and _PIPE_BAR.search(text)):
        return _without_counters(text, because)
    return text


def _without_counters(text: str, because: dict[str, None]) -> str:
    lines = (_BAR_COUNTER.sub("<n>", line) if _BAR.search(line) else line for line in text.split("\n"))
    return _masked(text, "\n".join(lines), "progress bar masked", because)


def _brackets(text: str, because: dict[str, None]) -> str:
    """``name[pid]:``, ``[1] 4711``, ``[ref=e12]``, ``[====>   ]``."""
    if "[" not in text or _BRACKET.search(text) is None:
        return text
    text = _masked(text, _JOB.sub(r"\1 <pid>", _NAME_PID.sub("[<pid>]", text)), "process id masked", because)
    text = _masked(text, _REF.sub("[ref]", text), "element reference masked", because)
    return _without_counters(text, because)


def _names(text: str, because: dict[str, None]) -> str:
    """Names of temporary files, ids of requests and runs."""
    masked = _REQUEST.sub("q<id>", text) if "q" in text else text
    for name, pattern in _NAMED:
        if name in masked:
            masked = pattern.sub(f"{name} <id>", masked)
    if "eed" in masked:
        masked = _SEED.sub(r"\1<n>", masked)
    if "[gw" in masked:
        masked = _WORKER.sub("[gw]", masked)
    if '":' in text:
        masked = _ID_KEY.sub(r"\1<id>", _STAMP_KEY.sub(r"\1<clock>", masked))
    text = _masked(text, masked, "id masked", because)
    return _masked(text, mask_temporary(text), "temporary name masked", because)
