"""``loopwatch presets``: which settings of the detectors there are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from loopwatch.tui.commands.base import refusing, say, say_json, settings

if TYPE_CHECKING:
    from loopwatch.detectors.preset import Preset
    from loopwatch.engine.settings import Loaded


@click.command(short_help="List detector presets, or show one.")
@click.argument("name", required=False)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def presets(name: str | None, form: str) -> int:
    """List the presets, or show the values of one with where its numbers come from."""
    loaded = settings(Path.cwd())
    with refusing():
        chosen = [loaded.preset(one) for one in ((name,) if name else loaded.preset_names())]
    if form == "json":
        say_json({preset.name: preset.dump() for preset in chosen})
    elif name:
        _show(chosen[0], loaded)
    else:
        _list(chosen, loaded)
    return 0


def _list(chosen: list[Preset], loaded: Loaded) -> None:
    width = max(len(preset.name) for preset in chosen)
    for preset in chosen:
        mark = "*" if preset.name == loaded.settings.preset else " "
        own = " (changed in your settings)" if preset.name in loaded.settings.presets else ""
        say(f"{mark} {preset.name:<{width}}  {' '.join((preset.description or preset.title).split())}{own}")
    say()
    say(f"* in force ({loaded.origin('preset')}). 'loopwatch presets NAME' shows its values.")


def _show(preset: Preset, loaded: Loaded) -> None:
    from loopwatch.detectors.preset import known_rules

    say(f"{preset.name}: {preset.title}")
    for text in (preset.description, preset.source):
        for line in text.strip().splitlines():
            say(line)
    for rule, kind in known_rules().items():
        values = preset.settings(rule)
        if values is None:
            continue
        say()
        say(f"{rule}  {kind.title}{'' if values.enabled else ' (off)'}")
        for setting, field in kind.Settings.model_fields.items():
            if setting == "enabled":
                continue
            extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
            value = getattr(values, setting)
            shown = (
                ", ".join(value) or "none" if isinstance(value, tuple) else f"{value} {extra.get('unit', '')}".strip()
            )
            origin = loaded.origin(f"presets.{preset.name}.rules.{rule}.{setting}")
            say(f"  {setting:<16} {shown:<14} {field.title}" + ("" if origin == "default" else f"  [{origin}]"))
