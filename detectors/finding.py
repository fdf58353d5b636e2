"""What a rule says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, TypeAlias

from loopwatch.detectors.step import MAIN_AGENT


class Level(IntEnum):
    """How bad it is; what is proposed follows from it."""

    NOTICE = 1
    """Shown, nothing proposed."""
    WARN = 2
    """A reminder is proposed."""
    STRONG = 3
    """A reminder with a last chance is proposed, a block is offered."""
    CRITICAL = 4
    """A stop is proposed; the hard breaker stops without asking."""

    @property
    def word(self) -> str:
        """The level as it is written in files, JSON and on screen."""
        return self.name.lower()


Response: TypeAlias = Literal["none", "remind", "block", "stop"]
"""What a finding proposes. ``block`` refuses the call in question, ``stop`` ends the run."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A detector's statement: rule, level, the steps that prove it, count against threshold, why."""

    rule: str
    """The rule's id, for example ``failing_call``."""
    level: Level
    step: int
    """Index of the step at which the rule spoke; for a finding made before a call runs, the index it will have."""
    steps: tuple[int, ...]
    """The steps that prove it, oldest first, at most 50 (the newest ones)."""
    count: int
    """What was counted, against ``threshold``; in the rule's own unit."""
    threshold: int
    message: str
    """One or two plain sentences: what repeated, how often, what came back. A person can check it."""
    key: str
    """Identity of this loop within its rule (for example a fingerprint): a different loop has a different key."""
    response: Response
    agent: str = MAIN_AGENT
    tool: str = ""
    """The tool in question, as the agent calls it; empty where there is not one."""
    equal_because: tuple[str, ...] = ()
    """How unequal things were made equal: "path normalised", "clock masked", …"""
    resets_when: str = ""
    """What would end the count, in a few words."""
    final: bool = False
    """The breaker's last word: no decision is asked for."""
    before_call: bool = False
    """Made before the call ran (preset ``repeat-guard``, D5): a block can still refuse it."""
