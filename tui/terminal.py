"""The terminal as Textual drives it, made to survive its own end.

When the terminal goes away (its window is closed, the connection breaks), Textual's reader thread turns round and round
on the end of its input, its writer thread dies of the first failed write, and the app then waits for ever for room in
that thread's queue: the agent would stand still, and the process stay. Here a failed write is swallowed, and the app is
told to leave in order when a write fails or the line is hung up.
"""

from __future__ import annotations

import asyncio
import select
from typing import TYPE_CHECKING, Any, TextIO

from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App


LOOK_EVERY_SECONDS = 1.0


class Terminal(LinuxDriver):
    """Textual's own driver on an output that cannot fail and an input whose end is seen."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._events = asyncio.get_running_loop()
        self._leave: Callable[[], None] = getattr(app, "signalled", app.exit)
        self._file: Any = Output(self._file, lost=lambda: self._events.call_soon_threadsafe(self._leave))
        self._line = select.poll()
        self._line.register(self.fileno, 0)
        self._events.call_later(LOOK_EVERY_SECONDS, self._look)

    def _look(self) -> None:
        if any(what & (select.POLLHUP | select.POLLNVAL) for _, what in self._line.poll(0)):
            self._leave()
        else:
            self._events.call_later(LOOK_EVERY_SECONDS, self._look)


class Output:
    """A text stream whose reader may go away."""

    def __init__(self, file: TextIO, *, lost: Callable[[], object]) -> None:
        self._file = file
        self._tell = lost
        self._lost = False

    def write(self, text: str) -> int:
        """Write; after the first failure everything is thrown away."""
        if not self._lost:
            try:
                return self._file.write(text)
            except (OSError, ValueError):
                self._give_up()
        return len(text)

    def flush(self) -> None:
        """Flush, under the same rule."""
        if not self._lost:
            try:
                self._file.flush()
            except (OSError, ValueError):
                self._give_up()

    def fileno(self) -> int:
        """The stream's own."""
        return self._file.fileno()

    def isatty(self) -> bool:
        """What it was when it was there."""
        return self._file.isatty()

    def _give_up(self) -> None:
        self._lost = True
        self._tell()
