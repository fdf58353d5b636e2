"""The two lines on top: what state the run is in, what it does now, whether it loops, what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from textual.content import Content
from textual.widget import Widget

from loopwatch.tui.safe_text import Safe, own
from loopwatch.tui.words import fit

NOTHING = own("")
_DOING_LEAST = 26
"""Cells that what it does now gets at least."""
Phase: TypeAlias = Literal["starting", "working", "waiting", "held", "playing", "paused", "ended", "failed"]
PHASES: dict[str, tuple[str, str, str]] = {
    "starting": ("○", "starting", "$lw-muted"),
    "working": ("●", "working", "$success"),
    "waiting": ("◆", "waits for you", "bold $lw-warn"),
    "held": ("‖", "held", "bold $primary"),
    "playing": ("▶", "playing", "$primary"),
    "paused": ("‖", "paused", "$primary"),
    "ended": ("■", "ended", "$foreground"),
    "failed": ("✗", "failed", "bold $error"),
}
"""Sign, word and style of each state."""


@dataclass(frozen=True, slots=True)
class Glance:
    """All that the status lines say."""

    phase: Phase = "starting"
    why: Safe = NOTHING
    task: Safe = NOTHING
    about: tuple[Safe, ...] = ()
    """Model, workspace, preset, policy: most important first, dropped from the end when there is no room."""
    doing: Safe = NOTHING
    doing_what: Safe = NOTHING
    doing_for: Safe = NOTHING
    verdict: Safe = NOTHING
    verdict_style: str = ""
    meters: tuple[tuple[Safe, str], ...] = ()
    """Short gauges with their styles, for when the budgets panel is folded away; dropped from the end."""


class Status(Widget):
    """Draws a glance; redraws only when it changed."""

    DEFAULT_CSS = "Status { height: 2; padding: 0 1; }"
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self._glance = Glance()

    def tell(self, glance: Glance) -> None:
        """Show this from now on."""
        if glance != self._glance:
            self._glance = glance
            self.refresh()

    def render(self) -> Content:
        """Both lines at the present width."""
        width = self.content_size.width
        return Content("\n").join([self._first(width), self._second(width)])

    def _first(self, width: int) -> Content:
        glance = self._glance
        sign, word, style = PHASES[glance.phase]
        state = f"{sign} {word}" + (f": {glance.why}" if glance.why else "")
        left = Content.assemble(("loopwatch  ", "$lw-muted"), (state, style))
        about = _fitting(glance.about, width - left.cell_length - min(24, len(glance.task)) - 4)
        right = Content("   ").join([Content.styled(one, "$lw-muted") for one in about])
        room = width - left.cell_length - right.cell_length - 5
        task = Content.styled(fit(glance.task, max(0, room)), "bold")
        return Content.assemble(left, "   ", task, "  ", right)

    def _second(self, width: int) -> Content:
        glance = self._glance
        right = Content.styled(glance.verdict, glance.verdict_style)
        for text, style in glance.meters:
            more = Content.assemble(right, "   ", (text, style))
            if more.cell_length > width - _DOING_LEAST:
                break
            right = more
        room = max(0, width - right.cell_length - 3)
        spent = f" {glance.doing_for}" if glance.doing_for else ""
        what = f"  {glance.doing_what}" if glance.doing_what else ""
        said = fit(f"{glance.doing}{what}", min(room - len(spent), len(glance.doing) + len(what) * 2))
        left = Content.assemble((said.rstrip(), "$primary"), (spent, "$lw-muted"))
        return Content.assemble(left, " " * max(3, width - left.cell_length - right.cell_length), right)


def _fitting(parts: tuple[Safe, ...], room: int) -> list[Safe]:
    taken: list[Safe] = []
    for part in parts:
        room -= len(part) + 3
        if room < 0:
            break
        taken.append(part)
    return taken
