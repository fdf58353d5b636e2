"""What commands that start a run share: options, who answers, and whether there is a screen."""

from __future__ import annotations

import sys
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import click

from loopwatch.tui.commands.base import Refusal, has_terminal, refusing

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopwatch.engine.plan import Policy
    from loopwatch.engine.session import Limits, Session
    from loopwatch.engine.settings import Loaded

    Command = TypeVar("Command", bound=Callable[..., Any])

Answer: TypeAlias = Literal["accept", "dismiss", "stop", "block"]
Form: TypeAlias = Literal["text", "json"]

JUDGING = (
    click.option("--preset", metavar="NAME", help="Detector settings (see 'loopwatch presets')."),
    click.option("--policy", metavar="POLICY", help="Who answers: ask (you), accept, or observe (nobody is told)."),
    click.option("--wait", metavar="TIME", help="How long a question waits for you, such as 60s; none: for ever."),
    click.option("--unanswered", metavar="ANSWER", help="What happens then: accept, dismiss or stop."),
    click.option("--channel", metavar="CHANNEL", help="Where reminders go: user_message or tool_result."),
    click.option("--language", metavar="CODE", help="Language of the reminders: en or zh."),
    click.option("--reminders", metavar="FILE", help="TOML file with your own wording of the reminders."),
)
LIMITING = (
    click.option("--turns", metavar="N", help="Stop after N model responses; none: no limit."),
    click.option("--tokens", metavar="N", help="Stop after N tokens."),
    click.option("--seconds", metavar="TIME", help="Stop after this time, such as 10m."),
    click.option("--cost", metavar="DOLLARS", help="Stop after this much money, where prices are known."),
    click.option("--errors", metavar="N", help="Stop after N failed calls in a row."),
    click.option("--no-progress", metavar="N", help="Stop after N calls without progress in total (the breaker)."),
)
SHOWING = (
    click.option("--headless", is_flag=True, help="Print the run line by line instead of showing the screen."),
    click.option(
        "--decide",
        type=click.Choice(["accept", "dismiss", "stop", "block"]),
        help="With --headless: the answer to every suggestion.",
    ),
    click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="With --headless: lines for people, or the journal's JSON Lines.",
    ),
    click.option("--theme", metavar="NAME", help="Theme of the screen, or a TOML file with one."),
    click.option(
        "--journal",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Where to record the run; the default is a new file in the state folder.",
    ),
)


def with_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Give a command several options, in this order of its help."""
    return lambda command: reduce(lambda wrapped, option: option(wrapped), reversed(options), command)


def flags(given: dict[str, Any]) -> dict[str, Any]:
    """The options among ``given`` that are settings, by the settings' keys."""
    limits = ("turns", "tokens", "seconds", "cost", "errors", "no_progress")
    others = ("model", "base_url", "tool_protocol", "preset", "policy", "wait", "unanswered", "channel", "language")
    named = {name: given.get(name) for name in (*others, "reminders", "theme")}
    return named | {f"limits__{name}": given.get(name) for name in limits}


def screen_wanted(*, headless: bool) -> bool:
    """Whether to show the screen.

    Raises:
        Refusal: it would be wanted, and there is no terminal.
    """
    if headless:
        return False
    if not has_terminal():
        raise Refusal("there is no terminal to show the screen on; add --headless")
    return True


def policy(loaded: Loaded, decide: Answer | None, *, screen: bool) -> Policy:
    """Who answers suggestions.

    Raises:
        Refusal: nobody would, and the agent would be held for ever; or an answer is given in place of a person who
            is there.
    """
    from loopwatch.engine.plan import Policy

    chosen = loaded.settings
    if decide is not None:
        if screen:
            raise Refusal("--decide answers in place of a person: add --headless, or choose --policy accept")
        return Policy(mode=decide)
    if chosen.policy == "ask" and chosen.wait is None and not screen:
        raise Refusal(
            "nobody would answer and the run would wait for ever: give --decide, --policy accept or observe, or --wait"
        )
    return Policy(mode=chosen.policy, wait=chosen.wait, unanswered=chosen.unanswered)


def limits(loaded: Loaded) -> Limits:
    """What the run may use."""
    from loopwatch.engine.session import Limits

    return Limits(**loaded.settings.limits.model_dump())


def wording(loaded: Loaded) -> Path | None:
    """The person's own file of reminders."""
    return Path(loaded.settings.reminders).expanduser() if loaded.settings.reminders else None


def theme(loaded: Loaded) -> str | None:
    """The screen's theme, looked at before a run is begun.

    Raises:
        Refusal: there is no such theme, or its file cannot be used.
    """
    from loopwatch.themes.load import ThemeError, bundled, read

    name = loaded.settings.theme
    if not name:
        return None
    try:
        read(Path(name)) if name.endswith(".toml") else bundled(name)
    except ThemeError as error:
        raise Refusal(f"{loaded.origin('theme')}: theme: {error}") from None
    return name


def present(opener: Callable[[], Session], *, screen: bool, theme: str | None, form: Form = "text") -> int:
    """Make a session and run it on the screen or line by line; returns the exit status.

    The screen calls ``opener`` after its first frame, as the making takes about as long.

    Raises:
        Refusal: the session cannot be made of what the person gave.
    """
    if screen:
        from loopwatch.tui.app import show

        with refusing():
            return show(opener, theme=theme)
    from loopwatch.tui.headless import run_headless

    with refusing():
        session = opener()
        return run_headless(session, out=sys.stdout, err=sys.stderr, format=form)
