"""The rules, one family a module.

A rule of one's own is a subclass of ``loopwatch.detectors.rule.Rule``, registered as an entry point in the group
``loopwatch.rules``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopwatch.detectors.rule import Rule


@cache
def bundled() -> dict[str, type[Rule]]:
    """Every rule that ships with loopwatch, by id, in the order of the tune screen: most specific first.

    Where several rules see one loop, the earlier one speaks.
    """
    from loopwatch.detectors.rules import (
        breaker,
        cycles,
        errors,
        failing,
        invalid,
        orbit,
        published,
        repeat_guard,
        repeats,
        similar,
    )

    kinds: tuple[type[Rule], ...] = (
        failing.FailingCall,
        repeats.SameResult,
        invalid.InvalidCall,
        errors.SameError,
        errors.FailingTool,
        cycles.Cycle,
        repeats.Interleaved,
        similar.SimilarCalls,
        similar.SameAnswer,
        orbit.Orbit,
        repeats.RepeatedCall,
        breaker.Breaker,
        repeat_guard.RepeatGuard,
        published.FailureCounter,
        published.ErrorStreak,
    )
    return {kind.id: kind for kind in kinds}
