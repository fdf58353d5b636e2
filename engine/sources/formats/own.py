"""loopwatch's own journals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopwatch.engine.events import CallMade, RunStarted, Unknown
from loopwatch.engine.journal import JournalError, looks_like_journal, read_journal
from loopwatch.engine.sources.formats.recording import Recording, UnreadableError
from loopwatch.engine.steps import StepAssembler

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from loopwatch.detectors.step import Step
    from loopwatch.engine.events import AnyEvent

NAME = "loopwatch"


def is_journal(path: Path) -> bool:
    """Whether a file begins as a journal does."""
    with path.open("rb") as file:
        return looks_like_journal(file.readline())


def read_own(path: Path) -> Recording:
    """Read a journal.

    Raises:
        UnreadableError: it holds no event.
    """
    try:
        journal = read_journal(path)
    except JournalError as error:
        raise UnreadableError(str(error)) from None
    started = next((event for event in journal.events if isinstance(event, RunStarted)), RunStarted())
    unknown: dict[str, int] = {}
    for event in journal.events:
        if isinstance(event, Unknown):
            unknown[f"event of type {event.type}"] = unknown.get(f"event of type {event.type}", 0) + 1
    if journal.damaged:
        unknown["line that is no event"] = len(journal.damaged)
    return Recording(
        path=path,
        part="",
        format=NAME,
        agent=NAME if started.source == "own" else started.source,
        steps=tuple(_steps(journal.events)),
        header={"preset": started.preset, "settings": started.settings, "source": started.source},
        model=started.model,
        task=started.task,
        workspace=started.workspace,
        counts="event",
        unknown=unknown,
        torn="; ".join(journal.remarks[:1]) if journal.torn else "",
    )


def _steps(events: Iterable[AnyEvent]) -> Iterable[Step]:
    """The steps, each with the sequence number of its call."""
    assembler = StepAssembler()
    places: dict[int, int] = {}
    for event in events:
        steps = assembler.take(event)
        if isinstance(event, CallMade):
            places[assembler.opened(event)[0]] = event.seq
        yield from (_placed(step, places.get(step.index, event.seq)) for step in steps)
    yield from (_placed(step, places.get(step.index)) for step in assembler.flush())


def _placed(step: Step, at: Any) -> Step:
    if at is not None:
        step.extra["at"] = at
    return step
