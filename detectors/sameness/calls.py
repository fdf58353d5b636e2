"""The canonical form of a call: what is done, to what, whatever the vocabulary (A10, A11)."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from loopwatch.detectors.sameness import shell
from loopwatch.detectors.sameness.arguments import (
    COMMAND_KEYS,
    CONTENT_KEYS,
    COSMETIC_KEYS,
    NEW_KEYS,
    OLD_KEYS,
    PATH_KEYS,
    PATTERN_KEYS,
    URL_KEYS,
    WAIT_KEYS,
    canonical_json,
    first_of,
    text_of,
)
from loopwatch.detectors.sameness.edits import edits
from loopwatch.detectors.sameness.facts import Effect
from loopwatch.detectors.sameness.families import bare_name, effect_of, family_of, is_command_line
from loopwatch.detectors.sameness.fingerprint import fingerprint
from loopwatch.detectors.sameness.operands import OPEN_END
from loopwatch.detectors.sameness.paths import canonical_url, is_url

if TYPE_CHECKING:
    from loopwatch.detectors.sameness.facts import Edit
    from loopwatch.detectors.sameness.paths import Places
    from loopwatch.detectors.step import Call

_PATCHED: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$|^\+\+\+ (?:b/)?(\S+)", re.MULTILINE)
_MAX_SHOWN: Final = 2_000
_RANGE_KEYS: Final = frozenset(
    {
        "offset",
        "limit",
        "start_line",
        "end_line",
        "view_range",
        "start",
        "end",
        "line_start",
        "line_end",
        "startLine",
        "endLine",
    }
)
_CODE_LANGUAGES: Final = frozenset({"python", "ipython", "run_code", "runcode", "execute_ipython_cell", "sql"})


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
    canonical: str
    """Whole canonical text."""
    because: tuple[str, ...]
    edits: tuple[Edit, ...] = ()

    @property
    def shown(self) -> str:
        """The canonical text cut to what an explanation needs."""
        return self.canonical if len(self.canonical) <= _MAX_SHOWN else self.canonical[: _MAX_SHOWN - 1] + "…"


def call_form(call: Call, raw: str, places: Places) -> CallForm:
    """Take a call apart.

    Args:
        call: As the model asked for it.
        raw: Its arguments as one line.
        places: Names paths.
    """
    family = family_of(call.tool, call.arguments)
    arguments: dict[str, Any] = call.arguments if isinstance(call.arguments, dict) else {}
    reading = _Form(call, raw, family, arguments, places)
    return reading.make()


class _Form:
    def __init__(self, call: Call, raw: str, family: str, arguments: dict[str, Any], places: Places) -> None:
        self.call = call
        self.raw = raw
        self.family = family
        self.arguments = arguments
        self.places = places
        self.effect = effect_of(family, call.tool)
        self.target = ""
        self.span: tuple[int, int] | None = None
        self.wait = 0.0
        self.program = ""
        self.signature = f"{call.tool}\n{raw}"
        self.because: list[str] = []

    def make(self) -> CallForm:
        if self.call.malformed or not isinstance(self.call.arguments, dict | str):
            canonical = f"{self.call.tool} {canonical_json(self.call.arguments, self.places)}"
        else:
            canonical = getattr(self, f"_{self.family}", self._other)()
        if self.effect & Effect.POLL:
            self.wait = self.wait or _declared_wait(self.arguments)
        return CallForm(
            family=self.family,
            effect=self.effect,
            fingerprint=fingerprint(canonical),
            signature=fingerprint(self.signature),
            target=self.target,
            span=self.span,
            declared_wait=self.wait,
            program=self.program,
            canonical=canonical,
            because=tuple(self.because),
            edits=edits(self.call, self.family, self.places.canonical),
        )

    def _path(self) -> str:
        spelled = first_of(self.arguments, PATH_KEYS)
        if isinstance(spelled, str):
            path = self.places.canonical(spelled)
            if path != spelled:
                self.because.append("path normalised")
            return path
        if spelled is not None:
            return canonical_json(spelled, self.places, "path")
        if isinstance(self.call.arguments, str):
            words = self.call.arguments.split("\n", 1)[0].split()
            return self.places.canonical(words[0].strip("\"'")) if words else ""
        return ""

    def _rest(self, *used: tuple[str, ...] | frozenset[str]) -> str:
        """The arguments that no role took, as canonical JSON; defaults and cosmetic ones left off."""
        gone = COSMETIC_KEYS.union(*used)
        rest = {key: value for key, value in self.arguments.items() if key not in gone and value is not None}
        if len(rest) < len(self.arguments) and any(
            key in COSMETIC_KEYS or self.arguments[key] is None for key in self.arguments
        ):
            self.because.append("descriptions and empty arguments left off")
        return " " + canonical_json(rest, self.places) if rest else ""

    def _read(self) -> str:
        self.target = self._path() or text_of(first_of(self.arguments, URL_KEYS))
        if not self.target:
            return self._other()
        self.span = _span(self.arguments)
        spelled = text_of(first_of(self.arguments, PATH_KEYS))
        limits = [text_of(self.arguments.get(key)) for key in sorted(_RANGE_KEYS) if key in self.arguments]
        self.signature = "\n".join(["read", spelled or self.raw, *limits])
        if isinstance(self.call.arguments, str):
            return (
                f"read {self.call.arguments.strip()}" if not self.target else f"read {self.target}" + self._operands()
            )
        lines = f" lines {self.span[0]}-{self.span[1] if self.span[1] < OPEN_END else 'end'}" if self.span else ""
        return f"read {self.target}{lines}" + self._rest(PATH_KEYS, _RANGE_KEYS, ("command",))

    def _operands(self) -> str:
        text = self.call.arguments if isinstance(self.call.arguments, str) else ""
        rest = text.split(None, 1)[1:]
        return " " + " ".join(rest[0].split()) if rest else ""

    def _write(self) -> str:
        self.target = self._path()
        self.signature = "\n".join(["write", text_of(first_of(self.arguments, PATH_KEYS)) or self.raw])
        if not self.arguments:
            return f"write {self.raw.strip()}"
        content = text_of(first_of(self.arguments, CONTENT_KEYS))
        return f"write {self.target}{self._rest(PATH_KEYS, CONTENT_KEYS, ('command',))}\n{content}"

    def _edit(self) -> str:
        text = (
            self.call.arguments
            if isinstance(self.call.arguments, str)
            else text_of(first_of(self.arguments, ("input", "patch", "diff")))
        )
        patched = (
            [self.places.canonical(added or changed) for added, changed in _PATCHED.findall(text)]
            if "***" in text or "+++" in text
            else []
        )
        if patched:
            self.target = patched[0]
            self.signature = f"edit\n{self.raw}"
            return f"patch {' '.join(patched)}\n{text.strip()}"
        self.target = self._path() if self.arguments else ""
        old = text_of(first_of(self.arguments, OLD_KEYS))
        self.signature = "\n".join(["edit", text_of(first_of(self.arguments, PATH_KEYS)), old or self.raw])
        if not self.arguments:
            return f"edit {self.raw.strip()}"
        new = text_of(first_of(self.arguments, NEW_KEYS))
        return f"edit {self.target}{self._rest(PATH_KEYS, OLD_KEYS, NEW_KEYS)}\n- {old}\n+ {new}"

    def _list(self) -> str:
        self.target = self._path() or "."
        self.signature = "\n".join(["list", text_of(first_of(self.arguments, PATH_KEYS)) or self.raw])
        if not self.arguments:
            return (
                f"list {self.places.canonical(self.raw) if ' ' not in self.raw.strip() else ' '.join(self.raw.split())}"
            )
        return f"list {self.target}{self._rest(PATH_KEYS)}"

    def _search(self) -> str:
        if not self.arguments:
            return f"search {' '.join(self.raw.split())}"
        self.target = self._path() or "."
        pattern = text_of(first_of(self.arguments, PATTERN_KEYS))
        name = bare_name(self.call.tool).lower()
        kind = "files " if "glob" in name or name.startswith("find") else "web " if "web" in name else ""
        return f"search {kind}{pattern!r} in {self.target}{self._rest(PATH_KEYS, PATTERN_KEYS)}"

    def _fetch(self) -> str:
        url = text_of(first_of(self.arguments, URL_KEYS)) if self.arguments else self.raw.strip()
        self.signature = f"fetch\n{url}"
        self.target = canonical_url(url) if is_url(url.strip()) else url
        if self.target != url:
            self.because.append("URL normalised")
        return f"fetch {self.target}{self._rest(URL_KEYS, ('prompt', 'format'))}"

    def _shell(self) -> str:
        command = self._command()
        self.signature = f"command\n{command}"
        name = bare_name(self.call.tool).lower()
        if name in _CODE_LANGUAGES:
            self.target = name
            return f"{name} {command.strip()}" + self._rest(COMMAND_KEYS)
        if not command.strip():
            self.effect = Effect.POLL
            self.wait = _declared_wait(self.arguments)
            return f"{self.call.tool} wait" + self._rest(COMMAND_KEYS)
        directory = first_of(
            self.arguments, ("workdir", "cwd", "working_directory", "workingDirectory", "directory", "dir_path")
        )
        script = shell.parse(command, self.places, directory if isinstance(directory, str) else "")
        self.effect, self.target, self.span, self.program = script.effect, script.target, script.span, script.program
        self.wait = script.sleeps
        self.because.extend(script.because)
        return f"{script.canonical}" + self._rest(COMMAND_KEYS)

    def _command(self) -> str:
        if not self.arguments:
            return f"{self.call.tool} {self.raw}" if is_command_line(self.call.tool, self.call.arguments) else self.raw
        command = first_of(self.arguments, COMMAND_KEYS)
        if isinstance(command, list):
            words = [text_of(word) for word in command]
            return words[2] if len(words) == 3 and words[1] in ("-lc", "-c") else shlex.join(words)  # noqa: PLR2004 - shell, flag, script
        return text_of(command)

    def _poll(self) -> str:
        self.wait = _declared_wait(self.arguments)
        self.target = text_of(
            first_of(self.arguments, ("bash_id", "task_id", "session_id", "session", "shell_id", "id", "sid"))
        )
        return self._other()

    def _other(self) -> str:
        if isinstance(self.call.arguments, str):
            return f"{self.call.tool} {' '.join(self.call.arguments.split())}"
        self.target = self.target or (self._path() if first_of(self.arguments, PATH_KEYS) else "")
        return f"{self.call.tool} {canonical_json(self.call.arguments, self.places)}"


def _span(arguments: dict[str, Any]) -> tuple[int, int] | None:
    view = arguments.get("view_range")
    if isinstance(view, list) and len(view) == 2 and all(isinstance(end, int) for end in view):  # noqa: PLR2004 - first and last
        return (view[0], OPEN_END if view[1] < 0 else view[1])
    offset = _whole(first_of(arguments, ("offset", "start_line", "startLine", "line_start", "start")))
    last = _whole(first_of(arguments, ("end_line", "endLine", "line_end", "end")))
    limit = _whole(first_of(arguments, ("limit", "num_lines", "lines")))
    first = max(1, offset or 1)
    if last is not None and last >= first:
        return (first, last)
    if limit is not None and limit > 0:
        return (first, first + limit - 1)
    return (first, OPEN_END) if first > 1 else None


def _whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return min(int(value), OPEN_END)
    except (ValueError, OverflowError):
        return None


def _declared_wait(arguments: dict[str, Any]) -> float:
    for key in WAIT_KEYS:
        value = arguments.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:  # noqa: PLR2004 - no wait is longer
            continue
        return value / 1_000 if key.endswith("_ms") or (key == "timeout" and value >= 1_000) else float(value)  # noqa: PLR2004 - nobody waits a thousand seconds, so these are milliseconds
    return 0.0
