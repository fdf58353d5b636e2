"""Keys and what they do, each also a place to click."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.content import Content
from textual.style import Style
from textual.widget import Widget

if TYPE_CHECKING:
    from textual import events

    from loopwatch.tui.safe_text import Safe


_META = "lw-action"
"""Not Textual's ``@click``, which would draw keys as links."""


class Key(NamedTuple):
    """A key, what it does, the action it runs, and whether it can be used now."""

    key: Safe
    label: Safe
    action: str
    usable: bool = True


class KeyLine(Widget):
    """A row of keys; wraps where the width does not do."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "KeyLine { height: auto; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self._keys: tuple[Key, ...] = ()

    def tell(self, keys: tuple[Key, ...]) -> None:
        """Show these from now on."""
        if keys != self._keys:
            self._keys = keys
            self.refresh(layout=True)

    def render(self) -> Content:
        """Keys stand out, words do not; what cannot be used now is dim and crossed out."""
        return Content("  ").join([_drawn(key) for key in self._keys])

    async def on_click(self, event: events.Click) -> None:
        """Do what the key under the mouse does."""
        action = event.style.meta.get(_META)
        if action:
            event.stop()
            await self.run_action(action)


def _drawn(key: Key) -> Content:
    # A non-breaking space keeps a key and its word on one line.
    label = key.label.replace(" ", "\u00a0")
    if not key.usable:
        return Content.styled(f"{key.key}\u00a0{label}", "strike $lw-muted")
    drawn = Content.assemble((key.key, "bold $primary"), (f"\u00a0{label}", "$lw-muted"))
    return drawn.stylize(Style.from_meta({_META: key.action}))
