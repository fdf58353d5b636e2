"""What well-known programs do to the world."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from collections.abc import Callable

_TABLE: Final[dict[str, dict[str, str]]] = tomllib.loads(
    files(__package__).joinpath("programs.toml").read_text("utf-8")
)
_EFFECTS: Final = {"read": Effect.READ, "write": Effect.WRITE, "verify": Effect.VERIFY, "poll": Effect.POLL}


def _effects(table: dict[str, str]) -> dict[str, Effect]:
    return {name: _EFFECTS[kind] for kind, names in table.items() for name in names.split()}


_NO_PROGRAMS: Final = frozenset({"programs", "like", "runners", "scripts", "operands", "parts"})
_PROGRAMS: Final = _effects(_TABLE["programs"])
_LIKE: Final = _TABLE["like"]
_SUBCOMMANDS: Final[dict[str, dict[str, Effect]]] = {
    name: _effects(table) for name, table in _TABLE.items() if name not in _NO_PROGRAMS
}
_RUNNERS: Final = frozenset(_TABLE["runners"]["always"].split())
_RUNNERS_AFTER_RUN: Final = frozenset(_TABLE["runners"]["after_run"].split())
_VERIFYING_SCRIPTS: Final = frozenset(_TABLE["scripts"]["verify"].split())
_MAX_DEPTH: Final = 6


def words_of(section: str, name: str) -> frozenset[str]:
    """A list of words that stands in the table of programs."""
    return frozenset(_TABLE[section][name].split())


def is_program(name: str) -> bool:
    """Whether a program of this name is known."""
    return name in _PROGRAMS or name in _SUBCOMMANDS or name in _LIKE or name in _PARTICULAR


def effect_of_command(words: tuple[str, ...], depth: int = 0) -> Effect:
    """What one simple command does.

    Args:
        words: Program and operands, wrappers such as ``sudo`` and ``env`` already taken off.
        depth: How many programs that run others stand around it.
    """
    if not words or depth > _MAX_DEPTH:
        return Effect.NONE if not words else Effect.EXECUTE
    program = words[0].rsplit("/", 1)[-1]
    operands = [word for word in words[1:] if not word.startswith("-")]
    inner = _run_by(program, words, operands)
    if inner:
        return effect_of_command(inner, depth + 1)
    particular = _PARTICULAR.get(program)
    found = particular(words, operands) if particular else None
    if found is not None:
        return found
    subcommands = _SUBCOMMANDS.get(_LIKE.get(program, program))
    if subcommands is not None:
        return _subcommand(program, subcommands, operands)
    known = _PROGRAMS.get(program)
    if known is not None:
        return known
    return Effect.VERIFY if says_verify(program) else Effect.EXECUTE


def says_verify(script: str) -> bool:
    """Whether the name of a script says that it tests, builds or lints."""
    name = script.rsplit("/", 1)[-1].rsplit(".", 1)[0].replace("_", "-").replace(":", "-")
    return not _VERIFYING_SCRIPTS.isdisjoint(name.split("-"))


def _run_by(program: str, words: tuple[str, ...], operands: list[str]) -> tuple[str, ...]:
    """The command that this one runs, for programs that are there to run others."""
    if program in _RUNNERS:
        return tuple(operands)
    if program in _RUNNERS_AFTER_RUN and operands[:1] in (["run"], ["exec"]):
        return tuple(operands[1:])
    if program.startswith(("python", "py")) and "-m" in words[:-1]:
        return words[words.index("-m") + 1 :]
    return ()


def _subcommand(program: str, known: dict[str, Effect], operands: list[str]) -> Effect:
    first = operands[0] if operands else ""
    if first in known:
        return known[first]
    script = operands[1] if first in ("run", "run-script", "exec") and len(operands) > 1 else first
    return Effect.VERIFY if _LIKE.get(program, program) == "npm" and says_verify(script) else Effect.EXECUTE


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


def _git(words: tuple[str, ...], operands: list[str]) -> Effect | None:
    if "-C" in words[:-1]:
        return effect_of_command(("git", *operands[1:]), 1) if operands else None
    return Effect.READ if operands[:2] in (["stash", "list"], ["stash", "show"]) else None


def _gh(_words: tuple[str, ...], operands: list[str]) -> Effect | None:
    match operands:
        case ["run" | "workflow", "view" | "watch" | "list", *_] | ["pr", "checks", *_]:
            return Effect.POLL
        case [_, "view" | "list" | "status" | "diff", *_]:
            return Effect.READ
        case _:
            return Effect.EXECUTE


def _kubectl(words: tuple[str, ...], operands: list[str]) -> Effect | None:
    watching = not {"-w", "--watch"}.isdisjoint(words) or operands[:2] == ["rollout", "status"]
    return Effect.POLL if watching else None


_PARTICULAR: Final[dict[str, Callable[[tuple[str, ...], list[str]], Effect | None]]] = {
    "curl": _curl,
    "find": _find,
    "gh": _gh,
    "git": _git,
    "just": _make,
    "kubectl": _kubectl,
    "make": _make,
    "perl": _in_place,
    "py": _python,
    "python": _python,
    "python3": _python,
    "sed": _in_place,
    "tail": _tail,
    "tar": _archive,
    "unzip": _archive,
}
