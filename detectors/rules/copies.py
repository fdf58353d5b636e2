"""One edit made again and again, so that its text piles up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.wording import quoted
from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

EDITORS = frozenset({"write", "edit"})


class RepeatedEditSettings(RuleSettings):
    """Thresholds of ``repeated_edit``."""

    warn: int = knob(
        3, title="Warn", minimum=2, maximum=20, unit="edits", help="Equal edits that were all carried out."
    )
    strong: int = knob(
        6, title="Strong", minimum=3, maximum=50, unit="edits", help="Equal edits before a last chance is offered."
    )
    window: int = knob(
        6, title="Window", minimum=2, maximum=50, unit="edits", help="They must lie among so many newest edits."
    )


class RepeatedEdit(Rule):
    """The same edit is carried out again and again; the file fills with copies, or nothing comes of it.

    Sees: equal calls of editing tools that did not fail, whatever the tool shows of the file afterwards.
    Source: D2 and D3 (edits and writes repeated), stagnation by insertion: "inserts the same method 28 times".
    Limits: edits through the shell are left to the rules about repeated commands; an equal edit that is right because
    the file was taken back in between is counted as well.
    Quiet: other edits push the old ones out of the window; failed edits and plans are other rules'.
    """

    id = "repeated_edit"
    title = "Same edit again"
    Settings = RepeatedEditSettings
    settings: RepeatedEditSettings

    def __init__(self, settings: RepeatedEditSettings) -> None:
        super().__init__(settings)
        self._edits: list[list[Any]] = []
        """``[step, turn, call]`` of the newest edits."""
        self._row: list[Any] = ["", 0]
        """The call counted last, and how often it came without falling out of the window."""

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Edits that were carried out."""
        return facts.family in EDITORS and facts.effect.has(Effect.WRITE) and not facts.failed

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:  # noqa: ARG002
        """Count an edit among the newest ones."""
        if facts.family not in EDITORS or not facts.effect.has(Effect.WRITE) or facts.effect.has(Effect.PLAN):
            return ()
        if facts.failed or not facts.result or any(e[1] == facts.turn and e[2] == facts.call for e in self._edits):
            return ()
        self._edits.append([facts.index, facts.turn, facts.call])
        del self._edits[: -self.settings.window]
        steps = [index for index, _, call in self._edits if call == facts.call]
        if len(steps) == 1:
            return ()
        self._row = [facts.call, max(len(steps), self._row[1] + 1 if self._row[0] == facts.call else 0)]
        count, settings = self._row[1], self.settings
        if count < settings.warn or len(steps) < min(settings.warn, settings.window):
            return ()
        strong = count >= settings.strong
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=steps,
                count=count,
                threshold=settings.strong if strong else settings.warn,
                message=f"One and the same edit was carried out {count} times: {quoted(facts.canonical_call)}.",
                key=facts.call,
                resets_when="other edits are made",
            ),
        )

    def reset(self) -> None:
        """Forget the edits."""
        self._edits.clear()
        self._row = ["", 0]

    def save(self) -> Any:
        """The newest edits and the row."""
        return [[list(edit) for edit in self._edits], list(self._row)]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        edits, row = state
        self._edits, self._row = [list(edit) for edit in edits], list(row)
