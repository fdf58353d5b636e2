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
    import openai  # noqa: F401 - a second of work that must not happen on the event loop later

    from loopwatch.engine.agent.loop import Agent
    from loopwatch.engine.agent.model import ChatModel
    from loopwatch.engine.agent.tools.toolbox import Toolbox

    return Agent(
        model=ChatModel(model=plan.model, base_url=plan.base_url, api_key=plan.api_key),
        toolbox=Toolbox(plan.workspace, secrets=[plan.api_key.get_secret_value()] if plan.api_key else []),
        supervision=supervision,
        emit=emit,
        limits=plan.limits,
        tool_protocol=plan.tool_protocol,
    )
