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
        chanting,
        churn,
        compaction,
        copies,
        cutoffs,
        cycles,
        errors,
        failing,
        gestures,
        growing,
        handoffs,
        hunting,
        idling,
        invalid,
        nonces,
        orbit,
        planning,
        polling,
        published,
        repeat_guard,
        repeats,
        reversal,
        similar,
        spiral,
        stagnation,
        sweeps,
        trajectory,
        unchanged,
        unmoved,
    )

    kinds: tuple[type[Rule], ...] = (
        failing.FailingCall,
        repeats.SameResult,
        invalid.InvalidCall,
        cutoffs.CutOff,
        nonces.Nonce,
        growing.GrowingCommand,
        errors.SameError,
        errors.FailingTool,
        polling.Poll,
        sweeps.Sweep,
        reversal.Reversal,
        unchanged.EmptyEdit,
        copies.RepeatedEdit,
        gestures.SameGesture,
        stagnation.Stagnation,
        churn.WriteChurn,
        planning.PlanChurn,
        trajectory.FixesWithoutEffect,
        unmoved.Unmoved,
        handoffs.Handoff,
        compaction.AfterCompaction,
        cycles.Cycle,
        repeats.Interleaved,
        similar.SimilarCalls,
        similar.SameAnswer,
        orbit.Orbit,
        trajectory.MostlyFailing,
        hunting.Hunt,
        spiral.Spiral,
        repeats.RepeatedCall,
        chanting.Chant,
        idling.Idling,
        cutoffs.Dwindling,
        breaker.Breaker,
        repeat_guard.RepeatGuard,
        published.FailureCounter,
        published.ErrorStreak,
    )
    return {kind.id: kind for kind in kinds}
