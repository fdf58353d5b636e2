"""Going round: the same path of calls, replayed."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Any

from pydantic import Field

from loopwatch.detectors.finding import Finding, Level
from loopwatch.detectors.rule import Rule, RuleSettings, knob
from loopwatch.detectors.rules.wording import times
from loopwatch.detectors.sameness.facts import Effect
from loopwatch.detectors.sameness.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.detectors.step import Step

LONGEST = 64
"""Turns kept. A period is at most half of that."""

NOWHERE = (-1, 0, 0, 0)

SPARE = 4
"""A replay is believed while it is so many times as long as what had to be forgiven."""

SKIPPED = Effect.POLL | Effect.TALK


class CycleSettings(RuleSettings):
    """Thresholds of ``cycle``."""

    replayed: int = knob(
        4,
        title="Replayed",
        minimum=2,
        maximum=60,
        unit="turns",
        help="Turns that replay earlier ones, in order and with equal results, before a reminder (stella: 3 laps).",
    )
    laps: float = knob(
        2, title="Laps", minimum=1.5, maximum=20, step=0.5, unit="laps", help="And so many laps (Hermes, senpi: 3)."
    )
    strong_laps: float = knob(
        5, title="Strong", minimum=2, maximum=50, step=0.5, unit="laps", help="Laps before a block is offered (Hermes)."
    )
    longest: int = knob(
        12, title="Longest", minimum=2, maximum=32, unit="turns", help="Longest period looked for (egg#3595: 8)."
    )
    jitter: int = knob(
        1, title="Jitter", minimum=0, maximum=6, unit="turns", help="Strange or left out turns forgiven at a time."
    )
    exact: bool = Field(default=False, title="Exact", description="Compare raw arguments and results (B1).")
    thoughts: bool = Field(
        default=False, title="Thoughts too", description="What the model said with the call must be equal (OpenHands)."
    )
    results: bool = Field(default=True, title="Results too", description="Results must be equal, not calls alone.")
    through_changes: bool = Field(
        default=False, title="Through changes", description="A real change between does not end the count."
    )


class Cycle(Rule):
    """A path of two to twelve different turns walked again, with the same results.

    Sees: turns as wholes (calls and results, in any order). A pointer follows the earlier walk; a strange turn between
    or a turn left out is forgiven, up to ``jitter`` at a time and a quarter of what is replayed.
    Source: Hermes 2 to 4 x 3, senpi 2 to 6 x 3, Gemini CLI 1 to 5 x 5, egg#3595 (8 calls).
    Limits: a walk in another order is ``orbit``'s; one call over and over is ``same_result``'s.
    Quiet: any new result, a real change, an obeyed reminder, a compaction; polls and messages are passed over.
    """

    id = "cycle"
    title = "Cycle of calls"
    Settings = CycleSettings
    settings: CycleSettings

    def __init__(self, settings: CycleSettings) -> None:
        super().__init__(settings)
        self._past: deque[tuple[str, int]] = deque(maxlen=LONGEST)
        """Finished turns: fingerprint and first step."""
        self._where: OrderedDict[str, int] = OrderedDict()
        """Fingerprint to the number of its newest turn."""
        self._count = 0
        """Turns so far; the newest has number ``_count - 1``."""
        self._floor = 0
        self._era = 0
        self._follow = -1
        """Number of the earlier turn that the newest one replays; -1 when it replays none."""
        self._replayed = 0
        self._astray = 0
        """Strange turns since the newest replayed one."""
        self._forgiven = 0
        """Strange and left out turns since the replay began."""
        self._parts: dict[str, int] = {}
        """The turn under way: call and result to step."""

    @classmethod
    def concerns(cls, facts: Facts) -> bool:
        """Polls and messages are passed over."""
        return not facts.effect.has(SKIPPED)

    def observe(self, facts: Facts, step: Step) -> Iterable[Finding]:
        """Take the step into its turn and see whether the turn replays an earlier one."""
        if step.compacted:
            self._restart()
        if not facts.call or facts.effect.has(SKIPPED) or (facts.transient and not self.settings.exact):
            return ()
        self._parts[self._part(facts, step)] = facts.index
        name = self._name()
        if name not in self._where and not self._replayed:
            return ()
        follow, replayed, astray, forgiven = self._advance(name)
        if follow < 0:
            return ()
        period = self._count - follow
        settings = self.settings
        if replayed < settings.replayed or astray or SPARE * forgiven > replayed:
            return ()
        laps = replayed / period + 1
        names = {self._turn(number)[0] for number in range(follow, self._count)}
        if laps < settings.laps or len(names) == 1:
            return ()
        strong = laps >= settings.strong_laps
        return (
            self.found(
                facts,
                level=Level.STRONG if strong else Level.WARN,
                steps=[*(first for _, first in self._newest(replayed + period - 1)), facts.index],
                count=replayed,
                threshold=max(settings.replayed, int((settings.laps - 1) * period)),
                message=f"The same {period} steps were walked {times(int(laps))} in the same order, each with the same "
                "result as before.",
                key=min(names),
                resets_when="a result changes or something is really changed",
            ),
        )

    def turn_ended(self) -> None:
        """Put the finished turn into the past."""
        if not self._parts:
            return
        if self.past.era != self._era and not self.settings.through_changes:
            self._era = self.past.era
            self._restart()
        name, first = self._name(), min(self._parts.values())
        self._parts = {}
        self._follow, self._replayed, self._astray, self._forgiven = self._advance(name)
        self._past.append((name, first))
        self._where[name] = self._count
        self._where.move_to_end(name)
        if len(self._where) > LONGEST:
            self._where.popitem(last=False)
        self._count += 1

    def reset(self) -> None:
        """Forget the path."""
        self._restart()
        self._parts = {}

    def save(self) -> Any:
        """State as plain JSON."""
        return {
            "past": [list(turn) for turn in self._past],
            "where": list(self._where.items()),
            "numbers": [self._count, self._floor, self._era],
            "pointer": [self._follow, self._replayed, self._astray, self._forgiven],
            "parts": dict(self._parts),
        }

    def restore(self, state: Any) -> None:
        """Take back what ``save`` gave."""
        self._past = deque(((name, first) for name, first in state["past"]), maxlen=LONGEST)
        self._where = OrderedDict((name, number) for name, number in state["where"])
        self._count, self._floor, self._era = state["numbers"]
        self._follow, self._replayed, self._astray, self._forgiven = state["pointer"]
        self._parts = dict(state["parts"])

    def _restart(self) -> None:
        """What lies behind is no path to replay any more."""
        self._floor = self._count
        self._follow, self._replayed, self._astray, self._forgiven = NOWHERE
        self._where.clear()

    def _part(self, facts: Facts, step: Step) -> str:
        settings = self.settings
        call, result = (facts.raw_call, facts.raw_result) if settings.exact else (facts.call, facts.result)
        if settings.thoughts:
            call = fingerprint(f"{call} {step.text}")
        if not settings.results:
            return call
        return f"{call}:{result}" if result else f"?{facts.index}"

    def _name(self) -> str:
        return next(iter(self._parts)) if len(self._parts) == 1 else "|".join(sorted(self._parts))

    def _turn(self, number: int) -> tuple[str, int]:
        return self._past[len(self._past) - (self._count - number)]

    def _newest(self, turns: int) -> list[tuple[str, int]]:
        turns = min(turns, len(self._past))
        return [self._past[at] for at in range(len(self._past) - turns, len(self._past))]

    def _advance(self, name: str) -> tuple[int, int, int, int]:
        """Where the pointer stands if a turn of this name comes next.

        Returns:
            The earlier turn's number, turns replayed, strange turns in a row, turns forgiven.
        """
        settings = self.settings
        if self._follow >= 0:
            for skipped in range(settings.jitter + 1):
                number = self._follow + 1 + skipped
                if number < self._count and self._is_kept(number) and self._turn(number)[0] == name:
                    return number, self._replayed + 1, 0, self._forgiven + skipped
        last = self._where.get(name, -1)
        if last >= self._floor and self._is_kept(last) and self._count - last <= settings.longest:
            return last, 1, 0, 0
        if self._follow >= 0 and self._astray < settings.jitter:
            return self._follow, self._replayed, self._astray + 1, self._forgiven + 1
        return NOWHERE

    def _is_kept(self, number: int) -> bool:
        return number >= self._floor and self._count - number <= len(self._past)
