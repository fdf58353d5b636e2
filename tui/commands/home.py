"""``loopwatch`` alone: ask what to look at, look at it, ask again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from loopwatch.tui.commands.base import Refusal, has_terminal, settings
from loopwatch.tui.commands.demo import start_demo
from loopwatch.tui.commands.replay import start_replay
from loopwatch.tui.commands.run import start_run
from loopwatch.tui.commands.starting import policy, theme

if TYPE_CHECKING:
    from loopwatch.engine.settings import Loaded
    from loopwatch.tui.screens.home import Choice


def home() -> int:
    """Show the home screen until the person leaves it; returns the exit status of what was looked at last.

    What cannot be started is said on the home screen, where another choice can be made.

    Raises:
        Refusal: there is no terminal, or the settings cannot be used.
    """
    if not has_terminal():
        raise Refusal("the home screen needs a terminal; 'loopwatch --help' lists the commands")
    from loopwatch.tui.app import show_home

    status, refusal = 0, ""
    while True:
        loaded = settings(Path.cwd())
        choice = show_home(theme=theme(loaded), about=(refusal,) if refusal else _about(loaded))
        if choice is None:
            return status
        try:
            status, refusal = _start(choice, loaded), ""
        except Refusal as error:
            status, refusal = error.exit_code, error.message


def _start(choice: Choice, loaded: Loaded) -> int:
    answers = policy(loaded, None, screen=True)
    match choice.what:
        case "task":
            return start_run(choice.value, loaded, Path.cwd(), answers, screen=True)
        case "demo":
            return start_demo(choice.value, loaded, answers, screen=True)
        case "replay":
            return start_replay(choice.value, loaded, screen=True, speed=1.0)


def _about(loaded: Loaded) -> tuple[str, ...]:
    """What a task would run with."""
    from loopwatch.engine.redaction import redacted_endpoint

    chosen = loaded.settings
    return (
        chosen.model or "no model set",
        redacted_endpoint(chosen.base_url),
        str(Path.cwd()),
        f"preset {chosen.preset}",
    )
