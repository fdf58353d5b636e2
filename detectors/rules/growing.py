"""Inputs that only ever grow."""

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

TOOLS = 32
WORDS = 400
"""Words of an input that are compared."""
CHARACTERS = 8_000
WRITERS = frozenset({"", "write", "edit", "plan", "ask", "delegate"})
"""Families whose input is content: that grows because somebody is writing."""


class GrowingSettings(RuleSettings):
    """Thresholds of ``growing_command``."""

    warn: int = knob(
        4,
        title="Warn",
        minimum=2,
        maximum=30,
        unit="times",
        help="Times the input grew while the outcome stayed equal.",
    )
    strong: int = knob(
        8, title="Strong", minimum=3, maximum=60, unit="times", help="Times before a last chance is offered."
    )
    any_outcome: int = knob(
        8,
        title="Any outcome",
        minimum=3,
        maximum=60,
        unit="times",
        help="Times it grew, whatever came back (stella: 8).",
    )


class GrowingCommand(Rule):
    """Each input of a tool is the one before with something added.

    Sees: the words of an input come again in the next one, in the same order, with more between or after them: another
    flag, another pipe, one more copy of itself.
    Source: stella#5863 (self-appending input, 8); "adds one more flag every time".
    Limits: the first 400 words and 8,000 characters are compared; a command that replaces a word begins a new count.
    Quiet: tools that write content; commands that write a here-document; growth with a new outcome each time, up to
    the higher threshold.
    """

    id = "growing_command"
    title = "Input only grows"
    Settings = GrowingSettings
    settings: GrowingSettings

    def __init__(self, settings: GrowingSettings) -> None:
        super().__init__(settings)
        self._tools: OrderedDict[str, dict[str, Any]] = OrderedDict()

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Compare the input with the tool's last one."""
        if facts.family in WRITERS or facts.edits or not facts.result or step.call is None:
            return ()
        if facts.effect & Effect.WRITE and not facts.effect & (Effect.EXECUTE | Effect.VERIFY):
            return ()
        words = _words(step.call.arguments)
        outcome = facts.error if facts.failed else facts.result
        last = self._tools.get(facts.tool)
        if last is None or last["turn"] == facts.turn or not _extends(last["words"], words):
            if last is None or last["words"] != words:
                fresh = {
                    "words": words,
                    "outcome": outcome,
                    "turn": facts.turn,
                    "grew": 0,
                    "same": 0,
                    "steps": [facts.index],
                }
                keep(self._tools, facts.tool, fresh, TOOLS)
            return ()
        last["same"] = last["same"] + 1 if outcome == last["outcome"] else 0
        last["grew"] += 1
        last["words"], last["outcome"], last["turn"] = words, outcome, facts.turn
        note(last["steps"], facts.index)
        return self._judge(facts, last)

    def _judge(self, facts: Facts, last: dict[str, Any]) -> Iterable[Finding]:
        settings = self.settings
        if last["same"] >= settings.warn:
            strong = last["same"] >= settings.strong
            count, threshold = last["same"], settings.strong if strong else settings.warn
            came = "the outcome stayed the same"
        elif last["grew"] >= settings.any_outcome:
            strong, count, threshold = False, last["grew"], settings.any_outcome
            came = "it never took anything back"
        else:
            return ()
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=last["steps"],
                count=count,
                threshold=threshold,
                message=(
                    f"The input of {facts.tool} grew {count} times in a row and {came}; "
                    f"it is now {quoted(' '.join(last['words']), 60)}."
                ),
                key=facts.tool,
                resets_when="an input drops or changes something",
                equal_because=("each input contains the one before",),
            ),
        )

    def reset(self) -> None:
        """Forget all inputs."""
        self._tools.clear()

    def save(self) -> Any:
        """``[[tool, entry], …]``, oldest first."""
        return [[tool, _copied(entry)] for tool, entry in self._tools.items()]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._tools = OrderedDict((tool, _copied(entry)) for tool, entry in state)


def _copied(entry: dict[str, Any]) -> dict[str, Any]:
    return entry | {"words": list(entry["words"]), "steps": list(entry["steps"])}


def _words(arguments: Any) -> list[str]:
    """The words of all strings of the arguments, in order of keys."""
    if isinstance(arguments, str):
        return arguments[:CHARACTERS].split()[:WORDS]
    texts: list[str] = []
    pending = [arguments]
    while pending and len(texts) < WORDS:
        value = pending.pop()
        if isinstance(value, str):
            texts.append(value[:CHARACTERS])
        elif isinstance(value, dict):
            pending.extend(value[key] for key in sorted(value, reverse=True))
        elif isinstance(value, list):
            pending.extend(reversed(value[:WORDS]))
        elif value is not None:
            texts.append(str(value)[:CHARACTERS])
    return " ".join(texts)[:CHARACTERS].split()[:WORDS]


def _extends(old: list[str], new: list[str]) -> bool:
    """Whether ``new`` is ``old`` with words added."""
    if not old or len(new) <= len(old):
        return False
    rest = iter(new)
    return all(word in rest for word in old)
