"""One line at the bottom to type into: a search, a message to the agent, a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from loopwatch.tui.safe_text import Safe, content, line

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.app import ComposeResult
    from textual.widget import Widget


class SafeInput(Input):
    """An input that takes pasted text as text: no control character gets in."""

    def _on_paste(self, event: events.Paste) -> None:
        event.text = line(event.text, 4_000)
        super()._on_paste(event)
        event.prevent_default()


class PromptBar(Horizontal):
    """Asks for one line; whoever had the focus gets it back."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Cancel", show=False, id="prompt.leave")]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self._submit: Callable[[str], None] = _nothing
        self._change: Callable[[str], None] = _nothing
        self._before: Widget | None = None

    def on_mount(self) -> None:
        """Closed until somebody asks."""
        self.display = False

    def compose(self) -> ComposeResult:
        """A label and the input."""
        yield Static(id="prompt-label")
        yield SafeInput(id="prompt-input", compact=True, select_on_focus=False)

    @property
    def is_open(self) -> bool:
        """Whether somebody is asked something."""
        return self.display

    def ask(
        self,
        label: Safe,
        submit: Callable[[str], None],
        *,
        value: str = "",
        change: Callable[[str], None] | None = None,
    ) -> None:
        """Ask for a line. ``submit`` gets it on enter, ``change`` at every key; escape leaves both alone."""
        if not self.is_open:
            self._before = self.screen.focused
        self._submit, self._change = submit, change or _nothing
        self.query_one("#prompt-label", Static).update(content(label))
        entry = self.query_one(SafeInput)
        with entry.prevent(Input.Changed):
            entry.value = value
        entry.cursor_position = len(value)
        self.display = True
        self.screen.set_focus(entry)  # at once: what is typed next belongs here

    def action_leave(self) -> None:
        """Close without an answer."""
        self.display = False
        before = self._before
        self.screen.set_focus(before if before is not None and before.is_attached else None)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell what is typed so far."""
        event.stop()
        if self.is_open:
            self._change(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the answer."""
        event.stop()
        self.action_leave()
        self._submit(event.value)


def _nothing(_: str) -> None:
    return None
