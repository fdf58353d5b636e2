"""What was decided and is still in force, and which findings are about one loop."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopwatch.detectors.finding import Finding, Response
    from loopwatch.detectors.sameness.facts import Facts
    from loopwatch.engine.desk import Decision
    from loopwatch.engine.events import FindingMade

ANSWERS = 16
"""Settled suggestions remembered, to know when another rule repeats what one of them said."""
BLOCK_LIFE = 20
"""Steps after which a block that nobody ran into is dropped: later, the same call is a new one."""


@dataclass(frozen=True, slots=True)
class Raised:
    """A finding that something should be proposed for."""

    finding: Finding
    event: FindingMade
    facts: Facts | None
    """Of the step or the waiting call it was made at."""
    calls: frozenset[str]
    """Fingerprints of the calls that prove it."""
    further: int = 0
    """Repeats since the finding was made; a snooze ended while the loop went on."""


def same_loop(first: Raised, second: Raised) -> bool:
    """Whether two findings are about one loop: one key, or at least half of the shorter proof in common."""
    one, other = first.finding, second.finding
    if one.agent != other.agent:
        return False
    if (one.rule, one.key) == (other.rule, other.key):
        return True
    shorter = min(len(one.steps), len(other.steps))
    return shorter > 0 and 2 * len(set(one.steps) & set(other.steps)) >= shorter


def loops(raised: Iterable[Raised]) -> list[Raised]:
    """One finding a loop: the newest of its rule, the worst of several; in the order in which the loops were seen."""
    found: list[Raised] = []
    for entry in raised:
        for place, present in enumerate(found):
            if same_loop(present, entry):
                newer = (present.finding.rule, present.finding.key) == (entry.finding.rule, entry.finding.key)
                if entry.finding.level > present.finding.level or (
                    newer and entry.finding.level == present.finding.level
                ):
                    found[place] = entry
                break
        else:
            found.append(entry)
    return found


@dataclass(frozen=True, slots=True)
class Block:
    """The next identical call is refused, once."""

    calls: frozenset[str]
    text: str
    suggestion: str
    rule: str
    agent: str
    until: int
    """Index of the step from which it no longer holds."""


@dataclass(slots=True)
class _Snooze:
    raised: Raised
    until: int
    """Index of the last quiet step."""
    again: Raised | None = None
    """The newest finding about this loop in the meantime."""
    repeats: int = 0


@dataclass(slots=True)
class Standing:
    """Decisions in force."""

    _always: dict[tuple[str, Response], Decision] = field(default_factory=dict)
    _snoozes: list[_Snooze] = field(default_factory=list)
    _blocks: list[Block] = field(default_factory=list)
    _answered: deque[tuple[Raised, int]] = field(default_factory=lambda: deque(maxlen=ANSWERS))

    def answer_always(self, raised: Raised, decision: Decision) -> None:
        """Give the same answer to this rule from now on, as long as it proposes the same kind of thing."""
        self._always[raised.finding.rule, raised.finding.response] = replace(decision, always=False)

    def answer(self, raised: Raised) -> Decision | None:
        """The standing answer, if there is one."""
        return self._always.get((raised.finding.rule, raised.finding.response))

    def answered(self, raised: Raised, *, step: int) -> None:
        """A suggestion about this was settled when ``step`` was the newest."""
        self._answered.append((raised, step))

    def settled(self, raised: Raised) -> bool:
        """Whether another rule only says in its words what was just settled: no worse, and mostly the same steps."""
        steps = raised.finding.steps
        return any(
            before.finding.rule != raised.finding.rule
            and raised.finding.level <= before.finding.level
            and same_loop(before, raised)
            and 2 * sum(index > step for index in steps) <= len(steps)
            for before, step in self._answered
        )

    def snooze(self, raised: Raised, *, until: int) -> None:
        """Be quiet about this loop up to and including step ``until``."""
        self._snoozes.append(_Snooze(raised, until))

    def quiet(self, raised: Raised) -> bool:
        """Whether this loop is snoozed; the finding is kept for when that ends."""
        for snooze in self._snoozes:
            if same_loop(snooze.raised, raised):
                snooze.again = raised
                return True
        return False

    def wake(self, step: int, facts: Facts) -> list[Raised]:
        """The loops whose snooze ends with this step and that still go on."""
        found: list[Raised] = []
        for snooze in tuple(self._snoozes):
            going_on = facts.agent == snooze.raised.finding.agent and facts.call in snooze.raised.calls
            snooze.repeats += going_on
            if step < snooze.until:
                continue
            self._snoozes.remove(snooze)
            if snooze.again is not None:
                found.append(snooze.again)
            elif going_on:
                found.append(replace(snooze.raised, further=snooze.repeats))
        return found

    def block(self, block: Block) -> None:
        """Refuse the next call that is one of these."""
        self._blocks.append(block)

    @property
    def blocks(self) -> bool:
        """Whether any call must be looked at."""
        return bool(self._blocks)

    def blocked(self, call: str, *, agent: str, step: int) -> Block | None:
        """Take the block that a call runs into; it holds once."""
        self._blocks = [block for block in self._blocks if block.until > step]
        for block in self._blocks:
            if block.agent == agent and call and call in block.calls:
                self._blocks.remove(block)
                return block
        return None

    def forget(self) -> None:
        """A person spoke: blocks and snoozes were about what came before."""
        self._blocks.clear()
        self._snoozes.clear()
        self._answered.clear()
