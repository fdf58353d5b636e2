"""The canonical form of a call: what is done, to what, whatever the vocabulary (A10, A11).

Files by resolved path and range, shell by its parsed command, searches by pattern and root, fetches by normalised URL,
edits by path, old and new text; every other tool by canonical JSON. What is only said to the reader or the harness
(descriptions, time-outs) is left off in the families that are known.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from loopwatch.detectors.sameness import arguments as roles
from loopwatch.detectors.sameness import shell
from loopwatch.detectors.sameness.arguments import canonical_json, first_of, text_of
from loopwatch.detectors.sameness.edits import edits, patched_paths
from loopwatch.detectors.sameness.facts import Edit, Effect
from loopwatch.detectors.sameness.families import bare_name, effect_of, family_of, is_command_line, name_words
from loopwatch.detectors.sameness.fingerprint import fingerprint
from loopwatch.detectors.sameness.operands import OPEN_END
from loopwatch.detectors.sameness.particular import reads_only
from loopwatch.detectors.sameness.paths import canonical_url, is_url
from loopwatch.detectors.sameness.spans import declared_wait, span_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopwatch.detectors.sameness.paths import Places
    from loopwatch.detectors.step import Call

_MAX_SHOWN: Final = 2_000
_MAX_OPERANDS: Final = 40
_CONTENT_PROGRAMS: Final = frozenset({"cat", "sed", "head", "nl", "bat", "grep", "egrep", "rg", "less", "more", "awk"})
_WORD: Final = re.compile(r"[a-z_]\w{2,40}")
_BROKEN_PATH: Final = re.compile(r'"(?:file_?)?path"\s*:\s*"([^"\\]{1,400})"', re.IGNORECASE)
_FILE_SEARCH: Final = frozenset(
    {"grep", "glob", "ripgrep", "rg", "find", "files", "file", "dir", "content", "code", "codebase"}
)


@dataclass(frozen=True, slots=True)
class CallForm:
    """A call, taken apart."""

    family: str
    effect: Effect
    fingerprint: str
    signature: str
    target: str
    span: tuple[int, int] | None
    declared_wait: float
    program: str
    """Main program of a shell command; empty for other tools."""
    about: tuple[str, ...]
    """Operands and short text arguments: errors are compared without the words in them."""
    shown: str
    """Canonical text, at most 2,000 characters."""
    because: tuple[str, ...]
    edits: tuple[Edit, ...]
    shows_contents: bool
    """The result shows what files hold, which changes only when somebody changes it; logs excepted."""

    def operands(self) -> frozenset[str]:
        """Words that name what the call is about, in small letters."""
        return frozenset(word for text in self.about for word in _WORD.findall(text[:200].lower()))


def call_form(call: Call, raw: str, places: Places) -> tuple[CallForm, str]:
    """Take a call apart.

    Args:
        call: As the model asked for it.
        raw: Its arguments as one line.
        places: Names paths.

    Returns:
        The form, and the whole canonical text.
    """
    reading = _Reading(call, raw, places)
    canonical = reading.canonical()
    return reading.form(canonical), canonical


@dataclass(slots=True)
class _Reading:
    call: Call
    raw: str
    places: Places
    family: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    line: str | None = None
    """The arguments where they are plain text."""
    effect: Effect = Effect.NONE
    target: str = ""
    span: tuple[int, int] | None = None
    wait: float = 0.0
    program: str = ""
    signature: str = ""
    because: dict[str, None] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)

    def canonical(self) -> str:
        call = self.call
        if isinstance(call.arguments, dict):
            self.arguments = call.arguments
        elif isinstance(call.arguments, str) and not call.malformed:
            self.line = call.arguments
        self.family = family_of(call.tool, call.arguments)
        self.effect = effect_of(self.family, call.tool, call.arguments)
        self.signature = f"{call.tool}\n{self.raw}"
        if call.malformed or not isinstance(call.arguments, dict | str):
            return self._undecoded()
        return _FAMILIES.get(self.family, _other)(self)

    def form(self, canonical: str) -> CallForm:
        wait = self.wait or (declared_wait(self.arguments) if Effect.POLL in self.effect else 0.0)
        return CallForm(
            family=self.family,
            effect=self.effect,
            fingerprint=fingerprint(canonical),
            signature=fingerprint(self.signature),
            target=self.target,
            span=self.span,
            declared_wait=wait,
            program=self.program,
            about=self._about(),
            shown=canonical if len(canonical) <= _MAX_SHOWN else canonical[: _MAX_SHOWN - 1] + "…",
            because=tuple(self.because),
            edits=edits(self.call, self.family, self.places.canonical),
            shows_contents=self._shows_contents(),
        )

    def _about(self) -> tuple[str, ...]:
        if self.words or self.family in ("write", "edit"):
            return tuple(self.words[:_MAX_OPERANDS])
        said = (value for value in self.arguments.values() if isinstance(value, str) and len(value) <= _MAX_SHOWN)
        return tuple(islice(said, _MAX_OPERANDS))

    def _shows_contents(self) -> bool:
        prints = self.family == "shell" and self.effect == Effect.READ and self.program in _CONTENT_PROGRAMS
        if self.family not in ("read", "search", "list") and not prints:
            return False
        return not self.target.endswith((".log", ".out", ".jsonl")) and not self.target.startswith(("/proc/", "/sys/"))

    def _undecoded(self) -> str:
        text = self.call.arguments if isinstance(self.call.arguments, str) else ""
        found = _BROKEN_PATH.search(text[:_MAX_SHOWN]) if text else None
        if found:
            self.target = self.places.canonical(found[1])
        return f"{self.call.tool} {canonical_json(self.call.arguments, self.places)}"

    def path(self, keys: tuple[str, ...] = roles.PATH_KEYS) -> str:
        """The path argument, resolved; empty where there is none."""
        spelled = first_of(self.arguments, keys)
        if isinstance(spelled, list) and spelled and all(isinstance(item, str) for item in spelled):
            return " ".join(sorted(self.places.canonical(item) for item in spelled))
        if not isinstance(spelled, str):
            return "" if spelled is None else canonical_json(spelled, self.places, "path")
        path = self.places.canonical(spelled)
        if path != spelled:
            self.because["path normalised"] = None
        return path

    def spelled_path(self) -> str:
        """The path argument as it came (D2)."""
        return text_of(first_of(self.arguments, roles.PATH_KEYS))

    def rest(self, *used: tuple[str, ...] | frozenset[str]) -> str:
        """The arguments that no role took, as canonical JSON; defaults and what is only said left off."""
        gone = roles.COSMETIC_KEYS.union(*used)
        rest: dict[str, Any] = {}
        for key, value in self.arguments.items():
            if key in gone:
                if key in roles.COSMETIC_KEYS:
                    self.because["descriptions and time-outs left off"] = None
            elif value is None or roles.DEFAULTS.get(key, rest) == value:
                self.because["defaults left off"] = None
            else:
                rest[key] = value
        return " " + canonical_json(rest, self.places) if rest else ""


def _read(said: _Reading) -> str:
    if said.line is not None:
        words = said.line.split()
        said.target = said.places.canonical(words[0].strip("\"'")) if words and not words[0].isdecimal() else ""
        said.signature = f"read\n{said.line}"
        name = bare_name(said.call.tool).lower()
        return " ".join([name, said.target, *words[1:]] if said.target else [name, *words])
    said.target = said.path() or text_of(first_of(said.arguments, roles.URL_KEYS))
    if not said.target:
        return _other(said)
    said.span = span_of(said.arguments)
    limits = [text_of(said.arguments.get(key)) for key in sorted(roles.RANGE_KEYS) if key in said.arguments]
    said.signature = "\n".join(["read", said.spelled_path() or said.raw, *limits])
    lines = ""
    if said.span:
        lines = f" lines {said.span[0]}-{said.span[1] if said.span[1] < OPEN_END else 'end'}"
    return f"read {said.target}{lines}{said.rest(roles.PATH_KEYS, roles.RANGE_KEYS, ('command',))}"


def _write(said: _Reading) -> str:
    if said.line is not None:
        said.target = said.places.canonical(said.line.split("\n", 1)[0].strip("\"' ")) if said.line.strip() else ""
        said.signature = f"write\n{said.target}"
        return f"write {said.line.strip()}"
    said.target = said.path()
    said.signature = f"write\n{said.spelled_path() or said.raw}"
    content = text_of(first_of(said.arguments, roles.CONTENT_KEYS))
    return f"write {said.target}{said.rest(roles.PATH_KEYS, roles.CONTENT_KEYS, ('command',))}\n{content}"


def _edit(said: _Reading) -> str:
    patch = (
        said.line
        if said.line is not None
        else text_of(first_of(said.arguments, ("input", "patch", "diff", "patchText")))
    )
    paths = [said.places.canonical(path) for path in patched_paths(patch)]
    if paths:
        said.target = paths[0]
        said.signature = f"edit\n{said.raw}"
        return f"patch {' '.join(paths)}\n{patch.strip()}"
    if said.line is not None:
        said.signature = f"edit\n{said.raw}"
        return f"edit {said.line.strip()}"
    said.target = said.path()
    old = text_of(first_of(said.arguments, roles.OLD_KEYS))
    said.signature = "\n".join(["edit", said.spelled_path(), old or said.raw])
    new = text_of(first_of(said.arguments, roles.NEW_KEYS))
    return f"edit {said.target}{said.rest(roles.PATH_KEYS, roles.OLD_KEYS, roles.NEW_KEYS)}\n- {old}\n+ {new}"


def _list(said: _Reading) -> str:
    if said.line is not None:
        said.target = said.places.canonical(said.line) if said.line.strip() else "."
        said.signature = f"list\n{said.line}"
        return f"list {said.target}"
    said.target = said.path() or "."
    said.signature = f"list\n{said.spelled_path() or said.raw}"
    return f"list {said.target}{said.rest(roles.PATH_KEYS)}"


def _search(said: _Reading) -> str:
    name = bare_name(said.call.tool)
    if said.line is not None:
        return f"{name.lower()} {' '.join(said.line.split())}"
    words = set(name_words(name))
    of_files = not words.isdisjoint(_FILE_SEARCH)
    said.target = said.path() or ("." if of_files else said.call.tool)
    pattern = text_of(first_of(said.arguments, roles.PATTERN_KEYS)).strip()
    kind = "files" if not words.isdisjoint({"glob", "find"}) else "in" if of_files else "with"
    return f"search {pattern!r} {kind} {said.target}{said.rest(roles.PATH_KEYS, roles.PATTERN_KEYS)}"


def _fetch(said: _Reading) -> str:
    url = said.line if said.line is not None else text_of(first_of(said.arguments, roles.URL_KEYS))
    if not url:
        return _other(said)
    said.signature = f"fetch\n{url}"
    said.target = canonical_url(url) if is_url(url.strip()) else url.strip()
    if said.target != url:
        said.because["URL normalised"] = None
    return f"fetch {said.target}{said.rest(roles.URL_KEYS, ('prompt', 'format'))}"


def _shell(said: _Reading) -> str:
    command, directory = _command_line(said)
    said.signature = f"command\n{command}"
    code = said.line is None and any(key in said.arguments for key in roles.CODE_KEYS)
    if code or bare_name(said.call.tool).lower() == "sql":
        said.target = said.program = bare_name(said.call.tool).lower()
        if said.target == "sql" and reads_only(command):
            said.effect = Effect.READ
        lines = "\n".join(line.rstrip() for line in command.strip().split("\n"))
        return f"{said.target} {lines}{said.rest(roles.COMMAND_KEYS, roles.DIRECTORY_KEYS)}"
    if not command.strip():
        said.effect = Effect.POLL
        return f"{said.call.tool} wait{said.rest(roles.COMMAND_KEYS)}"
    script = shell.parse(command, said.places, directory)
    said.effect, said.target, said.span, said.program = script.effect, script.target, script.span, script.program
    said.wait = script.sleeps
    said.because.update(dict.fromkeys(script.because))
    said.words = [word for words in script.commands for word in words[1:] if not word.startswith("-")] or [" "]
    return script.canonical + said.rest(roles.COMMAND_KEYS, roles.DIRECTORY_KEYS)


def _command_line(said: _Reading) -> tuple[str, str]:
    """The command as one line, and the directory it runs in."""
    if said.line is not None:
        first = f"{said.call.tool} " if is_command_line(said.call.tool, said.line) else ""
        return first + said.line, ""
    directory = first_of(said.arguments, roles.DIRECTORY_KEYS)
    command = first_of(said.arguments, roles.COMMAND_KEYS)
    if isinstance(command, list):
        words = [text_of(word) for word in command]
        scripted = len(words) == 3 and words[1] in ("-lc", "-c")  # noqa: PLR2004 - shell, flag, script
        command = words[2] if scripted else shlex.join(words)
    return text_of(command), directory if isinstance(directory, str) else ""


def _poll(said: _Reading) -> str:
    said.wait = declared_wait(said.arguments)
    said.target = text_of(first_of(said.arguments, roles.HANDLE_KEYS))
    return f"{said.call.tool}{said.rest()}"


def _delegate(said: _Reading) -> str:
    to = first_of(said.arguments, ("subagent_type", "agent", "agent_name", "to", "recipient"))
    said.target = text_of(to) or bare_name(said.call.tool).rsplit("_", 1)[-1]
    return _other(said)


def _other(said: _Reading) -> str:
    if said.line is not None:
        return f"{said.call.tool} {' '.join(said.line.split())}"
    if not said.target and first_of(said.arguments, roles.PATH_KEYS) is not None:
        said.target = said.path()
    return f"{said.call.tool} {canonical_json(said.call.arguments, said.places)}"


_FAMILIES: Final[dict[str, Callable[[_Reading], str]]] = {
    "read": _read,
    "write": _write,
    "edit": _edit,
    "list": _list,
    "search": _search,
    "shell": _shell,
    "fetch": _fetch,
    "poll": _poll,
    "delegate": _delegate,
}
