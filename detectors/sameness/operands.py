"""Which words of a command are paths, and which file and lines a reading command is about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from loopwatch.detectors.sameness.paths import canonical_url, is_url
from loopwatch.detectors.sameness.tables import words as words_of
from loopwatch.detectors.sameness.temporary import mask_temporary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopwatch.detectors.sameness.paths import Places

_FILE_PROGRAMS: Final = words_of("programs", "operands", "files")
_PATTERN_FIRST: Final = words_of("programs", "operands", "pattern_first")
_TEXT_ONLY: Final = words_of("programs", "operands", "text_only")
_WHOLE_FILE: Final = words_of("programs", "operands", "whole_file")
_CHANGES_FILE: Final = words_of("programs", "operands", "changes_file")
_TAKES_VALUE: Final = frozenset({"-n", "-c", "-A", "-B", "-C", "-e", "-m", "-d", "-f", "-k", "-g", "-t"})
_STANDS_ALONE: Final = {  # options that look like the above and take no value
    "sed": _TAKES_VALUE - {"-e", "-f"},
    **dict.fromkeys(("ls", "cat", "rm", "cp", "mv"), _TAKES_VALUE),
    **dict.fromkeys(("grep", "egrep", "fgrep", "rg", "ag"), frozenset({"-n", "-c"})),
}
_PATH_WORD: Final = re.compile(r"[\w.~@+%:,-]*/[\w./~@+%:,*-]*\Z|\.{1,2}\Z")
_BARE_URL: Final = re.compile(r"[\w-]+(?:\.[\w-]+)*(?::\d{1,5}/?|(?::\d{1,5})?/\S+)\Z")
"""``localhost:8080/up``: an address that leaves the scheme to the program."""
_HEX_DIGEST: Final = re.compile(r"(?=[0-9a-fA-F]*[A-F])(?=[a-fA-F]*[0-9])[0-9a-fA-F]{7,}\Z")
_SEARCHES: Final = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack"})
_SED_RANGE: Final = re.compile(r"(\d+)(?:,(\d+|\$))?p;?\Z")
_COUNT: Final = re.compile(r"-(?:n|-lines=)?(\d+)\Z")
OPEN_END: Final = 1_000_000_000
"""Last line of a read that goes on to the end."""


def program_of(words: Sequence[str]) -> str:
    """The name of the program that a simple command runs, without its directory."""
    return words[0].rsplit("/", 1)[-1] if words else ""


def canonical_words(words: list[str], places: Places, directory: str) -> tuple[list[str], bool]:
    """Words with paths, URLs and digests in their canonical spelling, and whether the directory no longer matters."""
    program = program_of(words)
    if program in _TEXT_ONLY:
        return words, False
    files = program in _FILE_PROGRAMS
    pattern_pending = program in _PATTERN_FIRST and not any(
        word in ("-e", "-f", "--regexp") or word.startswith("--expression") for word in words[1:]
    )
    made = [_script(words[0], places, directory) if words[0].startswith(("./", "../")) else words[0]]
    takes_value = False
    operands = 0
    for word in words[1:]:
        if takes_value:
            made.append(word)
            takes_value = False
        elif word.startswith("-") and len(word) > 1:
            takes_value = files and word in _TAKES_VALUE and word not in _STANDS_ALONE.get(program, ())
            made.append(_option(word, places, directory))
        elif pattern_pending:
            pattern_pending = False
            made.append(word)
        elif is_url(word):
            made.append(canonical_url(word))
        elif word.endswith("..."):  # Go's "and everything below"
            made.append(word)
        elif files or _PATH_WORD.match(word):
            operands += 1
            made.append(mask_temporary(places.canonical(word, directory)) if word != "-" else word)
        else:
            made.append(word.lower() if _HEX_DIGEST.match(word) else word)
    return made, files and operands > 0


def _script(word: str, places: Places, directory: str) -> str:
    path = places.canonical(word, directory)
    return path if path.startswith("/") else f"./{path}"


def _option(word: str, places: Places, directory: str) -> str:
    name, equals, value = word.partition("=")
    if equals and _PATH_WORD.match(value):
        return f"{name}={places.canonical(value, directory)}"
    return word


def file_and_span(words: tuple[str, ...]) -> tuple[str, tuple[int, int] | None]:
    """What ``cat``, ``head``, ``sed -n``, ``grep``, ``curl`` and the like are about, and the lines.

    Returns:
        ``("", None)`` for other programs.
    """
    program = program_of(words)
    operands = [word for word in words[1:] if not word.startswith("-")]
    if program in ("curl", "wget"):
        urls = (word for word in operands if is_url(word))
        return next(urls, "") or next((word for word in operands if _BARE_URL.match(word)), ""), None
    if program in _SEARCHES:
        return _search_root(words, operands), None
    if program in ("ls", "tree"):
        return (operands[0] if operands else "."), None
    return _file(program, words, operands) if operands else ("", None)


def _file(program: str, words: tuple[str, ...], operands: list[str]) -> tuple[str, tuple[int, int] | None]:
    if program in _WHOLE_FILE:
        return operands[0], None
    if program == "head":
        return operands[-1], _head_span(words)
    if program == "sed" and "-n" in words and len(operands) > 1:
        return operands[-1], _sed_span(operands[0])
    return (operands[-1] if program in _CHANGES_FILE or program == "tail" else ""), None


def _search_root(words: tuple[str, ...], operands: list[str]) -> str:
    """Where ``grep`` and the like look: the last operand behind the pattern, the working directory without one."""
    has_pattern = not {"-e", "-f", "--regexp"}.isdisjoint(words)
    roots = operands if has_pattern else operands[1:]
    return roots[-1] if roots and not roots[-1].isdecimal() else "."


def _sed_span(script: str) -> tuple[int, int] | None:
    match = _SED_RANGE.match(script)
    if match is None:
        return None
    first = int(match[1][:9])
    return first, first if match[2] is None else OPEN_END if match[2] == "$" else int(match[2][:9])


def _head_span(words: tuple[str, ...]) -> tuple[int, int]:
    for at, word in enumerate(words[1:], 1):
        match = _COUNT.match(word)
        if match:
            return 1, int(match[1][:9])
        if word in ("-n", "--lines") and at + 1 < len(words) and words[at + 1].isdecimal():
            return 1, int(words[at + 1][:9])
    return 1, 10
