"""Bars that show how much of something is used, as text: filled and empty differ in shape, not just in colour."""

from __future__ import annotations

from textual.content import Content

FULL, EMPTY, MARK = "━", "─", "┃"
WARN_AT, BAD_AT = 0.7, 0.9
"""Parts of a limit from which a gauge draws attention; at 90 % the model's context is as good as full (A18)."""
DOTS_UP_TO = 12
"""Limits up to this are drawn as one dot each."""
_BARS = "▁▂▃▄▅▆▇█"


def style_of(part: float) -> str:
    """How a gauge looks when ``part`` (0 to 1) is used."""
    return "$error" if part >= BAD_AT else "$lw-warn" if part >= WARN_AT else "$primary"


def bar(part: float, width: int, *, mark: float | None = None) -> Content:
    """A bar of ``width`` cells with ``part`` of it filled; ``mark`` draws a threshold across it."""
    width = max(1, width)
    filled = min(width, round(max(0.0, part) * width))
    if part > 0:
        filled = max(1, filled)
    style = style_of(part)
    pieces: list[tuple[str, str]] = [(FULL * filled, style), (EMPTY * (width - filled), "$lw-border")]
    whole = Content.assemble(*pieces)
    if mark is None:
        return whole
    at = min(width - 1, int(mark * width))
    return Content.assemble(whole[:at], (MARK, "$lw-warn"), whole[at + 1 :])


def dots(used: int, limit: int) -> Content:
    """One dot for each that may happen, filled for each that did."""
    filled = min(used, limit)
    return Content.assemble(("●" * filled, style_of(used / limit)), ("○" * (limit - filled), "$lw-border"))


def sparkline(values: tuple[int, ...], width: int) -> str:
    """The last values as little columns, the greatest one full height."""
    shown = values[-width:]
    top = max(shown, default=0)
    if top <= 0:
        return ""
    return "".join(_BARS[min(len(_BARS) - 1, value * len(_BARS) // (top + 1))] for value in shown)
