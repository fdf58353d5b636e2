"""The timeline: every call, and everything said and decided about it, one row each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.message import Message

from loopwatch.tui.widgets.rows import Rows
from loopwatch.tui.words import clock, fit, fit_path

if TYPE_CHECKING:
    from rich.style import Style

    from loopwatch.tui.view_model import Row, RunView

GLYPHS = {
    "pending": "…", "ran": "…", "failed": "✗", "blocked": "⊘", "ok": " ",
    "notice": "·", "warn": "▲", "strong": "◆", "critical": "■",
    "decision": "◇", "injection": "→", "delivered": "✓", "expired": "✗", "rejected": "✗", "unconfirmed": "?",
    "approval": "?", "person": "»", "note": "·", "compaction": "≡", "end": "■", "message": " ",
}  # fmt: skip
"""Every state has a sign of its own, so that nothing is told by colour alone."""
LEVEL_GLYPHS = (" ", "·", "▲", "◆", "■")
LEVEL_LOOKS = ("muted", "notice", "warn", "strong", "critical")
ROW_LOOKS = {
    "finding": "", "decision": "spoken", "injection": "spoken", "receipt": "good", "approval": "warn",
    "person": "spoken", "note": "muted", "compaction": "muted", "end": "head",
}  # fmt: skip

_ROOMY, _TIGHT, _TINY = 68, 46, 32
"""Widths below which the tool column narrows, the time goes, and the fingerprint goes."""


_TOOL_TIGHT, _TOOL = 11, 12
_WITH_OUTCOME = 96
"""Width from which what came back stands beside the call."""


class Timeline(Rows):
    """All rows of a run; sticks to the newest while ``follow`` is on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "follow", "Follow", show=False, id="timeline.follow"),
    ]

    class FollowChanged(Message):
        """The timeline began or ceased to stick to the newest row."""

    def __init__(self, view: RunView, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self.view = view
        self.follow = True
        self.new_rows = 0
        """Rows that came while not following."""
        self._lit = ""
        """Fingerprint of the collision whose members are lit up."""
        self._synced = 0

    def row_count(self) -> int:
        """As many as the view has."""
        return len(self.view.rows)

    def row_key(self, row: int) -> Any:
        """The row's tuple, its collision's colour, and whether it is lit up."""
        entry = self.view.rows[row]
        group = self.view.group_of(entry)
        return entry, group.order if group else -1, bool(self._lit) and entry[5] == self._lit

    def sync(self) -> None:
        """Take over what the view got since the last time; called in batches."""
        count = self.row_count()
        touched, self.view.touched = self.view.touched, set()
        if count == self._synced and not touched:
            return
        top, height = self.scroll_offset.y, self.size.height
        fresh = count - self._synced
        self._synced = count
        self.resize_to_rows()
        if self.follow and not self.is_vertical_scrollbar_grabbed:
            self.move_to(count - 1)
            self.scroll_end(animate=False, immediate=True, x_axis=False)
            self.refresh()
            return
        self.new_rows += fresh
        if fresh and count - fresh < top + height:
            self.refresh()
        else:
            for row in touched:
                if top <= row < top + height:
                    self.refresh_line(row)
        if fresh:
            self.post_message(self.FollowChanged())

    def light(self, fingerprint: str) -> None:
        """Light up every member of a collision; an empty fingerprint lights nothing."""
        if fingerprint != self._lit:
            self._lit = fingerprint
            self.refresh()

    def move_to(self, row: int) -> None:
        """Put the cursor on a row; anywhere but on the last one, the timeline ceases to follow."""
        self.set_follow(on=row >= self._synced - 1)
        super().move_to(row)

    def on_resize(self) -> None:
        """A card that comes up takes room away, and the newest row is what it is about."""
        self.keep_in_view()

    def keep_in_view(self) -> None:
        """After the room has changed: show what was in view, the newest row or the one with the cursor."""
        if self.follow:
            self.scroll_end(animate=False, immediate=True, x_axis=False)
        elif self.row_cursor >= 0:
            self.reveal(self.row_cursor)

    def set_follow(self, *, on: bool) -> None:
        """Stick to the newest row, or stay."""
        if on:
            self.new_rows = 0
        if on != self.follow:
            self.follow = on
            self.post_message(self.FollowChanged())

    def action_follow(self) -> None:
        """Stick to the newest row, or stay where it is."""
        if self.follow:
            self.set_follow(on=False)
        else:
            self.action_last()

    def action_jump(self, direction: int) -> None:
        """Go to the next or previous finding."""
        row = self.view.next_row(self.row_cursor, frozenset({"finding"}), direction)
        if row is not None:
            self.move_to(row)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Scrolling up with the mouse means: stay here."""
        super().watch_scroll_y(old_value, new_value)
        if (
            new_value < old_value
            and self.follow
            and not self.is_vertical_scroll_end
            and self._synced == self.row_count()
        ):
            self.set_follow(on=False)

    def background_of(self, row: int) -> Style:
        """Members of the lit collision stand out."""
        if row != self.row_cursor and self._lit and self.view.rows[row][5] == self._lit:
            return self.get_component_rich_style("rows--lit")
        return super().background_of(row)

    def draw_row(self, row: int, width: int) -> list[Segment]:
        """A call with its columns, or a remark that uses the width."""
        entry = self.view.rows[row]
        if entry[0] in {"call", "message"}:
            return self._draw_call(row, entry, width)
        return self._draw_remark(row, entry, width)

    def _gutter(self, row: int, entry: Row) -> Segment:
        if row == self.row_cursor:
            return Segment("▌" if self.has_focus else "│", self.look("head"))
        if self._lit and entry[5] == self._lit:
            group = self.view.group_of(entry)
            return Segment("┃", self.colour(group.order) if group else self.look("head"))
        return Segment(" ", None)

    def _draw_call(self, row: int, entry: Row, width: int) -> list[Segment]:
        kind, step, at, head, text, _, _, state, _, outcome = entry
        group = self.view.group_of(entry)
        muted = self.look("muted")
        parts = [self._gutter(row, entry), Segment(f"{step:>4} " if step >= 0 else "   · ", muted)]
        if width >= _TIGHT:
            parts.append(Segment(f"{clock(at):>5}  ", muted))
        tool_width = _TOOL_TIGHT if width < _ROOMY else _TOOL
        parts.append(Segment(fit(head, tool_width) + " ", muted if kind == "message" else self.look("head")))
        tail = self._tail(entry, self.colour(group.order) if group else muted, width)
        if kind == "message":
            return [*parts, Segment(fit(text, width - sum(part.cell_length for part in parts)), None)]
        used = sum(part.cell_length for part in parts + tail)
        room = width - used
        if width >= _WITH_OUTCOME:
            told = room // 2
            room -= told
            parts.append(Segment(fit_path(text, room), None))
            parts.append(Segment("  " + fit(outcome, told - 2), muted))
        else:
            parts.append(Segment(fit_path(text, room), muted if state in {"pending", "ran"} else None))
        return parts + tail

    def _tail(self, entry: Row, chip: Style, width: int) -> list[Segment]:
        _, _, _, _, _, fingerprint, occurrence, state, level, _ = entry
        tail = [Segment(f" {fingerprint[:4]:4}", chip)] if width >= _TINY else []
        tail.append(
            Segment(f" {GLYPHS.get(state, ' ')}", self.look("bad" if state in {"failed", "blocked"} else "muted"))
        )
        if width >= _TINY:
            times = f"×{occurrence}" if occurrence > 1 else ""
            tail.append(Segment(f" {times:<4}", chip))
        tail.append(Segment(LEVEL_GLYPHS[level], self.look(LEVEL_LOOKS[level])))
        return tail

    def _draw_remark(self, row: int, entry: Row, width: int) -> list[Segment]:
        kind, _, at, head, text, _, _, state, level, _ = entry
        look = self.look(ROW_LOOKS[kind] or LEVEL_LOOKS[level])
        if kind == "receipt" and state != "delivered":
            look = self.look("bad")
        glyph = GLYPHS.get(state) or GLYPHS.get(kind, "·")
        if kind == "finding":
            glyph = LEVEL_GLYPHS[level]
        parts = [self._gutter(row, entry), Segment("   ", None), Segment(f"{glyph} ", look)]
        if width >= _TIGHT:
            parts = [parts[0], Segment("     ", None), Segment(f"{clock(at):>5}  ", self.look("muted")), *parts[2:]]
        parts.append(Segment(f"{fit(head, (_TOOL_TIGHT if width < _ROOMY else _TOOL) - 2)} ", look))
        used = sum(part.cell_length for part in parts)
        parts.append(Segment(fit(text, width - used), self.look("muted") if kind == "note" else None))
        return parts
