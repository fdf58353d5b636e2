"""What is said to an agent, rule by rule, in the run's language.

The wording is TOML, one file a language; a person's own file of the same name in the configuration folder
(``reminders/en.toml``) replaces single entries. A text is a template over ``FIELDS``::

    [rules.failing_call]
    remind = "{task_line}{tool}{on_target} failed {count} times.{error_line} …"

A reminder names the task in view, states the fact, proposes one concrete next action and leaves the decision to the
model; long arguments are never echoed (injection rule 5).
"""

from __future__ import annotations

import string
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Level
from loopwatch.engine import toml_text
from loopwatch.engine.places import config_dir

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from loopwatch.detectors.finding import Finding
    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.engine.plan import Language

TASK_LIMIT = 160
"""Characters of the task that a reminder repeats."""
TARGET_LIMIT = 80
ERROR_LIMIT = 160
FIELDS = frozenset({"tool", "count", "threshold", "task_line", "on_target", "error_line", "target", "error", "task"})
_PARTS = ("remind", "refuse", "stop")
_PHRASES = {
    "task_line": {"task"},
    "on_target": {"target"},
    "error_line": {"error"},
    "no_tool": set[str](),
    "no_target": set[str](),
}
_ENDINGS = ("warn", "strong", "critical")


class ReminderError(ValueError):
    """A wording file that cannot be used; names the file, the key and what is allowed there."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of one language."""

    phrases: Mapping[str, str]
    endings: Mapping[str, str]
    """What is added to a reminder at each level; the last chance at ``strong``."""
    generic: Mapping[str, str]
    """``remind``, ``refuse`` and ``stop`` for rules without words of their own."""
    rules: Mapping[str, Mapping[str, str]]

    def reminder(self, finding: Finding, facts: Facts | None, *, task: str, count: int | None = None) -> str:
        """What to put before the model. ``count`` replaces the finding's where the loop has gone on since."""
        level = Level.STRONG if finding.level == Level.CRITICAL else finding.level
        ending = self.endings.get(level.word, "")
        return (self._said("remind", finding, facts, task, count) + ending).strip()

    def refusal(self, finding: Finding, facts: Facts | None, *, task: str) -> str:
        """The synthetic result that answers a refused call."""
        return self._said("refuse", finding, facts, task, None).strip()

    def stop(self, finding: Finding, facts: Facts | None, *, task: str) -> str:
        """Why the run should end, for the operator."""
        return self._said("stop", finding, facts, task, None).strip()

    def _said(self, part: str, finding: Finding, facts: Facts | None, task: str, count: int | None) -> str:
        template = self.rules.get(finding.rule, {}).get(part) or self.generic[part]
        target = one_line(facts.target if facts else "", TARGET_LIMIT)
        error = one_line(facts.error_text if facts else "", ERROR_LIMIT)
        task = one_line(task, TASK_LIMIT)
        fields: dict[str, Any] = {
            "tool": finding.tool or self.phrases["no_tool"],
            "count": finding.count if count is None else count,
            "threshold": finding.threshold,
            "task": task,
            "target": target or self.phrases["no_target"],
            "error": error,
        }
        for phrase, needed in (("task_line", task), ("on_target", target), ("error_line", error)):
            fields[phrase] = self.phrases[phrase].format(**fields) if needed else ""
        return template.format(**fields)


def wording(language: Language = "en", own: Path | None = None) -> Wording:
    """The texts of a language, with the person's own on top.

    Args:
        language: Of the texts.
        own: The person's file; ``None`` means the one in the configuration folder, if it is there.

    Raises:
        ReminderError: the person's file cannot be read, is no TOML, or has a key or field that means nothing here.
    """
    path = config_dir() / "reminders" / f"{language}.toml" if own is None else own
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if own is None:
            return bundled(language)
        raise ReminderError(f"{path}: no such file; it should hold your wording of reminders") from None
    except UnicodeDecodeError:
        raise ReminderError(f"{path}: not UTF-8 text") from None
    except OSError as error:
        raise ReminderError(f"{path}: {error.strerror or error}") from None
    return parse(text, where=str(path), base=bundled(language))


@cache
def bundled(language: str) -> Wording:
    """The texts that ship with loopwatch."""
    name = f"{language}.toml"
    return parse(resources.files(__name__).joinpath(name).read_text(encoding="utf-8"), where=name, base=None)


def parse(text: str, *, where: str, base: Wording | None) -> Wording:
    """Read wording; what it does not say is taken from ``base``.

    Raises:
        ReminderError: see ``wording``.
    """
    try:
        data = toml_text.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ReminderError(f"{where}: {error}") from None
    _only(where, "", data, ("phrases", "endings", "generic", "rules"))
    sections: dict[str, dict[str, str]] = {}
    for section, keys, fields in (
        ("phrases", tuple(_PHRASES), FIELDS),
        ("endings", _ENDINGS, frozenset[str]()),
        ("generic", _PARTS, FIELDS),
    ):
        sections[section] = _texts(where, section, data.get(section, {}), keys, fields)
    tables = data.get("rules", {})
    if not isinstance(tables, dict):
        raise ReminderError(f"{where}: rules must be tables, as in [rules.failing_call]")
    rules = {rule: _texts(where, f"rules.{rule}", table, _PARTS, FIELDS) for rule, table in tables.items()}
    if base is None:
        return Wording(sections["phrases"], sections["endings"], sections["generic"], rules)
    return Wording(
        {**base.phrases, **sections["phrases"]},
        {**base.endings, **sections["endings"]},
        {**base.generic, **sections["generic"]},
        {**base.rules, **{rule: {**base.rules.get(rule, {}), **texts} for rule, texts in rules.items()}},
    )


def one_line(text: str, limit: int) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text[: 8 * limit].split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _texts(where: str, section: str, table: Any, keys: tuple[str, ...], fields: frozenset[str]) -> dict[str, str]:
    if not isinstance(table, dict):
        raise ReminderError(f"{where}: {section} must be a table")
    _only(where, f"{section}.", table, keys)
    for key, value in table.items():
        if not isinstance(value, str):
            raise ReminderError(f"{where}: {section}.{key} must be a text")
        allowed = _PHRASES.get(key, set()) if section == "phrases" else fields
        try:
            used = {name + (spec or "") for _, name, spec, _ in string.Formatter().parse(value) if name is not None}
        except ValueError as error:
            raise ReminderError(f"{where}: {section}.{key}: {error}; write {{{{ for a brace") from None
        if used - allowed:
            known = ", ".join(sorted(allowed)) or "none"
            raise ReminderError(f"{where}: {section}.{key}: no field {{{min(used - allowed)}}}; there are: {known}")
    return dict(table)


def _only(where: str, prefix: str, table: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    for key in table:
        if key not in keys:
            raise ReminderError(f"{where}: unknown key {prefix}{key}; there are: {', '.join(keys)}")
