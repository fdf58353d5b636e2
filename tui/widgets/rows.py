"""A list of one-line rows drawn on demand: what the timeline and the collisions panel have in common.

Only rows in view are drawn, and drawn strips are kept with everything their look depends on as the key. Appending costs
nothing but the row; ready-made lists cost 5 to 200 times as much at 100,000 rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

if TYPE_CHECKING:
    from rich.style import Style
    from textual import events

COLOURS = 8
"""How many colours collisions are told apart by; more collisions share them, their codes differ."""
STRIPS_KEPT = 512


class Rows(ScrollView, can_focus=True):
    """Rows with a cursor. Subclasses say how many there are and draw one."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Down", show=False, id="rows.down"),
        Binding("k,up", "move(-1)", "Up", show=False, id="rows.up"),
        Binding("pagedown,ctrl+d", "page(1)", "Page down", show=False, id="rows.page_down"),
        Binding("pageup,ctrl+u", "page(-1)", "Page up", show=False, id="rows.page_up"),
        Binding("g,home", "first", "First", show=False, id="rows.first"),
        Binding("G,end", "last", "Last", show=False, id="rows.last"),
        Binding("enter", "choose", "Details", show=False, id="rows.choose"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "rows--cursor",
        "rows--lit",
        "rows--muted",
        "rows--head",
        "rows--good",
        "rows--bad",
        "rows--notice",
        "rows--warn",
        "rows--strong",
        "rows--critical",
        "rows--spoken",
        *(f"rows--c{number}" for number in range(COLOURS)),
    }

    class Moved(Message):
        """The cursor stands on another row."""

        def __init__(self, rows: Rows, row: int) -> None:
            super().__init__()
            self.rows = rows
            self.row = row

        @property
        def control(self) -> Rows:
            """The list in question."""
            return self.rows

        def can_replace(self, message: Message) -> bool:
            """Only the newest position matters."""
            return isinstance(message, Rows.Moved) and message.rows is self.rows

    class Chosen(Message):
        """A row was picked with enter or a click."""

        def __init__(self, rows: Rows, row: int) -> None:
            super().__init__()
            self.rows = rows
            self.row = row

        @property
        def control(self) -> Rows:
            """The list in question."""
            return self.rows

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.row_cursor = -1
        """Index of the row the cursor stands on; -1 while there is none."""
        self._drawn: LRUCache[int, tuple[Any, Strip]] = LRUCache(STRIPS_KEPT)
        self._looks: dict[str, Style] = {}

    def row_count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def row_key(self, row: int) -> Any:
        """Everything the look of a row depends on, besides width and cursor."""
        raise NotImplementedError

    def draw_row(self, row: int, width: int) -> list[Segment]:
        """The row without its background, in at most ``width`` cells."""
        raise NotImplementedError

    def look(self, name: str) -> Style:
        """The style of a component, without the background it inherits."""
        style = self._looks.get(name)
        if style is None:
            style = self._looks[name] = self.get_component_rich_style(f"rows--{name}", partial=True)
        return style

    def colour(self, order: int) -> Style:
        """The colour of the run's ``order``-th collision."""
        return self.look(f"c{order % COLOURS}")

    def notify_style_update(self) -> None:
        """Forget what was drawn in another theme."""
        super().notify_style_update()
        self._drawn.clear()
        self._looks.clear()

    def render_line(self, y: int) -> Strip:
        """Draw what is in view."""
        # What the scroll bar covers is not ours to draw on: the sign of a finding stands in the last cell.
        width = self.scrollable_content_region.width
        row = self.scroll_offset.y + y
        if row >= self.row_count():
            return Strip.blank(width, self.rich_style)
        at_cursor = row == self.row_cursor
        key = (self.row_key(row), width, at_cursor, at_cursor and self.has_focus)
        kept = self._drawn.get(row)
        if kept is not None and kept[0] == key:
            return kept[1]
        base = self.background_of(row)
        segments = [Segment(text, base + style if style else base) for text, style, *_ in self.draw_row(row, width)]
        strip = Strip(segments).adjust_cell_length(width, base)
        self._drawn[row] = (key, strip)
        return strip

    def background_of(self, row: int) -> Style:
        """What a row is drawn upon."""
        if row == self.row_cursor:
            return self.get_component_rich_style("rows--cursor")
        return self.rich_style

    def resize_to_rows(self) -> None:
        """Tell the scroll bar how many rows there are."""
        self.virtual_size = Size(self.scrollable_content_region.width, self.row_count())

    def move_to(self, row: int) -> None:
        """Put the cursor on a row and bring it into view."""
        count = self.row_count()
        if not count:
            return
        row = min(max(row, 0), count - 1)
        before, self.row_cursor = self.row_cursor, row
        self.reveal(row)
        if row != before:
            self.refresh()
            self.post_message(self.Moved(self, row))

    def reveal(self, row: int) -> None:
        """Scroll as little as needed for ``row`` to be in view."""
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        if row < top:
            self.scroll_to(y=row, animate=False, immediate=True)
        elif row >= top + height:
            self.scroll_to(y=row - height + 1, animate=False, immediate=True)

    def action_move(self, by: int) -> None:
        """Move the cursor by some rows."""
        self.move_to(self.row_cursor + by)

    def action_page(self, direction: int) -> None:
        """Move the cursor by a screenful."""
        self.move_to(self.row_cursor + direction * max(1, self.scrollable_content_region.height - 1))

    def action_first(self) -> None:
        """Go to the first row."""
        self.move_to(0)

    def action_last(self) -> None:
        """Go to the last row."""
        self.move_to(self.row_count() - 1)

    def action_choose(self) -> None:
        """Pick the row under the cursor."""
        if 0 <= self.row_cursor < self.row_count():
            self.post_message(self.Chosen(self, self.row_cursor))

    def on_click(self, event: events.Click) -> None:
        """Put the cursor where the mouse points; a second click picks the row."""
        row = self.scroll_offset.y + event.y - self.content_region.y + self.region.y
        if not 0 <= row < self.row_count():
            return
        again = row == self.row_cursor
        self.move_to(row)
        if again:
            self.action_choose()
