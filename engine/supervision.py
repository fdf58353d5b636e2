"""The seam between an agent and whoever supervises it.

``agent/loop.py`` knows only these Protocols; ``run.py`` hands in the real thing. A loop written by somebody else can
be supervised through the same four questions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from loopwatch.engine.events import CallMade, Channel, EndReason, EventBase

E = TypeVar("E", bound="EventBase")


@dataclass(frozen=True, slots=True)
class Clearance:
    """May this call run?"""

    refusal: str = ""
    """Text of the synthetic result that answers the call instead of running it; empty means go ahead."""
    arguments: Any = None
    """Changed arguments the call shall run with (the operator edited the command); ``None`` means as asked."""


@dataclass(frozen=True, slots=True)
class Injection:
    """Text to put before the model with the next request."""

    id: str
    text: str
    channel: Channel


@dataclass(frozen=True, slots=True)
class Directive:
    """What shall happen at a boundary."""

    inject: tuple[Injection, ...] = ()
    stop: EndReason | None = None
    message: str = ""
    """For ``stop``: one sentence why."""


class Emit(Protocol):
    """Takes an event into the run's log: stamped, journaled, then shown and judged. Returns it as stamped."""

    def __call__(self, event: E, /) -> E:
        """Append the event."""
        ...


class Supervision(Protocol):
    """What an agent loop asks of its supervisor.

    Everything that happened reaches the supervisor as events, through ``Emit``; these are the moments at which the
    loop waits for an answer.
    """

    async def before(self, call: CallMade) -> Clearance:
        """Ask before a call runs. Called once per call, in call order, after its event was emitted."""
        ...

    async def boundary(self, turn: int) -> Directive:
        """Ask after all results of a turn are in, before the next request; may hold the agent for the operator."""
        ...

    def sent(self, turn: int, messages: Sequence[dict[str, Any]]) -> None:
        """Tell what a request really carried, as handed to the wire; receipts are made from this."""
        ...


class Unsupervised:
    """Supervision that never says anything; the baseline for overhead measurements."""

    async def before(self, call: CallMade) -> Clearance:  # noqa: ARG002
        """Let it run."""
        return Clearance()

    async def boundary(self, turn: int) -> Directive:  # noqa: ARG002
        """Go on."""
        return Directive()

    def sent(self, turn: int, messages: Sequence[dict[str, Any]]) -> None:
        """Take no notice."""
