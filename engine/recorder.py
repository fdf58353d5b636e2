"""Stands between a run's log and its journal: a journal that fails ends the run, it does not break whoever emits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopwatch.engine.journal import Journal, JournalError

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopwatch.engine.events import EventBase


class Recorder:
    """A sink that tells once when the journal can no longer be written, and keeps quiet from then on."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.failure: JournalError | None = None
        self.on_failure: Callable[[JournalError], None] = lambda error: None  # noqa: ARG005 - nobody listens yet

    def write(self, event: EventBase) -> None:
        """Append to the journal while that works."""
        if self.failure is not None:
            return
        try:
            self.journal.write(event)
        except JournalError as error:
            self.failure = error
            self.on_failure(error)

    def close(self) -> None:
        """Close the journal."""
        self.journal.close()
