"""A guard before the call: has this been called before in this user turn?"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import EVIDENCE_LIMIT, Rule, RuleSettings, knob
from loopwatch.detectors.rules.wording import times, what

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

MEMORY = 2048
"""Different signatures remembered at a time; the oldest are forgotten first."""


def _at(default: int, what_it_is: str) -> Any:
    return knob(
        default,
        title=f"Warn: {what_it_is}",
        minimum=2,
        maximum=20,
        unit="calls",
        help=f"Equal {what_it_is} calls in one user turn before a warning (D3).",
    )


class RepeatGuardSettings(RuleSettings):
    """Thresholds of ``repeat_guard``."""

    shell: int = _at(2, "command")
    read: int = _at(2, "read")
    write: int = _at(3, "write")
    edit: int = _at(2, "edit")
    list: int = _at(2, "list")
    fetch: int = _at(2, "fetch")
    others: int = _at(2, "other")
    block: int = knob(
        5, title="Block", minimum=2, maximum=50, unit="calls", help="Equal calls of which the last is refused (D4)."
    )


class RepeatGuard(Rule):
    """The same call once more, judged before it runs (D1 to D5, D7).

    Sees: calls of one user turn with one signature: path and range of a read, path of a write, path and old text of an
    edit, path of a listing, the command, the URL (D2).
    Source: D3 warns at 2 (writes 3), D4 refuses at 5.
    Limits: results are not looked at, so an honest poll is warned and refused as well.
    Quiet: a person's message drops the counts (D1); the text around a call changes nothing (D7).
    """

    id = "repeat_guard"
    title = "Repeat guard"
    Settings = RepeatGuardSettings
    canonical = False
    settings: RepeatGuardSettings

    def __init__(self, settings: RepeatGuardSettings) -> None:
        super().__init__(settings)
        self._calls: OrderedDict[str, list[int]] = OrderedDict()
        """Signature to ``[count, *newest steps]``."""
        self._waiting: dict[int, tuple[int, str]] = {}
        """Calls judged whose results are not in yet, by step: turn and signature."""

    def before(self, facts: Facts) -> Iterable[Finding]:
        """Judge the call; calls of the same turn that were judged before it count."""
        if not facts.signature:
            return ()
        if self._waiting:
            self._waiting = {step: entry for step, entry in self._waiting.items() if entry[0] == facts.turn}
        beside = [
            step
            for step, (_, signature) in self._waiting.items()
            if signature == facts.signature and step < facts.index
        ]
        self._waiting[facts.index] = (facts.turn, facts.signature)
        seen = self._calls.get(facts.signature, [0])
        count = seen[0] + len(beside) + 1
        settings = self.settings
        warn = getattr(settings, facts.family, settings.others) if facts.family in FAMILIES else settings.others
        if count < min(warn, settings.block):
            return ()
        blocked = count >= settings.block
        return (
            Finding(
                rule=self.id,
                level=Level.STRONG if blocked else Level.WARN,
                step=facts.index,
                steps=(*seen[1:], *beside, facts.index)[-EVIDENCE_LIMIT:],
                count=count,
                threshold=settings.block if blocked else warn,
                message=f"{what(facts)} is about to be called for the {_ordinal(count)} time since the person spoke, "
                f"{'so it is refused' if blocked else f'warned from {times(warn)} on'}.",
                key=facts.signature,
                response="block" if blocked else "remind",
                agent=facts.agent,
                tool=facts.tool,
                resets_when="a person speaks",
                before_call=True,
            ),
        )

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:  # noqa: ARG002
        """Count a call that ran."""
        self._waiting.pop(facts.index, None)
        if facts.signature:
            entry = self._calls.setdefault(facts.signature, [0])
            if len(self._calls) > MEMORY:
                self._calls.popitem(last=False)
            entry[0] += 1
            entry.append(facts.index)
            if len(entry) > EVIDENCE_LIMIT + 1:
                del entry[1]
        return ()

    def reset(self) -> None:
        """A new user turn: drop the state with the old one (D1)."""
        self._calls.clear()
        self._waiting.clear()

    def save(self) -> Any:
        """State as plain JSON."""
        return {
            "calls": [[signature, list(entry)] for signature, entry in self._calls.items()],
            "waiting": [[step, *entry] for step, entry in self._waiting.items()],
        }

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._calls = OrderedDict((signature, list(entry)) for signature, entry in state["calls"])
        self._waiting = {step: (turn, signature) for step, turn, signature in state["waiting"]}


FAMILIES = frozenset(RepeatGuardSettings.model_fields) - frozenset(RuleSettings.model_fields) - {"others", "block"}


def _ordinal(count: int) -> str:
    suffix = "th" if count % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{count}{suffix}"
