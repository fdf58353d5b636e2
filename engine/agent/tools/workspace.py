"""The folder an agent is confined to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


_SHORT = 64
"""Bytes; so little in another encoding is shown with escapes rather than taken for binary."""


class ToolError(Exception):
    """A tool cannot do what was asked; the message goes to the model and says what to do instead."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder; paths are checked after links are resolved."""

    root: Path

    def resolve(self, path: str) -> Path:
        """The absolute path that ``path`` (relative to the workspace, or absolute inside it) means.

        Raises:
            ToolError: it lies outside, or is no path at all.
        """
        if "\0" in path:
            raise ToolError("path: holds a NUL character")
        root = self.root.resolve()
        try:
            resolved = (root / path.strip()).resolve()
        except (OSError, RuntimeError) as error:
            raise ToolError(f"path: cannot resolve {path!r}: {error}") from None
        if resolved != root and root not in resolved.parents:
            raise ToolError(f"path: {path!r} is outside the workspace; use a path inside it")
        return resolved

    def shown(self, path: Path) -> str:
        """``path`` as the model should write it: relative to the workspace."""
        return path.relative_to(self.root.resolve()).as_posix()


def shown_bytes(data: bytes) -> str:
    """Bytes as text: UTF-8 where it is, the rest visibly replaced; never raises."""
    return data.decode("utf-8", errors="backslashreplace").replace("\0", "\\x00")


def looks_binary(data: bytes) -> bool:
    """Whether a file's beginning says that it is no text."""
    sample = data[:8192]
    strange = sample.decode("utf-8", "replace").count("\ufffd")
    return b"\0" in sample or strange * 10 > len(sample) > _SHORT
