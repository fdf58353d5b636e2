"""Our own agent as a source: put together from a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from loopwatch.engine.events import EndReason
    from loopwatch.engine.plan import RunPlan
    from loopwatch.engine.supervision import Emit, Supervision


class Outcome(Protocol):
    """How a worker's run ended."""

    @property
    def reason(self) -> EndReason:
        """Why."""
        ...

    @property
    def message(self) -> str:
        """One sentence for the person; may be empty."""
        ...


class Worker(Protocol):
    """Something that works on a task under supervision."""

    async def run(self, task: str) -> Outcome:
        """Work until the task is done or something ends it. Cancelling ends it at once."""
        ...


class Workshop(Protocol):
    """Makes the worker of a plan. Called in a thread, as what it imports is heavy."""

    def __call__(self, plan: RunPlan, supervision: Supervision, emit: Emit, /) -> Worker:
        """Put the worker together."""
        ...


def own_agent(plan: RunPlan, supervision: Supervision, emit: Emit) -> Worker:
    """Our own agent on the plan's endpoint."""
    raise NotImplementedError
