"""Settings files: where they lie, what they say on which line, and how one value is changed with comments kept."""

from __future__ import annotations

import os
import re
import tempfile
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopwatch.engine import toml_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME = "loopwatch.toml"

Key = tuple[str, ...]


class SettingsError(ValueError):
    """Settings that cannot be used; one line that names the place, the key and what to do."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """One file as read. A missing file is an empty one."""

    path: Path
    values: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[Key, int] = field(default_factory=dict)
    """Line of each key and table, from 1."""

    def place(self, key: Key) -> str:
        """File and line of a key, or of the nearest table around it."""
        for length in range(len(key), 0, -1):
            if key[:length] in self.lines:
                return f"{self.path}:{self.lines[key[:length]]}"
        return str(self.path)


def personal_path() -> Path:
    """The person's own file, in the platform's config folder; need not exist."""
    import platformdirs

    return platformdirs.user_config_path("loopwatch") / NAME


def project_path(workspace: Path) -> Path:
    """The project's file: the nearest from ``workspace`` upward to the repository's root, else where it would be made.

    The search ends below the home folder and the file system's root: those hold many projects.
    """
    start = workspace.resolve()
    root = start
    for folder in (start, *start.parents):
        if folder in (Path.home().resolve(), Path(folder.anchor)) and folder != start:
            break
        if (folder / NAME).is_file():
            return folder / NAME
        if (folder / ".git").exists():
            root = folder
            break
    return root / NAME


def read(path: Path) -> SettingsFile:
    """Read a settings file.

    Raises:
        SettingsError: it cannot be read or is no TOML; with the line.
    """
    try:
        text = path.read_bytes().decode("utf-8")
        return SettingsFile(path, toml_text.loads(text), _lines(text))
    except FileNotFoundError:
        return SettingsFile(path)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(_syntax(path, text, str(error))) from None


def change(path: Path, key: Sequence[str], value: Any) -> None:
    """Set one value in a settings file, which need not exist. Everything else, comments too, stays as it is.

    Raises:
        SettingsError: the file is no TOML, has something else where a table must be, or cannot be written.
    """
    import tomlkit

    read(path)
    document = tomlkit.parse(path.read_text(encoding="utf-8")) if path.exists() else tomlkit.document()
    table: Any = document
    *tables, last = key
    for depth, name in enumerate(tables):
        if name not in table:
            table[name] = tomlkit.table(is_super_table=depth < len(tables) - 1)
        table = table[name]
        if not hasattr(table, "items"):
            raise SettingsError(f"{path}: {'.'.join(key[: depth + 1])} is no table")
    table[last] = value
    try:
        _replace(path, tomlkit.dumps(document))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be written: {error.strerror or error}") from None


def _replace(path: Path, text: str) -> None:
    """Write beside and rename: a reader sees the old file or the new one. A link's target is replaced, not the link."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
    handle, beside = tempfile.mkstemp(prefix=f".{NAME}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(beside).chmod(mode)
        Path(beside).replace(target)
    except OSError:
        Path(beside).unlink(missing_ok=True)
        raise


def _syntax(path: Path, text: str, message: str) -> str:
    """TOML's own complaint with the line in front, and the key that stands there."""
    found = re.search(r" \(at line (\d+), column \d+\)$", message)
    number = int(found[1]) if found else text.count("\n") + 1
    said = message[: found.start()] if found else message.removesuffix(" (at end of document)")
    lines = text.splitlines()
    line = lines[number - 1] if number <= len(lines) else ""
    key = line.split("=", 1)[0].strip() if "=" in line else ""
    return f"{path}:{number}: {f'{key}: ' if key else ''}{said[:1].lower()}{said[1:]}"


def _lines(text: str) -> dict[Key, int]:
    """Where each key and table of a valid file first stands."""
    found: dict[Key, int] = {}
    table: Key = ()
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("["):
            path = _path_of(stripped)
            table = path or table
        elif "=" in stripped:
            path = _path_of(f"{stripped.split('=', 1)[0]} = 0")
            path = (*table, *path) if path else ()
        else:
            continue
        for length in range(1, len(path) + 1):
            found.setdefault(path[:length], number)
    return found


def _path_of(line: str) -> Key:
    """The dotted path a line opens; empty for a line that is part of something else."""
    try:
        value: Any = toml_text.loads(line)
    except tomllib.TOMLDecodeError:
        return ()
    path: list[str] = []
    while isinstance(value, dict) and value:
        name, value = next(iter(value.items()))
        path.append(name)
    return tuple(path)
