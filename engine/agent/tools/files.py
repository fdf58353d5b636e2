"""Reading, writing, editing and listing files of the workspace."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from loopwatch.engine.agent.tools.workspace import ToolError, looks_binary, shown_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from loopwatch.engine.agent.tools.workspace import Workspace

MOST_LINES = 2000
MOST_BYTES = 100_000
MOST_ENTRIES = 500


class Arguments(BaseModel):
    """Arguments of a tool. Wrong ones become an error result that names the field."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ReadFile(Arguments):
    """Read a text file of the workspace. Long files come in parts: give offset and limit for more."""

    path: str = Field(description="relative to the workspace")
    offset: int = Field(default=1, ge=1, description="first line, from 1")
    limit: int = Field(default=MOST_LINES, ge=1, le=MOST_LINES, description="how many lines")


class WriteFile(Arguments):
    """Write a whole file; an existing one is replaced, missing folders are made."""

    path: str = Field(description="relative to the workspace")
    content: str = Field(description="the whole new content")


class EditFile(Arguments):
    """Replace one piece of text in a file. The old text must occur exactly once."""

    path: str = Field(description="relative to the workspace")
    old: str = Field(min_length=1, description="text to replace, exactly as it stands")
    new: str = Field(description="text to put there")


class ListDir(Arguments):
    """List a folder of the workspace; folders end with a slash."""

    path: str = Field(default=".", description="relative to the workspace")


def read_file(workspace: Workspace, arguments: ReadFile) -> str:
    """The lines asked for; what is left out is said at the end."""
    path = _existing_file(workspace, arguments.path)
    size = path.stat().st_size
    with path.open("rb") as file:
        if looks_binary(file.read(8192)):
            file.seek(0)
            return f"binary file, {size} bytes; it begins:\n{file.read(256).hex(' ')}"
        file.seek(0)
        lines: list[str] = []
        used = 0
        more = False
        for number, line in enumerate(file, start=1):
            if number < arguments.offset:
                continue
            if len(lines) >= arguments.limit or used > MOST_BYTES:
                more = True
                break
            piece = line if len(line) <= MOST_BYTES else line[:MOST_BYTES] + f"… line cut, {len(line)} bytes\n".encode()
            lines.append(shown_bytes(piece))
            used += len(piece)
    text = "".join(lines)
    if not lines and arguments.offset > 1:
        raise ToolError(f"offset: {arguments.path} has fewer than {arguments.offset} lines")
    if more:
        text += f"\n[more follows: go on with offset {arguments.offset + len(lines)}]"
    return text


def write_file(workspace: Workspace, arguments: WriteFile) -> str:
    """Write it; says how much, and whether anything changed."""
    path = workspace.resolve(arguments.path)
    if path.is_dir():
        raise ToolError(f"path: {arguments.path} is a folder")
    data = arguments.content.encode("utf-8", errors="surrogateescape")
    if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
        return f"{workspace.shown(path)} already has exactly this content; nothing changed"
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, data)
    return f"wrote {len(data)} bytes to {workspace.shown(path)}"


def edit_file(workspace: Workspace, arguments: EditFile) -> str:
    """Replace the one occurrence."""
    path = _existing_file(workspace, arguments.path)
    content = path.read_bytes().decode("utf-8", errors="surrogateescape")
    found = content.count(arguments.old)
    if found == 0:
        raise ToolError(f"old: this text does not occur in {arguments.path}; read the file and copy the text exactly")
    if found > 1:
        raise ToolError(
            f"old: this text occurs {found} times in {arguments.path}; add lines around it to make it unique"
        )
    if arguments.old == arguments.new:
        return f"old and new are equal; {arguments.path} did not change"
    _replace(path, content.replace(arguments.old, arguments.new).encode("utf-8", errors="surrogateescape"))
    return f"replaced 1 occurrence in {workspace.shown(path)}"


def list_dir(workspace: Workspace, arguments: ListDir) -> str:
    """Names in order, folders with a slash, files with their size."""
    path = workspace.resolve(arguments.path)
    if not path.exists():
        raise ToolError(f"path: no such folder: {arguments.path}")
    if not path.is_dir():
        raise ToolError(f"path: {arguments.path} is a file; use read_file")
    with os.scandir(path) as entries:
        names = sorted((entry.name, entry.is_dir(follow_symlinks=False), entry) for entry in entries)
    lines = [
        f"{name}/" if folder else f"{name}  {entry.stat(follow_symlinks=False).st_size} bytes"
        for name, folder, entry in names[:MOST_ENTRIES]
    ]
    if len(names) > MOST_ENTRIES:
        lines.append(f"[{len(names) - MOST_ENTRIES} more entries left out]")
    return "\n".join(lines) or "(empty folder)"


def _existing_file(workspace: Workspace, given: str) -> Path:
    path = workspace.resolve(given)
    if path.is_dir():
        raise ToolError(f"path: {given} is a folder; use list_dir")
    if not path.is_file():
        raise ToolError(f"no such file: {given}")
    return path


def _replace(path: Path, data: bytes) -> None:
    """All or nothing: a kill in the middle leaves the old file. Keeps the mode; writes through a link."""
    draft = path.with_name(f".{path.name[:100]}.{os.getpid()}.tmp")
    try:
        draft.write_bytes(data)
        if path.exists():
            draft.chmod(path.stat().st_mode & 0o7777)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
