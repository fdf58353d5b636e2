"""What a call would do to the text of files: the old and the new of every edit, across vocabularies.

Understood: whole contents (``content``, ``file_text`` …), replacements (``old_string``/``new_string``, ``search``/
``replace``, lists of them), ``apply_patch`` and unified diffs, and of shell commands here-documents into a file,
``sed -i s///`` and what git takes back (``checkout``, ``restore``, ``stash``, ``reset --hard``); an editor's undo.
Anything else gives nothing.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.sameness.arguments import PATH_KEYS
from loopwatch.detectors.sameness.facts import Edit
from loopwatch.detectors.sameness.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopwatch.detectors.step import Call, Json

EDITS_LIMIT = 64
"""Edits of one call that are looked at."""
PATCH_LIMIT = 2_000_000
"""Characters of a patch or command that are looked at."""
SED_LIMIT = 4_000
TEXT_LIMIT = 20_000
"""Longest whole content that is kept for comparing, in characters."""

_WHOLE = ("content", "contents", "file_text", "new_content", "text")
_OLD = ("old_string", "old_str", "oldString", "oldText", "old_text", "old", "search", "find", "old_content")
_NEW = (
    "new_string",
    "new_str",
    "newString",
    "newText",
    "new_text",
    "new",
    "replace",
    "replacement",
    "replace_with",
    "new_content",
)
_LISTS = ("edits", "replacements", "changes", "chunks")
_FREE = ("input", "patch", "diff", "patchText", "command", "cmd", "script")

_NEVER = frozenset({"", "read", "list", "search", "fetch", "poll", "ask", "delegate"})
_WRITERS = frozenset({"write", "plan"})

_PATCH_FILE = re.compile(r"\*\*\* (?:Update|Add|Delete) File: (.+)|\+\+\+ (?:b/)?(\S+)")
_HEREDOC = re.compile(r">\s*(['\"]?)([^\s'\"<>|;&]+)\1\s*<<-?\s*(['\"]?)(\w+)\3[^\n]*\n")
_HEREDOC_FIRST = re.compile(r"<<-?\s*(['\"]?)(\w+)\1\s*>\s*(['\"]?)([^\s'\"<>|;&]+)\3[^\n]*\n")
_SED = re.compile(r"\bsed\s+-i\S*\s+(?:-e\s+)?(['\"])s([/|#,@])(.+?)\2(.*?)\2[gI]*\1\s+([^\s;&|]+)")
_RESTORE = re.compile(
    r"\bgit\s+(?:checkout\s+(?:HEAD\s+)?--|restore(?:\s+--worktree)?)\s+([^\s;&|-][^\s;&|]*)"
    r"|\bgit\s+checkout\s+([^\s;&|-][^\s;&|]*\.\w{1,5})(?=\s*(?:[;&|]|\Z))"
)
_RESTORE_ALL = re.compile(
    r"\bgit\s+(?:stash(?:\s+(?:push|save|-u)|\s*(?:[;&|]|\Z))|reset\s+--hard|checkout\s+(?:--\s+)?\.(?:\s|\Z))"
)
_UNSTASH = re.compile(r"\bgit\s+stash\s+(?:pop|apply)\b")
ALL_FILES = "*"


def edits(call: Call, family: str, place: Callable[[str], str]) -> tuple[Edit, ...]:
    """The edits a call asks for, in order; ``()`` where it is no edit or is not understood.

    Args:
        call: The call, as the model asked for it.
        family: The tool's family, as in ``Facts``.
        place: Names a path the same way however it is spelled.
    """
    if call.malformed or family in _NEVER:
        return ()
    found = _spelled(call, family)
    return tuple(
        edit if edit.path == ALL_FILES else replace(edit, path=place(edit.path)) for edit in found if edit.path
    )


def patched_paths(patch: str) -> list[str]:
    """The files that a patch touches, in order, as it spells them; empty where the text is no patch."""
    if "*** " not in patch and "+++ " not in patch:
        return []
    headers = (_PATCH_FILE.match(line) for line in patch[:PATCH_LIMIT].splitlines() if line[:3] in {"***", "+++"})
    return [(header[1] or header[2]).strip() for header in headers if header]


def written_text(call: Call) -> str:
    """The whole content that a call writes, where it has one and it is no longer than 20,000 characters."""
    arguments = call.arguments
    text = _first(arguments, _WHOLE) if isinstance(arguments, dict) else ""
    return text if len(text) <= TEXT_LIMIT else ""


def _spelled(call: Call, family: str) -> tuple[Edit, ...]:
    """The edits, with paths as the call spells them."""
    arguments = call.arguments
    if family == "shell":
        command = _command(arguments)
        return _shell(command) if command else ()
    if isinstance(arguments, str):
        return _patch(arguments) if "\n" in arguments else ()
    return _named(arguments, family) if isinstance(arguments, dict) else ()


def _named(arguments: dict[str, Any], family: str) -> tuple[Edit, ...]:
    path = _first(arguments, PATH_KEYS)
    found = _replacements(arguments, path)
    if found:
        return found
    for key in _FREE:
        text = arguments.get(key)
        if isinstance(text, str) and ("*** Begin Patch" in text or "\n@@" in text):
            return _patch(text)
    if path:
        if arguments.get("command") == "undo_edit":
            return (Edit(path=path, kind="undo"),)
        whole = _first(arguments, _WHOLE)
        if whole and (family in _WRITERS or arguments.get("command") == "create"):
            return (_whole(path, whole),)
    return ()


def _command(arguments: Json) -> str:
    if isinstance(arguments, str):
        return arguments[:PATCH_LIMIT]
    if isinstance(arguments, dict):
        for key in ("command", "cmd", "script", "input", "code"):
            value = arguments.get(key)
            if isinstance(value, str):
                return value[:PATCH_LIMIT]
            if isinstance(value, list) and value and isinstance(value[-1], str):
                return value[-1][:PATCH_LIMIT]
    return ""


def _first(arguments: dict[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = arguments.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def _has(arguments: dict[str, Any], keys: tuple[str, ...]) -> bool:
    return any(isinstance(arguments.get(key), str) for key in keys)


def _replacements(arguments: dict[str, Any], path: str) -> tuple[Edit, ...]:
    if _has(arguments, _OLD) and _has(arguments, _NEW):
        return (_part(path, _first(arguments, _OLD), _first(arguments, _NEW)),)
    for key in _LISTS:
        listed = arguments.get(key)
        if isinstance(listed, list):
            return tuple(
                _part(_first(entry, PATH_KEYS) or path, _first(entry, _OLD), _first(entry, _NEW))
                for entry in listed[:EDITS_LIMIT]
                if isinstance(entry, dict) and _has(entry, _OLD) and _has(entry, _NEW)
            )
    return ()


def _part(path: str, old: str, new: str) -> Edit:
    return Edit(
        path=path,
        kind="part",
        old=fingerprint(old) if old else "",
        new=fingerprint(new) if new else "",
        repeatable=old in new and old != new,
    )


def _whole(path: str, text: str) -> Edit:
    return Edit(path=path, kind="whole", new=fingerprint(text))


def _patch(text: str) -> tuple[Edit, ...]:
    """The hunks of an ``apply_patch`` text or a unified diff; context lines belong to both sides."""
    found: list[Edit] = []
    path, adding = "", False
    old: list[str] = []
    new: list[str] = []

    def close() -> None:
        if path and (old or new) and old != new:
            found.append(_whole(path, "\n".join(new)) if adding else _part(path, "\n".join(old), "\n".join(new)))
        old.clear()
        new.clear()

    for line in text[:PATCH_LIMIT].splitlines():
        header = _PATCH_FILE.match(line) if line[:3] in {"***", "+++"} else None
        if header:
            close()
            path, adding = (header[1] or header[2]).strip(), line.startswith("*** Add")
        elif line.startswith(("@@", "***", "---", "diff ", "index ")):
            close()
        elif line[:1] == "+":
            new.append(line[1:])
        elif line[:1] == "-":
            old.append(line[1:])
        else:
            old.append(line[1:])
            new.append(line[1:])
        if len(found) >= EDITS_LIMIT:
            return tuple(found)
    close()
    return tuple(found)


def _shell(command: str) -> tuple[Edit, ...]:
    if "*** Begin Patch" in command:
        return _patch(command[command.index("*** Begin Patch") :])
    found: list[Edit] = []
    if "<<" in command:
        found.extend(_whole(m[2], _until(command, m.end(), m[4])) for m in _HEREDOC.finditer(command))
        found.extend(_whole(m[4], _until(command, m.end(), m[2])) for m in _HEREDOC_FIRST.finditer(command))
    elif "sed" in command and len(command) <= SED_LIMIT:
        found.extend(_part(match[5], match[3], match[4]) for match in _SED.finditer(command))
    if "git" in command:
        found.extend(_taken_back(command))
    return tuple(found[:EDITS_LIMIT])


def _taken_back(command: str) -> list[Edit]:
    """What git takes back in a command."""
    if _UNSTASH.search(command):
        return [Edit(path=ALL_FILES, kind="undo")]
    if _RESTORE_ALL.search(command):
        return [Edit(path=ALL_FILES, kind="restore")]
    return [
        Edit(path=path, kind="restore") for match in _RESTORE.finditer(command) if (path := match[1] or match[2]) != "."
    ]


def _until(command: str, start: int, word: str) -> str:
    end = command.find("\n" + word, start - 1)
    return command[start : end if end >= 0 else len(command)]
