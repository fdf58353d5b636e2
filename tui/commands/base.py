"""What the commands share: one clear line for whatever is wrong, and text that a terminal cannot obey."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import click

from loopwatch.tui.safe_text import line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from loopwatch.engine.settings import Loaded

LINE_LIMIT = 20_000
"""Characters of a printed line."""
USAGE = 2
"""Exit status for wrong usage and wrong configuration."""


class Refusal(click.ClickException):
    """Something the person can mend; told in one line, exit status 2."""

    exit_code = USAGE


@contextmanager
def refusing() -> Iterator[None]:
    """Turn the engine's complaints about input into a ``Refusal``."""
    try:
        yield
    except Exception as error:
        if isinstance(error, _complaints()):
            raise Refusal(str(error)) from None
        raise


def _complaints() -> tuple[type[Exception], ...]:
    """What the engine says about input; imported when there is something to say, as it takes a third of a second."""
    from loopwatch.detectors.preset import PresetError
    from loopwatch.engine.journal import JournalError
    from loopwatch.engine.rehearsal.scenario import ScenarioError
    from loopwatch.engine.reminders import ReminderError
    from loopwatch.engine.settings import SettingsError
    from loopwatch.engine.sources.formats import UnreadableError

    return JournalError, PresetError, ReminderError, ScenarioError, SettingsError, UnreadableError


def settings(workspace: Path, **flags: Any) -> Loaded:
    """The settings in force. Flags are named by their key, with ``__`` for the dot; ``None`` is a flag not given.

    Raises:
        Refusal: a settings file or a value cannot be used.
    """
    from loopwatch.engine.settings import load

    with refusing():
        return load(workspace, {name.replace("__", "."): value for name, value in flags.items()})


def _is_terminal(stream: IO[str] | None) -> bool:
    """Python has no stream at all where the descriptor was closed before the start (``<&-``)."""
    return stream is not None and stream.isatty()


def has_terminal() -> bool:
    """Whether a person can be shown a screen: Textual reads stdin and draws on stderr, and hangs without either."""
    return _is_terminal(sys.stdin) and _is_terminal(sys.stderr)


def say(text: str = "", *, err: bool = False) -> None:
    """Print one line, which may hold foreign text; nothing in it can steer the terminal."""
    click.echo(line(text, LINE_LIMIT), err=err)


def say_json(data: Any) -> None:
    """Print JSON. ASCII only: nothing in it can steer a terminal, and lone surrogates survive."""
    import json

    click.echo(json.dumps(data, indent=2, ensure_ascii=True))
