"""Which format a file is in, judged by what it holds and never by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopwatch.engine.sources.formats import content, labelled
from loopwatch.engine.sources.formats.recording import Notes, Recording, UnreadableError

if TYPE_CHECKING:
    from pathlib import Path

LINE_FORMATS = (labelled,)
"""Readers of JSON Lines: modules with ``NAME``, ``recognises(sample)`` and ``steps(records, notes)``."""


def read(path: Path) -> Recording:
    """Read a recording of one run.

    Raises:
        UnreadableError: the file cannot be read, or is in no known format.
    """
    try:
        if content.is_lines(path):
            return _read_lines(path)
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read: {error.strerror or error}") from None
    raise UnreadableError(f"{path}: in no known format; known are: {', '.join(known())}")


def known() -> tuple[str, ...]:
    """Names of all formats that can be read."""
    return tuple(kind.NAME for kind in LINE_FORMATS)


def _read_lines(path: Path) -> Recording:
    lines = content.Lines(path)
    sample = lines.sample()
    for kind in LINE_FORMATS:
        if kind.recognises(sample):
            notes = Notes(agent=kind.NAME)
            steps = tuple(kind.steps(lines.records(notes.unknown), notes))
            return Recording(
                path=path,
                part="",
                format=kind.NAME,
                agent=notes.agent,
                steps=steps,
                header=notes.header,
                model=notes.model,
                task=notes.task,
                workspace=notes.workspace,
                unknown=notes.unknown,
                skipped=notes.skipped,
                torn=lines.torn,
            )
    raise UnreadableError(f"{path}: in no known format; known are: {', '.join(known())}")
