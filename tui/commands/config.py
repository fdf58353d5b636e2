"""``loopwatch config``: the settings in force and where each comes from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loopwatch.tui.commands.base import refusing, say, say_json, settings
from loopwatch.tui.commands.starting import theme

if TYPE_CHECKING:
    from loopwatch.engine.settings import Loaded


@click.command(short_help="Show the settings in force and where each comes from.")
@click.option(
    "--workspace",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=".",
    help="Folder from which the project's loopwatch.toml is searched.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def config(workspace: Path, form: str) -> int:
    """Show each setting, its value and where it comes from: environment, project, person or default."""
    loaded = settings(workspace)
    with refusing():
        loaded.preset()
    theme(loaded)
    rows = [(value.key, _shown(value.key, value.value), value.origin) for value in loaded.values()]
    rows.append(("api key", "set" if loaded.api_key() else "not set", f"environment {loaded.settings.api_key_env}"))
    if form == "json":
        say_json({key: {"value": value, "from": origin} for key, value, origin in rows})
        return 0
    widths = [max(len(str(row[column])) for row in rows) for column in (0, 1)]
    for key, value, origin in rows:
        say(f"{key:<{widths[0]}}  {value:<{widths[1]}}  {origin}")
    _files(loaded)
    return 0


def _shown(key: str, value: Any) -> str:
    if key == "base_url":
        from loopwatch.engine.redaction import redacted_endpoint

        return redacted_endpoint(str(value))
    if value is None:
        return "none"
    return str(value) if value not in ("", {}) else "-"


def _files(loaded: Loaded) -> None:
    say()
    for name, path in (("project", loaded.project), ("person", loaded.personal)):
        say(f"{name:<8} {path}{'' if path.is_file() else ' (no such file)'}")
