"""A threshold one can move: by keys, by mouse, or by typing its value."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from loopwatch.tui.words import fit

if TYPE_CHECKING:
    from textual import events

    from loopwatch.tui.safe_text import Safe

TITLE_WIDTH = 24
VALUE_WIDTH = 16
FILLED, RAIL, THUMB, DEFAULT_MARK = "━", "─", "●", "╎"
_PAGE = 10
"""Steps that page up and down move by, where the range has that many."""


class Slider(Widget, can_focus=True):
    """A number on a grid between two ends, drawn in one line with its title and its unit."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,minus", "nudge(-1)", "Less", show=False, id="slider.less"),
        Binding("right,plus", "nudge(1)", "More", show=False, id="slider.more"),
        Binding("pagedown", "page(-1)", "Much less", show=False, id="slider.much_less"),
        Binding("pageup", "page(1)", "Much more", show=False, id="slider.much_more"),
        Binding("home", "to_low", "Least", show=False, id="slider.least"),
        Binding("end", "to_high", "Most", show=False, id="slider.most"),
        Binding("r", "reset", "Back to the rule's default", show=False, id="slider.reset"),
    ]

    class Changed(Message):
        """The value is another one."""

        def __init__(self, slider: Slider, value: float, *, dragging: bool) -> None:
            super().__init__()
            self.slider = slider
            self.value = value
            self.dragging = dragging
            """The mouse still holds the thumb."""

        @property
        def control(self) -> Slider:
            """The slider in question."""
            return self.slider

        def can_replace(self, message: Message) -> bool:
            """While dragging only the newest value matters."""
            return isinstance(message, Slider.Changed) and message.slider is self.slider

    def __init__(  # noqa: PLR0913 - a slider has that many parts
        self,
        title: Safe,
        *,
        low: float,
        high: float,
        step: float,
        value: float,
        default: float,
        unit: Safe,
        id: str | None = None,  # noqa: A002 - Textual's word
    ) -> None:
        super().__init__(id=id)
        if not low < high or step <= 0:
            raise ValueError(f"slider {title!r}: needs low < high and step > 0, not {low}, {high}, {step}")
        self._title, self._unit = title, unit
        self.low, self.high, self.grid = low, high, step
        self.default = default
        self.value = self._on_grid(value)
        self._dragging = False
        self.typed = ""
        """Digits typed so far; they count once enter is pressed."""

    def put(self, value: float) -> None:
        """Set the value, as near as the grid and the ends allow, and tell."""
        value = self._on_grid(value)
        if value != self.value:
            self.value = value
            self.refresh()
            self.post_message(self.Changed(self, value, dragging=self._dragging))

    def show_value(self, value: float) -> None:
        """Draw what was set elsewhere, without telling."""
        self.value = self._on_grid(value)
        self.refresh()

    def render(self) -> Content:
        """Title, rail with thumb and default mark, value and unit."""
        rail = self.rail_width
        at = self._cell(self.value, rail)
        mark = self._cell(self.default, rail)
        cells = [FILLED] * at + [THUMB] + [RAIL] * (rail - at - 1)
        styles = ["$primary"] * at + ["bold $lw-focus"] + ["$lw-border"] * (rail - at - 1)
        if mark != at:
            cells[mark], styles[mark] = DEFAULT_MARK, "$lw-muted"
        title = fit(self._title, TITLE_WIDTH - 3)
        gutter = "▸ " if self.has_focus else "  "
        if self.typed:
            value = (fit(f" {self.typed}▏", VALUE_WIDTH), "bold reverse")
        else:
            changed = "bold" if self.value != self.default else ""
            value = (fit(f" {self.value:g} {self._unit}", VALUE_WIDTH), changed)
        return Content.assemble(
            (gutter, "$lw-focus"),
            (f"{title} ", "bold" if self.has_focus else ""),
            *zip(cells, styles, strict=True),
            value,
        )

    @property
    def rail_width(self) -> int:
        """Cells between title and value."""
        return max(4, self.content_size.width - TITLE_WIDTH - VALUE_WIDTH)

    def action_nudge(self, steps: int) -> None:
        """Move by steps of the grid."""
        self._forget_typed()
        self.put(self.value + steps * self.grid)

    def action_page(self, direction: int) -> None:
        """Move by ten steps, or a tenth of a short range."""
        self._forget_typed()
        steps = min(_PAGE, max(1, round((self.high - self.low) / self.grid / _PAGE)))
        self.put(self.value + direction * steps * self.grid)

    def action_to_low(self) -> None:
        """Go to the left end."""
        self._forget_typed()
        self.put(self.low)

    def action_to_high(self) -> None:
        """Go to the right end."""
        self._forget_typed()
        self.put(self.high)

    def action_reset(self) -> None:
        """Go to the default."""
        self._forget_typed()
        self.put(self.default)

    def on_key(self, event: events.Key) -> None:
        """Digits collect until enter."""
        if event.character is not None and (event.character.isdecimal() or event.character == "."):
            self.typed = (self.typed + event.character)[: VALUE_WIDTH - 3]
        elif self.typed and event.key == "backspace":
            self.typed = self.typed[:-1]
        elif self.typed and event.key == "escape":
            self.typed = ""
        elif self.typed and event.key == "enter":
            typed, self.typed = self.typed, ""
            if typed.count(".") <= 1 and typed != ".":
                self.put(float(typed))
        else:
            return
        event.stop()
        event.prevent_default()
        self.refresh()

    def on_blur(self) -> None:
        """What was typed and not entered is forgotten."""
        self._forget_typed()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the thumb."""
        event.stop()
        self._dragging = True
        self.capture_mouse()
        self._follow(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag it."""
        if self._dragging:
            event.stop()
            self._follow(event)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let it go."""
        if self._dragging:
            event.stop()
            self._dragging = False
            self.release_mouse()
            self.post_message(self.Changed(self, self.value, dragging=False))

    def _follow(self, event: events.MouseEvent) -> None:
        x = event.screen_x - self.content_region.x - TITLE_WIDTH
        share = min(max(x, 0), self.rail_width - 1) / (self.rail_width - 1)
        self.put(self.low + share * (self.high - self.low))

    def _cell(self, value: float, rail: int) -> int:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(share * (rail - 1))

    def _on_grid(self, value: float) -> float:
        steps = round((value - self.low) / self.grid)
        return round(min(self.high, max(self.low, self.low + steps * self.grid)), 10)

    def _forget_typed(self) -> None:
        if self.typed:
            self.typed = ""
            self.refresh()
