"""Edits that are said to have worked and change nothing."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.memory import keep, note
from loopwatch.detectors.rules.wording import quoted
from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Edit, Facts
    from loopwatch.detectors.step import Step

FILES = 64
HEAD = 300
"""Characters of a result in which a tool would say that nothing changed."""
EDITORS = frozenset({"write", "edit"})
_HINTS = (
    "no change", "no edit", "no modif", "no diff", "nothing", "0 replac", "0 change", "0 occur", "0 edit", "0 match",
    '"changed"', "identical", "unchanged", "up to date", "up-to-date",
)  # fmt: skip
_NOTHING = re.compile(
    r"\bno (?:changes?|edits?|modifications?|difference)\b|\bnothing (?:was |to )?chang|\"changed\": ?false"
    r"|\b0 (?:replacements?|changes?|occurrences?|edits?|matches)\b|\bcontents? (?:is|are) identical|\bidentical to\b"
    r"|\bfile (?:is )?unchanged\b|\balready up.to.date\b"
)


class EmptyEditSettings(RuleSettings):
    """Thresholds of ``empty_edit``."""

    warn: int = knob(
        2,
        title="Warn",
        minimum=1,
        maximum=20,
        unit="edits",
        help="Edits of one file that changed nothing (zeroclaw#7143).",
    )
    strong: int = knob(
        4, title="Strong", minimum=2, maximum=50, unit="edits", help="Such edits before a last chance is offered."
    )


class EmptyEdit(Rule):
    """Edits of one file are answered "ok" and leave it as it was.

    Sees: old text equal to new text; the same content written twice; the same replacement done twice although the
    first should have removed the old text; results that say nothing changed; watched workspaces that show no change.
    Source: OpenClaw (``changed:false`` is no progress), A13; "patch says done, git diff stays empty".
    Limits: insertions and replacements that keep the old text can be done twice, so they count only where the result
    or the workspace says so.
    Quiet: failed edits (other rules count those); an edit that changes the file ends the count; a command that may have
    changed files in between makes equal edits unequal.
    """

    id = "empty_edit"
    title = "Edits that change nothing"
    Settings = EmptyEditSettings
    settings: EmptyEditSettings

    def __init__(self, settings: EmptyEditSettings) -> None:
        super().__init__(settings)
        self._files: OrderedDict[str, dict[str, Any]] = OrderedDict()

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Writes that were carried out."""
        return facts.effect.has(Effect.WRITE) and not facts.failed and bool(facts.result)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Ask of every edit whether it changed its file."""
        if not facts.effect.has(Effect.WRITE) or facts.failed or not facts.result:
            return ()
        if not facts.edits and facts.family not in EDITORS:
            for file in self._files.values():
                file["last"] = []
            return ()
        if step.changes:
            for change in step.changes:
                self._files.pop(change.path, None)
            return ()
        why = _said(step)
        edits = facts.edits[:1] if why else facts.edits
        by_path: dict[str, list[Edit]] = {}
        for edit in edits:
            by_path.setdefault(edit.path, []).append(edit)
        if not by_path and why and facts.target:
            by_path[facts.target] = []
        found: list[Finding] = []
        for path, of_path in by_path.items():
            found.extend(self._count(facts, path, of_path, why))
        return found

    def _count(self, facts: Facts, path: str, edits: list[Edit], why: str) -> Iterable[Finding]:
        file = self._files.get(path) or {"count": 0, "turn": -1, "last": [], "steps": []}
        keep(self._files, path, file, FILES)
        asked = [[edit.kind, edit.old, edit.new] for edit in edits]
        if not why:
            why = _why(edits, asked, file["last"])
        file["last"] = asked
        if not why:
            file["count"] = 0
            file["steps"].clear()
            return ()
        if file["turn"] != facts.turn:
            file["count"] += 1
            file["turn"] = facts.turn
        note(file["steps"], facts.index)
        count, settings = file["count"], self.settings
        if count < settings.warn:
            return ()
        strong = count >= settings.strong
        often = f"{count} edits" if count > 1 else "An edit"
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=file["steps"],
                count=count,
                threshold=settings.strong if strong else settings.warn,
                message=f"{often} of {quoted(path, 60)} reported success and changed nothing: {why}.",
                key=path,
                resets_when="an edit changes the file",
                equal_because=(why,),
            ),
        )

    def reset(self) -> None:
        """Forget all files."""
        self._files.clear()

    def save(self) -> Any:
        """``[[path, entry], …]``, oldest first."""
        return [[path, _copied(entry)] for path, entry in self._files.items()]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._files = OrderedDict((path, _copied(entry)) for path, entry in state)


def _copied(entry: dict[str, Any]) -> dict[str, Any]:
    return entry | {"last": [list(edit) for edit in entry["last"]], "steps": list(entry["steps"])}


def _said(step: Step) -> str:
    """Why the edit is empty by what came back."""
    if step.changes is not None:
        return "no file of the workspace changed"
    head = step.result.text[:HEAD].lower() if step.result is not None else ""
    hinted = any(hint in head for hint in _HINTS)
    return "the tool said so" if hinted and _NOTHING.search(head) else ""


def _why(edits: list[Edit], asked: list[list[str]], last: list[list[str]]) -> str:
    """Why the edit is empty by what was asked."""
    if all(edit.kind == "part" and edit.old and edit.old == edit.new for edit in edits):
        return "old and new text are equal"
    if asked != last:
        return ""
    if all(edit.kind == "whole" for edit in edits):
        return "the same content was written before"
    if all(edit.kind == "part" and edit.old and not edit.repeatable for edit in edits):
        return "the same replacement was done before, and its old text was still there"
    return ""
