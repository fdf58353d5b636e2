"""How a run goes as a whole: fixes without effect, one tool that mostly fails."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.memory import keep, note
from loopwatch.detectors.rules.wording import quoted
from loopwatch.detectors.sameness.facts import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

CHECKS = 64
TOOLS = 64
RUNS = Effect.VERIFY | Effect.EXECUTE


class FixesSettings(RuleSettings):
    """Thresholds of ``fixes_without_effect``."""

    warn: int = knob(
        8, title="Warn", minimum=3, maximum=50, unit="rounds", help="Rounds of change and check with the same failure."
    )
    strong: int = knob(
        16, title="Strong", minimum=4, maximum=100, unit="rounds", help="Rounds before a last chance is offered."
    )


class FixesWithoutEffect(Rule):
    """Change after change, and the same check fails in the same way each time.

    Sees: a failing test or build whose result stays equal although files were changed since it last ran; of any other
    program, whose error does, wherever in the changed file it stands now.
    Source: A13; mini-swe-agent and aider runs that grind; "ever new edits, the same message 16 times".
    Limits: a test's message that moves with every change (line numbers of code) is progress to this rule.
    Quiet: another message, another count of failures, or success starts the count anew; programs that succeed are
    left to ``unmoved``; a check run twice with no change between is left to the rules about repeats.
    """

    id = "fixes_without_effect"
    title = "Fixes without effect"
    Settings = FixesSettings
    settings: FixesSettings

    def __init__(self, settings: FixesSettings) -> None:
        super().__init__(settings)
        self._checks: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._changes = 0

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Changes and runs."""
        return facts.effect.has(RUNS) or facts.effect.has(Effect.WRITE)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:  # noqa: ARG002
        """Compare a check with the same check before the last change."""
        if facts.effect.has(Effect.WRITE) and not facts.failed:
            self._changes += 1
        if not facts.effect.has(RUNS) or not facts.result:
            return ()
        if not facts.failed:
            self._checks.pop(facts.call, None)
            return ()
        if not facts.transient:
            return self._compare(facts)
        return ()

    def _compare(self, facts: Facts) -> Iterable[Finding]:
        check = self._checks.get(facts.call)
        outcome = facts.result if facts.effect.has(Effect.VERIFY) else facts.error_text or facts.result
        if check is None or outcome != check["result"]:
            fresh = {"result": outcome, "rounds": 1, "changes": self._changes, "steps": [facts.index]}
            keep(self._checks, facts.call, fresh, CHECKS)
            return ()
        if check["changes"] == self._changes:
            return ()
        check["changes"] = self._changes
        check["rounds"] += 1
        note(check["steps"], facts.index)
        rounds, settings = check["rounds"], self.settings
        if rounds < settings.warn:
            return ()
        strong = rounds >= settings.strong
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=check["steps"],
                count=rounds,
                threshold=settings.strong if strong else settings.warn,
                message=(
                    f"{quoted(facts.canonical_call or facts.tool, 60)} failed {rounds} times in the same way "
                    f"with changes between: {quoted(facts.error_text)}."
                ),
                key=facts.call,
                resets_when="the check succeeds or fails in another way",
            ),
        )

    def reset(self) -> None:
        """Forget all checks."""
        self._checks.clear()
        self._changes = 0

    def save(self) -> Any:
        """Checks by call, and the number of changes so far."""
        return [
            self._changes,
            [[call, check | {"steps": list(check["steps"])}] for call, check in self._checks.items()],
        ]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._changes, checks = state
        self._checks = OrderedDict((call, check | {"steps": list(check["steps"])}) for call, check in checks)


class MostlyFailingSettings(RuleSettings):
    """Thresholds of ``mostly_failing``."""

    window: int = knob(
        12, title="Window", minimum=4, maximum=50, unit="calls", help="Newest calls of a tool that are weighed (A13)."
    )
    warn: int = knob(
        9, title="Warn", minimum=3, maximum=50, unit="failures", help="Failures among them before a reminder."
    )
    kinds: int = knob(
        3,
        title="Kinds of error",
        minimum=1,
        maximum=50,
        unit="errors",
        help="With more different errors than this it is trying things out, not a loop.",
    )


class MostlyFailing(Rule):
    """One tool fails most of the time, in few different ways.

    Sees: the newest calls of each tool, whatever their arguments, with successes between.
    Source: A13 (N calls of one tool with M failures).
    Limits: tools that are not failing but useless are not seen.
    Quiet: parallel calls of one turn that fail alike count once; many different errors; transient failures and the
    first test or build after a change do not count as calls (F24); other rules see unbroken rows sooner.
    """

    id = "mostly_failing"
    title = "One tool mostly fails"
    Settings = MostlyFailingSettings
    settings: MostlyFailingSettings

    def __init__(self, settings: MostlyFailingSettings) -> None:
        super().__init__(settings)
        self._tools: OrderedDict[str, list[list[Any]]] = OrderedDict()
        """Tool to ``[[step, error, turn], …]``; an empty error is a success."""
        self._era = 0
        """Of the newest test or build."""

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Calls that were answered, transient failures excepted."""
        return bool(facts.result) and not facts.transient

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:  # noqa: ARG002
        """Weigh the newest calls of the tool."""
        if not facts.tool or not facts.result or facts.transient:
            return ()
        if facts.effect.has(Effect.VERIFY) and self._era != self.past.era:
            self._era = self.past.era
            return ()
        calls = self._tools.get(facts.tool)
        if calls is None:
            calls = keep(self._tools, facts.tool, [], TOOLS)
        error = (facts.error or "error") if facts.failed else ""
        parallel = bool(calls) and calls[-1][2] == facts.turn
        if parallel and any(turn == facts.turn and known == error for _, known, turn in calls):
            return ()
        calls.append([facts.index, error, facts.turn])
        del calls[: -self.settings.window]
        if not facts.failed:
            return ()
        errors = [error for _, error, _ in calls if error]
        if len(errors) < self.settings.warn or len(set(errors)) > self.settings.kinds:
            return ()
        return (
            self.found(
                facts,
                level=Level.WARN,
                steps=[index for index, error, _ in calls if error],
                count=len(errors),
                threshold=self.settings.warn,
                message=(
                    f"{len(errors)} of the newest {len(calls)} calls of {facts.tool} failed, "
                    f"last: {quoted(facts.error_text)}."
                ),
                key=facts.tool,
                resets_when="the tool succeeds more often than it fails",
                equal_because=("any arguments count",),
            ),
        )

    def reset(self) -> None:
        """Forget all calls."""
        self._tools.clear()

    def save(self) -> Any:
        """Era of the newest test, and ``[[tool, [[step, error, turn], …]], …]``."""
        return [self._era, [[tool, [list(call) for call in calls]] for tool, calls in self._tools.items()]]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._era, tools = state
        self._tools = OrderedDict((tool, [list(call) for call in calls]) for tool, calls in tools)
