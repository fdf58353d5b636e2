"""``loopwatch replay``: a recorded run on the screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from loopwatch.tui.commands.base import settings
from loopwatch.tui.commands.starting import Form, present, screen_wanted, theme

if TYPE_CHECKING:
    from loopwatch.engine.session import Session
    from loopwatch.engine.settings import Loaded

SPEEDS = {"1": 1.0, "4": 4.0, "max": None}
"""As written to times the recorded pace; ``None`` is as fast as possible."""


@click.command(short_help="Show a recorded run.")
@click.argument("file")
@click.option("--speed", type=click.Choice(list(SPEEDS)), default="1", show_default=True, help="Times the real pace.")
@click.option("--preset", metavar="NAME", help="Judge by these settings; the default is the recording's own.")
@click.option("--theme", "theme_name", metavar="NAME", help="Theme of the screen, or a TOML file with one.")
@click.option("--headless", is_flag=True, help="Print the run line by line instead of showing the screen.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def replay(  # noqa: PLR0913 - as many as options
    *, file: str, speed: str, preset: str | None, theme_name: str | None, headless: bool, form: Form
) -> int:
    """Show a recorded run: a journal of ours, or another agent's transcript (see 'loopwatch check').

    Where a file holds several runs, name one: FILE#RUN.
    """
    loaded = settings(Path.cwd(), preset=preset, theme=theme_name)
    screen = screen_wanted(headless=headless)
    return start_replay(file, loaded, screen=screen, speed=SPEEDS[speed], judged_anew=bool(preset), form=form)


def start_replay(  # noqa: PLR0913 - a recording has that many sides
    file: str, loaded: Loaded, *, screen: bool, speed: float | None, judged_anew: bool = False, form: Form = "text"
) -> int:
    """Play a recording; returns the exit status.

    Raises:
        Refusal: it cannot be read.
    """
    name = theme(loaded) if screen else None
    path, part = (file, "") if Path(file).exists() else file.rpartition("#")[::2] if "#" in file else (file, "")

    def opened() -> Session:
        from loopwatch.engine.sources.replay import open_replay

        return open_replay(Path(path), part=part, preset=loaded.preset() if judged_anew else None, speed=speed)

    return present(opened, screen=screen, theme=name, form=form)
