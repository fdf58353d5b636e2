"""When the loop ends, decided in one place before each request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from loopwatch.engine.events import EndReason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from loopwatch.engine.events import ResultCame
    from loopwatch.engine.session import Limits


@dataclass(frozen=True, slots=True)
class Outcome:
    """Why the agent's loop ended."""

    reason: EndReason
    message: str


@dataclass(slots=True)
class Progress:
    """What the conditions look at; kept by the loop."""

    turns: int = 0
    tokens: int = 0
    """Input and output of all requests so far."""
    errors: int = 0
    """Consecutive failed tool calls."""
    seconds: float = 0.0

    def count(self, result: ResultCame) -> None:
        """Take a call's result into account. Our own answers neither fail nor succeed."""
        if not result.synthetic:
            self.errors = self.errors + 1 if result.is_error else 0


Condition: TypeAlias = "Callable[[Progress, Limits], Outcome | None]"


def turn_limit(progress: Progress, limits: Limits) -> Outcome | None:
    """A limit on model requests."""
    if limits.turns is None or progress.turns < limits.turns:
        return None
    return Outcome(EndReason.TURN_LIMIT, f"the limit of {limits.turns} turns is used up")


def token_limit(progress: Progress, limits: Limits) -> Outcome | None:
    """A limit on tokens, input and output together."""
    if limits.tokens is None or progress.tokens < limits.tokens:
        return None
    return Outcome(EndReason.TOKEN_LIMIT, f"{progress.tokens:,} of {limits.tokens:,} tokens are used up")


def time_limit(progress: Progress, limits: Limits) -> Outcome | None:
    """A limit on wall time."""
    if limits.seconds is None or progress.seconds < limits.seconds:
        return None
    return Outcome(EndReason.TIME_LIMIT, f"the limit of {limits.seconds:g} s is used up")


def error_limit(progress: Progress, limits: Limits) -> Outcome | None:
    """Consecutive tool errors; any success resets them (C3)."""
    if limits.errors is None or progress.errors < limits.errors:
        return None
    return Outcome(EndReason.ERRORS, f"{progress.errors} tool calls in a row failed")


CONDITIONS: tuple[Condition, ...] = (error_limit, token_limit, time_limit, turn_limit)


def first_reason(progress: Progress, limits: Limits, conditions: Sequence[Condition] = CONDITIONS) -> Outcome | None:
    """The first condition that says stop."""
    return next((outcome for condition in conditions if (outcome := condition(progress, limits)) is not None), None)
