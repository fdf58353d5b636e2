"""Every budget of the run: what is used, what is left, how fast it drains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widget import Widget

from loopwatch.tui.safe_text import Safe, own
from loopwatch.tui.widgets import gauge
from loopwatch.tui.words import amount, clock, money

if TYPE_CHECKING:
    from loopwatch.engine.session import Reading

LABEL = 12
_FIGURES = 24
"""Cells kept free behind a bar for its numbers."""


def part_of(used: float, limit: float | None) -> float | None:
    """How much of a limit is used; ``None`` without a limit."""
    return None if not limit else used / limit


def short_meters(reading: Reading) -> tuple[tuple[Safe, str], ...]:
    """The gauges as a few characters each, for the status line; most important first."""
    limits = reading.limits
    found: list[tuple[Safe, str]] = []
    tokens = part_of(reading.tokens, limits.tokens)
    if tokens is not None:
        found.append((own(f"tokens {tokens:.0%}"), gauge.style_of(tokens) if tokens >= gauge.WARN_AT else "$lw-muted"))
    else:
        found.append((own(f"tokens {amount(reading.tokens)}"), "$lw-muted"))
    for label, used, limit in (
        ("errors", reading.errors, limits.errors),
        ("no progress", reading.no_progress, limits.no_progress),
        ("turns", reading.turns, limits.turns),
    ):
        part = part_of(used, limit)
        text = own(f"{label} {used}/{limit}" if limit else f"{label} {used}")
        found.append((text, gauge.style_of(part) if part and part > 0.5 else "$lw-muted"))  # noqa: PLR2004 - half way
    if reading.cost is not None:
        found.insert(2, (money(reading.cost), "$lw-muted"))
    return tuple(found)


class Budgets(Widget):
    """Gauges of a reading; redraws only when it changed."""

    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self._reading: Reading | None = None

    def tell(self, reading: Reading) -> None:
        """Show this from now on."""
        if reading != self._reading:
            self._reading = reading
            self.refresh()

    def render(self) -> Content:
        """One gauge a line."""
        reading = self._reading
        if reading is None:
            return Content.styled("nothing used yet", "$lw-muted")
        width = self.content_size.width
        limits = reading.limits
        lines = [
            self._tokens(reading, width),
            self._flow(reading, width),
            _meter("turns", reading.turns, limits.turns, "", width),
            _meter("errors", reading.errors, limits.errors, "in a row", width),
            _meter("no progress", reading.no_progress, limits.no_progress, "steps", width),
            _meter("cut off", reading.cut_off, None, "answers in a row", width),
            self._time(reading, width),
        ]
        return Content("\n").join(lines)

    def _tokens(self, reading: Reading, width: int) -> Content:
        about = "~" if reading.estimated else ""
        limit = reading.limits.tokens
        part = part_of(reading.tokens, limit)
        if part is None:
            return Content.assemble(_label("tokens"), f"{about}{reading.tokens:,}", ("  no limit", "$lw-muted"))
        figures = f"  {about}{reading.tokens:,} / {limit:,}  "
        share = f"{part:.0%}" + (" ▲" if part >= gauge.BAD_AT else "")
        bar = gauge.bar(part, width - LABEL - len(figures) - len(share) - 1, mark=gauge.BAD_AT)
        return Content.assemble(_label("tokens"), bar, figures, (share, f"bold {gauge.style_of(part)}"))

    def _flow(self, reading: Reading, width: int) -> Content:
        cached = f" ({amount(reading.cached_tokens)} cached)" if reading.cached_tokens else ""
        text = f"in {amount(reading.input_tokens)}{cached}  out {amount(reading.output_tokens)}"
        if len(text) > width - LABEL:
            text = f"in {amount(reading.input_tokens)}  out {amount(reading.output_tokens)}"
        if not reading.recent_tokens:
            return Content.assemble(_label(""), (text, "$lw-muted"))
        last = " ".join(f"+{amount(value)}" for value in reading.recent_tokens[-2:])
        room = width - LABEL - len(text) - len(last) - 3
        if room < 1:
            return Content.assemble(_label(""), (text, "$lw-muted"))
        spark = gauge.sparkline(reading.recent_tokens, min(20, room))
        return Content.assemble(_label(""), (f"{text}  ", "$lw-muted"), (spark, "$primary"), (f" {last}", "$lw-muted"))

    def _time(self, reading: Reading, width: int) -> Content:
        limits = reading.limits
        spent = clock(reading.seconds)
        parts: list[Content | tuple[str, str] | str] = [_label("time"), spent]
        if limits.seconds:
            part = reading.seconds / limits.seconds
            figures = f"  {spent} / {clock(limits.seconds)}"
            parts = [_label("time"), gauge.bar(part, width - LABEL - _FIGURES), figures]
        cost = "unknown" if reading.cost is None else money(reading.cost)
        limit = f" / {money(limits.cost)}" if limits.cost else ""
        return Content.assemble(*parts, ("    cost ", "$lw-muted"), f"{cost}{limit}")


def _label(text: str) -> tuple[str, str]:
    return f"{text:<{LABEL}}", "$lw-muted"


def _meter(label: str, used: int, limit: int | None, unit: str, width: int) -> Content:
    unit = f" {unit}" if unit else ""
    if not limit:
        return Content.assemble(_label(label), f"{used}", (unit, "$lw-muted"))
    part = used / limit
    bar = gauge.dots(used, limit) if limit <= gauge.DOTS_UP_TO else gauge.bar(part, width - LABEL - _FIGURES)
    warning = " ▲" if part >= gauge.BAD_AT else ""
    style = f"bold {gauge.style_of(part)}" if part >= gauge.WARN_AT else ""
    return Content.assemble(_label(label), bar, "  ", (f"{used} / {limit}{warning}", style), (unit, "$lw-muted"))
