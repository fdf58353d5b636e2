"""What kind of tool it is, by its name and by the shape of its arguments, across vocabularies."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import Final

from loopwatch.detectors.sameness.arguments import COMMAND_KEYS, PATH_KEYS
from loopwatch.detectors.sameness.facts import Effect
from loopwatch.detectors.sameness.programs import is_program

_TABLE: Final = tomllib.loads(files(__package__).joinpath("tools.toml").read_text("utf-8"))
_EXACT: Final[dict[str, str]] = {name: family for family, names in _TABLE["names"].items() for name in names.split()}
_WORDS: Final[dict[str, str]] = {word: family for family, words in _TABLE["words"].items() for word in words.split()}
_READ_VERBS: Final = frozenset(_TABLE["verbs"]["reading"].split())
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


def family_of(tool: str, arguments: object) -> str:  # noqa: PLR0911 - one question after the other
    """``read write edit list search shell fetch poll plan ask delegate other``."""
    foreign = tool.startswith("mcp") or "." in tool
    name = bare_name(tool)
    words = name_words(name)
    keys = arguments if isinstance(arguments, dict) else {}
    found = _EXACT.get("".join(words))
    if found is None and words and words[0] == "browser":
        return "fetch" if "navigate" in words else "other"
    if found is not None and foreign and found not in ("shell", "poll", "plan", "delegate"):
        return found if _shape_fits(found, keys) or any(server in tool for server in _FILE_SERVERS) else "other"
    if found == "edit" and isinstance(keys.get("command"), str):
        return _editor_family(str(keys["command"]))
    if is_command_line(tool, arguments) and found in (None, "read", "list", "search"):
        return "shell"
    if found is not None:
        return found
    for word in words:
        family = _WORDS.get(word)
        if family is not None and _shape_fits(family, keys):
            return family
    return _by_shape(keys)


def is_command_line(tool: str, arguments: object) -> bool:
    """Whether the tool's name is the first word of a command line (SWE-agent: ``rm``, ``-f x``)."""
    if not isinstance(arguments, str) or (tool.startswith("python") and "\n" in arguments):
        return False
    return is_program(tool.rsplit("/", 1)[-1]) or tool in _WRAPPERS or tool.startswith("./")


def effect_of(family: str, tool: str, arguments: object) -> Effect:
    """What a tool of this family does; for tools of no family the verb in its name tells reading from acting."""
    if family == "other":
        return Effect.READ if _READ_VERBS.intersection(name_words(bare_name(tool))) else Effect.EXECUTE
    if family == "poll" and isinstance(arguments, dict):
        acts = arguments.get("action") in _ACTS or any(arguments.get(key) for key in ("chars", "input", "data"))
        return Effect.EXECUTE if acts else Effect.POLL
    return _EFFECTS.get(family, Effect.EXECUTE)


def name_words(name: str) -> list[str]:
    """The words of a name in small letters: ``readFile`` and ``read_file`` are ``read``, ``file``."""
    return [word.lower() for word in _SPLIT.split(name) if word]


def _editor_family(command: str) -> str:
    return {"view": "read", "create": "write"}.get(command, "edit")


def _has(keys: dict[str, object], names: tuple[str, ...]) -> bool:
    return any(name in keys for name in names)


def _shape_fits(family: str, keys: dict[str, object]) -> bool:
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


def _by_shape(keys: dict[str, object]) -> str:
    if _has(keys, ("old_string", "old_str", "oldText", "old_text")) and _has(keys, PATH_KEYS):
        return "edit"
    if _has(keys, ("url",)) and len(keys) <= 3:  # noqa: PLR2004 - a fetch has the address and hardly more
        return "fetch"
    if _has(keys, PATH_KEYS) and _has(keys, ("content", "contents", "text")):
        return "write"
    return "other"
