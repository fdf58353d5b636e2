"""The groups of equal calls: code, what, how often, how many failed, where last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.segment import Segment

from loopwatch.tui.widgets.rows import Rows
from loopwatch.tui.words import fit

if TYPE_CHECKING:
    from loopwatch.tui.view_model import Group, RunView


class Collisions(Rows):
    """Most frequent first; picking one jumps to its newest member."""

    def __init__(self, view: RunView, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.view = view
        self._shown: list[Group] = []
        self._state: tuple[int, int] = (0, 0)

    def sync(self) -> None:
        """Take over what the view got since the last time."""
        state = (len(self.view.collisions), sum(len(group.steps) for group in self.view.collisions))
        if state == self._state:
            return
        self._state = state
        selected = self.group_at(self.row_cursor)
        self._shown = sorted(self.view.collisions, key=lambda group: (-len(group.steps), -group.steps[-1]))
        if selected is not None:
            self.row_cursor = self._shown.index(selected)
        self.resize_to_rows()
        self.refresh()

    def group_at(self, row: int) -> Group | None:
        """The collision in a row."""
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def row_count(self) -> int:
        """One row a collision."""
        return len(self._shown)

    def row_key(self, row: int) -> Any:
        """The group's look changes as it grows."""
        group = self._shown[row]
        return group.fingerprint, len(group.steps), group.failed

    def draw_row(self, row: int, width: int) -> list[Segment]:
        """``a3f5 read_file secret_key.txt ×3 ✗3 #12``."""
        group = self._shown[row]
        colour = self.colour(group.order)
        failed = f"✗{group.failed}" if group.failed else ""
        tail = [
            Segment(f" ×{len(group.steps):<4}", colour),
            Segment(f"{failed:<5}", self.look("bad")),
            Segment(f"{'#' + str(group.steps[-1]):>6} ", self.look("muted")),
        ]
        gutter = Segment("▌" if row == self.row_cursor else " ", self.look("head"))
        parts = [gutter, Segment(f"■ {group.code}  ", colour), Segment(f"{fit(group.tool, 10)} ", self.look("head"))]
        used = sum(part.cell_length for part in parts + tail)
        return [*parts, Segment(fit(group.text, width - used), None), *tail]
