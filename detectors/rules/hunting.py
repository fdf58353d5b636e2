"""Looking for one thing everywhere and finding it nowhere."""

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

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

WORDS = 256
"""Words searched for that are remembered at a time."""
TERMS = 26
"""Different searches with one word that are told apart."""
SHORTEST = 3
"""Letters; shorter parts of names are nobody's search, yet they tell two names apart."""
ACTING = Effect.WRITE | Effect.EXECUTE | Effect.VERIFY | Effect.DELEGATE | Effect.ASK
_TERM = r"('[^']{0,200}'|[^\s';|&]{1,200})"
_SOUGHT = re.compile(
    rf"\A(?:search|list) {_TERM}|-i?(?:name|path|wholename|regex) {_TERM}"
    rf"|\b(?:grep|egrep|rg|ag|ack)(?: -\S+){{0,6}} {_TERM}"
    rf"|\b(?:which|whereis|locate|type|command -v|fd) {_TERM}"
)
_PROGRAMS = ("find", "grep", "rg ", "ag ", "ack ", "which", "whereis", "locate", "type ", "command -v", "fd ")
_WORD = re.compile(r"[^\W\d]\w{2,60}")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[^\W_]+")
"""``maxPressure``, ``MAX_PRESSURE`` and ``pressure max`` look for the same two words."""


class HuntSettings(RuleSettings):
    """Thresholds of ``hunt``."""

    warn: int = knob(
        6, title="Warn", minimum=3, maximum=40, unit="searches", help="Searches for one word that found nothing."
    )
    fruitless: int = knob(
        50, title="In vain", minimum=10, maximum=100, step=5, unit="%", help="Share of that word's searches in vain."
    )


class Hunt(Rule):
    """One thing is looked for in place after place, and most of the searches find nothing.

    Sees: the words that searches look for (patterns of search tools, ``find -name``, ``grep``, ``which``), wherever
    they look, and whether anything came back.
    Source: A14, A13 ("not found" six ways); runs that hunt for a compiler folder by folder.
    Limits: a soft signal: it warns and never does more; a search that brings useless hits counts as found.
    Names are taken apart, so that another spelling of the same words is no other search.
    Quiet: searches for different words, or for one word together with another one each time, for example whether
    removed names are gone; any change, run, test, delegation or question starts the count anew.
    """

    id = "hunt"
    title = "Searches one thing in vain"
    Settings = HuntSettings
    settings: HuntSettings

    def __init__(self, settings: HuntSettings) -> None:
        super().__init__(settings)
        self._words: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._acts = False

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Searches, and actions that end a hunt."""
        return facts.effect.has(ACTING) or facts.effect.has(Effect.READ)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:  # noqa: ARG002
        """Count a search for each of its words, or take an action as the end of the hunt."""
        if facts.effect.has(ACTING):
            self._acts = True
            return ()
        if not facts.effect.has(Effect.READ) or facts.family not in {"search", "list", "shell"} or not facts.result:
            return ()
        vain = facts.weak or facts.failed
        best: dict[str, Any] = {}
        sought = ""
        parts = _sought(facts.canonical_call)
        terms = " ".join(sorted(parts))
        for word in parts:
            if len(word) < SHORTEST:
                continue
            row = self._words.get(word) or {"turn": -1, "all": 0, "vain": 0, "terms": [], "steps": []}
            keep(self._words, word, row, WORDS)
            if row["turn"] == facts.turn:
                continue
            row["turn"] = facts.turn
            row["all"] += 1
            if not vain:
                continue
            row["vain"] += 1
            note(row["steps"], facts.index)
            if terms not in row["terms"] and len(row["terms"]) < TERMS:
                row["terms"].append(terms)
            if row["vain"] > best.get("vain", 0):
                best, sought = row, word
        return self._judge(facts, sought, best) if best else ()

    def _judge(self, facts: Facts, word: str, row: dict[str, Any]) -> Iterable[Finding]:
        count, every = row["vain"], row["all"]
        if count < self.settings.warn or 100 * count < self.settings.fruitless * every or 2 * len(row["terms"]) > count:
            return ()
        return (
            self.found(
                facts,
                level=Level.WARN,
                steps=row["steps"],
                count=count,
                threshold=self.settings.warn,
                message=f"{count} of {every} searches for {quoted(word, 40)} found nothing, wherever they looked.",
                key=word,
                resets_when="something is changed, run or tested",
                equal_because=("words searched for compared",),
            ),
        )

    def turn_ended(self) -> None:
        """Let an action of the turn end the hunt."""
        if self._acts:
            self._acts = False
            self._words.clear()

    def reset(self) -> None:
        """Forget all words."""
        self._words.clear()
        self._acts = False

    def save(self) -> Any:
        """Rows by word, oldest first."""
        return [self._acts, [[word, _copied(row)] for word, row in self._words.items()]]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._acts, words = state
        self._words = OrderedDict((word, _copied(row)) for word, row in words)


def _copied(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"terms": list(row["terms"]), "steps": list(row["steps"])}


def _sought(call: str) -> list[str]:
    """The words a search looks for, in small letters and names taken apart, each once and in order."""
    if not call.startswith(("search", "list")) and not any(program in call for program in _PROGRAMS):
        return []
    terms = " ".join(part for groups in _SOUGHT.findall(call[:2_000]) for part in groups if part)
    parts = (part for word in _WORD.findall(terms) for part in _PART.findall(word))
    return list(dict.fromkeys(part.lower() for part in parts))
