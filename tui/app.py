"""The app: shows a session and runs it.

The session runs in a worker of the app itself, so that no screen's end ends it; whoever leaves stops it first.
"""

from __future__ import annotations

import asyncio
import gc
import shlex
import signal
import sys
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import rich
from rich.segment import Segments
from textual import constants
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.widgets import Input, TextArea

from loopwatch.engine.session import Capability
from loopwatch.tui import theme as themes
from loopwatch.tui.opening import Opening
from loopwatch.tui.safe_text import Safe, line, own
from loopwatch.tui.screens.run import RunScreen
from loopwatch.tui.terminal import Terminal
from loopwatch.tui.view_model import RunView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual.events import Event
    from textual.screen import Screen

    from loopwatch.engine.session import Session
    from loopwatch.tui.screens.home import Choice

    Opener: TypeAlias = Callable[[], Session]

STOP_PATIENCE_SECONDS = 5.0
"""How long a run may take to end in order before it is cancelled."""
ASK_TWICE_SECONDS = 3.0
"""Within this time a second ``q`` means it."""
INTERRUPTED = 130
FAULT = 4


_AIM = "loopwatch_aim"


class Deck(App[object]):
    """What the apps share: themes, manners towards the terminal, no secrets in tracebacks."""

    TITLE = "loopwatch"
    CSS_PATH = "loopwatch.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave(True)", "Quit", show=False, priority=True, id="app.quit"),
        # Where text is edited these two mean copy and undo.
        Binding("ctrl+c", "leave", "Quit", show=False, id="app.interrupt"),
        Binding("ctrl+z", "suspend_process", "Suspend", show=False, id="app.suspend"),
    ]

    def __init__(self, *, theme: str | None) -> None:
        # A driver that somebody asks for by TEXTUAL_DRIVER (a browser, say) knows best how its terminal ends.
        super().__init__(driver_class=None if constants.DRIVER else Terminal)
        for file in themes.all_of(theme):
            self.register_theme(themes.as_textual(file))
        self.theme = themes.chosen(theme).name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own variables, for themes that do not know them."""
        return dict(themes.chosen(None).variables)

    def mind_signals(self) -> None:
        """Leave in order when told to go: without this the terminal would stay as we set it."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.signalled)

    def signalled(self) -> None:
        """A signal says to go."""
        self.action_leave(now=True)

    async def on_event(self, event: Event) -> None:
        """Note where a key was aimed: to what had the focus when it came."""
        if isinstance(event, Key) and not event.is_forwarded:
            vars(event)[_AIM] = self.focused
        await super().on_event(event)

    async def _on_key(self, event: Key) -> None:
        """A key typed ahead, before the focus was where its text goes, is text and no command."""
        focused = self.focused
        if isinstance(focused, Input | TextArea) and vars(event).get(_AIM, focused) is not focused:
            late = Key(event.key, event.character)
            vars(late)[_AIM] = focused
            focused._forward_event(late)  # noqa: SLF001 - as Textual's own ``App.on_event`` does
            event.prevent_default()

    def action_leave(self, now: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - the binding says it
        """Leave."""
        self.exit()

    async def action_quit(self) -> None:
        """The command palette's way out."""
        self.action_leave(now=True)

    def _fatal_error(self) -> None:
        """A fault of our own: say where, but never with local variables, which may hold keys."""
        from rich.traceback import Traceback

        self.bell()
        traceback = Traceback(show_locals=False, width=None, suppress=[rich])
        self._exit_renderables.append(Segments(self.console.render(traceback, self.console.options)))
        self._close_messages_no_wait()


class LoopwatchApp(Deck):
    """Shows one session until the person leaves."""

    PAUSE_GC_ON_SCROLL = True

    def __init__(
        self, session: Session | Opener, *, theme: str | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__(theme=theme)
        self._opener = session if callable(session) else None
        self.session: Session = Opening() if callable(session) else session
        self.run_view = RunView()
        self.refusal: Exception | None = None
        """Why the session could not be made."""
        self.failure: Safe | None = None
        """How the session failed within loopwatch itself, in one line."""
        self._clock = clock
        self._run_screen = RunScreen(self.run_view, clock=clock)
        self._over = asyncio.Event()
        self._leaving = False
        self._asked_at = -ASK_TWICE_SECONDS
        self._interrupted = False

    @property
    def outcome(self) -> int:
        """The process' exit status."""
        if self.failure is not None:
            return FAULT
        if Capability.SEEK in self.session.capabilities:
            return 0
        if self.run_view.ended is not None:
            return self.run_view.ended.exit_code
        return INTERRUPTED if self._interrupted else 0

    def get_default_screen(self) -> Screen[Any]:
        """The run; there is no screen behind it."""
        return self._run_screen

    def on_mount(self) -> None:
        """Leave in order when told to go."""
        self.mind_signals()

    def on_run_screen_painted(self) -> None:
        """Paint first, then make the session, then start it."""
        self.run_worker(self._execute(), group="session", exit_on_error=False)

    async def _execute(self) -> None:
        try:
            session = await self._opened()
            if session is not None:
                self._take_on(session)
                await session.execute()
        except Exception as error:  # noqa: BLE001 - the rim: whatever went wrong becomes one line for the person
            said = str(error).strip().splitlines()
            self.failure = line(f"{type(error).__name__}: {said[0]}" if said else type(error).__name__)
            self._run_screen.failure = self.failure
        finally:
            self._over.set()
            self._run_screen.over = True
            gc.collect()
            gc.freeze()

    async def _opened(self) -> Session | None:
        """The session; ``None`` when it cannot be made, or the person left meanwhile."""
        if self._opener is None:
            return self.session
        # What it imports takes as long as the first frame: in a thread, so that the screen answers meanwhile.
        making = asyncio.ensure_future(asyncio.to_thread(self._opener))
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            session = await making
            session.stop("the operator left before it began")
            await session.execute()
            raise
        except Exception as error:  # noqa: BLE001 - handed to whoever called ``show``
            self.refusal = error
            self.exit()
            return None

    def _take_on(self, session: Session) -> None:
        self.session = session
        session.log.subscribe(self.run_view.take)
        session.on_step(self.run_view.step)
        self._run_screen.attach(session)

    def signalled(self) -> None:
        """A signal says to go; the exit status tells."""
        self._interrupted = True
        super().signalled()

    def action_leave(self, now: bool = False) -> None:  # noqa: FBT001, FBT002 - Textual passes what the binding says
        """Leave; a run that still goes is stopped first, and only when asked for twice."""
        if self._leaving:
            return
        steering = Capability.STOP in self.session.capabilities and not self._over.is_set()
        if steering and not now and self._clock() - self._asked_at > ASK_TWICE_SECONDS:
            self._asked_at = self._clock()
            self.notify(own("The agent still works. Press q again to stop it and leave."), markup=False)
            return
        self._leaving = True
        self.run_worker(self._leave(), group="leave", exit_on_error=False)

    async def _leave(self) -> None:
        if not self._over.is_set():
            self._interrupted = True
            if Capability.STOP in self.session.capabilities:
                self.session.stop("the operator left")
            else:
                self.workers.cancel_group(self, "session")
            try:
                await asyncio.wait_for(self._over.wait(), STOP_PATIENCE_SECONDS)
            except TimeoutError:
                self.workers.cancel_group(self, "session")
        self.exit(self.outcome)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """What the command palette offers."""
        yield from super().get_system_commands(screen)
        run = self._run_screen
        yield SystemCommand("Tune", "Move the thresholds of the detectors", run.action_tune)
        yield SystemCommand("Hold or release", "Keep the agent waiting at its next boundary", run.action_hold)
        yield SystemCommand("Message", "Write to the agent", run.action_speak)
        yield SystemCommand("Find", "Search the timeline", run.action_find)
        yield SystemCommand("Next finding", "Jump to it in the timeline", partial(run.action_jump, 1))


class HomeApp(Deck):
    """Asks what to look at."""

    def __init__(self, *, theme: str | None = None, about: tuple[str, ...] = ()) -> None:
        super().__init__(theme=theme)
        self._about = about

    def get_default_screen(self) -> Screen[Any]:
        """The home screen; there is none behind it."""
        from loopwatch.tui.screens.home import HomeScreen

        return HomeScreen(self._about)

    def on_mount(self) -> None:
        """Leave in order when told to go."""
        self.mind_signals()


def show(session: Session | Opener, *, theme: str | None = None, clock: Callable[[], float] = time.time) -> int:
    """Run the app on a session until the person leaves; returns the process' exit status.

    Args:
        session: What to show, or what makes it: that is then called after the first frame, in a thread. It is executed
            here, and stopped when the person leaves.
        theme: Name of a theme that ships with loopwatch, or a path ending in ``.toml``.
        clock: Unix time in seconds.

    Raises:
        ThemeError: there is no such theme, or it cannot be used.
        Exception: whatever the making of the session raised.
    """
    # A long run keeps 100,000s of objects alive; collecting them again and again is what would stall the screen.
    gc.set_threshold(50_000, 20, 100)
    app = LoopwatchApp(session, theme=theme, clock=clock)
    app.run()
    if app.refusal is not None:
        raise app.refusal
    if app.failure is not None:
        _tell(f"loopwatch: {app.failure}")
    if (journal := app.session.journal) is not None:
        _tell(f"loopwatch: recorded; see it again with: loopwatch replay {line(shlex.quote(str(journal)))}")
    return app.return_code or app.outcome


def _tell(text: str) -> None:
    """Say something once the terminal is the person's again; it may be gone by then."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)  # noqa: T201 - Textual has left


def show_home(*, theme: str | None = None, about: tuple[str, ...] = ()) -> Choice | None:
    """Ask what to look at: a task, a rehearsal or a past run; ``None`` when the person leaves.

    Args:
        theme: As for ``show``.
        about: What a started task would run with (model, endpoint, workspace, preset), for the line below the input.

    Raises:
        ThemeError: there is no such theme, or it cannot be used.
    """
    from loopwatch.tui.screens.home import Choice

    chosen = HomeApp(theme=theme, about=about).run()
    return chosen if isinstance(chosen, Choice) else None
