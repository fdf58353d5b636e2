"""The rules, one family a module.

A rule of one's own is a subclass of ``loopwatch.detectors.rule.Rule``. ``register`` makes it known to presets; an
installed package offers it as an entry point in the group ``loopwatch.rules``, named as the rule's id.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopwatch.detectors.rule import Rule


_added: dict[str, type[Rule]] = {}


def register(kind: type[Rule]) -> None:
    """Make a rule of one's own known, after the bundled ones. Registering the same class again changes nothing.

    Raises:
        ValueError: its id is no short ``snake_case`` word, or is taken.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]{1,39}", kind.id):
        raise ValueError(f"rule id {kind.id!r}: use lower-case letters, digits and underscores, 2 to 40 characters")
    present = known().get(kind.id)
    if present is not None and present is not kind:
        raise ValueError(f"rule id {kind.id!r} is taken by {present.__module__}.{present.__qualname__}")
    _added[kind.id] = kind


def known() -> dict[str, type[Rule]]:
    """Every rule that a preset can name, by id: the bundled ones, then those that were registered."""
    return bundled() | _added if _added else bundled()


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
        published.CallRow,
    )
    return {kind.id: kind for kind in kinds}
