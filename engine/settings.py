"""Settings in layers: flags, environment, the project's file, the person's file, defaults.

Each value knows the layer it came from.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import SecretStr, ValidationError
from pydantic_settings import EnvSettingsSource
from pydantic_settings import SettingsError as EnvironmentFault

from loopwatch.detectors.preset import Preset, PresetError, bundled, names, parse
from loopwatch.engine import settings_file
from loopwatch.engine.plugins import load_rules
from loopwatch.engine.settings_file import SettingsError
from loopwatch.engine.settings_model import PREFIX, LimitSettings, PresetSettings, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from loopwatch.engine.settings_file import Key, SettingsFile

__all__ = ["Loaded", "Settings", "SettingsError", "Value", "load", "save_preset_value"]

Scope: TypeAlias = Literal["project", "personal"]
"""Which of the two files a value is saved in."""


@dataclass(frozen=True, slots=True)
class Value:
    """One setting with its provenance."""

    key: str
    """Dotted."""
    value: Any
    origin: str
    """``default``, ``flag --x``, ``environment X``, or the file and line."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in force, and where each came from."""

    settings: Settings
    origins: Mapping[Key, str]
    project: Path
    personal: Path

    def origin(self, key: str) -> str:
        """Where a setting (dotted key) came from."""
        return _origin(self.origins, tuple(key.split(".")))

    def values(self) -> Iterator[Value]:
        """Every setting, tables flattened, in the order of ``Settings``."""
        for key, value in _flat(self.settings.model_dump(mode="json")):
            yield Value(".".join(key), value, _origin(self.origins, key))

    def api_key(self) -> SecretStr | None:
        """The key from the environment variable that ``api_key_env`` names; ``None`` where that is not set."""
        found = os.environ.get(self.settings.api_key_env, "").strip()
        return SecretStr(found) if found else None

    def preset_names(self) -> tuple[str, ...]:
        """Presets that ship and those of the settings, default first."""
        own = sorted(set(self.settings.presets) - set(names()))
        return (*names(), *own)

    def preset(self, name: str | None = None) -> Preset:
        """A preset by name, with what the settings change in it; without a name the one in force.

        Raises:
            SettingsError: no such preset, or a value that its rules do not take.
        """
        if name is not None:
            return self._preset(name, ())
        try:
            return self._preset(self.settings.preset, ())
        except PresetError as error:
            raise SettingsError(f"{self.origin('preset')}: preset: {error}") from None

    def _preset(self, name: str, below: tuple[str, ...]) -> Preset:
        own = self.settings.presets.get(name)
        if own is None or name in below:
            if name not in names():
                raise PresetError(f"no preset {name!r}; there are: {', '.join(self.preset_names())}")
            return bundled(name)
        base = own.base or (name if name in names() else "")
        if base in (*below, name) and base not in names():
            raise SettingsError(f"{self.origin(f'presets.{name}.base')}: presets.{name}.base: goes round in a circle")
        try:
            data = self._preset(base, (*below, name)).dump() if base else {"rules": {}}
        except PresetError as error:
            raise SettingsError(f"{self.origin(f'presets.{name}.base')}: presets.{name}.base: {error}") from None
        data |= {key: text for key in ("title", "description") if (text := getattr(own, key))}
        data["rules"] = {
            rule: data["rules"].get(rule, {}) | own.rules.get(rule, {}) for rule in (*data["rules"], *own.rules)
        }
        try:
            load_rules(data["rules"])
            return parse(name, data)
        except PresetError as error:
            found = re.search(r"\brules\.[\w-]+(?:\.[\w-]+)?|\bno rule '([^']*)'", str(error))
            key = (
                f"presets.{name}"
                if found is None
                else f"presets.{name}.rules.{found[1]}"
                if found[1]
                else (f"presets.{name}.{found[0]}")
            )
            raise SettingsError(f"{self.origin(key)}: {error}") from None


def load(workspace: Path, flags: Mapping[str, Any] | None = None, *, personal: Path | None = None) -> Loaded:
    """Put the layers together.

    Args:
        workspace: Where the search for the project's file begins.
        flags: Dotted key to value; ``None`` values are flags that were not given.
        personal: The person's file, where it is not the platform's usual one.

    Raises:
        SettingsError: a file that cannot be read or a value that is not allowed, with file, line and key.
    """
    own = settings_file.read(personal or settings_file.personal_path())
    project = settings_file.read(settings_file.project_path(workspace))
    _refuse_redirection(project)
    given = _nested({key: value for key, value in (flags or {}).items() if value is not None})
    merged: dict[str, Any] = {}
    origins: dict[Key, str] = {}
    for values, place in (
        (own.values, own.place),
        (project.values, project.place),
        (_environment(), _variable),
        (given, _flag),
    ):
        _lay_over(merged, values)
        origins |= {key: place(key) for key, _ in _flat(values)}
    try:
        return Loaded(Settings(**merged), origins, project.path, own.path)
    except ValidationError as error:
        raise SettingsError(_complaint(error, origins)) from None


def save_preset_value(  # noqa: PLR0913 - a value's whole address
    scope: Scope, *, workspace: Path, preset: Preset, rule: str, setting: str, value: Any
) -> Path:
    """Keep one changed threshold in the project's or the person's file, with every comment left where it is.

    Returns:
        The file that was written.

    Raises:
        SettingsError: the value is not allowed, or the file cannot be written.
    """
    try:
        changed = preset.with_value(rule, setting, value).settings(rule)
    except PresetError as error:
        raise SettingsError(str(error)) from None
    path = settings_file.project_path(workspace) if scope == "project" else settings_file.personal_path()
    kept = changed.model_dump(mode="json")[setting] if changed is not None else value
    settings_file.change(path, ("presets", preset.name, "rules", rule, setting), kept)
    return path


def _environment() -> dict[str, Any]:
    try:
        values = EnvSettingsSource(Settings)()
    except EnvironmentFault as error:
        raise SettingsError(f"environment: {error}") from None
    usual = os.environ.get("OPENAI_BASE_URL", "").strip()
    return {"base_url": usual, **values} if usual else values


def _variable(key: Key) -> str:
    name = PREFIX + "_".join(key[:2]).upper()
    return f"environment {name if name in os.environ or key != ('base_url',) else 'OPENAI_BASE_URL'}"


def _flag(key: Key) -> str:
    return f"flag --{key[-1].replace('_', '-')}"


def _refuse_redirection(project: SettingsFile) -> None:
    """A checkout's own file must not be able to send the person's key to an address of its author's choice."""
    values = project.values
    if "api_key_env" in values:
        raise SettingsError(
            f"{project.place(('api_key_env',))}: api_key_env: a project's file may not choose a key; "
            f"set it in {settings_file.personal_path()} or {PREFIX}API_KEY_ENV"
        )
    url = values.get("base_url")
    if isinstance(url, str) and urlsplit(url).hostname not in ("localhost", "127.0.0.1", "::1"):
        raise SettingsError(
            f"{project.place(('base_url',))}: base_url: a project's file may name this machine only, since your key "
            f"goes there; use --base-url, {PREFIX}BASE_URL or {settings_file.personal_path()}"
        )


def _complaint(error: ValidationError, origins: Mapping[Key, str]) -> str:
    detail = error.errors(include_url=False)[0]
    where = tuple(str(part) for part in detail["loc"])
    key = next((where[:n] for n in range(len(where), 0, -1) if any(k[:n] == where[:n] for k in origins)), where)
    place, name = _origin(origins, key), ".".join(key)
    if detail["type"] == "extra_forbidden":
        if "key" in key[-1]:
            return f"{place}: {name}: no such setting; keys come from the environment alone (see api_key_env)"
        known = LimitSettings if key[0] == "limits" else PresetSettings if key[0] == "presets" else Settings
        return f"{place}: {name}: no such setting; known: {', '.join(known.model_fields)}"
    if key == ("api_key_env",):  # whoever puts the key itself here must not find it in a log
        return f"{place}: {name}: must be the name of an environment variable, such as OPENAI_API_KEY"
    said = detail["msg"].removeprefix("Value error, ")
    return f"{place}: {name}: {said[:1].lower()}{said[1:]} (got {detail['input']!r})"


def _origin(origins: Mapping[Key, str], key: Key) -> str:
    if key in origins:
        return origins[key]
    inside = [place for known, place in origins.items() if known[: len(key)] == key]
    around = [origins[key[:n]] for n in range(len(key) - 1, 0, -1) if key[:n] in origins]
    return (inside or around or ["default"])[0]


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for dotted, value in flat.items():
        *tables, last = dotted.split(".")
        table = nested
        for name in tables:
            table = table.setdefault(name, {})
        table[last] = value
    return nested


def _lay_over(below: dict[str, Any], above: Mapping[str, Any]) -> None:
    for key, value in above.items():
        if isinstance(value, dict):
            table = below.setdefault(key, {})
            if isinstance(table, dict):
                _lay_over(table, value)
                continue
        below[key] = value


def _flat(values: Mapping[str, Any], above: Key = ()) -> Iterator[tuple[Key, Any]]:
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, (*above, name))
        else:
            yield (*above, name), value
