"""The calls of one turn: told and cleared one after the other, run side by side, answered in call order (A4)."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loopwatch.engine.agent.conversation import Answered, neutralised
from loopwatch.engine.agent.plain import whole, whole_json
from loopwatch.engine.agent.tools.toolbox import ToolOutput
from loopwatch.engine.events import CallMade, ResultCame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from loopwatch.engine.agent.assembly import RequestedCall
    from loopwatch.engine.agent.tools.toolbox import Toolbox
    from loopwatch.engine.supervision import Clearance, Emit, Supervision

CANCELLED = "This call was cancelled: the run was stopped before it had a result."
_QUOTED = 200
"""Characters of broken arguments that are quoted back."""


class CallsOfTurn:
    """Carries out what the model asked for in one turn. Every call that was told gets exactly one result."""

    def __init__(
        self,
        turn: int,
        *,
        toolbox: Toolbox,
        supervision: Supervision,
        emit: Emit,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._turn = turn
        self._toolbox = toolbox
        self._supervision = supervision
        self._emit = emit
        self._clock = clock
        self._told: list[CallMade] = []
        self.results: list[ResultCame] = []
        """In call order, as they came."""

    async def carry_out(self, calls: Sequence[RequestedCall]) -> list[Answered]:
        """Clear every call, then run all that may run.

        Cancelled, it ends what runs, answers what has no result yet with a synthetic one, and lets the cancellation on.
        """
        cleared: list[Clearance] = []
        running: list[asyncio.Task[tuple[ToolOutput, float]]] = []
        answered: list[Answered] = []
        try:
            # Nothing runs before the last call is cleared: a question about one finds the world as it was.
            for call in calls:
                cleared.append(await self._cleared(call))  # noqa: PERF401 - those before a cancellation are kept
            running += [
                asyncio.create_task(self._run(call, clearance)) for call, clearance in zip(calls, cleared, strict=True)
            ]
            for call, clearance, task in zip(calls, cleared, running, strict=True):
                output, seconds = await task
                answered.append(self._answer(call, output, seconds, clearance=clearance))
        finally:
            for task in running:
                # The one that was awaited is being cancelled already; a second time would spare it its orderly end.
                if not task.cancelling():
                    task.cancel()
            try:
                await asyncio.gather(*running, return_exceptions=True)
            finally:
                self._answer_the_rest(calls, cleared, running)
        return answered

    def _answer_the_rest(
        self,
        calls: Sequence[RequestedCall],
        cleared: Sequence[Clearance],
        running: Sequence[asyncio.Task[tuple[ToolOutput, float]]],
    ) -> None:
        """Answer every call that was told and has no result yet: with its own where there is one."""
        for at in range(len(self.results), len(self._told)):
            task = running[at] if at < len(running) else None
            if task is not None and task.done() and not task.cancelled() and task.exception() is None:
                self._answer(calls[at], *task.result(), clearance=cleared[at])
            else:
                made = self._told[at]
                self._tell(ResultCame(turn=self._turn, call_id=made.call_id, text=CANCELLED, synthetic=True))

    async def _cleared(self, call: RequestedCall) -> Clearance:
        made = CallMade(
            turn=self._turn, call_id=call.id, tool=call.tool, arguments=call.arguments, malformed=call.malformed
        )
        made = self._emit(made)
        self._told.append(made)
        return await self._supervision.before(made)

    async def _run(self, call: RequestedCall, clearance: Clearance) -> tuple[ToolOutput, float]:
        if clearance.refusal:
            return ToolOutput(clearance.refusal, is_error=True), 0.0
        started = self._clock()
        if clearance.arguments is not None:
            output = await self._toolbox.call(call.tool, clearance.arguments)
        elif call.malformed:
            output = ToolOutput(_malformed(call), is_error=True)
        else:
            output = await self._toolbox.call(call.tool, call.arguments)
        return output, self._clock() - started

    def _answer(self, call: RequestedCall, output: ToolOutput, seconds: float, *, clearance: Clearance) -> Answered:
        synthetic = bool(clearance.refusal)
        if not synthetic:
            # In what is told as well: a rule that takes our tag for our own words must not find it in a tool's.
            output = replace(output, text=neutralised(whole(output.text)))
        self._tell(
            ResultCame(
                turn=self._turn,
                call_id=call.id,
                text=output.text,
                is_error=output.is_error,
                exit_code=output.exit_code,
                seconds=round(seconds, 4),
                digest=output.digest,
                cut=output.cut,
                synthetic=synthetic,
            )
        )
        return Answered(call, output.text, _remark(clearance))

    def _tell(self, result: ResultCame) -> None:
        self.results.append(self._emit(result))


def _malformed(call: RequestedCall) -> str:
    return (
        f"invalid JSON in the arguments of {call.tool}, maybe cut off: {call.problem}; nothing was done. "
        f"They began: {call.raw[:_QUOTED]}"
    )


def _remark(clearance: Clearance) -> str:
    """What the model must know about a call that the operator changed."""
    if clearance.arguments is None or clearance.refusal:
        return ""
    changed: Any = whole_json(clearance.arguments)
    return f"The operator changed this call before it ran. It ran with: {json.dumps(changed, ensure_ascii=False)}"
