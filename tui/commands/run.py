"""``loopwatch run``: our own agent on a task, supervised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from loopwatch.tui.commands.base import Refusal, settings
from loopwatch.tui.commands.starting import (
    JUDGING,
    LIMITING,
    SHOWING,
    Answer,
    Form,
    flags,
    limits,
    policy,
    present,
    screen_wanted,
    theme,
    with_options,
    wording,
)

if TYPE_CHECKING:
    from pydantic import SecretStr

    from loopwatch.engine.plan import Policy
    from loopwatch.engine.session import Session
    from loopwatch.engine.settings import Loaded

LOOPBACK = ("localhost", "127.0.0.1", "::1")


@click.command(short_help="Let our agent work on a task, supervised.")
@click.argument("task")
@with_options(
    click.option("--model", metavar="NAME", help="The model that works."),
    click.option("--base-url", metavar="URL", help="OpenAI-compatible endpoint."),
    click.option("--tool-protocol", metavar="HOW", help="How the model writes calls: auto, native or text."),
    click.option(
        "--workspace",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        default=".",
        show_default=True,
        help="Folder the agent works in and is confined to.",
    ),
    *JUDGING,
    *LIMITING,
    *SHOWING,
)
def run(  # noqa: PLR0913 - as many as options
    *,
    task: str,
    workspace: Path,
    journal: Path | None,
    decide: Answer | None,
    headless: bool,
    form: Form,
    **given: Any,
) -> int:
    """Let our agent work on TASK in a folder, on an OpenAI-compatible endpoint.

    The key comes from the environment (OPENAI_API_KEY, or the variable that the setting api_key_env names). Exit
    status: 0 finished, 1 not finished, 3 stopped by a limit or a decision, 4 the endpoint failed, 130 interrupted.
    """
    loaded = settings(workspace, **flags(given))
    screen = screen_wanted(headless=headless)
    answers = policy(loaded, decide, screen=screen)
    return start_run(task, loaded, workspace, answers, screen=screen, journal=journal, form=form)


def start_run(  # noqa: PLR0913 - a run has that many sides
    task: str,
    loaded: Loaded,
    workspace: Path,
    answers: Policy,
    *,
    screen: bool,
    journal: Path | None = None,
    form: Form = "text",
) -> int:
    """Run a task with the settings in force; returns the exit status.

    Raises:
        Refusal: something that the run needs is missing or cannot be used.
    """
    if not task.strip():
        raise Refusal("the task is empty; say what is to be done")
    chosen = loaded.settings
    model, endpoint, key = _model(loaded), _endpoint(loaded), _key(loaded)
    name = theme(loaded) if screen else None

    def opened() -> Session:
        from loopwatch.engine.plan import RunPlan
        from loopwatch.engine.run import open_run

        return open_run(
            RunPlan(
                task=task,
                model=model,
                preset=loaded.preset(),
                workspace=workspace.resolve(),
                base_url=endpoint,
                api_key=key,
                policy=answers,
                limits=limits(loaded),
                tool_protocol=chosen.tool_protocol,
                journal=journal,
                language=chosen.language,
                reminders=wording(loaded),
                channel=chosen.channel,
            )
        )

    return present(opened, screen=screen, theme=name, form=form)


def _model(loaded: Loaded) -> str:
    if not loaded.settings.model:
        raise Refusal("no model is named: give --model, LOOPWATCH_MODEL, or 'model' in loopwatch.toml")
    return loaded.settings.model


def _endpoint(loaded: Loaded) -> str:
    url = loaded.settings.base_url
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Refusal(f"{loaded.origin('base_url')}: base_url: must begin with http:// or https:// (got {url!r})")
    return url


def _key(loaded: Loaded) -> SecretStr | None:
    """The key; servers on this machine can do without."""
    key = loaded.api_key()
    if key is None and urlsplit(loaded.settings.base_url).hostname not in LOOPBACK:
        name = loaded.settings.api_key_env
        raise Refusal(f"no API key: set {name}, or name another variable with the setting api_key_env")
    return key
