"""Programs whose options or operands decide what they do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from loopwatch.detectors.sameness.facts import Effect
from loopwatch.detectors.sameness.tables import words as words_of

if TYPE_CHECKING:
    from collections.abc import Callable

    Judge = Callable[[tuple[str, ...], list[str]], Effect | None]

_VERIFYING_SCRIPTS: Final = words_of("programs", "scripts", "verify")
_READING_QUERY: Final = re.compile(
    r"\s*(?:select|show|explain|describe|desc|pragma|with|\\d)\b|\.(?:tables|schema)", re.IGNORECASE
)
_QUESTIONS: Final = frozenset({"--version", "-V", "--help", "-h", "version", "help"})


def asks_about_itself(words: tuple[str, ...]) -> bool:
    """``go version``, ``node --version``, ``x --help``: says something about the program and does nothing."""
    return len(words) == 2 and words[1] in _QUESTIONS  # noqa: PLR2004 - program and question


def says_verify(script: str) -> bool:
    """Whether the name of a script says that it tests, builds or lints."""
    name = script.rsplit("/", 1)[-1].rsplit(".", 1)[0].replace("_", "-").replace(":", "-")
    return not _VERIFYING_SCRIPTS.isdisjoint(name.split("-"))


def reads_only(query: str) -> bool:
    """Whether an SQL statement changes nothing."""
    return _READING_QUERY.match(query) is not None


def _python(words: tuple[str, ...], operands: list[str]) -> Effect | None:
    script = operands[0].rsplit("/", 1)[-1] if operands and "-c" not in words else ""
    return Effect.VERIFY if script.startswith("test_") or says_verify(script) else Effect.EXECUTE


def _in_place(words: tuple[str, ...], _operands: list[str]) -> Effect | None:
    for word in words[1:]:
        if word.startswith("--in-place") or (word.startswith("-") and not word.startswith("--") and "i" in word):
            return Effect.WRITE
    return None


def _find(words: tuple[str, ...], _operands: list[str]) -> Effect | None:
    return Effect.WRITE if "-delete" in words or ("-exec" in words and "rm" in words) else Effect.READ


def _tail(words: tuple[str, ...], _operands: list[str]) -> Effect | None:
    return Effect.READ | Effect.POLL if not {"-f", "-F", "--follow"}.isdisjoint(words) else None


def _make(_words: tuple[str, ...], operands: list[str]) -> Effect | None:
    acting = {"clean", "install", "deploy", "run", "start", "up", "release", "publish"}
    return Effect.EXECUTE if operands and operands[0] in acting else None


def _archive(words: tuple[str, ...], _operands: list[str]) -> Effect | None:
    return Effect.READ if not {"-t", "-l", "tf", "-tf", "tvf", "-tvf", "--list"}.isdisjoint(words) else None


def _curl(words: tuple[str, ...], _operands: list[str]) -> Effect | None:
    sends = not {"-d", "--data", "-F", "--form", "-T", "--data-raw", "--json", "--data-binary"}.isdisjoint(words)
    said = (words[at + 1].upper() for at, word in enumerate(words[:-1]) if word in ("-X", "--request"))
    if next(said, "POST" if sends else "GET") not in ("GET", "HEAD", "OPTIONS"):
        return Effect.EXECUTE
    saves = not {"-o", "-O", "--output", "--remote-name"}.isdisjoint(words) and "/dev/null" not in words
    return Effect.WRITE if saves else Effect.READ


def _wget(words: tuple[str, ...], _operands: list[str]) -> Effect | None:
    shows = any(word in ("--spider", "-O-", "-qO-") for word in words) or words[-1:] + words[-2:-1] == ("-", "-O")
    return Effect.READ if shows else None


def _git(_words: tuple[str, ...], operands: list[str]) -> Effect | None:
    return Effect.READ if operands[:2] in (["stash", "list"], ["stash", "show"], ["worktree", "list"]) else None


def _gh(words: tuple[str, ...], operands: list[str]) -> Effect | None:
    match operands:
        case ["api", *_] if {"-f", "-F", "-X", "--field", "--raw-field", "--method", "--input"}.isdisjoint(words):
            return Effect.READ
        case ["run" | "workflow", "view" | "watch" | "list", *_] | ["pr", "checks", *_]:
            return Effect.POLL
        case [_, "view" | "list" | "status" | "diff", *_]:
            return Effect.READ
        case _:
            return Effect.EXECUTE


def _kubectl(words: tuple[str, ...], operands: list[str]) -> Effect | None:
    watching = not {"-w", "--watch"}.isdisjoint(words) or operands[:2] == ["rollout", "status"]
    return Effect.POLL if watching else None


def _database(words: tuple[str, ...], _operands: list[str]) -> Effect | None:
    return Effect.READ if any(reads_only(word) for word in words[1:]) else Effect.EXECUTE


PARTICULAR: Final[dict[str, Judge]] = {
    "curl": _curl,
    "find": _find,
    "gh": _gh,
    "git": _git,
    "just": _make,
    "kubectl": _kubectl,
    "make": _make,
    "mysql": _database,
    "perl": _in_place,
    "psql": _database,
    "py": _python,
    "python": _python,
    "python3": _python,
    "sed": _in_place,
    "sqlite3": _database,
    "tail": _tail,
    "tar": _archive,
    "unzip": _archive,
    "wget": _wget,
}
