"""The run's event stream: stamp, journal, then tell."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Protocol, TypeVar

from loopwatch.engine.events import EventBase

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopwatch.engine.events import Event

    Listener = Callable[[Event], None]

E = TypeVar("E", bound=EventBase)


class Sink(Protocol):
    """Where events are kept; a journal on disk, or nothing in a test."""

    def write(self, event: EventBase) -> None:
        """Append durably enough to survive a kill of this process."""
        ...


class EventLog:
    """Appends events: each is stamped, written to the sink and only then handed to listeners, in order."""

    def __init__(self, run: str, sink: Sink | None = None, *, clock: Callable[[], float] = time.time) -> None:
        self.run = run
        self._sink = sink
        self._clock = clock
        self._seq = 0
        self._listeners: list[Listener] = []
        self._queue: deque[Event] = deque()
        self._telling = False

    @property
    def seq(self) -> int:
        """Sequence number of the newest event."""
        return self._seq

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Hand every later event to ``listener``. Returns the way to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def append(self, event: E) -> E:
        """Stamp, journal and tell. Listeners may append; what they add is told after the present event."""
        self._seq += 1
        stamped = event.model_copy(update={"run": self.run, "seq": self._seq, "time": self._clock()})
        if self._sink is not None:
            self._sink.write(stamped)
        self._pass_on(stamped)  # type: ignore[arg-type]  # every E is one of Event's members
        return stamped

    def pass_on(self, event: Event) -> None:
        """Tell an event that was stamped and journaled when it happened: a recording is played."""
        self._seq = max(self._seq, event.seq)
        self._pass_on(event)

    def _pass_on(self, event: Event) -> None:
        self._queue.append(event)
        if not self._telling:
            self._tell()

    def _tell(self) -> None:
        self._telling = True
        try:
            while self._queue:
                event = self._queue.popleft()
                for listener in tuple(self._listeners):
                    listener(event)
        finally:
            self._telling = False
