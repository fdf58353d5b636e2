"""Simple commands: what is wrapped around a program, and how words are spelled."""

from __future__ import annotations

import re
import shlex
from typing import Final

_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
_WRAPPERS: Final[dict[str, frozenset[str]]] = {  # each with its options that take a value
    "sudo": frozenset({"-u", "-g", "-h", "-p", "-C", "-D"}),
    "env": frozenset({"-u", "-C", "-S"}),
    "time": frozenset({"-f", "-o"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "nohup": frozenset(),
    "nice": frozenset({"-n"}),
    "ionice": frozenset({"-c", "-n"}),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "command": frozenset(),
    "exec": frozenset(),
    "unbuffer": frozenset(),
}
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_NEEDS_QUOTES: Final = re.compile(r"[\s'\"|&;<>()]")
_ESCAPED: Final = re.compile(r"\\(.)")
_UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}


def unwrapped(words: list[str]) -> tuple[list[str], list[str]]:
    """The words of the command inside ``sudo``, ``env``, ``timeout`` …, and the settings that ``env`` made."""
    settings: list[str] = []
    while len(words) > 1:
        wrapper = words[0].rsplit("/", 1)[-1]
        takes_value = _WRAPPERS.get(wrapper)
        if takes_value is None or (wrapper == "command" and words[1] in ("-v", "-V")):
            break
        at = 1
        while at < len(words) and words[at].startswith("-"):
            at += 2 if words[at] in takes_value else 1
        if wrapper == "timeout":
            at += 1
        made = at
        while at < len(words) and _ASSIGNMENT.match(words[at]):
            at += 1
        if at >= len(words):
            break
        settings += words[made:at]
        words = words[at:]
    return words, settings


def inner_script(words: list[str]) -> str | None:
    """The script of ``bash -c 'script'`` and the like; ``None`` for other commands."""
    if words[0].rsplit("/", 1)[-1] not in _SHELLS:
        return None
    for at, word in enumerate(words[1:-1], 1):
        if not word.startswith("-"):
            return None
        if not word.startswith("--") and "c" in word:
            return words[at + 1]
    return None


def quoted(word: str) -> str:
    """A word as a shell takes it, in quotes only where it must."""
    if word and _NEEDS_QUOTES.search(word) is None:
        return word
    return f'"{word}"' if "'" in word and '"' not in word else shlex.quote(word)


def unescaped(word: str) -> str:
    """A bare word without its backslashes."""
    return _ESCAPED.sub(r"\1", word.replace("\\\n", "")) if "\\" in word else word


def seconds(word: str) -> float:
    """What ``sleep`` makes of a word: ``30``, ``5m``; 0 where it is no duration."""
    number, unit = (word[:-1], word[-1]) if word[-1:] in _UNITS else (word, "s")
    try:
        return min(max(float(number), 0.0), 1e7) * _UNITS[unit]
    except ValueError:
        return 0.0
