"""Reading, writing, editing and listing files of the workspace."""

from __future__ import annotations

import difflib
import os
from typing import TYPE_CHECKING, BinaryIO

from pydantic import BaseModel, ConfigDict, Field

from loopwatch.engine.agent.tools.workspace import ToolError, looks_binary, shown_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from loopwatch.engine.agent.tools.workspace import Workspace

MOST_LINES = 2000
MOST_BYTES = 32_000
"""Of a part that is read; about 8,000 tokens."""
EDITABLE_BYTES = 20_000_000
MOST_ENTRIES = 500
COMPARED_LINES = 5_000
"""Lines in which a close match is looked for."""


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
        for number, line in enumerate(_lines_of(file), start=1):
            if number < arguments.offset:
                continue
            if len(lines) >= arguments.limit or (lines and used + len(line) > MOST_BYTES):
                more = True
                break
            lines.append(shown_bytes(line))
            used += len(line)
    text = "".join(lines)
    if not lines and arguments.offset > 1:
        raise ToolError(f"offset: {arguments.path} has fewer than {arguments.offset} lines")
    if more:
        text += f"[more follows: go on with offset {arguments.offset + len(lines)}]"
    return text or "(empty file)"


def write_file(workspace: Workspace, arguments: WriteFile) -> str:
    """Write it; says how much, and whether anything changed."""
    path = workspace.resolve(arguments.path)
    if path.is_dir():
        raise ToolError(f"path: {arguments.path} is a folder")
    data = arguments.content.encode()
    if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
        return f"{workspace.shown(path)} already has exactly this content; nothing changed"
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, data)
    return f"wrote {len(data)} bytes to {workspace.shown(path)}"


def edit_file(workspace: Workspace, arguments: EditFile) -> str:
    """Replace the one occurrence."""
    path = _existing_file(workspace, arguments.path)
    if path.stat().st_size > EDITABLE_BYTES:
        raise ToolError(f"path: {arguments.path} is larger than {EDITABLE_BYTES} bytes; use run_command")
    content = path.read_bytes().decode("utf-8", errors="surrogateescape")
    old, new = arguments.old, arguments.new
    if old not in content and "\r\n" in content:
        old, new = (text.replace("\r\n", "\n").replace("\n", "\r\n") for text in (old, new))
    lines = _lines_with(content, old)
    if not lines:
        raise ToolError(f"old: this text does not occur in {arguments.path}{_closest(content, old)}")
    if len(lines) > 1:
        places = ", ".join(map(str, lines[:10]))
        raise ToolError(
            f"old: this text occurs {len(lines)} times in {arguments.path} (lines {places}); "
            "add lines around it to make it unique"
        )
    if old == new:
        return f"old and new are equal; {arguments.path} did not change"
    _replace(path, content.replace(old, new).encode("utf-8", errors="surrogateescape"))
    return f"replaced 1 occurrence in {workspace.shown(path)}, line {lines[0]}"


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


def _lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Lines, none longer than what a result can show; a file may be one line of many gigabytes."""
    while line := file.readline(MOST_BYTES):
        if len(line) == MOST_BYTES and not line.endswith(b"\n"):
            skipped = 0
            while rest := file.readline(MOST_BYTES):
                skipped += len(rest)
                if rest.endswith(b"\n"):
                    break
            line += f"… line cut, {skipped} more bytes\n".encode() if skipped else b""
        yield line


def _lines_with(content: str, text: str) -> list[int]:
    """The lines at which ``text`` begins."""
    lines: list[int] = []
    at = content.find(text)
    while at >= 0:
        lines.append(content.count("\n", 0, at) + 1)
        at = content.find(text, at + 1)
    return lines


def _closest(content: str, text: str) -> str:
    """What comes closest to a text that does not occur: the same but for white space, or alike by difflib's measure."""
    wanted = text.strip("\r\n").splitlines() or [text]
    lines = content.splitlines()
    stripped = [line.strip() for line in lines]
    first = wanted[0].strip()
    if first not in stripped:
        alike = difflib.get_close_matches(first, stripped[:COMPARED_LINES], n=1, cutoff=0.75)
        if not alike:
            return "; read the file and copy the text exactly"
        first = alike[0]
    at = stripped.index(first)
    there = shown_bytes("\n".join(lines[at : at + len(wanted)][:10]).encode("utf-8", "surrogateescape"))
    return f"; the closest text begins at line {at + 1}:\n{there[:1000]}"


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
