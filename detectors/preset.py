"""Named settings of all detectors.

A preset is a TOML file: a rule that it does not name is off, a setting that it does not name has the rule's default::

    title = "Balanced"
    description = "Finds loops, keeps quiet otherwise."

    [rules.failing_call]
    warn = 3
    strong = 5
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwatch.detectors import rules as rules_package

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopwatch.detectors.rule import Rule, RuleSettings

DEFAULT = "balanced"


class PresetError(ValueError):
    """A preset that cannot be used; the message names the preset, the key and what to do."""


class Preset(BaseModel):
    """Settings of all rules. Immutable; changing a value gives a new preset."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    name: str
    title: str = ""
    description: str = ""
    source: str = ""
    """Where the numbers come from, and where sources disagree or a rule cannot be expressed."""
    rules: dict[str, Any] = Field(default_factory=dict)
    """Rule id to that rule's ``Settings``."""

    def settings(self, rule: str) -> RuleSettings | None:
        """The settings of a rule; ``None`` when the preset does not use it."""
        found: RuleSettings | None = self.rules.get(rule)
        return found

    def with_value(self, rule: str, setting: str, value: Any) -> Preset:
        """The same preset with one setting changed.

        Raises:
            PresetError: no such rule or setting, or the value is out of range.
        """
        kind = known_rules().get(rule)
        if kind is None:
            raise PresetError(f"preset {self.name!r}: no rule {rule!r}; known: {', '.join(sorted(known_rules()))}")
        present = self.rules.get(rule)
        values = present.model_dump() if present is not None else {}
        changed = _settings(self.name, rule, kind, values | {setting: value})
        return self.model_copy(update={"rules": {**self.rules, rule: changed}})

    def dump(self) -> dict[str, Any]:
        """The preset as JSON-ready data, all values spelled out; ``parse`` takes it back."""
        return {
            "title": self.title,
            "description": self.description,
            "source": self.source,
            "rules": {rule: settings.model_dump(mode="json") for rule, settings in self.rules.items()},
        }


@dataclass(frozen=True, slots=True)
class Knob:
    """One threshold of a preset, with all a slider needs."""

    rule: str
    rule_title: str
    setting: str
    title: str
    unit: str
    minimum: float
    maximum: float
    step: float
    help: str
    value: float
    default: float


def known_rules() -> Mapping[str, type[Rule]]:
    """Every rule that can be named in a preset, by id."""
    return rules_package.known()


def knobs(preset: Preset) -> tuple[Knob, ...]:
    """The sliders of a preset, grouped by rule in the rules' own order."""
    found: list[Knob] = []
    for rule, kind in known_rules().items():
        settings = preset.settings(rule)
        if settings is None:
            continue
        for name, field in kind.Settings.model_fields.items():
            extra = field.json_schema_extra
            if not isinstance(extra, dict) or "step" not in extra:
                continue
            bounds: dict[str, Any] = {}
            for part in field.metadata:
                bounds |= {key: getattr(part, key) for key in ("ge", "le") if hasattr(part, key)}
            found.append(
                Knob(
                    rule=rule,
                    rule_title=kind.title,
                    setting=name,
                    title=field.title or name,
                    unit=str(extra.get("unit", "")),
                    minimum=bounds["ge"],
                    maximum=bounds["le"],
                    step=float(str(extra["step"])),
                    help=field.description or "",
                    value=getattr(settings, name),
                    default=field.default,
                )
            )
    return tuple(found)


def parse(name: str, data: Mapping[str, Any]) -> Preset:
    """Build a preset from decoded TOML or from what ``Preset.dump`` gave.

    Raises:
        PresetError: with the preset, the key and what is allowed there.
    """
    known = known_rules()
    unknown = set(data) - {"title", "description", "source", "rules"}
    if unknown:
        raise PresetError(f"preset {name!r}: unknown key {min(unknown)!r}")
    chosen: dict[str, RuleSettings] = {}
    tables = data.get("rules", {})
    if not isinstance(tables, dict):
        raise PresetError(f"preset {name!r}: rules must be a table")
    for rule, values in tables.items():
        kind = known.get(rule)
        if kind is None:
            raise PresetError(f"preset {name!r}: no rule {rule!r}; known: {', '.join(sorted(known))}")
        chosen[rule] = _settings(name, rule, kind, values)
    try:
        return Preset(
            name=name,
            title=data.get("title", name),
            description=data.get("description", ""),
            source=data.get("source", ""),
            rules=chosen,
        )
    except ValidationError as error:
        raise PresetError(f"preset {name!r}: {_first(error)}") from None


def names() -> tuple[str, ...]:
    """The presets that ship with loopwatch, default first."""
    found = sorted(
        entry.name.removesuffix(".toml")
        for entry in resources.files("loopwatch.detectors.presets").iterdir()
        if entry.name.endswith(".toml")
    )
    return tuple(sorted(found, key=lambda name: name != DEFAULT))


@cache
def bundled(name: str) -> Preset:
    """A preset that ships with loopwatch.

    Raises:
        PresetError: there is none of that name.
    """
    if name not in names():
        raise PresetError(f"no preset {name!r}; there are: {', '.join(names())}")
    text = resources.files("loopwatch.detectors.presets").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return parse(name, tomllib.loads(text))


def _settings(preset: str, rule: str, kind: type[Rule], values: Any) -> RuleSettings:
    if not isinstance(values, dict):
        raise PresetError(f"preset {preset!r}: rules.{rule} must be a table")
    try:
        return kind.Settings.model_validate(values)
    except ValidationError as error:
        raise PresetError(f"preset {preset!r}: rules.{rule}.{_first(error)}") from None


def _first(error: ValidationError) -> str:
    detail = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in detail["loc"])
    return f"{where}: {detail['msg'].lower()} (got {detail['input']!r})"
