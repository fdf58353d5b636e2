"""A file's bytes as records, whatever state the file is in."""

from __future__ import annotations

import codecs
import json
import stat
import zipfile
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from loopwatch.engine.sources.formats.recording import Notes, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SAMPLE = 40
"""Records looked at for recognition."""

Numbered: TypeAlias = "tuple[int, Any]"
"""A record with its line (from 1) or event number (from 0)."""


def decode(text: str | bytes) -> Any:
    """Decode one JSON value.

    Raises:
        ValueError: it is none, or is nested too deep.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def is_archive(path: Path) -> bool:
    """Whether the file is a zip."""
    return zipfile.is_zipfile(path)


@dataclass(slots=True)
class Lines:
    """A JSON Lines file, read record by record."""

    path: Path
    torn: str = ""
    """Set once ``records`` has come to a last line that was cut off."""

    def sample(self) -> list[Any]:
        """The first records."""
        return [record for _, record in islice(self.records(Notes(agent="")), SAMPLE)]

    def records(self, notes: Notes) -> Iterator[Numbered]:
        """Every record with its line. Lines that are no JSON are counted; a last one without newline is torn."""
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
                if not text.strip():
                    continue
                try:
                    record = decode(text.decode("utf-8", "replace"))
                except ValueError:
                    if not line.endswith(b"\n"):
                        self.torn = f"line {number} is cut off and was left out"
                    else:
                        notes.strange("line that is no JSON", number)
                    continue
                yield number, record


def refuse_endless(path: Path) -> None:
    """Only regular files are read: a device may have no end, a pipe no beginning to come back to.

    Raises:
        UnreadableError: it is a device, a pipe or a socket.
        OSError: there is no such file, or it may not be looked at.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise UnreadableError(f"{path}: is a device or a pipe, not a file; save what it holds to a file first")


def document(path: Path) -> Any:
    """The file as one JSON value.

    Raises:
        UnreadableError: it is none.
    """
    text = path.read_bytes().removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    if not text.strip():
        raise UnreadableError(f"{path}: nothing in it")
    try:
        return decode(text)
    except json.JSONDecodeError as error:
        raise UnreadableError(f"{path}: line {error.lineno}: no recording and no whole JSON ({error.msg})") from None
    except ValueError as error:
        raise UnreadableError(f"{path}: no recording: JSON that is {error}") from None


def text_of(value: Any) -> str:
    """A field that should be a string, as one; missing ones are empty."""
    return value if isinstance(value, str) else "" if value is None else str(value)


def timestamp(value: Any) -> float | None:
    """Seconds since 1970 of an ISO 8601 time; ``None`` for anything else."""
    try:
        return datetime.fromisoformat(value).timestamp()
    except (TypeError, ValueError, OverflowError, OSError):
        return None
