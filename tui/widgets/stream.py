"""What the model says, as it says it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from loopwatch.tui.safe_text import block
from loopwatch.tui.view_model import SAID_CHARACTERS

if TYPE_CHECKING:
    from textual import events

    from loopwatch.tui.view_model import RunView


class Stream(ScrollView, can_focus=True):
    """Wrapped text that grows at its end; only its last paragraph is wrapped anew."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "Bottom", show=False),
    ]

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"stream--turn", "stream--label", "stream--reasoning", "stream--text"}  # noqa: RUF012 - Textual's own manner

    def __init__(self, view: RunView, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.view = view
        self._parts: deque[tuple[str, str]] = deque()
        """Kind and text of each stretch of one kind, oldest first."""
        self._held = 0
        """Characters in ``_parts``."""
        self._lines: list[tuple[str, str]] = []
        self._last_from = 0
        """Where in ``_lines`` the last part begins."""
        self._wrapped_at = 0
        self._follow = True
        """Whether the newest line stays in view; a panel that loses room to a card has not been scrolled by anyone."""

    def sync(self) -> None:
        """Take over what was said since the last time."""
        said, self.view.said = self.view.said, []
        if not said:
            return
        grown = False
        for kind, text in said:
            self._held += len(text)
            if self._parts and self._parts[-1][0] == kind and kind != "turn":
                self._parts[-1] = (kind, self._parts[-1][1] + text)
                grown = True
                continue
            if grown:
                self._wrap_last()
                grown = False
            if kind == "turn" and self._parts and self._parts[-1][0] == "turn":
                self._parts[-1] = (kind, text)  # the model said nothing in that turn
                grown = True
                continue
            self._parts.append((kind, text))
            self._last_from = len(self._lines)
            grown = True
        self._wrap_last()
        self._forget()
        self._show(follow=self._follow)

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002 - the size is read where it is needed
        """Another width wraps everything anew; less height leaves the newest line in view."""
        if self.scrollable_content_region.width != self._wrapped_at:
            self._wrap_all()
            self._show(follow=True)
        elif self._follow:
            self._show(follow=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Who scrolls up stays there; who comes back to the end follows again."""
        super().watch_scroll_y(old_value, new_value)
        self._follow = self.is_vertical_scroll_end

    def render_line(self, y: int) -> Strip:
        """A wrapped line."""
        width = self.size.width
        at = self.scroll_offset.y + y
        if at >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        kind, text = self._lines[at]
        style = self.get_component_rich_style(f"stream--{kind}")
        if kind == "turn":
            label = self.get_component_rich_style("stream--label")
            return Strip([Segment("── ", style), Segment(text, label), Segment("─" * width, style)]).crop(0, width)
        return Strip([Segment(text, style)]).adjust_cell_length(width, self.rich_style)

    def _show(self, *, follow: bool) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._lines))
        if follow:
            self.scroll_end(animate=False, immediate=True, x_axis=False)
        self.refresh()

    def _forget(self) -> None:
        if self._held <= SAID_CHARACTERS:
            return
        while len(self._parts) > 1 and self._held > SAID_CHARACTERS // 2:
            self._held -= len(self._parts.popleft()[1])
        self._wrap_all()

    def _wrap_all(self) -> None:
        self._lines = []
        for part in self._parts:
            self._last_from = len(self._lines)
            self._lines += self._wrap(part)
        self._wrapped_at = self.scrollable_content_region.width

    def _wrap_last(self) -> None:
        if self._parts:
            del self._lines[self._last_from :]
            self._lines += self._wrap(self._parts[-1])

    def _wrap(self, part: tuple[str, str]) -> list[tuple[str, str]]:
        kind, text = part
        width = max(8, self.scrollable_content_region.width)
        if kind == "turn":
            return [(kind, f"turn {text} ")]
        lines = [one for line in block(text.strip("\n"), SAID_CHARACTERS).split("\n") for one in wrap(line, width)]
        return [(kind, line) for line in lines]


def wrap(line: str, width: int) -> list[str]:
    """``line`` in pieces of at most ``width`` cells, broken between words where there are any."""
    pieces: list[str] = []
    present: str | None = None
    for word in line.split(" "):
        if present is not None and cell_len(present) + 1 + cell_len(word) <= width:
            present = f"{present} {word}"
            continue
        if present is not None:
            pieces.append(present)
        *full, present = chop_cells(word, width) or [""]
        pieces += full
    return [*pieces, present or ""]
