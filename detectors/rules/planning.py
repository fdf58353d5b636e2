"""Plans that are rewritten instead of carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.memory import note
from loopwatch.detectors.rules.wording import quoted
from loopwatch.detectors.sameness.edits import written_text
from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Json, Step

PLAN_FILES = frozenset({"plan", "todo", "todos", "tasks", "roadmap", "next_steps", "progress", "checklist"})
LISTS = ("todos", "plan", "items", "tasks", "steps", "entries", "newTodos")
DONE = frozenset({"completed", "complete", "done", "finished", "closed"})
LOOKING = Effect.READ | Effect.POLL


class PlanChurnSettings(RuleSettings):
    """Thresholds of ``plan_churn``."""

    warn: int = knob(
        5, title="Warn", minimum=2, maximum=30, unit="rewrites", help="Rewrites of the plan without work between them."
    )


class PlanChurn(Rule):
    """The plan or the to-do list is rewritten again and again, and nothing of it is done.

    Sees: plan tools (``TodoWrite``, ``update_plan`` …) and files called PLAN, TODO and the like.
    Source: C1, C2, A8; senpi (``todo{view}`` 197 times); "rewrites PLAN.md and never starts".
    Limits: a soft signal: it warns and never does more.
    Quiet: more items done than ever before, or a plan written piece by piece; items made or changed one by one, as
    long as no call comes twice; any change, run or new look at something is work and starts the count anew.
    """

    id = "plan_churn"
    title = "Plans instead of working"
    Settings = PlanChurnSettings
    settings: PlanChurnSettings

    def __init__(self, settings: PlanChurnSettings) -> None:
        super().__init__(settings)
        self._count = 0
        self._turn = -1
        self._done = 0
        self._steps: list[int] = []
        self._worked = False
        self._text = ""

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Count a rewrite of the plan, or take work as its end."""
        if not facts.tool or facts.failed:
            return ()
        if not _is_plan(facts):
            self._worked = self._worked or self.past.earlier is None or not facts.effect.has(LOOKING)
            return ()
        known = self.past.earlier is not None
        if self._turn == facts.turn:
            return ()
        self._turn = facts.turn
        done, listed = _done(step.call.arguments if step.call else None)
        text = written_text(step.call) if step.call is not None else ""
        grows = bool(self._text) and len(text) > len(self._text) and text.startswith(self._text.rstrip())
        self._text = text
        one_by_one = not listed and not facts.edits and not known
        if done > self._done or grows:
            self._done = max(done, self._done)
            self._begin()
        if one_by_one:
            return ()
        self._count += 1
        note(self._steps, facts.index)
        if self._count < self.settings.warn:
            return ()
        return (
            self.found(
                facts,
                level=Level.WARN,
                steps=self._steps,
                count=self._count,
                threshold=self.settings.warn,
                message=(
                    f"The plan ({quoted(facts.target or facts.tool, 60)}) was rewritten {self._count} times "
                    "with no work between and nothing more of it done."
                ),
                key="plan",
                resets_when="something is changed, run or newly looked at, or an item is done",
                equal_because=("any rewrite of the plan counts",),
            ),
        )

    def _begin(self) -> None:
        self._count = 0
        self._steps.clear()

    def turn_ended(self) -> None:
        """Let work done in the turn end the count."""
        if self._worked:
            self._worked = False
            self._begin()

    def reset(self) -> None:
        """Forget the plan."""
        self._begin()
        self._turn, self._done, self._worked, self._text = -1, 0, False, ""

    def save(self) -> Any:
        """Counters, steps and the text written last."""
        return [self._count, self._turn, self._done, self._steps[:], self._worked, self._text]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._count, self._turn, self._done, steps, self._worked, self._text = state
        self._steps = list(steps)


def _is_plan(facts: Facts) -> bool:
    if facts.effect.has(Effect.PLAN):
        return True
    if not facts.edits:
        return False
    return all(
        edit.path.rpartition("/")[2].lower().removesuffix(".md").removesuffix(".txt") in PLAN_FILES
        for edit in facts.edits
    )


def _done(arguments: Json) -> tuple[int, bool]:
    """How many items are done, and whether the call spells out the whole list."""
    if isinstance(arguments, str):
        return arguments.count("[x]"), "\n" in arguments
    if not isinstance(arguments, dict):
        return 0, False
    for key in LISTS:
        items = arguments.get(key)
        if isinstance(items, list):
            states = [
                str(item.get("status", item.get("state", ""))).lower() for item in items if isinstance(item, dict)
            ]
            return sum(state in DONE for state in states), True
    texts = [value for value in arguments.values() if isinstance(value, str) and "\n" in value]
    return sum(text.count("[x]") for text in texts), bool(texts)
