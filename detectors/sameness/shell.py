"""What a shell command line says, however it is dressed.

The same command: white space, quoting that changes nothing, a trailing ``;``, ``2>&1``, ``2>/dev/null``, ``|| true``,
``; true``, ``| cat``, wrappers (``sudo env time timeout nohup nice``), ``bash -lc '…'``, ``cd X &&`` into the directory
the command runs in anyway, paths by where they lead, settings that only change how output looks (``NO_COLOR=1``).

Not the same: what cuts or filters output (``| head -50``, ``| tail``, ``| grep x``). The agent asks for another part of
the output, and what it gets differs; where it gets the same, the results say so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from loopwatch.detectors.sameness.facts import Effect
from loopwatch.detectors.sameness.operands import file_and_span, program_of
from loopwatch.detectors.sameness.programs import effect_of_command
from loopwatch.detectors.sameness.walk import FILTERS, GLUE, Walk

if TYPE_CHECKING:
    from loopwatch.detectors.sameness.paths import Places

_PLAIN: Final = re.compile(r"[ \t]*[\w./+:@%,-]+(?:[ \t]+[\w./+:@%,=-]+)*[ \t]*;?\s*\Z")
_SPACES: Final = re.compile(r"\s+")
_SURELY_LITTLE: Final = 800
_MAX_TEXT: Final = 400_000
_MAX_BONES: Final = 20_000
_MAX_OPERATORS: Final = 400
"""Beyond it the grammar's recovery from errors, which is quadratic, could take noticeable time."""
_QUOTED: Final = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_HERE: Final = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1[^\n]*\n.*?\n[ \t]*\2(?![^\n])", re.DOTALL)
_MAX_HERE: Final = 8
_OPERATOR: Final = re.compile(r"[|&;(){}<>`$\\'\"]")


@dataclass(frozen=True, slots=True)
class Script:
    """A command line taken apart."""

    canonical: str
    commands: tuple[tuple[str, ...], ...]
    """Words of every simple command in it, wrappers taken off."""
    program: str
    """Of the last command that does something: it decides the exit status."""
    effect: Effect
    target: str
    """The file it is about where it is about one; else its main program."""
    span: tuple[int, int] | None
    sleeps: float
    because: tuple[str, ...]


def parse(text: str, places: Places, directory: str = "") -> Script:
    """Take a command line apart.

    Args:
        text: The command as the agent sent it.
        places: Names paths.
        directory: Where it runs; empty means in the workspace.
    """
    walk = Walk(places, directory)
    if _PLAIN.match(text):
        canonical = walk.simple(text.rstrip().rstrip(";").split(), [])
    elif _is_too_much(text):
        canonical = _unparsed(walk, text)
    else:
        try:
            canonical = walk.script(text)
        except RecursionError:
            walk = Walk(places, directory)
            canonical = _unparsed(walk, text)
    if not canonical and walk.commands:
        canonical = f"cd {places.canonical(walk.directory)}"
    return _script(walk, canonical, spelled_so=canonical == text)


def _unparsed(walk: Walk, text: str) -> str:
    first = text.lstrip().split("\n", 1)[0][:2_000].split()
    walk.simple(first or [""], [])
    return _SPACES.sub(" ", text).strip()


def _script(walk: Walk, canonical: str, *, spelled_so: bool) -> Script:
    """What the walk found."""
    effect = Effect.NONE
    acting = [words for at, words in enumerate(walk.commands) if at not in walk.passing and not _says_nothing(words)]
    for words in acting:
        effect |= effect_of_command(words)
    if walk.writes:
        effect |= Effect.WRITE
    if walk.sleeps and not effect & (Effect.WRITE | Effect.VERIFY):
        effect |= Effect.POLL
    target, span = _about(walk, acting)
    return Script(
        canonical=canonical,
        commands=tuple(walk.commands),
        program=program_of(acting[-1]) if acting else "",
        effect=effect or (Effect.READ if walk.commands else Effect.EXECUTE),
        target=target,
        span=span,
        sleeps=walk.sleeps,
        because=() if spelled_so else ("shell spelling normalised",),
    )


def _about(walk: Walk, acting: list[tuple[str, ...]]) -> tuple[str, tuple[int, int] | None]:
    if walk.writes:
        return walk.writes[-1], None
    for words in acting:
        path, span = file_and_span(words)
        if path:
            return path, span
    return (program_of(acting[0]) if acting else ""), None


def _says_nothing(words: tuple[str, ...]) -> bool:
    """Glue, or a filter over what a here-document or a redirection gives it."""
    program = program_of(words)
    return program in GLUE or (len(words) == 1 and program in FILTERS)


def _is_too_much(text: str) -> bool:
    """Whether what remains without quoted text and here-documents is more than anyone writes by hand."""
    if len(text) <= _SURELY_LITTLE:
        return False
    if len(text) > _MAX_TEXT:
        return True
    bones = _HERE.sub("<<", text) if text.count("<<") <= _MAX_HERE else text
    bones = _QUOTED.sub("", bones)
    return len(bones) > _MAX_BONES or len(_OPERATOR.findall(bones)) > _MAX_OPERATORS
