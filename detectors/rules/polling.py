"""Asking again and again whether something is done."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.memory import keep, note
from loopwatch.detectors.rules.wording import quoted, what
from loopwatch.detectors.sameness.facts import Effect
from loopwatch.detectors.sameness.wrappers import unwrap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

THINGS = 64
"""Things asked about at a time."""
SHORT = 600
"""An answer no longer than this is read for what state it tells."""
MINUTE = 60.0
HASTY = 20.0
"""Seconds; a poll that comes sooner does not wait."""
SLOW = 120.0
"""Seconds; polls that wait so long are judged by the time alone."""
_OVER = re.compile(
    r"(?i)\b(?:failed|failure|crashed|aborted|cancell?ed|killed|terminated|exited|dead|errored|evicted|oomkilled|\w*(?:BackOff|ImagePull)|completed?|finished"
    r"|succeeded|no such (?:job|task|process|session)|(?:job|task|process|session) not found)\b"
)
_GOING = re.compile(
    r"(?i)\b(?:running|still|pending|queued|in[ _-]progress|waiting|starting|started|building|active|scheduled|retrying"
    r"|not (?:yet )?(?:done|finished|complete|ready))\b"
)


class PollSettings(RuleSettings):
    """Thresholds of ``poll``."""

    over: int = knob(
        3,
        title="Already over",
        minimum=2,
        maximum=20,
        unit="answers",
        help="Equal answers once the answer says it is over.",
    )
    hasty: int = knob(
        8,
        title="Without pause",
        minimum=3,
        maximum=50,
        unit="answers",
        help="Equal answers without a wait (OpenClaw: 10).",
    )
    paced: int = knob(
        12,
        title="With pauses",
        minimum=3,
        maximum=200,
        unit="answers",
        help="Equal answers where polls wait 20 s to 2 min.",
    )
    patience: int = knob(
        90,
        title="Patience",
        minimum=5,
        maximum=600,
        step=5,
        unit="min",
        help="A paced poll may stay unchanged so long.",
    )
    strong: int = knob(
        4,
        title="Strong",
        minimum=2,
        maximum=20,
        unit="times",
        help="A last chance is offered at so many times the threshold that applied.",
    )


class Poll(Rule):
    """A question about something running brings the same answer for too long.

    Sees: equal polls with equal answers, whatever comes between; the wait a call declares (``sleep 300``, ``timeout``);
    the time between steps where the source tells it; and whether the answer says that the thing is over.
    Source: B3; OpenClaw known_poll_no_progress (10 and 20), M1 (1,535 polls), M3, M30; quiet: N08, N12, F12, F13.
    Limits: an answer longer than 600 characters is not read for its state; no source says how long a job may take.
    Quiet: an answer that changes; few unchanged answers; polls that wait, which are judged by a higher count, and those
    that wait for minutes, which are judged by the time alone.
    """

    id = "poll"
    title = "Polls without progress"
    Settings = PollSettings
    settings: PollSettings

    def __init__(self, settings: PollSettings) -> None:
        super().__init__(settings)
        self._things: OrderedDict[str, dict[str, Any]] = OrderedDict()

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Polls that were answered."""
        return facts.effect.has(Effect.POLL) and bool(facts.result)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Count equal answers of one poll."""
        if not facts.effect.has(Effect.POLL) or not facts.result:
            return ()
        thing = self._things.get(facts.call)
        if thing is None or thing["result"] != facts.result:
            fresh = {
                "result": facts.result,
                "count": 1,
                "turn": facts.turn,
                "since": step.time,
                "waited": 0.0,
                "over": _is_over(facts, step),
                "steps": [facts.index],
            }
            keep(self._things, facts.call, fresh, THINGS)
            return ()
        self._things.move_to_end(facts.call)
        if thing["turn"] == facts.turn:
            return ()
        thing["turn"] = facts.turn
        thing["count"] += 1
        thing["waited"] += facts.declared_wait
        note(thing["steps"], facts.index)
        return self._judge(facts, step, thing)

    def _judge(self, facts: Facts, step: Step, thing: dict[str, Any]) -> Iterable[Finding]:
        settings, count = self.settings, thing["count"]
        elapsed = thing["waited"]
        if step.time is not None and thing["since"] is not None:
            elapsed = max(elapsed, step.time - thing["since"])
        threshold = self._threshold(elapsed / (count - 1), over=thing["over"])
        if count < threshold:
            return ()
        strong = count >= threshold * settings.strong
        spent = f" over {_spell(elapsed)}" if elapsed >= MINUTE else ""
        over = ", and the answer says that it is over" if thing["over"] else ""
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=thing["steps"],
                count=count,
                threshold=threshold,
                message=f"{what(facts)} brought the same answer {count} times{spent}{over}: {_answer(step)}.",
                key=facts.call,
                resets_when="the answer changes",
            ),
        )

    def _threshold(self, pause: float, *, over: bool) -> int:
        """How many equal answers are too many at this pace, in seconds from poll to poll."""
        settings = self.settings
        if over:
            return settings.over
        if pause < HASTY:
            return settings.hasty
        allowed = max(settings.over, int(settings.patience * MINUTE / pause) + 1)
        return allowed if pause >= SLOW else min(settings.paced, allowed)

    def reset(self) -> None:
        """Forget all polls."""
        self._things.clear()

    def save(self) -> Any:
        """``[[call, entry], …]``, oldest first."""
        return [[call, thing | {"steps": list(thing["steps"])}] for call, thing in self._things.items()]

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._things = OrderedDict((call, thing | {"steps": list(thing["steps"])}) for call, thing in state)


def _is_over(facts: Facts, step: Step) -> bool:
    """Whether the answer says so. That the asking command itself ended ("exited with code 0") says nothing."""
    text = step.result.text if step.result is not None else ""
    if facts.family == "shell":
        text = unwrap(text).text
    return len(text) <= SHORT and _OVER.search(text) is not None and _GOING.search(text) is None


def _answer(step: Step) -> str:
    return quoted(step.result.text, 60) if step.result is not None and step.result.text.strip() else "nothing"


def _spell(seconds: float) -> str:
    minutes = round(seconds / MINUTE)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"  # noqa: PLR2004 - two hours read better than 120 min
