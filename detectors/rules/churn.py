"""Files that are written again and again without a look at the outcome."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.memory import keep, note
from loopwatch.detectors.rules.wording import quoted
from loopwatch.detectors.sameness.edits import written_text
from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Edit, Facts
    from loopwatch.detectors.step import Step

FILES = 64
TRIED = Effect.EXECUTE | Effect.VERIFY


class WriteChurnSettings(RuleSettings):
    """Thresholds of ``write_churn``."""

    warn: int = knob(
        6,
        title="Warn",
        minimum=2,
        maximum=50,
        unit="rewrites",
        help="Rewrites of one file with neither a look at it nor a run between (OpenClaw: 10).",
    )
    looked: int = knob(
        10,
        title="With reads",
        minimum=2,
        maximum=100,
        unit="rewrites",
        help="The same, where the file was read between.",
    )
    strong: int = knob(
        12, title="Strong", minimum=3, maximum=100, unit="rewrites", help="Rewrites before a last chance is offered."
    )


class WriteChurn(Rule):
    """One file is rewritten over and over, always differently, and nothing is run.

    Sees: whole contents that replace whole contents, and edits that replace what the edit before had just put there.
    Source: OpenClaw write churn (10, after 2026.9.6); zeroclaw; L12.
    Limits: a harness that hides the contents of writes hides this too.
    Quiet: edits at different places of a file; contents that extend the former one (a text written piece by piece);
    any test, build or run starts the count anew; plans and to-do lists have their own rule.
    """

    id = "write_churn"
    title = "Rewrites without trying"
    Settings = WriteChurnSettings
    settings: WriteChurnSettings

    def __init__(self, settings: WriteChurnSettings) -> None:
        super().__init__(settings)
        self._files: OrderedDict[str, dict[str, Any]] = OrderedDict()

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Count a rewrite, or take a look or a run as its end."""
        if facts.effect.has(TRIED):
            if self._files:
                self._files.clear()
            return ()
        if facts.failed or facts.effect.has(Effect.PLAN):
            return ()
        if not facts.edits:
            if self._files and facts.effect.has(Effect.READ) and facts.target in self._files:
                self._files[facts.target]["bare"] = 0
            return ()
        found: list[Finding] = []
        for edit in facts.edits:
            text = written_text(step.call) if edit.kind == "whole" and step.call is not None else ""
            found.extend(self._count(facts, edit, text))
        return found

    def _count(self, facts: Facts, edit: Edit, text: str) -> Iterable[Finding]:
        file = self._files.get(edit.path)
        if file is None or edit.kind in {"restore", "undo"} or not _rewrites(file, edit, text):
            started = {"new": edit.new, "text": text, "bare": 0, "all": 0, "turn": facts.turn, "steps": [facts.index]}
            keep(self._files, edit.path, started, FILES)
            return ()
        if edit.new == file["new"]:
            return ()
        file["new"], file["text"] = edit.new, text
        if file["turn"] == facts.turn:
            return ()
        file["turn"] = facts.turn
        file["bare"] += 1
        file["all"] += 1
        note(file["steps"], facts.index)
        return self._judge(facts, edit, file)

    def _judge(self, facts: Facts, edit: Edit, file: dict[str, Any]) -> Iterable[Finding]:
        settings = self.settings
        if file["bare"] >= settings.warn:
            count, threshold, between = file["bare"], settings.warn, "without reading it or running anything between"
        elif file["all"] >= settings.looked:
            count, threshold, between = file["all"], settings.looked, "without running anything between"
        else:
            return ()
        strong = count >= settings.strong
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=file["steps"],
                count=count,
                threshold=settings.strong if strong else threshold,
                message=f"{quoted(edit.path, 60)} was rewritten {count} times with other contents, {between}.",
                key=edit.path,
                resets_when="something is run, built or tested",
                equal_because=("same file",),
            ),
        )

    def reset(self) -> None:
        """Forget all files."""
        self._files.clear()

    def save(self) -> Any:
        """``[[path, entry], …]``, oldest first."""
        return [[path, entry | {"steps": list(entry["steps"])}] for path, entry in self._files.items()]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._files = OrderedDict((path, entry | {"steps": list(entry["steps"])}) for path, entry in state)


def _rewrites(file: dict[str, Any], edit: Edit, text: str) -> bool:
    """Whether the edit replaces what was written last, rather than adding to it or changing another place."""
    if edit.kind == "part":
        return bool(edit.old) and edit.old == file["new"]
    former: str = file["text"]
    return not (former and len(text) > len(former) and text.startswith(former.rstrip()))
