"""A walk over the syntax tree of a command line, which makes its canonical text and notes what runs on the way."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from loopwatch.detectors.sameness.operands import canonical_words, program_of
from loopwatch.detectors.sameness.simple import inner_script, quoted, seconds, unescaped, unwrapped
from loopwatch.detectors.sameness.tables import words as words_of
from loopwatch.detectors.sameness.temporary import mask_temporary

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Language, Node

    from loopwatch.detectors.sameness.paths import Places

GLUE: Final = words_of("programs", "parts", "glue")
FILTERS: Final = words_of("programs", "parts", "filters")
_LOOKS_ONLY: Final = words_of("programs", "parts", "looks_only")
_STATEMENTS: Final = words_of("programs", "parts", "statements")
_NOTHING: Final = frozenset({"true", ":", "exit 0", "echo $?", "echo done", "echo", "exit"})
"""Statements at the end of a script that change nothing but its exit status or its last line."""
_SINKS: Final = frozenset({"/dev/null", "/dev/stderr", "/dev/stdout"})
_WRITING: Final = frozenset({">", ">>", ">|", "&>", "&>>"})
_MAX_NESTING: Final = 4
_SPACES: Final = re.compile(r"\s+")


@lru_cache(maxsize=1)
def _bash() -> Language:
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())


class Walk:
    """One walk over one command line.

    Args:
        places: Names paths.
        directory: Where it runs; empty means in the workspace.
    """

    def __init__(self, places: Places, directory: str) -> None:
        self.places = places
        self.directory = directory
        self.commands: list[tuple[str, ...]] = []
        """Words of every simple command, wrappers taken off."""
        self.passing: set[int] = set()
        """Which of the commands only pass on what another one printed."""
        self.writes: list[str] = []
        self.sleeps = 0.0
        self._depth = 0

    def script(self, text: str) -> str:
        """Canonical text of a script."""
        from tree_sitter import Parser

        return self.form(Parser(_bash()).parse(text.encode("utf-8", "surrogatepass")).root_node)

    def simple(self, words: list[str], settings: list[str]) -> str:
        """Canonical text of one simple command.

        Args:
            words: Without their quotes.
            settings: ``name=value`` before them.
        """
        words, more = unwrapped(words)
        settings = sorted(item for item in (*settings, *more) if item.split("=", 1)[0] not in _LOOKS_ONLY)
        if not words or not words[0]:
            return " ".join(settings)
        inner = inner_script(words) if self._depth < _MAX_NESTING else None
        if inner is not None:
            return self._nested(inner)
        program = program_of(words)
        if program in ("cd", "pushd") and len(words) <= 2:  # noqa: PLR2004 - program and directory
            self.directory = posixpath.join(self.directory, words[1] if words[1:] else "~")
            self.commands.append(tuple(words))
            return ""
        if program == "sleep":
            self.sleeps += sum(map(seconds, words[1:]))
        words, path_only = canonical_words(words, self.places, self.directory)
        self.commands.append(tuple(words))
        if program == "tee":
            self.writes.extend(word for word in words[1:] if not word.startswith("-") and word not in _SINKS)
        where = self.places.canonical(self.directory) if self.directory else "."
        prefix = f"@{where} " if where != "." and not path_only and program not in GLUE else ""
        return prefix + " ".join([*settings, *map(quoted, words)])

    def _nested(self, script: str) -> str:
        self._depth += 1
        before = self.directory
        text = self.script(script)
        self.directory = before
        self._depth -= 1
        return text

    def form(self, node: Node) -> str:
        """Canonical text of a statement."""
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
            if parts and self.commands and program_of(self.commands[-1]) in FILTERS:
                self.passing.update(range(before, len(self.commands)))
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
        return f"( {inner} )" if _is_compound(inner) else inner

    def braces(self, node: Node) -> str:
        """``{ …; }``."""
        inner = self.sequence(node)
        return f"{{ {inner} }}" if _is_compound(inner) else inner

    def assignment(self, node: Node) -> str:
        """``name=value``."""
        self._hidden(node)
        return _SPACES.sub(" ", _text(node))

    def comment(self, _node: Node) -> str:
        """Nothing."""
        return ""

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
                kept += self._redirect(child)
            elif child.type == "heredoc_redirect":
                kept += self._here_document(child)
            elif child.type == "herestring_redirect":
                kept.append(_SPACES.sub(" ", _text(child)))
            else:
                body = self.form(child)
        return " ".join([body, *kept]).strip()

    def _here_document(self, node: Node) -> list[str]:
        kept = ["<<" + "".join(_text(part) for part in node.named_children if part.type == "heredoc_body")]
        for part in node.named_children:
            if part.type == "file_redirect":
                kept += self._redirect(part)
            elif part.type in _STATEMENTS:
                kept.append(self.form(part))
        return kept

    def _redirect(self, node: Node) -> list[str]:
        operator = next((child.type for child in node.children if not child.is_named), ">")
        descriptor = next((_text(child) for child in node.children if child.type == "file_descriptor"), "")
        words = [self._word(child) for child in node.children_by_field_name("destination")]
        destination, rest = (words[0], words[1:]) if words else ("", [])  # the grammar puts later arguments here too
        if operator in (">&", "<&") or destination in _SINKS:
            return rest if operator != "<" else ["</dev/null", *rest]
        path = mask_temporary(self.places.canonical(destination, self.directory))
        if operator in _WRITING:
            self.writes.append(path)
        return [f"{descriptor}{operator}{path}", *rest]

    def command(self, node: Node) -> str:
        """One simple command with its settings and redirections."""
        words: list[str] = []
        settings: list[str] = []
        redirects: list[str] = []
        for child in node.children:
            if child.type == "variable_assignment":
                settings.append(self.assignment(child))
            elif child.type == "command_name":
                words.append(self._word(child.children[0]) if child.children else _text(child))
            elif child.type == "file_redirect":
                redirects += self._redirect(child)
            elif child.type == "herestring_redirect":
                redirects.append(_text(child))
            else:
                words.append(self._word(child))
        return " ".join([self.simple(words, settings), *redirects]).strip()

    def _word(self, node: Node) -> str:
        """A word without the quotes that change nothing."""
        kind = node.type
        if kind == "word":
            return unescaped(_text(node))
        if kind == "raw_string":
            return _text(node)[1:-1]
        if kind == "concatenation":
            return "".join(self._word(child) for child in node.children)
        if kind in ("command_substitution", "process_substitution"):
            self.sequence(node)
        else:
            self._hidden(node)
        return _text(node)[1:-1].replace('\\"', '"').replace("\\\\", "\\") if kind == "string" else _text(node)

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


_FORMS: Final[dict[str, Callable[[Walk, Node], str]]] = {
    "command": Walk.command,
    "comment": Walk.comment,
    "compound_statement": Walk.braces,
    "list": Walk.chain,
    "pipeline": Walk.pipeline,
    "program": Walk.sequence,
    "redirected_statement": Walk.redirected,
    "subshell": Walk.subshell,
    "variable_assignment": Walk.assignment,
}


def _is_compound(statements: str) -> bool:
    return " ; " in statements or " &" in statements or " |" in statements


def _text(node: Node) -> str:
    text = node.text or b""
    try:
        return text.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:  # the grammar may cut within the bytes of a lone surrogate
        return text.decode("utf-8", "replace")
