"""Which format a file is in, judged by what it holds and never by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopwatch.engine.sources.formats import (
    atif,
    claude,
    codex,
    content,
    inspect_ai,
    labelled,
    messages,
    openhands,
    own,
    swe_agent,
    tau_bench,
)
from loopwatch.engine.sources.formats.recording import Notes, Recording, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from loopwatch.detectors.step import Step
    from loopwatch.engine.sources.formats.kind import DocumentFormat, LineFormat

LINE_FORMATS: tuple[LineFormat, ...] = (labelled.LABELLED, codex.ROLLOUT, claude.SESSION, claude.STREAM, openhands.V1)
DOCUMENT_FORMATS: tuple[DocumentFormat, ...] = (
    swe_agent.TRAJ,
    swe_agent.MINI,
    openhands.V0,
    openhands.V1_LIST,
    atif.ATIF,
    tau_bench.TAU_BENCH,
    inspect_ai.INSPECT,
    messages.CHAT_MESSAGES,  # last: others are lists of messages too
)


def read(path: Path, part: str = "") -> Recording:
    """Read a recording of one run.

    Args:
        path: The file.
        part: Which run of it, where it holds several.

    Raises:
        UnreadableError: the file cannot be read, is in no known format, or holds several runs and none was chosen.
    """
    recordings = read_all(path)
    if not part and len(recordings) == 1:
        return recordings[0]
    for recording in recordings:
        if part and recording.part == part:
            return recording
    parts = ", ".join(recording.part for recording in recordings)
    raise UnreadableError(f"{path}: holds {len(recordings)} runs, choose one: {parts}")


def read_all(path: Path) -> list[Recording]:
    """Read every run that a file holds.

    Raises:
        UnreadableError: the file cannot be read, or is in no known format.
    """
    try:
        content.refuse_endless(path)
        if content.is_archive(path):
            return _read_document(path, inspect_ai.open_archive(path))
        if own.is_journal(path):
            return [own.read_own(path)]
        lines = content.Lines(path)
        sample = lines.sample()
        for kind in LINE_FORMATS:
            if sample and kind.recognises(sample):
                return [_read_lines(lines, kind)]
        return _read_document(path, content.document(path))
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read: {error.strerror or error}") from None


def known() -> tuple[str, ...]:
    """Names of all formats that can be read."""
    lines, documents = (kind.name for kind in LINE_FORMATS), (kind.name for kind in DOCUMENT_FORMATS)
    return tuple(dict.fromkeys((own.NAME, *lines, *documents)))


def _read_lines(lines: content.Lines, kind: LineFormat) -> Recording:
    notes = Notes(agent=kind.agent)
    steps = kind.steps(lines.records(notes), notes)
    return _recording(lines.path, "", kind.name, notes, tuple(steps), counts="line", torn=lines)


def _read_document(path: Path, document: Any) -> list[Recording]:
    for kind in DOCUMENT_FORMATS:
        if not kind.recognises(document):
            continue
        recordings: list[Recording] = []
        for part, run in kind.runs(document):
            notes = Notes(agent=kind.agent)
            steps = kind.steps(run, notes)
            recordings.append(_recording(path, part, kind.name, notes, tuple(steps), counts="event", torn=None))
        return recordings
    raise UnreadableError(f"{path}: in no known format; known are: {', '.join(known())}")


def _recording(  # noqa: PLR0913 - a recording has that many parts
    path: Path,
    part: str,
    form: str,
    notes: Notes,
    steps: Iterable[Step],
    *,
    counts: str,
    torn: content.Lines | None,
) -> Recording:
    return Recording(
        path=path,
        part=part,
        format=form,
        agent=notes.agent,
        steps=tuple(steps),
        header=notes.header,
        model=notes.model,
        task=notes.task,
        workspace=notes.workspace,
        counts=counts,
        unknown=notes.unknown,
        unknown_at=notes.unknown_at,
        skipped=notes.skipped,
        torn=torn.torn if torn is not None else "",
    )
