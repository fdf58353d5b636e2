"""Where one starts: a task for the agent, a rehearsal, or a run of the past."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias

from rich.segment import Segment
from textual import on
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Input, Static

from loopwatch.tui.safe_text import Safe, content, line, own
from loopwatch.tui.telling import ending
from loopwatch.tui.widgets.key_line import Key, KeyLine
from loopwatch.tui.widgets.prompt_bar import SafeInput
from loopwatch.tui.widgets.rows import Rows
from loopwatch.tui.words import fit

if TYPE_CHECKING:
    from rich.style import Style
    from textual.app import ComposeResult

    from loopwatch.engine.journal import RunSummary

What: TypeAlias = Literal["task", "demo", "replay"]


@dataclass(frozen=True, slots=True)
class Choice:
    """What the person wants to see."""

    what: What
    value: str
    """The task, the scenario's name, or the journal's path."""


class Entry(NamedTuple):
    """One line of a list, already fit for the display."""

    choice: Choice
    mark: Safe
    mark_look: str
    head: Safe
    text: Safe
    tail: Safe


class Entries(Rows):
    """A list to choose from."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.entries: tuple[Entry, ...] = ()

    def fill(self, entries: tuple[Entry, ...]) -> None:
        """Show these."""
        self.entries = entries
        self.row_cursor = 0 if entries else -1
        self.resize_to_rows()
        self.refresh()

    def row_count(self) -> int:
        """One row an entry."""
        return len(self.entries)

    def row_key(self, row: int) -> Any:
        """Entries do not change."""
        return self.entries[row], self.has_focus

    def background_of(self, row: int) -> Style:
        """The cursor shows only where the keys go."""
        return super().background_of(row) if self.has_focus else self.rich_style

    def draw_row(self, row: int, width: int) -> list[Segment]:
        """Mark, name, text, and what stands on the right."""
        entry = self.entries[row]
        gutter = "▌" if row == self.row_cursor and self.has_focus else " "
        parts = [
            Segment(gutter, self.look("head")),
            Segment(f"{entry.mark} ", self.look(entry.mark_look)),
            Segment(f"{fit(entry.head, 14)} ", self.look("head")),
        ]
        tail = [Segment(f"  {entry.tail} ", self.look("muted"))] if width >= 60 else []  # noqa: PLR2004 - room for both
        used = sum(part.cell_length for part in parts + tail)
        return [*parts, Segment(fit(entry.text, width - used), None), *tail]


class HomeScreen(Screen[Choice]):
    """Asks what to look at; the choice is the app's result."""

    AUTO_FOCUS = "#home-task"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-normal"), (170, "-wide")]  # noqa: RUF012 - Textual's own manner
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (14, "-short"), (32, "-tall")]  # noqa: RUF012 - as above
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave_input", "Lists", show=False, id="home.lists"),
        Binding("question_mark,f1", "help", "Help", show=False, id="home.help"),
        Binding("slash,i", "task", "Task", show=False, id="home.task"),
        Binding("q", "app.leave", "Quit", show=False, id="home.quit"),
    ]

    def __init__(self, about: tuple[str, ...] = ()) -> None:
        super().__init__()
        self._about = about

    def compose(self) -> ComposeResult:
        """The task, then the lists."""
        yield Static(content(own("loopwatch"), "bold $primary"), id="home-name")
        yield Static(content(own("See loops as they form. Decide what the agent is told."), "$lw-muted"))
        yield SafeInput(placeholder="What shall the agent do here?", id="home-task", compact=True)
        yield Static(content(line("   ".join(self._about), 300), "$lw-muted"), id="home-about")
        demos = Entries(id="home-demos")
        demos.border_title = content(own("Rehearsals: no key, no network"))
        yield demos
        runs = Entries(id="home-runs")
        runs.border_title = content(own("Past runs"))
        runs.border_subtitle = content(own("reading the state folder"))
        yield runs
        yield KeyLine(id="home-keys")

    def on_mount(self) -> None:
        """Fill the lists after the first paint."""
        self.query_one(KeyLine).tell(
            (
                Key(own("enter"), own("start or open"), "screen.open"),
                Key(own("tab"), own("next list"), "app.focus_next"),
                Key(own("escape"), own("out of the task"), "screen.leave_input"),
                Key(own("?"), own("help"), "screen.help"),
                Key(own("q"), own("quit"), "app.leave"),
            )
        )
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        self.run_worker(self._fill_lists(), group="home", exit_on_error=False)

    async def _fill_lists(self) -> None:
        self.query_one("#home-demos", Entries).fill(await asyncio.to_thread(_demos))
        runs = self.query_one("#home-runs", Entries)
        runs.fill(await asyncio.to_thread(_runs))
        runs.border_subtitle = None if runs.entries else content(own("none yet; they appear here by themselves"))

    @on(Input.Submitted)
    def _task_given(self, event: Input.Submitted) -> None:
        if event.value.strip():
            self.app.exit(Choice("task", event.value.strip()))

    @on(Rows.Chosen)
    def _chosen(self, event: Rows.Chosen) -> None:
        if isinstance(event.rows, Entries):
            self.app.exit(event.rows.entries[event.row].choice)

    def action_open(self) -> None:
        """What enter does where the focus is."""
        focused = self.focused
        if isinstance(focused, Entries):
            focused.action_choose()
        elif isinstance(focused, Input):
            self.run_worker(focused.action_submit(), group="home")

    def action_leave_input(self) -> None:
        """From the task to the lists."""
        self.query_one("#home-demos").focus()

    def action_task(self) -> None:
        """Back to the task."""
        self.query_one("#home-task").focus()

    def action_help(self) -> None:
        """All keys."""
        from loopwatch.engine.session import Capability
        from loopwatch.tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(Capability.own() | Capability.SEEK))


def _demos() -> tuple[Entry, ...]:
    from loopwatch.engine.rehearsal.scenario import load_scenario, scenario_names

    scenarios = [load_scenario(name) for name in scenario_names()]
    return tuple(
        Entry(Choice("demo", one.name), own("▶"), "spoken", line(one.name), line(one.title), own(""))
        for one in scenarios
    )


def _runs() -> tuple[Entry, ...]:
    from loopwatch.engine.journal import list_runs

    return tuple(_past(run) for run in list_runs())


def _past(run: RunSummary) -> Entry:
    when = own(time.strftime("%d %b %H:%M", time.localtime(run.started)))
    if run.reason is None:
        mark, look, result = own("…"), "warn", own("no end recorded")
    else:
        good = run.exit_code == 0
        mark, look, result = own("✓" if good else "■"), "good" if good else "muted", ending(run.reason)
    return Entry(Choice("replay", str(run.path)), mark, look, when, line(run.task or run.source), line(result, 28))
