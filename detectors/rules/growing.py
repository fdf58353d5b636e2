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
RUNS = Effect.EXECUTE | Effect.VERIFY
GROWING = frozenset({"shell", "other", "search", "fetch"})
"""Families whose input is neither content, which grows because somebody is writing, nor a mere place."""


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

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Commands and queries that brought something."""
        return facts.family in GROWING and not facts.edits and bool(facts.result)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Compare the input with the tool's last one."""
        if facts.family not in GROWING or facts.edits or not facts.result or step.call is None:
            return ()
        if facts.effect.has(Effect.WRITE) and not facts.effect.has(RUNS):
            return ()
        text = _text(step.call.arguments)
        outcome = facts.error if facts.failed else facts.result
        last = self._tools.get(facts.tool)
        if last is None or last["turn"] == facts.turn or not _extends(last["text"], text):
            if last is None or last["text"] != text:
                fresh = {
                    "text": text,
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
        last["text"], last["outcome"], last["turn"] = text, outcome, facts.turn
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
                    f"it is now {quoted(last['text'], 60)}."
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
    return entry | {"steps": list(entry["steps"])}


def _text(arguments: Any) -> str:
    """The strings of the arguments in order of keys, at most 8,000 characters."""
    if isinstance(arguments, str):
        return arguments[:CHARACTERS]
    if isinstance(arguments, dict) and len(arguments) == 1:
        (value,) = arguments.values()
        if isinstance(value, str):
            return value[:CHARACTERS]
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
    return " ".join(texts)[:CHARACTERS]


def _extends(former: str, text: str) -> bool:
    """Whether ``text`` is ``former`` with words added."""
    if len(text) <= len(former):
        return False
    old, new = former.split()[:WORDS], text.split()[:WORDS]
    if not old or len(new) <= len(old):
        return False
    rest = iter(new)
    return all(word in rest for word in old)
