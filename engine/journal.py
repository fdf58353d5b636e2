"""The run's events on disk: JSON Lines, one file a run, complete up to the moment of a kill.

A line is written with one ``write`` on an appending descriptor before the event is shown, so a kill at any byte costs
at most the last, torn line. What a reader does not know it keeps and counts; what it cannot read it names.
"""

from __future__ import annotations

import json
import os
import secrets as entropy
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from loopwatch.engine.events import VERSION, AnyEvent, EventBase, KnownEvent, RunEnded, RunStarted, Unknown
from loopwatch.engine.places import state_dir
from loopwatch.engine.redaction import Redactor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from loopwatch.engine.events import EndReason, Event

SUFFIX = ".jsonl"
_EDGE = 65536
"""Bytes looked at from either end of a file to list it."""


class JournalError(Exception):
    """A journal that cannot be written or read; one line that names the file and what to do."""


def runs_dir() -> Path:
    """The folder of the journals."""
    return state_dir() / "runs"


def new_run_id() -> str:
    """A run id that sorts by time: ``20260131-235959-a1b2c3``."""
    return f"{time.strftime('%Y%m%d-%H%M%S')}-{entropy.token_hex(3)}"


def serialized(event: EventBase) -> str:
    """The event as one line of JSON, without the line end."""
    try:
        return event.model_dump_json()
    except PydanticSerializationError:
        # A lone surrogate, or deeper nesting than pydantic takes: the standard library bears both.
        return json.dumps(event.model_dump(), separators=(",", ":"))


class Journal:
    """Writes one run. Mode 0600; the folder, where it is ours to make, 0700."""

    def __init__(self, path: Path, *, secrets: Iterable[str] = ()) -> None:
        """Open a new journal.

        Raises:
            JournalError: the file exists with content already, or cannot be created.
        """
        self.path = path
        self._redact = Redactor(secrets)
        try:
            if path.parent == runs_dir():
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise JournalError(
                f"journal {path}: {error.strerror or error}; choose another place with --journal"
            ) from None
        if os.fstat(self._descriptor).st_size:
            self.close()
            raise JournalError(f"journal {path}: the file holds something already; choose another name with --journal")

    def write(self, event: EventBase) -> None:
        """Append an event without secrets.

        Raises:
            JournalError: the disk is full or the file cannot be written any more.
        """
        line = (self._redact(serialized(event)) + "\n").encode("utf-8", "backslashreplace")
        try:
            while line:
                line = line[os.write(self._descriptor, line) :]
        except OSError as error:
            raise JournalError(f"journal {self.path}: {error.strerror or error}; the run cannot be recorded") from None

    def close(self) -> None:
        """Close the file; closing twice is harmless."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


@dataclass(frozen=True, slots=True)
class Damage:
    """A line that could not be read."""

    line: int
    """From 1."""
    reason: str


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """What a journal holds."""

    path: Path
    events: tuple[AnyEvent, ...]
    unknown: int = 0
    """How many of ``events`` are of a newer format."""
    damaged: tuple[Damage, ...] = ()
    torn: bool = False
    """The last line is incomplete: the writer was killed."""

    @property
    def ended(self) -> bool:
        """Whether the run ended in order."""
        return any(isinstance(event, RunEnded) for event in reversed(self.events))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know, one sentence each."""
        found: list[str] = []
        if self.torn:
            found.append("the last line is torn: the run was killed while it was written")
        if not self.ended:
            found.append("the run has no end: it was killed or is still going on")
        if self.unknown:
            found.append(f"{_many(self.unknown, 'event')} of a newer version kept and not judged")
        if self.damaged:
            first = self.damaged[0]
            found.append(
                f"{_many(len(self.damaged), 'line')} could not be read; the first is line {first.line}: {first.reason}"
            )
        return tuple(found)


def read_journal(path: Path) -> RecordedRun:
    """Read a whole journal, whatever happened to it.

    Raises:
        JournalError: the file cannot be opened or holds no event at all.
    """
    events: list[AnyEvent] = []
    damaged: list[Damage] = []
    torn = False
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                try:
                    events.append(parse_line(line))
                except ValueError as error:
                    if line.endswith(b"\n"):
                        damaged.append(Damage(number, str(error)))
                    else:
                        torn = True
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror or error}") from None
    if not events:
        raise JournalError(f"{path}: not a loopwatch journal: no line of it is an event")
    unknown = sum(isinstance(event, Unknown) for event in events)
    return RecordedRun(path, tuple(events), unknown=unknown, damaged=tuple(damaged), torn=torn)


def parse_line(line: bytes) -> AnyEvent:
    """Read one line.

    Raises:
        ValueError: no JSON, or no event; says which field is wrong.
    """
    try:
        return _ADAPTER.validate_json(line)
    except ValidationError:
        return _second_look(line)


def looks_like_journal(head: bytes) -> bool:
    """Whether a file that begins with ``head`` is a journal; needs the first line whole."""
    try:
        event = parse_line(head.split(b"\n", 1)[0])
    except ValueError:
        return False
    return isinstance(event, RunStarted) or (isinstance(event, Unknown) and event.seq > 0 and bool(event.run))


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A past run as the home screen lists it; from its first and last line alone."""

    path: Path
    run: str
    task: str
    source: str
    model: str
    workspace: str
    preset: str
    started: float
    """Unix time in seconds."""
    last: float
    """Time of the last readable event."""
    events: int
    """Sequence number of the last readable event."""
    size: int
    """Bytes."""
    reason: EndReason | None
    """Why it ended; ``None`` for a run that was killed or is still going on."""
    exit_code: int | None


def list_runs(folder: Path | None = None, *, limit: int = 200) -> list[RunSummary]:
    """Past runs, newest first. Files that are no journals are passed over."""
    place = runs_dir() if folder is None else folder
    try:
        files = sorted((entry for entry in place.iterdir() if entry.suffix == SUFFIX), reverse=True)
    except OSError:
        return []
    found: list[RunSummary] = []
    for path in files:
        summary = summarize(path)
        if summary is not None:
            found.append(summary)
        if len(found) >= limit:
            break
    return found


def summarize(path: Path) -> RunSummary | None:
    """The head and the tail of a journal; ``None`` where it is none."""
    try:
        with path.open("rb") as file:
            head = file.read(_EDGE)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _EDGE))
            tail = file.read()
        first = parse_line(head.split(b"\n", 1)[0])
    except (OSError, ValueError):
        return None
    if not isinstance(first, RunStarted):
        return None
    last = next(_readable(reversed(tail.split(b"\n"))), first)
    return RunSummary(
        path=path,
        run=first.run,
        task=first.task,
        source=first.source,
        model=first.model,
        workspace=first.workspace,
        preset=first.preset,
        started=first.time,
        last=last.time,
        events=last.seq,
        size=size,
        reason=last.reason if isinstance(last, RunEnded) else None,
        exit_code=last.exit_code if isinstance(last, RunEnded) else None,
    )


_ADAPTER: TypeAdapter[Event] = TypeAdapter(KnownEvent)


def _second_look(line: bytes) -> AnyEvent:
    """What the fast path refused: foreign escapes, newer formats, or damage."""
    try:
        data: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("not valid JSON") from None
    if not isinstance(data, dict) or not isinstance(data.get("type"), str):
        raise ValueError("not an event: an object with a type is expected")  # noqa: TRY004 - bad data, not a bad call
    try:
        return _ADAPTER.validate_python(data)
    except ValidationError as error:
        version = data.get("v", VERSION)
        newer = isinstance(version, int) and version > VERSION
        details = error.errors(include_url=False, include_input=False)
        if newer or {detail["type"] for detail in details} <= {"union_tag_invalid", "extra_forbidden"}:
            return _unknown(data)
        where = ".".join(str(part) for part in details[0]["loc"])
        raise ValueError(f"{where}: {details[0]['msg']}") from None


def _unknown(data: dict[str, Any]) -> Unknown:
    try:
        return Unknown.model_validate(data)
    except ValidationError as error:
        raise ValueError(f"not an event: {error.errors(include_url=False)[0]['msg']}") from None


def _readable(lines: Iterable[bytes]) -> Iterator[AnyEvent]:
    for line in lines:
        if line.strip():
            try:
                yield parse_line(line)
            except ValueError:
                continue


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
