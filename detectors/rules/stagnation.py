"""A workspace that stands still while the agent says it edits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.memory import note
from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

EDITORS = frozenset({"write", "edit"})
ELSEWHERE = ("/", "~", "..")


class StagnationSettings(RuleSettings):
    """Thresholds of ``stagnation``."""

    warn: int = knob(
        4,
        title="Warn",
        minimum=2,
        maximum=50,
        unit="edits",
        help="Edits said to have worked, with no file changed (A15).",
    )
    strong: int = knob(
        8, title="Strong", minimum=3, maximum=100, unit="edits", help="Such edits before a last chance is offered."
    )


class Stagnation(Rule):
    """The agent edits and edits, and no file of the workspace changes.

    Sees: the workspace's changes where the source watches them, beside steps that claim to edit files, of one file or
    of many.
    Source: A15, A13 (a run of writes none of which changed a file).
    Limits: silent where nobody watches the workspace.
    Quiet: edits of files outside the workspace; failed edits; any change of any file starts the count anew.
    """

    id = "stagnation"
    title = "Workspace stands still"
    Settings = StagnationSettings
    settings: StagnationSettings

    def __init__(self, settings: StagnationSettings) -> None:
        super().__init__(settings)
        self._steps: list[int] = []
        self._count = 0

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Count an edit that changed nothing."""
        if step.changes is None:
            return ()
        if step.changes:
            self.reset()
            return ()
        if facts.failed or not facts.result or not _claims(facts):
            return ()
        self._count += 1
        note(self._steps, facts.index)
        count, settings = self._count, self.settings
        if count < settings.warn:
            return ()
        strong = count >= settings.strong
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=self._steps,
                count=count,
                threshold=settings.strong if strong else settings.warn,
                message=f"{count} edits reported success, and no file of the workspace changed since before the first.",
                key="workspace",
                resets_when="any file of the workspace changes",
                equal_because=("the workspace was looked at",),
            ),
        )

    def reset(self) -> None:
        """Forget the edits."""
        self._steps.clear()
        self._count = 0

    def save(self) -> Any:
        """The edits so far."""
        return [self._count, self._steps[:]]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._count, steps = state
        self._steps = list(steps)


def _claims(facts: Facts) -> bool:
    if not facts.effect.has(Effect.WRITE):
        return False
    paths = [edit.path for edit in facts.edits] or ([facts.target] if facts.family in EDITORS else [])
    return any(path and not path.startswith(ELSEWHERE) for path in paths)
