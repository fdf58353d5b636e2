"""What a shell command line says, however it is dressed.

The same command: white space, quoting that changes nothing, a trailing ``;``, ``2>&1``, ``2>/dev/null``, ``|| true``,
``; true``, ``| cat``, wrappers (``sudo env time timeout nohup nice``), ``bash -lc '…'``, ``cd X &&`` into the directory
the command runs in anyway, paths by where they lead, settings that only change how output looks (``NO_COLOR=1``).

Not the same: what cuts or filters output (``| head -50``, ``| tail``, ``| grep x``). The agent asks for another part of
the output, and what it gets differs; where it gets the same, the results say so.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from loopwatch.detectors.sameness.facts import Effect
from loopwatch.detectors.sameness.operands import canonical_words, file_and_span, program_of
from loopwatch.detectors.sameness.programs import effect_of_command, words_of
from loopwatch.detectors.sameness.temporary import mask_temporary

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Language, Node

    from loopwatch.detectors.sameness.paths import Places

_PLAIN: Final = re.compile(r"[ \t]*[\w./+:@%,-]+(?:[ \t]+[\w./+:@%,=-]+)*[ \t]*;?\s*\Z")
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
_LOOKS_ONLY: Final = words_of("parts", "looks_only")
_GLUE: Final = words_of("parts", "glue")
_FILTERS: Final = words_of("parts", "filters")
_STATEMENTS: Final = words_of("parts", "statements")
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
_NEEDS_QUOTES: Final = re.compile(r"[\s'\"|&;<>()]")
_NOTHING: Final = frozenset({"true", ":", "exit 0", "echo $?", "echo done", "echo", "exit"})
"""Statements at the end of a script that change nothing but its exit status or its last line."""
_SURELY_LITTLE: Final = 800
_MAX_TEXT: Final = 400_000
_MAX_BONES: Final = 20_000
_MAX_OPERATORS: Final = 400
"""Beyond it the grammar's recovery from errors, which is quadratic, could take noticeable time."""
_QUOTED: Final = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_HERE: Final = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1[^\n]*\n.*?\n[ \t]*\2(?![^\n])", re.DOTALL)
_MAX_HERE: Final = 8
_OPERATOR: Final = re.compile(r"[|&;(){}<>`$\\'\"]")
_MAX_NESTING: Final = 4
_DURATION_UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_SPACES: Final = re.compile(r"\s+")


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


@lru_cache(maxsize=1)
def _bash() -> Language:
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())


def parse(text: str, places: Places, directory: str = "") -> Script:
    """Take a command line apart.

    Args:
        text: The command as the agent sent it.
        places: Names paths.
        directory: Where it runs; empty means in the workspace.
    """
    reading = _Reading(places, directory)
    if _PLAIN.match(text):
        canonical = reading.simple(text.rstrip().rstrip(";").split(), [])
    elif _is_too_much(text):
        canonical = reading.unparsed(text)
    else:
        try:
            canonical = reading.script(text)
        except RecursionError:
            reading = _Reading(places, directory)
            canonical = reading.unparsed(text)
    if not canonical and reading.commands:
        canonical = f"cd {places.canonical(reading.directory)}"
    if canonical != text:
        reading.because["shell spelling normalised"] = None
    return reading.finish(canonical)


def _is_too_much(text: str) -> bool:
    """Whether what remains without quoted text and here-documents is more than anyone writes by hand."""
    if len(text) <= _SURELY_LITTLE:
        return False
    if len(text) > _MAX_TEXT:
        return True
    bones = _HERE.sub("<<", text) if text.count("<<") <= _MAX_HERE else text
    bones = _QUOTED.sub("", bones)
    return len(bones) > _MAX_BONES or len(_OPERATOR.findall(bones)) > _MAX_OPERATORS


class _Reading:
    """One walk over a command line."""

    def __init__(self, places: Places, directory: str) -> None:
        self.places = places
        self.directory = directory
        self.commands: list[tuple[str, ...]] = []
        self.filters: set[int] = set()
        """Which of the commands only pass on what another one printed."""
        self.writes: list[str] = []
        self.sleeps = 0.0
        self.because: dict[str, None] = {}
        self.depth = 0

    def finish(self, canonical: str) -> Script:
        """What the walk found."""
        effect = Effect.NONE
        acting = [
            words for at, words in enumerate(self.commands) if at not in self.filters and not _says_nothing(words)
        ]
        for words in acting:
            effect |= effect_of_command(words)
        if self.writes:
            effect |= Effect.WRITE
        if self.sleeps and not effect & (Effect.WRITE | Effect.VERIFY):
            effect |= Effect.POLL
        target, span = self._about(acting)
        return Script(
            canonical=canonical,
            commands=tuple(self.commands),
            program=program_of(acting[-1]) if acting else "",
            effect=effect or (Effect.READ if self.commands else Effect.EXECUTE),
            target=target,
            span=span,
            sleeps=self.sleeps,
            because=tuple(self.because),
        )

    def _about(self, acting: list[tuple[str, ...]]) -> tuple[str, tuple[int, int] | None]:
        if self.writes:
            return self.writes[-1], None
        for words in acting:
            path, span = file_and_span(words)
            if path:
                return path, span
        return (program_of(acting[0]) if acting else ""), None

    def unparsed(self, text: str) -> str:
        first = text.lstrip().split("\n", 1)[0][:2_000].split()
        self.simple(first or [""], [])
        return _SPACES.sub(" ", text).strip()

    def script(self, text: str) -> str:
        from tree_sitter import Parser

        tree = Parser(_bash()).parse(text.encode("utf-8", "surrogatepass"))
        return self.form(tree.root_node)

    def form(self, node: Node) -> str:
        """Canonical text of a statement; its commands are noted on the way."""
        particular = _FORMS.get(node.type)
        if particular is not None:
            return particular(self, node)
        if not node.children:
            return _text(node)
        if node.type in _STATEMENTS:
            return " ".join(part for child in node.children if (part := self.form(child)))
        self._hidden(node)
        return _SPACES.sub(" ", _text(node))

    def pipeline(self, node: Node) -> str:
        """A pipeline without a last ``| cat``."""
        parts: list[str] = []
        for child in node.named_children:
            before = len(self.commands)
            part = self.form(child)
            if parts and program_of(self.commands[-1] if self.commands else ()) in _FILTERS:
                self.filters.update(range(before, len(self.commands)))
                part = part.split(" ", 1)[-1] if part.startswith("@") else part
            if part:
                parts.append(part)
        while len(parts) > 1 and parts[-1] in ("cat", "cat -"):
            parts.pop()
        return " | ".join(parts)

    def subshell(self, node: Node) -> str:
        """``( … )``, out of which no ``cd`` leads."""
        before = self.directory
        inner = self.sequence(node)
        self.directory = before
        return f"( {inner} )" if " ; " in inner or " &" in inner or " |" in inner else inner

    def braces(self, node: Node) -> str:
        """``{ …; }``."""
        inner = self.sequence(node)
        return f"{{ {inner} }}" if " ; " in inner or " &" in inner or " |" in inner else inner

    def assignment(self, node: Node) -> str:
        """``name=value``."""
        self._hidden(node)
        return _SPACES.sub(" ", _text(node))

    def comment(self, _node: Node) -> str:
        """Nothing."""
        return ""

    def _hidden(self, node: Node) -> None:
        """Commands inside ``$(…)`` run too, and those in what the grammar did not understand."""
        pending = list(node.named_children)
        while pending:
            child = pending.pop()
            if child.type in ("command_substitution", "process_substitution"):
                self.sequence(child)
            elif child.type == "command":
                self.command(child)
            else:
                pending.extend(child.named_children)

    def sequence(self, node: Node) -> str:
        """Statements one after the other, without what changes nothing."""
        parts: list[str] = []
        for child in node.children:
            if child.is_named:
                part = self.form(child)
                if part:
                    parts.append(part)
            elif child.type == "&" and parts:
                parts[-1] += " &"
        while len(parts) > 1 and parts[-1] in _NOTHING:
            parts.pop()
        return " ; ".join(parts)

    def chain(self, node: Node) -> str:
        """``a && b``, ``a || b``, without what changes nothing."""
        left = self.form(node.children[0])
        operator = node.children[1].type if len(node.children) > 1 else ";"
        right = self.form(node.children[-1]) if len(node.children) > 2 else ""  # noqa: PLR2004 - left, operator, right
        if not left or not right or (operator == "||" and right in _NOTHING):
            return left or right
        return f"{left} {operator} {right}"

    def redirected(self, node: Node) -> str:
        """A statement with redirections and here-documents."""
        kept: list[str] = []
        body = ""
        for child in node.named_children:
            if child.type == "file_redirect":
                kept.extend(self._redirect(child))
            elif child.type == "heredoc_redirect":
                kept.append("<<" + "".join(_text(part) for part in child.named_children if part.type == "heredoc_body"))
                for part in child.named_children:
                    if part.type == "file_redirect":
                        kept.extend(self._redirect(part))
                    elif part.type in _STATEMENTS:
                        kept.append(self.form(part))
            elif child.type == "herestring_redirect":
                kept.append(_SPACES.sub(" ", _text(child)))
            else:
                body = self.form(child)
        return " ".join([body, *kept]).strip()

    def _redirect(self, node: Node) -> list[str]:
        operator = next((child.type for child in node.children if not child.is_named), ">")
        descriptor = next((_text(child) for child in node.children if child.type == "file_descriptor"), "")
        words = [self._word(child) for child in node.children_by_field_name("destination")]
        destination, rest = (words[0], words[1:]) if words else ("", [])  # the grammar puts later arguments here too
        if operator in (">&", "<&") or destination in ("/dev/null", "/dev/stderr", "/dev/stdout"):
            return rest if operator != "<" else ["</dev/null", *rest]
        path = mask_temporary(self.places.canonical(destination, self.directory))
        if operator in (">", ">>", ">|", "&>", "&>>"):
            self.writes.append(path)
        return [f"{descriptor}{operator}{path}", *rest]

    def command(self, node: Node) -> str:
        """One simple command with its settings and redirections."""
        words: list[str] = []
        settings: list[str] = []
        redirects: list[str] = []
        for child in node.children:
            if child.type == "variable_assignment":
                settings.append(_SPACES.sub(" ", _text(child)))
                self._hidden(child)
            elif child.type == "command_name":
                words.append(self._word(child.children[0]) if child.children else _text(child))
            elif child.type == "file_redirect":
                redirects.extend(self._redirect(child))
            elif child.type == "herestring_redirect":
                redirects.append(_text(child))
            else:
                words.append(self._word(child))
        return " ".join([self.simple(words, settings), *redirects]).strip()

    def _word(self, node: Node) -> str:
        kind = node.type
        if kind == "word":
            return _unescape(_text(node))
        if kind == "raw_string":
            return _text(node)[1:-1]
        if kind == "string":
            self._hidden(node)
            return _text(node)[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        if kind == "concatenation":
            return "".join(self._word(child) for child in node.children)
        if kind in ("command_substitution", "process_substitution"):
            self.sequence(node)
        else:
            self._hidden(node)
        return _text(node)

    def simple(self, words: list[str], settings: list[str]) -> str:
        """One simple command, unquoted words in; its canonical text out."""
        words, settings = _unwrapped(words, list(settings))
        settings = sorted(item for item in settings if item.split("=", 1)[0] not in _LOOKS_ONLY)
        if not words or not words[0]:
            return " ".join(settings)
        program = words[0].rsplit("/", 1)[-1]
        if program in _SHELLS and self.depth < _MAX_NESTING:
            inner = _inner_script(words)
            if inner is not None:
                self.depth += 1
                text = self.script(inner)
                self.depth -= 1
                return text
        if program in ("cd", "pushd") and len(words) <= 2:  # noqa: PLR2004 - program and directory
            self.directory = posixpath.join(self.directory, words[1] if words[1:] else "~")
            self.commands.append(tuple(words))
            return ""
        if program == "sleep":
            self.sleeps += sum(_seconds(word) for word in words[1:])
        words, path_only = canonical_words(words, self.places, self.directory)
        self.commands.append(tuple(words))
        if program == "tee":
            self.writes.extend(word for word in words[1:] if not word.startswith("-"))
        where = self.places.canonical(self.directory) if self.directory else "."
        prefix = f"@{where} " if where != "." and not path_only and program not in _GLUE else ""
        return prefix + " ".join([*settings, *(_quoted(word) for word in words)])


_FORMS: Final[dict[str, Callable[[_Reading, Node], str]]] = {
    "command": _Reading.command,
    "comment": _Reading.comment,
    "compound_statement": _Reading.braces,
    "list": _Reading.chain,
    "pipeline": _Reading.pipeline,
    "program": _Reading.sequence,
    "redirected_statement": _Reading.redirected,
    "subshell": _Reading.subshell,
    "variable_assignment": _Reading.assignment,
}


def _says_nothing(words: tuple[str, ...]) -> bool:
    """Glue, or a filter over what a here-document or a redirection gives it."""
    program = program_of(words)
    return program in _GLUE or (len(words) == 1 and program in _FILTERS)


def _text(node: Node) -> str:
    text = node.text or b""
    try:
        return text.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # the grammar may cut within the bytes of a lone surrogate
        return text.decode("utf-8", "replace")


def _quoted(word: str) -> str:
    return shlex.quote(word) if not word or _NEEDS_QUOTES.search(word) else word


def _unescape(word: str) -> str:
    return re.sub(r"\\(.)", r"\1", word.replace("\\\n", "")) if "\\" in word else word


def _unwrapped(words: list[str], settings: list[str]) -> tuple[list[str], list[str]]:
    while words:
        takes = _WRAPPERS.get(words[0].rsplit("/", 1)[-1])
        if takes is None or len(words) == 1:
            return words, settings
        wrapper, at = words[0].rsplit("/", 1)[-1], 1
        while at < len(words) and words[at].startswith("-"):
            at += 2 if words[at] in takes else 1
        if wrapper == "timeout":
            at += 1
        while at < len(words) and _ASSIGNMENT.match(words[at]):
            settings.append(words[at])
            at += 1
        if at >= len(words):
            return words, settings
        words = words[at:]
    return words, settings


def _inner_script(words: list[str]) -> str | None:
    for at, word in enumerate(words[1:], 1):
        if word.startswith("-") and not word.startswith("--") and "c" in word:
            return words[at + 1] if at + 1 < len(words) else None
        if not word.startswith("-"):
            return None
    return None


def _seconds(word: str) -> float:
    number, unit = (word[:-1], word[-1]) if word[-1:] in _DURATION_UNITS else (word, "s")
    try:
        return min(max(float(number), 0.0), 1e7) * _DURATION_UNITS[unit]
    except ValueError:
        return 0.0
