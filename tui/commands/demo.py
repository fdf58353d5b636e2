"""``loopwatch demo``: a supervised run against the built-in rehearsal model."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loopwatch.tui.commands.base import Refusal, has_terminal, say, settings
from loopwatch.tui.commands.starting import (
    JUDGING,
    LIMITING,
    SHOWING,
    Answer,
    Form,
    flags,
    policy,
    present,
    theme,
    with_options,
    wording,
)

if TYPE_CHECKING:
    from loopwatch.engine.plan import Policy
    from loopwatch.engine.session import Limits, Session
    from loopwatch.engine.settings import Loaded

FIRST = "secret-key"


@click.command(short_help="Watch an agent fall into a loop; no key, no network.")
@click.argument("scenario", default=FIRST)
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda ctx, _, wanted: _list_scenarios(ctx) if wanted else None,
    help="Show what scenarios there are.",
)
@with_options(
    *JUDGING,
    *LIMITING,
    *SHOWING,
    click.option(
        "--request-log",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Write what the model was sent, one JSON object a request.",
    ),
)
def demo(  # noqa: PLR0913 - as many as options
    *,
    scenario: str,
    journal: Path | None,
    decide: Answer | None,
    headless: bool,
    form: Form,
    request_log: Path | None,
    **given: Any,
) -> int:
    """Play a SCENARIO: a real agent, real files and commands, and a model that follows a script.

    Without a terminal the run is printed line by line and every suggestion is accepted. A name that ends in .toml is
    a scenario of your own.
    """
    loaded = settings(Path.cwd(), **flags(given))
    screen = has_terminal() and not headless
    if not screen and decide is None and loaded.origin("policy") == "default" and loaded.settings.wait is None:
        decide = "accept"
    answers = policy(loaded, decide, screen=screen)
    return start_demo(scenario, loaded, answers, screen=screen, journal=journal, request_log=request_log, form=form)


def start_demo(  # noqa: PLR0913 - a demo has that many sides
    scenario: str,
    loaded: Loaded,
    answers: Policy,
    *,
    screen: bool,
    journal: Path | None = None,
    request_log: Path | None = None,
    form: Form = "text",
) -> int:
    """Play a scenario with the settings in force; returns the exit status.

    Raises:
        Refusal: there is no such scenario, or a setting cannot be used.
    """
    name = theme(loaded) if screen else None
    chosen = loaded.settings
    if request_log is not None:
        _begin_log(request_log)

    def opened() -> Session:
        from loopwatch.engine.rehearsal.demo import open_demo

        return open_demo(
            scenario,
            # A scenario comes with the preset and the limits that make its story; what a person has set beats them.
            preset=loaded.preset() if loaded.origin("preset") != "default" or _is_changed(loaded) else None,
            limits=_limits(scenario, loaded),
            policy=answers,
            language=chosen.language,
            reminders=wording(loaded),
            channel=chosen.channel,
            journal=journal,
            request_log=request_log,
            pace=1.0 if screen else 0.0,
        )

    return present(opened, screen=screen, theme=name, form=form)


def _list_scenarios(ctx: click.Context) -> None:
    """Name each scenario with its title, then leave."""
    from loopwatch.engine.rehearsal.scenario import load_scenario, scenario_names

    for name in scenario_names():
        say(f"{name:<14}{load_scenario(name).title}")
    ctx.exit()


def _begin_log(path: Path) -> None:
    """Create the log now: once the run is on, nobody would hear that it cannot be written."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
    except OSError as error:
        raise Refusal(f"request log {path}: {error.strerror}; choose another place with --request-log") from None


def _is_changed(loaded: Loaded) -> bool:
    """Whether the person changed values of the preset that is in force."""
    return loaded.settings.preset in loaded.settings.presets


def _limits(scenario: str, loaded: Loaded) -> Limits:
    """The scenario's limits, and over them those that the person has set."""
    from loopwatch.engine.rehearsal.demo import scenario_limits
    from loopwatch.engine.rehearsal.scenario import load_scenario

    given = {
        name: value
        for name, value in loaded.settings.limits.model_dump().items()
        if loaded.origin(f"limits.{name}") != "default"
    }
    return replace(scenario_limits(load_scenario(scenario)), **given)
