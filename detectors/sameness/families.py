"""What kind of tool it is, by its name and by the shape of its arguments, across vocabularies."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from loopwatch.detectors.sameness.arguments import COMMAND_KEYS, PATH_KEYS
from loopwatch.detectors.sameness.facts import Effect
from loopwatch.detectors.sameness.programs import is_program
from loopwatch.detectors.sameness.tables import table

_TABLE: Final = table("tools")
_EXACT: Final[dict[str, str]] = {name: family for family, names in _TABLE["names"].items() for name in names.split()}
_WORDS: Final[dict[str, str]] = {word: family for family, words in _TABLE["words"].items() for word in words.split()}
_READ_VERBS: Final = frozenset(_TABLE["verbs"]["reading"].split())
_CHANGE_VERBS: Final = frozenset(_TABLE["verbs"]["changing"].split())
_SPLIT: Final = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
_EFFECTS: Final = {
    "read": Effect.READ,
    "list": Effect.READ,
    "search": Effect.READ,
    "fetch": Effect.READ,
    "write": Effect.WRITE,
    "edit": Effect.WRITE,
    "shell": Effect.EXECUTE,
    "poll": Effect.POLL,
    "plan": Effect.PLAN,
    "ask": Effect.ASK,
    "delegate": Effect.DELEGATE,
}
_ACTS: Final = frozenset({"kill", "write", "submit", "send-keys", "paste", "start", "spawn", "remove", "clear"})
"""Actions of a process tool that do something, rather than look."""
_WRAPPERS: Final = frozenset({"sudo", "env", "time", "timeout", "nohup", "nice"})
_EDITOR_COMMANDS: Final = {
    "view": "read",
    "create": "write",
    "str_replace": "edit",
    "insert": "edit",
    "undo_edit": "edit",
}
"""Of ``str_replace_editor`` and its like."""
_FILE_SERVERS: Final = frozenset({"filesystem", "fs", "files", "file"})


def bare_name(tool: str) -> str:
    """The tool's own name without the server it belongs to (``mcp__server__tool``, ``server.tool``)."""
    if tool.startswith("mcp__"):
        return tool.rsplit("__", 1)[-1] or tool
    for separator in ("/", ".", ":"):
        head, _, tail = tool.rpartition(separator)
        if head and tail and tail[0].isalpha():
            return tail
    return tool


def family_of(tool: str, arguments: object) -> str:
    """``read write edit list search shell fetch poll plan ask delegate other``."""
    if isinstance(arguments, dict):
        command = arguments.get("command")
        return _family(
            tool, tuple(arguments), command if isinstance(command, str) and command in _EDITOR_COMMANDS else None
        )
    if is_command_line(tool, arguments) and _EXACT.get("".join(name_words(tool))) in (None, "read", "list", "search"):
        return "shell"
    return _family(tool, (), None)


@lru_cache(maxsize=1_024)
def _family(tool: str, keys: tuple[str, ...], editor_command: str | None) -> str:
    """By the exact name, else by a word of it that the arguments fit, else by the arguments alone."""
    foreign = tool.startswith("mcp") or "." in tool
    words = name_words(bare_name(tool))
    found = _EXACT.get("".join(words))
    if found is None and words[:1] == ["browser"]:
        return "fetch" if "navigate" in words else "other"
    if found == "edit" and editor_command is not None:
        return _EDITOR_COMMANDS[editor_command]
    if found is not None and foreign and found not in ("poll", "plan", "delegate"):
        return found if _shape_fits(found, keys) or any(server in tool for server in _FILE_SERVERS) else "other"
    if found is not None:
        return found
    fitting = (family for word in words if (family := _WORDS.get(word)) is not None and _shape_fits(family, keys))
    return next(fitting, "") or _by_shape(keys)


def is_command_line(tool: str, arguments: object) -> bool:
    """Whether the tool's name is the first word of a command line (SWE-agent: ``rm``, ``-f x``)."""
    if not isinstance(arguments, str) or (tool.startswith("python") and "\n" in arguments):
        return False
    return is_program(tool.rsplit("/", 1)[-1]) or tool in _WRAPPERS or tool.startswith("./")


def effect_of(family: str, tool: str, arguments: object) -> Effect:
    """What a tool of this family does; for tools of no family the verb in its name tells reading from acting."""
    if family == "other":
        words = name_words(bare_name(tool))
        if _CHANGE_VERBS.intersection(words):
            return Effect.WRITE
        return Effect.READ if _READ_VERBS.intersection(words) else Effect.EXECUTE
    if family == "poll" and isinstance(arguments, dict):
        acts = arguments.get("action") in _ACTS or any(arguments.get(key) for key in ("chars", "input", "data"))
        return Effect.EXECUTE if acts else Effect.POLL
    return _EFFECTS.get(family, Effect.EXECUTE)


def name_words(name: str) -> list[str]:
    """The words of a name in small letters: ``readFile`` and ``read_file`` are ``read``, ``file``."""
    return [word.lower() for word in _SPLIT.split(name) if word]


def _has(keys: tuple[str, ...], names: tuple[str, ...]) -> bool:
    return any(name in keys for name in names)


def _shape_fits(family: str, keys: tuple[str, ...]) -> bool:
    if family in ("read", "list"):
        return _has(keys, PATH_KEYS)
    if family in ("write", "edit"):
        return _has(keys, PATH_KEYS) and len(keys) > 1
    if family == "shell":
        return _has(keys, COMMAND_KEYS)
    if family == "fetch":
        return _has(keys, ("url", "urls", "uri"))
    if family == "search":
        return _has(keys, ("pattern", "query", "regex", "q", "search", "term"))
    return True


def _by_shape(keys: tuple[str, ...]) -> str:
    if _has(keys, ("old_string", "old_str", "oldText", "old_text")) and _has(keys, PATH_KEYS):
        return "edit"
    if _has(keys, ("url",)) and len(keys) <= 3:  # noqa: PLR2004 - a fetch has the address and hardly more
        return "fetch"
    if _has(keys, PATH_KEYS) and _has(keys, ("content", "contents", "text")):
        return "write"
    return "other"
