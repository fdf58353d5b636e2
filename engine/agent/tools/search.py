"""Searching the workspace with a regular expression."""

from __future__ import annotations

import os
import time
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

import regex
from pydantic import Field

from loopwatch.engine.agent.tools.files import Arguments
from loopwatch.engine.agent.tools.workspace import ToolError, looks_binary, shown_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from threading import Event

    from loopwatch.engine.agent.tools.workspace import Workspace

MOST_HITS = 200
MOST_LINE = 300
MOST_SECONDS = 30.0
MOST_LINE_SECONDS = 0.5
MOST_FILE_BYTES = 5_000_000
SKIPPED_FOLDERS = frozenset({".git", "node_modules", ".venv", "__pycache__", ".mypy_cache", ".ruff_cache"})


class Search(Arguments):
    """Search files for a regular expression; answers path:line: text."""

    pattern: str = Field(min_length=1, description="Python regular expression")
    path: str = Field(default=".", description="file or folder, relative to the workspace")
    glob: str = Field(default="*", description="only files whose name or path matches, for example *.py")


def search(workspace: Workspace, arguments: Search, given_up: Event) -> str:
    """Hits in path order, at most 200 (what is left out is said). Binary files and tool folders are skipped.

    Args:
        workspace: Where.
        arguments: What.
        given_up: Set when nobody waits for the answer any more; a thread cannot be cancelled otherwise.
    """
    try:
        pattern = regex.compile(arguments.pattern)
    except regex.error as error:
        raise ToolError(f"pattern: not a regular expression: {error}") from None
    start = workspace.resolve(arguments.path)
    if not start.exists():
        raise ToolError(f"no such file or folder: {arguments.path}")
    hits: list[str] = []
    deadline = time.monotonic() + MOST_SECONDS
    for file in _files(workspace, start, arguments.glob):
        if given_up.is_set() or time.monotonic() > deadline:
            hits.append(f"[stopped after {MOST_SECONDS:g} s: narrow path or glob]")
            break
        for number, line in _lines(file):
            if _matches(pattern, line):
                if len(hits) == MOST_HITS:
                    hits.append("[more hits left out: narrow pattern, path or glob]")
                    return "\n".join(hits)
                hits.append(f"{workspace.shown(file)}:{number}: {line.strip()[:MOST_LINE]}")
    return "\n".join(hits) or "no matches"


def _matches(pattern: regex.Pattern[str], line: str) -> bool:
    """Whether the line matches; a pattern that backtracks for ever must not freeze the program around it."""
    try:
        return pattern.search(line, timeout=MOST_LINE_SECONDS, concurrent=True) is not None
    except TimeoutError:
        raise ToolError("pattern: takes too long on this text; use a simpler one") from None


def _files(workspace: Workspace, start: Path, glob: str) -> Iterator[Path]:
    if start.is_file():
        yield start
        return
    name_glob = glob.removeprefix("**/")
    for folder, folders, names in os.walk(start):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        for name in sorted(names):
            path = Path(folder) / name
            # A link may lead outside, and a pipe would never end.
            if path.is_symlink() or not path.is_file():
                continue
            if fnmatch(name, name_glob) or fnmatch(workspace.shown(path), glob):
                yield path


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    try:
        if file.stat().st_size > MOST_FILE_BYTES:
            return
        data = file.read_bytes()
    except OSError:
        return
    if looks_binary(data):
        return
    yield from enumerate(shown_bytes(data).splitlines(), start=1)
