"""What programs do to the world, by their name, their subcommand and what they are told to run."""

from __future__ import annotations

from typing import Final

from loopwatch.detectors.sameness.facts import Effect
from loopwatch.detectors.sameness.particular import PARTICULAR, asks_about_itself, says_verify
from loopwatch.detectors.sameness.tables import table

_EFFECTS: Final = {"read": Effect.READ, "write": Effect.WRITE, "verify": Effect.VERIFY, "poll": Effect.POLL}


def _effects(lists: dict[str, str]) -> dict[str, Effect]:
    return {name: _EFFECTS[kind] for kind, names in lists.items() for name in names.split()}


_TABLE: Final = table("programs")
_PROGRAMS: Final = _effects(_TABLE["programs"])
_SUBCOMMANDS: Final = {name: _effects(lists) for name, lists in _TABLE["subcommands"].items()}
_ANY_SUBCOMMAND: Final = _effects(_TABLE["any_subcommand"])
_LIKE: Final[dict[str, str]] = _TABLE["like"]
_RUNNERS: Final = frozenset(_TABLE["runners"]["always"].split())
_RUNNERS_AFTER_RUN: Final = frozenset(_TABLE["runners"]["after_run"].split())
_VALUED: Final = {name: frozenset(options.split()) for name, options in _TABLE["elsewhere"].items()}
_MAX_DEPTH: Final = 6


def is_program(name: str) -> bool:
    """Whether a program of this name is known."""
    return name in _PROGRAMS or name in _SUBCOMMANDS or name in _LIKE or name in PARTICULAR


def effect_of_command(words: tuple[str, ...], depth: int = 0) -> Effect:
    """What one simple command does.

    Args:
        words: Program and operands, wrappers such as ``sudo`` and ``env`` already taken off.
        depth: How many programs that run others stand around it.
    """
    if not words:
        return Effect.NONE
    if depth > _MAX_DEPTH:
        return Effect.EXECUTE
    if asks_about_itself(words):
        return Effect.READ
    program = words[0].rsplit("/", 1)[-1]
    operands = [word for word in words[1:] if not word.startswith("-")]
    inner = _run_by(program, words, operands)
    if inner:
        return effect_of_command(inner, depth + 1)
    particular = PARTICULAR.get(program)
    found = particular(words, operands) if particular else None
    return found if found is not None else _by_name(program, operands)


def _by_name(program: str, operands: list[str]) -> Effect:
    subcommands = _SUBCOMMANDS.get(_LIKE.get(program, program))
    if subcommands is not None:
        return _subcommand(program, subcommands, operands)
    known = _PROGRAMS.get(program)
    if known is not None:
        return known
    task = operands[1] if operands[:1] in (["run"], ["exec"]) and len(operands) > 1 else ""
    if says_verify(program) or says_verify(task):
        return Effect.VERIFY
    return _ANY_SUBCOMMAND.get(operands[0], Effect.EXECUTE) if operands else Effect.EXECUTE


def _subcommand(program: str, known: dict[str, Effect], operands: list[str]) -> Effect:
    first = operands[0] if operands else ""
    if first in known:
        return known[first]
    script = operands[1] if first in ("run", "run-script", "exec") and len(operands) > 1 else first
    return Effect.VERIFY if _LIKE.get(program, program) == "npm" and says_verify(script) else Effect.EXECUTE


def _run_by(program: str, words: tuple[str, ...], operands: list[str]) -> tuple[str, ...]:
    """The command that this one runs, for programs that are there to run others."""
    if program in _RUNNERS:
        return tuple(operands)
    if program in _RUNNERS_AFTER_RUN and operands[:1] in (["run"], ["exec"]):
        return tuple(operands[1:])
    if program.startswith("py") and "-m" in words[:-1]:
        return words[words.index("-m") + 1 :]
    if program == "git" and "-C" in words[:-1]:
        at = words.index("-C")
        return (*words[:at], *words[at + 2 :])
    if program in _VALUED:
        return _run_elsewhere(program, words)
    return ()


def _run_elsewhere(program: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """The command behind ``docker exec name``, ``kubectl exec pod --``, ``xargs``."""
    rest = list(words[1:])
    if program != "xargs":
        if "exec" not in rest:
            return ()
        rest = rest[rest.index("exec") + 1 :]
    place_pending = program != "xargs"
    while rest:
        word = rest.pop(0)
        if word in _VALUED[program] and rest:
            rest.pop(0)
        elif word.startswith("-"):
            continue
        elif place_pending:
            place_pending = False
        else:
            return (word, *rest)
    return ()
