"""From a theme file to what Textual wants."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textual.theme import Theme

from loopwatch.themes import load

if TYPE_CHECKING:
    from loopwatch.themes.load import ThemeFile

DEFAULT = "night"


def chosen(name: str | None) -> ThemeFile:
    """The theme of that name; a path ending in ``.toml`` is a theme of the person's own.

    Raises:
        ThemeError: there is none, or it cannot be used.
    """
    if name is None:
        return load.bundled(DEFAULT)
    return load.read(Path(name)) if name.endswith(".toml") else load.bundled(name)


def as_textual(theme: ThemeFile) -> Theme:
    """The theme as Textual registers it."""
    colors = theme.colors
    return Theme(
        name=theme.name,
        dark=theme.dark,
        primary=colors["primary"],
        secondary=colors["secondary"],
        accent=colors["accent"],
        foreground=colors["foreground"],
        background=colors["background"],
        surface=colors["surface"],
        panel=colors["panel"],
        success=colors["success"],
        warning=colors["warning"],
        error=colors["error"],
        variables={
            **theme.variables,
            "border": theme.variables["lw-focus"],
            "input-cursor-background": colors["foreground"],
            "input-selection-background": theme.variables["lw-cursor"],
        },
    )


def all_of(name: str | None) -> tuple[ThemeFile, ...]:
    """The themes that ship with loopwatch, and the person's own if ``name`` is one.

    Raises:
        ThemeError: as for ``chosen``.
    """
    return (*(load.bundled(one) for one in load.names()), chosen(name))
