"""The command ``loopwatch``."""

from __future__ import annotations

import click

import loopwatch


@click.group()
@click.version_option(loopwatch.__version__, prog_name="loopwatch")
def main() -> None:
    """Watch LLM agents live, see loops as they form, decide what the agent is told."""
