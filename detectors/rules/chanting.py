"""Texts and thoughts that go round in circles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from zlib import compress

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.memory import note
from loopwatch.detectors.rules.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

SCANNED = 32_768
"""Characters looked at from each end of a text."""
TAIL = 4_096
"""Characters at the end of a text in which an exact cycle is looked for."""
GRAM = 5
STRIDE = 400
"""Words of a window whose novelty is weighed."""
SHORT_UNIT = 60
LONG_COPIES = 3
PROBE = 24
"""Characters at the very end that a cycle must bring again."""
TRIES = 24
PACKED = 0.33
LONG_ROW = 1_000
"""A row of one mark that long is no layout."""
LAYOUT = frozenset(" -=*_#~.+|─━═·•—\u2013")
_FENCE = re.compile(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)")
_STRUCTURE = re.compile(
    r"(?m)^[ \t]*(?:[|+].*|[-=*_#~]{3,}[ \t]*|#{1,6}[ \t].*|>.*|(?:[-*+•]|\d{1,3}[.)])[ \t]+.*|(?:\t| {4,})\S.*)$"
)
_CODE = re.compile(r"[{}();=<>\[\]]")


class ChantSettings(RuleSettings):
    """Thresholds of ``chant``."""

    copies: int = knob(
        4,
        title="Copies",
        minimum=3,
        maximum=20,
        unit="copies",
        help="Copies of a short passage at the end (oh-my-pi: 4).",
    )
    length: int = knob(
        180,
        title="Length",
        minimum=60,
        maximum=5_000,
        step=20,
        unit="characters",
        help="They must fill so much (oh-my-pi).",
    )
    novelty: int = knob(
        12,
        title="Novelty",
        minimum=0,
        maximum=60,
        unit="%",
        help="A stretch of 400 words with fewer new runs of five words goes in circles (DeepSeek script: 2 %).",
    )
    strong: int = knob(
        3, title="Strong", minimum=1, maximum=20, unit="messages", help="Such messages in a row before a last chance."
    )


class Chant(Rule):
    """The model says, or thinks, the same thing over and over within one message.

    Sees: an exact cycle at the end of a text, of any period up to a third of its last 4,096 characters; and stretches
    of 400 words in which hardly any run of five words is new, which finds reworded circles.
    Source: oh-my-pi (suffix cycles), Gemini CLI and Qwen Code (chunks), Hermes; C1 to C10; oh-my-pi#12525 (``?!?!``).
    Limits: 32,768 characters from each end are looked at; scripts without spaces are judged by exact cycles only.
    Quiet: fenced and indented code, tables, lists, headings, quotes and rules are cut out unless one line of them comes
    again and again; white space and rows of one character for layout do not count; a template filled in anew each time
    keeps enough new words.
    """

    id = "chant"
    title = "Goes in circles within a message"
    Settings = ChantSettings
    settings: ChantSettings

    def __init__(self, settings: ChantSettings) -> None:
        super().__init__(settings)
        self._steps: list[int] = []
        self._turn = -1

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Look through what the model said and thought in this step."""
        text, reasoning = step.text, step.reasoning
        if len(text) < self.settings.length and len(reasoning) < self.settings.length:
            if (text or reasoning) and facts.turn != self._turn:
                self._steps.clear()
            return ()
        self._turn = facts.turn
        for where, said in (("message", text), ("reasoning", reasoning)):
            passage = circle(said, self.settings)
            if passage:
                return self._say(facts, where, *passage)
        self._steps.clear()
        return ()

    def _say(self, facts: Facts, where: str, count: int, unit: str, how: str) -> Iterable[Finding]:
        note(self._steps, facts.index)
        strong = len(self._steps) >= self.settings.strong
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=self._steps,
                count=len(self._steps) if strong else count,
                threshold=self.settings.strong if strong else self.settings.copies,
                message=f"The {where} goes in circles: {how}, for example {quoted(unit, 60)}.",
                key=where,
                resets_when="a message says something new",
                equal_because=("white space folded",),
            ),
        )

    def reset(self) -> None:
        """Forget the row of messages."""
        self._steps.clear()
        self._turn = -1

    def save(self) -> Any:
        """The row of messages."""
        return [self._steps[:], self._turn]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        steps, self._turn = state
        self._steps = list(steps)


def circle(text: str, settings: ChantSettings) -> tuple[int, str, str] | None:
    """How often which passage comes again, and that in words; ``None`` where the text goes on.

    Bounded: a constant number of passes over at most twice 32,768 characters.
    """
    if len(text) < settings.length:
        return None
    parts = [text] if len(text) <= 2 * SCANNED else [text[:SCANNED], text[-SCANNED:]]
    if not any(_repetitive(part) for part in parts):
        return None
    prose = [" ".join(_prose(part).split()) for part in parts]
    found = suffix_cycle(prose[-1], settings.copies, settings.length)
    if found:
        copies, unit = found
        return copies, unit, f"{copies} equal passages in a row"
    for part in prose:
        stale = _stale_stretch(part, settings.novelty)
        if stale:
            share, unit = stale
            return settings.copies, unit, f"only {share} % of {STRIDE} words say anything new"
    return None


def suffix_cycle(text: str, copies: int, length: int) -> tuple[int, str] | None:
    """The shortest passage that the end of ``text`` consists of: how many copies, and the passage.

    A passage that comes again brings the text's last characters again, so only the distances to their earlier places
    are tried; how far a distance holds is found by halving.
    """
    tail = text[-TAIL:]
    if len(tail) < length:
        return None
    probe = tail[-PROBE:]
    at = len(tail) - PROBE
    for _ in range(TRIES):
        at = tail.rfind(probe, 0, at + PROBE - 1)
        if at < 0:
            return None
        period = len(tail) - PROBE - at
        covered = period + _reach(tail, period)
        times = covered // period
        if covered < length or times < (copies if period <= SHORT_UNIT else LONG_COPIES):
            continue
        unit = tail[-period:]
        if period == 1 and not unit.isalnum() and (unit in LAYOUT or covered < LONG_ROW):
            return None
        return times, unit
    return None


def _reach(tail: str, period: int) -> int:
    """How many characters at the end equal those one ``period`` earlier."""
    low, high = 0, len(tail) - period
    while low < high:
        middle = (low + high + 1) // 2
        if tail[-middle:] == tail[-middle - period : -period]:
            low = middle
        else:
            high = middle - 1
    return low


def _repetitive(text: str) -> bool:
    """Whether the text packs so well that it may go in circles: prose keeps some 45 %, code 25 %, a circle 10 %."""
    raw = text.encode("utf-8", "replace")
    tail = raw[-2 * TAIL :]
    return len(compress(raw, 1)) < PACKED * len(raw) or len(compress(tail, 1)) < PACKED * len(tail)


def _prose(text: str) -> str:
    """The text without code and layout; layout lines that come again and again stay in."""
    if "```" in text or "~~~" in text:
        text = _FENCE.sub(" ", text)
    lines = text.split("\n")
    if len(lines) < 3:  # noqa: PLR2004 - no layout in so few lines
        return text
    seen: dict[str, int] = {}
    for line in lines:
        seen[line] = seen.get(line, 0) + 1
    return "\n".join(line for line in lines if not _is_layout(line) or (_says(line) and seen[line] > _bearable(line)))


def _bearable(line: str) -> int:
    """How often one line of layout may come; cells of a table are often equal."""
    return 20 if line.lstrip()[:1] == "|" else 4


def _says(line: str) -> bool:
    return sum(character.isalpha() for character in line) > 2  # noqa: PLR2004 - more than a bracket or an "end"


def _is_layout(line: str) -> bool:
    if _STRUCTURE.match(line):
        return True
    marks = len(_CODE.findall(line))
    return marks >= 2 and marks * 12 >= len(line)  # noqa: PLR2004 - unfenced code has a mark every dozen characters


def _stale_stretch(text: str, least: int) -> tuple[int, str] | None:
    """The first stretch with too little new in it: how many per cent are new, and its beginning."""
    words = text.lower().split()
    if len(words) < STRIDE + GRAM:
        return None
    seen: set[tuple[str, ...]] = set()
    new = 0
    for at in range(len(words) - GRAM + 1):
        gram = tuple(words[at : at + GRAM])
        if gram not in seen:
            seen.add(gram)
            new += 1
        if (at + 1) % STRIDE == 0:
            share = 100 * new // STRIDE
            if share < least and at >= STRIDE:
                return share, " ".join(words[at - 12 : at])
            new = 0
    return None
