"""The command ``loopwatch``."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any

import click

import loopwatch
from loopwatch.tui.commands.base import LINE_LIMIT, USAGE
from loopwatch.tui.commands.check import check
from loopwatch.tui.commands.config import config
from loopwatch.tui.commands.demo import demo
from loopwatch.tui.commands.evaluate import evaluate
from loopwatch.tui.commands.presets import presets
from loopwatch.tui.commands.replay import replay
from loopwatch.tui.commands.run import run
from loopwatch.tui.safe_text import line

INTERRUPTED = 130


class Deck(click.Group):
    """A group whose complaints are one line each and whose commands return their exit status."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run a command and leave the process with its exit status."""
        run: Any = super().main  # its overloads tell apart what is passed through here
        if not standalone_mode:
            return run(*args, standalone_mode=False, **extra)
        try:
            status = run(*args, standalone_mode=False, **{"prog_name": self.name, **extra})
        except click.ClickException as error:
            click.echo(line(_complaint(error), LINE_LIMIT), err=True)
            status = USAGE
        except (click.Abort, KeyboardInterrupt):
            click.echo("loopwatch: interrupted", err=True)
            status = INTERRUPTED
        except BrokenPipeError:
            # Whoever read our output has gone (``| head``).
            _silence_output()
            status = 1
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            _silence_output()
            click.echo("loopwatch: the output cannot be written: no space left", err=True)
            status = 1
        sys.exit(status if isinstance(status, int) else 0)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature is click's
        """The commands in the order in which one comes to need them."""
        return list(self.commands)


def _silence_output() -> None:
    """Nothing more can be written: what is still buffered goes nowhere, so that Python does not complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complaint(error: click.ClickException) -> str:
    """One line: which command, what is wrong, and where to read on."""
    ctx = getattr(error, "ctx", None)
    said = " ".join(error.format_message().split())
    path = ctx.command_path if ctx is not None else "loopwatch"
    return f"{path}: {said} See '{path} --help'." if isinstance(error, click.UsageError) else f"loopwatch: {said}"


@click.group(
    "loopwatch", cls=Deck, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(loopwatch.__version__, prog_name="loopwatch")
@click.pass_context
def main(ctx: click.Context) -> int | None:
    """Watch LLM agents live, see loops as they form, decide what the agent is told.

    Without a command: the home screen.
    """
    if ctx.invoked_subcommand is not None:
        return None
    from loopwatch.tui.commands.home import home

    return home()


for command in (run, demo, replay, check, evaluate, presets, config):
    main.add_command(command)
