"""All keys on one page."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from loopwatch.engine.session import Capability
from loopwatch.tui.safe_text import content, own

if TYPE_CHECKING:
    from textual.app import ComposeResult

_SECTIONS: tuple[tuple[str, Capability | None, tuple[tuple[str, str], ...]], ...] = (
    (
        "When a suggestion waits",
        None,
        (
            ("a", "accept it as it stands"),
            ("e", "edit it, then ctrl+s sends; escape goes back"),
            ("o", "say it in your own words"),
            ("b", "block the next identical call"),
            ("s", "snooze: be quiet about this for some steps"),
            ("d", "dismiss"),
            ("x", "stop the run"),
            ("A E O B S D", "the same, always, for this rule in this run"),
        ),
    ),
    (
        "Looking around",
        None,
        (
            ("j k  ↓ ↑", "next and previous row"),
            ("g G", "first row; last row, and follow what comes"),
            ("f", "follow the newest row, or stay"),
            ("n N", "next and previous finding"),
            ("/", "find; enter goes on to the next"),
            ("1 to 5", "timeline, step, collisions, budgets, says"),
            ("tab  enter  escape", "next panel; details; back to the timeline"),
        ),
    ),
    (
        "Steering the agent",
        Capability.HOLD | Capability.SPEAK,
        (
            ("h  space", "hold at the next boundary, release"),
            ("m", "send the agent a message"),
        ),
    ),
    (
        "Playing a recording",
        Capability.SEEK,
        (
            ("space", "play, pause"),
            (".  →", "one step"),
            ("< >", "slower, faster: 1×, 4×, as fast as possible"),
        ),
    ),
    (
        "Everything else",
        None,
        (
            ("t", "tune the detectors' thresholds"),
            ("ctrl+p", "command palette: themes and more"),
            ("ctrl+z", "suspend to the shell, fg comes back"),
            ("q", "quit; a running agent is stopped first"),
        ),
    ),
)
_SIGNS = (
    ("✗", "the call failed"),
    ("⊘", "the call was blocked"),
    ("×3", "the third call with this fingerprint"),
    ("· ▲ ◆ ■", "notice, warn, strong, critical"),
    ("◇ → ✓", "a decision, a reminder put in, read by the model"),
    ("┃", "equal to the selected step"),
)


class HelpScreen(ModalScreen[None]):
    """Any key closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter,f1", "dismiss(None)", "Close", show=False)
    ]

    def __init__(self, capabilities: Capability) -> None:
        super().__init__()
        self._can = capabilities

    def compose(self) -> ComposeResult:
        """One scrolling page."""
        with VerticalScroll(id="help") as page:
            page.border_title = content(own(" Keys and signs "))
            page.border_subtitle = content(own(" escape closes "))
            yield Static(self._page())

    def _page(self) -> Content:
        lines: list[Content] = []
        for title, needed, keys in _SECTIONS:
            if needed is None or needed & self._can:
                lines += _section(title, keys)
        lines += _section("Signs", _SIGNS)
        return Content("\n").join(lines[:-1])


def _section(title: str, keys: tuple[tuple[str, str], ...]) -> list[Content]:
    rows = [Content.assemble((f"  {key:<20}", "bold $primary"), meaning) for key, meaning in keys]
    return [Content.styled(title, "bold"), *rows, Content("")]
